#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program says of itself by insideme.h: marks, failures, counters, timers.
load lib

# said COLUMN CONDITION...: of the view of marks
said() {
	view marks | "$here/csv" "$@"
}

@test "marks and failures are shown with their time, thread and place" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		"$bin/marks$compiler" >plain.stdout
		record "marks$compiler"
		cmp stdout plain.stdout
		quiet
		same "marks" "$(said name kind=mark | uniq -c | xargs)" '1 phase one 10 tick 1 phase two'
		same "failure" "$(said name kind=failure),$(said text kind=failure)" \
			'timeout,no answer, from "host"'
		same "where" "$(said function kind=failure),$(said function name=tick | uniq)" \
			request,run_thread
		same "threads" "$(said thread kind=mark | sort -u | wc -l)" 2
	done
}

@test "timers know their spans and their pauses" {
	record marks
	view timers >timers.csv
	same "spans" "$("$here/csv" calls timer=work <timers.csv),$("$here/csv" calls \
		timer=across <timers.csv)" 3,1
	same "misused" "$("$here/csv" calls timer=misused <timers.csv)" 1
	# The program slept 3 x 20 ms, and 3 x 30 ms in pauses.
	between "time" 60000000 "$("$here/csv" total_ns timer=work <timers.csv)" 2000000000
	between "pauses" 90000000 "$("$here/csv" paused_ns timer=work <timers.csv)" 3000000000
	same "single spans" "$(said name kind=timer | sort | uniq -c | xargs)" '1 across 1 shown 3 work'
	same "their sum" "$(said duration_ns kind=timer name=work |
		awk '{ sum += int($1 / 1000) } END { print int(sum / 100) }')" \
		"$(("$("$here/csv" total_ns timer=work <timers.csv)" / 100000))"
	"$report" -v timers | grep -q across
}

@test "a timer shows its time; times are added; regions move bytes" {
	local second
	for compiler in '' .clang; do
		rm -rf insideme.data
		record "marks$compiler"
		quiet
		view timers >timers.csv
		same "time that was added" "$("$here/csv" total_ns timer=added <timers.csv)" 2000000000
		same "times" "$("$here/csv" calls timer=added <timers.csv)" 2
		same "deviation" "$("$here/csv" stddev_ns timer=added <timers.csv)" 500000000
		# 20 ms each, on a machine that does other things
		between "deviation of work" 1 "$("$here/csv" stddev_ns timer=work <timers.csv)" 500000000
		same "bytes in a region within itself" \
			"$("$here/csv" moved_bytes timer=copy kind=region <timers.csv)" 3000
		same "bytes of the outer region" \
			"$("$here/csv" moved_bytes timer=move kind=region <timers.csv)" 8000
		same "calls" "$("$here/csv" calls timer=copy kind=region <timers.csv)" 3
		second=$(awk -v ns="$("$here/csv" total_ns timer=move <timers.csv)" \
			'BEGIN { printf "%.0f", 8000 / ns * 1e6 }')
		between "bytes per ms" $((second * 98 / 100)) \
			"$("$here/csv" moved_bytes_per_s timer=move <timers.csv |
				awk '{ printf "%.0f", $1 / 1000 }')" $((second * 102 / 100 + 1))
		"$report" -v mpi | grep -q 'no MPI calls'
	done
}

# exported COLUMN [OTHER=VALUE]...: of multiprocess_profiler's csv
exported() {
	"$here/csv" "$@" <calls.csv
}

@test "timers with their pauses and failures are in multiprocess_profiler's csv" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		INSIDEME_THRESHOLD=0 record "marks$compiler"
		"$report" -f multiprocess-profiler >calls.csv
		# A function is called so too.
		paste <(exported time id=work) <(exported paused_time id=work) <(exported broken id=work) |
			awk '$2 > 0' >work
		same "work" "$(cut -f 3 work | uniq -c | xargs),$(exported tid id=across)" \
			"3 False,$(exported tid id=run_thread)"
		# 3 x 20 ms, and 3 x 30 ms in pauses.
		between "its time" 60000 "$(awk '{ sum += $1 } END { printf "%d", sum * 1e6 }' work)" 2000000
		between "its pauses" 90000 "$(awk '{ sum += $2 } END { printf "%d", sum * 1e6 }' work)" \
			3000000
		same "pauses of others" "$(exported paused_time id=across),$(exported paused_time id=pass |
			sort -u)" 0,0
		same "failed" "$(exported broken id=request) $(exported error_type id=request) $(exported \
			error_value id=request)" \
			'True timeout no answer, from "host"'
		same "where" "$(exported traceback id=request | xargs)" 'main request'
		between "its time" 1 "$(exported time id=request | tr -d .0)" 999999999
		same "no other" "$(exported id broken=True | xargs)" request

		INSIDEME_THRESHOLD=100s record "marks$compiler"
		"$report" -f multiprocess-profiler >calls.csv
		same "all that failed" "$(exported id),$(exported broken),$(exported error_type),$(exported \
			time)" request,True,timeout,
	done
}

@test "marks and spans of a part of the time" {
	record marks
	at=$(said time_ns name='phase two')
	same "until then" "$(view marks --to "$((at - 1))ns" | "$here/csv" name name='phase two')" ''
	same "from then on" "$(view marks --from "${at}ns" | "$here/csv" name name='phase two')" 'phase two'
	same "before" "$(view marks --from "${at}ns" | "$here/csv" name name='phase one')" ''
	[[ $("$report" -v marks --from 99.9999%) == *"no marks in that time" ]]
}

@test "a saved profile has the timers, and says that it has no marks" {
	record marks
	"$report" --save saved.json
	same "timers, but not what regions moved" "$(view timers saved.json | cut -d, -f1-12 | sort)" \
		"$(view timers | cut -d, -f1-12 | sort)"
	run "$report" -v marks saved.json
	same "status" "$status" 1
	same "line" "$output" "insideme-report: a saved profile has sums only: -v marks needs logs"
}

@test "counters of any scale: no digit is lost" {
	cat >scales.c <<-'END'
	#include <insideme.h>
	int main(void)
	{
		return insideme_counter("vast", -1.5e300) || insideme_counter("tiny", 1.25e-6) || insideme_counter("fine", 3.14159265);
	}
	END
	gcc -isystem "$here/../../include" scales.c -o scales
	LD_PRELOAD=$library ./scales
	view resources --filter 'set in counter' >rows.csv
	same "vast" "$("$here/csv" vast set=counter <rows.csv | tr -d '\n')" -1.5e+300
	same "tiny" "$("$here/csv" tiny set=counter <rows.csv | tr -d '\n')" 1.25e-06
	same "fine" "$("$here/csv" fine set=counter <rows.csv | tr -d '\n')" 3.14159265
	"$report" -v resources --columns column,last | grep -E 'vast +-1.5e\+300'
	"$report" -v resources --columns column,last | grep -E 'tiny +1.25e-06'
}

@test "a counter's name may be any bytes: csv and json stay whole" {
	cat >name.c <<-'END'
	#include <insideme.h>
	int main(void)
	{
		return insideme_counter("a\xff,\"b\\\n", 7);
	}
	END
	gcc -isystem "$here/../../include" name.c -o name
	LD_PRELOAD=$library ./name
	"$report" -v resources -f json >rows.json
	view resources >rows.csv
	python3 -c '
import csv, json
rows = json.load(open("rows.json", encoding="utf-8"))["rows"]
assert [row["a\ufffd,\"b\\\n"] for row in rows if row["set"] == "counter"] == [7], rows
table = list(csv.DictReader(open("rows.csv", encoding="utf-8", errors="surrogateescape", newline="")))
assert [row["a\udcff,\"b\\\n"] for row in table if row["set"] == "counter"] == ["7"], table'
}

@test "what is cut ends with a whole character" {
	cat >long.c <<-'END'
	#include <insideme.h>
	#include <string.h>
	int main(void)
	{
		static char name[3001];	/* 85 euros are 255 bytes, 341 are 1023; ab and 126 umlauts 254, ab and 510 1022 */
		for (int i = 0; i < 3000; i++)
			name[i] = "\xe2\x82\xac"[i % 3];
		insideme_begin(name);
		insideme_fail("long", name);
		insideme_end(name);
		memcpy(name, "ab", 2);
		for (int i = 2; i < 3000; i++)
			name[i] = "\xc3\xa4"[i % 2];
		insideme_mark(name);
		return insideme_fail("long", name);
	}
	END
	gcc -isystem "$here/../../include" long.c -o long
	LD_PRELOAD=$library ./long
	same "region" "$(value function)" "$(printf '€%.0s' {1..85})"
	view marks >marks.csv
	same "mark" "$("$here/csv" name kind=mark <marks.csv)" "ab$(printf 'ä%.0s' {1..126})"
	same "messages" "$("$here/csv" text kind=failure <marks.csv)" "$(printf '€%.0s' {1..341})
ab$(printf 'ä%.0s' {1..510})"
}

@test "counters are curves, however many values they had" {
	record marks
	"$report" -v resources --columns column,min,peak,last | grep -E 'level +-2.50 +9 +-2.50'
	"$report" -v resources --columns column,min,peak,last | grep -E 'many .* 999999 +999999'
	between "bytes of the log" 1 "$(stat -c %s insideme.data/*/*-0.log)" 1000000
}

@test "marks without end take their share of the log, and the rest is counted" {
	cat >many.c <<-'END'
	#include <insideme.h>
	int main(void)
	{
		int full = 0;
		for (int i = 0; i < 100000; i++)
			full += insideme_mark("many") == -ENOBUFS;
		INSIDEME_REGION("after");
		return full > 60000 && full < 100000 ? 0 : 1;
	}
	END
	gcc -isystem "$here/../../include" many.c -o many
	LD_PRELOAD=$library INSIDEME_BUDGET=4M ./many
	calls after 1
	between "marks" 5000 "$(said name kind=mark | wc -l)" 15000
	between "lost" 85000 "$(view quality | "$here/csv" value finding=lost_records)" 95000
}

@test "a failure in a region has the region's whole name" {
	cat >fails.c <<-'END'
	#include <insideme.h>
	int main(void)
	{
		insideme_begin("my region");
		insideme_fail("bad", "it failed");
		insideme_end("my region");
		return 0;
	}
	END
	gcc -isystem "$here/../../include" fails.c -o fails
	LD_PRELOAD=$library ./fails
	"$report" -v errors | grep -F ' my region (region)'
}
