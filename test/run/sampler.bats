#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The sampling task must not show: what a thread or a child in the process would disturb, one by one, with the
# sampler inside (the library alone) and outside (insideme-run).
load lib

goes_on() { goes_on_with 2 "$1"; }

# goes_on_with CALLS KIND: CALLS of work() are to be found.
goes_on_with() {
	local calls=$1 kind=$2 without=0
	"$bin/life" "$kind" >plain 2>&1 || without=$?
	[ $without = 0 ] || skip "$kind fails without the library here: $(cat plain)"
	run timeout 20 env LD_PRELOAD="$library" "$bin/life" "$kind"
	same "status of $kind" "$status" 0
	same "output of $kind" "$output" "$(cat plain)"
	between "calls of work" "$calls" "$(value calls function=work)" "$calls"
	rm -rf insideme.data functions.csv
	run timeout 20 "$build/insideme-run" --quiet -- "$bin/life" "$kind"
	same "status of $kind under insideme-run" "$status" 0
	same "output of $kind under insideme-run" "$output" "$(cat plain)"
	between "calls of work" "$calls" "$(value calls function=work)" "$calls"
}

@test "a seccomp filter for all threads" { goes_on tsync; }
@test "a refused seccomp filter after one" { goes_on again; }
@test "a seccomp filter with a listener" { goes_on listener; }
@test "a seccomp filter by syscall(SYS_prctl)" { goes_on called; }
@test "a question whether there is seccomp" { goes_on probe; }
@test "a seccomp filter just after a fork" { goes_on forked; }
@test "unshare of the user namespace" { goes_on unshare; }
@test "unshare while the sampling task takes long to end" {
	needs_strace
	unshare -U true || skip "no user namespaces here"
	run strace -f -o trace -e trace=close -e inject=close:delay_enter=5000 env LD_PRELOAD="$library" \
		"$bin/life" unshare
	same status "$status" 0
}
@test "unshare by syscall()" { goes_on syscall; }
@test "waitpid with __WALL finds no child" { goes_on wall; }
@test "a program that closes every descriptor" { goes_on close; }
@test "mlockall" { goes_on mlock; }
@test "a program that reads all data of all objects" { goes_on scan; }

@test "a fork finds one thread" {
	goes_on_with 3 fork
}

@test "a subreaper gets its own orphans" { goes_on subreaper; }

@test "setuid reaches every task" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	chmod 755 "$BATS_TEST_TMPDIR"
	goes_on setuid
}

@test "rows go on after rights were given up, where the log has room" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	often
	mkfifo gate
	echo '#include <stdio.h>
	      #include <unistd.h>
	      int main(void) {
	      	if (setgid(65534) || setuid(65534)) return 1;
	      	puts("dropped");
	      	fflush(stdout);
	      	return getchar() != EOF; }' | gcc -finstrument-functions -x c - -o drops
	LD_PRELOAD=$library ./drops <gate >said &
	exec 9>gate
	wait_until grep -q dropped said
	nr_rows() { view resources >resources.csv && "$here/csv" time_ns set=process <resources.csv | wc -l; }
	had=$(nr_rows)
	has_more() { [ "$(nr_rows)" -ge $((had + 20)) ]; }
	wait_until has_more
	exec 9>&-
	wait $!
}

@test "the log grows after rights were given up" {
	local how place
	[ "$(id -u)" = 0 ] || skip "needs root"
	place=$(mktemp -d "${TMPDIR:-/tmp}/insideme-rights-XXXXXX")	# its folders let others pass
	chmod 755 "$place"
	cat >many.c <<-'END'
		#include <unistd.h>
		__attribute__((noinline)) void other(unsigned int way, int depth);
		__attribute__((noinline)) void one(unsigned int way, int depth)
		{
			if (depth)
				(way & 1 ? one : other)(way >> 1, depth - 1);
		}
		__attribute__((noinline)) void other(unsigned int way, int depth)
		{
			if (depth)
				(way & 1 ? one : other)(way >> 1, depth - 1);
		}
		int main(void)
		{
			if (setgid(65534) || setuid(65534))
				return 1;
			for (unsigned int way = 0; way < 1 << 17; way++)
				one(way, 17);
		}
	END
	gcc -O1 -finstrument-functions many.c -o many
	for how in library run; do
		if [ $how = library ]; then
			INSIDEME_RUN=$place/$how LD_PRELOAD=$library ./many
		else
			"$build/insideme-run" --quiet --run="$place/$how" -- ./many
		fi
		"$report" "$place/$how" -v quality -f csv >quality.csv
		same "paths without room, by $how" "$(grep -c folded_paths quality.csv)" 0
		between "run on disk, MiB" 33 "$(du -sm "$place/$how" | cut -f1)" 200
		same "whose it is" "$(stat -c '%u %a' "$place/$how" "$place/$how"/*.log | sort -u)" \
			"0 600
0 700"
	done
	rm -rf "$place"
}

@test "a process that insideme-run leaves behind is sampled on" {
	local spun
	cat >leaves.c <<-'END'
		#include <time.h>
		#include <unistd.h>
		__attribute__((noinline)) void spin(void)
		{
			struct timespec now;

			do
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
			while (now.tv_sec < 1);
		}
		int main(void)
		{
			if (daemon(1, 1))
				return 1;
			spin();
			usleep(100000);
		}
	END
	gcc -O1 -g -finstrument-functions leaves.c -o leaves
	"$build/insideme-run" --quiet -- ./leaves 3>&-
	has_ended() { [ "$("$report" -v processes -f csv --columns end | grep -c 'exit status 0')" = 2 ]; }
	wait_until has_ended
	spun=$("$report" -v functions -f csv --columns self_cpu_ns,function | sed -n 's/,spin$//p')
	between "CPU time of spin, ms" 900 "$((spun / 1000000))" 1010
}

@test "nothing holds what a process had once it was waited for" {
	goes_on_with 5 release
}

# both TEST: with the sampler inside, then outside.
both() {
	local launcher
	for launcher in "env LD_PRELOAD=$library" "$build/insideme-run --quiet --"; do
		rm -rf insideme.data functions.csv
		"$1" "$launcher" || { echo "^ $launcher"; return 1; }
	done
}

core_dump() {
	rm -f core*
	run $1 "$bin/life" abort
	same "status" "$status" 134
	calls work 1
	[ "$(cat /proc/sys/kernel/core_pattern)" != core ] || compgen -G 'core*'
}

@test "a core dump, as without" {
	ulimit -c unlimited 2>/dev/null || skip "no core dumps here"
	both core_dump
}

left_behind() {
	run $1 bash -c 'sleep 0.03; exec env -u LD_PRELOAD sh -c "echo /proc/\$\$/task/*; exit 5"'
	same status "$status" 5
	[[ $output == /proc/*/task/* && $output != *' '* ]]
}

@test "exec leaves the sampler behind" { both left_behind; }

alone() {
	run $1 "$bin/life" threads
	same status "$status" 0 && same threads "${lines[0]}" 'threads 1'
}

@test "under insideme-run the program has no thread of ours" {
	alone "$build/insideme-run --quiet --"
}

# What no library can see: said in doc/limits.md.
@test "unshare by an instruction of the program's own, under insideme-run" {
	"$bin/life" raw >plain 2>&1 || skip "not here: $(cat plain)"
	run "$build/insideme-run" --quiet -- "$bin/life" raw
	same status "$status" 0
	same output "$output" fine
	calls work 2
}

ends_by_pthread_exit() {
	run timeout 10 $1 "$bin/ends" pthread_exit
	same status "$status" 0
	same output "$output" 'survivor ends'
}

@test "a main that ends by pthread_exit does not hang" { both ends_by_pthread_exit; }

as_number_one() {
	run unshare --pid --fork --mount-proc $1 "$bin/calls"
	same status "$status" 7
	calls leaf 6000
}

@test "process number 1 of a container" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare --pid --fork --mount-proc true || skip "no pid namespaces here"
	both as_number_one
}

under_gdb() {
	# shellcheck disable=SC2086
	run $1 gdb -batch -nx -ex run "$bin/calls"
	[[ $output == *'exited with code 07'* ]]
	calls leaf 6000
}

@test "under gdb" { needs_strace; both under_gdb; }

under_strace() {
	run $1 strace -f -o trace "$bin/calls"
	same status "$status" 7
	calls leaf 6000
}

@test "under strace -f" { needs_strace; both under_strace; }

under_valgrind() {
	run $1 valgrind -q --error-exitcode=99 "$bin/calls"
	same status "$status" 7
	same output "$output" 'leaf 6000, fib 6765, even 1'
	calls leaf 6000
}

@test "under valgrind, which finds no error" { both under_valgrind; }

# Those of the program's own thread while it runs: the sampler's are another's.
no_calls() {
	$1 strace -f -o trace ./loop >out
	same "marks" "$(grep -c '"mark' trace)" 2 &&
		same "system calls" "$(awk '/"mark/ {pid = $1; on = !on; next} on && $1 == pid && !/resumed>/' trace)" ''
}

@test "four million function calls and allocations make no system call" {
	needs_strace
	cat >loop.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		static volatile long sum;
		__attribute__((noinline)) static void work(int i) { char *volatile block = malloc(i % 100); sum += i; free(block); }
		__attribute__((noinline)) static void run(int n) { for (int i = 0; i < n; i++) work(i); }
		int main(void) { run(1000); write(1, "mark\n", 5); run(4000000); write(1, "mark\n", 5); }
	END
	gcc -w -O1 -finstrument-functions loop.c -o loop
	export INSIDEME_WAITS=off	# the name of the descriptor would be read after the first mark
	export INSIDEME_SAMPLE=off	# else each sample of a counted function asks for the CPU time
	both no_calls
}

# Slow opens make both the task and the thread that ends the process open the log, one during the other's
# sample;
# on a busy machine not at once.
@test "a program that ends while the sampler begins keeps its descriptors" {
	needs_strace
	echo 'int main(void) { return 0; }' | gcc -x c - -o ends
	for ((i = 0; i < 20 && ${openings:-0} < 2; i++)); do
		strace -f -o trace -e trace=openat,close,exit_group -e inject=openat:delay_exit=10000 env \
			LD_PRELOAD="$library" ./ends
		openings=$(grep -c 'openat.*-0.log", O_RDWR|O_NOFOLLOW' trace)
	done
	same "openings of the log" "$openings" 2
	pid=$(awk '/exit_group/ {print $1}' trace)
	same "closed by the program's thread" "$(grep "^$pid close(0)" trace)" ''
}

@test "rows come at their pace" {
	INSIDEME_INTERVAL=10ms record burn 500 100
	quiet
	view resources >resources.csv
	"$here/csv" time_ns set=process <resources.csv >times
	span=$(($(tail -1 times) - $(head -1 times)))
	between "ns from first to last row" 500000000 "$span" 60000000000
	between "rows" 10 "$(wc -l <times)" $((span / 10000000 + 2))
}

# The descriptors of the sampling task of process $1.
task_descriptors() {
	for task in /proc/"$1"/task/*; do
		[ "$(cat "$task/comm")" != insideme ] || readlink "$task"/fd/*
	done
}

has_process_rows() { view resources >resources.csv &&
	[ "$("$here/csv" time_ns set=process <resources.csv | wc -l)" -ge 10 ]; }

@test "without close_range it has an own descriptor table all the same" {
	often
	mkfifo gate
	"$bin/filtered" env LD_PRELOAD="$library" "$bin/burn" 200 100 \
		- <gate 7>held 8>>held >stdout 2>stderr 3>&- &
	program=$!
	exec 9>gate
	has_descriptors() { task_descriptors $program >descriptors 2>vanished && grep -q /proc/ descriptors; }
	wait_until has_descriptors
	wait_until has_process_rows
	exec 9>&-
	wait $program
	! grep -e /held -e /stdout descriptors || return 1
}

# Of a program without hooks, whose heap does not grow.
@test "after a fork an allocation brings rows back" {
	often
	for moment in 0 0.05; do	# before it has a log, and after
		rm -rf insideme.data go
		LD_PRELOAD=$library perl -e 'select undef, undef, undef, '$moment'; if (!fork) { exit 0 } wait;
			until (-e "go") { my @a = map { "x$_" } 1..10; select undef, undef, undef, 0.001 } exit 3' 3>&- &
		program=$!
		wait_until has_process_rows
		: >go
		status=0
		wait $program || status=$?
		same status $status 3
	done
}

has_rows() { view resources >resources.csv && [ "$("$here/csv" time_ns set=process <resources.csv | wc -l)" \
	-ge 3 ]; }

@test "after a fork a program that only sleeps is sampled" {
	LD_PRELOAD=$library perl -e 'if (!fork) { exit 0 } wait; select undef, undef, undef, 60' 3>&- &
	program=$!
	wait_until has_rows
	kill -KILL $program
	wait $program || true
}

@test "after a fork a program that only calls what is counted is sampled" {
	cat >counts.c <<-'END'
		#include <unistd.h>
		__attribute__((noinline)) static int tiny(int x) { __asm__ volatile(""); return x + 1; }
		int main(void)
		{
			int sum = 0;
			for (int i = 0; i < 1000000; i++)
				sum = tiny(sum);
			if (!fork())
				_exit(0);
			for (;;)
				sum = tiny(sum);
		}
	END
	gcc -O1 -g -w -finstrument-functions counts.c -o counts
	LD_PRELOAD=$library ./counts 3>&- &
	program=$!
	wait_until has_rows
	kill -KILL $program
	wait $program || true
}

# A library behind ours lets a signal come when all is ready for the fork: the task rests, and comes back in
# both.
@test "a handler that forks within a fork leaves both processes their task" {
	reads_tsc || skip "with another clock each fork in a handler counts as one within a hook: no record"
	cat >signals.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <signal.h>
		#include <unistd.h>
		pid_t _Fork(void)
		{
			pid_t (*next)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, "_Fork");
			static int nr;
			if (nr++ == 0)
				raise(SIGUSR1);
			return next();
		}
	END
	cat >forks.c <<-'END'
		#include <dirent.h>
		#include <signal.h>
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		#include <sys/wait.h>
		pid_t _Fork(void);
		static volatile int is_inner;
		__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }
		#define SILENT __attribute__((no_instrument_function))
		SILENT static void handler(int number)
		{
			if (_Fork() == 0) {
				is_inner = number;
				work();
			} else {
				wait(NULL);
			}
		}
		SILENT static int has_task(void)
		{
			DIR *tasks = opendir("/proc/self/task");
			int nr = 0;
			while (readdir(tasks))
				nr++;
			closedir(tasks);
			return nr == 4;		/* and . and .. */
		}
		/* Within 20 s; it allocates meanwhile. */
		SILENT static int comes_back(void)
		{
			time_t end = time(NULL) + 20;
			int left = 50;		/* ms in which it is there, past the pause */
			for (; left && time(NULL) < end; usleep(1000))
				left -= has_task();
			return !left;
		}
		SILENT static int again(void)
		{
			if (_Fork() == 0)
				_exit(0);
			wait(NULL);
			return comes_back();
		}
		SILENT int main(void)
		{
			int first, second;
			signal(SIGUSR1, handler);
			work();
			usleep(50000);
			first = again();
			second = again();
			printf("%s %d %d\n", is_inner ? "inner" : "outer", first, second);
			return 0;
		}
	END
	gcc -shared -fPIC signals.c -o signals.so
	gcc -O1 -g -w -finstrument-functions forks.c -o forks
	LD_PRELOAD="$library $PWD/signals.so" ./forks >stdout
	same "what came back" "$(cat stdout)" 'inner 1 1
outer 1 1'
}
