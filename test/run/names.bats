#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Names of any bytes: harmless on a terminal, right in csv and json for others' readers.
load lib

# The program with names that no compiler makes.
setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cp "$bin/names" strange
	perl -0777 -pi -e '
		my @names = ("a,b \"c\" =1;\x27\\ d ", "\e[31mred\a\r\n\ttext!", "\xff\xfe \xc3( \xed\xa0\x80 \x80x 123", "\xc2\x9b31m\xe2\x80\xae\xc3\xa9\xe2\x82\xac 12\x7f");
		for my $letter ("a".."d") {
			my $name = shift @names;
			$name = substr($name . "." x 18, 0, 18);
			s/placeholder_name_$letter/$name/g;
		}' strange
	LD_PRELOAD=$library ./strange $'arg\e]0;title\a\nEnded     forged' $'\xff'
}

# Only what may stand on a terminal: no controls but newlines, only UTF-8.
harmless() {
	perl -ne 'use Encode; my $line = eval { decode("UTF-8", $_, Encode::FB_CROAK) } // die "no UTF-8: $_";
		chomp $line; die "controls: $_" if $line =~ /[\p{Cc}\p{Bidi_C}]/' "$1"
}

@test "text of every view is harmless" {
	local view
	for view in $(cd "$BATS_FILE_TMPDIR" && "$report" -v | awk '{ print $1 }'); do
		(cd "$BATS_FILE_TMPDIR" && "$report" -v "$view") >page 2>&1
		harmless page || { echo "$view"; cat -v page; false; }
		(cd "$BATS_FILE_TMPDIR" && LC_ALL=C "$report" -v "$view") >page 2>&1
		LC_ALL=C perl -ne 'die "not ASCII: $_" if /[^ -~\n]/' page
	done
	same "lines that say how it ended" "$(cd "$BATS_FILE_TMPDIR" && "$report" | grep -c '^Ended')" 1
}

@test "messages on stderr are harmless" {
	run "$report" $'./no\e[31msuch\xff'
	printf '%s\n' "$output" >page
	harmless page
	[[ $output == *'./no?[31msuch?: No such file'* ]]
}

@test "csv gives the bytes, json the text" {
	(cd "$BATS_FILE_TMPDIR" && "$report" -v functions -f csv) >functions.csv
	(cd "$BATS_FILE_TMPDIR" && "$report" -v functions -f json) >functions.json
	/usr/bin/python3 - "$BATS_FILE_TMPDIR/strange" <<-'END'
		import csv, json, re, subprocess, sys
		rows = list(csv.reader(open("functions.csv", encoding="utf-8", errors="surrogateescape", newline="")))
		assert all(len(row) == len(rows[0]) for row in rows), rows
		head = {name: i for i, name in enumerate(rows[0])}
		found = {row[head["function"]].encode("utf-8", "surrogateescape"): int(row[head["calls"]]) for row in rows[1:]}
		program = open(sys.argv[1], "rb").read()
		names = [b"a,b \"c\" =1;'\\ d ", b"\x1b[31mred\x07\r\n\ttext!", b"\xff\xfe \xc3( \xed\xa0\x80 \x80x 123",
			 b"\xc2\x9b31m\xe2\x80\xae\xc3\xa9\xe2\x82\xac 12\x7f"]
		expected = {name.ljust(18, b"."): i + 1 for i, name in enumerate(names)} | {b"main": 1}
		assert all(name in program for name in expected), "the program has other names"
		assert found == expected, found
		clean = {name.decode("utf-8", "replace"): calls for name, calls in expected.items()}
		table = json.load(open("functions.json", encoding="utf-8"))["functions"]
		told = {row["function"]: row["calls"] for row in table}
		assert {name.replace("\ufffd", ""): n for name, n in told.items()} == \
			{name.replace("\ufffd", ""): n for name, n in clean.items()}, told
	END
}
