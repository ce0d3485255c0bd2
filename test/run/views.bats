#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The views of processes and threads, and the first page of runs with several.
load lib

# cell VIEW COLUMN [OTHER=VALUE]...: of the newest run
cell() {
	view "$1" >"$1.csv" || { cat report.stderr; return 1; }
	"$here/csv" "${@:2}" <"$1.csv"
}

total() { awk '{ sum += $1 } END { print sum + 0 }'; }

fits() {
	local longest
	longest=$(COLUMNS=$1 LC_ALL=C "$report" -v "$2" |
		awk 'NR > 1 && length > longest { longest = length } END { print longest }')
	between "longest line of $2" 40 "$longest" "$1"
}

@test "processes: the tree of forks, with each end" {
	INSIDEME_WAITS=off record forks
	same "processes" "$(cell processes pid | wc -l)" 5
	parent=$(cell processes pid depth=0)
	same "children" "$(cell processes ppid depth=1 | sort | uniq -c | awk '{ print $1, $2 }')" "4 $parent"
	same "programs" "$(cell processes programs | sort | uniq -c | awk '{ print $1, $2, $3, $4 }')" \
		$'3 forks  \n1 forks > forks\n1 true  '
	same "exit statuses" "$(cell processes exit_status | sort | xargs)" '0 0 3 4'
	same "ends by signal, or without a word" "$(cell processes end | grep -c SIGKILL)" 1
	same "calls of the tree" "$(cell processes calls | total)" \
		"$(view functions | "$here/csv" calls | total)"
	same "calls of the parent" "$(cell processes calls depth=0)" 105
	same "threads" "$(cell processes threads | xargs)" '1 1 1 1 1'
	COLUMNS=200 run "$report" -v processes
	[[ $output == *"Process"*"  forks"*"    forks > forks again"*"no word"*"    true"* ]]
}

@test "processes: CPU and memory agree with the process's own figures" {
	LD_PRELOAD=$library /usr/bin/python3 -c '
import resource, time
block = bytearray(64 << 20)
while time.process_time() < 0.3: pass
usage = resource.getrusage(resource.RUSAGE_SELF)
print(int((usage.ru_utime + usage.ru_stime) * 1e9), usage.ru_maxrss * 1024)' >said
	read -r cpu_ns peak_bytes <said
	between "CPU time" $((cpu_ns - 20000000)) "$(cell processes cpu_ns)" $((cpu_ns + 40000000))
	between "peak RSS" $((peak_bytes - 8000000)) "$(cell processes peak_rss_bytes)" \
		$((peak_bytes + 1000000))
}

@test "processes: many that are alike are one row, unless each is asked for" {
	LD_PRELOAD=$library bash -c 'for i in {1..45}; do /bin/true; done; /bin/false; exec /bin/echo' \
		>/dev/null
	same "processes" "$(cell processes pid | wc -l)" 47
	run "$report" -v processes
	same "lines" "${#lines[@]}" 7
	[[ ${lines[0]} == *"3 rows of 47 processes"* && ${lines[2]} == *"  bash > echo" &&
		${lines[3]} == *"true  x 45" ]]
	[[ ${lines[4]} == *"exit 1"*"    false" ]]
	run "$report" -v processes --top 0
	same "lines of each" "${#lines[@]}" 49
	run "$report" -v processes --top 1
	[[ $output == *"2 of 47 processes"*false* ]]
	run "$report" -v processes --sort cpu_ns --top 3
	[[ ${lines[0]} == *"3 of 47 processes by cpu_ns"* && ${lines[5]} == *"44 other processes"* ]]
	run "$report" -v processes --match 'x*'
	same "status of --match" "$status" 2
}

@test "processes that did not load the library" {
	monitor -- /sbin/ldconfig -p
	same "what was recorded" "$(cell processes recorded)" 'did not load the recorder'
	same "exit status" "$(cell processes exit_status)" 0
	run "$report" -v processes
	[[ $output == *"ldconfig"*"(not recorded)"* ]]
}

@test "threads: names, first functions, ends and calls" {
	INSIDEME_WAITS=off record threads
	same "threads" "$(cell threads threads | total)" 86
	for worker in worker-{0..3}; do
		same "calls of $worker" "$(cell threads calls "thread_name=$worker")" 10001
		same "first function of $worker" "$(cell threads begin_function "thread_name=$worker")" \
			'worker'
	done
	same "calls of all" "$(cell threads calls | total)" "$(view functions | "$here/csv" calls | total)"
	same "calls open at ends" "$(cell threads broken_calls | total)" 32
	same "ends of the first thread" "$(cell threads end begin_function=)" 'at exit'
	run "$report" -v threads --top 3
	[[ ${lines[0]} == *"3 of "*" by functions_ns"* && $output == *"other threads"* ]]
	run "$report" -v threads --match 'leav*' --top 0
	[[ $output == *"ended, 2 calls open  leaver"* && $output != *worker-0* ]]
}

@test "tables of processes and threads fit into 80 and 200 columns" {
	record forks
	for width in 80 200; do
		fits $width processes
		fits $width threads
	done
}

@test "the first page shows the worst end first" {
	LD_PRELOAD=$library bash -c '/bin/true; /bin/false; /bin/true; (kill -9 $BASHPID); :' 2>/dev/null
	run "$report"
	same "ends" "$(grep -A3 ^Processes <<<"$output" |
		sed 's/^Processes//; s/^ *//; s/, pid.*//; s/ .SIG.*//')" \
		$'no word  bash\nexit 1   false\nexit 0   true x 2; bash'
	[[ $output == *"-v processes"* ]]
}

@test "the first page has the CPU time of a program that was too short for a rate" {
	run record calls
	same status "$status" 7
	run "$report"
	[[ $output =~ "CPU time of all: "[0-9.]+\ [um]?s ]]
}

@test "quality has a line for each finding" {
	record forks
	view quality >quality.csv
	same "lines that are none" "$(grep -cvE '^(finding,value,text|[a-z_]+,[0-9.]*,("[^"]*"|[^,"]*))$' \
		quality.csv)" 0
	same "findings told twice" "$(cut -d, -f1 quality.csv | sort | uniq -d | grep -v threshold)" ''
}

@test "--process and --thread hold in every view" {
	record threads
	calls=$(cell threads calls thread_name=worker-2)
	for view in functions tree; do
		same "calls in $view" "$(view $view --thread worker-2 | "$here/csv" calls | total)" "$calls"
	done
	same "threads" "$(view threads --thread 'worker-[12]' | "$here/csv" thread_name | sort | xargs)" \
		'worker-1 worker-2'
	same "threads of calls" "$(view calls --thread 'worker-*' | "$here/csv" thread_name | sort -u |
		grep -vc worker-)" 0
	run "$report" --thread worker-2
	[[ $output == *"Only      --thread worker-2"*"1 process, 1 thread"* && $output != *RSS* ]]
	run "$report" -v resources --thread worker-2
	same "status of resources of a thread" "$status" 2
	"$report" --thread worker-2 -o out/ 2>/dev/null
	same "calls in the folder" "$("$here/csv" calls <out/functions.csv | total)" "$calls"
	[ ! -e out/resources.csv ]
	[ ! -e out/resources.svg ]	# they are of the whole process
	same "resources in the page" "$(grep -o 'data-sheet="resources' out/insideme.html)" ''
	record forks
	child=$(cell processes pid exit_status=3)
	same "calls of a process" "$(view functions --process "$child" | "$here/csv" calls | total)" 53
	same "processes" "$(view processes --process "$child,tru?" | "$here/csv" exit_status | sort |
		xargs)" '0 3'
	same "readings of another process" "$(view resources --process "$child" | "$here/csv" pid | sort -u |
		grep -vcw "$child")" 0
	run "$report" --process no-such-program
	same "status without such a process" "$status" 1
	[[ $output == *"nothing here is of --process no-such-program"* ]]
}

@test "ranks stand in the views and on the first page" {
	for rank in 0 1 2; do
		OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 PMIX_NAMESPACE=fake record rank_work \
			OMPI_COMM_WORLD_RANK child
	done
	same "ranks of processes" "$(cell processes rank depth=0 | sort | xargs)" '0 1 2'
	same "ranks of threads" "$(cell threads rank | sort -u | xargs)" '0 1 2'
	run "$report" -v processes
	[[ ${lines[1]} == *"  Rank  "* ]]
	run "$report"
	[[ $output == *"6 processes (ranks 0 to 2 of 4)"* ]]
	[[ $output == *"Ended     each of 3 ranks: exit status 0 after "* ]]
	OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 PMIX_NAMESPACE=fake run record ends exit
	run "$report"
	[[ $output == *"Ended     rank 3: exit status 11 after"*"Processes exit 11  ends, pid "*", rank 3"* ]]
	same "exit status of the run" "$(view summary | "$here/csv" value section=run column=exit_status)" 11
}

@test "functions of one template are told apart where names are cut" {
	cat >search.cc <<-'E'
		namespace {
		enum NodeType { NonPV, PV };
		template <NodeType N> __attribute__((noinline)) int a_search_with_a_long_name(int n)
		{
			volatile int sum = 0;
			for (int i = 0; i < 1000000; i++)
				sum = sum + i;
			return n ? a_search_with_a_long_name<N>(n - 1) + sum : sum;
		}
		}
		int main() { return a_search_with_a_long_name<NonPV>(5) + a_search_with_a_long_name<PV>(5) == 1; }
	E
	g++ -g -O1 -finstrument-functions search.cc -o search
	monitor -q -- ./search
	COLUMNS=70 LC_ALL=C.UTF-8 "$report" -v functions >text
	same 'of the first' "$(grep -c '…[a-z_]*<(NodeType)0>$' text)" 1
	same 'of the second' "$(grep -c '…[a-z_]*<(NodeType)1>$' text)" 1
}
