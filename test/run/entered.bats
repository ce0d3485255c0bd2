#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Forked children without a log of their own, under insideme-run: what they use over time, by construction.
load lib

written=3000000

rows() { view resources --top 0 "$@" >resources.csv; }
# last COLUMN PID, largest COLUMN PID [OTHER=VALUE]: of the readings of a process
last() { "$here/csv" "$1" "pid=$2" set=process "${@:3}" <resources.csv | grep . | tail -1; }
largest() { "$here/csv" "$1" "pid=$2" "${@:3}" <resources.csv | grep . | sort -n | tail -1; }
# of COLUMN PID: of the processes view
of() { view processes --top 0 | "$here/csv" "$1" "pid=$2"; }
program_without_hooks() { gcc -w -O1 "$here/../programs/entered.c" -o entered; }

# Have NR lines been said, and does the newest row of each tell as much?
has_rows() {
	[ "$(wc -l <said)" = "$1" ] && rows || return 1
	while read -r pid cpu_ns; do
		[ "$(last cpu_ns "$pid" || echo 0)" -ge "$cpu_ns" ] || return 1
	done <said
}

# held NR COMMAND...: it holds what it uses until rows tell of NR children that have said theirs
start_held() {
	rm -rf insideme.data gate said
	mkfifo gate
	"${@:2}" <gate >said 3>&- &
	started=$!
	exec 9>gate
	wait_until has_rows "$1"
}
held() {
	start_held "$@" || return 1
	exec 9>&-
	wait "$started" || status=$?
	rows
}

# used: each child that said so has used that, and no more, in all rows
used() {
	local pid cpu_ns line_bytes nr=0
	while read -r pid cpu_ns; do
		nr=$((nr + 1))
		line_bytes=$((${#pid} + ${#cpu_ns} + 2))
		between "CPU of $pid" "$cpu_ns" "$(last cpu_ns "$pid")" $((cpu_ns + 20000000)) || return 1
		same "written by $pid" "$(largest write_chars "$pid" set=process)" $((written + line_bytes)) || return 1
		between "memory of $pid" $((16 << 20)) "$(largest rss_bytes "$pid" set=process)" $((20 << 20)) || return 1
	done <said
	same 'children' "$nr" "$1"
	same 'logs with insideme-run'"'s" "$(find insideme.data -name '*.log' | wc -l)" 2
}

@test "children that make no call have rows" {
	held 3 "$build/insideme-run" --quiet -- "$bin/entered" beside 3
	used 3
	while read -r pid _; do
		same 'status' "$(of exit_status "$pid")" 7
	done <said
}

@test "children of a program without hooks have rows, and so they have without a subreaper" {
	program_without_hooks
	held 2 "$build/insideme-run" --quiet --no-tree -- ./entered beside 2
	used 2
}
