/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/code_paths: samples in code of this very program, where the compiler inlined functions. */
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include "analyzer/model/tree_walk.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define SELF	  "/proc/self/exe"
#define BIAS	  0x10000000000ull
#define REGION(n) (LOG_FUNCTION_REGION | (uint64_t)(n) << LOG_REGION_SHIFT)

static __attribute__((noinline)) char *return_addr(void)
{
	return __builtin_return_address(0);
}

static inline __attribute__((always_inline)) char *innermost(void)
{
	return return_addr() - 1;
}

static inline __attribute__((always_inline)) char *inner(void)
{
	return innermost();
}

static __attribute__((noinline)) char *outer(void)
{
	return inner();
}

/* In the process of the log. */
static uint64_t addr_of(const void *address)
{
	struct link_map *map;
	Dl_info info;

	assert_true(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP));
	return (uint64_t)(uintptr_t)address - map->l_addr + BIAS;
}

static struct log_thread *begin(struct build *build, uint32_t timing)
{
	struct log_module *module;
	struct stat status;

	build_init(build, LOG_CLOCK_MONOTONIC, 1);
	assert_int_equal(stat(SELF, &status), 0);
	module = build_module(build, SELF, BIAS, BIAS + (uint64_t)status.st_size, BIAS, 0);
	module->file_bytes = (uint64_t)status.st_size;
	module->file_mtime_ns =
		(uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
	build->header->timing = timing;
	build->header->sample_interval_ns = 4 * MS;
	return build_thread(build, "main");
}

static struct log_node *call(struct build *build, struct log_thread *thread, struct log_node *parent,
			     uint64_t function_addr)
{
	struct log_node *node = build_node(build, thread, parent, function_addr);

	build_call(node, 100 * MS, 0);
	return node;
}

/* @function is counted. Before that it was called elsewhere. */
static void count(struct build *build, struct log_thread *thread, const void *function)
{
	struct log_counted *counted = build_record(build, sizeof(*counted), LOG_RECORD_COUNTED, NS_START);

	counted->function_addr = addr_of(function);
	call(build, thread, call(build, thread, &thread->root, addr_of(return_addr)), addr_of(function));
}

/* The end of the path of one sample at @node, in the code of innermost() that is within outer(). */
static struct tree_node *path_of_sample(struct build *build, struct log_thread *thread,
					const struct log_node *node, struct model **model)
{
	struct log_area *area = build_area(build, LOG_AREA_SAMPLES, thread->head.self,
					   sizeof(*area) + sizeof(struct log_sample),
					   sizeof(*area) + sizeof(struct log_sample));

	area->record_bytes = sizeof(struct log_sample);
	*(struct log_sample *)(area + 1) = (struct log_sample){
		.ticks = NS_START + MS,
		.node = build_ref(build, node),
		.pc_addr = addr_of(outer()),
	};
	build_finish(build, NS_START + 1700 * MS, 0);
	*model = build_load(build);
	build_release(build);
	assert_int_equal((*model)->nr_damaged, 0);
	for (size_t id = 1; id < (*model)->nr_tree_nodes; id++)
		if (tree_node(*model, id)->samples->nr)
			return tree_node(*model, id);
	return NULL;
}

static void assert_function(const struct tree_node *node, const void *function)
{
	assert_non_null(node->function);
	assert_int_equal(node->function->addr, addr_of(function) - BIAS);
}

TEST(a_path_goes_on_through_counted_functions)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_AUTO);
	struct log_node *node = call(&build, thread, &thread->root, addr_of(outer));
	struct tree_node *path;
	struct model *model;

	count(&build, thread, inner);
	count(&build, thread, innermost);
	path = path_of_sample(&build, thread, node, &model);
	assert_function(path, innermost);
	assert_function(path->parent, inner);
	assert_function(path->parent->parent, outer);
	assert_null(path->parent->parent->parent->function);
	model_free(model);
}

TEST(what_a_path_has_already_is_not_repeated)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_AUTO);
	struct log_node *node = call(&build, thread, &thread->root, addr_of(outer));
	struct tree_node *path;
	struct model *model;

	count(&build, thread, inner);
	count(&build, thread, innermost);
	node = call(&build, thread, node, addr_of(inner));
	path = path_of_sample(&build, thread, node, &model);
	assert_function(path, innermost);
	assert_function(path->parent, inner);
	assert_function(path->parent->parent, outer);
	model_free(model);
}

TEST(functions_that_are_timed_are_not_added)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_AUTO);
	struct log_node *node = call(&build, thread, &thread->root, addr_of(outer));
	struct tree_node *path;
	struct model *model;

	call(&build, thread, node, addr_of(inner));
	count(&build, thread, innermost);
	path = path_of_sample(&build, thread, node, &model);
	assert_function(path, innermost);
	assert_function(path->parent, outer);
	model_free(model);
}

TEST(the_function_around_a_region_is_not_beneath_it)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_AUTO);
	struct log_node *node = call(&build, thread, &thread->root, REGION(1));
	struct tree_node *path;
	struct model *model;

	count(&build, thread, outer);
	count(&build, thread, innermost);
	path = path_of_sample(&build, thread, node, &model);
	assert_function(path, innermost);
	assert_non_null(path->parent->function->region);
	model_free(model);
}

TEST(by_other_timing_samples_stay)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *node = call(&build, thread, &thread->root, addr_of(outer));
	struct model *model;

	count(&build, thread, inner);
	assert_function(path_of_sample(&build, thread, node, &model), outer);
	assert_null(model->objects->naming);
	model_free(model);
}
