#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What forked children of programs without hooks do with the heap, before they have a log and after: to the
# byte.
load lib

forked="$bin/forked_heap"
read -r small large < <("$forked" usable)

# of COLUMN PID: of the processes view
of() { "$here/csv" "$1" "pid=$2" <processes.csv; }
pid_of() { "$here/csv" pid "exit_status=$1" <processes.csv; }
look() {
	view processes --top 0 >processes.csv
	view threads --top 0 >threads.csv
}

# did STATUS ALLOCATIONS BYTES FREES FREED: the child with that status, in its only thread
did() {
	local pid
	pid=$(pid_of "$1")
	same "allocated by $1" "$(of alloc_bytes "$pid")" "$3"
	same "allocations of $1" "$("$here/csv" alloc_calls "pid=$pid" <threads.csv)" "$2"
	same "frees of $1" "$("$here/csv" free_calls "pid=$pid" <threads.csv)" "$4"
	same "freed by $1" "$("$here/csv" freed_bytes "pid=$pid" <threads.csv)" "$5"
	"$report" -v quality >quality.txt
	! grep lost_heap_calls quality.txt || return 1
}

# each HOW TEST...: of a program that has a log, of one that has an entry itself, and with samples of the heap
each() {
	local how=$1 status=0
	shift
	rm -rf insideme.data
	LD_PRELOAD=$library "$forked" "$how" || status=$?
	between status 13 "$status" 16
	look && "$@"
	rm -rf insideme.data
	LD_PRELOAD=$library sh -c "'$forked' $how" || same 'status without a log' $? "$status"
	look && "$@"
	rm -rf insideme.data
	monitor --quiet --heap-sample=8K -- "$forked" "$how" || same status $? "$status"
	look && "$@"
}

@test "a child that ends at once" {
	each once did 3 20 $((20 * small)) 9 $((8 * small + large))
}

@test "a child that gets a log later: all in one" {
	each later did 4 40 $((40 * small)) 17 $((16 * small + large))
}

@test "a child of a child has its own" {
	both() {
		did 3 20 $((20 * small)) 9 $((8 * small + large))
		did 5 7 $((7 * small)) 0 0
	}
	each nested both
}

@test "blocks that are moved, and an allocation that fails" {
	each moved did 6 2 $((small + large)) 1 "$small"
}

@test "with INSIDEME_HEAP=off nothing is counted, and nothing is missing" {
	INSIDEME_HEAP=off LD_PRELOAD=$library "$forked" once || same status $? 13
	look
	same allocated "$(of alloc_bytes "$(pid_of 3)")" ''
	"$report" -v quality >quality.txt
	! grep lost_heap_calls quality.txt || return 1
}

# The program kept 10 large blocks; the first child freed one of them and kept 12 small ones, the second did
# nothing.
@test "rows of insideme-run have the heap of children without a log" {
	heap_of() { view resources --top 0 | "$here/csv" heap_bytes "pid=$1" set=process | grep . | tail -1; }
	differ() {
		local first second other
		read -r -d '' first second <said || true
		[ -n "$second" ] || return 1
		first=$(heap_of "$first") second=$(heap_of "$second") other=$((12 * small - large))
		[ -n "$first" ] && [ -n "$second" ] || return 1
		[ $((first - second)) = "$other" ] || [ $((second - first)) = "$other" ]
	}
	# on a busy machine a child may last for long enough to have a log before it has allocated
	for _ in {1..100}; do
		rm -rf insideme.data gate
		mkfifo gate
		"$build/insideme-run" --quiet -- "$forked" held <gate >said 3>&- &
		exec 9>gate
		report=$build/insideme-report wait_until differ
		exec 9>&-
		wait $! || same status $? 20
		[ "$(find insideme.data -name '*.log' | wc -l)" != 2 ] || break
	done
	look
	same 'logs' "$(find insideme.data -name '*.log' | wc -l)" 2
	inherited=$(heap_of "$(pid_of 7)")
	between inherited $((10 * large)) "$inherited" $((10 * large + 100000))
	same "heap of the other" "$(heap_of "$(pid_of 3)")" $((inherited - large + 12 * small))
}
