/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of programs in the log that they share. Several processes open, grow and fill it at one time. */
#include "brief.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "child.h"
#include "clock.h"
#include "heap.h"
#include "log.h"
#include "open.h"
#include "resources/usage.h"
#include "run_logs.h"
#include "syscalls.h"
#include "text.h"

#define BUDGET_BYTES	(64u << 20)	/* for some 80,000 programs; those after them get logs of their own */
#define AHEAD_BYTES	(64u << 10)

static bool may_read_ticks(const struct log_header *log)
{
	int tsc = 0;

	return log->clock != LOG_CLOCK_TSC || !CLOCK_MAY_BE_UNTRUSTED ||
	       (raw_syscall(SYS_prctl, PR_GET_TSC, (long)&tsc, 0, 0, 0, 0) == 0 && tsc == PR_TSC_ENABLE);
}

/* Is it a shared log that is ready, and of this boot of this host? One that is being made is not waited for. */
static bool is_fit(const struct log_header *log, const struct process_id *id)
{
	return log->magic == LOG_MAGIC && log->version == LOG_VERSION && log->kind == LOG_OF_PROGRAMS &&
	       text_equal(log->boot_id, id->boot_id) && may_read_ticks(log);
}

/* So far ahead that others find room too. */
static void grow(struct log_header *log, int fd)
{
	uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED);

	if (tail + AHEAD_BYTES > __atomic_load_n(&log->file_bytes, __ATOMIC_RELAXED))
		log_grow(log, fd, tail + AHEAD_BYTES);
}

static struct log_header *map_shared(int fd, const struct process_id *id)
{
	struct log_header head;
	long place;

	if (sys_pread(fd, &head, sizeof(head), 0) != sizeof(head) || !is_fit(&head, id))
		return NULL;
	place = sys_mmap(NULL, head.map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed(place))
		return NULL;
	grow((struct log_header *)place, fd);
	return (struct log_header *)place;
}

/* The first program of the run: its log carries no pid, nor a program's name. */
static struct log_header *make_shared(const struct run *run, const struct process_id *id, uint64_t us_ticks)
{
	struct process_id nobody = *id;
	struct log_open open = { .run = run, .id = &nobody, .settings = &settings, .kind = LOG_OF_PROGRAMS,
				 .clock = choose_clock(), .most_bytes = BUDGET_BYTES };
	struct log_header *log;
	int error;

	nobody.pid = nobody.ppid = 0;
	nobody.program[0] = '\0';
	nobody.start = 0;
	error = log_open(&open, &log, NULL);
	if (error && error != -EEXIST)
		run->page->no_shared_log = 1;
	if (error)
		return NULL;
	log->start_cost_ns = LOG_NONE;
	log->threshold_floor_ticks = log->clock == LOG_CLOCK_TSC ? us_ticks : 1000;
	clock_read_all(log->clock, &log->start_again);
	__atomic_store_n(&log->magic, LOG_MAGIC, __ATOMIC_RELEASE);
	return log;
}

static void fill(struct log_program *program, const struct process_id *id, const struct log_clocks *begin)
{
	struct usage_totals totals;

	program->child.pid = id->pid;
	program->child.ppid = id->ppid;
	program->child.process_start = id->start;
	program->child.begin = *begin;
	usage_read_totals(&totals);
	program->start_peak_rss_bytes = totals.peak_rss_bytes;
	program->start_cost_ns = LOG_NONE;
	program->uid = (uint32_t)raw_syscall(SYS_getuid, 0, 0, 0, 0, 0, 0);
	raw_syscall(SYS_prctl, PR_GET_NAME, (long)program->name, 0, 0, 0, 0);
	text_copy(program->program, sizeof(program->program), id->program);
	program->heap_bytes = heap_setting() == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE;
}

static void add_text(char **at, uint32_t *bytes, const char *text)
{
	*bytes = (uint32_t)text_length(text) + 1;
	text_copy(*at, *bytes, text);
	*at += *bytes;
}

static struct log_program *enter(struct log_header *log, const struct process_id *id, const struct facts *facts)
{
	const size_t bytes = sizeof(struct log_program) + text_length(facts->command) + text_length(facts->exe) +
			     text_length(facts->cwd) + 3;
	struct log_program *program;
	struct log_clocks begin;
	char *at;

	clock_read_all(log->clock, &begin);
	program = (struct log_program *)log_new_record(log, (uint32_t)bytes, begin.ticks);
	if (!program)
		return NULL;
	fill(program, id, &begin);
	at = (char *)(program + 1);
	add_text(&at, &program->command_bytes, facts->command);
	add_text(&at, &program->exe_bytes, facts->exe);
	add_text(&at, &program->cwd_bytes, facts->cwd);
	return program;
}

struct log_program *brief_enter(const struct run *run, const struct process_id *id, const struct facts *facts,
				uint64_t us_ticks)
{
	struct log_header *log;
	struct log_program *program;
	char path[RUN_PATH_BYTES];
	long fd;

	if (run->page->no_shared_log)
		return NULL;
	run_shared_log(path, sizeof(path), run, id);
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0 && fd != -ENOENT)
		return NULL;
	log = fd < 0 ? make_shared(run, id, us_ticks) : map_shared((int)fd, id);
	if (fd >= 0)
		sys_close((int)fd);
	if (!log)
		return NULL;
	program = enter(log, id, facts);
	if (!program) {
		sys_munmap(log, log->map_bytes);
		return NULL;
	}
	log_publish(&program->child.record, LOG_RECORD_PROGRAM);
	child_is_program(log, program);
	return program;
}

void brief_facts(const struct log_program *program, struct facts *facts)
{
	facts->command = (const char *)(program + 1);
	facts->exe = facts->command + program->command_bytes;
	facts->cwd = facts->exe + program->exe_bytes;
}
