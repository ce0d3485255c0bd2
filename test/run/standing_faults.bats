#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-run --pid=... --stacks and --sample where something is in the way: a tracer, rights, threads and
# processes that end or wake while they are read, code that is in no file, a process that changes all that is
# read of it.
load lib
load standing

# built NAME FLAGS: a program whose text is the input
built() { gcc -g -O1 -x c - -o "$1" $2 -pthread; }

# runs COMMAND...: in the background; $program is its pid, the pipe "gate" its input
runs() {
	[ -p gate ] || mkfifo gate
	"$@" <>gate >said 2>&1 3>&- 9>&- &
	program=$!
	wait_until grep -q ready said
}

finding() { view quality | "$here/csv" value finding="$1"; }
dump_text() { "$build/insideme-run" --pid=$program --stacks 9>&- 3>&- | tr -s '\n ' ' '; }
all_traced() { ! grep -q '^TracerPid:.0$' /proc/$program/task/*/status; }

# released: those of a poll() that strace interrupted wait again
released() { same running "$(cat /proc/$program/task/*/syscall | grep -c running)" 1; }

@test "beside strace: threads that wait, and why the one that runs is not known" {
	permitted
	needs_strace
	stands .plain stacks
	strace -f -o trace -p $program 2>/dev/null 9>&- 3>&- &
	tracer=$!
	wait_until all_traced
	wait_until released
	dump
	same "waits" "$(frames waits wait_at)" 13
	same "locks" "$(frames locks lock_at)" 6
	same "burns" "$(frames burns burn_at) $(frames burns '(not known)')" "0 1"
	dump_text >text
	grep -q '(not known): a debugger or tracer has the thread, and lets nobody else stop it' text
	same "other reasons" "$(grep -c 'without unwind tables' text)" 0
	sample --sample=100 --timeout=500ms
	between "stacks that are not known" 1 "$(finding traced_stacks)" 1000
	same "stacks that are cut for another reason" "$(finding cut_stacks)" ''
	kill $tracer
	wait $tracer || true
	wait_until goes_on $program
	finish_standing
}

# gdb holds all threads meanwhile, so both see them at the same instruction.
@test "beside gdb: each thread has the functions that gdb unwinds" {
	permitted
	command -v gdb >/dev/null || skip "no gdb"
	stands .plain stacks
	gdb -nx -batch -iex 'set debuginfod enabled off' -p $program -ex 'thread apply all bt' \
		-ex 'shell touch held; until [ -e free ]; do sleep 0.05; done' >gdb.txt 2>gdb.err 9>&- 3>&- &
	tracer=$!
	wait_until [ -e held ]
	dump
	touch free
	wait $tracer
	wait_until goes_on $program
	finish_standing
	for name in waits locks burns; do
		same "state of $name" "$(state $name state)" stopped
		"$here/csv" function "thread_name=$name" <stacks.csv | grep -E '^(wait|lock|burn|work)' >ours
		sed -n "/^Thread .*\"$name\"/,/^$/p" gdb.txt | sed -E 's/^#[0-9]+ +(0x[0-9a-f]+ in )?//' |
			grep -E '^(wait|lock|burn|work)' | sed 's/ .*//' >theirs
		diff ours theirs || { echo "in $name"; cat gdb.txt; return 1; }
		[ "$(wc -l <ours)" -ge 7 ]
	done
}

@test "threads and a process that end while they are read" {
	permitted
	built churns <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		static volatile unsigned sink;
		static void *brief(void *none)
		{
			for (int i = 0; i < 200000; i++)
				sink = sink * 3 + 1;
			return none;
		}
		int main(void)
		{
			puts("ready");
			fflush(stdout);
			for (unsigned nr = 0;; nr++) {
				pthread_t threads[8];
				for (int i = 0; i < 8; i++)
					pthread_create(&threads[i], NULL, brief, NULL);
				for (int i = 0; i < 8; i++)
					pthread_join(threads[i], NULL);
			}
		}
	END
	for round in 1 2; do
		rm -rf insideme.data
		runs ./churns
		"$build/insideme-run" --pid=$program --sample=1000 2>stderr 3>&- &
		monitor=$!
		churned() { [ "$(view threads 2>/dev/null | wc -l)" -gt 60 ]; }
		wait_until churned
		"$build/insideme-run" --pid=$program --stacks >stacks.txt 3>&-
		kill -KILL $program
		wait $program || true
		wait $monitor
		same "what was said" "$(grep -v '^insideme: 1 process sampled' stderr)" ''
		[ "$(value total_samples function=brief)" -ge 1 ]
	done
}

# strace delays each copy of a stack, so that every thread wakes up meanwhile.
@test "a thread that wakes up while it is read: dropped, and counted" {
	permitted
	needs_strace
	stands .plain calls
	strace -f -o trace -e trace=process_vm_readv -e inject=process_vm_readv:delay_exit=20000 \
		"$build/insideme-run" --quiet --pid=$program --sample=200 --timeout=2s 2>stderr 9>&- 3>&-
	goes_on $program
	finish_standing
	between "samples that were dropped" 10 "$(finding woken_samples)" 100000
	read -r _ _ _ _ interrupted <<<"$(xargs <said)"
	same "EINTR" "$interrupted" 0
}

@test "--sample --children: a child that begins later has its functions, the parent its wait" {
	permitted
	built forks <<-'END'
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile unsigned sink;
		__attribute__((noinline)) static int in_child(void)
		{
			for (unsigned i = 0; i < 600000000; i++)
				sink = sink * 3 + 1;
			return 0;
		}
		__attribute__((noinline)) static int in_parent(void) { return wait(NULL) > 0; }
		int main(void)
		{
			char byte;
			puts("ready");
			fflush(stdout);
			if (read(0, &byte, 1) >= 0 && fork() == 0)
				return in_child();
			return !in_parent();
		}
	END
	runs ./forks
	"$build/insideme-run" --quiet --pid=$program --children --sample=250 2>stderr 3>&- &
	monitor=$!
	sampled() { [ "$(view functions 2>/dev/null | wc -l)" -gt 1 ]; }
	wait_until sampled
	echo >gate
	wait $program
	wait $monitor
	same "processes" "$(view processes | "$here/csv" pid | wc -l)" 2
	[ "$(value total_samples function=in_child)" -ge 20 ]
	view functions --columns function,waiting_total_ns >waiting.csv
	[ "$("$here/csv" waiting_total_ns function=in_parent <waiting.csv)" -gt 100000000 ]
}

@test "no right to, with Yama's remedy; and a program that may not be dumped" {
	permitted
	[ "$(id -u)" = 0 ] || skip "needs root"
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" test -x "$build/insideme-run" || skip "another user cannot reach the programs here"
	built hides <<-'END'
		#include <stdio.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		int main(void)
		{
			prctl(PR_SET_DUMPABLE, 0);
			puts("ready");
			fflush(stdout);
			return pause();
		}
	END
	chmod 755 . hides
	runs "${user[@]}" ./hides
	run "${user[@]}" "$build/insideme-run" --pid=$program --stacks
	same status "$status" 1
	[[ $output == "insideme-run: no stacks of process $program: no right to read its memory: run as root"* ]]
	if unshare -m true; then
		run unshare -m sh -c "mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama &&
			echo 1 >/proc/sys/kernel/yama/ptrace_scope &&
			exec ${user[*]} $build/insideme-run --pid=$program --stacks"
		same output "$output" "insideme-run: no stacks of process $program: no right to read its memory: sysctl kernel.yama.ptrace_scope=0, or run as root"
	fi
	# with the right to, it is like any other
	"$build/insideme-run" --pid=$program --stacks >text 3>&-
	grep -q ' main ' text
	goes_on $program
	kill $program
}

burning='static volatile unsigned sink;
	__attribute__((noinline)) void burns_here(void) { for (;;) sink = sink * 3 + 1; }'

@test "code of a memfd, of another mount namespace, and of the vdso" {
	permitted
	echo "$burning" | built library.so "-shared -fPIC"
	built loads <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/mman.h>
		#include <sys/sendfile.h>
		#include <unistd.h>
		int main(void)
		{
			int fd = memfd_create("made", 0), from = open("library.so", O_RDONLY);
			char path[40];
			while (sendfile(fd, from, NULL, 1 << 20) > 0)
				;
			snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
			void (*burn)(void) = (void (*)(void))dlsym(dlopen(path, RTLD_NOW), "burns_here");
			puts("ready");
			fflush(stdout);
			burn();
			return 0;
		}
	END
	found() { "$here/csv" function <stacks.csv | grep -xE 'burns_here|main|\(not known\)' | xargs; }
	runs ./loads
	dump
	kill $program
	same "of a memfd" "$(found)" "burns_here main"
	built looks <<-'END'
		#include <stdio.h>
		#include <time.h>
		int main(void)
		{
			struct timespec now, begin;
			puts("ready");
			fflush(stdout);
			clock_gettime(CLOCK_MONOTONIC, &begin);
			do
				clock_gettime(CLOCK_MONOTONIC, &now);
			while (now.tv_sec < begin.tv_sec + 100);
			return 0;
		}
	END
	runs ./looks
	sample --quiet --sample=500 --timeout=500ms
	kill $program
	same "stacks in the vdso that are cut" "$(finding cut_stacks)" ''
	between "percent in main()" 99 "$(value total_samples_percent function=main | cut -d. -f1)" 100
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	printf '%s\n' "$burning" '#include <stdio.h>' \
		'int main(void) { puts("ready"); fflush(stdout); burns_here(); return 0; }' | built elsewhere
	mkdir other
	# its path leads nowhere outside
	unshare -m sh -c 'mount -t tmpfs none other && mv elsewhere other && exec other/elsewhere' >said 3>&- &
	program=$!
	wait_until grep -q ready said
	dump
	kill $program
	same "of another mount namespace" "$(found)" "burns_here main"
}

# Its link map, heads of its objects, stack and mappings change all the time.
@test "a process that changes all that is read of it: nothing crashes, and it goes on" {
	permitted
	built changes -fno-omit-frame-pointer <<-'END'
		#define _GNU_SOURCE
		#include <link.h>
		#include <pthread.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		static volatile int over;
		static volatile unsigned long turns;
		static unsigned char *heads[64];
		static int nr_heads;
		static int add_head(struct dl_phdr_info *info, size_t bytes, void *none)
		{
			unsigned char *head = (unsigned char *)((uintptr_t)info->dlpi_phdr & ~4095ul);
			if (nr_heads < 64 && !memcmp(head, "\177ELF", 4) &&
			    !mprotect(head, 4096, PROT_READ | PROT_WRITE))
				heads[nr_heads++] = head;
			return 0;
		}
		static void *changes_heads(void *none)
		{
			unsigned seed = 1;
			while (!over)	/* headers, program headers, build-ids; .dynsym and the like begin later */
				heads[rand_r(&seed) % nr_heads][rand_r(&seed) % 0x280] = (unsigned char)rand_r(&seed);
			return none;
		}
		static void *changes_maps(void *none)
		{
			while (!over) {
				void *at = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				munmap(at, 1 << 20);
				turns++;
			}
			return none;
		}
		/* The frames of its callers are not what they were until it returns. */
		__attribute__((noinline)) static int changes_stack(unsigned long *end)
		{
			volatile unsigned long *top = __builtin_frame_address(0);
			unsigned long kept[512], nr = (unsigned long)(end - top);
			unsigned seed = 2;
			for (unsigned long i = 0; i < nr; i++)
				kept[i] = top[i];
			while (!over)
				top[rand_r(&seed) % nr] = (unsigned long)top + (unsigned)rand_r(&seed) % 8192;
			for (unsigned long i = 0; i < nr; i++)
				top[i] = kept[i];
			return (int)nr;
		}
		__attribute__((noinline)) static int deeper(int depth, unsigned long *end)
		{
			return 1 + (depth ? deeper(depth - 1, end) : changes_stack(end));
		}
		static void *spoils(void *none)
		{
			turns += (unsigned long)deeper(20, __builtin_frame_address(0));
			return none;
		}
		int main(void)
		{
			void *(*all[])(void *) = { changes_heads, changes_maps, spoils };
			pthread_t threads[3];
			char byte;
			dl_iterate_phdr(add_head, NULL);
			for (int i = 0; i < 3; i++)
				pthread_create(&threads[i], NULL, all[i], NULL);
			for (struct link_map *map = _r_debug.r_map->l_next; map; map = map->l_next)
				map->l_name = (char *)map;
			puts("ready");
			fflush(stdout);
			if (read(0, &byte, 1) >= 0)
				over = 1;
			printf("turns %lu\n", turns);
			fflush(stdout);
			_exit(0);
		}
	END
	runs ./changes
	"$build/insideme-run" --quiet --pid=$program --sample=1000 2>stderr 3>&- &
	monitor=$!
	sampler() { pgrep -P $monitor -f . | head -1; }
	wait_until sampler
	own=$(sampler)
	for i in 1 2 3 4 5; do
		timeout 20 "$build/insideme-run" --pid=$program --stacks >stacks.txt 3>&-
		sleep 0.3
	done
	same "what takes the stacks" "$(sampler)" "$own"	# it has not crashed
	echo >gate
	wait $program
	wait $monitor
	[ "$(awk '/^turns/ {print $2}' said)" -gt 100 ]
	same "what was said" "$(cat stderr)" ''
	[ "$(view functions | wc -l)" -gt 1 ]
}

@test "signals that come meanwhile are the program's, each of them" {
	permitted
	built counts <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <signal.h>
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		static volatile int nr, over;
		static void counts(int number) { nr++; }
		static void *spins(void *none)
		{
			while (!over)
				;
			return none;
		}
		int main(void)
		{
			struct sigaction action = { .sa_handler = counts, .sa_flags = SA_RESTART };
			struct timespec pause = { 0, 50000 };
			pthread_t thread;
			int sent = 0;
			sigaction(SIGRTMIN, &action, NULL);
			pthread_create(&thread, NULL, spins, NULL);
			puts("ready");
			fflush(stdout);
			for (int i = 0; i < 15000; i++) {	/* each is kept until it is delivered */
				sent += !pthread_sigqueue(thread, SIGRTMIN, (union sigval){ 0 });
				nanosleep(&pause, NULL);
			}
			sleep(1);
			over = 1;
			pthread_join(thread, NULL);
			printf("lost %d of %d\n", sent - nr, sent);
			return 0;
		}
	END
	runs ./counts
	sample --quiet --sample=1000
	wait $program
	same "signals" "$(tail -1 said)" "lost 0 of 15000"
	[ "$(value total_samples function=spins)" -ge 100 ]
}

@test "a thread of the kernel: said" {
	[ "$(id -u) $(cat /proc/2/comm)" = "0 kthreadd" ] || skip "none is visible"
	run "$build/insideme-run" --pid=2 --stacks
	same "status" "$status" 1
	[[ $output == *"no stacks of process 2: it has ended, or is a thread of the kernel" ]]
}
