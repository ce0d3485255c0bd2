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
	between "self time of inner in $*" 1 "$(value self_ns function=inner)" \
		"$(value total_ns function=inner)"
}

@test "coroutines beside main's thread block, in one mapping with it" {
	record() { monitor -q -- "$bin/$1" "${@:2}"; }	# whose program has no task of ours: its memory would lie between them
	coroutines switches beside 10 20480
	coroutines switches.clang beside 10 20480
}

@test "coroutines whose stacks the program changes itself, next to each other" {
	for kind in resumed unseen direct; do
		coroutines switches "$kind" 10 65536
		coroutines switches.clang "$kind" 10 20000
	done
}

@test "coroutines that other threads go on with" {
	moved=--moved
	for compiler in '' .clang; do
		coroutines "switches$compiler" threads 10 65536
		coroutines "switches$compiler" two 10 65536
	done
}

@test "a hundred coroutines with small stacks" {
	coroutines switches resumed 100 8192
}

@test "longjmp as _FORTIFY_SOURCE calls it" {
	nm -D --undefined-only "$bin/jumps.fortified" | grep -q __longjmp_chk
	record jumps.fortified
	quiet
	calls down 1000 land 200 big_frame 200 interrupted 100 handler 100 main 1
	same "broken calls" "$(finding broken_calls)" 1200
	none "what follows a jump stands under down" 'down;[^,]*(land|big_frame)'
}

@test "exceptions thrown again, in destructors, and a thread's cancellation" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record exceptions$compiler
		same status "$status" 0
		quiet
		calls 'deep(int)' 500 'passing()' 100 'mend()' 100 'again()' 100 'attempt()' 100 'after()' \
			200 \
			'guard::~guard()' 220 'in_guard()' 220 'within()' 220 'cancelled()' 20 \
				'victim(void*)' 20 main 1
		same "broken calls" "$(finding broken_calls)" "$([ -z "$compiler" ] && echo 20 || echo 760)"
		none "what follows stands under what was thrown through" \
			'(deep\(int\)|passing\(\)|mend\(\)|within\(\)|again\(\));[^,]*(after|mend\(\);)'
		none "mend stands elsewhere than under again" '([^)]|[^n]\(\)|[^i]n\(\));mend'
	done
}

@test "tail calls" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record tails$compiler
		same status "$status" 0
		quiet
		calls red 20000 green 20000 blue 20000 'done' 2 main 1
		nothing_repaired
	done
	none "a state under another one, of clang" '(red|green|blue);'
}

# The bottom is a new path where frames have taken all room but what is kept for functions without paths.
@test "recursion a million deep" {
	for program in bottomless:64M bottomless.clang:16M; do
		rm -rf insideme.data functions.csv
		INSIDEME_BUDGET=${program#*:} run record "${program%:*}" 1000000
		same status "$status" 0
		quiet
		calls down 1000000 bottom 1 descend 1 main 1
		nothing_repaired
	done
}

# Where the stack ends in the recorder itself while it changes its areas, hooks of the handler are lost, and
# that is told:
# at one place of 300, so not at both of these.
@test "a handler on its own stack saves the program from stack overflow" {
	local kib handlers saved lost exact=0
	for compiler in '' .clang; do
		for kib in 1024 960; do
			rm -rf insideme.data functions.csv
			ulimit -S -s $kib
			run record bottomless$compiler over
			same status "$status" 0
			quiet
			read -r _ down <stdout
			calls down "$down" overflow 1 main 1
			lost=$(finding lost_calls)
			handlers=$(value calls function=on_overflow)
			saved=$(value calls function=saved)
			same "calls in handlers" $((${handlers:-0} + ${saved:-0} + ${lost:-0})) 10
			same "broken calls" "$(finding broken_calls)" $((down + ${handlers:-0}))
			exact=$((exact + (${handlers:-0} == 5)))
		done
	done
	between "runs that lost nothing" 3 $exact 4
}

@test "stack overflow ends the program as it does without the library" {
	ulimit -s 1024
	run "$bin/bottomless" end
	same "status without" "$status" 139
	run record bottomless end
	same status "$status" 139
	quiet
	between "calls of down" 10000 "$(value calls function=down)" 1000000
	same "open calls of down" "$(value open_calls function=down)" "$(value calls function=down)"
	same "open calls of main" "$(value open_calls function=main)" 1
}

@test "calls before main and after it" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record order$compiler
		same status "$status" 7
		quiet
		calls 'step()' 8 library_step 3 library_begin 1 one 1 library_end 1 'chosen()' 1 main 1 \
			'counter::counter()' 1 'counter::~counter()' 1 'very_first()' 1 'late()' 1
		same "calls of resolvers" "$(finding early_calls)" 4
		nothing_repaired
	done
}
