#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What ends calls without a return: exceptions, jumps, ends of threads and of the process; each with its
# reason.
load lib

# table NAME: of the errors view, as csv of its own
table() {
	"$report" -v errors -f json >errors.json && perl -MJSON::PP -0ne '
		my $rows = JSON::PP->new->utf8->decode($_)->{$ARGV[0] // "'"$1"'"};
		my @names = @$rows ? sort keys %{$rows->[0]} : exit;
		print join(",", @names), "\n";
		print join(",", map { my $v = $_ // ""; $v =~ s/"/""/g; "\"$v\"" } @$_{@names}), "\n" for @$rows' errors.json
}

# errors COLUMN [OTHER=VALUE]...: of its table of that name
errors() {
	[ -e errors.csv ] || table errors >errors.csv
	"$here/csv" "$@" <errors.csv
}

@test "exceptions: type, message, where thrown and caught, calls that they ended" {
	for program in throws throws.clang throws.plain throws.plain.clang; do
		rm -rf insideme.data functions.csv errors.csv
		run record "$program"
		same status "$status" 0
		quiet
		same output "$(cat stdout)" "$("$bin/$program")"
		same "message of token" "$(errors message 'function=token(int)')" 'bad 0'
		same "other messages" "$(errors other_messages 'function=token(int)')" 16
		same "of token" "$(errors count 'function=token(int)')" 250
		same "caught of token" "$(errors caught 'function=token(int)')" 250
		same "where" "$(errors caught_in 'function=token(int)')" load
		same "broken by token" "$(errors broken_calls 'function=token(int)')" 500
		same "own" "$(errors count type=own_error message=)" 5
		same "of two" "$(errors message type=of_two)" 'of two'
		same "virtual base" "$(errors message type=by_virtual_base)" 'shared'
		same "int" "$(errors count 'type=int' 'function=pick(int)')" 5
		same "thrown again" "$(errors count 'kind=rethrown exception' 'type=std::logic_error')" 10
		same "caught then" "$(errors caught_in 'kind=rethrown exception' 'type=std::logic_error')" \
			attempt
		same "broken then" "$(errors broken_calls 'kind=rethrown exception' \
			'type=std::logic_error')" 10
		same "in threads" "$(errors count kind=exception 'type=std::out_of_range')" 20
		same "delivered" "$(errors broken_calls 'kind=rethrown exception' 'type=std::out_of_range')" \
			20
		same "message delivered" "$(errors message 'kind=rethrown exception' \
			'type=std::out_of_range')" carried
		same "broken by long" "$(errors broken_calls type=long)" 30
		same "jumps" "$(errors count kind=longjmp)" 15
		same "broken by jumps" "$(errors broken_calls kind=longjmp)" 30
		same "jumps land" "$(errors caught_in kind=longjmp)" land
		same "kept of token" "$(table thrown | grep -c '"bad ')" 100
	done
}

# status PROGRAM ARGS...: as wait() has it, with signal and core
status_of() {
	perl -e '
		open STDOUT, ">", "stdout"; open STDERR, ">", "stderr";
		system { $ARGV[0] } @ARGV;
		open my $file, ">", "wait"; print $file $?' "$@"
	cat wait
}

@test "text shows the errors of one place once, whatever led there" {
	local program
	for program in retries retries.clang; do
		rm -rf insideme.data errors.csv
		LD_PRELOAD=$library "$bin/$program" || return 1
		same "rows by path" "$(errors count kind=longjmp | wc -l)" 20
		"$report" -v errors >errors.txt
		same "rows in text" "$(grep -c 'longjmp()' errors.txt)" 1
		grep -Eq '^ +20 +210  longjmp\(\) +dive +main$' errors.txt || { cat errors.txt; return 1; }
	done
}

@test "the place where a process ended is shown down to the innermost call, however narrow the terminal" {
	local alone
	alone=$(status_of "$bin/retries" leave)
	same status "$(status_of env LD_PRELOAD="$library" "$bin/retries" leave)" "$alone"
	COLUMNS=60 "$report" -v errors >errors.txt
	grep -q '^  Thread  Name  *For  In$' errors.txt || { cat errors.txt; return 1; }
	grep -q 'first_step_of_the_way > second_step_of_the_way > leave' <(tr -s '\n ' '  ' <errors.txt)
}

# row ENDS: what the errors table has of the error that ended the program
row() {
	echo "$(errors type kind="$1") $(errors message kind="$1") $(errors function kind="$1")"
}

@test "ends within calls: the same status, core and words as without the library, and the reason" {
	ulimit -c unlimited
	for crash in off on; do
		for compiler in '' $([ $crash = off ] || echo .clang .plain); do
			for how in uncaught noexcept terminate assert abort exit fault kill thread; do
				rm -rf insideme.data errors.csv
				alone=$(status_of "$bin/throws$compiler" $how)
				cp stderr stderr.alone
				same "status of $how" \
					"$(status_of env INSIDEME_CRASH=$crash LD_PRELOAD="$library" \
					"$bin/throws$compiler" $how)" "$alone"
				same "words of $how" "$(cat stderr)" "$(cat stderr.alone)"
				"$report" -v errors >errors.txt
				case $how in
				uncaught) same $how "$(row exception)" \
					'std::runtime_error bad 5 token(int)' ;;
				noexcept) same $how "$(errors message kind=exception)" 'bad 3' ;;
				terminate) same $how "$(errors function kind=std::terminate)" \
					'end(char const*)' ;;
				assert)
					errors message kind=assertion |
						grep -q '^number == 7 (.*throws.cpp:[0-9]*, .*check(int))$'
					same $how "$(errors function kind=assertion)" 'check(int)'
					;;
				abort) same $how "$(errors function kind=abort)" 'end(char const*)' ;;
				exit) grep -q 'exit status 9' errors.txt; grep -q 'main > end' errors.txt ;;
				thread) same $how "$(errors broken_calls kind=pthread_exit)" 2 ;;
				esac
				[ $crash = off ] || case $how in
				fault)
					line=$(grep -n '[*]nowhere = 1' "$here/../programs/throws.cpp" |
						cut -d: -f1)
					grep -q "SIGSEGV, code 1, address 0x0, in thread [0-9]* of process [0-9]*, at throws.cpp:$line" \
						<(tr -s '\n ' '  ' <errors.txt)
					;;
				kill) grep -q 'killed by SIGSEGV' errors.txt ;;
				esac
			done
		done
	done
}

# crashes PROGRAM off|on HOW
crashes() {
	local alone number=${3/fault/11} signal
	signal=SIG$(kill -l "$number")
	export INSIDEME_CRASH=$2 INSIDEME_THRESHOLD=0
	alone=$(status_of "$bin/$1" "$3")
	same "status of $1 $3" "$(status_of env LD_PRELOAD="$library" "$bin/$1" "$3")" "$alone"
	same words "$(cat stderr)" ''
	rm -rf insideme.data
	status=0
	monitor -q -- "$bin/$1" "$3" || status=$?
	same "status of $1 $3 by insideme-run" "$status" $((128 + number))
	"$report" -v errors >errors.txt
	grep -q "killed by $signal" errors.txt
	same "stacks of $1 $3" "$(grep -o 'main > start\|hold > rest\|work > fail' errors.txt |
		LC_ALL=C sort | xargs)" \
		'hold > rest hold > rest main > start work > fail'
	[ "$2" = off ] || [ "$number" = 10 ] || grep -q "^Signal *$signal, " errors.txt
	"$report" -f multiprocess-profiler >calls.csv
	same "whole calls" "$("$here/csv" id broken=False <calls.csv | grep -vE '^(usleep|pause|pthread_)' |
		sort | uniq -c | xargs)" \
		'100 warm_up'
	same "broken by $3" "$("$here/csv" id broken=True error_type=$signal <calls.csv |
		grep -cvE '^(usleep|pause|pthread_)')" 8
	case $2.$3 in
	on.fault) same "why" "$("$here/csv" error_value broken=True <calls.csv | sort -u)" \
		'code 1, address 0x0' ;;
	off.*) same "what it means" "$("$here/csv" error_value broken=True <calls.csv | sort -u)" \
		"$(python3 -c "import signal; print(signal.strsignal($number))")" ;;
	esac
}

@test "a signal in one thread: what all were in, their calls broken by it, the same signal and core" {
	ulimit -c unlimited
	for program in crash crash.clang crash.plain crash.plain.clang; do
		crashes $program off 6
		crashes $program on fault
	done
	crashes crash off fault
	crashes crash on 8
	crashes crash on 10
}

@test "a handler on its own stack reports a stack overflow" {
	ulimit -s 1024
	INSIDEME_CRASH=1 run record bottomless end
	same status "$status" 139
	"$report" -v errors | grep -q '^Signal *SIGSEGV, code'
}

@test "calls and what broke them, for readers of multiprocess_profiler" {
	export INSIDEME_THRESHOLD=0
	for program in throws throws.clang; do
		rm -rf insideme.data
		record "$program"
		"$report" -f multiprocess-profiler >calls.csv
		same columns "$(head -1 calls.csv)" "id,time,start_timestamp,end_timestamp,paused_time,pid,ppid,process_name,$(
			)parent_process_name,broken,error_type,error_value,traceback,tid,rank"
		same "broken calls of parse" "$("$here/csv" broken id=parse <calls.csv | grep -c True)" 250
		same "whose message was kept" "$("$here/csv" error_value id=parse <calls.csv | grep -c bad)" \
			100
		same "types" "$("$here/csv" error_type id=parse <calls.csv | sort -u)" 'std::runtime_error'
		same "traceback" "$("$here/csv" traceback id=parse <calls.csv | head -4 | tr '\n' ' ')" \
			'main load(int) parse(int) token(int) '
		same "whole calls of load" "$("$here/csv" broken id=load <calls.csv | sort -u)" False
		same "jumped over" "$("$here/csv" error_type id=to_jump <calls.csv | sort -u)" longjmp
	done
}

@test "the name of a call's parent process, in the same csv: that of the process which forked it, recorded or not" {
	INSIDEME_THRESHOLD=0 record forks
	"$report" -f multiprocess-profiler >calls.csv
	same "of children" "$("$here/csv" parent_process_name id=child_work <calls.csv | sort | uniq -c |
		xargs)" '150 forks'
	same "of one that ran itself again" "$("$here/csv" parent_process_name id=exec_work <calls.csv |
		sort | uniq -c | xargs)" '25 forks'
	same "of the first" "$("$here/csv" parent_process_name id=parent_work <calls.csv | sort -u)" \
		"$(cat "/proc/$BASHPID/comm")"
}

@test "a C++ library in the program is said to hide its exceptions" {
	record throws.static
	quiet
	"$report" -v errors | grep -q \
		'Not seen *exceptions in throws.static: it contains its own C++ library, linked statically'
}
