#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks under real launchers: one run, each rank's file under its name, its calls, and its children's.
load lib
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=3
work="$bin/rank_work"

openmpi() {
	command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
	LD_PRELOAD= mpirun.openmpi -n 1 true 2>/dev/null || skip "Open MPI starts nothing here"
	timeout 60 mpirun.openmpi --oversubscribe -n $ranks "$@" >stdout 2>stderr
}

mpich() {
	command -v mpirun.mpich >/dev/null || skip "needs MPICH"
	timeout 60 mpirun.mpich -n $ranks "$@" >stdout 2>stderr
}

# Pids of the processes that their logs call children of a rank (is_rank_child).
children() {
	find insideme.data -name '*.log' | while read -r file; do
		[ "$(od -An -tu4 -j 376 -N 4 "$file" | tr -d ' ')" = 0 ] || od -An -tu4 -j 40 -N 4 "$file"
	done
}

# One run of $ranks ranks, 100 calls more in each, and 7 in a child of each.
check_run() {
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 1
	for ((rank = 0; rank < ranks; rank++)); do
		same "logs of rank $rank" "$(find insideme.data -name "rank000$rank-$(uname -n)-*-0.log" |
			wc -l)" 1
	done
	same "logs with a rank" "$(find insideme.data -name 'rank*' | wc -l)" $ranks
	same "children of ranks" "$(children | sort -u | wc -l)" $ranks
	same "logs of launchers" "$(find insideme.data -name '*.log' -exec head -c 232 {} \; |
		grep -acE 'orterun|hydra')" 0
	calls work $((100 * ranks * (ranks + 1) / 2)) child_work $((7 * ranks))
	quiet
}

# fake RANK...: ranks of one launch as processes of this shell, which is as good as a launcher.
fake() {
	for rank; do
		OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=8 PMIX_NAMESPACE=fake record rank_work \
			OMPI_COMM_WORLD_RANK child
	done
}

# work LIST CALLS CHILD_CALLS: what the report says of these ranks.
of_ranks() {
	view functions --rank "$1" >functions.csv || return 1
	calls work "$2" child_work "$3"
}

@test "the machine of ranks that are bound to a processor each has both" {
	taskset -c 0,1 true 2>/dev/null || skip "needs processors 0 and 1"
	[ "$(nproc --all)" = 2 ] || skip "needs two processors"
	often
	for rank in 0 1; do
		OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=bound \
			taskset -c $rank env LD_PRELOAD="$library" "$bin/burn" 600 0 >/dev/null &
	done
	wait
	"$report" | awk '$1 == "CPU" { cores = $6 } END { exit cores != 2 }' || { "$report"; return 1; }
}

@test "--rank takes ranks and what they started" {
	fake 0 1 2 3 5
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 1
	of_ranks 1 200 7
	of_ranks 0,2-3 $((100 + 300 + 400)) 21
	of_ranks 0-99 1600 35
	"$report" --rank 5,2 | grep -F 'Recorded' | grep -q '4 processes'
}

@test "--rank says what there is when nothing fits, and what a list is" {
	fake 0 1 3
	run "$report" --rank 2,7
	same status "$status" 1
	same message "$output" "insideme-report: --rank: no such rank here; there is 0 to 1, 3"
	run "$report" --rank 1-
	same status "$status" 2
	[[ $output == *"--rank: '1-' is not a list"* ]]
	rm -rf insideme.data
	record calls || same status $? 7
	run "$report" --rank 0
	same message "$output" "insideme-report: --rank: no process of this run has a rank"
}

@test "Open MPI: the library in the ranks" {
	openmpi env LD_PRELOAD="$library" "$work" OMPI_COMM_WORLD_RANK child
	check_run
}

@test "Open MPI: the library in mpirun too" {
	LD_PRELOAD=$library openmpi "$work" OMPI_COMM_WORLD_RANK child
	check_run
}

@test "MPICH: the library in the ranks" {
	mpich env LD_PRELOAD="$library" "$work" PMI_RANK child
	check_run
}

@test "MPICH: the library in mpirun too" {
	LD_PRELOAD=$library mpich "$work" PMI_RANK child
	check_run
}

# Each rank was sampled: it has rows of its own.
check_rows() {
	for ((rank = 0; rank < ranks; rank++)); do
		"$report" -v resources -f csv --rank $rank >rows.csv
		between "rows of rank $rank" 2 "$(wc -l <rows.csv)" 1000000
	done
}

@test "insideme-run before the ranks, and before mpirun" {
	mpich "$build/insideme-run" "$work" PMI_RANK child
	check_run
	check_rows
	rm -rf insideme.data functions.csv
	"$build/insideme-run" -q mpirun.mpich -n $ranks "$work" PMI_RANK child >stdout 2>stderr
	check_run
	check_rows
}

@test "rows of a monitor: of all ranks by one insideme-run; by one for each rank it says how" {
	timeout 60 "$build/insideme-run" -q functions --recording csv -- mpirun.mpich -n $ranks "$work" \
		PMI_RANK child >stdout 2>stderr
	quiet
	same "entries" "$("$here/csv" pid function=work type=call <monitor_records.csv | sort | uniq -c |
		awk '{ print $1 }' | sort -n | xargs)" \
		'100 200 300'
	same "exits" "$("$here/csv" pid function=work type=return <monitor_records.csv | wc -l)" 600
	mpich "$build/insideme-run" functions "--" "$work" PMI_RANK child
	same "lines" "$(cat stderr)" 'insideme: no rows for single ranks; for all ranks: insideme-run functions -- mpirun ...; '$(
		)'afterwards: insideme-report -f pikos'
}

@test "a rank that another launch has had is a new run" {
	for launch in 1 2; do
		for rank in 0 1; do	# each has another parent than the other's
			(OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=again record rank_work \
				OMPI_COMM_WORLD_RANK; true)
		done
	done
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 2
	same logs "$(find insideme.data -name 'rank000*' | wc -l)" 4
}

# Hosts that share no launch id make a run each: as if two launchers without an id, each with a part of the
# ranks.
part() {
	for rank in $2; do
		PMI_RANK=$rank PMI_SIZE=4 INSIDEME_RUN=$PWD/insideme.data/$1 record rank_work PMI_RANK \
			"${@:3}" <&0 9>&- &
	done
	wait
}

# has_logs N: are there so many of ranks?
has_logs() { [ "$(find insideme.data -name 'rank*' | wc -l)" -ge "$1" ]; }

@test "runs of one launch are joined, and it is said" {
	mkdir -m 700 insideme.data
	mkfifo gate
	exec 9<>gate
	part host1 '0 2' wait <gate 9>&- &
	part host2 '1 3' wait <gate 9>&- &
	wait_until has_logs 4
	exec 9>&-
	wait
	calls work 1000
	grep -q 'joined with host' report.stderr
	view functions --rank 1,2 insideme.data/host1 >functions.csv
	calls work 500
}

@test "runs at other times, with other commands or the same ranks are not joined" {
	mkdir -m 700 insideme.data
	part early '0 1' child
	mkfifo gate
	exec 9<>gate
	part host1 '0 2' wait <gate 9>&- &
	part host2 '0 3' wait <gate 9>&- &
	part other '1 3' wait more <gate 9>&- &
	wait_until has_logs 8
	(part during '1 3' child)	# its wait is for its own
	exec 9>&-
	wait
	view functions insideme.data/host1 >functions.csv
	calls work 400
	view functions insideme.data/early >functions.csv
	calls work 300
	same "said" "$(cat report.stderr)" ''
}

@test "two launches are two runs, two in one recorded script are one" {
	mpich env LD_PRELOAD="$library" "$work" PMI_RANK
	mpich env LD_PRELOAD="$library" "$work" PMI_RANK
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 2
	rm -rf insideme.data
	export -f mpich
	export ranks
	LD_PRELOAD=$library bash -c "mpich '$work' PMI_RANK; mpich '$work' PMI_RANK"
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 1
	same "logs of rank 0" "$(find insideme.data -name 'rank0000-*' | wc -l)" 2
	calls work $((2 * 100 * ranks * (ranks + 1) / 2))
}

# Of 10,000 ranks each would read 10,000 names.
@test "a rank that starts reads no directory of its run" {
	needs_strace
	PMI_RANK=1 PMI_SIZE=2 strace -f -y -o trace -e trace=getdents64,execve "$build/insideme-run" \
		-q /bin/true
	grep -q execve trace
	same "directories read" "$(grep -c 'getdents64.*insideme.data' trace)" 0
}

# collected RANK COMMAND...: a rank of a launch of two, whose insideme-run stays
collected() {
	local rank=$1
	shift
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=fake "$build/insideme-run" -q --collect "$@"
}

# files PATTERN: how many the runs have
files() {
	find insideme.data -name "$1" | wc -l
}

@test "the last insideme-run of a host makes one file of its ranks' logs" {
	local other
	mkfifo go
	collected 1 sh -c 'read line <go; exec "$0" OMPI_COMM_WORLD_RANK' "$work" 2>stderr &
	other=$!
	collected 0 "$work" OMPI_COMM_WORLD_RANK child
	same "files while rank 1 runs" "$(files '*.logs')" 0
	view functions --rank 0 >functions.csv
	calls work 100 child_work 7
	view functions --rank 0 >before
	echo >go
	wait $other
	quiet
	same "files of their own" "$(files 'rank*')" 0
	same "files" "$(files '*.logs')" 1
	same "locks" "$(files '.*.ranks')" 0
	view functions --rank 0 >after
	cmp before after
	view functions --rank 1 >functions.csv
	calls work 200
	same "ranks" "$(view processes | "$here/csv" rank | sort -u | xargs)" '0 1'
	cp insideme.data/*/*.logs whole
	for bytes in 10 100 70000; do
		head -c $bytes whole >"$(ls insideme.data/*/*.logs)"
		"$report" >text 2>errors || true
		grep -q 'no sound collection of logs' errors
	done
	cp whole "$(ls insideme.data/*/*.logs)"
	"$report" --remove "$(basename insideme.data/*-*)"
	same "files that are left" "$(find insideme.data -type f ! -name .gitignore | wc -l)" 0
}

@test "an insideme-run that stays with its rank ends as the rank does" {
	local status=0
	collected 0 sh -c 'exit 7' || status=$?
	same status $status 7
	collected 0 sh -c 'kill -9 $$' || status=$?
	same "status of a killed one" $status 137
	OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=fake "$build/insideme-run" -q --collect sleep 100 &
	wait_until has_logs 1
	kill -TERM $!
	status=0
	wait $! || status=$?
	same "status after a signal" $status 143
}

@test "Open MPI: logs are collected, also by the insideme-run before mpirun" {
	openmpi "$build/insideme-run" -q --collect "$work" OMPI_COMM_WORLD_RANK child
	same "files" "$(files '*.logs')" 1
	same "files of their own" "$(files 'rank*')" 0
	view functions >functions.csv
	calls work $((100 * ranks * (ranks + 1) / 2)) child_work $((7 * ranks))
	rm -rf insideme.data
	timeout 60 "$build/insideme-run" -q --collect mpirun.openmpi --oversubscribe -n $ranks \
		"$work" OMPI_COMM_WORLD_RANK child >stdout 2>stderr
	same "files" "$(files '*.logs')" 1
	same "files of their own" "$(files 'rank*')" 0
	view functions >functions.csv
	calls work $((100 * ranks * (ranks + 1) / 2)) child_work $((7 * ranks))
}
