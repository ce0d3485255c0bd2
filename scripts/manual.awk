# SPDX-License-Identifier: GPL-3.0-or-later
# Fill in a manual from a program's options: PROGRAM --help | awk -v version=V -f scripts/manual.awk - PAGE
# The line "@OPTION NAME@" of the page becomes that option with its sentence, "@SETTINGS@" all settings. A page with
# options must have all of the program's.
function fail(message) {
	print "manual.awk: " FILENAME ": " message >"/dev/stderr"
	failed = 1
}

# A paragraph with the head in bold, its value in italics, and "[DEFAULT]" in words.
function entry(head, value, sentence, stop) {
	gsub(/-/, "\\-", head)
	if (match(sentence, / \[[^]]*\]$/))
		sentence = substr(sentence, 1, RSTART - 1) " (default " substr(sentence, RSTART + 2, RLENGTH - 3) ")"
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
NR == FNR { next }

/^@OPTION .*@$/ {
	name = substr($2, 1, length($2) - 1)
	if (!(name in before))
		fail("no option --" name)
	is_used[name] = has_options = 1
	entry(before[name], value[name], toupper(substr(sentence[name], 1, 1)) substr(sentence[name], 2), ".")
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
