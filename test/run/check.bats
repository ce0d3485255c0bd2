#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What cannot be recorded is said in one line, and insideme-run --check tells beforehand what works and what
# to do.
load lib
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf 'int f(int x) { return x + 2; }\nint main(int argc, char **argv) { (void)argv; return f(argc + 2); }\n' >five.c
}

hooks='-g -finstrument-functions'

# check PROGRAM STATUS: its table in the file table, without what hangs on the machine
check() {
	local status=0
	"$build/insideme-run" --check "$1" >whole || status=$?
	same status $status "$2"
	sed -n '/^clock/q;p' whole >table
	[ "$2" = 1 ] || sed -n '/^limits/,$p' whole >>table
}

says() { diff table -; }

# refused PROGRAM REASON ADVICE: it runs as ever, with one line; --check says the same
refused() {
	monitor "$1" || same status $? 5
	same "what is said" "$(cat stderr)" "insideme: $1 is not recorded: $2; $3"
	check "$1" 1
	says <<-END
		program    no    $2
		                 -> $3

		$1 cannot be recorded
	END
}

@test "a program linked statically" {
	gcc -static five.c -o five
	refused ./five 'it is linked statically' 'link it dynamically'
	gcc -static-pie five.c -o pie
	refused ./pie 'it is linked statically' 'link it dynamically'
}

@test "ld.so as a program, as its file was named before glibc 2.34, and a program beside it" {
	mkdir ld-linux.d
	gcc five.c -o five
	gcc -static five.c -o ld-linux.d/five
	ld_so=$(readelf -lW five | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	cp -L "$ld_so" ld-2.31.so
	for ld_so in "$ld_so" ./ld-2.31.so; do
		monitor "$ld_so" ./five || same status $? 5
		! grep 'not recorded' stderr || return 1
		same "processes of $ld_so" "$(view processes | tail -n +2 | wc -l)" 1
	done
	refused ./ld-linux.d/five 'it is linked statically' 'link it dynamically'
}

@test "a program of another C library" {
	command -v musl-gcc >/dev/null || skip "needs musl-tools"
	musl-gcc five.c -o five
	refused ./five 'it uses musl, and the library is built for glibc' 'build it with glibc'
}

# musl ends a program for a library that it finds and cannot load.
@test "a program of another C library that a recorded one starts" {
	command -v musl-gcc >/dev/null || skip "needs musl-tools"
	musl-gcc -include stdlib.h -include sys/wait.h -include unistd.h -xc - -o five <<-'END'
		int main(int argc, char **argv)
		{
			char *volatile block = realloc(malloc(10), 100000);
			int status;

			if (!block || setenv("A", "b", 1) || (argc == 1 && fork() == 0 && (execl(argv[0], argv[0], "more", NULL), 1)))
				return 1;
			free(block);
			wait(&status);
			return argc > 1 ? 2 : 5 + WEXITSTATUS(status);
		}
	END
	status=0
	./five || status=$?
	LD_PRELOAD=$library sh -c './five; exit $?' 2>stderr || same status $? $status
	same "lines" "$(sort -u stderr)" 'insideme: this libc is not known; not recording'
}

@test "a program that gains rights" {
	[ "$(id -u)" = 0 ] || skip "needs root to give a file away"
	gcc five.c -o five
	chown 65534 five
	chmod u+s five
	refused ./five 'it gains rights when it starts (setuid, setgid or capabilities)' \
		'run a copy that gains none'
}

@test "a program of another architecture" {
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0' >foreign
	head -c 4096 /dev/zero >>foreign
	chmod +x foreign
	check ./foreign 1
	says <<-'END'
		program    no    it is built for another architecture
		                 -> build it for x86-64

		./foreign cannot be recorded
	END
}

@test "what is not there, or is no program" {
	run -1 "$build/insideme-run" --check ./none
	same text "$output" 'insideme-run: ./none: No such file or directory'
	run -2 "$build/insideme-run" --check
	same text "$output" 'insideme-run: no program named: nothing to check (--help lists the options)'
	echo text >text
	chmod +x text
	check ./text 1
	same text "$(head -1 table)" 'program    no    ./text is no program and no script that names one'
	[ ! -e insideme.data ]
}

@test "a program with all that is needed" {
	gcc $hooks five.c -o five
	check ./five 0
	says <<-'END'
		program    yes   ./five, linked dynamically, with glibc
		loading    yes   libinsideme.so is loaded
		functions  yes   hooks in 1 of 3 objects: five
		names      yes   debug information in five
		heap       yes   malloc of libc
		sanitizer  yes   none
		limits     yes   none that matters

		./five can be recorded
	END
	same rest "$(cut -c1-10 whole | tr -d ' \n')" \
		programloadingfunctionsnamesheapsanitizerclocktimingforkskernelspacelimits./fivecan
}

# line NAME PROGRAM: that line and its advice
line() {
	"$build/insideme-run" --check "$2" >whole || true
	sed -nE "/^$1 /{s/^[a-z]+ +//;p;n;s/^ +-> (.*)/\1/p}" whole
}

@test "functions: hooks in a library, none, its own, other tracers" {
	gcc $hooks -shared -fPIC five.c -o libfive.so
	gcc -g -xc - -o user -L. -lfive -Wl,-rpath,"$PWD" <<<'int f(int); int main(void) { return f(3); }'
	same library "$(line functions ./user)" 'yes   hooks in 1 of 4 objects: libfive.so'
	gcc -g five.c -o five
	same none "$(line functions ./five)" "no    no hooks: memory, CPU time and I/O of the whole only
compile and link with insideme-cc, or -g -finstrument-functions, or sample it as it is:"
	same "command to paste" "$(grep -o 'insideme-run --sample.*' whole)" \
		"insideme-run --sample=250 --heap-sample=512K -- ./five"
	gcc -pg five.c -o five
	same pg "$(line functions ./five)" "no    built with -pg (mcount)
use -finstrument-functions instead"
	gcc -pg -mfentry five.c -o five
	same fentry "$(line functions ./five)" "no    built with -pg -mfentry
use -finstrument-functions instead"
	clang -fxray-instrument -fxray-instruction-threshold=1 five.c -o five
	same xray "$(line functions ./five)" "no    built for XRay
use -finstrument-functions instead"
	printf '#define NO __attribute__((no_instrument_function))\nNO void __cyg_profile_func_enter(void *a, void *b) { (void)a; (void)b; }\n' >>five.c
	gcc $hooks five.c -o five
	same own "$(line functions ./five)" "no    the program defines the hooks itself
leave its __cyg_profile_func_enter out"
}

@test "functions: what starts the programs of MPI" {
	gcc five.c -o mpirun
	same mpirun "$(line functions ./mpirun)" "part  mpirun itself is not recorded, the programs that it starts are
check what it starts: insideme-run --check -- PROGRAM"
}

@test "names: debug information inside, apart, none, stripped" {
	gcc $hooks five.c -o five
	objcopy --only-keep-debug five five.debug
	objcopy --strip-debug five bare
	same none "$(line names ./bare)" "part  functions without file and line in bare
compile with -g"
	objcopy --add-gnu-debuglink=five.debug bare linked
	same apart "$(line names ./linked)" \
		"yes   debug information in the file that linked links to, if it is there"
	strip five
	same stripped "$(line names ./five)" "part  exported functions only: five is stripped
compile with -g, do not strip"
}

@test "heap and sanitizers" {
	same own "$(line heap "$bin/own_malloc")" "no    the program defines malloc itself: the heap is not counted
link the allocator as a shared library"
	gcc $hooks -fsanitize=address five.c -o five
	same asan "$(line sanitizer ./five)" "no    AddressSanitizer as a shared library ends the program when it is not loaded first
set ASAN_OPTIONS=verify_asan_link_order=0"
	same verdict "$(tail -1 whole)" './five cannot be recorded'
	export ASAN_OPTIONS=verify_asan_link_order=0
	same asan "$(line sanitizer ./five)" 'yes   AddressSanitizer, whose check of the order is off'
	same verdict "$(tail -1 whole)" './five can be recorded'
	gcc $hooks -fsanitize=thread five.c -o five
	same tsan "$(line sanitizer ./five)" 'yes   ThreadSanitizer'
	clang $hooks -fsanitize=address five.c -o five
	same asan "$(line sanitizer ./five)" 'yes   AddressSanitizer'
	same heap "$(line heap ./five)" "no    the sanitizer's malloc: the heap is not counted"
}

@test "scripts, limits, a directory that cannot be written, a library that is not there" {
	printf '#!/bin/sh\nexit 0\n' >script
	chmod +x script
	same script "$(line program ./script)" \
		'yes   a script, run by /bin/sh, linked dynamically, with glibc'
	same preload "$(LD_PRELOAD=libm.so.6 line loading ./script)" \
		'yes   libinsideme.so is loaded, before libm.so.6'
	ulimit -f 2048
	same limit "$(line limits ./script)" "part  files of at most 2 MiB: so is a log
ulimit -f unlimited"
	export INSIDEME_DIR=$PWD/script/none
	same space "$(line space ./script)" "no    $(printf %.200s "$INSIDEME_DIR") cannot be written: Not a directory
choose another directory with -d"
	same verdict "$(tail -1 whole)" './script cannot be recorded'
	mkdir alone
	cp "$build/insideme-run" alone
	run -1 alone/insideme-run --check ./script
	[[ $output == *'loading    no    libinsideme.so is not beside insideme-run nor in ../lib/insideme'* ]]
}
