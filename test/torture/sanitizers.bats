#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs built with sanitizers, by gcc and clang: right ones run as they do alone, and in wrong ones the same is found.
load ../run/lib
load ../run/alike

# As doc/limits.md says: with gcc's shared runtime, which wants to be loaded first, the user has to allow another order.
export ASAN_OPTIONS=verify_asan_link_order=0
numbers='s/==[0-9]+==//; s/\(pid=[0-9]+\)//; s/0x[0-9a-f]+/ADDRESS/g; s/tid=[0-9]+/tid/; s/BuildId: [0-9a-f]+//'

# built COMPILER SANITIZER SOURCE [FLAGS]
built() {
	local compiler=$1 sanitizer=$2 source=$3
	shift 3
	"$compiler" -g -O1 -fno-omit-frame-pointer -w -fsanitize="$sanitizer" -finstrument-functions -pthread "$@" "$source" -o sanitized
}

# finds WORDS: the wrong program runs alike, and its error is found.
finds() {
	filter="$numbers; $2"
	alike "$PWD/sanitized"
	[[ $(cat plain/stderr) == *"$1"* ]] || { echo "not found: $1"; return 1; }
}

@test "right programs, address" {
	for compiler in gcc clang; do
		built $compiler address "$here/../torture/heap.c"
		alike "$PWD/sanitized"
		built $compiler address "$here/../programs/forks.c"
		alike "$PWD/sanitized"
	done
	for compiler in g++ clang++; do
		built $compiler address "$here/../programs/calls_cpp.cpp"
		alike "$PWD/sanitized"
	done
}

@test "right programs, thread" {
	for compiler in gcc clang; do
		built $compiler thread "$here/../torture/heap.c"
		alike "$PWD/sanitized"
		built $compiler thread "$here/../programs/forks.c"
		alike "$PWD/sanitized"
	done
}

@test "right programs, undefined and leak" {
	for compiler in gcc clang; do
		built $compiler undefined "$here/../torture/heap.c"
		alike "$PWD/sanitized"
		built $compiler leak "$here/../torture/heap.c"
		alike "$PWD/sanitized"
	done
}

@test "address: use after free, overflow, leak" {
	cat >free.c <<-'END'
		#include <stdlib.h>
		__attribute__((noinline)) static int use(char *block) { return block[3]; }
		int main(void) { char *volatile block = malloc(10); free(block); return use(block); }
	END
	cat >overflow.c <<-'END'
		int main(int argc, char **argv) { char text[8] = ""; volatile int i = argc + 7; text[i] = 1; return text[argc] == argv[0][0]; }
	END
	cat >leak.c <<-'END'
		#include <stdlib.h>
		char *volatile block;
		int main(void) { block = malloc(1234); block = NULL; return 0; }
	END
	threads=vary	# those of a symbolizer, which may be ended before it ends
	for compiler in gcc clang; do
		for wrong in free:heap-use-after-free overflow:stack-buffer-overflow leak:'1234 byte'; do
			built $compiler address ${wrong%%:*}.c
			ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1 finds "${wrong#*:}" '/^(=>|  )ADDRESS:|^llvm-/d; s/T[0-9]+//'
		done
	done
}

@test "thread: a race" {
	cat >race.c <<-'END'
		#include <pthread.h>
		volatile int shared;
		static void *add(void *unused) { for (int i = 0; i < 100000; i++) shared++; return unused; }
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, add, NULL);
			add(NULL);
			pthread_join(thread, NULL);
			return 0;
		}
	END
	for compiler in gcc clang; do
		built $compiler thread race.c
		finds 'data race' '/WARNING.*data race/!d'
	done
}

@test "undefined: an overflow, a shift" {
	cat >undefined.c <<-'END'
		#include <limits.h>
		#include <stdio.h>
		int main(int argc, char **argv) { (void)argv; printf("%d\n", INT_MAX + argc); return 1 << (31 + argc) != 0; }
	END
	for compiler in gcc clang; do
		built $compiler undefined undefined.c
		finds 'signed integer overflow'
	done
}

@test "gcc's address sanitizer says that it wants to be first" {
	unset ASAN_OPTIONS
	built gcc address "$here/../programs/calls.c"
	status=0
	LD_PRELOAD=$library ./sanitized >out 2>err || status=$?
	same status "$status" 1
	grep 'ASan runtime does not come first in initial library list' err
	built gcc address "$here/../programs/calls.c" -static-libasan
	alike "$PWD/sanitized"
}
