#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --crash: the stack that a fatal signal found is copied, and unwound by the report: as known by construction,
# and
# as gdb has it.
load lib

# dies VARIANT HOW [WHERE]: recorded; stack.csv has what -v errors says of the stack
dies() {
	rm -rf insideme.data
	INSIDEME_CRASH=1 run record "dies$1" "${@:2}"
	stacks
}

stacks() {
	"$report" -v errors -f json >errors.json
	python3 -c 'import json, csv, sys
columns = ["frame", "thread", "function", "file", "line", "state", "call"]
out = csv.writer(sys.stdout)
out.writerow(columns)
for row in json.load(open("errors.json"))["stacks"]:
    out.writerow([row[column] if row[column] is not None else "" for column in columns])' >stack.csv
}

# ours: the functions of dies.c on the stack, the innermost first
ours() { "$here/csv" function <stack.csv | grep -xE \
	'poke|by_[a-z]*|compare|on_signal|deeper|fail|step|run|begin|main|\(not known\)' | xargs; }

# line_of TEXT: the line of dies.c that has it
line_of() { grep -nF "$1" "$here/../programs/dies.c" | head -1 | cut -d: -f1; }

@test "the stack of a signal: functions by construction, also inlined ones, and lines" {
	local rest='fail step step step step run main' poke
	for variant in .plain .plain.clang .O0 ""; do
		dies "$variant" fault
		same "fault$variant" "$(ours)" "poke by_fault $rest"
		same "line of fault$variant" "$("$here/csv" line frame=0 <stack.csv)" \
			"$(line_of '*where = 1;')"
		same "line of main$variant" "$("$here/csv" line function=main <stack.csv)" \
			"$(($(line_of '} else {') + 1))"
		same "state" "$("$here/csv" state frame=0 <stack.csv)" SIGSEGV
		dies "$variant" abort
		same "abort$variant" "$(ours)" "by_abort $rest"
		dies "$variant" null
		same "null$variant" "$(ours)" "by_null $rest"
		dies "$variant" library
		same "library$variant" "$(ours)" "poke compare by_library $rest"
		dies "$variant" handler
		same "handler$variant" "$(ours)" "poke on_signal by_handler $rest"
		dies "$variant" fault thread
		same "thread$variant" "$(ours)" "poke by_fault ${rest/main/begin}"
		dies "$variant" fault fork
		same "fork$variant" "$(ours)" "poke by_fault $rest"
	done
}

@test "a stack that has overflowed: its innermost functions, on a signal stack, and that the others are missing" {
	ulimit -s 1024
	for variant in .plain .plain.clang .O0; do
		dies "$variant" overflow
		same "status" "$status" 139
		between "functions of overflow$variant" 50 "$("$here/csv" frame <stack.csv | wc -l)" 4097
		same "innermost" "$(ours | tr ' ' '\n' | uniq | xargs)" 'deeper (not known)'
		"$report" | tr -s '\n ' '  ' | grep -q 'In ? > deeper (x [0-9]*), at dies.c:[0-9]* (-v errors'
	done
}

# program_functions: those of gdb's backtrace that have a line of dies.c. An inlined function that has only
# just
# begun is no frame of its own to gdb.
program_functions() { sed -n \
	's/^#[0-9]* *\(0x[0-9a-f]* in \)\?\([a-z_]*\) (.*) at .*dies.c:\([0-9]*\)$/\2 \3/p'; }

@test "the stack of a signal: as gdb shows it for the same program" {
	command -v gdb >/dev/null || skip "no gdb"
	for variant in .plain .plain.clang .O0; do
		for how in fault abort null library handler; do
			gdb -q -batch -nx -ex 'set debuginfod enabled off' -ex 'handle SIGUSR1 nostop pass' \
				-ex run -ex bt \
				--args "$bin/dies$variant" $how </dev/null 2>/dev/null | program_functions |
					sed '1{/^poke /d}' >gdb.txt
			grep -q '^main ' gdb.txt || skip "gdb cannot run programs here"
			dies "$variant" $how
			awk -F, '$4 ~ /dies.c$/ { print $3, $5 }' stack.csv | sed '1{/^poke /d}' >ours.txt
			diff gdb.txt ours.txt
		done
	done
}

# The handler waits a fifth of a second, which may be too short on a busy machine.
@test "under insideme-run: what the other threads were in, with and without optimizations and hooks" {
	for program in crash.plain crash.plain.clang crash; do
		for try in 1 2 3 4 5 6 7 8; do
			rm -rf insideme.data
			run monitor -q --crash -- "$bin/$program" fault
			same "status of $program" "$status" 139
			stacks
			[ "$("$here/csv" frame frame=0 <stack.csv | wc -l)" -lt 4 ] || break
		done
		same "stacks of $program" "$("$here/csv" state frame=0 <stack.csv | sort | xargs)" \
			"SIGSEGV waiting waiting waiting"
		same "calls" "$("$here/csv" call frame=0 state=waiting <stack.csv | sort | xargs)" \
			"futex pause pause"
		same "functions" "$("$here/csv" function <stack.csv |
			grep -xE 'fail|work|hold|rest|main|start' | sort | uniq -c | xargs)" \
			"1 fail 2 hold 1 main 2 rest 1 start 1 work"
		same "cut" "$("$here/csv" function 'function=(not known)' <stack.csv | wc -l)" 0
	done
}

# of_thread FUNCTION: the functions of dies.c on the stack that begins with it
of_thread() {
	"$here/csv" function thread="$("$here/csv" thread function="$1" <stack.csv | head -1)" <stack.csv |
		grep -xE 'by_[a-z]*|fail|step|run|begin|main|\(not known\)' | xargs
}

@test "INSIDEME_MAX_MEMORY without hooks: the stack that allocated, and under insideme-run all others" {
	local stack='by_memory fail step step step step run'
	for variant in .plain .plain.clang .O0; do
		rm -rf insideme.data
		INSIDEME_MAX_MEMORY=32M record dies$variant memory
		stacks
		same "allocating$variant" "$(of_thread main)" "$stack main"
		same "state" "$("$here/csv" state frame=0 <stack.csv)" allocating
		for action in "" :stop; do
			rm -rf insideme.data
			"$build/insideme-run" -q --max-memory=32M$action -- "$bin/dies$variant" memory \
				thread 2>stderr 3>&- &
			monitor=$!
			if [ -n "$action" ]; then
				stopped() { program=$(pgrep -P $monitor "^dies" | head -1) &&
					grep -q ' T ' /proc/$program/stat; }
				wait_until stopped
				kill -CONT $program
			fi
			wait $monitor
			stacks
			same "allocating$variant" "$(of_thread begin)" "$stack begin"
			same "state" "$("$here/csv" state frame=0 function=by_memory <stack.csv)" allocating
			grep -q 'waiting,futex' stack.csv || continue	# on a busy machine
			same "waiting$variant" "$(of_thread main)" main
		done
	done
	rm -rf insideme.data
	run monitor -q --max-memory=32M:abort -- "$bin/dies.plain" rss thread
	same "status" "$status" 134
	"$report" -v errors | grep -q '^ *\(RSS\|heap\) '
}

@test "a program that was built anew since: its stack ends there, and nothing is guessed" {
	cp "$bin/dies.plain" dies.copy
	INSIDEME_CRASH=1 LD_PRELOAD=$library run ./dies.copy fault
	cp "$bin/dies.O0" dies.copy
	"$report" -v stacks -f csv 2>/dev/null >stack.csv
	same "frames" "$("$here/csv" frame <stack.csv | wc -l)" 2
	same "cut" "$("$here/csv" function frame=1 <stack.csv)" '(not known)'
}

@test "a copy that is damaged in any place: no crash of the report, and whole lines" {
	local damaged=1 size
	INSIDEME_CRASH=1 run record dies.plain fault
	log=$(echo insideme.data/*/*.log)
	size=$(stat -c %s "$log")
	cp "$log" whole
	for seed in 1 2 3 4 5 6; do
		python3 - "$log" whole $seed <<-'EOF'
			import random, sys
			data = bytearray(open(sys.argv[2], "rb").read())
			random.seed(int(sys.argv[3]))
			for at in range(4096, len(data), 4096):	# the heads of areas, and what follows
			    if data[at:at + 4] == b"AERA" and data[at + 8] == 19:
			        for i in range(40):
			            data[at + 64 + random.randrange(2000)] = random.randrange(256)
			open(sys.argv[1], "wb").write(data)
		EOF
		"$report" -v errors >errors.txt 2>stderr
		grep -q SIGSEGV errors.txt
	done
}
