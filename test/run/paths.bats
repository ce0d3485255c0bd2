#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# However many call paths there are, each call is counted on its own.
load lib

# sum COLUMN FILE: of a csv file without quoted fields before that column
sum() {
	"$here/csv" "$1" <"$2" | awk '{ sum += $1 } END { print sum + 0 }'
}

@test "90,000 call paths, each taken twice" {
	record paths
	quiet
	calls step_000 602 step_150 602 step_299 602 main 1
	view tree --top 0 >tree.csv
	same paths "$(($(wc -l <tree.csv) - 1))" 90301
	same "calls on the last path" "$("$here/csv" calls path='main;step_299;step_299' <tree.csv)" 2
	same "calls on a path in the middle" "$("$here/csv" calls path='main;step_123;step_045' <tree.csv)" 2
}

@test "paths made in signal handlers that interrupt the making of paths" {
	local handled
	record paths interrupted
	quiet
	read -r _ handled <stdout
	between handled 10 "$handled" 1000000000
	view functions --top 0 --match 'step_*' >functions.csv
	same calls "$(sum calls functions.csv)" $((300 * 602 + handled))
	view tree --top 0 >tree.csv
	same "calls in the tree" "$(sum calls tree.csv)" $((300 * 602 + handled + 1))
	same "calls on the last path" "$("$here/csv" calls path='main;step_299;step_299' <tree.csv)" 2
}

@test "60,000 functions of one caller take no time that grows with their number" {
	LD_PRELOAD=$library timeout 10 "$bin/paths" flat >stdout 2>stderr
	quiet
	view functions --top 0 >functions.csv
	same calls "$(sum calls functions.csv)" 120001
	same functions "$(($(wc -l <functions.csv) - 1))" 60001
}
