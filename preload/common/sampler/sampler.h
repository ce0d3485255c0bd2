/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampler reads the resources of one process at a fixed pace and writes rows into its log. It
 * also grows the log ahead of its writers, and writes clock rows. The same code runs as a task of
 * the library and outside, in insideme-run. It makes no libc call and needs no TLS, only a pid, the
 * log and system calls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/base/settings.h"
#include "preload/common/run/run.h"

/* The user's settings. */
struct sampler_settings {
	uint64_t interval_ns;		/* between rows of SET_PROCESS */
	bool interval_is_set;		/* by the user: keep it even where it costs more than 1 % of a core */
	uint64_t pss_limit_bytes;	/* PSS and USS are not read while RSS is above this */
	bool page_faults;		/* by the code that touched a page first */
	bool waits;			/* what blocked threads are in */
};

static inline struct sampler_settings sampler_settings(const struct settings *from)
{
	return (struct sampler_settings){
		.interval_ns = from->value[SETTING_INTERVAL],
		.interval_is_set = from->source[SETTING_INTERVAL] != FROM_FALLBACK,
		.pss_limit_bytes = from->value[SETTING_PSS_LIMIT],
		.page_faults = from->value[SETTING_PAGE_FAULTS],
		.waits = from->value[SETTING_WAITS],
	};
}

struct sampler_config {
	struct log_header *log;		/* mapped here */
	int log_fd;			/* the log's file, open for writing; sampler_stop() closes it */
	int pid;			/* the process to sample; 0: only the machine and the clock */
	bool own_thread;	/* the sampler is a thread of @pid: subtract its own CPU time and switches */
	bool system;			/* read the machine's columns too */
	/* But only if no other process of this run reads them; NULL: read them in any case */
	struct run *run;
	struct sampler_settings settings;
	/*
	 * A forked child without a log: its rows go into another process's log, where they have the
	 * child's pid as id.
	 */
	/* The log that the child has mapped, as mapped here; NULL: the process has its own log, @log */
	struct log_header *ancestor;
	const struct log_entry *entry;		/* the child's entry in it */
	const struct log_heap *entry_heap;	/* the entry's counters of the heap; NULL: none */
	uint64_t process_start;			/* field 22 of /proc/PID/stat */
	/* The least interval_ns; it rises with the number of such children */
	const uint64_t *least_interval_ns;
};

/*
 * Opaque to callers except for its size: they provide the memory. The library has its own, without
 * malloc.
 */
struct sampler;
#define SAMPLER_BYTES (212u << 10)

/* Return: 0, or -errno when nothing can be sampled because the process is gone. */
int sampler_start(struct sampler *sampler, const struct sampler_config *config);

/*
 * Do what is due, and no more. Return: when the next call is due (CLOCK_MONOTONIC), or -errno when
 * the process is gone or the log is closed. -ESTALE: seen from outside, the process runs another
 * program, which would have a log of its own.
 */
int64_t sampler_step(struct sampler *sampler);

/*
 * sampler_pause() closes the descriptors, including the log's, and writes nothing. sampler_resume()
 * opens them again, in another task; rows go on where they were. @log_fd: the log's new descriptor.
 * Return: 0, or -errno when nothing can be sampled any more.
 */
void sampler_pause(struct sampler *sampler);
int sampler_resume(struct sampler *sampler, int log_fd);

/* Write a last row of each set and a clock row, and close the descriptors. */
void sampler_stop(struct sampler *sampler);

/*
 * Use this in place of all functions above for a process that ends before its first sample. Any
 * thread of the process may write this one row of the process's own figures. The log's descriptor
 * stays open.
 */
void sampler_take_only(struct sampler *sampler, const struct sampler_config *config);
