#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ends at any moment, a thousand times; faults at every step.
load ../run/lib
load ../run/killed
load ../run/faults

# killed_times COUNT: at random moments of the first 100 ms, the first third of them within the first 10
killed_times() {
	for ((i = 0; i < $1; i++)); do
		killed_after "$(printf 0.%04d $((i % 3 ? RANDOM % 1000 : RANDOM % 100)))"
		nr_begun=$((${nr_begun:-0} + $(awk '{ sum += $3 } END { print sum + 0 }' begun)))
	done
}

@test "kill -9 at random moments, 500 times, every call recorded" {
	INSIDEME_THRESHOLD=0 killed_times 500
	figure "500 kills at threshold 0: $nr_begun calls begun, every log agrees within one call per thread"
}

@test "kill -9 at random moments, 500 times, default threshold" {
	killed_times 500
	figure "500 kills at the default threshold: $nr_begun calls begun, every log agrees within one call per thread"
}

@test "every system call of the recorder fails, one after the other" {
	needs_strace
	each_fault openat EMFILE
	each_fault openat EACCES
	each_fault openat EIO
	each_fault mmap ENOMEM
	each_fault clone EAGAIN
	each_fault madvise EINVAL
	each_fault read EIO
	each_fault prlimit64 EPERM
	figure "$nr_faults steps failed, each alone and from there on"
}
