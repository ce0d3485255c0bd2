/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an object file calls when its functions begin: our hooks, another tracer's, or nothing. */
#ifndef INSIDEME_SYMBOLS_HOOKS_H
#define INSIDEME_SYMBOLS_HOOKS_H

#include "analyzer/symbols/symbols.h"

enum hooks_kind {
	HOOKS_NONE,			/* none, or the file cannot be read any more */
	HOOKS_CALLED,			/* -finstrument-functions */
	HOOKS_OWN,			/* it defines the hooks itself */
	HOOKS_MCOUNT,
	HOOKS_FENTRY,
	HOOKS_XRAY,
	HOOKS_PATCHABLE,
};

/* By the file's symbols and sections. A file that does not agree with the log says nothing. */
enum hooks_kind symbols_hooks(const struct symbols_file *file);

#endif
