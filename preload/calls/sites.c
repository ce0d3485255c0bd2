/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the call of a hook in the code before a return address, and pointing it somewhere else. */
#include "preload/calls/sites.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/calls/counted.h"
#include "preload/calls/selection.h"
#include "preload/objects/eh_table.h"
#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"

#if defined(__x86_64__)

#define CODES_MAX 64u /* segments of code whose sites are changed */
#define STUB_BYTES 64u
#define STUBS_MAX 4096u /* of one segment: room for all counters, and as many that only return */
#define STUBS_BYTES (STUBS_MAX * STUB_BYTES)
#define REACH (1ll << 31)  /* of a displacement */
#define NEAR_STEP 65536u   /* first places tried for stubs */
#define FAR_STEP (16u << 20)
#define REFUSED 1024u
#define LINE 64u

/* What sites of these call; by the dynamic linker's tables it is the same address. */
EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

enum hook { HOOK_ENTER, HOOK_EXIT, NR_HOOKS };
static void *const hooks[NR_HOOKS] = { (void *)__cyg_profile_func_enter, (void *)__cyg_profile_func_exit };

/* A segment of code, and the memory near it that its sites are pointed to. Written under the lock. */
struct code {
	uintptr_t begin;
	uintptr_t end; /* 0: free */
	uintptr_t object_begin;
	uintptr_t object_end;
	struct eh_table table;
	struct stub *stubs;   /* atomic; in place of the first are the addresses of the hooks */
	uint32_t nr_stubs;
	int protection; /* of its pages, but for the time in which one changes */
};

/*
 *	cmp function(%rip), %rdi; jne 1f; mov %fs:counters, %rax; test %rax, %rax; je 1f
 *	incq 8 * number(%rax); ret
 * 1:	jmp *hook(%rip)
 *
 * A hook's caller expects nothing of %rax. Compilers merge the equal ends of inlined functions, so calls of
 * several functions can come by one site: those of others go on to the hook. So do those of a thread that has
 * no counters yet. Sites that call by a word of memory are given .self for it.
 */
struct stub {
	uint8_t landing[4]; /* endbr64: some come by a word of memory */
	uint8_t compare[3];
	int32_t function_offset;
	uint8_t jump_if_other[2];
	uint8_t load[5];
	int32_t fs_offset;
	uint8_t test[3];
	uint8_t jump_if_none[2];
	uint8_t increment[3];
	int32_t counter_offset;
	uint8_t ret;
	uint8_t jump[2];
	int32_t hook_offset;
	uint8_t hook; /* enum hook */
	uint8_t reserved[6];
	uint64_t function_addr;
	uint64_t self;
} __attribute__((packed));
_Static_assert(sizeof(struct stub) == STUB_BYTES, "stubs are aligned");
#define LANDING_BYTES 4u
#define RETURN 0xc3
#define NO_COUNTER LOG_COUNTERS

LARGE static struct code codes[CODES_MAX];
static uint32_t nr_codes;			/* atomic */
static uint32_t lock;				/* nobody waits: who does not get it comes again */
static bool is_refused;				/* by the kernel, for good */
LARGE static uintptr_t refused[REFUSED];	/* keys of sites that cannot be changed */
LARGE static uintptr_t looked_through[REFUSED]; /* functions whose jumps to the exit hook were looked for */

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

/* ---- code ---- */

static void read_segments(struct code *code, uintptr_t addr, const struct found_object *found)
{
	const ElfW(Ehdr) *header = found->begin;
	const uintptr_t bias = found->map->l_addr;
	uintptr_t table = 0;

	if (*(const uint32_t *)header->e_ident != 0x464c457fu ||
	    header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return;
	for (uint32_t i = 0; i < header->e_phnum; i++) {
		const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((const char *)header + header->e_phoff) + i;
		uintptr_t begin = bias + segment->p_vaddr;

		if (segment->p_type == PT_GNU_EH_FRAME)
			table = begin;
		if (segment->p_type != PT_LOAD || (segment->p_flags & (PF_X | PF_R)) != (PF_X | PF_R) ||
		    addr - begin >= segment->p_filesz)
			continue;
		code->begin = begin;
		code->end = begin + segment->p_filesz;
		code->protection = PROT_READ | PROT_EXEC | (segment->p_flags & PF_W ? PROT_WRITE : 0);
	}
	for (uint32_t i = 0; i < header->e_phnum; i++) {
		const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((const char *)header + header->e_phoff) + i;
		uintptr_t begin = bias + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    table - begin < segment->p_filesz)
			code->table = (struct eh_table){ table, begin, begin + segment->p_filesz };
	}
}

/* Does all of @code reach all of what begins at @place? */
static bool reaches(const struct code *code, uintptr_t place)
{
	uintptr_t low = place < code->begin ? place : code->begin;
	uintptr_t high = place + STUBS_BYTES > code->end ? place + STUBS_BYTES : code->end;

	return high - low < (uintptr_t)REACH;
}

/*
 * A place for the segment. What was made for a module that is gone comes first: a plugin that is loaded again
 * and again is mostly put where it was.
 */
static struct code *keep_code(const struct code *new)
{
	struct code *place = NULL, *old;

	for (uint32_t i = 0; i < nr_codes; i++)
		if (!codes[i].end && (!codes[i].stubs || reaches(new, (uintptr_t)codes[i].stubs)))
			place = &codes[i];
	if (!place && nr_codes == CODES_MAX)
		return NULL;
	old = place ? place : &codes[nr_codes];
	old->object_begin = new->object_begin;
	old->object_end = new->object_end;
	old->table = new->table;
	old->protection = new->protection;
	old->begin = new->begin;
	__atomic_store_n(&old->end, new->end, __ATOMIC_RELEASE);
	if (!place)
		__atomic_store_n(&nr_codes, nr_codes + 1, __ATOMIC_RELEASE);
	return old;
}

/* The segment of code that @addr is in. NULL: it is not known, or there are too many. */
static struct code *code_at(uintptr_t addr)
{
	struct found_object found;
	struct code new = { 0 };

	for (uint32_t i = 0; i < nr_codes; i++)
		if (addr - codes[i].begin < codes[i].end - codes[i].begin)
			return &codes[i];
	if (!libc._dl_find_object || libc._dl_find_object((void *)addr, &found) != 0)
		return NULL;
	new.object_begin = (uintptr_t)found.begin;
	new.object_end = (uintptr_t)found.end;
	read_segments(&new, addr, &found);
	return new.end ? keep_code(&new) : NULL;
}

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

/* Does the code at @target go on to @hook? As linkers write it: endbr64, bnd, jmp *slot(%rip); the first two
 * may lack. */
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

/* ---- stubs ---- */

static bool protect(uintptr_t addr, uintptr_t bytes, int protection)
{
	const uintptr_t page = live.log->page_bytes, begin = addr & ~(page - 1),
			end = (addr + bytes + page - 1) & ~(page - 1);

	return !sys_failed(raw_syscall(SYS_mprotect, (long)begin, (long)(end - begin), protection, 0, 0, 0));
}

static void tell_refused(const char *why)
{
	if (!is_refused)
		log_write_text(live.log, "sites_off", why, now_ticks());
	is_refused = true;
}

static bool map_stubs(struct code *code, uintptr_t place)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
	long got = is_refused ? -ENOMEM
			      : sys_mmap((void *)place, STUBS_BYTES, PROT_NONE, flags, -1, 0);

	if (got == -ENOMEM || got == -EAGAIN) /* a limit: elsewhere it is the same */
		tell_refused("there is no memory near the program's code");
	if (sys_failed(got))
		return false;
	if ((uintptr_t)got != place) { /* before Linux 4.17 the flag is not known */
		sys_munmap((void *)got, STUBS_BYTES);
		return false;
	}
	/* Not locked where all memory is to be: pages come as they are needed. */
	raw_syscall(SYS_munlock, (long)place, STUBS_BYTES, 0, 0, 0, 0);
	if (!protect(place, sizeof(hooks), PROT_READ | PROT_WRITE)) {
		tell_refused("there is no memory near the program's code");
		sys_munmap((void *)place, STUBS_BYTES);
		return false;
	}
	__builtin_memcpy((void *)place, hooks, sizeof(hooks));
	code->nr_stubs = 1;
	__atomic_store_n(&code->stubs, (struct stub *)place, __ATOMIC_RELEASE);
	return true;
}

/* Below the object, as a program's heap grows above it; else above. */
static bool find_room(struct code *code)
{
	const uintptr_t low = code->object_begin & ~(uintptr_t)(NEAR_STEP - 1),
			high = (code->object_end | (NEAR_STEP - 1)) + 1;
	uintptr_t step = NEAR_STEP;

	for (uintptr_t away = step; away < low && reaches(code, low - away); away += step) {
		if (map_stubs(code, low - away))
			return true;
		step = away < FAR_STEP ? NEAR_STEP : FAR_STEP;
	}
	for (uintptr_t away = FAR_STEP; reaches(code, high + away); away += FAR_STEP)
		if (map_stubs(code, high + away))
			return true;
	return false;
}

/* What comes after a member, which an offset in it counts from: the next one. */
#define AFTER(next) offsetof(struct stub, next)

/* NULL: there is no room for it, or it may not be made. */
static struct stub *new_stub(struct code *code, uint64_t function_addr, enum hook hook, uint32_t counter)
{
	struct stub stub = {
		.landing = { 0xf3, 0x0f, 0x1e, 0xfa },
		.compare = { 0x48, 0x3b, 0x3d },
		.function_offset = offsetof(struct stub, function_addr) - AFTER(jump_if_other),
		.jump_if_other = { 0x75, offsetof(struct stub, jump) - AFTER(load) },
		.load = { 0x64, 0x48, 0x8b, 0x04, 0x25 },
		.fs_offset = (int32_t)((intptr_t)&counters - (intptr_t)__builtin_thread_pointer()),
		.test = { 0x48, 0x85, 0xc0 },
		.jump_if_none = { 0x74, offsetof(struct stub, jump) - AFTER(increment) },
		.increment = { 0x48, 0xff, 0x80 },
		.counter_offset = (int32_t)(counter * sizeof(uint64_t)),
		.ret = RETURN,
		.jump = { 0xff, 0x25 },
		.hook = (uint8_t)hook,
		.function_addr = function_addr,
	};
	struct stub *place;

	if (code->nr_stubs == STUBS_MAX || (!code->stubs && !find_room(code)))
		return NULL;
	place = code->stubs + code->nr_stubs;
	if (!protect((uintptr_t)place, STUB_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		tell_refused("the kernel lets no memory be made executable");
		return NULL;
	}
	if (counter == NO_COUNTER)
		stub.load[0] = RETURN;
	stub.hook_offset = (int32_t)((intptr_t)code->stubs + (intptr_t)(hook * sizeof(hooks[0])) -
				     (intptr_t)&place->hook);
	stub.self = (uintptr_t)place;
	*place = stub;
	protect((uintptr_t)place, STUB_BYTES, PROT_READ | PROT_EXEC);
	code->nr_stubs++;
	return place;
}

/* The stub that returns at once for calls of this hook by this function. */
static struct stub *return_stub(struct code *code, uint64_t function_addr, enum hook hook)
{
	for (uint32_t i = code->nr_stubs; i-- > 1;)
		if (code->stubs[i].load[0] == RETURN && code->stubs[i].function_addr == function_addr &&
		    code->stubs[i].hook == hook)
			return &code->stubs[i];
	return new_stub(code, function_addr, hook, NO_COUNTER);
}

/* ---- sites ---- */

/* The displacement at @place, which ends the instruction, is to lead to @target. */
static bool point(const struct code *code, uintptr_t place, uintptr_t target)
{
	int64_t distance = (int64_t)(target - (place + sizeof(int32_t)));

	if (place / LINE != (place + sizeof(int32_t) - 1) / LINE || distance != (int32_t)distance)
		return false;
	if (!protect(place, sizeof(int32_t), PROT_READ | PROT_WRITE | PROT_EXEC)) {
		tell_refused("the kernel lets the program's code not be changed");
		return false;
	}
	*(volatile int32_t *)place = (int32_t)distance;
	protect(place, sizeof(int32_t), code->protection);
	return true;
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

static uintptr_t target_of(const struct stub *stub, enum site_kind kind)
{
	return kind == SITE_BY_WORD ? (uintptr_t)&stub->self : (uintptr_t)stub + LANDING_BYTES;
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

/* Return: whether the site is one that counts from now on. */
static bool count_at(uint64_t function_addr, uintptr_t return_addr)
{
	struct code *code = code_at(return_addr);
	enum site_kind kind = code ? kind_of(code, return_addr, hooks[HOOK_ENTER]) : SITE_NONE;
	struct stub *stub;

	if (kind == SITE_NONE || nr_sites == LOG_COUNTERS ||
	    (return_addr - 4) / LINE != (return_addr - 1) / LINE)
		return false;
	stub = new_stub(code, function_addr, HOOK_ENTER, nr_sites);
	if (!stub)
		return false;
	sites[nr_sites].function_addr = function_addr;
	sites[nr_sites].place_addr = return_addr;
	if (!log_site(nr_sites))
		return false;
	nr_sites++;
	return point(code, return_addr - 4, target_of(stub, kind));
}

static bool leave_at(uint64_t function_addr, uintptr_t return_addr, enum hook hook)
{
	struct code *code = code_at(return_addr);
	enum site_kind kind = code ? kind_of(code, return_addr, hooks[hook]) : SITE_NONE;
	struct stub *stub = kind == SITE_NONE ? NULL : return_stub(code, function_addr, hook);

	return stub && point(code, return_addr - 4, target_of(stub, kind));
}

uintptr_t site_function(uintptr_t addr)
{
	uint32_t nr = __atomic_load_n(&nr_codes, __ATOMIC_ACQUIRE);
	struct function_range range;

	for (uint32_t i = 0; i < nr; i++) {
		if (addr - codes[i].begin >= codes[i].end - codes[i].begin)
			continue;
		range = eh_table_find(&codes[i].table, addr);
		return range.end ? range.begin : 0;
	}
	return 0;
}

/*
 * Exits that the compiler made jumps: jmp, jcc, jmp *slot. A jump out of a function to the exit hook is the
 * function's own exit: those of functions inlined into it come before that.
 */
static void leave_by_jumps(uintptr_t function_addr)
{
	const void *hook = hooks[HOOK_EXIT];
	struct code *code = code_at(function_addr);
	struct function_range range =
		code ? eh_table_find(&code->table, function_addr) : (struct function_range){ 0, 0 };
	struct stub *stub = range.end && range.begin == function_addr && range.end <= code->end
				    ? return_stub(code, function_addr, HOOK_EXIT)
				    : NULL;

	for (uintptr_t at = function_addr; stub && at + 5 <= range.end; at++) {
		const uint8_t *byte = (const uint8_t *)at;
		uintptr_t place = at + (byte[0] == 0xe9 ? 1 : 2), target;

		if (place + 4 > range.end)
			continue;
		target = place + 4 + (uintptr_t)(intptr_t)displacement_at(place);
		if (byte[0] == 0xff && byte[1] == 0x25 && slot_holds(code, target, hook))
			point(code, place, target_of(stub, SITE_BY_WORD));
		else if ((byte[0] == 0xe9 || (byte[0] == 0x0f && (byte[1] & 0xf0) == 0x80)) &&
			 leads_to(code, target, hook))
			point(code, place, target_of(stub, SITE_DIRECT));
	}
}

static uint32_t place_of(uintptr_t key)
{
	return (key >> 1) % REFUSED;
}

/* What is recorded of a function depends on where it is called from: then its sites cannot tell. */
static bool depends_on_caller(void)
{
	return selection.has_focus || selection.most_depth;
}

/* Whoever changes a site does so under the lock, and once: what cannot be changed is not tried again. */
static bool begin_change(uintptr_t key)
{
	return !is_refused && refused[place_of(key)] != key && !live_is_sealed() && live.log && try_lock();
}

static void end_change(uintptr_t key, bool is_changed)
{
	if (!is_changed)
		refused[place_of(key)] = key;
	unlock();
}

void site_entered(uint32_t function, uintptr_t return_addr)
{
	if (!depends_on_caller() && begin_change(return_addr))
		end_change(return_addr, count_at(counted_functions[function].addr, return_addr));
}

void site_entered_in_vain(uint64_t function_addr, uintptr_t return_addr)
{
	if (begin_change(return_addr))
		end_change(return_addr, leave_at(function_addr, return_addr, HOOK_ENTER));
}

/* Jumps come with any caller's address, so the function is part of the key. */
void site_left(uint64_t function_addr, uintptr_t return_addr)
{
	const uintptr_t key = return_addr ^ function_addr << 16;
	bool is_call;

	if ((depends_on_caller() && !selection_excludes(function_addr)) || !begin_change(key))
		return;
	is_call = leave_at(function_addr, return_addr, HOOK_EXIT);
	if (!is_call && looked_through[place_of(function_addr)] != function_addr) {
		leave_by_jumps(function_addr);
		looked_through[place_of(function_addr)] = function_addr;
	}
	end_change(key, is_call);
}

bool sites_hold(uintptr_t addr)
{
	uint32_t nr = __atomic_load_n(&nr_codes, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		if (addr - (uintptr_t)__atomic_load_n(&codes[i].stubs, __ATOMIC_RELAXED) < STUBS_BYTES)
			return true;
	return false;
}

void sites_forked(void)
{
	lock = 0; /* of a thread that the child does not have */
}

void sites_log_all(void)
{
	for (uint32_t i = 0; i < nr_sites; i++)
		log_site(i);
}

/* Of a module that is gone. The stubs stay: a thread may be in one. */
void sites_forget(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < nr_codes; i++)
		if (codes[i].begin - begin < end - begin)
			codes[i].begin = codes[i].end = 0;
	for (uint32_t i = 0; i < REFUSED; i++)
		refused[i] = looked_through[i] = 0;
}

#else /* other processors: hooks count */

void site_entered(uint32_t function, uintptr_t return_addr)
{
	(void)function, (void)return_addr;
}

void site_entered_in_vain(uint64_t function_addr, uintptr_t return_addr)
{
	(void)function_addr, (void)return_addr;
}

void site_left(uint64_t function_addr, uintptr_t return_addr)
{
	(void)function_addr, (void)return_addr;
}

uintptr_t site_function(uintptr_t addr)
{
	(void)addr;
	return 0;
}

bool sites_hold(uintptr_t addr)
{
	return addr == 0;
}

void sites_forked(void)
{
}

void sites_log_all(void)
{
}

void sites_forget(uintptr_t begin, uintptr_t end)
{
	(void)begin, (void)end;
}

#endif
