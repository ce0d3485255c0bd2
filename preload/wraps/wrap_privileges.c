/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that fail while the process has another task, or that reach only threads that libc knows: the
 * sampling task ends before them and starts again afterwards. Before a seccomp filter the recorder makes its
 * last system call.
 */
#include <grp.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/common/base/text.h"
#include "preload/life/recorder.h"
#include "preload/objects/next_functions.h"
#include "preload/stacks/thread.h"
#include "preload/state/log_space.h"
#include "preload/state/sampler_task.h"
#include "preload/waits/waits.h"

#define SAME_USER (uid_t)-1

/* Columns: name, parameters, arguments, the user that the process acts for from then on. */
#define ALONE_FUNCTIONS(X)                                                                  \
	X(unshare, (int flags), (flags), SAME_USER)                                         \
	X(setns, (int fd, int type), (fd, type), SAME_USER)                                 \
	X(setuid, (uid_t user), (user), user)                                               \
	X(setgid, (gid_t group), (group), SAME_USER)                                        \
	X(seteuid, (uid_t user), (user), user)                                              \
	X(setegid, (gid_t group), (group), SAME_USER)                                       \
	X(setreuid, (uid_t user, uid_t effective), (user, effective), effective)            \
	X(setregid, (gid_t group, gid_t effective), (group, effective), SAME_USER)          \
	X(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved), effective) \
	X(setresgid, (gid_t group, gid_t effective, gid_t saved), (group, effective, saved), SAME_USER) \
	X(setgroups, (size_t count, const gid_t *groups), (count, groups), SAME_USER)       \
	X(initgroups, (const char *name, gid_t group), (name, group), SAME_USER)

/* Open the log first: the process may not be allowed to do so afterwards, nor to extend it. */
static void become_alone(uid_t user)
{
	recorder_open();
	if (user != SAME_USER)
		log_space_before_user(user);
	sampler_task_pause();
}

#define ALONE(name, parameters, arguments, user)                                                             \
	EXPORT int name parameters                                                                           \
	{                                                                                                    \
		int result = -1;                                                                             \
                                                                                                             \
		become_alone(user);                                                                          \
		if (real_find(name))                                                                         \
			result = real.name arguments;                                                        \
		sampler_task_resume();                                                                       \
		return result;                                                                               \
	}
ALONE_FUNCTIONS(ALONE)

/* System calls that programs often make by syscall(). */
static bool wants_alone(long number)
{
	switch (number) {
	case SYS_unshare:
	case SYS_setns:
	case SYS_setuid:
	case SYS_setgid:
	case SYS_setreuid:
	case SYS_setregid:
	case SYS_setresuid:
	case SYS_setresgid:
	case SYS_setgroups:
	case SYS_capset:
		return true;
	default:
		return false;
	}
}

static uid_t user_of(long number, long a, long b)
{
	if (number == SYS_setuid)
		return (uid_t)a;
	return number == SYS_setreuid || number == SYS_setresuid ? (uid_t)b : SAME_USER;
}

static NOINLINE long syscall_alone(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	become_alone(user_of(number, a, b));
	result = real.syscall(number, a, b, c, d, e, f);
	sampler_task_resume();
	return result;
}

/* With flags or arguments libseccomp only probes whether such a call exists: the kernel refuses it. */
static bool is_strict(long operation, long flags, long arguments)
{
	return operation == SECCOMP_SET_MODE_STRICT && flags == 0 && arguments == 0;
}

/* Calls that may install a filter. */
static bool asks_for_filter(long number, long a, long b, long c)
{
	if (number == SYS_prctl)
		return a == PR_SET_SECCOMP;
	return number == SYS_seccomp && (a == SECCOMP_SET_MODE_FILTER || is_strict(a, b, c));
}

/*
 * With a listener it returns its descriptor; with TSYNC alone, the number of a thread that could not be
 * synchronized.
 */
static bool is_filtered(long number, long flags, long result)
{
	return result == 0 ||
	       (number == SYS_seccomp && flags & SECCOMP_FILTER_FLAG_NEW_LISTENER && result > 0);
}

/* If the filter is not installed, the recorder goes on as before. */
static NOINLINE long syscall_sealed(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	if (number == SYS_prctl ? b == SECCOMP_MODE_STRICT : is_strict(a, b, c))
		recorder_turn_off("the program asks for seccomp strict mode", NULL, 0);
	recorder_seal();
	result = real.syscall(number, a, b, c, d, e, f);
	if (!is_filtered(number, b, result))
		recorder_unseal();
	return result;
}

/* Locks of the program's own, and those of other languages' libraries. */
static bool futex_waits(long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

static NOINLINE long syscall_futex(long number, long a, long b, long c, long d, long e, long f)
{
	static struct wait_function known = { "futex", LOG_WAIT_FUTEX, 0 };
	struct wait wait;
	long result;

	wait_begin(&wait, &known, WAIT_FOR_LOCK((const void *)a, 0), (uintptr_t)__builtin_frame_address(0),
		   (uintptr_t)__builtin_return_address(0));
	result = real.syscall(number, a, b, c, d, e, f);
	wait_end(&wait, 0);
	return result;
}

/*
 * Any other call continues in libc's own frame, because some calls return twice. The wrapper is not variadic,
 * so that it ends in a jump; the assembler names its symbol.
 */
EXPORT long any_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
EXPORT long any_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (!real_find(syscall))
		return -1;
	if (unlikely(asks_for_filter(number, a, b, c)))
		return syscall_sealed(number, a, b, c, d, e, f);
	if (unlikely(number == SYS_exit))
		sampler_task_before_exit();
	if (unlikely(wants_alone(number)))
		return syscall_alone(number, a, b, c, d, e, f);
	if (number == SYS_futex && futex_waits(b) && waits_on())
		return syscall_futex(number, a, b, c, d, e, f);
	return real.syscall(number, a, b, c, d, e, f);
}

static int set_seccomp(unsigned long mode, unsigned long filter, unsigned long c, unsigned long d)
{
	int result;

	if (mode == SECCOMP_MODE_STRICT)
		recorder_turn_off("the program asks for seccomp strict mode", NULL, 0);
	recorder_seal();
	result = real.prctl(PR_SET_SECCOMP, mode, filter, c, d);
	if (result != 0)
		recorder_unseal();
	return result;
}

EXPORT int any_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
		     unsigned long d) __asm__("prctl");
EXPORT int any_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	char name[16];		/* the kernel cuts it to this length */
	int result;

	if (!real_find(prctl))
		return -1;
	if (option == PR_SET_SECCOMP)
		return set_seccomp(a, b, c, d);
	/* libc's clocks may read the counter too, whatever clock the log has */
	if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV && (live.log || live_open_child())) {
		sampler_task_stop();
		recorder_turn_off("the program forbids itself the time-stamp counter", NULL, 0);
	}
	result = real.prctl(option, a, b, c, d);
	if (option == PR_SET_NAME && result == 0 && live.log && self) {
		text_copy(name, sizeof(name), (const char *)a);
		thread_name(self, name);
	}
	return result;
}
