/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text of /proc/PID says. */
#include "preload/common/resources/process_text.h"

#include <errno.h>
#include <stddef.h>

#include "insideme_log.h"
#include "preload/common/resources/scan_text.h"

/*
 * Field 2, the command name, may hold blanks and parentheses, so fields are counted from the last ')'.
 * Numbers in the comments are those of proc(5).
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

/* A number of KiB as bytes; what is missing or does not fit stays or becomes LOG_NONE. */
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
	maps->uss_bytes = clean == LOG_NONE || __builtin_add_overflow(clean, dirty, &clean) ? LOG_NONE : from_kib(clean);
}
