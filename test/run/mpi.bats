#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# MPI calls and their messages, by Open MPI and by MPICH, in C and by Fortran's three interfaces. Numbers are
# those
# that the programs of programs/mpi make by construction.
load lib

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_orte_tmpdir_base=$BATS_FILE_TMPDIR # or launches at the same time disturb each other
source=$BATS_TEST_DIRNAME/../programs/mpi

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	for mpi in openmpi mpich; do
		command -v mpicc.$mpi >/dev/null || continue
		mpicc.$mpi -g -O1 -finstrument-functions "$source/calls.c" -o calls.$mpi
		mpicc.$mpi -g -O1 "$source/calls.c" -o plain.$mpi
		mpicc.$mpi -g -O1 -w "$source/late.c" -o late.$mpi
		mpicc.$mpi -g -O1 -finstrument-functions "$source/killed.c" -o killed.$mpi
		mpicc.$mpi -g -O1 -finstrument-functions -I "$source/../../../include" "$source/jacobi.c" \
			-o jacobi.$mpi
		for interface in MPIF_H MPI_MODULE MPI_F08; do
			mkdir -p $mpi.$interface
			large=
			[ $mpi$interface != mpichMPI_F08 ] || large=-DLARGE
			mpif90.$mpi -fallow-argument-mismatch -w -D$interface $large -J $mpi.$interface \
				"$source/calls.F90" -o fortran.$mpi.$interface
		done
	done
}

# ranks MPI N COMMAND...: each rank's output sorted in stdout
ranks() {
	local mpi=$1 nr=$2 more=
	shift 2
	command -v mpirun.$mpi >/dev/null || skip "needs $mpi"
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n "$nr" "$@" >out 2>stderr || { cat stderr; return 1; }
	sort out >stdout
}

# messages COLUMN CONDITIONS...: of the view messages; nothing where there is no such row
messages() {
	"$here/csv" "$@" <messages.csv | xargs
}

# of_calls COLUMN CONDITIONS...: of the view mpi
of_calls() {
	"$here/csv" "$@" <mpi.csv | xargs
}

views() {
	view messages >messages.csv
	view mpi >mpi.csv
}

in_c() {
	local mpi=$1 program=$2
	ranks "$mpi" 3 "$BATS_FILE_TMPDIR/$program.$mpi"
	mv stdout plain
	ranks "$mpi" 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/$program.$mpi"
	cmp plain stdout
	views

	same "ring, from 2 to 0" "$(messages messages sender=2 receiver=0 function=MPI_Sendrecv \
		communicator=MPI_COMM_WORLD)" 1
	same "its bytes" "$(messages bytes sender=2 receiver=0 function=MPI_Sendrecv \
		communicator=MPI_COMM_WORLD)" 4
	same "MPI_Send, from 0 to 1" "$(messages bytes sender=0 receiver=1 function=MPI_Send)" 24
	same "MPI_Ssend" "$(messages bytes sender=0 receiver=1 function=MPI_Ssend)" 16
	same "MPI_Isend" "$(messages bytes sender=0 receiver=1 function=MPI_Isend)" 8
	same "to nobody" "$(messages messages sender=2 function=MPI_Send)" ''
	same "starts of one request" "$(messages messages sender=0 receiver=1 function=MPI_Startall)" 10
	same "and alone" "$(messages messages sender=1 receiver=0 function=MPI_Start)" 1
	same "Scatter, each rank's own part" "$(messages bytes function=MPI_Scatter)" '4 4 4'
	same "Gather, sizes known: not the root's in place" "$(messages bytes function=MPI_Gather sender=0)" 4
	same "messages of Gather at the root" "$(messages messages function=MPI_Gather sender=0)" 2

	same "calls of MPI_Recv" "$(of_calls calls function=MPI_Recv)" 5
	same "what came, of what has a status" "$(of_calls bytes function=MPI_Recv)" 24
	same "receives without a size" "$(of_calls unknown_sizes function=MPI_Recv)" 1
	same "barriers: none within the program's operation" \
		"$(of_calls calls function=MPI_Barrier | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" 9
	same "calls of Allreduce" "$(of_calls calls function=MPI_Allreduce | tr ' ' '\n' |
		awk '{ n += $1 } END { print n }')" 6

	same "communicators of rings, in all ranks alike" \
		"$("$here/csv" communicator function=MPI_Sendrecv <messages.csv | sort -u | xargs)" \
		'MPI_COMM_WORLD MPI_COMM_WORLD/1@0 MPI_COMM_WORLD/2@0 MPI_COMM_WORLD/2@1 MPI_COMM_WORLD/3@0 MPI_COMM_WORLD/3@1'
	same "world ranks in a communicator of two" \
		"$(messages receiver sender=2 function=MPI_Sendrecv communicator=MPI_COMM_WORLD/2@0)" 0
	same "the copy after four splits" "$(messages messages function=MPI_Barrier \
		communicator=MPI_COMM_WORLD/5@0)" '1 1 1'
	same "field" "$("$here/csv" calls field=communication <<<"$(view fields)" | wc -l)" 3
}

# The lines of the source that call some functions, each of which is called in one place.
lines_are_known() {
	local function
	"$report" -v mpi -f json >mpi.json
	COLUMNS=60 "$report" -v mpi --top 0 >mpi.txt
	for function in MPI_Ssend MPI_Scatter MPI_Startall; do
		same "text with the line of $function" "$(grep -c " $function .*:[0-9]*$" mpi.txt)" 1
		same "line of $function" "$(python3 -c 'import json, sys
for row in json.load(open("mpi.json"))["sites"]:
	if row["function"] == sys.argv[1]: print(row["source"])' $function)" \
			"$(grep -n "$function(" "$here/../programs/mpi/calls.c" | sed 's/^/calls.c:/; s/:[^0-9].*//')"
	done
	same "rows of functions and of places" "$(python3 -c 'import json
tables = json.load(open("mpi.json"))
print(*(sum(row["calls"] for row in tables[name]) for name in ("mpi", "sites")))' | tr ' ' '\n' | uniq | wc -l)" 1
}

@test "Open MPI, C with hooks" {
	in_c openmpi calls
	same "callers" "$(of_calls caller function=MPI_Recv)" point_to_point
	same "calls of ring" "$(value calls function=ring)" 12
}

@test "Open MPI, C without hooks" { in_c openmpi plain; lines_are_known; }
@test "MPICH, C with hooks" { in_c mpich calls; lines_are_known; }
@test "MPICH, C without hooks" { in_c mpich plain; lines_are_known; }

in_fortran() {
	local mpi=$1 program="$BATS_FILE_TMPDIR/fortran.$1.$2"
	[ -x "$program" ] || skip "$mpi has no such interface"
	ranks "$mpi" 2 "$program"
	mv stdout plain
	ranks "$mpi" 2 "$build/insideme-run" -q "$program"
	cmp plain stdout
	views
	same "messages" "$(messages messages sender=0 receiver=1 function=MPI_Send)" 6
	same "bytes" "$(messages bytes sender=0 receiver=1 function=MPI_Send)" $((5 * 24 + 16))
	same "receives" "$(of_calls calls function=MPI_Recv)" 6
	same "what came" "$(of_calls bytes function=MPI_Recv)" 120
	same "reductions" "$(of_calls calls function=MPI_Allreduce)" 4
	same "barriers of a communicator" "$(messages messages function=MPI_Barrier \
		communicator=MPI_COMM_WORLD/1@0)" '1 1'
	same "messages of Isend" "$(messages messages sender=1 receiver=0 function=MPI_Isend)" 5
	same "bytes of Isend" "$(messages bytes sender=1 receiver=0 function=MPI_Isend)" $((5 * 32))
	same "messages that Irecv got" "$(of_calls messages function=MPI_Irecv)" 10
	same "what came, of what has a status" "$(of_calls bytes function=MPI_Irecv)" $((2 * 4 * 32))
	same "starts" "$(messages bytes sender=0 receiver=1 function=MPI_Startall)" $((3 * 16))
	same "Sendrecv" "$(messages bytes sender=0 receiver=1 function=MPI_Sendrecv)" 24
	same "to nobody" "$(messages messages function=MPI_Sendrecv_replace)" ''
	same "a text" "$(messages bytes sender=0 function=MPI_Bcast)" $((2 == $3 ? 10 : 5))
	same "counts by rank" "$(messages bytes function=MPI_Alltoallv | tr ' ' '\n' | sort -n | xargs)" '16 32'
	same "put" "$(messages bytes sender=0 receiver=1 function=MPI_Put)" 16
	same "fences" "$(of_calls calls function=MPI_Win_fence | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" 4
}

@test "Open MPI, mpif.h" { in_fortran openmpi MPIF_H 1; }
@test "Open MPI, use mpi" { in_fortran openmpi MPI_MODULE 1; }
@test "Open MPI, use mpi_f08" { in_fortran openmpi MPI_F08 2; }
@test "MPICH, mpif.h" { in_fortran mpich MPIF_H 1; }
@test "MPICH, use mpi" { in_fortran mpich MPI_MODULE 1; }
@test "MPICH, use mpi_f08, also with counts of 64 bits" {
	in_fortran mpich MPI_F08 2
	same "sent" "$(messages bytes sender=0 receiver=1 function=MPI_Send_c)" 48
	same "what came" "$(of_calls bytes function=MPI_Recv_c)" 48
	same "reduced" "$(messages bytes sender=1 function=MPI_Allreduce_c)" 64
}

# A solver with fields of its own, in 20 trials that grow: each number by construction.
jacobi_is_counted() {
	local from to nr bytes all_ms shown_ms
	ranks "$1" 4 "$BATS_FILE_TMPDIR/jacobi.$1"
	mv stdout plain
	ranks "$1" 4 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/jacobi.$1"
	cmp plain stdout
	views
	same "pairs of neighbours" "$(wc -l <plain)" 6
	while IFS=, read -r from to nr bytes; do
		same "messages from $from to $to" "$(messages messages sender=$from receiver=$to)" "$nr"
		same "bytes from $from to $to" "$(messages bytes sender=$from receiver=$to)" "$bytes"
	done <plain
	same "messages to others" "$(messages sender direction=sent | wc -w)" 6
	same "reductions" "$(messages messages function=MPI_Allreduce)" '390 390 390 390'
	same "calls of a wait for the halo" "$(of_calls calls function=MPI_Waitall)" $((4 * 390))
	"$report" >page
	grep -F 'insideme-report -v mpi ' page
	# three digits of the sum of the view, and a part of what the ranks lasted
	all_ms=$(view mpi | "$here/csv" total_ns | awk '{ sum += $1 } END { print int(sum / 1000000) }')
	shown_ms=$(sed -nE 's/^MPI +([0-9.]+) (m?)s in MPI calls, [0-9.]+ % of .*/\1 \2/p' page |
		awk '{ print int($2 == "m" ? $1 : 1000 * $1) }')
	between "ms in MPI calls" $((all_ms * 99 / 100 - 1)) "$shown_ms" $((all_ms * 101 / 100 + 1))
	between "percent of the ranks" 1 "$(sed -nE 's/^MPI .* in MPI calls, ([0-9]+).*/\1/p' page)" 100
	view fields >fields.csv
	same "Computation, by rank" "$("$here/csv" calls field=Computation <fields.csv | xargs)" '390 390 390 390'
	same "Communication" "$("$here/csv" calls field=Communication <fields.csv | xargs)" '780 780 780 780'
	same "without a field" "$("$here/csv" calls field=@fill <fields.csv | xargs)" '20 20 20 20'
	view functions >functions.csv
	same "I/O" "$("$here/csv" field function=store <functions.csv)" I/O
	same "its calls" "$("$here/csv" calls function=store <functions.csv)" $((4 * 20))
}

@test "Open MPI, a Jacobi solver" {
	local column
	jacobi_is_counted openmpi
	command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
	export OMPI_MCA_pml_monitoring_enable=2 OMPI_MCA_pml_monitoring_enable_output=3 \
		OMPI_MCA_pml_monitoring_filename=$PWD/seen
	ranks openmpi 4 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/jacobi.openmpi"
	view messages >messages.csv
	for column in sender receiver messages bytes; do
		"$here/csv" $column direction=sent <messages.csv >$column
	done
	paste -d, sender receiver messages bytes | LC_ALL=C sort >ours
	awk '$1 == "E" { print $2 "," $3 "," $6 "," $4 }' seen.*.prof | LC_ALL=C sort >theirs
	same "messages as Open MPI's own monitoring counted them" "$(cat ours)" "$(cat theirs)"
	same "pairs in these" "$(wc -l <theirs)" 6
}

@test "MPICH, a Jacobi solver" { jacobi_is_counted mpich; }

# What the program's own clocks say; the time between its reading of them and the call depends on the
# machine's load.
waits_are_known() {
	local kind function rank late ns found
	ranks "$1" 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/late.$1"
	view late >late.csv
	while IFS=, read -r kind function rank late ns; do
		found=$("$here/csv" waiting_ns kind="$kind" function="$function" rank="$rank" \
			late_rank="$late" <late.csv)
		between "$kind in $function" $((ns * 8 / 10)) "${found%.*}" $((ns * 12 / 10))
	done <out
	view mpi >mpi.csv
	between "waiting of a function, over all ranks" 150000000 \
		"$(of_calls waiting_ns function=MPI_Waitany | cut -d. -f1)" 2000000000
	same "of MPI_Init it is not known" "$(of_calls waiting_ns function=MPI_Init)" ''
	view balance >balance.csv
	same "who waits for all" "$("$here/csv" most_rank name=MPI_Waitall <balance.csv)" 2
	same "ranks that do" "$("$here/csv" ranks name=MPI_Waitall <balance.csv)" 1
	same "ranks with a peak of the heap" "$("$here/csv" ranks name='peak heap' <balance.csv)" 3
	same "rows of the program" "$(wc -l <out)" 8
	same "not matched" "$("$report" -v late | tr -d '\n' | grep -o 'other side *is known of 630' |
		tr -s ' ')" 'other side is known of 630'
}

# Where records were lost, one rank's clock bounds what its calls waited. Only rank 1 calls MPI_Ssend.
bounds_are_known() {
	local all fastest least most
	ranks "$1" 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/late.$1" uneven
	view late >late.csv
	same "waits whose other side is known" "$(wc -l <late.csv)" 1
	view mpi >mpi.csv
	same "what it waited is not known" "$(of_calls waiting_ns function=MPI_Ssend)" ''
	# what the program's own clock said around the calls, however busy the machine is
	IFS=, read -r _ all fastest <out
	least=$(of_calls above_fastest_ns function=MPI_Ssend)
	most=$(of_calls waiting_most_ns function=MPI_Ssend)
	between "at least" $(((all - 10 * fastest) * 9 / 10 - 1000000)) "${least%.*}" "$all"
	between "at most" $((all * 9 / 10)) "${most%.*}" "$(of_calls total_ns function=MPI_Ssend | cut -d. -f1)"
	between "time in the calls" "${most%.*}" "$(of_calls total_ns function=MPI_Ssend | cut -d. -f1)" "$all"
	between "least of Isend and Irecv, which wait for nobody" 0 \
		"$(of_calls above_fastest_ns function=MPI_Irecv | cut -d. -f1)" 0
	"$report" -v mpi | grep -q 'Above fastest'
	"$report" -v quality | tr -s ' \n' ' ' | grep -q 'MPI calls have no records of their own: recording was off'
}

@test "Open MPI, bounds of waiting times" { bounds_are_known openmpi; }
@test "MPICH, bounds of waiting times" { bounds_are_known mpich; }

# close FILE FILE: rows of csv whose numbers differ by rounding alone
close() {
	paste -d, <(LC_ALL=C sort "$1") <(LC_ALL=C sort "$2") | awk -F, '
		NF % 2 { print "different columns: " $0; exit 1 }
		{ for (i = 1; i <= NF / 2; i++) {
			a = $i; b = $(i + NF / 2)
			if (a != b && !(a ~ /^[0-9.]+$/ && b ~ /^[0-9.]+$/ && (a - b) ^ 2 <= 100)) {
				print "found " b ", expected " a ": " $0
				exit 1
			}
		} }'
}

@test "a saved profile has the same figures of ranks, and so has one made of it" {
	local view
	ranks openmpi 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/calls.openmpi"
	"$report" --save saved.gz
	"$report" --save again.gz saved.gz
	for view in mpi messages late balance; do
		view $view >$view.csv
		view $view saved.gz >saved.csv
		view $view again.gz >again.csv
		close $view.csv saved.csv
		close $view.csv again.csv
	done
	[ "$(wc -l <balance.csv)" -gt 10 ]
	between "rows of messages" 20 "$(wc -l <messages.csv)" 1000
	view messages saved.gz again.gz >messages.csv
	same "of both" "$(messages bytes sender=0 receiver=1 function=MPI_Send)" '24 24'
	gunzip <saved.gz | sed -E 's/^\[0,([0-9]+,[0-9-]+,[0-9-]+,[0-9]+,\[)/[77,\1/' >damaged.json
	run "$report" damaged.json
	same "status of a profile of a process that is not in it" "$status" 1
	[[ $output == *"a damaged profile: what its line"* ]]
}

# clock COLUMN: of the host that is none
clock() {
	"$report" -v clocks -f csv >clocks.csv
	"$here/csv" "$1" host=another-host <clocks.csv
}

# One rank's log is made another host's: first with the same clock, then 1.5 s ahead of that and 400 ppm fast.
clocks_are_found() {
	local log begin end kind function rank late ns found
	reads_tsc || skip "what moves a log's clock knows that of the time-stamp counter"
	ranks openmpi 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/late.openmpi"
	cp out program
	view late >before.csv
	log=$(ls insideme.data/*/rank0001-*.log)
	"$here/shift-clock" "$log" 0 0
	begin=$(clock begin_offset_ns)
	end=$(clock end_offset_ns)
	between "readings of the real time" -5000000 "$begin" 5000000
	"$here/shift-clock" "$log" 1500000000 400
	between "room for lines" 0 $(($(clock begin_most_ns) - $(clock begin_least_ns))) 1000000
	# at the run's begin, which is 1.5 s before that clock's time of the shift
	between "ahead" 1499200000 $(($(clock begin_offset_ns) - begin)) 1499600000
	between "fast" 400000 $(($(clock end_offset_ns) - end - 1500000000)) 20000000
	view late >late.csv
	while IFS=, read -r kind function rank late ns; do
		found=$("$here/csv" waiting_ns kind="$kind" function="$function" rank="$rank" \
			late_rank="$late" <late.csv)
		between "$kind in $function" $((ns * 8 / 10)) "${found%.*}" $((ns * 12 / 10))
	done <program
}

@test "clocks of two hosts, by messages" { clocks_are_found; }

@test "Open MPI, which rank waited for which" { waits_are_known openmpi; }
@test "MPICH, which rank waited for which" { waits_are_known mpich; }

# ends MPI ARGUMENT...: run killed.c without us, then with us; the status must be the same
ends() {
	local mpi=$1 status=0 without=0 more=
	shift
	command -v mpirun.$mpi >/dev/null || skip "needs $mpi"
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n 3 "$BATS_FILE_TMPDIR/killed.$mpi" "$@" >out 2>&1 || without=$?
	timeout 100 mpirun.$mpi $more -n 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/killed.$mpi" "$@" \
		>out 2>&1 || status=$?
	# after an exit without MPI_Finalize MPICH's mpirun ends with 0 or the rank's status, by chance
	[ "$mpi $*" = "mpich exit" ] || same "status" "$status" "$without"
}

# What came before the end is whole.
exchange_is_whole() {
	view late >late.csv
	view mpi >mpi.csv
	same "messages" "$(of_calls messages function=MPI_Send)" 20
	# MPICH's ranks do not give way to each other, so on a busy machine it is chance who waits
	[ "$1" = mpich ] || between "calls that waited" 15 "$("$here/csv" calls kind='late sender' rank=1 \
		late_rank=0 <late.csv)" 20
	"$report" -v late | grep -q 'other side is known of 80'
}

# The call that each rank was in is known too.
ends_are_known() {
	local rank kind=receive function=MPI_Recv
	[ "$2" != barrier ] || kind=collective function=MPI_Barrier
	ends "$@"
	exchange_is_whole "$1"
	view blocked >blocked.csv
	for rank in 0 1; do
		same "rank $rank waits for" "$("$here/csv" for_rank rank=$rank kind="$kind" \
			caller=wait_for_last <blocked.csv)" 2
		same "in $kind" "$("$here/csv" function rank=$rank <blocked.csv)" "$function"
	done
	same "rank 2 waits for" "$("$here/csv" for_rank rank=2 <blocked.csv)" ''
}

barriers_end() {
	ends_are_known "$1" barrier
	same "absent ranks" "$("$here/csv" absent_ranks rank=0 <blocked.csv)" 1
	ends "$1" barrier first
	view blocked >blocked.csv
	same "in the first call" "$("$here/csv" for_rank rank=1 kind=collective \
		absent_ranks=1 <blocked.csv)" 2
}

@test "Open MPI: a rank is killed" { ends_are_known openmpi kill; }
@test "MPICH: a rank is killed" { ends_are_known mpich kill; }
@test "Open MPI: a rank is killed while the others are in a barrier" { barriers_end openmpi; }
@test "MPICH: a rank is killed while the others are in a barrier" { barriers_end mpich; }
@test "Open MPI: MPI_Abort" { ends_are_known openmpi abort; }
@test "MPICH: MPI_Abort" { ends_are_known mpich abort; }

exits_early() {
	ends "$1" exit
	exchange_is_whole "$1"
	same "barriers" "$(of_calls calls function=MPI_Barrier)" 60
	same "ends" "$(of_calls calls function=MPI_Finalize)" ''
}

@test "Open MPI: exit without MPI_Finalize" { exits_early openmpi; }
@test "MPICH: exit without MPI_Finalize" { exits_early mpich; }

@test "insideme-run before mpirun; --mpi=off; a program that is none" {
	command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
	timeout 100 "$build/insideme-run" -q mpirun.openmpi --oversubscribe -n 2 \
		"$BATS_FILE_TMPDIR/plain.openmpi" >out 2>stderr
	view mpi >mpi.csv
	same "calls of MPI_Recv" "$(of_calls calls function=MPI_Recv)" 4
	ranks openmpi 2 "$build/insideme-run" -q --mpi=off "$BATS_FILE_TMPDIR/plain.openmpi"
	view mpi >mpi.csv
	same "rows" "$(wc -l <mpi.csv)" 1
	"$report" -v mpi | grep -q 'no MPI calls were recorded'
	"$build/insideme-run" -q sh -c 'echo $LD_PRELOAD' >out
	same "libraries for a shell" "$(grep -c libinsideme-mpi out)" 0
}

# libraries ARGS...: how many are preloaded for MPI in a rank
libraries() { ranks openmpi 1 "$build/insideme-run" -q "$@" sh -c 'echo $LD_PRELOAD' && grep -c libinsideme-mpi stdout || true; }

@test "samples of a rank without hooks have call paths, so MPI calls are recorded only on demand" {
	command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
	same "without samples" "$(libraries)" 1
	same "with samples" "$(libraries --sample=250)" 0
	same "on demand" "$(libraries --sample=250 --mpi=on)" 1
	ranks openmpi 2 "$build/insideme-run" -q --sample=250 "$BATS_FILE_TMPDIR/plain.openmpi"
	"$report" | grep -E '^Time .* by [0-9]+ samples'
}
