/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampling task inside the program. A pthread would change the program (glibc's single-threaded fast ways,
 * the end of a process whose main calls pthread_exit), so it is a raw clone with an own stack, an own zeroed
 * TLS block, all signals blocked and an own, empty descriptor table. It calls no libc function.
 */
#include "helper.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "clock.h"
#include "rundir.h"
#include "sampler.h"
#include "syscalls.h"
#include "text.h"

#define STACK_BYTES	(64u << 10)
#define GUARD_BYTES	(64u << 10)	/* a page of any size */
#define TLS_BYTES	4096u		/* below and above the thread pointer */
#define FIRST_SLEEP_NS	5000000		/* short programs see no more of it than its start */
#define LAST_WAIT_NS	20000000	/* at most, for its last rows */

/* One mapping: guard, stack, TLS block, this, the sampler. */
struct helper {
	uint32_t tid;			/* set by the kernel, cleared and woken by it when the task has ended */
	_Atomic uint32_t stop;		/* woken */
	struct sampler_config config;
	char path[RUN_PATH_BYTES];
	_Alignas(64) char sampler[];
};

static struct helper *helper;		/* set in the constructor, and by a forked child */

/* Until @word is not @value any more, or for @ns. */
static void futex_wait(void *word, uint32_t value, int64_t ns)
{
	struct timespec timeout = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	raw_syscall(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&timeout, 0, 0);
}

static void end_task(void)
{
	raw_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
}

/* Descriptors of its own: it neither keeps the program's pipes open nor is hurt by closefrom(). */
static bool leave_descriptors(void)
{
	return raw_syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE, 0, 0, 0) == 0;
}

static void run_sampler(void *argument)
{
	struct helper *task = argument;
	struct sampler *sampler = (struct sampler *)task->sampler;
	int64_t pause_ns = FIRST_SLEEP_NS;

	if (!leave_descriptors())
		end_task();
	raw_syscall(SYS_prctl, PR_SET_NAME, (long)"insideme", 0, 0, 0, 0);
	futex_wait(&task->stop, 0, pause_ns);
	task->config.log_fd = (int)sys_open(task->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (task->config.log_fd < 0 || sampler_start(sampler, &task->config) < 0)
		end_task();
	while (!__atomic_load_n(&task->stop, __ATOMIC_ACQUIRE)) {
		pause_ns = sampler_step(sampler);
		if (pause_ns < 0)
			break;
		futex_wait(&task->stop, 0, pause_ns);
	}
	sampler_stop(sampler);
	end_task();
}

/* Does insideme-run sample this run? */
static bool is_watched(const struct log_run *page)
{
	uint32_t monitor = page ? __atomic_load_n(&page->monitor_pid, __ATOMIC_ACQUIRE) : 0;

	return monitor && raw_syscall(SYS_kill, monitor, 0, 0, 0, 0, 0) != -ESRCH;
}

void helper_start(struct log_header *log, const char *path, const struct settings *settings, const struct log_run *page)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
				    CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	uint64_t bytes = GUARD_BYTES + STACK_BYTES + 2 * TLS_BYTES + sizeof(*helper) + sampler_bytes(), mask;
	char *memory, *tls;
	long result;

	helper = NULL;
	if (is_watched(page))
		return;
	result = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(result))
		return;
	memory = (char *)result;
	raw_syscall(SYS_mprotect, (long)memory, GUARD_BYTES, PROT_NONE, 0, 0, 0);
	tls = memory + GUARD_BYTES + STACK_BYTES + TLS_BYTES;
	RAW_CLONE_TLS(tls);
	helper = (struct helper *)(tls + TLS_BYTES);
	text_copy(helper->path, sizeof(helper->path), path);
	helper->config = (struct sampler_config){
		.log = log, .pid = (int)log->pid, .own_thread = true, .system = true,
		.interval_is_set = settings->source[SETTING_INTERVAL] != FROM_FALLBACK,
		.interval_ns = settings->value[SETTING_INTERVAL],
	};
	log->sampler_kind = 1;
	sys_block_signals(&mask);
	result = raw_clone(run_sampler, helper, tls - TLS_BYTES, flags, tls, &helper->tid);
	sys_restore_signals(&mask);
	log->sampler_tid = result > 0 ? (uint32_t)result : 0;
	if (result > 0)
		return;
	log->sampler_kind = 0;	/* a limit on tasks: nothing is sampled, and the report says so */
	sys_munmap(memory, bytes);
	helper = NULL;
}

void helper_stop(void)
{
	uint32_t tid = helper ? __atomic_load_n(&helper->tid, __ATOMIC_ACQUIRE) : 0;

	if (!tid || tid == (uint32_t)sys_gettid())
		return;
	__atomic_store_n(&helper->stop, 1, __ATOMIC_RELEASE);
	raw_syscall(SYS_futex, (long)&helper->stop, FUTEX_WAKE, 1, 0, 0, 0);
	futex_wait(&helper->tid, tid, LAST_WAIT_NS);
}
