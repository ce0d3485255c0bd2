/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampler: reads the resources of one process at a fixed pace and writes rows into its log, grows the
 * log ahead of its writers and writes clock rows. The same code runs as a thread of the library and outside
 * in insideme-run; it makes no libc call and needs no TLS, only a pid, the log and system calls.
 */
#ifndef INSIDEME_SAMPLER_H
#define INSIDEME_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/base/settings.h"
#include "preload/common/run/run.h"

/* What the user wants of it. */
struct sampler_settings {
	uint64_t interval_ns;		/* of the fast process row */
	bool interval_is_set;		/* keep the interval even where it costs more than 1 % of a core */
	uint64_t pss_limit_bytes;	/* of RSS: above it PSS and USS are not read */
};

static inline struct sampler_settings sampler_settings(const struct settings *from)
{
	return (struct sampler_settings){
		.interval_ns = from->value[SETTING_INTERVAL],
		.interval_is_set = from->source[SETTING_INTERVAL] != FROM_FALLBACK,
		.pss_limit_bytes = from->value[SETTING_PSS_LIMIT],
	};
}

struct sampler_config {
	struct log_header *log;		/* the log, mapped here */
	int log_fd;			/* its file, open for writing; sampler_stop() closes it */
	int pid;			/* whose resources; 0: only the machine's and the clock */
	bool own_thread;		/* the sampler is a thread of pid: its CPU and switches are taken out */
	bool system;			/* read the machine's columns too, */
	struct run *run;		/* where no other process of this run does; NULL: whatever others do */
	struct sampler_settings settings;
	/*
	 * Of a process that has no log, a forked child, the rows go into somebody else's, where they have the pid as id:
	 */
	const struct log_header *ancestor;	/* the log that it has mapped, as mapped here; NULL: @log is its own */
	const struct log_child *entry;		/* then: its entry there, */
	const struct log_heap *entry_heap;	/* what it counts of the heap in that, NULL: nothing, */
	uint64_t process_start;			/* field 22 of /proc/PID/stat, */
	const uint64_t *least_interval_ns;	/* and what interval_ns is at least: the more such, the rarer their rows */
};

/* Opaque to callers but for its size: they provide the memory (the library: its own, no malloc). */
struct sampler;
#define SAMPLER_BYTES (200u << 10)

/* Return: 0, or -errno when nothing can be sampled (the process is gone). */
int sampler_start(struct sampler *sampler, const struct sampler_config *config);

/*
 * Do what is due, and no more.
 * Return: when the next call is due (CLOCK_MONOTONIC), or -errno when the process is gone or the log is closed;
 * -ESTALE: from outside it was seen to run another program, which a log of its own would be of.
 */
int64_t sampler_step(struct sampler *sampler);

/*
 * Close the descriptors, the log's too, without a word; and open them again in another task, if ever: rows go on where
 * they were. sampler_resume() takes the log's new descriptor. Return: 0, or -errno when nothing can be sampled any more.
 */
void sampler_pause(struct sampler *sampler);
int sampler_resume(struct sampler *sampler, int log_fd);

/* A last row of each set and a clock row; closes the descriptors. */
void sampler_stop(struct sampler *sampler);

/*
 * Instead of all these, for a process that ends before its first sample: one row of its own figures, taken by any
 * of its threads. Leaves the log's descriptor open.
 */
void sampler_take_only(struct sampler *sampler, const struct sampler_config *config);

#endif
