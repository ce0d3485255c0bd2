#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines that are more than one place: two functions, a template's instances, macros.
load lib
load waits
export PATH=$build:$PATH

source=$(realpath "$BATS_TEST_DIRNAME/../programs/line_places.cpp")

# of COLUMN FUNCTION COMMENT: of the line of that function; FUNCTION '': of all functions, added up
of() {
	local number
	number=$(grep -n "/\* $3 \*/" "$source" | cut -d: -f1)
	"$here/csv" "$1" line="$number" ${2:+"function=$2"} <lines.csv | awk '{sum += $1} END {print sum + 0}'
}

# each COLUMN: of the lines whose parts are known
each() {
	echo "$(of "$1" ten two) $(of "$1" twenty two) $(of "$1" 'void repeat<30>' template)" \
		"$(of "$1" 'void repeat<40>' template) $(of "$1" '' macro) $(of "$1" '' macros)"
}

@test "calls from each function, instance and macro of a line" {
	local flags
	for flags in -O0 -O2 '-O2 -gdwarf-4'; do
		# shellcheck disable=SC2086
		insideme-c++ $flags "$source" -o places
		monitor --quiet --call-lines --timing=exact ./places
		quiet
		view lines >lines.csv
		same "calls with $flags" "$(each hits)" '10 20 30 40 20 80'
		same "calls from a line that calls four" "$(of hits all four)" 4
		same "the call of macros" "$(of hits all expand)" 1
	done
}

@test "counts of each instance and macro of a line, and of its functions together" {
	local flags
	[ "$(gcc -dumpversion)" = 12 ] || skip "counters of gcc 12 are known alone"
	for flags in -O0 -O2; do
		insideme-c++ --lines -fno-instrument-functions $flags "$source" -o places
		monitor --quiet ./places
		quiet
		view lines >lines.csv
		# gcov adds the line's functions up: each is entered once, and its loop's head is no line of its own
		same "counts with $flags" "$(of hits '' two) $(of hits 'void repeat<30>' template) $(
			of hits 'void repeat<40>' template) $(of hits '' macro) $(of hits '' macros)" '32 30 40 5 5'
	done
}

# 250 samples a second: five standard errors of 500 samples are 7 points at 10 %, 11 at 40 %
@test "samples of each function, instance and macro of a line" {
	local part parts found i=0
	g++ -g -O2 "$source" -o places
	monitor --quiet --sample=1000 ./places 20
	quiet
	view lines >lines.csv
	parts=(10 20 30 40 20 80)
	for found in $(each time_ns); do
		part=$((parts[i++] / 2))
		between "percent of part $i" $((part > 12 ? part - 12 : 1)) \
			$((found * 100 / $(of time_ns main all))) $((part + 12))
	done
	between "percent of the line that calls four" 38 \
		$(($(of time_ns all four) * 100 / $(of time_ns main all))) 62
}

@test "a wait in code of a header that was inlined is shown at the program's own line" {
	local compiler
	cat >own.cpp <<-'END'
		#include <chrono>
		#include <mutex>
		#include <thread>
		static std::mutex lock;
		static void take()
		{
			std::lock_guard<std::mutex> guard(lock);
		}
		int main()
		{
			std::thread other;
			{
				std::lock_guard<std::mutex> guard(lock);
				other = std::thread(take);
				std::this_thread::sleep_for(std::chrono::milliseconds(50));
			}
			other.join();
		}
	END
	for compiler in insideme-c++ "clang++ -finstrument-functions-after-inlining"; do
		rm -rf insideme.data waits.csv
		$compiler -O2 -g -pthread own.cpp -o own
		LD_PRELOAD=$library ./own
		same "asleep" "$(waits source function=nanosleep)" own.cpp:15
		same "the lock" "$(waits source function=pthread_mutex_lock)" own.cpp:7
		same "the thread" "$(waits source function=pthread_join)" own.cpp:17
	done
	g++ -O1 -g -finstrument-functions -pthread own.cpp -o own # calls of the headers are calls
	rm -rf insideme.data
	LD_PRELOAD=$library ./own
	COLUMNS=200 "$report" -v waits >page
	grep -E ' nanosleep in main \(' page
	grep -E ' pthread_mutex_lock lock.* in .*take \(' page
}
