#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-run --pid=... --stacks and --sample of processes that change while they are looked at, or are of
# another
# kind: objects that come and go, exec, vfork, 32 bits, pid namespaces, stopped ones.
load lib
load standing

# Burns so many ms of CPU time in FUNCTION.
burning() {
	cat <<-END
		#include <time.h>
		static volatile unsigned sink;
		__attribute__((noinline)) void $1(int ms)
		{
			struct timespec now, begin;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
			do {
				for (int i = 0; i < 100000; i++)
					sink = sink * 3 + 1;
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
			} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
		}
	END
}

# share LONG SHORT PERCENT: of both functions' samples LONG has so many, give or take five standard errors and
# 3 points
share() {
	local long short
	long=$(value total_samples function="$1") short=$(value total_samples function="$2")
	awk -v long="$long" -v short="$short" -v percent="$3" 'BEGIN {
		all = long + short; part = percent / 100; error = 5 * sqrt(part * (1 - part) / all) + .03
		print long, short, error
		exit !(all >= 40 && (long / all - part) ^ 2 < error ^ 2) }'
}

# runs COMMAND...: in the background; $program is its pid
runs() {
	"$@" >said 2>&1 3>&- &
	program=$!
	wait_until grep -q ready said
}

@test "objects that are unloaded, and others at their addresses" {
	permitted
	burning long_work >long.c
	burning late_work >late.c
	gcc -g -O1 -shared -fPIC long.c -o long.so
	gcc -g -O1 -shared -fPIC late.c -o late.so
	cat >loads.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		static void *load(const char *path, const char *name, int ms)
		{
			void *object = dlopen(path, RTLD_NOW);
			void (*work)(int) = (void (*)(int))dlsym(object, name);
			work(ms);
			dlclose(object);
			return (void *)work;
		}
		int main(void)
		{
			int same = 0;
			setvbuf(stdout, NULL, _IOLBF, 0);
			puts("ready");
			for (int i = 0; i < 15; i++)
				same += load("./long.so", "long_work", 150) == load("./late.so", "late_work", 50);
			printf("same %d\n", same);
			return 0;
		}
	END
	gcc -g -O1 loads.c -o loads
	runs ./loads
	sample --sample=500
	wait $program
	same "times at the same address" "$(tail -1 said)" "same 15"
	share long_work late_work 75
}

@test "exec of another program at the same addresses" {
	permitted
	burning long_work >long.c
	burning late_work >late.c
	main='#include <stdio.h>
		#include <unistd.h>
		int main(int argc, char **argv) { if (argc < 2) { puts("ready"); fflush(stdout); } WORK(argc < 2 ? 1500 : 500); if (argc < 2) execl("./late", "late", "2", NULL); return 0; }'
	echo "$main" | sed 's/WORK/long_work/' >>long.c
	echo "$main" | sed 's/WORK/late_work/' >>late.c
	gcc -g -O1 -no-pie long.c -o long
	gcc -g -O1 -no-pie late.c -o late
	same "address" "$(nm long | sed -n 's/ T long_work//p')" "$(nm late | sed -n 's/ T late_work//p')"
	runs ./long
	sample --sample=500
	wait $program
	share long_work late_work 75
}

@test "vfork: the parent waits in it, the child is a process of its own" {
	permitted
	cat >vforks.c <<-'END'
		#define _GNU_SOURCE
		#include <poll.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static int child(void) { return poll(NULL, 0, 60000) + 1; }
		int main(void)
		{
			puts("ready");
			fflush(stdout);
			if (vfork() == 0)
				_exit(child());
			return 0;
		}
	END
	gcc -g -O1 vforks.c -o vforks
	runs ./vforks
	wait_until pgrep -P $program
	child=$(pgrep -P $program)
	wait_until grep -q '^7 ' /proc/$child/syscall
	dump --children
	kill $child
	wait $program || true
	same "functions of the child" "$("$here/csv" function pid=$child <stacks.csv | grep -xE 'child|main' |
		xargs)" 'child main'
	same "the parent's state" "$("$here/csv" state pid=$program frame=0 <stacks.csv)" waiting
	"$here/csv" function pid=$program <stacks.csv | grep -q vfork
}

@test "a program of 32 bits: said" {
	permitted
	cat >narrow.c <<-'END'
		static int call(int number, int a, int b, int c)
		{
			int result;
			__asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b), "d"(c) : "memory");
			return result;
		}
		void _start(void)
		{
			call(4, 1, (int)"ready\n", 6);
			for (;;)
				call(29, 0, 0, 0);	/* pause */
		}
	END
	gcc -m32 -O1 -ffreestanding -fno-pic -no-pie -fno-stack-protector -nostdlib -static narrow.c \
		-o narrow || skip "gcc makes no programs of 32 bits"
	./narrow >said 2>&1 3>&- &
	program=$!
	settled() { [ -s said ] || [ ! -e /proc/$program/exe ]; }
	wait_until settled
	grep -q ready said || skip "this kernel runs no programs of 32 bits"
	run "$build/insideme-run" --pid=$program --stacks
	same "status" "$status" 1
	same "output" "$output" "insideme-run: no stacks of process $program: it is a program of 32 bits"
	goes_on $program
	kill $program
}

@test "a pid namespace: from outside, and within" {
	permitted
	unshare -pf --mount-proc true 2>/dev/null || skip "no new pid namespace here"
	mkfifo gate
	unshare -pf --kill-child "$bin/standing.plain" stacks <gate >said 3>&- &
	outer=$!
	exec 9>gate
	wait_until grep -q ready said
	program=$(pgrep -P $outer)
	wait_until stay
	dump
	nr_calls() { "$here/csv" function function=wait_at <stacks.csv | wc -l; }	# its threads cannot name each other there
	same "wait_at" "$(nr_calls)" 13
	exec 9>&-
	wait $outer
	# shellcheck disable=SC2016
	unshare -pf --mount-proc sh -c 'mkfifo in; "$0" stacks <in >out & exec 9>in; until grep -q ready out; do sleep 0.1; done; exec "$1" --pid=$! --stacks -f csv' \
		"$bin/standing.plain" "$build/insideme-run" >stacks.csv 3>&-
	same "wait_at within" "$(nr_calls)" 13
}

@test "--sample: a stopped program stays so" {
	permitted
	stands .plain stacks
	kill -STOP $program
	wait_until grep -q '^State:.T' /proc/$program/status
	sample --sample=500 --timeout=1s
	same "state" "$(sed 's/.*) //; s/ .*//' /proc/$program/stat)" T
	same "time on a processor" "$(view threads | "$here/csv" on_cpu_ns thread_name=burns)" 0
	kill -CONT $program
	finish_standing
}
