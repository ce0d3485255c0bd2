#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_TIMING=adaptive: every call is counted, of many short ones some are timed and stand for the others.
load lib
export INSIDEME_TIMING=adaptive

total_of() { value total_ns "function=$1"; }

@test "all calls are counted, most are not timed" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record adaptive$compiler
		quiet
		calls main 1 spin 200000 around 100000 rarely 100000 wait_long 100 fib 242785
		between "timed calls of spin" 2000 "$(value timed_calls function=spin)" 150000
		between "timed calls of rarely" 1000 "$(value timed_calls function=rarely)" 30000
		same "timed calls of wait_long" "$(value timed_calls function=wait_long)" 100
	done
}

# The hot path is not the only one: a selection, readings of memory and switches go another way.
@test "by a clock that is not the time-stamp counter" {
	unshare -m true || skip "no mount namespaces here"
	echo acpi_pm >clocksource
	cat >on_off.c <<-'END'
		#include <insideme.h>
		__attribute__((noinline)) void quick(int ends_off) { if (ends_off) insideme_disable(); }
		int main(void)
		{
			for (int i = 0; i < 100000; i++) {
				quick(i % 10 == 0);
				if (i % 10 == 0)
					insideme_enable();
			}
			return 0;
		}
	END
	gcc -O1 -finstrument-functions -I"$here/../../include" on_off.c -o on_off
	for setting in INSIDEME_EXCLUDE=main INSIDEME_DEPTH=9 INSIDEME_SNAPSHOT=rss:every INSIDEME_HEAP=off; do
		rm -rf insideme.data functions.csv
		unshare -m sh -c "mount --bind clocksource /sys/devices/system/clocksource/clocksource0/current_clocksource &&
			exec env $setting LD_PRELOAD='$library' ./on_off"
		same "calls with $setting" "$(value calls function=quick)" 100000
		# as recorded: less what hooks cost by such a clock may be nothing
		between "total of them" 1000 "$(view functions --raw | "$here/csv" total_ns function=quick)" 10000000000
	done
}

# What the program measured itself, and the hooks' own time; a timed call that was interrupted stands for others too, and its
# error says so; others may be interrupted unseen.
@test "times are those of all calls" {
	local spin_ns around_ns spin_cut_ns around_cut_ns
	record adaptive
	read -r spin_ns around_ns spin_cut_ns around_cut_ns <stdout
	error=$(value total_error_ns function=spin)
	between "total of spin" $((spin_cut_ns - 4 * error - 1000000)) "$(total_of spin)" $((spin_ns * 3 / 2 + 4 * error))
	error=$(value total_error_ns function=around)
	between "total of around" $((around_cut_ns - 4 * error - 1000000)) "$(total_of around)" $((around_ns * 3 / 2 + 4 * error))
	between "self of wait_long" 10000000 "$(value self_ns function=wait_long)" "$(total_of main)"
	same "error of main" "$(value total_error_ns function=main)" ''
}

# Self times are differences of the same sums, so they add up however large the errors are.
@test "self times add up to the total of main" {
	record adaptive
	total=$(total_of main)
	between "time in functions" $((total - total / 1000)) "$(view threads | "$here/csv" functions_ns)" $((total + total / 1000))
}

# Each long call of rarely() is seen by its callee, whether it is timed or not.
@test "long calls among short ones are recorded with bounds" {
	record adaptive
	view calls >calls.csv
	same "calls of wait_long" "$("$here/csv" function function=wait_long <calls.csv | wc -l)" 100
	# and those in which it waited for a busy processor, where they are timed
	between "long calls of rarely" 100 "$("$here/csv" duration_ns function=rarely <calls.csv | awk '$1 >= 90000' | wc -l)" 1000
	between "of them with bounds" 50 \
		"$(paste <("$here/csv" duration_ns function=rarely <calls.csv) \
			<("$here/csv" at_most_longer_ns function=rarely <calls.csv) | awk '$1 >= 90000 && $2 > 0' | wc -l)" 100
}

@test "errors are in the tables" {
	record adaptive
	run "$report" -v functions
	[[ $output == *Self*±*Total*spin* ]]
	run env LC_ALL=C "$report" -v tree
	[[ $output == *Total*+/-*Self*+/-*spin* ]]
	run "$report" -v quality
	[[ $output == *estimated_times*"standard error"* ]]
	INSIDEME_TIMING=exact record adaptive
	run "$report" -v functions
	[[ $output != *±* ]]
}

@test "a saved profile and a sum of runs know the errors" {
	local error saved twice
	record adaptive
	error=$(value total_error_ns function=spin)
	"$report" --save one.json >save.txt 2>&1 || { cat save.txt; return 1; }
	saved=$("$report" one.json -v functions -f csv | "$here/csv" total_error_ns function=spin)
	same "error of the saved one" "$saved" "$error"
	cp one.json two.json
	twice=$("$report" one.json two.json -v functions -f csv | "$here/csv" total_error_ns function=spin)
	between "error of both, sqrt(2) times" $((error * 141 / 100 - 1)) "$twice" $((error * 142 / 100 + 1))
}

@test "a record of every call is of calls that are all timed" {
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	same "timed calls of fib" "$(value timed_calls function=fib)" 21891
	same "records of leaf" "$(view calls | "$here/csv" function function=leaf | wc -l)" 6000
}

@test "handlers, jumps, coroutines and forks are counted as ever" {
	record jumps
	quiet
	INSIDEME_TIMING=exact record jumps
	"$report" -v functions -f csv --columns function,calls --sort function >exact.csv
	rm -rf insideme.data
	record jumps
	"$report" -v functions -f csv --columns function,calls --sort function >adaptive.csv
	same "calls of jumps" "$(cat adaptive.csv)" "$(cat exact.csv)"
	rm -rf insideme.data
	record coroutines
	"$report" -v functions -f csv --columns function,calls --sort function >adaptive.csv
	rm -rf insideme.data
	INSIDEME_TIMING=exact record coroutines
	"$report" -v functions -f csv --columns function,calls --sort function >exact.csv
	same "calls of coroutines" "$(cat adaptive.csv)" "$(cat exact.csv)"
}

# What the hooks cost is measured by the recorder: it is more than nothing and less than all.
@test "times are without what the hooks cost, with it by --raw" {
	local total raw calls
	INSIDEME_TIMING=exact record adaptive
	calls=$(view functions --columns calls | awk 'NR > 1 {s += $1} END {print s}')
	total=$(total_of main)
	raw=$(view functions --raw | "$here/csv" total_ns function=main)
	between "hooks of $calls calls" $((calls * 5)) $((raw - total)) $((calls * 400))
	between "time in functions" $((total - total / 1000)) "$(view threads | "$here/csv" functions_ns)" $((total + total / 1000))
	same "wait_long is too short to tell" "$(value self_is_doubtful function=wait_long)" 0
	run "$report" -v functions
	same "marks in the text" "$(grep -c '^ *~' <<<"$output")" "$(value self_is_doubtful | grep -c 1)"
	run "$report" -v quality
	[[ $output == *hooks_ns*subtracted* ]]
	run "$report" -v quality --raw
	[[ $output != *subtracted* && $output == *"times include"* ]]
}

# 100 blocks are allocated and freed by the function itself; its own two hooks are nothing beside that.
@test "times are without what counting blocks of the heap costs" {
	local self raw
	for timing in exact adaptive; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record alloc
		self=$(value self_ns function=by_calloc)
		raw=$(view functions --raw | "$here/csv" self_ns function=by_calloc)
		between "$timing: 200 blocks" $((200 * 2)) $((raw - self)) $((200 * 400))
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing INSIDEME_HEAP=off record alloc
		self=$(value self_ns function=by_calloc)
		raw=$(view functions --raw | "$here/csv" self_ns function=by_calloc)
		between "$timing: blocks that are not counted" 1 $((raw - self)) 399
	done
}

@test "what hooks cost is measured in a process whose first object with hooks comes late" {
	for timing in exact adaptive; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record late_heap "$bin/keeping_plugin.so"
		quiet
		between "$timing: hooks" 10 "$(view quality | "$here/csv" value finding=hooks_ns | cut -d. -f1)" \
			"$(view functions --raw | "$here/csv" total_ns function=plugin_run)"
	done
}

@test "a saved profile can be read with the hooks' cost and without" {
	INSIDEME_TIMING=exact record adaptive
	"$report" --save one.json >save.txt 2>&1 || { cat save.txt; return 1; }
	for option in '' --raw; do
		"$report" -v tree -f csv --columns path,self_ns,total_ns,self_is_doubtful $option >log.csv
		"$report" one.json -v tree -f csv --columns path,self_ns,total_ns,self_is_doubtful $option >saved.csv
		same "tree $option" "$(sort saved.csv)" "$(sort log.csv)"
	done
	cp one.json two.json
	between "self of spin in each of two runs" $(($(value self_ns function=spin) - 1)) \
		"$("$report" one.json two.json -v functions -f csv | "$here/csv" self_run_mean_ns function=spin)" \
		$(($(value self_ns function=spin) + 1))
}
