/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of the CPU time of the program's threads. */
#include "preload/samples/cpu_samples.h"

#include <sys/resource.h>

#include "preload/calls/counted.h"
#include "preload/calls/stubs.h"
#include "preload/common/base/syscalls.h"
#include "preload/samples/backtrace.h"
#include "preload/state/log_space.h"
#include "preload/state/sampler_task.h"

#define SAMPLE_SIGNAL		32	/* glibc's SIGCANCEL and SIGTIMER */
#define TICK_CLOCK		CLOCK_MONOTONIC_COARSE	/* moves when the kernel looks at CPU timers */
#define IGNORED			1	/* SIG_IGN, as glibc's posix_spawn leaves it: what make starts */
#define AUTO_RATE 250u			/* samples a second where counted functions need them */
#define UNWINDER_BYTES 12288u		/* of stack; measured: 6 KB */
#define LEAST_STACK_BYTES 16384u	/* a signal's frame alone has 3.4 KB where there is AVX-512 */
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

/* 0: nothing is sampled. Atomic: timing auto sets it late, samples_stop() clears it. */
static uint64_t interval_ns;
static const char *stopped;	/* why nothing is sampled any more; NULL: not stopped. Atomic */
/* There were no hooks at the start, and samples were requested. Set before any thread. */
static bool takes_stacks;
/* A function is counted: 250 samples a second, or why not. Atomic */
enum { COUNTING_NOT, COUNTING_BEGINS, COUNTING_HAS_BEGUN };
static uint32_t counting;
static bool takes_calls;	/* timing auto: those of counted functions; set with interval_ns */

/* By the linker: our own code. */
extern HIDDEN const char __ehdr_start[], etext[];

__asm__(".pushsection .text\n\t.globl insideme_signal_return\n\t.hidden insideme_signal_return\n\tnop\n"
	"insideme_signal_return:\n\t" SIGNAL_RETURN
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

uintptr_t samples_code_of_call(const struct log_frame *call, uintptr_t near_addr)
{
	return code_function((near_addr & ~(uintptr_t)UINT32_MAX) | call->return_low);
}

uint32_t samples_path_of_stack(struct log_thread *thread, const struct stack_call *calls, uint32_t nr)
{
	const struct log_frame *top = top_frame(thread);
	uint32_t path = thread->current;

	/* the top call's own function, or the one that it is a copy in */
	if (nr && path != log_ref(live.log, &thread->root) &&
	    (calls[nr - 1].function_addr == top->function_addr ||
	     calls[nr - 1].function_addr == samples_code_of_call(top, calls[nr - 1].code_addr)))
		nr--;
	while (nr-- > 0)
		if (counted_find(calls[nr].function_addr))
			path = path_find(thread, path, calls[nr].function_addr);
	return path;
}

/*
 * The calls without a frame beneath the thread's path, only of functions that hooks know, because the stack
 * also shows others. A hook's stack_addr is two words below the stack pointer of the function that called it:
 * calls of that function lie below.
 */
static uint32_t path_beneath(const struct log_header *log, struct log_thread *thread, uintptr_t pc_addr,
			     uintptr_t sp_addr)
{
	const bool has_call = thread->current != log_ref(log, &thread->root);
	const struct log_frame *top = top_frame(thread);
	struct stack_call calls[BACKTRACE_MOST];

	if (has_call &&
	    (top->node != thread->current || sp_addr - thread->stack_low_addr >= thread->stack_bytes))
		return thread->current; /* in a hook, or on another stack */
	return samples_path_of_stack(thread, calls,
				    backtrace_take_below(calls, pc_addr,
							 has_call ? top->stack_addr + sizeof(void *)
								  : UINTPTR_MAX));
}

static NOINLINE uint32_t path_of_stack_now(struct log_thread *thread, uintptr_t pc_addr)
{
	struct stack_call calls[BACKTRACE_MOST];

	return path_of_stack(thread, calls, backtrace_is_possible() ? backtrace_take(calls, pc_addr) : 0,
			     false);
}

/* Is there room for the unwinder? A stack that is not known has none. */
static bool has_room(const struct log_thread *thread)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return here - thread->stack_low_addr >= UNWINDER_BYTES &&
	       here - thread->stack_low_addr < thread->stack_bytes;
}

/* The same in a signal's handler. Programs have signal stacks of 8 KB. */
static bool handler_has_room(const struct log_thread *thread, const stack_t *signal_stack)
{
	const uintptr_t on_signal_stack =
		(uintptr_t)__builtin_frame_address(0) - (uintptr_t)signal_stack->ss_sp;

	if (on_signal_stack < signal_stack->ss_size)
		return on_signal_stack >= UNWINDER_BYTES;
	return !takes_calls || has_room(thread);
}

bool samples_may_unwind(const struct log_thread *thread)
{
	return takes_calls && backtrace_is_possible() && has_room(thread);
}

/* The path by hooks, or where there are none, by the stack. */
static NOINLINE uint32_t path_now(const struct log_header *log, struct log_thread *thread,
				  const ucontext_t *context)
{
	const uintptr_t pc_addr = interrupted_code(context);

	if (!handler_has_room(thread, &context->uc_stack))
		return thread->current;
	if (takes_calls)
		return backtrace_is_possible()
			       ? path_beneath(log, thread, pc_addr, interrupted_stack(context))
			       : thread->current;
	if (live.timing == LOG_TIMING_AUTO && counted_without_frames(counted_find(code_function(pc_addr))))
		return path_find(thread, thread->current,
				 code_function(pc_addr)); /* without an unwinder: the innermost one */
	if (!takes_stacks || (thread->current != log_ref(log, &thread->root) &&
			      !log_is_wait(node_at(log, thread->current)->function_addr)))
		return thread->current;
	return path_of_stack_now(thread, pc_addr);
}

static uint16_t flags_of(uintptr_t pc_addr)
{
	if (stubs_hold(pc_addr))
		return LOG_SAMPLE_IN_HOOK | LOG_SAMPLE_IN_STUB;
	if (live_reads_clock || pc_addr - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start))
		return LOG_SAMPLE_IN_HOOK;
	return 0;
}

static __thread struct {
	uint32_t user_us, system_us; /* modulo 2^32: differences are small */
} used TLS_INITIAL_EXEC; /* when the thread was asked last */

static uint32_t us_of(struct timeval time)
{
	return (uint32_t)(time.tv_sec * 1000000 + time.tv_usec);
}

/*
 * Percent of its CPU time that the calling thread has spent in the kernel since it was asked last. The
 * kernel's tick that lets the timer expire is counted as one or the other.
 */
static uint32_t kernel_percent(void)
{
	const uint32_t user_us = used.user_us, system_us = used.system_us;
	struct rusage usage;
	uint64_t all_us;

	if (live_is_sealed() || raw_syscall(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0, 0, 0, 0) < 0)
		return 0;
	used.user_us = us_of(usage.ru_utime);
	used.system_us = us_of(usage.ru_stime);
	all_us = (uint64_t)(used.user_us - user_us) + (used.system_us - system_us);
	return all_us ? (uint32_t)((uint64_t)(used.system_us - system_us) * 100 / all_us) : 0;
}

/*
 * All signals are blocked meanwhile, and only this handler of this thread writes here. The record is the one
 * that the timer was made for: a thread that has taken it over has its own timer.
 */
static void on_sample(int number, siginfo_t *info, void *context)
{
	struct log_header *log = live.log;
	struct log_thread *thread = info->si_value.sival_ptr;
	uintptr_t pc_addr = interrupted_code(context);
	const uint16_t flags = flags_of(pc_addr); /* before anything here reads the clock */
	struct log_sample *sample;
	struct log_area *area;
	uint32_t node;

	if (!log || info->si_code != SI_TIMER || !thread || !thread->sample_timer)
		return;
	node = flags ? thread->current : path_now(log, thread, context);
	area = area_with_room(log, thread);
	if (!area) {
		log_lose(log, LOG_LOST_SAMPLES);
		return;
	}
	sample = (struct log_sample *)((char *)area + area->used_bytes);
	sample->ticks = now_ticks();
	sample->pc_addr = pc_addr;
	sample->node = node;
	sample->flags = flags | (uint16_t)(kernel_percent() << LOG_SAMPLE_KERNEL_SHIFT);
	sample->missed =
		info->si_overrun > 0 && info->si_overrun < UINT16_MAX ? (uint16_t)info->si_overrun : 0;
	__atomic_store_n(&area->used_bytes, area->used_bytes + sizeof(*sample), __ATOMIC_RELEASE);
	sampler_task_poll(sample->ticks);	/* calls that are counted do not come there */
}

static uint64_t tick_ns(void)
{
	struct timespec resolution = { 0, 0 };

	raw_syscall(SYS_clock_getres, TICK_CLOCK, (long)&resolution, 0, 0, 0, 0);
	return (uint64_t)resolution.tv_nsec;
}

static void say_off(const char *why)
{
	log_write_text(live.log, "samples_off", why, now_ticks());
}

/* The program's threads may have timers from now on. */
static void start(uint64_t rate)
{
	struct kernel_action old, action = {
		.handler = on_sample,
		.mask = ~0ull,
		.restorer = insideme_signal_return,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER_FLAG,
	};
	uint64_t ns = 1000000000u / rate;

	if (raw_syscall(SYS_rt_sigaction, SAMPLE_SIGNAL, 0, (long)&old, 8, 0, 0) < 0)
		return;
	if (old.handler && (uintptr_t)old.handler != IGNORED && old.handler != on_sample) {
		say_off("the signal that samples need is taken");
		return;
	}
	if (!live.log->has_hooks && backtrace_init()) {
		say_off(backtrace_init());
		return;
	}
	takes_calls = live.timing == LOG_TIMING_AUTO && live.log->has_hooks && !backtrace_init();
	if (live.timing == LOG_TIMING_AUTO && live.log->has_hooks && backtrace_init())
		log_write_text(live.log, "samples_without_callers", backtrace_init(), now_ticks());
	raw_syscall(SYS_rt_sigaction, SAMPLE_SIGNAL, (long)&action, 0, 8, 0, 0);
	if (ns < tick_ns())
		ns = tick_ns();
	live.log->sample_interval_ns = (uint32_t)ns;
	__atomic_store_n(&interval_ns, ns, __ATOMIC_RELEASE);
}

/* libgcc is looked up here even if it is only needed later: see backtrace_init(). */
void samples_init(void)
{
	if (!live.log) /* of a brief program: no samples were asked for */
		return;
	if (live.timing == LOG_TIMING_AUTO && live.log->has_hooks)
		backtrace_init();
	interval_ns = 0;
	counting = COUNTING_NOT;
	stopped = NULL;
	takes_stacks = !live.log->has_hooks;
	if (settings.value[SETTING_SAMPLE])
		start(settings.value[SETTING_SAMPLE]);
}

bool samples_take_stacks(void)
{
	return takes_stacks && interval_ns;
}

void samples_have_stack(uintptr_t bytes)
{
	if (bytes < LEAST_STACK_BYTES && settings.source[SETTING_SAMPLE] == FROM_FALLBACK)
		samples_stop("a coroutine has a stack of less than 16 KB, which is too little for signals");
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
	struct kernel_event event = { .value = thread,
				      .signal = SAMPLE_SIGNAL,
				      .notify = 4 /* SIGEV_THREAD_ID */,
				      .tid = (int)thread->tid };
	const uint64_t ns = __atomic_load_n(&interval_ns, __ATOMIC_ACQUIRE);
	const struct timespec interval = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
	const struct timespec times[] = { interval, interval };
	int timer;

	if (!ns || live_is_sealed() || thread->sample_timer || !thread->tid || is_blocked())
		return;
	if (raw_syscall(SYS_timer_create, THREAD_CPU_CLOCK, (long)&event, (long)&timer, 0, 0, 0) < 0) {
		log_lose(live.log, LOG_LOST_SAMPLED_THREADS);
		return;
	}
	kernel_percent();
	thread->sample_timer = (uint32_t)timer + 1;
	raw_syscall(SYS_timer_settime, timer, 0, (long)times, 0, 0, 0);
}

bool samples_begin_counting(struct log_thread *thread)
{
	uint32_t before = COUNTING_NOT;

	if (settings.source[SETTING_SAMPLE] != FROM_FALLBACK || live_is_sealed())
		return true;
	if (__atomic_compare_exchange_n(&counting, &before, COUNTING_BEGINS, false, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		if (stopped)
			say_off(stopped);
		else
			start(AUTO_RATE);
		__atomic_store_n(&counting, COUNTING_HAS_BEGUN, __ATOMIC_RELEASE);
	}
	if (before == COUNTING_BEGINS)
		return false;
	samples_begin(thread);
	return true;
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

	if (stopped || !log ||
	    log->pid != (uint32_t)sys_getpid()) /* a vfork child runs in its parent's memory */
		return;
	stopped = why;
	if (!__atomic_exchange_n(&interval_ns, 0, __ATOMIC_ACQ_REL))
		return;
	say_off(why);
	for (uint32_t ref = __atomic_load_n(&log->threads, __ATOMIC_ACQUIRE); ref;
	     ref = thread->next_thread) {
		thread = log_at(log, ref);
		samples_end(thread);
	}
}
