/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a process that did not load the library. */
#include "preload/monitor/watch/attached_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/log_elsewhere.h"
#include "preload/common/run/log_create.h"
#include "preload/common/run/process_facts.h"

#define SECOND_READING_US	200	/* of the clocks, after the first one: gives the rate of the ticks */
#define ARGUMENTS_MAX		256
#define COMMAND_BYTES		8192

/* Find the identity of process @pid. Return: 0, or -errno */
static int identify(struct process_id *id, pid_t pid, const struct process_id *here)
{
	int error;

	*id = *here;
	id->pid = (uint32_t)pid;
	id->rank = (struct rank){ .rank = -1, .nr_ranks = -1, .local_rank = -1 };
	error = process_parent(id->pid, &id->ppid, &id->start);
	if (error)
		return error;
	process_program(id->pid, id->program);
	return 0;
}

static void write_facts(struct log_header *log, pid_t pid, const struct settings *settings)
{
	char path[32], text[COMMAND_BYTES], buffer[FACTS_BYTES], *argv[ARGUMENTS_MAX + 1];
	struct facts facts;
	int argc = 0;
	long length;

	proc_path(path, sizeof(path), (uint32_t)pid, "/cmdline");
	length = read_file(path, text, sizeof(text));
	for (char *at = text; at < text + length && argc < ARGUMENTS_MAX; at += strlen(at) + 1)
		argv[argc++] = at;
	/* A process that gave itself a title leaves the rest of its arguments empty. */
	while (argc > 1 && !argv[argc - 1][0])
		argc--;
	argv[argc] = NULL;
	facts_read(&facts, buffer, (uint32_t)pid, NULL, argc, argv);
	facts_write(log, &facts, settings, true);
	log_write_text(log, "attached", "insideme-run --pid", clock_ticks(log->clock));
}

/* Replace what log_open() took from this process. */
static void correct_header(struct log_header *log, pid_t pid)
{
	char path[32];
	struct stat stat_of;

	proc_path(path, sizeof(path), (uint32_t)pid, "");
	if (stat(path, &stat_of) == 0)
		log->uid = stat_of.st_uid;
	log->base_addr = 0;		/* the process has not mapped it */
	log->heap_bytes = LOG_HEAP_OFF;
	log->snapshot = 0;
	log->start_cost_ns = LOG_NONE;
	log->start_peak_rss_bytes = log->start_cpu_ns = 0;
}

static int start_sampler(struct sampled *sampled, int fd, const struct settings *settings)
{
	const struct sampler_config config = {
		.log = sampled->log,
		.log_fd = fd,
		.pid = sampled->pid,
		.settings = sampler_settings(settings),
	};

	sampled->sampler = calloc(1, SAMPLER_BYTES);
	return sampled->sampler ? sampler_start(sampled->sampler, &config) : -ENOMEM;
}

struct sampled *sampled_new(pid_t pid, const struct run *run, const struct process_id *here,
			    const struct settings *settings, int *error)
{
	struct sampled *sampled = calloc(1, sizeof(*sampled));
	struct process_id id;
	struct log_open open = {
		.run = run, .id = &id, .settings = settings, .kind = LOG_OF_PROGRAM, .clock = choose_clock()
	};
	int fd = -1;

	*error = sampled ? identify(&id, pid, here) : -ENOMEM;
	if (!*error)
		*error = log_open(&open, &sampled->log, &fd);
	if (*error) {
		free(sampled);
		return NULL;
	}
	sampled->pid = pid;
	sampled->log_fd = fd;
	sampled->start_ticks = id.start;
	strcpy(sampled->home, open.home);
	correct_header(sampled->log, pid);
	write_facts(sampled->log, pid, settings);
	usleep(SECOND_READING_US);
	clock_read_all(sampled->log->clock, &sampled->log->start_again);
	__atomic_store_n(&sampled->log->magic, LOG_MAGIC, __ATOMIC_RELEASE);
	*error = start_sampler(sampled, fd, settings);
	if (!*error)
		return sampled;
	free(sampled->sampler);
	free(sampled);
	close(fd);
	return NULL;
}

bool sampled_step(struct sampled *sampled, int64_t now_ns)
{
	if (sampled->due_ns > now_ns)
		return true;
	sampled->due_ns = sampler_step(sampled->sampler);
	return sampled->due_ns >= 0;
}

void sampled_close(struct sampled *sampled, bool has_ended)
{
	sampler_stop(sampled->sampler);
	free(sampled->sampler);
	sampled->sampler = NULL;
	if (has_ended)
		clock_read_all(sampled->log->clock, &sampled->log->finish);
	if (sampled->home[0])
		elsewhere_bring_home(sampled->home);
}
