/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding or starting the run that this process belongs to. */
#include "rundir.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "clock.h"
#include "process_id.h"
#include "syscalls.h"
#include "text.h"

#define ANCESTORS_MAX	4	/* between recorded ones lie few that are not: static, setuid, or without our environment */
#define MAPS_MAX	(256u << 10)
#define PAGE		4096

static void join(char *path, size_t bytes, const char *directory, const char *name)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, directory);
	text_add_char(&text, '/');
	text_add(&text, name);
}

/* Map RUN/run; @fresh: it is ours to fill. */
static int map_page(struct run *run, bool fresh)
{
	char path[RUN_PATH_BYTES];
	long fd, page, error = 0;

	join(path, sizeof(path), run->path, "run");
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (fresh ? O_CREAT | O_EXCL : 0), 0600);
	if (fd < 0)
		return (int)fd;
	if (fresh)
		error = sys_fallocate((int)fd, 0, PAGE);
	page = error ? error : sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	sys_close((int)fd);
	if (sys_failed(page))
		return (int)page;
	run->page = (struct log_run *)page;
	if (fresh) {
		run->page->version = LOG_VERSION;
		run->page->start_realtime_ns = clock_ns(CLOCK_REALTIME);
		__atomic_store_n(&run->page->magic, LOG_RUN_MAGIC, __ATOMIC_RELEASE);
	}
	return run->page->magic == LOG_RUN_MAGIC ? 0 : -EINVAL;
}

/* A directory for runs that nobody else can write: other users' links and files must not catch our logs. */
static int prepare_directory(const char *path)
{
	const char ignore[] = "*\n";
	struct stat stat;
	long fd, directory;

	sys_mkdir(path, 0700);
	directory = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (directory < 0)
		return (int)directory;
	raw_syscall(SYS_newfstatat, directory, (long)"", (long)&stat, AT_EMPTY_PATH, 0, 0);
	if (stat.st_uid != (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0) || (stat.st_mode & 022)) {
		sys_close((int)directory);
		return -EPERM;
	}
	fd = sys_openat((int)directory, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		sys_write((int)fd, ignore, sizeof(ignore) - 1);
		sys_close((int)fd);
	}
	sys_close((int)directory);
	return 0;
}

/* @path made absolute: the program may change its directory. */
static int make_absolute(struct text *text, char *buffer, size_t bytes, const char *path)
{
	text_init(text, buffer, bytes);
	if (path[0] != '/') {
		long length = raw_syscall(SYS_getcwd, (long)buffer, (long)bytes, 0, 0, 0, 0);

		if (length <= 0 || buffer[0] != '/')
			return -ENOENT;
		text->at = buffer + length - 1;
		text_add_char(text, '/');
	}
	text_add(text, path);
	return text->cut ? -ENAMETOOLONG : 0;
}

/* @dir made absolute, or its variant with the user's id when the plain one is not ours alone. */
static int choose_directory(const char *dir, char *path, size_t bytes)
{
	struct text text;
	int error;

	error = make_absolute(&text, path, bytes, dir);
	if (error)
		return error;
	error = prepare_directory(path);
	if (error != -EPERM)
		return error;
	text_add_char(&text, '-');
	text_add_number(&text, (uint64_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0));
	return text.cut ? -ENAMETOOLONG : prepare_directory(path);
}

static int create_in(struct run *run, const char *directory, const char *program)
{
	char date[DATE_BYTES];
	struct text text;

	format_date(date, clock_ns(CLOCK_REALTIME));
	for (uint32_t attempt = 1; attempt < 10000; attempt++) {
		long error;

		text_init(&text, run->path, sizeof(run->path));
		text_add(&text, directory);
		text_add_char(&text, '/');
		text_add(&text, date);
		text_add_char(&text, '-');
		text_add(&text, program);
		if (attempt > 1) {
			text_add_char(&text, '-');
			text_add_number(&text, attempt);
		}
		error = text.cut ? -ENAMETOOLONG : sys_mkdir(run->path, 0700);
		if (error != -EEXIST)
			return error ? (int)error : map_page(run, true);
	}
	return -EEXIST;
}

int run_create(struct run *run, const char *dir, const char *program)
{
	char directory[RUN_PATH_BYTES];
	int error = choose_directory(dir, directory, sizeof(directory));

	if (error) {
		text_copy(run->path, sizeof(run->path), directory[0] == '/' ? directory : dir);
		return error;
	}
	return create_in(run, directory, program);
}

/* The path of a mapped RUN/run in one line of a maps file, cut to the run's directory. */
static bool run_in_line(struct run *run, const char *line, const char *end)
{
	static const char name[] = "/run";
	const char *path = line;
	struct text text;

	while (path < end && *path != '/')
		path++;
	if (end - path < (long)sizeof(name) || !text_begins(end - 4, name))
		return false;
	text_init(&text, run->path, sizeof(run->path));
	text_add_bytes(&text, path, (size_t)(end - 4 - path));
	return !text.cut && map_page(run, false) == 0;
}

/* Does process @pid keep a run's page mapped? */
static bool run_of_process(struct run *run, uint32_t pid)
{
	char path[32], buffer[PAGE + 1];
	size_t kept = 0, total = 0;
	bool found = false;
	long fd, length;

	proc_path(path, sizeof(path), pid, "/maps");
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while (!found && total < MAPS_MAX && (length = sys_read((int)fd, buffer + kept, PAGE - kept)) > 0) {
		char *line = buffer, *limit = buffer + kept + length;

		total += (size_t)length;
		for (char *p = buffer + kept; p < limit && !found; p++) {
			if (*p != '\n')
				continue;
			*p = '\0';
			found = run_in_line(run, line, p);
			line = p + 1;
		}
		kept = (size_t)(limit - line);
		if (kept == PAGE)	/* a longer line is not ours */
			kept = 0;
		for (size_t i = 0; i < kept; i++)
			buffer[i] = line[i];
	}
	sys_close((int)fd);
	return found;
}

static bool run_of_ancestor(struct run *run, uint32_t pid)
{
	for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++) {
		uint64_t start;

		if (run_of_process(run, pid))
			return true;
		if (process_parent(pid, &pid, &start) < 0)
			return false;
	}
	return false;
}

static void log_path(char *path, uint64_t bytes, const char *run_path, const struct process_id *id, uint32_t count)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, run_path);
	text_add_char(&text, '/');
	text_add(&text, id->host);
	text_add_char(&text, '-');
	text_add_number(&text, id->pid);
	text_add_char(&text, '-');
	text_add_number(&text, count);
	text_add(&text, ".log");
}

/* Does the run hold a log of this very process, from before an exec? */
static bool has_own_log(const char *run_path, const struct process_id *id)
{
	char path[RUN_PATH_BYTES];
	struct log_header header;
	long fd, length;

	log_path(path, sizeof(path), run_path, id, 0);
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return false;
	length = sys_read((int)fd, &header, sizeof(header));
	sys_close((int)fd);
	return length == sizeof(header) && header.magic == LOG_MAGIC && header.pid == id->pid &&
	       header.process_start == id->start && text_equal(header.boot_id, id->boot_id);
}

/* When this process began, as runs are named; it can own no older run. One second for rounding. */
static void date_of_start(char *date, const struct process_id *id)
{
	uint64_t since_boot_ns = clock_ns(CLOCK_BOOTTIME), start_ns = id->start * 10000000u;
	uint64_t age_ns = since_boot_ns > start_ns ? since_boot_ns - start_ns : 0;

	format_date(date, clock_ns(CLOCK_REALTIME) - age_ns - 1000000000u);
}

struct directory_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static bool not_before(const char *name, const char *date)
{
	while (*date && *name == *date) {
		name++;
		date++;
	}
	return *name >= *date;
}

static bool run_of_own_log(struct run *run, const char *directory, const struct process_id *id)
{
	char buffer[8192], date[DATE_BYTES];
	bool found = false;
	long fd, length;

	fd = sys_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	date_of_start(date, id);
	while (!found && (length = sys_getdents((int)fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < length && !found;) {
			const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);

			at += entry->length;
			if (entry->name[0] == '.' || !not_before(entry->name, date))
				continue;
			join(run->path, sizeof(run->path), directory, entry->name);
			found = has_own_log(run->path, id) && map_page(run, false) == 0;
		}
	}
	sys_close((int)fd);
	return found;
}

int run_find(struct run *run, const char *run_setting, const char *dir, const struct process_id *id)
{
	char directory[RUN_PATH_BYTES];
	struct text text;
	int error;

	if (run_setting[0]) {
		error = make_absolute(&text, run->path, sizeof(run->path), run_setting);
		if (!error)
			error = map_page(run, false);
		if (error != -ENOENT)
			return error;
		error = prepare_directory(run->path);
		return error ? error : map_page(run, true);
	}
	if (run_of_ancestor(run, id->ppid))
		return 0;
	error = choose_directory(dir, directory, sizeof(directory));
	if (error) {
		text_copy(run->path, sizeof(run->path), directory[0] == '/' ? directory : dir);
		return error;
	}
	if (run_of_own_log(run, directory, id))
		return 0;
	return create_in(run, directory, id->program);
}

int run_new_log(const struct run *run, const struct process_id *id, char *path, uint64_t path_bytes,
		uint32_t *exec_count)
{
	for (uint32_t count = 0; count < 100000; count++) {
		long fd;

		log_path(path, path_bytes, run->path, id, count);
		fd = sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd == -EEXIST)
			continue;
		*exec_count = count;
		return (int)fd;
	}
	return -EEXIST;
}
