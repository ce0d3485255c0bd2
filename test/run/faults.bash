# SPDX-License-Identifier: GPL-3.0-or-later
# System calls that fail, at every step of the recorder: for ends.bats and torture/ends.bats.

# sound WHAT: the program "calls" went its way, the recorder said at most one line, and what log there is is
# sound
sound() {
	same "status, $1" "$status" 7
	same "stdout, $1" "$(cat stdout)" 'leaf 6000, fib 6765, even 1'
	same "other lines on stderr, $1" "$(grep -v '^insideme: ' stderr)" ''
	between "lines on stderr, $1" 0 "$(wc -l <stderr)" 1
	if ! "$report" -v functions -f csv >functions.csv 2>report.stderr; then
		same "what the report says, $1" \
			"$(grep -v 'no runs in\|no log yet\|no logs in' report.stderr)" ''
		return
	fi
	same "damage, $1" "$(grep damaged report.stderr)" ''
	[ "$(value calls function=leaf)" = 6000 ] && return
	between "calls of leaf, $1" 0 "$(value calls function=leaf)" 6000
	COLUMNS=500 "$report" -v quality >quality
	grep -q 'missing\|could not grow\|not grow\|turned itself off' quality summary ||
		{ echo "no loss told, $1"; cat quality; return 1; }
}

# fault SYSCALL ERROR WHEN: as strace means it, in the program "calls" under the library
fault() {
	rm -rf insideme.data functions.csv
	status=0
	strace -f -o trace -e "trace=$1" -e "inject=$1:error=$2:when=$3" -E LD_PRELOAD="$library" \
		-E INSIDEME_THRESHOLD=0 "$bin/calls" >stdout 2>stderr || status=$?
	sound "$1 fails with $2, $3"
}

# each_fault SYSCALL ERROR: in each of the library's own calls, once alone and once from there on. Those of
# ld.so end when
# it unmaps its cache; the last of write is the program's.
each_fault() {
	local first last n
	rm -rf insideme.data
	strace -f -o trace -e "trace=$1,munmap" -E LD_PRELOAD="$library" -E INSIDEME_THRESHOLD=0 \
		"$bin/calls" >/dev/null ||
		same status $? 7
	first=$(sed '/munmap/q' trace | grep -c " $1(" || true)
	last=$(grep -c " $1(" trace)
	[ "$1" != write ] || last=$((last - 1))
	between "calls of $1" $((first + 1)) "$last" 1000
	for ((n = first + 1; n <= last; n++)); do
		fault "$1" "$2" "$n"
		[ "$1" = write ] || fault "$1" "$2" "$n+"
	done
	nr_faults=$((${nr_faults:-0} + last - first))
}
