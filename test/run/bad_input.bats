#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input and faults: one clear line, and the program goes its way; a damaged log never crashes the report.
load lib
bats_require_minimum_version 1.5.0

@test "an unknown setting: one line, and recording goes on" {
	INSIDEME_TRESHOLD=1us run record calls
	same status "$status" 7
	same lines "$(wc -l <stderr)" 1
	grep -q '^insideme: .*INSIDEME_TRESHOLD' stderr
	calls leaf 6000
}

@test "a wrong value: one line that names it, the default is used" {
	INSIDEME_THRESHOLD=soon run record calls
	same status "$status" 7
	same lines "$(wc -l <stderr)" 1
	grep -q '^insideme: .*INSIDEME_THRESHOLD=soon' stderr
	calls leaf 6000
}

@test "a directory that cannot be written: one line, the program runs on" {
	INSIDEME_DIR=/proc/nowhere run record calls
	same status "$status" 7
	same lines "$(wc -l <stderr)" 1
	grep -q '^insideme: .*/proc/nowhere' stderr
	same stdout "$(cat stdout)" 'leaf 6000, fib 6765, even 1'
}

@test "a file where the directory should be" {
	touch insideme.data
	run record calls
	same status "$status" 7
	same lines "$(wc -l <stderr)" 1
}

@test "a full disk: the program runs on with its own output and status" {
	[ "$(id -u)" = 0 ] || skip "mounting a small file system needs root"
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small || skip "no mount here"
	INSIDEME_DIR=small/data run record calls
	umount small
	same status "$status" 7
	same stdout "$(cat stdout)" 'leaf 6000, fib 6765, even 1'
	between lines 0 "$(wc -l <stderr)" 1
}

@test "a disk that fills while running" {
	[ "$(id -u)" = 0 ] || skip "mounting a small file system needs root"
	mkdir small
	mount -t tmpfs -o size=24m tmpfs small || skip "no mount here"
	INSIDEME_THRESHOLD=0 INSIDEME_DIR=small/data run record fill small/fill 200
	cp -r small/data/* run
	umount small
	same status "$status" 0
	same stdout "$(cat stdout)" 'work 301200'
	between "lines on stderr" 0 "$(wc -l <stderr)" 1
	view functions run >functions.csv
	between "calls of work" 300000 "$(value calls function=work)" 301200
	run "$report" -v quality run
	[[ $output == *"no room"* || $output == *"not grow"* || $output == *"lost"* ]]
}

@test "the log never passes its budget, and counts stay exact" {
	INSIDEME_THRESHOLD=0 INSIDEME_BUDGET=1M run record fill
	same status "$status" 0
	same "lines that say so" "$(grep -c "^insideme: half of the log's room is used" stderr)" 1
	same lines "$(wc -l <stderr)" 1
	between "bytes of log" 1 "$(stat -c %s "$(find insideme.data -name '*.log')")" 1048576
	calls work 301000 main 1
	run "$report" -v quality
	[[ $output == *hreshold* ]]
}

@test "threads for which there is no room are counted as lost" {
	INSIDEME_BUDGET=1M run record fill /dev/full 200
	same status "$status" 0
	between "bytes of log" 1 "$(stat -c %s "$(find insideme.data -name '*.log')")" 1048576
	between "calls of work" 301000 "$(value calls function=work)" 301200
	run "$report" -v quality
	[[ $output == *lost* || $output == *"no room"* || $output == *"not recorded"* ]]
}

@test "a file size limit does not kill the program" {
	run bash -c 'ulimit -f 64; LD_PRELOAD=$1 INSIDEME_THRESHOLD=0 "$2"' _ "$library" "$bin/calls"
	same status "$status" 7
}

@test "a program that limits its memory, or locks it, has what it would have without us" {
	local kind
	for kind in files locked space space64 prspace child locking; do
		"$bin/limits" $kind >alone 2>&1 || skip "$kind does not work here: $(cat alone)"
		INSIDEME_THRESHOLD=0 record limits $kind
		same "other lines of $kind" "$(grep -v '^insideme: half of the log' stderr)" ''
		same "stdout of $kind" "$(cat stdout)" fine
		rm -f functions.csv
		calls work 3001000
	done
}

@test "little address space" {
	run bash -c 'ulimit -v 200000; LD_PRELOAD=$1 "$2"' _ "$library" "$bin/calls"
	same status "$status" 7
	calls leaf 6000
}

@test "wrong usage of the tools: one line that names the option, exit 2" {
	for option in --no-such-option '-v nothing' '-f nothing' '--top many' '--sort'; do
		# shellcheck disable=SC2086
		run "$report" $option
		same "status of $option" "$status" 2
		same "lines of $option" "${#lines[@]}" 1
		[[ $output == insideme-report:* ]]
	done
	for option in --no-such-option --threshold=soon '--threshold'; do
		run "$build/insideme-run" $option
		same "status of $option" "$status" 2
		same "lines of $option" "${#lines[@]}" 1
		[[ $output == insideme-run:* ]]
	done
}

@test "a program that does not exist: 127, one line" {
	run -127 "$build/insideme-run" -- ./nothing
	same status "$status" 127
	same lines "${#lines[@]}" 1
}

@test "no run at all: one line, exit 1" {
	run "$report"
	same status "$status" 1
	same lines "${#lines[@]}" 1
	run "$report" /nonexistent
	same status "$status" 1
	same lines "${#lines[@]}" 1
	[[ $output == *"/nonexistent"* ]]
}

# survives LOG: exit 0 or 1 with a word about it, never a crash or a hang
survives() {
	local status=0
	timeout 20 "$report" -v functions -f csv "$1" >damaged.csv 2>damaged.err || status=$?
	[ $status -le 1 ] || { echo "exit $status for $2"; cat damaged.err; return 1; }
	[ $status = 0 ] || [ -s damaged.err ] || { echo "exit 1 without a word for $2"; return 1; }
}

@test "a log cut at any length" {
	damaged=1
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	log=$(find "$PWD/insideme.data" -name '*.log')
	size=$(stat -c %s "$log")
	for length in 0 1 7 8 63 64 100 4095 4096 4097 8192 10000 16384 65536 100000 $((size / 2)) \
		$((size - 1)); do
		[ "$length" -le "$size" ] || continue
		head -c "$length" "$log" >cut.log
		survives cut.log "$length bytes"
	done
}

@test "a log with damaged bytes" {
	damaged=1
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	log=$(find "$PWD/insideme.data" -name '*.log')
	for seed in $(seq 60); do
		perl -e 'srand shift; local $/; my $log = <STDIN>; my $n = length $log;
			for (1 .. 40) { substr($log, int(rand() < 0.5 ? rand 8192 : rand $n), 1) = chr int rand 256 } print $log' \
			"$seed" <"$log" >bad.log
		survives bad.log "seed $seed"
	done
}

# damaged_run SEED: a copy of the run in L with damage in each log: cut, or words where something is changed.
damaged_run() {
	rm -rf damaged && cp -r L damaged
	for log in damaged/*.log; do
		perl -e 'my ($seed, $path) = @ARGV; srand $seed; local $/; open my $in, "<", $path; my $log = <$in>; close $in;
			my @used = grep { substr($log, 64 * $_, 64) =~ /[^\0]/ } 0 .. length($log) / 64 - 1;
			my @words = (sub { "\xff" x 8 }, sub { pack "VV", rand 2**32, rand 2**32 }, sub { pack "VV", rand 2**12, 0 },
				sub { substr $log, 64 * $used[rand @used], 8 });
			substr($log, 64 * $used[rand @used] + 8 * int rand 8, 8) = $words[rand @words]->() for 1 .. 1 + rand 20;
			substr($log, rand length $log) = "" if $seed % 7 == 6;
			open my $out, ">", $path; print $out $log' "$1" "$log"
	done
}

# Each seed asks another view in another format, of all.
nr_damaged=0
damage_survives() {
	local views=(summary functions tree callers callees calls heap waits errors processes threads \
		resources quality) status format view
	local formats
	mapfile -t formats < <("$report" -f | awk '$1 != "junit" { print $1 }')
	between formats 20 ${#formats[@]} 60
	rm -rf L && cp -r "$(echo "$PWD"/insideme.data/2*)" L && rm -rf insideme.data
	for seed in $(seq 0 23); do
		damaged_run "$seed"
		view=${views[seed % 12]}
		format=${formats[nr_damaged++ % ${#formats[@]}]}
		[ "$seed" -lt 12 ] || view=summary
		[[ ! $format =~ ^(svg|png|pdf)$ ]] || view=resources
		status=0
		timeout 20 "$report" -v "$view" -f "$format" -o out damaged >/dev/null 2>damaged.err || status=$?
		[ $status -le 1 ] || { echo "$1, seed $seed, $view as $format: $status"; cat damaged.err; \
			return 1; }
		[ $status = 0 ] || [ -s damaged.err ]
	done
}

@test "damaged logs of all kinds: what lives on the heap, samples, devices, programs that share a log, forks" {
	damaged=1
	INSIDEME_THRESHOLD=0 record leaks
	damage_survives leaks
	INSIDEME_SAMPLE=250 INSIDEME_TIMING=auto record sampled burn
	damage_survives samples
	LD_LIBRARY_PATH=$bin/nvml-24 monitor -q --gpu=all -- sh -c "$bin/uses sleeps 50; $bin/brief heap 0"
	damage_survives devices
	LD_PRELOAD=$library sh -c "$bin/brief heap 0; $bin/brief heap 0; exit 0" >/dev/null
	damage_survives brief
	record forks
	damage_survives forks
}

@test "a log that is something else" {
	head -c 100000 /dev/zero >zero.log
	run "$report" zero.log
	same status "$status" 1
	[[ $output == insideme-report:*zero.log* ]]
	cp "$bin/calls" elf.log
	run "$report" elf.log
	same status "$status" 1
}
