#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Heap counters per function, and what the resource rows say, against numbers known by construction or by the
# kernel.
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
		heap by_malloc 100 by_calloc 100 by_realloc 200 by_reallocarray 100 by_posix_memalign 100 \
			by_aligned_alloc 100 \
			by_memalign 100 by_valloc 100 by_pvalloc 100 by_strdup 100 by_failing 0 leaves 10 \
				release 0
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

@test "the first page charges what C++'s library allocates to who called it; -v heap does not" {
	cat >map.cpp <<-'END'
	#include <map>
	static void fill(std::map<int, int> &map) { for (int i = 0; i < 1000; i++) map[i] = i; }
	int main() { std::map<int, int> map; fill(map); char *own = new char[10]; delete[] own; return map.size() != 1000; }
	END
	g++ -g -O0 -finstrument-functions map.cpp -o map
	LD_PRELOAD=$library ./map
	view summary >summary.csv
	allocators() { "$here/csv" value section=allocators "column=$1" <summary.csv | xargs; }
	same "allocators" "$(allocators function)" \
		'fill(std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > >&) main'
	same "allocations" "$(allocators alloc_calls)" '1000 1'
	same "as many in all" "$(view heap | "$here/csv" alloc_calls | awk '{ sum += $1 } END { print sum - 1 }')" 1001	# libstdc++'s own
	same "of fill itself" "$(value alloc_calls 'function=fill(std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > >&)')" 0
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
	often
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
	between "heap that leaves leaves" 10000 "$("$here/csv" heap_delta_bytes function=leaves <calls.csv)" \
		10240
	same "heap of by_malloc" "$("$here/csv" heap_delta_bytes function=by_malloc <calls.csv)" 0
}

@test "the part of RSS that is of files" {
	often
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
	tr -s ' \n' ' ' <heap.txt | grep -E 'Not heap .*: 3[2-9](\.[0-9])? MiB of files and shared memory, '
}

# changes FUNCTION RSS VMS [SLACK]: of each of its calls but the first of a thread, which touches new pages of
# its stack; in
# some the sampling task touches its own for the first time. Kernels that count RSS for each processor are off
# by as much.
changes() {
	local slack=${4:-262144}
	case $(uname -r) in
	6.[2-9].* | 6.1[0-5].*) slack=$((slack + $(nproc) * 64 * 4096)) ;;
	esac
	awk -F, -v name="$1" -v rss="$2" -v vms="$3" -v slack="$slack" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] != name || !seen[$at["pid"] " " $at["thread"]]++ { next }
		{ n++; change = $at["rss_at_exit_bytes"] - $at["rss_at_entry_bytes"] - rss
		  if ($at["entry_age_ns"] != "0" || $at["vms_at_exit_bytes"] - $at["vms_at_entry_bytes"] != vms) { print name ": " $0; bad++ }
		  if (change > slack || change < -slack) { print name ": " $0; off++ } }
		END { exit bad || n < 2 || off > n / 50 }' calls.csv
}

@test "RSS and VMS as read at entry and exit of each call" {
	for arguments in '' closes threads; do
		for compiler in '' .clang; do
			rm -rf insideme.data
			INSIDEME_SNAPSHOT=heap,rss:every INSIDEME_THRESHOLD=0 record every$compiler $arguments
			quiet
			view calls >calls.csv
			changes map_and_touch 4194304 4194304
			changes map_only 0 8388608
			changes touch 8388608 0
			changes unmap -12582912 -12582912
			changes round_of_all 0 0
			changes nothing 0 0 0
			changes many 0 0 0
		done
	done
	same "processes" "$("$here/csv" pid <calls.csv | sort -u | wc -l)" 2
}

# Each has an entry in its parent's log, which is in the child's memory then and not in the parent's.
@test "readings of RSS do not fall by children" {
	INSIDEME_SNAPSHOT=heap,rss:every INSIDEME_THRESHOLD=0 record every children
	view calls >calls.csv
	set -- $("$here/csv" rss_at_entry_bytes function=nothing <calls.csv)
	between "RSS after 1500 children, less before" -131072 $(($2 - $1)) 131072
}

# Some us are far too short for samples.
@test "functions: growth of RSS by those readings" {
	INSIDEME_SNAPSHOT=rss:every INSIDEME_THRESHOLD=0 record every
	view functions --columns function,calls,rss_growth_bytes >functions.csv
	growth() { "$here/csv" rss_growth_bytes "function=$1" <functions.csv; }
	between "of map_and_touch" $((3 * 4194304 - 100000)) "$(growth map_and_touch)" \
		$((3 * 4194304 + 100000))
	between "of touch" $((3 * 8388608 - 100000)) "$(growth touch)" $((3 * 8388608 + 100000))
	between "of unmap" $((-3 * 12582912 - 100000)) "$(growth unmap)" $((-3 * 12582912 + 100000))
	between "of map_only" -100000 "$(growth map_only)" 100000
	COLUMNS=200 "$report" -v functions --columns function,rss_growth_bytes |
		grep 'RSS of single threads as read at entry and exit'
}

@test "the part of RSS that is of stacks" {
	record stack_pages
	quiet
	view resources >resources.csv
	between "stacks" $((6 << 20)) "$(highest stack_bytes)" $((6700 << 10))
	"$report" -v heap >heap.txt
	tr -s ' \n' ' ' <heap.txt | grep -E 'Not heap .* of files and shared memory, 6\.[0-5][0-9] MiB of stacks; at least [0-9.]+ MiB of the heap had not been'
}
