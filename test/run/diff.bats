#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --diff: two runs side by side, matched by the names of functions and call paths.
load lib

# version NAME TIMES OTHER: a program whose main() calls same() so many times, and a function OTHER three
# times.
version() {
	cat >"$1.c" <<-END
		#include <stdlib.h>
		static void *volatile keep;
		static int pad(int x) { return x + 1; }
		void same(void) { keep = malloc($2); free(keep); }
		void $3(void) { same(); }
		int main(void)
		{
			int x = pad(0);
			for (int i = 0; i < $2; i++)
				same();
			for (int i = 0; i < 3; i++)
				$3();
			return x - 1;
		}
	END
	gcc -g -O1 -finstrument-functions "$1.c" -o "$1"
	monitor --run "$1.run" -q -- "./$1"
}

# row COLUMN [OTHER=VALUE]...: of diff.csv
row() { "$here/csv" "$@" <diff.csv; }

@test "functions of two programs: both sides, the change, and what only one of them has" {
	version old 10 gone
	version new 25 fresh
	"$report" --diff old.run -f csv new.run >diff.csv
	same "same before" "$(row calls_before function=same)" 13
	same "same after" "$(row calls_after function=same)" 28
	same "same's change" "$(row calls_change function=same)" 15
	same "same's bytes" "$(row alloc_change_bytes function=same)" $((28 * 25 - 13 * 10))
	same "in" "$(row found function=same) $(row found function=gone) $(row found function=fresh)" \
		"both before after"
	same "gone" "$(row calls_before function=gone) $(row calls_after function=gone) $(row calls_change \
		function=gone)" "3 0 -3"
	same "fresh" "$(row calls_change function=fresh)" 3
	run "$report" --diff old.run new.run
	[[ $output == *"different programs, old before and new after"* && $output == *"Before"*old.run* &&
		$output == *"After"*new.run* ]]
}

@test "call paths are matched by the names on them" {
	version old 10 gone
	version new 25 fresh
	"$report" -v tree --diff old.run -f csv new.run >diff.csv
	same "main;same" "$(row calls_change "path=main;same")" 15
	same "main;gone;same" "$(row calls_before "path=main;gone;same") $(row calls_after \
		"path=main;gone;same")" "3 0"
	same "main;fresh;same" "$(row found "path=main;fresh;same")" after
	same "paths" "$(sed 1d diff.csv | wc -l)" 7
	"$report" -v tree --diff old.run -f json new.run | jq -e '.tree | length == 7' >/dev/null
}

@test "each side has what its own report says; what changed most comes first" {
	version old 10 gone
	version new 200 gone
	"$report" --diff old.run -f csv new.run >diff.csv
	for side in before=old after=new; do
		"$report" -v functions -f csv "${side#*=}.run" >functions.csv
		for function in same gone main pad; do
			for column in self total; do
				same "$column of $function ${side%=*}" \
					"$(row "${column}_${side%=*}_ns" "function=$function")" \
					"$(value ${column}_ns "function=$function")"
			done
		done
	done
	"$here/csv" self_change_ns <diff.csv | tr -d - >changes
	sort -nrc changes
}

@test "a change that is not known leads no table" {
	echo '#define IN(name, n) __attribute__((noinline)) void name(int i) { __asm__("" :: "r"(i)); } \
	      __attribute__((noinline)) void name##_loop(int i) { while (i-- > 0) name(i); }
	      IN(tiny, 1) IN(least, 2)
	      int main(int argc, char **argv) { tiny_loop(argc * 300000); least_loop(argc * 300000); return 0; }' |
		gcc -O1 -finstrument-functions -x c - -o short
	monitor -q --run=old.run -- ./short
	monitor -q --run=new.run -- ./short again
	"$report" --diff old.run -f csv new.run >diff.csv
	same "time of tiny" "$(row self_before_ns function=tiny)" ''
	"$here/csv" self_change_ns <diff.csv >changes
	awk '$1 == "" { none = 1 } $1 != "" && none { print "below unknown ones: " $1; exit 1 }' changes
}

@test "of several runs, times of each are those that a report of it alone shows, in --diff, --gate and files" {
	echo '#include <stdlib.h>
	      int by_value(const void *a, const void *b) { return *(int *)a - *(int *)b; }
	      __attribute__((noinline)) void sort(int *numbers) { qsort(numbers, 3000000, sizeof(int), by_value); }
	      int main(void) {
	      	static int numbers[3000000];
	      	for (int i = 0; i < 3000000; i++) numbers[i] = rand() % 100000000;
	      	sort(numbers);
	      	return 0; }' >sort.c
	gcc -O2 -finstrument-functions sort.c -o hooked
	for run in old.1 old.2 old.3 old.4 new.1 new.2 new.3 new.4; do
		monitor -q --run=$run -- ./hooked
		"$report" -v functions -f csv $run >alone.$run
		[ -n "$("$here/csv" self_ns function=by_value <alone.$run)" ] || skip "too few samples met it"
	done
	mean() {	# COLUMN FUNCTION: of the new runs, as reports of each show it
		for i in 1 2 3 4; do "$here/csv" $1 function=$2 <alone.new.$i; done |
			awk '{ sum += $1 } END { printf "%.0f", sum / NR }'
	}
	"$report" --diff 'old.*' -f csv 'new.*' >diff.csv
	"$report" --save old.insideme 'old.*'
	"$report" --save new.insideme 'new.*'
	for column in self total; do
		for function in by_value sort main; do
			alone=$(mean ${column}_ns $function)
			found=$(row ${column}_after_ns function=$function)
			between "$column of $function in --diff" $((alone - 2)) "${found%.*}" $((alone + 2))
			for runs in "old.* new.*" "old.insideme new.insideme"; do
				set -f
				set -- $runs
				set +f
				"$report" --gate "${column}_ns of $function <= base + 900%" -f csv \
					--diff "$1" "$2" >gate.csv || true
				found=$("$here/csv" after <gate.csv)
				between "$column of $function in --gate of $1" \
					$((alone - 2)) "${found%.*}" $((alone + 2))
			done
		done
	done
	same "sure of sort" "$(row self_sure function=sort | grep -cE 'slower|faster|noise')" 1
}

@test "a function whose namesake only one of the runs has is the same in both; what is not there has no mean" {
	"$bin/golden" insideme.data
	"$report" --diff last~1 -f csv last >diff.csv	# main of tool.c ran in the earlier one only
	same "main" "$(row calls_before function=main file=/golden/src/app.cpp) $(row calls_after \
		function=main file=/golden/src/app.cpp)" "2 2"
	same "main of the tool" "$(row found function=main file=/golden/src/tool.c)" before
	same "its mean" "$(row mean_before_ns function=main file=/golden/src/tool.c) $(row mean_after_ns \
		function=main file=/golden/src/tool.c)" "60000000 "
	"$report" -v tree --diff last~1 -f csv last >diff.csv
	same "paths below main" "$(row found 'path=main;Grid::step(int)')" both
}

@test "main of two programs, of files of one name: each is its own" {
	for name in one two; do
		mkdir $name
		echo 'int main(void) { return 0; }' >$name/main.c
		gcc -g -finstrument-functions $name/main.c -o $name/$name
	done
	monitor --run both.run -q -- sh -c 'one/one; two/two; exit 0'
	monitor --run first.run -q -- one/one
	"$report" --diff both.run -f csv first.run >diff.csv
	same "of one" "$(row calls_before function=main module=one) $(row calls_after function=main \
		module=one)" "1 1"
	same "of two" "$(row calls_before function=main module=two) $(row found function=main module=two)" \
		"1 before"
}

@test "a run beside itself: no change, and no doubt" {
	record calls || same status $? 7
	"$report" --diff last -f csv >diff.csv
	same "changes" "$(row self_change_ns | sort -u) $(row calls_change | sort -u) $(row found |
		sort -u)" "0 0 both"
	run "$report" --diff last
	[[ $output != *Doubt* ]]
}

@test "a saved profile is as good as its run" {
	version old 10 gone
	version new 25 fresh
	"$report" --save old.profile old.run
	"$report" --diff old.profile -f csv new.run >diff.csv
	"$report" --diff old.run -f csv new.run | cmp - diff.csv
	run "$report" --diff new.run -o out/ old.profile
	same status "$status" 0
	[ ! -e out/resources.svg ]
}

@test "a program without functions, and one whose names are others: said, no failure" {
	version old 10 gone
	monitor --run none.run -q -- true
	run "$report" --diff none.run old.run
	same "status" "$status" 0
	run "$report" --diff old.run none.run
	same "status" "$status" 0
	cp old stripped && strip stripped && monitor --run stripped.run -q -- ./stripped
	run "$report" --diff old.run stripped.run
	[[ $output == *"no function has the same name in both"* ]]
	same "status" "$status" 0
}

@test "what cannot be compared: one line, and its status" {
	record calls || same status $? 7
	run "$report" --diff no.such.run
	same "status" "$status" 1
	run "$report" -v calls --diff last
	same "status" "$status" 2
	[[ $output == *"--diff: only with -v functions, tree as text, csv, json or markdown, \
or with -f html, dot or folded"* ]]
	run "$report" -f mprof --diff last
	same "status" "$status" 2
	run "$report" --diff last --save x
	same "status" "$status" 2
	run "$report" --diff last --follow
	same "status" "$status" 2
}

@test "-o DIRECTORY/ has the comparison too" {
	version old 10 gone
	version new 25 fresh
	"$report" --diff old.run -o out/ new.run
	same "same's change" "$("$here/csv" calls_change function=same <out/functions-diff.csv)" 15
	[ -s out/tree-diff.csv ] && [ -s out/insideme.html ]
}

@test "who may read what was there may read what replaces it; what is protected stays" {
	run record calls
	for made in '--save file' '-f html -o file'; do
		echo before >file
		chmod 600 file
		"$report" $made
		same "permissions after $made" "$(stat -c %a file)" 600
		between "size after $made" 1000 "$(stat -c %s file)" 20000000
	done
	[ "$(id -u)" -ne 0 ] || return 0	# who may write anything
	echo before >file
	chmod 400 file
	run "$report" --save file
	same "status" "$status" 1
	same "what was there" "$(cat file)" before
}
