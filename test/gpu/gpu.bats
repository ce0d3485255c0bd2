#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# On a machine that has an NVIDIA device: make gpu. What insideme-run says of it, beside nvidia-smi and a program
# whose memory is known (holds.c).
load ../run/lib

MIB=2048

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	status=0
	"$bin/holds" 1 0 || status=$?
	[ $status != 77 ] || skip "no CUDA device here"
}
last() { "$here/csv" "$@" <resources.csv | grep . | tail -1; }
largest() { "$here/csv" "$@" <resources.csv | grep . | sort -n | tail -1; }

@test "memory of the device and of a process that holds a known amount" {
	free_before=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i 0)
	monitor --quiet --gpu=0 -- "$bin/holds" $MIB 3000
	view resources >resources.csv
	between "MiB more on the device" $MIB $(($(largest gpu_memory_used_bytes set=gpu0) / 1048576 - free_before)) $((MIB + 1500))
	pid=$(view processes | "$here/csv" pid)
	own=$(largest gpu_process_memory_bytes set=gpu0_process "id=$pid")
	[ -n "$own" ] || skip "the driver tells no memory of this pid (a container has its own numbers)"
	between "MiB of the process" $MIB $((own / 1048576)) $((MIB + 1500))
}

@test "figures agree with nvidia-smi" {
	monitor --quiet --gpu=0 -- sleep 3
	view resources >resources.csv
	smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits -i 0 | cut -d. -f1; }
	between "temperature" $(($(smi temperature.gpu) - 5)) "$(last gpu_temperature_celsius set=gpu0 | cut -d. -f1)" $(($(smi temperature.gpu) + 5))
	same "memory in all" $(($(last gpu_memory_total_bytes set=gpu0) / 1048576)) "$(smi memory.total)"
	between "power" 5 "$(last gpu_power_watts set=gpu0 | cut -d. -f1)" 1200
}

@test "the program is not slower for it" {
	begin=${EPOCHREALTIME/./}
	monitor --quiet -- true
	between "us" 0 $((${EPOCHREALTIME/./} - begin)) 1000000
}
