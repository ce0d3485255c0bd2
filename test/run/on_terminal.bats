#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The report on a terminal: width, colours, and the pager.
load lib

# on LINES COLUMNS OPTIONS...: the report there, without escapes
on() {
	python3 "$here/on_terminal.py" "$1" "$2" '' "$report" "${@:3}" >colours || return
	sed 's/\x1b\[[0-9;]*m//g' colours
}

@test "text that is longer than the terminal goes through the pager, and only that" {
	record calls || same status $? 7
	export INSIDEME_PAGER="sed 's/^/paged: /'"
	"$report" -v functions --no-pager >page
	lines=$(wc -l <page)
	on $lines 100 -v functions >shown
	same "lines through the pager" "$(grep -c '^paged: ' shown)" "$lines"
	same "the text" "$(sed 's/^paged: //' shown)" "$(cat page)"
	on $((lines + 1)) 100 -v functions >shown
	same "a text that fits" "$(cat shown)" "$(cat page)"
	on 3 100 -v functions --no-pager >shown
	same "--no-pager" "$(cat shown)" "$(cat page)"
	on 3 100 -v functions -f csv >shown
	same "csv" "$(cat shown)" "$("$report" -v functions -f csv)"
	on 3 100 -v functions -o file >shown
	same "a file" "$(cat shown file)" "$(cat page)"
	same "a pipe" "$("$report" -v functions)" "$(cat page)"
}

@test "which pager: INSIDEME_PAGER, PAGER, less; none by an empty name or cat" {
	record calls || same status $? 7
	"$report" -v functions >page
	PAGER="sed 's/^/other: /'" on 3 100 -v functions >shown
	same "PAGER" "$(grep -c '^other: ' shown)" "$(wc -l <page)"
	for none in '' cat; do
		INSIDEME_PAGER=$none PAGER="sed 's/^/other: /'" on 3 100 -v functions >shown
		same "no pager by '$none'" "$(cat shown)" "$(cat page)"
	done
	INSIDEME_PAGER=/no/such/pager on 3 100 -v functions >shown
	[[ $(cat shown) == *"/no/such/pager"*"$(cat page)" ]]
	command -v less >/dev/null || skip "needs less"
	unset PAGER INSIDEME_PAGER LESS
	python3 "$here/on_terminal.py" 4 100 q "$report" -v functions >shown
	[[ $(cat shown) == *"calls: 7 functions by self_ns"* && $(cat shown) != *"total = self"* ]]	# left at the first page
}

@test "a pager that is left early, and a pipe that is closed, get no message" {
	record calls || same status $? 7
	INSIDEME_PAGER='head -1' on 3 100 -v functions --top 0 --columns function >shown
	same "what head lets through" "$(cat shown)" "calls: 7 functions by self_ns"
	INSIDEME_THRESHOLD=0 record threads
	for format in text csv json; do
		"$report" -v calls --top 0 -f $format 2>said | head -c 1 >/dev/null
		same "said of $format" "$(grep -v ' of [0-9]* calls' said)" ''
		(trap '' PIPE; "$report" -v calls --top 0 -f $format 2>said | head -c 1 >/dev/null)
		same "said of $format when SIGPIPE was ignored" "$(grep -v ' of [0-9]* calls' said)" ''
	done
}

@test "text fits the terminal: tables, what stands above and below them" {
	record calls_cpp || true
	for view in summary functions tree callers callees calls heap errors threads processes resources \
		timers marks quality; do
		for columns in 80 120; do
			report=$build/insideme-report LC_ALL=C on 1000 $columns -v $view --no-pager >shown
			between "longest line of $view" 20 \
				"$(awk 'length > longest { longest = length } END { print longest }' shown)" \
				$columns
		done
	done
}

@test "colours: labels, headings, and those that failed" {
	monitor -- bash -c "'$bin/ends' segv; /bin/false; exit 0"
	on 1000 100 -v errors >/dev/null
	same "red lines" "$(grep -c $'\x1b\[31m.*\x1b\[0m' colours)" 2
	same "bold ones" "$(grep -c $'^\x1b\[1m' colours)" 3	# Ended, two heads
	NO_COLOR=1 on 1000 100 -v errors >/dev/null
	same "escapes with NO_COLOR" "$(grep -c $'\x1b' colours)" 0
}
