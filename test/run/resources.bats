#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a program and the machine use, each column against another reading of it.
bats_require_minimum_version 1.5.0
load lib
often

rows() { view resources "$@" >resources.csv; }

# last COLUMN [OTHER=VALUE]..., largest COLUMN ...: of the readings
last() { "$here/csv" "$@" <resources.csv | grep . | tail -1; }
largest() { "$here/csv" "$@" <resources.csv | grep . | sort -n | tail -1; }

# both TEST: with the sampler inside, then outside.
both() {
	local launcher
	for launcher in "env LD_PRELOAD=$library" "$build/insideme-run --quiet --"; do
		rm -rf insideme.data
		echo "$launcher:"
		"$1" "$launcher"	# not in a condition: each of its lines counts
	done
}

# held CONDITION "WHAT NR..." LAUNCHER...: "uses WHAT" holds what it uses until the readings meet that
held() {
	rm -f gate said
	mkfifo gate
	# shellcheck disable=SC2086
	"${@:3}" "$bin/uses" $2 <gate >said 3>&- &
	exec 9>gate
	wait_until "$1" || return 1
	exec 9>&-
	wait $!
}

# Has each of three threads said what it used, and a sample that is as new? What they use in waiting for their
# end is some us.
has_threads() {
	[ "$(wc -l <said)" = 3 ] && rows || return 1
	while read -r tid cpu_ns _; do
		[ "$(last thread_cpu_ns "id=$tid" || echo 0)" -ge $((cpu_ns - 5000000)) ] || return 1
	done <said
}

# shellcheck disable=SC2086
known_threads() {
	held has_threads "threads 3 400" $1 || return 1
	while read -r tid cpu_ns wait_ns; do
		between "CPU of a thread" $((cpu_ns - 5000000)) "$(last thread_cpu_ns "id=$tid")" \
			$((cpu_ns + 20000000)) || return 1
		between "waiting of a thread" 0 "$(last thread_wait_ns "id=$tid")" \
			$((wait_ns + 90000000000)) || return 1
	done <said
	between "waiting of the process" 0 "$(last run_wait_ns set=process_slow)" \
		$(($(awk '{ sum += $3 } END { printf "%.0f", sum }' said) + 240000000000))
}

@test "threads: CPU time and waiting of each" { both known_threads; }

has_files() { [ -s said ] && rows && [ "$(largest descriptors || echo 0)" -ge "$(cat said)" ]; }

# shellcheck disable=SC2086
known_files() {
	held has_files "files 40" $1 || return 1
	between "descriptors" "$(cat said)" "$(largest descriptors)" $(($(cat said) + 1))	# one more while it looks
}

@test "descriptors" { both known_files; }

# Is there a reading of 8 MiB of its own and half of 8, while the child has the shared ones too? Few, for a
# reading rests for 2,000
# times its CPU time.
has_pages() {
	pid=$("$report" -v processes -f csv 2>/dev/null | "$here/csv" pid depth=0) && rows --process "$pid" ||
		return 1
	grep -q ,process_maps, resources.csv || return 1
	"$here/csv" uss_bytes set=process_maps <resources.csv >uss
	"$here/csv" pss_bytes set=process_maps <resources.csv >pss
	paste uss pss | awk '$1 >= 2 ^ 23 && $1 < 2 ^ 23 + 2 ^ 20 && $2 >= 1.5 * 2 ^ 23 && $2 < 1.5 * 2 ^ 23 + 2 ^ 20' | grep -q .
}

# A reading takes time, and the next one comes after 2000 times that: a busy machine has none for long.
look_a_while() {
	local end=$((SECONDS + 4))
	until has_pages; do [ $SECONDS -lt $end ] || return 0; done
}

known_pages() {
	local i
	for ((i = 0; i < 20; i++)); do
		rm -rf insideme.data
		# shellcheck disable=SC2086
		held look_a_while "pages 8" $1
		! has_pages || return 0
	done
	echo "no reading of 8 MiB of its own and half of 8"
	return 1
}

@test "pages of its own and shared ones" { both known_pages; }

net_bytes() { awk -F: '/:/ && $1 !~ / lo$/ { split($2, n, " "); sum += n[1] } END { printf "%.0f\n", sum }' \
	/proc/net/dev; }
stall_ns() { awk -F= '/^some/ { print $NF "000" }' "/proc/pressure/$1"; }
core_ns() { awk '/^cpu0 / { printf "%.0f0000000\n", $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat; }

# within COLUMN READING...: the newest value lies between that command's outputs before and after the run
within() {
	local column=$1
	shift
	between "$column" "$(head -1 "before.$column")" "$(last "$column")" "$("$@")"
}

machine_agrees() {
	net_bytes >before.net_received_bytes
	core_ns >before.cpu0_busy_ns
	[ ! -r /proc/pressure/cpu ] || stall_ns cpu >before.cpu_stall_ns
	$1 "$bin/uses" sleeps 60
	rows
	within net_received_bytes net_bytes && within cpu0_busy_ns core_ns || return 1
	[ ! -r /proc/pressure/cpu ] || within cpu_stall_ns stall_ns cpu
}

@test "the machine's columns lie between what /proc says before and after" { both machine_agrees; }

@test "a source that is not there has no column" {
	record uses sleeps 30
	[ -e /sys/class/thermal/thermal_zone0 ] || ! view resources | head -1 | grep temperature
	[ -e /sys/class/powercap/intel-rapl:0 ] || ! view resources | head -1 | grep energy
}

@test "a program on one processor is limited to that, the machine is not" {
	local cpus
	cpus=$(nproc --all)
	taskset -c "$(awk '/^Cpus_allowed_list/ { split($2, a, "[-,]"); print a[1] }' /proc/self/status)" \
		env LD_PRELOAD="$library" "$bin/burn" 400 10
	run "$report" -v resources
	[[ $output =~ cpu_ns(\ +[0-9.]+\ cores?){2}\ +1\ core\  ]]
	[[ $output =~ system_cpu_busy_ns(\ +[0-9.]+\ cores?){2}\ +$cpus\ cores?\  ]]
	[ "$cpus" = 1 ] || "$report" | grep -qE ' peak +limit '
}

@test "a control group's limit is shown beside its use" {
	memory=/sys/fs/cgroup/memory
	group=$memory/insideme-test-$$
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		group=/sys/fs/cgroup/insideme-test-$$
		limit=memory.max
	else
		limit=memory.limit_in_bytes
	fi
	[ "$(id -u)" = 0 ] && mkdir "$group" 2>/dev/null || skip "no control group can be made here"
	[ -e "$group/$limit" ] && echo $((300 << 20)) >"$group/$limit" ||
		{ rmdir "$group"; skip "no limit on memory can be set here"; }
	uses_64_mib() { rows && [ "$(largest cgroup_memory_bytes || echo 0)" -ge $((60 << 20)) ]; }
	held uses_64_mib "pages 32" sh -c "echo \$\$ >$group/cgroup.procs && exec \"\$@\"" _ \
		"$build/insideme-run" --quiet --
	rmdir "$group"
	rows
	same "limit" "$(last cgroup_memory_limit_bytes)" $((300 << 20))
	between "use in MiB" 60 $(($(largest cgroup_memory_bytes) >> 20)) 120
	run "$report"
	[[ $output =~ peak\ +limit && $output == *"  300 MiB  "* ]]
}

@test "an interval of 0 samples no process, one of a day its begin and end" {
	INSIDEME_INTERVAL=0 record uses sleeps 30
	rows
	same "rows of the process" "$(grep -c ,process, resources.csv)" 0
	rm -rf insideme.data
	monitor --interval=86400s -- "$bin/uses" sleeps 30
	rows
	between "rows of the process" 1 "$(grep -c ,process, resources.csv)" 2
	"$report" -v resources >text	# a reading of the first moment is no curve of the whole run
	grep -q 'pss_bytes .* one reading, at [0-9]' text
}

has_maps() { rows && grep -q ,process_maps, resources.csv; }
has_shares() { has_maps && "$here/csv" pss_bytes <resources.csv >pss &&
	"$here/csv" uss_bytes <resources.csv >uss && grep -q '^[1-9]' pss && grep -q '^[1-9]' uss; }

# The program's mmap() and brk() wait while the kernel sums them up.
@test "PSS and USS of a process with more RSS than --pss-limit are not read" {
	held has_maps "sleeps 1 -" "$build/insideme-run" --quiet --pss-limit=1M --
	rows
	! head -1 resources.csv | grep -w -e pss_bytes -e uss_bytes || return 1
	same "told limit" "$(view quality | "$here/csv" value finding=pss_limit_bytes)" 1048576
	rm -rf insideme.data
	held has_shares "sleeps 1 -" "$build/insideme-run" --quiet --pss-limit=1G --
	rm -rf insideme.data
	held has_shares "sleeps 1 -" env LD_PRELOAD="$library" INSIDEME_PSS_LIMIT=1G
	same "told limit" "$(view quality | "$here/csv" value finding=pss_limit_bytes)" ''
}

@test "rows each ms: CPU time and memory in all, the rest in each fourth and the last" {
	INSIDEME_INTERVAL=1ms monitor --quiet -- "$bin/io" data
	rows
	nr=$(grep -c ,process, resources.csv)
	same "rows without CPU time" "$("$here/csv" cpu_ns set=process <resources.csv | grep -c '^$')" 0
	between "rows with calls of write" $((nr / 5)) \
		"$("$here/csv" write_calls set=process <resources.csv | grep -c .)" $((nr / 3 + 2))
	between "calls of write" 2048 "$(last write_calls set=process)" 2060
}

@test "an interval shorter than a reading takes is raised, and said" {
	INSIDEME_INTERVAL=1us record uses sleeps 150
	"$report" -v quality -f csv >quality.csv
	grep sampling_interval quality.csv
	rows
	"$here/csv" time_ns set=process <resources.csv >times
	# of 150 ms; a sampler that gets no processor for some time takes its rows before or after that
	between "us between rows" 0 "$(awk 'NR > 1 && (!least || $1 - before < least) { least = $1 - before } { before = $1 } END { print int(least / 1000) }' times)" 4000
	between "rows" 2 "$(wc -l <times)" 30000
}

@test "an ordinary user sees the columns of its own processes" {
	[ "$(id -u)" = 0 ] || skip "runs as one already"
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" true 2>/dev/null || skip "no setpriv"
	"${user[@]}" test -x "$bin/uses" || skip "another user cannot reach the programs here"
	runs=$(mktemp -d /tmp/insideme-runs-XXXXXX)
	chown 65534 "$runs"
	has_files_there() { [ -s said ] && view resources "$runs" >resources.csv &&
		[ "$(largest descriptors || echo 0)" -ge "$(cat said)" ]; }
	held has_files_there "files 40" "${user[@]}" env INSIDEME_DIR="$runs" "$build/insideme-run" --quiet --
	rm -r "$runs"
	between "descriptors" "$(cat said)" "$(largest descriptors)" $(($(cat said) + 1))	# one more while it looks
	between "CPU" 1 "$(last cpu_ns)" 10000000000
}

# use FUNCTION COLUMN: of the newest run
use() { view functions --columns "function,$2" | "$here/csv" "$2" "function=$1"; }

has_slept() { grep -q done said && rows && [ "$(last thread_cpu_ns || echo 0)" -ge 400000000 ]; }

# Between two samples CPU time is spread evenly, also where they are far apart because the sampler had no
# processor.
sleeping_and_burning() {
	# shellcheck disable=SC2086
	held has_slept "sleeps 400 -" $1 || return 1
	gap_ns=$(view resources | "$here/csv" time_ns set=thread |
		awk '$1 - before > most { most = $1 - before } { before = $1 } END { printf "%.0f", most }')
	between "CPU time of nap" 0 "$(use nap total_cpu_ns)" $((20000000 + gap_ns))
	between "blocked time of nap" $((300000000 - gap_ns)) "$(use nap total_blocked_ns)" \
		"$(use nap total_ns)"
	between "CPU time of work" $((380000000 - gap_ns)) "$(use work total_cpu_ns)" 420000000
	cpu_and_wait=$(($(use work total_cpu_ns) + $(use work total_wait_ns) + $(use work total_blocked_ns)))
	between "all of work" $(($(use work total_ns) * 98 / 100)) $cpu_and_wait \
		$(($(use work total_ns) * 102 / 100))
	between "CPU time of main" "$(use work total_cpu_ns)" "$(use main total_cpu_ns)" 600000000
}

@test "functions: wall, CPU and blocked time of one that sleeps and one that burns" { both \
	sleeping_and_burning; }

# turns NR US: are context switches told here? Set $nap_ns and $work_ns, what the program's own clock says
turns() {
	"$build/insideme-run" --quiet --threshold=0 -- "$bin/uses" turns "$1" "$2" >said
	[ "$(view resources | grep -c thread_off)" -gt 0 ] ||
		skip "no context switches are told here: perf_event_paranoid is $(cat \
		/proc/sys/kernel/perf_event_paranoid)"
	read -r nap_ns work_ns <said
}

# Turns of 1 ms are much shorter than the 10 ms between samples.
@test "functions: CPU time and blocked time of short turns, by context switches" {
	turns 200 1000
	between "CPU time of nap" 0 "$(use nap total_cpu_ns)" $((nap_ns + work_ns / 20))
	between "CPU time of work" $((work_ns * 95 / 100)) "$(use work total_cpu_ns)" $((work_ns * 102 / 100))
	between "blocked time of nap" $(($(use nap total_ns) * 90 / 100)) \
		$(($(use nap total_blocked_ns) + $(use nap total_wait_ns))) "$(use nap total_ns)"
	between "blocked time of work" 0 "$(use work total_blocked_ns)" $((work_ns / 25))
	COLUMNS=200 "$report" -v functions --columns function,total_blocked_ns >page
	grep 'CPU and blocked by context switches' page
}

# Some 5000 naps a second, as of a server under load.
@test "functions: CPU time and blocked time of a thread that switches fast" {
	turns 6000 100
	view quality >quality
	! grep lost_switches quality || skip "the sampler got no processor for most of a second"
	between "CPU time of nap" 0 "$(use nap total_cpu_ns)" $((nap_ns + work_ns / 10))
	between "CPU time of work" $((work_ns * 85 / 100)) "$(use work total_cpu_ns)" $((work_ns * 105 / 100))
	between "blocked time of work" 0 "$(use work total_blocked_ns)" $((work_ns / 20))
}

# near SET MS: no two rows of it are farther apart, nor the start and its first; those of threads begin after
# 50 ms
near() {
	"$here/csv" time_ns "set=$1" <resources.csv |
		awk -v set="$1" -v most=$(($2 * 1000000)) '$1 - before > most && (NR > 1 || set != "thread") { far = 1 } { before = $1 } END { exit far }'
}

# densely MS COMMAND...: again until the sampler had a processor so often that no two rows of process or
# thread are farther apart
densely() {
	local try
	for try in {1..30}; do
		rm -rf insideme.data data
		"${@:2}" || return 1
		rows
		near process "$1" && near thread "$1" && return
	done
	echo "in $try runs the sampler never had a processor each $1 ms"
	return 1
}

# Calls of some ns have no record: their CPU time is a part of their caller's, and what that slept is not
# theirs.
sleeping_before_short_calls() {
	echo '#include <time.h>
	      __attribute__((noinline)) int next(int x) { return x * 1103515245 + 12345; }
	      int work(int x) {
	      	struct timespec nap = { 0, 300000000 };
	      	nanosleep(&nap, 0);
	      	for (int i = 0; i < 40000000; i++) x = next(x);
	      	return x; }
	      int main(int argc, char **argv) { return work(argc) == 1; }' | gcc -O1 -finstrument-functions -x c - -o short_calls
	local try
	for try in {1..10}; do		# until the thread has rows, too
		# shellcheck disable=SC2086
		densely 45 $1 ./short_calls || return 1
		[ "$("$here/csv" thread_cpu_ns set=thread <resources.csv | grep -c .)" -lt 3 ] || break
	done
	"$report" -v functions -f csv --raw --columns function,calls,recorded_calls,self_ns,self_cpu_ns,self_wait_ns,self_blocked_ns,total_cpu_ns,mean_cpu_ns |
		tr -d '"' >functions.csv
	awk -F, '$1 == "next" && $2 == 40000000 && $3 < 4000 && $5 > 0 && $5 + $6 + $7 > $4 * .99 && $5 + $6 + $7 < $4 * 1.01 && $7 < $4 / 10 &&
			$9 * $2 > $8 * .99 && $9 * $2 < $8 * 1.01 { next_is_right = 1 }
		$1 == "work" && $5 + $6 + $7 > $4 * .99 && $5 + $6 + $7 < $4 * 1.01 && $7 > 150e6 { work_is_right = 1 }
		END { exit !(next_is_right && work_is_right) }' functions.csv || { cat functions.csv; false; }
}

@test "functions: CPU and blocked time of a caller that sleeps, and of its calls that are too short for a record" { INSIDEME_WAITS=off both sleeping_before_short_calls; }

@test "functions: where nothing is timed there is no CPU time, nor of other functions" {
	INSIDEME_TIMING=counts record calls || same status $? 7
	"$report" -v functions --columns self_cpu_ns,total_cpu_ns,calls,function --sort calls --top 5 >text
	same "lines" "$(awk '/fib|leaf|middle|outer|even/ { print $1, NF }' text | xargs)" \
		'21.9 3 6000 2 3000 2 1000 2 501/1 2'
	grep -E '^ +501 +2 other functions$' text
}

@test "functions: CPU time in which hooks cost more is marked, however long the function waited" {
	echo '#include <unistd.h>
	      static volatile int sink;
	      __attribute__((noinline)) void tiny(void) { sink++; }
	      __attribute__((noinline)) void waits(void) {
	      	for (int i = 0; i < 1000000; i++) tiny();
	      	for (int i = 0; i < 50; i++) usleep(10000); }
	      __attribute__((noinline)) void computes(void) { for (int i = 0; i < 200000000; i++) sink++; }
	      int main(void) { waits(); computes(); return 0; }' | gcc -O1 -finstrument-functions -x c - -o marked
	INSIDEME_WAITS=off INSIDEME_TIMING=exact LD_PRELOAD=$library ./marked
	"$report" -v functions --columns function,self_ns,self_cpu_ns >text
	grep -E '^  waits  +[0-9.]+ ms +~' text || { cat text; false; }
	grep -E '^  computes  +[0-9.]+ m?s +[0-9.]+ m?s$' text || { cat text; false; }
}

# Between two rows all is spread evenly: what the program ends with, and holds in between, must be longer than
# they are apart.
writing_and_touching() {
	# shellcheck disable=SC2086
	densely 45 $1 "$bin/io" data || return 1
	# of 8 MiB, but for what ran within a sample's time of the border
	between "bytes written by put" $((6 << 20)) "$(use main write_chars)" $((9 << 20))
	between "bytes read by main" $((7 << 20)) "$(use main read_chars)" $((9 << 20))
	# these two last about as long as the time between two rows
	between "bytes read and written by get and put" $((4 << 20)) \
		$(($(use put write_chars) + $(use put read_chars) + $(use get write_chars) + $(use get \
		read_chars))) $((17 << 20))
	# shellcheck disable=SC2086
	densely 90 $1 "$bin/grow" || return 1
	# what it gives back at its end counts for the calls before and after, as the samples happen to lie
	between "RSS growth of hold" -16000000 "$(use hold rss_growth_bytes)" 72000000
	between "highest RSS of hold" 64000000 "$(use hold highest_rss_bytes)" 72000000
	between "faults of hold" 13500 "$(use hold minor_faults)" 17500
	between "faults of rest" 0 "$(use rest minor_faults)" 200
}

@test "functions: bytes read and written, faults, memory" { both writing_and_touching; }

# Nobody gets what was written before the first row of a thread, and after its last one.
writing_beside() {
	# shellcheck disable=SC2086
	$1 "$bin/io" data beside || return 1
	between "bytes written by put" $((384 << 20)) "$(use main write_chars)" $((513 << 20))
	between "bytes written by compute" 0 "$(use compute write_chars)" 4096
}

@test "functions: what one of several threads writes is its own" { both writing_beside; }

writing_after() {
	# shellcheck disable=SC2086
	$1 "$bin/io" data after || return 1
	between "bytes written by main" $((384 << 20)) "$(use main write_chars)" $((513 << 20))
	between "bytes written by compute" 0 "$(use compute write_chars)" 4096
}

@test "functions: what a thread writes after the others have ended is its own" { both writing_after; }

@test "functions: elapsed time of two threads that overlap is less than the summed" {
	monitor -q -- "$bin/uses" threads 3 200 </dev/null
	between "elapsed time of work" 200000000 "$(use work elapsed_ns)" $(($(use work total_ns) * 9 / 10))
	COLUMNS=300 "$report" -v functions --columns function,mean_cpu_ns --sort self_blocked_ns >page
	grep 'by overlap with samples' page
}

@test "CPU of one thread that is busy is one core at most, row by row" {
	record burn 600 100
	view resources >rows.csv
	paste -d, <("$here/csv" time_ns set=process <rows.csv) <("$here/csv" cpu_ns set=process <rows.csv) | awk -F, '
		NR > 1 { rows++; above += ($2 - cpu) / ($1 - time) > 1.1 }
		{ time = $1; cpu = $2 }
		END { printf "%d %d\n", rows, above }' >rates
	read -r rows above <rates
	between "rows above one core, of $rows" 0 "$above" $((rows / 5))
	[ "$rows" -ge 10 ]
}

@test "-f mprof: exact readings of calls stand in FUNC" {
	monitor -q --snapshot=rss:every --threshold=0 --timing=exact --interval=50ms -- "$bin/grow"
	"$report" -f mprof >grow.dat
	"$report" -f pikos >grow.csv
	for type in call return; do
		bytes=$("$here/csv" RSS function=hold type=$type <grow.csv)
		column=$([ $type = call ] && echo 3 || echo 5)
		same "pages at the $type of hold" \
			"$(awk -v c="$column" '$1 == "FUNC" && $2 == "hold" { printf "%.0f", $c * 256 }' \
			grow.dat)" $((bytes / 4096))
	done
}

@test "-f mprof: memory_profiler reads it" {
	mprof=(/usr/bin/python3 -m mprof)
	"${mprof[@]}" list >/dev/null 2>&1 || skip "no memory_profiler for /usr/bin/python3"
	monitor -q -- "$bin/grow"
	"$report" -f mprof -o grow.dat
	peak=$("${mprof[@]}" peak grow.dat | awk '{ print $2 }')
	top=$(awk '{ print $4 / 2 ^ 20 }' stdout)
	between "peak that it found, in MiB" "$(awk "BEGIN { print int($top) - 8 }")" "${peak%.*}" \
		"$(awk "BEGIN { print int($top) + 2 }")"
	same "calls of hold" "$(grep -c '^FUNC hold ' grow.dat)" 1
	same "command" "$(head -1 grow.dat)" "CMDLINE $bin/grow"
	peak=$("${mprof[@]}" peak --func hold grow.dat | awk '{ print $2 }')
	between "within hold, in MiB" 50 "${peak%.*}" 80
	[[ $("$report" -f mprof --match 'rest') == *"FUNC rest "* &&
		$("$report" -f mprof --match 'rest') != *"FUNC hold "* ]]
}

@test "-f resource-monitor: its columns by their names, and its event log" {
	monitor -q -- "$bin/io" data
	"$report" -f resource-monitor >resource.log
	same "columns" "$(sed -n 3p resource.log)" "time,cpu_percent,cpu_percent_global,rss_mb,vms_mb,vms_global_mb,swap_used_mb,\
read_count,read_count_global,read_mb,read_mb_global,write_count,write_count_global,write_mb,write_mb_global"
	sed -n '4,$p' resource.log | awk -F, 'NF != 15 { exit 1 }'
	sed 1,2d resource.log >rows.csv
	between "calls of write" 2048 "$("$here/csv" write_count <rows.csv | tail -1 | cut -d. -f1)" 2060
	between "time" $(($(date +%s) - 60)) "$("$here/csv" time <rows.csv | tail -1 | cut -d. -f1)" \
		"$(date +%s)"
	view calls >calls.csv
	"$report" -v calls -f resource-monitor >events.log
	same "events" "$(wc -l <events.log)" $((2 * ($(wc -l <calls.csv) - 1)))
	same "starts and ends in turn" "$(cut -d, -f2,3,4 events.log |
		grep -c -e 'start,main,0' -e 'end,main,0')" 2
	cut -d, -f1 events.log | sort -nc
	for nr in {1..8}; do	# some have a row of the process, some have none
		monitor -q --interval=1s --run="short$nr" -- true
		"$report" -f resource-monitor "short$nr" | sed 1,3d | wc -l
	done | sort -n >rows_of_short
	between "rows of a program shorter than the interval" 1 "$(tail -1 rows_of_short)" 2
}

# A dozen short programs and one that grows: in text and pictures it comes first, whatever its place among
# them.
@test "a short second process: the CPU peak is that of the process that has it; no column without growth" {
	echo '#include <stdlib.h>
	      #include <time.h>
	      static void burn(double s) { clock_t t = clock(); while (clock() - t < s * CLOCKS_PER_SEC); }
	      int main(int argc, char **argv) {
	      	burn(argc > 1 ? 0.004 : 0.1);
	      	if (argc > 1) return 0;
	      	system("./two again");
	      	burn(0.1);
	      	return 0; }' >two.c
	gcc -finstrument-functions two.c -o two
	monitor -q --interval=10ms -- ./two
	"$report" -v resources -f json >resources.json
	"$report" -v summary -f csv >summary.csv
	python3 - <<-'END'
		import csv, json
		rows = json.load(open("resources.json"))["resources"]
		most = max(row["peak_rate"] or 0 for row in rows if (row["set"], row["column"]) == ("process", "cpu_ns"))
		page = {}
		for section, row, column, value in list(csv.reader(open("summary.csv")))[1:]:
		    page.setdefault((section, row), {})[column] = value
		cpu = next(row for row in page.values() if row.get("resource") == "CPU")
		assert float(cpu["peak"]) > most - 0.001, (cpu, most)
	END
	"$report" -v resources | ( ! grep '  0/s  .*  0/s  ' )
}

@test "many processes: the busiest are shown, and named" {
	monitor -q --interval=5ms -- sh -c \
		'for i in 1 2 3 4 5 6; do sleep .1; done; "$0"; for i in 1 2 3 4 5 6; do sleep .1; done' \
		"$bin/grow"
	"$report" -v resources >resources.txt
	same "first" "$(awk 'NR == 3 { print $2, $3 }' resources.txt)" 'grow cpu_ns'
	grep -q 'more processes used less CPU time: --top 0' <(tr -s '\n ' ' ' <resources.txt)
	same "processes" "$(awk '$2 != "insideme-run" && $3 == "rss_bytes" { print $1, $2 }' resources.txt |
		sort -u | wc -l)" 6
	between "processes of --top 0" 8 "$("$report" -v resources --top 0 |
		awk '$2 != "insideme-run" && $3 == "rss_bytes" { print $1, $2 }' | sort -u | wc -l)" 20
	ldconfig -p | grep -q libcairo.so.2 || skip "no libcairo.so.2"
	"$report" -v resources -f pdf -o picture.pdf
	pdftotext -layout picture.pdf text || skip "no pdftotext"
	pid=$("$report" -v processes -f csv --columns pid,command |
		awk -F, '$2 ~ /grow$/ && $2 !~ /^sh/ { print $1 }')
	grep -E "^ *grow \($pid\) +peak" text
	same "peak" "$(grep -oE 'grow \([0-9]+\) +peak [0-9.]+ MiB' text | grep -oE '[0-9.]+ MiB$')" \
		"$("$report" -v resources | awk -v pid="$pid" \
			'$1 == pid && $3 == "rss_bytes" { print $6, $7 }')"
}

@test "a picture of two runs: what never ran together is not added up" {
	ldconfig -p | grep -q libcairo.so.2 || skip "no libcairo.so.2"
	often
	monitor -q --run=one -- "$bin/burn" 300 10
	monitor -q --run=two -- "$bin/burn" 300 10
	"$report" -v resources -f pdf -o both.pdf one two
	pdftotext -layout both.pdf text || skip "no pdftotext"
	grep '2 runs, each from its own start' text
	for run in one two; do
		"$report" -v resources -f csv "$run" | "$here/csv" pid set=process | sort -u
	done >pids
	sort -u pids | while read -r pid; do
		[ "$(grep -c "burn ($pid) *peak .* core" text)" = 1 ] ||
			{ echo "no CPU of $pid"; cat text; false; }
	done
	! grep -E 'peak (1\.[1-9]|2)[0-9.]* cores' text || return 1
}

@test "a picture of the columns that are asked for" {
	ldconfig -p | grep -q libcairo.so.2 || skip "no libcairo.so.2"
	monitor -q -- "$bin/grow"
	"$report" -v resources -f pdf --columns threads,minor_faults -o picture.pdf
	pdftotext -layout picture.pdf text || skip "no pdftotext"
	grep -q threads text
	grep -q minor_faults text
	same "other panels" "$(grep -c 'RSS\|heap' text || true)" 0
	run -2 "$report" -v resources -f svg --columns threads,nothing -o wrong.svg
	same line "$output" "insideme-report: a picture has columns as -v resources lists them, not 'nothing'"
	[ ! -e wrong.svg ]
}

@test "-f svg, png, pdf: curves, brackets of calls, the peak" {
	ldconfig -p | grep -q libcairo.so.2 || skip "no libcairo.so.2"
	monitor -q -- "$bin/grow"
	for format in svg png pdf; do
		"$report" -v resources -f $format -o picture.$format
	done
	same "png" "$(od -An -tx1 -N8 picture.png | xargs)" '89 50 4e 47 0d 0a 1a 0a'
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' picture.svg
	pdftotext -layout picture.pdf text || skip "no pdftotext"
	grep -F "$bin/grow" text
	for word in CPU RSS '\[ *\] *main' '\[ *\] *hold' '\[ *\] *rest' 'start 20' ' MiB'; do
		grep -e "$word" text || { echo "no $word"; cat text; false; }
	done
	[[ $("$report" -f svg --match rest) == '<?xml'* ]]
	"$report" -v resources -f pdf --from "$(view calls | "$here/csv" start_ns function=rest)ns" -o rest.pdf	# hold had given it back
	pdftotext -layout rest.pdf text
	between "MiB at most" 0 "$(grep -oE '[0-9.]+ MiB' text | sort -n | tail -1 | cut -d. -f1 |
		cut -d' ' -f1)" 40
	run "$report" -v functions -f svg
	same status "$status" 2
	same line "$output" 'insideme-report: pictures are of -v resources'
}

@test "what was written in no function is told, and nothing where functions wrote it" {
	cat >writes.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <pthread.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		#ifdef RAW
		#define write(...) syscall(SYS_write, __VA_ARGS__)
		#endif
		static char bytes[1 << 20];
		HOOKS static void *writes(void *unused)
		{
			int fd = open("/dev/null", O_WRONLY);
			for (int i = 0; i < 8; i++) {
				usleep(20000);
				write(fd, bytes, sizeof(bytes));
			}
			usleep(100000);	/* until its counters were read once more */
			return unused;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, writes, 0);
			pthread_join(thread, 0);
			usleep(50000);
			return 0;
		}
	END
	gcc -w -O1 -g -pthread -finstrument-functions -DHOOKS= writes.c -o all
	gcc -w -O1 -g -pthread -finstrument-functions -DRAW '-DHOOKS=__attribute__((no_instrument_function))' writes.c -o some
	INSIDEME_INTERVAL=10ms LD_PRELOAD=$library ./all
	same "with hooks" "$(view quality | grep -c unplaced_io_bytes || true)" 0
	rm -rf insideme.data
	INSIDEME_INTERVAL=10ms LD_PRELOAD=$library ./some
	between "without hooks, bytes" 7000000 \
		"$(view quality | "$here/csv" value finding=unplaced_io_bytes | cut -d. -f1)" 8500000
	same "of calls that only wait" "$(view functions --columns function,write_chars |
		grep -E '^(usleep|pthread_join),' | sort | xargs)" "pthread_join,0 usleep,0"
}

@test "functions: what read() and write() moved is theirs, to the byte, and of functions that call them" {
	cat >moves.c <<-'END'
		#include <fcntl.h>
		#include <pthread.h>
		#include <time.h>
		#include <unistd.h>
		static char bytes[1 << 16];
		static void compute(void)
		{
			struct timespec now, from;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
			do
				clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
			while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 5000000);
		}
		static void put(int fd) { for (int i = 0; i < 16; i++) write(fd, bytes, sizeof(bytes)); }
		static void get(int fd) { for (int i = 0; i < 8; i++) pread(fd, bytes, sizeof(bytes), 0); }
		static void few(int fd) { for (int i = 0; i < 100; i++) write(fd, bytes, 1); }
		static void *work(void *name)
		{
			int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
			for (int i = 0; i < 20; i++) {
				put(fd);
				compute();
				get(fd);
				few(fd);
			}
			return name;
		}
		int main(void)
		{
			pthread_t thread;
			work("one");
			pthread_create(&thread, 0, work, "two");
			pthread_join(thread, 0);
			return 0;
		}
	END
	gcc -w -O0 -g -pthread -finstrument-functions moves.c -o moves
	LD_PRELOAD=$library ./moves	# 40 times 1 MiB and 100 bytes written, 512 KiB read
	view functions --columns function,write_chars,read_chars >functions.csv
	for each in put,41943040,0 get,0,20971520 few,4000,0 write,41947040,0 pread,0,20971520; do
		[ "$(grep "^${each%%,*}," functions.csv)" = "$each" ] || { cat functions.csv; false; }; done
	# the dynamic linker reads before main, and the rest is the recorder's
	between "written by compute" 0 "$("$here/csv" write_chars function=compute <functions.csv)" 4096
	between "read by compute" 0 "$("$here/csv" read_chars function=compute <functions.csv)" 65536
	between "written by work" 41947040 "$("$here/csv" write_chars function=work <functions.csv)" 41951136
}

@test "short programs, one after another: the peak of all is not below their mean" {
	monitor -- sh -c 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done'
	"$report" -f json | python3 -c 'import json, sys
cpu = [of for of in json.load(sys.stdin)["resources"] if of["resource"] == "CPU"][0]
assert cpu["peak"] >= cpu["mean"] > 0.2, cpu'
}
