# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of formats for other tools share. formats.py reads a file as its tool does.
# It is Debian's python, which has the modules of Debian's packages.
# of FORMAT [OPTIONS]: what a reader of the format finds
of() {
	local format=$1
	shift
	"$report" -f "$format" -o "file.$format" "$@" 2>report.stderr || { cat report.stderr; return 1; }
	/usr/bin/python3 "$here/formats.py" "$format" "file.$format" >"$format.rows"
}

# found COLUMN NAME FILE: 2 calls, 3 ns
found() { awk -F '\t' -v column="$1" -v name="$2" '$1 == name { print $column }' "$3"; }

# near WHAT FOUND EXPECTED NS
near() {
	[ -n "$2" ] && [ $(($2 - $3)) -le "$4" ] && [ $(($3 - $2)) -le "$4" ] && return
	echo "$1: found '$2', expected $3, give or take $4"
	return 1
}
