/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temperature and energy of the machine, where the kernel tells them: thermal zones, RAPL (root only, mostly). */
#ifndef INSIDEME_RESOURCES_SENSORS_H
#define INSIDEME_RESOURCES_SENSORS_H

#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/source.h"

#define SENSORS_MAX 16

struct sensors {
	const char *root;		/* of the file system; "" but for tests */
	uint32_t nr_zones;
	int zone_fds[SENSORS_MAX];
	uint32_t nr_packages;
	struct energy_package {
		int fd;
		uint64_t range_uj;	/* it counts up to this, and begins again */
		uint64_t last_uj;
		uint64_t sum_uj;	/* since the sensor was opened */
	} packages[SENSORS_MAX];
	struct source_count *count;
};

/* @root and @count are kept. */
void sensors_open(struct sensors *sensors, const char *root, struct source_count *count);
void sensors_close(struct sensors *sensors);
void sensors_read(struct sensors *sensors, struct figures *figures);

#endif
