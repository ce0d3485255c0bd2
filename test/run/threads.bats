#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Threads: begin, end, names, and calls over all of them.
load lib

@test "threads of every kind of end" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record threads$compiler
		same status "$status" 0
		quiet
		calls work 40000 worker 4 brief 64 leave 8 leaver 8 be_cancelled 8 victim 8 detached 1 main 1
	done
}

@test "threads carry their names" {
	INSIDEME_THRESHOLD=0 record threads
	view calls >calls.csv
	for i in 0 1 2 3; do
		same "work of worker-$i" "$("$here/csv" function function=work \
			thread_name="worker-$i" <calls.csv | wc -l)" 10000
	done
}

@test "threads carry the names that others give them" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		INSIDEME_WAITS=off run record named$compiler	# it is killed while the last thread begins to wait
		same status "$status" 137
		same "names and calls" "$(view threads --columns thread_name,calls | grep named- | sort |
			xargs)" \
			'named-0,2 named-1,2 named-2,2 named-3,2'
	done
}

@test "the process row counts threads" {
	record uses threads 3 100 </dev/null	# long enough for a sample
	between "threads" 2 "$(view resources | "$here/csv" threads set=process | sort -n | tail -1)" 4
}

# threads_of: as the summary counts them
threads_of() { "$report" | sed -n 's/^Recorded.*process, \([0-9]*\) threads\?,.*/\1/p'; }

# log_number FIELD-OFFSET BYTES: of the newest log
log_number() { od -An -t "u$2" -j "$1" -N "$2" insideme.data/*/*.log | tr -d ' '; }

@test "past a thousand threads a new one takes over the record of one that is gone" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		INSIDEME_THRESHOLD=0 record many_threads$compiler 1800
		quiet
		calls brief 1800 step 5400 leave 225 wait_for_ever 225 long_lived 1 main 1
		same "threads" "$(threads_of)" 1802
		between "records" 1000 "$(log_number 0x3c4 4)" 1040
		same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" 1125	# 225 of them of library calls
		view calls | "$here/csv" thread function=step | sort -n | uniq -c |
			awk '{print $2, $1}' >found
		awk '{calls[$1] += $2} END {for (tid in calls) print tid, calls[tid]}' stdout | sort -n |
			diff - found
	done
}

@test "a small budget takes over sooner" {
	INSIDEME_BUDGET=2M record many_threads 400
	quiet
	calls brief 400 step 1200 main 1
	same "threads" "$(threads_of)" 402
	between "records" 3 "$(log_number 0x3c4 4)" 40
}

@test "raw clones: with their creator's TLS block, and with their own" {
	for tls in shared own; do
		for compiler in '' .clang; do
			rm -rf insideme.data functions.csv
			record clones$compiler $tls 500
			quiet
			calls step 20000 run 2000 vanish 500 main_step 5000 main 1
			same "calls not recorded" "$(view quality | "$here/csv" value finding=lost_calls)" ''
			same "time of calls whose end is not known" "$(value total_ns function=vanish)" ''
		done
	done
}

@test "destructors of a thread call hooks, after the recorder's own too" {
	for compiler in '' .clang; do
		for budget in 256M 1M; do
			rm -rf insideme.data functions.csv
			INSIDEME_BUDGET=$budget record thread_locals$compiler 150
			quiet
			calls 'body(void*)' 150 'Held::~Held()' 150 'released()' 150 'on_key(void*)' 600 \
				'late()' 600
			same "calls without an exit" \
				"$(view quality | "$here/csv" value finding=broken_calls)" ''
			same "threads" "$(threads_of)" 151
		done
	done
}

@test "a thread that still runs its last destructor keeps its record" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1M record late_hooks$compiler
		quiet
		calls late 1 inside 1 on_key 4
		view calls >calls.csv
		for name in late inside; do
			same "thread of $name()" "$("$here/csv" thread function=$name <calls.csv)" \
				"$(sed -n "s/^$name //p" stdout)"
		done
		same "depth of late()" "$("$here/csv" depth function=late <calls.csv)" 1
	done
}

@test "threads of C11 begin and end" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record c11_threads$compiler
		quiet
		same "results" "$(tr '\n' ' ' <stdout)" "0 1 2 3 4 5 6 7 "
		calls run 8 leave 8 step 80 main 1
		same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" 16
		between "time in leave()" 1 "$(value total_ns function=leave)" 100000000
	done
}

@test "OpenMP" {
	INSIDEME_THRESHOLD=0 record openmp
	quiet
	same "stdout" "$(cat stdout)" "sum 8991"
	calls work 3000 main 1
	same "threads without a recorded region" "$(view quality | "$here/csv" value finding=openmp_threads)" ''
	same "threads with calls" "$(view calls | "$here/csv" thread function=work | sort -u | head -4 |
		wc -l)" 4
}

@test "the smallest stacks" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record small_stacks$compiler
		quiet
		calls down 4000 body 200 main 1
		same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" ''
		same "calls not recorded" "$(view quality | "$here/csv" value finding=lost_calls)" ''
	done
}

@test "a forked child that begins with a thread of <threads.h>" {
	cat >begins.c <<-'END'
		#include <sys/wait.h>
		#include <threads.h>
		#include <unistd.h>
		static int run(void *argument) { (void)argument; thrd_exit(0); }
		__attribute__((no_instrument_function)) int main(void)
		{
			pid_t child = fork();
			thrd_t thread;

			if (child == 0)
				_exit(thrd_create(&thread, run, NULL) || thrd_join(thread, NULL));
			waitpid(child, NULL, 0);
		}
	END
	gcc -w -O1 -finstrument-functions begins.c -o begins -pthread
	LD_PRELOAD=$library ./begins
	same "calls that end with the thread" \
		"$(view threads | "$here/csv" broken_calls begin_function=run)" 1
}

# doc/decisions/stacks.md has what it takes. Another compiler may need more.
@test "what the library takes of the stack" {
	gcc -g -O2 -finstrument-functions -pthread -Wl,-z,now "$here/../programs/stack_use.c" -o stack_use
	./stack_use >alone
	LD_PRELOAD=$library ./stack_use >recorded
	paste -d' ' alone recorded | awk '$1 == $3 {print $1, $4 - $2}' >taken
	same "kinds" "$(wc -l <taken)" 11
	while read -r kind bytes; do
		case $kind in
		exit | call_in_child) most=4096 ;;	# of a child that opens its log
		*) most=512 ;;
		esac
		between "bytes of the stack for $kind" -1024 "$bytes" $most	# less: libc's own malloc comes later
	done <taken
}

@test "first calls on a stack with little room" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record narrow$compiler
		quiet
		same stdout "$(cat stdout)" fine
		calls work 3
	done
}

@test "a coroutine outlives the thread that began it" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record waiting$compiler
		quiet
		calls body 1 half 1 whole 1 starter 1 main 1
		rm -rf insideme.data functions.csv
		record waiting$compiler resume
		quiet
		calls body 1 half 1 whole 2 starter 1 main 1
		same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" ''
	done
}

@test "threads that run when the process ends" {
	local expected=2
	for how in return exit leave; do
		rm -rf insideme.data functions.csv
		run record still_running $how
		same "status" "$status" $expected
		quiet
		calls busy 4 run 4 main 1
		expected=$((expected == 2 ? 3 : 0))
	done
	calls leave 1
	same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" 2
}

@test "how evenly a pool of threads shares its work" {
	local program
	for program in pool_share pool_share.clang; do
		rm -rf insideme.data
		record $program
		view balance >balance.csv
		same "whose" "$("$here/csv" most_thread name=share <balance.csv)" "$(cat stdout)"
		same "threads" "$("$here/csv" ranks name=share <balance.csv)" 4
		same "pool" "$("$here/csv" pool name=share <balance.csv)" run_share
		awk -v most="$("$here/csv" most_ns name=share <balance.csv)" \
			-v mean="$("$here/csv" mean_ns name=share <balance.csv)" \
			'BEGIN { exit !(most > 1.3 * mean && most < 4.01 * mean) }'
		"$report" -v balance | grep -E ' function +share$'
	done
}

@test "each thread of a pool has its own time in functions that are only counted" {
	local of whose
	cat >mixed.c <<-'END'
		#include <pthread.h>
		static unsigned int sums[2];
		#define FUNCTION(name, by) __attribute__((noinline)) static unsigned int name(unsigned int x) \
		{ for (int i = 0; i < 60; i++) x = x * by + 1u; return x; }
		FUNCTION(first, 1664525u)
		FUNCTION(second, 22695477u)
		static void *work(void *of)
		{
			unsigned int x = 1;

			for (int i = 0; i < 5000000; i++)
				x = (i % 8 == 0) == (of == sums) ? first(x) : second(x);
			*(unsigned int *)of = x;
			return 0;
		}
		int main(void)
		{
			pthread_t threads[2];

			for (int i = 0; i < 2; i++)
				pthread_create(&threads[i], 0, work, &sums[i]);
			for (int i = 0; i < 2; i++)
				pthread_join(threads[i], 0);
			return sums[0] + sums[1] == 1;
		}
	END
	gcc -O1 -g -finstrument-functions mixed.c -o mixed -pthread
	monitor -- ./mixed
	view balance >balance.csv
	for of in first second; do
		between "percent, $of" 20 "$("$here/csv" imbalance_percent name=$of <balance.csv | cut -d. -f1)" 50
		whose+=" $("$here/csv" most_thread name=$of <balance.csv)"
	done
	[ "$(tr ' ' '\n' <<<"$whose" | sort -u | wc -l)" = 3 ]
}

@test "open calls that were not timed have no times, in any view" {
	INSIDEME_TIMING=counts run record still_running exit
	same "status" "$status" 3
	same "open calls of busy" "$(view functions | "$here/csv" open_calls function=busy)" 4
	for column in elapsed_ns total_cpu_ns total_blocked_ns; do
		same "$column of busy" "$(view functions --columns "function,$column" |
			"$here/csv" "$column" function=busy)" ""
	done
	same "events without a time" "$("$report" -v calls -f resource-monitor)" ""
}

@test "threads that a library began are called by their first recorded function" {
	cat >app.cpp <<-'E'
		#include <thread>
		static volatile long sink;
		void work(long n) { for (long i = 0; i < n; i++) sink = sink + 1; }
		int main()
		{
			std::thread first(work, 9000000), second(work, 1000000);
			first.join();
			second.join();
		}
	E
	g++ -g -O1 -pthread -finstrument-functions app.cpp -o app
	LD_PRELOAD=$library ./app
	same "began with" "$(view threads | "$here/csv" begin_function | grep -c 'Invoker\|_State_impl')" 2
	"$report" -v balance >balance.txt
	grep -q "work" balance.txt
}

@test "a thread's times up to its end are not taken for waiting, and a wait is not taken for CPU time" {
	local how blocked
	for how in preloaded monitored; do
		rm -rf insideme.data
		if [ $how = preloaded ]; then
			record short_threads
		else
			monitor -- "$bin/short_threads"
		fi
		view functions --columns self_cpu_ns,self_blocked_ns,total_ns,total_blocked_ns,function >functions.csv
		between "$how: blocked in the wait" 19000000 \
			"$("$here/csv" self_blocked_ns function=pthread_cond_timedwait <functions.csv)" 1000000000
		# not known where the machine was too busy to read the threads
		blocked=$("$here/csv" total_blocked_ns function=compute <functions.csv)
		between "$how: blocked in computations" 0 "${blocked:-0}" \
			$(($("$here/csv" total_ns function=compute <functions.csv) / 10))
	done
}

@test "CPU time in no recorded function is on the first page" {
	cat >burn.c <<-'E'
		#include <pthread.h>
		#include <time.h>
		static void *burn(void *unused)
		{
			struct timespec used;
			do
				clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
			while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < 300);
			return unused;
		}
		void burn_in_thread(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, burn, 0);
			pthread_join(thread, 0);
		}
	E
	echo 'void burn_in_thread(void); int main(void) { burn_in_thread(); }' >main.c
	gcc -O1 -c burn.c
	gcc -O1 -finstrument-functions -o burn main.c burn.o
	monitor -q -- ./burn
	"$report" | tr -s ' \n' ' ' >page
	between "ms" 285 "$(grep -oE '[0-9]+ ms of the CPU time, [0-9]+ %, is in no recorded function' page | cut -d' ' -f1)" 330
}

@test "threads have the CPU time that they say" {
	local name
	cat >two.c <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		static long cpu_ns(void)
		{
			struct timespec now;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
			return now.tv_sec * 1000000000 + now.tv_nsec;
		}
		static void *burn(void *name)
		{
			pthread_setname_np(pthread_self(), name);
			while (cpu_ns() < 300000000)
				;
			return NULL;
		}
		static void *nap(void *name)
		{
			pthread_setname_np(pthread_self(), name);
			usleep(300000);
			return NULL;
		}
		int main(void)
		{
			pthread_t threads[2];
			pthread_create(&threads[0], NULL, burn, "burns");
			pthread_create(&threads[1], NULL, nap, "naps");
			pthread_join(threads[0], NULL);
			pthread_join(threads[1], NULL);
		}
	END
	gcc -O1 -g -finstrument-functions -pthread two.c -o two
	LD_PRELOAD=$library INSIDEME_INTERVAL=10ms ./two
	view threads >threads.csv
	between "CPU time of burns, ms" 200 "$(($("$here/csv" on_cpu_ns thread_name=burns <threads.csv) / 1000000))" 310
	between "CPU time of naps, ms" 0 "$(($("$here/csv" on_cpu_ns thread_name=naps <threads.csv) / 1000000))" 20
	"$report" -v threads | grep -q 'On CPU .*Ready'
}
