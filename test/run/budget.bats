#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A run of a hundred times what its budget could hold, each call recorded: exact counts, and all of its length
# to be seen.
load lib

# per_tenth: of times in ns, one a line, how many lie in each tenth of the rounds, by their number: what a
# busy machine gives
# of a tenth of the time may be nothing
per_tenth() {
	awk 'FNR == NR { at[FNR] = $1; next }
		{ for (i = 9; i && $1 < at[10 * i + 1]; i--) ; nr[i]++ } END { for (i = 0; i < 10; i++) printf "%d ", nr[i] }' rounds -
}

# each_at_least WHAT LEAST NUMBER...
each_at_least() {
	local what=$1 least=$2
	shift 2
	same "numbers of $what" $# 10
	for number; do between "$what in each tenth: $*" "$least" "$number" 1000000000; done
}

# starts_of FUNCTION: of its calls in calls.csv
starts_of() { awk -F, -v name="$1" '$1 == name { print $2 }' calls.csv; }

@test "a run of a hundred budgets keeps its counts and its whole length, and says when each step came" {
	local end at last
	often
	INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1M record long_run
	calls main 1 a_round 100 step 10000 leaf 20000000
	between "bytes of log" 1 "$(stat -c %s insideme.data/*/*.log)" 1048576

	view calls --columns function,start_ns,end_ns,duration_ns >calls.csv
	starts_of a_round | sort -n >rounds
	same "rounds recorded one by one" "$(wc -l <rounds)" 100
	end=$(awk -F, '$1 == "main" { print $3 }' calls.csv)
	each_at_least steps 10 $(starts_of step | per_tenth)
	view resources >resources.csv
	# every 10 ms, whatever other sets cost, where the sampler gets a processor in time
	between "tenths with rows" 5 "$("$here/csv" time_ns set=process <resources.csv | per_tenth |
		tr ' ' '\n' | grep -c '[1-9]')" 10

	view quality >quality.csv
	at=$("$here/csv" value finding=threshold_raised_at_ns <quality.csv | head -1)
	between "time of the first step" 1 "$at" "$end"
	last=$(awk -F, '$1 == "leaf" && $4 < 1000 && $3 > last { last = $3 } END { print last }' calls.csv)
	between "end of the last call below 1 us" 1 "$last" $((at + 1000))
}

# Each hook of such a thread looked for a record that its owner has left, by a signal to each owner.
@test "threads for which the log has no room ask for it now and then, not in each hook" {
	command -v strace >/dev/null || skip "no strace"
	cat >full.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		static __thread volatile long n;
		static pthread_barrier_t filled;
		static void leaf(void) { n++; }
		static void right(int depth);
		static void left(int depth) { leaf(); if (depth) { left(depth - 1); right(depth - 1); } }
		static void right(int depth) { leaf(); if (depth) { left(depth - 1); right(depth - 1); } }
		static void *fill(void *argument)
		{
			left(14);
			pthread_barrier_wait(&filled);
			pthread_barrier_wait(&filled);
			return argument;
		}
		static void *work(void *argument)
		{
			for (int i = 0; i < 20000; i++)
				leaf();
			return argument;
		}
		int main(void)
		{
			pthread_t fillers[4], workers[32];
			pthread_barrier_init(&filled, NULL, 5);
			for (int i = 0; i < 4; i++)
				pthread_create(&fillers[i], NULL, fill, NULL);
			pthread_barrier_wait(&filled);
			for (int i = 0; i < 32; i++)
				pthread_create(&workers[i], NULL, work, NULL);
			for (int i = 0; i < 32; i++)
				pthread_join(workers[i], NULL);
			pthread_barrier_wait(&filled);
			for (int i = 0; i < 4; i++)
				pthread_join(fillers[i], NULL);
			puts("done");
		}
	END
	gcc -O1 -g -finstrument-functions -pthread full.c -o full
	INSIDEME_TIMING=exact INSIDEME_BUDGET=1M strace -f -e trace=tkill -o signals \
		-E LD_PRELOAD="$library" ./full >out
	same "output" "$(cat out)" "done"
	between "signals" 0 "$(grep -c tkill signals)" 20000
}
