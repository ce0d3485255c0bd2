/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libc keeps the data of a locale until the end: no leak of the function that asked for the locale. */
#include <locale.h>

#include "preload/heap/heap.h"
#include "preload/objects/next_functions.h"

/* Is what libc allocates from now on its own? A handler's fork may have changed the thread's record. */
static void keep(bool is_kept)
{
	struct log_thread *thread = heap_thread_inside();

	if (thread && is_kept)
		thread->heap_inside |= HEAP_FOR_RUNTIMES;
	else if (thread)
		thread->heap_inside &= ~HEAP_FOR_RUNTIMES;
}

EXPORT char *setlocale(int category, const char *locale)
{
	char *name;

	if (!real_find(setlocale))
		return NULL;
	keep(locale);
	name = real.setlocale(category, locale);
	keep(false);
	return name;
}
