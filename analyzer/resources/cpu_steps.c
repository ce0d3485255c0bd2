/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/resources/cpu_steps.h"

#include <math.h>

#include "analyzer/model/process_usage.h"
#include "analyzer/resources/rate_bounds.h"

/* One after the other: before the process's start, which is the recorder's begin. */
static void add_exec(struct steps *steps, const struct process *process, double ns)
{
	if (ns > 0 && !process->follows_image)
		steps_add(steps, process->start - (int64_t)ns, process->start, 1);
}

/* Not for I/O, which before the first reading was partly the recorder's. */
void cpu_steps_begin(struct steps *steps, const struct process *process, const struct rowset *rows,
		     const int64_t *times, uint32_t column, double most)
{
	const double before_ns = rate_cpu_before_ns(process, rows, column);

	add_exec(steps, process, before_ns - rate_cpu_before_run_ns(process, rows, column));
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		int64_t passed = times[row] - process->start;

		if (raw != LOG_NONE && passed > 0)
			steps_add(steps, process->start, times[row],
				  fmin(fmax((double)raw - before_ns, 0) / (double)passed, most));
		if (raw != LOG_NONE)
			return;
	}
}

/*
 * Numbers known from the end of a process belong to its last image. They contain what the kernel does after
 * its last word.
 */
double cpu_steps_end(struct steps *steps, struct process *process, int64_t time, double used_ns, double most)
{
	double cpu_ns = process_next_image(process) ? used_ns : usage_of_process(process).cpu_ns;
	double rest_ns = cpu_ns - used_ns;
	double passed_ns = fmax((double)(process->last - time), rest_ns / most);

	if (rest_ns > 0)
		steps_add(steps, time, time + (int64_t)passed_ns, rest_ns / passed_ns);
	return fmax(cpu_ns, used_ns);
}

double cpu_steps_unread(struct steps *steps, struct process *process)
{
	double exec_ns = 0;

	if (!process->follows_image)
		exec_ns = fmin(usage_of_process(process).cpu_ns, (double)process->header.start_cpu_ns);
	add_exec(steps, process, exec_ns);
	return cpu_steps_end(steps, process, process->start, exec_ns, 1);
}
