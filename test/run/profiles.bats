#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Profiles of other tools: what call paths have in them, added up by function, is what the view of functions
# has.
bats_require_minimum_version 1.5.0
load lib
load formats

# as_functions FORMAT COLUMN [PREFIX]: rows of FORMAT, by name after PREFIX, have COLUMN of each function
as_functions() {
	view functions --columns "$2,function" | tail -n +2 | sed 's/"//g' >wanted
	awk -v what="$1: $2 of " -v prefix="${3-}" '
		FILENAME != "wanted" { split($0, row, "\t"); found[row[1]] = row[2]; next }
		{ name = $0; sub(/^[^,]*,/, "", name); difference = found[prefix name] - $0 }
		difference < -3 || difference > 3 {
			print what name ": found " found[prefix name] ", expected " $0
			wrong = 1
		}
		END { exit wrong || FNR < 3 }' "$1.rows" wanted
}

@test "folded: each column of the tree, added up by function" {
	local program column
	for program in coroutines leaks peak threads; do
		rm -rf insideme.data
		record "$program" || true
		for column in calls self_ns alloc_bytes alloc_calls; do
			of folded --columns "$column"
			as_functions folded "$column"
		done
	done
	of folded
	cp folded.rows times.rows
	of folded --columns self_ns
	diff times.rows folded.rows
	run -2 "$report" -f folded --columns mean_ns
	[[ $output = "insideme-report: --columns: 'mean_ns' is not one of self_ns, calls, "* ]]
}

@test "folded: --diff has both numbers, --match the paths of a function" {
	record calls || true
	mv insideme.data before
	record calls || true
	of folded --columns calls --diff before/*
	same "fib" "$(found 2 fib folded.rows) $(found 3 fib folded.rows)" "21891 21891"
	cp -r before/* second.run
	of folded --columns calls --diff before/* --diff second.run
	same "fib, mean of two" "$(found 2 fib folded.rows) $(found 3 fib folded.rows)" "21891 21891"
	of folded --columns calls --match outer
	same "what outer calls" "$(cut -f 1,2 folded.rows | xargs)" "leaf 6000 middle 3000 outer 1000"
}

@test "without times calls are the weight; deep recursion ends in (deeper)" {
	INSIDEME_TIMING=counts record calls || true
	of folded
	same "fib" "$(found 2 fib folded.rows)" 21891
	rm -rf insideme.data
	record deep
	of folded --columns calls
	same "the deepest" "$(cut -f 3 folded.rows | sort -n | tail -1)" 500
	same "all calls" "$(cut -f 2 folded.rows | awk '{ sum += $1 } END { print sum }')" \
		"$(view functions | "$here/csv" calls | awk '{ sum += $1 } END { print sum }')"
	of speedscope --max-size 1M
	between "calls of recursion are cut" 1 "$(found 2 'calls: (deeper)' speedscope.rows)" 1000000000
}

@test "speedscope: sums by call path, also of a saved profile" {
	record leaks
	of speedscope
	as_functions speedscope calls "calls: "
	as_functions speedscope alloc_bytes "allocated: "
	as_functions speedscope peak_heap_bytes "at the heap's peak: "
	as_functions speedscope self_ns "time: "
	"$report" --save saved.json
	of speedscope saved.json
	same "a saved profile" "$(cat report.stderr)" \
		"insideme-report: warning: a saved profile has sums only: no calls over time"
	as_functions speedscope alloc_bytes "allocated: "
}

@test "pprof: each weight by function, doubtful times are labelled" {
	local column
	for program in leaks threads coroutines; do
		rm -rf insideme.data
		record $program
		of pprof
		as_functions pprof calls "calls count: "
		as_functions pprof self_ns "time nanoseconds: "
		as_functions pprof alloc_calls "alloc_objects count: "
		as_functions pprof alloc_bytes "alloc_space bytes: "
		as_functions pprof peak_heap_bytes "peak_space bytes: "
		as_functions pprof not_freed_blocks "inuse_objects count: "
		as_functions pprof not_freed_bytes "inuse_space bytes: "
	done
	"$report" -f pprof | cmp - file.pprof
	run -2 script -qec "'$report' -f pprof" /dev/null
	[[ $output = *"insideme-report: -f pprof is not for a terminal: -o FILE"* ]]
}

@test "pprof: go tool pprof reads the same numbers" {
	local index
	record leaks
	"$report" -f pprof -o run.pb
	for index in calls:calls alloc_space:alloc_bytes inuse_space:not_freed_bytes time:self_ns; do
		HOME=$PWD go tool pprof -top -nodefraction=0 \
			-unit="$([ $index = time:self_ns ] && echo ns || echo B)" \
			-sample_index="${index%:*}" run.pb 2>/dev/null | sed '1,/flat%/d; s/%//g' |
				awk '{ print $6, $1 + 0 }' | sort >found
		view functions --columns "${index#*:},function" | tail -n +2 |
			awk -F , '$1 > 0 { print $2, $1 }' | sort >wanted
		[ -s wanted ]
		diff <(grep -v ' 0$' found) wanted
	done
}

@test "callgrind: sums of functions, and of what they call" {
	for program in leaks threads; do
		rm -rf insideme.data
		record $program
		of callgrind
		as_functions callgrind calls "calls: "
		as_functions callgrind self_ns "ns: "
		as_functions callgrind total_ns "ns with calls: "
		as_functions callgrind alloc_bytes "alloc_bytes: "
	done
	rm -rf insideme.data
	record calls || true
	of callgrind
	as_functions callgrind calls "calls: "
	as_functions callgrind self_ns "ns: "	# even and odd have 500 paths each
	near "fib with what it calls" "$(found 2 'ns with calls: fib' callgrind.rows)" \
		"$(value total_ns function=fib)" 3
	# a thread's first function, which calls itself
	rm -rf insideme.data
	gcc -g -O1 -x c -finstrument-functions -o halves - <<-'END'
		#include <pthread.h>
		__attribute__((noinline)) static void work(void) { for (volatile int i = 0; i < 100000; i++) ; }
		__attribute__((noinline)) static void *halve(void *n)
		{
			work();
			if (n) {
				halve((char *)n - 1);
				halve((char *)n - 1);
			}
			return 0;
		}
		int main(void)
		{
			pthread_t thread;
			return pthread_create(&thread, 0, halve, (void *)3) || pthread_join(thread, 0);
		}
	END
	LD_PRELOAD=$library ./halves
	of callgrind
	as_functions callgrind total_ns "ns with calls: "
	same "calls of halve" "$(found 2 'calls: halve' callgrind.rows)" 15
	rm -rf insideme.data
	# callgrind_annotate makes paths of sources in its folder relative, but not those of cfi=
	cp "$here/../programs/calls.c" .
	gcc -g -O1 -finstrument-functions calls.c -o calls
	LD_PRELOAD=$library ./calls || true
	of callgrind
	as_functions callgrind total_ns "ns with calls: "
}

@test "pstats: functions, their callers, recursion" {
	local caller function calls
	record calls || true
	of pstats
	as_functions pstats calls
	as_functions pstats primitive_calls "primitive: "
	as_functions pstats total_ns "total: "
	same "ns of middle" "$(found 3 middle pstats.rows)" "$(value self_ns function=middle)"
	view callers --columns calls,caller,function | tail -n +2 >edges
	while IFS=, read -r calls caller function; do
		[ -z "$caller" ] || same "$caller calls $function" \
			"$(found 2 "$caller > $function" pstats.rows)" "$calls"
	done <edges
	grep -q '^fib > fib	' pstats.rows
}

@test "dot: nodes and edges above their thresholds, cycles" {
	local name calls
	record calls || true
	of dot --min-percent 0.000001
	view functions --columns calls,function | tail -n +2 >wanted
	while IFS=, read -r calls name; do
		same "calls of $name" "$(found 2 "$name" dot.rows)" "$calls"
	done <wanted
	same "even calls odd" "$(found 2 'even > odd' dot.rows)" 500
	same "functions of the cycle" "$(found 2 'cycle 1' dot.rows)" 2
	grep -q "tooltip=\"fib.n.*/calls.c:$(view functions | "$here/csv" line function=fib)\"" file.dot
	of dot --min-percent 20
	view functions --columns total_ns,self_ns,function | tail -n +2 | sort -t , -k 1,1 |
		awk -F , '{ total[$3] = $1; all += $2 }
			END { for (name in total) if (total[name] >= all / 5) print name }' | sort >large
	diff large <(cut -f 1 dot.rows | grep -vE ' > |^cycle' | sort)
	rm -rf insideme.data
	INSIDEME_TIMING=counts record calls || true
	of dot
	same "fib by calls" "$(found 2 fib dot.rows)" 21891
}

# names of the nodes
drawn() { cut -f 1 dot.rows | grep -v ' > ' | grep -v '^cycle' | sort | xargs; }

@test "dot: lines of nodes, colours, the ways to a function and from it" {
	record calls || true
	of dot --min-percent 0.000001 -v callers --match middle
	same "ways to middle" "$(drawn)" "main middle outer"
	of dot --min-percent 0.000001 -v callees --match middle
	same "ways from middle" "$(drawn)" "leaf middle"
	"$report" -f dot --min-percent 0.000001 --columns total_ns,calls,alloc_bytes --time-unit ns | dot -Tplain >plain
	grep -qE '"outer.n[0-9]+ ns.n1000×.n0( B)?"' plain
	"$report" -f dot --colormap print | grep -q 'style=solid'
	"$report" -f dot --colormap gray | grep -q 'color="#000000"'
	diff <("$report" -f dot) <("$report" -f dot --colormap color)
	run -2 "$report" -f dot --colormap blue
	same "what it says" "$output" "insideme-report: --colormap: 'blue' is not color, pink, gray, bw or print"
	run -2 "$report" -f dot --columns calls,nothing
	[[ $output = "insideme-report: -f dot: no column is called 'nothing'; there are "* ]]
}

@test "dot: --diff has both runs, red where it takes longer" {
	local name
	for name in old new; do
		cat >work.c <<-END
			#include <sys/syscall.h>
			#include <time.h>
			#include <unistd.h>
			/* their own time */
			#define SLEEP(ms) syscall(SYS_nanosleep, &(struct timespec){ 0, (ms) * 1000000 }, NULL)
			void slower(void) { SLEEP($([ $name = old ] && echo 10 || echo 150)); }
			void faster(void) { SLEEP($([ $name = old ] && echo 150 || echo 10)); }
			void once(void) { SLEEP(10); }
			int main(void)
			{
				slower();
				faster();
				faster();
				$([ $name = old ] || echo 'once();')
				return 0;
			}
		END
		gcc -g -O1 -finstrument-functions work.c -o $name.work
		LD_PRELOAD=$library INSIDEME_RUN=$PWD/$name ./$name.work
	done
	"$report" -f dot --diff old new | dot -Tjson >graph.json
	node() { jq -r --arg name "$1" '.objects[] | select(.label | startswith($name + "\\n")) | .'"$2" graph.json; }
	same "once" "$(node once label | sed 's/.*n//')" "0× / 1×"
	same "faster" "$(node faster label | sed 's/.*n//')" "2× / 2×"
	[[ $(node faster color) =~ ^#00[8-9a-f].00$ || $(node faster color) =~ ^#0.c.0.$ ]]
	[[ $(node slower tooltip) =~ ^slower.n.*/work.c:6$ ]]
	[[ $(node slower color) =~ ^#[6-9a-f].[0-6].[0-6].$ ]]
	same "calls of faster" "$(jq -r '.edges[].label' graph.json | sort | xargs)" "0× / 1× 1× / 1× 2× / 2×"
	same "nothing changed" "$("$report" -f dot --diff old old | grep -c 'color="#666666", label')" 3
}

@test "dot: a picture, by graphviz" {
	record calls || true
	"$report" -f dot --min-percent 0.0001 -o graph.pdf
	pdftotext graph.pdf graph.txt
	grep -q outer graph.txt
	run -1 env PATH=/nowhere "$report" -f dot -o none.svg
	same "without graphviz" "$output" \
		"insideme-report: cannot run dot, of graphviz: No such file or directory"
	[ -z "$(find . -name 'none*')" ]
}

@test "markdown: a table that GitHub shows as the view is" {
	"$bin/golden" insideme.data
	"$report" -v functions -f json last~1 |
		python3 -c 'import json, sys; print(len(json.load(sys.stdin)["functions"]))' >rows
	"$report" -v functions -f markdown --top 0 last~1 | cmark-gfm -e table >functions.html
	same "rows" "$(grep -c '^<tr>' functions.html)" $(($(cat rows) + 1))
	same "cells" "$(grep -c '^<td' functions.html)" $(($(cat rows) * $(grep -c '^<th ' functions.html)))
	grep -qF 'Grid::exchange(std::vector&lt;double, std::allocator&lt;double&gt; &gt;&amp;)' \
		functions.html
	same "no name is taken as emphasis" "$(grep -c '<em>' functions.html)" 0
}

# as_csv VIEW...: tables of run.db
as_csv() {
	local view
	for view; do
		view $view >wanted.csv
		sqlite3 -header -csv run.db "select * from $view" | tr -d '\r' >found.csv
		python3 - <<-END || { echo "in $view"; return 1; }
			import csv
			read = lambda name: list(csv.reader(open(name, newline="")))
			wanted, found = read("wanted.csv"), read("found.csv")
			# csv has three decimals
			equal = lambda a, b: a == b or abs(float(a) - float(b)) <= 0.0006
			assert len(wanted) == len(found) > 1, (len(wanted), len(found))
			assert all(len(a) == len(b) and all(map(equal, a, b)) for a, b in zip(wanted, found))
		END
	done
}

@test "sqlite: each view has the rows and values of its csv" {
	record leaks
	"$report" -f sqlite -o run.db 2>/dev/null
	as_csv functions tree callers calls processes threads heap lines quality	# two with a column "text"
	same "texts are there once" "$(sqlite3 run.db 'select count(*) - count(distinct text) from texts')" 0
	run -2 "$report" -f sqlite
	same "where" "$output" "insideme-report: -f sqlite: -o FILE says where"
}

@test "sqlite: a call takes at most 40 bytes" {
	local program bytes
	export INSIDEME_THRESHOLD=0
	for program in every threads jumps; do
		rm -rf insideme.data run.db
		INSIDEME_SNAPSHOT=heap,rss:every record $program || true
		"$report" -f sqlite -o run.db 2>/dev/null
		as_csv calls
	done
	rm -rf insideme.data
	record calls || true
	"$report" -f sqlite -o run.db 2>/dev/null
	bytes=$(sqlite3 run.db "select sum(pgsize) from dbstat where name like 'calls%'")
	between "bytes of 32,893 calls" 32893 "$bytes" $((40 * 32893))
}

@test "openmetrics: the figures of each run, and doubts" {
	local finding
	INSIDEME_BUDGET=1M record fill /dev/full 200
	of openmetrics
	view processes >processes.csv
	for name in calls alloc_bytes peak_rss_bytes; do
		same "$name" "$(found 2 "insideme_$name" openmetrics.rows)" \
			"$("$here/csv" $name <processes.csv)"
	done
	same "CPU time" "$(found 2 insideme_cpu_seconds openmetrics.rows)" \
		"$("$here/csv" cpu_ns <processes.csv)"
	finding=$(view quality | "$here/csv" text finding=lost_calls)
	same "what was lost" "$(found 2 "doubt $finding" openmetrics.rows)" 1
	for format in dot callgrind; do
		of $format
		grep -qF "$finding" file.$format
	done
	of speedscope
	jq -r .name file.speedscope | grep -qF "; in doubt: $finding"
	for format in folded pstats; do	# these have no place for it
		of $format
		grep -qF "insideme-report: warning: in doubt: $finding" report.stderr
	done
	"$report" -v tree -f json | jq -e --arg lost "$finding" '.doubts | index($lost)'
	"$report" -v tree -f markdown | cmark-gfm -e table | grep -q "Doubt: $finding"
	record leaks
	of openmetrics last last~1
	same "of the first run" "$(found 2 'insideme_calls of run 1' openmetrics.rows)" \
		"$(view processes | "$here/csv" calls)"
	of openmetrics last
	"$report" -v tree -f json last | jq -e --arg lost "$finding" '.doubts | index($lost) == null'
}

@test "the snippets of doc/notebooks.md" {
	INSIDEME_THRESHOLD=0 record calls || true
	sed -n 's/^    insideme-report //p' "$here/../../doc/notebooks.md" >commands
	same "commands" "$(wc -l <commands)" 2
	while read -ra options; do
		"$report" "${options[@]}"
	done <commands
	"$report" -f pstats -o run.pstats
	# Hatchet is no package of Debian: what a snippet gives to it is checked instead
	cat >hatchet.py <<-'END'
		class GraphFrame:
		    def __init__(self, roots): self.roots = roots
		    @classmethod
		    def from_literal(cls, roots): return cls(roots)
		    def tree(self, metric_column):
		        lines, stack, column = [], [(node, 0) for node in reversed(self.roots)], metric_column
		        while stack:
		            node, level = stack.pop()
		            assert set(node) == {"frame", "metrics", "children"}
		            lines.append(f"{'.' * level}{node['frame']['name']} {node['metrics'][column]}")
		            stack += [(child, level + 1) for child in reversed(node["children"])]
		        return "\n".join(lines)
	END
	sed -n '/^```python/,/^```$/p' "$here/../../doc/notebooks.md" | grep -v '^```' >snippets.py
	PYTHONPATH=. /usr/bin/python3 snippets.py >said
	grep -qE "^\\(.fib., 21891, [0-9]+, [0-9]+\\)" said
	grep -qE '^outer +1000' said
	grep -qx '.outer 1000' said
	grep -qx '..middle 3000' said
	same "paths in the tree" "$(grep -cE '^\.*[a-z]+ [0-9]+$' said)" \
		"$(view tree --columns depth | tail -n +2 | wc -l)"
}

# sum PREFIX FILE: of the numbers whose name begins so; callgrind_annotate has a row for all
sum() { awk -F '\t' -v \
	prefix="$1" 'index($1, prefix) == 1 && !/PROGRAM TOTALS/ { sum += $2 } END { print sum + 0 }' "$2"; }

@test "two ranks, one of them killed, in every format" {
	local calls format name
	"$bin/golden" insideme.data
	calls=$(view functions last~1 | "$here/csv" calls | awk '{ sum += $1 } END { print sum }')
	of folded --columns calls last~1
	same "calls in folded" "$(sum '' folded.rows)" "$calls"
	for format in pprof 'calls count: ' speedscope 'calls: ' callgrind 'calls: ' openmetrics \
		insideme_calls; do
		case $format in
		*[:_]*) same "calls in $name" "$(sum "$format" $name.rows)" "$calls" ;;
		*) name=$format && of $name last~1 ;;
		esac
	done
	for format in chrome perfetto; do
		of $format last~1
		grep -qa '(rank 1)' file.$format
		grep -qa 'killed by SIGKILL' file.$format
	done
	"$report" -f sqlite -o run.db last~1 2>/dev/null
	same "calls in sqlite" "$(sqlite3 run.db 'select sum(calls) from functions')" "$calls"
	of dot last~1
	of pstats last~1
	of insideme-log last~1
}

@test "a sampled run has CPU time and samples in every format" {
	local samples name
	gcc -O1 -x c - -o busy <<-'END'
		#include <time.h>
		__attribute__((noinline)) static void burn(void)
		{
			for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) ;
		}
		int main(void) { burn(); return 0; }
	END
	monitor --sample=1000 -- ./busy
	samples=$(view functions | "$here/csv" samples | awk '{ sum += $1 } END { print sum }')
	between "samples" 5 "$samples" 400
	of folded --columns samples
	same "in folded" "$(sum '' folded.rows)" "$samples"
	of pprof
	same "in pprof" "$(sum 'samples count: ' pprof.rows)" "$samples"
	of speedscope
	same "in speedscope" "$(sum 'samples: ' speedscope.rows)" "$samples"
	of callgrind
	as_functions callgrind sampled_self_ns "cpu_ns: "
	as_functions callgrind sampled_total_ns "cpu_ns with calls: "
	for name in dot pstats callgrind openmetrics; do
		of $name
		[ -s $name.rows ]
	done
	for name in chrome perfetto; do
		of $name
		same "only counters in $name" \
			"$(grep -cvE '^(counter|end|InsideMe|in doubt) |^\(shorter' $name.rows)" 0
		grep -q '^counter RSS' $name.rows
	done
	same "no lines" "$("$report" -f insideme-log)" ''
}

@test "names that no format likes come back, or as the manual says" {
	local long
	long=$(printf 'a%.0s' {1..20000})
	cat >names.c <<-END
		#include <insideme.h>
		static const char *const names[] = { "semi;colon", "a \"quote\"'s", "new\nline", "back\\\\slash\\\\n", "pipe|x<y>&z",
			"(leading", "\001\033[31m", "b\377\376", "tab\there" };
		__attribute__((noinline)) void $long(void) { __asm__ volatile(""); }
		int main(void)
		{
			for (int i = 0; i < 9; i++)
				for (int n = 0; n <= i; n++) {
					insideme_begin(names[i]);
					insideme_end(names[i]);
				}
			$long();
			return 0;
		}
	END
	gcc -g -O1 -finstrument-functions -isystem "$here/../../include" names.c -o names
	INSIDEME_THRESHOLD=0 LD_PRELOAD=$library ./names
	for format in chrome speedscope perfetto pprof pstats callgrind; do
		"$report" -f $format -o file.$format
	done
	"$report" -v tree -f folded --columns calls -o file.folded
	"$report" -f dot --min-percent 0.0000001 -o file.dot
	"$report" -f sqlite -o file.sqlite 2>/dev/null
	"$report" -v functions -f csv -o file.csv
	"$report" -v functions -f markdown --top 0 | cmark-gfm -e table >file.html
	"$report" --gate "calls of '*a \"*' <= 3; calls of 'pipe|x<y>&z' == 5" -f junit -o file.junit
	"$report" -f openmetrics -o file.openmetrics
	PYTHONPATH=$here /usr/bin/python3 - <<-'END'
		import csv, html, re, sqlite3, xml.etree.ElementTree as tree
		import formats
		names = ["semi;colon", "a \"quote\"'s", "new\nline", "back\\slash\\n", "pipe|x<y>&z", "(leading", "\x01\x1b[31m",
		         "b\ufffd\ufffd", "tab\there"]
		wanted = {name: i + 1 for i, name in enumerate(names)}
		wanted["a" * 20000] = 1

		def check(format, found, change=lambda name: name):
		    for name, calls in wanted.items():
		        assert found.get(change(name)) == calls, (format, name[:30], found.get(change(name)))

		def calls_of(format, prefix=""):
		    sums = getattr(formats, format)(formats.read("file." + format))
		    return {name[len(prefix):]: calls for name, calls in sums.calls.items() if name.startswith(prefix)}

		def control(to):
		    return lambda name: re.sub("[\\x00-\\x1f\\x7f]", to, name)

		raw = lambda name: name.replace("\ufffd\ufffd", "\udcff\udcfe")
		check("chrome", calls_of("chrome"))
		check("speedscope", calls_of("speedscope"))
		check("perfetto", calls_of("perfetto"))
		check("pprof", calls_of("pprof", "calls count: "))
		check("pstats", calls_of("pstats"))
		check("folded", calls_of("folded"), lambda name: control("_")(raw(name)).replace(";", ":"))
		check("callgrind", {name.strip(): calls for name, calls in calls_of("callgrind", "calls: ").items()},
		      lambda name: control(" ")(raw(name)).strip())
		check("dot", calls_of("dot"),
		      # graphviz leaves the escapes, and formats.py ends the name at the first line's
		      lambda name: "a" * 4096 + "..." if name[0] * 20000 == name
		      else control(" ")(name).replace("\\", "\\\\").split("\\n")[0])
		database = sqlite3.connect("file.sqlite")
		check("sqlite", dict(database.execute("select function, calls from functions")))
		with open("file.csv", newline="", encoding="utf8", errors="surrogateescape") as file:
		    check("csv", {row["function"]: int(row["calls"]) for row in csv.DictReader(file)}, raw)
		cells = [html.unescape(re.sub("<[^>]*>", "", row)) for row in open("file.html", encoding="utf8")]
		for name in "semi;colon", "a \"quote\"'s", "back\\slash\\n", "pipe|x<y>&z", "(leading":
		    assert any(name in cell for cell in cells), ("markdown", name)
		rules = [case.get("name") for case in tree.parse("file.junit").getroot().iter("testcase")]
		assert sorted(rules) == ["calls of '*a \"*' <= 3", "calls of 'pipe|x<y>&z' == 5"], rules
		formats.openmetrics(formats.read("file.openmetrics"))
	END
	# pprof takes no such name apart
	HOME=$PWD go tool pprof -top -nodefraction=0 -sample_index=calls file.pprof 2>/dev/null | grep -qF 'pipe|x<y>&z'
}

@test "pprof: the linker's name is the system's, overloads stay apart" {
	cat >overloads.cpp <<-'END'
		struct box { void put(int); void put(double); };
		__attribute__((noinline)) void box::put(int) { __asm__ volatile(""); }
		__attribute__((noinline)) void box::put(double) { __asm__ volatile(""); }
		int main()
		{
			box one;
			for (int i = 0; i < 3; i++)
				one.put(i);
			one.put(0.5);
		}
	END
	g++ -g -O1 -finstrument-functions overloads.cpp -o overloads
	LD_PRELOAD=$library ./overloads
	of pprof
	same "calls" "$(found 2 'calls count: box::put(int)' pprof.rows) $(found 2 'calls count: box::put(double)' pprof.rows)" \
		"3 1"
	gzip -dc file.pprof | strings >texts
	grep -q '^_ZN3box3putEi' texts
	grep -q '^_ZN3box3putEd' texts
	[ "$(HOME=$PWD go tool pprof -top -nodefraction=0 -sample_index=calls file.pprof 2>/dev/null |
		grep -c 'box::put(')" = 2 ]
}

@test "what is binary is not for a terminal" {
	local format
	record calls || true
	for format in perfetto pprof pstats png pdf; do
		run -2 script -qec "'$report' -f $format" /dev/null
		[[ $output = *"insideme-report: -f $format is not for a terminal: -o FILE"* ]]
	done
	run -2 script -qec "'$report' -f sqlite" /dev/null
	[[ $output = *"insideme-report: -f sqlite: -o FILE says where"* ]]
}
