/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads records of waits, and names what was waited for. */
#include "analyzer/views/waits_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"
#include "analyzer/base/system_calls.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/views/wait_uses.h"

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
	struct known {
		double ns;
		uint64_t calls;
	} *known; /* [id of a path in the tree]: what records have */
	struct wait_uses *uses; /* of the process that is read; NULL: it has hooks */
	struct hashtable places;
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
	const struct module *module = module_of_node(process, addr);
	struct symbols *symbols = module ? naming_symbols(module->object) : NULL;
	uint64_t offset = 0;
	const char *symbol;
	char *name, *text;

	addr &= ~LOG_FUNCTION_FLAGS;
	symbol = symbols ? symbols_variable(symbols, addr - module->bias, &offset) : NULL;
	name = symbol ? name_demangled(symbol) ?: xstrdup(symbol) : NULL;
	if (!name)
		return xasprintf("0x%" PRIx64, addr);
	if (!offset)
		return name;
	text = xasprintf("%s+%" PRIu64, name, offset);
	free(name);
	return text;
}

/* The text for an address of a process, as @make makes it: the same pointer for the same address. */
static const char *text_for(struct reader *reader, const struct process *process, uint64_t addr,
			    char *(*make)(const struct process *process, uint64_t addr))
{
	struct name wanted = { process, addr, NULL }, *name;
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)process, addr);

	name = hashtable_find(&reader->names, hash, is_name, &wanted);
	if (name)
		return name->text;
	name = xcalloc(1, sizeof(*name));
	*name = wanted;
	name->text = keep(reader->waits, make(process, addr));
	hashtable_add(&reader->names, hash, name);
	return name->text;
}

static const char *lock_name(struct reader *reader, const struct process *process, uint64_t addr)
{
	return text_for(reader, process, addr, variable_at);
}

static char *code_before(const struct process *process, uint64_t addr)
{
	return errors_code_in(module_of_node(process, addr), (addr & ~LOG_FUNCTION_FLAGS) - 1);
}

static char *code_function_before(const struct process *process, uint64_t addr)
{
	return errors_code_function_in(module_of_node(process, addr), (addr & ~LOG_FUNCTION_FLAGS) - 1);
}

static const char *object_place(struct reader *reader, const struct process *process,
				const struct log_wait *wait)
{
	return wait->object_kind == LOG_WAIT_ADDRESS && wait->init_addr
		       ? text_for(reader, process, wait->init_addr, code_before)
		       : NULL;
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

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const void *item, const void *key)
{
	const struct found *a = item, *b = key;

	if (a->sum.function != b->sum.function || strcmp(a->sum.call, b->sum.call) != 0 ||
	    a->sum.caller != b->sum.caller || a->sum.holder != b->sum.holder || a->object != b->object ||
	    a->addr != b->addr || (!a->object && a->addr && a->process != b->process))
		return false;
	return is_same_text(a->sum.object, b->sum.object) &&
	       is_same_text(a->sum.object_place, b->sum.object_place);
}

static void add(struct reader *reader, const struct found *more)
{
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)more->sum.caller,
				  more->addr ^ (uint64_t)(uintptr_t)more->sum.holder) +
			hash_string(more->sum.call) +
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
	if (known->sum.process != more->sum.process)
		known->sum.process = NULL;
	known->sum.calls += more->sum.calls;
	known->sum.open_calls += more->sum.open_calls;
	known->sum.bytes += more->sum.bytes;
	known->sum.samples += more->sum.samples;
	known->sum.total_ns += more->sum.total_ns;
	known->sum.blocked_ns += more->sum.blocked_ns;
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

/* ---- blocked time, in a process without hooks ---- */

/* Calls of one function by one place. They share its blocked time as they do its elapsed time. */
struct place {
	uint32_t node;
	uint64_t caller_addr;
	double total_ns;
};

static bool is_place(const void *item, const void *key)
{
	const struct place *place = item, *wanted = key;

	return place->node == wanted->node && place->caller_addr == wanted->caller_addr;
}

static struct place *find_place(struct reader *reader, const struct log_wait *wait, bool makes)
{
	struct place wanted = { wait->node, wait->caller_addr, 0 }, *place;
	const uint64_t hash = hash_pair(wait->node, wait->caller_addr);

	place = hashtable_find(&reader->places, hash, is_place, &wanted);
	if (place || !makes)
		return place;
	place = xcalloc(1, sizeof(*place));
	*place = wanted;
	hashtable_add(&reader->places, hash, place);
	return place;
}

static void add_to_place(struct reader *reader, struct thread *thread, const struct log_wait *wait,
			 uint64_t offset)
{
	const struct process *process = thread->process;
	struct place *place = find_place(reader, wait, true);
	struct found open = { .process = process };

	add_open(&open, process, offset);
	if (open.sum.open_calls)
		wait_uses_add_open(reader->uses, thread, wait->node, open.sum.total_ns);
	place->total_ns += (double)wait->total_ticks * process->tick_ns + open.sum.total_ns;
}

static double blocked_share(struct reader *reader, const struct log_wait *wait, enum log_wait_kind kind)
{
	const struct place *place = reader->uses ? find_place(reader, wait, false) : NULL;

	return place ? wait_uses_share(reader->uses, wait->node, kind, place->total_ns) : NAN;
}

static void read_wait(struct reader *reader, struct thread *thread, const struct log_wait *wait,
		      uint64_t offset)
{
	struct process *process = thread->process;
	struct tree_node *path = nodes_path(thread, wait->node);
	const bool is_beside = nodes_is_left_out(process, wait->node);
	struct log_node node;
	struct thread *holder = wait->holder_thread ? nodes_thread(process, wait->holder_thread) : NULL;
	const struct module *module = module_of_node(process, wait->caller_addr);
	struct found found = { .process = process, .caller_addr = wait->caller_addr };
	struct function *function;

	if (!path)
		return;
	if (module && object_is_recorders(module->object))	/* by a jump from code that it called */
		found.caller_addr = 0;
	found.object = module ? module->object : NULL;
	found.addr = (wait->caller_addr & ~LOG_FUNCTION_FLAGS) - (module ? module->bias : 0);
	logfile_node(process->log, (uint64_t)wait->node << LOG_REF_SHIFT, &node);
	if (!log_is_wait(node.function_addr) || is_beside != nodes_is_beside(process, node.function_addr))
		return;
	function = function_find(&process->model->tables->functions, process, node.function_addr);
	found.sum = (struct wait_sum){
		.function = function,
		.call = function->region,
		.path = is_beside ? NULL : path,
		.caller = is_beside || !path->parent->function ? NULL : path->parent,
		.object = object_name(reader, process, wait),
		.process = process,
		.holder_thread = holder,
		.holder = holder ? nodes_path(holder, wait->holder_node) : NULL,
		.calls = wait->calls,
		.object_place = object_place(reader, process, wait),
		.bytes = wait->object_kind == LOG_WAIT_ADDRESS ? 0 : wait->bytes,
		.total_ns = (double)wait->total_ticks * process->tick_ns,
		.max_ns = (double)wait->max_ticks * process->tick_ns,
	};
	if (holder)
		found.holder_ns = found.sum.max_ns;
	add_open(&found, process, offset);
	if (is_beside) {
		found.sum.blocked_ns = found.sum.total_ns * blocked_share(reader, wait, function->wait);
	} else {
		reader->known[path->id].ns += found.sum.total_ns;
		reader->known[path->id].calls += found.sum.calls;
	}
	if (found.sum.calls)
		add(reader, &found);
}

/* ---- samples of blocked threads ---- */

static const char *descriptor_name(struct reader *reader, const struct process *process, uint64_t argument)
{
	const uint64_t number = argument >> LOG_BLOCKED_NAME_SHIFT;
	char *key = xasprintf(LOG_BLOCKED_NAME "%" PRIu64, number);
	const char *name = number ? process_fact(process, key) : NULL;

	free(key);
	return name ?: keep(reader->waits, xasprintf("descriptor %" PRIu32, (uint32_t)argument));
}

static const char *sampled_object(struct reader *reader, const struct process *process,
				  const struct log_blocked *blocked)
{
	if (blocked->call == SYS_futex)
		return blocked->argument ? lock_name(reader, process, blocked->argument) : NULL;
	return system_call_has_fd(blocked->call) && blocked->argument
		       ? descriptor_name(reader, process, blocked->argument)
		       : NULL;
}

static void read_blocked(struct reader *reader, struct process *process, const struct log_blocked *blocked)
{
	struct thread *thread = blocked->thread ? nodes_thread(process, blocked->thread) : NULL;
	struct tree_node *path = thread ? nodes_path(thread, blocked->node) : NULL;
	const char *call = blocked->call >= 0 ? system_call_name(blocked->call) : NULL;
	struct found found = { .process = process };

	if (thread && thread->left_out)
		return;
	reader->waits->blocked_ns += (double)blocked->blocked_ns;
	reader->waits->nr_looks += blocked->nr;
	if (blocked->call == LOG_BLOCKED_IN_WAIT || call)
		reader->waits->named_ns += (double)blocked->blocked_ns;
	if (blocked->call == LOG_BLOCKED_IN_WAIT)
		return;
	if (!call)
		call = blocked->call < 0 ? "(blocked outside of system calls)"
					 : keep(reader->waits, xasprintf("system call %d", blocked->call));
	if (path && path->function && path->function->wait)
		path = path->parent;
	if (thread && thread->begin_function_addr && !(path && path->function))
		found.caller_addr = thread->begin_function_addr + 1; /* as if it had called there */
	found.addr = found.caller_addr;
	found.sum = (struct wait_sum){
		.call = call,
		.caller = path && path->function ? path : NULL,
		.object = sampled_object(reader, process, blocked),
		.process = process,
		.samples = blocked->nr,
		.total_ns = (double)blocked->blocked_ns,
		.max_ns = NAN,
	};
	add(reader, &found);
}

static void read_samples(struct reader *reader, struct process *process)
{
	const struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		uint64_t offset = extent->offset + sizeof(struct log_area),
			 end = extent->offset + extent->used_bytes;
		struct log_blocked blocked;

		for (; extent->kind == LOG_AREA_BLOCKED && offset + sizeof(blocked) <= end;
		     offset += sizeof(blocked)) {
			memcpy(&blocked, log->base + offset, sizeof(blocked));
			read_blocked(reader, process, &blocked);
		}
	}
}

/* Return: false: the process has none. */
static bool each_wait(struct reader *reader, struct process *process,
		      void (*visit)(struct reader *reader, struct thread *thread, const struct log_wait *wait,
				    uint64_t offset))
{
	const struct logfile *log = process->log;
	bool was_read = false;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct thread *thread =
			extent->kind == LOG_AREA_WAITS ? nodes_thread(process, extent->owner) : NULL;
		uint64_t offset = extent->offset + sizeof(struct log_area),
			 end = extent->offset + extent->bytes;

		was_read = was_read || thread || extent->kind == LOG_AREA_BLOCKED;
		if (!thread || thread->left_out)
			continue;
		for (; offset + sizeof(struct log_wait) <= end; offset += sizeof(struct log_wait)) {
			struct log_wait wait;

			memcpy(&wait, log->base + offset, sizeof(wait));
			if (wait.node)
				visit(reader, thread, &wait, offset);
		}
	}
	return was_read;
}

static void read_process(struct reader *reader, struct process *process)
{
	bool was_read = false;

	if (!process->header.has_hooks && !model_keeps_last_calls(process->model)) {
		reader->uses = wait_uses_open(process);
		each_wait(reader, process, add_to_place);
	}
	was_read = each_wait(reader, process, read_wait);
	wait_uses_close(reader->uses);
	reader->uses = NULL;
	hashtable_release(&reader->places);
	reader->places = (struct hashtable){ .slots = NULL };
	read_samples(reader, process);
	if (was_read)
		logfile_forget_all(process->log);
}

/* Calls that ended by a jump or a cancellation, and those for which there was no room, are in no record. */
static void add_rests(struct reader *reader, struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		const struct known *known = &reader->known[node->id];
		struct call_stats stats;
		struct found rest = {
			.sum = { .function = node->function,
				 .call = node->function->region,
				 .path = node,
				 .caller = node->parent->function ? node->parent : NULL },
		};

		if (!node->function->wait)
			continue;
		stats = path_stats(node);
		rest.sum.total_ns = stats.self_ns - known->ns;
		if (rest.sum.total_ns > REST_SHARE * stats.self_ns && rest.sum.total_ns > 1000) {
			rest.sum.max_ns = fmin(rest.sum.total_ns, stats.max_ns);
			rest.sum.calls = stats.calls > known->calls ? stats.calls - known->calls : 1;
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

static void finish(struct reader *reader)
{
	struct wait_sums *waits = reader->waits;

	waits->sums = xcalloc(reader->nr, sizeof(*waits->sums));
	waits->nr = reader->nr;
	for (size_t i = 0; i < reader->nr; i++) {
		struct found *found = reader->found[i];

		if (found->caller_addr && !found->sum.caller)
			found->sum.caller_name = code_function_before(found->process, found->caller_addr);
		if (found->caller_addr)
			found->sum.place = code_before(found->process, found->caller_addr);
		waits->sums[i] = found->sum;
		waits->total_ns += found->sum.total_ns;
	}
	qsort(waits->sums, waits->nr, sizeof(*waits->sums), longest_first);
}

void waits_read(struct model *model, struct wait_sums *waits)
{
	struct reader reader = { .waits = waits };

	*waits = (struct wait_sums){ .nr = 0 };
	reader.known = xcalloc(model->nr_tree_nodes + 1, sizeof(*reader.known));
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->is_saved && !model->processes[i]->entry_log)
			read_process(&reader, model->processes[i]);
	add_rests(&reader, model);
	finish(&reader);
	hashtable_release(&reader.table);
	hashtable_release(&reader.names);
	free(reader.found);
	free(reader.known);
}
