#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads: begin, end, names, and calls over all of them.
load lib

@test "threads of every kind of end" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record threads$compiler
		same status "$status" 0
		quiet
		calls work 40000 worker 4 brief 64 leave 8 leaver 8 be_cancelled 8 victim 8 detached 1 main 1
	done
}

@test "threads carry their names" {
	INSIDEME_THRESHOLD=0 record threads
	view calls >calls.csv
	for i in 0 1 2 3; do
		same "work of worker-$i" "$("$here/csv" function function=work thread_name="worker-$i" <calls.csv | wc -l)" 10000
	done
}

@test "the process row counts threads" {
	record threads
	between "threads" 1 "$(view resources | "$here/csv" threads | sort -n | tail -1)" 8
}
