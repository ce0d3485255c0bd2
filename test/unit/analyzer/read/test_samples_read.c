/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples of a log, by path and by function. */

#include "analyzer/read/samples_read.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define INTERVAL_NS (4 * MS)

static struct log_area *build_samples(struct build *build, const struct log_thread *thread, uint32_t nr)
{
	struct log_area *area = build_area(build, LOG_AREA_SAMPLES, thread->head.self,
					   sizeof(*area) + nr * sizeof(struct log_sample), sizeof(*area));

	area->record_bytes = sizeof(struct log_sample);
	build->header->sample_interval_ns = INTERVAL_NS;
	return area;
}

static void add(struct log_area *area, uint32_t node, uint32_t nr, uint16_t flags)
{
	for (; nr; nr--) {
		struct log_sample *sample = (struct log_sample *)((char *)area + area->used_bytes);

		*sample = (struct log_sample){ .ticks = NS_START + MS, .node = node, .flags = flags };
		area->used_bytes += sizeof(*sample);
	}
}

/* F has 240 samples; G has 25, and 100 in its hooks. */
TEST(samples_of_the_hooks_are_apart)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *outer = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, outer, F), *g = build_node(&build, thread, outer, G);
	struct log_area *area = build_samples(&build, thread, 1000);
	struct model *model;

	build_call(outer, 1600 * MS, 1500 * MS);
	for (int i = 0; i < 10; i++)
		build_call(f, 100 * MS, 0);
	for (int i = 0; i < 1000000; i++)
		build_call(g, 500, 0);
	add(area, build_ref(&build, f), 240, 0);
	add(area, build_ref(&build, g), 25, 0);
	add(area, build_ref(&build, g), 100, LOG_SAMPLE_IN_HOOK);
	build_finish(&build, NS_START + 1700 * MS, 0);
	model = build_load(&build);

	assert_int_equal(build_function(model, F - APP_BEGIN)->samples.nr, 240);
	assert_int_equal(build_function(model, G - APP_BEGIN)->samples.nr, 25);
	assert_int_equal(build_function(model, G - APP_BEGIN)->samples.in_hooks, 100);
	assert_true(build_function(model, G - APP_BEGIN)->samples.ns == 25.0 * INTERVAL_NS);
	assert_true(build_function(model, G - APP_BEGIN)->samples.hooks_ns == 100.0 * INTERVAL_NS);
	assert_int_equal(build_function(model, MAIN - APP_BEGIN)->samples.total_nr, 265);
	assert_int_equal(model->nr_damaged, 0);
	build_free(&build, model);
}

TEST(samples_of_no_path_are_damage)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *outer = build_node(&build, thread, &thread->root, MAIN);
	struct log_area *area = build_samples(&build, thread, 10);
	struct model *model;

	build_call(outer, 1600 * MS, 0);
	add(area, build_ref(&build, outer), 3, 0);
	add(area, 12345678, 1, 0);
	add(area, build_ref(&build, outer) + 1, 1, 0);
	build_finish(&build, NS_START + 1700 * MS, 0);
	model = build_load(&build);
	assert_int_equal(build_function(model, MAIN - APP_BEGIN)->samples.nr, 3);
	assert_int_equal(model->nr_damaged, 2);
	build_free(&build, model);
}

TEST(a_share_has_the_error_of_its_number)
{
	assert_true(fabs(sample_share_error(25, 100) - 0.0433) < 1e-4);
	assert_true(isnan(sample_share_error(0, 0)));
	assert_true(sample_share_error(0, 100) > 0);
}
