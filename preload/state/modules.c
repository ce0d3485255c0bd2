/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The module map. dlopen() is not wrapped, since that would change where it searches. New objects are found
 * at the first path through them, unloaded ones after dlclose().
 */
#include "preload/state/modules.h"

#include <sys/stat.h>

#include "preload/common/base/text.h"
#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"
#include "preload/state/live.h"
#include "preload/state/log_space.h"

#define MODULES_MAX	1024
#define PATH_BYTES	4096
#define UPDATE_WAIT_NS 100000 /* no wakeup comes */

struct module {
	uintptr_t begin;
	uintptr_t end; /* 0: this slot is free. Written last; cleared first when the object is gone */
	uint32_t number;		/* see log_module */
	uint32_t identity;		/* of name and build-id */
	bool is_loaded;			/* used while sweeping */
	struct log_module *record;	/* NULL: there was no room */
};

/* Read without a lock. Written by the task that holds updating; no task waits for that. */
LARGE static struct module modules[MODULES_MAX];
static uint32_t nr_modules;		/* slots in use so far */
static uint32_t last_number;
static module_seen *when_seen;		/* set before any thread */
static module_gone *when_gone;		/* likewise */
static uint32_t updating;
static uint32_t updates_wanted;
LARGE static char path[PATH_BYTES];		/* of the task that holds updating: stacks may be small */

struct sweep {
	struct log_header *log;
	bool is_first;			/* the program comes first */
};

static bool holds(const struct module *module, uintptr_t addr)
{
	uintptr_t end = __atomic_load_n(&module->end, __ATOMIC_ACQUIRE);

	return addr < end && addr >= __atomic_load_n(&module->begin, __ATOMIC_RELAXED);
}

static bool is_known(uintptr_t addr)
{
	static uint32_t latest;		/* a guess: calls of one object come in sequence */
	uint32_t count = __atomic_load_n(&nr_modules, __ATOMIC_ACQUIRE);

	if (holds(&modules[__atomic_load_n(&latest, __ATOMIC_RELAXED)], addr))
		return true;
	for (uint32_t i = 0; i < count; i++) {
		if (holds(&modules[i], addr)) {
			__atomic_store_n(&latest, i, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

/* ---- records ---- */

static bool is_vdso(const char *name)
{
	return text_begins(name, "linux-vdso");
}

/* An absolute path if possible: a relative name is relative to the current directory, as far as is known. */
static void find_path(const struct object *object, bool is_program)
{
	struct text text;
	long length;

	text_init(&text, path, PATH_BYTES);
	if (is_vdso(object->name)) {
		text_add(&text, "[vdso]");
		return;
	}
	if (is_program || object->name[0] != '/') {
		length = sys_readlink(is_program ? "/proc/self/exe" : "/proc/self/cwd", path, PATH_BYTES - 1);
		text.at = path + (length > 0 ? length : 0);
		*text.at = '\0';
		if (is_program)
			return;
		text_add_char(&text, '/');
	}
	text_add(&text, object->name);
}

static void describe_file(struct log_module *record)
{
	struct stat stat;

	if (path[0] != '/' || raw_syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)&stat, 0, 0, 0) < 0)
		return;
	record->file_bytes = (uint64_t)stat.st_size;
	record->file_mtime_ns = (uint64_t)stat.st_mtim.tv_sec * 1000000000u + (uint64_t)stat.st_mtim.tv_nsec;
}

static struct log_module *log_object(struct log_header *log, const struct object *object, bool is_program,
				     uint32_t number)
{
	struct log_module *record;
	uint32_t path_bytes;

	find_path(object, is_program);
	path_bytes = (uint32_t)text_length(path) + 1;
	log_space_for_records(log);
	record =
		(struct log_module *)log_new_record(log, (uint32_t)sizeof(*record) + path_bytes, now_ticks());
	if (!record)
		return NULL;
	record->begin_addr = object->begin;
	record->end_addr = object->end;
	record->bias = object->bias;
	describe_file(record);
	if (object->build_id_bytes <= sizeof(record->build_id)) {
		record->build_id_bytes = object->build_id_bytes;
		__builtin_memcpy(record->build_id, object->build_id, object->build_id_bytes);
	}
	record->number = number;
	record->path_bytes = path_bytes;
	text_copy((char *)(record + 1), path_bytes, path);
	log_publish(&record->record, LOG_RECORD_MODULE);
	return record;
}

/*
 * From the parent's log: the object itself may be being unloaded, by a thread that a forked child does not
 * have.
 */
static struct log_module *log_again(struct log_header *log, const struct log_module *old)
{
	const uint32_t bytes = (uint32_t)sizeof(*old) + old->path_bytes;
	struct log_module *record = (struct log_module *)log_new_record(log, bytes, now_ticks());

	if (!record)
		return NULL;
	__builtin_memcpy(&record->begin_addr, &old->begin_addr,
			 bytes - offsetof(struct log_module, begin_addr));
	log_publish(&record->record, LOG_RECORD_MODULE);
	return record;
}

/* ---- what is loaded ---- */

static uint32_t identity_of(const struct object *object)
{
	uint32_t identity = symbol_hash(object->name);

	for (uint32_t i = 0; i < object->build_id_bytes; i++)
		identity = identity * 33 + object->build_id[i];
	return identity;
}

static bool is_same(const struct module *module, const struct object *object)
{
	return module->end == object->end && module->begin == object->begin &&
	       module->identity == identity_of(object);
}

static struct module *free_slot(struct log_header *log)
{
	for (uint32_t i = 0; i < MODULES_MAX; i++) {
		if (modules[i].end)
			continue;
		if (i >= nr_modules)
			__atomic_store_n(&nr_modules, i + 1, __ATOMIC_RELEASE);
		return &modules[i];
	}
	log_lose(log, LOG_LOST_RECORDS);
	return NULL;
}

static void add(struct log_header *log, const struct object *object, bool is_program)
{
	struct module *module = free_slot(log);

	if (!module)
		return;
	__atomic_store_n(&module->begin, object->begin, __ATOMIC_RELAXED);
	module->number = last_number < LOG_FUNCTION_MODULE_MAX ? ++last_number : 0;
	module->identity = identity_of(object);
	module->is_loaded = true;
	module->record = log_object(log, object, is_program, module->number);
	when_seen(path, object->bias, object->begin, object->end);
	__atomic_store_n(&module->end, object->end, __ATOMIC_RELEASE);
}

static struct module *find_same(const struct object *object)
{
	for (uint32_t i = 0; i < nr_modules; i++)
		if (is_same(&modules[i], object))
			return &modules[i];
	return NULL;
}

static int sweep_one(const struct object *object, void *context)
{
	struct sweep *sweep = context;
	bool is_program = sweep->is_first;
	struct module *module = find_same(object);

	sweep->is_first = false;
	if (module)
		module->is_loaded = true;
	else if (object->begin != object->end && !live_is_sealed())
		add(sweep->log, object, is_program);
	return 0;
}

static void end(struct module *module)
{
	uintptr_t begin = module->begin, end = module->end;

	__atomic_store_n(&module->end, 0, __ATOMIC_RELEASE);
	if (module->record)
		__atomic_store_n(&module->record->gone_ticks, now_ticks(), __ATOMIC_RELAXED);
	real_forget(begin, end);
	when_gone(begin, end, module->number);
}

static void sweep(struct log_header *log)
{
	struct sweep sweep = { .log = log, .is_first = true };

	for (uint32_t i = 0; i < nr_modules; i++)
		modules[i].is_loaded = false;
	objects_each(sweep_one, &sweep);
	for (uint32_t i = 0; i < nr_modules; i++)
		if (modules[i].end && !modules[i].is_loaded)
			end(&modules[i]);
}

/*
 * Bring the map up to date, or add the object @one. If another task is doing so, that one repeats it; this
 * one does not wait.
 */
static void update_now(const struct object *one)
{
	struct log_header *log = live.log;
	uint32_t wanted;

	__atomic_fetch_add(&updates_wanted, 1, __ATOMIC_SEQ_CST);
	while (log && !__atomic_exchange_n(&updating, 1, __ATOMIC_SEQ_CST)) {
		wanted = __atomic_load_n(&updates_wanted, __ATOMIC_SEQ_CST);
		if (!one)
			sweep(log);
		else if (!find_same(one))
			add(log, one, !one->name[0]);	/* the program has no name here */
		one = NULL;
		__atomic_store_n(&updating, 0, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&updates_wanted, __ATOMIC_SEQ_CST) == wanted)
			return;
	}
}

/* A signal handler could leave in the middle of it by a jump, or fork. */
static void update(const struct object *one)
{
	bool is_sealed = live_is_sealed();
	uint64_t mask = 0;

	if (!is_sealed)
		sys_block_signals(&mask);
	update_now(one);
	if (!is_sealed)
		sys_restore_signals(&mask);
}

/* ---- for others ---- */

void modules_init(module_seen *seen, module_gone *gone)
{
	when_seen = seen;
	when_gone = gone;
}

void modules_look(void)
{
	update(NULL);
}

void modules_visit(const struct modules_visit *visit, void *context)
{
	uint32_t wanted;
	uint64_t mask;

	sys_block_signals(&mask);
	while (__atomic_exchange_n(&updating, 1, __ATOMIC_SEQ_CST))
		sys_futex_wait(&updating, 1, UPDATE_WAIT_NS);
	wanted = __atomic_load_n(&updates_wanted, __ATOMIC_SEQ_CST);
	visit->begin(context);
	for (uint32_t i = 0; i < nr_modules; i++)
		if (modules[i].end && modules[i].record)
			visit->each((const char *)(modules[i].record + 1), modules[i].record->bias,
				    modules[i].begin, modules[i].end, context);
	visit->end(context);
	__atomic_store_n(&updating, 0, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&updates_wanted, __ATOMIC_SEQ_CST) != wanted) /* that task did not wait */
		update_now(NULL);
	sys_restore_signals(&mask);
}

void modules_log_all(void)
{
	updating = 0;		/* held by a thread that the child does not have */
	for (uint32_t i = 0; i < nr_modules; i++)
		if (modules[i].end && modules[i].record)
			modules[i].record = log_again(live.log, modules[i].record);
}

void modules_know(uintptr_t addr)
{
	struct object object;

	if (likely(is_known(addr)) || live_is_sealed())
		return;
	if (!libc._dl_find_object)	/* before glibc 2.35 */
		update(NULL);
	else if (object_at(libc._dl_find_object, addr, &object) == 0)
		update(&object);
}

void modules_know_all(const uint64_t *addrs, size_t nr)
{
	for (size_t i = 0; libc._dl_find_object && i < nr; i++)
		modules_know(addrs[i]);
}

bool modules_place(uintptr_t addr, const char **file, uintptr_t *bias)
{
	uint32_t count = __atomic_load_n(&nr_modules, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		const struct log_module *record = holds(&modules[i], addr) ? modules[i].record : NULL;

		if (!record)
			continue;
		*file = (const char *)(record + 1);
		*bias = record->bias;
		return true;
	}
	return false;
}

static int imports_hook(const struct object *object, void *context)
{
	return object_slot(object, "__cyg_profile_func_enter") != NULL;
}

bool modules_have_hooks(void)
{
	return objects_each(imports_hook, NULL);
}
