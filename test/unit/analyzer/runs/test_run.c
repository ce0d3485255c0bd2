/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/runs/run: which run a name means. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/runs/run.h"
#include "test/unit/build_log.h"
#include "test/unit/unit.h"

static char place[] = "/tmp/insideme-test.XXXXXX";

/* A run that began @second seconds after the first, with one log of @program. */
static void make_run(const char *name, uint64_t second, const char *program)
{
	struct log_run page = { .magic = LOG_RUN_MAGIC,
				.start_realtime_ns = BUILD_REALTIME_NS + second * 1000000000u };
	struct build build;
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "insideme.data/%s", name);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "insideme.data/%s/run", name);
	file = fopen(path, "w");
	fwrite(&page, sizeof(page), 1, file);
	fclose(file);
	build_init(&build, LOG_CLOCK_MONOTONIC, 1);
	snprintf(build.header->program, sizeof(build.header->program), "%s", program);
	snprintf(path, sizeof(path), "insideme.data/%s/node17-%d-0.log", name, 4242);
	build_write(&build, path, 0);
	build_release(&build);
}

static void assert_choice(const char *argument, const char *name)
{
	struct run run;

	assert_int_equal(run_choose(&run, argument), 0);
	assert_string_equal(run.name, name);
	assert_int_equal(run.nr_logs, 1);
	run_release(&run);
}

TEST(without_runs_it_says_how_to_record)
{
	struct run run, *runs;

	assert_int_equal(run_choose(&run, NULL), -1);
	assert_int_equal(run_choose(&run, "app"), -1);
	assert_int_equal(run_list(&runs), 0);
}

static void make_runs(void)
{
	mkdir("insideme.data", 0700);
	mkdir("insideme.data/20231114-000000-empty", 0700);
	make_run("20231114-221320-app", 0, "app");
	make_run("20231114-221320-app-2", 0, "app");
	make_run("20231114-221330-sh", 10, "worker");
	make_run("20231114-221340-app-x", 20, "app-x");
	make_run("mine", 15, "other");
}

TEST(names_mean_the_newest_run_that_fits)
{
	make_runs();
	assert_choice(NULL, "20231114-221340-app-x");
	assert_choice("last", "20231114-221340-app-x");
	assert_choice("last~1", "mine");
	assert_choice("last~4", "20231114-221320-app");
	assert_choice("app", "20231114-221320-app-2");
	assert_choice("app-x", "20231114-221340-app-x");
	assert_choice("worker", "20231114-221330-sh");
	assert_choice("mine", "mine");
	assert_choice("20231114-221320-app", "20231114-221320-app");
}

TEST(paths_are_taken_as_they_are)
{
	assert_choice("insideme.data/mine/", "mine");
	assert_choice("insideme.data", "20231114-221340-app-x");
	assert_choice("insideme.data/mine/node17-4242-0.log", "node17-4242-0.log");
}

/* Also when a program of the run's name lies in the current directory. */
TEST(a_program_of_that_name_is_no_run)
{
	FILE *file = fopen("app", "w");

	fclose(file);
	assert_choice("app", "20231114-221320-app-2");
	unlink("app");
}

TEST(what_is_not_there_is_an_error)
{
	static const char *const arguments[] = {
		"last~5", "last~",	  "last~99999999999999999999",
		"nobody", "no/such/path", "insideme.data/20231114-000000-empty",
		""
	};
	struct run run;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		assert_int_equal(run_choose(&run, arguments[i]), -1);
}

TEST(the_list_is_newest_first)
{
	struct run *runs;
	size_t nr = run_list(&runs);

	assert_int_equal(nr, 5);
	assert_string_equal(runs[1].name, "mine");
	assert_int_equal(runs[1].newer, 1);
	assert_int_equal(runs[1].nr_runs, 5);
	for (size_t i = 0; i < nr; i++)
		run_release(&runs[i]);
	free(runs);
}

int before_all(void **state)
{
	unsetenv("INSIDEME_DIR");
	return mkdtemp(place) && chdir(place) == 0 ? 0 : -1;
}

int after_all(void **state)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -r %s", place);
	return chdir("/") == 0 ? system(command) : -1;
}
