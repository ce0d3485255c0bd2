/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the directories of runs, and the page that a run's processes share. */
#include "preload/common/run/run.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"

#define PAGE		4096
#define BEING_SET	1	/* in us_ticks, while it is written */
#define BEGUN_WAIT_NS	1000000		/* between looks at a run that another process is making */
#define BEGUN_WAITS	100
#define ATTEMPTS_MAX	10000
/*
 * Used to number runs of the same second; then numbers follow the pid, since a script may start
 * hundreds in a second
 */
#define SMALL_NUMBERS	3

void path_join(char *path, size_t bytes, const char *directory, const char *name)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, directory);
	text_add_char(&text, '/');
	text_add(&text, name);
}

/*
 * Write the page of a new run, whole: a page beyond the file's end would kill a process that
 * touches it.
 */
static int begin_page(int fd, const struct process_id *creator)
{
	union {
		struct log_run run;
		char bytes[PAGE];
	} page;
	long written;

	__builtin_memset(&page, 0, sizeof(page));
	page.run.magic = LOG_RUN_MAGIC;
	page.run.version = LOG_VERSION;
	page.run.start_realtime_ns = clock_ns(CLOCK_REALTIME);
	page.run.creator_pid = creator->pid;
	page.run.creator_start = creator->start;
	text_copy(page.run.boot_id, sizeof(page.run.boot_id), creator->boot_id);
	written = sys_write_unsignalled(fd, &page, sizeof(page));
	return written == sizeof(page) ? 0 : written < 0 ? (int)written : -ENOSPC;
}

static int await_page(int fd)
{
	const struct timespec wait = { .tv_nsec = BEGUN_WAIT_NS };
	struct stat stat;

	for (int i = 0; i < BEGUN_WAITS; i++) {
		if (sys_fstat(fd, &stat) == 0 &&
		    stat.st_size >= PAGE)
			return 0;
		raw_syscall(SYS_nanosleep, (long)&wait, 0, 0, 0, 0, 0);
	}
	return -EINVAL;
}

/* The page is mapped privately where it cannot be shared. Other processes still find the run by it. */
int run_map_page(struct run *run, const struct process_id *creator)
{
	char path[RUN_PATH_BYTES];
	long fd, page, error;

	path_join(path, sizeof(path), run->path, "run");
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creator ? O_CREAT | O_EXCL : 0), 0600);
	if (fd < 0)
		return (int)fd;
	error = creator ? begin_page((int)fd, creator) : await_page((int)fd);
	page = error ? error : sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	run->page_is_private = !error && (page == -ENODEV || page == -EINVAL);
	if (run->page_is_private)
		page = sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, (int)fd, 0);
	sys_close((int)fd);
	if (sys_failed(page))
		return (int)page;
	if (((const struct log_run *)page)->magic != LOG_RUN_MAGIC) {
		sys_munmap((void *)page, PAGE);
		return -EINVAL;
	}
	run->page = (struct log_run *)page;
	return 0;
}

int run_read_creator(const char *run_path, uint32_t *pid, uint64_t *start)
{
	char path[RUN_PATH_BYTES];
	struct log_run page;
	long fd, length;

	path_join(path, sizeof(path), run_path, "run");
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return (int)fd;
	length = sys_read((int)fd, &page, sizeof(page));
	sys_close((int)fd);
	if (length != sizeof(page) || page.magic != LOG_RUN_MAGIC)
		return -EINVAL;
	*pid = page.creator_pid;
	*start = page.creator_start;
	return 0;
}

bool run_is_watched(const struct log_run *page)
{
	uint32_t monitor = page ? __atomic_load_n(&page->monitor_pid, __ATOMIC_ACQUIRE) : 0;

	return monitor && raw_syscall(SYS_kill, monitor, 0, 0, 0, 0, 0) != -ESRCH;
}

/* Writes through the file, because the page may be mapped privately. */
static void write_to_page(const struct run *run, uint32_t value, uint64_t offset)
{
	char path[RUN_PATH_BYTES];
	long fd;

	path_join(path, sizeof(path), run->path, "run");
	fd = sys_open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return;
	raw_syscall(SYS_pwrite64, fd, (long)&value, sizeof(value), (long)offset, 0, 0);
	sys_close((int)fd);
}

void run_set_monitor(const struct run *run, uint32_t pid)
{
	write_to_page(run, pid, offsetof(struct log_run, monitor_pid));
}

bool run_boot_of_all(const struct run *run, char *boot_id, size_t bytes)
{
	if (!run->page->boot_id[0] || __atomic_load_n(&run->page->several_boots, __ATOMIC_ACQUIRE))
		return false;
	text_copy(boot_id, bytes, run->page->boot_id);
	return true;
}

bool run_tell_boot(const struct run *run, const char *boot_id)
{
	if (text_equal(run->page->boot_id, boot_id))
		return false;
	if (!run->page->several_boots)
		write_to_page(run, 1, offsetof(struct log_run, several_boots));
	return true;
}

int run_prepare_directory(const char *path)
{
	const char ignore[] = "*\n";
	struct stat stat;
	long fd, directory, made;

	made = sys_mkdir(path, 0700);
	directory = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (directory == -ENOENT && made < 0)
		return (int)made;	/* this error is the reason: no permission, a read-only file system */
	if (directory < 0)
		return (int)directory;
	sys_fstat((int)directory, &stat);
	if (stat.st_uid != (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0) || (stat.st_mode & 022)) {
		sys_close((int)directory);
		return -EPERM;
	}
	fd = sys_openat((int)directory, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		sys_write_unsignalled((int)fd, ignore, sizeof(ignore) - 1);
		sys_close((int)fd);
	}
	sys_close((int)directory);
	return 0;
}

int path_make_absolute(struct text *text, char *buffer, size_t bytes, const char *path)
{
	text_init(text, buffer, bytes);
	if (path[0] != '/') {
		long length = raw_syscall(SYS_getcwd, (long)buffer, (long)bytes, 0, 0, 0, 0);

		if (length <= 0 || buffer[0] != '/')
			return -ENOENT;
		text->at = buffer + length - 1;
		if (text->at[-1] != '/')
			text_add_char(text, '/');
	}
	text_add(text, path);
	return text->cut ? -ENAMETOOLONG : 0;
}

int run_choose_directory(const char *dir, char *path, size_t bytes)
{
	struct text text;
	int error;

	error = path_make_absolute(&text, path, bytes, dir);
	if (error)
		return error;
	error = run_prepare_directory(path);
	if (error != -EPERM)
		return error;
	text_add_char(&text, '-');
	text_add_number(&text, (uint64_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0));
	return text.cut ? -ENAMETOOLONG : run_prepare_directory(path);
}

int run_create(struct run *run, const char *directory, const struct process_id *id)
{
	char date[DATE_BYTES];
	struct text text;

	format_date(date, clock_ns(CLOCK_REALTIME));
	for (uint32_t attempt = 1; attempt < ATTEMPTS_MAX; attempt++) {
		long error;

		text_init(&text, run->path, sizeof(run->path));
		text_add(&text, directory);
		text_add_char(&text, '/');
		text_add(&text, date);
		text_add_char(&text, '-');
		text_add(&text, id->program);
		if (attempt > 1) {
			text_add_char(&text, '-');
			text_add_number(&text, attempt <= SMALL_NUMBERS ? attempt : id->pid + attempt);
		}
		error = text.cut ? -ENAMETOOLONG : sys_mkdir(run->path, 0700);
		if (error == -EEXIST)
			continue;
		return error ? (int)error : run_map_page(run, id);
	}
	return -EEXIST;
}

uint64_t run_us_ticks(const struct run *run, const char *boot_id)
{
	uint64_t us_ticks = __atomic_load_n(&run->page->us_ticks, __ATOMIC_ACQUIRE);

	return us_ticks > BEING_SET && text_equal(run->page->boot_id, boot_id) ? us_ticks : 0;
}

void run_set_us_ticks(struct run *run, const char *boot_id, uint64_t us_ticks)
{
	uint64_t unknown = 0;

	if (!text_equal(run->page->boot_id, boot_id) ||
	    !__atomic_compare_exchange_n(&run->page->us_ticks, &unknown, BEING_SET, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&run->page->us_ticks, us_ticks, __ATOMIC_RELEASE);
}

void run_leave(struct run *run)
{
	sys_munmap(run->page, PAGE);
	run->page = NULL;
}

void run_take_back(struct run *run)
{
	char path[RUN_PATH_BYTES];

	run_leave(run);
	path_join(path, sizeof(path), run->path, "run");
	sys_unlink(path);
	raw_syscall(SYS_unlinkat, AT_FDCWD, (long)run->path, AT_REMOVEDIR, 0, 0, 0);
}
