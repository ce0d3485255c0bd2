/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removing old runs. A run of ours is a real directory that belongs to us, holds the page that all
 * processes of a run share, and contains only files that we made. A run goes on as long as any process has
 * that page mapped, recorded or not.
 */
#include "analyzer/app/clean_runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/app/list_runs.h"
#include "analyzer/base/error.h"
#include "analyzer/base/units.h"
#include "analyzer/load/load.h"
#include "analyzer/log/log_elsewhere.h"
#include "analyzer/model/model.h"
#include "analyzer/model/names_file.h"
#include "analyzer/runs/choose_runs.h"
#include "insideme_log.h"

/* a log of another host that has no end counts as over when it was not written for so long */
#define QUIET_SECONDS	86400

/* Open the entries of the directory @fd from the start. */
static DIR *open_again(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = own < 0 ? NULL : fdopendir(own);

	if (own >= 0 && !directory)
		close(own);
	return directory;
}

/* Whether the file is a log, a log that was never begun, or the line with the path of a log elsewhere. */
static bool is_log(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char head[sizeof(LOG_POINTER)] = "";
	uint64_t magic = 0;
	bool is_ours;

	if (fd < 0)
		return false;
	is_ours = read(fd, head, sizeof(head) - 1) >= 0;
	close(fd);
	memcpy(&magic, head, sizeof(magic));
	return is_ours && (magic == LOG_MAGIC || magic == 0 || strcmp(head, LOG_POINTER) == 0);
}

/* An incomplete copy of a log that was being moved home is ours, too. */
static bool is_our_file(int directory, const char *name)
{
	size_t length = strlen(name);
	struct stat stat_of;

	if (fstatat(directory, name, &stat_of, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(stat_of.st_mode) ||
	    stat_of.st_uid != geteuid())
		return false;
	if (strcmp(name, ".gitignore") == 0) /* of a run by name, as of each folder of runs: "*" */
		return stat_of.st_size == 2;
	if (strcmp(name, "run") == 0 || strncmp(name, NAMES_FILE, sizeof(NAMES_FILE) - 1) == 0)
		return true;
	if (length > 5 && strcmp(name + length - 5, LOG_COLLECTION_END) == 0)
		return true;
	if (name[0] == '.' && length > 6 && strcmp(name + length - 6, ".ranks") == 0)
		return stat_of.st_size == 0;
	return length > 4 &&
	       (strcmp(name + length - 4, ".log") == 0 || (name[0] == '.' && strstr(name, ".log."))) &&
	       is_log(directory, name);
}

/*
 * Find a file that is not ours. Return: its name; "" if all files are ours; NULL if the run itself is not
 * ours. The caller frees it
 */
static char *find_strange(const struct run *run, int fd)
{
	DIR *directory = open_again(fd);
	struct dirent *entry;
	struct stat stat_of;
	char *found = NULL;

	if (directory && fstat(fd, &stat_of) == 0 && stat_of.st_uid == geteuid() && run->start_realtime_ns)
		found = xstrdup("");
	while (found && !found[0] && (entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    is_our_file(fd, entry->d_name))
			continue;
		free(found);
		found = xstrdup(entry->d_name);
	}
	if (directory)
		closedir(directory);
	return found;
}

/* Whether the process maps a file of the run for writing, which no reader does. */
static bool maps_file(const char *pid, const char *folder)
{
	char *maps = xasprintf("/proc/%s/maps", pid), *line = NULL, *path;
	FILE *file = fopen(maps, "re");
	bool found = false;
	size_t room = 0;

	while (file && !found && getline(&line, &room, file) > 0) {
		path = strchr(line, '/');
		found = path && strncmp(path, folder, strlen(folder)) == 0 && strstr(line, " rw");
	}
	if (file)
		fclose(file);
	free(line);
	free(maps);
	return found;
}

/* Whether a process of this host has the run's page, or one of its logs, mapped. */
static bool is_mapped(const struct run *run)
{
	char *directory = realpath(run->path, NULL), *path = directory ? xasprintf("%s/", directory) : NULL;
	DIR *proc = path ? opendir("/proc") : NULL;
	struct dirent *entry;
	bool found = false;

	while (proc && !found && (entry = readdir(proc)))
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && maps_file(entry->d_name, path);
	if (proc)
		closedir(proc);
	free(directory);
	free(path);
	return found;
}

static bool was_written_lately(const struct run *run)
{
	struct stat stat_of;

	for (size_t i = 0; i < run->nr_logs; i++)
		if (stat(run->logs[i], &stat_of) == 0 && time(NULL) - stat_of.st_mtime < QUIET_SECONDS)
			return true;
	return false;
}

/* Why the run may still go on; NULL: it is over. */
static const char *going_on(const struct run *run)
{
	struct model *model = model_open(run, 1);
	bool running = is_mapped(run), unknown = false;

	for (size_t i = 0; model && i < model->nr_processes; i++) {
		running |= model->processes[i]->end_kind == END_RUNNING;
		unknown |= model->processes[i]->end_kind == END_UNKNOWN;
	}
	model_free(model);
	return running				    ? "it goes on"
	       : unknown && was_written_lately(run) ? "it may still go on, on another host"
						    : NULL;
}

/* Remove a log that lives elsewhere, after checking that it is a log: others use that place too. */
static void remove_live(const char *path)
{
	struct log_header header;

	if (run_read_head(path, &header, sizeof(header)) && header.magic == LOG_MAGIC)
		pointer_bring_home(path);
}

static bool remove_files(const struct run *run, int fd)
{
	DIR *directory = open_again(fd);
	struct dirent *entry;

	for (size_t i = 0; i < run->nr_logs; i++)
		remove_live(run->logs[i]);
	while (directory && (entry = readdir(directory)))
		if (is_our_file(fd, entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	if (directory)
		closedir(directory);
	return rmdir(run->path) == 0;
}

/* Remove links by which ranks found a run that no longer exists. They are made only when the run exists. */
static void remove_links(void)
{
	DIR *directory = opendir(run_directory());
	struct dirent *entry;
	char target[2];

	while (directory && (entry = readdir(directory)))
		if (strncmp(entry->d_name, ".launch-", 8) == 0 &&
		    readlinkat(dirfd(directory), entry->d_name, target, sizeof(target)) > 0 &&
		    faccessat(dirfd(directory), entry->d_name, F_OK, 0) < 0 && errno == ENOENT)
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
}

/* Return: whether the run was removed, or would be */
static bool clean_run(const struct run *run, bool dry_run, uint64_t *bytes)
{
	int fd = open(run->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char *strange = fd >= 0 ? find_strange(run, fd) : NULL, size[UNIT_TEXT_MAX];
	const char *why = NULL;
	bool done = false;

	*bytes = list_run_bytes(run);
	if (!strange)
		printf("kept %s: not a run of yours\n", run->path);
	else if (strange[0])
		printf("kept %s: it contains %s, which is not ours\n", run->path, strange);
	else if ((why = going_on(run)))
		printf("kept %s: %s\n", run->path, why);
	else if (!(done = dry_run || remove_files(run, fd)))
		error("cannot remove %s: %s", run->path, strerror(errno));
	if (done)
		printf("%s %s, %s\n", dry_run ? "would remove" : "removed", run->path,
		       unit_format(size, UNIT_BYTES, *bytes));
	free(strange);
	if (fd >= 0)
		close(fd);
	return done;
}

int clean_runs(size_t keep, bool dry_run)
{
	uint64_t bytes, sum = 0;
	char size[UNIT_TEXT_MAX];
	struct run *runs;
	size_t nr = run_list(&runs), nr_gone = 0;

	for (size_t i = nr; i-- > keep;)
		if (clean_run(&runs[i], dry_run, &bytes)) {
			nr_gone++;
			sum += bytes;
		}
	if (!dry_run)
		remove_links();
	if (nr <= keep)
		printf("nothing to remove: %zu run%s in %s (--keep %zu)\n", nr, nr == 1 ? "" : "s",
		       run_directory(), keep);
	else
		printf("%zu of %zu run%s in %s %s, %s\n", nr_gone, nr, nr == 1 ? "" : "s", run_directory(),
		       dry_run ? "would be removed" : "removed", unit_format(size, UNIT_BYTES, sum));
	for (size_t i = 0; i < nr; i++)
		run_release(&runs[i]);
	free(runs);
	return EXIT_SUCCESS;
}

int remove_runs(char *const *names, bool dry_run)
{
	struct run *runs = NULL;
	long nr = choose_runs(&runs, names, NULL);
	uint64_t bytes;
	bool are_gone = nr >= 0;

	for (long i = 0; i < nr; i++)
		are_gone &= clean_run(&runs[i], dry_run, &bytes);
	if (!dry_run && nr > 0)
		remove_links();
	choose_free(runs, nr > 0 ? (size_t)nr : 0);
	return are_gone ? EXIT_SUCCESS : EXIT_FAILURE;
}
