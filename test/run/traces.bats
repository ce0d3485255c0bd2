#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of other tools: their calls are those of the view of single calls.
bats_require_minimum_version 1.5.0
load lib
load formats

# calls_of FORMAT: of all functions, as the view of functions has them
calls_of() {
	local name calls
	of "$1"
	view functions --columns calls,function | tail -n +2 >wanted
	[ -s wanted ] || return 1
	while IFS=, read -r calls name; do
		# deeper than 500
		[ "$1:$name" != speedscope:odd ] && [ "$1:$name" != speedscope:even ] || continue
		same "$1: calls of $name" "$(found 2 "$name" "$1.rows")" "$calls" || return 1
	done <wanted
}

traces="chrome speedscope perfetto"

@test "traces have all calls of recursion, threads, coroutines, jumps and children" {
	local program format
	export INSIDEME_THRESHOLD=0
	for program in calls coroutines threads jumps forks; do
		rm -rf insideme.data
		record "$program" || true
		for format in $traces; do
			calls_of "$format" || { echo "in $program"; return 1; }
		done
		[ "$program" != coroutines ] || calls_of insideme-log	# of the others some calls have no end
	done
}

@test "the time of calls in a trace is that of the view of calls" {
	local format sum
	INSIDEME_THRESHOLD=0 record calls || true
	sum=$(view calls | "$here/csv" duration_ns function=outer | awk '{ sum += $1 } END { print sum }')
	for format in $traces; do
		of "$format"
		near "$format: ns of outer" "$(found 3 outer "$format.rows")" "$sum" 2000
	done
}

@test "insideme-log: a line for each call, in the order of exits, with its field" {
	INSIDEME_THRESHOLD=0 record calls || true
	of insideme-log --fields 'fib = a//b; outer = I/O'
	same "fib" "$(found 2 fib insideme-log.rows) $(found 2 'field a/b' insideme-log.rows)" "21891 21891"
	same "fields" "$(found 2 'field I/O' insideme-log.rows) $(found 2 'field @main' insideme-log.rows)" \
		"1000 1"
	near "ns of main" "$(found 3 main insideme-log.rows)" \
		"$(view calls | "$here/csv" duration_ns function=main)" 2000000
	of insideme-log --match outer
	same "only outer" "$(grep -vc '^field' insideme-log.rows)" 1
}

@test "--max-size: the longest calls are shown, and those in them are said" {
	local format bytes
	INSIDEME_THRESHOLD=0 record calls || true
	for format in $traces; do
		of "$format" --max-size 400k
		bytes=$(stat -c %s "file.$format")
		between "$format: bytes" 100000 "$bytes" 409600
		same "$format: main" "$(found 2 main "$format.rows")" 1
		grep -aoE '[0-9]+ of 32893 calls that have a record are shown: those of at least' \
			"file.$format" >said
		of "$format" --max-size 1
		same "$format: no call fits" "$(found 2 main "$format.rows")" ''
		grep -qaE "0 of 32893 calls that have a record are shown: (those of|--max-size has no room)" "file.$format"
		of "$format" --max-size 0
		grep -qa "all 32893 calls that have a record are shown" "file.$format"
	done
	of chrome --max-size 400k
	grep -oE '[0-9]+ of 32893 calls' file.chrome >said
	same "shown" "$(awk -F '\t' '$3 > 0 && $1 !~ /^\(/ { sum += $2 } END { print sum }' chrome.rows)" \
		"$(sed 's/ .*//;q' said)"
	same "shown and not shown" "$(grep -v '	0	' chrome.rows |
		grep -vE '^(counter|end|InsideMe|in doubt) ' |
		awk -F '\t' '{ sum += $2 } END { print sum }')" 32893
}

@test "traces have marks, failures, errors, counters and ends" {
	local format
	record marks
	for format in chrome perfetto; do
		of $format
		same "marks" "$(grep -c '^mark ' $format.rows)" \
			"$(view marks | "$here/csv" name kind=mark | sort -u | wc -l)"
		grep -q '^counter RSS' $format.rows
		grep -q '^end exit status 0	1' $format.rows
	done
	diff <(grep ' ' chrome.rows) <(grep ' ' perfetto.rows)
	rm -rf insideme.data
	record exceptions
	of chrome
	grep -q '^exception std::runtime_error' chrome.rows
}

@test "traces of a killed program have the calls that were open" {
	INSIDEME_THRESHOLD=0 record crash 11 || true
	of chrome
	view functions --columns open_calls,function | awk -F , '$1 == 1 { print $2 }' >open
	[ -s open ]
	while read -r name; do
		[ "$(found 2 "${name%%(*}" chrome.rows)" -ge 1 ] || { echo "no call of $name"; return 1; }
	done <open
	grep -q '"end":"open at the end"' file.chrome
	grep -q '^end ' chrome.rows
}

# ends NS: in the last file.speedscope, whether the calls that were open at the end have this end
ends() {
	jq --argjson wanted "$1" '[.profiles[] | select(.type == "evented" and (.name | contains("killed"))) | .events[] |
		select(.type == "C") | .at] | .[-3:] | map(. == $wanted) | all' file.speedscope
}

@test "open calls of a killed program have no end in perfetto; in speedscope its end or, if unknown, the run's" {
	cat >killed.c <<-'END'
		#include <signal.h>
		#include <unistd.h>
		__attribute__((noinline)) void inner(void) { usleep(30000); raise(SIGKILL); }
		__attribute__((noinline)) void outer(void) { inner(); __asm__ volatile(""); }
		int main(void) { outer(); return 0; }
	END
	gcc -g -O1 -finstrument-functions killed.c -o killed
	monitor -q --threshold=0 --run=seen -- ./killed || same status $? 137
	of speedscope seen
	same "seen by insideme-run" "$(ends "$(view processes --columns begin_ns,duration_ns,programs seen |
		awk -F, '$3 == "killed" { print $1 + $2 }')")" true
	of perfetto seen
	same "begins" "$(found 2 main perfetto.rows) $(found 2 inner perfetto.rows)" "1 1"
	same "ends" "$(found 3 main perfetto.rows) $(found 3 inner perfetto.rows)" "0 0"
	grep -q '^end killed by SIGKILL' perfetto.rows
	of chrome --match main seen
	grep -q '"1 of [0-9]* calls that have a record are shown"' file.chrome
	LD_PRELOAD=$library INSIDEME_RUN=$PWD/unseen INSIDEME_THRESHOLD=0 sh -c './killed; sleep 0.1; true' || true
	of speedscope unseen
	same "seen by nobody" "$(ends "$(jq '[.profiles[].endValue] | max' file.speedscope)")" true
}

@test "a track's name says what part of its time is hooks, from 5 % on" {
	local format percent loops hooks_ns functions_ns
	gcc -O1 -finstrument-functions -x c - -o tiny <<-'END'
		#include <stdlib.h>
		__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
		int main(int argc, char **argv)
		{
			for (int i = 0; i < atoi(argv[1]); i++)
				leaf();
			for (volatile int i = 0; i < atoi(argv[2]); i++) ;
			return 0;
		}
	END
	for loops in "1000000 0" "1000 10000000"; do
		rm -rf insideme.data
		# shellcheck disable=SC2086
		INSIDEME_TIMING=exact INSIDEME_THRESHOLD=1us LD_PRELOAD=$library ./tiny $loops
		hooks_ns=$(view quality | sed -n 's/^hooks_ns,\([0-9]*\).*/\1/p')
		functions_ns=$(view processes | "$here/csv" functions_ns)
		# a busy machine takes the thread off its processor: so the part is computed
		percent=$((100 * hooks_ns / (hooks_ns + ${functions_ns%.*})))
		for format in $traces; do
			"$report" -f $format -o file.$format
			grep -aoE '[0-9]+ % of its time is hooks' file.$format | sed 's/ .*//' | head -1 >said
			if [ $percent -ge 5 ]; then
				between "percent in $format" $percent "$(cat said)" $((percent + 1))
			else
				same "percent in $format" "$(cat said)" ''
			fi
			"$report" -f $format --raw -o raw.$format
			! grep -qa 'of its time is hooks' raw.$format || return 1
		done
	done
}

@test "processes with one pid, of two runs, are two in traces" {
	INSIDEME_THRESHOLD=0 INSIDEME_RUN=$PWD/one record calls || true
	cp -r one two
	HOST=$(uname -n) perl -0777 -pi -e 's/\Q$ENV{HOST}\E/"x" x length $ENV{HOST}/e' two/*.log
	of chrome one two
	same "main" "$(found 2 main chrome.rows)" 2
	same "processes" "$(jq '[.traceEvents[] | select(.name == "process_name") | .pid] | unique | length' file.chrome)" 2
	same "tracks" "$(jq '[.traceEvents[] | select(.ph == "X" and .name == "main") | .pid] | unique | length' file.chrome)" 2
	of perfetto one two
	same "main in perfetto" "$(found 2 main perfetto.rows)" 2
}

@test "a run of timing auto is in every trace: counted calls have no record, and that is said" {
	local format counted
	INSIDEME_TIMING=auto INSIDEME_THRESHOLD=0 record calls || true
	view functions --columns function,calls >functions.csv
	for format in $traces; do
		of $format
		same "main in $format" "$(found 2 main $format.rows)" 1
		counted=$(found 2 fib $format.rows)
		between "calls of fib in $format" 0 "${counted:-0}" "$("$here/csv" calls function=fib <functions.csv)"
		grep -qaE 'calls that have a record are shown' file.$format
	done
	of folded --columns calls
	same "all calls of fib" "$(found 2 fib folded.rows)" "$("$here/csv" calls function=fib <functions.csv)"
	of pprof
	same "in pprof" "$(found 2 'calls count: fib' pprof.rows)" "$("$here/csv" calls function=fib <functions.csv)"
}

@test "--from, --to and --match hold in traces" {
	INSIDEME_THRESHOLD=0 record calls || true
	of chrome --match outer
	same "outer" "$(found 2 outer chrome.rows)" 1000
	grep -q '"1000 of 32893 calls that have a record are shown"' file.chrome
	same "nothing else" "$(grep -cE '^(fib|main|middle)	' chrome.rows)" 0
	of perfetto --filter 'function in outer,main and duration > 0'
	same "outer by --filter" "$(found 2 outer perfetto.rows) $(found 2 main perfetto.rows)" "1000 1"
	same "nothing else by --filter" "$(grep -cE '^(fib|middle)	' perfetto.rows)" 0
	for format in chrome perfetto; do	# speedscope has no calls that are deeper than 500
		of $format --filter 'duration >= 100us'
		same "long calls in $format" \
			"$(grep -vE '[ :]|^\(' $format.rows |
			awk -F '\t' '{ sum += $2 } END { print sum }')" \
			"$(view calls --filter 'duration >= 100us' --columns depth | tail -n +2 | wc -l)"
	done
	run -2 "$report" -f chrome --filter 'size > 3'
	middle=$(view calls | "$here/csv" start_ns function=outer | sed -n 500p)
	of chrome --from "${middle}ns"
	same "main" "$(found 2 main chrome.rows)" 1
	between "outer from its 500th call on" 500 "$(found 2 outer chrome.rows)" 501
	of chrome --to "${middle}ns"
	between "outer to its 500th call" 500 "$(found 2 outer chrome.rows)" 501
}

@test "-o DIRECTORY/ keeps to --max-size: the longest calls are there, and what is not is said" {
	local least
	INSIDEME_THRESHOLD=0 record calls || true
	run "$report" -o all/
	same "all calls" "$(tail -n +2 all/calls.csv | wc -l)" 32893
	[[ $output != *"without events.csv"* && -s all/events.csv && -s all/graph.pdf ]]
	run "$report" -o matched/ --match outer
	[[ $output != *"without events.csv"* && -s matched/events.csv ]]
	run "$report" -o some/ --max-size 1M
	[[ $output = *"; without events.csv and shorter calls (--max-size 0: with all)"* ]]
	[ ! -e some/events.csv ]
	between "bytes of some" 300000 "$(stat -c %s some/calls.csv)" 1048576
	least=$("$here/csv" duration_ns <some/calls.csv | sort -n | head -1)
	same "all that are as long" "$(view calls --filter "duration_ns >= $least" --columns depth | wc -l)" \
		"$(wc -l <some/calls.csv)"
	# names are much of a row
	sed "s/leaf/$(printf 'a%.0s' {1..2000})/" "$here/../programs/calls.c" >long.c
	gcc -g -O1 -finstrument-functions long.c -o named
	INSIDEME_THRESHOLD=0 LD_PRELOAD=$library ./named >stdout || true
	"$report" -o long/ --max-size 1M
	between "bytes with long names" 300000 "$(stat -c %s long/calls.csv)" 1048576
}

@test "a saved profile has no trace" {
	record calls || true
	"$report" --save saved.json
	for format in ${traces/speedscope/} insideme-log mprof pikos resource-monitor multiprocess-profiler svg; do
		run -1 "$report" -f "$format" saved.json
		same "what it says" "$output" \
			"insideme-report: a saved profile has sums only: -f $format needs logs"
	done
}

@test "-o FILE.gz is compressed; nothing half-written appears" {
	record calls || true
	"$report" -f chrome -o plain.json
	"$report" -f chrome -o packed.json.gz
	cmp plain.json <(gzip -dc packed.json.gz)
	"$report" -v functions -f csv -o functions.csv.gz
	cmp <(view functions) <(gzip -dc functions.csv.gz)
	"$report" -f html -o page.html.gz
	gzip -dc page.html.gz | grep -q '</html>'
	"$report" -f sqlite -o plain.db
	"$report" -f sqlite -o packed.db.gz
	gzip -dc packed.db.gz >packed.db
	same "a database" "$(sqlite3 packed.db .dump)" "$(sqlite3 plain.db .dump)"
	ln -s there.db link.db.gz
	run -1 "$report" -f sqlite -o link.db.gz
	same "what it says" "$output" "insideme-report: cannot compress into link.db.gz: it is no plain file"
	rm -f packed.db plain.db link.db.gz there.db
	run -1 "$report" -f chrome -o missing/trace.json.gz
	same "what it says" "$output" \
		"insideme-report: cannot write missing/trace.json.gz: No such file or directory"
	run -1 "$report" -v functions -f csv -o /dev/full
	same "nothing else is left" "$(ls -d packed* plain* functions*)" \
		"$(printf 'functions.csv.gz\npacked.db.gz\npacked.json.gz\nplain.json')"
}

@test "a signal while a file is written leaves none, and the old one; a device stays one" {
	local signal format
	gcc -O1 -finstrument-functions -x c - -o many <<-'END'
		__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }
		int main(void)
		{
			for (int i = 0; i < 2000000; i++)
				leaf();
			return 0;
		}
	END
	monitor -q --threshold=0 --timing=exact --run=many.run -- ./many
	mkdir out
	for signal in INT TERM HUP; do
		echo old >out/trace
		python3 - "$report" $signal <<-'END'
			import os, signal, subprocess, sys, time
			number = getattr(signal, "SIG" + sys.argv[2])
			signal.signal(number, signal.SIG_DFL)
			command = [sys.argv[1], "-f", "perfetto", "--max-size", "0", "-o", "out/trace", "many.run"]
			report = subprocess.Popen(command)
			while len(os.listdir("out")) < 2:
			    assert report.poll() is None, "it was written too soon"
			    time.sleep(0.001)
			time.sleep(0.01)
			report.send_signal(number)
			assert report.wait() == -number, report.returncode
		END
		same "after $signal" "$(ls out) $(cat out/trace)" "trace old"
	done
	ln -s elsewhere link
	"$report" -f sqlite -o link many.run 2>stderr
	same "a link" "$(readlink link) $(head -c 6 elsewhere)" "elsewhere SQLite"
	for format in sqlite perfetto; do
		status=0
		"$report" -f $format -o /proc/self/fd/9 many.run 2>stderr 9>/dev/full || status=$?
		same "status of $format" $status 1
		grep -qE "cannot write /proc/self/fd/9: (No space left on device|database or disk is full)" stderr
	done
	chmod 600 elsewhere
	"$report" -f sqlite -o elsewhere many.run 2>stderr
	same "permissions" "$(stat -c %a elsewhere)" 600
}
