/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Use of GPUs of AMD, Intel and others by a process. Their kernel drivers report it in /proc/PID/fdinfo of
 * each descriptor of /dev/dri, so no library is needed. A descriptor's figures are lost when it is closed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/proc_file.h"

struct drm_client {
	uint64_t id;			/* descriptors with the same id belong to one client */
	uint64_t engine_ns;		/* sum over all engines */
	uint64_t memory_bytes;		/* resident, sum over all regions */
};

/* Parse one descriptor's text. Return: 0, or -EINVAL when it belongs to no client. */
int drm_parse_fdinfo(const char *text, struct drm_client *client);

struct drm {
	const char *root;		/* of the file system; "" except in tests */
	int pid;
	bool is_there;			/* the machine has such devices */
	struct read_count *count;
	char buffer[4096];
};

/* @root and @count must stay valid. */
void drm_open(struct drm *drm, const char *root, int pid, struct read_count *count);
/* Set the numbers of the set "process_gpu" if the process has such a descriptor. */
void drm_read(struct drm *drm, struct figures *figures);
