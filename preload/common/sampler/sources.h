/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that one sampler reads, by the sets of columns that it fills. Used by the sampler alone;
 * makes no libc call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/rows_writer.h"
#include "preload/common/resources/cgroup.h"
#include "preload/common/resources/disks.h"
#include "preload/common/resources/drm.h"
#include "preload/common/resources/machine.h"
#include "preload/common/resources/threads_rows.h"
#include "preload/common/resources/usage.h"
#include "preload/common/run/machine_owner.h"
#include "preload/common/sampler/sampler.h"
#include "preload/common/sampler/slice_activity.h"

struct sources {
	struct sampler_config config;
	struct activity activity;
	struct usage usage;
	struct tasks tasks;
	uint32_t nr_threads_met;	/* log's nr_threads when SET_THREAD was last read */
	struct drm drm;
	struct disks disks;
	struct machine_owner machine_owner;
	struct machine machine;
	struct cgroup cgroup;
	bool machine_is_open, cgroup_is_open;
	bool knows_cores;
	bool has_no_cgroup;			/* known after the first reading */
	/* If there is no process whose own reads must be subtracted */
	struct read_count machine_count;
	struct figures figures;			/* of the newest reading */
	struct row_set core_rows;
	uint64_t last_core[MACHINE_CORES];
};

/* Return: 0, or -errno when nothing can be sampled. */
int sources_open(struct sources *sources, const struct sampler_config *config);
void sources_close(struct sources *sources);
/* Go on in another task, with the log's new descriptor. */
int sources_open_again(struct sources *sources, int log_fd);

/*
 * From now on each row is full, so that numbers that are read less often than rows come are read
 * once more.
 */
void sources_read_all(struct sources *sources);

bool sources_have(const struct sources *sources, enum column_set_id set);

/* Are there threads that the recorder has met, but that have no row yet? */
bool sources_have_new_threads(const struct sources *sources);

/*
 * Read a set into figures. Rows of sets that stand for several (threads, processors) are added at
 * once. @log_memory_bytes: the log is in memory up to here; 0: as the kernel reports. Return: 0, or
 * -ESRCH when the process has ended.
 */
int sources_read(struct sources *sources, enum column_set_id set, uint64_t log_memory_bytes, uint64_t *ticks);

/* Read the calling process's own figures, if it ends before its first sample. */
void sources_read_own(struct sources *sources, const struct sampler_config *config);
