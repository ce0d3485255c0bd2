/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/ends_read: how each process ended, by its own log, its successor's and insideme-run's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/read/ends_read.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/* For each test: the log that it builds, the logs of the run, and its model. */
static struct build build;
static struct build_run logs;
static struct model *model;

static int no_logs(void **state)
{
	logs = (struct build_run){ .nr = 0 };
	model = NULL;
	return 0;
}

static int free_model(void **state)
{
	if (model)
		model_free(model);
	return 0;
}

/* A log without an end mark, of this host. */
static void begin_here(struct build *log)
{
	build_begin(log);
	gethostname(log->header->host, sizeof(log->header->host));
}

static void add_monitor(uint32_t event, const uint64_t *values, int nr_values, const char *text)
{
	struct build monitor;

	begin_here(&monitor);
	monitor.header->kind = LOG_OF_MONITOR;
	monitor.header->pid = 4000;
	build_event(&monitor, event, NS_START + 90 * MS, values,
		    event == LOG_EVENT_PROCESS_UNSEEN ? 1 : nr_values, text);
	if (event == LOG_EVENT_PROCESS_UNSEEN)
		build_event(&monitor, LOG_EVENT_PROCESS_END, NS_START + 95 * MS, values, 5, NULL);
	build_finish(&monitor, NS_START + 100 * MS, 0);
	build_run_add(&logs, &monitor);
}

static void assert_end(const struct process *process, const char *expected)
{
	char text[200];

	assert_string_equal(process_end_text(process, text, sizeof(text)), expected);
}

TEST(a_signal_is_known_from_insideme_run, no_logs, free_model)
{
	begin_here(&build);
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_END, (uint64_t[]){ 4242, SIGKILL, 70, 80, 1 << 30 }, 5, NULL);
	model = build_run_load(&logs);
	assert_int_equal(model->nr_processes, 1);
	assert_int_equal(model->nr_monitors, 1);
	assert_end(model->processes[0], "killed by SIGKILL");
	assert_true(model->processes[0]->has_usage);
	assert_int_equal(model->processes[0]->system_ns, 80);
	assert_int_equal(model->processes[0]->peak_rss_bytes,
			 (1 << 30) - model->processes[0]->header.file_bytes);
}

TEST(a_raw_exit_is_known_from_insideme_run, no_logs, free_model)
{
	begin_here(&build);
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_END, (uint64_t[]){ 4242, 7 << 8, 0, 0, 0 }, 5, NULL);
	model = build_run_load(&logs);
	assert_end(model->processes[0], "exit status 7");
}

/* Two processes with one pid, one after the other: their starts differ. */
TEST(the_start_identifies_the_process, no_logs, free_model)
{
	begin_here(&build);
	build.header->process_start = 70;
	build_run_add(&logs, &build);
	begin_here(&build);
	build.header->process_start = 90;
	build.header->start.realtime_ns += MS;
	build.header->start_again.realtime_ns += MS;
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_END,
		    (uint64_t[]){ 4242, SIGSEGV | 0x80, LOG_NONE, LOG_NONE, LOG_NONE, 70 }, 6, NULL);
	model = build_run_load(&logs);
	assert_int_equal(model->nr_processes, 2);
	assert_int_equal(model->processes[0]->header.process_start, 70);
	assert_end(model->processes[0], "killed by SIGSEGV, core dumped");
	assert_false(model->processes[0]->has_usage);
	assert_true(model->processes[0]->peak_rss_bytes == LOG_NONE);
	assert_end(model->processes[1],
		   "ended without a word: SIGKILL or a raw exit; insideme-run did not see its status");
}

TEST(an_end_without_status_is_no_exit_status, no_logs, free_model)
{
	begin_here(&build);
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_END, (uint64_t[]){ 4242, LOG_NONE, 70, 80, LOG_NONE, 0 }, 6, NULL);
	model = build_run_load(&logs);
	assert_end(model->processes[0],
		   "ended without a word: SIGKILL or a raw exit; insideme-run did not see its status");
	assert_int_equal(model->processes[0]->user_ns, 70);
}

TEST(an_orphan_that_was_left_is_said, no_logs, free_model)
{
	begin_here(&build);
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_LEFT, (uint64_t[]){ 4242, 0 }, 2, NULL);
	model = build_run_load(&logs);
	assert_end(model->processes[0], "ran on when insideme-run ended, and then ended without a word");
}

/*
 * Without insideme-run the process records its usage itself, including its sampler's. The larger reading is
 * the later one.
 */
TEST(figures_from_the_process_itself, no_logs, free_model)
{
	begin_here(&build);
	build.header->sampler_kind = 1;
	build.header->sampler_cpu_ns = 200;
	build.header->start_peak_rss_bytes = 8 << 20;
	build.header->finish_user_ns = 1000;
	build.header->finish_system_ns = 500;
	build.header->finish_peak_rss_bytes = 8 << 20;
	build_finish(&build, NS_START + 100 * MS, 0);
	build_run_add(&logs, &build);
	model = build_run_load(&logs);
	assert_true(model->processes[0]->has_usage);
	assert_int_equal(model->processes[0]->user_ns, 1000);
	assert_int_equal(model->processes[0]->system_ns, 300);
	assert_true(model->processes[0]->peak_rss_bytes == LOG_NONE);
}

TEST(without_insideme_run_silence_is_said, no_logs, free_model)
{
	begin_here(&build);
	build_run_add(&logs, &build);
	model = build_run_load(&logs);
	assert_end(
		model->processes[0],
		"ended without a word: SIGKILL, a raw exit or an exec of what is not recorded "
		"(insideme-run would know)");
}

/* Under mpirun insideme-run becomes the program. */
TEST(the_silence_of_a_rank_is_that_of_one_without_insideme_run, no_logs, free_model)
{
	begin_here(&build);
	build.header->rank = 1;
	build_run_add(&logs, &build);
	model = build_run_load(&logs);
	assert_end(
		model->processes[0],
		"ended without a word: SIGKILL, a raw exit or an exec of what is not recorded "
		"(insideme-run mpirun ... would know)");
}

TEST(a_successor_shows_an_exec, no_logs, free_model)
{
	begin_here(&build);
	build_run_add(&logs, &build);
	begin_here(&build);
	build.header->exec_count = 1;
	build.header->start = build_clocks(&build, NS_START + MS);
	build.header->start_again = build_clocks(&build, NS_START + MS + 200000);
	strcpy(build.header->program, "next");
	build_finish(&build, NS_START + 100 * MS, 5);
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_END, (uint64_t[]){ 4242, 5 << 8, 0, 0, 0 }, 5, NULL);
	model = build_run_load(&logs);
	assert_int_equal(model->nr_processes, 2);
	assert_end(model->processes[0], "exec of next");
	assert_end(model->processes[1], "exit status 5");
}

TEST(this_very_process_still_runs, no_logs, free_model)
{
	FILE *file;

	begin_here(&build);
	build.header->pid = (uint32_t)getpid();
	file = fopen("/proc/sys/kernel/random/boot_id", "r");
	assert_int_equal(fscanf(file, "%39s", build.header->boot_id), 1);
	fclose(file);
	file = popen("cut -d' ' -f22 /proc/$PPID/stat", "r");
	assert_int_equal(fscanf(file, "%lu", &build.header->process_start), 1);
	pclose(file);
	build_run_add(&logs, &build);
	model = build_run_load(&logs);
	assert_end(model->processes[0], "still running");
}

TEST(programs_without_the_library_are_listed, no_logs, free_model)
{
	begin_here(&build);
	build_finish(&build, NS_START + 100 * MS, 0);
	build_run_add(&logs, &build);
	add_monitor(LOG_EVENT_PROCESS_UNSEEN, (uint64_t[]){ 4250, 127 << 8, 3, 4, 5 }, 5, "gzip");
	model = build_run_load(&logs);
	assert_int_equal(model->nr_unseen, 1);
	assert_int_equal(model->unseen[0].pid, 4250);
	assert_string_equal(model->unseen[0].program, "gzip");
	assert_true(model->unseen[0].has_end);
	assert_int_equal(model->unseen[0].wait_status, 127 << 8);
	assert_end(model->processes[0], "exit status 0");
}

/* insideme-run sees no log of an orphan. If the orphan became another program, its entry is left. */
TEST(an_orphan_with_an_entry_is_no_other_process, no_logs, free_model)
{
	static const char *const programs[] = { "app", "gzip" };

	for (size_t i = 0; i < 2; i++) {
		struct log_entry *entry;

		no_logs(state);
		begin_here(&build);
		entry = build_record(&build, sizeof(*entry), LOG_RECORD_ENTRY, NS_START + MS);
		entry->pid = 4250;
		entry->begin = build_clocks(&build, NS_START + MS);
		build_finish(&build, NS_START + 100 * MS, 0);
		build_run_add(&logs, &build);
		add_monitor(LOG_EVENT_PROCESS_UNSEEN, (uint64_t[]){ 4250, 9 << 8, 3, 4, 5 }, 5, programs[i]);
		model = build_run_load(&logs);
		assert_int_equal(model->nr_processes, 2);
		assert_int_equal(model->nr_unseen, i);
		if (i == 0)
			assert_end(model->processes[1], "exit status 9");
		else
			assert_string_equal(model->unseen[0].program, "gzip");
		free_model(state);
	}
	model = NULL;
}

/* @later: the log of the program that follows, with its end. */
static void build_exec(bool later)
{
	struct build monitor, next;
	uint64_t pid, start_ns;

	begin_here(&build);
	build.header->process_start = 77;
	pid = build.header->pid;
	start_ns = build.header->start.monotonic_ns;
	build_run_add(&logs, &build);
	if (later) {
		begin_here(&next);
		next.header->process_start = 77;
		next.header->exec_count = 1;
		next.header->start = build_clocks(&next, NS_START + 91 * MS);
		build_finish(&next, NS_START + 95 * MS, 3);
		build_run_add(&logs, &next);
	}
	begin_here(&monitor);
	monitor.header->kind = LOG_OF_MONITOR;
	monitor.header->pid = 4000;
	build_event(&monitor, LOG_EVENT_PROCESS_UNSEEN, NS_START + 90 * MS, (uint64_t[]){ pid, start_ns }, 2,
		    "busybox");
	build_event(&monitor, LOG_EVENT_PROCESS_END, NS_START + 95 * MS,
		    (uint64_t[]){ pid, 3 << 8, 3, 4, 5, 77 }, 6, NULL);
	build_finish(&monitor, NS_START + 100 * MS, 0);
	build_run_add(&logs, &monitor);
	model = build_run_load(&logs);
}

TEST(an_exec_of_what_is_not_recorded_ends_a_program, no_logs, free_model)
{
	build_exec(false);
	assert_end(model->processes[0], "exec of busybox (not recorded)");
	assert_int_equal(model->nr_unseen, 1);
	assert_ptr_equal(model->unseen[0].before, model->processes[0]);
	assert_int_equal(model->unseen[0].wait_status, 3 << 8);
}

/* insideme-run may see the exec before the next log. */
TEST(an_exec_of_a_recorded_program_is_known_from_its_log, no_logs, free_model)
{
	build_exec(true);
	assert_int_equal(model->nr_processes, 2);
	assert_ptr_equal(model->processes[0]->end_next, model->processes[1]);
	assert_end(model->processes[1], "exit status 3");
	assert_int_equal(model->nr_unseen, 0);
}

TEST(another_host_is_another_matter, no_logs, free_model)
{
	build_begin(&build);
	build_run_add(&logs, &build);
	model = build_run_load(&logs);
	assert_end(model->processes[0],
		   "no end recorded; it ran on node17, so whether it still runs is not known here");
}

