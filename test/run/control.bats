#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Control flow that is not call and return: counts stay exact, the tree right, and what was repaired is said.
load lib

# none WHAT PATTERN: no line of the tree matches it
none() {
	view tree --top 0 >tree.csv
	same "$1" "$(cut -d, -f1 tree.csv | grep -E "$2")" ''
}

# finding NAME: its value in the quality view
finding() {
	view quality | "$here/csv" value finding="$1"
}

nothing_repaired() {
	same "broken calls" "$(finding broken_calls)" ''
	same "unknown exits" "$(finding unknown_exits)" ''
}

# coroutines PROGRAM KIND NR BYTES
coroutines() {
	rm -rf insideme.data functions.csv
	run record "$@"
	same "status of $*" "$status" 0
	quiet
	calls body "$3" step $((100 * $3)) inner $((100 * $3)) stray "$3" main 1
	nothing_repaired
	none "inner calls nothing in $*" 'inner;'
	none "step stands under body in $*" '(^|(main|step|inner|stray|round_of_all|every_second_round);)step'
	none "body under a coroutine in $*" '(body|step|inner|stray);(body|stray)'
	between "self time of inner in $*" 1 "$(value self_ns function=inner)" "$(value total_ns function=inner)"
}

@test "coroutines whose stacks the program changes itself, next to each other" {
	for kind in resumed unseen direct; do
		coroutines switches "$kind" 10 65536
		coroutines switches.clang "$kind" 10 20000
	done
}

@test "coroutines that other threads go on with" {
	for compiler in '' .clang; do
		coroutines "switches$compiler" threads 10 65536
		coroutines "switches$compiler" two 10 65536
	done
}

@test "a hundred coroutines with small stacks" {
	coroutines switches resumed 100 8192
}
