/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each machine of the run, and how much of it was left: processors, memory, swap, devices, file systems.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/resources/series.h"

struct machine_row {
	const char *host;
	const char *figure, *title;
	const char *folder;		/* whose file system it is; "": of none */
	struct value value, least;	/* at the start; the least while the run went on */
};

static struct value get_value(const struct column *column, const void *row)
{
	const struct machine_row *of = row;

	return column->index ? of->least : of->value;
}

static const struct column columns[] = {
	{ "host", "Host", COLUMN_LEFT | COLUMN_SPARE, MEMBER(struct machine_row, host, 0) },
	{ "title", "What", COLUMN_LEFT | COLUMN_TEXT, MEMBER(struct machine_row, title, 0) },
	{ "figure", "Figure", COLUMN_LEFT, MEMBER(struct machine_row, figure, 0) },
	{ "value", "At the start", 0, get_value, 0 },
	{ "least", "Least", 0, get_value, 1 },
	{ "folder", "Folder", COLUMN_LEFT, MEMBER(struct machine_row, folder, 0) },
};

struct machine {
	struct document *document;
	const struct model *model;
	const char *host;
	const char *folder;		/* of the next rows; "": none */
	struct table_rows rows;
};

static void add(struct machine *machine, const char *figure, const char *title, struct value value,
		struct value least)
{
	if (value.type != VALUE_EMPTY)
		document_add_row(machine->document, &machine->rows,
				 &(struct machine_row){ machine->host, figure, title, machine->folder,
							value, least });
}

/* From the first log of this host that has it. */
static const char *fact(const struct machine *machine, const char *key)
{
	const struct model *model = machine->model;
	const char *found = NULL;

	for (size_t i = 0; i < model->nr_processes + model->nr_monitors && !found; i++) {
		const struct process *process = i < model->nr_processes
							? model->processes[i]
							: model->monitors[i - model->nr_processes];

		if (strcmp(process->header.host, machine->host) == 0)
			found = process_fact(process, key);
	}
	return found;
}

static void add_fact(struct machine *machine, const char *key, const char *title, enum unit unit)
{
	const char *text = fact(machine, key);

	if (!text)
		return;
	add(machine, key, title,
	    unit == UNIT_NONE ? value_text(text) : value_integer(unit, strtoll(text, NULL, 10)),
	    value_empty());
}

/* LOG_NONE: not known */
static uint64_t reading(const struct rowset *rows, size_t row, const char *column)
{
	int index = rowset_column(rows, column);

	return index < 0 ? LOG_NONE : rowset_value(rows, row, (uint32_t)index);
}

/* The first and the least reading of a column of bytes; less those of @without, unless that is NULL. */
static void add_readings(struct machine *machine, const struct rowset *rows, const char *column,
			 const char *without, const char *figure, const char *title)
{
	struct value first = value_empty(), least = value_empty();

	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t bytes = reading(rows, row, column), less = without ? reading(rows, row, without) : 0;

		if (bytes == LOG_NONE || less == LOG_NONE || less > bytes)
			continue;
		if (first.type == VALUE_EMPTY)
			first = least = value_integer(UNIT_BYTES, (int64_t)(bytes - less));
		if ((int64_t)(bytes - less) < least.integer)
			least.integer = (int64_t)(bytes - less);
	}
	add(machine, figure, title, first, least);
}

/* Devices have sets "gpu0", "gpu1"; "gpu0_process" is of processes. Return: how many there are */
static size_t add_gpus(struct machine *machine, const struct process *monitor)
{
	struct document *document = machine->document;
	size_t nr = 0;

	for (size_t i = 0; i < monitor->nr_rowsets; i++) {
		const struct rowset *rows = &monitor->rowsets[i];

		if (strncmp(rows->set, "gpu", 3) != 0 || strchr(rows->set, '_'))
			continue;
		nr++;
		add_readings(machine, rows, "gpu_memory_total_bytes", NULL,
			     document_text(document, "%s_memory_bytes", rows->set),
			     document_text(document, "Memory of %s", rows->set));
		add_readings(machine, rows, "gpu_memory_total_bytes", "gpu_memory_used_bytes",
			     document_text(document, "%s_memory_free_bytes", rows->set),
			     document_text(document, "Memory free on %s", rows->set));
	}
	return nr;
}

/* One log is enough: insideme-run's, if there is one. */
static struct process *log_of_machine(const struct machine *machine)
{
	const struct model *model = machine->model;

	for (size_t i = 0; i < model->nr_processes + model->nr_monitors; i++) {
		struct process *process = i < model->nr_monitors ? model->monitors[i]
								 : model->processes[i - model->nr_monitors];

		if (strcmp(process->header.host, machine->host) == 0 && process_rowset(process, "system"))
			return process;
	}
	return NULL;
}

/* Add @disk to those of @disks that processes wrote to. */
static void merge_disk(struct disk **disks, size_t *nr_disks, const struct disk *disk)
{
	for (size_t i = 0; i < *nr_disks; i++) {
		struct disk *same = &(*disks)[i];

		if (same->device != disk->device)
			continue;
		if (disk->least_free_bytes < same->least_free_bytes)
			same->least_free_bytes = disk->least_free_bytes;
		return;
	}
	APPEND(*disks, *nr_disks) = *disk;
}

/* File systems that processes wrote to, each once. */
static void add_written_disks(struct machine *machine)
{
	struct disk *disks = NULL;
	size_t nr_disks = 0;

	for (size_t i = 0; i < machine->model->nr_processes; i++) {
		const struct process *process = machine->model->processes[i];

		if (strcmp(process->header.host, machine->host) != 0)
			continue;
		for (size_t j = 0; j < process->nr_disks; j++)
			merge_disk(&disks, &nr_disks, &process->disks[j]);
	}
	for (size_t i = 0; i < nr_disks; i++) {
		machine->folder = disks[i].folder;
		add(machine, "written_disk_free_bytes",
		    document_text(machine->document, "Free on disk of %s, written to", machine->folder),
		    value_integer(UNIT_BYTES, (int64_t)disks[i].first_free_bytes),
		    value_integer(UNIT_BYTES, (int64_t)disks[i].least_free_bytes));
	}
	machine->folder = "";
	free(disks);
}

static void add_host(struct machine *machine)
{
	struct process *log = log_of_machine(machine);
	const char *folder = fact(machine, "cwd");

	add_fact(machine, "kernel", "Kernel", UNIT_NONE);
	add_fact(machine, "cpu_model", "Processor", UNIT_NONE);
	add_fact(machine, "nr_cpus", "Processors it may use", UNIT_COUNT);
	add_fact(machine, "memory_bytes", "Memory", UNIT_BYTES);
	if (log)
		add_readings(machine, process_rowset(log, "system"), "memory_available_bytes", NULL,
			     "memory_available_bytes", "Memory available");
	add_fact(machine, "swap_bytes", "Swap", UNIT_BYTES);
	add_fact(machine, "swap_free_bytes", "Swap free", UNIT_BYTES);
	machine->folder = folder ?: "";
	add_fact(machine, "disk_free_bytes",
		 folder ? document_text(machine->document, "Free on disk of %s", folder) : "Free on disk",
		 UNIT_BYTES);
	add_written_disks(machine);
	/* each insideme-run of a host sees all devices: the first is enough */
	for (size_t i = 0; i < machine->model->nr_monitors; i++)
		if (strcmp(machine->model->monitors[i]->header.host, machine->host) == 0 &&
		    add_gpus(machine, machine->model->monitors[i]))
			break;
}

static bool is_first_of_host(const struct model *model, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(model->processes[i]->header.host, model->processes[at]->header.host) == 0)
			return false;
	return true;
}

int view_machine(struct document *document, struct report *report)
{
	const struct model *model = report->model;
	struct machine machine = { .document = document, .model = model, .folder = "",
				   .rows = ROWS_OF(struct machine_row) };

	for (size_t i = 0; i < model->nr_processes; i++) {
		machine.host = model->processes[i]->header.host;
		if (is_first_of_host(model, i))
			add_host(&machine);
	}
	if (!model->nr_processes && model->nr_monitors) {
		machine.host = model->monitors[0]->header.host;
		add_host(&machine);
	}
	document_add_table(document, &(struct table){
		.name = "machine",
		.what = "figures",
		.title = report->title,
		.note = "Least: of the readings while the run went on; disks: where programs were started, "
			"and where they had files open for writing",
		TABLE_COLUMNS(columns),
		.text_columns = "host,title,value,least",
		.rows = machine.rows,
	});
	return 0;
}
