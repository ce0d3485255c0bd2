#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Other allocators than libc's, and those who call them before anybody is ready.
load lib
load heap

# sanitized COMPILER SANITIZER PROGRAM: the same output and status with and without the library.
sanitized() {
	local plain=0 preloaded=0
	"$1" -g -O1 -fsanitize="$2" -finstrument-functions -pthread "$here/../programs/$3" -o sanitized
	ASAN_OPTIONS=verify_asan_link_order=0 ./sanitized >plain.out 2>plain.err || plain=$?
	ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$library ./sanitized >out 2>err || preloaded=$?
	sed -i 's/^==[0-9]*==/==PID==/' plain.err err	# where leaks cannot be looked for, both say so
	same "status of $*" $preloaded $plain && diff plain.out out && diff plain.err err
}

@test "programs under sanitizers run as they do alone" {
	sanitized g++ address calls_cpp.cpp	# all compilers with all sanitizers: make torture
	sanitized gcc address settled.c		# its leak detector reads the library's memory when that has a task that samples
	sanitized gcc thread threads.c
	sanitized clang undefined threads.c
}

@test "the heap under valgrind is not counted" {
	LD_PRELOAD=$library valgrind -q "$bin/alloc_cpp" >stdout 2>stderr
	quiet
	same "allocations" "$(view functions | "$here/csv" alloc_calls function=by_new)" ""
}

@test "a program's own malloc is not counted, and the log says so" {
	record own_malloc
	quiet
	calls work 100
	same "allocations" "$(value alloc_calls function=work)" ""
	strings -a insideme.data/*/*.log | grep '^heap_off=malloc is defined by the program'
}

@test "an allocator whose operator new does not pass malloc" {
	LD_PRELOAD="$library $bin/pool_plugin.so" "$bin/alloc_cpp" >stdout 2>stderr
	quiet
	for function in by_new by_new_array by_aligned_new by_nothrow; do
		same "allocations of $function" "$(value alloc_calls function=$function)" 100
		same "frees of $function" "$(value free_calls function=$function)" 100
	done
	LD_PRELOAD="$bin/pool_plugin.so $library" "$bin/alloc_cpp" >stdout 2>stderr
	rm functions.csv
	same "allocations behind it" "$(value alloc_calls function=by_new)" ""
}

@test "memory of an IFUNC resolver, from before the library is relocated, may be freed" {
	cat >early.c <<-'END'
		#include <stdlib.h>
		char *early;
		static int real(void) { return early[0]; }
		static int (*resolve(void))(void) { early = malloc(100); early[0] = 42; free(malloc(9)); return real; }
		int resolved(void) __attribute__((ifunc("resolve")));
	END
	cat >main.c <<-'END'
		#include <stdlib.h>
		extern char *early;
		int resolved(void);
		int main(void) { early = realloc(early, 100000); int value = resolved(); free(early); return value; }
	END
	gcc -g -fPIC -shared early.c -o libearly.so
	gcc -g -Wl,-z,now main.c ./libearly.so -o main
	run ./main
	same "status alone" "$status" 42
	LD_PRELOAD=$library run ./main
	same "status" "$status" 42
}

# with_status ALLOCATOR PROGRAM ARGUMENT...: the program's status
with_status() {
	local allocator=/usr/lib/$(uname -m)-linux-gnu/$1
	[ -e "$allocator" ] || { echo "$1 is not installed: scripts/setup --test"; return 1; }
	rm -rf insideme.data heap.csv
	LD_PRELOAD="$library $allocator" "$bin/$2" "${@:3}" >stdout 2>stderr
}

with() {
	with_status "$@"
	quiet
}

@test "jemalloc, tcmalloc, mimalloc: random calls, by the program's own book, to the byte" {
	for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		with $allocator random_heap 50000
		by_its_book
	done
}

# Of mimalloc no address on the stack: what it answers is chance, because it reads what lies up to 32 MiB below.
@test "jemalloc, tcmalloc, mimalloc: a free of something that is not a block has the same outcome as without the recorder" {
	local allocator what plain recorded
	for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		for what in double inside foreign; do
			[ $allocator,$what != libmimalloc.so.2,foreign ] || continue
			plain=0 recorded=0
			LD_PRELOAD=/usr/lib/$(uname -m)-linux-gnu/$allocator "$bin/foreign" $what \
				>plain.out 2>plain.err || plain=$?
			with_status $allocator foreign $what || recorded=$?
			same "status of $what with $allocator" $recorded $plain
			sed -i 's/0x[0-9a-f]*/ADDRESS/' plain.err stderr	# the stack's
			diff plain.out stdout && diff plain.err stderr
			same "unknown frees" "$(view quality | "$here/csv" value finding=unknown_frees)" 1
		done
	done
}
