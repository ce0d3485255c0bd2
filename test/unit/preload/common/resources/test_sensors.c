/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources/sensors: the hottest zone, and energy counters that begin again. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/common/resources/sensors.h"
#include "test/unit/unit.h"

static char root[] = "/tmp/insideme-sensors-XXXXXX";
static struct sensors sensors;
static struct read_count count;

static void put(const char *name, const char *text)
{
	char command[256];

	snprintf(command, sizeof(command), "mkdir -p $(dirname %s/sys/class/%s) && echo %s > %s/sys/class/%s",
		 root, name, text, root, name);
	assert_int_equal(system(command), 0);
}

static struct figures read_now(void)
{
	struct figures figures;

	figures_clear(&figures);
	sensors_read(&sensors, &figures);
	return figures;
}

TEST(without_sensors_nothing_is_known)
{
	sensors_open(&sensors, root, &count);
	assert_true(read_now().temperature_celsius == LOG_NONE);
	assert_true(read_now().energy_joules == LOG_NONE);
	sensors_close(&sensors);
}

TEST(the_hottest_zone_counts)
{
	put("thermal/thermal_zone0/temp", "41000");
	put("thermal/thermal_zone2/temp", "52500");
	sensors_open(&sensors, root, &count);
	assert_int_equal(read_now().temperature_celsius, 52500);
	put("thermal/thermal_zone2/temp", "-3000");
	assert_int_equal(read_now().temperature_celsius, 41000);
	sensors_close(&sensors);
}

TEST(energy_goes_on_when_its_counter_begins_again)
{
	for (int i = 0; i < 2; i++) {
		put(i ? "powercap/intel-rapl:1/max_energy_range_uj"
		      : "powercap/intel-rapl:0/max_energy_range_uj",
		    "100000000");
		put(i ? "powercap/intel-rapl:1/energy_uj" : "powercap/intel-rapl:0/energy_uj", "90000000");
	}
	sensors_open(&sensors, root, &count);
	assert_int_equal(read_now().energy_joules, 0);
	put("powercap/intel-rapl:0/energy_uj", "95000000");
	assert_int_equal(read_now().energy_joules, 5000);
	put("powercap/intel-rapl:1/energy_uj", "1000000");
	assert_int_equal(read_now().energy_joules, 16000);
	sensors_close(&sensors);
}

int before_all(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

int after_all(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}
