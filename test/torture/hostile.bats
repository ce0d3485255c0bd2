#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Files that were changed at random: read by the sanitized insideme-report, which must say something or nothing, and end.
load ../run/lib

# attack FILE VIEWS...: 300 changed forms of FILE, which is put back
attack() {
	local seed views=("${@:2}") accepted=0 refused=0
	cp "$1" whole
	for ((seed = 1; seed <= 300; seed++)); do
		python3 "$here/../torture/mutate.py" whole "$seed" >"$1"
		status=0
		timeout 20 "$report" "${target[@]}" -v "${views[seed % ${#views[@]}]}" >output 2>&1 || status=$?
		[ "$status" -le 1 ] || { echo "status $status of seed $seed"; cat output; return 1; }
		[ "$status" = 1 ] && refused=$((refused + 1)) || accepted=$((accepted + 1))
	done
	figure "300 changed forms of ${1##*/}: $refused refused, $accepted read"
	cp whole "$1"
}

@test "saved profiles that were changed" {
	for n in 10 20; do record repeat $n; done
	"$report" --save profile.json last last~1
	target=(profile.json)
	attack profile.json functions summary tree processes threads quality
}

@test "saved names that were changed" {
	record calls_cpp
	"$report" >/dev/null
	rm -f insideme.data/*/run		# so that no report writes them anew
	target=()
	attack "$(echo insideme.data/*/names)" functions summary tree threads
}
