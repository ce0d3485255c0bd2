/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fork in a signal handler that interrupted a hook. The child returns into that hook, which has pointers
 * into the parent's log in its registers. So the child's mapping of that log becomes private memory, and
 * the child is not recorded.
 */
#pragma once

#include "preload/state/live.h"

/*
 * Called before the fork. Return: is there a signal frame between here and @limit_addr on the stack whose
 * handler interrupted code of ours? Notes what the child will need. Interrupted code of a stub begins again.
 */
bool fork_in_hook_find(uintptr_t limit_addr);

/* Called in the child: nothing that it does from now on reaches the parent's log. */
void fork_in_hook_turn_off(void);

/* Called in a child of that child, in which the kernel has wiped live: it is not recorded either. */
void fork_in_hook_stay_off(void);
