#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Heap counters per function, and what the resource rows say, against numbers known by construction or by the kernel.
load lib

heap() {
	while [ $# -gt 1 ]; do
		same "allocations of $1" "$(value alloc_calls "function=$1")" "$2" || return 1
		shift 2
	done
}

@test "the malloc family" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record alloc$compiler
		quiet
		heap by_malloc 100 by_calloc 100 by_realloc 200 by_reallocarray 100 by_posix_memalign 100 by_aligned_alloc 100 \
			by_memalign 100 by_valloc 100 by_pvalloc 100 by_strdup 100 by_failing 0 leaves 10 release 0
		between "bytes of by_malloc" 100000 "$(value alloc_bytes function=by_malloc)" 102400
		between "bytes of by_calloc" 100000 "$(value alloc_bytes function=by_calloc)" 102400
		between "bytes of leaves" 10000 "$(value alloc_bytes function=leaves)" 10240
	done
}

@test "operator new" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record alloc_cpp$compiler
		quiet
		heap by_new 100 by_new_array 100 by_aligned_new 100 by_nothrow 100 by_vector 8
	done
}

@test "INSIDEME_HEAP=off counts no allocation" {
	INSIDEME_HEAP=off record alloc
	quiet
	calls by_malloc 1
	same "allocations of by_malloc" "$(value alloc_calls function=by_malloc)" ""
}

# last COLUMN, highest COLUMN: of the rows
last() {
	"$here/csv" "$1" <resources.csv | grep . | tail -1
}

highest() {
	"$here/csv" "$1" <resources.csv | grep . | sort -n | tail -1
}

@test "CPU time agrees with getrusage" {
	record burn 300 150
	quiet
	read -r _ user _ system _ _ _ faults <stdout
	view resources >resources.csv
	between "user ns" $((user - 50000000)) "$(last user_ns)" $((user + 50000000))
	between "system ns" $((system - 50000000)) "$(last system_ns)" $((system + 50000000))
}

@test "RSS follows what the program maps" {
	record grow
	quiet
	read -r _ before _ top _ _ <stdout
	view resources >resources.csv
	between "peak RSS" $((before + 60000000)) "$(highest rss_bytes)" $((top + 8388608))
	between "RSS at the end" 0 "$(last rss_bytes)" $((before + 8388608))
}

@test "reads and writes are counted" {
	record io data
	quiet
	view resources >resources.csv
	between "write calls" 2048 "$(last write_calls)" 2148
	between "read calls" 1024 "$(last read_calls)" 1124
	between "bytes written" 8388608 "$(last write_chars)" 9437184
}

@test "slices know the heap before and after" {
	INSIDEME_THRESHOLD=0 record alloc
	quiet
	view calls >calls.csv
	between "heap that leaves leaves" 10000 "$("$here/csv" heap_delta_bytes function=leaves <calls.csv)" 10240
	same "heap of by_malloc" "$("$here/csv" heap_delta_bytes function=by_malloc <calls.csv)" 0
}

@test "of RSS, what is of files" {
	head -c 32M /dev/zero >file
	for way in alone watched; do
		rm -rf insideme.data
		if [ $way = alone ]; then record mapped file; else monitor -q -- "$bin/mapped" file; fi
		quiet
		view resources >resources.csv
		between "files, $way" $((32 << 20)) "$(highest mapped_bytes)" $((40 << 20))
		between "RSS, $way" $((72 << 20)) "$(highest rss_bytes)" $((84 << 20))
	done
	"$report" -v heap >heap.txt
	tr -s ' \n' ' ' <heap.txt | grep -E 'Not heap .* then: 3[2-9](\.[0-9])? MiB of files and shared memory, else stacks'
}
