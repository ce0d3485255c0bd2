/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a row of each set of columns costs, read from outside and by a thread of the process, and what share
 * of a core the sampler takes. Goals: fast row 12 us, full row 60 us, 1 %, with a row each ms 2 %.
 */
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "preload/common/log/log.h"
#include "preload/common/resources/cgroup.h"
#include "preload/common/resources/machine.h"
#include "preload/common/resources/usage.h"
#include "preload/common/sampler/sampler.h"
#include "test/unit/empty_log.h"

#define READINGS	2001
#define BUDGET		(256u << 20)
#define LOG_USED_BYTES	(64u << 20)
#define RUN_NS		3000000000u
#define PART_NS		100000000u
#define USUAL_NS	10000000u
#define EACH_MS_NS	1000000u

static struct usage usage;
static struct machine machine;
static struct cgroup group;
static struct figures figures;
static uint64_t took_ns[READINGS];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void read_fast(void) { usage_read(&usage, &figures); }
static void read_memory(void) { usage_read_memory(&usage, &figures); }
static void read_slow(void) { usage_read_slow(&usage, &figures); }
static void read_machine(void) { machine_read(&machine, &figures); }
static void read_group(void) { cgroup_read(&group, &figures); }
static void read_maps(void) { usage_read_maps(&usage, UINT64_MAX, &figures); }

static void read_full(void)
{
	read_fast();
	read_slow();
	read_machine();
	read_group();
}

static void measure(const char *what, void (*reading)(void))
{
	uint64_t sum_ns = 0;

	for (int i = 0; i < READINGS; i++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC);

		reading();
		took_ns[i] = clock_ns(CLOCK_MONOTONIC) - begin;
	}
	/* The mean of the middle nine tenths: not every row reads everything, and the machine does other things. */
	qsort(took_ns, READINGS, sizeof(took_ns[0]), compare);
	for (int i = READINGS / 20; i < READINGS - READINGS / 20; i++)
		sum_ns += took_ns[i];
	printf("%-40s %8.2f us\n", what, (double)sum_ns / (READINGS - 2 * (READINGS / 20)) / 1000);
}

static void measure_all(const struct log_header *log, int pid, bool own_thread)
{
	if (usage_open(&usage, pid, own_thread, log, log->process_start) < 0)
		abort();
	machine_open(&machine, &usage.count, true);
	machine_find_cores(&machine);
	cgroup_open(&group, &usage.count);
	printf("%s\n", own_thread ? "from within" : "from outside");
	measure("  fast row (process)", read_fast);
	measure("  memory row", read_memory);
	measure("  slow row (process_slow)", read_slow);
	measure("  machine's row (system)", read_machine);
	measure("  control group's row (cgroup)", read_group);
	measure("  full row (all of them)", read_full);
	measure("  maps row (process_maps)", read_maps);
	usage_close(&usage);
	machine_close(&machine);
	cgroup_close(&group);
}

/* A thread and a slice area, whose newest slice will move at every look, as in a busy program. */
static struct log_slices *make_busy(struct log_header *log)
{
	struct log_thread *thread = (struct log_thread *)log_claim(log, LOG_AREA_THREAD, 0, sizeof(*thread), 0, 0);
	struct log_slices *slices = (struct log_slices *)log_claim(log, LOG_AREA_SLICES, 0, 4096, 0, 0);

	thread->slices[0] = slices->head.self;
	return slices;
}

/* CPU time of this thread, by parts of some ms: other programs take turns with us, whose traces cost more than we do. */
struct share {
	uint64_t begin_ns, begin_cpu_ns, part_ns, part_cpu_ns;
	double least;			/* of a core, in one part */
};

static void share_begin(struct share *share)
{
	share->begin_ns = share->part_ns = clock_ns(CLOCK_MONOTONIC);
	share->begin_cpu_ns = share->part_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	share->least = 1;
}

/* Return: whether it is to go on. */
static bool share_go_on(struct share *share)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), cpu_ns;
	double part;

	if (now_ns - share->part_ns > PART_NS) {
		cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		part = (double)(cpu_ns - share->part_cpu_ns) / (double)(now_ns - share->part_ns);
		share->least = part < share->least ? part : share->least;
		share->part_ns = now_ns;
		share->part_cpu_ns = cpu_ns;
	}
	return now_ns - share->begin_ns < RUN_NS;
}

static void share_print(const struct share *share, const char *what, uint64_t nr_rows)
{
	double passed_ns = (double)(clock_ns(CLOCK_MONOTONIC) - share->begin_ns);
	double cpu_ns = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - share->begin_cpu_ns);

	printf("%-40s %8.3f %% of a core (%.3f in its best 100 ms), %.0f rows/s\n", what, 100 * cpu_ns / passed_ns,
	       100 * share->least, (double)nr_rows * 1e9 / passed_ns);
}

static void sleep_until(int64_t due_ns)
{
	struct timespec due = { due_ns / 1000000000, due_ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

/* What no sampler can be below. */
static void measure_wake_ups(void)
{
	struct share share;
	int64_t due_ns;

	share_begin(&share);
	due_ns = (int64_t)share.begin_ns;
	while (share_go_on(&share))
		sleep_until(due_ns += EACH_MS_NS);
	share_print(&share, "bare wake-ups, each ms", 0);
}

static void measure_share(const char *what, struct log_header *log, int fd, int pid, bool busy, uint64_t interval_ns)
{
	struct sampler_config config = { .log = log, .log_fd = fd, .pid = pid, .system = interval_ns != EACH_MS_NS,
					 .settings = { interval_ns, interval_ns == EACH_MS_NS, 32u << 20 } };
	struct sampler *sampler = malloc(SAMPLER_BYTES);
	struct log_slices *slices = make_busy(log);
	struct share share;
	uint64_t rows;

	if (!sampler || sampler_start(sampler, &config) < 0)
		abort();
	rows = log->sampler_rows;
	log->has_hooks = 1;
	share_begin(&share);
	do {
		int64_t due_ns = sampler_step(sampler);

		if (due_ns < 0)
			abort();
		sleep_until(due_ns);
		slices->last_ticks += busy;
	} while (share_go_on(&share));
	share_print(&share, what, log->sampler_rows - rows);
	free(sampler);
}

int main(void)
{
	struct log_header *log;
	int fd, pid;

	log = empty_log(BUDGET, &fd);
	if (posix_fallocate(fd, 0, LOG_USED_BYTES) != 0)
		return 1;
	memset((char *)log + LOG_HEADER_BYTES, 1, LOG_USED_BYTES - LOG_HEADER_BYTES);
	log->file_bytes = LOG_USED_BYTES;
	pid = fork();
	if (pid == 0) {
		memset((char *)log + LOG_HEADER_BYTES, 0, LOG_USED_BYTES - LOG_HEADER_BYTES);
		for (;;)
			pause();
	}
	usleep(100000);
	log->tail_bytes = LOG_USED_BYTES;
	measure_all(log, pid, false);
	measure_all(log, getpid(), true);
	log->tail_bytes = LOG_HEADER_BYTES;
	log->file_bytes = 1u << 20;
	measure_share("sampler, no slices", log, fd, pid, false, USUAL_NS);
	measure_share("sampler, slices are written", log, fd, pid, true, USUAL_NS);
	measure_wake_ups();
	measure_share("sampler, each ms, the process alone", log, fd, pid, false, EACH_MS_NS);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
