#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ends of programs, of room and of rights: the program goes its way, and the log says what is so.
load lib
load faults

@test "a disk that is full at any step" {
	needs_strace
	each_fault fallocate ENOSPC
	each_fault mkdirat ENOSPC
	each_fault writev ENOSPC
}

@test "few descriptors left" {
	local nr tried=0
	for nr in 3 4 5 6 7 8; do
		(ulimit -n "$nr" && exec "$bin/calls") >/dev/null 2>&1 || [ $? = 7 ] || continue	# ld.so needs some itself
		rm -rf insideme.data functions.csv
		status=0
		(ulimit -n "$nr" && LD_PRELOAD=$library exec "$bin/calls") >stdout 2>stderr || status=$?
		sound "$nr descriptors"
		tried=$((tried + 1))
	done
	between "limits tried" 2 "$tried" 6
}

@test "an end while another thread holds the lock on the list of objects" {
	local kind
	for kind in exit _exit _Exit quick_exit; do
		rm -rf insideme.data functions.csv
		run timeout 20 env LD_PRELOAD="$library" "$bin/stuck" $kind
		same "status of $kind" "$status" 3
		calls main 1 look 1
	done
}

@test "a directory that is removed while the program runs" {
	local status=0
	mkfifo gate
	LD_PRELOAD=$library "$bin/followed" 10 gate >stdout 2>stderr 3>&- &
	wait_until [ -s stdout ]
	rm -r insideme.data
	sleep 0.1	# some samples
	: >gate
	wait $! || status=$?
	same status $status 3
	quiet
	[ ! -e insideme.data ]
}

@test "a directory that cannot be written, another user's, a file, a path too long" {
	local long
	[ "$(id -u)" = 0 ] || skip "needs root for another owner"
	mkdir theirs ours
	chown 12345 theirs
	INSIDEME_DIR=theirs record calls || status=$?
	quiet				# a directory with the user's id serves
	INSIDEME_DIR=theirs calls leaf 6000
	same "logs in theirs" "$(find theirs -type f | wc -l)" 0
	chattr +i ours 2>/dev/null || skip "no immutable directories here"
	rm -f functions.csv
	INSIDEME_DIR=ours record calls || status=$?
	chattr -i ours
	INSIDEME_DIR=ours sound "read-only"
	same "lines" "$(grep -c '^insideme: cannot use directory.*Operation not permitted' stderr)" 1
	long=$(printf 'a%.0s' {1..5000})
	INSIDEME_DIR=$long record calls || status=$?
	sound "a path too long"
	same "lines" "$(wc -l <stderr)" 1
}

# nr_said COMMAND...: lines that all its processes say where there is no directory
nr_said() {
	INSIDEME_DIR=/dev/null/none LD_PRELOAD=$library "$@" >stdout 2>stderr || same status $? 5
	same "other lines" "$(grep -v \
		'^insideme: cannot use directory /dev/null/none: Not a directory; not recording$' stderr)" ''
	wc -l <stderr
}

@test "a script of which nothing can be recorded: one line, not one for each command" {
	same lines "$(nr_said sh -c \
		'for i in 1 2 3; do /bin/true; done; (/bin/true | /bin/cat); sh -c "/bin/true; exit 5"')" 1
	cp /bin/bash mpirun	# a launcher says nothing, so what it starts does
	same "lines of ranks" "$(nr_said ./mpirun -c '/bin/sh -c "/bin/true; exit 5"; /bin/true; exit 5')" 2
}

@test "the reason is the true one: a limit on files is no full disk" {
	status=0
	(ulimit -f 10 && LD_PRELOAD=$library exec "$bin/calls") >stdout 2>stderr || status=$?
	sound "10 KiB a file"
	same "lines" "$(grep -c 'File too large; not recording' stderr)" 1
	(ulimit -v 6000 && LD_PRELOAD=$library exec "$bin/calls") >stdout 2>stderr || status=$?
	same "status with 6 MB of address space" "$status" 7
	same "lines" "$(grep -c 'Cannot allocate memory; not recording' stderr)" 1
}

# ending KIND [LIBRARY]: how "ends KIND" ended, as wait() tells: the signal, and 128 for a core
ending() {
	(ulimit -c unlimited; LD_PRELOAD=${2-} perl -e 'delete $ENV{LD_PRELOAD} unless $ENV{LD_PRELOAD}; system(@ARGV); print $? & 255' \
		"$bin/ends" "$1" 2>ending.err)
}

# ends_as_alone KIND: of the same signal, with a core where there was one; and who was in what
ends_as_alone() {
	local alone
	alone=$(ending "$1")
	rm -rf insideme.data
	same "end of $1" "$(ending "$1" "$library")" "$alone"
	same "what was said of $1" "$(cat ending.err)" ''
	"$report" -v functions -f csv --columns function,open_calls ends 2>report.stderr >functions.csv
	same "damage after $1" "$(cat report.stderr)" ''
	same "open calls of $1" "$(grep -c '^level_[1-5],1$' functions.csv)" 5
}

@test "killed by a signal in a deep call: the same signal, the same core, and the open calls" {
	local kind
	for kind in abort kill segv; do
		ends_as_alone $kind
	done
}

@test "a stack that overflows" {
	ends_as_alone overflow
	between "open calls of deeper" 10000 "$(sed -n 's/^deeper,//p' functions.csv)" 1000000
}

# in_group COMMAND...: in a control group with 24 MiB of memory
in_group() {
	(echo "$BASHPID" >"$group/cgroup.procs" && exec "$@")
}

@test "out of memory in a control group" {
	local root=/sys/fs/cgroup limit=memory.max
	[ "$(id -u)" = 0 ] || skip "a control group needs root"
	[ ! -d $root/memory ] || { root=$root/memory limit=memory.limit_in_bytes; }
	group=$root/insideme-test-$$
	mkdir $group 2>/dev/null || skip "no control groups to make here"
	echo 24M >$group/$limit 2>/dev/null || { rmdir $group; skip "no memory controller here"; }
	status=0
	in_group "$build/insideme-run" -q -- "$bin/ends" hog >stdout 2>stderr || status=$?
	"$report" >page
	"$report" -v functions -f csv --columns function,open_calls >functions.csv
	rmdir $group
	same status "$status" 137
	grep -q '^Ended     killed by SIGKILL' page
	same "open calls" "$(grep -c '^level_[1-5],1$\|^hog,1$' functions.csv)" 6
}
