#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Where a run's file system cannot hold a live log, it lives in /dev/shm or /tmp and comes home when its
# process is gone.
load lib

# on ramfs|fuse: what the test does next happens in a file system of that kind
on() {
	[ "$(id -u)" = 0 ] || skip "mounting a file system needs root"
	mkdir fs source
	case $1 in
	ramfs) mount -t ramfs ramfs fs || skip "no mount here" ;;
	fuse) { command -v bindfs >/dev/null && bindfs source fs; } ||
		skip "no FUSE file system here (bindfs)" ;;
	esac
	cd fs
}

teardown() {
	cd "$BATS_TEST_TMPDIR" && { ! mountpoint -q fs || umount fs; }
}

# lives_away COUNT, at_home COUNT: so many logs of the run are lines with the path of a live one; logs
lives_away() {
	same "lines that point away" "$(head -qc 16 insideme.data/*/*.log | grep -ao 'INSIDEME LOG AT ' |
		wc -l)" "$1"
	same "live logs" "$(grep -lasF "cwd=$PWD" /dev/shm/insideme-*-*.log /tmp/insideme-*-*.log | wc -l)" \
		"$1"
}
at_home() {
	lives_away 0
	same "logs" "$(find insideme.data -name '*.log' -size +8k | wc -l)" "$1"
	same "copies left" "$(find insideme.data -name '.*.log*' | wc -l)" 0
}

# alone FS: with LD_PRELOAD alone
alone() {
	on "$1"
	record calls || same status $? 7
	quiet
	at_home 1
	calls leaf 6000 fib 21891
	rm -rf insideme.data functions.csv
	record ends kill || same status $? 137
	lives_away 1
	calls level_5 1 warm_up 1000
	at_home 1
	rm functions.csv
	calls level_5 1 warm_up 1000
	rm -rf insideme.data functions.csv
	record ends exec || same status $? 14
	calls level_5 1 warm_up 1000
	same "images" "$("$report" | grep -c 'Recorded  1 process')" 1
	at_home 2
}

# watched FS: under insideme-run
watched() {
	on "$1"
	monitor -- "$bin/calls" || same status $? 7
	at_home 2
	calls leaf 6000
	rm -rf insideme.data
	monitor -- "$bin/forks"		# the last of its processes may outlive the first, and insideme-run
	same "processes" "$("$report" | sed -n 's/^Recorded  \([0-9]*\) proc.*/\1/p')" 5
	at_home "$(find insideme.data -name '*.log' | wc -l)"
}

@test "no fallocate" { alone ramfs; }
@test "no fallocate, under insideme-run" { watched ramfs; }
@test "FUSE" { alone fuse; }
@test "FUSE, under insideme-run" { watched fuse; }

@test "no fallocate, by an injected fault" {
	command -v strace >/dev/null && strace -o /dev/null true || skip "no strace here"
	mkdir fs && cd fs
	strace -f -o ../trace -e inject=fallocate:error=EOPNOTSUPP:when=1 -E LD_PRELOAD="$library" \
		"$bin/calls" >stdout 2>stderr ||
		same status $? 7
	quiet
	grep -q 'renameat.*= 0' ../trace
	at_home 1
	calls leaf 6000
}

@test "a process that runs: read where its log lives, and left there" {
	on ramfs
	mkfifo ../gate
	LD_PRELOAD=$library "$bin/followed" 10 ../gate >../stdout 3>&- &
	wait_until [ -s ../stdout ]
	run "$report"
	lives_away 1
	[[ $output == *"still running"* ]]
	: >../gate
	wait $! || same status $? 3
	"$report" >/dev/null
	at_home 1
}

@test "a log that lived on another host: one line" {
	on ramfs
	record ends kill || same status $? 137
	rm "$(sed -n 's/^INSIDEME LOG AT //p' insideme.data/*/*.log)"
	run "$report"
	same status "$status" 1
	[[ $output == *"the log is in the memory of the host where it was recorded"* ]]
}

@test "a pointer to a file that is no live log moves nothing" {
	record calls || same status $? 7
	log=$(find "$PWD/insideme.data" -name '*.log')
	cp "$log" kept.log
	echo "INSIDEME LOG AT kept.log" >"$log"	# such a line holds a short path
	calls leaf 6000
	[ -e kept.log ]
	same "the pointer" "$(cat "$log")" "INSIDEME LOG AT kept.log"
}
