# SPDX-License-Identifier: GPL-3.0-or-later
# One program's shares beside the truth: truth.counts ("NAME SAMPLES"), then "CONTENDER \t NAME \t SHARE" lines; the file
# marked: names of functions that the report says are too short to tell.
function absolute(x) { return x < 0 ? -x : x }
function standard_error(samples) { return 100 * sqrt(worst / samples) }

BEGIN {
	while ((getline name <marked) > 0)
		is_marked[name] = 1
}

FNR == NR {
	split($0, word, " ")
	samples = word[split($0, word, " ")]
	name = substr($0, 1, length($0) - length(samples) - 1)
	if (name != ignored) {
		count[name] = samples
		all += samples
	}
	next
}
$2 != ignored { share[$1, $2] = $3; sum[$1] += $3 }

END {
	for (name in count) {
		truth = count[name] / all
		if (truth < 0.01)
			continue
		functions++
		if (truth * (1 - truth) > worst)
			worst = truth * (1 - truth)
		shown[name] = truth
	}
	printf "%-12s %9d %8d %7.2f", program, functions, all, standard_error(all)
	nr = split(contenders, contender, " ")
	for (i = 1; i <= nr; i++) {
		total = largest = 0
		for (name in shown) {
			percent = sum[contender[i]] ? 100 * share[contender[i], name] / sum[contender[i]] : 0
			difference = absolute(percent - 100 * shown[name])
			total += difference
			if (difference > largest)
				largest = difference
			if (contender[i] == "compensated" && !(name in is_marked)) {
				trusted++
				trusted_total += difference
				if (difference > trusted_largest)
					trusted_largest = difference
			}
			printf "%s,%s,\"%s\",%.3f,%.3f\n", program, contender[i], name, percent, 100 * shown[name] >>csv
		}
		printf " %7.2f / %6.1f", total / functions, largest
	}
	if (stacks_samples)
		printf " %8d %7.2f", stacks_samples, standard_error(stacks_samples)
	if (" " contenders " " ~ / compensated /)
		printf trusted ? " %5.2f / %4.1f of %d" : "            none", trusted_total / (trusted ? trusted : 1), trusted_largest, trusted
	print ""
}
