/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child shares our memory until it executes the report, and ends without SIGCHLD: whatever the program
 * does about children, it never sees this one.
 */
#include "preload/life/end_summary.h"

#include <limits.h>
#include <sched.h>
#include <sys/wait.h>

#include "preload/common/base/settings.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/message.h"
#include "preload/objects/fork_gate.h"
#include "preload/state/live.h"
#include "preload/state/modules.h"

#define VARIABLES_MAX	512
#define STACK_BYTES	(16u << 10)

static const struct run *run;		/* these two: set before any thread; NULL: nothing is printed */
static char **environment;

struct report_start {
	char path[PATH_MAX];		/* of insideme-report */
	const char *arguments[5];
	const char *variables[VARIABLES_MAX];
	uint64_t mask;
};

LARGE static struct report_start report;	/* of the one process that prints, at its end */
LARGE static char stack[STACK_BYTES];

void end_summary_init(const struct run *own, char **variables)
{
	run = settings.value[SETTING_SUMMARY] ? own : NULL;
	environment = variables;
}

static bool is_there(const char *path)
{
	return raw_syscall(SYS_access, (long)path, 1 /* X_OK */, 0, 0, 0, 0) == 0;
}

/* Beside the library, as in the build, or where it is installed. */
static bool find_report(char *path, size_t bytes)
{
	static const char *const places[] = { "insideme-report", "../../bin/insideme-report" };
	const char *own;
	uintptr_t bias;
	struct text text;

	if (!modules_place((uintptr_t)find_report, &own, &bias))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		text_init(&text, path, bytes);
		text_add_bytes(&text, own, (size_t)(text_base_name(own) - own));
		text_add(&text, places[i]);
		if (!text.cut && is_there(path))
			return true;
	}
	return false;
}

static bool began_run(void)
{
	uint32_t pid;
	uint64_t start;

	return run_read_creator(run->path, &pid, &start) == 0 && pid == (uint32_t)sys_getpid() &&
	       !run_is_watched(run->page);
}

static void copy_environment(void)
{
	size_t nr = 0;

	for (char **at = environment; *at && nr < VARIABLES_MAX - 1; at++)
		if (!text_begins(*at, "LD_PRELOAD=") && !text_begins(*at, "DEBUGINFOD_URLS="))
			report.variables[nr++] = *at;
	report.variables[nr] = NULL;
}

static void run_report(void *argument)
{
	raw_syscall(SYS_dup3, 2, 1, 0, 0, 0, 0);
	sys_restore_signals(&report.mask);
	raw_syscall(SYS_execve, (long)report.path, (long)report.arguments, (long)report.variables, 0, 0, 0);
	for (;;)
		raw_syscall(SYS_exit, 127, 0, 0, 0, 0, 0);
}

void end_summary_print(void)
{
	long child;

	if (!run || live_is_sealed() || live_is_private || !say_can() || !began_run())
		return;
	if (!find_report(report.path, sizeof(report.path))) {
		say_line("INSIDEME_SUMMARY: insideme-report is not beside the library nor in ../../bin");
		return;
	}
	report.arguments[0] = "insideme-report";
	report.arguments[1] = "--no-pager";
	report.arguments[2] = run->path;
	run = NULL;
	copy_environment();
	sys_block_signals(&report.mask);
	child = raw_clone(run_report, NULL, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, NULL, NULL);
	if (child > 0)
		raw_syscall(SYS_wait4, child, 0, __WALL, 0, 0, 0);
	sys_restore_signals(&report.mask);
}
