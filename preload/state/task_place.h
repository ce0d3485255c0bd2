/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for a task of the library's own: behind each other guard, stack, TLS block and whatever state the task has. */
#ifndef INSIDEME_TASK_PLACE_H
#define INSIDEME_TASK_PLACE_H

#include <stddef.h>

struct task_place {
	char *guard;
	char *stack_end;
	char *tls;		/* where the thread pointer points to */
};

/* What must be there besides the state, where the program has little thread-local memory. */
#define TASK_PLACE_BYTES (200u << 10)

/*
 * Find room for a task with @state_bytes of state: in the @own_bytes at @own, or in a mapping where these are too few.
 * Return: the state, or NULL. A task that only sleeps touches one page: the top of its stack, its thread pointer and
 * the first KiB of the state.
 */
void *task_place_find(struct task_place *place, char *own, size_t own_bytes, size_t state_bytes);

/* Have the guard end who grows into it. Until then there is none, as it costs a short program more than its task. */
void task_place_guard(const struct task_place *place);

#endif
