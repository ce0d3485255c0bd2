#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-run --pid=... --stacks and --sample: stacks of threads whose states and depths are known, taken
# from
# outside; and nothing of the program is disturbed.
load lib
load standing

# The same of a program with and without optimizations, with hooks, and by clang.
@test "--stacks: each thread's state, call and functions" {
	permitted
	for variant in .plain .plain.clang "" .O0; do
		stands "$variant" stacks
		dump
		finish_standing
		same "stderr" "$(cat stderr)" ""
		same "burns" "$(frames burns burn_at) $(frames burns burn) $(frames burns burns)" "21 1 1"
		state burns state | grep -qx -e running -e ready
		same "waits" "$(state waits state) $(state waits call)" "waiting poll"
		same "locks" "$(state locks state) $(state locks call)" "waiting futex"
		same "main" "$(state "$(cut -c1-15 <<<"standing$variant")" call)" read
		same "wait_at" "$(frames waits wait_at) $(frames waits waits)" "13 1"
		same "lock_at" "$(frames locks lock_at) $(frames locks locks)" "6 1"
		# without optimizations main needs its frame pointer, and read() of a socket might not go on
		# after a stop
		same "cut$variant" "$(grep -c 'not known' stacks.csv || true)" \
			"$([ "$variant" = .O0 ] && echo 1 || echo 0)"
	done
}

# A thread that waits in read() is not stopped: its stack is whole only if the recorder's function that stands
# before libc's needs no frame pointer.
@test "--stacks: a recorded program's threads that wait in libc, below the recorder's functions" {
	permitted
	preloaded=$library stands .plain stacks
	dump
	finish_standing
	same "main" "$(state standing.plain call) $(frames standing.plain main)" "read 1"
	same "cut" "$(frames standing.plain '(not known)')" 0
	same "waits" "$(frames waits wait_at) $(frames locks lock_at) $(frames burns burn_at)" "13 6 21"
}

@test "--stacks: the functions that eu-stack finds, and their lines" {
	permitted
	command -v eu-stack >/dev/null || skip "no eu-stack"
	stands .plain stacks
	dump
	eu-stack -p $program >eu.txt 2>/dev/null || true	# a signal that comes meanwhile ends it
	for name in waits locks burns; do
		tid=$("$here/csv" thread "thread_name=$name" frame=0 <stacks.csv)
		"$here/csv" function "thread_name=$name" is_inlined=0 <stacks.csv |
			sed 's/@.*//; s/^__\(GI_\)\?//' >ours
		sed -n "/^TID $tid:/,/^TID /p" eu.txt | awk '/^#/ {print $3}' |
			sed 's/@.*//; s/^__\(GI_\)\?//' |
			sed '/^start_thread$/,$d' >theirs
		[ "$name" != burns ] || sed -i '/^work/d' ours theirs
		diff ours theirs
	done
	finish_standing
	line=$("$here/csv" line thread_name=burns function=burns <stacks.csv)
	sed -n "${line}p" "$here/../programs/standing.c" | grep -q 'burn_at(20)'
}

@test "--stacks: code without tables is cut, a handler is walked through, a deep stack is cut" {
	permitted
	stands .plain code
	dump
	finish_standing
	same "code" "$("$here/csv" frame thread_name=code <stacks.csv | wc -l) $(frames code '(not known)')" \
		"2 1"
	stands .plain handler
	dump
	finish_standing
	same "interrupted" "$(frames handler interrupted) $(frames handler is_interrupted)" "1 1"
	stands .plain deep
	dump
	finish_standing
	between "deep" 500 "$("$here/csv" frame thread_name=deep <stacks.csv | wc -l)" 514
	same "cut" "$(frames deep '(not known)')" 1
}

@test "--stacks: text and json, and nothing is left behind" {
	permitted
	stands .plain stacks
	mkdir tmp
	"$build/insideme-run" --pid=$program --stacks >text 9>&- 3>&-
	grep -q 'waits, waiting: poll' text
	"$build/insideme-run" --pid=$program --stacks -f json 9>&- 3>&- >stacks.json
	python3 -c 'import json; assert any(row["function"] == "wait_at" for row in json.load(open("stacks.json"))["stacks"])'
	goes_on $program
	kill -STOP $program
	dump
	same "stopped" "$(state waits state)" stopped
	same "state" "$(sed 's/.*) //; s/ .*//' /proc/$program/stat)" T
	kill -CONT $program
	finish_standing
	[ ! -e insideme.data ]
}

@test "--sample: shares of functions, and time on CPU as the kernel counts it" {
	permitted
	stands .plain split
	sample --sample=500 --timeout=2s --interval=20ms
	finish_standing
	view resources | "$here/csv" cpu_ns set=process >cpu
	cpu_ns=$(($(tail -1 cpu) - $(head -1 cpu)))
	between "On CPU, in percent of the kernel's time" 60 \
		$(($(view threads | "$here/csv" on_cpu_ns thread_name=splits) * 100 / cpu_ns)) 140
	# 3 : 1, with at least 100 samples: five standard errors
	nr=$(value samples function=splits | grep . || echo 0)
	long=$(value total_samples function=long_part)
	short=$(value total_samples function=short_part)
	all=$((long + short))
	[ "$all" -ge 40 ] || skip "only $all samples on this machine"
	awk -v all="$all" -v long="$long" 'BEGIN { share = long / all; error = sqrt(.75 * .25 / all);
		print share, error; exit !(share > .75 - 5 * error - .02 && share < .75 + 5 * error + .02) }'
	between "waiting in main" 1000 $(($(view threads |
		"$here/csv" waiting_ns thread_name=standing.plain) / 1000000)) 100000
	view tree >tree.csv
	grep -q long_part tree.csv
	view lines >lines.csv
	grep -q long_part lines.csv
	# main waits in its read(), and nowhere else
	waiting=$(view threads | "$here/csv" waiting_ns thread_name=standing.plain)
	between "waiting in main's lines, in percent" 95 \
		$(("$("$here/csv" waiting_ns function=main <lines.csv | sort -n |
		tail -1)" * 100 / waiting)) 101
	grep 'read with: insideme-report insideme.data' stderr
}

@test "--sample: a thread that has waited for long counts as long as one that runs" {
	permitted
	stands .plain stacks
	sample --sample=200 --timeout=4s
	finish_standing
	view threads >threads.csv
	time_of() { "$here/csv" "$1" thread_name="$2" <threads.csv; }
	ran=$(($(time_of on_cpu_ns burns) + $(time_of ready_ns burns)))
	between "waits, in percent of burns" 85 $(($(time_of waiting_ns waits) * 100 / ran)) 115
	between "locks, in percent of burns" 85 $(($(time_of waiting_ns locks) * 100 / ran)) 115
	same "waits on a processor" "$(time_of on_cpu_ns waits)" 0
}

@test "--sample: 17 blocking calls, none returns EINTR" {
	permitted
	stands .plain calls
	sample --sample=500 --timeout=3s
	goes_on $program
	finish_standing
	read -r _ _ nr _ interrupted <<<"$(xargs <said)"
	same "EINTR" "$interrupted" 0
	[ "$nr" -ge 500 ]
	same "threads" "$(view threads | "$here/csv" thread | wc -l)" 18
}

@test "--sample: insideme-run is killed: the program goes on" {
	permitted
	stands .plain stacks
	"$build/insideme-run" --pid=$program --sample=1000 2>stderr 9>&- 3>&- &
	monitor=$!
	sampled() { [ "$(view functions 2>/dev/null | wc -l)" -gt 3 ]; }
	wait_until sampled
	kill -9 $monitor
	wait $monitor || true
	wait_until goes_on $program
	finish_standing
}

@test "--sample: tables that are overwritten all the time" {
	permitted
	stands .plain damaged
	sample --sample=1000 --timeout=2s
	goes_on $program
	finish_standing
	[ "$(view functions | wc -l)" -gt 1 ]
}

@test "--sample: a process that ends, and its threads before it" {
	permitted
	stands .plain stacks
	"$build/insideme-run" --pid=$program --sample=200 2>stderr 9>&- 3>&- &
	monitor=$!
	sampled() { [ "$(view functions 2>/dev/null | wc -l)" -gt 3 ]; }
	wait_until sampled
	finish_standing
	wait $monitor
	same "stacks" "$(view stacks | "$here/csv" function thread_name=waits function=wait_at | wc -l)" 13
}

# gone_stands: standing.plain as a file that can be deleted
gone_stands() {
	rm -f gone.plain
	cp "$bin/standing.plain" gone.plain
	[ -p gate ] || mkfifo gate
	./gone.plain stacks <gate >said 3>&- &
	program=$!
	exec 9>gate
	wait_until grep -q ready said
	wait_until stay
}

# Of any user: the program's own file needs no further rights.
@test "programs whose files are gone have names and lines" {
	permitted
	gone_stands
	rm gone.plain
	dump
	same "cut" "$(grep -c 'not known' stacks.csv || true)" 0
	same "wait_at" "$(frames waits wait_at) $(frames burns burn_at)" "13 21"
	same "module" "$("$here/csv" module thread_name=waits function=waits <stacks.csv)" gone.plain
	line=$("$here/csv" line thread_name=burns function=burns <stacks.csv)
	sed -n "${line:?}p" "$here/../programs/standing.c" | grep -q "burn_at(20)"
	sample --sample=200 --timeout=1s
	finish_standing
	[ -e insideme.data/*/object-* ]
	rm -f insideme.data/*/names
	same "functions" "$("$here/csv" function thread_name=waits function=wait_at < <(view stacks) |
		wc -l)" 13
	[ "$(view lines | "$here/csv" line function=wait_at | grep -c .)" -gt 0 ]
}

@test "a program that is built anew while its stacks are taken keeps its names" {
	permitted
	gone_stands
	"$build/insideme-run" --pid=$program --sample=200 2>stderr 9>&- 3>&- &
	monitor=$!
	sampled() { [ "$(view functions 2>/dev/null | wc -l)" -gt 3 ]; }
	wait_until sampled
	rm gone.plain
	cp "$bin/calls" gone.plain
	copied() { [ -e insideme.data/*/object-* ]; }
	wait_until copied
	finish_standing
	wait $monitor
	rm -f insideme.data/*/names
	same "functions" "$("$here/csv" function thread_name=waits function=wait_at < <(view stacks) |
		wc -l)" 13
}

@test "without the right to read, the message names the remedy" {
	permitted
	[ "$(id -u)" = 0 ] || skip "needs root"
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" test -x "$build/insideme-run" || skip "another user cannot reach the programs here"
	sleep 100 3>&- &
	other=$!
	run "${user[@]}" "$build/insideme-run" --pid=$other --stacks
	kill $other
	same status "$status" 1
	[[ $output == "insideme-run: no stacks of process $other: no right to read its memory: "* ]]
}

@test "wrong usage of --stacks" {
	wrong() {
		run "$build/insideme-run" "${@:2}"
		same status "$status" 2
		same output "$output" "insideme-run: $1 (--help lists the options)"
	}
	wrong '--stacks: it needs --pid' --stacks true
	wrong '--format: it needs --stacks' --pid=1 -f csv
	wrong 'xml: no such format; text, csv or json' --pid=1 --stacks -f xml
}
