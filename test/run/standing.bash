# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What tests of stacks from outside share: test/programs/standing.c in the background, and looks at it.

# stands VARIANT KIND: the program, with the library $preloaded if any, up to where its threads stay;
# finish_standing ends it
stands() {
	[ -p gate ] || mkfifo gate
	LD_PRELOAD=${preloaded-} "$bin/standing$1" "$2" <gate >said 2>&1 3>&- &
	program=$!
	exec 9>gate
	wait_until grep -q ready said
	wait_until grep -q '^0 ' /proc/$program/syscall
	[ "$2" != stacks ] || wait_until stay
}

# stay: main, "waits" and "locks" are in their system calls
stay() { same "threads that wait" "$(cat /proc/$program/task/*/syscall |
	grep -c -e '^0 ' -e '^7 ' -e '^202 ')" 3 >stay; }

finish_standing() {
	exec 9>&-
	wait $program
}

# dump OPTIONS: of that program, as csv
dump() { "$build/insideme-run" --pid=$program --stacks -f csv "$@" >stacks.csv 2>stderr 9>&- 3>&-; }

# frames NAME FUNCTION: how many calls of it the thread of that name has
frames() { "$here/csv" function "thread_name=$1" function="$2" <stacks.csv | grep -c . || true; }
state() { "$here/csv" "$2" "thread_name=$1" frame=0 <stacks.csv; }

sample() { "$build/insideme-run" --pid=$program "$@" >stdout 2>stderr 9>&- 3>&-; }

# goes_on PID: it is neither stopped nor traced
goes_on() {
	same "tracer" "$(awk '/^TracerPid/ {print $2}' /proc/"$1"/status)" 0
	same "stopped threads" "$(cat /proc/"$1"/task/*/stat | sed 's/.*) //' | grep -c '^[tT]' || true)" 0
}

# permitted: a container may forbid it
permitted() {
	sleep 100 3>&- 9>&- &
	local other=$!
	if ! "$build/insideme-run" --pid=$other --stacks >/dev/null 2>refused 3>&-; then
		kill $other
		skip "$(cat refused)"
	fi
	kill $other
}
