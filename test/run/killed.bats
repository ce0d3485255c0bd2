#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of programs that were killed at any moment are whole, and count what was called.
load lib
load killed

views='summary tree calls resources quality'

@test "killed at random while every call is recorded" {
	export INSIDEME_THRESHOLD=0
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# shellcheck disable=SC2086
		killed_after "0.0$((RANDOM % 90 + 10))" $views
	done
	"$report" | grep -q 'work > descend\|  work  '
}

@test "killed at random at the default threshold" {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# shellcheck disable=SC2086
		killed_after "0.0$((RANDOM % 90 + 10))" $views
	done
}
