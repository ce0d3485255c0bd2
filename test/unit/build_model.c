/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of built logs. */
#include "test/unit/build_model.h"

#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct log_thread *build_begin(struct build *build)
{
	build_init(build, LOG_CLOCK_MONOTONIC, 1);
	build_module(build, "/usr/bin/app", APP_BEGIN, APP_END, APP_BEGIN, 7);
	return build_thread(build, "main");
}

struct model *build_try_load(const struct build *build, uint64_t bytes)
{
	char path[64], *paths[] = { path };
	struct model *model;
	int fd = memfd_create("log", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	build_write(build, path, bytes);
	model = model_load(paths, 1, NULL);
	close(fd);
	return model;
}

struct model *build_load(const struct build *build)
{
	struct model *model = build_try_load(build, 0);

	assert(model);
	return model;
}

void build_free(struct build *build, struct model *model)
{
	model_free(model);
	build_release(build);
}

void build_run_add(struct build_run *run, struct build *build)
{
	assert(run->nr < BUILD_LOGS_MAX);
	run->fds[run->nr] = memfd_create("log", MFD_CLOEXEC);
	snprintf(run->paths[run->nr], sizeof(run->paths[0]), "/proc/self/fd/%d", run->fds[run->nr]);
	build_write(build, run->paths[run->nr], 0);
	run->list[run->nr] = run->paths[run->nr];
	run->nr++;
	build_release(build);
}

struct model *build_run_load(struct build_run *run)
{
	struct model *model = model_load(run->list, run->nr, NULL);

	for (size_t i = 0; i < run->nr; i++)
		close(run->fds[i]);
	assert(model);
	return model;
}

struct function *build_function(const struct model *model, uint64_t addr_in_file)
{
	for (size_t i = 0; i < model->nr_functions; i++)
		if (model->functions[i]->addr == addr_in_file)
			return model->functions[i];
	return NULL;
}
