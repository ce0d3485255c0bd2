/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fork(). Raw clones and _Fork() do not come here: their child opens its log at its first event, with no call
 * open. The handlers are the first to be registered: prepare runs last before the fork, child first after it.
 */
#include "fork.h"

#include "helper.h"
#include "real.h"
#include "stacks.h"

/*
 * The forking thread's open calls, between prepare and the other two. Per thread, since several may fork at
 * once (glibc runs handlers without its lock), and in private memory, since the child must find it: a key.
 */
static pthread_key_t copy_key;		/* set before any thread */
static bool has_key;

/* The heap that a child inherits, as its parent knows it. Forks at one time may mix up theirs: they are as near. */
static int64_t inherited_bytes;

static void prepare(void)
{
	struct log_header *log = live.log;
	struct open_calls *copy;

	helper_pause();
	if (!log || !self)
		return;
	inherited_bytes = log->heap_total_bytes + self->heap_held_bytes;
	copy = has_key ? stack_copy_open(self) : NULL;
	if (copy)
		libc.pthread_setspecific(copy_key, copy);
}

static struct open_calls *take_copy(void)
{
	struct open_calls *copy = has_key ? libc.pthread_getspecific(copy_key) : NULL;

	if (copy)
		libc.pthread_setspecific(copy_key, NULL);
	return copy;
}

static void in_parent(void)
{
	struct open_calls *copy = take_copy();

	helper_resume_later();
	if (copy)
		open_calls_free(copy);
}

static void in_child(void)
{
	struct open_calls *copy = take_copy();
	struct log_thread *thread = live_open_child() ? thread_self() : NULL;

	if (thread)
		__atomic_fetch_add(&live.log->heap_total_bytes, inherited_bytes, __ATOMIC_RELAXED);
	if (!copy)
		return;
	if (thread)
		stack_open_again(thread, copy);
	open_calls_free(copy);
}

void fork_init(void)
{
	has_key = libc.pthread_key_create(&copy_key, NULL) == 0;
	/* What pthread_atfork() calls, which is in a static part of libc and wants its crt files. */
	libc.__register_atfork(prepare, in_parent, in_child, NULL);
}
