#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# How often each line runs: insideme-cc --lines beside gcov.
load lib
export PATH=$build:$PATH

source=$(realpath "$BATS_TEST_DIRNAME/../programs/counted_lines.cpp")

# built FLAGS: ours and gcov's from one source, in folders of their own
built() {
	[ "$(gcc -dumpversion)" = 12 ] || skip "counters of gcc 12 are known alone"
	mkdir -p ours theirs
	cp "$source" ours/source.cpp
	cp "$source" theirs/source.cpp
	hooks=$(sed -n 's/.*headers=\(-finstrument-functions-exclude[^ ]*\)$/\1/p' "$build/insideme-cc")
	[ -n "$hooks" ]
	# shellcheck disable=SC2086
	(cd ours && insideme-c++ --lines $1 source.cpp -o program)
	# shellcheck disable=SC2086
	(cd theirs && g++ -g -finstrument-functions $hooks --coverage $1 source.cpp -o program)
}

# their_counts: "LINE COUNT" of source.cpp as gcov has it of the runs in theirs/; what follows of templates
# are their
# instances
their_counts() {
	(cd theirs && gcov -r program-source.gcda >/dev/null 2>&1 && awk -F: '
		{ gsub(/ /, "", $1); gsub(/ /, "", $2); sub(/\*$/, "", $1) }
		$1 == "#####" || $1 == "=====" { $1 = 0 }
		$2 && $1 ~ /^[0-9]+$/ && !seen[$2]++ { print $2, $1 }' source.cpp.gcov | sort -n)
}

# our_counts [OPTIONS]: the same of the newest run
our_counts() {
	view lines --columns file,line,hits "$@" | awk -F, '$1 ~ /source.cpp$/ && $3 != "" {hits[$2] += $3}
		END {for (i in hits) print i, hits[i]}' | sort -n
}

# alike [PART [FILTER]]: every line has gcov's count, or PART (2: half) of it; FILTER: a condition of awk
alike() {
	their_counts | awk -v part="${1:-1}" "${2:-1}"' {print $1, $2 / part}' >expected
	[ "$(wc -l <expected)" -gt 40 ]
	our_counts | awk "${2:-1}" >found
	diff expected found
}

@test "gcov's count in every line, optimised or not" {
	local flags
	for flags in -O0 '-O2 -fno-inline' -O2 '-O3 -pthread'; do
		built "$flags"
		(cd theirs && ./program >/dev/null)
		monitor --quiet ours/program
		quiet
		alike || { echo "with $flags"; return 1; }
		rm -rf ours theirs insideme.data
	done
}

@test "the same without insideme-run, and without hooks" {
	built '-O2 -fno-instrument-functions'
	(cd theirs && ./program quick >/dev/null; ./program >/dev/null)
	LD_PRELOAD=$library ours/program >stdout 2>stderr
	quiet
	alike
}

# have_come: those of work() are gcov's; main() differs
have_come() { alike 1 '$1 < 104' >/dev/null 2>&1; }

@test "a killed program keeps its counts, whether insideme-run or the library copies them" {
	local pid
	built -O2
	(cd theirs && ./program >/dev/null)
	LD_PRELOAD=$library ours/program killed >stdout 2>stderr 3>&- &
	pid=$!
	wait_until have_come
	kill -KILL $pid
	wait $pid || true
	alike 1 '$1 < 104'
	rm -rf insideme.data
	"$build/insideme-run" --quiet ours/program killed >stdout 2>stderr 3>&- &
	wait_until have_come
	kill -KILL "$(view processes | "$here/csv" pid)"
	wait || true
	quiet
	alike 1 '$1 < 104'
}

@test "forked children count from 0, and an exec or _exit() loses nothing" {
	local how
	built '-O2'
	(cd theirs && for i in 1 2; do ./program; done >/dev/null)
	for how in exec fork quick; do
		rm -rf insideme.data
		LD_PRELOAD=$library ours/program $how >stdout 2>stderr
		quiet
		alike "$([ $how = quick ] && echo 2 || echo 1)" '$1 < 104' || { echo "with $how"; return 1; }
	done
}

@test "counts are kept with the run; without notes of the compiler one line says so" {
	built -O2
	(cd theirs && ./program >/dev/null)
	monitor --quiet ours/program
	quiet
	rm ours/program-source.gcno
	alike
	same "what the report said" "$(cat report.stderr)" ''
	rm insideme.data/*/lines
	our_counts >found
	same lines "$(cat found)" ''
	grep -qx "insideme-report: warning: counts of lines are not known: 1 of 1 source files have no notes of the compiler: .*/ours/program-source.gcno: No such file or directory" report.stderr
	same "lines said" "$(wc -l <report.stderr)" 1
	(cd ours && insideme-c++ --lines -O0 source.cpp -o other && mv other-source.gcno program-source.gcno)
	our_counts >found
	same lines "$(cat found)" ''
	grep -q 'program-source.gcno: of another compilation$' report.stderr
}

@test "without gcov, or with another compiler's, one line says so" {
	built -O2
	monitor --quiet ours/program
	rm insideme.data/*/lines
	mkdir tools
	PATH=$PWD/tools our_counts >found || true
	printf '#!/bin/sh\necho "{\\"gcc_version\\": \\"11.2.0\\", \\"data_file\\": \\"0.gcda\\", \\"files\\": []}"\n' >tools/gcov-12
	chmod +x tools/gcov-12
	PATH=$PWD/tools:$PATH view lines >lines.csv
	same "what the report said" "$(cat report.stderr)" \
		'insideme-report: warning: counts of lines are not known: gcov is of gcc 11.2.0, the program of gcc 12'
	INSIDEME_CC=clang run insideme-cc --lines -c "$here/../programs/calls.c"
	same status "$status" 1
	same output "$output" 'insideme-cc: --lines needs gcc: counters of clang are not known'
}

@test "nothing is written beside the program, and without the recorder it runs as usual" {
	built -O2
	ours/program >stdout
	theirs/program >expected
	diff stdout expected
	same files "$(cd ours && echo *)" 'program program-source.gcno source.cpp'
}

@test "a library that is unloaded keeps its counts" {
	cat >plugin.c <<-'END'
		int plus_one(int v)
		{
			return v + 1;
		}
		int run(int n)
		{
			int v = 0;
			for (int i = 0; i < n; i++)
				v = plus_one(v);
			return v;
		}
	END
	cat >host.c <<-'END'
		#include <dlfcn.h>
		int main(void)
		{
			int sum = 0;
			for (int i = 0; i < 3; i++) {
				void *plugin = dlopen("./plugin.so", RTLD_NOW);
				sum += ((int (*)(int))dlsym(plugin, "run"))(100);
				dlclose(plugin);
			}
			return sum != 300;
		}
	END
	[ "$(gcc -dumpversion)" = 12 ] || skip "counters of gcc 12 are known alone"
	insideme-cc --lines -fPIC -shared plugin.c -o plugin.so
	insideme-cc --lines -c host.c
	insideme-cc host.o --lines -o host
	monitor --quiet ./host
	quiet
	view lines >lines.csv
	same "calls of plus_one()" "$("$here/csv" hits line=3 function=plus_one <lines.csv)" 300
	same "the loop" "$("$here/csv" hits line=9 function=run <lines.csv)" 300
	same "the host's loop" "$("$here/csv" hits line=6 function=main <lines.csv)" 3
}

@test "threads lose counts only without locks, and the view says so" {
	local flags
	for flags in '-O2' '-O2 -pthread'; do
		built "$flags"
		monitor --quiet ours/program threads
		quiet
		"$report" -v lines >text
		same "findings with $flags" "$(tr -s '\n ' ' ' <text |
			grep -c 'its counters have no locks')" \
			"$([[ $flags = *pthread ]] && echo 0 || echo 1)"
		rm -rf ours theirs insideme.data
	done
	built '-O2 -pthread'
	(cd theirs && ./program threads >/dev/null)
	monitor --quiet ours/program threads
	alike
}

@test "hits of one run beside the times of another" {
	local line column
	[ "$(gcc -dumpversion)" = 12 ] || skip "counters of gcc 12 are known alone"
	cp "$here/../programs/lines.c" .
	line=$(grep -n '/\* 4 \*/' lines.c | cut -d: -f1)
	insideme-cc --lines -fno-instrument-functions -O2 lines.c -o counted
	gcc -g -O2 lines.c -o lines
	monitor --quiet --sample=1000 ./counted ratio 2
	sleep 1.1	# runs of one second have no order
	monitor --quiet --sample=1000 ./lines ratio 5
	view lines counted >counted.csv
	view lines lines >lines.csv
	view lines counted lines >both.csv
	for column in hits time_ns; do
		same "$column" "$("$here/csv" $column function=parts line="$line" <both.csv)" \
			"$("$here/csv" $column function=parts \
				line="$line" <"$([ $column = hits ] && echo counted || echo lines).csv")"
	done
	[ -n "$("$here/csv" time_ns function=parts line="$line" <both.csv)" ]
	[ "$("$here/csv" hits function=parts line="$line" <both.csv)" -gt 1000 ]
}

@test "hits and times, or hits and blocks, of one run in one view" {
	local of
	[ "$(gcc -dumpversion)" = 12 ] || skip "counters of gcc 12 are known alone"
	cp "$here/../programs/lines.c" .
	of="function=parts line=$(grep -n '/\* 4 \*/' lines.c | cut -d: -f1)"
	insideme-cc --lines -fno-instrument-functions -O2 lines.c -o sampled
	monitor --quiet --sample=1000 ./sampled ratio 4
	view lines --columns function,line,hits,time_ns,per_hit_ns >lines.csv
	# shellcheck disable=SC2086
	for column in hits time_ns per_hit_ns; do
		"$here/csv" $column $of <lines.csv
	done | xargs | awk '{exit !($1 > 1000 && $2 > 0 && $3 > $2 / $1 - .01 && $3 < $2 / $1 + .01)}'
	of="function=blocks line=$(grep -n '/\* small \*/' lines.c | cut -d: -f1)"
	insideme-cc --lines -O2 lines.c -o blocks
	monitor --quiet --call-lines ./blocks blocks
	view lines >lines.csv
	# shellcheck disable=SC2086
	same "blocks" "$(for column in alloc_calls alloc_bytes; do "$here/csv" $column $of <lines.csv; done |
		xargs)" \
		"20000 4000000"
	# shellcheck disable=SC2086
	between "hits, as gcov counts a loop" 20000 "$("$here/csv" hits $of <lines.csv)" 20001
	same "calls of it" "$("$here/csv" calls function=main \
		line="$(grep -n '	blocks();' lines.c | cut -d: -f1)" <lines.csv)" 1
}

# Functions that a jump leaves have begun, and not ended.
@test "calls that a longjmp() leaves, and a setjmp() that returns twice, count as gcov has them" {
	local flags
	cat >jumps.cpp <<-'END'
		#include <csetjmp>
		#include <csignal>
		static jmp_buf there;
		static sigjmp_buf back;
		static volatile int sum;
		static void down(int depth)
		{
			sum = sum + 1;
			if (depth == 0)
				longjmp(there, 7);
			down(depth - 1);
			sum = 0; /* never */
		}
		static void handler(int)
		{
			siglongjmp(back, 1);
		}
		int main()
		{
			for (volatile int i = 0; i < 30; i = i + 1) {
				if (setjmp(there) == 0)
					down(4);
				else
					sum = sum + 2; /* landed */
			}
			signal(SIGUSR1, handler);
			for (volatile int i = 0; i < 20; i = i + 1)
				if (!sigsetjmp(back, 1)) {
					raise(SIGUSR1);
					sum = 0; /* never */
				}
			return sum != 210;
		}
	END
	source=$PWD/jumps.cpp
	for flags in -O0 -O2 '-O2 -fno-inline'; do
		built "$flags"
		(cd theirs && ./program)
		monitor --quiet ours/program
		quiet
		diff <(their_counts) <(our_counts) || { echo "with $flags"; return 1; }
		[ "$flags" = -O2 ] || same "steps down with $flags" "$(our_counts | grep '^8 ')" '8 150'
		same "landings with $flags" "$(our_counts | grep '^24 ')" '24 30'
		same "after the jump with $flags" "$(our_counts | grep '^30 ' || echo '30 0')" '30 0'
		rm -rf ours theirs insideme.data
	done
}
