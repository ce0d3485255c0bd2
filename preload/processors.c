/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Affinities. The kernel keeps what was asked for beside what is in force, and children inherit both. */
#include "processors.h"

#include <sched.h>
#include <sys/prctl.h>

#include "process_id.h"
#include "syscalls.h"
#include "text.h"

#define WORD_BITS	64
#define WORDS		128	/* of a kernel with more processors nothing is known */

uint32_t processors_online(void)
{
	uint64_t first, last, count = 0;
	char content[512];
	const char *at = content;

	if (read_file("/sys/devices/system/cpu/online", content, sizeof(content)) <= 0)
		return 0;
	for (;; at++) {		/* 0-3,6,8-11 */
		if (text_read_u64(&at, &first) < 0)
			return 0;
		last = first;
		if (*at == '-' && (at++, text_read_u64(&at, &last) < 0))
			return 0;
		count += last - first + 1;
		if (*at != ',')
			return (uint32_t)count;
	}
}

/* Return: bytes of a mask of this kernel, or -errno. */
static long count_allowed(uint32_t *count)
{
	uint64_t mask[WORDS];
	long bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof(mask), (long)mask, 0, 0, 0);

	*count = 0;
	for (long i = 0; i < bytes / (long)sizeof(mask[0]); i++)
		*count += (uint32_t)__builtin_popcountll(mask[i]);
	return bytes;
}

static bool may_run_on(uint32_t nr_online)
{
	uint32_t count;

	return count_allowed(&count) > 0 && count == nr_online;
}

/* Under a filter that came with the program a call may be its end. Who has real-time priority may never let a task of its run. */
static bool may_be_bound(void)
{
	return raw_syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) == 0 &&
	       raw_syscall(SYS_sched_getscheduler, 0, 0, 0, 0, 0, 0) == SCHED_OTHER;
}

bool processors_stay(uint32_t nr_online)
{
	uint64_t mask[WORDS];
	unsigned own, words;

	if (nr_online < 2 || !may_be_bound() || !may_run_on(nr_online) ||
	    raw_syscall(SYS_getcpu, (long)&own, 0, 0, 0, 0, 0) < 0 || own >= WORDS * WORD_BITS)
		return false;
	words = own / WORD_BITS + 1;
	for (unsigned i = 0; i < words; i++)
		mask[i] = i + 1 < words ? 0 : 1ull << own % WORD_BITS;
	return raw_syscall(SYS_sched_setaffinity, 0, words * sizeof(mask[0]), (long)mask, 0, 0, 0) == 0;
}

/* All there may ever be, not those of now: others would be missing where the machine or the container gets more. */
void processors_roam(void)
{
	uint64_t mask[WORDS];
	uint32_t count;
	long bytes = count_allowed(&count);

	if (bytes <= 0 || count != 1)
		return;
	for (long i = 0; i < bytes / (long)sizeof(mask[0]); i++)
		mask[i] = ~0ull;
	raw_syscall(SYS_sched_setaffinity, 0, bytes, (long)mask, 0, 0, 0);
}
