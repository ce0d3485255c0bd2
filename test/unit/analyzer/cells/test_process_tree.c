/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer/cells/process_tree: processes as a tree, rows of those that are alike, and what they
 * used.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cells/process_rows.h"
#include "analyzer/cells/view_context.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/* A process that begins @begin_ms after the first and takes 10 ms. */
static struct log_thread *begin_process(struct build *build, uint32_t pid, uint32_t ppid, uint64_t begin_ms,
					const char *program)
{
	struct log_thread *thread;

	build_init(build, LOG_CLOCK_MONOTONIC, 1);
	thread = build_thread(build, program);
	thread->begin_ticks = NS_START + begin_ms * MS;
	build->header->pid = pid;
	build->header->ppid = ppid;
	build->header->process_start = 1000 + begin_ms;
	build->header->start = build_clocks(build, NS_START + begin_ms * MS);
	build->header->start_again = build_clocks(build, NS_START + begin_ms * MS + 200000);
	strcpy(build->header->program, program);
	gethostname(build->header->host, sizeof(build->header->host));
	build_finish(build, NS_START + (begin_ms + 10) * MS, 0);
	return thread;
}

static void add_process(struct build_run *run, uint32_t pid, uint32_t ppid, uint64_t begin_ms,
			const char *program)
{
	struct build build;

	begin_process(&build, pid, ppid, begin_ms, program);
	build_run_add(run, &build);
}

/* insideme-run's own log: the end of one process; @unseen: a program that did not load the library. */
static void add_end(struct build_run *run, uint64_t time_ms, const uint64_t values[5], const char *unseen)
{
	struct build build;

	begin_process(&build, 1, 0, 0, "insideme-run");
	build.header->kind = LOG_OF_MONITOR;
	if (unseen)
		build_event(&build, LOG_EVENT_PROCESS_UNSEEN, NS_START + time_ms * MS, values, 1, unseen);
	build_event(&build, LOG_EVENT_PROCESS_END, NS_START + time_ms * MS, values, 5, NULL);
	build_finish(&build, NS_START + 1000 * MS, 0);
	build_run_add(run, &build);
}

static const struct member *find_member(const struct process_tree *tree, uint32_t pid)
{
	for (size_t i = 0; i < tree->nr; i++)
		if (tree->members[i].pid == pid)
			return &tree->members[i];
	return NULL;
}

TEST(children_hang_below_their_parents)
{
	struct build_run run = { .nr = 0 };
	struct process_tree tree;
	struct model *model;

	add_process(&run, 30, 20, 4, "leaf");
	add_process(&run, 10, 9, 0, "root");
	add_process(&run, 21, 10, 3, "second");
	add_process(&run, 20, 10, 2, "first");
	model = build_run_load(&run);
	process_tree_init(&tree, model);
	assert_int_equal(tree.nr, 4);
	assert_null(find_member(&tree, 10)->parent);
	assert_ptr_equal(find_member(&tree, 10)->child, find_member(&tree, 20));
	assert_ptr_equal(find_member(&tree, 20)->next, find_member(&tree, 21));
	assert_null(find_member(&tree, 21)->next);
	assert_ptr_equal(find_member(&tree, 30)->parent, find_member(&tree, 20));
	assert_int_equal(find_member(&tree, 30)->depth, 2);
	process_tree_release(&tree);
	model_free(model);
}

static void add_rank(struct build_run *run, uint32_t pid, int rank, uint64_t begin_ms, uint64_t last_ms)
{
	struct build build;

	begin_process(&build, pid, 9, begin_ms, "app");
	build.header->rank = rank;
	build.header->end = LOG_RUNNING;
	memset(&build.header->finish, 0, sizeof(build.header->finish));
	build_event(&build, LOG_EVENT_EXEC, NS_START + last_ms * MS, (uint64_t[]){ ENOENT }, 1, "none");
	build_run_add(run, &build);
}

/* The launcher ends the others. */
TEST(of_ranks_that_were_killed_the_first_one_that_died_is_named)
{
	struct build_run run = { .nr = 0 };
	struct process_tree tree;
	struct model *model;

	add_rank(&run, 11, 1, 0, 80);
	add_rank(&run, 10, 0, 1, 50);
	add_end(&run, 50, (uint64_t[]){ 10, SIGKILL, 0, 0, 0 }, NULL);
	add_end(&run, 80, (uint64_t[]){ 11, SIGTERM, 0, 0, 0 }, NULL);
	model = build_run_load(&run);
	process_tree_init(&tree, model);
	assert_int_equal(report_worst_end(&tree, 0)->header.rank, 0);
	process_tree_release(&tree);
	model_free(model);
}

TEST(a_pid_used_again_is_another_parent)
{
	struct build_run run = { .nr = 0 };
	struct process_tree tree;
	struct model *model;

	add_process(&run, 10, 9, 0, "old");
	add_process(&run, 11, 10, 5, "of-old");
	add_process(&run, 10, 9, 50, "new");
	add_process(&run, 12, 10, 55, "of-new");
	add_process(&run, 13, 13, 60, "of-itself");
	model = build_run_load(&run);
	process_tree_init(&tree, model);
	assert_string_equal(member_program(find_member(&tree, 11)->parent), "old");
	assert_string_equal(member_program(find_member(&tree, 12)->parent), "new");
	assert_null(find_member(&tree, 13)->parent);
	process_tree_release(&tree);
	model_free(model);
}

/* sh forks, its child execs env, which execs app. The copy of sh is not reported. */
TEST(images_of_one_process_are_one)
{
	static const char *const programs[] = { "sh", "env", "app" };
	struct build_run run = { .nr = 0 };
	struct log_thread *thread;
	struct process_tree tree;
	struct model *model;
	struct build build;
	char *text;

	add_process(&run, 10, 9, 0, "sh");
	for (uint32_t i = 0; i < 3; i++) {
		thread = begin_process(&build, 20, 10, 2 + 3 * i, programs[i]);
		build.header->process_start = 5;
		build.header->exec_count = i;
		if (i == 0)
			build_event(&build, LOG_EVENT_FORK, NS_START + 2 * MS, (uint64_t[]){ 0, 10 }, 2,
				    NULL);
		else
			build_call(build_node(&build, thread, &thread->root, MAIN), i * MS, 0);
		if (i < 2) {
			build.header->end = LOG_RUNNING;
			memset(&build.header->finish, 0, sizeof(build.header->finish));
		}
		build_run_add(&run, &build);
	}
	model = build_run_load(&run);
	process_tree_init(&tree, model);
	assert_int_equal(tree.nr, 2);
	assert_int_equal(find_member(&tree, 20)->calls, 2);
	assert_int_equal(find_member(&tree, 20)->nr_threads, 1);
	assert_true(find_member(&tree, 20)->functions_ns > 2.99 * MS);
	assert_int_equal(find_member(&tree, 20)->end - find_member(&tree, 20)->begin, 16 * MS);
	assert_int_equal(find_member(&tree, 20)->end_kind, END_EXIT);
	text = member_programs(find_member(&tree, 20));
	assert_string_equal(text, "env > app");
	free(text);
	process_tree_release(&tree);
	model_free(model);
}

/* A shell with 5 children of one kind, each with a child, one that fails and one that is killed. */
static struct model *build_alike(void)
{
	struct build_run run = { .nr = 0 };
	struct build build;

	add_process(&run, 10, 9, 0, "sh");
	for (uint32_t i = 0; i < 5; i++) {
		add_process(&run, 20 + i, 10, 2 + i, "cc");
		add_process(&run, 30 + i, 20 + i, 8 + i, "as");
	}
	begin_process(&build, 40, 10, 20, "cc");
	build.header->end_status = 1;
	build_run_add(&run, &build);
	begin_process(&build, 41, 30, 21, "ld");
	build.header->end = LOG_RUNNING;
	memset(&build.header->finish, 0, sizeof(build.header->finish));
	build_run_add(&run, &build);
	add_end(&run, 40, (uint64_t[]){ 41, SIGSEGV | 0x80, 7 * MS, 2 * MS, 8 << 20 }, NULL);
	return build_run_load(&run);
}

static void assert_row(const struct process_row *row, const char *program, size_t nr_alike,
		       unsigned int depth)
{
	assert_string_equal(member_program(row->member), program);
	assert_int_equal(row->nr_alike, nr_alike);
	assert_int_equal(row->depth, depth);
}

TEST(processes_that_are_alike_share_a_row)
{
	struct model *model = build_alike();
	struct process_row *rows;
	struct process_tree tree;
	size_t nr;

	process_tree_init(&tree, model);
	rows = process_rows(&tree, true, &nr);
	assert_int_equal(nr, 5);
	assert_row(&rows[0], "sh", 1, 0);
	assert_row(&rows[1], "cc", 5, 1);
	assert_row(&rows[2], "as", 5, 2);
	assert_row(&rows[3], "ld", 1, 3);
	assert_row(&rows[4], "cc", 1, 1);
	assert_int_equal(rows[1].nr_threads, 5);
	assert_true(rows[1].longest_ns == 10. * MS);
	free(rows);
	rows = process_rows(&tree, false, &nr);
	assert_int_equal(nr, tree.nr);
	assert_row(&rows[1], "cc", 1, 1);
	assert_row(&rows[2], "as", 1, 2);
	assert_row(&rows[3], "ld", 1, 3);
	assert_row(&rows[4], "cc", 1, 1);
	free(rows);
	process_tree_release(&tree);
	model_free(model);
}

TEST(who_was_killed_stays_in_a_short_table)
{
	struct model *model = build_alike();
	struct process_row *rows;
	struct process_tree tree;
	char text[64];
	size_t nr;

	process_tree_init(&tree, model);
	rows = process_rows(&tree, false, &nr);
	assert_int_equal(process_rows_limit(rows, &nr, 2), 13 - 5);
	assert_int_equal(nr, 5);
	assert_row(&rows[0], "sh", 1, 0);
	assert_row(&rows[1], "cc", 1, 1);
	assert_row(&rows[2], "as", 1, 2);
	assert_row(&rows[3], "ld", 1, 3);
	assert_string_equal(member_end_text(rows[3].member, text, sizeof(text)), "SIGSEGV, core dumped");
	assert_row(&rows[4], "cc", 1, 1);
	assert_string_equal(member_end_text(rows[4].member, text, sizeof(text)), "exit 1");
	free(rows);
	process_tree_release(&tree);
	model_free(model);
}

/* A launcher is seen when it ends, after the processes that it started. */
TEST(what_was_not_recorded_is_a_parent_too)
{
	struct build_run run = { .nr = 0 };
	const struct member *launcher;
	struct process_row *rows;
	struct process_tree tree;
	struct model *model;
	char text[64];
	size_t nr;

	add_process(&run, 51, 50, 0, "app");
	add_process(&run, 52, 50, 1, "app");
	add_end(&run, 40, (uint64_t[]){ 50, 3 << 8, 5 * MS, 6 * MS, LOG_NONE }, "launcher");
	model = build_run_load(&run);
	process_tree_init(&tree, model);
	launcher = find_member(&tree, 50);
	assert_ptr_equal(find_member(&tree, 51)->parent, launcher);
	assert_true(member_usage(launcher).cpu_ns == 11. * MS);
	assert_true(isnan(member_usage(launcher).peak_rss_bytes));
	assert_string_equal(member_end_text(launcher, text, sizeof(text)), "exit 3");
	assert_string_equal(member_recorded(launcher), "did not load the recorder");
	rows = process_rows(&tree, false, &nr);
	assert_int_equal(nr, 3);
	assert_row(&rows[0], "launcher", 1, 0);
	assert_true(isnan(rows[0].longest_ns));
	assert_row(&rows[2], "app", 1, 1);
	free(rows);
	process_tree_release(&tree);
	model_free(model);
}

TEST(what_was_used_is_known_from_its_end)
{
	struct model *model = build_alike();
	struct process_tree tree;
	const struct member *killed;

	process_tree_init(&tree, model);
	killed = find_member(&tree, 41);
	assert_true(member_usage(killed).cpu_ns == 9. * MS);
	assert_true(member_usage(killed).user_ns == 7. * MS);
	assert_true(member_usage(killed).peak_rss_bytes == (double)((8 << 20) - killed->log_bytes));
	assert_true(isnan(member_usage(find_member(&tree, 10)).cpu_ns));
	assert_true(isnan(member_usage(find_member(&tree, 10)).peak_rss_bytes));
	process_tree_release(&tree);
	model_free(model);
}

/* A single reading of RSS says little about its peak, and one during exit says nothing. */
TEST(what_was_used_is_known_from_samples)
{
	static const char *const columns[] = { "cpu_ns", "rss_bytes", "vms_bytes" };
	static const double cpu_ns[] = { 100, 300, 700 };
	struct log_rows *rows;
	struct usage usage;
	struct model *model;
	struct build build;

	for (int nr = 1; nr <= 3; nr++) {
		build_begin(&build);
		rows = build_rows(&build, "process", columns, 3, 8);
		build_row(rows, NS_START + 1 * MS, (uint64_t[]){ 100, 4096, 65536 });
		if (nr > 1)
			build_row(rows, NS_START + 2 * MS, (uint64_t[]){ 300, 999999, 0 });
		if (nr > 2)
			build_row(rows, NS_START + 3 * MS, (uint64_t[]){ 700, 8192, 65536 });
		build_finish(&build, NS_START + 10 * MS, 0);
		model = build_load(&build);
		usage = usage_of_process(model->processes[0]);
		assert_true(usage.cpu_ns == cpu_ns[nr - 1]);
		assert_true(isnan(usage.user_ns));
		assert_true(nr < 3 ? isnan(usage.peak_rss_bytes) : usage.peak_rss_bytes == 8192);
		build_free(&build, model);
	}
}

TEST(sums_are_known_where_all_parts_are)
{
	struct usage sum = { 1, 1, NAN, 5 };

	usage_add(&sum, &(struct usage){ 2, NAN, 2, NAN });
	assert_true(sum.cpu_ns == 3);
	assert_true(isnan(sum.user_ns));
	assert_true(isnan(sum.system_ns));
	assert_true(sum.peak_rss_bytes == 5);
}

TEST(a_clock_set_back_puts_nothing_before_the_first)
{
	struct build_run run = { .nr = 0 };
	struct process_tree tree;
	struct model *model;
	struct build build;

	add_process(&run, 100, 1, 0, "shell");
	begin_process(&build, 101, 100, 20, "cc");
	build.header->start.realtime_ns -= 1000 * MS;
	build.header->start_again.realtime_ns -= 1000 * MS;
	build.header->finish.realtime_ns -= 1000 * MS;
	build_run_add(&run, &build);
	model = build_run_load(&run);
	process_tree_init(&tree, model);
	assert_int_equal(find_member(&tree, 100)->begin, 0);
	assert_int_equal(find_member(&tree, 101)->begin, 20 * MS);
	assert_int_equal(find_member(&tree, 101)->depth, 1);
	process_tree_release(&tree);
	model_free(model);
}
