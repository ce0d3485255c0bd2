#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The machine's columns with the library alone: one process of a run owns its rows, and the report one curve.
load lib

# Works a little and sleeps a little until file PID.end or end is there, and sleeps only while PID.idle is: for so long
# that two rows of the machine fall into it where a busy machine makes these dear, and rare.
worker='until (-e "end" or -e "$$.end") { if (-e "$$.idle") { sleep 5; next } $i++ for 1 .. 3000; select undef, undef, undef, 0.003 }'

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	often
}

teardown() {
	touch end go
	kill -CONT $(jobs -p) $(cat pids 2>/dev/null) 2>/dev/null || true
	wait
}

# start NR: as many workers, of one shell; their pids are in pids then
start() {
	: >pids
	LD_PRELOAD=$library bash -c \
		'for ((i = 0; i < $0; i++)); do perl -e "$1" & echo $! >>pids; done; wait' "$1" \
		"$worker" 3>&- &
	wait_until has_pids "$1"
}
has_pids() { [ "$(wc -l <pids)" = "$1" ]; }

# rows_of PID: times of the rows of the machine in its log alone
rows_of() {
	"$report" -v resources -f csv insideme.data/*/*-"$1"-*.log 2>/dev/null |
		"$here/csv" time_ns set=system 2>/dev/null || true
}
nr_rows() { rows_of "$1" | wc -l; }
has_rows() { [ "$(nr_rows "$1")" -ge "$2" ]; }
# Which worker is the owner. Their shell, which gets its task back when one ends, may follow.
find_holder() {
	for holder in $(cat pids); do
		! has_rows "$holder" 2 || return 0
	done
	return 1
}
# nr_others: rows of all but the holder
nr_others() {
	local log nr=0
	for log in insideme.data/*/*.log; do
		log=${log%-*}
		[ "${log##*-}" = "$holder" ] || nr=$((nr + $(nr_rows "${log##*-}")))
	done
	echo $nr
}
have_rows() { [ "$(nr_others)" -ge "$1" ]; }
others_go_on() { wait_until have_rows $(($(nr_others) + 3)); }

@test "one of several processes owns the rows" {
	local total first last
	start 4
	wait_until find_holder
	wait_until has_rows "$holder" 12
	touch end
	wait
	total=$(($(nr_rows "$holder") + $(nr_others)))
	view resources --top 0 >resources.csv
	same "rows of the run" "$("$here/csv" time_ns set=system program=machine pid= <resources.csv |
		wc -l)" "$total"
	first=$("$here/csv" time_ns set=system <resources.csv | head -1)
	last=$("$here/csv" time_ns set=system <resources.csv | tail -1)
	between "rows, one each 100 ms and some at a change" 10 "$total" \
		$(((last - first) / 100000000 * 3 / 2 + 4))
	# where there are control groups each process has rows of its own, their shell maybe too
	[[ $("$here/csv" pid set=cgroup <resources.csv | sort -u | wc -l) =~ ^[045]$ ]]
}

@test "an owner that ends is followed by another process" {
	start 2
	wait_until find_holder
	touch "$holder.end"
	others_go_on
}

@test "an owner that is killed is followed by another process" {
	start 2
	wait_until find_holder
	kill -KILL "$holder"
	others_go_on
}

@test "an idle owner leaves it to a process that works, and does not take it back" {
	local before
	unset INSIDEME_INTERVAL		# one that is set is kept, idle or not
	start 2
	wait_until find_holder
	touch "$holder.idle"
	others_go_on
	before=$(nr_rows "$holder")
	rm "$holder.idle"
	others_go_on
	between "rows of the former owner" "$before" "$(nr_rows "$holder")" $((before + 1))
}

@test "a shell that waits for a program leaves it to that" {
	LD_PRELOAD=$library bash -c 'echo $$ >shell; until [ -e go ]; do for ((i = 0; i < 3000; i++)); do :; done; done
		perl -e "open F, q(>pid); print F \$\$; close F; $0"; true' "$worker" 3>&- &
	wait_until test -s shell
	wait_until has_rows "$(cat shell)" 2
	touch go
	wait_until test -s pid
	wait_until has_rows "$(cat pid)" 3
}

@test "each process's report has the machine" {
	local pid all
	start 2
	wait_until find_holder
	wait_until has_rows "$holder" 5
	touch "$holder.end"
	others_go_on
	touch end
	wait
	all=$(($(nr_rows "$holder") + $(nr_others)))
	for pid in $(cat pids); do
		same "rows beside $pid" "$(view resources --process "$pid" | "$here/csv" time_ns set=system |
			wc -l)" "$all"
		"$report" -v resources --process "$pid" | grep -q system_cpu_busy_ns
	done
}

# All but guests' time, which is in the first two.
total_ns() { awk '/^cpu / { printf "%.0f\n", ($2 + $3 + $4 + $5 + $6 + $7 + $8 + $9) * 10000000 }' \
	/proc/stat; }

@test "two processes' rows are what /proc/stat says" {
	local before after
	before=$(total_ns)
	start 2
	wait_until find_holder
	touch "$holder.end"
	others_go_on
	touch end
	wait
	after=$(total_ns)
	view resources --top 0 | "$here/csv" system_cpu_total_ns set=system >totals
	sort -n totals | cmp - totals
	between first "$before" "$(head -1 totals)" "$after"
	between last "$before" "$(tail -1 totals)" "$after"
	[ "$(tail -1 totals)" -gt "$(head -1 totals)" ]
}
