#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_VERBOSE: a line in multiprocess_profiler's words for each timer that stops and each call that has a
# record.
load lib

# verbose PROGRAM ARGS...: with a record for each call; what it said in the file lines, as "name (broken)"
verbose() {
	rm -rf insideme.data functions.csv
	INSIDEME_VERBOSE=1 INSIDEME_THRESHOLD=${threshold:-0} record "$@" || status=$?
	grep '^\[Profiler\]' stderr >said
	same "other words" "$(grep -cvE '^\[Profiler\] |^insideme: .*\.log$' stderr)" 0
	same "of another form" "$(grep -cvE \
		'^.{41} - [0-9]+\.[0-9]{5} seconds - process [a-z_.]+/[0-9]+( \(broken\))?$' said)" 0
	cut -c 12-41 said | sed 's/ *$//' >lines
}

# lines NAME N...: how many there are of a name
lines() {
	while [ $# -gt 1 ]; do
		same "lines of $1" "$(grep -cxF "$1" lines)" "$2" || return 1
		shift 2
	done
}

@test "each span of a timer" {
	threshold=100s verbose marks
	view timers >timers.csv
	pid=$(view processes | "$here/csv" pid)
	same "spans" "$(grep -cE "^\[Profiler\] work {26} - [0-9]+\.[0-9]{5} seconds - process marks/$pid\$" \
		said)" 3
	lines across 1 misused 1 shown 1 added 2
	same "all" "$(wc -l <lines)" 8
	told=$(awk '$2 == "work" { sum += $4 * 1e9 } END { printf "%.0f", sum }' said)
	between "their sum" "$(("$("$here/csv" total_ns timer=work <timers.csv)" * 99 / 100))" "$told" \
		"$(("$("$here/csv" total_ns timer=work <timers.csv)" * 101 / 100))"
}

@test "each call, in C, C++ and Fortran" {
	for compiler in '' .clang; do
		verbose "calls$compiler"
		lines outer 1000 middle 3000 leaf 6000 fib 21891 even 501 odd 500 main 1
		same "all" "$(wc -l <lines)" "$(value calls | awk '{ sum += $1 } END { print sum }')"
		same "broken" "$(grep -c broken said)" 0
	done
	verbose calls_fortran
	lines numbers::integrate 10 numbers::square 1000 total 1
}

@test "calls that an exception or a jump left are broken" {
	verbose throws
	for name in parse token through; do
		same "$name" "$(grep -c "^\[Profiler\] $name .*(broken)" said)" "$(grep -cx "$name" lines)"
	done
	lines parse 250 token 250 load 250 to_jump 15
	same "load" "$(grep -c '^\[Profiler\] load .*(broken)' said)" 0
	same "to_jump" "$(grep -c '^\[Profiler\] to_jump .*(broken)' said)" 15
}

@test "regions, of several threads and a handler, without hooks" {
	for variant in .plain .plain.clang; do
		verbose "regions$variant"
		lines step 1000 inner 2000 again 500 loop 900 thread 400 handler 10 raise 10
		same "all" "$(grep -cv '^pthread_' lines)" 4820
	done
}

@test "functions of plugins that come to one address in turn" {
	verbose plugins "$bin"
	lines first_work 500 second_work 1000 run 10 use_plugin 10 main 1
}

@test "long names are cut, and escape sequences in names do not reach the terminal" {
	cat >named.c <<-'END'
	#include <insideme.h>
	int main(void)
	{
		{ INSIDEME_REGION("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"); }
		{ INSIDEME_REGION("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"); }
		{ INSIDEME_REGION("colour \033[31m\n"); }
		return 0;
	}
	END
	gcc -isystem "$here/../../include" named.c -o named
	INSIDEME_VERBOSE=1 INSIDEME_THRESHOLD=0 LD_PRELOAD=$library ./named 2>stderr
	same "lines" "$(grep -c '^\[Profiler\]' stderr)" 3
	grep -qF '[Profiler] xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx - ' stderr
	grep -qF '[Profiler] yyyyyyyyyyyyyyyyyyyyyyyyyyy... - ' stderr
	grep -qF '[Profiler] colour ?[31m?                  - ' stderr
}

@test "a stripped program's functions are named by their place in the file" {
	cp "$bin/calls" stripped
	strip stripped
	INSIDEME_VERBOSE=1 INSIDEME_THRESHOLD=0 LD_PRELOAD=$library ./stripped >stdout 2>stderr || true
	offset=$(nm "$bin/calls" | awk '$3 == "leaf" { sub("^0+", "", $1); print $1 }')
	same "leaf" "$(grep -c "^\[Profiler\] stripped+0x$offset " stderr)" 6000
}

@test "a child has no descriptor of a file that names are read from" {
	verbose crowded_names
	same "children with more descriptors" "$(cat stdout)" 0
	[ "$(grep -cxF first lines)" -gt 0 ]
	[ "$(grep -cxF second lines)" -gt 0 ]
}
