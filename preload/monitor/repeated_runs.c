/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine gets warm, or busy. So the runs of two programs that are to be compared are made by turns, and
 * which one comes first changes from turn to turn.
 */
#include "preload/monitor/repeated_runs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "insideme_options.h"
#include "preload/monitor/signals.h"

struct turns {
	struct options *options;
	const char *name;		/* --run */
};

static void name_run(const struct turns *turns, bool is_beside, uint64_t number, char *name)
{
	snprintf(name, PATH_MAX, "%s%s.%llu", turns->name, is_beside ? "-beside" : "",
		 (unsigned long long)number);
}

/* Recording into a run that is there would add to it. */
static bool is_there(const struct turns *turns)
{
	char name[PATH_MAX];

	for (uint64_t number = 1; number <= turns->options->nr_runs; number++)
		for (int is_beside = 0; is_beside <= (turns->options->beside != NULL); is_beside++) {
			name_run(turns, is_beside, number, name);
			if (access(name, F_OK) == 0)
				return fprintf(stderr, "insideme-run: %s is there already: "
					       "give another --run\n", name);
		}
	return false;
}

/* The options of one run. */
static void take_turn(struct turns *turns, bool is_beside, uint64_t number)
{
	static char name[PATH_MAX];

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	name_run(turns, is_beside, number, name);
	turns->options->settings[SETTING_RUN] = name;
	turns->options->quiet = true;
	if (is_beside)
		turns->options->command[0] = (char *)turns->options->beside;
}

static void tell(const struct turns *turns)
{
	const struct options *options = turns->options;

	if (options->quiet)
		return;
	fprintf(stderr, "insideme: %llu runs each; %s with: insideme-report ",
		(unsigned long long)options->nr_runs, options->beside ? "compare" : "read");
	if (options->beside)
		fprintf(stderr, "--diff '%s-beside.*' ", turns->name);
	fprintf(stderr, "'%s.*'\n", turns->name);
}

int repeated_runs_begin(struct options *options)
{
	struct turns turns = { options, options->settings[SETTING_RUN] ?: getenv("INSIDEME_RUN") };
	uint64_t nr = options->nr_runs * (options->beside ? 2 : 1);
	int status = 0;

	if (!turns.name || !*turns.name) {
		fprintf(stderr, "insideme-run: --runs: it needs --run=NAME: the runs are NAME.1 and so on\n");
		return OPTION_WRONG;
	}
	if (is_there(&turns))
		return OPTION_WRONG;
	for (uint64_t turn = 0; turn < nr && !WIFSIGNALED(status); turn++) {
		uint64_t number = (options->beside ? turn / 2 : turn) + 1;
		pid_t pid = fork();

		if (pid == 0) {
			take_turn(&turns, options->beside && (turn + number) % 2, number);
			return 0;
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			fprintf(stderr, "insideme-run: cannot start a run: %s\n", strerror(errno));
			exit(EXIT_FAILURE);
		}
	}
	tell(&turns);
	signals_end_like(status);
}
