#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_FOCUS, INSIDEME_EXCLUDE, INSIDEME_DEPTH, and --focus, --exclude and --depth of the report: what
# they leave of the
# call tree of a run that has it all.
load lib

# left_is WHAT HOW NAME: functions.csv has the calls that are left of tree.csv
left_is() {
	same "$1" "$(tail -n +2 functions.csv | tr -d '"' | sed 's/,\([0-9]*\)$/ \1/' | LC_ALL=C sort)" \
		"$("$here/selected" "$2" "$3" <tree.csv | LC_ALL=C sort)"
}

# selects PROGRAM focus|exclude|depth WHAT: calls, output and status are those that the whole run lets expect
selects() {
	local setting=INSIDEME_${2^^} status=0
	rm -rf insideme.data
	record "$1" || status=$?
	mv stdout whole.stdout
	view tree >tree.csv
	view functions "--$2=$3" --columns function,calls --sort function >functions.csv
	left_is "calls of $1 in the report with --$2=$3" "$2" "$3"
	rm -r insideme.data
	export "$setting=$3"
	record "$1" || same "status of $1" $? $status
	unset "$setting"
	quiet
	diff whole.stdout stdout
	view functions --columns function,calls --sort function >functions.csv
	left_is "calls of $1 with $2=$3" "$2" "$3"
	view quality >quality.csv
}

@test "a function and all beneath" {
	selects calls focus middle
	selects calls.clang focus even
	selects calls focus main
}

@test "all but a function" {
	selects calls exclude middle
	selects calls.clang exclude fib
	selects calls exclude main
}

@test "calls within so many others" {
	selects calls depth 1
	selects calls depth 3
	selects calls.clang depth 12
	selects calls depth 100000
}

@test "the cost of hooks of left-out calls is reported, if there were any" {
	local setting
	for setting in INSIDEME_DEPTH=2 INSIDEME_EXCLUDE=leaf INSIDEME_FOCUS=middle; do
		rm -rf insideme.data
		(export "${setting?}"; run record calls)
		"$report" | tr -s ' \n' ' ' | grep \
			-q "left out while recording ($setting) ran their hooks all the same"
	done
	rm -rf insideme.data
	run record calls
	view quality >quality.csv
	same "what is said of all calls" "$(grep -c hooks_of_left_out quality.csv)" 0
}

@test "threads have each their own" {
	export INSIDEME_WAITS=off	# whether a thread must wait for a semaphore differs from run to run
	selects threads focus worker
	selects threads exclude work
	selects threads depth 2
}

@test "longjmp, exceptions and signal handlers leave it right" {
	for program in jumps jumps.clang exceptions exceptions.clang; do
		first=$(record $program && view functions --columns function --sort calls | sed -n 3p |
			tr -d '"' | sed 's/(.*//')
		rm -r insideme.data
		selects $program exclude "$first"
		selects $program focus "$first"
		selects $program depth 2
	done
}

@test "modules, files, C++ and Fortran names" {
	INSIDEME_FOCUS='calls.c:fib,calls.c:even' record calls || same status $? 7
	calls fib 21891 even 501 odd 500 middle ''
	rm -r insideme.data functions.csv
	INSIDEME_EXCLUDE='*/calls' record calls || same status $? 7
	same "functions" "$(view functions | tail -n +2)" ''
	selects calls_cpp focus shapes::circle::area
	selects calls_cpp exclude twice
	selects calls_fortran exclude numbers::square
	selects calls_fortran focus total
}

@test "operators, lambdas, template arguments: a pattern selects the same here and in the report" {
	cat >app.cpp <<-'END'
	namespace app { template <typename T, int N> struct Grid { T v[N]; void step() { v[0]++; } }; }
	struct Op { int operator()(int a) const { return a; } int operator[](int a) const { return a + 1; } operator bool() const { return 1; } };
	static Op operator+(const Op &a, const Op &) { return a; }
	template <typename T> static T apply(T with) { with(); with(); return with; }
	int main()
	{
		app::Grid<double, 5> wide{};
		app::Grid<int, 3> narrow{};
		Op op;
		for (int i = 0; i < 7; i++)
			wide.step();
		narrow.step();
		apply([&] { narrow.step(); });
		return op(0) + (op + op)[0] - bool(op);
	}
	END
	"$build/insideme-c++" -O0 -g app.cpp -o app
	LD_PRELOAD=$library ./app
	mv insideme.data whole
	for wanted in 'Op::*=3' 'Op::operator()=1' 'Op::operator[]=1' 'Op::operator bool=1' 'operator+=1' \
		'*lambda*=5' \
		'main::{lambda()#1}::operator()=4' 'app::Grid<double, 5>::step=7' \
			'app::Grid<int, 3>::step,Op::operator()=4' \
		'app::Grid::step=10' 'apply=5'; do
		rm -rf insideme.data
		INSIDEME_FOCUS=${wanted%=*} LD_PRELOAD=$library ./app 2>stderr
		same "said of ${wanted%=*}" "$(cat stderr)" ''
		view functions --columns function,calls --sort function >recorded
		view functions whole/* "--focus=${wanted%=*}" --columns function,calls --sort function |
			cmp recorded -
		same "calls of ${wanted%=*}" \
			"$(sed 's/.*,//; 1d' recorded | awk "{ s += \$1 } END { print s + 0 }")" \
			"${wanted##*=}"
	done
	rm -rf insideme.data
	for wanted in app.cpp '*/app.cpp' 'app.cpp:main' 'app.*:operator*' other.cpp:main; do
		rm -rf insideme.data
		INSIDEME_FOCUS=$wanted LD_PRELOAD=$library ./app 2>stderr
		[[ $wanted == other* ]] || same "said of $wanted" "$(cat stderr)" ''
		view functions --columns function,calls --sort function >recorded
		view functions whole/* "--focus=$wanted" --columns function,calls --sort function |
			cmp recorded -
	done
	rm -rf insideme.data
	"$build/insideme-c++" -O0 app.cpp -g0 -o app
	INSIDEME_FOCUS=app.cpp LD_PRELOAD=$library ./app 2>stderr
	grep -qx "insideme: INSIDEME_FOCUS: 'app.cpp' selects the static functions of this file, since the program has no debug information (-g)" stderr
}

@test "a source file selects its functions, of any compiler and DWARF, and none of headers" {
	echo 'int from_header(int n) { return n + 1; }' >part.h
	printf '#include "part.h"\nint in_one(int n) { return from_header(n); }\n' >one.c
	printf 'int in_one(int);\nint main(void) { return in_one(-1); }\n' >two.c
	for compiler in gcc clang; do
		for how in -g '-gdwarf-4 -O2 -ffunction-sections' '-gdwarf-5 -O1' '-gdwarf-2'; do
			# shellcheck disable=SC2086
			$compiler $how -finstrument-functions one.c two.c -o app
			for wanted in one.c=from_header,in_one two.c=from_header,in_one,main \
				part.h=from_header; do
				rm -rf insideme.data
				INSIDEME_FOCUS=${wanted%=*} LD_PRELOAD=$library ./app
				same "$compiler $how ${wanted%=*}" \
					"$(view functions --columns function | tail -n +2 | sort | paste -sd ,)" \
					"${wanted#*=}"
			done
		done
	done
}

@test "forked children go on as their parents" {
	for how in 'focus spawn' 'exclude child_work' 'depth 2' 'depth 1'; do
		# shellcheck disable=SC2086
		selects forks $how
	done
}

@test "coroutines and handlers on stacks of their own" {
	selects coroutines focus step
	selects coroutines exclude inner
}

@test "a name that nothing has is said once, with one that is near" {
	INSIDEME_FOCUS='nothing_at_all,midle,ma??' INSIDEME_EXCLUDE='no::thing' \
		LD_PRELOAD=$library sh -c "'$bin/calls'; '$bin/calls'; exit 0" >stdout 2>stderr
	same "lines" "$(wc -l <stderr)" 3
	grep -qx "insideme: INSIDEME_FOCUS: no function that is loaded is called 'midle'; did you mean middle?" stderr
	grep -q "INSIDEME_FOCUS: no function that is loaded is called 'nothing_at_all', if it is no region of the source (insideme-report " stderr
	grep -q "INSIDEME_EXCLUDE: no function that is loaded is called 'no::thing'" stderr
	rm -r insideme.data
	INSIDEME_FOCUS=areas record calls_cpp
	grep -q "called 'areas'; did you mean shapes::.*::area" stderr
	INSIDEME_FOCUS=$(printf 'x%.0s' {1..5000}) record calls_cpp
	grep -qE "^insideme: INSIDEME_FOCUS=x{80}.*: not understood, ignored; expected a shorter text" stderr
}

@test "lists without a pattern select nothing out" {
	run record calls
	view functions >all
	for option in --focus= --focus=, '--exclude=, ,' '--focus= '; do
		same "functions with $option" "$(view functions "$option")" "$(cat all)"
	done
	rm -rf insideme.data
	INSIDEME_FOCUS=', ,' INSIDEME_EXCLUDE=, run record calls
	same "fib" "$(value calls function=fib)" 21891
}

@test "a name that nothing in the report has is said once, what lies outside is summed up" {
	run record calls
	"$report" -v functions --focus=midle,calls.c:fib --exclude 'shapes::*' >text 2>report.stderr
	same "lines" "$(wc -l <report.stderr)" 2
	grep -qx "insideme-report: warning: --focus: no function, file or module here is called 'midle'; did you mean middle?" report.stderr
	grep -q "warning: --exclude: no function, file or module here is called 'shapes::\*'" report.stderr
	grep -q '^Left out' text
	view functions >functions.csv
	all=$("$here/csv" calls <functions.csv | awk "{ s += \$1 } END { print s + 0 }")
	"$report" -v functions --focus=fib --no-pager >text
	grep -q "Left out *$((all - 21891)) calls outside\|Left out *11.0 k calls outside" text
	"$report" -v functions --exclude=main,leaf >text
	tr -s '\n ' '  ' <text | grep -q \
		'Left out 1 call outside, .* in them; 6000 calls within reported ones'
}

# left_out FILE OPTION: what the report of it says that a selection left out
left_out() {
	"$report" "$1" --no-pager "$2" | tr -s '\n ' '  ' |
		grep -o 'Left out .* reported ones\|Left out .* calls\? outside'
}

@test "a saved profile is selected from as its run; of functions that have lost calls no percentiles are known" {
	for program in calls alloc calls_cpp; do
		rm -rf insideme.data
		record $program || true
		run=$(ls -d insideme.data/*)
		"$report" --save saved.json
		for option in --focus=main --focus=fib,by_twice '--exclude=main,middle,by_*' --depth=2 \
			--exclude=nothing_at_all; do
			for view in tree callers heap; do
				same "$view of $program with $option" \
					"$(view $view saved.json "$option" | sort)" \
					"$(view $view "$option" | sort)"
			done
			for columns in calls,total_ns,self_ns,min_ns,max_ns,alloc_calls,alloc_bytes \
				calls_run_min; do
				same "functions" "$(view functions saved.json "$option" \
					--columns function,$columns | sort)" \
					"$(view functions "$option" --columns function,$columns | sort)"
			done
			for columns in calls functions_ns alloc_bytes; do
				same "process" "$(view processes saved.json "$option" \
					--columns pid,$columns)" \
					"$(view processes "$option" --columns pid,$columns)"
			done
			same "$option" "$(left_out saved.json "$option")" "$(left_out "$run" "$option")"
		done
	done
	rm -rf insideme.data
	record calls || true
	"$report" --save saved.json
	same "leaf, at two places" "$(view functions saved.json --exclude=middle |
		"$here/csv" p50_ns function=leaf)" \
		"$(view functions | "$here/csv" p50_ns function=leaf)"
	same "fib, called 21891 times" "$(view functions saved.json --depth=2 \
		--columns function,calls,p50_ns | grep ^fib)" fib,1,
}

@test "a saved profile of several runs or processes is selected from; what each had is not known" {
	record calls || true
	record calls || true
	runs=(insideme.data/*)
	"$report" --save saved.json "${runs[@]}"
	for option in --focus=fib --exclude=fib --depth=2; do
		for columns in calls total_ns self_ns; do
			same "$columns with $option" \
				"$(view functions saved.json "$option" --columns function,$columns | sort)" \
				"$(view functions "${runs[@]}" "$option" --columns function,$columns | sort)"
		done
		run view functions saved.json "$option"
		[[ $output != *calls_run_min* ]]
		same "of each run" "$(view functions saved.json "$option" --columns function,calls_run_min |
			"$here/csv" calls_run_min | tr -d '\n')" ''
		"$report" saved.json "$option" --no-pager >text
		same "calls of each process" \
			"$(view processes saved.json "$option" --columns calls | tail -n +2 | tr -d '\n')" ''
	done
}

@test "what the report leaves out within others is in their time and memory" {
	run record alloc
	for option in --depth=1 '--exclude=by_*'; do
		for what in self_ns alloc_calls alloc_bytes; do
			whole=$(view functions --raw | "$here/csv" $what |
				awk "{ s += \$1 } END { print s + 0 }")
			rest=$(view functions --raw "$option" | "$here/csv" $what |
				awk "{ s += \$1 } END { print s + 0 }")
			between "$what with $option" $((whole - 20)) "$rest" $((whole + 20))	# each number is rounded
		done
		same "functions with $option" \
			"$(view functions "$option" | "$here/csv" function | grep -c by_)" 0
	done
}

@test "plugins that come later, at one address in turn" {
	INSIDEME_FOCUS='main' INSIDEME_EXCLUDE='second_plugin.so:*_work' record plugins "$bin"
	calls first_work 500 second_work '' run '5
5'
	rm -r insideme.data functions.csv
	INSIDEME_FOCUS=second_plugin.so record plugins "$bin"
	calls first_work '' second_work 1000 run 5 main ''
}

@test "regions of the source: outside of the focus they are not recorded, and a focus may be one" {
	for variant in '' .clang .slow .plain; do
		rm -rf insideme.data functions.csv
		INSIDEME_FOCUS=inner record "regions$variant"
		calls step '' inner 2000 again '' loop '' thread '' handler '' main ''
		rm -rf insideme.data functions.csv
		INSIDEME_EXCLUDE='st*,ag*' record "regions$variant"
		calls step '' inner 2000 again ''
	done
	rm -rf insideme.data functions.csv
	INSIDEME_FOCUS=run_thread record regions
	calls step '' run_thread 4
	same "in the focus" "$(view tree | "$here/csv" calls 'path=run_thread;thread')" 400
}

# ---- a focus that changes while the program runs: test/programs/focused.c ----

# focused ARGS...: as without the recorder, and nothing had to be repaired
focused() {
	rm -rf insideme.data functions.csv
	"$bin/focused" "$@" >plain.stdout
	record focused "$@"
	[ "$1" = storm ] || cmp stdout plain.stdout
	quiet
	view quality >quality.csv
	! grep -E 'unknown_exits|damage|lost_' quality.csv || return 1
	view tree --top 0 >tree.csv
}

# of PATH: its calls
of() { "$here/csv" calls "path=$1" <tree.csv; }

@test "insideme_focus(): what begins from now on, while calls are open" {
	for timing in exact auto counts; do
		export INSIDEME_TIMING=$timing
		focused turns
		calls main 1 turns 1 part 5 other 6 leaf 110
		same "in the first focus" "$(of 'main;turns;part')" 3
		same "leaves in it" "$(of 'main;turns;part;leaf')" 30
		same "in the second one" "$(of 'main;turns;other;leaf')" 40
		same "without a focus" "$(of 'main;turns;calls;part;leaf') $(of \
			'main;turns;calls;other;leaf')" '20 20'
		same changes "$("$here/csv" value finding=focus_changes <quality.csv)" 3
		same "broken calls" "$(grep -c broken_calls quality.csv)" 0
		focused recursive
		calls down 5 leaf ''
		focused jumps
		calls jumping_part 20 leave 10 leaf 10
		same "broken calls" "$("$here/csv" value finding=broken_calls <quality.csv)" 30
	done
}

@test "a focus that changes 1,000 times a second" {
	for timing in exact auto; do
		INSIDEME_TIMING=$timing focused storm 300
		view tree --top 0 --columns path,calls >paths.csv
		same "broken calls" "$(grep -c broken_calls quality.csv)" 0
		between changes 3 "$("$here/csv" value finding=focus_changes <quality.csv)" 100000
		[ $timing = exact ] || continue
		# part is in each focus that it began in, and so is leaf then
		same "leaves in parts" "$(sed -n 's/.*part;leaf,//p' paths.csv |
			awk "{ s += \$1 } END { print s + 0 }")" \
			"$(($(sed -n 's/.*part,//p' paths.csv |
				awk "{ s += \$1 } END { print s + 0 }") * 10))"
		between "leaves in parts" 10 "$(sed -n 's/.*part;leaf,//p' paths.csv | sort -n | tail -1)" \
			1000000000
	done
}

@test "insideme-run --pid --focus changes the focus of a recorded process" {
	cp "$bin/focused" "./focused.$$"
	LD_PRELOAD=$library INSIDEME_THRESHOLD=0 INSIDEME_TIMING=exact "./focused.$$" wait >stdout 2>stderr &
	until [ -s insideme.data/*/*.log ]; do sleep 0.02; done
	"$build/insideme-run" --pid=$! --focus=part 2>said
	same said "$(cat said)" "insideme: process $!: records part, and what it calls"
	"$report" -v tree -f csv --columns path,calls --top 0 >before 2>/dev/null
	sleep 0.2
	"$report" -v tree -f csv --columns path,calls --top 0 >after 2>/dev/null
	same "others meanwhile" "$(grep -h ';other,' before)" "$(grep -h ';other,' after)"
	! cmp -s before after || return 1
	"$build/insideme-run" --pid="focused.$$" --focus=nothing_like_it 2>said
	"$build/insideme-run" --pid=$! --focus= 2>said
	same said "$(cat said)" "insideme: process $!: records all calls"
	run "$build/insideme-run" --pid=$$ --focus=part
	same status $status 1
	[[ $output == *"process $$: it has no log of its own"* ]]
	run "$build/insideme-run" --pid=$! --focus=part --stacks
	same status $status 2
	touch stop
	wait $!
	same "what the recorder said" "$(cat stderr)" "insideme: INSIDEME_FOCUS: no function that is loaded is called 'nothing_like_it', if it is no region of the source (insideme-report -v functions of a run without it lists names)"
}

@test "what counting calls cost is in no time, though a report leaves these calls out" {
	local option whole
	gcc -g -O1 -finstrument-functions -x c - -o counted <<-'END'
		static volatile long sink;
		__attribute__((noinline)) void tiny(long n) { sink += n; }
		int main(void)
		{
			for (long i = 0; i < 100000000; i++)
				tiny(i);
			return 0;
		}
	END
	INSIDEME_TIMING=auto monitor -q -- ./counted
	whole=$(value total_ns function=main)
	for option in --exclude=tiny --depth=1; do
		between "time of main, $option" $((whole * 2 / 3)) \
			"$(view functions $option | "$here/csv" total_ns function=main)" $((whole * 3 / 2))
	done
}
