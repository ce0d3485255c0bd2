#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_MAX_MEMORY: told once, with what all threads are in, and then what was asked for.
load lib

limit=$((4 << 20))

# limits: the table of view errors, as csv
limits() {
	"$report" -v errors -f json 2>report.stderr >errors.json || { cat report.stderr; return 1; }
	jq -r '.memory_limit // [] | .[] | [.memory, .reached_bytes, .limit_bytes, .allocated, .path] | map(tostring) | join(",")' errors.json >limits
}

# reached_in_grow: the heap was at the limit, and not 64 KiB further; both threads' paths
reached_in_grow() {
	limits
	same "threads" "$(wc -l <limits)" 2
	between "reached" "$limit" "$(sed -n 1p limits | cut -d, -f2)" $((limit + (64 << 10)))
	same "who allocated" "$(sed -n 1p limits | cut -d, -f1,3-)" "heap,$limit,1,main > rise > grow"
	same "the other thread" "$(sed -n 2p limits | cut -d, -f4-)" \
		"0,thread_main > hold > pthread_barrier_wait"
}

said_once() {
	same "lines" "$(grep -c '^insideme: live heap of ceiling (pid [0-9]*) reached 4 MiB' stderr)" 1
}

@test "the heap at its limit: by whom, and what the others were in; once" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		INSIDEME_MAX_MEMORY=4M record ceiling$compiler heap
		same "output" "$(cat stdout)" "done"
		same "lines of the recorder" "$(wc -l <stderr)" 1
		sed -i "s/ceiling$compiler/ceiling/" stderr
		said_once
		reached_in_grow
	done
	"$report" -v errors >errors.txt
	grep '^ *heap  *4.[0-9]* MiB .* 1  main > rise > grow$' errors.txt
}

@test "memory that stays below the limit is not reported" {
	INSIDEME_MAX_MEMORY=512M record ceiling heap
	quiet
	limits
	same "rows" "$(cat limits)" ''
}

@test "each process of a run has its limit, one line is said" {
	INSIDEME_MAX_MEMORY=4M monitor -q -- "$bin/ceiling" children
	said_once
	limits
	same "processes" "$(grep -c '^heap,.*,1,main > rise > grow$' limits)" 3
}

@test "RSS at its limit, as the sampler sees it" {
	said() { grep -qs '^insideme: RSS' stderr; }
	for way in record monitor; do
		rm -rf insideme.data stderr
		if [ $way = record ]; then
			wait_until said | INSIDEME_MAX_MEMORY=32M record ceiling rss
		else
			wait_until said | monitor -q --max-memory=32M "$bin/ceiling" rss
		fi
		same "lines" "$(grep -c '^insideme: RSS of ceiling (pid [0-9]*) reached [3-9][0-9] MiB' \
			stderr)" 1
		limits
		same "threads of $way" "$(sed -n 's/^RSS,.*,//p' limits | sed 's/ > getc$//' | sort)" \
			$'main > touch\nthread_main > hold > pthread_barrier_wait'
		between "reached" $((32 << 20)) "$(sed -n 1p limits | cut -d, -f2)" $((80 << 20))
	done
}

@test "abort without insideme-run: what it got is said" {
	INSIDEME_MAX_MEMORY=4M:abort record ceiling heap || true
	"$report" -v errors | grep \
		'^Ended .* ended without a word after INSIDEME_MAX_MEMORY had sent it SIGABRT, after'
	INSIDEME_MAX_MEMORY=512M:abort record ceiling heap
	"$report" -v errors | grep '^Ended .* exit status 0'
}

@test "abort: the process gets SIGABRT where it allocated" {
	status=0
	INSIDEME_MAX_MEMORY=4M:abort monitor -q "$bin/ceiling" heap || status=$?
	same "status" "$status" 134
	same "output" "$(cat stdout)" ''
	grep 'gets SIGABRT$' stderr
	reached_in_grow
	jq -e '.ends[0].signal == 6' errors.json
	jq -e '[.open_calls[].function] | contains(["rise", "grow", "hold"])' errors.json
}

@test "stop: the process waits where it allocated, and goes on" {
	damaged=1	# open calls and threads' ends are of moments some 0.3 ms apart, before and after the stop
	INSIDEME_MAX_MEMORY=4M:stop LD_PRELOAD=$library "$bin/ceiling" heap >stdout 2>stderr &
	pid=$!
	wait_until grep -q ') T ' /proc/$pid/stat
	same "output so far" "$(cat stdout)" ''
	reached_in_grow
	kill -CONT $pid
	wait $pid
	same "output" "$(cat stdout)" "done"
	said_once
}

@test "what cannot be a limit is said, and off" {
	for wrong in 4X 4M:kill :stop 1000 4M: 99999999999M; do
		rm -rf insideme.data
		INSIDEME_MAX_MEMORY=$wrong record ceiling heap
		same "output of $wrong" "$(cat stdout)" "done"
		grep "INSIDEME_MAX_MEMORY=$wrong: not understood, using off; expected off or a size of at least 1M, and :stack, stop, abort" stderr
	done
}
