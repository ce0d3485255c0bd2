/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of what is looked at, and what the machine has to say. */
#include "preload/monitor/check/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"
#include "preload/common/run/log_create.h"
#include "preload/monitor/check/check_objects.h"
#include "preload/monitor/tools/pidfd.h"
#include "preload/monitor/tools/program_kind.h"
#include "preload/monitor/tools/totals.h"

#define LEAST_BYTES (1u << 20)	/* for a log that is worth it */

static void check_loading(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	const char *older = getenv("LD_PRELOAD");

	if (objects->has_library) {
		finding_set(finding, WORKS, NULL, "libinsideme.so is loaded%s%.200s", older && *older ? ", before " : "",
			    older ? older : "");
		return;
	}
	if (!check->library)
		finding_set(finding, WORKS_NOT, "install it there",
			    "libinsideme.so is not beside insideme-run nor in ../lib/insideme");
	else
		finding_set(finding, WORKS_NOT, NULL, "libinsideme.so is not loaded: %s",
			    objects->complaint[0] ? objects->complaint : "ld.so does not say why");
	finding->is_fatal = true;
}

/* Since 6.15 the kernel keeps the exit code of a process for whoever holds its pidfd. */
static void check_kernel(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	struct utsname name;
	int major = 0, minor = 0, fd = pidfd_of(getpid());

	(void)check;
	(void)objects;
	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	if (fd >= 0)
		close(fd);
	if (fd < 0)
		finding_set(finding, WORKS_IN_PART, "allow pidfd_open", "%s: ends of processes that others wait for are not seen: %s",
			    name.release, strerror(-fd));
	else if (major < 6 || (major == 6 && minor < 15))
		finding_set(finding, WORKS_IN_PART, NULL, "%s: before 6.15 some ends of processes that others wait for are missed",
			    name.release);
	else
		finding_set(finding, WORKS, NULL, "%s", name.release);
}

static void check_fork(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)check;
	(void)objects;
	finding_set(finding, WORKS, NULL, "children are told apart (MADV_WIPEONFORK)");
	if (page == MAP_FAILED || madvise(page, bytes, MADV_WIPEONFORK) < 0)
		finding_set(finding, WORKS_IN_PART, NULL, "children of _Fork and raw clone are not told apart from their parent");
	if (page != MAP_FAILED)
		munmap(page, bytes);
}

static void check_clock(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	(void)check;
	(void)objects;
	if (choose_clock() == LOG_CLOCK_TSC)
		finding_set(finding, WORKS, NULL, "the processor's time-stamp counter");
	else
		finding_set(finding, WORKS_IN_PART, "--timing=counts where calls are short",
			    "the kernel does not trust the time-stamp counter: a call costs two system calls");
}

/* @dir or, before there is one, where it will be made. */
static void check_space(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	const char *dir = settings_text(check->settings, SETTING_DIR);
	char where[SETTING_TEXT_MAX], free_text[COUNT_TEXT_BYTES], budget[COUNT_TEXT_BYTES];
	struct statvfs space;

	(void)objects;
	snprintf(where, sizeof(where), "%s", dir);
	while (access(where, F_OK) < 0 && errno == ENOENT && strcmp(where, ".") != 0) {
		char *slash = strrchr(where, '/');

		if (slash == where)
			slash++;
		if (slash)
			*slash = '\0';
		else
			strcpy(where, ".");
	}
	if (access(where, W_OK | X_OK) < 0 || statvfs(where, &space) < 0) {
		finding_set(finding, WORKS_NOT, "choose another directory with -d", "%.200s cannot be written: %s", dir,
			    strerror(errno));
		finding->is_fatal = true;
		return;
	}
	format_bytes(free_text, (uint64_t)space.f_bavail * space.f_frsize);
	format_bytes(budget, check->settings->value[SETTING_BUDGET]);
	finding_set(finding, WORKS, NULL, "%s free for %.200s; a process takes at most %s or a tenth of that", free_text, dir,
		    budget);
	if (space.f_bavail * space.f_frsize < LEAST_BYTES) {
		finding_set(finding, WORKS_NOT, "make room, or choose another directory with -d",
			    "%s free for %.200s: too little for a log", free_text, dir);
		finding->is_fatal = true;
	} else if (space.f_bavail * space.f_frsize < 10 * check->settings->value[SETTING_BUDGET]) {
		finding_set(finding, WORKS_IN_PART, "make room, or choose another directory with -d",
			    "%s free for %.200s: a process takes at most a tenth of that", free_text, dir);
	}
}

static void check_limits(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	char bytes[COUNT_TEXT_BYTES];
	struct rlimit limit;

	(void)check;
	(void)objects;
	finding_set(finding, WORKS, NULL, "none that matters");
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		format_bytes(bytes, limit.rlim_cur);
		finding_set(finding, WORKS_IN_PART, "ulimit -v unlimited",
			    "%s of address space: a log takes at most a quarter of what is left", bytes);
	}
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		format_bytes(bytes, limit.rlim_cur);
		finding_set(finding, WORKS_IN_PART, "ulimit -f unlimited", "files of at most %s: so is a log", bytes);
	}
}

static const struct {
	const char *name;
	void (*look)(const struct check *check, const struct objects_of *objects, struct finding *finding);
} lines[] = {
	{ "loading", check_loading },
	{ "functions", check_functions },
	{ "names", check_names },
	{ "heap", check_heap },
	{ "sanitizer", check_sanitizer },
	{ "clock", check_clock },
	{ "forks", check_fork },
	{ "kernel", check_kernel },
	{ "space", check_space },
	{ "limits", check_limits },
};

static void print(const char *name, const struct finding *finding)
{
	static const char *const words[] = { [WORKS] = "yes", [WORKS_IN_PART] = "part", [WORKS_NOT] = "no" };

	printf("%-10s %-5s %s\n", name, words[finding->works], finding->text);
	if (finding->advice[0])
		printf("%-16s -> %s\n", "", finding->advice);
}

static void look_at_program(const struct check *check, const char *file, int scripts, struct finding *finding)
{
	const struct refusal *refusal = program_refusal(check->path);

	finding_set(finding, WORKS, NULL, "%s%.400s, linked dynamically, with glibc", scripts > 0 ? "a script, run by " : "",
		    file);
	if (scripts < 0)
		finding_set(finding, WORKS_NOT, NULL, "%.240s is no program and no script that names one", check->path);
	else if (refusal)
		finding_set(finding, WORKS_NOT, refusal->advice, "%s", refusal->reason);
	finding->is_fatal = finding->works == WORKS_NOT;
}

static bool look_at_the_rest(const struct check *check, const char *file, const char *ld_so)
{
	struct objects_of objects;
	bool can_be = true;

	objects_of(&objects, file, ld_so, check->library, check->environment);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct finding finding = { .is_fatal = false };

		lines[i].look(check, &objects, &finding);
		print(lines[i].name, &finding);
		can_be &= !finding.is_fatal;
	}
	objects_release(&objects);
	return can_be;
}

bool check_print(const struct check *check)
{
	struct finding finding;
	char file[PATH_MAX], ld_so[PATH_MAX];
	int scripts = program_executable(check->path, file);
	bool can_be;

	look_at_program(check, file, scripts, &finding);
	print("program", &finding);
	can_be = !finding.is_fatal && program_ld_so(file, ld_so, sizeof(ld_so)) && look_at_the_rest(check, file, ld_so);
	printf("\n%s %s be recorded\n", check->name, can_be ? "can" : "cannot");
	return can_be;
}
