/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the call of a hook in the code before a return address, and pointing it somewhere else. */
#include "preload/calls/sites.h"

#include "preload/calls/selection.h"
#include "preload/calls/stubs.h"

#define KEYS 4096u
#define PROBES 8u
#define LINE 64u

static uint32_t lock;				/* no task waits for it: it comes again at its next call */
/* Hash sets of what was tried. If a set has no room for something, that is not tried. */
struct keys {
	uintptr_t list[KEYS];
};
LARGE static struct keys unchanged;	 /* return addresses of entries that cannot be changed */
LARGE static struct keys refused;	 /* of exits that cannot be changed: exit_key() */
LARGE static struct keys looked_through; /* functions whose jumps to the exit hook were looked for */

LARGE static struct {
	uint64_t function_addr;
	uint64_t place_addr;
} sites[LOG_COUNTERS];
static uint32_t nr_sites;

static bool try_lock(void)
{
	return !__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE);
}

static void unlock(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* ---- reading code ---- */

static int32_t displacement_at(uintptr_t addr)
{
	int32_t value;

	__builtin_memcpy(&value, (const void *)addr, sizeof(value));
	return value;
}

/* Does the word of memory at @slot_addr, in @code's object, hold the address of @hook? */
static bool slot_holds(const struct code *code, uintptr_t slot_addr, const void *hook)
{
	return slot_addr - code->object_begin < code->object_end - code->object_begin &&
	       slot_addr % sizeof(void *) == 0 && *(void *const *)slot_addr == hook;
}

/*
 * Does the code at @target go on to @hook? Linkers write endbr64, bnd, jmp *slot(%rip); the first two may be
 * missing.
 */
static bool leads_to(const struct code *code, uintptr_t target, const void *hook)
{
	const uint8_t *at = (const uint8_t *)target;

	if (target < code->begin || target + 16 > code->end)
		return false;
	if (at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e && at[3] == 0xfa)
		at += 4;
	if (*at == 0xf2)
		at++;
	return at[0] == 0xff && at[1] == 0x25 &&
	       slot_holds(code, (uintptr_t)at + 6 + (uintptr_t)(intptr_t)displacement_at((uintptr_t)at + 2),
			  hook);
}

/* How the instruction before @return_addr calls @hook. */
enum site_kind { SITE_NONE, SITE_DIRECT, SITE_BY_WORD };

static enum site_kind kind_of(const struct code *code, uintptr_t return_addr, const void *hook)
{
	const uint8_t *end = (const uint8_t *)return_addr;
	uintptr_t target;

	if (return_addr < code->begin + 8)
		return SITE_NONE;
	target = return_addr + (uintptr_t)(intptr_t)displacement_at(return_addr - 4);
	if (end[-5] == 0xe8 && leads_to(code, target, hook))
		return SITE_DIRECT;
	return end[-6] == 0xff && end[-5] == 0x15 && slot_holds(code, target, hook) ? SITE_BY_WORD
										    : SITE_NONE;
}

/* ---- changing it ---- */

/*
 * Give the displacement at @place this value. Other threads run the site meanwhile, so one store within a
 * cache line writes it. If the displacement crosses a line, its bytes in one of both lines must be the same
 * before and after.
 */
static bool store_displacement(const struct code *code, uintptr_t place, int32_t value)
{
	const uintptr_t line_end = (place | (LINE - 1)) + 1;
	const uint32_t changed = (uint32_t)value ^ (uint32_t)displacement_at(place);
	uintptr_t at = place;
	uint8_t bytes[4];

	if (place + sizeof(value) > line_end) {
		uint32_t nr_bits = 8 * (uint32_t)(line_end - place);

		at = changed >> nr_bits ? line_end : line_end - sizeof(value);
		if (at == line_end && changed & ((1u << nr_bits) - 1))
			return false;
	}
	__builtin_memcpy(bytes, (const void *)at, sizeof(bytes));
	for (uint32_t i = 0; i < sizeof(value); i++)
		if (place + i - at < sizeof(bytes))
			bytes[place + i - at] = (uint8_t)((uint32_t)value >> 8 * i);
	return code_store(code, at, bytes);
}

/* Make the displacement at @place, which ends the instruction, lead to @stub. */
static bool point(struct code *code, uintptr_t place, const struct stub *stub, enum site_kind kind)
{
	const uintptr_t after = place + sizeof(int32_t),
			nr_first = LINE - place % LINE; /* bytes in its first line */
	const uintptr_t before = after + (uintptr_t)(intptr_t)displacement_at(place);
	const uintptr_t target =
		nr_first > 2 ? stub_target(stub, kind == SITE_BY_WORD)
			     : stub_detour(code, stub, kind == SITE_BY_WORD, (uint32_t)nr_first, before);
	const int64_t distance = (int64_t)(target - after);

	return target && distance == (int32_t)distance && store_displacement(code, place, (int32_t)distance);
}

static bool log_site(uint32_t number)
{
	struct log_site *record = (struct log_site *)log_new_record(live.log, sizeof(*record), now_ticks());

	if (!record)
		return false;
	record->function_addr = sites[number].function_addr;
	record->place_addr = sites[number].place_addr;
	record->number = number;
	log_publish(&record->record, LOG_RECORD_SITE);
	return true;
}

/* Return: LOG_LOSSES: the site counts from now on. Else why it does not. */
static enum log_loss count_at(uint64_t function_addr, uintptr_t return_addr)
{
	struct code *code = code_at(return_addr);
	enum site_kind kind = code ? kind_of(code, return_addr, hook_functions[HOOK_ENTER]) : SITE_NONE;
	struct stub *stub;

	if (kind == SITE_NONE)
		return LOG_LOST_SITES_UNKNOWN;
	if (nr_sites == LOG_COUNTERS)
		return LOG_LOST_SITES_ROOM;
	stub = stub_counting(code, function_addr, nr_sites);
	if (!stub)
		return LOG_LOST_SITES_ROOM;
	sites[nr_sites].function_addr = function_addr;
	sites[nr_sites].place_addr = return_addr;
	if (!log_site(nr_sites))
		return LOG_LOST_SITES_ROOM;
	nr_sites++;
	return point(code, return_addr - 4, stub, kind) ? LOG_LOSSES : LOG_LOST_SITES_DETOURS;
}

static bool leave_at(uint64_t function_addr, uintptr_t return_addr, enum hook hook)
{
	struct code *code = code_at(return_addr);
	enum site_kind kind = code ? kind_of(code, return_addr, hook_functions[hook]) : SITE_NONE;
	struct stub *stub = kind == SITE_NONE ? NULL : stub_returning(code, function_addr, hook);

	return stub && point(code, return_addr - 4, stub, kind);
}

/*
 * Exits that the compiler made jumps: jmp, jcc, jmp *slot. A jump out of a function to the exit hook is the
 * function's own exit: exits of functions inlined into it come before that.
 */
static void leave_by_jumps(uintptr_t function_addr)
{
	const void *hook = hook_functions[HOOK_EXIT];
	struct code *code = code_at(function_addr);
	struct function_range range =
		code ? eh_table_find(&code->table, function_addr) : (struct function_range){ 0, 0 };
	struct stub *stub = range.end && range.begin == function_addr && range.end <= code->end
				    ? stub_returning(code, function_addr, HOOK_EXIT)
				    : NULL;

	for (uintptr_t at = function_addr; stub && at + 5 <= range.end; at++) {
		const uint8_t *byte = (const uint8_t *)at;
		uintptr_t place = at + (byte[0] == 0xe9 ? 1 : 2), target;

		if (place + 4 > range.end)
			continue;
		target = place + 4 + (uintptr_t)(intptr_t)displacement_at(place);
		if (byte[0] == 0xff && byte[1] == 0x25 && slot_holds(code, target, hook))
			point(code, place, stub, SITE_BY_WORD);
		else if ((byte[0] == 0xe9 || (byte[0] == 0x0f && (byte[1] & 0xf0) == 0x80)) &&
			 leads_to(code, target, hook))
			point(code, place, stub, SITE_DIRECT);
	}
}

/* The place of @key, or a free one for it. NULL: there is none. */
static uintptr_t *place_of(struct keys *keys, uintptr_t key)
{
	uintptr_t *free_place = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		uintptr_t *place = &keys->list[((key >> 1) + i) % KEYS];

		if (*place == key)
			return place;
		if (!*place && !free_place)
			free_place = place;
	}
	return free_place;
}

static bool was_tried(struct keys *keys, uintptr_t key)
{
	const uintptr_t *place = place_of(keys, key);

	return !place || *place;
}

/* A site is changed under the lock. After a filter of system calls none is. */
static bool begin_change(void)
{
	if (!CALL_SITES_ARE_KNOWN || stubs_are_refused() || !live.log || !try_lock())
		return false;
	if (!live_is_sealed())
		return true;
	stubs_refuse("the program has installed a filter of system calls");
	unlock();
	return false;
}

static bool begin_entry(uintptr_t return_addr)
{
	if (was_tried(&unchanged, return_addr) || !begin_change())
		return false;
	if (!was_tried(&unchanged, return_addr)) /* else another thread has tried meanwhile */
		return true;
	unlock();
	return false;
}

/* What cannot be changed is not tried again. */
static void end_entry(uintptr_t return_addr, bool is_changed)
{
	if (!is_changed)
		*place_of(&unchanged, return_addr) = return_addr;
	unlock();
}

/* Does the site before @return_addr go to a stub, which had no counters, or is another function's? */
static bool is_changed_before(uintptr_t return_addr)
{
	return stubs_hold(return_addr + (uintptr_t)(intptr_t)displacement_at(return_addr - 4));
}

void site_entered(uint32_t function, uintptr_t return_addr)
{
	enum log_loss loss;

	if (selection_depends_on_caller() || !begin_entry(return_addr))
		return;
	loss = count_at(counted_functions[function].addr, return_addr);
	if (loss != LOG_LOSSES && !stubs_are_refused() && !is_changed_before(return_addr))
		log_lose(live.log, loss);
	end_entry(return_addr, loss == LOG_LOSSES);
}

void site_entered_in_vain(uint64_t function_addr, uintptr_t return_addr)
{
	if (begin_entry(return_addr))
		end_entry(return_addr, leave_at(function_addr, return_addr, HOOK_ENTER));
}

/* Jumps come with any caller's address, so the function is part of the key. */
static uintptr_t exit_key(uint64_t function_addr, uintptr_t return_addr)
{
	return return_addr ^ function_addr << 16;
}

/* Under the lock. */
static void change_exit(uint64_t function_addr, uintptr_t return_addr)
{
	const uintptr_t key = exit_key(function_addr, return_addr);

	if (was_tried(&refused, key) || leave_at(function_addr, return_addr, HOOK_EXIT))
		return;
	*place_of(&refused, key) = key;
	if (was_tried(&looked_through, function_addr))
		return;
	*place_of(&looked_through, function_addr) = function_addr;
	leave_by_jumps(function_addr);
}

void site_left(uint64_t function_addr, uintptr_t return_addr)
{
	if ((selection_depends_on_caller() && !selection_excludes(function_addr)) ||
	    was_tried(&refused, exit_key(function_addr, return_addr)) || !begin_change())
		return;
	change_exit(function_addr, return_addr);
	unlock();
}

void sites_forked(void)
{
	lock = 0; /* held by a thread that the child does not have */
}

void sites_log_all(void)
{
	for (uint32_t i = 0; i < nr_sites; i++)
		log_site(i);
}

void sites_forget(uintptr_t begin, uintptr_t end)
{
	codes_forget(begin, end);
	for (uint32_t i = 0; i < KEYS; i++) {
		refused.list[i] = looked_through.list[i] = 0;
		if (unchanged.list[i] - begin < end - begin)
			unchanged.list[i] = 0;
	}
}
