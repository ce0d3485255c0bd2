#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of programs that were killed at any moment are whole, and count what was called.
load lib
load killed

# ten_times: at random moments; all views of the last one
ten_times() {
	for _ in 1 2 3 4 5 6 7 8 9; do
		killed_after "0.0$((RANDOM % 50 + 10))"
	done
	killed_after 0.05 summary tree calls resources quality
	grep -q 'work > descend\|  work  ' <("$report")
}

@test "killed at random while every call is recorded" { INSIDEME_THRESHOLD=0 ten_times; }

@test "killed at random at the default threshold" { ten_times; }
