#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The runs there are: listed, removed, merged, saved.
load lib

# A run of calls, which ends with status 7.
once() {
	record calls || [ $? = 7 ]
}

# runs COLUMN: of the list, newest first
runs() {
	"$report" --list -f csv | "$here/csv" "$@"
}

@test "--list: size, program and end of each run" {
	once
	monitor -- "$bin/ends" exit || [ $? = 11 ]
	same "runs" "$(runs run | sed 's/^[0-9]*-[0-9]*-//' | xargs)" 'ends calls'
	same "programs" "$(runs program | xargs)" 'ends calls'
	same "ends" "$(runs end)" $'exit status 11\nexit status 7'
	same "logs" "$(runs logs | xargs)" '2 1'
	same "size" "$(runs size_bytes program=calls)" "$(du -B1 insideme.data/*-calls/*.log | cut -f1)"
	run "$report" --list
	[[ ${lines[0]} == "insideme.data: 2 runs"* && ${lines[2]} == *" ends "*"exit status 11"* ]]
}

@test "no run: says where it looked and how to make one" {
	run "$report"
	same "status" "$status" 1
	[[ $output == *"no runs in ./insideme.data: record one with: insideme-run ./app" ]]
	INSIDEME_DIR=/nowhere/data run "$report" --list
	same "status" "$status" 1
	[[ $output == *"no runs in /nowhere/data: record one with: insideme-run ./app" ]]
}

@test "--clean: removes all but the newest, and names them" {
	for _ in 1 2 3 4; do once; done
	oldest=$(runs run | tail -1)
	run "$report" --clean --keep 3 --dry-run
	same "status" "$status" 0
	[[ ${lines[0]} == "would remove insideme.data/$oldest, "*KiB &&
		${lines[1]} == "1 of 4 runs"*"would be removed,"* ]]
	same "runs after a dry one" "$(runs run | wc -l)" 4
	run "$report" --clean --keep 3
	[[ ${lines[0]} == "removed insideme.data/$oldest, "*KiB ]]
	same "runs left" "$(runs run | wc -l)" 3
	[ ! -e "insideme.data/$oldest" ]
	run "$report" --clean
	same "nothing to do" "$output" "nothing to remove: 3 runs in insideme.data (--keep 10)"
	ln -s gone insideme.data/.launch-1
	ln -s "$(runs run | head -1)" insideme.data/.launch-2
	ln -s gone insideme.data/other
	"$report" --clean --dry-run
	[ -L insideme.data/.launch-1 ]
	"$report" --clean
	same "links" "$(find insideme.data -maxdepth 1 -type l -printf '%f\n' | sort | xargs)" \
		'.launch-2 other'
	for word in --dry-run '--keep 1'; do
		# shellcheck disable=SC2086
		run "$report" $word
		same "status" "$status" 2
		same "$word alone" "${output% or --remove}" "insideme-report: ${word% 1}: only with --clean"
	done
}

@test "--remove: the runs that are named" {
	for _ in 1 2 3; do
		record calls 1 1 || true
	done
	mapfile -t runs < <(ls -d insideme.data/*-calls*)
	same "runs" "${#runs[@]}" 3
	"$report" --remove --dry-run last >said
	grep -q "^would remove ${runs[2]}, " said
	"$report" --remove "${runs[0]}" last~1 >said
	same "runs that stay" "$(ls -d insideme.data/*-calls*)" "${runs[2]}"
	same "lines" "$(grep -c '^removed insideme.data/' said)" 2
	monitor -q --run=named -- true
	"$report" --remove named | grep -q '^removed .*named, '
	[ ! -e named ]
	run "$report" --remove
	same "status without a name" "$status" 2
	same "message" "$output" 'insideme-report: --remove: which runs? --list shows them'
	run "$report" --remove nothing
	same "status of a run that is none" "$status" 1
	run "$report" --remove last nothing
	same "status of a run and one that is none" "$status" 1
	[[ $output != *Sanitizer* ]] || { echo "$output"; false; }
	same "runs that stay" "$(ls -d insideme.data/*-calls*)" "${runs[2]}"
}

@test "a second launch with the name of a run: insideme-run, the first page and --diff say so" {
	monitor -q --run=base -- "$bin/calls" || same status $? 7
	same "said of the first launch" "$(cat stderr)" ''
	monitor -q --run=other -- "$bin/calls" || same status $? 7
	monitor -q --run=base -- sh -c "\"$build/insideme-run\" --run=base -- \"$bin/calls\"" || same status $? 7
	same "said of the second" "$(cat stderr)" "insideme: the run base has an earlier launch already: this one is \
added, and reports show their sums; another --run=NAME keeps it apart"
	"$report" base | grep -q '^Doubts *insideme-run recorded 2 launches as this run: numbers are their sums'
	"$report" other | ( ! grep launches )
	"$report" --diff other base | grep -q '^Doubt *after, insideme-run recorded 2 launches as 1 run: numbers'
}

@test "--clean: never a directory that is not a run of ours" {
	once
	strange=$(runs run)
	touch "insideme.data/$strange/notes"
	mkdir insideme.data/mine elsewhere
	cp insideme.data/"$strange"/*.log insideme.data/mine
	cp -r "insideme.data/$strange" elsewhere/real
	rm elsewhere/real/notes
	ln -s "$PWD/elsewhere/real" insideme.data/linked
	run "$report" --clean --keep 0
	[[ $output == *"kept insideme.data/$strange: it contains notes, which is not ours"* ]]
	[[ $output == *"kept insideme.data/mine: not a run of yours"* ]]
	[[ $output == *"kept insideme.data/linked: not a run of yours"* ]]
	same "what is left" "$(find insideme.data elsewhere -name '*.log' | wc -l)" 3
	rm "insideme.data/$strange/notes"
	"$report" --clean --keep 0 >said
	[ ! -e "insideme.data/$strange" ]
}

# The shell is not recorded itself, so that no log says that the run goes on.
@test "--clean: never a run that goes on" {
	mkfifo hold
	LD_PRELOAD=$library INSIDEME_PROGRAMS=calls sh \
		-c "'$bin/calls' >/dev/null; echo done; read -r _ <hold" >said 3>&- &
	wait_until [ -s said ]
	run "$report" --clean --keep 0
	[[ ${lines[0]} == "kept insideme.data/"*": it goes on" ]]
	same "runs" "$(runs program)" calls
	echo >hold
	wait $!
	run "$report" --clean --keep 0
	[[ ${lines[0]} == "removed insideme.data/"*", "* ]]
}

# A program of whose file only the test knows.
record_copy() {
	cp "$bin/calls_cpp" program
	LD_PRELOAD=$library ./program >stdout 2>stderr
}

@test "names: saved by insideme-run, and stay when the program is built anew" {
	cp "$bin/calls_cpp" program
	"$build/insideme-run" -- ./program >stdout 2>stderr
	view functions >before
	cp "$bin/calls" program
	mv insideme.data elsewhere
	view functions elsewhere >after
	same "functions" "$(cat after)" "$(cat before)"
	same "main's file" "$("$here/csv" file function=main <after | sed 's|.*/||')" calls_cpp.cpp
}

@test "names: saved by the first report where there is no insideme-run" {
	record_copy
	rm -f insideme.data/*/names
	"$report" >first
	rm program
	same "nameless" "$(view functions | "$here/csv" function | grep -c '+0x')" 0
}

@test "names: a module that was replaced gives none, and a line says so" {
	record_copy
	cp "$bin/calls" program
	"$report" -v functions >text
	same "functions with a name" "$(view functions | "$here/csv" function | grep -cv '^program+0x')" 0
	COLUMNS=500 run "$report" -v quality
	[[ $output == *"without a name, 100 % of the time in functions: $PWD/program is another file now"* ]]
	[ ! -e insideme.data/*/names ]
}

@test "names: a damaged file of them is said, and what is sound is used" {
	record_copy
	"$report" -v functions >before
	names=$(echo insideme.data/*/names)
	rm program
	printf 'f\t0\tzz\t1\tname\tfile\nf\t99999\t10\t1\tname\tfile\nm\tabc\t1\t1\tpath\ns\t0\t1\t0\n\nx\t1\n' >>"$names"
	same "report" "$("$report" -v functions 2>said)" "$(cat before)"
	grep -q "names: damaged: 6 of [0-9]* lines are not used" said
	echo nonsense >"$names"
	"$report" -v functions >after 2>said
	grep -q "names: not a file of names of this version; it is not used" said
}

# part FUNCTION COLUMN...: of the runs given as RUNS
part() {
	view functions "${runs[@]}" >merged.csv || { cat report.stderr; return 1; }
	for column in "${@:2}"; do "$here/csv" "$column" "function=$1" <merged.csv; done | xargs
}

@test "several runs: counts add up, with least, mean and most of one" {
	for n in 10 20 60; do record repeat $n; done
	runs=(last last~1 last~2)
	same "step" "$(part step calls calls_run_min calls_run_mean calls_run_max)" '90 10 30 60'
	same "down" "$(part down calls calls_run_min calls_run_mean calls_run_max)" '9 3 3 3'
	same "what was said" "$(cat report.stderr)" ''
	for run in last~2 last~1 last; do
		view functions $run | "$here/csv" self_ns function=step
	done >each
	sum=$(awk '{ sum += $1 } END { print sum }' each)		# of rounded ones
	between "self time" $((sum - 2)) "$(part step self_ns)" $((sum + 2))
	same "least and most" "$(part step self_run_min_ns self_run_max_ns)" \
		"$(sort -n each | sed -n '1p;$p' | xargs)"
	view tree "${runs[@]}" >paths.csv
	path() { for column; do "$here/csv" "$column" 'path=main;step' <paths.csv; done | xargs; }
	same "path's calls" "$(path calls calls_run_min calls_run_mean calls_run_max)" '90 10 30 60'
	view callers "${runs[@]}" >callers.csv
	pair() { for column; do "$here/csv" "$column" "caller=$caller" function=down <callers.csv; done |
		xargs; }
	same "calls by main" "$(caller=main pair calls calls_run_min calls_run_mean calls_run_max)" '3 1 1 1'
	same "by itself" "$(caller=down pair calls calls_run_min calls_run_mean calls_run_max)" '6 2 2 2'
	same "the same of callees" "$(view callees "${runs[@]}" | "$here/csv" calls_run_mean callee=down |
		xargs)" '1 2'
	same "least and most of its time" "$(path total_run_min_ns total_run_max_ns)" \
		"$(sort -n each | sed -n '1p;$p' | xargs)"
	view functions last~1 | "$here/csv" total_ns function=down >one
	runs=(last last~1)
	between "total time of recursion" "$(part down total_run_min_ns)" "$(cat one)" \
		"$(part down total_run_max_ns)"
	view summary last last~2 >summary.csv
	of() { "$here/csv" value "section=$1" "column=$2" <summary.csv | xargs; }
	same "calls of each run" "$(of runs calls)" '64 14'
	same "their ends" "$(of runs end)" 'exit status 0 exit status 0'
	same "mean of each run" "$("$here/csv" value section=of_a_run column=mean row=5 <summary.csv)" 39
	same "least and most" "$("$here/csv" value section=of_a_run column=min \
		row=5 <summary.csv) $("$here/csv" value section=of_a_run column=max row=5 <summary.csv)" \
		'14 64'
	COLUMNS=120 run "$report" last last~2
	# the number is that of a second's runs
	[[ ${lines[3]} =~ \ 64\ .*exit\ status\ 0\ .*-repeat(-3|-2)?$ && ${lines[4]} =~ \ 14\ .*-repeat$ ]]
	runs=(last last)
	same "named twice" "$(part step calls)" 60
	[[ $(cat report.stderr) == *"named twice, added once" ]]
}

# rows [RUN] <csv: the cells that are known of rows of RUN, without what is a share of all runs, or the run
rows() {
	python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if len(sys.argv) == 1 or row["run"] == sys.argv[1]:
        # what is left of a ns after each share of the hooks differs with the number of runs
        if row.get("functions_ns"):
            row["functions_ns"] = str(round(int(row["functions_ns"]) / 1000))
        print({k: v for k, v in row.items() if v and k not in ("run", "functions_percent")})' "$@"
}

@test "several runs: each has a time of its own, and they are distinguished" {
	"$bin/golden" golden
	set -- golden/20231114-221320-app golden/20231114-231320-app
	for view in processes threads resources; do
		view $view "$@" >both.csv
		for run; do
			view $view "$run" >one.csv
			rows "$run" <both.csv >of_both
			rows <one.csv >of_one
			[ -s of_one ]
			diff of_one of_both
		done
	done
	same "last instant" "$(view calls "$@" | "$here/csv" end_ns | sort -n | tail -1)" \
		"$(view calls "$1" | "$here/csv" end_ns | sort -n | tail -1)"
	same "calls in a time of each run" "$(view calls --from 0s --to 0.2s "$2" | "$here/csv" pid |
		wc -l)" \
		"$(view calls --from 0s --to 0.2s "$@" | "$here/csv" pid "run=$2" | wc -l)"
}

@test "logs of one directory that are named one by one are one run" {
	"$bin/golden" golden
	run=golden/20231114-221320-app
	same "functions" "$(view functions $run/*.log)" "$(view functions $run)"
	same "ends" "$(view processes $run/*.log)" "$(view processes $run)"
	same "a log of a run that is there" "$(view functions $run $run/rank0000-*.log)" \
		"$(view functions $run)"
}

@test "several runs: other programs and other builds are said, and builds matched by name" {
	gcc -g -O2 -finstrument-functions -DNEWER "$here/../programs/repeat.c" -o repeat
	record repeat 10
	LD_PRELOAD=$library ./repeat 30 2>>stderr
	runs=(last last~1)
	same "step" "$(part step calls calls_run_min calls_run_max)" '40 10 30'
	same "only_new" "$(part only_new calls calls_run_min calls_run_mean calls_run_max)" '1 0 0.5 1'
	same "functions" "$("$here/csv" function <merged.csv | sort | xargs)" 'down main only_new step'
	[[ $(cat report.stderr) == *"another build of repeat than"*"matched by name and source file" ]]
	same "paths" "$(view tree "${runs[@]}" | "$here/csv" calls 'path=main;down;down')" 2
	same "a path that one run has" "$(view tree "${runs[@]}" |
		"$here/csv" calls_run_min 'path=main;only_new')" 0
	record forks
	runs=(repeat forks)
	part main calls
	[[ $(cat report.stderr) == *"forks is of forks, but "*" of repeat: what is added up is of different programs" ]]
}

@test "--save: a profile gives what its runs give, alone and with others" {
	for n in 10 20 60; do record repeat $n; done
	"$report" --save merged.json last last~1 last~2
	for view in functions tree callers callees heap; do
		# rows of equal times may change places
		same "$view" "$(view $view merged.json | sort)" "$(view $view last last~1 last~2 | sort)"
	done
	same "what was said" "$(cat report.stderr)" ''
	record repeat 5
	runs=(merged.json last)
	same "with another run" "$(part step calls calls_run_min calls_run_mean calls_run_max)" \
		'95 5 23.75 60'
	"$report" --save one.json last
	runs=(one.json merged.json)
	same "two profiles" "$(part step calls calls_run_min calls_run_mean calls_run_max)" '95 5 23.75 60'
	view tree "${runs[@]}" >paths.csv
	for column in calls_run_min calls_run_mean calls_run_max total_run_min_ns total_run_max_ns; do
		same "path's $column" "$("$here/csv" $column 'path=main;step' <paths.csv)" \
			"$(part step $column)"
	done
	"$report" --save again.json one.json merged.json
	same "saved again" "$(view functions again.json | sort)" \
		"$(view functions one.json merged.json | sort)"
	same "its tree" "$(view tree again.json)" "$(view tree one.json merged.json)"
	same "processes" "$(view processes again.json | "$here/csv" calls | sort -n | xargs)" '9 14 24 64'
	[[ $("$report" again.json) == *"exit status 0"*"4 processes, 4 threads, 3 functions, 111 calls; a saved profile, without logs"* ]]
}

@test "--save: what a profile does not have is said" {
	monitor -- "$bin/repeat" 10
	"$report" --save one.json
	for view in calls resources; do
		run "$report" -v $view one.json
		same "status" "$status" 1
		same "line" "$output" "insideme-report: a saved profile has sums only: -v $view needs logs"
	done
	same "log" "$("$report" -v quality one.json | grep -c ' of log, summed up in a saved profile')" 1
}

@test "a run's log is as large as insideme-run says" {
	monitor -- "$bin/repeat" 10
	size=$(sed -n 's/.* calls, \([0-9]*\).* KiB; read with.*/\1/p' stderr)
	[ -n "$size" ]
	[[ $("$report") =~ \ calls\;\ log\ $size(\.[0-9]+)?\ KiB\ \(never\ above ]] ||
		{ cat stderr; "$report"; return 1; }
}

@test "--save: heap, several threads and ends are kept, and builds matched by name" {
	gcc -g -O2 -finstrument-functions -DNEWER "$here/../programs/repeat.c" -o repeat
	record repeat 10
	"$report" --save old.json
	LD_PRELOAD=$library ./repeat 30
	runs=(old.json last)
	same "step" "$(part step calls calls_run_min calls_run_max)" '40 10 30'
	same "only_new" "$(part only_new calls calls_run_min calls_run_max)" '1 0 1'
	record calls_cpp
	"$report" --save cpp.json
	same "functions" "$(view functions cpp.json | sort)" "$(view functions | sort)"
	run "$report" cpp.json --thread 1
	same "status" "$status" 1
	[[ $output == *"a saved profile has sums only: --rank, --process and --thread need logs" ]]
}

@test "--save: damaged profiles are refused with a line, whatever is wrong" {
	record repeat 10
	"$report" --save good.json.gz
	gunzip -k good.json.gz
	for edit in 's/profile":4/profile":5/' 's/\[0,/[7,/' 's/"module":[0-9]*/"module":99/' \
		's/"calls":[0-9]*/"calls":-1/' \
		's/"run":0/"run":1/' 's/\["insideme.*"\]/[]/' 's/"counts":\[\[[0-9]*/"counts":[[42/' \
			's/"name":"[a-z]*"/"name":{}/' \
		's/^\[0,0,\[1,1,1/[0,0,[1,1,2/' 's/^\[0,0,\[1/&e400/' 's/^\[0,0,\[1,/&-/' \
			's/^\[0,0,/[0,99,/' 's/^\[1,/[2,/' 's/^\[-1,-1/[-1,0/' \
		's/^\(\[0,0.*\)\]/\1,[1]]/' 's/^"edges"/"hedges"/' 's/^"function_runs"/"function_run"/' 's/^"paths"/"path"/' \
			's/"host":"[^"]*"/"host":7/' '$d' \
		's/"build_id":"/&x/' 's/"start_monotonic_ns":[0-9]*/"start_monotonic_ns":-5/' \
			's/"timers":\[/&["t",0]/' \
		's/"losses":\[\]/"losses":[-1]/' 's/"facts":{[^}]*}/"facts":{"off":1}/' \
			's/"unreadable_logs":0/"unreadable_logs":null/'; do
		sed "$edit" good.json >bad.json
		! cmp -s good.json bad.json || { echo "changes nothing: $edit"; return 1; }
		run "$report" bad.json -v functions
		[ "$status" -le 1 ] || { echo "status $status of $edit: $output"; return 1; }
		[ "$edit" = 's/"name":"[a-z]*"/"name":{}/' ] ||
			[[ $status = 1 && $output == *"bad.json: "* ]] ||
			{ echo "accepted $edit: $output"; return 1; }
	done
	size=$(stat -c %s good.json)
	for length in $(seq 1 $((size / 10)) $((size - 4))) $((size - 3)) $((size - 2)); do	# the last newline alone is no loss
		head -c "$length" good.json >cut.json
		run "$report" cut.json
		[[ $status = 1 && ($output == *"cut.json: no saved profile: line "* ||
			$output == *"cut.json: a damaged profile: what its line "*) ]] ||
			{ echo "cut at $length: $output"; return 1; }
	done
	size=$(stat -c %s good.json.gz)
	for length in $(seq 1 $((size / 5)) $((size - 9))) $((size - 1)); do
		head -c "$length" good.json.gz >cut.gz
		run "$report" cut.gz
		[[ $status = 1 && $output == *"cut.gz: "* ]] ||
			{ echo "cut at $length of $size compressed: $output"; return 1; }
	done
	run "$report" --save /nowhere/x.json
	[[ $status = 1 && $output == *"cannot write /nowhere/x.json: No such file or directory" ]]
}

@test "--save: damaged rows of functions' runs are refused with a line" {
	record repeat 10
	record repeat 20
	"$report" --save good.json.gz last~1 last
	gunzip good.json.gz
	grep -A1 '^"function_runs"' good.json | tail -1 >row
	grep -Eq '^\[0,\[[0-9]+,.*\],\[[0-9]+,.*\]\],?$' row || { cat row; return 1; }
	for edit in 's/^\[0,/[99,/' 's/^\[0,/[-1,/' 's/^\[0,\[[0-9]*/[0,[-1/' 's/,\[[^,]*,[^]]*\]\]/]/' \
		's/\]\]/],[1]]/' 's/\]\]/,1e400]]/' 's/\]\]/,1,1,1,1,1]]/'; do
		sed "/^\"function_runs\"/{n;$edit}" good.json >bad.json
		! cmp -s good.json bad.json || { echo "changes nothing: $edit"; return 1; }
		run "$report" bad.json -v functions
		[[ $status = 1 && $output == *"bad.json: a damaged profile: what its line "*" says cannot be" ]] ||
			{ echo "accepted $edit: $output"; return 1; }
	done
}

@test "a profile whose columns are others is refused, not misread" {
	record calls || same status $? 7
	"$report" --save saved.json.gz
	gunzip saved.json.gz
	sed 's/"noise_ns",//' saved.json >other.json
	run "$report" -v functions other.json
	same status "$status" 1
	[[ $output == *"other.json: its paths have other columns than this insideme-report writes: save it anew" ]]
}

@test "names: static functions and inlined ones of one name are kept apart by file" {
	for name in a b; do
		echo "static volatile int sum; static __attribute__((noinline)) void step(void) { sum++; }
			static inline void add(void) { sum += 2; } void $name(void) { step(); add(); }" >$name.c
	done
	echo 'void a(void); void b(void); int main(void) { a(); b(); b(); }' >both.c
	gcc -g -O2 -finstrument-functions a.c b.c both.c -o both
	LD_PRELOAD=$library ./both
	same "in csv" "$(view functions --match step | "$here/csv" calls "file=$PWD/a.c")" 1
	"$report" -v functions --columns calls,function --sort function |
		awk 'NR > 2 && NF <= 3 && $1 ~ /^[12]$/ { $1 = $1; print }' >text
	same "in text" "$(sort text)" \
		$'1 a\n1 add (a.c)\n1 main\n1 step (a.c)\n2 add (b.c)\n2 b\n2 step (b.c)'
}

@test "a run that goes on: its report and its names grow" {
	echo '#include <unistd.h>
		static char c; static void before(void) { c++; } static void after(void) { c--; }
		static void hold(void) { if (read(0, &c, 1) < 0) c = 0; }
		int main(void) { before(); hold(); after(); return 0; }' >going.c
	gcc -g -O0 -finstrument-functions going.c -o going
	mkfifo hold
	LD_PRELOAD=$library ./going <hold 3>&- &
	exec 4>hold
	in_hold() { "$report" -v functions -f csv 2>/dev/null >first.csv && grep -q ^hold first.csv; }
	wait_until in_hold
	same "functions" "$("$here/csv" function <first.csv | sort | xargs)" 'before hold main read'
	same "open" "$("$here/csv" open_calls function=hold <first.csv)" 1
	[[ $("$report" --list -f csv) == *"still running"* ]]
	echo >&4
	exec 4>&-
	wait $!
	same "functions at the end" "$(view functions | "$here/csv" function | sort | xargs)" \
		'after before hold main read'
	rm going
	same "saved names" "$(view functions | "$here/csv" function | sort | xargs)" \
		'after before hold main read'
	same "open at the end" "$(view functions | "$here/csv" open_calls function=hold)" 0
}

@test "output to a pipe or a link leaves it one" {
	local what path
	record calls || same status $? 7
	ln -s page linked
	for what in '-f html -o' '-f csv -v functions -o' '--save'; do
		for path in pipe linked; do
			rm -f pipe page
			mkfifo pipe
			cat pipe >read &
			"$report" $what "$path" || return 1
			[ $path = pipe ] || echo >pipe
			wait $!
			[ $path = linked ] || cp read page
			[ -p pipe ] && [ -L linked ] && [ -s page ] || { echo "$what $path"; return 1; }
			[ ! -e "$path".* ]
		done
	done
}
