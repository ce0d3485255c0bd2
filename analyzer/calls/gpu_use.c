/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over devices. */
#include "analyzer/calls/gpu_use.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

/* A change that a source reported: a number changed by this much since its previous row. */
struct change {
	int64_t time;
	double by[NR_GPU_NUMBERS];
};

struct changes {
	struct change *list;
	size_t nr;
};

static double known(const struct rowset *rows, size_t row, int column)
{
	uint64_t value = column < 0 ? LOG_NONE : rowset_value(rows, row, (uint32_t)column);

	return value == LOG_NONE ? NAN : (double)value;
}

static void add_change(struct changes *changes, int64_t time, double ns, double bytes)
{
	APPEND(changes->list, changes->nr) =
		(struct change){ time, { isnan(ns) || ns < 0 ? 0 : ns, isnan(bytes) ? 0 : bytes } };
}

/*
 * A device's percentage is of the time since the previous row. Memory that it held at the first row counts as
 * allocated then.
 */
static void add_device(struct changes *changes, struct process *monitor, const struct rowset *rows)
{
	int percent = rowset_column(rows, "gpu_process_percent"),
	    bytes = rowset_column(rows, "gpu_process_memory_bytes");
	double held = 0;
	int64_t last = 0;

	for (size_t row = 0; row < rows->nr_rows; row++) {
		int64_t time = row_time(monitor, rows, row);
		double now = known(rows, row, bytes);

		add_change(changes, time, row ? known(rows, row, percent) / 100 * (double)(time - last) : NAN,
			   now - held);
		held = isnan(now) ? held : now;
		last = time;
	}
}

static void add_engines(struct changes *changes, struct process *process)
{
	const struct rowset *rows = process_rowset(process, "process_gpu");
	int engine = rows ? rowset_column(rows, "gpu_engine_ns") : -1,
	    bytes = rows ? rowset_column(rows, "gpu_client_bytes") : -1;
	double ns = NAN, held = 0;

	for (size_t row = 0; rows && row < rows->nr_rows; row++) {
		double now = known(rows, row, bytes), now_ns = known(rows, row, engine);

		add_change(changes, row_time(process, rows, row), now_ns - ns, now - held);
		held = isnan(now) ? held : now;
		ns = isnan(now_ns) ? ns : now_ns;
	}
}

static bool is_of_process(const struct rowset *rows, const struct process *process)
{
	size_t length = strlen(rows->set);

	return rows->id == process->header.pid && strncmp(rows->set, "gpu", 3) == 0 && length > 8 &&
	       strcmp(rows->set + length - 8, "_process") == 0;
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

void gpu_use_read(struct curve *gpu, struct process *process)
{
	const struct model *model = process->model;
	double numbers[NR_GPU_NUMBERS] = { 0, 0 };
	struct changes changes = { 0 };

	add_engines(&changes, process);
	for (size_t i = 0; i < model->nr_monitors; i++)
		for (size_t j = 0;
		     model->monitors[i]->run == process->run && j < model->monitors[i]->nr_rowsets; j++)
			if (is_of_process(&model->monitors[i]->rowsets[j], process))
				add_device(&changes, model->monitors[i], &model->monitors[i]->rowsets[j]);
	if (!changes.nr)
		return;
	qsort(changes.list, changes.nr, sizeof(*changes.list), by_time);
	if (changes.list[0].time > process->start)
		curve_add(gpu, process->start, numbers);
	for (size_t i = 0; i < changes.nr; i++) {
		for (int j = 0; j < NR_GPU_NUMBERS; j++)
			numbers[j] += changes.list[i].by[j];
		if (i + 1 == changes.nr || changes.list[i + 1].time > changes.list[i].time)
			curve_add(gpu, changes.list[i].time, numbers);
	}
	free(changes.list);
}
