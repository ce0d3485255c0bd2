# SPDX-License-Identifier: GPL-3.0-or-later
# Fill in a manual from what a program says of itself:
# { PROGRAM --help; insideme-report -v | sed 's/^/VIEW /'; insideme-report -f | sed 's/^/FORMAT /'; } |
#	awk -v version=V -f scripts/manual.awk - PAGE
# The line "@OPTION NAME@" of the page becomes that option with its sentence, "@SETTINGS@" all settings,
# "@VIEWS@" and "@FORMATS@" the lists. A page with options must have all of the program's.
function fail(message) {
	print "manual.awk: " FILENAME ": " message >"/dev/stderr"
	failed = 1
}

# A paragraph with the head in bold, its value in italics, and "[DEFAULT]" in words.
function entry(head, value, sentence, stop) {
	gsub(/-/, "\\-", head)
	if (match(sentence, / \[[^]]*\]$/))
		sentence = substr(sentence, 1, RSTART - 1) " (default " \
			substr(sentence, RSTART + 2, RLENGTH - 3) ")"
	gsub(/-/, "\\-", sentence)
	printf ".TP\n\\fB%s\\fR%s\n%s%s\n", head, value == "" ? "" : "\\fI" value "\\fR", sentence, stop
}

NR == FNR && /^Settings/ { are_settings = 1 }
NR == FNR && /^  (-.,|   ) --/ {
	text = index($0, "   ") == 1 ? substr($0, 7) : substr($0, 3)
	split(text, part, /   */)
	match(part[1], /--[a-z-]+/)
	name = substr(part[1], RSTART + 2, RLENGTH - 2)
	before[name] = substr(part[1], 1, RSTART + RLENGTH - 1)
	value[name] = substr(part[1], RSTART + RLENGTH)
	sentence[name] = part[2]
	if (are_settings)
		setting[++nr_settings] = name
	next
}
NR == FNR && /^        / {
	sub(/^ +/, "")
	sentence[name] = sentence[name] (sentence[name] == "" ? "" : " ") $0
}
NR == FNR && /^(VIEW|FORMAT) / {
	list = "@" $1 "S@"
	sub(/^[A-Z]+ /, "")
	words[list, ++nr_words[list]] = $1
	sub(/^[^ ]+ +/, "")
	help[list, nr_words[list]] = $0
}
NR == FNR { next }

/^@OPTION .*@$/ {
	name = substr($2, 1, length($2) - 1)
	if (!(name in before))
		fail("no option --" name)
	is_used[name] = has_options = 1
	entry(before[name], value[name], toupper(substr(sentence[name], 1, 1)) substr(sentence[name], 2), ".")
	next
}
$0 in nr_words {
	print ".RS\n.PD 0"
	for (i = 1; i <= nr_words[$0]; i++)
		entry(words[$0, i], "", help[$0, i], "")
	print ".PD\n.RE\n.IP"
	next
}
/^@SETTINGS@$/ {
	for (i = 1; i <= nr_settings; i++) {
		name = setting[i]
		variable = toupper(name)
		gsub(/-/, "_", variable)
		is_used[name] = 1
		entry("INSIDEME_" variable ", " before[name], value[name], sentence[name], "")
	}
	next
}
{
	sub(/@VERSION@/, version)
	print
}
END {
	for (name in before)
		if (has_options && !(name in is_used))
			fail("lacks --" name)
	exit failed
}
