#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Source lines where something is missing: perf events, parts of the debug information, the end of a process.
load lib

source=$(realpath "$BATS_TEST_DIRNAME/../programs/lines.c")

@test "perf events forbidden: the program runs on, and both views say why there is no new memory" {
	local status=0
	needs_strace
	gcc -g -O2 "$here/../programs/new_pages.c" -o new_pages
	strace -f -o trace -e trace=perf_event_open -e inject=perf_event_open:error=EACCES \
		"$build/insideme-run" --quiet --page-faults ./new_pages execed >stdout 2>stderr || status=$?
	grep -q INJECTED trace
	same status "$status" 4
	quiet
	"$report" -v lines >text
	tr -s '\n ' ' ' <text |
		grep -q 'new memory is not known: the kernel does not allow perf events: Permission denied'
	same columns "$(grep -c 'New memory' text)" 0
	same "of both programs" "$(view quality --columns finding | grep -c '^page_faults_off$')" 2
	COLUMNS=500 "$report" -v quality | grep -q \
		'page faults were not recorded in process [0-9]*: the kernel does not allow perf events'
}

# overwrite SECTION HOW: of the program lines, with zeros, ones, ones at the head, or in the second half;
# a number: with random bytes here and there
overwrite() {
	python3 - "$@" <<-'END'
		import random, subprocess, sys
		section, how = sys.argv[1:]
		table = subprocess.run(["readelf", "-SW", "whole"], capture_output=True, text=True).stdout
		row = next(row for row in table.replace("[ ", "[").splitlines() if f" {section} " in row).split()
		begin, size = int(row[4], 16), int(row[5], 16)
		data = bytearray(open("whole", "rb").read())
		if how == "zeros":
		    data[begin:begin + size] = bytes(size)
		elif how == "ones":
		    data[begin:begin + size] = b"\xff" * size
		elif how == "head":
		    data[begin:begin + 4] = b"\xff" * 4
		elif how == "half":
		    data[begin + size // 2:begin + size] = b"\xff" * (size - size // 2)
		else:
		    chance = random.Random(int(how))
		    for _ in range(size // 40):
		        data[begin + chance.randrange(size)] = chance.randrange(256)
		open("lines", "wb").write(data)
	END
	rm -f insideme.data/*/names
}

# found: rows of -v lines in found.csv, and the sum of their self time
found() {
	view lines --columns file,line,samples,self_ns,function >found.csv
	self=$(awk -F, '{ns += $4} END {print ns}' found.csv)
}

# A program with samples of which all lines are known: the rows are in whole.csv.
sampled_whole() {
	cp "$source" lines.c
	gcc -g -O2 lines.c -o lines
	cp lines whole
	monitor --quiet --sample=1000 ./lines ratio 2
	found
	grep -q "^$PWD/lines.c,[0-9]" found.csv
	mv found.csv whole.csv
	whole_self=$self
}

# no_other WHAT: each line that was found is in whole.csv, with its samples, or has no number; none is lost
no_other() {
	same "other lines of $1" "$(cut -d, -f1-3 found.csv | grep -v '^,,' | sort |
		comm -23 - <(cut -d, -f1-3 whole.csv | sort))" ''
	same "self time of $1" "$self" "$whole_self"
}

@test "debug information that is overwritten: one line says so, and no line is wrong" {
	local how warning="insideme-report: warning: $PWD/lines: its debug information is damaged:"
	warning+=' lines of it may be missing'
	sampled_whole
	for how in '.debug_line '{zeros,head} '.debug_info '{ones,head,half} '.debug_abbrev '{zeros,half}; do
		# shellcheck disable=SC2086
		overwrite $how
		found
		same "said of $how" "$(cat report.stderr)" "$warning"
		no_other "$how"
	done
	cp whole lines
	found
	same "said of the whole one" "$(cat report.stderr)" ''
	diff whole.csv found.csv
}

@test "names that are overwritten with zeros are unknown" {
	sampled_whole
	overwrite .debug_line_str zeros
	found
	same "files" "$(grep -c '^/' found.csv)" 0
	same "self time" "$self" "$whole_self"
	overwrite .debug_str zeros
	found
	same "functions without a name" "$(grep -c ',$' found.csv)" 0
	same "functions with the name that is overwritten" "$(grep -c ',parts$' found.csv)" 0
	no_other .debug_str
}

@test "random bytes in debug information end no report" {
	local seed section
	sampled_whole
	for seed in 1 2; do
		for section in line info abbrev str rnglists; do
			overwrite .debug_$section $seed
			"$report" -v lines >text 2>report.stderr || { echo "$section $seed"; return 1; }
			same "other words, $section $seed" \
				"$(grep -v 'damaged: lines of it may be missing$' report.stderr)" ''
		done
	done
}

# touched COMMENT PAGES: the line of new_pages.c touched so many pages first, but for those that were lost
touched() {
	local number lost
	number=$(grep -n "/\* $1 \*/" "$here/../programs/new_pages.c" | cut -d: -f1)
	lost=$(view quality | "$here/csv" value finding=lost_page_faults)
	between "pages $1" $(($2 - ${lost:-0})) \
		$(($("$here/csv" new_bytes line="$number" <lines.csv | awk '{sum += $1} END {print sum + 0}') / 4096)) \
		$(($2 + 3))
}

# faults HOW STATUS [COMPILER]: new_pages HOW ends with the status; its lines in lines.csv
faults() {
	local status=0
	"${3:-gcc}" -g -O2 "$here/../programs/new_pages.c" -o new_pages
	monitor --quiet --page-faults ./new_pages "$1" || status=$?
	same "status" "$status" "$2"
	"$report" -v lines >text
	! grep -q 'new memory is not known: the kernel' text || skip "perf events are forbidden here"
	view lines >lines.csv
}

@test "new memory of a killed program, up to its last page" {
	faults killed 137
	touched "at first" 1000
}

@test "new memory before and after an exec" {
	faults execed 4
	quiet
	touched "at first" 1000
	touched "after exec" 3000
}

@test "new memory of a forked child, without a log of its own and with one" {
	local compiler
	for compiler in gcc "$build/insideme-cc"; do
		rm -rf insideme.data
		faults forked 3 "$compiler"
		quiet
		touched "at first" 1000
		touched "in the child" 2000
		touched "copied" 1000
	done
}
