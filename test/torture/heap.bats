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
