/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments of code, memory near them, and the stubs in it. */
#include "preload/calls/stubs.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"

#define CODES_MAX 64u /* segments of code whose sites are changed */
#define STUB_BYTES 64u
#define STUBS_MAX 16384u /* of one segment: room for all counters, and as many that only return */
#define STUBS_BYTES (STUBS_MAX * STUB_BYTES)
#define DETOUR_BLOCKS 32u /* of 64 KiB: a detour for 2 bytes in each; in the first 256 for 1 byte */
#define DETOUR_BLOCK_BYTES 65536u
#define ALL_BYTES (STUBS_BYTES + DETOUR_BLOCKS * DETOUR_BLOCK_BYTES) /* of addresses; few pages are touched */
#define REACH (1ll << 31)  /* of a displacement */
#define NEAR_STEP 65536u   /* first places tried for stubs */
#define FAR_STEP (16u << 20)
#define LANDING_BYTES 4u
#define RETURN 0xc3
#define JUMP 0xe9
#define NO_COUNTER LOG_COUNTERS

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

void *const hook_functions[NR_HOOKS] = { (void *)__cyg_profile_func_enter, (void *)__cyg_profile_func_exit };

/*
 * 	cmp function(%rip), %rdi; jne 1f; mov %fs:counters, %rax; test %rax, %rax; je 1f
 * 	incq 8 * number(%rax); ret
 * 1:	jmp *hook(%rip)
 *
 * A hook's caller expects nothing of %rax. Compilers merge the equal ends of inlined functions, so calls of
 * several functions can use one site: calls of other functions go on to the hook. So do calls in a thread
 * that has no counters yet. A site that calls by a word of memory uses .self as that word.
 */
struct stub {
	uint8_t landing[4]; /* endbr64: some sites call by a word of memory */
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

LARGE static struct code codes[CODES_MAX];
static uint32_t nr_codes; /* atomic */
static bool is_refused;

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

/* Does all of @code reach all of the memory that begins at @place? */
static bool reaches(const struct code *code, uintptr_t place)
{
	uintptr_t low = place < code->begin ? place : code->begin;
	uintptr_t high = place + ALL_BYTES > code->end ? place + ALL_BYTES : code->end;

	return high - low < (uintptr_t)REACH;
}

/*
 * A place for the segment's stubs. Stubs of a module that is gone are tried first: a plugin that is loaded
 * again is mostly put where it was.
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

struct code *code_at(uintptr_t addr)
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

uintptr_t code_function(uintptr_t addr)
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

void codes_forget(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < nr_codes; i++)
		if (codes[i].begin - begin < end - begin)
			codes[i].begin = codes[i].end = 0;
}

static bool protect(uintptr_t addr, uintptr_t bytes, int protection)
{
	const uintptr_t page = live.log->page_bytes, begin = addr & ~(page - 1),
			end = (addr + bytes + page - 1) & ~(page - 1);

	return !sys_failed(raw_syscall(SYS_mprotect, (long)begin, (long)(end - begin), protection, 0, 0, 0));
}

void stubs_refuse(const char *why)
{
	if (!is_refused)
		log_write_text(live.log, "sites_off", why, now_ticks());
	is_refused = true;
}

bool stubs_are_refused(void)
{
	return is_refused;
}

bool code_store(const struct code *code, uintptr_t at, const uint8_t bytes[4])
{
	uint32_t word;

	__builtin_memcpy(&word, bytes, sizeof(word));
	if (!protect(at, sizeof(word), PROT_READ | PROT_WRITE | PROT_EXEC)) {
		stubs_refuse("the kernel lets the program's code not be changed");
		return false;
	}
	*(volatile uint32_t *)at = word;
	protect(at, sizeof(word), code->protection);
	return true;
}

/* ---- stubs ---- */

static bool map_stubs(struct code *code, uintptr_t place)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
	long got = is_refused ? -ENOMEM
			      : sys_mmap((void *)place, ALL_BYTES, PROT_NONE, flags, -1, 0);

	if (got == -ENOMEM || got == -EAGAIN) /* a limit: another place would not help */
		stubs_refuse("there is no memory near the program's code");
	if (sys_failed(got))
		return false;
	if ((uintptr_t)got != place) { /* before Linux 4.17 the flag is not known */
		sys_munmap((void *)got, ALL_BYTES);
		return false;
	}
	/* mlockall() does not lock it: pages are added as they are needed. */
	raw_syscall(SYS_munlock, (long)place, ALL_BYTES, 0, 0, 0, 0);
	if (!protect(place, sizeof(hook_functions), PROT_READ | PROT_WRITE)) {
		stubs_refuse("there is no memory near the program's code");
		sys_munmap((void *)place, ALL_BYTES);
		return false;
	}
	__builtin_memcpy((void *)place, hook_functions, sizeof(hook_functions));
	code->nr_stubs = 1;
	code->nr_detours[0] = code->nr_detours[1] = 0;
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

/* The memory at @place is written now. Other threads may run what lies beside it in its page. */
static bool unlock_stub(uintptr_t place, uintptr_t bytes)
{
	if (protect(place, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
		return true;
	stubs_refuse("the kernel lets no memory be made executable");
	return false;
}

/* The end of a member, from which the offset stored in it counts: the begin of the next one. */
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
	if (!unlock_stub((uintptr_t)place, STUB_BYTES))
		return NULL;
	if (counter == NO_COUNTER)
		stub.load[0] = RETURN;
	stub.hook_offset = (int32_t)((intptr_t)code->stubs + (intptr_t)(hook * sizeof(hook_functions[0])) -
				     (intptr_t)&place->hook);
	stub.self = (uintptr_t)place;
	*place = stub;
	protect((uintptr_t)place, STUB_BYTES, PROT_READ | PROT_EXEC);
	code->nr_stubs++;
	return place;
}

struct stub *stub_counting(struct code *code, uint64_t function_addr, uint32_t counter)
{
	return new_stub(code, function_addr, HOOK_ENTER, counter);
}

struct stub *stub_returning(struct code *code, uint64_t function_addr, enum hook hook)
{
	for (uint32_t i = code->nr_stubs; i-- > 1;)
		if (code->stubs[i].load[0] == RETURN && code->stubs[i].function_addr == function_addr &&
		    code->stubs[i].hook == hook)
			return &code->stubs[i];
	return new_stub(code, function_addr, hook, NO_COUNTER);
}

uintptr_t stub_target(const struct stub *stub, bool by_word)
{
	return by_word ? (uintptr_t)&stub->self : (uintptr_t)stub + LANDING_BYTES;
}

/* The place of the next detour. 0: there are too many. */
static uintptr_t detour_place(struct code *code, uint32_t nr_bytes, uintptr_t like)
{
	const uintptr_t step = 1ul << 8 * nr_bytes, blocks = (uintptr_t)code->stubs + STUBS_BYTES;
	uint32_t *nr = &code->nr_detours[nr_bytes - 1];

	if (nr_bytes == 1)
		return *nr < DETOUR_BLOCK_BYTES / step ? blocks + (*nr)++ * step + like % step : 0;
	return *nr + 1 < DETOUR_BLOCKS ? blocks + ++(*nr) * step + like % step : 0;
}

uintptr_t stub_detour(struct code *code, const struct stub *stub, bool by_word, uint32_t nr_bytes,
		      uintptr_t like)
{
	const uintptr_t place = detour_place(code, nr_bytes, like), target = stub_target(stub, false);
	const int32_t distance = (int32_t)((intptr_t)target - (intptr_t)place - 5);

	if (!place || !unlock_stub(place, sizeof(uintptr_t)))
		return 0;
	if (by_word) {
		*(uintptr_t *)place = (uintptr_t)stub;
	} else {
		*(uint8_t *)place = JUMP;
		__builtin_memcpy((uint8_t *)place + 1, &distance, sizeof(distance));
	}
	protect(place, sizeof(uintptr_t), PROT_READ | PROT_EXEC);
	return place;
}

/* The stub area that @addr is in: its offset there; UINTPTR_MAX: it is in none. */
static uintptr_t offset_in_stubs(uintptr_t addr)
{
	uint32_t nr = __atomic_load_n(&nr_codes, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++) {
		uintptr_t stubs = (uintptr_t)__atomic_load_n(&codes[i].stubs, __ATOMIC_RELAXED);

		if (stubs && addr - stubs < ALL_BYTES)
			return addr - stubs;
	}
	return UINTPTR_MAX;
}

bool stubs_hold(uintptr_t addr)
{
	return offset_in_stubs(addr) != UINTPTR_MAX;
}

uintptr_t stub_restart(uintptr_t addr)
{
	const uintptr_t at = addr % STUB_BYTES;

	return offset_in_stubs(addr) < STUBS_BYTES && at > offsetof(struct stub, load) &&
			       at <= offsetof(struct stub, increment)
		       ? addr - at
		       : addr;
}
