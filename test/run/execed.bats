#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A recorded program execs one that cannot be recorded: what that does is not the first one's.
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat >sealed.c <<-'END'
		/* At work for 0.2 s of CPU time, and until there is a file "go". */
		#include <time.h>
		#include <unistd.h>
		int main(void) { while (clock() < CLOCKS_PER_SEC / 5 || access("go", F_OK)) ; return 3; }
	END
	gcc -static sealed.c -o sealed
	cat >starts.c <<-'END'
		/* Becomes it, or its child does, so many us after the fork. */
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void become(void) { execl("./sealed", "sealed", (char *)NULL); }
		static int child(int us)
		{
			int status = 0;
			if (fork() == 0) {
				usleep(us);
				become();
			}
			wait(&status);
			return WEXITSTATUS(status);
		}
		int main(int argc, char **argv)
		{
			if (argc > 1)
				return child(atoi(argv[1]));
			become();
			return 1;
		}
	END
	gcc -O1 -finstrument-functions starts.c -o starts
	often
}

# The folder of the set-uid program, which nobody is to find there.
teardown() {
	cd / && rm -rf ${folder:+"$folder"}
}

is_seen() { "$here/monitor-events" insideme.data/* 2>/dev/null | grep -q '^unseen .* sealed'; }
cell() { "$here/csv" "$@" <processes.csv; }

known() { echo "${1:-0}"; }	# an image may be gone before there is a row of it

# catch N: insideme-run stops after its Nth look into a memory map, until the waiting process has exec'ed.
catch() {
	cat >catch.c <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
		int fclose(FILE *file)
		{
			int (*next)(FILE *) = dlsym(RTLD_NEXT, "fclose");
			static int nr_looks;
			char link[32], path[64] = "", image[4096] = "";
			snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(file));
			if (readlink(link, path, sizeof(path) - 1) < 0 || !strstr(path, "/maps") || ++nr_looks != $1)
				return next(file);
			close(open("become", O_CREAT | O_WRONLY, 0600));
			memcpy(strstr(path, "/maps"), "/exe", 5);
			for (int i = 0; i < 1000 && !strstr(image, "/sealed"); i++) {
				usleep(10000);
				memset(image, 0, sizeof(image));
				if (readlink(path, image, sizeof(image) - 1) < 0)
					break;
			}
			close(open(strstr(image, "/sealed") ? "caught" : "missed", O_CREAT | O_WRONLY, 0600));
			return next(file);
		}
	END
	gcc -shared -fPIC catch.c -o catch.so
	cat >waits.c <<-'END'
		/* Becomes it when told to, or its child does. */
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			int status = 0;
			if (argc == 1 || fork() == 0) {
				for (int i = 0; i < 1000 && access("become", F_OK); i++)
					usleep(10000);
				execl("./sealed", "sealed", (char *)NULL);
			}
			wait(&status);
			return WEXITSTATUS(status);
		}
	END
	gcc waits.c -o waits
}

# until_seen ARGUMENTS...: sealed is at work until insideme-run has told of it
until_seen() {
	local status=0
	LD_PRELOAD=$preload "${user[@]}" "$build/insideme-run" -q "./${program:-starts}" \
		"$@" >stdout 2>stderr 3>&- &
	wait_until is_seen || { touch go; return 1; }
	touch go
	wait $! || status=$?
	same status $status 3
	view processes >processes.csv
	same "exit status of sealed" "$(cell exit_status programs=sealed)" 3
	same "what was recorded of sealed" "$(cell recorded programs=sealed)" "did not load the recorder"
}

@test "a program that becomes another one ends there" {
	until_seen
	same "how starts ended" "$(cell end programs=starts)" "exec of sealed (not recorded)"
	same pid "$(cell pid programs=starts)" "$(cell pid programs=sealed)"
	[ "$(cell cpu_ns programs=sealed)" -gt 100000000 ]
	[ "$(known "$(cell cpu_ns programs=starts)")" -lt 100000000 ]
	[ "$(cell end_ns programs=starts)" -le "$(cell begin_ns programs=sealed)" ]
	[ "$(value total_ns function=main)" -le "$(cell duration_ns programs=starts)" ]
	calls main 1 become 1
}

# At once: before insideme-run looks at it. Later: while it is sampled.
@test "a child that becomes another program ends there" {
	local us child
	for us in 0 100000; do
		rm -rf go insideme.data functions.csv
		until_seen $us
		child=$(cell pid programs=sealed)
		same "how the child ended" "$(cell end pid="$child" programs=starts)" \
			"exec of sealed (not recorded)"
		[ "$(cell end_ns pid="$child" programs=starts)" -le "$(cell begin_ns programs=sealed)" ]
		same "how its parent ended" "$(cell end programs=starts exit_status=3)" "exit status 3"
		[ "$(known "$(cell cpu_ns pid="$child" programs=starts)")" -lt 100000000 ]
	done
}

@test "who becomes another one just as insideme-run begins to sample it" {
	local program=waits preload=$PWD/catch.so
	catch 1
	until_seen
	[ -e caught ]
	same "how waits ended" "$(cell end programs=waits)" "exec of sealed (not recorded)"
	same "rows of it" "$(cell cpu_ns programs=waits)" ''
	rm -rf go become caught insideme.data
	catch 2
	until_seen child
	[ -e caught ]
	same "how its child ended" "$(cell end pid="$(cell pid programs=sealed)" programs=waits)" \
		"exec of sealed (not recorded)"
}

@test "a set-uid program, to a user who may not look at its memory" {
	local user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	[ "$(id -u)" = 0 ] || skip "only root makes such a program"
	"${user[@]}" test -x "$build/insideme-run" || skip "another user cannot read $build"
	folder=$(mktemp -d /tmp/insideme-execed-XXXXXX)
	chown 65534 "$folder"
	cp starts sealed "$folder"
	cd "$folder"
	chmod 4755 sealed
	until_seen 0
	same "how the child ended" "$(cell end pid="$(cell pid programs=sealed)" programs=starts)" \
		"exec of sealed (not recorded)"
}

@test "programs that are recorded follow each other without a message" {
	monitor -- sh -c 'for i in 1 2 3 4 5; do (exec sleep 0.02); done; exec sleep 0.05'
	view processes >processes.csv
	same "not recorded" "$(cell pid recorded="did not load the recorder")" ''
}
