# SPDX-License-Identifier: GPL-3.0-or-later
# A program killed at any moment, and what its log must say: for killed.bats and torture/ends.bats.

# within COUNTS FUNCTIONS: what the report counts is what the program counted, but for the one call of each
# thread that
# was on its way; of functions that timing auto counts it does not know how many are open. Prints what is not
# so.
within() {
	awk -F '[ ,]' '
		FNR == NR { begun[$2] += $3; ended[$2] += $4; nr[$2]++; next }
		$1 in begun {
			open = begun[$1] - ended[$1]
			seen[$1] = 1
			if ($2 > begun[$1] + nr[$1] || $2 < begun[$1] - nr[$1])
				print $1 ": " $2 " calls, begun were " begun[$1]
			if ($3 != "" && ($3 > open + nr[$1] || $3 < open - nr[$1]))
				print $1 ": " $3 " open calls, open were " open
		}
		END { for (name in begun) if (begun[name] > nr[name] && !seen[name]) print name ": not in the report" }' "$1" "$2"
}

has_called() {
	[ -s counts ] && [ "$("$bin/churn" -p counts |
		awk '$2 == "descend" { sum += $4 } END { print sum }')" -gt 1000 ]
}

# killed_after SECONDS [VIEW...]: churn is killed then, for views not before it has made calls; the report
# reads its log,
# warns of nothing, and agrees with it.
killed_after() {
	local seconds=$1 status=0 pid
	shift
	rm -rf insideme.data counts
	LD_PRELOAD=$library "$bin/churn" counts &
	pid=$!
	sleep "$seconds"
	[ $# -eq 0 ] || wait_until has_called
	kill -KILL $pid
	{ wait $pid || status=$?; } 2>/dev/null	# what bash says of it
	same "status of churn" "$status" 137
	"$bin/churn" -p counts >begun
	if "$report" 2>&1 | grep -q 'no runs in\|no log yet'; then	# in our constructor
		same "calls begun by then" "$(awk '{ sum += $3 } END { print sum + 0 }' begun)" 0
		return
	fi
	for view in functions "$@"; do
		"$report" -v "$view" -f csv >"$view.csv" 2>"$view.stderr" || { cat "$view.stderr"; return 1; }
		same "warnings of $view after $seconds s" \
			"$(grep -v '^insideme-report: [0-9]* of [0-9]* calls' "$view.stderr")" ''
	done
	"$report" -v functions -f csv --top 0 --columns function,calls,open_calls >functions.csv
	same "after $seconds s" "$(within begun functions.csv)" ''
}
