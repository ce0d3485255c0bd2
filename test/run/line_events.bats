#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The lines that ran, one after the other: insideme-cc --line-events, insideme-run lines, -v steps.
load lib
export PATH=$build:$PATH
programs=$(realpath "$BATS_TEST_DIRNAME/../programs")
examples=$(realpath "$BATS_TEST_DIRNAME/../../examples")

# lines MONITOR [OPTIONS] -- PROGRAM: its rows in monitor_records.csv
lines() {
	insideme-run -q --recording csv "$@" >stdout 2>stderr
}

# at WORDS: the number of the line of steps.c that has this comment
at() { grep -nF "/* $1 */" "$programs/steps.c" | cut -d: -f1; }

# rows [OTHER=VALUE]...: how many
rows() { "$here/csv" index "$@" <monitor_records.csv | wc -l; }

@test "each line is one that gdb steps to, in its order: pikos's mandelbrot in C" {
	[ "$(uname -m)" = x86_64 ] || skip "line events are made on x86-64 alone"
	gcc -g -O0 "$examples/mandelbrot.c" -o plain -lm
	insideme-cc --line-events -O0 "$examples/mandelbrot.c" -o mandelbrot -lm
	printf '%s\n' 'set pagination off' 'set width 0' 'break main' 'run 2' 'while 1' step end >steps.gdb
	gdb -batch -nx -iex 'set debug-file-directory /nowhere' -iex 'set debuginfod enabled off' -x steps.gdb \
		./plain >gdb.out 2>&1 || true
	grep -q 'exited normally' gdb.out
	grep -oE '^[0-9]+	' gdb.out | tr -d '\t' >theirs
	lines lines -- ./mandelbrot 2
	same head "$(head -1 monitor_records.csv)" index,function,lineNo,line,filename,pid,tid
	# gdb goes past a function's first line to the first one of its body
	grep -n '^{' "$examples/mandelbrot.c" | cut -d: -f1 >first
	awk -F, 'NR == FNR { first[$1]; next } FNR > 1 && !($3 in first) { print $3 }' first \
		monitor_records.csv >ours
	between steps 1900 "$(wc -l <ours)" 2000
	diff ours theirs
	same "the picture" "$(cat stdout)" "$(./plain 2)"
	# the text of each line, and the same rows again from the run
	same text "$("$here/csv" line lineNo=22 <monitor_records.csv | sort -u | tr -d '"')" \
		"$(sed -n '22s/^/        /;22s/	//p' "$examples/mandelbrot.c")"
	"$report" -f pikos -v steps --columns index,function,line,text,file,pid,thread -o again.csv
	cmp monitor_records.csv again.csv
	"$report" -f pikos-count -v steps -o count
	same count "$(cat count)" "$(rows) records"
}

@test "RSS and VMS before each line, of one function" {
	insideme-cc --line-events -O0 "$programs/steps.c" -o steps
	lines line_memory --focused-on memory -- ./steps memory
	same head "$(head -1 monitor_records.csv)" index,function,lineNo,RSS,VMS,line,filename,pid,tid
	same rows "$(rows)" 18
	same "of others" "$("$here/csv" function <monitor_records.csv | sort -u)" memory
	for change in map:0:8388608 touch:4194304:0 unmap:-4194304:-8388608; do
		IFS=: read -r what rss vms <<<"$change"
		for column in RSS:$rss VMS:$vms; do
			paste -d' ' <("$here/csv" "${column%:*}" "lineNo=$(at "$what")" <monitor_records.csv) \
				<("$here/csv" "${column%:*}" "lineNo=$(($(at "$what") + 1))" \
					<monitor_records.csv) | awk '{ print $2 - $1 }' >changes
			same "changes of ${column%:*} by $what" "$(wc -l <changes)" 3
			# the stack and the recorder's own pages
			awk -v want="${column#*:}" '{ off = $1 - want; if (off * off > 65536 * 65536) exit 1 }' \
				changes
		done
	done
}

@test "-v lines of such a run has memory_profiler's columns" {
	insideme-cc --line-events -O0 "$programs/steps.c" -o steps
	lines line_memory -- ./steps memory
	view lines >lines.csv
	same "begins of the loop's body" "$("$here/csv" occurrences "line=$(at thrice)" <lines.csv)" 3
	same "of the loop's head" "$("$here/csv" occurrences "line=$(($(at thrice) - 1))" <lines.csv)" 4
	for change in map:0 touch:12582912 unmap:-12582912 thrice:0; do
		same "begins of ${change%:*}" "$("$here/csv" occurrences "line=$(at "${change%:*}")" \
			<lines.csv)" 3
		# the stack and the recorder's own pages
		between "increment by ${change%:*}" $((${change#*:} - 200000)) \
			"$("$here/csv" rss_growth_bytes "line=$(at "${change%:*}")" <lines.csv)" \
			$((${change#*:} + 200000))
	done
	# the largest RSS is after the pages were touched, and before they are unmapped
	same "at the most" "$("$here/csv" rss_bytes "line=$(at touch)" <lines.csv)" \
		"$("$here/csv" rss_bytes "line=$(at unmap)" <lines.csv)"
	"$report" -v lines --match memory >text
	grep -qE 'Line +Mem usage +Increment +Occurrences +Line Contents' text
}

@test "threads, a child, a jump and a killed process have all their lines" {
	insideme-cc --line-events -O0 -pthread "$programs/steps.c" -o steps
	lines lines --focused-on loop,down -- ./steps threads
	same "in the bodies" "$(rows "lineNo=$(at body)")" 4000
	same threads "$("$here/csv" tid <monitor_records.csv | sort -u | wc -l)" 4
	same "ordered by thread" "$(rows function=loop)" $((4 * (1000 * 2 + 5)))
	lines lines --focused-on loop,down -- ./steps fork
	same "in the child's body" "$(rows "lineNo=$(at body)")" 10
	lines lines --focused-on loop,down -- ./steps jump
	same "calls within calls" "$(rows "lineNo=$(at deeper)")" 5
	lines lines --focused-on loop,down -- ./steps kill || same status $? 137
	same "until the kill" "$(rows "lineNo=$(at body)")" 100
}

@test "optimized code of C, C++ and Fortran, in a library too, computes what it did" {
	declare -A of=([mandelbrot.c]=cc [mandelbrot.cpp]=c++ [mandelbrot.f90]=fc)
	declare -A plain=([cc]=gcc [c++]=g++ [fc]=gfortran)
	for level in -O0 -O2 '-O3 -march=native -fPIE -pipe'; do
		for source in "${!of[@]}"; do
			# shellcheck disable=SC2086
			"${plain[${of[$source]}]}" $level "$examples/$source" -o plain -lm
			# shellcheck disable=SC2086
			"insideme-${of[$source]}" --line-events $level "$examples/$source" -o program -lm
			same "$source $level without the recorder" "$(./program 20 | cksum)" \
				"$(./plain 20 | cksum)"
			lines lines --recording count -- ./program 20
			same "$source $level" "$(cksum <stdout)" "$(./plain 20 | cksum)"
			between "records of $source $level" 100 "$(sed -n 's/ records$//p' stderr)" 100000000
		done
	done
	insideme-cc --line-events -O2 -fno-inline -fPIC -shared -Dmain=library_main "$examples/mandelbrot.c" -o libm2.so -lm
	echo 'int library_main(int, char **); int main(int c, char **v) { return library_main(c, v); }' >m.c
	insideme-cc m.c -o program -L. -lm2 -Wl,-rpath,"$PWD"
	lines lines --focused-on compute_row -- ./program 20
	between "rows of a library's function" 1000 "$(rows function=compute_row)" 100000
	same "other rows" "$(rows)" "$(rows function=compute_row)"
}

@test "what cannot be is said" {
	printf 'int main(void) { return 0; }\n' >a.c
	insideme-cc a.c -o a
	lines lines -- ./a
	same said "$(grep -c 'no line events: they are of programs built by insideme-cc --line-events' stderr)" 1
	same head "$(cat monitor_records.csv)" index,function,lineNo,line,filename,pid,tid
	INSIDEME_CC=clang run insideme-cc --line-events a.c -o a
	same status "$status" 1
	same output "$output" 'insideme-cc: --line-events needs gcc, not clang'
	run "$report" --follow -v steps
	same status "$status" 2
	same output "$output" 'insideme-report: --follow: calls only, no lines'
	insideme-cc --line-events a.c -o a
	strip a
	lines lines -- ./a
	same said "$(grep -c 'line events of code without debug information: [1-9]' stderr)" 1
	insideme-cc --line-events -O0 "$programs/steps.c" -o steps
	lines lines --budget=1M -- ./steps threads
	same said "$(grep -c 'line events that had no room in the log (INSIDEME_BUDGET): [1-9]' stderr)" 1
	same "kept and lost" "$(($(rows "lineNo=$(at body)") < 4000))" 1
	same "in quality" "$(view quality --columns finding | grep -c '^lost_line_events')" 1
	# without a monitor nothing is recorded
	insideme-cc --line-events a.c -o a
	monitor ./a
	same steps "$(view steps | wc -l)" 1
}
