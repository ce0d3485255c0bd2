/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads records of waits, and names what was waited for. */
#include "analyzer/read/waits_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/nodes_read.h"

#define REST_SHARE 0.01 /* of a path's time: less of it without a record is not worth a row */

/* A sum while it is read. */
struct found {
	struct wait_sum sum;
	const struct process *process; /* these two: of the first such call */
	uint64_t caller_addr;
	const struct object *object; /* that calls, at an address in it; NULL: not known */
	uint64_t addr;
	double holder_ns;	       /* of the longest wait whose holder was known */
};

struct reader {
	struct wait_sums *waits;
	struct hashtable table;
	struct hashtable names;
	struct found **found;
	size_t nr;
	double *known_ns; /* [id of a path in the tree] */
	double *named_ns; /* [thread_number()] */
};

const char *waits_kind(enum log_wait_kind kind)
{
	static const char *const names[LOG_WAIT_KINDS] = {
		[LOG_WAIT_LOCK] = "lock",	    [LOG_WAIT_CONDITION] = "condition",
		[LOG_WAIT_SEMAPHORE] = "semaphore", [LOG_WAIT_BARRIER] = "barrier",
		[LOG_WAIT_THREAD] = "thread",	    [LOG_WAIT_CHILD] = "child",
		[LOG_WAIT_SLEEP] = "sleep",	    [LOG_WAIT_EVENT] = "event",
		[LOG_WAIT_FILE] = "file",	    [LOG_WAIT_STORAGE] = "storage",
		[LOG_WAIT_SOCKET] = "socket",	    [LOG_WAIT_STREAM] = "stream",
		[LOG_WAIT_FUTEX] = "futex",
	};

	return kind < LOG_WAIT_KINDS ? names[kind] : NULL;
}

static const char *keep(struct wait_sums *waits, char *text)
{
	return APPEND(waits->texts, waits->nr_texts) = text;
}

/* ---- objects ---- */

struct name {
	const struct process *process;
	uint64_t addr;
	const char *text;
};

static bool is_name(const void *item, const void *key)
{
	const struct name *name = item, *wanted = key;

	return name->process == wanted->process && name->addr == wanted->addr;
}

static char *variable_at(const struct process *process, uint64_t addr)
{
	const struct module *module = module_at(process, addr, process->last_ticks);
	struct symbols *symbols = module ? naming_symbols(module->object) : NULL;
	uint64_t offset = 0;
	const char *symbol = symbols ? symbols_variable(symbols, addr - module->bias, &offset) : NULL;
	char *name = symbol ? name_demangled(symbol) ?: xstrdup(symbol) : NULL, *text;

	if (!name)
		return xasprintf("0x%" PRIx64, addr);
	if (!offset)
		return name;
	text = xasprintf("%s+%" PRIu64, name, offset);
	free(name);
	return text;
}

/* Of one process's lock; text: the same pointer for the same lock. */
static const char *lock_name(struct reader *reader, const struct process *process, uint64_t addr)
{
	struct name wanted = { process, addr, NULL }, *name;
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)process, addr);

	name = hashtable_find(&reader->names, hash, is_name, &wanted);
	if (name)
		return name->text;
	name = xcalloc(1, sizeof(*name));
	*name = wanted;
	name->text = keep(reader->waits, variable_at(process, addr));
	hashtable_add(&reader->names, hash, name);
	return name->text;
}

static const char *object_name(struct reader *reader, const struct process *process,
			       const struct log_wait *wait)
{
	if (!wait->object)
		return NULL;
	if (wait->object_kind == LOG_WAIT_ADDRESS)
		return lock_name(reader, process, wait->object);
	return wait->object_kind == LOG_WAIT_NAME && wait->object < process->nr_labels
		       ? process->labels[wait->object]
		       : NULL;
}

/* ---- sums ---- */

static bool is_same(const void *item, const void *key)
{
	const struct found *a = item, *b = key;

	if (a->sum.function != b->sum.function || a->sum.caller != b->sum.caller ||
	    a->sum.holder != b->sum.holder || a->object != b->object || a->addr != b->addr ||
	    (!a->object && a->addr && a->process != b->process))
		return false;
	return a->sum.object && b->sum.object ? strcmp(a->sum.object, b->sum.object) == 0
					      : a->sum.object == b->sum.object;
}

static void add(struct reader *reader, const struct found *more)
{
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)more->sum.caller,
				  more->addr ^ (uint64_t)(uintptr_t)more->sum.holder) +
			hash_pair(more->sum.function->number, 0) +
			(more->sum.object ? hash_string(more->sum.object) : 0) +
			(more->object || !more->addr ? 0 : hash_pair((uint64_t)(uintptr_t)more->process, 1));
	struct found *known = hashtable_find(&reader->table, hash, is_same, more);

	if (!known) {
		known = xcalloc(1, sizeof(*known));
		*known = *more;
		hashtable_add(&reader->table, hash, known);
		APPEND(reader->found, reader->nr) = known;
		return;
	}
	known->sum.calls += more->sum.calls;
	known->sum.open_calls += more->sum.open_calls;
	known->sum.bytes += more->sum.bytes;
	known->sum.total_ns += more->sum.total_ns;
	known->sum.max_ns = fmax(known->sum.max_ns, more->sum.max_ns);
	if (more->holder_ns > known->holder_ns) {
		known->holder_ns = more->holder_ns;
		known->sum.holder_thread = more->sum.holder_thread;
	}
}

/* A call that was open when the log ended has the time since its begin. */
static void add_open(struct found *found, const struct process *process, uint64_t offset)
{
	for (size_t i = 0; i < process->nr_open_waits; i++) {
		const struct open_wait *open = &process->open_waits[i];

		if ((uint64_t)open->wait * 8 != offset)
			continue;
		found->sum.calls++;
		found->sum.open_calls++;
		found->sum.total_ns += open->so_far_ns;
		found->sum.max_ns = fmax(found->sum.max_ns, open->so_far_ns);
	}
}

static void read_wait(struct reader *reader, struct thread *thread, const struct log_wait *wait,
		      uint64_t offset)
{
	struct process *process = thread->process;
	struct tree_node *path = nodes_path(thread, wait->node);
	const bool is_beside = nodes_is_left_out(process, wait->node);
	struct log_node node;
	struct thread *holder = wait->holder_thread ? nodes_thread(process, wait->holder_thread) : NULL;
	const struct module *module = module_at(process, wait->caller_addr, process->last_ticks);
	struct found found = { .process = process, .caller_addr = wait->caller_addr };

	if (!path)
		return;
	found.object = module ? module->object : NULL;
	found.addr = wait->caller_addr - (module ? module->bias : 0);
	logfile_node(process->log, (uint64_t)wait->node << LOG_REF_SHIFT, &node);
	if (!log_is_wait(node.function_addr) || is_beside != nodes_is_beside(process, node.function_addr))
		return;
	found.sum = (struct wait_sum){
		.function = function_find(&process->model->tables->functions, process, node.function_addr),
		.caller = is_beside || !path->parent->function ? NULL : path->parent,
		.object = object_name(reader, process, wait),
		.holder_thread = holder,
		.holder = holder ? nodes_path(holder, wait->holder_node) : NULL,
		.calls = wait->calls,
		.bytes = wait->bytes,
		.total_ns = (double)wait->total_ticks * process->tick_ns,
		.max_ns = (double)wait->max_ticks * process->tick_ns,
	};
	if (holder)
		found.holder_ns = found.sum.max_ns;
	add_open(&found, process, offset);
	if (!is_beside)
		reader->known_ns[path->id] += found.sum.total_ns;
	reader->named_ns[thread_number(thread)] += found.sum.total_ns;
	if (found.sum.calls)
		add(reader, &found);
}

static void read_process(struct reader *reader, struct process *process)
{
	const struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct thread *thread =
			extent->kind == LOG_AREA_WAITS ? nodes_thread(process, extent->owner) : NULL;
		uint64_t offset = extent->offset + sizeof(struct log_area),
			 end = extent->offset + extent->bytes;

		if (!thread || thread->left_out)
			continue;
		for (; offset + sizeof(struct log_wait) <= end; offset += sizeof(struct log_wait)) {
			struct log_wait wait;

			memcpy(&wait, log->base + offset, sizeof(wait));
			if (wait.node)
				read_wait(reader, thread, &wait, offset);
		}
	}
	logfile_forget_all(log);
}

/* Calls that ended by a jump or a cancellation, and those for which there was no room, are in no record. */
static void add_rests(struct reader *reader, struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct call_stats stats;
		struct found rest = {
			.sum = { .function = node->function,
				 .caller = node->parent->function ? node->parent : NULL },
		};

		if (!node->function->wait)
			continue;
		stats = path_stats(node);
		rest.sum.total_ns = stats.self_ns - reader->known_ns[node->id];
		if (rest.sum.total_ns > REST_SHARE * stats.self_ns && rest.sum.total_ns > 1000) {
			rest.sum.max_ns = fmin(rest.sum.total_ns, stats.max_ns);
			rest.sum.calls = 1;
			add(reader, &rest);
		}
	}
}

/* ---- all ---- */

static int longest_first(const void *a, const void *b)
{
	const struct wait_sum *left = a, *right = b;

	return (left->total_ns < right->total_ns) - (left->total_ns > right->total_ns);
}

/* The kernel's numbers of a thread: as long as it lived it ran, was ready to run, or was blocked. */
static double blocked_of(const struct process *process, const struct rowset *rows)
{
	int cpu = rowset_column(rows, "thread_cpu_ns"), ready = rowset_column(rows, "thread_wait_ns");
	uint64_t last = rows->nr_rows - 1;
	double passed_ns;

	if (cpu < 0 || ready < 0 || rows->nr_rows < 2)
		return 0;
	passed_ns = (double)(rows->ticks[last] - rows->ticks[0]) * process->tick_ns;
	passed_ns -= (double)(rowset_value(rows, last, (uint32_t)cpu) - rowset_value(rows, 0, (uint32_t)cpu));
	passed_ns -=
		(double)(rowset_value(rows, last, (uint32_t)ready) - rowset_value(rows, 0, (uint32_t)ready));
	return fmax(0, passed_ns);
}

/* The record of the task @tid alone. @is_shared: some record is of several tasks, maybe of this one. */
static const struct thread *thread_of(const struct process *process, uint32_t tid, bool *is_shared)
{
	const struct thread *found = NULL;

	*is_shared = false;
	for (size_t i = 0; i < process->nr_threads; i++) {
		*is_shared |= process->threads[i]->nr_threads > 1;
		if (process->threads[i]->tid == tid && process->threads[i]->nr_threads == 1)
			found = process->threads[i];
	}
	return found;
}

/* A wait is blocked time and then, ready to go on, time without a processor. */
static void add_blocked(struct reader *reader, const struct process *process, const struct rowset *rows)
{
	bool is_shared;
	const struct thread *thread = thread_of(process, rows->id, &is_shared);
	double blocked_ns = blocked_of(process, rows);

	if (!thread && is_shared)
		return;
	reader->waits->blocked_ns += blocked_ns;
	if (thread)
		reader->waits->named_ns += fmin(blocked_ns, reader->named_ns[thread_number(thread)]);
}

static void add_all_blocked(struct reader *reader, const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_rowsets; j++) {
			const struct rowset *rows = &model->processes[i]->rowsets[j];

			if (strcmp(rows->set, "thread") == 0)
				add_blocked(reader, model->processes[i], rows);
		}
}

static char *caller_name(const struct found *found)
{
	const struct module *module =
		module_at(found->process, found->caller_addr, found->process->last_ticks);
	struct symbol symbol = { .addr = module ? found->caller_addr - 1 - module->bias : 0 };

	if (!module || found->sum.caller)
		return NULL;
	naming_fill(module->object, &symbol, 1);
	return symbol.name ? name_short(symbol.name) : NULL;
}

static void finish(struct reader *reader)
{
	struct wait_sums *waits = reader->waits;

	waits->sums = xcalloc(reader->nr, sizeof(*waits->sums));
	waits->nr = reader->nr;
	for (size_t i = 0; i < reader->nr; i++) {
		struct found *found = reader->found[i];

		if (found->caller_addr)
			found->sum.caller_name = caller_name(found);
		if (found->caller_addr)
			found->sum.place = errors_code(found->process, found->process->last_ticks,
						       found->caller_addr - 1);
		waits->sums[i] = found->sum;
		waits->total_ns += found->sum.total_ns;
	}
	qsort(waits->sums, waits->nr, sizeof(*waits->sums), longest_first);
}

void waits_read(struct model *model, struct wait_sums *waits)
{
	struct reader reader = { .waits = waits };

	*waits = (struct wait_sums){ .nr = 0 };
	reader.known_ns = xcalloc(model->nr_tree_nodes + 1, sizeof(*reader.known_ns));
	reader.named_ns = xcalloc(model->nr_threads + 1, sizeof(*reader.named_ns));
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->is_saved && !model->processes[i]->entry_log)
			read_process(&reader, model->processes[i]);
	add_all_blocked(&reader, model);
	add_rests(&reader, model);
	finish(&reader);
	hashtable_release(&reader.table);
	hashtable_release(&reader.names);
	free(reader.found);
	free(reader.known_ns);
	free(reader.named_ns);
}

const char *waits_caller(const struct wait_sum *sum)
{
	return sum->caller ? sum->caller->function->short_name : sum->caller_name;
}
