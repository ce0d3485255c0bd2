#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-cc, insideme-c++ and insideme-fc in place of the compiler.
load lib
bats_require_minimum_version 1.5.0
programs=$here/../programs
export PATH=$build:$PATH

# needs COMMAND PACKAGE
needs() {
	command -v "$1" >/dev/null || skip "no $1 here: $2"
}

# recorded PROGRAM ARGS...: under the library, after others
recorded() {
	rm -rf insideme.data functions.csv
	LD_PRELOAD=$library "$@" >stdout 2>stderr
}

@test "C, C++ and Fortran, by gcc and clang" {
	local compiler
	for compiler in gcc clang; do
		INSIDEME_CC=$compiler insideme-cc -pthread "$programs/calls.c" -o calls
		recorded ./calls || same status $? 7
		calls leaf 6000 fib 21891
	done
	insideme-fc "$programs/calls_fortran.f90" -o calls_fortran
	recorded ./calls_fortran
	between "functions of Fortran" 3 "$(($(wc -l < <(view functions)) - 1))" 100
}

@test "headers of the system have no hooks" {
	cat >sums.cpp <<-'END'
		#include <algorithm>
		#include <map>
		#include <vector>
		int square(int v) { return v * v; }
		int main()
		{
			std::vector<int> v;
			std::map<int, int> sums;
			for (int i = 0; i < 1000; i++)
				v.push_back(i * 7919 % 1009);
			std::sort(v.begin(), v.end());
			for (int i : v)
				sums[i % 10] += square(i);
			return sums.size();
		}
	END
	insideme-c++ -O2 sums.cpp -o sums
	recorded ./sums || same status $? 10
	same functions "$(view functions --columns function | sort | tr '\n' ' ')" \
		'function main square(int) '
	calls 'square(int)' 1000 main 1
	INSIDEME_CXX=clang++ insideme-c++ -O2 sums.cpp -o sums
	recorded ./sums || same status $? 10
	calls main 1
}

@test "what is no compilation is left alone" {
	local compiler option
	printf '#define TEXT a b\nint main(void) { return 3; }\n' >some.c
	printf '.globl f\nf: ret\n' >some.s
	for compiler in gcc clang; do
		for option in --version -dumpversion -dumpmachine -v -print-search-dirs --help '-E some.c' \
			'-E -dM some.c' \
			'-M some.c' '-MM some.c' '-E -' '-E -v some.c'; do
			# shellcheck disable=SC2086
			INSIDEME_CC=$compiler insideme-cc $option <some.c >with 2>&1
			# shellcheck disable=SC2086
			$compiler $option <some.c >without 2>&1
			diff without with || { echo "$compiler $option"; false; }
		done
		export INSIDEME_CC=$compiler
		insideme-cc -Werror -Wall -c some.s -o asm.o
		insideme-cc -Werror -Wall -MMD -c some.c -o some.o
		grep -q 'some.o: some.c' some.d
		insideme-cc -Werror -Wall some.o -o some
		insideme-cc -Werror -Wall -x c - -o piped <some.c
		nm some.o | grep -q 'U __cyg_profile_func_enter'
		run ./some
		same status "$status" 3
		run ./piped
		same status "$status" 3
	done
}

@test "arguments arrive as they were typed" {
	printf '#include <stdio.h>\nint main(void) { puts(TEXT); }\n' >'a "strange" $name.c'
	insideme-cc -DTEXT='"it'"'"'s $HOME, * and \\ `x`"' 'a "strange" $name.c' -o 'out put'
	run './out put'
	same output "$output" "it's \$HOME, * and \\ \`x\`"
	mkdir 'with blank'
	ln -s "$(command -v gcc)" 'with blank/gcc'
	run env INSIDEME_CC="$PWD/with blank/gcc" insideme-cc --version
	same first "${lines[0]#*gcc }" "$(gcc --version | sed -n '1s/^gcc //p')"
	INSIDEME_CC='gcc -DTEXT="both"' insideme-cc 'a "strange" $name.c' -o both
	same both "$(./both)" both
}

@test "gcc is known by its maker, in every language; others get what clang gets" {
	printf '#!/bin/sh\necho "$*"\n' >other
	chmod +x other
	same other "$(INSIDEME_CC=./other insideme-cc -c x.c)" \
		'-g -finstrument-functions-after-inlining -c x.c'
	printf '#!/bin/sh\n[ "$LC_ALL$1" != C--version ] || exec gcc --version\necho "$*"\n' >translated
	chmod +x translated
	same gcc "$(LC_ALL=de_DE.UTF-8 INSIDEME_CC=./translated insideme-cc -c x.c 2>/dev/null)" \
		"-g -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include/,/include/c++/,\
/lib/gcc/,insideme.f90 -c x.c"
}

@test "the compiler's failure is ours, and so is its absence" {
	echo 'int main(void) { return }' >wrong.c
	run insideme-cc -c wrong.c
	same status "$status" 1
	[[ $output == *'wrong.c:1:'*error* ]]
	INSIDEME_CC=no-such-compiler run -127 insideme-cc -c wrong.c
	same status "$status" 127
	[[ $output == *no-such-compiler*'not found'* ]]
	INSIDEME_CC=insideme-cc run insideme-cc -c wrong.c
	same status "$status" 1
	same output "$output" \
		'insideme-cc: insideme-cc calls insideme-cc again: set INSIDEME_CC to the compiler itself'
}

@test "the compiler's choice is no wrong setting" {
	INSIDEME_CC=gcc INSIDEME_CXX=g++ INSIDEME_FC=gfortran INSIDEME_PAGER=more record calls ||
		same status $? 7
	quiet
}

# A project of a program and a library of its own.
project() {
	printf 'int part(int v);\nint main(void) { int s = 0; for (int i = 0; i < 50; i++) s += part(i); return s > 0; }\n' >main.c
	printf 'int part(int v) { return v + 1; }\n' >part.c
}

@test "plain make" {
	project
	printf 'app: main.o part.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n' >Makefile
	make -s CC=insideme-cc CFLAGS='-O2 -Wall -Werror'
	recorded ./app || same status $? 1
	calls part 50 main 1
}

@test "cmake" {
	needs cmake 'scripts/setup --torture'
	project
	printf '#include <vector>\nextern "C" int sum() { std::vector<int> v(9); return v.size(); }\n' \
		>sum.cpp
	cat >CMakeLists.txt <<-'END'
		cmake_minimum_required(VERSION 3.10)
		project(app C CXX)
		add_library(part SHARED part.c sum.cpp)
		add_executable(app main.c)
		target_link_libraries(app part)
	END
	cmake -B out -DCMAKE_C_COMPILER=insideme-cc -DCMAKE_CXX_COMPILER=insideme-c++ . >cmake.out 2>&1 ||
		{ cat cmake.out; false; }
	grep -q 'C compiler identification is GNU' cmake.out
	cmake --build out >build.out 2>&1 || { cat build.out; false; }
	recorded out/app || same status $? 1
	calls part 50 main 1
}

@test "autotools" {
	needs autoreconf scripts/setup
	needs automake scripts/setup
	project
	printf 'AC_INIT([app], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
	printf 'bin_PROGRAMS = app\napp_SOURCES = main.c part.c\n' >Makefile.am
	autoreconf -i >autoreconf.out 2>&1 || { cat autoreconf.out; false; }
	./configure -q CC=insideme-cc >configure.out 2>&1 || { cat configure.out; false; }
	make -s >make.out 2>&1 || { cat make.out; false; }
	recorded ./app || same status $? 1
	calls part 50 main 1
}

@test "mpicc of Open MPI and MPICH" {
	local mpicc
	project
	for mpicc in mpicc.openmpi mpicc.mpich; do
		needs $mpicc scripts/setup
		OMPI_CC=insideme-cc MPICH_CC=insideme-cc $mpicc -O2 main.c part.c -o app
		recorded ./app || same status $? 1
		calls part 50 main 1
	done
}

@test "insideme.h is accepted by all compilers, standards and strict warnings" {
	cp "$here/../../include/insideme.h" .
	printf '%s\n' '#include "insideme.h"' 'void f(void);' 'void f(void)' '{' 'INSIDEME_REGION("r");' \
		'INSIDEME_FUNCTION();' 'INSIDEME_FIELD("x");' \
		'insideme_begin("b");' 'insideme_end("b");' 'insideme_summary(stdout);' '}' >uses.c
	cp uses.c uses.cpp
	for compiler in gcc clang; do
		$compiler -std=c90 -Wall -Wextra -Wshadow -Werror -c uses.c	# pedantic it has no long long
		for standard in c99 c11 gnu17; do
			$compiler -std=$standard -Wall -Wextra -Wshadow -Wpedantic -Werror -c uses.c
		done
	done
	for compiler in g++ clang++; do
		for standard in c++11 c++20; do
			$compiler -std=$standard -Wall -Wextra -Wshadow -Wpedantic -Werror -c uses.cpp
		done
	done
}
