/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine's files in /proc say. */
#include "resources/machine_text.h"

#include <errno.h>

#include "insideme_log.h"
#include "resources/process_text.h"
#include "resources/scan.h"
#include "text.h"

#define SECTOR_BYTES 512	/* of diskstats, whatever the disk's own */

/* "cpu  user nice system idle iowait irq softirq steal ...": guests are in user and nice already. */
int proc_parse_cpu(const char *text, struct proc_cpu *cpu)
{
	enum { IDLE = 3, IOWAIT = 4, FIELDS = 8 };
	uint64_t idle = 0, total = 0;

	if (!text_begins(text, "cpu "))
		return -EINVAL;
	text += 4;
	for (int i = 0; i < FIELDS; i++) {
		uint64_t ticks;

		if (!scan_number(&text, &ticks) || __builtin_add_overflow(total, ticks, &total))
			return -EINVAL;
		if (i == IDLE || i == IOWAIT)
			idle += ticks;
	}
	if (__builtin_mul_overflow(total, PROC_TICK_NS, &cpu->total_ns))
		return -EINVAL;
	cpu->busy_ns = (total - idle) * PROC_TICK_NS;
	return 0;
}

/* "0.15 ...": the average over one minute, always with two decimals. */
int proc_parse_loadavg(const char *text, uint64_t *load_milli)
{
	uint64_t whole, part;

	if (!scan_number(&text, &whole) || *text != '.' || whole > UINT32_MAX)
		return -EINVAL;
	if (!scan_is_digit(text[1]) || !scan_is_digit(text[2]))
		return -EINVAL;
	part = (uint64_t)(text[1] - '0') * 10 + (uint64_t)(text[2] - '0');
	*load_milli = whole * 1000 + part * 10;
	return 0;
}

static uint64_t kib_between(uint64_t more, uint64_t less)
{
	if (more == LOG_NONE || less == LOG_NONE || less > more || more > UINT64_MAX / 1024)
		return LOG_NONE;
	return (more - less) * 1024;
}

void proc_parse_meminfo(const char *text, struct proc_meminfo *meminfo)
{
	uint64_t total = LOG_NONE, available = LOG_NONE, swap_total = LOG_NONE, swap_free = LOG_NONE;
	const struct scan_key keys[] = {
		{ "MemTotal:", &total },
		{ "MemAvailable:", &available },
		{ "SwapTotal:", &swap_total },
		{ "SwapFree:", &swap_free },
	};

	scan_keys(text, keys, ARRAY_SIZE(keys));
	meminfo->used_bytes = kib_between(total, available);
	meminfo->available_bytes = kib_between(available, 0);
	meminfo->swap_used_bytes = kib_between(swap_total, swap_free);
}

/* " 254 0 vda reads merged sectors ms writes merged sectors ms ..." */
static int parse_disk_line(const char *at, struct proc_disk *disk)
{
	uint64_t sectors_read, sectors_written;
	unsigned length = 0;

	if (!scan_skip(&at, 2))
		return -EINVAL;
	while (*at == ' ')
		at++;
	for (; *at && *at != ' ' && *at != '\n'; at++) {
		if (length == sizeof(disk->name) - 1)
			return -EINVAL;
		disk->name[length++] = *at;
	}
	disk->name[length] = '\0';
	if (!scan_number(&at, &disk->reads) || !scan_skip(&at, 1) || !scan_number(&at, &sectors_read) ||
	    !scan_skip(&at, 1) || !scan_number(&at, &disk->writes) || !scan_skip(&at, 1) ||
	    !scan_number(&at, &sectors_written) || *at != ' ')
		return -EINVAL;
	if (__builtin_mul_overflow(sectors_read, SECTOR_BYTES, &disk->read_bytes) ||
	    __builtin_mul_overflow(sectors_written, SECTOR_BYTES, &disk->written_bytes))
		return -EINVAL;
	return 0;
}

int proc_parse_disk(const char **text, struct proc_disk *disk)
{
	int error = parse_disk_line(*text, disk);

	while (**text && **text != '\n')
		++*text;
	if (**text)
		++*text;
	return error;
}
