/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * golden DIRECTORY: writes two runs that never were, each number of them given here, so that what every view says of
 * them is known and stays. They are made by a program, not kept in git, as long as the layout of logs may change.
 *
 *   20231114-221320-app  ranks 0 and 1 of app, on node17, 2 s; rank 0 forks a child at 0.5 s, which execs tool; rank 1
 *                        is killed with calls open; insideme-run saw all that, and gzip, which was not recorded
 *   20231114-231320-app  an hour later: the same, but rank 0 calls all but main and fib twice as often, and there is
 *                        neither a worker nor a child
 *
 * Calls of rank 0, and of rank 1: main 1, step 100, relax 300, exchange 100, fib 177 (fib(10), 1 of them not within
 * another), one helper 10, the other 5, operator[] 1000, the strange one 3, one without a name 7; the worker of rank 0:
 * worker 1, exchange 20. The child: step 2. tool: main 1. The second helper waits for a lock in each call. With the
 * 3 that are open in rank 1 3442 in all, of 13 functions. Allocations: exchange 100 of 4096 bytes, operator[] 50 of 64, outside of functions 2 of 72704; the worker's
 * exchange 20 of 65536. One message has a record: rank 1 waited 30 ms for it in exchange. Live at the end, when the heap is at its peak: exchange 10, operator[] 50, outside of functions 2.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "test/unit/build_log.h"
#include "test/unit/build_marks.h"

#define MS		1000000ull
#define AT(ms)		(BUILD_START_TICKS + (uint64_t)((ms) * 1e6))
#define APP		0x400000ull
#define SOLVER		0x7f1100000000ull
#define GONE		0x7f2200000000ull
#define WAIT_LABEL	40ull		/* beyond those of build_marks() and build_messages() */

enum { MAIN = 0x100, STEP = 0x200, EXCHANGE = 0x300, FIB = 0x400, WORKER = 0x500, INDEX = 0x600, STRANGE = 0x700,
       HELPER_A = 0x800, HELPER_B = 0x900, RELAX = 0x100, TOOL_MAIN = 0xb00 };

/* Tabs and newlines within a name are as RUN/names has them; \033, \001 and \377 are bytes of the name. */
static const char names[] =
	"INSIDEME NAMES 1\n"
	"m\t0707070707070707070707070707070707070707\t12345\t0\t/golden/bin/app\n"
	"m\t0808080808080808080808080808080808080808\t12345\t0\t/golden/lib/libsolver.so\n"
	"f\t0\t100\t10\tmain\t/golden/src/app.cpp\n"
	"f\t0\t200\t31\tGrid::step(int)\t/golden/src/grid.cpp\n"
	"f\t0\t300\t55\tGrid::exchange(std::vector<double, std::allocator<double> >&)\t/golden/src/grid.cpp\n"
	"f\t0\t400\t80\tfib(unsigned int)\t/golden/src/app.cpp\n"
	"f\t0\t500\t120\tworker(void*)\t/golden/src/app.cpp\n"
	"f\t0\t600\t501\tstd::map<int, std::string, std::less<int> >::operator[](int const&)\t/usr/include/c++/12/bits/stl_map.h\n"
	"f\t0\t700\t7\tstrange:\"name\",\\n,\\t,\033[31mred,\001,\377,\303\274\t/golden/src/str,\"ange\".c\n"
	"f\t0\t800\t5\thelper\t/golden/src/first.c\n"
	"f\t0\t900\t6\thelper\t/golden/src/second.c\n"
	"f\t0\tb00\t3\tmain\t/golden/src/tool.c\n"
	"f\t1\t100\t12\tsolver::relax\t/golden/src/solver.f90\n";

static void times(struct log_node *node, int calls, uint64_t ticks, uint64_t child_ticks)
{
	for (int i = 0; i < calls; i++)
		build_call(node, ticks, child_ticks);
}

static struct log_node *path(struct build *build, struct log_thread *thread, struct log_node *parent, uint64_t addr,
			     int calls, double ms, double child_ms)
{
	struct log_node *node = build_node(build, thread, parent, addr);

	times(node, calls, (uint64_t)(ms * 1e6), (uint64_t)(child_ms * 1e6));
	return node;
}

static void allocates(struct build *build, struct log_thread *thread, struct log_node *node, uint64_t calls,
		      uint64_t bytes, uint64_t freed)
{
	struct log_heap *heap = build_heap(build, thread, node);

	heap->alloc_calls = calls;
	heap->alloc_bytes = calls * bytes;
	heap->largest_bytes = bytes;
	heap->free_calls = freed;
	heap->freed_bytes = freed * bytes;
	heap->released_calls = freed;
	heap->released_bytes = freed * bytes;
	heap->sizes[bytes > 64 ? bytes > 4096 ? 13 : 8 : 2] = calls;
	heap->births[0] = calls > freed ? 2 : 0;
	heap->births[3] = (uint32_t)(calls - freed) - heap->births[0];
	build->header->heap_bytes = LOG_HEAP_REQUESTED;
	thread->heap_bytes += (int64_t)((calls - freed) * bytes);
	build->header->heap_total_bytes += (int64_t)((calls - freed) * bytes);
}

/* The 177 calls that fib(10) makes, by depth: a chain of 10 paths, 1 ms for the outermost. */
static void add_fib(struct build *build, struct log_thread *thread, struct log_node *parent)
{
	static const int calls[10] = { 1, 2, 4, 8, 16, 32, 52, 44, 16, 2 };

	for (int i = 0; i < 10; i++) {
		uint64_t ticks = MS >> i;

		parent = build_node(build, thread, parent, APP + FIB);
		times(parent, calls[i], ticks, i < 9 ? (uint64_t)calls[i + 1] * (ticks / 2) / (uint64_t)calls[i] : 0);
	}
}

struct rank {
	struct build build;
	struct log_thread *main;
	struct log_node *main_node, *step, *exchange;
};

static void facts(struct build *build, const char *command, const char *exe)
{
	char text[200];

	snprintf(text, sizeof(text), "command=%s", command);
	build_text(build, text);
	snprintf(text, sizeof(text), "exe=%s", exe);
	build_text(build, text);
	build_text(build, "cwd=/golden");
	build_text(build, "kernel=Linux 6.1.0");
	build_text(build, "cpu_model=Golden CPU");
	build_text(build, "nr_cpus=4");
	build_text(build, "memory_bytes=8589934592");
	build_text(build, "setting.INSIDEME_THRESHOLD=10us");
}

/* A log that begins @ms after the run does. */
static void begin(struct build *build, double ms, uint32_t pid, uint32_t ppid, const char *program)
{
	struct log_header *header;

	build_init(build, LOG_CLOCK_TSC, 1);
	header = build->header;
	strcpy(header->program, program);
	header->pid = pid;
	header->ppid = ppid;
	header->process_start = 700 + pid;
	header->start = build_clocks(build, AT(ms));
	header->start_again = build_clocks(build, AT(ms + 0.2));
	header->interval_ns = 10 * MS;
	header->threshold_set_ns = 10000;
	header->threshold_ticks = 10000;
	header->threshold_floor_ticks = 1000;
	header->snapshot = LOG_SNAPSHOT_HEAP | LOG_SNAPSHOT_RSS;
	header->start_cost_ns = 500000;
	header->sampler_cpu_ns = 3 * MS;
	header->sampler_rows = 20;
	header->sampler_kind = 2;
}

static void column(struct log_rows *rows, int index, uint32_t unit, uint32_t kind)
{
	struct log_column *columns = (struct log_column *)(rows + 1);

	columns[index].unit = (uint16_t)unit;
	columns[index].kind = (uint16_t)kind;
}

/* A file of @path at @addr since the log's begin. */
static void module(struct build *build, const char *path_of, uint64_t addr, uint8_t build_id)
{
	struct log_module *record = build_module(build, path_of, addr, addr + 0x10000, addr, build_id);

	record->record.ticks = build->header->start.ticks;
}

/* Every 100 ms: half a core, then a whole one; RSS goes up and down again. */
static void process_rows(struct build *build, uint64_t pid)
{
	static const char *const columns[] = { "cpu_ns", "rss_bytes", "vms_bytes", "threads", "major_faults", "read_bytes", "heap_bytes",
		"involuntary_switches" };
	struct log_rows *rows = build_rows(build, "process", columns, 8, 20);
	struct log_rows *memory = build_rows(build, "memory", (const char *const[]){ "rss_bytes", "vms_bytes" }, 2, 20);

	column(rows, 0, LOG_UNIT_NS, LOG_CUMULATIVE);
	column(rows, 3, LOG_UNIT_COUNT, LOG_GAUGE);
	column(rows, 4, LOG_UNIT_COUNT, LOG_CUMULATIVE);
	column(rows, 5, LOG_UNIT_BYTES, LOG_CUMULATIVE);
	column(rows, 7, LOG_UNIT_COUNT, LOG_CUMULATIVE);
	for (uint64_t i = 1; i < 20; i++) {
		uint64_t rss = (100 + 10 * (i < 12 ? i : 24 - i) + pid % 10) << 20;
		uint64_t row[] = { i < 10 ? 50 * MS * i : 500 * MS + 100 * MS * (i - 10), rss, 1ull << 30, i < 10 ? 1 : 2,
				   i / 5, i << 16, (i < 12 ? i : 12) << 20, 1000 * i };

		build_row(rows, AT(100 * i), row);
		build_row(memory, AT(100 * i), row + 1);
	}
}

static void slices(struct rank *rank, struct log_thread *thread, struct log_node *node, int nr, double ms)
{
	for (int i = 0; i < nr; i++)
		build_slice(&rank->build, thread, 0, &(struct build_slice){
			.node = node, .end_ticks = AT(100 + i * 1.25 * ms), .ticks = (uint64_t)((ms + 0.001 * i) * 1e6),
			.thread_delta = i % 3 ? 4096 : -2048, .process_delta = i % 3 ? 4096 : 2048, .heap_after = (1 << 20) + i * 4096 });
}

/* What ranks 0 and 1 do alike, @often times. */
/* Looks at the thread while it was blocked: 9 times in @wait, 3 times in a futex of @caller. */
static void blocked(struct build *build, struct log_thread *thread, const struct log_node *wait,
		    const struct log_node *caller)
{
	struct log_area *area = build_area(build, LOG_AREA_BLOCKED, 0, 4096, sizeof(*area));
	struct log_blocked *list = (struct log_blocked *)(area + 1);

	list[0] = (struct log_blocked){ build_ref(build, thread), build_ref(build, wait), LOG_BLOCKED_IN_WAIT,
					9, 0, MS * 9 / 10 };
	list[1] = (struct log_blocked){ build_ref(build, thread), build_ref(build, caller), SYS_futex, 3,
					0x7ffd2000, MS * 3 / 10 };
	area->used_bytes += 2 * sizeof(*list);
}

/* @nr locks of 0.2 ms in @caller, in all of which the thread was in @holder when they began. */
static void waits(struct build *build, struct log_thread *thread, struct log_node *caller, int nr,
		  const struct log_node *holder)
{
	const uint64_t addr = LOG_FUNCTION_REGION | LOG_FUNCTION_WAIT |
			      (uint64_t)LOG_WAIT_LOCK << LOG_WAIT_KIND_SHIFT | WAIT_LABEL << LOG_REGION_SHIFT;
	struct log_node *node = path(build, thread, caller, addr, nr, 0.2, 0);
	struct log_area *area = build_area(build, LOG_AREA_WAITS, build_ref(build, thread), 4096, 4096);
	struct log_label *label = build_record(build, sizeof(*label) + sizeof("pthread_mutex_lock"),
					       LOG_RECORD_LABEL, AT(1));

	label->number = WAIT_LABEL;
	label->text_bytes = sizeof("pthread_mutex_lock");
	strcpy((char *)(label + 1), "pthread_mutex_lock");
	blocked(build, thread, node, caller);
	*(struct log_wait *)(area + 1) = (struct log_wait){
		.node = build_ref(build, node),
		.object_kind = LOG_WAIT_ADDRESS,
		.object = 0x7ffd1000,
		.caller_addr = APP + HELPER_B + 8,
		.holder_thread = build_ref(build, thread),
		.holder_node = build_ref(build, holder),
		.calls = (uint64_t)nr,
		.total_ticks = (uint64_t)nr * (MS / 5),
		.max_ticks = MS / 5,
	};
}

static void begin_rank(struct rank *rank, int number, int often)
{
	struct build *build = &rank->build;
	struct log_thread *thread;
	struct log_node *main_node, *inner;
	double each = often > 1 ? 0.6 : 1;	/* as long as there is room for */

	begin(build, 0, 4242 + (uint32_t)number, 4200, "app");
	build->header->rank = build->header->local_rank = number;
	build->header->nr_ranks = 2;
	strcpy(build->header->launch_id, "golden");
	module(build, "/golden/bin/app", APP, 7);
	module(build, "/golden/lib/libsolver.so", SOLVER, 8);
	module(build, "/golden/lib/libgone.so", GONE, 9);
	facts(build, "./app --grid 'a b' 100", "/golden/bin/app");
	rank->main = thread = build_thread(build, "app");
	thread->tid = build->header->pid;
	rank->main_node = main_node = build_node(build, thread, &thread->root, APP + MAIN);
	rank->step = path(build, thread, main_node, APP + STEP, 100 * often, 15 * each, 10 * each);
	path(build, thread, rank->step, SOLVER + RELAX, 300 * often, 2 * each, 0);
	rank->exchange = path(build, thread, rank->step, APP + EXCHANGE, 100 * often, 4 * each, 0);
	allocates(build, thread, rank->exchange, 100 * (uint64_t)often, 4096, 90 * (uint64_t)often);
	add_fib(build, thread, main_node);
	path(build, thread, main_node, APP + HELPER_A, 10 * often, 2 * each, 0);
	inner = path(build, thread, main_node, APP + HELPER_B, 5 * often, each, 0.2);
	waits(build, thread, inner, 5 * often, rank->exchange);
	inner = path(build, thread, main_node, APP + INDEX, 1000 * often, 0.00008, 0);
	allocates(build, thread, inner, 50 * (uint64_t)often, 64, 0);
	path(build, thread, main_node, APP + STRANGE, 3 * often, each, 0);
	path(build, thread, main_node, GONE + 0x100, 7 * often, 0.1, 0);
	allocates(build, thread, &thread->root, 2, 72704, 0);
	slices(rank, thread, rank->step, 10, 15);
	process_rows(build, build->header->pid);
}

static void end_rank_0(struct rank *rank, bool with_worker)
{
	struct build *build = &rank->build;
	struct log_header *header = build->header;
	struct log_thread *worker;
	struct log_node *node;

	times(rank->main_node, 1, 1900 * MS, with_worker ? 1530 * MS : 1837 * MS);
	if (with_worker) {
		worker = build_thread(build, "worker");
		worker->tid = 4252;
		worker->begin_ticks = AT(1000);
		worker->end_ticks = AT(1900);
		worker->begin_function_addr = APP + WORKER;
		node = path(build, worker, &worker->root, APP + WORKER, 1, 880, 800);
		node = path(build, worker, node, APP + EXCHANGE, 20, 40, 0);
		allocates(build, worker, node, 20, 1 << 16, 20);
		slices(rank, worker, node, 20, 40);
		build_event(build, LOG_EVENT_FORK, AT(500), (uint64_t[]){ 4250 }, 1, NULL);
		build_event(build, LOG_EVENT_THRESHOLD, AT(1200), (uint64_t[]){ 20000, 10000, LOG_THRESHOLD_RATE }, 3, NULL);
		header->threshold_ticks = 20000;
		header->losses[LOG_LOST_EARLY_CALLS] = 2;
		header->losses[LOG_LOST_BROKEN_CALLS] = 4;
		header->losses[LOG_LOST_ROWS] = 1;
	}
	build_transfers(build, rank->main,
			(struct build_transfer[]){ { .route = build_messages(build, rank->main, rank->exchange, 1),
						     .begin_ms = 330, .ms = 1, .detail = 2 << 1, .bytes = 4096 } },
			1);
	build_marks(build, rank->main, rank->step, "no \"answer\",\nfrom\t\377");
	header->finish_user_ns = 1200 * MS;
	header->finish_system_ns = 200 * MS;
	header->finish_peak_rss_bytes = 230u << 20;
	build_finish(build, AT(2000), 0);
}

/* Killed in exchange, which was called by the 101st step. */
static void open_rank_1(struct rank *rank)
{
	struct build *build = &rank->build;
	struct log_messages *messages;

	build_stack(build, rank->main, 8);
	build_open_call(build, rank->main, rank->main_node, AT(10))->child_ticks = 1530 * MS;
	build_open_call(build, rank->main, rank->step, AT(1850));
	build_open_call(build, rank->main, rank->exchange, AT(1860));
	messages = build_messages(build, rank->main, rank->exchange, 0);
	messages->direction = LOG_MESSAGE_RECEIVED;
	rank->main->awaited_ticks = AT(1860);
	rank->main->awaited_direction = LOG_MESSAGE_RECEIVED;
	rank->main->awaited_peer = 0;
	rank->main->awaited_label = messages->label;
	rank->main->awaited_detail = 2 << 1;
	messages->nr_calls = messages->nr_messages = messages->nr_sized = 2;
	messages->bytes = 2 * 4096;
	messages->call_ticks = 32 * MS;
	messages->most_ticks = 31 * MS;
	messages->least_ticks = MS;
	build_transfers(build, rank->main,
			(struct build_transfer[]){
				{ .route = messages, .begin_ms = 300, .ms = 31, .detail = 2 << 1, .bytes = 4096 },
				{ .route = messages, .begin_ms = 340, .ms = 1, .detail = 2 << 1, .bytes = 4096 } },
			2);
	build_text(build, "setting.INSIDEME_BUDGET=256M");
}

static void delay(struct log_clocks *clocks, uint64_t ns)
{
	clocks->monotonic_ns += ns;
	clocks->realtime_ns += ns;
}

/* @later_ns than as it was built. */
static void put(struct build *build, const char *directory, const char *name, uint64_t later_ns)
{
	struct log_header *header = build->header;
	char file[4200];

	delay(&header->start, later_ns);
	delay(&header->start_again, later_ns);
	if (header->finish.ticks)
		delay(&header->finish, later_ns);
	snprintf(file, sizeof(file), "%s/%s.log", directory, name);
	build_write(build, file, 0);
	build_release(build);
}

/* The forked child, then what it exec'ed. */
static void put_child(const char *directory)
{
	struct build build;
	struct log_thread *thread;

	begin(&build, 500, 4250, 4242, "app");
	build.header->is_rank_child = 1;
	build.header->rank = 0;
	module(&build, "/golden/bin/app", APP, 7);
	facts(&build, "./app --grid 'a b' 100", "/golden/bin/app");
	build_event(&build, LOG_EVENT_FORK, AT(500), (uint64_t[]){ 0, 4242 }, 2, NULL);
	thread = build_thread(&build, "app");
	thread->begin_ticks = AT(500);
	thread->tid = 4250;
	path(&build, thread, &thread->root, APP + STEP, 2, 5, 0);
	build_event(&build, LOG_EVENT_EXEC, AT(520), (uint64_t[]){ 0 }, 1, "/golden/bin/tool");
	put(&build, directory, "node17-4250-0", 0);

	begin(&build, 525, 4250, 4242, "tool");
	build.header->is_rank_child = 1;
	build.header->rank = 0;
	build.header->exec_count = 1;
	module(&build, "/golden/bin/app", APP, 7);
	facts(&build, "tool --fast", "/golden/bin/tool");
	thread = build_thread(&build, "tool");
	thread->begin_ticks = AT(525);
	thread->tid = 4250;
	path(&build, thread, &thread->root, APP + TOOL_MAIN, 1, 60, 0);
	build_finish(&build, AT(590), 3);
	put(&build, directory, "node17-4250-1", 0);
}

/* insideme-run's own. */
static void put_monitor(const char *directory, bool has_child, uint64_t later_ns)
{
	static const char *const columns[] = { "system_cpu_busy_ns", "load_1min", "memory_used_bytes" };
	struct log_rows *rows;
	struct build build;

	begin(&build, 0, 4200, 1, "insideme-run");
	build.header->kind = LOG_OF_MONITOR;
	rows = build_rows(&build, "system", columns, 3, 20);
	column(rows, 0, LOG_UNIT_NS, LOG_CUMULATIVE);
	column(rows, 1, LOG_UNIT_MILLI, LOG_GAUGE);
	for (uint64_t i = 1; i < 20; i++)
		build_row(rows, AT(100 * i), (uint64_t[]){ 150 * MS * i, 100 * i, (2048 + 16 * i) << 20 });
	if (has_child) {
		build_event(&build, LOG_EVENT_PROCESS_UNSEEN, AT(300), (uint64_t[]){ 4260 }, 1, "gzip");
		build_event(&build, LOG_EVENT_PROCESS_END, AT(450),
			    (uint64_t[]){ 4260, 0, 30 * MS, 10 * MS, 3 << 20 }, 5, NULL);
		build_event(&build, LOG_EVENT_PROCESS_END, AT(590),
			    (uint64_t[]){ 4250, 3 << 8, 50 * MS, 10 * MS, 20 << 20, 700 + 4250 }, 6, NULL);
	}
	build_event(&build, LOG_EVENT_PROCESS_END, AT(1900),
		    (uint64_t[]){ 4243, 9, 1300 * MS, 100 * MS, 240 << 20, 700 + 4243 }, 6, NULL);
	build_event(&build, LOG_EVENT_PROCESS_END, AT(2000),
		    (uint64_t[]){ 4242, 0, 1200 * MS, 200 * MS, 230 << 20, 700 + 4242 }, 6, NULL);
	build_finish(&build, AT(2001), 0);
	put(&build, directory, "node17-4200-0", later_ns);
}

static void put_file(const char *directory, const char *name, const void *bytes, size_t nr)
{
	char path_of[4200];
	FILE *file;

	snprintf(path_of, sizeof(path_of), "%s/%s", directory, name);
	file = fopen(path_of, "w");
	assert(file && fwrite(bytes, 1, nr, file) == nr);
	fclose(file);
}

static void put_run(const char *parent, const char *name, uint64_t later_ns)
{
	struct log_run page = { .magic = LOG_RUN_MAGIC, .version = LOG_VERSION, .start_realtime_ns = BUILD_REALTIME_NS + later_ns };
	bool is_first = later_ns == 0;
	struct rank rank;
	char directory[4096];

	snprintf(directory, sizeof(directory), "%s/%s", parent, name);
	assert(mkdir(directory, 0755) == 0);
	put_file(directory, "run", &page, sizeof(page));
	put_file(directory, "names", names, sizeof(names) - 1);
	begin_rank(&rank, 0, is_first ? 1 : 2);
	end_rank_0(&rank, is_first);
	put(&rank.build, directory, "rank0000-node17-4242-0", later_ns);
	begin_rank(&rank, 1, 1);
	open_rank_1(&rank);
	put(&rank.build, directory, "rank0001-node17-4243-0", later_ns);
	if (is_first)
		put_child(directory);
	put_monitor(directory, is_first, later_ns);
}

int main(int argc, char **argv)
{
	assert(argc == 2 && mkdir(argv[1], 0755) == 0);
	put_run(argv[1], "20231114-221320-app", 0);
	put_run(argv[1], "20231114-231320-app", 3600000000000ull);
	return EXIT_SUCCESS;
}
