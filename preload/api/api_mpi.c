/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For libinsideme-mpi.so: MPI calls are calls of its functions, and their messages are summed up by path. */
#include "preload/api/api.h"

#include <errno.h>

#include "preload/calls/calls.h"
#include "preload/calls/counted.h"
#include "preload/calls/transfers.h"
#include "preload/heap/heap.h"
#include "preload/hooks/hooks.h"
#include "preload/mpi/mpi_recorder.h"
#include "preload/stacks/frames.h"
#include "preload/state/labels.h"
#include "preload/state/log_space.h"

#define PLACES 16384u /* a power of two: of messages by path, communicator, peer and direction */
#define PROBES 64u

/* The outermost MPI call of the thread, which is open as long as its frame is. */
static __thread struct {
	uint64_t function_addr; /* 0: none */
	uint64_t stack_addr;
	uint64_t end_ticks; /* 0: it has not returned, or calls have no times */
	uint64_t caller_addr;
} outermost TLS_INITIAL_EXEC;

/* Records of the log @places_log, by hash. Forked children begin anew. */
LARGE static struct log_messages *places[PLACES]; /* atomic */
static struct log_header *places_log;

/* The frames below the first one of a full area are in the area before it. */
static const struct log_frame *frame_below(const struct log_frame *frame, const struct log_frames **area)
{
	frame--;
	while (frame && !frame->function_addr) {
		if (!(*area)->below)
			return NULL;
		*area = area_at((*area)->below);
		frame = (const struct log_frame *)limit_of((struct log_frames *)*area);
	}
	return frame;
}

/* An error handler may have left the call by a jump. Then its frame is gone. */
static bool is_within(void)
{
	struct log_thread *thread = outermost.function_addr ? thread_self() : NULL;
	const struct log_frames *area = thread ? newest_area(thread) : NULL;
	const struct log_frame *frame = thread ? top_frame(thread) + 1 : NULL;

	while (frame && (frame = frame_below(frame, &area)) && frame->stack_addr <= outermost.stack_addr) {
		if (frame->stack_addr == outermost.stack_addr &&
		    frame->function_addr == outermost.function_addr)
			return true;
	}
	outermost.function_addr = 0;
	return false;
}

/* Without a frame, the time of the call's messages would be lost, so it must stay timed. */
static void keep_timed(uint64_t function_addr)
{
	if (live.timing == LOG_TIMING_AUTO)
		__atomic_store_n(&counted_functions[counted_number(function_addr)].is_kept, 1,
				 __ATOMIC_RELAXED);
}

static bool entered(void *function, uintptr_t caller_addr)
{
	struct log_thread *thread = thread_self();
	const struct log_frame *top = thread ? top_frame(thread) : NULL;

	if (!top || top->function_addr != (uint64_t)function)
		return false;
	outermost.function_addr = (uint64_t)function;
	outermost.stack_addr = top->stack_addr;
	outermost.end_ticks = 0;
	outermost.caller_addr = caller_addr;
	keep_timed((uint64_t)function);
	return true;
}

/* A killed process leaves what its last call waited for. */
static void awaits(const struct mpi_message *message)
{
	struct log_thread *thread = self;

	if (unlikely(!thread))
		return;
	thread->awaited_ticks = top_frame(thread)->start_ticks;
	thread->awaited_direction = message->direction;
	thread->awaited_peer = message->peer;
	thread->awaited_label = message->label;
	thread->awaited_detail = message->detail;
}

static bool is_outermost(const struct log_thread *thread)
{
	return thread && top_frame(thread)->function_addr == outermost.function_addr &&
	       top_frame(thread)->stack_addr == outermost.stack_addr;
}

static bool returned(void)
{
	const uint64_t end_ticks = live.timing == LOG_TIMING_COUNTS ? 0 : now_ticks();

	if (unlikely(!live.log || !is_outermost(self)))
		return false;
	outermost.end_ticks = end_ticks;
	return true;
}

/* Time after the call's own end does not count for it. The last call of a full area ends by its hook. */
static bool left(void *function)
{
	struct log_header *log = live.hot_log;
	struct log_thread *thread = self;
	struct log_frame *frame;
	struct log_node *node;

	if (unlikely(!log || !outermost.end_ticks || !is_outermost(thread) ||
		     thread->top_addr == thread->limit_addr || outermost.function_addr != (uint64_t)function))
		return false;
	outermost.function_addr = 0;
	frame = top_frame(thread);
	node = node_at(log, frame->node);
	node->calls++;
	call_close(log, thread, frame, node,
		   (struct call_times){ frame->start_ticks, frame->child_ticks, outermost.end_ticks }, false);
	return true;
}

/* The refs of a call's thread and path, and where the program goes on after it; 0: in no MPI call. */
struct call_place {
	uint32_t thread, node;
	uint64_t caller_addr;
};

static bool is_same(const struct log_messages *record, struct call_place place,
		    const struct mpi_message *message)
{
	return record->thread == place.thread && record->node == place.node &&
	       record->label == message->label && record->peer == message->peer &&
	       record->direction == message->direction && record->caller_addr == place.caller_addr;
}

static uint64_t sized_bytes(const struct mpi_message *message)
{
	return message->is_size_known ? message->bytes + 1 : 0;
}

static struct log_messages *new_record(struct call_place place, const struct mpi_message *message)
{
	struct log_messages *record;

	log_space_for_records(live.log);
	record = (struct log_messages *)log_new_record(live.log, sizeof(*record), now_ticks());
	if (!record)
		return NULL;
	record->thread = place.thread;
	record->node = place.node;
	record->label = message->label;
	record->peer = message->peer;
	record->direction = message->direction;
	record->caller_addr = place.caller_addr;
	record->number = __atomic_add_fetch(&live.log->nr_routes, 1, __ATOMIC_RELAXED);
	record->least_ticks = UINT64_MAX;
	record->size_bytes = sized_bytes(message);
	log_publish(&record->record, LOG_RECORD_MESSAGES);
	return record;
}

/*
 * NULL: no room, which is counted as a loss. Two threads that complete the first receives of one path may
 * make two records of it.
 */
static struct log_messages *record_of(struct call_place place, const struct mpi_message *message)
{
	uint64_t key = ((uint64_t)place.node << 32 | (uint32_t)message->peer) ^
		       (uint64_t)message->label << 20 ^ (uint64_t)message->direction << 61 ^
		       place.caller_addr << 32;
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40);

	if (unlikely(places_log != live.log)) {
		__builtin_memset(places, 0, sizeof(places));
		places_log = live.log;
	}
	for (uint32_t i = 0; i < PROBES; i++) {
		struct log_messages **slot = &places[(at + i) % PLACES], *none = NULL;
		struct log_messages *record = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (record && is_same(record, place, message))
			return record;
		if (record)
			continue;
		record = new_record(place, message);
		if (!record || __atomic_compare_exchange_n(slot, &none, record, false, __ATOMIC_ACQ_REL,
							   __ATOMIC_ACQUIRE))
			return record;
	}
	return new_record(place, message); /* far too many: each message gets a record */
}

static struct call_place place_of(const struct log_thread *thread)
{
	return (struct call_place){ thread->head.self, thread->current,
				    outermost.function_addr ? outermost.caller_addr : 0 };
}

static void count_call(struct log_messages *record, const struct mpi_message *message, uint64_t ticks)
{
	record->nr_calls++;
	record->call_ticks += ticks;
	if (ticks > record->most_ticks)
		record->most_ticks = ticks;
	if (ticks < record->least_ticks && !message->is_pending)
		record->least_ticks = ticks;
	if (record->size_bytes != sized_bytes(message))
		record->size_bytes = 0;
}

static bool has_transfer(const struct mpi_message *message)
{
	return message->direction != LOG_MESSAGE_NONE && message->direction != LOG_MESSAGE_MOVED &&
	       message->direction < LOG_MESSAGE_PUT;
}

static void write_transfer(struct log_thread *thread, const struct log_messages *record,
			   const struct mpi_message *message, uint64_t end_ticks)
{
	const struct transfer transfer = {
		.route = record->number,
		.flags = message->is_pending ? LOG_TRANSFER_STARTS : 0,
		.detail = message->detail,
		.begin_ticks = top_frame(thread)->start_ticks,
		.end_ticks = end_ticks,
		.sized_bytes = sized_bytes(message),
	};

	transfer_write(thread, &transfer);
}

/* Calls that are counted only have no times, and so no records of their own. */
static void message_add(const struct mpi_message *message)
{
	struct log_thread *thread = thread_self();
	struct log_messages *record = thread ? record_of(place_of(thread), message) : NULL;
	const uint64_t begin_ticks = record ? top_frame(thread)->start_ticks : 0;
	const uint64_t end_ticks = outermost.end_ticks;

	if (!record)
		return;
	if (!message->is_pending || message->direction != LOG_MESSAGE_RECEIVED) {
		record->nr_messages +=
			message->direction != LOG_MESSAGE_NONE && message->direction != LOG_MESSAGE_PROBED;
		record->nr_sized += message->is_size_known;
		record->bytes += message->bytes;
	}
	if (!message->is_further)
		count_call(record, message, end_ticks - begin_ticks);
	if (begin_ticks && has_transfer(message))
		write_transfer(thread, record, message, end_ticks);
}

static void started(struct mpi_pending *pending)
{
	const struct log_thread *thread = thread_self();

	*pending = (struct mpi_pending){ .message = pending->message };
	if (!thread)
		return;
	pending->begin_ticks = top_frame(thread)->start_ticks;
	pending->thread = thread->head.self;
	pending->node = thread->current;
	pending->caller_addr = outermost.caller_addr;
}

/* Another thread may do the same for the same record. */
static void count_received(struct log_messages *record, const struct mpi_message *message)
{
	__atomic_fetch_add(&record->nr_messages, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&record->nr_sized, message->is_size_known, __ATOMIC_RELAXED);
	__atomic_fetch_add(&record->bytes, message->bytes, __ATOMIC_RELAXED);
}

/* Sends and collectives were counted when they began. Whether they took long matters only if they did. */
static void completed(const struct mpi_pending *pending, const struct mpi_message *message)
{
	const bool is_received = pending->message.direction == LOG_MESSAGE_RECEIVED;
	struct log_thread *thread = thread_self();
	struct transfer transfer = { .flags = LOG_TRANSFER_REQUEST | (message ? 0 : LOG_TRANSFER_GONE) };
	struct log_messages *record;

	if (!thread || !pending->thread || !has_transfer(&pending->message))
		return;
	transfer.begin_ticks = top_frame(thread)->start_ticks;
	transfer.end_ticks = outermost.end_ticks;
	if (message && !is_received &&
	    transfer.end_ticks - transfer.begin_ticks < live.log->threshold_floor_ticks)
		return;
	record = record_of((struct call_place){ pending->thread, pending->node, pending->caller_addr },
			   message ? message : &pending->message);
	if (!record)
		return;
	if (message && is_received)
		count_received(record, message);
	transfer.route = record->number;
	transfer.detail = message ? message->detail : pending->message.detail;
	transfer.node = thread->current;
	transfer.started_ticks = pending->begin_ticks;
	transfer.sized_bytes = message ? sized_bytes(message) : 0;
	if (transfer.begin_ticks && transfer.started_ticks)
		transfer_write(thread, &transfer);
}

static void lost(void)
{
	if (live.log)
		transfer_lost(now_ticks());
}

int messages_moved(uint64_t bytes)
{
	const struct mpi_message message = {
		.direction = LOG_MESSAGE_MOVED,
		.peer = LOG_PEER_NONE,
		.is_size_known = 1,
		.is_further = 1,
		.bytes = bytes,
	};
	const struct log_thread *thread = thread_self();

	if (!thread)
		return -ENODATA;
	if (thread->current == log_ref(live.log, &thread->root))
		return -ESRCH;
	message_add(&message);
	return 0;
}

static uint32_t label(const char *name)
{
	const struct label *found = thread_self() ? label_find(name) : NULL;

	return found ? found->number : 0;
}

/* MPI's rank counts if the environment has another one, or none. */
static void rank(int rank, int nr_ranks)
{
	if (!live.log)
		return;
	live.log->rank = rank;
	live.log->nr_ranks = nr_ranks;
}

/* The program may call this twice in the same way. */
static void control(bool is_on)
{
	static bool is_off; /* atomic */

	if (__atomic_exchange_n(&is_off, !is_on, __ATOMIC_RELAXED) != is_on)
		return;
	if (is_on)
		toggle_enable();
	else
		toggle_disable();
}

static void bypassed(const char *names)
{
	if (live.log)
		log_write_text(live.log, "mpi_bypassed", names, now_ticks());
}

static void own_work(int step)
{
	struct log_thread *thread = heap_thread_inside();

	if (thread)
		thread->heap_inside += (uint32_t)step;
}

EXPORT extern const struct mpi_recorder insideme_mpi_recorder;
const struct mpi_recorder insideme_mpi_recorder = {
	.version = MPI_RECORDER_VERSION,
	.enter = __cyg_profile_func_enter,
	.exit = __cyg_profile_func_exit,
	.is_within = is_within,
	.entered = entered,
	.awaits = awaits,
	.returned = returned,
	.message = message_add,
	.started = started,
	.completed = completed,
	.left = left,
	.lost = lost,
	.label = label,
	.rank = rank,
	.control = control,
	.bypassed = bypassed,
	.own_work = own_work,
};
