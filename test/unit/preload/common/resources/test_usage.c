/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources/usage: the figures of real processes, compared with the kernel's own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "preload/common/resources/machine.h"
#include "preload/common/resources/usage.h"
#include "test/unit/empty_log.h"
#include "test/unit/unit.h"

#define MIB		(1u << 20)
#define LOG_BYTES	(16u * MIB)

/* The child's own figures, through shared memory. */
struct shared {
	_Atomic int is_ready;
	struct rusage usage;
};

static struct usage usage;		/* some KiB: not on the stack */

static struct shared *share(void)
{
	return mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* 40 MiB of memory, 200 ms of CPU, 50 reads of 1,000 bytes, 20 sleeps, and @log_bytes of the log touched. */
static void live(struct shared *shared, struct log_header *log, size_t log_bytes)
{
	char *memory = mmap(NULL, 40 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     buffer[1000];
	int fd = open("/dev/zero", O_RDONLY);
	struct timespec nap = { 0, 1000000 };

	memset(memory, 1, 40 * MIB);
	memset((char *)log + LOG_HEADER_BYTES, 1, log_bytes);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 200000000)
		;
	for (int i = 0; i < 50; i++) {
		if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
			abort();
	}
	for (int i = 0; i < 20; i++)
		nanosleep(&nap, NULL);
	getrusage(RUSAGE_SELF, &shared->usage);
	shared->is_ready = 1;
	for (;;)
		pause();
}

static pid_t start_child(struct shared *shared, struct log_header *log, size_t log_bytes)
{
	pid_t pid = fork();

	if (pid == 0)
		live(shared, log, log_bytes);
	while (!shared->is_ready)
		usleep(1000);
	usleep(20000);		/* until it waits */
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint64_t ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* @value within @tolerance of @expected. */
static void assert_near(uint64_t value, uint64_t expected, uint64_t tolerance)
{
	assert_in_range(value, expected > tolerance ? expected - tolerance : 0, expected + tolerance);
}

TEST(figures_of_a_child_are_what_it_knows_of_itself)
{
	struct shared *shared = share();
	struct figures figures;
	struct log_header *log;
	int fd;
	pid_t pid;

	log = empty_log(LOG_BYTES, &fd);
	pid = start_child(shared, log, 0);
	figures_clear(&figures);
	assert_int_equal(usage_open(&usage, pid, false, log, log->process_start), 0);
	assert_int_equal(usage_read(&usage, &figures), 0);
	assert_near(figures.cpu_ns, ns(shared->usage.ru_utime) + ns(shared->usage.ru_stime), 20000000);
	assert_near(figures.user_ns, ns(shared->usage.ru_utime), 20000000);
	assert_near(figures.system_ns, ns(shared->usage.ru_stime), 20000000);
	assert_near(figures.minor_faults, (uint64_t)shared->usage.ru_minflt, 20);
	assert_near(figures.major_faults, (uint64_t)shared->usage.ru_majflt, 1);
	assert_near(figures.voluntary_switches, (uint64_t)shared->usage.ru_nvcsw, 2);
	assert_near(figures.involuntary_switches, (uint64_t)shared->usage.ru_nivcsw, 2);
	assert_true(figures.voluntary_switches >= 20);
	assert_int_equal(figures.threads, 1);
	assert_int_equal(figures.read_calls, 50);
	assert_int_equal(figures.read_chars, 50000);
	assert_int_equal(figures.write_calls, 0);
	usage_close(&usage);
	end_child(pid);
	munmap(log, LOG_BYTES);
	close(fd);
}

/* The same process twice, with 0 and with 8 MiB of its log in memory: RSS and peak must be the same. */
TEST(the_log_is_not_in_rss_nor_vms_nor_peak)
{
	struct figures figures[2];

	for (int i = 0; i < 2; i++) {
		struct shared *shared = share();
		struct log_header *log;
		int fd;
		pid_t pid;

		log = empty_log(LOG_BYTES, &fd);
		assert_int_equal(posix_fallocate(fd, 0, LOG_BYTES), 0);
		pid = start_child(shared, log, i ? 8 * MIB : 0);
		log->tail_bytes = LOG_HEADER_BYTES + (i ? 8 * MIB : 0);
		figures_clear(&figures[i]);
		assert_int_equal(usage_open(&usage, pid, false, log, log->process_start), 0);
		assert_int_equal(usage_read_memory(&usage, &figures[i]), 0);
		assert_int_equal(usage_read_slow(&usage, &figures[i]), 0);
		usage_close(&usage);
		end_child(pid);
		munmap(log, LOG_BYTES);
		close(fd);
	}
	assert_true(figures[0].rss_bytes > 40 * MIB);
	assert_near(figures[1].rss_bytes, figures[0].rss_bytes, 2 * MIB);
	assert_near(figures[1].vms_bytes, figures[0].vms_bytes, 2 * MIB);
	assert_near(figures[1].peak_rss_bytes, figures[0].peak_rss_bytes, 2 * MIB);
	assert_near(figures[0].peak_rss_bytes, figures[0].rss_bytes, 2 * MIB);
	assert_int_equal(figures[0].swap_bytes, 0);
}

/*
 * Rows between full ones read the text of "statm" alone, until the log grows by what the process has touched
 * of it.
 */
TEST(rows_between_full_ones_count_the_log_where_it_has_grown)
{
	struct shared *shared = share();
	struct figures before, after;
	struct log_header *log;
	uint64_t reads;
	pid_t pid;
	int fd;

	log = empty_log(LOG_BYTES, &fd);
	assert_int_equal(posix_fallocate(fd, 0, LOG_BYTES), 0);
	pid = start_child(shared, log, 8 * MIB);
	log->tail_bytes = LOG_HEADER_BYTES;
	assert_int_equal(usage_open(&usage, pid, false, log, log->process_start), 0);
	usage.full_every = 4;
	figures_clear(&before);
	assert_int_equal(usage_read(&usage, &before), 0);
	reads = usage.count.calls;
	figures_clear(&before);
	assert_int_equal(usage_read(&usage, &before), 0);
	assert_int_equal(usage.count.calls, reads + 1);
	assert_int_equal(before.user_ns, LOG_NONE);
	log->tail_bytes = LOG_HEADER_BYTES + 8 * MIB;
	figures_clear(&after);
	assert_int_equal(usage_read(&usage, &after), 0);
	assert_int_equal(after.user_ns, LOG_NONE);
	assert_near(after.rss_bytes + 8 * MIB, before.rss_bytes, MIB);
	usage_close(&usage);
	end_child(pid);
	munmap(log, LOG_BYTES);
	close(fd);
}

TEST(a_zombie_still_has_its_counters)
{
	struct shared *shared = share();
	struct figures figures;
	struct log_header *log;
	siginfo_t info;
	int fd;
	pid_t pid;

	log = empty_log(LOG_BYTES, &fd);
	pid = start_child(shared, log, 0);
	assert_int_equal(usage_open(&usage, pid, false, log, log->process_start), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	figures_clear(&figures);
	assert_int_equal(usage_read(&usage, &figures), -ESRCH);
	assert_near(figures.cpu_ns, ns(shared->usage.ru_utime) + ns(shared->usage.ru_stime), 40000000);
	assert_true(figures.rss_bytes == LOG_NONE);
	waitpid(pid, NULL, 0);
	figures_clear(&figures);
	assert_int_equal(usage_read(&usage, &figures), -ESRCH);
	assert_true(figures.user_ns == LOG_NONE);
	usage_close(&usage);
	munmap(log, LOG_BYTES);
	close(fd);
}

TEST(a_pid_that_was_given_away_is_noticed)
{
	struct log_header *log;
	int fd;

	log = empty_log(LOG_BYTES, &fd);
	log->process_start = 1;		/* perhaps the start of process 1, but not of this one */
	assert_int_equal(usage_open(&usage, getpid(), false, log, log->process_start), -ESRCH);
	munmap(log, LOG_BYTES);
	close(fd);
}

/* As a thread of the process: it is the only thread, and leaves itself out. */
TEST(a_reader_within_leaves_itself_out)
{
	struct figures before, after;
	struct log_header *log;
	int fd;

	log = empty_log(LOG_BYTES, &fd);
	assert_int_equal(usage_open(&usage, getpid(), true, log, log->process_start), 0);
	figures_clear(&before);
	assert_int_equal(usage_read(&usage, &before), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(usage_read(&usage, &after), 0);
	assert_int_equal(after.read_calls, before.read_calls);
	assert_int_equal(after.read_chars, before.read_chars);
	assert_near(after.cpu_ns, before.cpu_ns, 1000000);
	assert_int_equal(after.minor_faults, before.minor_faults);
	assert_int_equal(after.voluntary_switches, before.voluntary_switches);
	assert_int_equal(after.threads, before.threads);
	usage_close(&usage);
	munmap(log, LOG_BYTES);
	close(fd);
}

/* On a file system in memory nothing is written. */
TEST(bytes_written_never_fall_when_the_readers_own_are_known)
{
	struct figures before, after;
	struct log_header *log;
	FILE *file = tmpfile();
	int fd;

	for (int i = 0; i < 4; i++)
		assert_int_equal(fwrite(&usage, sizeof(usage), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	log = empty_log(LOG_BYTES, &fd);
	assert_int_equal(usage_open(&usage, getpid(), true, log, log->process_start), 0);
	figures_clear(&before);
	figures_clear(&after);
	assert_int_equal(usage_read(&usage, &before), 0);
	usage.own_written_bytes += 4096;
	assert_int_equal(usage_read(&usage, &after), 0);
	assert_true(after.write_bytes >= before.write_bytes);
	usage_close(&usage);
	munmap(log, LOG_BYTES);
	close(fd);
}

TEST(the_machine_has_memory_and_time_goes_on)
{
	static struct machine machine;
	struct read_count count = { 0, 0 };
	struct figures first, second;
	uint64_t begin, passed;

	machine_open(&machine, &count, true);
	figures_clear(&first);
	figures_clear(&second);
	begin = clock_ns(CLOCK_MONOTONIC);
	machine_read(&machine, &first);
	usleep(200000);
	machine_read(&machine, &second);
	passed = clock_ns(CLOCK_MONOTONIC) - begin;
	assert_near((second.system_cpu_total_ns - first.system_cpu_total_ns) /
			    (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
		    passed, 60000000);
	assert_true(second.system_cpu_busy_ns <= second.system_cpu_total_ns);
	assert_near(first.memory_used_bytes + first.memory_available_bytes,
		    (uint64_t)sysconf(_SC_PHYS_PAGES) * 4096, 64 * MIB);
	machine_close(&machine);
}
