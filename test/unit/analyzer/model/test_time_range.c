/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer/model/time_range and calls/slice_coverage: parts of a run's time, and how much of it single calls
 * cover.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/options.h"
#include "analyzer/calls/slice_coverage.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

TEST(times_have_units_or_are_shares)
{
	static const struct { const char *text; double value; bool is_percent;
	} times[] = {
		{ "1.5s", 1.5e9, false }, { "200ms", 2e8, false },  { "3 us", 3e3, false },
		{ "7ns", 7, false },	  { "2min", 120e9, false }, { "1h", 3600e9, false },
		{ "40%", 40, true },	  { "0", 0, false },
	};
	static const char *const wrong[] = { "",  "1",	   "x",	  "-1s",    "1.5 fortnights",
					     "s", "0x10s", "nan", "1e300s", "1s2" };
	struct time_mark mark;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		assert_int_equal(time_mark_parse(&mark, "from", times[i].text), 0);
		assert_true(mark.value == times[i].value);
		assert_int_equal(mark.is_percent, times[i].is_percent);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(time_mark_parse(&mark, "from", wrong[i]), EXIT_USAGE);
}

static int apply(struct model *model, const char *from, const char *to)
{
	struct window window = { 0 };

	*model = (struct model){ .end = 2000000000, .to = 2000000000 };
	if (from)
		assert_int_equal(time_mark_parse(&window.from, "from", from), 0);
	if (to)
		assert_int_equal(time_mark_parse(&window.to, "to", to), 0);
	return window_apply(&window, model);
}

TEST(a_window_lies_within_the_run)
{
	struct model model;

	assert_int_equal(apply(&model, NULL, NULL), 0);
	assert_true(model.from == 0 && model.to == 2000000000);
	assert_int_equal(apply(&model, "500ms", "75%"), 0);
	assert_true(model.from == 500000000 && model.to == 1500000000);
	assert_int_equal(apply(&model, NULL, "1h"), 0);
	assert_true(model.from == 0 && model.to == 2000000000);
	assert_int_equal(apply(&model, "2s", NULL), EXIT_FAILURE);
	assert_int_equal(apply(&model, "100%", "3s"), EXIT_FAILURE);
	assert_int_equal(apply(&model, "1s", "1s"), EXIT_USAGE);
	assert_int_equal(apply(&model, NULL, "0"), EXIT_USAGE);
}

TEST(a_window_is_reported_with_its_share)
{
	struct model model = { .end = 2000000000, .from = 500000000, .to = 1500000000 };
	struct window window = { .from.text = "25%" };
	char *text = window_text(&window, &model);

	assert_string_equal(text, "500 ms to 1.50 s of 2.00 s (50.0 %)");
	free(text);
	window.from.text = NULL;
	assert_null(window_text(&window, &model));
}

/* main > f, f from 20 to 40 ms; main from 0 to 100 ms, or open; the thread lives for 200 ms. */
static double cover(bool main_ends, int64_t from_ms, int64_t to_ms)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN),
			*f = build_node(&build, thread, main, F);
	struct build_slice slices[] = {
		{ .node = f, .end_ticks = NS_START + 40 * MS, .ticks = 20 * MS },
		{ .node = main, .end_ticks = NS_START + 100 * MS, .ticks = 100 * MS },
	};
	struct model *model;
	double percent;

	thread->begin_ticks = NS_START;
	build_call(f, 20 * MS, 0);
	build_slice(&build, thread, 0, &slices[0]);
	if (main_ends) {
		build_call(main, 100 * MS, 20 * MS);
		build_slice(&build, thread, 0, &slices[1]);
	} else {
		build_stack(&build, thread, 8);
		build_open_call(&build, thread, main, NS_START);
	}
	build_finish(&build, NS_START + 200 * MS, 0);
	model = build_load(&build);
	model->from = from_ms * (int64_t)MS;
	model->to = to_ms * (int64_t)MS;
	percent = coverage_percent(model);
	build_free(&build, model);
	return percent;
}

TEST(calls_within_calls_cover_time_once)
{
	assert_true(cover(true, 0, 100) == 100);
	assert_true(cover(true, 30, 50) == 100);
	assert_true(cover(true, 0, 200) == 50);
	assert_true(cover(true, 100, 150) == 0);
}

TEST(what_never_ended_covers_nothing_but_what_it_called_does)
{
	assert_true(cover(false, 20, 40) == 100);
	assert_true(cover(false, 30, 50) == 50);
	assert_true(cover(false, 50, 100) == 0);
}
