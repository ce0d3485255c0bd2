/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the kernel where a stack lies in memory. */
#include <errno.h>
#include <signal.h>

#include "preload/common/base/text.h"
#include "preload/objects/fork_gate.h"
#include "preload/stacks/frames.h"

#define BLOCK 512u /* on a stack that may be small; the kernel keeps the rest of what it wrote */
#define GROWTH_GAP	(1u << 20)	/* the kernel keeps this much free below a stack that may grow */

/* Read a hexadecimal number at *@at, and move *@at behind it. */
static uintptr_t read_hex(const char **at)
{
	uintptr_t value = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uintptr_t)(c - 'a' + 10);
		else
			return value;
	}
}

static bool on_signal_stack(uintptr_t addr, uintptr_t *low, uintptr_t *high)
{
	stack_t stack;

	if (raw_syscall(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) < 0 || stack.ss_flags & SS_DISABLE)
		return false;
	*low = (uintptr_t)stack.ss_sp;
	*high = *low + stack.ss_size;
	return addr >= *low && addr < *high;
}

/* One line of a maps file, zero-terminated; does it hold @addr? */
static bool line_holds(const char *line, const char *end, uintptr_t addr, uintptr_t *low, uintptr_t *high,
		       enum stack_kind *kind)
{
	static const char stack[] = "[stack]";

	*low = read_hex(&line);
	if (*line++ != '-')
		return false;
	*high = read_hex(&line);
	*kind = STACK_OR_SEVERAL;
	if (end - line > (long)sizeof(stack) && text_equal(end - sizeof(stack) + 1, stack)) {
		*low -= GROWTH_GAP;
		*kind = STACK_ALONE;
	}
	return addr >= *low && addr < *high;
}

static int range_in_maps(uintptr_t addr, uintptr_t *low, uintptr_t *high, enum stack_kind *kind)
{
	char buffer[BLOCK];
	bool found = false, is_cut = false; /* the begin of the line is lost: it has a long file name */
	long fd, length, kept = 0;

	fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return -ENOENT;
	while (!found && (length = sys_read((int)fd, buffer + kept, BLOCK - (size_t)kept)) > 0) {
		char *line = buffer, *limit = buffer + kept + length;

		for (char *p = buffer + kept; p < limit && !found; p++) {
			if (*p != '\n')
				continue;
			*p = '\0';
			found = !is_cut && line_holds(line, p, addr, low, high, kind);
			is_cut = false;
			line = p + 1;
		}
		kept = limit - line;
		if (kept == BLOCK) {
			is_cut = true;
			kept = 0;
		}
		for (long i = 0; i < kept; i++)
			buffer[i] = line[i];
	}
	sys_close((int)fd);
	return found ? 0 : -ENOENT;
}

int stack_range(uintptr_t addr, uintptr_t *low, uintptr_t *high, enum stack_kind *kind)
{
	uint64_t mask;
	int error;

	*kind = STACK_ALONE;
	if (live_is_sealed())
		return -ENOENT;
	if (on_signal_stack(addr, low, high)) {
		*kind = STACK_OF_SIGNALS;
		return 0;
	}
	sys_block_signals(&mask);	/* a handler that jumps away would leave the descriptor open */
	moment_begin();
	error = range_in_maps(addr, low, high, kind);
	moment_end();
	sys_restore_signals(&mask);
	return error;
}
