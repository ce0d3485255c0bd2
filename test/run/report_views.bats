#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What each view answers, with which options: counts are those that the programs' heads tell.
load lib

# edges VIEW COLUMN [OTHER=VALUE]...
edges() {
	view "$1" >"$1.csv" || { cat report.stderr; return 1; }
	"$here/csv" "${@:2}" <"$1.csv"
}

@test "callers and callees: each pair with its calls" {
	record calls || same status $? 7
	same "callers of leaf" "$(edges callers caller function=leaf)" middle
	same "calls of leaf by middle" "$(edges callers calls function=leaf caller=middle)" 6000
	same "calls of middle by outer" "$(edges callers calls function=middle caller=outer)" 3000
	same "callers of even" "$(edges callers caller function=even | sort | xargs)" 'main odd'
	same "calls of even by odd" "$(edges callers calls function=even caller=odd)" 500
	same "calls of fib by itself" "$(edges callers calls function=fib caller=fib)" 21890
	same "calls of fib by main" "$(edges callers calls function=fib caller=main)" 1
	same "what main calls" "$(edges callees callee function=main | sort | xargs)" 'even fib outer'
	same "calls of fib by fib" "$(edges callees calls function=fib callee=fib)" 21890
	same "calls in all" "$(edges callers calls | awk '{ sum += $1 } END { print sum }')" \
		"$(view functions | "$here/csv" calls | awk '{ sum += $1 } END { print sum }')"
	same "share of outer's total that middle has" \
		"$(view callers --raw | "$here/csv" total_percent function=middle)" 100
	between "total of even from main" "$(value total_ns function=even)" \
		"$(edges callers total_ns function=even caller=main)" "$(value total_ns function=even)"
}

@test "callers as text: a function once, --match chooses it, two names share the line" {
	record calls || same status $? 7
	run "$report" -v callers --match even --raw
	same "head" "${lines[0]}" "calls: 2 callers"
	[[ ${lines[1]} =~ Function\ +Called\ by$ && ${lines[2]} =~ even\ +main$ &&
		${lines[3]} =~ \ 500(/1)?\ +odd$ ]]
	run "$report" -v callees --match outer
	same "head" "${lines[0]}" "calls: 1 callee"
	[[ ${lines[2]} =~ outer\ +middle$ ]]
	run "$report" -v callers --sort ncalls --top 1
	[[ ${lines[0]} == "calls: 1 of 9 callers by calls, "* && ${lines[2]} =~ fib\ +fib$ &&
		${lines[3]} == *"8 other callers" ]]
	record calls_cpp || true
	longest=$(COLUMNS=80 LC_ALL=C "$report" -v callers |
		awk 'NR > 1 && !/^  self/ && length > longest { longest = length } END { print longest }')
	between "longest line" 50 "$longest" 80
}

@test "json and csv of the views agree" {
	record alloc
	for view in callers callees heap errors; do
		"$report" -v $view -f json >view.json
		view $view >view.csv
		python3 - $view <<-'END'
			import csv, json, sys
			tables = {name: rows for name, rows in json.load(open("view.json")).items()
			          if name not in ("view", "doubts")}
			lines = list(csv.DictReader(open("view.csv")))
			if "section" not in lines[0]:	# of a view whose other tables csv leaves to json
			    tables = {sys.argv[1]: tables[sys.argv[1]]}
			if len(tables) > 1:
			    cells = {(line["section"], int(line["row"]), line["column"]): line["value"] for line in lines}
			else:
			    cells = {(sys.argv[1], i + 1, name): value for i, line in enumerate(lines) for name, value in line.items()}
			seen = 0
			for table, rows in tables.items():
			    for i, row in enumerate(rows):
			        for name, value in row.items():
			            text = cells[table, i + 1, name]
			            seen += 1
			            same = text == ("" if value is None else value) if value is None or isinstance(value, str) else abs(float(text) - value) <= 0.001
			            assert same, (table, i, name, text, value)
			assert seen == len(cells) > 0, (seen, len(cells))
		END
	done
}

@test "heap: what each function allocated and freed, and what is outside of functions" {
	record alloc
	view functions >functions.csv
	view heap >heap.csv
	for column in alloc_calls alloc_bytes free_calls freed_bytes largest_alloc_bytes; do
		while read -r function; do
			same "$column of $function" "$("$here/csv" $column "function=$function" <heap.csv)" \
				"$(value $column "function=$function")"
		done < <("$here/csv" function <heap.csv | grep -v '^(')
	done
	all=$("$here/csv" alloc_percent <heap.csv | awk '{ sum += $1 } END { printf "%.0f", sum }')
	same "shares" "$all" 100
	rm -rf insideme.data
	INSIDEME_HEAP=counters record alloc
	COLUMNS=200 run "$report" -v heap
	[[ ${lines[0]} == "Heap "*" allocations, "*" frees; largest sample "* &&
		${lines[1]} == "alloc: "*" functions by alloc_bytes" ]]
	[[ $output == *"INSIDEME_HEAP=live records what lived at the peak"* ]]
	INSIDEME_HEAP=off record alloc
	run "$report" -v heap
	[[ $output == *"the heap was not recorded (INSIDEME_HEAP=off)" ]]
}

@test "--min-percent folds small rows into the others" {
	record calls || same status $? 7
	same "functions" "$(view functions --sort calls --min-percent 15 | "$here/csv" function | sort |
		xargs)" 'fib leaf'
	same "functions of 25 % of the sum" "$(view functions --sort calls --min-percent 25 |
		"$here/csv" function | xargs)" fib
	run "$report" -v functions --sort calls --min-percent 15
	[[ ${lines[0]} == "calls: 2 of 7 functions by calls, "* && $output == *"5 other functions"* ]]
	run env COLUMNS=27 "$report" -v functions --sort calls --min-percent 15
	[[ $output == *" 5 other func"*"…"* ]]
	same "paths" "$(view tree --sort calls --min-percent 15 | "$here/csv" function depth=3 | xargs)" \
		'leaf fib'
	same "callers" "$(view callers --sort calls --min-percent 15 | "$here/csv" function | xargs)" \
		'fib leaf'
	for bad in x 101 -1 ''; do
		run "$report" -v functions --min-percent "$bad"
		same "status of '$bad'" "$status" 2
	done
}

@test "keys of pstats sort: calls that are not recursive, names, times" {
	record calls || same status $? 7
	same "most primitive calls" "$(view functions --sort pcalls | "$here/csv" primitive_calls | head -3 |
		xargs)" '6000 3000 1000'
	same "primitive calls of fib" "$(value primitive_calls function=fib)" 1
	same "primitive calls of even" "$(value primitive_calls function=even)" 1
	for key in calls:calls ncalls:calls tottime:self_ns time:self_ns cumtime:total_ns \
		cumulative:total_ns name:function \
			nfl:function filename:file stdname:file line:line module:module; do
		same "order by ${key%:*}" "$(view functions --sort "${key%:*}")" \
			"$(view functions --sort "${key#*:}")"
	done
}

@test "--sort: text shows the column that it is by, first, unless --columns chose" {
	record calls || same status $? 7
	same "first column" "$("$report" -v functions --sort stddev_ns | awk 'NR == 2 { print $1, $2 }')" \
		'Stddev Self'
	same "columns as they are" "$("$report" -v functions --sort calls | sed -n 2p)" \
		"$("$report" -v functions | sed -n 2p)"
	same "chosen columns" "$("$report" -v functions --sort stddev_ns --columns calls,function |
		sed -n 2p | xargs)" 'Calls Function'
	same "csv" "$(view functions --sort stddev_ns | head -1)" "$(view functions | head -1)"
}

@test "for a name that does not exist, the message lists similar ones" {
	record calls || same status $? 7
	run "$report" -v callrs
	same "status" "$status" 2
	same "line" "$output" "insideme-report: -v: no view 'callrs'; did you mean callers, calls or callees? (-v alone lists them)"
	run "$report" -f jsn
	same "line" "$output" "insideme-report: -f: no format 'jsn'; did you mean json? (-f alone lists them)"
	run "$report" -v functions --sort total
	same "status" "$status" 2
	[[ $output == "insideme-report: --sort: no column 'total' in functions; did you mean total_ns"*" there are: function,"* ]]
	run "$report" -v functions --match 'midle*'
	same "status" "$status" 0
	same "line" "$(grep warning <<<"$output")" \
		"insideme-report: warning: --match: no function is called 'midle*'; did you mean middle?"
	INSIDEME_TIMING=counts record calls || same status $? 7
	run "$report" -v functions --sort self_cpu_ns
	same "status" "$status" 0
	[[ $output == *"warning: --sort self_cpu_ns: it is not known of any row, so rows are in no order"* ]]
	run "$report" -v
	same "views" "$(grep -cE '^(callers|callees|heap|errors) +[a-z]' <<<"$output")" 4
}

@test "errors: what each thread was in, and how the processes ended" {
	record ends exit || same status $? 11
	view errors >errors.csv
	open() { "$here/csv" value section=open_calls column="$1" <errors.csv; }
	same "open calls" "$(open function | xargs)" 'main level_1 level_2 level_3 level_4 level_5 finish'
	same "depths" "$(open depth | xargs)" '0 1 2 3 4 5 6'
	same "they began one after the other" "$(open since_ns | sort -n)" "$(open since_ns)"
	same "exit status" "$("$here/csv" value section=ends column=exit_status <errors.csv)" 11
	run "$report" -v errors
	[[ ${lines[0]} == "Ended     ends: exit status 11, after "* ]]
	[[ $output == *"  main > level_1 > level_2 > level_3 > level_4 > level_5 > finish"* ]]
	record ends return || same status $? 10
	run "$report" -v errors
	[[ ${lines[0]} == "Ended     ends: exit status 10, after "* && $output != *open* ]]
}

@test "errors: the worst end first, by signal and without a word" {
	monitor -- bash -c "/bin/true; '$bin/ends' exit; exec '$bin/ends' segv" || true
	same "ends" "$(view errors | "$here/csv" value section=ends column=end | sed 's/, core dumped//')" \
		$'killed by SIGSEGV\nexit status 11\nexit status 0'
	same "signals" "$(view errors | "$here/csv" value section=ends column=signal | xargs)" 11
	run "$report" -v errors
	[[ ${lines[0]} == "Ended     2 of 3 processes did not end with exit status 0" ]]
	[[ ${lines[2]} == *" ends "*"killed by SIGSEGV"* && ${lines[3]} == *" ends "*"exit status 11" ]]
	[[ ${lines[4]} == *"1 other process" && $output == *": 2 open stacks"* ]]
	record ends kill || same status $? 137
	run "$report" -v errors
	[[ $output == *"ended without a word: SIGKILL, a raw exit or an exec"*", after at least "* ]]
	"$report" | grep -A1 '^Ended ' | xargs | grep -E 'would know\) after at least [0-9.]+ [mu]?s'
	"$report" -v processes | grep -q 'no word: Lasted is until the last record'
	record ends exit || same status $? 11
	"$report" | grep -E '^Ended +exit status [0-9]+ after [0-9.]+ [mu]?s'
	! "$report" -v processes | grep 'no word' || return 1
	LD_PRELOAD=$library bash -c '/bin/true; exit 0'
	run "$report" -v errors
	same "first line" "${lines[0]}" "Ended     2 processes with exit status 0"
	INSIDEME_WAITS=off record threads
	run "$report" -v errors
	[[ $output == *"Threads   16 threads ended within 32 calls: -v threads"* ]]
}

# between_times FROM_NS TO_NS <calls.csv: how many calls ran then
between_times() {
	awk -F, -v from="$1" -v to="$2" 'NR > 1 && $2 >= from && $1 <= to { nr++ } END { print nr + 0 }'
}

@test "--from and --to: the calls that ran then, and the readings" {
	INSIDEME_THRESHOLD=0 record threads
	view calls >calls.csv
	end=$(view summary | "$here/csv" value section=run column=elapsed_ns)
	all=$("$here/csv" start_ns <calls.csv | wc -l)
	same "calls from 25% to 50%" "$(view calls --from 25% --to 50% | "$here/csv" start_ns | wc -l)" \
		"$(between_times $((end / 4)) $((end / 2)) <calls.csv)"
	grep -qE '^insideme-report: calls that ran then, in full length; they cover [0-9.]+ % of the threads'"'"' time$' report.stderr
	same "all calls" "$(view calls --from 0 --to 100% | "$here/csv" start_ns | wc -l)" "$all"
	middle=$(view calls --from $((end / 2))ns | "$here/csv" start_ns | wc -l)
	between "calls of the second half" 1 "$middle" $((all - 1))
	COLUMNS=200 run "$report" -v calls --from 50%
	[[ ${lines[0]} =~ ^"threads, "[0-9.]+" "[mu]?"s to "[0-9.]+" "[mu]?"s of "[0-9.]+" "[mu]?"s (50.0 %): 20 of $middle calls by duration_ns" ]]
}

@test "--from and --to: readings and their figures" {
	often
	record burn 1000 0
	view resources >rows.csv
	end=$(view summary | "$here/csv" value section=run column=elapsed_ns)
	view resources --from 40% --to 60% >part.csv
	same "readings" "$("$here/csv" time_ns <part.csv)" \
		"$("$here/csv" time_ns <rows.csv |
			awk -v from=$((end * 2 / 5)) -v to=$((end * 3 / 5)) '$1 >= from && $1 <= to')"
	between "readings" 2 "$("$here/csv" time_ns <part.csv | wc -l)" 1000
	"$report" -v resources -f json --from 40% --to 60% >part.json
	python3 - <<-'END'
		import json
		report = json.load(open("part.json"))
		figure, = [row for row in report["resources"] if row["column"] == "user_ns" and row["set"] == "process"]
		rows = [row["user_ns"] for row in report["rows"] if row["set"] == "process"]
		assert figure["total"] == rows[-1] - rows[0] > 0, (figure, rows)
	END
}

@test "--from and --to: times and views that cannot be" {
	record calls || same status $? 7
	run "$report" -v calls --from 1h
	same "status" "$status" 1
	[[ $output =~ ^"insideme-report: --from 1h is beyond the end: the run took "[0-9.]+" "[um]?s$ ]]
	for view in summary functions tree callers callees heap errors processes threads quality; do
		run "$report" -v $view --to 50%
		same "status of $view" "$status" 2
		same "line" "$output" "insideme-report: --from, --to: $view has totals of the whole run only; views that can be limited: calls, events, steps, resources, marks"
	done
	run "$report" -v calls --from 60% --to 50%
	same "line" "$output" "insideme-report: --to 50% leaves nothing after --from 60%"
	run "$report" -v calls --from soon
	same "line" "$output" "insideme-report: --from: 'soon' is not a time such as 1.5s, 200ms or 40%"
	same "status" "$status" 2
}

@test "the first page says how much slower the hooks made the program" {
	echo '__attribute__((noinline)) int next(int x) { return x * 1103515245 + 12345; }
	      int main(int argc, char **argv) {
	      	for (int i = 0; i < 5000000; i++) argc = next(argc);
	      	return argc == 1; }' | gcc -O1 -finstrument-functions -x c - -o short
	INSIDEME_TIMING=exact monitor -q -- ./short || return 1
	"$report" >page
	factor=$(grep -A2 'hooks took' page | grep -oE '[0-9.]+ times' | grep -oE '^[0-9]+')
	between "times slower" 1 "$factor" 20
	grep -q '^Shares .*Hooks make short functions look larger' page
	gcc -O1 -w -finstrument-functions -x c - -o few <<<'int main(void) { usleep(20000); return 0; }'
	monitor -q -- ./few
	! "$report" | grep 'hooks took' || return 1
	echo 'volatile long sink; static void leaf(void) { sink++; }
	      static void work(void) { leaf(); leaf(); for (int i = 0; i < 3000; i++) sink++; }
	      int main(void) { for (int i = 0; i < 300000; i++) work(); return 0; }' |
		gcc -O1 -fno-inline -finstrument-functions -x c - -o longer
	monitor -q -- ./longer
	"$report" >page
	[ "$(view functions | "$here/csv" time_source function=leaf)" != hooks ]
	! grep '^Shares' page || return 1
}

# user and system time of a command, in ms
cpu_ms() {
	bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null' _ "$@" 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}

@test "the program is as much slower by hooks as the first page says, or more" {
	echo '#include <stdlib.h>
	      int by_value(const void *a, const void *b) { return *(int *)a - *(int *)b; }
	      int main(void) {
	      	static int numbers[600000];
	      	for (int i = 0; i < 600000; i++) numbers[i] = rand() % 1000000;
	      	qsort(numbers, 600000, sizeof(int), by_value);
	      	return 0; }' >sort.c
	gcc -O2 sort.c -o plain && gcc -O2 -finstrument-functions sort.c -o hooked
	plain_ms=$(cpu_ms ./plain)
	hooked_ms=$(cpu_ms env INSIDEME_TIMING=exact LD_PRELOAD="$library" ./hooked)
	"$report" >page
	factor=$(grep -A2 'hooks took' page | grep -oE '[0-9.]+ times' | grep -oE '^[0-9.]+')
	awk -v factor="$factor" -v plain="$plain_ms" -v hooked="$hooked_ms" 'BEGIN {
		print factor " times on the page, " hooked " ms after " plain " ms"
		exit !(factor > 1.2 && factor <= 1.1 * hooked / plain) }'
}

@test "a stall is one row of single calls, not one for each caller" {
	echo '#include <time.h>
	      #define IN(name, next) __attribute__((noinline)) void name(void) { next(); __asm__(""); }
	      __attribute__((noinline)) void stall(void) { nanosleep(&(struct timespec){ 0, 200000000 }, 0); }
	      IN(read_row, stall) IN(read_page, read_row) IN(query, read_page) IN(serve, query)
	      int main(void) { serve(); return 0; }' | gcc -O1 -finstrument-functions -x c - -o stalls
	monitor -q -- ./stalls
	"$report" -v calls >page
	same "rows of 200 ms" "$(grep -c ' 2[0-9][0-9] ms .*[a-z]$\|nanosleep' page)" 1
	grep -q ' nanosleep' page
	same "rows of csv" "$(view calls | awk -F, 'NR > 1 && $3 > 200e6' | wc -l)" 7
}

@test "a function that only computes has no bytes of another thread's files" {
	echo '#include <fcntl.h>
	      #include <pthread.h>
	      #include <stdlib.h>
	      #include <time.h>
	      #include <unistd.h>
	      static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
	      __attribute__((noinline)) void put(int fd) { static char text[1 << 16];
	      	for (int i = 0; i < 640; i++) if (write(fd, text, sizeof(text)) < 0) exit(1); }
	      __attribute__((noinline)) long compute(long end) { volatile long x = 0; while (now() < end) for (int i = 0; i < 100000; i++) x += i; return x; }
	      void *computes(void *arg) { compute(now() + 300); return arg; }
	      int main(void) {
	      	int fd = open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	      	pthread_t thread;
	      	pthread_create(&thread, 0, computes, 0);
	      	while (now() % 100) usleep(100);
	      	put(fd); pthread_join(thread, 0); return 0; }' | gcc -O1 -finstrument-functions -pthread -x c - -o writes
	often
	monitor -q -- ./writes
	view functions --columns function,write_chars >functions.csv
	for function in compute computes; do
		between "bytes written by $function" 0 "$("$here/csv" write_chars function=$function <functions.csv | grep . || echo 0)" 65536
	done
}

@test "the machine's samples for resource-monitor are as far apart as asked" {
	monitor -q --machine --interval=50ms --timeout=500ms
	"$report" -f resource-monitor >log.csv
	between "rows" 5 "$(grep -c '^[0-9]' log.csv)" 16
	"$report" | grep -E '^ +CPU +[0-9.]+ cores'
}
