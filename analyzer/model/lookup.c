/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up facts, rows and times of a model and of its processes. */
#include "analyzer/model/model.h"

#include <string.h>

#include "analyzer/log/logfile.h"

#define COMM_BYTES 15 /* of a name, in the kernel */

void model_number(struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		model->processes[i]->number = (uint32_t)i + 1;
		model->processes[i]->first_thread = model->nr_threads;
		model->nr_threads += (uint32_t)model->processes[i]->nr_threads;
	}
}

bool model_is_running(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->end_kind == END_RUNNING)
			return true;
	return false;
}

bool model_has_saved(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->is_saved)
			return true;
	return false;
}

const struct process *model_first_process(const struct model *model, uint32_t run)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run)
			return model->processes[i];
	return NULL;
}

bool model_keeps_last_calls(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.last_calls)
			return true;
	return false;
}

const char *process_name(const struct process *process)
{
	for (size_t i = 0; i < process->nr_threads; i++)
		if (process->threads[i]->serial == 0 && process->threads[i]->nr_threads == 1 &&
		    process->threads[i]->name[0] &&
		    strncmp(process->threads[i]->name, process->header.program, COMM_BYTES) != 0)
			return process->threads[i]->name;
	return process->header.program;
}

const char *process_fact(const struct process *process, const char *key)
{
	for (size_t i = 0; i < process->nr_facts; i++)
		if (strcmp(process->facts[i].key, key) == 0)
			return process->facts[i].value;
	return NULL;
}

struct rowset *process_rowset(const struct process *process, const char *set)
{
	for (size_t i = 0; i < process->nr_rowsets; i++) {
		if (strcmp(process->rowsets[i].set, set) != 0)
			continue;
		logfile_use(process->log);
		return &process->rowsets[i];
	}
	return NULL;
}

int64_t process_time(struct process *process, uint64_t ticks)
{
	return (int64_t)((uint64_t)timebase_monotonic_ns(&process->timebase, ticks) -
			 (uint64_t)process->origin_ns);
}

uint64_t process_ticks(const struct process *process, int64_t time)
{
	return timebase_ticks(&process->timebase, (int64_t)((uint64_t)time + (uint64_t)process->origin_ns));
}
