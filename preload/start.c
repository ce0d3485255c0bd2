/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constructor, and the log of a forked child. */
#include <sys/mman.h>

#include "ends.h"
#include "facts.h"
#include "fork.h"
#include "heap.h"
#include "helper.h"
#include "jumps.h"
#include "modules.h"
#include "open.h"
#include "paths.h"
#include "programs.h"
#include "real.h"
#include "recorder.h"
#include "room.h"
#include "run_find.h"
#include "text.h"
#include "thread.h"
#include "threads.h"

#define THRESHOLD_FLOOR	1000u		/* ns */
#define RATE_WAIT_NS	100000u		/* between the two clock readings of the start */

static struct run run;		/* set before any thread, and by a forked child */
static struct log_header *newest_log;	/* likewise; of a child that has none yet its parent's, which both map */
static struct rank rank;	/* set before any thread; of a forked child as well, which is its child */

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
	if (error && newest_log) {	/* the parent goes on being recorded: nothing to say on stderr */
		live_when_child(NULL);
		log_lose(newest_log, LOG_LOST_PROCESSES);
		return false;
	}
	if (error) {
		recorder_turn_off("cannot write", open.path, error);
		return false;
	}
	room_init(open.path, open.home);
	live.clock = open.clock;
	live.timing = log->timing;
	live.heap = allocator.bytes ? (uint32_t)settings.value[SETTING_HEAP] : HEAP_OFF;
	log->heap_bytes = live.heap == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE;
	live.heap_in_slices = log->snapshot & LOG_SNAPSHOT_HEAP;
	log->heap_total_bytes = 0;
	log->start_cost_ns = LOG_NONE;
	live.tsc_log = log->timing == LOG_TIMING_EXACT && live.clock == LOG_CLOCK_TSC ? log : NULL;
	live.log = newest_log = log;
	return true;
}

/* The log is complete enough to be read: from here on a kill loses nothing. */
static void publish_log(struct log_header *log)
{
	set_threshold(log);
	__atomic_store_n(&log->magic, LOG_MAGIC, __ATOMIC_RELEASE);
}

static bool open_child(void)
{
	struct process_id id;
	uint64_t mask;

	/* A handler that comes now would open a second log. */
	sys_block_signals(&mask);
	if (!live.log) {
		process_id_read(&id);
		id.rank = rank;
		id.rank.is_child = rank.rank >= 0;
		self = NULL;
		if (begin_log(&id)) {
			uint64_t values[] = { 0, id.ppid };

			modules_log_all();
			log_write_event(live.log, LOG_EVENT_FORK, 0, values, 2, NULL, now_ticks());
			thread_make();
			publish_log(live.log);
			helper_start(live.log, room_path(), run.page);
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

	if (!*line || !recorder_is_news(MESSAGE_SETTINGS))
		return;
	for (char *p = line; *p; p++) {
		if (*p != '\n')
			continue;
		*p = '\0';
		recorder_say(line);
		line = p + 1;
	}
}

/* Return: whether this process is to be recorded. Whatever it is, its descendants find the run through it. */
static bool find_run(char **environment, struct process_id *id)
{
	struct complaints complaints;
	bool is_launcher;
	int error;

	text_init(&complaints.text, complaints.buffer, sizeof(complaints.buffer));
	settings_read(&settings, environment, keep_complaint, &complaints);
	process_id_read(id);
	if (text_equal(id->program, "insideme-run") || text_equal(id->program, "insideme-report"))
		return false;
	is_launcher = rank_is_launcher(id->program);
	rank_read(&id->rank, environment);
	error = run_find(&run, is_launcher ? RUN_OF_LAUNCHER : RUN_OF_PROGRAM, settings.text[SETTING_RUN],
			 settings.text[SETTING_DIR], id);
	if (is_launcher)
		return false;
	rank = id->rank;
	recorder_init(run.page);
	say_complaints(&complaints);
	if (error)
		recorder_turn_off("cannot use directory", run.path, error);
	return !error && programs_select(settings.text[SETTING_PROGRAMS], id->program);
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
	jumps_init();
	if (!find_run(environment, &id) || !wipe_on_fork() || !begin_log(&id))
		return;
	live_when_child(open_child);
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
	helper_start(live.log, room_path(), run.page);
	live.log->start_cost_ns = clock_ns(CLOCK_MONOTONIC) - live.log->start.monotonic_ns;
	if (settings.value[SETTING_VERBOSE])
		recorder_say(room_path());
}
