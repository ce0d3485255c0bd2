/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions to compile without hooks: those whose calls are over before the hooks are. */
#ifndef INSIDEME_EXCLUDES_H
#define INSIDEME_EXCLUDES_H

#include "model.h"

#define SHORT_CALL_NS 100	/* self time of a call, most of it the hooks' own */

struct excludes {
	char *files;			/* for gcc's exclude-file-list, "" if none */
	char *functions;		/* for gcc's exclude-function-list, "" if none */
	uint64_t short_calls;		/* of functions whose calls are that short */
	uint64_t calls_left;		/* that would be recorded still, at most */
};

/* @model: with names. */
void excludes_find(struct excludes *excludes, const struct model *model);
void excludes_release(struct excludes *excludes);

bool excludes_is_short(const struct function *function);

#endif
