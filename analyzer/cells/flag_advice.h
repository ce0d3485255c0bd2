/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions to compile without hooks: those whose calls take little more than the hooks do. */
#pragma once

#include "analyzer/model/model.h"

#define SHORT_CALL_NS 100	/* self time of a call, much of it the hooks' doing */
#define SHORT_COUNTED_NS 30	/* the same of a call that was only counted, which costs less */

struct excludes {
	char *files;			/* for gcc's exclude-file-list, "" if none */
	char *functions;		/* for gcc's exclude-function-list, "" if none */
	uint64_t short_calls;		/* of functions whose calls are that short */
	uint64_t counted_calls;		/* those of them that were only counted, but for the first ones */
	double short_hooks_ns;		/* what the hooks of these cost; 0: it is not known */
	uint64_t calls_left;		/* that would be recorded still, at most */
};

/* @model: with names. */
void excludes_find(struct excludes *excludes, const struct model *model);
void excludes_release(struct excludes *excludes);

bool excludes_is_short(const struct function *function);
/* Do its hooks cost more than its work? False where it is not known. */
bool excludes_is_dear(const struct function *function);
