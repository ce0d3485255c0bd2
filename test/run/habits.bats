#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What users of pstats, PyOP2's timers, multiprocess_profiler and pikos are used to; wrong values; nothing to
# show.
load lib

app() {
	cat >app.c
	"$build/insideme-cc" -isystem "$here/../../include" -O1 app.c -o app -pthread "$@"
}

# rows OPTIONS: names and calls of the functions that are left
rows() { view functions --columns function,calls "$@" | tail -n +2 | tr ',\n' '  '; }

# rows_of FILE: how many records it has
rows_of() { tail -n +2 "$1" | wc -l; }

@test "restrictions are applied one after the other, after the order" {
	run record calls
	same "the first two" "$(rows --sort calls --restrict 2)" "$(rows --sort calls --top 2)"
	same "half of four" "$(rows --sort calls --restrict 4 --restrict 0.5)" "$(rows --sort calls --top 2)"
	same "half of four in percent" "$(rows --sort calls --restrict 4 --restrict 50%)" \
		"$(rows --sort calls --top 2)"
	same "a regular expression" "$(rows --restrict 'calls\.c:[0-9]+\((fib|even)\)$' --sort name)" \
		'even 501 fib 21891 '
	same "then a number" "$(rows --restrict 'fib|even' --restrict 1 --sort name)" 'even 501 '
	same "nothing" "$(rows --restrict nothing_at_all)" ''
	same "none of them" "$(rows --restrict 0)" ''
	for wrong in 2.5 150% '(' ''; do
		run "$report" --restrict "$wrong"
		same "status of --restrict '$wrong'" "$status" 2
		[[ $output == *"--restrict: '$wrong' is not a number, a fraction such as 0.1 or 10%, or a regular expression" ]]
	done
	run "$report" -v machine --restrict main
	same "status without names" "$status" 2
}

@test "calls within themselves, times of one call, keys of pstats" {
	run record calls
	same "primitive calls of fib" "$(value primitive_calls function=fib)" 1
	"$report" -v functions --no-pager --restrict '\(fib\)' --columns calls,function >text
	grep -q '21\.9 k/1  fib$' text
	grep -q 'k calls (.* primitive); total = self' <("$report" -v functions --no-pager | tr -s ' \n' ' ')
	same "primitive calls of fib by itself" \
		"$(view callers --match fib | "$here/csv" primitive_calls caller=fib)" 2
	for key in ncalls pcalls tottime cumtime cumulative filename module line name nfl stdname mem peak \
		allocs io; do
		view functions --sort $key >sorted || { echo "$key"; return 1; }
		same "functions by $key" "$(wc -l <sorted)" "$(view functions | wc -l)"
	done
	diff <(view functions --sort cum) <(view functions --sort cumtime)
	diff <(view functions --sort tot) <(view functions --sort self_ns)
	for key in n p x ''; do
		run "$report" -v functions --sort "$key"
		same "a key that means two columns, or none: '$key'" "$status" 2
	done
	view functions --columns function,calls,primitive_calls,self_ns,total_ns,self_per_call_ns,total_per_call_ns | perl -F, -lane '
		next if $. == 1 || !$F[1] || $F[5] eq "";
		die "$_" if abs($F[3] / $F[1] - $F[5]) > 1 || abs($F[4] / $F[2] - $F[6]) > 1'
}

@test "files with and without their folders" {
	run record calls
	same "the file" "$(value file function=fib | sed 's|.*/||')" calls.c
	same "without folders" "$(view functions --strip-dirs | "$here/csv" file function=fib)" calls.c
	"$report" -v functions --no-pager --strip-dirs=off --columns function,source |
		grep -q '/calls.c:[0-9]*$'
	run "$report" --strip-dirs=some
	same "status" "$status" 2
}

@test "patterns of --match are those of --focus" {
	run record calls_cpp
	same "by file" "$(view functions --match calls_cpp.cpp | tail -n +2 | wc -l)" \
		"$(view functions | grep -c /calls_cpp.cpp)"
	same "by file and name" "$(rows --match 'calls_cpp.cpp:main')" 'main 1 '
	same "no such file" "$(rows --match 'other.cpp:main')" ''
	monitor -q --threshold=0 --timing=exact -- "$bin/calls" || same status $? 7
	for format in mprof insideme-log multiprocess-profiler; do
		same "$format by file and name" \
			"$("$report" -f $format --match calls.c:even 2>/dev/null | grep -c even)" 501
		same "$format by another file" \
			"$("$report" -f $format --match other.c:even 2>/dev/null | grep -c even)" 0
	done
}

@test "csv with other delimiters and dialects" {
	run record calls
	same "semicolons" "$(view functions --columns function,calls --restrict '\(fib\)' --delimiter ';' |
		tail -1)" 'fib;21891'
	same "tabs" "$(view functions --columns function,calls --restrict '\(fib\)' --delimiter tab |
		tail -1)" $'fib\t21891'
	same "unix" "$(view functions --columns function,calls --restrict '\(fib\)' --dialect unix |
		tail -1)" '"fib","21891"'
	same "excel" "$(view functions --columns function,calls --restrict '\(fib\)' --dialect excel |
		tail -1)" $'fib,21891\r'
	for wrong in '--delimiter ab' '--delimiter "' '--dialect word'; do
		# shellcheck disable=SC2086
		run "$report" -f csv $wrong
		same "status of $wrong" "$status" 2
	done
	run "$report" --delimiter ';'
	same "status without csv" "$status" 2
}

@test "numpy reads pikos's csv by columns" {
	monitor function_memory -q --recording=csv -o rows.csv -- "$bin/calls" || same status $? 7
	/usr/bin/python3 - rows.csv <<-'END'
		import sys, numpy
		index, rss = numpy.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=[0, 3], unpack=True)
		assert list(index) == list(range(len(index))) and len(index) > 1000, len(index)
		assert rss.min() > 100000, rss.min()
	END
	cat >commas.cpp <<-'END'
		__attribute__((noinline)) static int add(int a, int b) { return a + b; }
		int main() { return add(1, -1); }
	END
	g++ -g -O1 -finstrument-functions commas.cpp -o commas
	monitor function_memory -q --recording=csv -o rows.csv -- ./commas
	grep -q ',"add(int, int)",' rows.csv
	/usr/bin/python3 -c 'import numpy
assert numpy.loadtxt("rows.csv", delimiter=",", quotechar="\"", skiprows=1, usecols=[0, 3]).shape == (4, 2)'
	monitor function_memory -q --recording=csv --delimiter=';' -o rows.csv -- ./commas
	/usr/bin/python3 -c 'import numpy
assert numpy.loadtxt("rows.csv", delimiter=";", skiprows=1, usecols=[0, 3]).shape == (4, 2)'
}

@test "an option given twice: the last one holds; with nothing to show the tables are empty" {
	local what option first last status
	monitor -q --threshold=0 --run=some -- "$bin/calls" || same status $? 7
	gcc -O1 -x c - -o none <<<'int main(void) { return 0; }'
	monitor -q --run=nothing -- ./none
	while IFS='|' read -r what option first last; do
		# shellcheck disable=SC2086
		"$report" $what "$option=$first" "$option=$last" some >twice
		# shellcheck disable=SC2086
		"$report" $what "$option=$last" some >once
		cmp twice once || { echo "$option twice"; return 1; }
		# shellcheck disable=SC2086
		"$report" $what "$option=$first" some >other
		! cmp -s other once || { echo "$option=$first is $option=$last"; return 1; }
		status=0
		# shellcheck disable=SC2086
		"$report" $what "$option=$last" nothing >twice 2>report.stderr || status=$?
		[ $status = 0 ] || { [ $status = 1 ] && [ -s report.stderr ]; } || { echo "$option with nothing"; return 1; }
	done <<-'END'
		-v functions -f csv|--sort|function|calls
		-v functions -f csv|--strip-dirs|off|on
		-v functions -f csv|--delimiter|;|tab
		-v functions -f csv|--dialect|unix|excel-tab
		-v functions -f csv|--columns|calls|function
		-v functions -f csv|--match|fib|outer
		-v functions -f csv|--top|5|3
		-v functions -f csv|--filter|calls > 1000|calls <= 1000
		-v functions -f csv|--focus|fib|outer
		-v functions -f csv|--exclude|fib|outer
		-v functions -f csv|--depth|1|2
		-v functions|--time-unit|s|ms
		-v heap|--mem-unit|B|KiB
		-v fields -f csv|--fields|fib = a|fib = b
		-f dot|--colormap|gray|pink
	END
	while IFS='|' read -r option first last said; do
		monitor functions "$option=$first" "$option=$last" --recording=csv -o rows.csv -- "$bin/calls" || true
		monitor functions "$option=$last" --recording=csv -o once.csv -- "$bin/calls" || true
		diff <(wc -lc <rows.csv | awk '{ print $1 }') <(wc -lc <once.csv | awk '{ print $1 }')
		same "$option=$last" "$(head -1 rows.csv | tr -d '\r')" "$said"
	done <<-'END'
		--delimiter|,|;|index;type;function;lineNo;filename;pid;tid
		--dialect|excel-tab|excel|index,type,function,lineNo,filename,pid,tid
		--focused-on|fib|outer|index,type,function,lineNo,filename,pid,tid
	END
	monitor functions --recording=text --recording=count -- "$bin/calls" || true
	grep -qE '^[0-9]+ records$' stderr
	monitor functions --recording=count -- ./none
	grep -qx '0 records' stderr
}

@test "names of runs have program, host, pid and rank" {
	INSIDEME_RUN=run-%e-%r-%z-%p LD_PRELOAD=$library sh -c 'echo $$; exec "$0"' \
		"$bin/calls" >stdout 2>stderr || same status $? 7
	pid=$(head -1 stdout)
	[ -d "run-dash-0-%z-$pid" ] || [ -d "run-sh-0-%z-$pid" ] || { ls; return 1; }
	INSIDEME_DIR=runs-of-%h monitor -q -- "$bin/calls" || same status $? 7
	[ -d "runs-of-$(uname -n)" ]
}

@test "InsideMe's log has a line for each recorded call" {
	monitor -q --threshold=0 --timing=exact -- "$bin/calls" || same status $? 7
	"$report" -f insideme-log --fields 'fib = I/O' >app.log
	same "lines" "$(wc -l <app.log)" "$(view calls | tail -n +2 | wc -l)"
	same "of fib" "$(grep -cE '^0//1//@fib//[0-9.]+//[0-9.]+//[-0-9.na]+//[-0-9.na]+//I/O$' app.log)" \
		21891
	same "fields of main" "$(grep -cE '//@main$' app.log)" 1
	view calls | head -1 | grep -q ',rank,nr_ranks,.*,field,'
}

@test "a timer that was never stopped is listed" {
	app <<-'END'
	#include <insideme.h>
	static struct insideme_timer never = INSIDEME_TIMER("never"), once = INSIDEME_TIMER("once"), twice = INSIDEME_TIMER("once");
	int main(void)
	{
		insideme_start(&never);
		insideme_start(&once);
		insideme_stop(&once);
		insideme_start(&once);
		insideme_start(&twice);
		insideme_start(&twice);
		return 0;
	}
	END
	record_app
	view timers >timers.csv
	same "never" "$("$here/csv" calls timer=never <timers.csv) $("$here/csv" open \
		timer=never <timers.csv)" '0 1'
	same "once" "$("$here/csv" calls timer=once <timers.csv) $("$here/csv" open timer=once <timers.csv)" \
		'1 2'
	between "ns since its start" 1 "$("$here/csv" open_ns timer=never <timers.csv)" 60000000000
	COLUMNS=80 "$report" -v timers --no-pager | grep -q 'Not stopped'
	"$report" --save saved.insideme
	"$report" -v timers -f csv saved.insideme >saved.csv
	same "never, saved" "$("$here/csv" calls timer=never <saved.csv)" 0
	same "once, saved" "$("$here/csv" calls timer=once <saved.csv)" 1
}

record_app() { LD_PRELOAD=$library ./app >stdout 2>stderr; }

@test "what regions took in each stage" {
	app <<-'END'
	#include <insideme.h>
	static void spin(long n) { INSIDEME_REGION("spin"); insideme_moved(8); for (volatile long i = 0; i < n; i++) ; }
	static void assemble(void) { INSIDEME_STAGE("assembly"); spin(100000); spin(100000); }
	int main(void)
	{
		spin(100000);
		assemble();
		insideme_stage_begin("solver");
		spin(3000000);
		assemble();
		insideme_stage_end("solver");
		return insideme_stage_begin(NULL) == (insideme_rank() < 0);
	}
	END
	record_app || same status $? 0
	view timers >timers.csv
	same "rows" "$(rows_of timers.csv)" 6
	same "calls in assembly" "$("$here/csv" calls timer=spin stage=assembly <timers.csv)" 4
	same "bytes in assembly" "$("$here/csv" moved_bytes timer=spin stage=assembly <timers.csv)" 32
	same "calls in solver" "$("$here/csv" calls timer=spin stage=solver <timers.csv)" 1
	same "calls in none" "$("$here/csv" calls timer=spin stage= <timers.csv)" 1
	same "stages" "$("$here/csv" calls kind=stage stage= <timers.csv | xargs)" '1 1'
	same "a stage within a stage" "$("$here/csv" timer kind=stage stage=solver <timers.csv)" assembly
	COLUMNS=80 "$report" -v timers --no-pager | grep -q ' Moved  Per second .* Stage '
}

@test "a function of the program hears of long calls and of timers" {
	app <<-'END'
	#include <errno.h>
	#include <insideme.h>
	#include <stdio.h>
	static struct insideme_timer timer = INSIDEME_TIMER("timer");
	static int nr;
	__attribute__((noinline)) static void spin(long n) { for (volatile long i = 0; i < n; i++) ; }
	__attribute__((noinline)) static void outer(void) { spin(30000000); }
	static void hear(const char *name, uint64_t ns, int broken)
	{
		spin(30000000);		/* is not reported itself */
		errno = 77;
		nr++;
		printf("%s %d %d\n", name, ns >= 1000000, broken);
	}
	int main(void)
	{
		errno = 5;
		insideme_on_call(hear, 1000000);
		outer();
		insideme_start(&timer);
		spin(30000000);
		insideme_stop(&timer);
		insideme_on_call(NULL, 0);
		outer();
		printf("%d heard, errno %d\n", nr, errno);
		return 0;
	}
	END
	record_app
	same "what it hears" "$(xargs <stdout)" 'spin 1 0 outer 1 0 spin 1 0 timer 1 0 4 heard, errno 5'
	"$report" -f multiprocess-profiler >profile.csv
	between "the timer's record and its sum differ by ns" -1000 \
		$(($("$here/csv" time id=timer <profile.csv | tr -d . | sed 's/^0*//') -
		$(view timers | "$here/csv" total_ns timer=timer))) 1000
	./app >stdout
	same "without the recorder" "$(cat stdout)" '0 heard, errno 5'
	calls outer 2 hear 4 spin 7
}

@test "names in lines are cut where the user wants it" {
	app <<-'END'
	#include <insideme.h>
	int main(void)
	{
		insideme_add("a name that has more than thirty characters", 1);
		return 0;
	}
	END
	INSIDEME_VERBOSE=on record_app
	grep -q '^\[Profiler\] a name that has more than t... - [01].[0-9]* seconds' stderr
	INSIDEME_VERBOSE=on INSIDEME_NAME_WIDTH=off record_app
	grep -q '^\[Profiler\] a name that has more than thirty characters - [01].[0-9]* seconds' stderr
	INSIDEME_VERBOSE=on INSIDEME_NAME_WIDTH=8 record_app
	grep -q '^\[Profiler\] a nam... - [01].[0-9]* seconds' stderr
	INSIDEME_VERBOSE=on INSIDEME_NAME_WIDTH=none record_app
	grep -q 'INSIDEME_NAME_WIDTH=none: not understood, using 30' stderr
}

@test "insideme-run -s: functions at the end, sorted by a key" {
	monitor -q -s ncalls --run=sorted -- "$bin/calls" || same status $? 7
	same "the program's output" "$(cat stdout)" 'leaf 6000, fib 6765, even 1'
	same "the function with most calls" "$(awk '$1 == "Self" { getline; print $NF }' stderr)" fib
	monitor -q -s bogus --run=unsorted -- "$bin/calls" || same status $? 7
	grep -q "^insideme-report: --sort: no column 'bogus' in functions" stderr
	run "$build/insideme-run" -s calls --pid=1
	same "status with --pid" "$status" 2
	[[ $output == *'--sort: it needs a program'* ]]
	run "$build/insideme-run" -o FILE -- "$bin/calls"
	same "status of -o without a monitor" "$status" 2
	[[ $output == *'it needs a monitor'*'a report is written by insideme-report -o FILE' ]]
}

@test "the summary without insideme-run: once, at the end of the first process, on stderr" {
	INSIDEME_SUMMARY=on LD_PRELOAD=$library sh -c "'$bin/calls'; '$bin/calls'; exit 3" >stdout 2>stderr ||
		same status $? 3
	same "summaries" "$(grep -c '^Recorded ' stderr)" 1
	grep -q '3 processes' stderr
	same "lines of the program" "$(grep -c '^Recorded' stdout)" 0
	INSIDEME_SUMMARY=on LD_PRELOAD=$library "$bin/calls" 2>&- >stdout || same status $? 7
	INSIDEME_SUMMARY=on LD_PRELOAD=$library bash -c 'exec 2>own; echo mine >&2' 2>stderr
	same "a file of the program's own" "$(cat own)" mine
	cat >children.c <<-'END'
	#include <errno.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/wait.h>
	static void last(void) { int pid = wait(NULL); printf("%d %d\n", pid, errno == ECHILD); }
	int main(void) { atexit(last); return 0; }
	END
	gcc children.c -o children
	INSIDEME_SUMMARY=on LD_PRELOAD=$library ./children >stdout 2>stderr
	same "children that the program sees" "$(cat stdout)" '-1 1'
	grep -q '^Recorded ' stderr
}

@test "all rows are streamed, also if the program ends while it is read" {
	local run
	mkfifo pipe
	for run in {1..6}; do
		cat pipe >streamed &
		monitor functions --recording=stream:pipe --run="piped$run" -- "$bin/calls" || same status $? 7
		wait $!
		same "rows" "$(rows_of streamed)" 65786
		same "last row" "$(cut -d, -f2,3 streamed | tail -n 1)" return,main
	done
}

@test "the parent's name, and names that programs give themselves" {
	app <<-'END'
	#include <sys/prctl.h>
	int main(void) { prctl(PR_SET_NAME, "renamed"); return 0; }
	END
	cat >from.sh <<-END
	#!/bin/bash
	INSIDEME_THRESHOLD=0 LD_PRELOAD=$library ./app
	exit 0
	END
	chmod +x from.sh
	./from.sh
	"$report" -f multiprocess-profiler >profile.csv
	same "process" "$("$here/csv" process_name id=main <profile.csv)" renamed
	same "parent" "$("$here/csv" parent_process_name id=main <profile.csv)" from.sh
	rm -r insideme.data
	monitor -q --threshold=0 -- ./app
	"$report" -f multiprocess-profiler >profile.csv
	same "parent" "$("$here/csv" parent_process_name id=main <profile.csv)" insideme-run
}

@test "the machine: memory, swap, disk" {
	monitor -q -- "$bin/calls" || same status $? 7
	view machine >machine.csv
	between "bytes of memory" 100000000 "$("$here/csv" value figure=memory_bytes <machine.csv)" \
		100000000000000
	same "bytes of memory" "$(($("$here/csv" value figure=memory_bytes <machine.csv) / 1024))" \
		"$(awk '/^MemTotal/ {print $2}' /proc/meminfo)"
	same "kernel" "$("$here/csv" value figure=kernel <machine.csv)" "$(uname -r)"
	between "free bytes on disk" 1 "$("$here/csv" value figure=disk_free_bytes <machine.csv)" \
		1000000000000000
	between "bytes available" 1 "$("$here/csv" least figure=memory_available_bytes <machine.csv)" \
		"$("$here/csv" value figure=memory_bytes <machine.csv)"
	"$report" -v machine --no-pager | grep -q 'Memory available'
}

@test "free space where the program writes: by each process that samples, and not of other machines' disks" {
	local folder
	folder=$(mktemp -d /dev/shm/insideme-XXXXXX)
	app <<-'END'
	#include <fcntl.h>
	#include <string.h>
	#include <unistd.h>
	static void fill(const char *path, long bytes)
	{
		static char block[1 << 20];
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		memset(block, 1, sizeof(block));
		while ((bytes -= write(fd, block, sizeof(block))) > 0)
			;
		read(0, block, 1);
	}
	int main(int argc, char **argv)
	{
		int other = open("/proc/self/status", O_RDONLY), null = open("/dev/null", O_RDWR);
		chdir("/");
		fill(argv[1], 8 << 20);
		fill(argv[2], 32 << 20);
		return other < 0 || null < 0;
	}
	END
	disk() { view machine | "$here/csv" "$1" folder="$folder"; }	# it is read now and then
	is_read() { [ "$(disk value 2>&1)" ]; }
	has_grown() { [ $(($(disk value) - $(disk least))) -ge $((31 << 20)) ]; }
	fill_twice() {
		wait_until is_read
		echo
		wait_until has_grown
		echo
	}
	local with
	for with in "env LD_PRELOAD=$library" "monitor -q --"; do
		rm -rf insideme.data "$folder"/*
		fill_twice | $with ./app "$folder/a" "$folder/b" >/dev/null 2>stderr
		view machine >machine.csv
		same "folders" "$("$here/csv" folder figure=written_disk_free_bytes <machine.csv | xargs)" \
			"$PWD $folder"	# the first has stderr
		local first=$("$here/csv" value folder="$folder" <machine.csv)
		local least=$("$here/csv" least folder="$folder" <machine.csv)
		between "bytes less" $((20 << 20)) $((first - least)) $((96 << 20))	# others use the disk too
		between "bytes free now" $((least - (16 << 20))) "$(($(stat -f -c '%a * %S' "$folder")))" \
			$((least + (16 << 20)))
	done
	rm -rf "$folder"
	"$report" -v machine --no-pager | grep -q "Free on disk of $folder, written to"
}

@test "a monitor's rows are only counted" {
	monitor functions --recording=count --run=counted -- "$bin/calls" || same status $? 7
	"$report" -f pikos counted >rows.csv 2>report.stderr
	grep -qx "$(rows_of rows.csv) records" stderr
	same "rows as a number" "$("$report" -f pikos-count counted 2>report.stderr)" "$(rows_of \
		rows.csv) records"
}

@test "a monitor's rows go to a pipe and to a socket, and the program does not wait for a reader that is slow, leaves or never comes" {
	mkfifo pipe
	cat pipe >streamed &
	monitor functions --recording=stream:pipe --run=piped -- "$bin/calls" || same status $? 7
	wait $!
	"$report" -f pikos piped >rows.csv 2>report.stderr
	same "rows of the pipe" "$(rows_of streamed)" "$(rows_of rows.csv)"
	same "what is said of dropped rows" "$(grep -c dropped stderr)" 0
	python3 -c '
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind("door")
server.listen()
open("listens", "w")
reader = server.accept()[0]
with open("received", "wb") as out:
    while data := reader.recv(65536):
        out.write(data)' &
	wait_until [ -e listens ]
	monitor functions --recording=stream:door --delimiter=';' --run=sent -- "$bin/calls" ||
		same status $? 7
	wait $!
	same "rows of the socket" "$(rows_of received)" "$(rows_of rows.csv)"
	same "its first line" "$(head -c 14 received)" 'index;type;fun'
	monitor functions --recording=stream:nobody --run=unread -- "$bin/calls" || same status $? 7
	grep -q "stream:nobody: $(rows_of rows.csv) of $(rows_of \
		rows.csv) rows were dropped: nobody read them in time" stderr
	sleep 60 <pipe &
	monitor functions --recording=stream:pipe --run=stuck -- "$bin/calls" || same status $? 7
	kill $!
	grep -q 'stream:pipe: [1-9][0-9]* of .* rows were dropped' stderr
	(sleep 0.1; exit) <pipe &
	monitor functions --recording=stream:pipe --run=left -- "$bin/calls" || same status $? 7
	grep -q 'stream:pipe: [1-9][0-9]* of .* rows were dropped' stderr
	python3 -c '
import socket
server = socket.socket(socket.AF_UNIX)
server.bind("hatch")
server.listen()
open("opens", "w")
nr = 0
while server.accept()[0].recv(1) != b"e":	# closes at once; "end" ends it
    nr += 1
print(nr)' >looks &
	wait_until [ -e opens ]
	monitor functions --recording=stream:hatch --run=shut -- "$bin/calls" || same status $? 7
	python3 -c 'import socket; end = socket.socket(socket.AF_UNIX); end.connect("hatch"); end.send(b"end")'
	wait $!
	between "looks for a reader" 1 "$(cat looks)" 500	# of 65,786 rows; one each 10 ms
	for wrong in stream: stream:"$bin/calls"; do
		run "$build/insideme-run" functions --recording="$wrong" -- "$bin/calls"
		same "status of $wrong" "$status" 2
		[[ $output == *'neither a pipe nor a Unix socket'* ]]
	done
}

@test "monitors may stand in insideme.conf, and options in csv alone" {
	printf 'INSIDEME_MONITOR = functions\nINSIDEME_RECORDING = csv\n' >insideme.conf
	monitor --delimiter=tab -- "$bin/calls" || same status $? 7
	same "rows of main" "$(grep -c $'\tcall\tmain\t' monitor_records.csv)" 1
	rm monitor_records.csv
	monitor --monitor=off -- "$bin/calls" || same status $? 7
	[ ! -e monitor_records.csv ]
	rm insideme.conf
	for wrong in '--monitor=threads' '--recording=csv' 'functions --recording=word' \
		'functions --delimiter=;' \
		'functions --recording=stream:x -o y'; do
		# shellcheck disable=SC2086
		run "$build/insideme-run" $wrong -- "$bin/calls"
		same "status of $wrong" "$status" 2
	done
}

@test "resource monitor's logs as its parsers return them" {
	monitor -q --threshold=0 --timing=exact --interval=1ms -- "$bin/calls" || same status $? 7
	"$report" -f resource-monitor >log.csv
	"$report" -f resource-monitor-json >log.json
	"$report" -f resource-monitor -v calls >events.csv
	"$report" -f resource-monitor-json -v calls >events.json
	python3 -c '
import csv, json
log, events = json.load(open("log.json")), json.load(open("events.json"))
rows = list(csv.reader(open("log.csv").readlines()[2:]))
assert list(log["resources"]) == rows[0], rows[0]
for number, name in enumerate(rows[0]):
    assert [float(row[number]) for row in rows[1:]] == log["resources"][name], name
overview = log["overview"]
assert overview["cpu_count"] >= 1 and overview["vm_total_mb"] > overview["vm_available_mb"] > 10, overview
spans = {}
for time, kind, name, counter in csv.reader(open("events.csv")):
    spans.setdefault(name, {}).setdefault(int(counter), []).append(float(time))
assert {name: [of[i] for i in sorted(of)] for name, of in spans.items()} == events
assert len(events["fib"]) == 21891 and len(events["main"]) == 1'
}

@test "resource monitor's log of the machine has a row for each interval" {
	monitor --machine --timeout=500ms --interval=50ms
	"$report" -f resource-monitor >log.csv
	between "rows" 2 "$(tail -n +4 log.csv | wc -l)" 40
	same "reads of the machine before its first reading" \
		"$(tail -n +3 log.csv | "$here/csv" read_count_global | grep -cx 0.0000)" 0
	grep -q 'is estimated to be [1-9][0-9.]*e-[0-9]* s' log.csv
}

@test "resource monitor's log: one thread takes one processor at most, images of one process add nothing up twice" {
	cat >sums.awk <<-'END'
	# what is before the first row was used before
	NR > 3 { if ($2 > most) most = $2; cpu_ns += $2 / 100 * ($1 - before) * 1e9 }
	NR > 3 && $12 + 0 < writes { print "fewer writes" }
	NR > 2 { before = $1; writes = $12 + 0 }
	END { printf "%d %d %d\n", most, cpu_ns, writes }
	END
	sh -c 'trap "exit 0" TERM; while :; do :; done' & pid=$!
	sleep 0.5
	monitor -q --pid=$pid --timeout=300ms --interval=10ms --run=attached
	kill $pid
	wait $pid
	"$report" -f resource-monitor attached >log.csv
	read -r most cpu_ns writes < <(awk -F, -f sums.awk log.csv)
	between "percent of one that ran before" 1 "$most" 100
	monitor -q --interval=10ms --run=execed bash -c 'i=0; while ((i < 20000)); do echo $((++i)); done >written
		exec "$0" -c "i=0; while ((i < 20000)); do echo \$((++i)); done >written"' bash
	"$report" -f resource-monitor execed >log.csv
	read -r most cpu_ns writes < <(awk -F, -f sums.awk log.csv)
	between "percent of one after another" 1 "$most" 100
	between "CPU of both images" "$(($(view processes execed --columns cpu_ns | tail -1) / 2))" "$cpu_ns" \
		"$(($(view processes execed --columns cpu_ns | tail -1) * 11 / 10))"
	# those of the last interval before exec may be unseen; it makes some 4,000 in 10 ms
	between "writes" 34000 "$writes" 41000
}

@test "the GPUs of resource monitor's log" {
	LD_LIBRARY_PATH=$bin/nvml-24 monitor -q --gpu=all --interval=10ms -- "$bin/uses" sleeps 150
	same "overview" "$("$report" -f resource-monitor | sed -n '2s/.*\(gpu_0_total.*\)/\1/p')" \
		"gpu_0_total_mb:81920.00,gpu_0_free_mb:76800.00,gpu_1_total_mb:81920.00,gpu_1_free_mb:76800.00"
	view machine >machine.csv
	same "in the view" "$(for i in 0 1; do for what in memory memory_free; do
		"$here/csv" value figure=gpu${i}_${what}_bytes <machine.csv; done; done | xargs)" \
		"$((80 << 30)) $((75 << 30)) $((80 << 30)) $((75 << 30))"
	"$report" -f resource-monitor | tail -n +3 >log.csv
	same "memory of the run" "$("$here/csv" gpu_0_mem_mb <log.csv | sort -n | tail -1)" 123.0000
	same "memory of all" "$("$here/csv" gpu_0_mem_mb_global <log.csv | sort -n | tail -1)" 5120.0000
	same "percent" "$("$here/csv" gpu_0_utilization_percent_global <log.csv | sort -n | tail -1)" 37.0000
	head -1 log.csv | grep -q ',gpu_1_mem_mb,gpu_1_mem_mb_global,gpu_1_utilization_percent_global$'
}

@test "a folder keeps the logs of one run" {
	monitor --run=first -- "$bin/calls" || same status $? 7
	monitor --run=second -- "$bin/calls" || same status $? 7
	"$report" -o folder/ --copy first 2>report.stderr
	logs=$(find folder -name '*.log' | wc -l)
	(cd folder && md5sum -- *) >before
	run "$report" -o folder/ --copy second
	same "status" "$status" 1
	same "files of the folder that are new or changed" "$( (cd folder && md5sum -- *) | diff before - | wc -l)" 0
	[[ $output == *'folder/ has logs of first; logs of another run need a folder of their own'* ]]
	same "logs" "$(find folder -name '*.log' | wc -l)" "$logs"
	"$report" -o folder/ --copy first 2>report.stderr	# once more: the log may have grown
	same "logs of one run, twice" "$(find folder -name '*.log' | wc -l)" "$logs"
	"$report" -o first/ --copy first 2>report.stderr	# they are there already
	same "logs in the run itself" "$(find first -name '*.log' | wc -l)" "$logs"
	rm -r first
	monitor --run=first -- "$bin/calls" || same status $? 7
	run "$report" -o folder/ --copy first
	same "status of another run of one name" "$status" 1
	[[ $output == *'folder/ has logs of first; logs'* ]]
	"$report" -o other/ --copy second 2>report.stderr
	same "calls of fib in the folder" "$("$report" -v functions -f csv folder |
		"$here/csv" calls function=fib)" 21891
}

@test "the program, its pid, the host and the rank in the name of a file" {
	run record calls
	view processes >processes.csv
	"$report" -v functions -f csv -o 'of-%e-%p-%h-%r-%%-%x.csv'
	same files "$(ls of-*)" "of-calls-$("$here/csv" pid <processes.csv)-$(hostname)-0-%%-%x.csv"
	"$report" -o '%e.report/'
	same "the folder's page" "$(ls calls.report/insideme.html)" calls.report/insideme.html
}
