/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A descriptor table of the sampling task's own. */
#include "preload/state/task_descriptors.h"

#include <linux/close_range.h>
#include <sched.h>

#include "preload/common/base/directory.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

/* Those that /proc lists: a table may be large and nearly empty. */
static bool close_listed(void)
{
	_Alignas(8) char buffer[DIRECTORY_BUFFER_BYTES];
	struct directory directory;
	const char *name;
	uint64_t fd;

	sys_close(0);		/* where the table is full the listing takes its place */
	if (directory_open(&directory, "/proc/thread-self/fd", buffer, sizeof(buffer)) < 0)
		return false;
	while ((name = directory_next(&directory)))
		if (text_read_u64(&name, &fd) == 0 && fd != (uint64_t)directory.fd)
			sys_close((int)fd);
	directory_close(&directory);
	return true;
}

/*
 * Descriptors of its own: it neither keeps the program's pipes open nor is hurt by closefrom(). Kernels before
 * 5.9 and the filters of some containers have no close_range().
 */
bool descriptors_leave(void)
{
	if (raw_syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE, 0, 0, 0) == 0)
		return true;
	return raw_syscall(SYS_unshare, CLONE_FILES, 0, 0, 0, 0, 0) == 0 && close_listed();
}
