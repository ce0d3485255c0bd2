/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches the memory map of another process for files of runs. */
#include "preload/common/run/mapped_runs.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"

#define PAGE		4096
#define NAME_BYTES	4096
#define MAPS_MAX	(256u << 10)
#define MAPPINGS_MAX	1000		/* at most, asked for one by one */

#define LIBRARY		"/libinsideme.so"

struct search {
	bool (*try_path)(const struct search *search, const char *path, size_t length);
	bool (*found)(const char *path, size_t run_bytes, void *context);
	void *context;
};

static bool try_library(const struct search *search, const char *path, size_t length)
{
	const size_t bytes = sizeof(LIBRARY) - 1;

	return length >= bytes && text_equal(path + length - bytes, LIBRARY);
}

/* If @path ends in the name of a run's page or log, the rest is the run's path. */
static bool try_run(const struct search *search, const char *path, size_t length)
{
	const char *name = path + length;

	while (name > path && name[-1] != '/')
		name--;
	if (name <= path + 1 ||
	    !(text_equal(name, "run") || (length > 4 && text_equal(path + length - 4, ".log"))))
		return false;
	return search->found(path, (size_t)(name - 1 - path), search->context);
}

/*
 * PROCMAP_QUERY of Linux 6.11: the next mapping with these properties, without the text of all
 * others.
 */
struct procmap_query {
	uint64_t size;
	uint64_t flags;
	uint64_t address;
	uint64_t start, end;
	uint64_t vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t name_bytes, build_id_bytes;
	uint64_t name_address, build_id_address;
};

#define QUERY_MAPPING	_IOWR('f', 17, struct procmap_query)
#define SHARED_FILE	(0x01 | 0x02 | 0x08 | 0x20)	/* a readable, writable, shared mapping of a file */
#define OR_NEXT		0x10

/* Return: whether the kernel could answer. Only then @answer is right. */
static bool search_by_query(const struct search *search, int fd, bool *answer)
{
	char name[NAME_BYTES];
	struct procmap_query query = { .size = sizeof(query), .flags = SHARED_FILE | OR_NEXT };

	for (int i = 0; i < MAPPINGS_MAX && !*answer; i++) {
		long error;

		query.name_address = (uint64_t)(uintptr_t)name;
		query.name_bytes = sizeof(name);
		error = raw_syscall(SYS_ioctl, fd, QUERY_MAPPING, (long)&query, 0, 0, 0);
		if (error == -ENOENT)
			break;
		if (error < 0)
			return false;
		if (query.name_bytes)
			*answer = search->try_path(search, name, query.name_bytes - 1);
		query.address = query.end;
	}
	return true;
}

static bool search_line(const struct search *search, const char *line, const char *end)
{
	const char *path = line;

	while (path < end && *path != '/')
		path++;
	return search->try_path(search, path, (size_t)(end - path));
}

static bool search_text(const struct search *search, int fd)
{
	char buffer[PAGE + 1];
	size_t kept = 0, total = 0;
	long length;

	while (total < MAPS_MAX && (length = sys_read(fd, buffer + kept, PAGE - kept)) > 0) {
		char *line = buffer, *limit = buffer + kept + length;

		total += (size_t)length;
		for (char *p = buffer + kept; p < limit; p++) {
			if (*p != '\n')
				continue;
			*p = '\0';
			if (search_line(search, line, p))
				return true;
			line = p + 1;
		}
		kept = (size_t)(limit - line);
		if (kept == PAGE)	/* a longer line is none of ours */
			kept = 0;
		for (size_t i = 0; i < kept; i++)
			buffer[i] = line[i];
	}
	return false;
}

static int open_maps(uint32_t pid)
{
	char path[32];

	proc_path(path, sizeof(path), pid, "/maps");
	return (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

bool mapped_runs_search(uint32_t pid, bool (*found)(const char *path, size_t run_bytes, void *context),
			void *context)
{
	const struct search search = { try_run, found, context };
	bool answer = false;
	int fd = open_maps(pid);

	if (fd < 0)
		return false;
	if (!search_by_query(&search, fd, &answer))
		answer = search_text(&search, fd);
	sys_close(fd);
	return answer;
}

static bool any(const char *path, size_t run_bytes, void *context)
{
	return true;
}

bool mapped_runs_are_missed(uint32_t pid)
{
	const struct search search = { .try_path = try_library };
	int fd = open_maps(pid);
	bool has_library = fd >= 0 && search_text(&search, fd);

	if (fd >= 0)
		sys_close(fd);
	return has_library && !mapped_runs_search(pid, any, NULL);
}
