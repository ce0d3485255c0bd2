/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs that are kept outside of their run's directory. */
#include "preload/common/log/log_elsewhere.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "insideme_log.h"
#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

#define PATH_BYTES	4096	/* of the log's file in the run */

static const char *const places[] = { "/dev/shm", "/tmp" };

bool elsewhere_is_remote(int fd)
{
	/* NFS, SMB, SMB2, CIFS, FUSE, 9P, Lustre, GPFS, Ceph, AFS, BeeGFS, OrangeFS, PanFS, VirtualBox, Coda,
	 * Parallels */
	static const uint32_t kinds[] = {
		0x6969,	    0x517b,	0xfe534d42, 0xff534d42, 0x65735546, 0x01021997,
		0x0bd00bd0, 0x47504653, 0x00c36400, 0x5346414f, 0x19830326, 0x20030528,
		0xaad7aaea, 0x786f4256, 0x73757245, 0x7c7c6673,
	};
	struct statfs fs;

	if (raw_syscall(SYS_fstatfs, fd, (long)&fs, 0, 0, 0, 0) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((uint32_t)fs.f_type == kinds[i])
			return true;
	return false;
}

bool elsewhere_is_wanted(long error)
{
	return error == -EOPNOTSUPP || error == -ENOSYS || error == -ENODEV || error == -EINVAL;
}

/*
 * Names can be guessed. But in a directory with the sticky bit, a file made with O_EXCL stays ours.
 * The time distinguishes hosts that share the run, and processes that had the pid before.
 */
long elsewhere_create(unsigned number, char *path)
{
	struct text text;

	if (number >= ARRAY_SIZE(places))
		return -ENOENT;
	text_init(&text, path, ELSEWHERE_PATH_BYTES);
	text_add(&text, places[number]);
	text_add(&text, "/insideme-");
	text_add_number(&text, (uint64_t)sys_getpid());
	text_add_char(&text, '-');
	text_add_number(&text, clock_ns(CLOCK_REALTIME));
	text_add(&text, ".log");
	return sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int elsewhere_point(int home_fd, const char *path)
{
	char line[sizeof(LOG_POINTER) + ELSEWHERE_PATH_BYTES];
	struct text text;
	long written;

	text_init(&text, line, sizeof(line));
	text_add(&text, LOG_POINTER);
	text_add(&text, path);
	text_add_char(&text, '\n');
	written = sys_write_unsignalled(home_fd, line, (size_t)(text.at - line));
	return written < 0 ? (int)written : written < text.at - line ? -ENOSPC : 0;
}

/*
 * Read the path in the run's file @fd. Return: false if the file is a log itself, or a line that we
 * did not write.
 */
static bool read_pointer(int fd, char *path)
{
	char line[sizeof(LOG_POINTER) + ELSEWHERE_PATH_BYTES];
	long length = sys_pread(fd, line, sizeof(line) - 1, 0);

	line[length > 0 ? length : 0] = '\0';
	if (!text_begins(line, LOG_POINTER) || line[length - 1] != '\n')
		return false;
	line[length - 1] = '\0';
	text_copy(path, ELSEWHERE_PATH_BYTES, line + sizeof(LOG_POINTER) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (text_begins(path, places[i]))
			return true;
	return false;
}

long elsewhere_open(const char *home, int flags)
{
	char path[ELSEWHERE_PATH_BYTES];
	long fd = -ENOENT;

	/* The log may be brought home meanwhile */
	for (int attempt = 0; attempt < 2 && fd == -ENOENT; attempt++) {
		fd = sys_open(home, flags | O_CLOEXEC | O_NOFOLLOW, 0);
		if (fd < 0 || !read_pointer((int)fd, path))
			return fd;
		sys_close((int)fd);
		fd = sys_open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0);
	}
	return fd;
}

static int write_all(int fd, const char *bytes, uint64_t left)
{
	while (left) {
		long written = sys_write_unsignalled(fd, bytes, left);

		if (written <= 0)
			return written ? (int)written : -ENOSPC;
		bytes += written;
		left -= (uint64_t)written;
	}
	return 0;
}

/*
 * Copy the log as far as its areas reach now. Its head may know of areas that were claimed
 * meanwhile, so those numbers are set right afterwards.
 */
static int copy_log(int from, int to)
{
	uint64_t reach[2];
	struct stat stat;
	long map;
	int error = -EINVAL;

	_Static_assert(offsetof(struct log_header, tail_bytes) ==
			       offsetof(struct log_header, file_bytes) + sizeof(*reach),
		       "both");
	if (sys_fstat(from, &stat) < 0 ||
	    stat.st_uid != (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0) ||
	    stat.st_size < LOG_HEADER_BYTES)
		return -EINVAL;
	map = sys_mmap(NULL, (uint64_t)stat.st_size, PROT_READ, MAP_SHARED, from, 0);
	if (sys_failed(map))
		return (int)map;
	reach[0] = reach[1] =
		__atomic_load_n(&((const struct log_header *)map)->tail_bytes, __ATOMIC_ACQUIRE);
	if (((const struct log_header *)map)->magic == LOG_MAGIC && *reach >= LOG_HEADER_BYTES &&
	    *reach <= (uint64_t)stat.st_size)
		error = write_all(to, (const char *)map, *reach);
	if (!error)
		error = raw_syscall(SYS_pwrite64, to, (long)reach, sizeof(reach),
				    offsetof(struct log_header, file_bytes), 0, 0) < 0
				? -EIO
				: 0;
	sys_munmap((void *)map, (uint64_t)stat.st_size);
	return error;
}

/*
 * RUN/.NAME.PID. The name is not a log's, and no other process uses it: a copy that another process
 * makes at the same time is as good.
 */
static void name_copy(char *path, size_t bytes, const char *home)
{
	const char *name = text_base_name(home);
	struct text text;

	text_init(&text, path, bytes);
	text_add_bytes(&text, home, (size_t)(name - home));
	text_add_char(&text, '.');
	text_add(&text, name);
	text_add_char(&text, '.');
	text_add_number(&text, (uint64_t)sys_getpid());
}

int elsewhere_bring_home(const char *home)
{
	/*
	 * Not on the stack of the thread that ends the process. Only one log is brought home at a
	 * time.
	 */
	LARGE static char copy[PATH_BYTES];
	char path[ELSEWHERE_PATH_BYTES];
	long from, to, error, fd = sys_open(home, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	bool is_elsewhere;

	if (fd < 0)
		return (int)fd;
	is_elsewhere = read_pointer((int)fd, path);
	sys_close((int)fd);
	if (!is_elsewhere)
		return 0;
	from = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	if (from < 0)
		return (int)from;
	name_copy(copy, sizeof(copy), home);
	to = error = sys_open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to >= 0) {
		error = copy_log((int)from, (int)to);
		sys_close((int)to);
		if (!error)
			error = raw_syscall(SYS_renameat, AT_FDCWD, (long)copy, AT_FDCWD, (long)home, 0, 0);
		sys_unlink((error ? copy : path));
	}
	sys_close((int)from);
	return (int)error;
}
