# SPDX-License-Identifier: GPL-3.0-or-later
# One program's shares beside the truth: truth.counts ("JUDGE NAME SAMPLES", the judge of stacks or of the others), then
# "CONTENDER \t NAME \t SHARE" lines; the file marked: names of functions that the report says are too short to tell.
function absolute(x) { return x < 0 ? -x : x }
function standard_error(samples, judge) { return 100 * sqrt(worst[judge] / samples) }

BEGIN {
	while ((getline name <marked) > 0)
		is_marked[name] = 1
}

FNR == NR {
	nr = split($0, word, " ")
	judge = word[1]
	samples = word[nr]
	name = substr($0, length(judge) + 2, length($0) - length(judge) - length(samples) - 2)
	if (name != ignored) {
		count[judge, name] = samples
		all[judge] += samples
	}
	next
}
$2 != ignored { share[$1, $2] = $3; sum[$1] += $3 }

END {
	for (key in count) {
		split(key, of, SUBSEP)
		truth = count[key] / all[of[1]]
		if (truth < 0.01)
			continue
		functions[of[1]]++
		if (truth * (1 - truth) > worst[of[1]])
			worst[of[1]] = truth * (1 - truth)
		shown[key] = truth
	}
	judge = contenders == "stacks" ? "stacks" : "others"
	printf "%-12s %9d %8d %7.2f", program, functions[judge], all[judge], standard_error(all[judge], judge)
	nr = split(contenders, contender, " ")
	for (i = 1; i <= nr; i++) {
		total = largest = 0
		judge = contender[i] == "stacks" ? "stacks" : "others"
		for (key in shown) {
			split(key, of, SUBSEP)
			if (of[1] != judge)
				continue
			name = of[2]
			percent = sum[contender[i]] ? 100 * share[contender[i], name] / sum[contender[i]] : 0
			difference = absolute(percent - 100 * shown[key])
			total += difference
			if (difference > largest)
				largest = difference
			if (contender[i] == "compensated" && !(name in is_marked)) {
				trusted++
				trusted_total += difference
				if (difference > trusted_largest)
					trusted_largest = difference
			}
			printf "%s,%s,\"%s\",%.3f,%.3f\n", program, contender[i], name, percent, 100 * shown[key] >>csv
		}
		printf " %7.2f / %6.1f", total / functions[judge], largest
	}
	if (stacks_samples)
		printf " %8d %7.2f", stacks_samples, standard_error(stacks_samples, "stacks")
	if (" " contenders " " ~ / compensated /)
		printf trusted ? " %5.2f / %4.1f of %d" : "            none", trusted_total / (trusted ? trusted : 1), trusted_largest, trusted
	print ""
}
