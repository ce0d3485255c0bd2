#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a saved profile says of processes, threads and losses is what its run says.
load lib

# sum COLUMN FILE: over its rows
sum() { "$here/csv" "$1" <"$2" | awk '{ sum += $1 } END { printf "%d\n", sum }'; }

# trust FILE: findings, without what is about samples over time and single calls, which a profile does not
# have
trust() { sed -E 's/^([a-z_]+),[^,]*,/\1: /' "$1" | grep -vE '^(threshold_raised_at_ns|log_bytes|written_log_bytes|unplaced_io_bytes|sampling_.*|.*_row_step|pss_limit_bytes):'; }

# saved: the newest run is saved, and all that its profile keeps is as it was
saved() {
	local view column
	"$report" --save saved.json
	for view in processes threads quality summary; do
		view $view >"run.$view"
		view $view saved.json >"saved.$view"
	done
	diff run.processes saved.processes
	diff <(trust run.quality) <(trust saved.quality)
	for column in threads calls open_calls alloc_calls alloc_bytes free_calls freed_bytes live_bytes; do
		same "$column of threads" "$(sum $column saved.threads)" "$(sum $column run.threads)"
	done
	for column in processes threads functions calls functions_ns log_bytes; do
		same "$column of the run" "$("$here/csv" value section=run column=$column <saved.summary)" \
			"$("$here/csv" value section=run column=$column <run.summary)"
	done
	"$report" --save again.json saved.json
	diff saved.processes <(view processes again.json)
	diff saved.quality <(view quality again.json)
}

@test "--save: CPU time, peak RSS, live memory and sizes of logs are those of the run" {
	cat >uses.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <time.h>
		#include <unistd.h>
		static void burn(void)
		{
			clock_t end = clock() + CLOCKS_PER_SEC / 10;
			while (clock() < end) ;
		}
		static void killed(void)
		{
			burn();
			raise(SIGKILL);
		}
		static void *keep(void *argument)
		{
			return memset(malloc(1 << 20), argument != NULL, 1 << 20);
		}
		int main(void)
		{
			pthread_t threads[3];
			if (!fork())
				killed();
			for (int i = 0; i < 3; i++)
				pthread_create(&threads[i], NULL, keep, NULL);
			for (int i = 0; i < 3; i++)
				pthread_join(threads[i], NULL);
			burn();
			wait(NULL);
			return 0;
		}
	END
	gcc -O1 -finstrument-functions -pthread uses.c -o uses
	often
	INSIDEME_THRESHOLD=0 monitor -- ./uses
	saved
	[ "$(sum live_bytes saved.threads)" -ge $((3 << 20)) ]
	[ "$("$here/csv" cpu_ns signal=9 <saved.processes)" -ge 50000000 ]
	[ "$(sum log_bytes saved.processes)" -gt 0 ]
	[ "$(sum open_calls saved.threads)" -ge 2 ]
}

# found NAME...: the profile has these findings
found() {
	local name
	for name; do
		grep -q "^$name," saved.quality || { echo "no $name in:"; cat saved.quality; return 1; }
	done
}

@test "--save: the profile has the counts of losses" {
	INSIDEME_BUDGET=1M record fill /dev/full 200
	saved
	found lost_calls
	[[ $("$report" saved.json) == *Doubts*" calls are missing from all figures"* ]]
	calls=$("$here/csv" value finding=lost_calls <saved.quality)
	same "twice that" "$(view quality saved.json again.json | "$here/csv" value finding=lost_calls)" \
		$((2 * calls))
}

@test "--save: the profile says what was not recorded, and why" {
	record switched
	saved
	found recording_off_ns
	record own_malloc
	saved
	found heap_not_counted
	record jumps
	saved
	found broken_calls
	INSIDEME_FOCUS=step record repeat 10
	saved
	found hooks_of_left_out
	INSIDEME_FOCUS=work record openmp
	saved
	found openmp_threads
}

@test "--save: the profile reports damaged and missing logs" {
	record repeat 10
	cp "$(find insideme.data -name '*.log')" whole
	head -c 100 whole >"$(find insideme.data -mindepth 1 -type d)/torn.log"
	saved
	found unreadable_logs
}

@test "--save: a profile of the first version is read, what it does not have is not known" {
	monitor -- "$bin/repeat" 10
	"$report" --save new.json.gz
	gunzip new.json.gz
	sed -E '/^"messages":/,$d; /^"function_runs":/,/^\]/d; s/^(\{"insideme_profile":)4/\11/; /^"(texts|waiting|calls_open_at_forks|log_bytes|damaged_records|unreadable_logs|openmp_threads|untold_losses|losses)"/d
		s/"(cpu_ns|sampler_kind|log_bytes|threads_[a-z_]+|start_cost_ns|sampler_cpu_ns|nr_switches|off_ns|clock_readings_dropped)":[0-9]+,//g
		s/"losses":\[[0-9,]*\],"facts":\{[^}]*\},//' new.json | sed '$s/\],$/]}/' >old.json
	same "keys of version 2" "$(grep -Ec '"(cpu_ns|log_bytes|threads_heap_bytes|losses|facts)":' \
		old.json)" 0
	same "functions" "$(view functions old.json)" "$(view functions new.json)"
	[[ $("$report" old.json) == *"1 saved profile is of version 1, which does not say what was lost"* ]]
	"$report" --save older.json old.json new.json
	same "not told" "$(view quality older.json | "$here/csv" value finding=untold_losses)" 1
	same "CPU time" "$(view processes old.json | "$here/csv" cpu_ns)" \
		"$(grep -Eo '"(user|system)_ns":[0-9]+' old.json | awk -F: '{ sum += $2 } END { print sum }')"
	sed -i 's/"insideme_profile":1/"insideme_profile":2/' old.json
	run "$report" old.json
	same "status" "$status" 1
	same "line" "$output" "insideme-report: old.json: a damaged profile: what it says cannot be"
}

# In version 3 the functions themselves had what each run has of them.
@test "--save: a profile of the third version is read" {
	often
	record burn 600 0
	record burn 600 0
	"$report" --save new.json.gz last~1 last
	gunzip new.json.gz
	python3 - new.json >old.json <<-'END'
		import json, re, sys
		text = open(sys.argv[1]).read()
		profile = json.loads(text)
		rows = {row[0]: [(part + [0, 0, 0, 0])[:4] for part in row[1:]] for row in profile["function_runs"]}
		functions = profile["functions"]
		for number, parts in rows.items():
		    functions[number]["runs"] = [part[:3] for part in parts]
		    functions[number]["cpu_runs"] = [part[3] for part in parts]
		text = re.sub(r'"function_runs":\[\n(.*\n)*?\],\n', "", text, count=1)
		text = re.sub(r'"functions":\[\n(.*\n)*?(?="path_columns")',
		              lambda match: '"functions":' + json.dumps(functions) + ",\n", text, count=1)
		print(text.replace('{"insideme_profile":4', '{"insideme_profile":3'), end="")
	END
	same "functions with runs" "$(grep -o '"cpu_runs"' old.json | wc -l)" 7
	same "functions" "$(view functions old.json)" "$(view functions new.json)"
	"$report" --diff old.json old.json -f csv >old.csv
	same "differences" "$(cat old.csv)" "$("$report" --diff new.json new.json -f csv)"
	between "CPU time in the program" 100000000 "$("$here/csv" self_cpu_before_ns function=in_user <old.csv | cut -d. -f1)" \
		900000000
}

@test "--save: threads have the time of all functions, with the hooks' cost and without some functions" {
	local options run sum
	gcc -g -O1 -finstrument-functions -x c - -o counted <<-'END'
		__attribute__((noinline)) void tiny(void) { for (volatile int i = 0; i < 10; i++) ; }
		int main(void)
		{
			for (int i = 0; i < 20000000; i++)
				tiny();
			return 0;
		}
	END
	INSIDEME_TIMING=auto monitor -q --run=one -- ./counted
	"$report" --save one.json one >/dev/null
	for options in "" --raw --exclude=main "--raw --exclude=main"; do
		for run in one one.json; do
			sum=$("$report" -v functions -f csv --columns self_ns $options $run |
				awk '{ sum += $1 } END { print sum }')
			between "threads of $run, $options" $((sum - 2)) \
				"$("$report" -v threads -f csv --columns functions_ns $options $run | sed 1d)" \
				$((sum + 2))
		done
	done
}

# Their times are split as in paths that have more samples, and give the tree paths after all runs were read.
@test "--save: several runs whose samples met counted calls in few of their paths" {
	gcc -g -O1 -finstrument-functions -x c - -o counted <<-'END'
		__attribute__((noinline)) void tiny(void) { for (volatile int i = 0; i < 10; i++) ; }
		__attribute__((noinline)) void work(int times)
		{
			while (times-- > 0)
				tiny();
		}
		__attribute__((noinline)) void often(void) { work(20000000); }
		__attribute__((noinline)) void rarely(void) { work(100000); }
		int main(void)
		{
			often();
			rarely();
			return 0;
		}
	END
	for run in 1 2; do
		INSIDEME_TIMING=auto monitor -q --run=counted.$run -- ./counted
	done
	"$report" --save both.json.gz 'counted.*'
	"$report" -v tree -f csv both.json.gz >saved.csv
	"$report" -v tree -f csv 'counted.*' >runs.csv
	same "paths" "$(sed 1d saved.csv | wc -l)" "$(sed 1d runs.csv | wc -l)"
	grep -q '^main;rarely;work;tiny,' saved.csv
}
