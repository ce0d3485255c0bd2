#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The dead ends that a newcomer can run into: exactly what is typed and exactly what is read. What changes
# from one
# run to the next is masked: times, sizes, pids.
load lib
bats_require_minimum_version 1.5.0
export PATH=$build:$PATH

insideme-report() { "$report" "$@"; }

# mask: numbers with their units become N, runs lose their date
mask() {
	perl -pe 's/\d{8}-\d{6}-/DATE-/g; s/(today|\d{4}-\d\d-\d\d) [\d:]{8}(, \d+ s ago)?/WHEN/; s/(?<![\w.-])\d[\d.]*( [kM]\b)?( (ns|us|ms|s|[KMG]iB|B)\b)?( %)?/N/g'
}

# part LABEL [OPTIONS]: what the first page says from the line that begins with LABEL up to the next empty one
part() {
	insideme-report "${@:2}" 2>&1 | sed -n "/^$1/,/^\$/p" | sed '/^$/d'
}

# reads EXPECTED: stdin is the same
reads() {
	diff <(printf '%s\n' "$1") - && return
	echo "^ expected < , found >"
	return 1
}

how_to_build='            insideme-cc ...      (or insideme-c++, insideme-fc, in place of cc, c++, gfortran), or with
            gcc -g -O2 -finstrument-functions ...      (also g++, gfortran, clang)'

@test "the library is not found: ld.so says so, and the report how to record" {
	gcc -O2 -x c - -o app <<<'int main(void) { return 0; }'
	LD_PRELOAD=libinsideme.so ./app 2>&1 | reads "ERROR: ld.so: object 'libinsideme.so' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored."
	insideme-report 2>&1 | reads \
		'insideme-report: no runs in ./insideme.data: record one with: insideme-run ./app'
}

@test "no hooks" {
	gcc -O2 -x c - -o app <<<'int main(void) { return 0; }'
	insideme-run ./app 2>&1 | mask | reads \
		'insideme: N calls, N; read with: insideme-report insideme.data/DATE-app'
	part Time | mask | reads "Time      CPU time of all: N
          no functions were recorded: app has no hooks.
          Sample it as it is, for functions by CPU time and who allocates:
            insideme-run --sample=N --heap-sample=NK -- ./app
          Or compile and link it, for all calls, with
$how_to_build"
}

@test "built with -pg, or for another tracer" {
	local flags
	echo 'int main(void) { return 0; }' >app.c
	gcc -pg app.c -o app
	insideme-run -q -- ./app
	part Time | mask | reads "Time      CPU time of all: N
          no functions were recorded: app was built with -pg or another tracer: use -finstrument-functions instead.
          Compile and link it with
$how_to_build"
	for flags in '-pg -mfentry' -fpatchable-function-entry=5; do
		# shellcheck disable=SC2086
		gcc $flags app.c -o app
		insideme-run -q -- ./app
		[[ $(part Time) == *'app was built '*'another tracer'*': use -finstrument-functions instead.'* ]]
	done
	clang -fxray-instrument -fxray-instruction-threshold=1 app.c -o app
	insideme-run -q -- ./app
	[[ $(part Time) == *'app was built for XRay (-fxray-instrument): use -finstrument-functions instead.'* ]]
}

@test "hooks that the program defines itself, in it or in a library" {
	printf 'void %s_enter(void *f, void *c) { f = c; }\nvoid %s_exit(void *f, void *c) { f = c; }\n' \
		__cyg_profile_func __cyg_profile_func >hooks.c
	gcc -c hooks.c
	gcc -finstrument-functions -x c - -x none hooks.o -o app <<<'int main(void) { return 0; }'
	insideme-run -q -- ./app
	part Time | mask | reads 'Time      CPU time of all: N
          no functions were recorded: app defines the hooks itself.
          Remove its __cyg_profile_func_enter and __cyg_profile_func_exit'
	gcc -shared -fPIC hooks.c -o libhooks.so
	gcc -finstrument-functions -x c - -o app <<<'int main(void) { return 0; }'
	LD_PRELOAD=$PWD/libhooks.so:$library ./app
	[[ $(part Time) == *'no functions were recorded: libhooks.so defines the hooks itself.'* ]]
}

@test "hooks that nothing called" {
	gcc -finstrument-functions -shared -fPIC -x c - -o libidle.so <<<'void idle(void) { }'
	gcc -Wl,--no-as-needed -x c - -o app -L. -lidle -Wl,-rpath,"$PWD" <<<'int main(void) { return 0; }'
	insideme-run -q -- ./app
	part Time | mask | reads 'Time      CPU time of all: N
          no functions were recorded: app has hooks, but none was called'
}

@test "hooks whose calls were all left out" {
	gcc -finstrument-functions -x c - -o app <<<'int main(void) { return 0; }'
	insideme-run -q --focus=mian --depth=2 -- ./app
	part Time | mask | reads 'Time      CPU time of all: N
          no functions were recorded: app has hooks, but all calls were left out
          (INSIDEME_FOCUS=mian, INSIDEME_DEPTH=N)'
}

@test "a script: its interpreter has no hooks" {
	insideme-run -q -- /usr/bin/perl -e '1'
	part Time | mask | reads 'Time      CPU time of all: N
          no functions were recorded: perl is an interpreter: CPU, memory and I/O of what it runs are recorded,
          and functions of C, C++ or Fortran libraries and programs that were built with hooks'
	insideme-run -q -- /bin/sh -c '/usr/bin/perl -e "1 for 1 .. 300000"; true'
	[[ $(part Time) == *'none of the 2 processes has hooks.'*'perl is an interpreter'* ]]
}

@test "old runs around: the newest has no functions, an older one has" {
	insideme-run -q -- "$bin/calls" || same status $? 7
	insideme-run -q -- true
	part Time | tail -1 | mask | reads \
		'          newest run that has some: insideme-report insideme.data/DATE-calls'
	[[ $(insideme-report last~1) == *fib* ]]
}

@test "LD_PRELOAD is exported: every command is a run, but for the report" {
	export LD_PRELOAD=$library
	"$bin/calls" || same status $? 7
	/bin/true
	"$build/insideme-report" >page
	unset LD_PRELOAD
	sed -n '/^Time/,/^$/p' page | sed '/^$/d' | mask | reads 'Time      CPU time of all: N
          no functions were recorded: true has no hooks.
          Sample it as it is, for functions by CPU time and who allocates:
            insideme-run --sample=N --heap-sample=NK -- /bin/true
          Or compile and link it, for all calls, with
'"$how_to_build"'
          LD_PRELOAD is exported here, so that every command is a run: unset LD_PRELOAD, and use insideme-run ./app
          newest run that has some: insideme-report insideme.data/DATE-calls'
	same "runs of the report" "$(find insideme.data -name '*insideme-report*')" ''
	INSIDEME_PAGER='sed -n p' python3 "$here/on_terminal.py" 4 100 '' /usr/bin/env LD_PRELOAD="$library" \
		"$build/insideme-report" >shown
	[[ $(cat shown) == *'LD_PRELOAD is exported here'* ]]
	same "runs of the pager" "$(find insideme.data -name '*-sed*' -o -name '*-sh*' -o -name '*-dash*')" ''
}

@test "no debug information, no symbols" {
	cat >app.c <<-'END'
		__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
		int main(void) { for (int i = 0; i < 9; i++) work(); return 0; }
	END
	gcc -O2 -finstrument-functions app.c -o app
	insideme-run -q -- ./app
	view functions --columns function,file,calls | sort | reads 'function,file,calls
main,,1
work,,9'
	strip app
	insideme-run -q -- ./app
	part Doubts | sed -E 's/, [0-9.]+ %/, N %/; s|/.*/app|/app|' | tr -s ' \n' ' ' |
		grep -o '2 functions without.*them' |
		reads '2 functions without a name, N % of the time in functions: /app has no symbols for them'
}

@test "static, setuid: said before, and on the first page" {
	gcc -static -x c - -o app <<<'int main(void) { return 5; }'
	run -5 insideme-run ./app
	same "what insideme-run says" "$output" \
		'insideme: ./app is not recorded: it is linked statically; link it dynamically'
	insideme-report | mask | sed '/^$/d' | reads 'insideme.data/DATE-app     WHEN
Time      no functions were recorded: ./app is not recorded: it is linked statically; link it dynamically
Others    app, pid N, exit status N: did not load the recorder; N of CPU, at most N
Next      insideme-report -v resources    CPU, memory, faults and I/O over time
          insideme-report -v quality      how far to trust this'
	LD_PRELOAD=$library INSIDEME_DIR=alone run -5 ./app
	same "what a static program says" "$output" ''
	INSIDEME_DIR=alone run -1 insideme-report
	same report "$output" 'insideme-report: no runs in ./alone: record one with: insideme-run ./app'
	[ "$(id -u)" = 0 ] || skip "a program of another user needs root"
	gcc -x c - -o app <<<'int main(void) { return 0; }'
	chown nobody app
	chmod 4755 app
	insideme-run ./app 2>/dev/null
	part Time | reads 'Time      no functions were recorded: ./app is not recorded: it gains rights when it starts (setuid, setgid or capabilities); run a copy that gains none'
}

@test "the bare flag on C++: the flags that the first page prints do what it says" {
	local flags left
	cat >app.cpp <<-'END'
		#include <algorithm>
		#include <cstdio>
		#include <map>
		#include <vector>
		static int score(int v) { return v * 7 % 1009; }
		__attribute__((noinline)) static long sums(const std::vector<int> &v)
		{
			std::map<int, int> m;
			long sum = 0;
			for (int i : v)
				m[i % 500] += score(i) + score(i + 1) + score(i + 2);
			for (auto &p : m)
				sum += p.second;
			return sum;
		}
		int main()
		{
			std::vector<int> v;
			for (int i = 0; i < 20000; i++)
				v.push_back(i * 7919 % 20011);
			std::sort(v.begin(), v.end());
			printf("%ld\n", sums(v));
		}
	END
	g++ -g -O2 -finstrument-functions app.cpp -o app
	for ((i = 0; i < 50; i++)); do	# whose processor is taken away within score() finds it long
		insideme-run -q --timing=exact -- ./app >first
		[[ $(part Flags) != *-function-list=score* ]] || break
	done
	part Flags | mask | reads 'Flags     N of N calls take less than N, their hooks N more.
          Compile with
            -finstrument-functions-exclude-file-list=/include/c++/
            -finstrument-functions-exclude-function-list=score
          and at most N calls are left
          (clang: -finstrument-functions-after-inlining instead)'
	flags=$(part Flags | grep -- '^ *-fin' | tr -d '\n')
	left=$(part Flags | sed -n 's/.*at most \([0-9]*\) calls.*/\1/p')
	# shellcheck disable=SC2086
	g++ -g -O2 -finstrument-functions $flags app.cpp -o app
	insideme-run -q -- ./app >second
	cmp first second
	same "functions left" "$(view functions --columns function | sort | tr '\n' ' ')" \
		'"sums(std::vector<int, std::allocator<int> > const&)" function main '
	between "calls left" 1 "$(view summary | sed -n 's/^run,1,calls,//p')" "$left"
	same "flags then" "$(part Flags)" ''
}

# Counted calls cost less than timed ones, but the compiler does not inline what has hooks.
@test "flags for short calls that are counted" {
	cat >app.c <<-'END'
		#include <stdio.h>
		static int score(int x) { return x & 3; }
		static long work(int from)
		{
			long n = 0;
			for (int i = 0; i < 20000; i++)
				n += score(i ^ from);
			return n;
		}
		int main(void)
		{
			long n = 0;
			for (int i = 0; i < 1000; i++)
				n += work(i);
			printf("%ld\n", n);
		}
	END
	cc -g -O2 -finstrument-functions app.c -o app
	insideme-run -q -- ./app
	same "calls that may be left" "$(part Flags | sed -n 's/.*at most \(.*\) calls.*/\1/p')" 1001
	part Flags | mask | reads 'Flags     N of N calls take less than N, most of which were only counted.
          Hooks slow them down all the same, and keep the compiler from inlining them.
          Compile with
            -finstrument-functions-exclude-function-list=score
          and at most N calls are left
          (clang: -finstrument-functions-after-inlining instead)'
	[[ $(part Time | xargs) == *"of the CPU time"*", and more where they kept the compiler from inlining"* ]]
	cc -g -O2 -finstrument-functions -finstrument-functions-exclude-function-list=score app.c -o app
	insideme-run -q -- ./app
	same "calls left" "$(view summary | sed -n 's/^run,1,calls,//p')" 1001
	same "flags then" "$(part Flags)" ''
}

# A list has 20 names, which stand for 20 of 46 million calls: that is worth typing.
@test "flags that leave out less than half of the short calls" {
	for ((i = 10; i < 56; i++)); do
		echo "static int short_$i(int x) { return x & $i; }"
	done >app.c
	{
		echo 'int main(void) { int n = 0; for (int i = 0; i < 1000000; i++) n += 0'
		for ((i = 10; i < 56; i++)); do
			echo "+ short_$i(i)"
		done
		echo '; return n == 7; }'
	} >>app.c
	cc -g -O2 -finstrument-functions app.c -o app
	insideme-run -q -- ./app
	same "names" "$(part Flags | grep -o 'short_[0-9][0-9]' | sort -u | wc -l)" 20
	same "calls that may be left" "$(part Flags | sed -n 's/.*at most \(.*\) calls.*/\1/p')" '26.0 M'
}

@test "flags name a header of the program that has short functions only" {
	mkdir 'my board'
	for ((i = 10; i < 56; i++)); do
		echo "static int short_$i(int x) { return x & $i; }"
	done >'my board/board.h'
	{
		echo '#include "board.h"'
		echo 'int main(void) { int n = 0; for (int i = 0; i < 100000; i++) n += 0'
		for ((i = 10; i < 56; i++)); do
			echo "+ short_$i(i)"
		done
		echo '; return n == 7; }'
	} >'my board/app.c'
	cc -g -O2 -finstrument-functions 'my board/app.c' -o app
	insideme-run -q -- ./app
	same "flags" "$(part Flags | grep -- '^ *-fin' | xargs)" -finstrument-functions-exclude-file-list=board.h
	same "calls that may be left" "$(part Flags | sed -n 's/.*at most \(.*\) call.*/\1/p')" 1
	cc -g -O2 -finstrument-functions -finstrument-functions-exclude-file-list=board.h 'my board/app.c' -o app
	insideme-run -q -- ./app
	same "calls left" "$(view summary | sed -n 's/^run,1,calls,//p')" 1
}

# Their functions have a hundred times the time that main takes.
@test "flags for short calls where most of the time threads wait" {
	cat >app.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		static pthread_mutex_t done = PTHREAD_MUTEX_INITIALIZER;
		__attribute__((noinline)) static int score(int x) { __asm__(""); return x & 3; }
		static void *idle(void *argument)
		{
			pthread_mutex_lock(&done);
			pthread_mutex_unlock(&done);
			return argument;
		}
		int main(void)
		{
			pthread_t threads[100];
			int n = 0;
			pthread_mutex_lock(&done);
			for (int i = 0; i < 100; i++)
				pthread_create(&threads[i], NULL, idle, NULL);
			for (int i = 0; i < 3000000; i++)
				n += score(i);
			pthread_mutex_unlock(&done);
			for (int i = 0; i < 100; i++)
				pthread_join(threads[i], NULL);
			printf("%d\n", n);
		}
	END
	insideme-cc -O2 app.c -o app -pthread
	for ((i = 0; i < 50; i++)); do	# whose processor is taken away within score() finds it long
		insideme-run -q --timing=exact -- ./app
		[[ $(part Flags) != *-function-list=score* ]] || break
	done
	part Flags | mask | reads 'Flags     N of N calls take less than N, their hooks N more.
          Compile with
            -finstrument-functions-exclude-function-list=score
          and at most N calls are left
          (clang: -finstrument-functions-after-inlining instead)'
}

@test "the wrong directory" {
	insideme-run -q -- "$bin/calls" || same status $? 7
	mkdir elsewhere
	cd elsewhere
	run -1 insideme-report
	same output "$output" \
		'insideme-report: no runs in ./insideme.data: record one with: insideme-run ./app'
	run -1 insideme-report calls
	same output "$output" \
		'insideme-report: no runs in ./insideme.data: record one with: insideme-run ./app'
	run -0 insideme-report ../insideme.data
	INSIDEME_DIR=$PWD/../insideme.data run -0 insideme-report calls
	run -127 insideme-run ./app
	same output "$output" 'insideme-run: ./app: No such file or directory'
}

@test "small slips: no ./, the program in place of its run, a directory that is not yours" {
	cp "$bin/calls" app
	run -127 insideme-run app
	same output "$output" 'insideme-run: app: not in PATH; did you mean ./app?'
	insideme-run -q -- ./app || same status $? 7
	[[ $(insideme-report ./app) == *'Command   ./app'*fib* ]]
	run -1 insideme-report ./nothing
	same output "$output" 'insideme-report: cannot open ./nothing: No such file or directory'
	[ "$(id -u)" = 0 ] || skip "being another user needs root"
	cd /
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${other[@]}" test -x "$build/insideme-run" || skip "another user cannot read $build"
	run -0 "${other[@]}" insideme-run true
	same output "$output" \
		'insideme: cannot use directory /insideme.data: Permission denied; not recording'
}

# What a user reads first: each option, view and message is in one of these.
top=$here/../..
manual=("$top/README.md" "$top/doc/settings.md" "$top/doc/troubleshooting.md")

@test "the manual names every setting, option and view, and what it shows to type works" {
	local word command
	for word in $(insideme-run --help | grep -o -- '--[a-z-]*' | sort -u) \
		$(insideme-report --help | grep -o -- '^ *\(-[a-z], \)\?--[a-z-]*' | grep -o -- '--[a-z-]*') \
		$(insideme-report -v | sed 's/ .*//; s/^/-v_/'); do
		case $word in
		--help | --version | --view | --format | --output | -v_summary) continue ;;
		esac
		cat "${manual[@]}" | grep -qF -- "${word/_/ }" ||
			{ echo "the manual has no ${word/_/ }"; false; }
	done
	cp "$bin/calls" app
	insideme-run -q -- ./app || same status $? 7
	insideme-run -q -- ./app || same status $? 7
	sed -n '/^## Read$/,/^##/s/^    \(insideme-report[^#]*\)#.*/\1/p' "$top/README.md" >commands
	between "commands of the README" 10 "$(wc -l <commands)" 30
	sed -n '/^## Views and options/,/^##/s/^    \(insideme-report[^#]*\)#.*/\1/p' \
		"$top/doc/settings.md" >more
	between "commands of the settings" 15 "$(wc -l <more)" 45
	cat more >>commands
	echo leak:nothing >FILE
	sed -i "/--serve/d" commands	# it goes on until it is ended
	local runs=(insideme.data/2*)
	cp -r "${runs[0]}" insideme.data/run1
	cp -r "${runs[1]}" insideme.data/run2
	while read -r command; do
		eval "$command" >page 2>&1 || { echo "$command"; cat page; false; }
	done <commands
}

@test "man finds the manuals of a build folder that is in PATH" {
	local page
	for page in insideme-run insideme-report insideme-cc insideme; do
		[[ $(env -u MANPATH PATH="$build:$PATH" man \
			-w "$page") == "$build"/man/man[17]/$page.[17] ]] || return 1
	done
}

@test "the manual has each line by which the recorder turns itself off" {
	cat "${manual[@]}" | tr '\n' ' ' >read
	grep -roh 'recorder_turn_off("[^"]*"' "$here"/../../preload --include='*.c' | cut -d'"' -f2 |
		sort -u >reasons
	between "reasons" 5 "$(wc -l <reasons)" 20
	while read -r reason; do
		grep -qF "$reason" read || { echo "the manual has no: $reason"; false; }
	done <reasons
}

# Of each message the longest part that has no name or number in it is looked for.
@test "the messages that the manual explains are those of the sources" {
	local message
	{ cat "$top/scripts/insideme-cc" && find "$top/preload" "$top/analyzer" -name '*.c' -not -path \
		'*/node_modules/*' -exec cat {} +; } |
		perl -0777 -pe 's/"\s*"//g' >sources
	sed -n '/^## The three commonest/,/^##/p' "$top/README.md" >tables
	cat "$top/doc/troubleshooting.md" >>tables
	perl -ne '
		my ($seen) = /^\| `([^`]*)` \|/ or next;
		next if $seen =~ /^ERROR: ld.so|^ASan runtime/;
		my @parts = split /\.\.\.|\.\/[\w.]+|\bapp\b|\bfunctions\b|python3|\bN\b|\d+|[:,;]|insideme: /, $seen;
		s/^ +| +$//g for @parts;
		print +(sort { length $b <=> length $a } @parts)[0], "\n"' tables >messages
	sed -n '/^## Programs that cannot/,/^##/s/^|[^|]*| \([^|`(]*[^|`( ]\)[^|]*|[^|]*|$/\1/p' tables |
		grep -v -e ^--- -e '^reason in' >>messages
	between "messages" 18 "$(wc -l <messages)" 60
	while read -r message; do
		grep -qF -- "$message" sources || { echo "no source says: $message"; false; }
	done <messages
}

# The manual page is written from the table that the parser uses.
@test "doc/settings.md has the option, variable, default and values of each setting" {
	perl -ne '
		s/\\-/-/g;
		if (/^\\fB(INSIDEME_\w+), (?:-\w, )?--([\w-]+)\\fR(?:\\fI(.*)\\fR)?/) {
			my ($name, $option, $values) = ($1, $2, $3);
			print "$name --$option default ", <> =~ / \(default ([^ )]+)\)$/ ? $1 : "", "\n";
			print "$name value $_\n" for grep /^[a-z]/ && $values ne "[=on|off]", split /[][=,|]+:?/, $values;
		}' "$build/man/man1/insideme-run.1" >table
	between "values" 12 "$(grep -c ' value ' table)" 60
	between "settings" 20 "$(grep -c ' default ' table)" 60
	sed -n '/^## Settings of a run/,/^##/s/^| `\(--[a-z-]*\)` | `\(INSIDEME_[A-Z_]*\)` | \([^|]*\)|.*/\2 \1 default \3/p' \
		"$top/doc/settings.md" | sed 's/ *$//' | sort >written
	diff <(grep ' default ' table | sed 's/ *$//' | sort) written
	while read -r name _ value; do
		grep "^| .*\`$name\`" "$top/doc/settings.md" | grep -qwF -- "$value" ||
			{ echo "$name: no $value"; false; }
	done < <(grep ' value ' table)
}

@test "the README is short, and its links lead somewhere" {
	local link
	between "words of prose" 400 "$(grep -v '^    \|^|' "$top/README.md" | wc -w)" 1500
	grep -o '](\([^)]*\))' "$top/README.md" | sed 's/](//; s/)//' | sort -u >links
	between "links" 5 "$(wc -l <links)" 40
	while read -r link; do
		[ -e "$top/$link" ] || { echo "README.md: no $link"; false; }
	done <links
}
