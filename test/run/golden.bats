#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# All views of runs whose numbers are known: test/logs/golden.c gives them.
load lib

logs=$here/../logs

golden() {
	"$bin/golden" insideme.data
	export INSIDEME_PAGER=cat TZ=UTC
}

views() {
	"$report" -v | awk '{ print $1 }'
}

# sum COLUMN [OTHER=VALUE]... <csv
sum() {
	"$here/csv" "$@" | awk '{ sum += $1 } END { print sum }'
}

@test "every view says what is expected of it (meant otherwise now? make expected)" {
	mkdir shown
	"$logs/show" "$build" "$PWD/shown"
	diff -ru "$logs/expected" shown
}

@test "text fits 60 columns and 80, and is ASCII in a C locale" {
	golden
	for view in $(views); do
		for columns in 80 60; do
			COLUMNS=$columns LC_ALL=C "$report" -v "$view" last~1 last~0 >"$view.txt" 2>/dev/null
			same "too long in $view" "$(awk -v most=$columns 'length > most' "$view.txt")" ''
			same "other than ASCII in $view" "$(LC_ALL=C grep -aP '[^\x20-\x7e]' "$view.txt")" ''
		done
	done
}

@test "csv and json of every view agree, for names with special characters too" {
	golden
	for view in $(views | grep -vx -e lines -e steps -e stacks); do	# which have no rows without samples
		for runs in last~1 'last~1 last'; do
			# shellcheck disable=SC2086
			{
				"$report" -v "$view" -f csv $runs >"$view.csv"
				"$report" -v "$view" -f json $runs >"$view.json"
			} 2>/dev/null
			"$logs/compare" "$view.csv" "$view.json" || { echo "in $view of $runs"; return 1; }
		done
	done
	same "the strange name's bytes" "$(grep -caF $'"strange:""name"",\n,\t,\033[31mred,\001,\377,ü"' functions.csv)" 3	# as name and as field
}

@test "sums of the views are those that the generator's head gives" {
	golden
	for view in $(views); do
		view "$view" last~1 >"$view.csv"
	done
	same "functions" "$("$here/csv" calls <functions.csv | wc -l)" 13
	same "calls of functions" "$(sum calls <functions.csv)" 3442
	same "calls of fib" "$("$here/csv" calls function=fib <functions.csv)" 354
	same "of them not recursive" "$("$here/csv" primitive_calls function=fib <functions.csv)" 2
	same "calls of call paths" "$(sum calls <tree.csv)" 3442
	same "calls of processes" "$(sum calls <processes.csv)" 3442
	same "calls of threads" "$(sum calls <threads.csv)" 3442
	same "calls by callers" "$(sum calls <callers.csv)" 3442
	same "calls of callees" "$(sum calls <callees.csv)" $((3442 - 2 - 1 - 2 - 1))
	same "open calls" "$(sum open_calls <functions.csv)" 3
	same "allocations" "$(sum alloc_calls <heap.csv)" $((2 * (100 + 50 + 2) + 20))
	same "bytes" "$(sum alloc_bytes <heap.csv)" $((2 * (100 * 4096 + 50 * 64 + 2 * 72704) + 20 * 65536))
	same "frees" "$(sum free_calls <heap.csv)" $((2 * 90 + 20))
	same "single calls" "$("$here/csv" function <calls.csv | sort | uniq -c | xargs)" \
		'20 Grid::exchange(std::vector<double, std::allocator<double> >&) 20 Grid::step(int)'
	same "self time" "$(sum self_ns <functions.csv)" "$(sum functions_ns <threads.csv)"
	same "statuses" "$("$here/csv" exit_status <processes.csv | xargs)" '0 3 0'
}
