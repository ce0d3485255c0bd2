/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's end, and what happens on trouble. */
#include "recorder.h"

#include <sys/stat.h>

#include "child.h"
#include "helper.h"
#include "log.h"
#include "resources/usage.h"
#include "room.h"
#include "rundir.h"
#include "text.h"

static struct log_run *page;		/* set before any thread, and by a forked child; NULL: no run yet */
static struct stat first_stderr;	/* set before any thread; st_ino 0: none */

static long stat_stderr(struct stat *stat)
{
	return raw_syscall(SYS_newfstatat, 2, (long)"", (long)stat, AT_EMPTY_PATH, 0, 0);
}

void recorder_init(struct log_run *run_page)
{
	page = run_page;
	stat_stderr(&first_stderr);
}

/* The program may have closed it, and opened a file of its own at its place. */
static bool is_stderr(void)
{
	struct stat now;

	return !first_stderr.st_ino ||
	       (stat_stderr(&now) == 0 && now.st_ino == first_stderr.st_ino && now.st_dev == first_stderr.st_dev);
}

bool recorder_is_news(enum message message)
{
	uint32_t bit = 1u << message;

	return !page || !(__atomic_fetch_or(&page->messages, bit, __ATOMIC_RELAXED) & bit);
}

void recorder_say(const char *line)
{
	char buffer[RUN_PATH_BYTES];
	struct text text;

	if (!is_stderr())
		return;
	text_init(&text, buffer, sizeof(buffer) - 1);
	text_add(&text, "insideme: ");
	text_add(&text, line);
	*text.at++ = '\n';
	sys_write_unsignalled(2, buffer, (size_t)(text.at - buffer));
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
	child_have_log(NULL);
	if (live.log) {
		log_write_text(live.log, "off", buffer, now_ticks());
		recorder_mark_end(LOG_TURNED_OFF, 0);
		live.log = live.tsc_log = NULL;
	}
	if (recorder_is_news(MESSAGE_OFF))
		recorder_say(buffer);
}

void recorder_seal(void)
{
	helper_pause();
	room_reserve();
	live_set_sealed(true);
}

void recorder_unseal(void)
{
	live_set_sealed(false);
	helper_resume();
}

static void write_usage(struct log_header *log)
{
	struct usage_totals totals;

	usage_read_totals(&totals);
	log->finish_user_ns = totals.user_ns;
	log->finish_system_ns = totals.system_ns;
	log->finish_peak_rss_bytes = totals.peak_rss_bytes;
}

void recorder_mark_end(enum log_end end, int status)
{
	struct log_header *log = live.log;
	uint32_t running = LOG_RUNNING;

	if (!log) {
		if (end == LOG_EXITED)
			child_mark_end(status);
		return;
	}
	if (!live_is_sealed()) {
		if (log->pid != (uint32_t)sys_getpid())	/* a vfork child runs in its parent's memory */
			return;
		if (end == LOG_EXITED) {
			helper_stop();
			room_give_back();
			write_usage(log);
		}
		clock_read_all(live.clock, &log->finish);
	}
	log->end_status = status;
	__atomic_compare_exchange_n(&log->end, &running, (uint32_t)end, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (end == LOG_EXITED && !live_is_sealed() && !run_is_watched(page))
		room_bring_home();
}

void recorder_go_on(void)
{
	struct log_header *log = live.log;

	if (!log || live_is_sealed())
		return;
	__atomic_store_n(&log->end, (uint32_t)LOG_RUNNING, __ATOMIC_RELEASE);
	helper_go_on();
}
