#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Source lines where something is missing: perf events, parts of the debug information, the end of a process.
load lib

source=$(realpath "$BATS_TEST_DIRNAME/../programs/lines.c")

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
