#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# NVIDIA's devices, with a stand-in for its library (test/run/nvml.c) whose figures are known.
load lib

# sampled ENTRY_BYTES [SETTINGS...]: a run under that stand-in
sampled() {
	LD_LIBRARY_PATH=$bin/nvml-$1 monitor "${@:2}" -- "$bin/uses" sleeps 150
}
rows() { view resources >resources.csv; }
last() { "$here/csv" "$@" <resources.csv | grep . | tail -1; }

@test "figures of each device" {
	sampled 24 --quiet --gpu=all
	rows
	same "percent" "$(last gpu_percent set=gpu0)" 37
	same "memory percent" "$(last gpu_memory_percent set=gpu0)" 12
	same "memory" "$(last gpu_memory_used_bytes set=gpu0)" $((5 << 30))
	same "memory in all" "$(last gpu_memory_total_bytes set=gpu1)" $((80 << 30))
	same "temperature" "$(last gpu_temperature_celsius set=gpu1)" 61
	same "power" "$(last gpu_power_watts set=gpu0)" 250.5
	same "clocks" "$(last gpu_clock_mhz set=gpu0) $(last gpu_memory_clock_mhz set=gpu0)" '1980 2619'
	same "what cannot be" "$(last gpu_percent set=gpu1)" ''
	! head -1 resources.csv | grep gpu_energy || return 1	# the stand-in does not know it
	COLUMNS=120 run "$report" -v resources
	[[ $output == *gpu_memory_used_bytes*"80.0 GiB"* ]]
	quiet
}

@test "processes on a device, whatever the size of the entries" {
	for bytes in 16 24 32; do
		rm -rf insideme.data
		sampled $bytes --quiet --gpu=all
		rows
		run_pid=$("$here/csv" pid set=gpu0 <resources.csv | head -1)
		same "memory with entries of $bytes" \
			"$(last gpu_process_memory_bytes set=gpu0_process "id=$run_pid")" $((123 << 20))
		same "percent" "$(last gpu_process_percent set=gpu0_process "id=$run_pid")" 25
		same "memory that is not told" \
			"$(last gpu_process_memory_bytes set=gpu0_process id=4000000)" ''
		same "processes" "$("$here/csv" id set=gpu0_process <resources.csv | sort -u | wc -l)" 2
	done
}

@test "a list chooses devices, off none" {
	sampled 24 --quiet --gpu=1
	rows
	same "sets" "$(cut -d, -f4 resources.csv | grep gpu | sort -u)" gpu1
	rm -rf insideme.data
	sampled 24 --quiet --gpu=off
	rows
	! grep gpu resources.csv || return 1
	quiet
	sampled 24 --quiet --gpu=0,x
	same "what it says" "$(cat stderr)" \
		'insideme: INSIDEME_GPU=0,x: expected all, off, or numbers as in 0,1'
}

@test "a library that hangs delays nothing; a failure is reported if devices were asked for" {
	begin=$EPOCHREALTIME
	NVML_DOES=hang sampled 24 --quiet --gpu=all
	between "time in us" 300000 $((${EPOCHREALTIME/./} - ${begin/./})) 5000000
	quiet
	NVML_DOES=fail sampled 24 --quiet --gpu=all
	same "what it says" "$(cat stderr)" 'insideme: no GPU was sampled: NVML finds no driver'
	same "processes" "$(view processes | "$here/csv" programs | sort -u)" uses
	[ -e /dev/nvidiactl ] || { NVML_DOES=fail sampled 24 --quiet && quiet; }
}

@test "without the library: nothing, or a line where it was asked for" {
	! ldconfig -p | grep -q libnvidia-ml || skip "there is one"
	monitor --quiet -- "$bin/uses" sleeps 50
	quiet
	monitor --quiet --gpu=all -- "$bin/uses" sleeps 50
	same "what it says" "$(cat stderr)" 'insideme: no GPU was sampled: libnvidia-ml.so.1 cannot be loaded'
}

@test "a device that vanishes has no figures any more" {
	NVML_DOES=lose sampled 24 --quiet --gpu=all --interval=10ms
	rows
	same "memory" "$(last gpu_memory_used_bytes set=gpu1)" ''
	same "percent of the other" "$(last gpu_percent set=gpu0)" 37
}

@test "with --machine" {
	LD_LIBRARY_PATH=$bin/nvml-24 "$build/insideme-run" --quiet --machine --timeout=200ms --gpu=all
	rows
	same "percent" "$(last gpu_percent set=gpu0)" 37
}

# on_device LAUNCHER... -- COMMAND...: COMMAND is on device 0, by its number in /proc
on_device() {
	local launcher=()
	while [ "$1" != -- ]; do launcher+=("$1"); shift; done
	NVML_PID=$PWD/pid LD_LIBRARY_PATH=$bin/nvml-24 "${launcher[@]}" "$build/insideme-run" \
		--quiet --gpu=all -- \
		sh -c 'read -r pid _ </proc/self/stat; echo "$pid" >pid; exec "$0" "$@"' "${@:2}"
}

use() { view functions --columns "function,$2" | "$here/csv" "$2" "function=$1"; }

# 25 % of a device the whole time, but for what passes before its first sample
@test "functions: GPU time and memory by overlap" {
	on_device -- "$bin/uses" sleeps 600
	between "GPU time of nap" $(($(use nap total_ns) / 8)) "$(use nap gpu_ns)" \
		$(($(use nap total_ns) * 26 / 100))
	between "GPU time of work" $(($(use work total_ns) / 5)) "$(use work gpu_ns)" \
		$(($(use work total_ns) * 26 / 100))
	between "GPU time of main" $(($(use nap gpu_ns) + $(use work gpu_ns) - 1)) "$(use main gpu_ns)" \
		$(($(use main total_ns) * 26 / 100))
	COLUMNS=200 "$report" -v functions --columns function,gpu_ns >page
	tr -s '\n ' ' ' <page | grep 'GPU.* by overlap with samples'
	rm -rf insideme.data
	monitor --quiet -- "$bin/uses" sleeps 30
	same "without a device" "$(use main gpu_ns)" ''
}

@test "in a pid namespace with the host's /proc, processes have their numbers there" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare --pid --fork true || skip "no pid namespaces here"
	on_device unshare --pid --fork -- "$bin/uses" sleeps 300
	rows
	within=$("$report" -v processes -f csv | "$here/csv" pid depth=0)
	[ "$(cat pid)" != "$within" ]
	same "memory" "$(last gpu_process_memory_bytes set=gpu0_process "id=$within")" $((123 << 20))
	same "rows by the host's number" "$(last gpu_process_memory_bytes set=gpu0_process "id=$(cat pid)")" \
		''
}
