#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Children of every kind, made by either compiler: status and output as without the library, each process in
# the
# report, calls as built, and no log written by the wrong process.
load lib
all_views=" "

# children KIND PROCESSES LOGS [FUNCTION CALLS]...; LOGS: empty where programs without hooks take part
children() {
	local kind=$1 processes=$2 logs=$3 compiler plain status ended
	shift 3
	for compiler in '' .clang; do
		plain=0
		"$bin/children$compiler" "$kind" >plain || plain=$?
		rm -rf insideme.data functions.csv
		status=0
		ended=$(record "children$compiler" "$kind" 8>&1) || status=$?	# when all that inherit 8 have ended, daemons too
		same "status of $kind$compiler" "$status" "$plain"
		cmp plain stdout
		quiet
		[ -z "$logs" ] || same "logs of $kind$compiler" \
			"$(find insideme.data -name '*.log' | wc -l)" "$logs"
		"$report" >summary
		grep -Eq "^Recorded +$processes process(es)?, " summary || { cat summary; return 1; }
		calls "$@"
		COLUMNS=500 "$report" -v quality >quality
	done
}

# repairs N WORDS: the quality view reports N repairs of this kind
repairs() { grep -q "$1 $2" quality || { cat quality; return 1; }; }
no_repairs() { ! grep -E 'ended that w(as|ere) not open|did not return' quality; }

@test "a program that forbids itself the time-stamp counter runs on, and what was before is recorded" {
	cat >forbids.c <<-'END'
		#include <stdio.h>
		#include <sys/prctl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }
		int main(void)
		{
			work();
			if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
				return 77;
			work();
			if (fork() == 0)
				_exit(0);
			wait(NULL);
			puts("fine");
		}
	END
	gcc -w -O1 -finstrument-functions forbids.c -o forbids
	./forbids >alone || skip "not here"
	local how
	for how in "env LD_PRELOAD=$library" "$build/insideme-run --quiet --"; do
		rm -rf insideme.data functions.csv
		run $how ./forbids
		same "status, $how" "$status" 0
		same "output, $how" "$output" "insideme: the program forbids itself the time-stamp counter; not recording
fine"
		calls work 1
	done
}

@test "a forked child that forbids itself the time-stamp counter before its first call runs on" {
	cat >forbids.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/prctl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			int status;
			if (fork() == 0) {
				if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
					exit(77);
				exit(3);
			}
			wait(&status);
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		}
	END
	gcc -w -O1 -finstrument-functions forbids.c -o forbids
	status=0
	./forbids || status=$?
	[ "$status" = 3 ] || skip "not here"
	run env LD_PRELOAD="$library" ./forbids
	same status "$status" 3
	same output "$output" "insideme: the program forbids itself the time-stamp counter; not recording"
	calls main 2
}

@test "vfork children in a pid namespace without our threads" {
	status=0
	"$bin/elsewhere" >alone 2>&1 || status=$?
	[ $status != 77 ] || skip "no pid namespaces here: $(cat alone)"
	record elsewhere
	quiet
	calls work 3000 body 3
	same "calls without an exit" "$(view quality | "$here/csv" value finding=broken_calls)" ''
}

@test "children that end at once have no log, but are in the report" {
	children quiet 21 1 main 21 quiet 21 spawn 40
	no_repairs
	"$report" -v tree >tree
	grep -q 'spawn' tree
}

@test "children forked in deep calls: the report has what is open in them, but not all at once" {
	children deep 201 1 main 201 deep 201 descend 201000 spawn 400
	no_repairs
	peak_kib=$(python3 -c '

import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$build/insideme-report" -v functions)
	between "memory of the report in KiB" 1000 "$peak_kib" 40000		# 350 bytes for each of 200000 are 68000 more
}

@test "children of children without a call" {
	children line 6 1 main 6 line 6
	repairs 10 'calls are counted once more'
}

@test "a tree of forks" {
	children tree 40 40 main 40 grow 115 work 390
	no_repairs
}

@test "a child returns from what was open at its fork" {
	children returns 2 2 main 2 up_1 2 up_2 2 up_3 2 work 20
	no_repairs
	repairs 4 'calls are counted once more'
	children again 2 2 main 2 up_1 2 up_2 2 up_3 2 work 20
	no_repairs
}

@test "the child of a raw clone begins with nothing open" {
	children raw 2 2 main 1 up_1 1 up_2 1 up_3 1 work 20
	repairs 4 'functions ended that were not open'
	children clone 2 2 main 1 on_stack 1 work 10
	no_repairs
}

@test "the thread of a forked child begins as the child does" {
	record children tree
	view processes --columns pid,begin_ns,depth | awk -F, 'NR > 1 && $3 > 0 { print $1 "," $2 }' |
		sort >begins
	same children "$(wc -l <begins)" 39
	view threads --columns pid,begin_ns | sort >threads
	same "children whose thread begins later" "$(comm -23 begins threads)" ''
	same "threads with calls longer than they are" \
		"$(view threads --columns pid,duration_ns,functions_ns |
			awk -F, 'NR > 1 && $3 > $2 + 1000')" ''
}

@test "a vfork child writes into its parent's log" {
	children vfork 2 2 main 1 work 20 exec_true 1
	repairs 1 'call did not return'
}

@test "a vfork child opens no log in the name of its parent, which has none yet" {
	children first 2 2 main 2 work 10
	repairs 3 'calls are missing'
	run "$report" -v processes
	[[ $output == *"exit 7"*"exit 7"* ]]
}

@test "forks in several threads at once" {
	children threads 21 21 main 1 in_thread 24 spawn_worker 40 work 200
	no_repairs
}

@test "posix_spawn, system and popen" {
	children spawn 4 '' main 2 work 10
}

@test "an exec chain, and execs that fail" {
	children chain 1 10 main 10 work 100
}

@test "daemons: every process has its end" {
	children daemon 2 2 main 2 work 10
	"$report" >summary
	grep -q '^Ended.*exit status 0' summary
	! grep -r 'without a word' summary quality || return 1
	children double 3 2 main 3 work 10
}

@test "an exit of the only thread alone" {
	children exit 1 1 main 1 work 10
}

@test "what is said late is not written to the program's own file" {
	run record children late
	[ "$status" != 2 ] || skip "no seccomp strict mode within a container's filter"
	same status "$status" 0
	same output "$(cat stdout)" late
	same "bytes in its file" "$(stat -c %s late.txt)" 0
	"$report" -v quality | tr -s ' \n' ' ' | grep -q 'seccomp strict mode'
}

# left_out: out is how many children are counted as not recorded, as their handler had interrupted a hook
left_out() {
	out=$("$report" -v quality -f csv | awk -F, '$1 == "forks_in_hooks" { print $2 }')
	: "${out:=0}"
}

# in_handlers KIND: the parent's own log has the calls that it made and not one of a child.
in_handlers() {
	local compiler made pid out
	export INSIDEME_TIMING=$2
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		run record "handlers$compiler" "$1"
		same "status of handlers$compiler" "$status" 0
		quiet
		read -r made pid <stdout
		"$report" insideme.data/*/*-"$pid"-0.log --process "$pid" -v functions -f csv \
			--columns function,calls >parent
		grep -qx "tiny,$made" parent || { cat parent; return 1; }
		! grep work parent || return 1
		left_out
		calls main 61 call_all 61
		same "calls of work" $(($(value calls function=work))) $((11 * (60 - out)))
		between "calls of tiny" "$made" "$(value calls function=tiny)" $((made + 60))
		same "logs" "$(find insideme.data -name '*.log' | wc -l)" $((61 - out))
		between "children that are left out" "$([ "$2" = auto ] && echo 0 || echo 1)" "$out" 60
		COLUMNS=500 "$report" -v quality >quality
		! grep -E 'missing from all figures|damaged' quality || return 1
	done
}

@test "forks in a signal handler that interrupted a hook" { in_handlers plain exact; }
@test "forks in a signal handler on a stack of its own" { in_handlers own exact; }
@test "forks in a signal handler that interrupted code that counts" { in_handlers plain auto; }
@test "forks in a signal handler that interrupted code that counts, on a stack of its own" { in_handlers own \
	auto; }

@test "forks that are interrupted by handlers which fork too" {
	local children pages out
	record nested_forks
	quiet
	read -r _ children _ pages <stdout
	between children 401 "$children" 800
	between "pages that came with them" 0 "$pages" 4
	left_out
	calls work $((2 * (children - out))) main $((children + 1))
	# on some virtual machines signals come at system calls and page faults only: all in our code
	between "children that are left out" 0 "$out" $((children / 2))
	view tree >tree.csv
	same "paths of work" "$("$here/csv" path function=work <tree.csv)" 'main;work'
}

# In memory, where nothing but a processor is waited for while a log grows.
@test "a child has no descriptor of a log that another thread grows" {
	local memory
	memory=$(mktemp -d /dev/shm/insideme-test-XXXXXX) || skip "no file system in memory at /dev/shm"
	INSIDEME_BUDGET=1G INSIDEME_DIR=$memory record moments || { rm -r "$memory"; return 1; }
	rm -r "$memory"
	quiet
	same "children with more descriptors" "$(cat stdout)" 0
}

@test "a forked child with a log of its own has its parent's command" {
	local script='(for ((i = 0; i < 100000; i++)); do :; done; (for ((i = 0; i < 100000; i++)); do :; done); :); :'
	LD_PRELOAD=$library bash -c "$script" >stdout 2>stderr
	quiet
	same logs "$(find insideme.data -name '*.log' ! -name '*-0-0.log' | wc -l)" 3
	"$report" --save run.json.gz
	gunzip run.json.gz
	same "commands" "$(grep -o '"command":"[^,]*' run.json | sort | uniq -c | awk '{print $1}')" 3
	same "files" "$(grep -o '"exe":"[^"]*' run.json | sort -u)" \
		"\"exe\":\"$(realpath "$(command -v bash)")"
}
