/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run's own log. */
#include "preload/monitor/watch/own_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/log_elsewhere.h"
#include "preload/common/run/log_create.h"
#include "preload/common/run/process_facts.h"
#include "preload/monitor/tools/process_info.h"

#define SECOND_READING_US 200	/* of the clocks, after the first one: gives the rate of the ticks */

static void start_sampler(struct own_log *own, int fd, const struct settings *settings)
{
	const struct sampler_config config = {
		.log = own->log,
		.log_fd = fd,
		.system = true,
		.settings = sampler_settings(settings),
	};

	own->sampler = calloc(1, SAMPLER_BYTES);
	if (!own->sampler || sampler_start(own->sampler, &config) < 0)
		abort();
}

void own_log_open(struct own_log *own, const struct run *run, const struct process_id *id,
		  const struct settings *settings, char **argv)
{
	struct log_open open = { .run = run, .settings = settings, .kind = LOG_OF_MONITOR };
	char buffer[FACTS_BYTES];
	struct facts facts;
	int fd, argc = 0;

	memset(own, 0, sizeof(*own));
	open.id = id;
	while (argv[argc])
		argc++;
	open.clock = choose_clock();
	if (log_open(&open, &own->log, &fd) < 0) {
		own->log = NULL;
		return;
	}
	own->log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	own->log->start_cost_ns = LOG_NONE;
	own->log->heap_bytes = LOG_HEAP_OFF;	/* these fields are for programs, but rows of some programs
						 * are here too */
	own->log->snapshot = 0;
	own->log->memory_limit_bytes = 0;
	strcpy(own->home, open.home);
	facts_read(&facts, buffer, PROCESS_SELF, NULL, argc, argv);
	facts_write(own->log, &facts, settings, true);
	usleep(SECOND_READING_US);
	clock_read_all(own->log->clock, &own->log->start_again);
	__atomic_store_n(&own->log->magic, LOG_MAGIC, __ATOMIC_RELEASE);
	gpu_start(&own->gpu, settings, own->log, fd);
	start_sampler(own, fd, settings);
}

int64_t own_log_step(struct own_log *own, int64_t now_ns)
{
	if (!own->sampler)
		return INT64_MAX;
	if (own->due_ns <= now_ns)
		own->due_ns = sampler_step(own->sampler);
	return own->due_ns;
}

void own_log_process_end(struct own_log *own, const struct process_end *end)
{
	const uint64_t values[] = { (uint64_t)end->pid, end->status,	     end->user_ns,
				    end->system_ns,	end->peak_rss_bytes, end->start_ticks };

	if (own->log)
		log_write_event(own->log, LOG_EVENT_PROCESS_END, 0, values, 6, NULL,
				clock_ticks(own->log->clock));
}

void own_log_process_unseen(struct own_log *own, pid_t pid, const char *program)
{
	const uint64_t values[] = { (uint64_t)pid };

	if (own->log)
		log_write_event(own->log, LOG_EVENT_PROCESS_UNSEEN, 0, values, 1, program,
				clock_ticks(own->log->clock));
}

void own_log_process_execed(struct own_log *own, pid_t pid, uint64_t start_ns)
{
	const uint64_t values[] = { (uint64_t)pid, start_ns };
	struct last_words words;

	if (own->log && last_words_read(&words, pid))
		log_write_event(own->log, LOG_EVENT_PROCESS_UNSEEN, 0, values, 2, words.name,
				clock_ticks(own->log->clock));
}

void own_log_refused(struct own_log *own, const char *program, const struct refusal *refusal)
{
	char text[1024];

	snprintf(text, sizeof(text), "%.600s is not recorded: %s; %s", program, refusal->reason,
		 refusal->advice);
	if (own->log)
		log_write_text(own->log, "refused", text, clock_ticks(own->log->clock));
}

void own_log_process_left(struct own_log *own, pid_t pid, uint64_t start_ticks)
{
	const uint64_t values[] = { (uint64_t)pid, start_ticks };

	if (own->log)
		log_write_event(own->log, LOG_EVENT_PROCESS_LEFT, 0, values, 2, NULL,
				clock_ticks(own->log->clock));
}

void own_log_close(struct own_log *own, int status)
{
	if (!own->log)
		return;
	gpu_stop(&own->gpu);
	sampler_stop(own->sampler);
	free(own->sampler);
	own->sampler = NULL;
	close(own->log_fd);
	clock_read_all(own->log->clock, &own->log->finish);
	own->log->end_status = status;
	__atomic_store_n(&own->log->end, (uint32_t)LOG_EXITED, __ATOMIC_RELEASE);
	if (own->home[0])
		elsewhere_bring_home(own->home);
}
