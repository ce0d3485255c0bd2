#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a saved profile says of processes, threads and losses is what its run says.
load lib

# sum COLUMN FILE: over its rows
sum() { "$here/csv" "$1" <"$2" | awk '{ sum += $1 } END { printf "%d\n", sum }'; }

# saved: the newest run is saved, and all that its profile keeps is as it was
saved() {
	local view column
	"$report" --save saved.json
	for view in processes threads quality summary; do
		view $view >"run.$view"
		view $view saved.json >"saved.$view"
	done
	diff run.processes saved.processes
	for column in threads calls open_calls alloc_calls alloc_bytes free_calls freed_bytes live_bytes; do
		same "$column of threads" "$(sum $column saved.threads)" "$(sum $column run.threads)"
	done
	for column in processes threads functions calls functions_ns log_bytes; do
		same "$column of the run" "$("$here/csv" value section=run column=$column <saved.summary)" "$("$here/csv" value section=run column=$column <run.summary)"
	done
	"$report" --save again.json saved.json
	diff saved.processes <(view processes again.json)
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

@test "--save: a profile of the first version is read, what it does not have is not known" {
	monitor -- "$bin/repeat" 10
	"$report" --save new.json
	sed -E 's/^(\{"insideme_profile":)2/\11/; /^"log_bytes"/d
		s/"(cpu_ns|sampler_kind|log_bytes|threads_open_calls|threads_heap_bytes)":[0-9]+,//g' new.json >old.json
	same "keys of version 2" "$(grep -Ec '"(cpu_ns|log_bytes|threads_heap_bytes)":' old.json)" 0
	same "functions" "$(view functions old.json)" "$(view functions new.json)"
	same "CPU time" "$(view processes old.json | "$here/csv" cpu_ns)" \
		"$(grep -Eo '"(user|system)_ns":[0-9]+' old.json | awk -F: '{ sum += $2 } END { print sum }')"
	sed -i 's/"insideme_profile":1/"insideme_profile":2/' old.json
	run "$report" old.json
	same "status" "$status" 1
	same "line" "$output" "insideme-report: old.json: a damaged profile: what it says cannot be"
}
