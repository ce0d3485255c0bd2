# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of run/ share. Each test runs in a folder of its own, so "the newest run" is its own.
build=${TEST_BUILD:?the build folder}
bin=$build/test/bin
library=$build/libinsideme.so
report=$build/sanitized/insideme-report
here=${BASH_SOURCE[0]%/*}
export ASAN_OPTIONS=detect_leaks=0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Whatever a test is about, none of its runs has a number that cannot be. A test of damaged logs sets
# damaged=1; one of coroutines that go from thread to thread moved=--moved. A file with all_views=" " looks at
# all views, which takes some seconds for each test.
teardown() {
	[ -n "${damaged-}" ] || numbers_can_be
}

# The few runs that a test left, as far as they can be read, and in no time.
numbers_can_be() {
	local runs moved=${moved-}
	mapfile -t runs < <(find "$BATS_TEST_TMPDIR" -maxdepth 4 -name '*.log' -size -8M -printf \
		'%h\n' 2>/dev/null | sort -u | head -3)
	[ ${#runs[@]} = 0 ] || "$here/check-numbers" ${all_views:---brief} $moved "$build/insideme-report" "${runs[@]}" ||
		[ $? = 2 ]
}

# record PROGRAM ARGS...: one of our test programs under the library alone; stdout and stderr in files.
record() {
	local program=$1
	shift
	LD_PRELOAD=$library "$bin/$program" "$@" >stdout 2>stderr
}

# monitor [OPTIONS] -- PROGRAM ARGS...: under insideme-run.
monitor() {
	"$build/insideme-run" "$@" >stdout 2>stderr
}

# often: rows each 10 ms from now on, whatever they cost. Without a setting they are fewer where this machine
# is slow.
often() { export INSIDEME_INTERVAL=10ms; }

# view NAME [OPTIONS]: a view of the newest run as csv.
view() {
	local name=$1
	shift
	"$report" -v "$name" -f csv "$@" 2>report.stderr
}

# value COLUMN [OTHER=VALUE]...: of the functions view.
value() {
	[ -e functions.csv ] || view functions >functions.csv || { cat report.stderr; return 1; }
	"$here/csv" "$@" <functions.csv
}

# same WHAT FOUND EXPECTED
same() {
	[ "$2" = "$3" ] && return
	echo "$1: found '$2', expected '$3'"
	return 1
}

# between WHAT LOW FOUND HIGH: whole numbers
between() {
	[ -n "$3" ] && [ "$3" -ge "$2" ] && [ "$3" -le "$4" ] && return
	echo "$1: found '$3', expected $2 to $4"
	return 1
}

# calls FUNCTION N...: what the functions view says about it
calls() {
	while [ $# -gt 1 ]; do
		same "calls of $1" "$(value calls "function=$1")" "$2" || return 1
		shift 2
	done
}

# line FUNCTION COMMENT COLUMN: the value that lines.csv has for the line of $source with that comment
line() {
	local number
	number=$(grep -n "/\* $2 \*/" "$source" | cut -d: -f1)
	"$here/csv" "$3" function="$1" line="$number" <lines.csv
}

# stderr is what the library itself may have said: nothing
quiet() {
	same "what the recorder said" "$(cat stderr)" ''
}

# Does the recorder read the time-stamp counter? Not where the kernel does not trust it, as under kvm-clock.
reads_tsc() { grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource; }

# wait_until COMMAND...: until it succeeds; a minute at most, for no machine is so slow
wait_until() {
	local end=$((SECONDS + 60))
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "not within a minute: $*"; return 1; }
		sleep 0.02
	done
}

# A container may forbid to trace processes.
needs_strace() {
	command -v strace >/dev/null || skip "no strace"
	strace -o /dev/null -e inject=getppid:error=ENOSYS true 2>/dev/null ||
		skip "strace cannot inject faults here"
}

# figure TEXT: what a test of torture/ measured, for doc/torture.md
figure() {
	echo "# figure: $*" >&3
}
