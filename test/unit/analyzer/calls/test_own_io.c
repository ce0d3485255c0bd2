/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/thread_curves: what a thread read and wrote, by its own rows and those of its process. */
#include "analyzer/calls/function_resources.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define AT(ms) (NS_START + (ms) * MS)
#define NR_ROWS 11u

static void build_process_rows(struct build *build)
{
	const char *const names[] = { "cpu_ns", "write_chars", "threads" };
	struct log_rows *rows = build_rows(build, "process", names, 3, NR_ROWS);
	struct log_column *columns = (struct log_column *)(rows + 1);

	for (uint64_t i = 0; i < NR_ROWS; i++)
		build_row(rows, AT(10 * i) + 1, (uint64_t[]){ i * 10 * MS, i * 1000, 1 });
	columns[0].unit = LOG_UNIT_NS;
	columns[0].kind = columns[1].kind = LOG_CUMULATIVE;
}

static void build_thread_rows(struct build *build, uint32_t tid, uint64_t nr)
{
	const char *const names[] = { "thread_cpu_ns", "thread_read_bytes", "thread_write_bytes",
				      "thread_read_chars", "thread_write_chars" };
	struct log_rows *rows = build_rows(build, "thread", names, 5, NR_ROWS);

	rows->id = tid;
	for (uint64_t i = 0; i < nr; i++)
		build_row(rows, AT(10 * i) + 1, (uint64_t[]){ i * 10 * MS, 0, 0, 0, i * 1000 });
}

/* The only thread writes 100 bytes each ms, for 100 ms. Its own rows tell that for the first @nr_rows. */
static double written(uint64_t nr_rows)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct function *function;
	struct model *model;
	double bytes;

	build_call(main_node, 100 * MS, 0);
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = main_node, .end_ticks = AT(100), .ticks = 100 * MS });
	build_process_rows(&build);
	build_thread_rows(&build, thread->tid, nr_rows);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	function = build_function(model, MAIN - APP_BEGIN);
	bytes = function->use->total[USE_WRITE_CHARS];
	build_free(&build, model);
	return bytes;
}

TEST(a_threads_own_rows_tell_what_it_wrote)
{
	assert_true(fabs(written(NR_ROWS) - 10000) < 2);
}

TEST(after_its_last_row_a_thread_has_what_the_process_wrote)
{
	assert_true(fabs(written(NR_ROWS / 2) - 10000) < 2);
}
