#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of programs that were killed at any moment are whole.
load lib

# killed_after SECONDS: churn is killed then; its report must warn of nothing, in any view.
killed_after() {
	rm -rf insideme.data
	LD_PRELOAD=$library "$bin/churn" &
	sleep "$1"
	kill -KILL $!
	wait $! || true
	for view in summary functions tree calls resources quality; do
		"$report" -v "$view" >"$view.txt" 2>"$view.stderr"
		run grep -v '^insideme-report: [0-9]* of [0-9]* calls' "$view.stderr"
		same "warnings of $view after $1 s" "$output" ''
	done
	grep -q 'work > descend\|main > work\|  work  ' summary.txt
}

@test "killed at random while every call is recorded" {
	export INSIDEME_THRESHOLD=0
	for _ in 1 2 3 4 5 6 7 8; do
		killed_after "0.0$((RANDOM % 90 + 10))"
	done
}

@test "killed at random at the default threshold" {
	for _ in 1 2 3 4 5 6 7 8; do
		killed_after "0.0$((RANDOM % 90 + 10))"
	done
}
