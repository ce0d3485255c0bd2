# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of timing auto share.

total_of() { value total_ns "function=$1"; }

# calls_of_own: calls of all functions of the newest run, without those of libc that wait
calls_of_own() { "$report" -v functions -f csv --columns function,calls,module --sort function |
	sed '/,$/d; s/,[^,]*$//'; }

# counted_functions: those of the newest run of which not all calls were timed
counted_functions() { "$report" -v functions -f csv --columns function,timed_calls,calls |
	awk -F, '$2 > 0 && $2 < $3 { print $1 }'; }

# same_calls PROGRAM ARGS...: its calls by exact timing and by auto are the same
same_calls() {
	local timing
	for timing in exact auto; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing LD_PRELOAD=$library "$@" >$timing.out 2>$timing.err || return 1
		calls_of_own >$timing.csv
	done
	same "what the recorder said" "$(cat auto.err)" "$(cat exact.err)" &&
		same "calls of $1" "$(cat auto.csv)" "$(cat exact.csv)"
}

# counts PROGRAM ARGS...: and auto counted some functions
counts() {
	same_calls "$@" && between "functions of $1 that were counted" 1 "$(counted_functions | wc -l)" 10000
}
