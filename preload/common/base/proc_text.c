/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the text of /proc. */
#include "preload/common/base/proc_text.h"

#include <errno.h>
#include <stddef.h>

#include "insideme_log.h"
#include "preload/common/base/text.h"

void scan_keys(const char *text, const struct scan_key *keys, int nr_keys)
{
	int first = 0;

	while (*text && first < nr_keys) {
		const char *end = text;

		for (int i = first; i < nr_keys; i++) {
			if (keys[i].key[0] != *text || !text_begins(text, keys[i].key))
				continue;
			end = text + text_length(keys[i].key);
			scan_number(&end, keys[i].value);
			first = i + 1;
			break;
		}
		text = scan_next_line(end);
	}
}

/*
 * Field 2, the command name, may hold blanks and parentheses, so fields are counted from the last
 * ')'. The numbers beside the lines are those of proc(5).
 */
int proc_parse_stat(const char *text, struct proc_stat *stat)
{
	const char *at = NULL;
	uint64_t user, system;

	for (const char *p = text; *p; p++) {
		if (*p == ')')
			at = p + 1;
	}
	if (!at || at[0] != ' ' || !at[1])
		return -EINVAL;
	stat->state = at[1];						/* 3 */
	at += 2;
	if (!scan_number(&at, &stat->parent_pid) || !scan_skip(&at, 5) ||
	    !scan_number(&at, &stat->minor_faults) || !scan_number(&at, &stat->child_faults) ||	/* 10, 11 */
	    !scan_number(&at, &stat->major_faults) || !scan_skip(&at, 1) ||	/* 12 */
	    !scan_number(&at, &user) || !scan_number(&at, &system) || !scan_skip(&at, 4) ||	/* 14, 15 */
	    !scan_number(&at, &stat->threads) || !scan_skip(&at, 1) ||	/* 20 */
	    !scan_number(&at, &stat->start_ticks))			/* 22 */
		return -EINVAL;
	if (__builtin_mul_overflow(user, PROC_TICK_NS, &stat->user_ns) ||
	    __builtin_mul_overflow(system, PROC_TICK_NS, &stat->system_ns))
		return -EINVAL;
	return 0;
}

int proc_parse_statm(const char *text, struct proc_statm *statm)
{
	if (!scan_number(&text, &statm->size_pages) || !scan_number(&text, &statm->resident_pages) ||
	    !scan_number(&text, &statm->mapped_pages))
		return -EINVAL;
	return 0;
}

void proc_parse_io(const char *text, struct proc_io *io)
{
	const struct scan_key keys[] = {
		{ "rchar:", &io->read_chars },
		{ "wchar:", &io->write_chars },
		{ "syscr:", &io->read_calls },
		{ "syscw:", &io->write_calls },
		{ "read_bytes:", &io->read_bytes },
		{ "write_bytes:", &io->write_bytes },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(keys); i++)
		*keys[i].value = LOG_NONE;
	scan_keys(text, keys, ARRAY_SIZE(keys));
}

/* A number of KiB in bytes; LOG_NONE when it is missing or does not fit. */
static uint64_t from_kib(uint64_t kib)
{
	uint64_t bytes;

	return __builtin_mul_overflow(kib, 1024u, &bytes) ? LOG_NONE : bytes;
}

void proc_parse_status(const char *text, struct proc_status *status)
{
	const struct scan_key keys[] = {
		{ "VmHWM:", &status->peak_rss_bytes },
		{ "VmSwap:", &status->swap_bytes },
		{ "voluntary_ctxt_switches:", &status->voluntary_switches },
		{ "nonvoluntary_ctxt_switches:", &status->involuntary_switches },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(keys); i++)
		*keys[i].value = LOG_NONE;
	scan_keys(text, keys, ARRAY_SIZE(keys));
	status->peak_rss_bytes = from_kib(status->peak_rss_bytes);
	status->swap_bytes = from_kib(status->swap_bytes);
}

int proc_parse_schedstat(const char *text, struct proc_schedstat *schedstat)
{
	if (!scan_number(&text, &schedstat->cpu_ns) || !scan_number(&text, &schedstat->wait_ns))
		return -EINVAL;
	return 0;
}

void proc_parse_smaps_rollup(const char *text, struct proc_maps *maps)
{
	uint64_t pss = LOG_NONE, clean = LOG_NONE, dirty = LOG_NONE;
	const struct scan_key keys[] = {
		{ "Pss:", &pss },
		{ "Private_Clean:", &clean },
		{ "Private_Dirty:", &dirty },
	};

	scan_keys(text, keys, ARRAY_SIZE(keys));
	maps->pss_bytes = from_kib(pss);
	maps->uss_bytes = clean == LOG_NONE || __builtin_add_overflow(clean, dirty, &clean) ? LOG_NONE
											    : from_kib(clean);
}

#define SECTOR_BYTES 512	/* the unit of diskstats, whatever the disk's own sectors are */

/*
 * "user nice system idle iowait irq softirq steal ...". The times of guests are already in user and
 * nice.
 */
static int parse_times(const char *text, struct proc_cpu *cpu)
{
	enum { IDLE = 3, IOWAIT = 4, FIELDS = 8 };
	uint64_t idle = 0, total = 0;

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

int proc_parse_cpu(const char *text, struct proc_cpu *cpu)
{
	return text_begins(text, "cpu ") ? parse_times(text + 4, cpu) : -EINVAL;
}

int proc_parse_core(const char **text, struct proc_core *core)
{
	const char *at = *text + 3;
	struct proc_cpu cpu;

	if (!text_begins(*text, "cpu") || !scan_is_digit(*at) || !scan_number(&at, &core->number) ||
	    parse_times(at, &cpu) < 0)
		return -EINVAL;
	core->busy_ns = cpu.busy_ns;
	*text = scan_next_line(at);
	return 0;
}

/*
 * "  eth0: bytes packets errs drop fifo frame compressed multicast bytes packets ...". The first
 * eight numbers are for what was received, the rest for what was sent.
 */
static int add_interface(const char *line, struct proc_net *net)
{
	uint64_t received_bytes, received_packets, sent_bytes, sent_packets;
	const char *at = text_find(line, ':');

	while (*line == ' ')
		line++;
	if (!at)
		return -EINVAL;
	at++;
	if (!scan_number(&at, &received_bytes) || !scan_number(&at, &received_packets) ||
	    !scan_skip(&at, 6) || !scan_number(&at, &sent_bytes) || !scan_number(&at, &sent_packets))
		return -EINVAL;
	if (text_begins(line, "lo:"))
		return 0;
	net->received_bytes += received_bytes;
	net->received_packets += received_packets;
	net->sent_bytes += sent_bytes;
	net->sent_packets += sent_packets;
	return 0;
}

int proc_parse_net(const char *text, struct proc_net *net)
{
	*net = (struct proc_net){ 0 };
	text = scan_next_line(scan_next_line(text));
	for (; *text; text = scan_next_line(text)) {
		int error = add_interface(text, net);

		if (error < 0)
			return error;
	}
	return 0;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345\n", the total in us. */
static uint64_t stall_ns(const char *line)
{
	uint64_t us, ns;

	while (*line && *line != '\n' && !text_begins(line, "total="))
		line++;
	if (!text_begins(line, "total="))
		return LOG_NONE;
	line += 6;
	return !scan_number(&line, &us) || __builtin_mul_overflow(us, 1000u, &ns) ? LOG_NONE : ns;
}

void proc_parse_pressure(const char *text, struct proc_pressure *pressure)
{
	*pressure = (struct proc_pressure){ LOG_NONE, LOG_NONE };
	for (; *text; text = scan_next_line(text)) {
		if (text_begins(text, "some "))
			pressure->some_ns = stall_ns(text);
		else if (text_begins(text, "full "))
			pressure->full_ns = stall_ns(text);
	}
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

	*text = scan_next_line(*text);
	return error;
}
