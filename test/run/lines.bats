#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Source lines: the time of samples in each, and in what it calls.
load lib

source=$(realpath "$BATS_TEST_DIRNAME/../programs/lines.c")

# sampled FLAGS KIND [TENTHS]: lines.c without hooks, from a copy of its source
sampled() {
	cp "$source" lines.c
	# shellcheck disable=SC2086
	${CC:-gcc} $1 lines.c -o lines
	monitor --quiet --sample=1000 ./lines "${@:2}"
	quiet
	view lines >lines.csv
}

total() { awk -F, 'NR > 1 {ns += $6} END {print ns}' lines.csv; }

# percent PART WHOLE
percent() { echo $(($1 * 100 / $2)); }

# 500 samples: five standard errors of at most 2.2 points
@test "four loops of an inlined function have 1:2:3:4 parts" {
	local whole part
	sampled '-g -O2' ratio
	whole=$(total)
	for part in 1 2 3 4; do
		between "percent of loop $part" $((part * 10 - 10)) \
			"$(percent "$(line parts $part self_ns)" "$whole")" $((part * 10 + 10))
	done
	between "percent of the call that was inlined" 95 \
		"$(percent "$(line main inlined time_ns)" "$whole")" 100
	same "its self time" "$(line main inlined self_ns)" 0
}

@test "inlined functions are marked where they are shown" {
	sampled '-g -O2' ratio 4
	"$report" -v functions >text
	grep -q 'parts (inlined)' text
	"$report" -v tree >text
	grep -q ' main ' text
	grep -q '   parts (inlined)' text
	"$report" -v lines >text
	grep -q 'parts (inlined) .*lines.c:' text
}

@test "a line of a recursion has its time once" {
	local whole
	sampled '-g -O2 -fno-optimize-sibling-calls' recursion
	whole=$(total)
	between "percent of the outermost call" 90 "$(percent "$(line main outermost time_ns)" "$whole")" 100
	same "the call within" "$(line recurse deeper time_ns)" "$(line main outermost time_ns)"
	same "self time of it" "$(line recurse deeper self_ns)" 0
}

# 500 samples, 5 standard errors of 1.9 points
@test "each line that calls a function has its share of that time" {
	local once thrice
	sampled '-g -O2' calls
	once=$(line calls once time_ns) thrice=$(line calls "three times" time_ns)
	between "percent of the first line" 15 "$(percent "$once" $((once + thrice)))" 35
	between "percent of both" 95 "$(percent $((once + thrice)) "$(total)")" 100
}

@test "lines by debug information of each kind" {
	local flags
	for flags in -gdwarf-4 -gdwarf-5 '-gdwarf-5 -gsplit-dwarf' '-g -gz' '-g -flto' -g1; do
		sampled "$flags -O2" ratio 4
		[ -n "$(line parts 4 self_ns)" ] || { echo "$flags"; return 1; }
	done
}

@test "without debug information a function is one line" {
	sampled '-g -O2 -s' ratio 4
	same "lines of main" "$("$here/csv" line function=main <lines.csv)" ''
	between "rows" 1 "$("$here/csv" text <lines.csv | grep -c '^(rest of ')" 5
	sampled '-O2' ratio 4
	same "text" "$("$here/csv" text function=main <lines.csv)" '(rest of main)'
}

@test "the text of the source, if it is there and not newer than the program" {
	sampled '-g -O2' ratio 4
	same "text of a line" "$(line parts 4 text)" "$(grep '/\* 4 \*/' "$source" | expand)"
	"$report" -v lines >text
	same "findings" "$(grep -c newer text)" 0
	touch -d '+1 hour' lines.c
	"$report" -v lines >text
	grep -q '^ *(it is newer than the program' text
	rm lines.c
	"$report" -v lines >text
	grep -q '^ *(No such file' text
}

@test "a source that the compiler was given by a relative path" {
	local version
	mkdir parts
	cp "$source" parts/lines.c
	for version in 4 5; do
		${CC:-gcc} -gdwarf-$version -O2 parts/lines.c -o lines
		rm -rf insideme.data
		monitor --quiet --sample=1000 ./lines ratio 4
		quiet
		view lines >lines.csv
		same "text, DWARF $version" "$(line parts 4 text)" "$(grep '/\* 4 \*/' "$source" | expand)"
		same "file" "$(line parts 4 file)" "$PWD/parts/lines.c"
	done
}

@test "lines of which something is known, and functions alone" {
	sampled '-g -O2' ratio 4
	"$report" -v lines --skip-zero --match parts >text
	grep -q '/\* 4 \*/' text
	same "other lines" "$(grep -c 'static inline' text)" 0
	"$report" -v lines --summarize --match 'parts' >text
	grep -q 'parts (inlined)' text
	same "lines" "$(grep -c '/\* 4 \*/' text)" 0
}

@test "lines in another order, without headings" {
	sampled '-g -O2' ratio 4
	"$report" -v lines --sort line >text
	same "headings" "$(grep -c 'lines.c:' text)" 0
	grep -q '^ *parts (inlined)  *[0-9]' text
	"$report" -v lines --sort line -f csv >sorted.csv
	same "rows" "$(wc -l <sorted.csv)" "$(wc -l <lines.csv)"
}

# 1,000 and 2,500 samples: six standard errors are 19 and 12 %
@test "blocks by the line that allocated them" {
	cp "$source" lines.c
	gcc -g -O2 lines.c -o lines
	monitor --quiet --heap-sample=4K ./lines blocks
	view lines >lines.csv
	between "kB of the small ones" 3200 "$(($(line blocks small alloc_bytes) / 1000))" 5100
	between "kB of the large ones" 8700 "$(($(line blocks large alloc_bytes) / 1000))" 11300
	between "kB of the freed ones" 8700 "$(($(line blocks freed alloc_bytes) / 1000))" 11300
	same "small ones at the peak" "$(line blocks small peak_bytes)" "$(line blocks small alloc_bytes)"
	between "freed ones at the peak" 0 "$(line blocks freed peak_bytes)" 8000
}

@test "blocks of programs with hooks, exactly" {
	local comment
	export PATH=$build:$PATH
	for flags in -O0 -O2; do
		cp "$source" lines.c
		insideme-cc $flags lines.c -o lines
		monitor --quiet ./lines blocks
		quiet
		view lines >lines.csv
		same "small ones" "$(line blocks small alloc_calls) $(line blocks small alloc_bytes)" \
			"20000 4000000"
		same "large ones" "$(line blocks large alloc_calls) $(line blocks large alloc_bytes)" \
			"10000 10000000"
		same "freed ones" "$(line blocks freed alloc_calls) $(line blocks freed alloc_bytes)" \
			"10000 10000000"
		same "small ones at the peak" "$(line blocks small peak_bytes)" 4000000
		same "large ones at the peak" "$(line blocks large peak_bytes)" 10000000
		between "freed ones at the peak" 0 "$(line blocks freed peak_bytes)" 1000
	done
}

@test "blocks of operator new are of its caller, those of libc of the function" {
	export PATH=$build:$PATH
	cat >news.cpp <<-'END'
		#include <cstring>
		#include <new>
		#include <vector>
		char *volatile kept;
		__attribute__((noinline)) static void make()
		{
			for (int i = 0; i < 100; i++)
				kept = new char;
			for (int i = 0; i < 200; i++)
				kept = new char[100];
			for (int i = 0; i < 300; i++)
				kept = new (std::nothrow) char[10];
			for (int i = 0; i < 400; i++)
				kept = strdup("four");
		}
		int main()
		{
			make();
			return 0;
		}
	END
	insideme-c++ -O2 news.cpp -o news
	monitor --quiet ./news
	quiet
	view lines >lines.csv
	same "new" "$("$here/csv" alloc_calls function='make()' line=8 <lines.csv)" 100
	same "new[]" "$("$here/csv" alloc_bytes function='make()' line=10 <lines.csv)" 20000
	same "new that does not throw" "$("$here/csv" alloc_bytes function='make()' line=12 <lines.csv)" 3000
	same "strdup()" "$("$here/csv" alloc_calls function='make()' line= <lines.csv)" 400
}

@test "a path of many callers: the same sum, beside its function's" {
	local i
	export PATH=$build:$PATH
	{
		echo '#include <stdlib.h>'
		echo '__attribute__((noinline)) static void make(void) {'
		for i in $(seq 400); do echo '	free(malloc(100));'; done
		echo '} int main(void) { for (int i = 0; i < 10; i++) make(); return 0; }'
	} >many.c
	insideme-cc -O1 -fno-builtin many.c -o many
	monitor --quiet ./many
	quiet
	view lines --match make >lines.csv
	same "bytes of all" "$("$here/csv" alloc_bytes function=make <lines.csv |
		awk '{sum += $1} END {print sum}')" 400000
	same "of the function" "$(view heap | "$here/csv" alloc_bytes function=make)" 400000
	between "lines with their own blocks" 20 \
		"$("$here/csv" alloc_bytes function=make <lines.csv | grep -c '^1000$')" 128
}

@test "a run without samples says what is missing" {
	INSIDEME_HEAP=off record calls || true
	"$report" -v lines >text
	grep -q 'no line is known: .*--sample' text
}

# new COMMENT: KiB of new memory of the line of page_faults.c with that comment
new() {
	local number
	number=$(grep -n "/\* $1 \*/" page_faults.c | cut -d: -f1)
	echo $(($("$here/csv" new_bytes line="$number" <lines.csv |
		awk '{sum += $1} END {print sum + 0}') / 1024))
}

@test "new memory by the line that touched it first" {
	local lost
	if grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled; then
		skip "all memory is huge pages here"
	fi
	cp "$here/../programs/page_faults.c" .
	gcc -g -O2 -pthread page_faults.c -o page_faults
	monitor --quiet --page-faults ./page_faults
	quiet
	"$report" -v lines >text
	! grep -q 'new memory is not known: the kernel' text || skip "perf events are forbidden here"
	view lines >lines.csv
	view quality >quality.csv
	lost=$("$here/csv" value finding=lost_page_faults <quality.csv)
	lost=$((${lost:-0} * 4))
	between "KiB of the loop and of what was lost" 32700 $(($(new loop) + lost)) $((32768 + lost))
	between "KiB of memset() and of what was lost" 32700 $(($(new memset) + lost)) $((32768 + lost))
	between "KiB that were touched again" 0 "$(new again)" 0
	grep -q 'new memory: pages that the line touched first, by [0-9]* page faults' text
}

@test "new memory is not known without insideme-run, or without perf events" {
	LD_PRELOAD=$library INSIDEME_PAGE_FAULTS=on "$bin/lines" ratio 1 >stdout 2>stderr
	quiet
	"$report" -v lines >text
	grep -q 'new memory is not known: only insideme-run records them' <(tr -s '\n ' ' ' <text)
	same "columns" "$(grep -c 'New memory' text)" 0
}
