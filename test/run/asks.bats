#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program asks of its recorder, and says of what its functions are for.
load lib

variants='.plain .plain.clang .slow .slow.clang .clang'

@test "sums of timers and regions, with the recorder and without" {
	for variant in '' $variants; do
		rm -rf insideme.data functions.csv
		"$bin/asks$variant" >stdout || { cat stdout; return 1; }
		record "asks$variant" || { cat stdout; return 1; }
		same "said" "$(cat stdout)" "wrong 0"
		quiet
		view timers >timers.csv
		same "the report's work" "$("$here/csv" calls timer=work <timers.csv | paste -sd+ | bc)" 8
		same "the report's loop" "$(value calls function=loop | sort -u | xargs)" 6
	done
}

@test "a summary is a table of names, seconds and calls" {
	for variant in '' .plain.clang; do
		record "asks$variant" table
		grep -qE '^Timer \|   Total time \|      Calls \| Average time$' stdout
		grep -qE '^ loop \| +0\.0[0-9]+ \|          2 \| +0\.0[0-9]+$' stdout
		grep -qE '^ work \| +0\.[0-9]+ \|          3 \| +0\.[0-9]+$' stdout
		grep -qx 'lines 2' stdout
		grep -qx 'nowhere 1' stdout
	done
	"$bin/asks" table >stdout
	grep -qx 'lines -61' stdout
}

@test "thousands of names come in their order, also new ones, while threads ask, and in a forked child" {
	cat >many.c <<-'END'
	#include <insideme.h>
	#include <pthread.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static volatile int goes_on = 1;
	static void name(int from, int to)
	{
		char text[32];
		for (int i = from; i < to; i++) {
			snprintf(text, sizeof(text), "%s %d", i % 2 ? "odd" : "even", i);
			insideme_begin(text);
			insideme_end(text);
			snprintf(text, sizeof(text), "mark %d", i);
			insideme_mark(text);
		}
	}
	/* How many there are; -1: in another order. */
	static int ask(void)
	{
		struct insideme_sum sum;
		const char *last = "";
		int nr = 0;
		for (int end = insideme_sum_after(NULL, &sum); !end; end = insideme_sum_after(sum.name, &sum)) {
			if (strcmp(sum.name, last) <= 0 || sum.calls > 1)	/* 0: it is open */
				return -1;
			last = sum.name;
			nr++;
		}
		return nr;
	}
	static void *ask_on(void *unused)
	{
		while (goes_on)
			if (ask() < 300)
				exit(1);
		return unused;
	}
	int main(void)
	{
		pthread_t threads[2];
		int status;
		name(0, 300);
		printf("%d\n", ask());
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, ask_on, NULL);
		for (int i = 300; i < 400; i++) {
			name(i, i + 1);
			if (ask() != i + 1)
				return 2;
		}
		for (int i = 0; i < 20; i++) {
			if (!fork()) {
				char text[32];
				struct insideme_sum sum;
				snprintf(text, sizeof(text), "of the child %d", i);
				insideme_begin(text);
				insideme_end(text);
				if (insideme_sum_of(text, &sum) || sum.calls != 1)
					_exit(1);
				for (int nr = 0, end = insideme_sum_after(NULL, &sum);; end = insideme_sum_after(sum.name, &sum), nr++)
					if (end)
						_exit(nr == 401 ? 0 : 2);
			}
			if (wait(&status) < 0 || status)
				return 3;
		}
		goes_on = 0;
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		printf("%d\n", ask());
		return 0;
	}
	END
	gcc -O2 -pthread -isystem "$here/../../include" many.c -o many
	LD_PRELOAD=$library ./many >stdout
	same "names" "$(xargs <stdout)" "300 400"
}

@test "memory, time and rank" {
	OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 record asks numbers
	read -r ours kernels < <(awk '$1 == "rss" {print $2, $3}' stdout)
	between "rss" $((kernels * 8 / 10)) "$ours" $((kernels * 12 / 10))
	read -r ours kernels < <(awk '$1 == "peak" {print $2, $3}' stdout)
	between "peak" "$kernels" "$ours" $((kernels * 12 / 10))
	grep -qx 'time 1' stdout
	grep -qx 'rank 3 of 8' stdout
	view marks >marks.csv
	[[ $("$here/csv" text kind=snapshot <marks.csv) =~ ^rss_bytes=[0-9]+\ heap_bytes=[0-9]+$ ]]
	rm -rf insideme.data
	record asks numbers
	grep -qx 'rank 0 of 1' stdout
	"$bin/asks" numbers >stdout
	grep -qx 'rank 0 of 1' stdout
	grep -q '^rss 0 ' stdout
	grep -q '^peak 0 ' stdout
	grep -qx 'time 1' stdout
}

@test "functions and regions name their field" {
	for variant in '' .clang .slow .slow.clang; do
		rm -rf insideme.data
		record "asks$variant" fields
		view fields >fields.csv
		same "calls" "$("$here/csv" calls field=solver <fields.csv),$("$here/csv" calls \
			field=I/O <fields.csv)" 100,200
		same "other" "$("$here/csv" calls field=@other <fields.csv)" 100
	done
	view fields --fields 'compute = mine' >fields.csv
	same "a rule is stronger" "$("$here/csv" calls field=mine <fields.csv)" 100
	rm -rf insideme.data
	INSIDEME_EXCLUDE=compute record asks fields
	view fields >fields.csv
	same "of what is excluded nobody else" "$("$here/csv" field <fields.csv | grep -c solver)" 0
	rm -rf insideme.data
	record asks.plain fields
	same "regions alone" "$(view fields | "$here/csv" calls field=I/O)" 100
}

@test "a signal handler may ask" {
	for variant in '' .plain .clang; do
		rm -rf insideme.data
		record "asks$variant" handler
		quiet
		view quality >quality.csv
		! grep -E 'damage|unknown_exits|broken_calls' quality.csv || return 1
	done
}

@test "failures that the program says are in the view errors" {
	record marks
	view errors >errors.csv
	for cell in kind,failure type,timeout 'message,"no answer, from ""host"""' count,1 function,request \
		'path,main;request'; do
		grep -qxF "errors,1,$cell" errors.csv
	done
	"$report" -v errors | grep -F 'timeout "no answer, from "host""'
}
