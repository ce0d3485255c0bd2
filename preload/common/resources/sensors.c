/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads sensors below /sys. */
#include "preload/common/resources/sensors.h"

#include <stdbool.h>

#include "preload/common/base/proc_text.h"

/* Open ROOT/sys/class/KIND, followed by @number and @file. */
static int open_sensor(const struct sensors *sensors, const char *kind, uint32_t number, const char *file)
{
	char path[160];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_add(&text, sensors->root);
	text_add(&text, "/sys/class/");
	text_add(&text, kind);
	text_add_number(&text, number);
	text_add(&text, file);
	return (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

static bool read_number(struct sensors *sensors, int fd, uint64_t *number)
{
	char text[32];
	const char *at = text;

	return proc_file_read(fd, sensors->count, text, sizeof(text), 0) > 0 && scan_number(&at, number);
}

/* The packages' numbers have no gaps. Return: whether this one exists and may be read. */
static bool open_package(struct sensors *sensors, uint32_t number)
{
	struct energy_package *package = &sensors->packages[sensors->nr_packages];
	int range_fd = open_sensor(sensors, "powercap/intel-rapl:", number, "/max_energy_range_uj");
	bool is_read;

	*package = (struct energy_package){ .fd = open_sensor(sensors, "powercap/intel-rapl:", number,
							      "/energy_uj") };
	is_read = read_number(sensors, range_fd, &package->range_uj) &&
		  read_number(sensors, package->fd, &package->last_uj);

	proc_file_close(&range_fd);
	if (is_read)
		sensors->nr_packages++;
	else
		proc_file_close(&package->fd);
	return is_read;
}

void sensors_open(struct sensors *sensors, const char *root, struct read_count *count)
{
	sensors->root = root;
	sensors->count = count;
	sensors->nr_zones = sensors->nr_packages = 0;
	for (uint32_t i = 0; i < SENSORS_MAX; i++) {
		int fd = open_sensor(sensors, "thermal/thermal_zone", i, "/temp");

		if (fd >= 0)
			sensors->zone_fds[sensors->nr_zones++] = fd;
	}
	for (uint32_t i = 0; i < SENSORS_MAX && open_package(sensors, i); i++)
		;
}

void sensors_close(struct sensors *sensors)
{
	while (sensors->nr_zones)
		proc_file_close(&sensors->zone_fds[--sensors->nr_zones]);
	while (sensors->nr_packages)
		proc_file_close(&sensors->packages[--sensors->nr_packages].fd);
}

static void read_energy(struct sensors *sensors, struct figures *figures)
{
	uint64_t sum_uj = 0;

	for (uint32_t i = 0; i < sensors->nr_packages; i++) {
		struct energy_package *package = &sensors->packages[i];
		uint64_t now;

		if (!read_number(sensors, package->fd, &now))
			return;
		package->sum_uj += now >= package->last_uj
					   ? now - package->last_uj
					   : now + (package->range_uj > package->last_uj
							    ? package->range_uj - package->last_uj
							    : 0);
		package->last_uj = now;
		sum_uj += package->sum_uj;
	}
	if (sensors->nr_packages)
		figures->energy_joules = sum_uj / 1000;
}

/* A zone below 0 degrees cannot be parsed, and so is never the hottest. */
void sensors_read(struct sensors *sensors, struct figures *figures)
{
	for (uint32_t i = 0; i < sensors->nr_zones; i++) {
		uint64_t milli;

		if (read_number(sensors, sensors->zone_fds[i], &milli) &&
		    (figures->temperature_celsius == LOG_NONE || milli > figures->temperature_celsius))
			figures->temperature_celsius = milli;
	}
	read_energy(sensors, figures);
}
