/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of errors, found again by a small hash table of each thread. */
#include "preload/stacks/error_records.h"

#include "preload/calls/calls.h"
#include "preload/common/base/text.h"
#include "preload/state/log_space.h"

static void *record_at(uint32_t place)
{
	return (char *)live.log + (uint64_t)place * 8;
}

static uint32_t place_of(const void *record)
{
	return (uint32_t)((uint64_t)((const char *)record - (const char *)live.log) / 8);
}

static struct log_errors *make_errors(struct log_thread *thread)
{
	struct log_area *area;

	if (!thread->errors) {
		area = log_space_new_area(LOG_AREA_ERRORS, thread->head.self, sizeof(struct log_errors),
					  sizeof(struct log_errors), 0);
		if (area)
			thread->errors = area->self;
	}
	return errors_of(thread);
}

static uint32_t *list_of(struct log_errors *errors, const struct log_thread *thread,
			 const struct error_place *place)
{
	uint64_t key =
		place->addr ^ (uint64_t)place->type_addr << 7 ^ (uint64_t)thread->current << 24 ^ place->kind;

	return &errors->lists[(key * 0x9e3779b97f4a7c15u) >> 55];
}
_Static_assert(LOG_ERROR_LISTS == 1u << (64 - 55), "a list for each hash");

static struct log_error *find_error(const struct log_thread *thread, const struct error_place *place,
				    uint32_t first)
{
	struct log_error *error;

	for (; first; first = error->next) {
		error = record_at(first);
		if (error->place_addr == place->addr && error->node == thread->current &&
		    error->error == place->kind && error->type_addr == (uint64_t)place->type_addr)
			return error;
	}
	return NULL;
}

static struct log_error *new_error(const struct log_thread *thread, const struct error_place *place,
				   uint32_t *list)
{
	size_t text_bytes = place->type ? text_length(place->type) + 1 : 1;
	struct log_error *error;

	if (text_bytes > LOG_THROWN_TEXT_BYTES)
		text_bytes = LOG_THROWN_TEXT_BYTES;
	log_space_for_records(live.log);
	error = (struct log_error *)log_new_record(live.log, (uint32_t)(sizeof(*error) + text_bytes),
						   now_ticks());
	if (!error)
		return NULL;
	error->error = place->kind;
	error->thread = thread->head.self;
	error->node = thread->current;
	error->place_addr = place->addr;
	error->type_addr = (uint64_t)place->type_addr;
	error->text_bytes = (uint32_t)text_bytes;
	text_copy((char *)(error + 1), text_bytes, place->type ? place->type : "");
	log_publish(&error->record, LOG_RECORD_ERROR);
	error->next = *list;
	*list = place_of(error);
	return error;
}

struct log_error *error_count(struct log_thread *thread, const struct error_place *place)
{
	struct log_errors *errors = make_errors(thread);
	struct log_error *error;
	uint32_t *list;

	if (!errors) {
		log_lose(live.log, LOG_LOST_RECORDS);
		return NULL;
	}
	list = list_of(errors, thread, place);
	error = find_error(thread, place, *list);
	if (!error)
		error = new_error(thread, place, list);
	if (error)
		error->count++;
	return error;
}

bool error_is_kept(const struct log_error *error)
{
	return error->count <= LOG_THROWN_MOST &&
	       __atomic_load_n(&live.log->tail_bytes, __ATOMIC_RELAXED) < log_slice_share(live.log);
}

uint32_t error_reason(const struct log_error *error)
{
	return place_of(error);
}

uint32_t error_keep(struct log_thread *thread, const struct log_error *error, const char *message)
{
	size_t text_bytes = message ? text_length(message) + 1 : 0;
	struct log_thrown *thrown;

	if (text_bytes > LOG_THROWN_TEXT_BYTES)
		text_bytes = LOG_THROWN_TEXT_BYTES;
	log_space_for_records(live.log);
	thrown = (struct log_thrown *)log_new_record(live.log, (uint32_t)(sizeof(*thrown) + text_bytes),
						     now_ticks());
	if (!thrown)
		return place_of(error);
	thrown->error = place_of(error);
	thrown->tid = thread->tid;
	thrown->text_bytes = (uint32_t)text_bytes;
	if (text_bytes)
		text_copy((char *)(thrown + 1), text_bytes, message);
	log_publish(&thrown->record, LOG_RECORD_THROWN);
	return place_of(thrown);
}

/* The record of the reason; NULL: it is none. */
static struct log_error *error_of(uint32_t reason)
{
	const struct log_thrown *thrown = record_at(reason);

	if (reason <= LOG_BROKEN_THREAD_END)
		return NULL;
	return thrown->record.kind == LOG_RECORD_THROWN ? record_at(thrown->error) : record_at(reason);
}

void error_broke_call(uint32_t reason)
{
	struct log_error *error = error_of(reason);

	if (error)
		error->broken_calls++;
}

void error_caught(const struct log_thread *thread, uint32_t reason)
{
	struct log_thrown *thrown = record_at(reason);
	struct log_error *error = error_of(reason);

	if (thrown->record.kind == LOG_RECORD_THROWN)
		thrown->caught_ticks = now_ticks();
	if (!error->caught++)
		error->caught_node = thread->current;
	else if (error->caught_node != thread->current)
		error->caught_elsewhere++;
}

void error_uncaught(struct log_thread *thread, uint32_t reason)
{
	error_of(reason)->uncaught = 1;
	errors_of(thread)->is_ending = 1;
}

/* ---- exceptions between a throw and its catch ---- */

/*
 * gcc's code calls the exit hook while calls are left, clang's does not, and destructors make calls
 * meanwhile. So the innermost call that was open at the throw is recognized by its frame. When it has ended,
 * the call below takes its place.
 */
void unwinding_move(struct log_unwinding *unwinding, const struct log_thread *thread)
{
	unwinding->top_addr = thread->top_addr;
	unwinding->left_addr = top_frame(thread)->stack_addr;
}

void unwinding_begin(struct log_thread *thread, const void *object, uintptr_t stack_addr, uint32_t reason)
{
	struct log_errors *errors = errors_of(thread);
	struct log_unwinding *unwinding;

	if (!thread->frames || errors->nr_unwindings == LOG_UNWINDINGS)
		return;
	unwinding = &errors->unwindings[errors->nr_unwindings++];
	unwinding->top_addr = 0;	/* a handler may come here, too */
	signal_fence();
	unwinding->object_addr = (uint64_t)object;
	unwinding->stack_addr = stack_addr;
	unwinding->reason = reason;
	unwinding_move(unwinding, thread);
	thread->stack_bytes = 0;	/* all hooks go the slow way until the exception has arrived */
}

/*
 * If an exception was left without a catch, for example by a jump, it is over when its call is no longer
 * there.
 */
static bool is_over(const struct log_unwinding *unwinding, const struct log_frame *top)
{
	return unwinding->left_addr < top->stack_addr ||
	       (unwinding->top_addr == (uint64_t)top && unwinding->left_addr != top->stack_addr);
}

struct log_unwinding *unwinding_of_top(struct log_thread *thread)
{
	struct log_errors *errors = errors_of(thread);
	struct log_unwinding *unwinding;

	while (errors && errors->nr_unwindings) {
		unwinding = &errors->unwindings[errors->nr_unwindings - 1];
		if (!is_over(unwinding, top_frame(thread)))
			return unwinding->top_addr == thread->top_addr ? unwinding : NULL;
		errors->nr_unwindings--;
	}
	return NULL;
}

struct log_unwinding *unwinding_find(struct log_thread *thread, const void *object)
{
	struct log_errors *errors = errors_of(thread);

	for (uint32_t i = errors ? errors->nr_unwindings : 0; i-- > 0;) {
		if (errors->unwindings[i].object_addr != (uint64_t)object)
			continue;
		errors->nr_unwindings = i + 1;
		return &errors->unwindings[i];
	}
	return NULL;
}

void unwinding_end(struct log_thread *thread, struct log_unwinding *unwinding)
{
	struct log_errors *errors = errors_of(thread);

	errors->nr_unwindings = (uint32_t)(unwinding - errors->unwindings);
}

void unwinding_end_all(struct log_thread *thread)
{
	if (thread->errors)
		errors_of(thread)->nr_unwindings = 0;
}
