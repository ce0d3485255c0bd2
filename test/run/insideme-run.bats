#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-run: finding the library, the program's environment, signals and exit status, and what it says.
load lib
bats_require_minimum_version 1.5.0

# A program that counts the signals it gets and ends at SIGTERM with that number.
trapper='trap "n=\$((n+1)); echo got \$n" USR1 USR2 INT HUP; trap "exit \$n" TERM; n=0; echo ready; while :; do sleep 0.05; done'

@test "--library prints a path that works in LD_PRELOAD" {
	same path "$("$build/insideme-run" --library)" "$(realpath "$library")"
	same both "$("$build/insideme-run" --library=mpi)" \
		"$(realpath "$library"):$(realpath "$build/libinsideme-mpi.so")"
	run -2 "$build/insideme-run" --library=both
	same complaint "$output" \
		"insideme-run: --library: it takes no value but mpi (--help lists the options)"
}

@test "the program's environment has the run, the library in front, and the options" {
	LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 run -0 "$build/insideme-run" -q --budget 64M \
		--threshold=0 -d there env
	[[ $output == *"LD_PRELOAD=$(realpath "$library"):/lib/x86_64-linux-gnu/libm.so.6"* ]]
	[[ $output == *INSIDEME_BUDGET=64M* && $output == *INSIDEME_THRESHOLD=0* ]]
	[[ $output == *"INSIDEME_RUN=$PWD/there/"* ]]
}

@test "a signal sent to insideme-run reaches the program, once" {
	local signal n=0
	"$build/insideme-run" -q bash -c "$trapper" >stdout 3>&- &
	wait_until grep -qs ready stdout
	for signal in USR1 USR2 HUP USR1; do
		kill -$signal $!
		n=$((n + 1))
		wait_until grep -q "got $n" stdout
		sleep 0.1	# a second one would come now
	done
	kill -TERM $!
	wait $! || same status $? 4
}

@test "Ctrl-C at the terminal reaches the program once, Ctrl-Z stops both" {
	command -v python3 >/dev/null || skip "needs python3"
	run -0 timeout 100 python3 "$here/terminal.py" "$build/insideme-run" "$trapper"
	same "signals counted" "${lines[0]}" 3
	same "stopped" "${lines[1]}" "T T"
}

@test "what the program dies of, insideme-run dies of" {
	run "$build/insideme-run" -q sh -c 'kill -KILL $$'
	same status "$status" 137
	ulimit -c "$(ulimit -H -c)"
	run "$build/insideme-run" -q sh -c 'ulimit -c 0; kill -SEGV $$'
	same status "$status" 139
	same core "$(echo core*)" 'core*'
}

@test "a program that writes over its log harms no other program" {
	cat >wild.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
		#include "insideme_log.h"
		int main(void)
		{
			FILE *maps = fopen("/proc/self/maps", "r");
			unsigned long place = 0;
			char line[4096];
			while (!place && fgets(line, sizeof(line), maps))
				if (strstr(line, ".log\n"))
					sscanf(line, "%lx", &place);
			((struct log_header *)place)->stacks = 0x7fffffff;
			usleep(500000);	/* until it is read again */
			kill(getpid(), SIGKILL);
		}
	END
	gcc -finstrument-functions -I"$here/../../include" wild.c -o wild
	run "$build/insideme-run" -q ./wild
	same status "$status" 137
}

@test "the exit status is the program's if no reader takes insideme-run's output" {
	run perl -e 'pipe R, W; close R; open STDERR, ">&W"; exec @ARGV' "$build/insideme-run" sh -c 'exit 7'
	same status "$status" 7
}

@test "who stops the program alone lets it go on alone" {
	needs_strace
	timeout -s KILL 100 strace -qo calls -e trace=waitid "$build/insideme-run" -q bash \
		-c 'echo $$ >pid; kill -STOP $$; exit 5' &
	wait_until grep -qs CLD_STOPPED calls
	kill -CONT "$(cat pid)"
	wait $! || same status $? 5
}

# Each waitid() comes back 0.35 s late: so the end falls between the stop's being seen and its being taken
# note of.
@test "a program that is killed just after it was stopped has ended" {
	needs_strace
	timeout -s KILL 100 strace -qo /dev/null -e inject=waitid:delay_exit=350000 "$build/insideme-run" -q \
		bash -c 'echo $$ >pid; { kill -STOP $$; sleep 0.3; kill -KILL $$; } & wait' 3>&- ||
			same status $? 137
	"$here/monitor-events" insideme.data/* | grep "^end $(cat pid) "
}

# refused OPTION VALUE EXPECTED
refused() {
	run "$build/insideme-run" "--$1=$2" /bin/true
	same "status" "$status" 2
	same "what it says" "$output" "insideme-run: --$1: '$2' is not understood; expected $3"
}

@test "for a wrong value the message lists the right ones, as in the environment" {
	refused sample 99999 "off or a number up to 10000"
	refused timing foo "exact, auto, counts"
	refused budget 1K "a size such as 64M, at least 1M"
	refused signal FOO "off or a signal such as USR1, WINCH, RTMIN+3"
	INSIDEME_SAMPLE=99999 "$build/insideme-run" /bin/true 2>&1 |
		grep -F 'expected off or a number up to 10000'
}

@test "not found is 127, not executable is 126, and no run is made" {
	run -127 "$build/insideme-run" ./nope
	same lines "${#lines[@]}" 1
	touch plain
	run -126 "$build/insideme-run" ./plain
	same lines "${#lines[@]}" 1
	run -126 "$build/insideme-run" .
	[ ! -e insideme.data ]
}

@test "a library whose path has a blank is loaded through a link that is gone afterwards" {
	mkdir 'a b'
	cp "$build/insideme-run" "$library" 'a b'
	'a b/insideme-run' -q "$bin/calls" >stdout || same status $? 7
	calls leaf 6000
	same links "$(find /tmp -maxdepth 2 -path '/tmp/insideme-??????/*' -lname "$PWD/*" 2>/dev/null |
		wc -l)" 0
}

@test "without a library the program runs, and a line says why it is not recorded" {
	mkdir alone
	cp "$build/insideme-run" alone
	run alone/insideme-run -q "$bin/calls"
	same status "$status" 7
	[[ $output == *'not recorded'*libinsideme.so* ]]
}

@test "one line at the end, with the calls that were counted" {
	monitor "$bin/calls" || same status $? 7
	same lines "$(wc -l <stderr)" 1
	total=$(view functions | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "calls") c = i } NR > 1 { n += $c } END { print n }')
	[ "$total" -ge 10000 ] && total=$(awk \
		"BEGIN { printf $total < 100000 ? \"%.1f k\" : \"%.0f k\", $total / 1000 }")
	[[ $(cat stderr) == "insideme: $total calls, "*"; read with: insideme-report insideme.data/"* ]] ||
		{ cat stderr; echo "$total"; false; }
}

@test "calls that never returned are counted at the end, as in the report" {
	for kind in return kill abort; do
		monitor -- "$bin/ends" $kind || true
		total=$(view functions | "$here/csv" calls | awk '{ sum += $1 } END { print sum }')
		same "calls of $kind" "$(sed -n 's/^insideme: \([0-9]*\) calls, .*/\1/p' stderr)" "$total"
	done
	cat >open.c <<-'END'
		#include <pthread.h>
		#include <ucontext.h>
		#include <unistd.h>
		static ucontext_t home, other;
		static char stack[65536];
		static int down(int n) { return n ? down(n - 1) + 1 : pause(); }
		static void *run(void *unused) { down(2999); return unused; }
		static void leave(void) { swapcontext(&other, &home); }
		static void *leave_one_open(void *unused)
		{
			getcontext(&other);
			other.uc_stack.ss_sp = stack;
			other.uc_stack.ss_size = sizeof(stack);
			makecontext(&other, leave, 0);
			swapcontext(&home, &other);
			pause();
			return unused;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, run, NULL);
			pthread_create(&thread, NULL, leave_one_open, NULL);
			usleep(300000);
			_exit(0);
		}
	END
	gcc -finstrument-functions -pthread open.c -o open
	INSIDEME_WAITS=off monitor -- ./open
	grep '^insideme: 3004 calls, ' stderr	# main, run, down, and the two of the coroutine's
	same "calls" "$(view functions | "$here/csv" calls | awk '{ sum += $1 } END { print sum }')" 3004
}

@test "under another insideme-run the program is recorded once" {
	run "$build/insideme-run" -q "$build/insideme-run" "$bin/calls"
	same status "$status" 7
	same runs "$(ls insideme.data | wc -l)" 1
	calls leaf 6000
}

# Nothing is recorded whose log could tell, and the signal comes before insideme-run listens.
@test "a program that has ended before insideme-run looks for ends" {
	strace -o trace true || skip "no strace here"
	echo 'int main(void) { return 3; }' | gcc -static -x c - -o short
	run timeout 20 strace -o trace -e trace=rt_sigaction -e inject=rt_sigaction:delay_enter=20000 \
		"$build/insideme-run" -q -- ./short
	same status "$status" 3
}
