/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Temperature and energy of the machine, where the kernel shows them: thermal zones, and RAPL
 * (mostly for root only).
 */
#pragma once

#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/proc_file.h"

#define SENSORS_MAX 16

struct sensors {
	const char *root;		/* of the file system; "" except in tests */
	uint32_t nr_zones;
	int zone_fds[SENSORS_MAX];
	uint32_t nr_packages;
	struct energy_package {
		int fd;
		uint64_t range_uj;	/* the counter wraps after this */
		uint64_t last_uj;
		uint64_t sum_uj;	/* since the sensor was opened */
	} packages[SENSORS_MAX];
	struct read_count *count;
};

/* @root and @count must stay valid. */
void sensors_open(struct sensors *sensors, const char *root, struct read_count *count);
void sensors_close(struct sensors *sensors);
void sensors_read(struct sensors *sensors, struct figures *figures);
