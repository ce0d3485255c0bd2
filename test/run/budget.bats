#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A run of a hundred times what its budget could hold, each call recorded: exact counts, and all of its length to be seen.
load lib

# per_tenth END: of times in ns, one a line, how many lie in each tenth before END
per_tenth() {
	awk -v end="$1" '{ nr[int($1 * 10 / end)]++ } END { for (i = 0; i < 10; i++) printf "%d ", nr[i] }'
}

# each_at_least WHAT LEAST NUMBER...
each_at_least() {
	local what=$1 least=$2
	shift 2
	same "numbers of $what" $# 10
	for number; do between "$what in each tenth: $*" "$least" "$number" 1000000000; done
}

# starts_of FUNCTION: of its calls in calls.csv
starts_of() { awk -F, -v name="$1" '$1 == name { print $2 }' calls.csv; }

@test "a run of a hundred budgets keeps its counts and its whole length, and says when each step came" {
	local end at last
	INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1M record long_run
	calls main 1 a_round 100 step 10000 leaf 20000000
	between "bytes of log" 1 "$(stat -c %s insideme.data/*/*.log)" 1048576

	view calls --columns function,start_ns,end_ns,duration_ns >calls.csv
	same "rounds recorded one by one" "$(starts_of a_round | wc -l)" 100
	end=$(awk -F, '$1 == "main" { print $3 }' calls.csv)
	each_at_least rounds 1 $(starts_of a_round | per_tenth "$end")
	each_at_least steps 10 $(starts_of step | per_tenth "$end")
	view resources >resources.csv
	# every 10 ms, whatever other sets cost, where the sampler gets a processor in time
	between "tenths with rows" 8 "$("$here/csv" time_ns set=process <resources.csv | per_tenth "$end" | tr ' ' '\n' | grep -c '[1-9]')" 10

	view quality >quality.csv
	at=$("$here/csv" value finding=threshold_raised_at_ns <quality.csv | head -1)
	between "time of the first step" 1 "$at" "$end"
	last=$(awk -F, '$1 == "leaf" && $4 < 1000 && $3 > last { last = $3 } END { print last }' calls.csv)
	between "end of the last call below 1 us" 1 "$last" $((at + 1000))
}
