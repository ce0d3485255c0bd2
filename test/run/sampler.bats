#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The sampling task must not show: what a thread or a child in the process would disturb, one by one, with the
# sampler inside (the library alone) and outside (insideme-run).
load lib

goes_on() { goes_on_with 2 "$1"; }

# goes_on_with CALLS KIND: CALLS of work() are to be found.
goes_on_with() {
	local calls=$1 kind=$2 without=0
	"$bin/life" "$kind" >plain 2>&1 || without=$?
	[ $without = 0 ] || skip "$kind fails without the library here: $(cat plain)"
	run timeout 20 env LD_PRELOAD="$library" "$bin/life" "$kind"
	same "status of $kind" "$status" 0
	same "output of $kind" "$output" "$(cat plain)"
	between "calls of work" "$calls" "$(value calls function=work)" "$calls"
	rm -rf insideme.data functions.csv
	run timeout 20 "$build/insideme-run" --quiet -- "$bin/life" "$kind"
	same "status of $kind under insideme-run" "$status" 0
	same "output of $kind under insideme-run" "$output" "$(cat plain)"
	between "calls of work" "$calls" "$(value calls function=work)" "$calls"
}

@test "a seccomp filter for all threads" { goes_on tsync; }
@test "a question whether there is seccomp" { goes_on probe; }
@test "a seccomp filter just after a fork" { goes_on forked; }
@test "unshare of the user namespace" { goes_on unshare; }
@test "waitpid with __WALL finds no child" { goes_on wall; }
@test "a program that closes every descriptor" { goes_on close; }
@test "mlockall" { goes_on mlock; }

@test "a fork finds one thread" {
	goes_on_with 3 fork
}

@test "a subreaper gets its own orphans" { goes_on subreaper; }

@test "a core dump, as without" {
	ulimit -c unlimited 2>/dev/null || skip "no core dumps here"
	run env LD_PRELOAD="$library" "$bin/life" abort
	same "status" "$status" 134
	calls work 1
}

@test "exec leaves the sampler behind" {
	run env LD_PRELOAD="$library" bash -c 'sleep 0.03; exec cat /proc/self/comm'
	same status "$status" 0
	same output "$output" cat
}

@test "setuid reaches every task" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	chmod 755 "$BATS_TEST_TMPDIR"
	goes_on setuid
}

@test "under insideme-run the program has no thread of ours" {
	run "$build/insideme-run" --quiet -- "$bin/life" threads
	same status "$status" 0
	same threads "${lines[0]}" 'threads 1'
}

@test "a main that ends by pthread_exit does not hang" {
	run timeout 10 env LD_PRELOAD="$library" "$bin/ends" pthread_exit
	same status "$status" 0
	same output "$output" 'survivor ends'
}

@test "a lock is free once the process was waited for" {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		run bash -c 'LD_PRELOAD=$1 bash -c "exec 9>lock; flock -n 9; sleep 0.03" && flock -n lock true' _ "$library"
		same status "$status" 0
	done
}

@test "process number 1 of a container" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare --pid --fork --mount-proc true || skip "no pid namespaces here"
	run env LD_PRELOAD="$library" unshare --pid --fork --mount-proc "$bin/calls"
	same status "$status" 7
}

@test "under gdb" {
	run gdb -batch -nx -ex "set environment LD_PRELOAD $library" -ex run "$bin/calls"
	[[ $output == *'exited with code 07'* ]]
	calls leaf 6000
}

@test "under strace -f" {
	run strace -f -o trace env LD_PRELOAD="$library" "$bin/calls"
	same status "$status" 7
	calls leaf 6000
}

@test "under valgrind, which finds no error" {
	run env LD_PRELOAD="$library" valgrind -q --error-exitcode=99 "$bin/calls"
	same status "$status" 7
	same output "$output" 'leaf 6000, fib 6765, even 1'
	calls leaf 6000
}

@test "rows come at their pace" {
	INSIDEME_INTERVAL=10ms record burn 500 100
	quiet
	view resources >resources.csv
	"$here/csv" time_ns set=process <resources.csv >times
	span=$(($(tail -1 times) - $(head -1 times)))
	between "ns from first to last row" 500000000 "$span" 60000000000
	between "rows" 10 "$(wc -l <times)" $((span / 10000000 + 2))
}
