#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Who made the peak of the heap: to the byte in one thread, beside valgrind, and in several.
load lib
load heap

# the_peak: of the program peak
the_peak() {
	same "peak of base" "$(of peak_heap_bytes base)" 1000
	same "peak of grow" "$(of peak_heap_bytes grow)" 617250
	same "peak of last" "$(of peak_heap_bytes last)" 777
	same "blocks of grow" "$(of peak_heap_blocks grow)" 50
	same "all of it" "$(all peak_heap_bytes)" 619027
	"$report" -v heap >heap.txt
	grep -A2 '^Heap' heap.txt | xargs | grep \
		'^Heap 605 KiB in 52 blocks at the peak, .* in main > rise > last;'
	grep '617250\|603 KiB .* 50  main > rise > grow' heap.txt
}

@test "who made the peak, to the byte" {
	for compiler in '' .clang; do
		rm -rf insideme.data heap.csv
		INSIDEME_THRESHOLD=0 record peak$compiler
		quiet
		the_peak
		same "not freed" "$(all not_freed_bytes)" 0
		view functions --columns function,highest_heap_bytes >functions.csv
		for function in last rise main; do same "while $function was open" \
			"$(value highest_heap_bytes function=$function)" 619027; done
		same "while base was open" "$(value highest_heap_bytes function=base)" 1000
	done
}

@test "what other threads were in at the peak" {
	cat >threads.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <unistd.h>
		static int told[2], go[2];
		static void *volatile kept;
		static void tell_and_wait(void) { char byte = 0; if (write(told[1], &byte, 1) + read(go[0], &byte, 1) != 2) abort(); }
		static void waits(void) { tell_and_wait(); }
		static void stays(void) { tell_and_wait(); for (;;) pause(); }
		static void *work(void *which) { if (which) stays(); else waits(); return NULL; }
		static void rise(void) { kept = malloc(5000000); usleep(1000); free(kept); }
		int main(void)
		{
			pthread_t threads[4];
			char bytes[4];
			if (pipe(told) || pipe(go)) return 1;
			for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)(i / 3));
			for (int i = 0; i < 4; i++) if (read(told[0], bytes, 1) != 1) return 1;
			rise();
			if (write(go[1], bytes, 4) != 4) return 1;
			for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
			return 0;
		}
	END
	gcc -O0 -g -pthread -finstrument-functions threads.c -o threads
	INSIDEME_WAITS=off LD_PRELOAD=$library ./threads	# whether each thread is in read() by then is chance
	COLUMNS=200 "$report" -v heap >heap.txt
	grep '^Heap .* at the peak, .* in main > rise;' heap.txt
	grep '^Open then  *in other threads: 3 in work > waits > tell_and_wait; 1 in work > stays > tell_and_wait$' heap.txt
}

@test "a peak is of the path that allocated, when it did, not of the first free" {
	local compiler
	for compiler in '' .clang; do
		rm -rf insideme.data
		record late_peak$compiler
		"$report" -v heap | tr -s ' \n' ' ' >heap.txt
		grep -o 'Heap 39.1 KiB in 40 blocks at the peak, .* in main > gather;' heap.txt
		between "time of the peak, ms" 0 \
			"$(sed -n 's/.* peak, \([0-9]*\)[.0-9]* ms after.*/\1/p' heap.txt)" 400
	done
}

@test "killed at its peak, a program shows the blocks that made it up" {
	record peak dies || true
	"$report" -v heap -f csv >heap.csv
	same "peak of grow" "$(of peak_heap_bytes grow)" 617250
	same "all of it" "$(all peak_heap_bytes)" 619027
	same "not freed" "$(all not_freed_bytes)" 619027
}

@test "the peak is that of valgrind's massif" {
	command -v valgrind || skip "valgrind is not installed"
	for program in peak leaks_cpp; do
		rm -rf insideme.data heap.csv
		valgrind --tool=massif --peak-inaccuracy=0.0 --massif-out-file=massif.out \
			"$bin/$program" >/dev/null 2>&1
		massif=$(sed -n 's/^mem_heap_B=//p' massif.out | sort -n | tail -1)
		record $program
		same "peak of $program" "$(all peak_heap_bytes)" "$massif"
	done
}

# heap_line: what the view says of the peak, in one line
heap_line() { COLUMNS=400 "$report" -v heap | sed -n 's/^Heap *//p'; }

@test "what threads hold back is in the peak, by path and in all" {
	local compiler who
	for compiler in '' .clang; do
		for who in threads main big; do
			rm -rf insideme.data heap.csv
			record peak_of_threads$compiler eight $who
			quiet
			same "big, freed by $who" "$(of peak_heap_bytes big)" 180000
			same "small, freed by $who" \
				"$(of peak_heap_blocks small),$(of peak_heap_bytes small)" 8,131072
			heap_line | grep -v 'known by path' | grep '^30[4-9] KiB in .* blocks at the peak, '
		done
	done
}

# With several threads the peak that is found is that of some instant, so no more than the true one. Each thread
# may hold back 64 KiB. All and the sum by path are of the same instant.
@test "random calls of several threads: the peak by place is within what is said, by the program's own book" {
	local threads most slots operations i truth place all step=65536
	while read -r threads most slots operations; do
		rm -rf insideme.data heap.csv
		record peak_of_threads random "$threads" "$threads" "$most" "$slots" "$operations"
		quiet
		truth=$(awk '{ sum += $1 } END { print sum }' stdout)
		all=0
		for i in {0..5}; do
			place=$(of peak_heap_bytes place_$i)
			all=$((all + ${place:-0}))
		done
		between "$threads threads: by place" $((truth - step * threads)) "$all" "$truth"
		heap_line | grep -v 'known by path' | grep ' blocks at the peak, '
	done <<-'END'
		1 65536 256 5000
		2 1000000 64 5000
		4 4096 1000 5000
		8 16384 256 2000
		16 500000 16 1000
		64 65536 32 500
	END
}

@test "what is older than the record of a process has no path, and the report says so" {
	record inherited fork
	quiet
	heap_line >line.txt
	cat line.txt
	grep 'at the peaks of 3 processes, each at its own time, of which .* in .* blocks are known by path, and .* are older than the record;' line.txt
}
