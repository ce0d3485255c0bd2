# SPDX-License-Identifier: GPL-3.0-or-later
# Cells of the view of waits.

# waits COLUMN [CONDITIONS]: cells of the view
waits() {
	[ -e waits.csv ] || view waits >waits.csv
	"$here/csv" "$@" <waits.csv
}

# sum COLUMN CONDITIONS
sum() { waits "$@" | awk '{sum += $1} END {printf "%d\n", sum}'; }
