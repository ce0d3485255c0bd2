/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each process of a run ended. */
#include "analyzer/read/ends_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/process.h"

#define KERNEL_NAME_LENGTH	15	/* longest program name that the kernel keeps */

/* Did it run on this host? Then it is gone if its pid does not answer. */
static bool was_here(const struct process *process)
{
	char host[sizeof(process->header.host)] = "";
	FILE *file = fopen("/proc/sys/kernel/hostname", "r");

	if (file) {
		if (fscanf(file, "%63s", host) != 1)
			host[0] = '\0';
		fclose(file);
	}
	return strcmp(host, process->header.host) == 0;
}

/*
 * The kernel's peak of a process includes earlier programs of the same pid, the log's own pages, and the map
 * of live blocks. If it rose since this program began, it is this program's, and less the other two, at
 * their largest, it is a lower bound.
 */
static void take_peak(struct process *process, uint64_t bytes)
{
	const struct log_header *header = &process->header;
	const uint64_t own_bytes = header->file_bytes + header->heap_map_most_bytes;

	if (bytes == LOG_NONE || bytes <= header->start_peak_rss_bytes || bytes <= own_bytes ||
	    own_bytes < header->heap_map_most_bytes)
		return;
	bytes -= own_bytes;
	if (process->peak_rss_bytes == LOG_NONE || bytes > process->peak_rss_bytes)
		process->peak_rss_bytes = bytes;
}

/* The later of two readings is the larger one. */
static void take_usage(struct process *process, uint64_t user_ns, uint64_t system_ns)
{
	if (user_ns == LOG_NONE || system_ns == LOG_NONE)
		return;
	if (!process->has_usage || user_ns > process->user_ns)
		process->user_ns = user_ns;
	if (!process->has_usage || system_ns > process->system_ns)
		process->system_ns = system_ns;
	process->has_usage = true;
}

/* The process's own reading at its end. It includes the sampler's part. */
static void take_own_usage(struct process *process)
{
	const struct log_header *header = &process->header;
	uint64_t sampler_ns =
		header->sampler_kind == 1 && header->sampler_cpu_ns != LOG_NONE ? header->sampler_cpu_ns : 0;
	uint64_t system_ns = header->finish_system_ns;

	process->peak_rss_bytes = LOG_NONE;
	if (!header->finish_peak_rss_bytes)
		return;
	take_usage(process, header->finish_user_ns, system_ns > sampler_ns ? system_ns - sampler_ns : 0);
	take_peak(process, header->finish_peak_rss_bytes);
}

/* The crash handler recorded the signal, which then ended the process. */
static void take_crash(struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++)
		if (process->events[i].kind == LOG_EVENT_CRASH) {
			process->end_kind = END_SIGNAL;
			process->end_status = (int)process->events[i].values[0];
		}
}

/* The end as the log itself has it, and whether another program followed. */
static void find_own_end(struct process *process)
{
	take_own_usage(process);
	process->end_status = process->header.end_status;
	if (process->header.end == LOG_EXITED)
		process->end_kind = END_EXIT;
	else if (process->header.end == LOG_TURNED_OFF)
		process->end_kind = END_TURNED_OFF;
	else if (process->end_next)
		process->end_kind = END_EXEC;
	else if (process->is_running)
		process->end_kind = END_RUNNING;
	else
		process->end_kind = was_here(process) ? END_SILENT : END_UNKNOWN;
	if (process->end_kind == END_SILENT || process->end_kind == END_UNKNOWN)
		take_crash(process);
}

static bool can_be(const struct process *process, const struct event *event, uint32_t pid)
{
	const struct process *monitor = event->process;

	return process->run == monitor->run && process->header.pid == pid && process->start <= event->time &&
	       strcmp(process->header.host, monitor->header.host) == 0;
}

/* The program that insideme-run saw as @pid, by its start, as its log has it. */
static struct process *find_image(const struct model *model, const struct event *event, uint32_t pid,
				  uint64_t start_ns)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (can_be(model->processes[i], event, pid) &&
		    model->processes[i]->log->header.start.monotonic_ns == start_ns)
			return model->processes[i];
	return NULL;
}

/*
 * The last program of the process that insideme-run saw as @pid with that @start. Old logs and events have no
 * start: then the newest process with that pid that began before @event.
 */
static struct process *find_process(const struct model *model, const struct event *event, uint32_t pid,
				    uint64_t start)
{
	bool has_start = start && start != LOG_NONE;
	struct process *found = NULL;

	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		if (!can_be(process, event, pid))
			continue;
		if (has_start && process->header.process_start && process->header.process_start != start)
			continue;
		if (!found || process->start >= found->start)
			found = process;
	}
	return found;
}

/* values: pid, wait status, user ns, system ns, peak RSS in bytes, start. */
static void take_status(struct process *process, const struct event *event)
{
	int status = (int)event->values[1];

	take_usage(process, event->values[2], event->values[3]);
	take_peak(process, event->values[4]);
	if (event->values[1] == LOG_NONE)
		return;
	if (WIFSIGNALED(status)) {
		process->end_kind = END_SIGNAL;
		process->end_status = WTERMSIG(status);
		process->core_dumped = WCOREDUMP(status);
	} else if (WIFEXITED(status)) {
		process->end_kind = process->end_kind == END_TURNED_OFF ? END_TURNED_OFF : END_EXIT;
		process->end_status = WEXITSTATUS(status);
	}
}

static struct unseen_process *find_unseen(struct model *model, uint32_t run, uint32_t pid)
{
	for (size_t i = model->nr_unseen; i-- > 0;)
		if (model->unseen[i].run == run && model->unseen[i].pid == pid)
			return &model->unseen[i];
	return NULL;
}

static struct unseen_process *add_unseen(struct model *model, const struct event *event)
{
	struct unseen_process *unseen;

	unseen = &APPEND(model->unseen, model->nr_unseen);
	unseen->run = event->process->run;
	unseen->pid = (uint32_t)event->values[0];
	unseen->rank = event->process->header.rank;
	unseen->program = xstrdup(event->text ? event->text : "");
	unseen->time = event->time;
	return unseen;
}

/* The kernel's counters include those of the program before it. */
static void leave_out_before(struct unseen_process *unseen)
{
	struct usage before = usage_of_process(unseen->before);

	if (!isnan(before.user_ns) && unseen->user_ns != LOG_NONE)
		unseen->user_ns -= fmin(before.user_ns, (double)unseen->user_ns);
	if (!isnan(before.system_ns) && unseen->system_ns != LOG_NONE)
		unseen->system_ns -= fmin(before.system_ns, (double)unseen->system_ns);
	if (before.peak_rss_bytes >= (double)unseen->peak_rss_bytes)
		unseen->peak_rss_bytes = LOG_NONE;
}

static void take_unseen_end(struct unseen_process *unseen, const struct event *event)
{
	unseen->has_end = true;
	unseen->end = event->time;
	unseen->wait_status = (int)event->values[1];
	unseen->user_ns = event->values[2];
	unseen->system_ns = event->values[3];
	unseen->peak_rss_bytes = event->values[4];
	if (unseen->before)
		leave_out_before(unseen);
}

static void take_end(struct model *model, const struct event *event)
{
	uint32_t pid = (uint32_t)event->values[0];
	struct process *process = find_process(model, event, pid, event->values[5]);
	struct unseen_process *unseen = find_unseen(model, event->process->run, pid);

	if (unseen && !unseen->has_end && (!process || unseen->time > process->start))
		take_unseen_end(unseen, event);
	else if (process)
		take_status(process, event);
}

static bool has_no_end(const struct process *process)
{
	return process->end_kind == END_SILENT || process->end_kind == END_UNKNOWN ||
	       process->end_kind == END_RUNNING;
}

static void take_exec(struct model *model, struct process *before, const struct event *event)
{
	add_unseen(model, event)->before = before;
	before->end_kind = END_EXEC;
	before->end_program = event->text ?: "another program";
}

/*
 * A program that another one followed has no end of its own. insideme-run reports an exec when it sees it. It
 * reports orphans without a log after it waited for them: an orphan that is still its parent's program has an
 * entry.
 */
static void take_unseen(struct model *model, const struct event *event)
{
	uint32_t pid = (uint32_t)event->values[0];
	bool has_execed = event->values[1];
	struct process *process = has_execed ? find_image(model, event, pid, event->values[1])
					     : find_process(model, event, pid, 0);
	const struct unseen_process *known = find_unseen(model, event->process->run, pid);
	bool is_entered = process && process->parent;

	if (known && known->before && !known->has_end)
		return;
	if (!has_execed && is_entered && event->text &&
	    strncmp(process->header.program, event->text, KERNEL_NAME_LENGTH) == 0)
		return;
	if (process && has_no_end(process) && (has_execed || is_entered))
		take_exec(model, process, event);
	else if (!has_execed)
		add_unseen(model, event);
}

static void take_event(struct model *model, const struct event *event)
{
	struct process *process;

	switch (event->kind) {
	case LOG_EVENT_PROCESS_UNSEEN:
		take_unseen(model, event);
		break;
	case LOG_EVENT_PROCESS_END:
		take_end(model, event);
		break;
	case LOG_EVENT_PROCESS_LEFT:
		process = find_process(model, event, (uint32_t)event->values[0], event->values[1]);
		if (process)
			process->was_left = true;
		break;
	default:
		break;
	}
}

/* insideme-run --pid writes the process's log, and has ended: nothing is known of what comes after. */
static bool has_lost_writer(const struct model *model, const struct process *process)
{
	if (process->end_kind != END_RUNNING || !process_fact(process, "attached"))
		return false;
	for (size_t i = 0; i < model->nr_monitors; i++)
		if (model->monitors[i]->is_running && model->monitors[i]->run == process->run)
			return false;
	return true;
}

void ends_find(struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		find_own_end(model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors; i++) {
		model->monitors[i]->end_kind = model->monitors[i]->is_running ? END_RUNNING : END_EXIT;
		for (size_t k = 0; k < model->monitors[i]->nr_events; k++)
			take_event(model, &model->monitors[i]->events[k]);
	}
	for (size_t i = 0; i < model->nr_processes; i++)
		if (has_lost_writer(model, model->processes[i])) {
			model->processes[i]->end_kind = END_SILENT;
			model->processes[i]->was_left = true;
		}
}

/* The process recorded why it would end, and recorded nothing after that. */
static const char *own_end_text(const struct process *process)
{
	static const char *const texts[] = {
		[LOG_ERROR_THROW] = "ended by an exception that nobody caught",
		[LOG_ERROR_RETHROW] = "ended by an exception that nobody caught",
		[LOG_ERROR_TERMINATE] = "ended by std::terminate()",
		[LOG_ERROR_ABORT] = "ended by abort()",
		[LOG_ERROR_ASSERTION] = "ended by an assertion that failed",
	};
	const struct error *error = errors_ending(process);
	uint32_t kind = error ? error->counts.error : 0;

	return kind < sizeof(texts) / sizeof(*texts) ? texts[kind] : NULL;
}

/* insideme-run ended before it, and it runs on. */
static bool runs_on(const struct process *process)
{
	return process->was_left && process->is_running;
}

bool process_end_is_timed(const struct process *process)
{
	return process->end_kind != END_UNKNOWN &&
	       (process->end_kind != END_SILENT || own_end_text(process) != NULL || runs_on(process));
}

static const char *silent_text(const struct process *process)
{
	const char *own = own_end_text(process);

	if (own)
		return own;
	if (process->header.memory_passed && process->header.memory_action == LOG_MEMORY_ABORT)
		return "ended without a word after INSIDEME_MAX_MEMORY had sent it SIGABRT";
	if (runs_on(process))
		return "ran on when insideme-run ended";
	if (process->was_left)
		return "ran on when insideme-run ended, and then ended without a word";
	if (process->model->nr_monitors)
		return "ended without a word: SIGKILL or a raw exit; insideme-run did not see its status";
	if (process->header.rank >= 0)
		return "ended without a word: SIGKILL, a raw exit or an exec of what is not recorded "
		       "(insideme-run mpirun ... would know)";
	return "ended without a word: SIGKILL, a raw exit or an exec of what is not recorded "
	       "(insideme-run would know)";
}

const char *process_end_text(const struct process *process, char *out, size_t bytes)
{
	const char *signal = process->end_kind == END_SIGNAL ? sigabbrev_np(process->end_status) : NULL;

	switch (process->end_kind) {
	case END_RUNNING:
		snprintf(out, bytes, "still running");
		break;
	case END_EXIT:
		snprintf(out, bytes, "exit status %d", process->end_status);
		break;
	case END_SIGNAL:
		if (signal)
			snprintf(out, bytes, "killed by SIG%s%s", signal,
				 process->core_dumped ? ", core dumped" : "");
		else
			snprintf(out, bytes, "killed by signal %d", process->end_status);
		break;
	case END_EXEC:
		if (process->end_program)
			snprintf(out, bytes, "exec of %s (not recorded)", process->end_program);
		else
			snprintf(out, bytes, "exec of %s",
				 process->end_next ? process->end_next->header.program : "another program");
		break;
	case END_TURNED_OFF:
		snprintf(out, bytes, "the recorder turned itself off: %s",
			 process_fact(process, "off") ?: "no reason recorded");
		break;
	case END_SILENT:
		snprintf(out, bytes, "%s", silent_text(process));
		break;
	case END_UNKNOWN:
		snprintf(out, bytes,
			 "no end recorded; it ran on %s, so whether it still runs is not known here",
			 process->header.host[0] ? process->header.host : "another host");
		break;
	}
	return out;
}
