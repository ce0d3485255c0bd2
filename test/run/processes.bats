#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Processes: fork, exec, vfork, and ends of every kind, with the same exit status as without the library.
load lib

@test "fork and exec" {
	run record forks
	same status "$status" 0
	quiet
	printf 'exit 3\nexec 4\nkill 137\nvfork 0\n' | diff - stdout
	calls parent_work 100 child_work 150 after_fork 3 exec_work 25 main 5 spawn 6
}

@test "one launch is one run" {
	record forks
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 1
	same logs "$(find insideme.data -name '*.log' | wc -l)" 6
}

@test "one launch is one run where the kernel cannot be asked for single mappings" {
	needs_strace
	strace -f -qq -o trace -e trace=ioctl -e inject=ioctl:error=ENOTTY -E LD_PRELOAD="$library" \
		"$bin/forks" >stdout ||
		same status $? 0
	grep -q INJECTED trace
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 1
	same logs "$(find insideme.data -name '*.log' | wc -l)" 6
}

@test "a child stands where it was forked" {
	record forks
	run "$report" -v tree
	[[ $output == *main*spawn*after_fork*child_work* ]]
}

for_each_end() {
	for kind in return:10 exit:11 _exit:12 quick_exit:13 abort:134 kill:137 segv:139 exec:14 \
		pthread_exit:0; do
		rm -rf insideme.data functions.csv
		"$1" "${kind%:*}" "${kind#*:}" || { echo "$kind"; return 1; }
	done
}

one_end() {
	run record ends "$1"
	same "status of $1" "$status" "$2" || return 1
	calls warm_up 1000 level_1 1 level_2 1 level_3 1 level_4 1 level_5 1 finish 1 main 1
}

@test "ends of every kind keep exit status and calls" {
	for_each_end one_end
}

one_monitored_end() {
	run monitor --quiet -- "$bin/ends" "$1"
	same "status of $1" "$status" "$2" || return 1
	same "stderr of $1" "$(cat stderr)" '' || return 1
	calls warm_up 1000 level_5 1 finish 1 main 1
}

@test "insideme-run passes every end on" {
	for_each_end one_monitored_end
}

@test "kill -9 in a deep call: the report shows what was open" {
	record ends kill || true
	run "$report" -v tree
	same status "$status" 0
	[[ $output == *main*level_1*level_2*level_3*level_4*level_5*finish* ]]
	view functions --raw >functions.csv	# what is left of some ns without the hooks' cost may be none
	between "total of level_3" 1 "$(value total_ns function=level_3)" "$(value total_ns function=main)"
}

@test "the summary says how it ended" {
	monitor --quiet -- "$bin/ends" kill || true
	run "$report"
	[[ $output == *SIGKILL* ]]
	rm -rf insideme.data
	monitor --quiet -- "$bin/ends" exit || true
	run "$report"
	[[ $output == *"exit status 11"* ]]
}

@test "a process that has ended keeps no room that it did not use" {
	INSIDEME_THRESHOLD=0 record deep	# the sampler grows the file ahead of it
	file=$(echo insideme.data/*/*.log)
	between "bytes grown ahead" 1 $(($(stat -c %s "$file") - $(stat -c %b "$file") * 512)) 100000000
	rm -rf insideme.data
	LD_PRELOAD=$library /bin/true
	bytes=$(($(du -k insideme.data/*/*.log | cut -f1) * 1024))
	between "bytes on disk" 32768 "$bytes" 131072
}

# The last readings of the processes: the peak is no less than what was there then, but for what a kernel that
# counts for each
# processor is off by.
peak_is_above_rss() {
	view resources --columns pid,rss_bytes,peak_rss_bytes |
		awk -F, -v slack=$(($(nproc) * 64 * 4096)) 'NR > 1 && $2 { rss[$1] = $2 } NR > 1 && $3 { peak[$1] = $3 }
			END { for (pid in rss) if (pid in peak && ++n && rss[pid] > peak[pid] + slack) { print pid, rss[pid], peak[pid]; bad = 1 }
			exit bad || !n }'
}

@test "the peak of a short program is no less than its RSS" {
	for _ in 1 2 3; do
		rm -rf insideme.data
		LD_PRELOAD=$library /bin/true
		peak_is_above_rss
	done
}

# In a pid namespace whose /proc is still that of the outer one, our pid 1 is there the machine's init.
@test "the first process of a pid namespace is not taken for init" {
	unshare -pf true || skip "needs to make pid namespaces"
	for launcher in "env LD_PRELOAD=$library" "$build/insideme-run -q"; do
		rm -rf insideme.data
		$launcher unshare -pf "$bin/calls" >stdout || same status $? 7
		view processes --process 1 --columns programs,exit_status >processes
		same "process 1 by $launcher" "$(tail -n +2 processes)" calls,7
		peak_is_above_rss
	done
}

# Its parent has no number there: only /proc's namespace knows it.
@test "the first process of a pid namespace belongs to its parent's run" {
	unshare -pf true || skip "needs to make pid namespaces"
	LD_PRELOAD=$library sh -c "unshare -pf '$bin/calls'; true" >stdout
	same runs "$(ls insideme.data | wc -l)" 1
	same "processes named calls" "$(view processes --columns programs | grep -c calls)" 1
}

# within: all of the run lies between the first process's begin and end, and the logs do not contradict each
# other
within() {
	local end
	view processes >processes.csv
	same "what the report says" "$(cat report.stderr)" ''
	end=$("$here/csv" end_ns depth=0 <processes.csv | head -1)
	between "processes" 4 "$("$here/csv" begin_ns <processes.csv |
		awk -v end="$end" '$1 >= 0 && $1 <= end' | wc -l)" 10
	same "processes outside of the run" "$("$here/csv" begin_ns <processes.csv |
		awk -v end="$end" '$1 < 0 || $1 > end')" ''
	calls leaf 6000
}

@test "a time namespace has other clocks, but the run's times" {
	unshare --time true 2>/dev/null || skip "no time namespaces here"
	reads_tsc || skip "the clock source is not tsc, which all time namespaces share"
	local back=$(($(cut -d. -f1 /proc/uptime) / 2))	# no clock of a namespace may be below 0
	for ahead in 100000 -$back; do
		script="sleep 0.05; unshare --time --monotonic $ahead sh -c 'sleep 0.05; $bin/calls; sleep 0.05'; sleep 0.05"
		rm -rf insideme.data functions.csv
		LD_PRELOAD=$library sh -c "$script" >stdout
		within
		rm -rf insideme.data functions.csv
		monitor -q --interval=10ms -- sh -c "$script"
		within
	done
}
