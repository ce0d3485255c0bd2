#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# jemalloc, tcmalloc and mimalloc: linked, linked statically, preloaded before and after ours. The program gets the
# memory it gets without us; the heap is counted exactly where our malloc comes first, and where not the log says so.
load ../run/lib
load ../run/alike

folder=$(gcc -print-file-name=libc.so)
folder=${folder%/*}

compile() {
	gcc -g -O2 -Wall -finstrument-functions -pthread "$here/../torture/heap.c" -o heap "$@"
}

installed() {
	file=$folder/$1
	[ -e "$file" ] || skip "$1 is not installed: scripts/setup --torture"
}

# counted FOLDER ALLOCS FREES_ELSEWHERE FREES_IN_THE_ROUND
counted() {
	rm -f functions.csv
	INSIDEME_DIR=$1 view functions >functions.csv
	same "calls" "$(value calls function=one_round)" 400 &&
		same "allocations" "$(value alloc_calls function=one_round)" "$2" &&
		same "frees" "$(value free_calls function=free_some)" "$3" &&
		same "frees in the round" "$(value free_calls function=one_round)" "$4"
}

all_counted() {
	counted data.inside 2800 2000 800
	counted data.outside 2800 2000 800
}

linked() {
	installed "$1"
	compile "$file"
	alike "$BATS_TEST_TMPDIR/heap"
	all_counted
}

# Its malloc is the program's own: nobody else's is called.
linked_statically() {
	installed "$1"
	compile "$file" -lm -lstdc++ -ldl
	alike "$BATS_TEST_TMPDIR/heap"
	counted data.inside '' '' ''
	strings -a data.inside/*/*.log | grep '^heap_off='
}

preloaded_before() {
	installed "$1"
	compile
	before=$file
	alike "$BATS_TEST_TMPDIR/heap"
	counted data.inside '' '' ''
	before=
	after=$file
	alike "$BATS_TEST_TMPDIR/heap"
	all_counted
}

# A program of much C++ and many threads, and shells that fork.
real_program() {
	installed "$1"
	after=$file
	"$bin/countries" 1 expected.json >expected.out
	alike "$bin/countries" 1 result.json
	cmp expected.json inside/files/result.json
	alike bash -c 'for i in 1 2 3 4 5; do (echo $i | cat); done; exit 2'
	before=$file after=
	alike bash -c 'for i in 1 2 3 4 5; do (echo $i | cat); done; exit 2'
}

@test "jemalloc, linked" { linked libjemalloc.so; }
@test "jemalloc, linked statically" { linked_statically libjemalloc.a; }
@test "jemalloc, preloaded before and after" { preloaded_before libjemalloc.so.2; }
@test "jemalloc, real programs" { real_program libjemalloc.so.2; }
@test "tcmalloc, linked" { linked libtcmalloc.so; }
@test "tcmalloc, linked statically" { linked_statically libtcmalloc_minimal.a; }
@test "tcmalloc, preloaded before and after" { preloaded_before libtcmalloc.so.4; }
@test "tcmalloc, real programs" { real_program libtcmalloc.so.4; }
@test "mimalloc, linked" { linked libmimalloc.so; }
@test "mimalloc, preloaded before and after" { preloaded_before libmimalloc.so.2; }
@test "mimalloc, real programs" { real_program libmimalloc.so.2; }
