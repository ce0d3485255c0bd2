#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Source lines against what they are by construction, and against perf in the same process.
load ../run/lib

source=$(realpath "$BATS_TEST_DIRNAME/../programs/lines.c")

# share LINE: percent of the samples in the lines of lines.c, as the view has it, with one decimal
share() {
	awk -F, -v line="$1" '$1 ~ /lines.c$/ && $2 {all += $6; if ($2 == line) one += $6}
		END {printf "%.1f\n", 100 * one / all}' lines.csv
}

# perf_share LINE: the same by perf, which sums up by line in front of its listing
perf_share() {
	perf annotate -i perf.data --stdio -l -s main 2>/dev/null |
		awk -v line="$1" '$2 ~ /^lines.c:[0-9]+$/ && NF == 2 {all += $1; if ($2 == "lines.c:" line) one += $1}
			END {printf "%.1f\n", 100 * one / all}'
}

# near PERCENT EXPECTED SAMPLES: within four standard errors, 3 points for 40 % of 4,000 samples
near() {
	awk -v a="$1" -v b="$2" -v nr="$3" 'BEGIN {off = a - b; exit !(off ^ 2 <= 16 * b * (100 - b) / nr)}'
}

@test "1:2:3:4 in one inlined function, by construction and by perf" {
	local part line ours perfs nr
	command -v perf >/dev/null || skip "no perf"
	cp "$source" lines.c
	gcc -g -O2 lines.c -o lines
	perf record -q -e cpu-clock -F 997 -o perf.data -- "$build/insideme-run" --quiet --sample=1000 \
		./lines ratio 170 >stdout 2>stderr || skip "perf may not sample here: $(tail -1 stderr)"
	view lines >lines.csv
	nr=$(view functions | "$here/csv" samples | awk '{n += $1} END {print n}')
	for part in 1 2 3 4; do
		line=$(grep -n "/\* $part \*/" lines.c | cut -d: -f1)
		ours=$(share "$line") perfs=$(perf_share "$line")
		figure "loop $part of 10: $ours % of $nr samples, $perfs % by perf"
		near "$ours" $((part * 10)) "$nr" || { echo "loop $part by construction"; return 1; }
		near "$ours" "$perfs" "$nr" || { echo "loop $part by perf"; return 1; }
	done
}
