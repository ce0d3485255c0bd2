#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-run --pid and --machine: what runs already, sampled from outside.
load lib
bats_require_minimum_version 1.5.0

attach() { "$build/insideme-run" "$@" 2>stderr; }
cell() { view processes | "$here/csv" "$@"; }
# listens PID: it has blocked SIGINT, to read it; a shell blocks it too, for a moment before it is
# insideme-run
listens() { grep -qx insideme-run /proc/"$1"/comm &&
	[ $((0x$(sed -n 's/^SigBlk:\t//p' /proc/"$1"/status) & 2)) != 0 ]; }
last() { view resources | "$here/csv" "$@" | grep . | tail -1; }

# held CONDITION COMMAND OPTION...: @COMMAND begins when it is sampled, with these options too, and its input
# ends when the
# readings meet the condition. Leaves the sampling's status.
held() {
	mkfifo gate
	bash -c "read -r; $2" <gate >said 3>&- &
	program=$!
	exec 9>gate
	attach --pid=$program --interval=10ms "${@:3}" 3>&- 9>&- &
	monitor=$!
	wait_until is_sampled
	echo >&9
	wait_until "$1"
	exec 9>&-
	status=0
	wait $monitor || status=$?
	wait $program || true
}

is_sampled() { [ "$(last cpu_ns 2>errors || echo 0)" -gt 0 ]; }

has_burnt() {
	[ -s said ] || return 1
	read -r _ user_ns _ system_ns _ rss _ <said
	[ "$(last cpu_ns)" -ge $((user_ns + system_ns)) ] && [ "$(last peak_rss_bytes)" -ge $((rss / 2)) ]
}

@test "--pid: CPU time, memory and the end of a process that runs" {
	held has_burnt "exec $bin/burn 300 100 -"
	same status $status 0
	between "CPU time" $((user_ns + system_ns)) "$(last cpu_ns)" $((user_ns + system_ns + 30000000))
	between "peak RSS" $((rss / 2)) "$(last peak_rss_bytes)" $((rss + 1000000))
	same "end" "$(cell exit_status)" 0
	[[ $(cat stderr) == 'insideme: 1 process sampled, '*'; read with: insideme-report -v resources insideme.data/'* ]]
	"$report" >page
	grep -A1 'was sampled while it ran' page | grep -- 'need --sample'
	grep 'CPU time of all since they began: ' page
}

child_has_burnt() { [ -s said ] && [ "$(last cpu_ns program=uses || echo 0)" -ge 300000000 ]; }

@test "the mean CPU of a process that runs is that since it is sampled" {
	mkfifo gate
	bash -c 'for ((i = 0; i < 400000; i++)); do :; done; echo idle; read -r' <gate >said 3>&- &
	program=$!
	exec 9>gate
	wait_until grep -q idle said
	attach --pid=$program --timeout=500ms
	exec 9>&-
	"$report" | grep -E '^  CPU +0(\.0[0-9])? core' || { "$report"; return 1; }
}

@test "--children: those that come later too, each with its end" {
	held child_has_burnt "$bin/uses threads 1 300; exit 3" --children
	same "programs" "$(cell programs | grep -c .)" 2
	same "exit status" "$(cell exit_status depth=0)" 3
	between "CPU time of the child" 300000000 "$(last cpu_ns program=uses)" 600000000
}

@test "arguments that a process emptied for its title are not shown" {
	printf '%s\n' '#include <string.h>' '#include <unistd.h>' 'int main(int argc, char **argv) {' \
		'memset(argv[1], 0, strlen(argv[1])); memset(argv[2], 0, strlen(argv[2]));' \
		'return argc + pause(); }' >titled.c
	gcc -o titled titled.c
	./titled one two 3>&- &
	program=$!
	has_title() { [ "$(tr -d '\0' <"/proc/$program/cmdline")" = ./titled ]; }
	wait_until has_title
	attach --pid=$program --timeout=200ms
	kill $program
	"$report" >page
	grep -qx 'Command   ./titled' page
}

@test "--timeout and Ctrl-C end the sampling, not the process" {
	sleep 100 3>&- &
	program=$!
	attach --pid=$program --timeout=500ms --interval=10ms
	kill -0 $program
	between "rows" 1 "$(view resources | "$here/csv" time_ns set=process | wc -l)" 51
	sleep 1	# of which nothing is known
	"$report" | grep -qE 'ran on when insideme-run ended after [0-9]+ ms$'
	"$build/insideme-run" --quiet --pid=$program 3>&- &
	monitor=$!
	wait_until listens $monitor
	kill -INT $monitor
	wait $monitor
	kill -0 $program
	kill $program
}

@test "--machine: its columns alone" {
	attach --machine --timeout=250ms
	between "rows" 1 "$(view resources | "$here/csv" system_cpu_busy_ns set=system | wc -l)" 4
	same "sets" "$(view resources | "$here/csv" set | sort -u | grep -c process)" 0
	"$report" >page
	"$report" -v resources >page
	[[ $(cat stderr) == 'insideme: the machine was sampled, '* ]]
}

@test "processes by the name of their program" {
	cp "$(command -v sleep)" sleeper_of_this_test
	./sleeper_of_this_test 100 3>&- &
	one=$!
	./sleeper_of_this_test 100 3>&- &
	attach --pid=sleeper_of_this_test,no_such_program --timeout=200ms --interval=10ms
	kill $one $!
	grep -qx 'insideme-run: --pid: no process of a program no_such_program, or /proc hides it' stderr
	same processes "$(cell pid | sort -n | xargs)" "$(printf '%s\n' $one $! | sort -n | xargs)"
	[ -d insideme.data/*-sleeper_of_this_test ]
}

@test "a process that is not there: a line, status 1, no run" {
	sleep 0 &
	wait $!
	run -1 --separate-stderr "$build/insideme-run" --pid=$!
	same stderr "$stderr" "insideme-run: --pid: no process $!, or /proc hides it"
	same runs "$(ls insideme.data)" ''
	sleep 100 3>&- &
	attach --pid=$!,999999999 --timeout=100ms
	kill $!
	grep 'no process 999999999' stderr
	same processes "$(cell pid | wc -l)" 1
}

@test "wrong usage" {
	wrong() {
		run -2 --separate-stderr "$build/insideme-run" "${@:2}"
		same stderr "$stderr" "insideme-run: $1 (--help lists the options)"
	}
	wrong '--pid: numbers or names of processes are needed, for example --pid=1,nginx' --pid=
	wrong '--pid: numbers or names of processes are needed, for example --pid=1,nginx' --pid=1,
	wrong '--pid: numbers or names of processes are needed, for example --pid=1,nginx' --pid=1234567890
	wrong '--pid: numbers or names of processes are needed, for example --pid=1,nginx' --pid=1,0
	run -2 "$build/insideme-run" --pid
	same "without a value" "$output" 'insideme-run: option --pid needs a value'
	wrong '--timeout: a time is needed, for example --timeout=10s' --pid=1 --timeout=5
	wrong '--children: it needs --pid or --machine' --children true
	wrong '--machine: the machine is sampled with --pid too' --machine --pid=1
	wrong 'true: what runs already is sampled: no program is started' --machine true
}

@test "/proc that hides others, and files that cannot be read" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" test -x "$build/insideme-run" || skip "another user cannot reach the programs here"
	runs=$(mktemp -d /tmp/insideme-runs-XXXXXX)
	chown 65534 "$runs"
	sleep 100 3>&- &
	other=$!
	# of another user, I/O cannot be read
	"${user[@]}" env INSIDEME_DIR="$runs" "$build/insideme-run" --pid=$other --timeout=100ms 2>stderr
	view resources "$runs" >resources.csv
	between "VMS" 1000000 "$("$here/csv" vms_bytes set=process <resources.csv | tail -1)" 1000000000000
	! head -1 resources.csv | grep -w -e read_bytes -e pss_bytes || return 1
	rm -r "$runs"
	unshare -m true || skip "no mount namespaces here"
	run unshare -m sh -c "mount -t proc -o hidepid=2 proc /proc && exec ${user[*]} env INSIDEME_DIR=/tmp/insideme-none-$$ $build/insideme-run --pid=$other"
	kill $other
	rm -rf /tmp/insideme-none-$$
	same status "$status" 1
	[[ $output == *"no process $other, or /proc hides it"* ]]
}
