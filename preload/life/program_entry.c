/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of programs in the log that they share. */
#include "preload/life/program_entry.h"

#include <errno.h>
#include <sys/prctl.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log.h"
#include "preload/common/resources/usage.h"
#include "preload/common/run/shared_log.h"
#include "preload/heap/heap.h"
#include "preload/state/child_entry.h"

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
	program->child.heap_bytes = heap_setting() == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE;
	program->child.has_heap = 1;
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

struct log_program *program_entry_enter(struct run *run, const struct process_id *id,
					const struct facts *facts, uint64_t us_ticks)
{
	struct log_program *program;
	int error = 0;

	if (!run->shared)
		error = run->page->no_shared_log ? -ENODEV : shared_log_map(run, id);
	if (error == -ENOENT)
		error = shared_log_make(run, id, &settings, us_ticks);
	if (error)
		return NULL;
	program = enter(run->shared, id, facts);
	if (!program) {
		shared_log_leave(run);
		return NULL;
	}
	log_publish(&program->child.record, LOG_RECORD_PROGRAM);
	child_is_program(run->shared, program);
	return program;
}

void program_entry_facts(const struct log_program *program, struct facts *facts)
{
	facts->command = (const char *)(program + 1);
	facts->exe = facts->command + program->command_bytes;
	facts->cwd = facts->exe + program->exe_bytes;
}
