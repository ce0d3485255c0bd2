/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGBUS in a mapped log: a page of zeros replaces the page that is gone. */
#include "analyzer/base/sigbus_guard.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/base/error.h"

struct range {
	uintptr_t begin;
	uintptr_t end;
};

/*
 * Changed by sigbus_guard_add() and sigbus_guard_remove() alone, which read no mapped file meanwhile.
 * Read by the handler.
 */
static struct range *ranges;
static size_t nr_ranges;
static uintptr_t page_bytes;

static void replace_page(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr, page = addr & ~(page_bytes - 1);

	for (size_t i = 0; i < nr_ranges; i++) {
		if (addr < ranges[i].begin || addr >= ranges[i].end)
			continue;
		if (mmap((void *)page, page_bytes, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED)
			break;
		return;
	}
	signal(signal_number, SIG_DFL);	/* not ours: return, fault again and die */
}

void sigbus_guard_add(const void *base, size_t bytes)
{
	struct sigaction action = { .sa_sigaction = replace_page, .sa_flags = SA_SIGINFO };

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
	APPEND(ranges, nr_ranges) = (struct range){ (uintptr_t)base, (uintptr_t)base + bytes };
}

/* The slot stays: xgrow() relies on nr_ranges never falling. */
void sigbus_guard_remove(const void *base)
{
	for (size_t i = 0; i < nr_ranges; i++)
		if (ranges[i].begin == (uintptr_t)base)
			ranges[i] = (struct range){ 0, 0 };
}
