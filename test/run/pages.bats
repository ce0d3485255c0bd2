#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a reader of the pages relies on: nothing counted twice, advice that helps, doubts told, plain text
# where asked.
load lib

@test "an exec counts neither its process nor its CPU time twice" {
	monitor -q -- bash -c "sleep 0.05; exec $bin/burn 300 100"
	used=$(awk '{ print ($2 + $4) / 1e6 }' stdout)
	run "$report"
	[[ $output == *"1 process, 1 thread,"* || $output == *"2 processes, 2 threads,"* ]]
	found=$(sed -n 's/.*CPU time of all: \([0-9.]*\) ms.*/\1/p' <<<"$output")
	between "CPU time of all, ms" "${used%.*}" "${found%.*}" $((${used%.*} + 40))
}

@test "rows of an image end with its exec" {
	monitor -q -- bash -c "sleep 0.05; exec $bin/burn 300 100"
	"$report" -v resources -f csv --columns time_ns,program,set >rows.csv
	next=$(awk -F, '$2 == "burn" { print $1; exit }' rows.csv)
	last=$(awk -F, '$2 == "bash" && $3 == "process" { last = $1 } END { print last }' rows.csv)
	between "last row of bash" 1 "$last" "$next"
}

@test "pages of the log are not shown as written by the program" {
	record burn 50 10
	run "$report"
	[[ $output != *" disk write "* ]]
	LD_PRELOAD=$library INSIDEME_RUN=null sh -c 'i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i + 1)); done' >/dev/null
	run "$report" null
	[[ $output != *" disk write "* ]]
}

# The map is an eighth of small blocks or more.
@test "the map of live blocks is not in the peak of the process's memory" {
	cat >blocks.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		static void *blocks[300000];
		static void fill(void)
		{
			for (int i = 0; i < 300000; i++)
				memset(blocks[i] = malloc(200), 1, 200);
		}
		int main(void)
		{
			char line[256];
			FILE *status;
			fill();
			status = fopen("/proc/self/status", "r");
			while (fgets(line, sizeof(line), status))
				if (!strncmp(line, "VmHWM", 5))
					printf("%ld\n", atol(line + 6) << 10);
		}
	END
	gcc -O1 -g -finstrument-functions blocks.c -o blocks
	plain=$(./blocks)
	LD_PRELOAD=$library ./blocks >with
	found=$(view processes | "$here/csv" peak_rss_bytes)
	between "peak" $((plain - (1 << 20))) "$found" $((plain + (4 << 20)))
	between "with the map" $((plain + (8 << 20))) "$(cat with)" $((plain * 2))
	# the map goes with the blocks
	rm -rf insideme.data
	sed -i 's/^\(\t*\)fill();/&\n\1for (int i = 0; i < 300000; i++) free(blocks[i]);/' blocks.c
	gcc -O1 -g -finstrument-functions blocks.c -o blocks
	LD_PRELOAD=$library ./blocks >with
	found=$(view processes | "$here/csv" peak_rss_bytes)
	between "peak of blocks that are freed" $((plain - (1 << 20))) "$found" $((plain + (4 << 20)))
}

@test "advice about calls that have no record" {
	record calls || same status $? 7
	run "$report" -v calls
	[[ $output == *"INSIDEME_THRESHOLD=0 records all"* ]]
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	run "$report" -v calls
	[[ $output != *INSIDEME_* ]]
	INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1M record fill
	run "$report" -v calls
	[[ $output == *"a larger INSIDEME_BUDGET records more"* ]]
	record ends kill || true
	run "$report" -v calls
	[[ $output == *" still open (-v summary)"* ]]
}

@test "short functions are doubted, long ones are not" {
	for ((i = 0; i < 50; i++)); do	# one whose processor is taken away within a short call finds it long
		record calls || same status $? 7
		run "$report" --raw
		[[ $output != *"less than 100 ns a call"* ]] || break
	done
	[[ $output == *Doubts*"less than 100 ns a call"* ]]
	COLUMNS=200 run "$report" -v quality
	[[ $output == *"too short to time, marked ~"* ]]
	record burn 100 10
	run "$report" --raw
	[[ $output != *"less than 100 ns a call"* ]]
	COLUMNS=200 run "$report"
	[[ $output != *"too short to time, marked"* ]]	# less than 1 % of the time
}

@test "damage that leaves nothing to show: exit 1, and a line that says so" {
	damaged=1
	record calls || same status $? 7
	head -c 5000 "$(find insideme.data -name '*.log')" >cut.log
	for view in functions tree callers callees calls resources; do
		for format in text csv json; do
			run "$report" -v $view -f $format cut.log
			same "status of $view as $format" "$status" 1
			[[ $output == *"cut.log: damage left nothing for this view"* ]]
		done
	done
	run "$report" -v quality cut.log
	same "status of quality" "$status" 0
	run "$report" -v functions --match nothing "$(find insideme.data -name '*.log')"
	same "status without damage" "$status" 0
}

@test "ASCII only in a C locale" {
	record calls_cpp || true
	for view in summary functions tree callers calls heap errors resources quality; do
		LC_ALL=C "$report" -v $view >page 2>/dev/null
		same "other characters in $view" "$(LC_ALL=C grep -c '[^ -~]' page)" 0
	done
}

@test "colours on a terminal, none with NO_COLOR or in a pipe" {
	command -v script >/dev/null || skip "needs script"
	record calls || same status $? 7
	export TERM=xterm
	script -qec "'$report' -v functions" /dev/null >page
	grep -q $'\e' page
	NO_COLOR=1 script -qec "'$report' -v functions" /dev/null >page
	same "escapes with NO_COLOR" "$(grep -c $'\e' page)" 0
	same "escapes in a pipe" "$("$report" -v functions | grep -c $'\e')" 0
}

@test "a reader that has enough ends the report quietly" {
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	{ "$report" -v tree -f csv --top 0 2>errors || echo "status $?" >ended; } | head -n 1 >/dev/null
	same stderr "$(cat errors)" ''
	same "how it ended" "$(cat ended 2>/dev/null || echo 'status 141')" 'status 141'
}

@test "no hooks: what to do, and in which program" {
	monitor -q -- env true
	run "$report"
	[[ $output == *"true has no hooks."*-finstrument-functions* ]]
	monitor -q -- sh -c 'sleep 0.01; true; env true; true'
	run "$report"
	[[ $output == *"none of the "[2-9]" processes has hooks"* ]]
}

@test "a program that still runs is described in the present tense" {
	mkfifo gate
	LD_PRELOAD=$library "$bin/followed" 10 gate >stdout 3>&- &
	wait_until [ -s stdout ]
	run "$report"
	[[ $output == *"still running"*"Just now: what each thread of followed"*" is in"* ]]
	: >gate
	wait $! || same status $? 3
	run "$report"
	[[ $output != *"Just now"* ]]
}

@test "who asked for every call reads on the first page that it ended" {
	INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1M record fill
	COLUMNS=300 run "$report"
	[[ $output == *Doubts*"only single calls longer than"*"half of the remaining budget had been used"* ]]
	INSIDEME_BUDGET=1M record fill
	run "$report"
	[[ $output != *"only single calls longer than"* ]]
}

@test "the first page reports a disk that fills" {
	[ "$(id -u)" = 0 ] || skip "mounting a small file system needs root"
	mkdir small
	mount -t tmpfs -o size=24m tmpfs small || skip "no mount here"
	INSIDEME_THRESHOLD=0 INSIDEME_DIR=small/data record fill small/fill 200 || true
	cp -r small/data/* run || true
	umount small
	run "$report" run
	[[ $output == *Doubts*"the log could not grow: the disk was full"* ]]
}
