/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums by thread, call path, system call and its first argument. There are few, so they are searched one by
 * one.
 */
#include "preload/common/resources/blocked_calls.h"

#include "preload/common/base/clock.h"
#include "preload/common/log/log.h"

#define AREA_BYTES 4096u
#define LEAST_NS 500000u /* shorter blocked times are not worth a reading */
#define FD_MAX 65536u
#define OWN_BYTES (512u << 10) /* the state of the sampling task is smaller */
#define THREADS_MAX 4096u /* records searched for that of a thread */
#define NAME_BYTES 256
#define RECORD_BYTES (32u << 10) /* what a new record may take of the log */

/* "202 0x7f12 ...": the call and its first argument. Return: false if the thread runs. */
static bool parse(const char *text, int32_t *call, uint64_t *argument)
{
	uint64_t number = 0;

	*call = LOG_BLOCKED_ELSEWHERE;
	*argument = 0;
	if (*text == '-')
		return true;
	if (text_read_u64(&text, &number) < 0)
		return false;
	*call = (int32_t)number;
	if (text[0] == ' ' && text[1] == '0' && text[2] == 'x')
		text += 3;
	for (; *text && *text != ' '; text++)
		*argument = *argument << 4 | (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
	return true;
}

static uint32_t record_of(const struct log_header *log, int tid)
{
	uint32_t ref = __atomic_load_n(&log->threads, __ATOMIC_ACQUIRE);

	for (uint32_t nr = 0; ref && nr < THREADS_MAX; nr++) {
		const struct log_thread *thread = log_at(log, ref);

		if (thread->tid == (uint32_t)tid)
			return ref;
		ref = thread->next_thread;
	}
	return 0;
}

/* The end of a process, and a fork, wait for the sampling task: such waits are the recorder's cost. */
static bool is_ours(const struct blocked_log *of, const struct log_blocked *key)
{
	return of->own_addr && key->call == SYS_futex &&
	       key->argument - (of->own_addr - OWN_BYTES) < 2 * OWN_BYTES;
}

/* The path that the thread is in; a wait with a record of its own tells more. */
static uint32_t path_of(const struct log_header *log, struct blocked_thread *thread, int tid, int32_t *call)
{
	const struct log_thread *record = log_at(log, thread->record);
	uint32_t node;

	if (!thread->record || record->tid != (uint32_t)tid)
		thread->record = record_of(log, tid);
	if (!thread->record)
		return 0;
	record = log_at(log, thread->record);
	node = __atomic_load_n(&record->current, __ATOMIC_RELAXED);
	if (node && log_is_wait(((const struct log_node *)log_at(log, node))->function_addr))
		*call = LOG_BLOCKED_IN_WAIT;
	return node;
}

static struct log_area *new_area(struct blocked_log *of, int log_fd)
{
	struct log_header *log = of->log;
	struct log_area *area;

	if (of->nr_areas == BLOCKED_AREAS)
		return NULL;
	log_grow(log, log_fd, __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED) + 2 * AREA_BYTES);
	area = log_claim(log, LOG_AREA_BLOCKED, 0, AREA_BYTES, sizeof(*area), sizeof(struct log_blocked));
	if (area)
		of->areas[of->nr_areas++] = area->self;
	return area;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x9e3779b1u;
	return hash;
}

/* The number of @name in the log, from 1. 0: there are too many. */
static uint32_t number_of(struct blocked_log *of, const char *name, int log_fd)
{
	const uint32_t hash = hash_of(name);
	uint32_t nr = 0;
	char key[32];
	struct text text;

	while (nr < of->nr_names && of->names[nr] != hash)
		nr++;
	if (nr == BLOCKED_NAMES || nr < of->nr_names)
		return nr < of->nr_names ? nr + 1 : 0;
	of->names[of->nr_names++] = hash;
	text_init(&text, key, sizeof(key));
	text_add(&text, LOG_BLOCKED_NAME);
	text_add_number(&text, of->nr_names);
	log_grow(of->log, log_fd, __atomic_load_n(&of->log->tail_bytes, __ATOMIC_RELAXED) + RECORD_BYTES);
	log_write_text(of->log, key, name, clock_ticks(of->log->clock));
	return of->nr_names;
}

/* The number of the descriptor's name: a path, or a kind as "socket". 0: not known. */
static uint32_t name_of(struct blocked_log *of, int task_fd, int tid, uint64_t fd, int log_fd)
{
	char path[64], name[NAME_BYTES];
	struct text text;
	long length;

	text_init(&text, path, sizeof(path));
	text_add_number(&text, (uint64_t)tid);
	text_add(&text, "/fd/");
	text_add_number(&text, fd);
	length = sys_readlinkat(task_fd, path, name, NAME_BYTES - 1);
	if (length <= 0)
		return 0;
	name[length] = '\0';
	proc_cut_number(name);
	return number_of(of, name, log_fd);
}

static bool is_same(const struct log_blocked *a, const struct log_blocked *b)
{
	return a->thread == b->thread && a->node == b->node && a->call == b->call &&
	       a->argument == b->argument;
}

static void add(struct log_blocked *sum, uint64_t blocked_ns)
{
	sum->nr++;
	__atomic_store_n(&sum->blocked_ns, sum->blocked_ns + blocked_ns, __ATOMIC_RELEASE);
}

static void count(struct blocked_log *of, const struct log_blocked *key, uint64_t blocked_ns, int log_fd)
{
	struct log_area *area = NULL;
	struct log_blocked *sum;

	for (uint32_t i = 0; i < of->nr_areas; i++) {
		area = log_at(of->log, of->areas[i]);
		for (sum = (struct log_blocked *)(area + 1);
		     (char *)sum < (char *)area + area->used_bytes; sum++)
			if (is_same(sum, key)) {
				add(sum, blocked_ns);
				return;
			}
	}
	if (!area || area->used_bytes + sizeof(*sum) > area->bytes)
		area = new_area(of, log_fd);
	if (!area) {
		log_lose(of->log, LOG_LOST_WAITS);
		return;
	}
	sum = (struct log_blocked *)((char *)area + area->used_bytes);
	*sum = *key;
	add(sum, blocked_ns);
	__atomic_store_n(&area->used_bytes, area->used_bytes + sizeof(*sum), __ATOMIC_RELEASE);
}

static void look_at_call(struct blocked_log *of, struct blocked_thread *thread, int task_fd, int tid,
			 int log_fd, char *buffer, uint64_t bytes)
{
	int fd = proc_file_open_task(task_fd, (uint64_t)tid, "syscall");
	long length = proc_file_read(fd, of->count, buffer, bytes, 0);
	struct log_blocked key = { .thread = 0 };

	proc_file_close(&fd);
	of->is_on = length != -EACCES && length != -EPERM;
	if (length <= 0 || !parse(buffer, &key.call, &key.argument) || is_ours(of, &key))
		return;
	key.node = path_of(of->log, thread, tid, &key.call);
	key.thread = thread->record;
	if (key.call < 0 || (key.call != SYS_futex && key.argument >= FD_MAX))
		key.argument = 0;
	else if (key.call != SYS_futex)
		key.argument |= (uint64_t)name_of(of, task_fd, tid, key.argument, log_fd)
				<< LOG_BLOCKED_NAME_SHIFT;
	count(of, &key, thread->blocked_ns, log_fd);
	thread->blocked_ns = 0;
}

void blocked_look(struct blocked_log *of, struct blocked_thread *thread, int task_fd, int tid,
		  uint64_t used_ns, int log_fd, char *buffer, uint64_t bytes)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), passed_ns = now_ns - thread->read_ns,
		       newly_used_ns = used_ns - thread->used_ns;

	if (!of->is_on)
		return;
	if (used_ns < thread->used_ns) /* another thread, which has the same tid now */
		*thread = (struct blocked_thread){ .read_ns = 0 };
	else if (thread->read_ns && thread->blocked_ns + passed_ns > newly_used_ns)
		thread->blocked_ns += passed_ns - newly_used_ns;
	else	/* the kernel counts ready time late, once the thread has got a processor */
		thread->blocked_ns = 0;
	thread->read_ns = now_ns;
	thread->used_ns = used_ns;
	if (thread->blocked_ns >= LEAST_NS)
		look_at_call(of, thread, task_fd, tid, log_fd, buffer, bytes);
}
