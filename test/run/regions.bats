#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Regions of the source are measured as functions are, with hooks in the program and without.
load lib

variants='.plain .plain.clang .slow .slow.clang .nopie .clang'

# alike PROGRAM ARGS...: output and exit status are those of the program alone; for each way to build it
alike() {
	rm -rf insideme.data functions.csv
	local expected=0 status=0
	"$bin/$1" "${@:2}" >plain.stdout 2>plain.stderr || expected=$?
	record "$@" || status=$?
	same "exit status of $1" "$status" "$expected" && cmp stdout plain.stdout && quiet
}

# paths PATH N...: calls of a path of the tree
paths() {
	view tree >tree.csv
	while [ $# -gt 1 ]; do
		same "calls of $1" "$("$here/csv" calls "path=$1" <tree.csv)" "$2" || return 1
		shift 2
	done
}

@test "regions count, nest, recurse, and come from threads and handlers" {
	for variant in '' $variants; do
		alike "regions$variant"
		same "calls of $variant" "$(value calls function=inner),$(value calls function=again)" \
			2000,500
		case $variant in
		.plain*)
			paths step 1000 'step;inner' 2000 'step;again' 500 'loop;loop;loop' 300 \
				'raise;handler' 10 thread 400
			same "functions" "$(value calls function=main)" '' ;;
		*)
			paths 'main;ordinary;step;step;inner' 2000 'main;ordinary;step;step;again' 500 \
				'main;ordinary;loop;loop;loop;loop;loop;loop' 300 'run_thread;thread' 400 \
				'main;ordinary;raise;handler;handler' 10 ;;
		esac
		view quality >quality.csv
		! grep -E 'broken_calls|unknown_exits|lost_' quality.csv || return 1
	done
}

@test "without hooks a region has its times" {
	record regions.plain
	between "total of step" 1 "$(value total_ns function=step)" 1000000000
	between "self of step" 0 "$(value self_ns function=step)" "$(value total_ns function=step)"
}

@test "timing can be auto, and counts alone" {
	for timing in auto counts; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record regions.plain
		calls step 1000 inner 2000 again 500 loop 900 thread 400 handler 10
	done
}

@test "a longjmp ends the region that it leaves" {
	for variant in '' $variants; do
		alike "regions$variant" jumps
		case $variant in
		.plain*) paths left 50 after 50 ;;
		*) paths 'main;jumps;leave;left' 50 'main;jumps;after;after' 50 ;;
		esac
	done
}

@test "a forked child goes on in the regions that were open" {
	for variant in .plain .clang; do
		alike "regions$variant" fork
		case $variant in
		.plain) paths parent_part 2 'parent_part;child_part' 7 ;;
		*) paths 'main;forks;parent_part;child_part' 7 ;;
		esac
	done
}

@test "names of any kind come out right" {
	alike regions.plain names
	for name in 'a,b;c' 'say "hi"' $'two\nlines' $'tab\there' $'\xff\xfe bytes' '(no name)' \
		'f(int) const' 'grün' \
		'<script>alert(1)</script>' "$(printf 'x%.0s' {1..255})"; do
		same "calls of $name" "$(value calls "function=$name")" 1
	done
	same "names" "$(value function | wc -l)" 11
	"$report" -v functions -f json | jq -r '.functions[].function' | LC_ALL=C sort >names
	grep -qx 'a,b;c' names
	grep -qx 'say "hi"' names
	grep -qxF 'f(int) const' names
	grep -qx '�� bytes' names
	"$report" -v functions | grep -F 'f(int) const (region)'
}

@test "misuse gives its error and leaves the log sound" {
	for variant in .plain .clang; do
		alike "regions$variant" misuse
		calls outer 1 'left open' 3 'open too' 3 'open at the end' 1
		view quality >quality.csv
		same "ends without a begin" "$("$here/csv" value finding=unknown_exits <quality.csv)" 1
	done
}

@test "a saved profile has the regions, and adds them up with a run" {
	record regions.plain
	"$report" --save saved.profile
	value calls function=step
	same "saved" "$("$report" saved.profile -v functions -f csv | "$here/csv" calls function=step)" 1000
	same "added" "$("$report" saved.profile "$(echo insideme.data/2*)" -v functions -f csv |
		"$here/csv" calls function=step)" 2000
}

@test "regions in C++: before main, left by return and by exceptions" {
	for variant in '' $variants; do
		alike "regions_cpp$variant"
		same "regions" "$(for name in early work part thrown caught; do value calls "function=$name" |
			head -1; done | xargs)" \
			'1 200 200 100 50'
		view tree >tree.csv
		same "caught in what was left" "$(grep -c 'thrown[^,]*;caught' tree.csv)" 0
		[[ $variant != .plain* ]] || paths 'work;part' 200 'thrown;thrown' 50 caught 50
	done
}

@test "regions in Fortran, with the frames of the module's procedures between" {
	for variant in '' .plain .slow; do
		alike "regions_fortran$variant"
		view tree >tree.csv
		same "step" "$(value calls function=step),$(value calls function=inner | sort -u | xargs)" \
			100,200
		[ "$variant" = .plain ] || same "small in inner" \
			"$("$here/csv" calls path='main;regions_fortran;step;inner;inner;small' <tree.csv)" \
			200
		view quality >quality.csv
		! grep -E 'broken_calls|unknown_exits' quality.csv || return 1
		view marks >marks.csv
		same "marks" "$("$here/csv" name kind=mark <marks.csv),$("$here/csv" text \
			kind=failure <marks.csv)" 'done,no answer'
		"$report" -v resources --columns column,min | grep -E 'residual +0.01'
		view timers >timers.csv
		same "solve" "$("$here/csv" calls timer=solve <timers.csv)" 4
		same "inside, in its stage" "$("$here/csv" calls timer=inside stage=solving <timers.csv)" 3
		same "solver" "$(view fields | "$here/csv" calls field=solver)" 100
		same "sum" "$(cat stdout)" 'sum 254'
		same "summary" "$(tr -d ' ' <summary | cut -d'|' -f1,3 | xargs)" \
			'Timer|Calls inner|200 inside|3 solve|4 stagesolving|1 step|100'
		same "aligned" "$(awk '{ print length }' summary | sort -u)" 56
	done
}

@test "regions of several names that one line begins lie in each other, and are left by jumps" {
	cat >loops.c <<-'END'
	#include <insideme.h>
	#include <setjmp.h>
	static const char *const names[] = { "a", "b", "c" };
	static jmp_buf again;
	int main(void)
	{
		for (int round = 0; round < 5; round++) {
			for (int i = 0; i < 3; i++)
				insideme_begin(names[i]);
			for (int i = 2; i >= 0; i--)
				insideme_end(names[i]);
		}
		for (volatile int i = 0; i < 4; i++) {
			if (setjmp(again))
				continue;
			insideme_begin("left");
			longjmp(again, 1);
		}
		return 0;
	}
	END
	local options
	for options in -O0 -O2; do
		rm -rf insideme.data functions.csv
		gcc $options -I"$here/../../include" loops.c -o loops -ldl
		LD_PRELOAD=$library ./loops
		view tree --sort calls --columns path,calls >tree.csv
		same "calls of a > b > c" "$("$here/csv" calls 'path=a;b;c' <tree.csv)" 5
		same "calls of left" "$("$here/csv" calls path=left <tree.csv)" 4
		same "paths" "$(tail -n +2 tree.csv | wc -l)" 4
	done
}
