/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines about single calls. Names of functions become labels when they are first needed. A table of words
 * finds them: a word has a label's number above the function's address, so it is either right or another
 * function's.
 */
#include "preload/calls/verbose_calls.h"

#include "preload/common/base/text.h"
#include "preload/common/run/message.h"
#include "preload/objects/function_names.h"
#include "preload/objects/symbol_file.h"
#include "preload/objects/next_functions.h"
#include "preload/state/labels.h"
#include "preload/state/modules.h"

#define NAME_BYTES	256
#define CACHE		1024u
#define ADDR_BITS	48

LARGE static uint64_t cache[CACHE];		/* address | number << ADDR_BITS; atomic */

static uint64_t *cache_entry(uint64_t addr)
{
	return &cache[(addr >> 4) % CACHE];
}

/* ---- names ---- */

struct wanted {
	uint64_t value;			/* address in the file */
	char *name;			/* of NAME_BYTES; "": not found yet */
};

static void take_name(const char *symbol, const char *file, uint64_t value, uint64_t bytes,
		      void *context)
{
	struct wanted *wanted = context;

	if (value != wanted->value || *wanted->name)
		return;
	if (!symbol_plain_name(symbol, wanted->name, NAME_BYTES))
		text_copy(wanted->name, NAME_BYTES, symbol);
}

/* The function's name in its file, else "libx.so+0x1234". */
static void read_name(uint64_t addr, char *name)
{
	struct wanted wanted = { .value = addr, .name = name };
	const char *path;
	uintptr_t bias;
	struct text text;

	*name = '\0';
	if (!modules_place(addr, &path, &bias))
		return;
	wanted.value -= bias;
	symbol_file_each(path, false, take_name, &wanted);
	if (*name)
		return;
	text_init(&text, name, NAME_BYTES);
	text_add(&text, text_base_name(path));
	text_add(&text, "+0x");
	text_add_hex(&text, wanted.value);
}

/* NULL: there is none. */
static const char *name_of_function(uint64_t addr)
{
	uint64_t *entry = cache_entry(addr), known = __atomic_load_n(entry, __ATOMIC_RELAXED);
	const struct label *label;
	char name[NAME_BYTES];

	if (known && (known & ((1ull << ADDR_BITS) - 1)) == addr)
		return label_numbered((uint32_t)(known >> ADDR_BITS))->text;
	read_name(addr, name);
	label = *name ? label_find(name) : NULL;
	if (label && label->number < 1u << (64 - ADDR_BITS) && !(addr >> ADDR_BITS))
		__atomic_store_n(entry, addr | (uint64_t)label->number << ADDR_BITS, __ATOMIC_RELAXED);
	return label ? label->text : NULL;
}

static const char *name_of_region(uint64_t region)
{
	const struct label *label;

	if (log_team_starter(region))
		return LOG_NAME_OF_TEAMS;
	label = label_numbered((uint32_t)log_region_label(region));
	return label ? label->text : NULL;
}

void verbose_forget(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < CACHE; i++)
		if ((cache[i] & ((1ull << ADDR_BITS) - 1)) - begin < end - begin)
			__atomic_store_n(&cache[i], 0, __ATOMIC_RELAXED);
}

/* ---- lines ---- */

static void tell_span(const char *name, uint64_t ns, bool broken)
{
	const uint64_t width = settings.value[SETTING_NAME_WIDTH];
	const struct span_line span = {
		.ns = ns,
		.program = live.log->program,
		.pid = (uint32_t)sys_getpid(),
		.name_width = width < SPAN_NAME_MAX ? width : SPAN_NAME_MAX,
		.broken = broken,
	};

	say_span(name, &span);
}

void verbose_timer(const char *name, uint64_t ns)
{
	if (!live_is_sealed())
		tell_span(name, ns, false);
}

static const char *name_of(const struct log_frame *frame)
{
	if (live_is_sealed())
		return NULL;
	return frame->function_addr & LOG_FUNCTION_REGION ? name_of_region(frame->function_addr)
							  : name_of_function(frame->function_addr);
}

void verbose_call(const struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	const char *name = name_of(frame);

	if (name)
		tell_span(name, live_ns_of(end_ticks - frame->start_ticks), broken);
}

/* ---- the program's function for calls ---- */

static calls_callback *heard_by;		/* atomic, as least_heard_ns */
static uint64_t least_heard_ns;

void calls_hear(calls_callback *callback, uint64_t least_ns)
{
	__atomic_store_n(&heard_by, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&least_heard_ns, least_ns, __ATOMIC_RELEASE);
	__atomic_store_n(&heard_by, callback, __ATOMIC_RELEASE);
}

bool calls_are_heard(void)
{
	return __atomic_load_n(&heard_by, __ATOMIC_RELAXED);
}

/* The program may do anything there, but errno stays as it was. */
static void tell(struct log_thread *thread, const char *name, uint64_t ns, bool broken)
{
	calls_callback *callback = __atomic_load_n(&heard_by, __ATOMIC_ACQUIRE);
	int error;

	if (!callback || !name || thread->callbacks)
		return;
	error = *libc.__errno_location();
	thread->callbacks++;
	callback(name, ns, broken);
	thread->callbacks--;
	*libc.__errno_location() = error;
}

static bool is_heard(uint64_t ns)
{
	return ns >= __atomic_load_n(&least_heard_ns, __ATOMIC_ACQUIRE);
}

void call_tell(struct log_thread *thread, const struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	uint64_t ns = live_ns_of(end_ticks - frame->start_ticks);

	if (is_heard(ns) && end_ticks - frame->start_ticks >= live.log->threshold_ticks)
		tell(thread, name_of(frame), ns, broken);
}

void timer_tell(struct log_thread *thread, const char *name, uint64_t ns)
{
	if (is_heard(ns))
		tell(thread, name, ns, false);
}
