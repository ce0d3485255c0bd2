/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The total use of a process. */
#include "analyzer/model/process_usage.h"

#include <string.h>

static const struct usage nothing_known = { NAN, NAN, NAN, NAN };

/* More than 36 years of CPU time, or 2^20 TiB, is damage. LOG_NONE is no number either. */
static bool is_possible(uint64_t value)
{
	return value < 1ull << 60;
}

/*
 * The largest value of a column, if it has at least @nr_min values, else NAN. For a counter this is the
 * last one.
 */
static double largest(const struct process *process, const char *set, const char *column, size_t nr_min)
{
	uint64_t most = 0;
	size_t nr = 0;
	const struct rowset *rows = process_rowset(process, set);
	int index = rows ? rowset_column(rows, column) : -1,
	    vms = rows ? rowset_column(rows, "vms_bytes") : -1;
	/* the process is ending, or in an exec, where it has no memory */
	bool may_go = vms >= 0 && strcmp(column, "rss_bytes") == 0;

	for (size_t row = 0; index >= 0 && row < rows->nr_rows; row++) {
		uint64_t value = rowset_value(rows, row, (uint32_t)index);

		if (!is_possible(value) || (may_go && rowset_value(rows, row, (uint32_t)vms) == 0))
			continue;
		most = value > most ? value : most;
		nr++;
	}
	return nr < nr_min ? NAN : (double)most;
}

static double known(uint64_t value)
{
	return is_possible(value) ? (double)value : NAN;
}

static struct usage usage_at_end(uint64_t user_ns, uint64_t system_ns, uint64_t peak_rss_bytes)
{
	return (struct usage){
		.cpu_ns = known(user_ns) + known(system_ns),
		.user_ns = known(user_ns),
		.system_ns = known(system_ns),
		.peak_rss_bytes = known(peak_rss_bytes),
	};
}

struct usage usage_of_unseen(const struct unseen_process *unseen)
{
	if (!unseen->has_end)
		return nothing_known;
	return usage_at_end(unseen->user_ns, unseen->system_ns, unseen->peak_rss_bytes);
}

/* As known by its end and its rows when it was saved. */
static struct usage usage_of_saved(const struct process *process)
{
	struct usage usage = usage_at_end(process->user_ns, process->system_ns, process->peak_rss_bytes);

	usage.cpu_ns = known(process->cpu_ns);
	return usage;
}

/* The kernel's peak, as last read. In the middle of an exec it is that of an empty address space. */
static double read_peak(const struct process *process)
{
	const double peak_bytes = largest(process, "process_slow", "peak_rss_bytes", 1);

	return 2 * peak_bytes < largest(process, "process", "rss_bytes", 1) ? NAN : peak_bytes;
}

/* A single reading of RSS may be of the first instant, so it is no peak. */
static struct usage usage_by_rows(const struct process *process)
{
	return (struct usage){
		.cpu_ns = largest(process, "process", "cpu_ns", 1),
		.user_ns = largest(process, "process", "user_ns", 1),
		.system_ns = largest(process, "process", "system_ns", 1),
		.peak_rss_bytes = fmax(fmax(read_peak(process),
					    largest(process, "process", "rss_bytes", 2)),
				       largest(process, "memory", "rss_bytes", 2)),
	};
}

/* At the end, user and system time may be in steps of 10 ms; cpu_ns of rows never is. */
struct usage usage_of_process(struct process *process)
{
	const struct usage *by_rows = &process->row_usage;
	struct usage usage = nothing_known;

	if (process->is_saved)
		return usage_of_saved(process);
	if (!process->has_row_usage)
		process->row_usage = usage_by_rows(process);
	process->has_row_usage = true;
	if (process->has_usage)
		usage = usage_at_end(process->user_ns, process->system_ns, process->peak_rss_bytes);
	usage.cpu_ns = fmax(usage.cpu_ns, by_rows->cpu_ns);
	if (isnan(usage.user_ns)) {
		usage.user_ns = by_rows->user_ns;
		usage.system_ns = by_rows->system_ns;
	}
	usage.peak_rss_bytes = fmax(usage.peak_rss_bytes, by_rows->peak_rss_bytes); /* both were reached */
	return usage;
}

void usage_forget_rows(struct process *process)
{
	process->has_row_usage = false;
}

void usage_add(struct usage *sum, const struct usage *usage)
{
	sum->cpu_ns += usage->cpu_ns;
	sum->user_ns += usage->user_ns;
	sum->system_ns += usage->system_ns;
	sum->peak_rss_bytes = fmax(sum->peak_rss_bytes, usage->peak_rss_bytes);
}

bool process_memory_at(struct process *process, uint64_t ticks, struct memory_reading *reading)
{
	struct rowset *rows = process_rowset(process, "memory");
	int64_t row = rows ? rowset_at(rows, ticks) : -1;
	int rss = rows ? rowset_column(rows, "rss_bytes") : -1,
	    vms = rows ? rowset_column(rows, "vms_bytes") : -1;

	if (row < 0)
		return false;
	reading->rss_bytes = rss < 0 ? LOG_NONE : rowset_value(rows, (size_t)row, (uint32_t)rss);
	reading->vms_bytes = vms < 0 ? LOG_NONE : rowset_value(rows, (size_t)row, (uint32_t)vms);
	reading->age_ns = (double)(ticks - rowset_ticks(rows, row)) * process->tick_ns;
	return true;
}
