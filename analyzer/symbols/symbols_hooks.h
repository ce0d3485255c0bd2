/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which hooks the functions of an object file call: ours, another tracer's, or none. */
#pragma once

#include "analyzer/symbols/symbols.h"

enum hooks_kind {
	HOOKS_NONE,			/* no hooks, or the file can no longer be read */
	HOOKS_CALLED,			/* -finstrument-functions */
	HOOKS_OWN,			/* the file defines the hooks itself */
	HOOKS_MCOUNT,
	HOOKS_FENTRY,
	HOOKS_XRAY,
	HOOKS_PATCHABLE,
};

/* Find out from symbols and sections. A file that does not match the log yields HOOKS_NONE. */
enum hooks_kind symbols_hooks(const struct symbols_file *file);
