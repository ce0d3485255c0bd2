/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page of a run without functions: why there are none, what to do, and which run has some. */
#include "analyzer/base/names.h"
#include "analyzer/summary/summary.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/summary/doubts.h"
#include "analyzer/symbols/symbols_hooks.h"

#define RUNS_LOOKED_AT	50

static const char build_with[] =
	"  insideme-cc ...      (or insideme-c++, insideme-fc, in place of cc, c++, gfortran), or with\n"
	"  gcc -g -O2 -finstrument-functions ...      (also g++, gfortran, clang)";

static const char use_ours[] = "use -finstrument-functions instead";

/* The newest run that has functions; NULL if there is none. @name: this run */
static char *run_with_functions(struct document *document, const char *name)
{
	struct run *runs;
	size_t nr = run_list(&runs);
	char *found = NULL;

	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < runs[i].nr_logs && i < RUNS_LOOKED_AT && !found; j++) {
			struct logfile *log = logfile_open(runs[i].logs[j]);

			if (log && log->header.has_hooks && log->header.kind == LOG_OF_PROGRAM &&
			    strcmp(runs[i].name, name) != 0)
				found = document_text(document, "%s", runs[i].path);
			logfile_close(log);
		}
		run_release(&runs[i]);
	}
	free(runs);
	return found;
}

/* The process that used most CPU time; not one that only ran another program by exec, as env does. */
static const struct process *main_process(const struct model *model, size_t *nr)
{
	const struct process *found = NULL;
	double most_ns = -1;

	*nr = 0;
	for (size_t i = 0; i < model->nr_processes; i++) {
		double cpu_ns = usage_of_process(model->processes[i]).cpu_ns;

		if (process_next_image(model->processes[i]))
			continue;
		++*nr;
		if (isnan(cpu_ns))
			cpu_ns = 0;
		if (cpu_ns <= most_ns)
			continue;
		most_ns = cpu_ns;
		found = model->processes[i];
	}
	return found;
}

static enum hooks_kind kind_of(const struct object *object)
{
	const struct symbols_file file = {
		.path = object->path,
		.build_id = object->build_id,
		.build_id_bytes = object->build_id_bytes,
	};

	return object->file_bytes ? symbols_hooks(&file) : HOOKS_NONE;
}

/* Hooks in libc do nothing, so libc does not count; libinsideme has ours. */
static const struct object *with_own_hooks(const struct process *process)
{
	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct object *object = process->modules[i].object;

		if (strncmp(path_base(object->path), "libc.so", 7) && !object_is_recorders(object) &&
		    kind_of(object) == HOOKS_OWN)
			return object;
	}
	return NULL;
}

static enum hooks_kind kind_of_program(const struct process *process)
{
	for (size_t i = 0; i < process->nr_modules; i++)
		if (strcmp(process->modules[i].object->path, process->exe) == 0)
			return kind_of(process->modules[i].object);
	return HOOKS_NONE;
}

static bool is_interpreter(const char *program)
{
	static const char *const patterns[] = { "python*", "pypy*",   "perl*",	"ruby*",   "bash", "dash",
						"sh",	   "zsh",     "ksh*",	"busybox", "node", "nodejs",
						"deno",	   "java",    "php*",	"lua*",	   "R",	   "Rscript",
						"julia",   "octave*", "tclsh*", "guile*",  "mono", "dotnet",
						"*awk",	   "make",    "gmake" };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (fnmatch(patterns[i], program, 0) == 0)
			return true;
	return false;
}

/* Why a program has no hooks of ours, although it was built with some; NULL: it has none. */
static const char *other_tracer(const struct process *process)
{
	switch (kind_of_program(process)) {
	case HOOKS_MCOUNT:
	case HOOKS_FENTRY:
		return "was built with -pg or another tracer";
	case HOOKS_XRAY:
		return "was built for XRay (-fxray-instrument)";
	case HOOKS_PATCHABLE:
		return "was built for another tracer (-fpatchable-function-entry)";
	default:
		return NULL;
	}
}

static const char *why(struct document *document, const struct process *process)
{
	const char *program = process->header.program, *other = other_tracer(process);
	const char *left_out_by = settings_that_left_out(document, process);
	const struct object *own = with_own_hooks(process);

	if (process_fact(process, "attached"))
		return document_text(document, "%s was sampled while it ran;\n%s", program,
				     process_fact(process, "samples_off")
					     ? "see Doubts why its stacks were not"
					     : "its functions need --sample");
	if (own)
		return document_text(document, "%s defines the hooks itself.\nRemove its "
			"__cyg_profile_func_enter and __cyg_profile_func_exit", path_base(own->path));
	if (left_out_by)
		return document_text(document, "%s has hooks, but all calls were left out\n(%s)", program,
				     left_out_by);
	if (process->header.has_hooks)
		return document_text(document, "%s has hooks, but none was called", program);
	if (other)
		return document_text(document, "%s %s: %s.\nCompile and link it with\n%s", program, other,
				     use_ours, build_with);
	if (is_interpreter(program))
		return document_text(document, "%s is an interpreter: CPU, memory and I/O of what it runs "
			"are recorded,\nand functions of C, C++ or Fortran libraries and programs that "
			"were built with hooks", program);
	return document_text(document, "%s has no hooks.\n"
		"Sample it as it is, for functions by CPU time and who allocates:\n"
		"  insideme-run --sample=250 --heap-sample=512K -- %s\n"
		"Or compile and link it, for all calls, with\n%s", program,
			     summary_command(document, process), build_with);
}

static const char *why_all(struct document *document, const struct model *model)
{
	size_t nr;
	const struct process *process = main_process(model, &nr);

	if (!process)
		return NULL;
	if (nr == 1 || process_fact(process, "attached"))
		return why(document, process);
	return document_text(document, "none of the %zu processes has hooks.\n%s", nr,
			     why(document, process));
}

/* insideme-run reported this before the program ran. */
static const char *refused(const struct model *model)
{
	for (size_t i = 0; i < model->nr_monitors; i++)
		if (process_fact(model->monitors[i], "refused"))
			return process_fact(model->monitors[i], "refused");
	return NULL;
}

void summary_no_functions(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	double cpu_ns;
	const char *cpu = summary_cpu(document, model, &cpu_ns), *reason = refused(model),
		   *preload = getenv("LD_PRELOAD");
	const char *text = "no functions were recorded";
	char *other;

	if (!reason)
		reason = why_all(document, model);
	if (reason)
		text = document_text(document, "%s: %s", text, reason);
	if (preload && strstr(preload, "libinsideme"))
		text = document_text(document,
				     "%s\nLD_PRELOAD is exported here, so that every command is a run: "
				     "unset LD_PRELOAD, and use insideme-run ./app",
				     text);
	other = run_with_functions(document, report->runs[0].name);
	if (other)
		text = document_text(document, "%s\nnewest run that has some: insideme-report %s", text,
				     other);
	document_add(document, "Time", document_text(document, "%s%s%s", cpu, cpu[0] ? "\n" : "", text))
		->apart = true;
}
