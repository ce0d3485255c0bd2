# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of the heap share.

# of COLUMN FUNCTION: of the view heap
of() {
	[ -e heap.csv ] || view heap >heap.csv || { cat report.stderr; return 1; }
	"$here/csv" "$1" "function=$2" <heap.csv
}

# all COLUMN
all() {
	[ -e heap.csv ] || view heap >heap.csv || return 1
	"$here/csv" "$1" <heap.csv | awk '{ sum += $1 } END { print sum + 0 }'
}

# by valgrind: sets in_use, blocks, allocs, frees, allocated
by_valgrind() {
	valgrind --leak-check=summary "$@" 2>valgrind.txt >/dev/null || true	# errno of a failure is another there
	read -r in_use blocks < <(sed -n 's/.*in use at exit: \(.*\) bytes in \(.*\) blocks/\1 \2/p' \
		valgrind.txt | tr -d ,)
	read -r allocs frees allocated < <(sed \
		-n 's/.*total heap usage: \(.*\) allocs, \(.*\) frees, \(.*\) bytes allocated/\1 \2 \3/p' \
		valgrind.txt | tr -d ,)
}

# not_freed FUNCTION BLOCKS BYTES...
not_freed() {
	while [ $# -gt 2 ]; do
		same "blocks of $1" "$(of not_freed_blocks "$1")" "$2" &&
			same "bytes of $1" "$(of not_freed_bytes "$1")" "$3" || return 1
		shift 3
	done
}

# by_its_book: what random_heap, just recorded, has written down itself
by_its_book() {
	local blocks bytes child_blocks child_bytes peak_blocks peak_bytes
	read -r blocks bytes child_blocks child_bytes peak_blocks peak_bytes <stdout
	not_freed in_parent "$blocks" "$bytes" in_child "$child_blocks" "$child_bytes" rise 0 0
	same "blocks at the peak" "$(of peak_heap_blocks rise)" "$peak_blocks"
	same "bytes at the peak" "$(of peak_heap_bytes rise)" "$peak_bytes"
	same "what was lost" "$(view quality | grep -c 'heap_calls\|unknown_frees')" 0
}
