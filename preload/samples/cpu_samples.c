/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of the CPU time of the program's threads. */
#include "preload/samples/cpu_samples.h"

#include "preload/calls/counted.h"
#include "preload/calls/sites.h"
#include "preload/common/base/syscalls.h"
#include "preload/samples/backtrace.h"
#include "preload/state/log_space.h"

#define SAMPLE_SIGNAL		32	/* glibc's SIGCANCEL and SIGTIMER */
#define TICK_CLOCK		CLOCK_MONOTONIC_COARSE	/* moves when the kernel looks at CPU timers */
#define IGNORED			1	/* SIG_IGN, as glibc's posix_spawn leaves it: what make starts */
#define AUTO_RATE 250u			/* samples a second where counted functions need them */
#define THREAD_CPU_CLOCK	3	/* CLOCK_THREAD_CPUTIME_ID */
#define FIRST_AREA_BYTES	4096u
#define LATER_AREA_BYTES	(16u << 10)

struct kernel_event {
	void *value;
	int signal;
	int notify;
	int tid;
	int reserved[11];
};
_Static_assert(sizeof(struct kernel_event) == 64, "struct sigevent");

static uint64_t interval_ns;		/* 0: nothing is sampled; set before any thread, cleared by samples_stop() */

static bool takes_stacks;		/* there were no hooks at the start; set before any thread */
static bool takes_calls;		/* timing auto: those of counted functions; likewise */

/* By the linker: our own code. */
extern HIDDEN const char __ehdr_start[], etext[];

__asm__(".pushsection .text\n\t.globl insideme_signal_return\n\t.hidden insideme_signal_return\n\tnop\ninsideme_signal_return:\n\t" SIGNAL_RETURN
	"\n\t.popsection");

static struct log_area *area_with_room(struct log_header *log, struct log_thread *thread)
{
	struct log_area *area = log_at(log, thread->samples), *next;

	if (thread->samples && area->used_bytes + sizeof(struct log_sample) <= area->bytes)
		return area;
	next = log_space_new_area(LOG_AREA_SAMPLES, thread->head.self,
				  thread->samples ? LATER_AREA_BYTES : FIRST_AREA_BYTES, sizeof(*next),
				  sizeof(struct log_sample));
	if (!next)
		return NULL;
	if (thread->samples)
		area->next = next->self;
	thread->samples = next->self;
	return next;
}

/*
 * The calls that have no frame, beneath the thread's path: of functions that hooks know, as a stack without
 * hooks would show others too. A hook's stack_addr is two words below the stack pointer of the function that
 * called it: what that one calls lies below.
 */
static uint32_t path_beneath(const struct log_header *log, struct log_thread *thread, uintptr_t pc_addr,
			     uintptr_t sp_addr)
{
	const bool has_call = thread->current != log_ref(log, &thread->root);
	const struct log_frame *top = top_frame(thread);
	uintptr_t functions[BACKTRACE_MOST];
	uint32_t nr, path = thread->current;

	if (has_call &&
	    (top->node != thread->current || sp_addr - thread->stack_low_addr >= thread->stack_bytes))
		return path; /* in a hook, or on another stack */
	nr = backtrace_take_below(functions, pc_addr,
				  has_call ? top->stack_addr + sizeof(void *) : UINTPTR_MAX);
	while (nr-- > 0)
		if (counted_find(functions[nr]) &&
		    !(has_call && path == thread->current && functions[nr] == top->function_addr))
			path = path_find(thread, path, functions[nr]);
	return path;
}

/* What the hooks say, or where they say nothing the stack. */
static NOINLINE uint32_t path_now(const struct log_header *log, struct log_thread *thread, uintptr_t pc_addr,
				  uintptr_t sp_addr)
{
	uintptr_t functions[BACKTRACE_MOST];

	if (takes_calls)
		return backtrace_is_possible() ? path_beneath(log, thread, pc_addr, sp_addr)
					       : thread->current;
	if (live.timing == LOG_TIMING_AUTO && counted_is(counted_find(site_function(pc_addr))))
		return path_find(thread, thread->current,
				 site_function(pc_addr)); /* without an unwinder: the innermost one */
	if (!takes_stacks || thread->current != log_ref(log, &thread->root))
		return thread->current;
	return path_of_stack(thread, functions, backtrace_is_possible() ? backtrace_take(functions, pc_addr) : 0);
}

static uint16_t flags_of(uintptr_t pc_addr)
{
	if (sites_hold(pc_addr))
		return LOG_SAMPLE_IN_HOOK | LOG_SAMPLE_IN_STUB;
	return pc_addr - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start) ? LOG_SAMPLE_IN_HOOK : 0;
}

/*
 * All signals are blocked meanwhile, and only this handler of this thread writes here. The record is the one that the
 * timer was made for: a thread that has taken it over has its own timer.
 */
static void on_sample(int number, siginfo_t *info, void *context)
{
	struct log_header *log = live.log;
	struct log_thread *thread = info->si_value.sival_ptr;
	uintptr_t pc_addr = interrupted_code(context);
	struct log_sample *sample;
	struct log_area *area;
	uint32_t node;

	(void)number;
	if (!log || info->si_code != SI_TIMER || !thread || !thread->sample_timer)
		return;
	node = flags_of(pc_addr) ? thread->current
				 : path_now(log, thread, pc_addr, interrupted_stack(context));
	area = area_with_room(log, thread);
	if (!area) {
		log_lose(log, LOG_LOST_SAMPLES);
		return;
	}
	sample = (struct log_sample *)((char *)area + area->used_bytes);
	sample->ticks = now_ticks();
	sample->pc_addr = pc_addr;
	sample->node = node;
	sample->flags = flags_of(pc_addr);
	sample->missed = info->si_overrun > 0 && info->si_overrun < UINT16_MAX ? (uint16_t)info->si_overrun : 0;
	__atomic_store_n(&area->used_bytes, area->used_bytes + sizeof(*sample), __ATOMIC_RELEASE);
}

static uint64_t tick_ns(void)
{
	struct timespec resolution = { 0, 0 };

	raw_syscall(SYS_clock_getres, TICK_CLOCK, (long)&resolution, 0, 0, 0, 0);
	return (uint64_t)resolution.tv_nsec;
}

void samples_init(void)
{
	const bool is_auto = live.timing == LOG_TIMING_AUTO && live.log->has_hooks;
	const uint64_t rate = is_auto && settings.source[SETTING_SAMPLE] == FROM_FALLBACK
				      ? AUTO_RATE
				      : settings.value[SETTING_SAMPLE];
	struct kernel_action action = { .handler = on_sample, .mask = ~0ull, .restorer = insideme_signal_return,
					.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER_FLAG }, old;

	if (!rate || raw_syscall(SYS_rt_sigaction, SAMPLE_SIGNAL, 0, (long)&old, 8, 0, 0) < 0)
		return;
	if (old.handler && (uintptr_t)old.handler != IGNORED && old.handler != on_sample) {
		log_write_text(live.log, "samples_off", "the signal that samples need is taken", now_ticks());
		return;
	}
	if (!live.log->has_hooks && backtrace_init()) {
		log_write_text(live.log, "samples_off", backtrace_init(), now_ticks());
		return;
	}
	takes_stacks = !live.log->has_hooks;
	takes_calls = is_auto && !backtrace_init();
	raw_syscall(SYS_rt_sigaction, SAMPLE_SIGNAL, (long)&action, 0, 8, 0, 0);
	interval_ns = 1000000000u / rate;
	if (interval_ns < tick_ns())
		interval_ns = tick_ns();
	live.log->sample_interval_ns = (uint32_t)interval_ns;
}

bool samples_take_stacks(void)
{
	return takes_stacks && interval_ns;
}

/* Threads that wait for all their signals, as glibc's own for SIGEV_THREAD timers does, would get ours. */
static bool is_blocked(void)
{
	uint64_t mask = 0;

	raw_syscall(SYS_rt_sigprocmask, 0, 0, (long)&mask, 8, 0, 0);
	return mask & 1ull << (SAMPLE_SIGNAL - 1);
}

void samples_begin(struct log_thread *thread)
{
	struct kernel_event event = { .value = thread, .signal = SAMPLE_SIGNAL, .notify = 4 /* SIGEV_THREAD_ID */,
				      .tid = (int)thread->tid };
	const uint64_t ns = interval_ns;
	const struct timespec interval = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
	const struct timespec times[] = { interval, interval };
	int timer;

	if (!ns || live_is_sealed() || thread->sample_timer || !thread->tid || is_blocked())
		return;
	if (raw_syscall(SYS_timer_create, THREAD_CPU_CLOCK, (long)&event, (long)&timer, 0, 0, 0) < 0) {
		log_lose(live.log, LOG_LOST_SAMPLED_THREADS);
		return;
	}
	thread->sample_timer = (uint32_t)timer + 1;
	raw_syscall(SYS_timer_settime, timer, 0, (long)times, 0, 0, 0);
}

void samples_end(struct log_thread *thread)
{
	uint32_t timer = __atomic_exchange_n(&thread->sample_timer, 0, __ATOMIC_ACQ_REL);

	if (timer && !live_is_sealed())
		raw_syscall(SYS_timer_delete, (long)timer - 1, 0, 0, 0, 0, 0);
}

void samples_stop(const char *why)
{
	struct log_header *log = live.log;
	struct log_thread *thread;

	if (!interval_ns || !log || log->pid != (uint32_t)sys_getpid())	/* a vfork child runs in its parent's memory */
		return;
	interval_ns = 0;
	log_write_text(log, "samples_off", why, now_ticks());
	for (uint32_t ref = __atomic_load_n(&log->threads, __ATOMIC_ACQUIRE); ref; ref = thread->next_thread) {
		thread = log_at(log, ref);
		samples_end(thread);
	}
}
