#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Waits that no wrapper sees: what looks at blocked threads found.
load lib
load waits
all_views=" "

@test "waits that no wrapper sees are found by looks at blocked threads, and marked" {
	local how
	export INSIDEME_INTERVAL=10ms
	for how in record 'monitor -q --'; do
		rm -rf insideme.data waits.csv
		$how "$([ "$how" = record ] || echo "$bin/")unseen_waits"
		between "asleep, ms" 300 "$(($(sum total_ns function=clock_nanosleep \
			caller='main;wait_raw') / 1000000))" 1100
		between "reading, ms" 300 "$(($(sum total_ns function=read caller=read_raw \
			kind=sampled) / 1000000))" 1100
		[ "$(sum samples function=read kind=sampled)" -ge 5 ]
		same "calls" "$(waits calls function=read kind=sampled)" ""
		"$report" -v waits >page
		grep -E '^ *≈[0-9.]+ m?s .*clock_nanosleep in main > wait_raw' page
		same "object" "$(waits object function=read kind=sampled caller=read_raw)" pipe
	done
}

@test "looks name the file that a call waits for" {
	local how
	gcc -g -O1 -x c - -o raw_read <<-'END'
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(void)
		{
			char byte;
			int fd = open("fifo", O_RDONLY);
			return fd < 0 || syscall(SYS_read, fd, &byte, 1) != 1 || syscall(SYS_read, 0, &byte, 1) != 1;
		}
	END
	mkfifo fifo
	export INSIDEME_INTERVAL=10ms
	for how in "env LD_PRELOAD=$library" 'monitor -q --'; do
		rm -rf insideme.data waits.csv
		{ sleep 0.5; echo x; } >fifo &
		{ sleep 1.5; echo x; } | $how ./raw_read # the other sleep begins with the program
		between "ms of the FIFO" 250 "$(($(sum total_ns kind=sampled object="$PWD/fifo") / 1000000))" 600
		between "ms of stdin" 250 "$(($(sum total_ns kind=sampled object=pipe) / 1000000))" 1600
	done
}

@test "what looks found in a path is as long as the path was blocked by the kernel's records" {
	local found raw
	gcc -g -O1 -finstrument-functions -x c - -o seldom <<-'END'
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static double now(void)
		{
			struct timespec t;
			clock_gettime(CLOCK_MONOTONIC, &t);
			return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
		}
		__attribute__((noinline)) static double raw(void)
		{
			double begin = now();
			syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 300000000 }, NULL);
			return now() - begin;
		}
		int main(void)
		{
			usleep(850000);
			printf("%.0f\n", raw());
			return 0;
		}
	END
	INSIDEME_INTERVAL=500ms monitor -q -- ./seldom >stdout # the second look stands for 500 ms
	[ "$(view resources | grep -c thread_off)" -gt 0 ] || skip "no context switches are told here"
	raw=$(cat stdout)
	found=$(($(sum total_ns kind=sampled caller='main;raw') / 1000000))
	between "ms" $((raw * 9 / 10)) $found $((raw * 11 / 10))
}

@test "what looks found outside of all calls is no longer than threads were outside" {
	local found outside
	gcc -g -O1 -finstrument-functions -pthread -x c - -o outside <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		__attribute__((noinline)) static void nap(void)
		{
			usleep(850000);
		}
		__attribute__((no_instrument_function)) static void *body(void *unused)
		{
			struct timespec begin, end;
			nap();
			clock_gettime(CLOCK_MONOTONIC, &begin);
			syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 300000000 }, NULL);
			clock_gettime(CLOCK_MONOTONIC, &end);
			printf("%.0f\n", (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6);
			return unused;
		}
		int main(void)
		{
			pthread_t thread;
			return pthread_create(&thread, NULL, body, NULL) || pthread_join(thread, NULL);
		}
	END
	INSIDEME_INTERVAL=500ms monitor -q -- ./outside >stdout
	outside=$(cat stdout)
	found=$(($(sum total_ns kind=sampled caller=body) / 1000000))
	between "ms" 200 $found $((outside * 11 / 10))
}

@test "without hooks a look names the function that the thread began with" {
	sed 's/^.*noinline.* \*read_raw/void before(void) { }\n&/' "$here/../programs/unseen_waits.c" >unseen.c
	gcc -g -O1 -falign-functions=1 -pthread unseen.c -o unseen
	INSIDEME_INTERVAL=10ms monitor -q -- ./unseen
	same "of a thread" "$(waits caller kind=sampled function=read)" read_raw
	[ "$(waits blocked_ns kind=sampled | grep -c .)" -ge 2 ]
}

# blocked CONDITIONS: ms of a sum of waits; "" where it is not known
blocked() {
	waits blocked_ns "$@" | awk '$1 != "" {sum += $1; known = 1} END {if (known) printf "%d\n", sum / 1e6}'
}

@test "without hooks recorded waits have their blocked time, where it is known" {
	local how
	cat >mixed.c <<-'END'
		#include <fcntl.h>
		#include <stdlib.h>
		#include <unistd.h>
		#include <sys/wait.h>
		static char buffer[64 << 20];
		__attribute__((noinline)) void copy(void)
		{
			int fd = open("/dev/zero", O_RDONLY);
			for (int i = 0; i < 20; i++)
				if (read(fd, buffer, sizeof(buffer)) < 0)
					exit(1);
			close(fd);
		}
		__attribute__((noinline)) void await(void)
		{
			int ends[2];
			char byte;
			if (pipe(ends) || (!fork() && (usleep(300000) || write(ends[1], "x", 1) < 0 || (_exit(0), 1))))
				exit(1);
			if (READ(ends[0], &byte, 1) != 1)
				exit(1);
		}
		__attribute__((noinline)) void nap(void)
		{
			volatile long sum = 0;
			for (int i = 0; i < 100; i++) {
				usleep(1500);
				for (int j = 0; j < 500000; j++)
					sum += j;
			}
		}
		int main(void)
		{
			copy();
			await();
			nap();
			return wait(NULL) < 0;
		}
	END
	gcc -g -O1 -falign-functions=1 '-DREAD(a, b, c)=readv(a, &(struct iovec){ b, c }, 1)' -include sys/uio.h \
		mixed.c -o apart
	gcc -g -O1 -falign-functions=1 -DREAD=read mixed.c -o mixed
	export INSIDEME_INTERVAL=10ms
	for how in "env LD_PRELOAD=$library" 'monitor -q --'; do
		rm -rf insideme.data waits.csv
		$how ./apart
		between "of sleeps, ms" $(($(sum total_ns function=usleep caller=nap) * 4 / 10000000)) \
			"$(blocked function=usleep caller=nap)" $(($(sum total_ns function=usleep caller=nap) / 1000000))
		if [ "$(view resources | grep -c thread_off)" -gt 0 ]; then # else rows may be too far apart
			between "of the pipe, ms" 250 "$(blocked function=readv)" \
				$(($(sum total_ns function=readv) / 1000000 + 1))
			between "of what is copied, ms" 0 "$(blocked function=read)" \
				$(($(sum total_ns function=read) / 5000000))
		fi
		# two places call one function, and which was blocked is in no record
		rm -rf insideme.data waits.csv
		$how ./mixed
		same "of the pipe or what is copied" "$(blocked function=read)" ""
		[ "$(waits blocked_ns function=usleep | grep -c .)" -ge 1 ]
	done
	"$report" -v waits --columns blocked_ns,function --top 1 | tr -s ' ' >page
	grep -E '^ *[0-9]+ other waits' page || { cat page; return 1; }
}
