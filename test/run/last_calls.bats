#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_LAST: a ring of the last calls of each thread, as a flight recorder has them.
load lib
export INSIDEME_WAITS=off INSIDEME_TIMING=exact INSIDEME_THRESHOLD=0

# kept: the calls that have a record, by the order of their ends
kept() {
	view calls --columns function,thread | tail -n +2
}

@test "the last calls are those of a run that keeps all; sums are whole" {
	record calls || same status $? 7
	kept | cut -d, -f1 >all
	same "all calls" "$(wc -l <all)" 32893
	for nr in 1 2 500 5000 32892 32893 100000; do
		rm -rf insideme.data functions.csv
		INSIDEME_LAST=$nr record calls || same status $? 7
		quiet
		kept | cut -d, -f1 >last
		tail -n "$nr" all | cmp - last
		calls outer 1000 middle 3000 leaf 6000 fib 21891 even 501 odd 500 main 1
		same damage "$(view quality | grep -c damage)" 0
	done
}

@test "the ring takes no more room when a run is longer" {
	export INSIDEME_LAST=100 INSIDEME_BUDGET=4M
	for nr in 1000 200000; do
		rm -rf insideme.data
		record followed $nr || same status $? 3
		same "not recorded" "$(view quality | grep -cE 'lost_|threshold_raised')" 0
		same "calls of each thread" "$(kept | cut -d, -f2 | sort | uniq -c | awk '{ print $1 }' |
			xargs)" '100 100'
	done
	same "large logs" "$(find insideme.data -name "*.log" -size +1M | wc -l)" 0
}

@test "after a crash and after a kill the last calls are there" {
	for signal in 11 9; do
		rm -rf insideme.data
		INSIDEME_LAST=10 record crash $signal || true
		same "last calls of main" "$(kept | grep -c '^warm_up,')" 10
		view functions >functions.csv
		calls warm_up 100
	done
}

@test "a ring that is read while it is written" {
	INSIDEME_LAST=20 LD_PRELOAD=$library "$bin/followed" 3000000 >stdout 2>stderr &
	until "$report" -v calls -f csv 2>/dev/null | grep -q leaf; do
		kill -0 $! || break
	done
	for _ in 1 2 3; do
		kept | sort | uniq -c | awk '$1 > 20 { print; exit 1 }'
		same damage "$(grep -c damage report.stderr)" 0
	done
	kill $! || true
	wait || true
}

@test "a monitor writes the last rows at the end; a ring is not followed" {
	monitor -q functions --last=3 --recording=csv -- "$bin/calls" || same status $? 7
	same rows "$(grep -c ,return, monitor_records.csv)" 3
	run "$report" --follow -f pikos
	[[ $output == *'--follow: the run keeps its last calls alone'* ]]
}

@test "what calls before the last ones used is not shown" {
	INSIDEME_LAST=10 record calls || same status $? 7
	same "CPU time" "$(view functions --columns total_cpu_ns,total_blocked_ns | sort -u)" \
		"$(printf ',\ntotal_cpu_ns,total_blocked_ns')"
	view quality >quality.csv
	same "the quality view" "$("$here/csv" value finding=last_calls <quality.csv)" 10
	view calls >calls.csv
	grep -q 'insideme-report: 10 of 32893 calls; a larger INSIDEME_LAST keeps more' report.stderr
}

@test "wrong values" {
	for value in 0 -1 x 1.5 2000000000; do
		run "$build/insideme-run" --last=$value true
		same status $status 2
		[[ $output == *"--last: '$value' is not understood"* ]]
	done
}
