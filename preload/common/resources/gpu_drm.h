/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process uses of AMD's, Intel's and others' GPUs, as their kernel drivers tell in /proc/PID/fdinfo of each
 * descriptor of /dev/dri: no library is needed. What closed descriptors had used is not told any more.
 */
#ifndef INSIDEME_GPU_DRM_H
#define INSIDEME_GPU_DRM_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/source.h"

struct drm_client {
	uint64_t id;			/* descriptors that share one are one client */
	uint64_t engine_ns;		/* of all engines */
	uint64_t memory_bytes;		/* resident, of all regions */
};

/* One descriptor's text. Return: 0, or -EINVAL when it is none of a client. */
int drm_parse_fdinfo(const char *text, struct drm_client *client);

struct drm {
	const char *root;		/* of the file system; "" but for tests */
	int pid;
	bool is_there;			/* there are such devices */
	struct source_count *count;
	char buffer[4096];
};

/* @root and @count are kept. */
void drm_open(struct drm *drm, const char *root, int pid, struct source_count *count);
/* Sets the numbers of the set "process_gpu" if the process has such a descriptor. */
void drm_read(struct drm *drm, struct figures *figures);

#endif
