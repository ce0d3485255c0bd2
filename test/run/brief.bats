#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs without hooks in their first ms: entries in a log that they share, and logs of their own later.
load lib
load faults

# The first program of a run has a log of its own: here a shell.
shell() { LD_PRELOAD=$library sh -c "'$bin/brief' $*; exit \$?" >stdout 2>stderr; }
logs() { find insideme.data -name '*.log' ! -name '*-0-0.log' | wc -l; }
# of COLUMN [OTHER=VALUE]...: of the processes view
of() { view processes --top 0 | "$here/csv" "$@"; }
# All but the first one's; on a busy machine a short program may last for long enough to have one, and on a slow
# one every program does.
without_logs() {
	local i least=1000000000 lasted
	for ((i = 0; i < 100; i++)); do
		rm -rf insideme.data
		shell "$@" || status=$?
		[ "$(logs)" != 1 ] || return 0
		lasted=$(of duration_ns programs=brief)
		least=$((lasted < least ? lasted : least))
	done
	between "ns of a program that has a log" 500000 "$least" 1000000000
	skip "each of 100 short programs lasted for so long that it has a log: $least ns at least"
}
needs_short_programs() {
	without_logs heap 0
	rm -rf insideme.data
}
total() { view processes | tail -n +2 | wc -l; }

@test "a short program has no log, and is shown with its end, its CPU time and its allocations" {
	without_logs heap 0
	quiet
	same processes "$(total)" 2
	same status "$(of exit_status programs=brief)" 0
	same command "$(of command programs=brief)" "$bin/brief heap 0"
	same allocated "$(of alloc_bytes programs=brief)" $((100 * $("$bin/brief" usable)))
	between 'CPU time' 1 "$(of cpu_ns programs=brief)" 1000000000
	"$report" --process brief | grep -q ' in 100 allocations'
}

@test "the newest run of such a program is found by its name" {
	without_logs heap 0
	shell=$("$report" --list -f csv | "$here/csv" run)
	LD_PRELOAD=$library sh -c :
	same "newest run of brief" "$(view summary "$bin/brief" | "$here/csv" value column=run |
		sed 's|.*/||')" "$shell"
	run "$report" brie
	same "status" "$status" 1
	[[ $output == *"no run of brie in insideme.data; the newest there is "* ]]
}

@test "one that goes on gets a log, and nothing that it allocated before is missing" {
	shell heap 30000
	quiet
	same logs "$(logs)" 2
	same processes "$(total)" 2
	same status "$(of exit_status programs=brief)" 0
	same threads "$(of threads programs=brief)" 1
	same allocated "$(of alloc_bytes programs=brief)" $((100 * $("$bin/brief" usable)))
	"$report" --process brief | grep -q ' in 100 allocations'
	between 'lasted' 30000000 "$(of duration_ns programs=brief)" 30000000000
}

@test "one that never calls anything is sampled all the same" {
	shell spin
	quiet
	same logs "$(logs)" 2
	same threads "$(of threads programs=brief)" 1
	between samples 2 "$(view resources | grep -c ,brief,process,)" 1000	# the last one is taken at the end
}

@test "the program's thread-local memory may be larger than the sampling task" {
	LD_PRELOAD=$library sh -c "'$bin/large_tls'; exit \$?" >stdout 2>stderr
	quiet
	same logs "$(logs)" 2
	same status "$(of exit_status programs=large_tls)" 0
	between samples 2 "$(view resources | grep -c ,large_tls,process,)" 1000
}

@test "a thread opens the log" {
	shell thread
	same logs "$(logs)" 2
	same threads "$(of threads programs=brief)" 2
	same status "$(of exit_status programs=brief)" 0
}

@test "SIGKILL in the first ms leaves the entry" {
	needs_short_programs
	without_logs kill
	same status $status 137
	same 'ends not seen' "$(of end programs=brief | grep -c '^ended without a word')" 1
	same allocated "$(of alloc_bytes programs=brief)" $((100 * $("$bin/brief" usable)))
}

# On a busy machine a child may live for long enough to get one. That a shell waits for a child is no reason
# for a log.
@test "commands of a shell have no logs" {
	needs_short_programs
	LD_PRELOAD=$library bash -c 'for ((i = 0; i < 40; i++)); do /bin/true; done; exit'
	between logs 0 "$(logs)" 20
	same processes "$(total)" 41
}

@test "an image of fork, exec, exec is one process" {
	LD_PRELOAD=$library sh -c "'$bin/brief' exec; exit 3" || same status $? 3
	same processes "$(total)" 2
	same programs "$(of programs exit_status=0)" 'brief > brief'
	same shell "$(of exit_status depth=0)" 3
	same parent "$(of depth exit_status=0)" 1
	between 'peak RSS' 200000 "$(of peak_rss_bytes exit_status=0)" 100000000
}

# The task opens the log, as an allocation, a fork and the end would: each at the same moment.
@test "several tasks may open the log: there is one, and nothing is missing" {
	export INSIDEME_RUN=$PWD/run
	seq 4400 10 5900 | LD_PRELOAD=$library xargs -P8 -I{} sh -c "'$bin/brief' race {}; [ \$? = 5 ]"
	export INSIDEME_DIR=$PWD
	view processes --top 0 run >all
	same 'those that fork' "$("$here/csv" exit_status <all programs=brief exit_status=5 | wc -l)" 151
	same 'their children' "$("$here/csv" exit_status <all exit_status=7 | wc -l)" 151
	same 'without an end' "$(grep -c 'without a word' all)" 0
	same 'allocated by those that fork' "$("$here/csv" alloc_bytes <all programs=brief exit_status=5 |
		sort -u)" \
		$((400 * $("$bin/brief" usable)))
}

@test "where the shared log is full, programs have logs of their own" {
	local long
	needs_short_programs
	long=$(head -c 7000 /dev/zero | tr '\0' x)
	INSIDEME_BUDGET=1M LD_PRELOAD=$library sh \
		-c "for i in \$(seq 200); do '$bin/brief' heap 0 $long; done; true"
	same processes "$(view processes --top 0 | grep -c ,brief,)" 200
	between 'logs of their own' 50 "$(logs)" 150
}

# Those of ld.so end when it unmaps its cache. The run and its shared log are there before.
@test "each system call of a start that fails costs no more than the entry" {
	local call first last n
	needs_strace
	export INSIDEME_RUN=$PWD/run INSIDEME_DIR=$PWD
	LD_PRELOAD=$library sh -c "'$bin/brief' heap 0; '$bin/brief' heap 0"
	for call in openat:EMFILE mmap:ENOMEM pread64:EIO clone:EAGAIN fallocate:ENOSPC madvise:EINVAL; do
		strace -f -o trace -e "trace=${call%:*},munmap" -E LD_PRELOAD="$library" "$bin/brief" heap \
			12000
		first=$(sed '/munmap/q' trace | grep -c " ${call%:*}(" || true)
		last=$(grep -c " ${call%:*}(" trace || true)
		for ((n = first + 1; n <= last; n++)); do
			strace -f -o trace -e "trace=${call%:*}" \
				-e "inject=${call%:*}:error=${call#*:}:when=$n" \
				-E LD_PRELOAD="$library" "$bin/brief" heap 12000 >stdout 2>stderr ||
					same "status, $call $n" $? 0
			same "stderr, $call $n" "$(grep -v '^insideme: ' stderr)" ''
		done
	done
	view processes --top 0 run >/dev/null || { cat report.stderr; return 1; }
	same damage "$(grep damaged report.stderr)" ''
}
