# SPDX-License-Identifier: GPL-3.0-or-later
# Parallel regions of OpenMP: what other threads call stands below the path that began the region.
load lib
all_views=" "

# reached PATH: calls of a path, which is a pattern; the sum of all that fit
reached() {
	[ -e tree.csv ] || view tree >tree.csv
	paste <("$here/csv" calls <tree.csv) <("$here/csv" path <tree.csv) |
		awk -F'\t' -v path="^$1\$" '$2 ~ path { sum += $1 } END { print sum + 0 }'
}

others='\\(other threads\\)'

# body: what an outlined function is called, by gcc or by clang, which may have a second one within it
body='(;[a-z]+\\._omp_fn\\.[0-9]|;\\.omp_outlined[^;]*)+'

@test "regions, nested ones and recursions: calls of other threads are below the caller, and exact" {
	local program from
	for program in teams teams.clang; do
		rm -rf insideme.data tree.csv functions.csv
		record $program
		quiet
		same "stdout" "$(cat stdout)" "done"
		calls main 1 shared 2 inner 4 again 15 work 43 piece 8
		for from in first second; do
			same "$from, other threads" "$(reached "main;$from;shared;$others$body;work")" 3
			same "$from, its own" "$(reached "main;$from;shared$body;work")" 1
		done
		same "nested, all others" "$(reached "main;nested;$others$body;$others$body;inner")" 1
		same "nested, all its own" "$(reached "main;nested$body;inner")" 1
		same "nested, inner others" "$(reached "main;nested$body;$others$body;inner")" 1
		same "nested, outer others" "$(reached "main;nested;$others$body;inner")" 1
		same "recursions" "$(reached "main;again(;$others)?$body;again(;$others)?$body;again")" 4
		same "calls at the root" "$(reached '[^;]*;work')" "$(reached 'piece;work')"
		"$report" -f callgrind -o out.callgrind
		same "costs above all of them" "$(callgrind_annotate --inclusive=yes out.callgrind |
			grep -oE '\([0-9.]+%\)' | tr -d '(%)' | awk '$1 > 100.01')" ''
		same "lines of waits, of nested regions too" "$(view waits | "$here/csv" source function='omp parallel' |
			grep -v '^teams\.c:[0-9]*$' | sort -u)" ''
		same "thread's first function" "$(view threads | "$here/csv" function | grep -c other)" 0
	done
}

@test "one thread: no other threads" {
	local program
	for program in teams teams.clang; do
		rm -rf insideme.data tree.csv functions.csv
		record $program 1
		quiet
		calls main 1 shared 2 inner 1 again 4 work 23 piece 8
		same "other threads" "$(reached ".*$others.*")" 0
		same "at the root" "$(view tree | "$here/csv" function depth=0)" main
	done
}

@test "a saved profile has them in the same places; without the thread that began them they are at the root" {
	record teams
	view tree >tree.csv
	before=$(reached ".*;$others;.*")
	[ "$before" -ge 20 ]
	"$report" --save saved.insideme
	"$report" -v tree -f csv saved.insideme >tree.csv
	same "below others, saved" "$(reached ".*;$others;.*")" "$before"
	same "below first()" "$(reached "main;first;shared;$others$body;work")" 3
	thread=$(view threads | "$here/csv" thread | tail -1)
	view tree --thread "$thread" >tree.csv
	same "at the root" "$("$here/csv" function depth=0 <tree.csv | grep -v piece)" "(other threads)"
}

@test "a region after a pause of recording is below its caller too" {
	cat >pause.c <<-'E'
		#include <time.h>
		#include "insideme.h"
		__attribute__((noinline)) static void work(void)
		{
			nanosleep(&(struct timespec){ 0, 2000000 }, 0);
		}
		__attribute__((noinline)) static void region(void)
		{
		#pragma omp parallel num_threads(2)
			work();
		}
		int main(void)
		{
			region();
			insideme_disable();
			region();
			insideme_enable();
			region();
			return 0;
		}
	E
	gcc -fopenmp -finstrument-functions -I "$here/../../include" -o pause pause.c
	LD_PRELOAD=$library ./pause 2>stderr
	quiet
	view tree >tree.csv
	same "of other threads" "$(reached "main;region;$others$body;work")" 2
	same "its own" "$(reached "main;region$body;work")" 2
	same "at the root" "$(view tree | "$here/csv" function depth=0 | grep -v 'not recorded')" main
}

@test "a program may name a region as the recorder names parts of other threads" {
	cat >named.c <<-'E'
		#include <stdlib.h>
		#include <time.h>
		#include "insideme.h"
		__attribute__((noinline)) static void work(void)
		{
			nanosleep(&(struct timespec){ 0, 10000000 }, 0);
		}
		__attribute__((noinline)) static void named(void)
		{
			insideme_begin("(other threads)");
			work();
			insideme_end("(other threads)");
		}
		int main(void)
		{
			named();
		#pragma omp parallel num_threads(2)
			work();
			return 0;
		}
	E
	gcc -fopenmp -finstrument-functions -I "$here/../../include" -o named named.c
	monitor -q -- ./named
	"$report" --save saved.insideme
	for run in "" saved.insideme; do
		"$report" -v tree -f csv $run >tree.csv
		same "calls in the region" "$(reached "main;named;$others;work")" 1
		same "parts of other threads" "$(reached "main;$others$body;work")" 1
		same "its time is in what has it" "$("$here/csv" total_ns path='main;named' <tree.csv |
			awk '{ print ($1 >= 10000000) }')" 1
	done
	same "regions of the program" "$("$report" -v timers -f csv | "$here/csv" calls timer='(other threads)')" 1
}

@test "the body of a region is called by what began it, in all threads" {
	cat >alloc.c <<-'E'
		#include <omp.h>
		#include <stdlib.h>
		void *kept[400];
		__attribute__((noinline)) static void fill(int i)
		{
		#pragma omp parallel num_threads(2)
			kept[i * 2 + omp_get_thread_num()] = malloc(100);
		}
		int main(void)
		{
			for (int i = 0; i < 200; i++)
				fill(i);
			return 0;
		}
	E
	gcc -fopenmp -finstrument-functions -o alloc alloc.c
	monitor -q -- ./alloc
	"$report" -v heap | grep -F 'fill._omp_fn.0'
	"$report" | { ! grep 'allocates for its callers'; }
}

@test "a function that is selected is recorded in all threads" {
	INSIDEME_FOCUS=inner record teams
	quiet
	calls inner 4 work 4
}

@test "what a selected function begins in other threads is recorded below it" {
	local program
	for program in teams teams.clang; do
		rm -rf insideme.data tree.csv functions.csv
		INSIDEME_FOCUS=shared record $program
		quiet
		calls shared 2 work 8
		same "other threads" "$(reached "shared;$others$body;work")" 6
		same "at the root" "$(view tree | "$here/csv" function depth=0)" shared
		rm -rf insideme.data tree.csv functions.csv
		INSIDEME_EXCLUDE=first record $program
		quiet
		same "below what called the excluded one" "$(reached "main;shared;$others$body;work")" 3
		same "nested" "$(reached "main;nested;$others$body;$others$body;inner")" 1
	done
}

@test "a focus that changes within a region" {
	cat >change.c <<-'E'
		#include <omp.h>
		#include "insideme.h"
		__attribute__((noinline)) static void work(void) { for (volatile int i = 0; i < 1000; i++); }
		__attribute__((noinline)) static void other(void) { work(); }
		__attribute__((noinline)) static void region(void)
		{
		#pragma omp parallel num_threads(2)
			{
				work();
		#pragma omp barrier
		#pragma omp master
				insideme_focus("other");
		#pragma omp barrier
				work();
				other();
			}
		}
		int main(void)
		{
			region();
			region();
			return 0;
		}
	E
	gcc -fopenmp -finstrument-functions -I "$here/../../include" -o change change.c
	INSIDEME_FOCUS=region LD_PRELOAD=$library ./change 2>stderr
	quiet
	view tree >tree.csv
	same "where it began in the focus" "$(reached "region(;$others)?$body;other;work")" 2
	same "where it did not" "$(reached 'other;work')" 2
	same "lost" "$("$report" -v quality | grep -ci lost)" 0
}

@test "balance compares the thread that began the regions, too" {
	local compiler nr
	cat >uneven.c <<-'END'
		#include <omp.h>
		__attribute__((noinline)) static void work(int parts)
		{
			for (volatile int i = 0; i < parts * 2000000; i++)
				;
		}
		int main(void)
		{
			for (int round = 0; round < 5; round++) {
		#pragma omp parallel
				work(omp_get_thread_num() ? 1 : 6);
			}
		}
	END
	for compiler in gcc clang; do
		$compiler -O1 -fopenmp -finstrument-functions uneven.c -o uneven || skip "no OpenMP"
		for nr in 2 3; do
			rm -rf insideme.data
			OMP_NUM_THREADS=$nr LD_PRELOAD=$library ./uneven
			view threads >threads.csv
			view balance >balance.csv
			same "threads" "$("$here/csv" ranks name=work <balance.csv)" $nr
			same "whose" "$("$here/csv" most_thread name=work <balance.csv)" \
				"$("$here/csv" thread <threads.csv | sort -n | head -1)"
			between "percent over the mean" 20 "$("$here/csv" imbalance_percent name=work \
				<balance.csv | cut -d. -f1)" 70
		done
	done
}
