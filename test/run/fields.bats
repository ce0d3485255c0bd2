#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Fields: functions grouped by rules, given when a run is recorded or when it is reported.
load lib
all_views=" "

# by_process OPTIONS: how many processes there are, and where fields of all are not the sums over these
by_process() {
	"$report" -v fields -f json "$@" >fields.json
	python3 - <<-'END'
		import json
		tables = json.load(open("fields.json"))
		names = ["calls", "self_ns", "total_ns", "alloc_calls", "alloc_bytes"]
		whole = {row["field"]: [row[name] or 0 for name in names] for row in tables["fields"]}
		of = {}
		for row in tables["processes"]:
		    sums = of.setdefault(row["field"], [0] * len(names))
		    of[row["field"]] = [sum + (row[name] or 0) for sum, name in zip(sums, names)]
		processes = len({row["pid"] for row in tables["processes"]})
		print(processes, "processes")
		for field, cells in sorted(whole.items()):
		    near = [abs(a - b) <= processes for a, b in zip(of[field], cells)]
		    if not all(near):
		        print(field, of[field], cells)
	END
}

# cell COLUMN FIELD: of the fields view, in fields.csv
cell() {
	"$here/csv" "$1" "field=$2" <fields.csv
}

@test "rules of the run hold in its report; what they do not name is @name" {
	INSIDEME_FIELDS='even = parity; odd=parity;calls.c:leaf = leaves; nothing' run record calls
	view fields >fields.csv
	same "calls of even and odd" "$(cell calls parity)" 1001
	same "functions of it" "$(cell functions parity)" 2
	same "calls of leaf" "$(cell calls leaves)" 6000
	same "calls of middle" "$(cell calls @middle)" 3000
	same "fields" "$("$here/csv" field <fields.csv | LC_ALL=C sort | xargs)" \
		'@fib @main @middle @outer Others leaves parity'
	grep -q "INSIDEME_FIELDS:1: 'nothing' has no =" report.stderr
	same "in functions" "$(view functions | "$here/csv" field function=odd)" parity
	same "total of a recursion" "$(cell total_ns @fib)" \
		"$(view functions | "$here/csv" total_ns function=fib)"
}

@test "rules of the report come first; a file of them; an empty field is the function's own" {
	INSIDEME_FIELDS='* = all' run record calls
	printf '# one\nfib = maths\nno rule\nleaf = \n = nothing\n' >rules
	view fields --fields @rules >fields.csv
	grep -q "warning: rules:3: 'no rule' has no =, expected GLOB = FIELD; the other rules apply" \
		report.stderr
	grep -q "warning: rules:5: '= nothing' has no pattern" report.stderr
	same "calls of fib" "$(cell calls maths)" 21891
	same "calls of leaf" "$(cell calls @leaf)" 6000
	same "calls of the rest" "$(cell calls all)" $((1 + 1000 + 3000 + 1001))
	! view fields --fields @missing || return 1
	grep -q 'cannot read missing: No such file' report.stderr
}

@test "fields and functions of any bytes in csv, json, text and the page" {
	run record calls
	rules=$'leaf = a,"b"\t\xff;fib = <b>'
	view fields --fields "$rules" >fields.csv
	grep -qaF $',"a,""b""\t\xff",1,6000,' fields.csv
	"$report" -v fields -f json --fields "$rules" | python3 -c '
import json, sys
fields = {row["field"]: row["calls"] for row in json.load(sys.stdin.buffer)["fields"]}
assert fields["a,\"b\"\t\ufffd"] == 6000 and fields["<b>"] == 21891, fields'
	"$report" -v fields --fields "$rules" | iconv -f UTF-8 -t UTF-8 | grep -q '6000.*a,"b"'
	"$report" -f html -o page.html --fields "$rules"
	same "markup of a field in the page" "$(grep -c '<b>' page.html)" 0
}

@test "a file of rules is found from where the program ran" {
	mkdir elsewhere
	echo 'leaf = leaves' >elsewhere/rules
	(cd elsewhere && INSIDEME_DIR=$PWD/../insideme.data INSIDEME_FIELDS=@rules record calls) || true
	view fields >fields.csv
	same "calls of leaf" "$(cell calls leaves)" 6000
}

@test "a saved profile has the fields of its run, and of --fields; presets and later rules hold" {
	INSIDEME_FIELDS='even = parity; odd=parity; fib = ; calls.c:leaf = leaves' run record calls
	view fields | "$here/csv" field | LC_ALL=C sort | grep -v Others >of_run
	"$report" --save saved.profile --fields 'middle = a "b", c'
	sed -i 's/@middle/a "b", c/' of_run
	"$report" -v fields -f csv saved.profile >fields.csv
	same "fields" "$("$here/csv" field <fields.csv | LC_ALL=C sort)" "$(LC_ALL=C sort of_run)"
	same "calls" "$(cell calls parity),$(cell calls leaves),$(cell calls @fib),$(cell calls 'a "b", c')" \
		1001,6000,21891,3000
	"$report" -v fields -f csv saved.profile --fields 'fib = maths' >fields.csv
	same "calls of a later rule" "$(cell calls maths),$(cell calls leaves)" 21891,6000
}

@test "self times and Others are the threads' wall time, hooks apart" {
	run record calls
	view fields --raw >fields.csv
	view threads >threads.csv
	sum=$("$here/csv" self_ns <fields.csv | awk '{ sum += $1 } END { print sum }')
	lasted=$("$here/csv" duration_ns <threads.csv)
	between "sum of self times" $((lasted - 10)) "$sum" $((lasted + 10))
}

@test "paths that had no room: their functions' calls are in fields all the same" {
	INSIDEME_BUDGET=1M run record paths
	view quality | grep -q folded_paths
	view fields >fields.csv
	same "calls of fields" "$("$here/csv" calls <fields.csv | awk '{ sum += $1 } END { print sum }')" \
		"$(view functions | "$here/csv" calls | awk '{ sum += $1 } END { print sum }')"
}

@test "processes and ranks have each their fields, which add up to those of all" {
	record forks
	same "by process" "$(by_process --raw)" "4 processes"
	view fields >fields.csv
	"$here/csv" pid field=@child_work <fields.csv >pids
	same "processes with child_work" "$(sort -u pids | wc -l)" 3
	"$report" -v fields >text
	grep -q 'by process' text
}

@test "threads that share a record are in Others with what they lived, not with the time between them" {
	record many_threads 2000	# six at a time
	view threads | "$here/csv" threads | awk '$1 > 1 { found = 1 } END { exit !found }'
	between "all fields" 1 "$(view fields | "$here/csv" self_ns |
		awk '{ sum += $1 } END { printf "%.0f", sum }')" \
		$((6 * $(view processes | "$here/csv" duration_ns)))
}

@test "counted functions have their time in fields, though main() has no hooks" {
	cat >main.c <<-'END'
		void tiny(void);
		int main(void) { for (int i = 0; i < 30000000; i++) tiny(); }
	END
	gcc -g -O1 -finstrument-functions -x c -c -o tiny.o - <<-'END'
		void tiny(void) { for (volatile int i = 0; i < 10; i++) ; }
	END
	gcc main.c tiny.o -o counted
	INSIDEME_TIMING=auto monitor -q -- ./counted
	between "self time of the field" $(($(value self_ns function=tiny) * 99 / 100)) \
		"$(view fields | "$here/csv" self_ns field=@tiny)" $(($(value self_ns function=tiny) * 101 / 100))
}
