#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Forked children without a log of their own, under insideme-run: what they use over time, by construction.
load lib
all_views=" "

written=3000000

rows() { view resources --top 0 "$@" >resources.csv; }
# last COLUMN PID, largest COLUMN PID [OTHER=VALUE]: of the readings of a process
last() { "$here/csv" "$1" "pid=$2" set=process "${@:3}" <resources.csv | grep . | tail -1; }
largest() { "$here/csv" "$1" "pid=$2" "${@:3}" <resources.csv | grep . | sort -n | tail -1; }
# of COLUMN PID: of the processes view
of() { view processes --top 0 | "$here/csv" "$1" "pid=$2"; }
program_without_hooks() { gcc -w -O1 -DWAITS "$here/../programs/entered.c" -o entered; }

# Have NR lines been said, and does the newest row of each tell as much?
has_rows() {
	local pid cpu_ns
	[ "$(wc -l <said)" = "$1" ] && report=$build/insideme-report rows || return 1
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

# used NR [MIB [LOGS]]: each of NR children that said so has used that, and no more, in all rows. Without hooks
# each of them has a log, because it waits
used() {
	local pid cpu_ns line_bytes nr=0 mib=${2:-16} logs=${3:-2}
	while read -r pid cpu_ns; do
		nr=$((nr + 1))
		line_bytes=$((${#pid} + ${#cpu_ns} + 2))
		between "CPU of $pid" "$cpu_ns" "$(last cpu_ns "$pid")" $((cpu_ns + 20000000)) || return 1
		same "written by $pid" "$(largest write_chars "$pid" set=process)" \
			$((written + line_bytes)) || return 1
		between "memory of $pid" $((mib << 20)) "$(largest rss_bytes "$pid" set=process)" \
			$((mib + 4 << 20)) || return 1
	done <said
	same 'children' "$nr" "$1"
	same 'logs with insideme-run'"'s" "$(find insideme.data -name '*.log' | wc -l)" "$logs"
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
	used 2 16 4
}

@test "children of children: each has what it and those before it have touched" {
	held 3 "$build/insideme-run" --quiet -- "$bin/entered" nested 3
	depth=0 mib=0
	while read -r pid cpu_ns; do
		depth=$((depth + 1)) mib=$((mib + 16 * depth))
		between "CPU of child $depth" "$cpu_ns" "$(last cpu_ns "$pid")" $((cpu_ns + 20000000))
		between "memory of child $depth" $((mib << 20)) "$(largest rss_bytes "$pid")" \
			$(((mib + 4) << 20))
		same 'its status' "$(of exit_status "$pid")" $((depth < 3 ? 7 : 0))
	done <said
	same children "$depth" 3
}

@test "a child that opens its log late has one curve" {
	program_without_hooks
	for program in ./entered "$bin/entered"; do
		start_held 1 "$build/insideme-run" --quiet -- "$program" late
		read -r pid at_first <said
		echo >&9
		wait_until has_rows 2
		exec 9>&-
		wait "$started"
		rows
		at_last=$(tail -1 said | cut -d ' ' -f 2)
		same logs "$(find insideme.data -name '*.log' | wc -l)" 3
		same 'processes of that pid' "$(of pid "$pid" | wc -l)" 1
		"$here/csv" cpu_ns "pid=$pid" set=process <resources.csv | grep . >curve
		sort -n -c curve
		between 'CPU at the end' "$at_last" "$(tail -1 curve)" $((at_last + 50000000))
		between 'CPU before the log' "$at_first" \
			"$(awk -v first="$at_first" '$1 >= first { print $1; exit }' curve)" \
			$((at_first + 50000000))
		between 'rows of the process' 2 "$(wc -l <curve)" 100000
	done
}


is_killed() { [ "$(report=$build/insideme-report; of signal "$1")" = 9 ]; }

@test "a child that is killed keeps its rows, and its end is reported; so is an orphan's" {
	program_without_hooks
	for how in "2 16 2 $bin/entered beside 2" '1 32 3 ./entered left'; do
		read -r nr mib logs how <<<"$how"
		# shellcheck disable=SC2086
		start_held "$nr" "$build/insideme-run" --quiet -- $how
		pid=$(head -1 said | cut -d ' ' -f 1)
		kill -9 "$pid"
		wait_until is_killed "$pid"
		exec 9>&-
		wait "$started"
		rows
		used "$nr" "$mib" "$logs"
		same signal "$(of signal "$pid")" 9
	done
}

@test "the rows outlast an insideme-run that is killed" {
	start_held 2 "$build/insideme-run" --quiet -- "$bin/entered" beside 2
	kill -9 "$started"
	wait "$started" || status=$?
	exec 9>&-
	rows
	used 2
}

@test "a child that outlives its parent, and the child that it has then" {
	program_without_hooks
	for program in ./entered "$bin/entered"; do
		held 2 "$build/insideme-run" --quiet -- sh -c "'$program' after; read -r _; exit 0"
		"$report" -v quality >quality 2>&1
		same damage "$(grep -i damage quality || true)" ''
		while read -r pid cpu_ns; do
			between "CPU of $pid" "$cpu_ns" "$(last cpu_ns "$pid")" $((cpu_ns + 20000000))
		done <said
		same children "$(wc -l <said)" 2
	done
}

@test "an interval of 0 samples no child either" {
	rm -rf gate said
	mkfifo gate
	"$build/insideme-run" --quiet --interval=0 -- "$bin/entered" beside 1 <gate >said 3>&- &
	exec 9>gate
	wait_until test -s said
	read -r pid _ <said
	sleep 0.1
	exec 9>&-
	wait $!
	rows
	same rows "$("$here/csv" pid "pid=$pid" <resources.csv)" ''
	same processes "$(of pid "$pid")" "$pid"
}

@test "more children than insideme-run has descriptors for take turns, and a line says so" {
	rm -rf gate said
	mkfifo gate
	(ulimit -n 200 && exec "$build/insideme-run" --quiet -- "$bin/entered" beside 12) <gate >said 3>&- &
	exec 9>gate
	wait_until eval '[ "$(wc -l <said)" = 12 ] && view quality >quality && grep -q lost_rows quality'
	exec 9>&-
	wait $!
	rows
	with_rows=0
	while read -r pid _; do
		[ -z "$(last cpu_ns "$pid")" ] || with_rows=$((with_rows + 1))
	done <said
	between 'children with rows' 6 "$with_rows" 12
}

@test "all views show it" {
	held 2 "$build/insideme-run" --quiet -- "$bin/entered" beside 2
	pid=$(head -1 said | cut -d ' ' -f 1)
	cpu_ns=$(head -1 said | cut -d ' ' -f 2)
	between 'CPU time in processes' "$cpu_ns" "$(of cpu_ns "$pid")" $((cpu_ns + 20000000))
	between 'peak in processes' $((16 << 20)) "$(of peak_rss_bytes "$pid")" $((20 << 20))
	"$report" -v resources --top 0 >text
	grep -Eq "^ *$pid +rss_bytes .*MiB" text
	"$report" -v resources -f json --top 0 >resources.json
	grep -q "\"pid\":$pid" resources.json || grep -q "\"pid\": *$pid" resources.json
	"$report" >summary
	cat summary
	between 'MiB at the peak of the sum' 32 \
		"$(sed -n 's/^ *RSS .* \([0-9]*\)[.0-9]* MiB .*GiB.*/\1/p' summary)" 64
}
