#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-run sees how every process of the tree ended, also those that others wait for.
load lib
bats_require_minimum_version 1.5.0

events() { "$here/monitor-events" insideme.data/*; }

# end_of PID: how insideme-run saw it end
end_of() { events | sed -nE "s/^end $1 ([^ ]+ ){3}//p"; }

# held MONITOR COMMAND...: becomes COMMAND once insideme-run holds it by a pidfd, which it keeps through the
# exec.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat >held <<-'END'
		#!/bin/bash
		monitor=$1
		shift
		echo $$ >pid
		until grep -qsE "^Pid:[[:space:]]+$$\$" /proc/$monitor/fdinfo/*; do sleep 0.002; done
		exec "$@"
	END
	chmod +x held
}

# Each line of pids is "KIND PID".
each_end() {
	cat >family.bash <<-'END'
		for kind in $2; do
			./held $PPID "$1" "$kind" || true
			echo "$kind $(cat pid)" >>pids
		done
		exit 5
	END
	ulimit -c "${core:-0}"
	"$build/insideme-run" -q "$@" bash family.bash "$bin/ends" \
		"return exit _exit quick_exit abort kill segv exec" \
		>stdout 2>stderr || same status $? 5
	while read -r kind pid; do
		same "end of $kind" "$(end_of "$pid")" "$(awk -F: -v kind="$kind" '$1 == kind { print $2 }' <<-END
			return:exit 10
			exit:exit 11
			_exit:exit 12
			quick_exit:exit 13
			abort:signal 6$dumped
			kill:signal 9
			segv:signal 11$dumped
			exec:exit 14
		END
		)"
	done <pids
	same "children" "$(wc -l <pids)" 8
}

@test "the ends of children that a shell waits for" {
	each_end
	same "programs that are not recorded" \
		"$(view processes --columns recorded | grep -c 'did not load')" 0
}

@test "a dumped core is reported" {
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip "cores go elsewhere"
	core=unlimited dumped=' core' each_end
}

@test "without the subreaper the ends are seen all the same" {
	each_end --no-tree
}

@test "--no-tree: an orphan's parent is not insideme-run" {
	cat >orphan.sh <<-'END'
		(setsid sh -c 'while [ "$(cut -d" " -f4 /proc/$$/stat)" = "$1" ]; do sleep 0.01; done
			cut -d" " -f4 /proc/$$/stat >parent; exit 3' _ "$$" >orphan.out 2>&1 & echo $! >orphan)
		exec sh -c 'while [ ! -s parent ]; do sleep 0.01; done; echo $PPID'
	END
	cp orphan.sh tree.sh
	for option in --quiet --no-tree; do
		rm -f parent
		"$build/insideme-run" -q $option sh -c 'echo $PPID >monitor; sh orphan.sh; :' >stdout 2>stderr
		if [ $option = --no-tree ]; then
			[ "$(cat parent)" != "$(cat monitor)" ]
		else
			same "parent of the orphan" "$(cat parent)" "$(cat monitor)"
		fi
	done
}

@test "insideme-run ends with its program, and reports processes that run on as running" {
	SECONDS=0
	"$build/insideme-run" -q bash -c './held $PPID sleep 30 >held.out 2>&1 &
		until [ "$(cat /proc/$!/comm)" = sleep ]; do sleep 0.01; done; exit 4' >stdout 2>stderr || same status $? 4
	[ $SECONDS -lt 20 ]
	kill -0 "$(cat pid)"
	same "left" "$(events | grep left)" "left $(cat pid)"
	kill -KILL "$(cat pid)"
}

@test "an orphan's end is seen as long as the program runs" {
	"$build/insideme-run" -q bash -c '(./held $PPID sh -c "while [ ! -e go ]; do sleep 0.01; done; kill -TERM \$\$" &)
		until [ -s pid ] && [ "$(cat /proc/$(cat pid)/comm)" = sh ]; do sleep 0.01; done; touch go
		while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.01; done' 2>stderr
	same "end" "$(end_of "$(cat pid)")" 'signal 15'
}

# peak_as_grown: the summary's peak is what the program read itself, less at most the log's 2 MiB.
peak_as_grown() {
	local top
	top=$(awk '{ print $4 }' stdout)
	view summary >summary.csv
	between "peak of RSS" $((top - (3 << 20))) "$(awk -F, '$1 == "resources" && $3 == "resource" { name = $4 }
		$3 == "peak" && name == "RSS" { printf "%d", $4 }' summary.csv)" $((top + (1 << 20)))
}

@test "the peak of RSS between two samples, seen from outside" {
	"$build/insideme-run" -q --interval=10s "$bin/grow" >stdout 2>stderr
	peak_as_grown
}

@test "the peak of RSS between two samples, from the process itself" {
	INSIDEME_INTERVAL=10s record grow
	peak_as_grown
}

@test "a peak of an earlier image of the pid is not that of the next" {
	# the shell's memory is larger than sleep's
	"$build/insideme-run" -q bash -c \
		'x=$(head -c 30000000 /dev/zero | tr "\\0" x); exec ./held $PPID sleep 0.2' 2>stderr
	mkdir second
	mv insideme.data/*/*-2.log second
	view summary ./second >summary.csv
	between "peak of RSS" 0 "$(awk -F, '$1 == "resources" && $3 == "resource" { name = $4 }
		$3 == "peak" && name == "RSS" { printf "%d", $4 }' summary.csv)" $((10 << 20))
}

# Without CAP_SYS_PTRACE, as root in a container has it, the exit code of another user's zombie reads 0.
@test "an end that may not be looked at is no exit status 0" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	cat >late.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
		int main(void)
		{
			pid_t pid = fork();
			if (!pid) {
				work();
				usleep(100000);
				if (setgid(65534) == 0 && setuid(65534) == 0)
					raise(SIGKILL);
			}
			usleep(400000);
			waitpid(pid, NULL, 0);
			return 0;
		}
	END
	gcc -finstrument-functions late.c -o late
	setpriv --bounding-set -sys_ptrace "$build/insideme-run" -q ./late
	same "ends said to be 0" "$(view processes --columns depth,signal,exit_status | grep -c '^1,,0')" 0
}
