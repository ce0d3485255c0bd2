/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls of pidfds. */
#include "preload/monitor/tools/pidfd.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers that we build with: struct pidfd_info of linux/pidfd.h as it first was. */
struct info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
_Static_assert(sizeof(struct info) == 64, "the first form of struct pidfd_info");

#define INFO_EXIT	8u
#define GET_INFO	_IOWR(0xff, 11, struct info)

int pidfd_of(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

int pidfd_status(int fd, int *status)
{
	struct info info = { .mask = INFO_EXIT };

	if (ioctl(fd, GET_INFO, &info) < 0 || !(info.mask & INFO_EXIT))
		return -ENODATA;
	*status = info.exit_code;
	return 0;
}
