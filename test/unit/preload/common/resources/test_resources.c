/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources: what the text of /proc says, good and bad. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "insideme_log.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/resources/cgroup.h"
#include "test/unit/unit.h"

/* From field 3 on: state, ppid, ..., as the kernel prints them. */
#define STAT_REST                                                                                            \
	"S 1 7 7 34816 7 4194304 1234 56 7 8 150 25 9 10 20 0 3 0 987654 2777088 325 18446744073709551615\n"

TEST(stat_is_read_by_field_numbers)
{
	struct proc_stat stat;

	assert_int_equal(proc_parse_stat("7 (cat) " STAT_REST, &stat), 0);
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.parent_pid, 1);
	assert_int_equal(stat.minor_faults, 1234);
	assert_int_equal(stat.child_faults, 56);
	assert_int_equal(stat.major_faults, 7);
	assert_int_equal(stat.user_ns, 1500000000);
	assert_int_equal(stat.system_ns, 250000000);
	assert_int_equal(stat.threads, 3);
	assert_int_equal(stat.start_ticks, 987654);
}

TEST(name_may_hold_spaces_and_parentheses)
{
	struct proc_stat stat;

	assert_int_equal(proc_parse_stat("7 (a) (b c)) R) " STAT_REST, &stat), 0);
	assert_int_equal(stat.user_ns, 1500000000);
	assert_int_equal(proc_parse_stat("7 () " STAT_REST, &stat), 0);
	assert_int_equal(stat.threads, 3);
}

TEST(stat_that_ends_early_is_refused_at_every_byte)
{
	const char whole[] = "7 (cat) " STAT_REST;
	const size_t needed = (size_t)(strstr(whole, "987654") - whole);
	struct proc_stat stat;

	for (size_t length = 0; length <= needed; length++) {
		char cut[sizeof(whole)];

		memcpy(cut, whole, length);
		cut[length] = '\0';
		assert_int_equal(proc_parse_stat(cut, &stat), -EINVAL);
	}
}

TEST(numbers_that_do_not_fit_are_refused)
{
	struct proc_statm statm;
	struct proc_stat stat;

	assert_int_equal(proc_parse_statm("18446744073709551615 18446744073709551615 0", &statm), 0);
	assert_true(statm.resident_pages == UINT64_MAX);
	assert_int_equal(proc_parse_statm("18446744073709551616 1 0", &statm), -EINVAL);
	assert_int_equal(proc_parse_statm("99999999999999999999999 1 0", &statm), -EINVAL);
	/* fits as ticks, but not as ns */
	assert_int_equal(
		proc_parse_stat("7 (a) S 1 1 1 1 1 1 1 1 1 1 18446744073709551615 1 1 1 1 1 1 1 1 1", &stat),
		-EINVAL);
}

TEST(statm_needs_three_numbers)
{
	struct proc_statm statm;

	assert_int_equal(proc_parse_statm("678 325 300 5 0 90 0\n", &statm), 0);
	assert_int_equal(statm.size_pages, 678);
	assert_int_equal(statm.resident_pages, 325);
	assert_int_equal(statm.mapped_pages, 300);
	assert_int_equal(proc_parse_statm("678 325", &statm), -EINVAL);
	assert_int_equal(proc_parse_statm("", &statm), -EINVAL);
	assert_int_equal(proc_parse_statm("-1 5", &statm), -EINVAL);
}

TEST(io_has_calls_and_bytes_under_their_own_names)
{
	struct proc_io io;

	proc_parse_io("rchar: 100\nwchar: 200\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n"
		      "cancelled_write_bytes: 77\n", &io);
	assert_int_equal(io.read_chars, 100);
	assert_int_equal(io.write_chars, 200);
	assert_int_equal(io.read_calls, 3);
	assert_int_equal(io.write_calls, 4);
	assert_int_equal(io.read_bytes, 4096);
	assert_int_equal(io.write_bytes, 8192);
}

TEST(a_missing_line_leaves_the_others_known)
{
	struct proc_io io;
	struct proc_status status;

	proc_parse_io("rchar: 100\nsyscr: 3\nwrite_bytes: 8192", &io);
	assert_int_equal(io.read_chars, 100);
	assert_true(io.write_chars == LOG_NONE);
	assert_int_equal(io.read_calls, 3);
	assert_true(io.write_calls == LOG_NONE);
	assert_true(io.read_bytes == LOG_NONE);
	assert_int_equal(io.write_bytes, 8192);
	/* a zombie has no memory lines */
	proc_parse_status(
		"Name:\tx\nState:\tZ (zombie)\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n",
		&status);
	assert_true(status.peak_rss_bytes == LOG_NONE);
	assert_int_equal(status.voluntary_switches, 5);
	assert_int_equal(status.involuntary_switches, 6);
}

TEST(status_is_in_kib)
{
	struct proc_status status;

	proc_parse_status("Name:\tVmHWM:\nVmPeak:\t    9999 kB\nVmHWM:\t    1500 kB\nVmSwap:\t       8 kB\n",
			  &status);
	assert_int_equal(status.peak_rss_bytes, 1500 * 1024);
	assert_int_equal(status.swap_bytes, 8 * 1024);
	assert_true(status.voluntary_switches == LOG_NONE);
	proc_parse_status("VmHWM:\t18446744073709551615 kB\n", &status);
	assert_true(status.peak_rss_bytes == LOG_NONE);
	proc_parse_status("VmHWM:\tlots\n", &status);
	assert_true(status.peak_rss_bytes == LOG_NONE);
}

TEST(waiting_for_a_disk_is_idle_time_and_guests_count_once)
{
	struct proc_cpu cpu;

	assert_int_equal(proc_parse_cpu("cpu  10 20 30 400 50 6 7 8 9 10\ncpu0 1 1 1 1 1 1 1 1\n", &cpu), 0);
	assert_int_equal(cpu.total_ns, 531 * 10000000ull);
	assert_int_equal(cpu.busy_ns, 81 * 10000000ull);
	assert_int_equal(proc_parse_cpu("cpu  10 20 30 400 50 6 7\n", &cpu), -EINVAL);
	assert_int_equal(proc_parse_cpu("cpu0 10 20 30 400 50 6 7 8\n", &cpu), -EINVAL);
	assert_int_equal(proc_parse_cpu("", &cpu), -EINVAL);
}

TEST(load_is_in_thousandths)
{
	uint64_t milli = 0;

	assert_int_equal(proc_parse_loadavg("12.05 1.00 0.50 1/99 1234\n", &milli), 0);
	assert_int_equal(milli, 12050);
	assert_int_equal(proc_parse_loadavg("12", &milli), -EINVAL);
	assert_int_equal(proc_parse_loadavg("12.5", &milli), -EINVAL);
	assert_int_equal(proc_parse_loadavg("x", &milli), -EINVAL);
}

TEST(memory_used_is_total_less_available)
{
	struct proc_meminfo memory;

	proc_parse_meminfo(
		"MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 600 kB\n"
		"SwapTotal: 50 kB\nSwapFree: 20 kB\n",
		&memory);
	assert_int_equal(memory.used_bytes, 400 * 1024);
	assert_int_equal(memory.available_bytes, 600 * 1024);
	assert_int_equal(memory.swap_used_bytes, 30 * 1024);
	/* kernels before 3.14 have no MemAvailable */
	proc_parse_meminfo("MemTotal: 1000 kB\nMemFree: 10 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n", &memory);
	assert_true(memory.used_bytes == LOG_NONE);
	assert_true(memory.available_bytes == LOG_NONE);
	assert_int_equal(memory.swap_used_bytes, 0);
}

TEST(disks_are_read_line_by_line_past_bad_ones)
{
	const char *text = " 254       0 vda 10 1 200 9 30 2 400 9 0 7 8\n nonsense\n 8 0 sda 1 2\n"
			   " 259       0 nvme0n1 1 0 2 0 3 0 4 0 0 0 0 5\n";
	struct proc_disk disk;

	assert_int_equal(proc_parse_disk(&text, &disk), 0);
	assert_string_equal(disk.name, "vda");
	assert_int_equal(disk.reads, 10);
	assert_int_equal(disk.read_bytes, 200 * 512);
	assert_int_equal(disk.writes, 30);
	assert_int_equal(disk.written_bytes, 400 * 512);
	assert_int_equal(proc_parse_disk(&text, &disk), -EINVAL);
	assert_int_equal(proc_parse_disk(&text, &disk), -EINVAL);
	assert_int_equal(proc_parse_disk(&text, &disk), 0);
	assert_string_equal(disk.name, "nvme0n1");
	assert_int_equal(disk.written_bytes, 4 * 512);
	assert_string_equal(text, "");
}

TEST(each_processor_has_a_line_until_the_first_that_is_none)
{
	const char *text = "cpu0 10 20 30 400 50 6 7 8 9 10\ncpu7 1 1 1 1 1 1 1 1 1 1\nintr 1 2 3\n";
	struct proc_core core;

	assert_int_equal(proc_parse_core(&text, &core), 0);
	assert_int_equal(core.number, 0);
	assert_int_equal(core.busy_ns, 81 * 10000000ull);
	assert_int_equal(proc_parse_core(&text, &core), 0);
	assert_int_equal(core.number, 7);
	assert_int_equal(proc_parse_core(&text, &core), -EINVAL);
	assert_string_equal(text, "intr 1 2 3\n");
	text = "cpu  10 20 30 400 50 6 7 8 9 10\n";
	assert_int_equal(proc_parse_core(&text, &core), -EINVAL);
}

#define NET_HEAD "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n"

TEST(networks_are_summed_without_the_loopback)
{
	struct proc_net net;

	assert_int_equal(proc_parse_net(NET_HEAD "    lo: 99 98 0 0 0 0 0 0 97 96 0 0 0 0 0 0\n"
					"  eth0: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n"
					"wlan0:10 20 0 0 0 0 0 0 30 40 0 0 0 0 0 0\n", &net), 0);
	assert_int_equal(net.received_bytes, 11);
	assert_int_equal(net.received_packets, 22);
	assert_int_equal(net.sent_bytes, 33);
	assert_int_equal(net.sent_packets, 44);
	assert_int_equal(proc_parse_net(NET_HEAD, &net), 0);
	assert_int_equal(net.sent_bytes, 0);
	assert_int_equal(proc_parse_net(NET_HEAD "  eth0: 1 2 0 0 0\n", &net), -EINVAL);
	assert_int_equal(proc_parse_net(NET_HEAD "  eth0\n", &net), -EINVAL);
}

TEST(pressure_is_in_us)
{
	struct proc_pressure pressure;

	proc_parse_pressure("some avg10=0.11 avg60=1.01 avg300=0.48 total=126168493\n"
			    "full avg10=0.00 avg60=0.09 avg300=0.09 total=31080835\n", &pressure);
	assert_int_equal(pressure.some_ns, 126168493000);
	assert_int_equal(pressure.full_ns, 31080835000);
	proc_parse_pressure("some avg10=0.11 avg60=1.01 avg300=0.48 total=\n", &pressure);
	assert_true(pressure.some_ns == LOG_NONE && pressure.full_ns == LOG_NONE);
	proc_parse_pressure("some avg10=0.11\nfull total=5\n", &pressure);
	assert_true(pressure.some_ns == LOG_NONE);
	assert_int_equal(pressure.full_ns, 5000);
}

TEST(a_thread_has_run_and_waited)
{
	struct proc_schedstat schedstat;

	assert_int_equal(proc_parse_schedstat("123 456 7\n", &schedstat), 0);
	assert_int_equal(schedstat.cpu_ns, 123);
	assert_int_equal(schedstat.wait_ns, 456);
	assert_int_equal(proc_parse_schedstat("123", &schedstat), -EINVAL);
}

TEST(uss_is_what_nobody_else_has)
{
	struct proc_maps maps;

	proc_parse_smaps_rollup(
		"55-7f ---p 00000000 00:00 0    [rollup]\nRss:  1752 kB\nPss:  187 kB\nPss_Dirty: 9 kB\n"
		"Private_Clean:  40 kB\nPrivate_Dirty:  112 kB\n",
		&maps);
	assert_int_equal(maps.pss_bytes, 187 * 1024);
	assert_int_equal(maps.uss_bytes, 152 * 1024);
	proc_parse_smaps_rollup("Private_Clean:  40 kB\n", &maps);
	assert_true(maps.pss_bytes == LOG_NONE && maps.uss_bytes == LOG_NONE);
}

TEST(groups_are_found_by_their_controller)
{
	const char *v1 = "9:name=systemd:/\n7:cpu,cpuacct:/both\n4:memory:/a/b\n0::/unified\n";
	const char *path = cgroup_parse_path(v1, "memory");

	assert_int_equal(cgroup_line_length(path), 4);
	assert_memory_equal(path, "/a/b\n", 5);
	assert_memory_equal(cgroup_parse_path(v1, "cpuacct"), "/both\n", 6);
	assert_memory_equal(cgroup_parse_path(v1, "cpu"), "/both\n", 6);
	assert_memory_equal(cgroup_parse_path(v1, ""), "/unified\n", 9);
	assert_null(cgroup_parse_path(v1, "pids"));
	assert_null(cgroup_parse_path(v1, "mem"));
	assert_null(cgroup_parse_path("", ""));
	assert_null(cgroup_parse_path("4:memory", "memory"));
}

TEST(limits_of_groups_may_be_none)
{
	assert_int_equal(cgroup_parse_limit("314572800\n"), 300 << 20);
	assert_true(cgroup_parse_limit("max\n") == LOG_NONE);
	assert_true(cgroup_parse_limit("-1\n") == LOG_NONE);
	assert_true(cgroup_parse_limit("9223372036854771712\n") == LOG_NONE);
	assert_int_equal(cgroup_parse_cpu_max("150000 100000\n"), 1500);
	assert_true(cgroup_parse_cpu_max("max 100000\n") == LOG_NONE);
	assert_true(cgroup_parse_cpu_max("100000 0\n") == LOG_NONE);
	assert_int_equal(cgroup_parse_key("usage_usec 5\nuser_usec 6\n", "usage_usec "), 5);
	assert_true(cgroup_parse_key("usage_usec 5\n", "throttled_usec ") == LOG_NONE);
	assert_true(cgroup_us_to_ns(LOG_NONE) == LOG_NONE);
	assert_int_equal(cgroup_us_to_ns(5), 5000);
}
