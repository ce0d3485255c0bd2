#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that are started in ways that are not the usual one, and by loaders that do more or less than usual. Each runs as
# without the library, and its calls are found.
load ../run/lib
load ../run/alike

# counted: the program was "calls"; it has its calls by the library alone and under insideme-run.
counted() {
	local where
	for where in data.inside data.outside; do
		rm -f functions.csv
		INSIDEME_DIR=$where calls outer 1000 middle 3000 leaf 6000 fib 21891 even 501 odd 500 || { echo "^ $where"; return 1; }
	done
}

# both COMMAND...: runs as alone, to the status of "calls"; and counted
both() {
	alike "$@" && same "status of $*" "$(cat plain/status)" 7 && counted || { echo "^ $*"; return 1; }
}

@test "no name, a file that is gone, memory, a large environment, blocked signals, no directory" {
	for how in unnamed environment argument blocked nowhere; do
		both "$bin/starts" $how "$bin/calls"
	done
	for how in memfd deleted replaced; do	# where no file is left, there are no names
		alike "$bin/starts" $how "$bin/calls"
		same "status of $how" "$(cat plain/status)" 7
		for where in data.inside data.outside; do
			same "calls of $how $where" "$(INSIDEME_DIR=$where view functions --columns calls,module | sed '1d; /,starts$/d' |
				cut -d, -f1 | sort -n | xargs)" '1 500 501 1000 3000 6000 21891'
		done
	done
}

@test "by an interpreter, another personality, a stack without a limit" {
	alike /lib64/ld-linux-x86-64.so.2 "$bin/calls"	# whose functions have no names: see doc/decisions/model.md
	both setarch -R "$bin/calls"
	both setarch -L "$bin/calls"
	both setarch -X "$bin/calls"
	both setarch -S "$bin/calls"
	both setarch --uname-2.6 "$bin/calls"
	both sh -c "ulimit -s unlimited; exec $bin/calls"
	both sh -c "ulimit -c 0; exec nice -n 5 setsid -w $bin/calls"
}

@test "settings of ld.so: bind at once, debug, trace, audit" {
	both env LD_BIND_NOW=1 "$bin/calls"
	both env LD_BIND_NOT=1 "$bin/calls"
	both env LD_DYNAMIC_WEAK=1 "$bin/calls"
	filter='/^ +[0-9]+:/d' both env LD_DEBUG=files,reloc "$bin/calls"
	filter='/^\t/d' alike_but_no_log env LD_TRACE_LOADED_OBJECTS=1 "$bin/calls"
	echo 'unsigned la_version(unsigned version) { return version; }' | gcc -shared -fPIC -x c - -o audit.so
	both env LD_AUDIT="$PWD/audit.so" "$bin/calls"
}

# What ld.so only lists does not run, so there is no log.
alike_but_no_log() {
	one_run plain "$witness" "$@"
	one_run inside "$library $witness" "$@"
	diff -r plain inside
}

@test "tunables, and what libc brings to debug malloc" {
	local debug=$(gcc -print-file-name=libc_malloc_debug.so)
	both env GLIBC_TUNABLES=glibc.pthread.rseq=0:glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1 "$bin/calls"
	both env GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.rtld.optional_static_tls=64 "$bin/calls"
	[ -e "$debug" ] || debug=/lib/x86_64-linux-gnu/libc_malloc_debug.so.0
	[ -e "$debug" ] || skip "no libc_malloc_debug.so"
	after=$debug alike env MALLOC_CHECK_=3 "$bin/heap"
	before=$debug alike env MALLOC_CHECK_=3 "$bin/heap"
}

@test "the library twice, and a copy of it" {
	cp "$library" copy.so
	one_run plain "$witness" "$bin/calls"
	for second in "$library" "$PWD/copy.so"; do
		one_run inside "$library $second $witness" "$bin/calls"
		diff -r -x threads.sorted plain inside
		rm -f functions.csv
		INSIDEME_DIR=data.inside calls leaf 6000 main 1
	done
}

# Programs that set what their children are started with.
@test "children without the library, and with others of the program's own" {
	echo 'int unused;' | gcc -shared -fPIC -x c - -o own.so
	alike sh -c "LD_PRELOAD=$PWD/own.so $bin/calls; LD_PRELOAD= $bin/calls; exec $bin/calls"
	alike sh -c "LD_PRELOAD=\"$PWD/own.so \$LD_PRELOAD\" $bin/calls; stdbuf -oL $bin/calls"
	alike perl -e '%ENV = (); system { $ARGV[0] } @ARGV; exit($? >> 8)' "$bin/calls"
}

@test "32-bit programs: ld.so refuses the library" {
	echo 'int f(int x) { return x + 2; } int main(int argc, char **argv) { return f(argc + 2); }' >five.c
	gcc -m32 -w -g -finstrument-functions five.c -o five 2>/dev/null || skip "gcc -m32 has no libraries: scripts/setup --torture"
	filter='/LD_PRELOAD cannot be preloaded .wrong ELF class: ELFCLASS64.: ignored/d'
	alike sh -c "$PWD/five; exit \$?"
	same status "$(cat inside/status)" 5
	monitor -- ./five || same status $? 5
	same "what is said" "$(cat stderr)" 'insideme: ./five is not recorded: it is built for another architecture; build it for x86-64'
}
