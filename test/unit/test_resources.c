/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/resources: what the text of /proc says, good and bad. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "insideme_log.h"
#include "preload/resources/machine_text.h"
#include "preload/resources/process_text.h"
#include "preload/resources/scan.h"

/* From field 3 on: state, ppid, ..., as the kernel prints them. */
#define STAT_REST "S 1 7 7 34816 7 4194304 1234 56 7 8 150 25 9 10 20 0 3 0 987654 2777088 325 18446744073709551615\n"

static void stat_is_read_by_field_numbers(void **state)
{
	struct proc_stat stat;

	(void)state;
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

static void name_may_hold_spaces_and_parentheses(void **state)
{
	struct proc_stat stat;

	(void)state;
	assert_int_equal(proc_parse_stat("7 (a) (b c)) R) " STAT_REST, &stat), 0);
	assert_int_equal(stat.user_ns, 1500000000);
	assert_int_equal(proc_parse_stat("7 () " STAT_REST, &stat), 0);
	assert_int_equal(stat.threads, 3);
}

static void stat_that_ends_early_is_refused_at_every_byte(void **state)
{
	const char whole[] = "7 (cat) " STAT_REST;
	const size_t needed = (size_t)(strstr(whole, "987654") - whole);
	struct proc_stat stat;

	(void)state;
	for (size_t length = 0; length <= needed; length++) {
		char cut[sizeof(whole)];

		memcpy(cut, whole, length);
		cut[length] = '\0';
		assert_int_equal(proc_parse_stat(cut, &stat), -EINVAL);
	}
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
	struct proc_statm statm;
	struct proc_stat stat;

	(void)state;
	assert_int_equal(proc_parse_statm("18446744073709551615 18446744073709551615 0", &statm), 0);
	assert_true(statm.resident_pages == UINT64_MAX);
	assert_int_equal(proc_parse_statm("18446744073709551616 1 0", &statm), -EINVAL);
	assert_int_equal(proc_parse_statm("99999999999999999999999 1 0", &statm), -EINVAL);
	/* fits as ticks, but not as ns */
	assert_int_equal(proc_parse_stat("7 (a) S 1 1 1 1 1 1 1 1 1 1 18446744073709551615 1 1 1 1 1 1 1 1 1", &stat), -EINVAL);
}

static void statm_needs_two_numbers(void **state)
{
	struct proc_statm statm;

	(void)state;
	assert_int_equal(proc_parse_statm("678 325 300 5 0 90 0\n", &statm), 0);
	assert_int_equal(statm.size_pages, 678);
	assert_int_equal(statm.resident_pages, 325);
	assert_int_equal(proc_parse_statm("678", &statm), -EINVAL);
	assert_int_equal(proc_parse_statm("", &statm), -EINVAL);
	assert_int_equal(proc_parse_statm("-1 5", &statm), -EINVAL);
}

static void io_has_calls_and_bytes_under_their_own_names(void **state)
{
	struct proc_io io;

	(void)state;
	proc_parse_io("rchar: 100\nwchar: 200\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n"
		      "cancelled_write_bytes: 77\n", &io);
	assert_int_equal(io.read_chars, 100);
	assert_int_equal(io.write_chars, 200);
	assert_int_equal(io.read_calls, 3);
	assert_int_equal(io.write_calls, 4);
	assert_int_equal(io.read_bytes, 4096);
	assert_int_equal(io.write_bytes, 8192);
}

static void a_missing_line_leaves_the_others_known(void **state)
{
	struct proc_io io;
	struct proc_status status;

	(void)state;
	proc_parse_io("rchar: 100\nsyscr: 3\nwrite_bytes: 8192", &io);
	assert_int_equal(io.read_chars, 100);
	assert_true(io.write_chars == LOG_NONE);
	assert_int_equal(io.read_calls, 3);
	assert_true(io.write_calls == LOG_NONE);
	assert_true(io.read_bytes == LOG_NONE);
	assert_int_equal(io.write_bytes, 8192);
	/* a zombie has no memory lines */
	proc_parse_status("Name:\tx\nState:\tZ (zombie)\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n", &status);
	assert_true(status.peak_rss_bytes == LOG_NONE);
	assert_int_equal(status.voluntary_switches, 5);
	assert_int_equal(status.involuntary_switches, 6);
}

static void status_is_in_kib(void **state)
{
	struct proc_status status;

	(void)state;
	proc_parse_status("Name:\tVmHWM:\nVmPeak:\t    9999 kB\nVmHWM:\t    1500 kB\nVmSwap:\t       8 kB\n", &status);
	assert_int_equal(status.peak_rss_bytes, 1500 * 1024);
	assert_int_equal(status.swap_bytes, 8 * 1024);
	assert_true(status.voluntary_switches == LOG_NONE);
	proc_parse_status("VmHWM:\t18446744073709551615 kB\n", &status);
	assert_true(status.peak_rss_bytes == LOG_NONE);
	proc_parse_status("VmHWM:\tlots\n", &status);
	assert_true(status.peak_rss_bytes == LOG_NONE);
}

static void waiting_for_a_disk_is_idle_time_and_guests_count_once(void **state)
{
	struct proc_cpu cpu;

	(void)state;
	assert_int_equal(proc_parse_cpu("cpu  10 20 30 400 50 6 7 8 9 10\ncpu0 1 1 1 1 1 1 1 1\n", &cpu), 0);
	assert_int_equal(cpu.total_ns, 531 * 10000000ull);
	assert_int_equal(cpu.busy_ns, 81 * 10000000ull);
	assert_int_equal(proc_parse_cpu("cpu  10 20 30 400 50 6 7\n", &cpu), -EINVAL);
	assert_int_equal(proc_parse_cpu("cpu0 10 20 30 400 50 6 7 8\n", &cpu), -EINVAL);
	assert_int_equal(proc_parse_cpu("", &cpu), -EINVAL);
}

static void load_is_in_thousandths(void **state)
{
	uint64_t milli = 0;

	(void)state;
	assert_int_equal(proc_parse_loadavg("12.05 1.00 0.50 1/99 1234\n", &milli), 0);
	assert_int_equal(milli, 12050);
	assert_int_equal(proc_parse_loadavg("12", &milli), -EINVAL);
	assert_int_equal(proc_parse_loadavg("12.5", &milli), -EINVAL);
	assert_int_equal(proc_parse_loadavg("x", &milli), -EINVAL);
}

static void memory_used_is_total_less_available(void **state)
{
	struct proc_meminfo memory;

	(void)state;
	proc_parse_meminfo("MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 600 kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\n", &memory);
	assert_int_equal(memory.used_bytes, 400 * 1024);
	assert_int_equal(memory.available_bytes, 600 * 1024);
	assert_int_equal(memory.swap_used_bytes, 30 * 1024);
	/* kernels before 3.14 have no MemAvailable */
	proc_parse_meminfo("MemTotal: 1000 kB\nMemFree: 10 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n", &memory);
	assert_true(memory.used_bytes == LOG_NONE);
	assert_true(memory.available_bytes == LOG_NONE);
	assert_int_equal(memory.swap_used_bytes, 0);
}

static void disks_are_read_line_by_line_past_bad_ones(void **state)
{
	const char *text = " 254       0 vda 10 1 200 9 30 2 400 9 0 7 8\n nonsense\n 8 0 sda 1 2\n"
			   " 259       0 nvme0n1 1 0 2 0 3 0 4 0 0 0 0 5\n";
	struct proc_disk disk;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_is_read_by_field_numbers),
		cmocka_unit_test(name_may_hold_spaces_and_parentheses),
		cmocka_unit_test(stat_that_ends_early_is_refused_at_every_byte),
		cmocka_unit_test(numbers_that_do_not_fit_are_refused),
		cmocka_unit_test(statm_needs_two_numbers),
		cmocka_unit_test(io_has_calls_and_bytes_under_their_own_names),
		cmocka_unit_test(a_missing_line_leaves_the_others_known),
		cmocka_unit_test(status_is_in_kib),
		cmocka_unit_test(waiting_for_a_disk_is_idle_time_and_guests_count_once),
		cmocka_unit_test(load_is_in_thousandths),
		cmocka_unit_test(memory_used_is_total_less_available),
		cmocka_unit_test(disks_are_read_line_by_line_past_bad_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
