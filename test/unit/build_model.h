/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of built logs, for tests: one program at /usr/bin/app with three functions. */
#pragma once

#include "analyzer/load/load.h"
#include "analyzer/model/model.h"
#include "test/unit/build_log.h"

#define NS_START	BUILD_START_TICKS
#define MS		1000000ull
#define APP_BEGIN	0x400000ull
#define APP_END		0x500000ull
#define MAIN		(APP_BEGIN + 0x100)
#define F		(APP_BEGIN + 0x200)
#define G		(APP_BEGIN + 0x300)

/* A log with CLOCK_MONOTONIC, the program's module and its first thread. */
struct log_thread *build_begin(struct build *build);
/* The model of the first @bytes (0: all) of a log, from a file in memory. NULL: it cannot be read. */
struct model *build_try_load(const struct build *build, uint64_t bytes);
/* The same for a whole log, which must be readable. */
struct model *build_load(const struct build *build);
void build_free(struct build *build, struct model *model);
/* Logs of one run, each in a file in memory. Begin with all 0. */
#define BUILD_LOGS_MAX	16
struct build_run {
	char paths[BUILD_LOGS_MAX][64];
	char *list[BUILD_LOGS_MAX];
	int fds[BUILD_LOGS_MAX];
	size_t nr;
};
/* Add a log to the run; it is released. */
void build_run_add(struct build_run *run, struct build *build);
/* The model of the run's logs. Closes them. */
struct model *build_run_load(struct build_run *run);
/* A function by its address in the file, or NULL. */
struct function *build_function(const struct model *model, uint64_t addr_in_file);
