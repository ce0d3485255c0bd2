#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The heap of a real program, beside valgrind.
load ../run/lib
load ../run/heap

@test "a real program's allocations are those that valgrind's memcheck counts" {
	command -v valgrind || skip "valgrind is not installed"
	by_valgrind "$bin/countries" 1 /dev/null
	record countries 1 /dev/null
	same "bytes not freed" "$(all not_freed_bytes)" "$in_use"
	same "blocks not freed" "$(all not_freed_blocks)" "$blocks"
	same "allocations" "$(all alloc_calls)" "$allocs"
	# A thread's table of thread-local storage has 16 bytes more: the library's.
	between "bytes" "$allocated" "$(all alloc_bytes)" $((allocated + 256))
	figure "countries: $allocs allocations of $allocated bytes, $frees frees, the same by valgrind"
}

@test "a million random calls by threads and children, by the program's own book, to the byte" {
	record random_heap 1000000
	quiet
	by_its_book
	figure "$(cat stdout): blocks and bytes of the parent, its children and at the peak"
}

@test "with jemalloc, tcmalloc and mimalloc the same blocks are not freed" {
	local allocator nr=0
	for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		allocator=/usr/lib/$(uname -m)-linux-gnu/$allocator
		[ -e "$allocator" ] || continue
		nr=$((nr + 1))
		rm -rf insideme.data heap.csv
		LD_PRELOAD="$library $allocator" "$bin/leaks_cpp" >stdout 2>stderr
		quiet
		same "by_new with $allocator" "$(of not_freed_bytes by_new)" 32
		same "by_array with $allocator" "$(of not_freed_bytes by_array)" 3000
		same "by_aligned with $allocator" "$(of not_freed_bytes by_aligned)" 256
		same "by_nothrow with $allocator" "$(of not_freed_bytes by_nothrow)" 24
		rm -rf insideme.data heap.csv
		LD_PRELOAD="$library $allocator" "$bin/storms" >stdout 2>stderr
		quiet
		same "child_keeps with $allocator" "$(of not_freed_bytes child_keeps)" 40000
		same "churn with $allocator" "$(of not_freed_bytes churn)" 0
		same "exchange with $allocator" "$(of not_freed_bytes exchange)" 0
		rm -rf insideme.data heap.csv
		LD_PRELOAD="$library $allocator" "$bin/random_heap" 1000000 >stdout 2>stderr
		quiet
		by_its_book
	done
	[ $nr -gt 0 ] || skip "no other allocator is installed: scripts/setup --torture"
	figure "$nr allocators: blocks of C++, of threads that free each other's, of forked children"
}
