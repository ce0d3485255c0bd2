/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every view asks of the runs that it shows. */
#include "report.h"

const char *report_program(const struct report *report)
{
	const struct model *model = report->model;

	if (model->nr_processes && model->processes[0]->header.program[0])
		return model->processes[0]->header.program;
	return report->runs[0].name;
}

bool report_has_heap(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.heap_bytes != LOG_HEAP_OFF)
			return true;
	return false;
}

bool report_has_times(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.timing != LOG_TIMING_COUNTS)
			return true;
	return false;
}
