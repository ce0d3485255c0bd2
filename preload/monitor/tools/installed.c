/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the library relative to this executable. */
#include "preload/monitor/tools/installed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"

#define NAME "libinsideme.so"
#define MPI_NAME "libinsideme-mpi.so"
#define UNWINDER ":libgcc_s.so.1"

static const char *const places[] = { NAME, "../lib/insideme/" NAME, "../lib/" NAME };

/* The directory of the running executable, with its final slash. */
static bool own_directory(char *directory, unsigned bytes)
{
	ssize_t length = readlink("/proc/self/exe", directory, bytes - 1);
	char *slash;

	if (length <= 0)
		return false;
	directory[length] = '\0';
	slash = strrchr(directory, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return true;
}

bool library_find(struct library *library)
{
	char directory[PATH_MAX], path[PATH_MAX + 64];

	memset(library, 0, sizeof(*library));
	if (!own_directory(directory, sizeof(directory)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s%s", directory, places[i]);
		if (access(path, R_OK) == 0 && realpath(path, library->path))
			return true;
	}
	library->path[0] = '\0';
	return false;
}

void library_find_mpi(const char *path, char *mpi_path)
{
	int length = (int)(strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0);

	if (snprintf(mpi_path, PATH_MAX, "%.*s" MPI_NAME, length, path) >= PATH_MAX || access(mpi_path, R_OK))
		mpi_path[0] = '\0';
}

/* ld.so splits LD_PRELOAD at blanks and colons, and replaces $LIB and the like. */
bool library_make_preloadable(struct library *library)
{
	char directory[] = "/tmp/insideme-XXXXXX";

	char mpi_path[PATH_MAX];

	strcpy(library->preload_path, library->path);
	library_find_mpi(library->path, mpi_path);
	strcpy(library->mpi_preload_path, mpi_path);
	if (!strpbrk(library->path, " \t\n:$"))
		return true;
	if (!mkdtemp(directory))
		return false;
	strcpy(library->link_directory, directory);
	snprintf(library->preload_path, sizeof(library->preload_path), "%s/" NAME, directory);
	if (mpi_path[0]) {
		snprintf(library->mpi_preload_path, sizeof(library->mpi_preload_path), "%s/" MPI_NAME,
			 directory);
		if (symlink(mpi_path, library->mpi_preload_path))
			library->mpi_preload_path[0] = '\0';
	}
	if (symlink(library->path, library->preload_path) == 0)
		return true;
	library_release(library);
	return false;
}

const char *library_preload(const struct library *library, bool with_mpi, bool with_unwinder)
{
	static char preload[2 * PATH_MAX + sizeof(UNWINDER)];
	const bool has_mpi = with_mpi && library->mpi_preload_path[0];

	snprintf(preload, sizeof(preload), "%s%s%s%s", library->preload_path, has_mpi ? ":" : "",
		 has_mpi ? library->mpi_preload_path : "", with_unwinder ? UNWINDER : "");
	return library->preload_path[0] ? preload : NULL;
}

void library_release(struct library *library)
{
	if (!library->link_directory[0])
		return;
	unlink(library->preload_path);
	unlink(library->mpi_preload_path);
	rmdir(library->link_directory);
	library->link_directory[0] = '\0';
}

#define ARGUMENTS_MOST 20

static void run_report(const char *report, const char *const *arguments, enum report_use use)
{
	const char *argv[ARGUMENTS_MOST + 2] = { "insideme-report" };
	int nowhere = use == REPORT_QUIET ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	for (int i = 0; i < ARGUMENTS_MOST && arguments[i]; i++)
		argv[i + 1] = arguments[i];
	unsetenv("LD_PRELOAD");
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	if (use != REPORT_PRINTED)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (use != REPORT_SHOWN)
		unsetenv("DEBUGINFOD_URLS");	/* the caller waits for us, and must not wait for a server */
	if (use == REPORT_LIVE) {
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	}
	execv(report, (char *const *)argv);
	fprintf(stderr, "insideme: cannot run %s: %m\n", report);
	_exit(127);
}

pid_t report_start(const char *const *arguments, const sigset_t *mask, enum report_use use)
{
	char directory[PATH_MAX], report[PATH_MAX + 32];
	pid_t pid;

	if (!own_directory(directory, sizeof(directory)))
		return -ENOENT;
	snprintf(report, sizeof(report), "%sinsideme-report", directory);
	pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		run_report(report, arguments, use);
	}
	return pid < 0 ? -errno : pid;
}

int report_wait(pid_t pid)
{
	int status;

	if (pid <= 0)
		return 1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
