#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks of a program's own allocators, told by insideme.h: charged as malloc's are.
load lib
load heap

@test "blocks of a pool are charged to the function that took them, its arena to none" {
	for compiler in '' .clang; do
		rm -rf insideme.data heap.csv
		record pools$compiler
		quiet
		same "what misuse gives" "$(cat stdout)" 'wrong: 0'
		not_freed keep 6 600 use 0 0 grow 1 240 rise 0 0 careless_pool 2 65584
		same "the arena" "$(of alloc_calls make_pool)" ''
		same "allocations" "$(of alloc_calls keep),$(of alloc_calls use),$(of alloc_calls rise)" \
			10,500,200
		same "temporary" "$(of temporary_calls use)" 500
		same "at the peak" "$(of peak_heap_bytes rise),$(of peak_heap_blocks rise)" 25600,200
		same "the whole peak" "$(all peak_heap_bytes)" $((25600 + 1000 + 240 + 65584))
		same "unknown frees, by misuse" "$(view quality | "$here/csv" value finding=unknown_frees)" 1
	done
}

@test "pools in C++ and Fortran" {
	for compiler in '' .clang; do
		rm -rf insideme.data heap.csv
		record pools_cpp$compiler
		quiet
		not_freed 'from_arena<int>::allocate' 1 4096
		same "all blocks" "$(all not_freed_blocks)" 1
		same "bytes of both lists" "$(of alloc_bytes 'from_arena<int>::allocate')" \
			$((4096 + 4 * 2047))
	done
	rm -rf insideme.data heap.csv
	record pools_fortran
	quiet
	not_freed take 3 1200
	same "bytes taken" "$(of alloc_bytes take)" 2000
}

# The entry's counters stand for its first thread until its own log opens, which may be between the two calls.
@test "a pool in a program that has no log yet" {
	cat >early.c <<-'END'
		#include <insideme.h>
		#include <malloc.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		static void *volatile kept;
		int main(int argc, char **argv)
		{
			int wrong = insideme_pool_begin();
			if (argc > 1 && !strcmp(argv[1], "usable"))
				return printf("%zu\n", malloc_usable_size(malloc(100))) < 0;
			usleep(argc > 1 ? 30000 : 0);
			free(malloc(5000));
			wrong |= insideme_pool_end();
			for (int i = 0; i < 1000; i++)
				kept = malloc(100);
			return !!wrong;
		}
	END
	gcc -I"$here/../../include" early.c -o early
	for argument in '' waits; do
		rm -rf insideme.data
		LD_PRELOAD=$library sh -c "./early $argument; exit \$?"
		same "allocated, $argument" "$(view processes --top 0 |
			"$here/csv" alloc_bytes programs=early)" $((1000 * $(./early usable)))
	done
}

@test "a pool without the recorder, or without its table" {
	for program in pools pools_cpp pools_fortran; do
		"$bin/$program" >plain.stdout
		for heap in off counters; do
			INSIDEME_HEAP=$heap record $program
			quiet
			cmp stdout plain.stdout
		done
	done
}
