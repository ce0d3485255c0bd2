/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System calls without libc: no errno, no cancellation point, no symbol to bind. Each returns what
 * the kernel returns: a value, or -errno. They may be called from anywhere: signal handlers, raw
 * clones, vfork children.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "preload/common/base/compiler.h"
#include "preload/common/base/syscall_arch.h"

/* Is @result, of a call that returns an address, an error? */
static ALWAYS_INLINE int sys_failed(long result)
{
	return result < 0 && result >= -4095;
}

static ALWAYS_INLINE long sys_open(const char *path, int flags, int mode)
{
	return raw_syscall(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}

static ALWAYS_INLINE long sys_openat(int dir, const char *path, int flags, int mode)
{
	return raw_syscall(SYS_openat, dir, (long)path, flags, mode, 0, 0);
}

static ALWAYS_INLINE long sys_close(int fd)
{
	return raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

static ALWAYS_INLINE long sys_read(int fd, void *buffer, size_t bytes)
{
	return raw_syscall(SYS_read, fd, (long)buffer, (long)bytes, 0, 0, 0);
}

static ALWAYS_INLINE long sys_pread(int fd, void *buffer, size_t bytes, uint64_t offset)
{
	return raw_syscall(SYS_pread64, fd, (long)buffer, (long)bytes, (long)offset, 0, 0);
}

static ALWAYS_INLINE long sys_fallocate(int fd, uint64_t offset, uint64_t bytes)
{
	return raw_syscall(SYS_fallocate, fd, 0, (long)offset, (long)bytes, 0, 0);
}

/* Return: the address, or a value in [-4095, -1], which is -errno. */
static ALWAYS_INLINE long sys_mmap(void *where, size_t bytes, int protection, int flags, int fd,
				   uint64_t offset)
{
	return raw_syscall(SYS_mmap, (long)where, (long)bytes, protection, flags, fd, (long)offset);
}

static ALWAYS_INLINE long sys_munmap(void *where, size_t bytes)
{
	return raw_syscall(SYS_munmap, (long)where, (long)bytes, 0, 0, 0, 0);
}

static ALWAYS_INLINE long sys_madvise(void *where, size_t bytes, int advice)
{
	return raw_syscall(SYS_madvise, (long)where, (long)bytes, advice, 0, 0, 0);
}

static ALWAYS_INLINE long sys_mkdir(const char *path, int mode)
{
	return raw_syscall(SYS_mkdirat, AT_FDCWD, (long)path, mode, 0, 0, 0);
}

static ALWAYS_INLINE long sys_readlinkat(int folder_fd, const char *path, char *buffer, size_t bytes)
{
	return raw_syscall(SYS_readlinkat, folder_fd, (long)path, (long)buffer, (long)bytes, 0, 0);
}

static ALWAYS_INLINE long sys_readlink(const char *path, char *buffer, size_t bytes)
{
	return sys_readlinkat(AT_FDCWD, path, buffer, bytes);
}

static ALWAYS_INLINE long sys_getdents(int fd, void *buffer, size_t bytes)
{
	return raw_syscall(SYS_getdents64, fd, (long)buffer, (long)bytes, 0, 0, 0);
}

static ALWAYS_INLINE long sys_getpid(void)
{
	return raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static ALWAYS_INLINE long sys_gettid(void)
{
	return raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/*
 * The real call, not the vDSO: 0.1 to 0.4 us, and no TLS. It reads any clock, including a process's
 * CPU clock.
 */
static ALWAYS_INLINE long sys_clock_gettime(int clock, struct timespec *when)
{
	return raw_syscall(SYS_clock_gettime, clock, (long)when, 0, 0, 0, 0);
}

/* Wait until @word is no longer @value, or until a wake-up, or for @ns. */
static inline void sys_futex_wait(void *word, uint32_t value, int64_t ns)
{
	struct timespec timeout = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	raw_syscall(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&timeout, 0, 0);
}

/* The limit on @resource as it is now, RLIM_INFINITY for none. The program may lower it at any time. */
static inline uint64_t sys_limit(int resource)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	raw_syscall(SYS_prlimit64, 0, resource, 0, (long)&limit, 0, 0);
	return limit.rlim_cur;
}

/* The status of an open file. Return: 0, or -errno. */
static ALWAYS_INLINE long sys_fstat(int fd, struct stat *status)
{
	return raw_syscall(SYS_newfstatat, fd, (long)"", (long)status, AT_EMPTY_PATH, 0, 0);
}

static ALWAYS_INLINE long sys_unlink(const char *path)
{
	return raw_syscall(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

/* Block every signal, and restore the mask. A mask has 8 bytes. */
static ALWAYS_INLINE void sys_block_signals(uint64_t *mask)
{
	const uint64_t all = ~0ull;

	raw_syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&all, (long)mask, 8, 0, 0);
}

static ALWAYS_INLINE void sys_restore_signals(const uint64_t *mask)
{
	raw_syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)mask, 0, 8, 0, 0);
}

/*
 * Write without SIGPIPE and SIGXFSZ: a pipe may have no reader, a file may be at the process's
 * limit, and the program must not get our signal.
 */
static inline long sys_writev_unsignalled(int fd, const struct iovec *parts, int nr_parts)
{
	const uint64_t ours = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
	const struct timespec now = { 0, 0 };
	uint64_t mask;
	long result;

	sys_block_signals(&mask);
	result = raw_syscall(SYS_writev, fd, (long)parts, nr_parts, 0, 0, 0);
	if (result == -EPIPE || result == -EFBIG)
		raw_syscall(SYS_rt_sigtimedwait, (long)&ours, 0, (long)&now, sizeof(ours), 0, 0);
	sys_restore_signals(&mask);
	return result;
}

static inline long sys_write_unsignalled(int fd, const void *data, size_t bytes)
{
	const struct iovec part = { (void *)(uintptr_t)data, bytes };

	return sys_writev_unsignalled(fd, &part, 1);
}

#define SA_RESTORER_FLAG	0x04000000ul

/*
 * The kernel's struct of rt_sigaction(), which libc's functions hide. The program may have replaced
 * them.
 */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};
