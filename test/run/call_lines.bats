#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls and their time by the line that calls, as hooks recorded them.
load lib
export PATH=$build:$PATH

source=$(realpath "$BATS_TEST_DIRNAME/../programs/call_lines.c")

# built FLAGS: call_lines.c with hooks, from a copy of its source
built() {
	cp "$source" call_lines.c
	# shellcheck disable=SC2086
	insideme-cc $1 call_lines.c -o call_lines
}

# recorded [OPTIONS]: its calling lines
recorded() {
	monitor --quiet --call-lines "$@"
	quiet
	view lines >lines.csv
}

# column NAME: "COMMENT VALUE" of the lines whose calls are known by construction
column() {
	local comment
	for comment in 1 2 3 4 within 'first copy' 'second copy' deeper deepest 'before the jump' \
		'before the end' parts outer \
		outermost jump open; do
		echo "$comment $("$here/csv" "$1" \
			line="$(grep -n "/\* $comment \*/" "$source" | cut -d: -f1)" <lines.csv)"
	done
}

known_calls() {
	printf '%s\n' '1 100' '2 200' '3 300' '4 400' 'within 60' 'first copy 10' 'second copy 50' \
		'deeper 20' 'deepest 1' \
		'before the jump 3' 'before the end 1' 'parts 1' 'outer 10' 'outermost 1' 'jump 3' 'open 1'
}

@test "each line has the calls that it made, however they are compiled and timed" {
	local flags
	for flags in -O0 -O2 '-O3 -fomit-frame-pointer' '-O2 -flto' '-O2 -gdwarf-4'; do
		built "$flags"
		recorded ./call_lines
		diff <(known_calls) <(column hits) || { echo "with $flags"; return 1; }
		same "where they are from" "$(column hits_source | sort -u -k2 | sed 's/.* //' | sort -u)" \
			calls
	done
	for flags in exact counts auto; do
		recorded --timing=$flags ./call_lines
		diff <(known_calls) <(column hits) || { echo "timing $flags"; return 1; }
	done
	recorded --snapshot=rss:every ./call_lines
	diff <(known_calls) <(column hits)
	INSIDEME_CC=clang built -O2	# functions that clang inlined have no hooks
	recorded ./call_lines
	diff <(known_calls | sed 's/copy .*/copy /') <(column hits)
	[ "$(line outer 'second copy' time_ns)" -gt "$(line outer 'first copy' time_ns)" ]
}

# total FUNCTION: of its lines and the rest; and as -v functions has it
total() { "$here/csv" time_ns function="$1" <lines.csv | awk '{ns += $1} END {printf "%.0f\n", ns}'; }
whole() { view functions | "$here/csv" total_ns function="$1"; }

@test "a function's lines and its rest are its time" {
	local function
	built -O2
	recorded --timing=exact ./call_lines
	for function in main parts outer inner recurse jump leave; do
		between "ns of the lines of $function, more than its time" -10 \
			$(($(total $function) - $(whole $function))) 10
	done
	same "the rest" "$("$here/csv" text function=parts line= <lines.csv)" '(rest of parts)'
	same "the source of the time" "$(line parts 4 time_source)" hooks
	[ "$(line parts 1 min_ns)" -le "$(line parts 1 max_ns)" ]
	[ $(($(line parts 4 min_ns) * 400)) -le "$(line parts 4 time_ns)" ]
	[ $(($(line parts 4 max_ns) * 400)) -ge "$(line parts 4 time_ns)" ]
	same "time of a recursion's inner calls" "$(line recurse deepest time_ns)" ''
	same "time of counted calls" "$(recorded --timing=counts ./call_lines; column time_ns |
		sed 's/.* //' | sort -u)" ''
}

# in_bounds PERCENT LEAST MOST <SORTED: is the percentile of these durations between the bounds?
in_bounds() {
	awk -v percent="$1" -v least="$2" -v most="$3" -v slack=400 '
		{ ns[NR] = $1 }
		END {
			rank = NR * percent / 100
			at = ns[rank == int(rank) ? rank : int(rank) + 1]
			print percent, at, "between", least, "and", most
			exit !(NR && least - slack <= at && at <= most + slack)
		}'
}

# of_line LINE COLUMN: of main
of_line() { "$here/csv" "$2" function=main line="$1" <lines.csv; }

@test "percentiles of a line are those of the calls that it made" {
	local percent first=10 second=12
	cat >places.c <<-'END'
		static volatile unsigned long sink;
		__attribute__((noinline)) static void work(int n)
		{
			while (n--)
				sink++;
		}
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				work(20000);
			for (int i = 0; i < 200; i++)
				work(i % 5 ? 20000 : 1000000);
			return 0;
		}
	END
	insideme-cc -O1 places.c -o places
	recorded --timing=exact --threshold=0 ./places
	view calls --top=0 >calls.csv
	paste <("$here/csv" start_ns function=work <calls.csv) \
		<("$here/csv" duration_ns function=work <calls.csv) | sort -n | cut -f2 >times
	same "calls" "$(wc -l <times)" 500
	for percent in 50 90 99; do
		head -300 times | sort -n | in_bounds $percent "$(of_line $first p${percent}_least_ns)" \
			"$(of_line $first p${percent}_ns)"
		tail -200 times | sort -n | in_bounds $percent "$(of_line $second p${percent}_least_ns)" \
			"$(of_line $second p${percent}_ns)"
	done
	between "p50 of the line with some long calls" 0 "$(of_line $second p50_ns)" \
		$(($(of_line $second p90_least_ns) / 4))
	between "p99 of the line with short calls" 0 "$(of_line $first p50_ns)" \
		$(($(of_line $second p90_least_ns) / 4))
	same "timed calls of the function" "$(view functions | "$here/csv" timed_calls function=work)" 500
	recorded --timing=counts ./places
	same "of calls that were only counted" "$(of_line $first hits)/$(of_line $first p99_ns)" 300/
}

@test "the same as gcov counts in the same run" {
	[ "$(gcc -dumpversion)" = 12 ] || skip "counters of gcc 12 are known alone"
	built '--lines -O2'
	recorded ./call_lines
	diff <(column calls | grep -v copy) <(column hits | grep -v copy) # of the copies gcov counts parts
	same "where hits are from" "$(column hits_source | sed 's/.* //' | sort -u)" counters
	same "where times are from" "$(line parts 4 time_source)" hooks
}

@test "inlined copies of counted functions have their calls, others none" {
	built -O2
	recorded --timing=auto ./call_lines 300000
	same "the line that inlined it" "$(line brief 'inlined once' hits)" 300000
	same "the other one" "$(line brief 'inlined three times' hits)" 900000
	same "a line that calls" "$(line brief 'called once' hits)" ''
	same "calls that are timed" "$(line parts 4 hits)" 400
	"$report" -v lines >text
	tr -s '\n ' ' ' <text | grep -q '; 1200000 calls have no line, because they were only counted (--timing=exact'
	recorded --timing=exact ./call_lines 3000
	"$report" -v lines >text
	same "calls without a line" "$(grep -c 'have no line' text)" 0
	same "a line that calls, with exact timing" "$(line brief 'called three times' hits)" 9000
}

@test "without the setting nothing of it is in the log or the view" {
	built -O2
	monitor --quiet ./call_lines
	"$report" -v lines >text
	grep -q 'no line is known: .*--call-lines' <(tr -s '\n ' ' ' <text)
}

@test "calls from a library without hooks are of no line of the program" {
	local debug line
	cat >sorter.c <<-'END'
		void each(int n, void (*call)(void))
		{
			for (int i = 0; i < n; i++)
				call();
		}
	END
	cat >sorting.c <<-'END'
		#include <stdlib.h>
		void each(int n, void (*call)(void));
		static volatile unsigned long sink;
		static void called(void)
		{
			for (int i = 0; i < 100000; i++)
				sink++;
		}
		static int compare(const void *a, const void *b)
		{
			called();
			return *(const int *)a - *(const int *)b;
		}
		int main(void)
		{
			int list[] = { 3, 2, 1 };
			each(50, called);
			qsort(list, 3, sizeof(*list), compare);
			called();
			return 0;
		}
	END
	for debug in -g -g0; do
		gcc $debug -O2 -fPIC -shared sorter.c -o libsorter.so
		insideme-cc -O1 -fno-inline sorting.c -o sorting -L. -lsorter -Wl,-rpath,"$PWD"
		recorded --timing=exact ./sorting
		for line in 17 18; do
			same "calls from line $line" "$("$here/csv" hits function=main line=$line <lines.csv)" ''
		done
		same "calls from main" "$("$here/csv" hits function=main line=19 <lines.csv)" 1
		same "calls from compare()" "$("$here/csv" hits function=compare line=11 <lines.csv)" \
			"$(view functions | "$here/csv" calls function=compare)"
		same "the library's line with $debug" "$("$here/csv" line hits=50 <lines.csv)" \
			"$([ $debug = -g0 ] || echo 4)"
		between "ns of main's lines, more than its time" -10 $(($(total main) - $(whole main))) 10
	done
}

@test "a small log has room for them" {
	built -O2
	recorded --budget=1M ./call_lines
	diff <(known_calls) <(column hits)
}

@test "threads and children have calling lines" {
	built -O2
	cat >several.c <<-'END'
		#include <pthread.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }
		static void *thread(void *arg)
		{
			for (int i = 0; i < 1000; i++)
				work();
			return arg;
		}
		int main(void)
		{
			pthread_t threads[4];
			for (int i = 0; i < 4; i++)
				pthread_create(&threads[i], 0, thread, 0);
			for (int i = 0; i < 4; i++)
				pthread_join(threads[i], 0);
			if (!fork()) {
				thread(0);
				_exit(0);
			}
			wait(0);
			return 0;
		}
	END
	insideme-cc -O2 several.c -o several -pthread
	recorded ./several
	same "calls of four threads and a child" "$("$here/csv" hits function=thread line=8 <lines.csv)" 5000
	same "the child's" "$("$here/csv" hits function=main line=19 <lines.csv)" 1
}
