/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's end, and how it turns itself off on trouble. */
#include "preload/life/recorder.h"

#include "preload/common/base/text.h"
#include "preload/common/log/log.h"
#include "preload/common/resources/usage.h"
#include "preload/common/run/message.h"
#include "preload/common/run/run.h"
#include "preload/heap/heap.h"
#include "preload/samples/cpu_samples.h"
#include "preload/state/process_entry.h"
#include "preload/state/foreign_hooks.h"
#include "preload/state/line_units.h"
#include "preload/state/log_space.h"
#include "preload/state/sampler_task.h"

static struct run *run;			/* set before any thread */

void recorder_init(struct run *own)
{
	run = own;
	say_init(own);
}

void recorder_turn_off(const char *what, const char *path, int error)
{
	char buffer[RUN_PATH_BYTES];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add(&text, what);
	if (path) {
		text_add_char(&text, ' ');
		text_add(&text, path);
	}
	if (error) {
		text_add(&text, ": ");
		text_add_error(&text, error);
	}
	text_add(&text, "; not recording");
	live_when_child(NULL);
	if (!live.log)
		entry_mark_end(LOG_TURNED_OFF, 0);
	entry_have_log(NULL);
	if (live.log) {
		log_write_text(live.log, "off", buffer, now_ticks());
		recorder_mark_end(LOG_TURNED_OFF, 0);
		live.log = live.hot_log = live.hot_log_when_on = NULL;
	}
	if (say_is_news(MESSAGE_OFF))
		say_line(buffer);
}

void recorder_seal(void)
{
	recorder_open();
	samples_stop("a seccomp filter may forbid what they need");
	sampler_task_pause();
	log_space_reserve();
	live_seal(1);
}

void recorder_unseal(void)
{
	live_seal(-1);
	sampler_task_resume();
}

static void write_usage(struct log_header *log)
{
	struct usage_totals totals;

	usage_read_totals(&totals);
	log->finish_user_ns = totals.user_ns;
	log->finish_system_ns = totals.system_ns;
	log->finish_peak_rss_bytes = totals.peak_rss_bytes;
}

/* The task may be about to open a log, so the end competes with it for the claim. */
static bool ends_without_log(enum log_end end, int status)
{
	uint64_t mask;
	bool is_claimed;

	if (live.log || live_is_sealed() || !entry_own())
		return false;
	sys_block_signals(&mask);
	is_claimed = live_claim_opening(LIVE_NEVER_OPENS);
	if (is_claimed)
		entry_mark_end(end, status);
	sys_restore_signals(&mask);
	return is_claimed;
}

bool recorder_open(void)
{
	if (!live.log && entry_is_program())
		live_open_child();
	return live.log;
}

void recorder_mark_end(enum log_end end, int status)
{
	struct log_header *log;
	uint32_t running = LOG_RUNNING;

	if (!live.log && entry_is_program() && foreign_hooks_is_possible() && recorder_open())
		foreign_hooks_look(NULL);
	if (ends_without_log(end, status))
		return;
	log = live.log;
	if (!log)
		return;
	if (!live_is_sealed()) {
		if (log->pid != (uint32_t)sys_getpid())	/* a vfork child runs in its parent's memory */
			return;
		heap_take_early();
		line_units_copy();
		if (end == LOG_EXITED) {
			log->exiting_thread = self ? self->head.self : 0;
			log->exiting_ticks = now_ticks();
			sampler_task_stop();
			log_space_give_back();
			write_usage(log);
		}
		clock_read_all(live.clock, &log->finish);
	}
	log->end_status = status;
	__atomic_compare_exchange_n(&log->end, &running, (uint32_t)end, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	if (end == LOG_EXITED && !live_is_sealed() && !run_is_watched(run->page))
		log_space_bring_home();
}

void recorder_go_on(void)
{
	struct log_header *log = live.log;

	if (live_is_sealed())
		return;
	if (!log && entry_own()) {
		entry_mark_end(LOG_RUNNING, 0);
		live_end_opening();
	}
	if (!log)
		return;
	__atomic_store_n(&log->end, (uint32_t)LOG_RUNNING, __ATOMIC_RELEASE);
	sampler_task_go_on();
}
