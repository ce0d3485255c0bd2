/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's life: constructor, a forked child's log, the end, and what happens on trouble. */
#include "recorder.h"

#include <sys/mman.h>

#include "ends.h"
#include "facts.h"
#include "fork.h"
#include "heap.h"
#include "helper.h"
#include "modules.h"
#include "open.h"
#include "paths.h"
#include "real.h"
#include "room.h"
#include "text.h"
#include "thread.h"
#include "threads.h"

#define THRESHOLD_FLOOR	1000u		/* ns */
#define RATE_WAIT_NS	100000u		/* between the two clock readings of the start */

enum message { MESSAGE_SETTINGS, MESSAGE_OFF };

struct live live;
struct settings settings;

static struct run run;				/* set before any thread, and by a forked child */
static bool is_on;				/* likewise; false for good once turned off */
static bool is_sealed;				/* set before a filter, by the thread that installs it */

void recorder_say(const char *line)
{
	char buffer[RUN_PATH_BYTES];
	struct text text;

	text_init(&text, buffer, sizeof(buffer) - 1);
	text_add(&text, "insideme: ");
	text_add(&text, line);
	*text.at++ = '\n';
	sys_write(2, buffer, (size_t)(text.at - buffer));
}

uint64_t recorder_clock_ns(void)
{
	struct timespec now;

	libc.clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Each message once per run, whichever process comes first. */
static bool is_news(enum message message)
{
	uint32_t bit = 1u << message;

	return !run.page || !(__atomic_fetch_or(&run.page->messages, bit, __ATOMIC_RELAXED) & bit);
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
	is_on = false;
	if (live.log) {
		log_write_text(live.log, "off", buffer, now_ticks());
		recorder_mark_end(LOG_TURNED_OFF, 0);
		live.log = live.tsc_log = NULL;
	}
	if (is_news(MESSAGE_OFF))
		recorder_say(buffer);
}

void recorder_seal(void)
{
	helper_pause();
	room_reserve();
	is_sealed = true;
}

void recorder_unseal(void)
{
	is_sealed = false;
	helper_resume();
}

bool recorder_is_sealed(void)
{
	return is_sealed;
}

void recorder_mark_end(enum log_end end, int status)
{
	struct log_header *log = live.log;
	uint32_t running = LOG_RUNNING;

	if (!log)
		return;
	if (!is_sealed) {
		if (log->pid != (uint32_t)sys_getpid())	/* a vfork child runs in its parent's memory */
			return;
		if (end == LOG_EXITED)
			helper_stop();
		clock_read_all(live.clock, &log->finish);
	}
	log->end_status = status;
	__atomic_compare_exchange_n(&log->end, &running, (uint32_t)end, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Ticks in @ns, by the two clock readings of the start. */
static uint64_t ticks_in(const struct log_header *log, uint64_t ns)
{
	uint64_t ticks = log->start_again.ticks - log->start.ticks;
	uint64_t passed_ns = log->start_again.monotonic_ns - log->start.monotonic_ns;

	return (uint64_t)((unsigned __int128)ns * ticks / (passed_ns ? passed_ns : 1));
}

static void set_threshold(struct log_header *log)
{
	while (clock_ns(CLOCK_MONOTONIC) - log->start.monotonic_ns < RATE_WAIT_NS)
		;
	clock_read_all(live.clock, &log->start_again);
	log->threshold_floor_ticks = ticks_in(log, THRESHOLD_FLOOR);
	log->threshold_ticks = ticks_in(log, log->threshold_set_ns);
}

/* Open this process's log in the run and begin to record. */
static bool begin_log(const struct process_id *id)
{
	struct log_open open = { .run = &run, .id = id, .settings = &settings, .kind = LOG_OF_PROGRAM };
	struct log_header *log;
	int error;

	open.clock = live.clock ? live.clock : choose_clock();
	error = log_open(&open, &log, NULL);
	if (error) {
		recorder_turn_off("cannot write", open.path, error);
		return false;
	}
	room_init(open.path);
	live.clock = open.clock;
	live.timing = log->timing;
	live.heap = allocator.bytes ? (uint32_t)settings.value[SETTING_HEAP] : HEAP_OFF;
	log->heap_bytes = live.heap == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE;
	live.heap_in_slices = settings.value[SETTING_SNAPSHOT] & SNAPSHOT_HEAP;
	log->heap_total_bytes = 0;
	log->start_cost_ns = LOG_NONE;
	live.tsc_log = log->timing == LOG_TIMING_EXACT && live.clock == LOG_CLOCK_TSC ? log : NULL;
	live.log = log;
	return true;
}

/* The log is complete enough to be read: from here on a kill loses nothing. */
static void publish_log(struct log_header *log)
{
	set_threshold(log);
	__atomic_store_n(&log->magic, LOG_MAGIC, __ATOMIC_RELEASE);
}

bool recorder_open_child(void)
{
	struct process_id id;
	uint64_t mask;

	if (!is_on || is_sealed)
		return false;
	/* A handler that comes now would open a second log. */
	sys_block_signals(&mask);
	if (!live.log) {
		process_id_read(&id);
		self = NULL;
		if (begin_log(&id)) {
			uint64_t values[] = { 0, id.ppid };

			modules_log_all();
			log_write_event(live.log, LOG_EVENT_FORK, 0, values, 2, NULL, now_ticks());
			thread_make();
			publish_log(live.log);
			helper_start(live.log, room_path(), &settings, run.page);
		}
	}
	sys_restore_signals(&mask);
	return live.log;
}

/* Complaints about settings wait here until the run is known, so that only one process prints them. */
struct complaints {
	struct text text;
	char buffer[2048];
};

static void keep_complaint(void *context, const char *line)
{
	struct complaints *complaints = context;

	text_add(&complaints->text, line);
	text_add_char(&complaints->text, '\n');
}

static void say_complaints(struct complaints *complaints)
{
	char *line = complaints->buffer;

	if (!*line || !is_news(MESSAGE_SETTINGS))
		return;
	for (char *p = line; *p; p++) {
		if (*p != '\n')
			continue;
		*p = '\0';
		recorder_say(line);
		line = p + 1;
	}
}

static bool find_run(char **environment, struct process_id *id)
{
	struct complaints complaints;
	int error;

	text_init(&complaints.text, complaints.buffer, sizeof(complaints.buffer));
	settings_read(&settings, environment, keep_complaint, &complaints);
	process_id_read(id);
	if (text_equal(id->program, "insideme-run") || text_equal(id->program, "insideme-report"))
		return false;
	error = run_find(&run, settings.text[SETTING_RUN], settings.text[SETTING_DIR], id);
	say_complaints(&complaints);
	if (error)
		recorder_turn_off("cannot use directory", run.path, error);
	return !error;
}

/* Kernels before 4.14 do not know it: a child of a raw fork would write into its parent's log. */
static bool wipe_on_fork(void)
{
	long error = sys_madvise(&live, sizeof(live), MADV_WIPEONFORK);

	if (error)
		recorder_turn_off("this kernel has no MADV_WIPEONFORK", NULL, (int)error);
	return !error;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
	struct process_id id;

	if (!real_init()) {
		recorder_turn_off("this libc is not known", NULL, 0);
		return;
	}
	heap_init();
	if (!find_run(environment, &id) || !wipe_on_fork() || !begin_log(&id))
		return;
	is_on = true;
	facts_write(live.log, argc, argv, &settings);
	if (allocator.unusable)
		log_write_text(live.log, "heap_off", allocator.unusable, now_ticks());
	modules_init(paths_retire);
	live.log->has_hooks = modules_have_hooks();
	thread_make();
	fork_init();
	threads_init();
	ends_init();
	publish_log(live.log);
	helper_start(live.log, room_path(), &settings, run.page);
	live.log->start_cost_ns = clock_ns(CLOCK_MONOTONIC) - live.log->start.monotonic_ns;
	if (settings.value[SETTING_VERBOSE])
		recorder_say(room_path());
}
