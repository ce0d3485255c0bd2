#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Recording goes off and on while the program runs: by the program, by a setting, by a signal.
load lib

gap='(not recorded)'

# paths PATH N...: calls of a path of the tree
paths() {
	view tree --top 0 >tree.csv
	while [ $# -gt 1 ]; do
		same "calls of $1" "$("$here/csv" calls "path=$1" <tree.csv)" "$2" || return 1
		shift 2
	done
}

# sound: nothing had to be repaired
sound() {
	view quality >quality.csv
	! grep -E 'broken_calls|unknown_exits|damage|lost_' quality.csv || return 1
}

# switched ARGS...: the program does the same with the recorder and without
switched() {
	rm -rf insideme.data functions.csv
	"$bin/switched$variant" "$@" >plain.stdout
	record "switched$variant" "$@"
	cmp stdout plain.stdout
	quiet
	sound
}

@test "what begins while recording is off is not recorded, and pairs nest" {
	for variant in '' .clang .slow .slow.clang; do
		switched
		paths 'main;part;steps;step' 15 'main;part;steps;step;leaf' 30 "main;part;$gap" 1 \
			'main;nest;leaf' 2 "main;nest;$gap" 2
		calls step 15 leaf 32
	done
}

@test "calls that are open at a switch end as they do" {
	for variant in '' .clang .slow .slow.clang; do
		switched open
		paths 'main;opened' 1 "main;opened;$gap" 1 "main;$gap;leaves;leaf" 7 'main;leaves;leaf' 3 \
			"main;late" ''
		switched deep
		paths 'main;down;down;down;down' 1 "main;down;down;down;down;$gap" 1 'main;leaf' 1
		calls down 4
	done
}

@test "jumps out of what is not recorded" {
	for variant in '' .clang .slow .slow.clang; do
		switched jumps
		paths 'main;jumps;leaves;leaf' 100
		calls leave ''
	done
}

@test "a child goes on as its parent was" {
	for variant in '' .clang .slow; do
		switched fork
		calls leaf 6 main 2
	done
}

@test "regions are not recorded either" {
	for variant in '' .plain .plain.clang .slow; do
		switched regions
		calls region 4
	done
}

@test "other threads notice" {
	for variant in '' .clang; do
		switched threads
		[ "$(value calls function=step)" -gt 5000 ]
	done
	same "roots" "$(view tree --top 0 | "$here/csv" path | grep -c ';run_thread')" 0
}

@test "the time while it is off is in no self time, and is reported" {
	for timing in exact auto; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record switched time
		between "the gap" 300000000 "$(value total_ns "function=$gap")" 2000000000
		between "self of main" 0 "$(value self_ns function=main)" 100000000
		between "self of times" 0 "$(value self_ns function=times)" 100000000
		"$report" -v summary | grep -E 'recording was off for [0-9.]+ m?s'
	done
	rm -rf insideme.data functions.csv
	INSIDEME_TIMING=counts record switched
	same "calls" "$(value calls function=step)" 15
	sound
}

@test "INSIDEME_START=off records nothing until the program says so" {
	export INSIDEME_START=off
	for variant in '' .clang .plain; do
		switched regions
		calls region ''
		"$report" -v summary | grep -q 'recording was off for'
	done
	variant='' switched jumps
	calls step '' leaf ''
}

@test "the first hooks of a process come while recording is off" {
	for timing in exact auto counts; do
		rm -rf insideme.data functions.csv
		INSIDEME_START=off INSIDEME_TIMING=$timing record late_heap "$bin/keeping_plugin.so"
		quiet
		sound
		same "what the report said" "$(cat report.stderr)" ''
		calls plugin_run ''
	done
}

@test "INSIDEME_SIGNAL switches where the program has no handler" {
	export INSIDEME_SIGNAL=USR1
	for variant in '' .clang; do
		switched_by_signal signal
		calls leaf 3
		quiet
		switched_by_signal handled
		calls leaf 5
	done
}

# The program alone would end by the signal.
switched_by_signal() {
	rm -rf insideme.data functions.csv
	record "switched$variant" "$1"
	same "stdout" "$(cat stdout)" "done"
	sound
}

@test "a signal in a vfork child switches nothing in its parent" {
	cat >vforked.c <<-'END'
	#include <signal.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static volatile int sink;
	__attribute__((noinline)) static void leaf(void) { sink++; }
	int main(void)
	{
		pid_t child;
		leaf();
		child = vfork();
		if (!child) {
			raise(SIGUSR1);
			_exit(3);
		}
		for (int i = 0; i < 10; i++)
			leaf();
		raise(SIGUSR1);
		leaf();
		return waitpid(child, NULL, 0) == child ? 0 : 1;
	}
	END
	for compiler in gcc clang; do
		$compiler -g -O1 -finstrument-functions vforked.c -o vforked
		rm -rf insideme.data functions.csv
		INSIDEME_SIGNAL=USR1 LD_PRELOAD=$library ./vforked
		calls leaf 11
	done
}

@test "a signal that the program ignores switches nothing, and that is said" {
	(trap '' USR1; INSIDEME_SIGNAL=SIGUSR1 record switched handled)
	grep -qx 'insideme: INSIDEME_SIGNAL: the program ignores this signal or has a handler of its own; it switches nothing' stderr
	INSIDEME_SIGNAL=SEGV record switched
	grep -q 'INSIDEME_SIGNAL=SEGV: not understood, using off; expected off or a signal such as USR1' \
		stderr
}

@test "what is outside of the focus is not recorded, off or on" {
	for variant in '' .clang; do
		INSIDEME_FOCUS=leaf record "switched$variant" focus
		calls leaf 2 outer '' inner ''
		same "below the gap" "$(view tree | "$here/csv" path | grep -c ';')" 0
		sound
		rm -rf insideme.data functions.csv
		INSIDEME_FOCUS=part record "switched$variant"
		same "steps" "$(value calls function=step)" 15
		same "nest" "$(value calls function=nest)" ''
		sound
		rm -rf insideme.data functions.csv
	done
}

@test "exceptions in C++ while recording is off, and over a switch" {
	for variant in '' .clang .slow .slow.clang; do
		rm -rf insideme.data functions.csv
		record "switched_cpp$variant"
		grep -q 'caught 100, lines ' stdout
		paths 'main;catch_all(bool);kept()' 100
		same "thrower" "$(value function | grep -c thrower)" 0
		same "solver" "$(view fields | "$here/csv" calls field=solver)" 20
		calls area 3
		! view quality | grep -E 'unknown_exits|damage' || return 1
	done
}
