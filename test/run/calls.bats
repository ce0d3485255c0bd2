#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Every call is counted, whatever the language, the compiler and the way a call ends.
load lib

@test "calls in C" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record calls$compiler
		same status "$status" 7
		quiet
		calls outer 1000 middle 3000 leaf 6000 fib 21891 even 501 odd 500 main 1
		same "never" "$(value calls function=never)" ''
	done
}

@test "the tree is that of the calls" {
	record calls || same status $? 7
	run "$report" -v tree --top 0
	same status "$status" 0
	[[ $output == *main*outer*middle*leaf* ]]
	[[ $output != *never* ]]
	view tree >tree.csv
	same "calls by path" "$("$here/csv" calls path='main;outer;middle;leaf' <tree.csv)" 6000
}

@test "recursion counts once in total time" {
	record calls || same status $? 7
	view functions --raw >functions.csv	# what is left of some ns without the hooks' cost may be none
	between "total of fib" 1 "$(value total_ns function=fib)" "$(value total_ns function=main)"
	between "self of fib" 1 "$(value self_ns function=fib)" "$(value total_ns function=fib)"
}

@test "calls in C++: virtual, templates, constructors, exceptions" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record calls_cpp$compiler
		same status "$status" 0
		quiet
		calls 'shapes::square::area' 200 'shapes::circle::area' 100 'int twice<int>' 300 \
			'double twice<double>' 150 \
			'shapes::square::square' 200 'shapes::square::~square' 200 descend 400 attempt 100 \
				after 100
	done
}

@test "after an exception the tree goes on where it was caught" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		record calls_cpp$compiler
		view tree >tree.csv
		between "after under attempt" 1 "$(grep -c 'attempt[^,]*;after' tree.csv)" 1
		same "after under descend" "$(grep -c 'descend[^,]*;after' tree.csv)" 0
	done
}

@test "calls in Fortran carry their module's name" {
	run record calls_fortran
	same status "$status" 0
	quiet
	value function
	same integrate "$(value calls function=numbers::integrate)" 10
	same square "$(value calls function=numbers::square)" 1000
	same total "$(value calls function=total)" 1
}

@test "longjmp out of deep calls and of handlers" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record jumps$compiler
		same status "$status" 0
		quiet
		calls down 1000 land 200 big_frame 200 interrupted 100 handler 100 main 1
		view tree >tree.csv
		between "land under main" 1 "$(grep -c 'main;land' tree.csv)" 1
		same "what follows a jump stands under down" \
			"$(grep -cE 'down;[^,]*(land|big_frame)' tree.csv)" 0
	done
}

@test "timeouts that jump out of calls at any moment" {
	local least=19800
	reads_tsc || least=19000	# hooks take longer, and a call left during its entry does not count
	for stack in own signal; do
		rm -rf insideme.data functions.csv
		run record timeouts "$stack"
		same status "$status" 0
		quiet
		read -r _ handler <stdout
		calls main 1
		between "calls of work" $least "$(value calls function=work)" 20000
		between "calls of handler" $((handler * 99 / 100)) "$(value calls function=handler)" \
			"$handler"
		view tree --top 0 --columns path >tree.csv
		same "work within work" "$(grep -c 'work;.*work' tree.csv)" 0
	done
}

@test "signal handlers with hooks at a high rate" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record signals$compiler
		same status "$status" 0
		quiet
		read -r _ work _ handler _ inner <stdout
		calls work "$work" handler "$handler" in_handler "$inner" main 1
	done
}

@test "signal handlers with hooks while every call is recorded" {
	INSIDEME_THRESHOLD=0 record signals
	quiet
	read -r _ work _ handler _ inner <stdout
	calls work "$work" handler "$handler" in_handler "$inner" main 1
	same slices "$(view calls --columns function | grep -cx work)" "$work"
}

@test "a handler's calls between any two instructions of the hooks" {
	local setting stack work handled inner
	[ "$(uname -m)" = x86_64 ] || skip "single steps are of x86-64"
	for setting in 'TIMING=exact own' 'TIMING=exact signal' 'TIMING=auto own' 'THRESHOLD=0 own'; do
		rm -rf insideme.data functions.csv
		stack=${setting#* }
		eval "INSIDEME_${setting% *} record stepped_hooks $stack"
		quiet
		read -r _ work _ handled _ inner <stdout
		between "calls of work" 500 "$work" 1000000
		calls work "$work" handled "$handled" in_handler "$inner" main 1
	done
}

# miscounted: finished calls that are in no bucket of their path's durations, or twice
miscounted() {
	perl -e '
		undef $/;
		my ($log, $at, $wrong) = (scalar <>, 4096, 0);
		while ($at + 64 <= length $log) {
			my ($magic, undef, $kind, undef, $bytes, $used) = unpack "L4Q2", substr $log, $at, 32;
			my $node = $at + ($kind == 3 ? 64 : $kind == 1 ? 4928 : $used);
			for (; $node + 256 <= $at + $used; $node += 256) {
				my ($calls, $untimed, @counts) = unpack "x24Q2x64L38", substr $log, $node, 256;
				$calls -= $untimed;
				$calls -= $_ for @counts;
				$wrong += abs $calls;
			}
			$at += $magic == 0x41524541 && $bytes ? $bytes : 4096;
		}
		print "$wrong\n"' insideme.data/*/*.log
}

@test "a handler's calls lose few durations between any two instructions" {
	[ "$(uname -m)" = x86_64 ] || skip "single steps are of x86-64"
	INSIDEME_TIMING=exact record stepped_hooks own
	between "calls that are not counted once, with the last one" 1 "$(miscounted)" 12
}

@test "signal handlers with hooks over calls that begin and end" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record interrupted$compiler
		same status "$status" 0
		quiet
		calls main 1 down 400020
		same "what the report warns of" "$(cat report.stderr)" ''
		view tree --columns function,depth >tree.csv	# a call stands below the one before it when it is deeper
		same "calls under a handler's callees" "$(awk -F, '$2 > depth && callee {n++}
			{callee = $1 ~ /^(first|second)$/; depth = $2} END {print n + 0}' tree.csv)" 0
	done
}

@test "coroutines that switch inside of open calls" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record coroutines$compiler
		same status "$status" 0
		quiet
		calls body 3 step 3000 inner 3000 main 1
		view tree >tree.csv
		between "inner under step under body" 1 "$(grep -c 'body;step;inner' tree.csv)" 3
		same "step or body under inner" "$(grep -cE 'inner;[^,]*(step|body)' tree.csv)" 0
	done
}

@test "more call paths than there is room for: calls of functions stay exact" {
	INSIDEME_BUDGET=4M run record deep
	same status "$status" 0
	quiet
	calls down 200000 bottom 2 main 1
}

@test "recursion 100000 deep" {
	run record deep
	same status "$status" 0
	quiet
	calls down 200000 bottom 2 main 1
	between "total of down" 1 "$(value total_ns function=down)" "$(value total_ns function=main)"
}

@test "plugins loaded and unloaded in turn" {
	run record plugins "$bin"
	same status "$status" 0
	quiet
	calls first_work 500 second_work 1000 use_plugin 10 main 1
	same "run of the first" "$(value calls function=run module=first_plugin.so)" 5
	same "run of the second" "$(value calls function=run module=second_plugin.so)" 5
}

@test "counts mode counts the same" {
	INSIDEME_TIMING=counts record calls || same status $? 7
	quiet
	calls outer 1000 middle 3000 leaf 6000 fib 21891 even 501 odd 500 main 1
}

@test "threshold 0 has a record of every call" {
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	quiet
	calls outer 1000 middle 3000 leaf 6000 fib 21891
	view calls >calls.csv
	same fib "$("$here/csv" function function=fib <calls.csv | wc -l)" 21891
	same leaf "$("$here/csv" function function=leaf <calls.csv | wc -l)" 6000
}

@test "a call's times on a processor, ready and blocked make up its duration" {
	often
	record uses sleeps 200		# naps, then burns as much CPU time
	view calls >calls.csv
	of() { "$here/csv" "$2" "function=$1" <calls.csv | head -1; }
	# it is ready for some time after each wake-up
	between "ms that nap was blocked" 100 $(($(of nap blocked_ns) / 1000000)) \
		$(($(of nap duration_ns) / 1000000))
	between "ms of CPU time in nap" 0 $(($(of nap cpu_ns) / 1000000)) 5
	between "ms of CPU time in work" 190 $(($(of work cpu_ns) / 1000000)) 205
	for function in nap work; do
		sum=$(($(of $function cpu_ns) + $(of $function wait_ns) + $(of $function blocked_ns)))
		between "$function: of its duration" -2 $((sum - $(of $function duration_ns))) 2
	done
	"$report" -v calls --columns duration_ns,cpu_ns,blocked_ns,function | grep -q ' CPU .* Blocked '
}

@test "what a call did is not said where no samples were taken" {
	INSIDEME_INTERVAL=0 record uses sleeps 30
	view calls >calls.csv
	same "CPU time of work" "$("$here/csv" cpu_ns function=work <calls.csv | head -1)" ''
	between "duration of work" 30000000 "$("$here/csv" duration_ns function=work <calls.csv | head -1)" 9000000000
	run "$report" -v calls
	[[ $output == *Duration* && $output != *Blocked* ]]
}

@test "percentiles lie between their bounds, in csv as well" {
	INSIDEME_THRESHOLD=0 record uses turns 60 400
	view functions >functions.csv
	for function in nap work; do
		view calls | "$here/csv" duration_ns "function=$function" | sort -n >durations
		same "calls of $function" "$(wc -l <durations)" 60
		for percent in 50 90; do
			duration=$(sed -n $((60 * percent / 100))p durations)
			between "p$percent of $function, less 2 %" $((duration * 49 / 50)) \
				"$(value p${percent}_ns "function=$function")" 9000000000
			between "p$percent of $function, from" 1 \
				"$(value p${percent}_least_ns "function=$function")" $((duration * 51 / 50))
		done
	done
}
