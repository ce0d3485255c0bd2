#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads in numbers that no log could hold one by one.
load ../run/lib
load ../run/counted

log_bytes() { cat insideme.data/*/*.log | wc -c; }

@test "100,000 threads of every kind of end" {
	local seconds
	seconds=$( { TIMEFORMAT=%R; time "$bin/many_threads" 100000 >/dev/null; } 2>&1)
	figure "$seconds s alone"
	seconds=$( { TIMEFORMAT=%R; time record many_threads 100000; } 2>&1)
	figure "$seconds s recorded"
	quiet
	calls brief 100000 step 300000 leave 12500 wait_for_ever 12500 long_lived 1 main 1
	same "threads" "$(view threads --top 0 --columns threads | "$here/csv" threads | awk '{n += $1} END {print n}')" 100002
	same "logs" "$(ls insideme.data/*/*.log | wc -l)" 1
	between "bytes of log" 1000000 "$(log_bytes)" 100000000
	same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" 50000
	figure "$(log_bytes) bytes of log"
}

@test "each record of a call names its thread, after many took records over" {
	INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1G record many_threads 30000
	quiet
	view calls | "$here/csv" thread function=step | sort -n | uniq -c | awk '{print $2, $1}' >found
	awk '{calls[$1] += $2} END {for (tid in calls) print tid, calls[tid]}' stdout | sort -n | diff - found
}

@test "20,000 raw clones" {
	for tls in shared own; do
		rm -rf insideme.data functions.csv
		record clones $tls 5000
		quiet
		calls step 200000 run 20000 vanish 5000 main_step 50000 main 1
		between "bytes of log" 100000 "$(log_bytes)" 100000000
	done
}

@test "20,000 threads whose destructors call hooks" {
	record thread_locals 20000
	quiet
	calls 'body(void*)' 20000 'Held::~Held()' 20000 'on_key(void*)' 80000 'late()' 80000
	same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" ''
}

@test "four threads within what becomes counted, 1000 runs" {
	local i
	report=$build/insideme-report
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	counts ./counted threads
	for ((i = 0; i < 1000; i++)); do
		rm -rf insideme.data
		INSIDEME_TIMING=auto LD_PRELOAD=$library ./counted threads >stdout 2>stderr
		quiet
		same "calls, run $i" "$(calls_of_own)" "$(cat exact.csv)"
	done
	figure "$(awk -F, '{ n += $2 } END { print n }' auto.csv) calls in each"
}
