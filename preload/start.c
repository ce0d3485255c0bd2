/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constructor, and the log of a forked child. */
#include <sys/mman.h>

#include "preload/api/api.h"
#include "preload/calls/counted.h"
#include "preload/calls/paths.h"
#include "preload/calls/selection.h"
#include "preload/calls/sites.h"
#include "preload/calls/verbose_calls.h"
#include "preload/common/base/settings.h"
#include "preload/common/base/text.h"
#include "preload/common/run/log_create.h"
#include "preload/common/run/message.h"
#include "preload/common/run/process_facts.h"
#include "preload/common/run/run_join.h"
#include "preload/heap/heap.h"
#include "preload/hooks/hook_cost.h"
#include "preload/hooks/hooks.h"
#include "preload/life/crash_handler.h"
#include "preload/life/end_summary.h"
#include "preload/life/recorder.h"
#include "preload/objects/fork_gate.h"
#include "preload/objects/next_functions.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/stacks.h"
#include "preload/stacks/thread.h"
#include "preload/state/process_entry.h"
#include "preload/state/foreign_hooks.h"
#include "preload/state/labels.h"
#include "preload/state/line_units.h"
#include "preload/state/log_space.h"
#include "preload/state/modules.h"
#include "preload/state/recording_state.h"
#include "preload/state/rss_at_calls.h"
#include "preload/state/sampler_task.h"
#include "preload/waits/lock_names.h"
#include "preload/waits/wait_records.h"
#include "preload/wraps/wraps.h"

#define THRESHOLD_FLOOR	1000u		/* ns */
#define RATE_WAIT_NS	100000u		/* between the two clock readings of the start */

LARGE static struct run run;		/* set before any thread, and by a forked child */
static struct process_id own_id;	/* of the constructor's process: the parts that are the same in a
					 * child stay */

/* Ticks in 1 us, by two clock readings. */
static uint64_t measure_us_ticks(struct log_header *log)
{
	uint64_t ticks, passed_ns;

	while (clock_ns(CLOCK_MONOTONIC) - log->start.monotonic_ns < RATE_WAIT_NS)
		;
	clock_read_all(live.clock, &log->start_again);
	ticks = log->start_again.ticks - log->start.ticks;
	passed_ns = log->start_again.monotonic_ns - log->start.monotonic_ns;
	return ticks * 1000u / (passed_ns ? passed_ns : 1);
}

/* @us_ticks: as known to others of the run; 0: not known. */
static void set_threshold(struct log_header *log, uint64_t us_ticks)
{
	const bool is_known = us_ticks;

	if (live.clock != LOG_CLOCK_TSC)
		us_ticks = 1000;
	if (us_ticks)
		clock_read_all(live.clock, &log->start_again);
	else
		us_ticks = measure_us_ticks(log);
	if (!is_known)
		run_set_us_ticks(&run, log->boot_id, us_ticks);
	log->threshold_floor_ticks = us_ticks * THRESHOLD_FLOOR / 1000u;
	log->threshold_ticks = us_ticks * log->threshold_set_ns / 1000u;
}

/* Open this process's log in the run, and set everything but live.log. NULL: that failed. */
static struct log_header *open_log(const struct process_id *id, uint32_t clock)
{
	LARGE static struct log_open open;	/* not on the stack: a child's first call may come on a
						 * small one */
	struct log_header *log;
	int error;

	open = (struct log_open){
		.run = &run, .id = id, .settings = &settings, .kind = LOG_OF_PROGRAM, .clock = clock
	};
	moment_begin();
	error = log_open(&open, &log, NULL);
	moment_end();
	if (error && entry_holder()) {	/* the entry continues to serve: no message */
		live_when_child(NULL);
		log_lose(entry_holder(), LOG_LOST_PROCESSES);
		return NULL;
	}
	if (error) {
		recorder_turn_off("cannot write", open.path, error);
		return NULL;
	}
	log_space_init(open.path, open.home);
	live.clock = open.clock;
	live.timing = log->timing;
	memory_begin(log);
	log->start_cost_ns = LOG_NONE;
	live.has_call_places = settings.value[SETTING_CALL_LINES];
	live.hot_timing = live.has_call_places ? 0 : log->timing;
	live.hot_log_when_on =
		!selection.is_on && !live.reads_memory &&
				(log->timing == LOG_TIMING_COUNTS || live.clock == LOG_CLOCK_TSC)
			? log
			: NULL;
	return log;
}

static bool begin_log(const struct process_id *id, uint32_t clock)
{
	live.heap = HEAP_OFF;	/* until begin_heap() */
	live.log = open_log(id, clock);
	switched_settle();
	return live.log;
}

static void begin_heap(struct log_header *log, uint32_t has_hooks, int64_t inherited_bytes)
{
	static const uint32_t bytes_of[] = {
		[HEAP_OFF] = LOG_HEAP_OFF,
		[HEAP_COUNTERS] = LOG_HEAP_USABLE,
		[HEAP_LIVE] = LOG_HEAP_REQUESTED,
		[HEAP_SAMPLED] = LOG_HEAP_SAMPLED,
	};
	uint32_t heap = heap_begin_log(has_hooks);

	log->has_hooks = has_hooks;
	log->heap_bytes = bytes_of[heap];
	log->heap_sample_bytes = heap == HEAP_SAMPLED ? (uint32_t)settings.value[SETTING_HEAP_SAMPLE] : 0;
	log->heap_before_bytes = log->heap_peak_bytes = log->heap_look_bytes = inherited_bytes;
	log->heap_total_bytes = inherited_bytes + heap_early_bytes();
	live.heap = heap;
}

/* The log is complete enough to be read: from here on a kill loses nothing. */
static void publish_log(struct log_header *log, uint64_t us_ticks)
{
	set_threshold(log, us_ticks);
	__atomic_store_n(&log->magic, LOG_MAGIC, __ATOMIC_RELEASE);
	entry_have_log(log);
}

/* Facts that a child knows about itself without system calls. The child of a raw clone has no entry. */
static void identify_child(struct process_id *id, const struct log_entry *entry)
{
	*id = own_id;
	if (entry) {
		id->pid = entry->pid;
		id->ppid = entry->ppid;
		id->start = entry->process_start;
	} else {
		process_id_look(id);
	}
	id->rank.is_child = id->rank.rank >= 0;
}

/*
 * Continue from the state at the fork: the calls that were open then, and the heap. The log was opened from
 * @opening_ticks until now. That time does not belong to these calls.
 */
static void go_on_from(struct log_header *log, const struct log_entry *entry, const struct open_calls *calls,
		       uint64_t opening_ticks)
{
	if (entry) {
		log->start = entry->begin;
		log->start_cpu_ns = 0;
	}
	if (!thread_make())
		return;
	self->begin_ticks = log->start.ticks;
	live.main_record = self;
	heap_take_early();
	if (calls)
		stack_open_again(self, calls, log->start.ticks + clock_ticks(log->clock) - opening_ticks);
}

static void begin_child(void)
{
	const struct log_header *parent = entry_holder();
	const struct log_entry *entry = entry_own();
	struct open_calls *calls = entry_take_calls();
	const uint64_t opening_ticks = clock_ticks(parent->clock);
	struct process_id id;

	self = NULL;
	selection_forked();
	if (!entry) {
		counted_forked(); /* until now a raw clone's child counted in its parent's log */
		line_units_forked();
	}
	identify_child(&id, entry);
	if (begin_log(&id, parent->clock)) {
		uint64_t values[] = { 0, id.ppid };

		begin_heap(live.log, parent->has_hooks,
			   entry ? entry->heap_before_bytes : (int64_t)blocks_bytes());
		samples_init();
		modules_log_all();
		labels_forked();
		labels_log_all();
		counted_log_all();
		sites_log_all();
		line_units_log_all();
		log_write_event(live.log, LOG_EVENT_FORK, 0, values, 2, NULL, now_ticks());
		go_on_from(live.log, entry, calls, opening_ticks);
		__builtin_memcpy(live.log->costs, parent->costs, sizeof(parent->costs));
		/* unmaps the parent's */
		publish_log(live.log, parent->threshold_floor_ticks * 1000u / THRESHOLD_FLOOR);
		/*
		 * The child of a raw clone may end by an exit of its only thread. A second thread would hide
		 * the status.
		 */
		if (entry)
			sampler_task_start(live.log, log_space_path(), &run);
	}
	if (calls)
		open_calls_free(calls);
}

/* Continue from the program's entry. The calling task may be the sampling one, which has no libc. */
static void go_on_from_program(struct log_header *log, const struct log_entry *entry)
{
	char name[16];
	struct facts facts;

	log->start = entry->begin;
	log->start_peak_rss_bytes = entry->start_peak_rss_bytes;
	log->start_cost_ns = entry->start_cost_ns;
	log->start_cpu_ns = entry->user_ns + entry->system_ns;
	entry_facts(entry, &facts);
	facts_write(log, &facts, &settings, false);
	heap_tell(log);
	if (read_file("/proc/self/comm", name, sizeof(name)) > 0)
		name[text_length(name) - (text_find(name, '\n') ? 1 : 0)] = '\0';
	live.main_record = record_for_main(log, name);
	begin_heap(log, 0, 0);
}

static void begin_program(void)
{
	uint64_t us_ticks = entry_holder()->threshold_floor_ticks * 1000u / THRESHOLD_FLOOR;
	struct log_header *log = open_log(&own_id, entry_holder()->clock);

	if (!log)
		return;
	go_on_from_program(log, entry_own());
	publish_log(log, us_ticks);
	foreign_hooks_begin(log);
	sampler_task_have_log(log, log_space_path());
	__atomic_store_n(&live.log, log, __ATOMIC_SEQ_CST);
	switched_settle();
	labels_log_all();
}

static bool open_child(void)
{
	uint64_t mask;

	/* A handler that comes now would open a second log. */
	sys_block_signals(&mask);
	if (entry_holder() && !entry_is_of_vfork_parent() && live_claim_opening(LIVE_OPENS)) {
		if (entry_is_program())
			begin_program();
		else
			begin_child();
		live_end_opening();
	}
	sys_restore_signals(&mask);
	if (live.log && self && (self->frames || samples_take_stacks()))
		samples_begin(self);
	return live.log;
}

/*
 * Most short programs have nothing to record in a log. Ranks, and programs observed from outside, need one,
 * because it is how they are found.
 */
static bool may_be_brief(const struct process_id *id)
{
	return id->rank.rank < 0 && !live_early_calls && !settings.value[SETTING_VERBOSE] &&
	       !settings.value[SETTING_SAMPLE] && !settings.value[SETTING_MAX_MEMORY] &&
	       !settings.value[SETTING_PAGE_FAULTS] &&
	       !settings.value[SETTING_CRASH] && !settings.value[SETTING_HEAP_SAMPLE] &&
	       sampler_task_is_possible() && !modules_have_hooks();
}

/* Return: is this process to be recorded? In any case (@wish) its descendants find the run through it. */
static bool find_run(char **environment, const char *exe, struct process_id *id, enum run_wish *wish)
{
	struct complaints complaints;
	bool is_selected;
	int error;

	complaints_init(&complaints);
	settings_read(&settings, environment, complaints_keep, &complaints);
	process_id_begin(id, exe);
	if (text_equal(id->program, "insideme-run") || text_equal(id->program, "insideme-report"))
		return false;
	is_selected = programs_select(settings_text(&settings, SETTING_PROGRAMS), id->program);
	rank_read(&id->rank, environment);
	*wish = rank_is_launcher(id->program) ? RUN_OF_LAUNCHER :
		is_selected && may_be_brief(id) ? RUN_OF_BRIEF : RUN_OF_PROGRAM;
	error = run_find(&run, *wish, settings_text(&settings, SETTING_RUN),
			 settings_text(&settings, SETTING_DIR), id);
	if (*wish == RUN_OF_LAUNCHER)
		return false;
	recorder_init(error ? NULL : &run);
	complaints_say(&complaints);
	if (error)
		recorder_turn_off("cannot use directory", run.path, error);
	return !error && is_selected;
}

/* Kernels before 4.14 do not support it: a child of a raw fork would write into its parent's log. */
static bool wipe_on_fork(void)
{
	long error = sys_madvise(&live, sizeof(live), MADV_WIPEONFORK);

	if (error)
		recorder_turn_off("this kernel has no MADV_WIPEONFORK", NULL, (int)error);
	return !error;
}

static bool begin_brief(const struct facts *facts)
{
	uint64_t us_ticks = run.page ? run_us_ticks(&run, own_id.boot_id) : 0;
	uint32_t heap_bytes = heap_setting() == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE;

	if (!run.shared && (!us_ticks || run_is_watched(run.page)))
		return false;
	if (!entry_enter_program(&run, &own_id, facts, us_ticks, heap_bytes))
		return false;
	live.heap = heap_begin_log(false);
	heap_begin_early(entry_heap());
	return true;
}

/* If there was no room in the shared log, the page has not been tried yet. */
static bool have_page(void)
{
	int error = run.page ? 0 : run_map_page(&run, NULL);

	if (error)
		recorder_turn_off("cannot use directory", run.path, error);
	return !error;
}

/* Return: does this process have its log? */
static bool begin_own(const struct facts *facts, uint64_t *us_ticks)
{
	if (!have_page() || !begin_log(&own_id, choose_clock()))
		return false;
	*us_ticks = run_us_ticks(&run, own_id.boot_id);
	live.log->losses[LOG_LOST_EARLY_CALLS] = live_early_calls;
	facts_write(live.log, facts, &settings, !*us_ticks);
	modules_look();
	begin_heap(live.log, modules_have_hooks(), 0);
	heap_tell(live.log);
	thread_make();
	foreign_hooks_begin(live.log);
	return true;
}

/* From now on the sampling task may open the log. */
static void go_on_brief(void)
{
	struct log_entry *entry = entry_own();

	entry->start_cost_ns = clock_ns(CLOCK_MONOTONIC) - entry->begin.monotonic_ns;
	if (!sampler_task_start_early(&run))
		live_open_child();
}

static void forget_module(uint64_t begin, uint64_t end, uint64_t number)
{
	paths_retire(begin, end, number);
	counted_forget(begin, end);
	sites_forget(begin, end);
	selection_remove(begin, end);
	verbose_forget(begin, end);
	lock_retire_code(begin, end, number);
	wait_records_retire(begin, end, number);
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
	char buffer[FACTS_BYTES];
	enum run_wish wish;
	struct facts facts;
	uint64_t us_ticks;
	bool is_brief;

	live_has_begun = true;
	if (!real_init()) {
		recorder_turn_off("this libc is not known", NULL, 0);
		return;
	}
	heap_init();
	exceptions_init();
	facts_read(&facts, buffer, PROCESS_SELF, (const char *)libc.getauxval(AT_EXECFN), argc, argv);
	if (!find_run(environment, facts.exe, &own_id, &wish) || !wipe_on_fork())
		return;
	modules_init(selection_add, forget_module);
	selection_init();
	live_when_child(open_child);
	live_measure_late = cost_measure_late;
	live_measure_again = cost_measure_again;
	is_brief = wish == RUN_OF_BRIEF && begin_brief(&facts);
	if (!is_brief && !begin_own(&facts, &us_ticks))
		return;
	fork_init();
	threads_init();
	samples_init();
	if (self && samples_take_stacks())
		samples_begin(self);
	crash_init();
	end_summary_init(&run, environment);
	ends_init();
	foreign_hooks_init((const void *)__cyg_profile_func_enter);
	if (is_brief) {
		toggle_begin();
		go_on_brief();
		return;
	}
	publish_log(live.log, us_ticks);
	if (live.log->has_hooks) {
		cost_measure(live.log);
		selection_tell_unknown();
	}
	toggle_begin();
	sampler_task_start(live.log, log_space_path(), &run);
	live.log->start_cost_ns = clock_ns(CLOCK_MONOTONIC) - live.log->start.monotonic_ns;
	if (settings.value[SETTING_VERBOSE])
		say_line(log_space_path());
}
