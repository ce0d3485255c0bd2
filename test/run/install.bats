#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# make install, and what it installed at work.
load lib
bats_require_minimum_version 1.5.0

install_to() {
	make -s -o all -C "$here/../.." O="$build" DEV=1 PREFIX="$1" DESTDIR="$2" install >install.out 2>&1 ||
		{ cat install.out; return 1; }
}

@test "everything is where it belongs" {
	install_to /opt/insideme "$PWD/root"
	for file in bin/insideme-run bin/insideme-report bin/insideme-cc bin/insideme-c++ bin/insideme-fc \
		lib/libinsideme.so lib/insideme/libinsideme.so lib/insideme/insideme-lines.o \
		lib/insideme/insideme-line-events.o \
		lib/insideme/libinsideme-nop.so lib/pkgconfig/insideme.pc share/man/man1/insideme-run.1 \
		share/man/man1/insideme-report.1 share/man/man1/insideme-cc.1 share/man/man1/insideme-c++.1 \
			share/man/man7/insideme.7 \
		share/bash-completion/completions/insideme-run \
			share/bash-completion/completions/insideme-report; do
		[ -e "root/opt/insideme/$file" ] || { echo "$file is missing"; false; }
	done
	[ -z "$(command -v mpicc)" ] || [ -x root/opt/insideme/bin/insideme-report-mpi ]
	[ ! -e root/opt/insideme/include/insideme_log.h ]
	grep -q '^INSIDEME_THRESHOLD' <(man -l root/opt/insideme/share/man/man7/insideme.7 | sed 's/^ *//')
	grep -q '^prefix=/opt/insideme$' root/opt/insideme/lib/pkgconfig/insideme.pc
}

@test "the manuals have each option, view and format that the tools list" {
	install_to /usr "$PWD/root"
	for tool in insideme-run insideme-report; do
		MANWIDTH=500 man -l "root/usr/share/man/man1/$tool.1" >manual
		{
			"root/usr/bin/$tool" --help | grep -oE -- '--[a-z][a-z-]+'
			[ $tool = insideme-run ] || { root/usr/bin/$tool -v; root/usr/bin/$tool -f; } |
				awk '{ print $1 }'
		} | sort -u >words
		between "words of $tool" 20 "$(wc -l <words)" 200
		while read -r word; do
			grep -qE -- "(^|[^a-z-])$word([^a-z-]|$)" manual ||
				{ echo "no $word in the manual of $tool"; missing=1; }
		done <words
	done
	[ -z "$missing" ]
}

# completes WORD... : what bash offers for the last of them
completes() {
	local COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_insideme "$build/$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
	echo "${COMPREPLY[*]}"
}

@test "bash completes options, views, formats and values" {
	source "$here/../../scripts/completion.bash"
	same options "$(completes insideme-report --so)" --sort
	same views "$(completes insideme-report -v call)" 'callers callees calls'
	same formats "$(completes insideme-report --csv --format re)" 'resource-monitor resource-monitor-json'
	same values "$(completes insideme-run --timing = a)" auto
	same "all values" "$(completes insideme-run --heap =)" 'off counters live'
	same "values of an own option" "$(completes insideme-run --recording = t)" text
	same "a switch" "$(completes insideme-run --start = of)" off
	same "an option of the program" "$(completes insideme-run -q ./app x)" ''
	between "options of insideme-run" 30 "$(completes insideme-run - | wc -w)" 60
}

@test "the installed tools work, wherever they were moved" {
	install_to /usr "$PWD/root"
	run root/usr/bin/insideme-run --library
	same library "$(realpath "$output")" "$(realpath root/usr/lib/insideme/libinsideme.so)"
	run root/usr/bin/insideme-run --quiet -- "$bin/calls"
	same status "$status" 7
	run root/usr/bin/insideme-report
	same status "$status" 0
	[[ $output == *fib* ]]
	printf '#include <vector>\nint main() { std::vector<int> v(3); return v.size(); }\n' >size.cpp
	root/usr/bin/insideme-c++ size.cpp -o size
	run root/usr/bin/insideme-run --quiet -- ./size
	same status "$status" 3
	calls main 1
	rm functions.csv
	for compiler in gcc clang; do
		INSIDEME_CC=$compiler root/usr/bin/insideme-cc -Wall -Werror -x c - -o marks <<-'END'
			#include <insideme.h>
			int main(void) { return insideme_mark("here"); }
		END
		root/usr/bin/insideme-run --quiet -- ./marks
		same "marks by $compiler" "$(view marks | "$here/csv" name)" here
		same "functions by $compiler" "$(view functions | "$here/csv" function)" main
	done
	rm -rf insideme.data
	run env LD_PRELOAD=libinsideme.so LD_LIBRARY_PATH="$PWD/root/usr/lib" "$bin/calls"
	same status "$status" 7
	calls leaf 6000
}

# setup_of_nothing ARGUMENTS: scripts/setup on a Debian that has no package, which lists what it would install
setup_of_nothing() {
	mkdir -p fakes
	printf '#!/bin/sh\necho unknown ok not-installed\n' >fakes/dpkg-query
	printf '#!/bin/sh\necho "$*" >>%q\n' "$PWD/asked" >fakes/apt-get
	printf '#!/bin/sh\nexec "$@"\n' >fakes/sudo
	chmod +x fakes/*
	rm -f asked
	PATH=$PWD/fakes:$PATH "$here/../../scripts/setup" "$@"
}

@test "setup installs what the demo needs, and what tests need when asked; make check names what is missing" {
	local package
	setup_of_nothing
	for package in gcc libdw-dev libeigen3-dev iso-flags-png-320x240 wamerican; do
		grep -qw -- "$package" asked || { echo "no $package"; false; }
	done
	for package in chromium mpich bats uftrace valgrind; do
		! grep -qw -- "$package" asked || { echo "$package is not needed"; false; }
	done
	setup_of_nothing --test
	for package in gcc wamerican chromium mpich libopenmpi-dev bats uftrace valgrind; do
		grep -qw -- "$package" asked || { echo "--test: no $package"; false; }
	done
	same "packages of --torture" "$(grep -cw cmake asked)" 0
	setup_of_nothing --torture
	grep -w cmake asked | grep -qw bats
	run -1 setup_of_nothing --check
	[ ! -e asked ]
	[[ $output == 'check: packages that the tests need are missing (scripts/setup --test installs them): '*' bats '* ]]
	run -2 setup_of_nothing --everything
	[[ $(make -s -n -C "$here/../.." check | head -1) == *'scripts/setup --check'* ]]
}
