/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits, from the facts of the run and the readings of the set "cgroup". */
#include "analyzer/resources/resource_limits.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/resources/rate_bounds.h"
#include "analyzer/resources/series.h"

static double fact_number(const struct process *process, const char *key)
{
	const char *fact = process_fact(process, key);

	return fact ? strtod(fact, NULL) : NAN;
}

/* The lowest limit that was read. */
static double lowest(struct process *process, const char *column)
{
	struct rowset *rows = process_rowset(process, "cgroup");
	int index = rows ? rowset_column(rows, column) : -1;
	double least = NAN;

	for (size_t row = 0; index >= 0 && row < rows->nr_rows; row++) {
		uint64_t value = rowset_value(rows, row, (uint32_t)index);

		if (value != LOG_NONE)
			least = fmin(least, series_value(&rows->columns[index], value));
	}
	return least;
}

static void lower(struct resource_limit *limit, double group)
{
	limit->group = fmin(limit->group, group);
	limit->process = fmin(limit->process, group);
}

/*
 * The limit of all ranks together. Launchers give each rank processors of its own, or all of them to each,
 * so the sum is limited to the machine. NAN: no ranks, several machines, or not known.
 */
static double of_ranks(const struct model *model)
{
	double cpus = 0, most;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		if (!processes_share_boot(process, model->processes[0]))
			return NAN;
		if (process->header.rank >= 0 && !process->header.is_rank_child &&
		    !process_next_image(process))
			cpus += fact_number(process, "nr_cpus");
	}
	most = cpus > 0 ? rate_nr_processors(model->processes[0]) : NAN;
	return isnan(most) ? NAN : fmin(cpus, most);
}

static void add(struct resource_limits *limits, struct process *process)
{
	if (isnan(limits->cpus.process))
		limits->cpus.process = fact_number(process, "nr_cpus");
	if (isnan(limits->cpus.machine))
		limits->cpus.machine = rate_nr_processors(process);
	if (isnan(limits->memory_bytes.machine))
		limits->memory_bytes.machine = limits->memory_bytes.process =
			fact_number(process, "memory_bytes");
	lower(&limits->cpus, lowest(process, "cgroup_cpu_limit"));
	lower(&limits->memory_bytes, lowest(process, "cgroup_memory_limit_bytes"));
}

void resource_limits_read(struct resource_limits *limits, const struct model *model)
{
	const struct resource_limit unknown = { NAN, NAN, NAN };

	limits->cpus = limits->memory_bytes = unknown;
	limits->cpus.process = of_ranks(model);
	for (size_t i = 0; i < model->nr_processes; i++)
		add(limits, model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		add(limits, model->monitors[i]);
}

/* A group has no more than the machine. */
static double of_group(const struct resource_limit *limit)
{
	return fmin(limit->group, limit->machine);
}

double resource_limit(const struct resource_limits *limits, const char *column)
{
	static const char *const cpus[] = { "cpu_ns", "user_ns", "system_ns" };
	static const char *const memory[] = { "rss_bytes", "peak_rss_bytes", "pss_bytes", "uss_bytes",
					      "heap_bytes" };

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++)
		if (strcmp(column, cpus[i]) == 0)
			return limits->cpus.process;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		if (strcmp(column, memory[i]) == 0)
			return limits->memory_bytes.process;
	if (strcmp(column, "system_cpu_busy_ns") == 0)
		return limits->cpus.machine;
	if (strcmp(column, "memory_used_bytes") == 0)
		return limits->memory_bytes.machine;
	if (strcmp(column, "cgroup_cpu_ns") == 0)
		return of_group(&limits->cpus);
	return strcmp(column, "cgroup_memory_bytes") == 0 ? of_group(&limits->memory_bytes) : NAN;
}

double resource_limit_of(const struct resource_limits *limits, const struct rowset *rows, uint32_t column)
{
	int total = rowset_column(rows, "gpu_memory_total_bytes");
	uint64_t bytes;

	if (strcmp(rows->columns[column].name, "gpu_memory_used_bytes") != 0 || total < 0 || !rows->nr_rows)
		return resource_limit(limits, rows->columns[column].name);
	bytes = rowset_value(rows, rows->nr_rows - 1, (uint32_t)total);
	return bytes == LOG_NONE ? NAN : (double)bytes;
}
