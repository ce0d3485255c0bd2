/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Return addresses that are not addresses of code. If code moved the stack pointer and its unwind tables do
 * not say so, as in some assembly, libgcc takes whatever it finds for a return address, and reads the code
 * there. No throw happens in the middle of such code, but a sample may. So we answer when libgcc asks the
 * dynamic linker for tables: for an address that cannot be read, it gets a table that makes it give up. An
 * exception that reaches such an address ends the program, which would have crashed.
 */
#include <dlfcn.h>
#include <errno.h>

#include "preload/common/base/syscalls.h"
#include "preload/objects/next_functions.h"
#include "preload/state/live.h"

#define NO_QUESTION	99	/* no way to change the mask of signals */
#define MASK_BYTES	8
#define NO_CODE		(1ull << 63)	/* an address where no code is */

/*
 * .eh_frame_hdr without a search table, and .eh_frame: one entry for all addresses, with an unknown
 * augmentation, so that unwinders give up.
 */
static const struct {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame_distance;
	struct {
		uint32_t bytes, id;
		uint8_t version;
		char augmentation[2];
		uint8_t code_align, data_align, return_register, rules[2];
	} common;
	struct {
		uint32_t bytes, to_common;
		uint64_t begin, range;
	} entry;
	uint32_t end;
} tables = {
	.version = 1,
	.frame_encoding = 0x1b,	/* relative to here, 4 bytes */
	.count_encoding = 0xff,
	.table_encoding = 0xff,
	.frame_distance = sizeof(int32_t),
	.common = { .bytes = sizeof(tables.common) - 4, .version = 1, .augmentation = "?", .code_align = 1 },
	.entry = { .bytes = sizeof(tables.entry) - 4,
		   .to_common = sizeof(tables.common) + 4,
		   .begin = NO_CODE,
		   .range = UINT64_MAX },
};
_Static_assert(sizeof(tables.common) % sizeof(uint64_t) == 0, "the entry follows without a gap");

/*
 * The kernel reads the mask before it finds that there is nothing to do. Address 0 means that no mask is
 * given.
 */
static bool is_mask(uintptr_t addr)
{
	return addr &&
	       raw_syscall(SYS_rt_sigprocmask, NO_QUESTION, (long)addr, 0, MASK_BYTES, 0, 0) != -EFAULT;
}

/* libgcc compares with a signal's return, which begins one byte later. */
static bool is_readable(uintptr_t addr)
{
	return live_is_sealed() || (is_mask(addr) && is_mask(addr + MASK_BYTES));
}

EXPORT int _dl_find_object(void *pc, struct dl_find_object *found);
EXPORT int _dl_find_object(void *pc, struct dl_find_object *found)
{
	if (unlikely(!libc._dl_find_object))
		real_init();
	if (!libc._dl_find_object)
		return -1;
	if (libc._dl_find_object(pc, found) == 0)
		return 0;
	if (is_readable((uintptr_t)pc))
		return -1;
	*found = (struct dl_find_object){ .dlfo_eh_frame = (void *)&tables };
	return 0;
}
