# SPDX-License-Identifier: GPL-3.0-or-later
# The program never notices: alike COMMAND... runs it without the library, with it preloaded, and under
# insideme-run,
# each time in a fresh copy of the folder "given", and compares byte for byte stdout, stderr, exit status, the
# files
# it left, and of every process that ended the descriptors and, under insideme-run, the number of threads.
#
#   filter='s/..//'      a sed script for what differs from run to run anyhow
#   before=, after=      libraries to preload before and after ours
#   threads=vary         its number of threads differs from run to run anyhow
#   limit=60             seconds
witness=$bin/witness.so

# needs PROGRAM...: the test is skipped where one is not installed.
needs() {
	local program
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed: scripts/setup --torture"
	done
}

# one_run NAME PRELOAD COMMAND...: what it did is in the folder NAME, of another name while it ran.
one_run() {
	local name=$1 preload=$2 status=0 seen=$BATS_TEST_TMPDIR/seen
	shift 2
	rm -rf "$name" "data.$name"
	mkdir -p given "$seen"
	cp -a given "$seen/files"
	(cd "$seen/files" && exec timeout -k 5 "${limit:-60}" env LD_PRELOAD="$preload" WITNESS="$seen" \
		INSIDEME_DIR="$BATS_TEST_TMPDIR/data.$name" \
			"$@") >"$seen/stdout" 2>"$seen/stderr" </dev/null || status=$?
	echo "$status" >"$seen/status"
	touch "$seen/descriptors" "$seen/threads"
	sed -i -E "${filter:-}" "$seen"/{stdout,stderr}
	# by one command: a process that is left over may add a line at any time
	sed -E "${filter:-}; /^insideme-/d" "$seen/descriptors" | sort >"$seen/descriptors.sorted"
	sed '/^insideme-/d' "$seen/threads" | sort >"$seen/threads.sorted"
	rm "$seen/descriptors" "$seen/threads"
	[ "${threads:-}" != vary ] || rm "$seen/threads.sorted"
	mv "$seen" "$name"
}

alike() {
	local name
	one_run plain "${before:-} ${after:-} $witness" "$@"
	one_run inside "${before:-} $library ${after:-} $witness" "$@"
	diff -r -x threads.sorted plain inside || { echo "^ $*"; return 1; }
	one_run outside "${before:-} ${after:-} $witness" "$build/insideme-run" --quiet -- "$@"
	diff -r plain outside || { echo "^ $* under insideme-run"; return 1; }
	for name in inside outside; do
		find "data.$name" -name '*.log' | grep -q . || { echo "no log of $* $name"; return 1; }
		"$report" "data.$name"/* >/dev/null || { echo "no report of $* $name"; return 1; }
	done
}
