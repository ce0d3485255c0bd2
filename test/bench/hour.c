/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a run as a long one leaves it, for measuring what reads it:
 *   hour DIRECTORY PROCESSES THREADS SECONDS KIB
 * Each process has a log with about KIB KiB of single calls, nested up to 8 deep, over all of the time, and rows of
 * resources. With more than one process they are ranks.
 */
#include <stddef.h>

static size_t build_bytes;	/* room for one log */
#define BUILD_BYTES build_bytes
#include "test/unit/build_log.c"

#include <math.h>
#include <sys/stat.h>

#define NR_FUNCTIONS	120
#define NR_ROWS		6000
#define DEPTH		8
#define MODULE_ADDR	0x400000u

struct maker {
	struct build build;
	struct log_thread *thread;
	struct log_node *nodes[DEPTH][NR_FUNCTIONS];	/* of the thread: one path for each depth and function */
	uint64_t random;
	uint64_t shortest_ns;
	int64_t heap_bytes;
};

static uint64_t next_random(struct maker *maker)
{
	maker->random ^= maker->random << 13;
	maker->random ^= maker->random >> 7;
	maker->random ^= maker->random << 17;
	return maker->random;
}

static double next_unit(struct maker *maker)
{
	return (double)(next_random(maker) >> 11) / 9007199254740992.0;
}

static struct log_node *node_of(struct maker *maker, struct log_node *parent, int depth, int function)
{
	struct log_node **node = &maker->nodes[depth][function];

	if (!*node)
		*node = build_node(&maker->build, maker->thread, parent, MODULE_ADDR + 0x100u * (uint32_t)(function + 1));
	return *node;
}

/* A call from @start on that takes @ns, after the calls that it makes. */
static void make_call(struct maker *maker, struct log_node *parent, int depth, uint64_t start, uint64_t ns)
{
	int function = depth == 0 ? 0 : 1 + (depth - 1) * 17 + (int)(next_random(maker) % 17);
	struct log_node *node = node_of(maker, parent, depth, function);
	uint64_t at = start + ns / 50, end = start + ns, inner = 0;

	while (depth + 1 < DEPTH && ns > 4 * maker->shortest_ns) {
		uint64_t child = (uint64_t)((double)maker->shortest_ns * pow((double)ns / (double)maker->shortest_ns / 2, next_unit(maker)));

		if (at + child >= end)
			break;
		make_call(maker, node, depth + 1, at, child);
		inner += child;
		at += child + (uint64_t)(next_unit(maker) * (double)maker->shortest_ns);
	}
	build_call(node, ns, inner);
	maker->heap_bytes += (int64_t)(next_random(maker) % 4096) - 2040;
	build_slice(&maker->build, maker->thread, 0, &(struct build_slice){
		.node = node, .end_ticks = end, .ticks = ns,
		.thread_delta = 64, .process_delta = 128, .heap_after = maker->heap_bytes });
}

static void make_rows(struct maker *maker, uint64_t ns)
{
	static const char *const columns[] = { "cpu_ns", "rss_bytes", "heap_bytes", "read_bytes", "write_bytes" };
	struct log_rows *rows = build_rows(&maker->build, "process", columns, 5, NR_ROWS);
	struct log_column *column = (struct log_column *)(rows + 1);
	uint64_t values[5] = { 0 };

	column[0].unit = LOG_UNIT_NS;
	column[0].kind = column[3].kind = column[4].kind = LOG_CUMULATIVE;
	rows->interval_ns = ns / NR_ROWS;
	for (uint64_t i = 0; i < NR_ROWS; i++) {
		values[0] += (uint64_t)(next_unit(maker) * 8 * (double)ns / NR_ROWS);
		values[1] = (300u << 20) + (uint64_t)(2e8 * sin((double)i / 300) + 1e7 * next_unit(maker));
		values[2] = values[1] - (90u << 20);
		values[3] += next_random(maker) % (4u << 20);
		values[4] += next_random(maker) % (1u << 20);
		build_row(rows, BUILD_START_TICKS + i * (ns / NR_ROWS), values);
	}
}

static void make_threads(struct maker *maker, int nr_threads, uint64_t ns, uint64_t bytes)
{
	for (int i = 0; i < nr_threads; i++) {
		char name[24];
		uint64_t at = BUILD_START_TICKS + 1000, end = BUILD_START_TICKS + ns, before = maker->build.tail;
		uint64_t step = ns / 40;

		snprintf(name, sizeof(name), "worker-%d", i);
		maker->thread = build_thread(&maker->build, name);
		memset(maker->nodes, 0, sizeof(maker->nodes));
		for (; at + step < end; at += step + 1000) {
			make_call(maker, &maker->thread->root, 0, at, step);
			if ((maker->build.tail - before) * 40 * (uint64_t)nr_threads > bytes * ((at - BUILD_START_TICKS) / step + 1))
				maker->shortest_ns += maker->shortest_ns / 3;
			else
				maker->shortest_ns -= maker->shortest_ns / 4;
		}
	}
}

static void make_process(const char *directory, int rank, int nr_ranks, int nr_threads, uint64_t ns, uint64_t bytes)
{
	struct maker maker = { .random = 88172645463325252u + (uint64_t)rank };
	char path[4096];

	build_init(&maker.build, LOG_CLOCK_MONOTONIC, 1);
	maker.build.header->pid += (uint32_t)rank;
	maker.build.header->rank = nr_ranks > 1 ? rank : -1;
	maker.build.header->slice_shift = 6;
	maker.build.header->threshold_set_ns = maker.build.header->threshold_ticks = 10000;
	strcpy(maker.build.header->program, "hour");
	build_module(&maker.build, "/usr/bin/hour", MODULE_ADDR, MODULE_ADDR + 0x100000, MODULE_ADDR, 7);
	build_text(&maker.build, "command=./hour --of work");
	make_rows(&maker, ns);
	maker.shortest_ns = (uint64_t)((double)ns * nr_threads / ((double)bytes / 20));
	make_threads(&maker, nr_threads, ns, bytes);
	build_finish(&maker.build, BUILD_START_TICKS + ns, 0);
	snprintf(path, sizeof(path), "%s/node17-%u-0.log", directory, maker.build.header->pid);
	build_write(&maker.build, path, 0);
	build_release(&maker.build);
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: hour DIRECTORY PROCESSES THREADS SECONDS KIB\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	build_bytes = ((strtoull(argv[5], NULL, 10) << 10) + (4u << 20)) / 4 * 5 / LOG_AREA_ALIGN * LOG_AREA_ALIGN;
	for (int i = 0; i < atoi(argv[2]); i++)
		make_process(argv[1], i, atoi(argv[2]), atoi(argv[3]), strtoull(argv[4], NULL, 10) * 1000000000u,
			     strtoull(argv[5], NULL, 10) << 10);
	return 0;
}
