/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrapper of dlclose: the objects that it unloads are recorded as gone. */
#include <dlfcn.h>

#include "preload/objects/next_functions.h"
#include "preload/state/process_entry.h"
#include "preload/state/foreign_hooks.h"
#include "preload/state/modules.h"

EXPORT int dlclose(void *handle)
{
	int result;

	if (!real_find(dlclose))
		return -1;
	if (unlikely(!live.log) && entry_is_program() && foreign_hooks_is_possible())
		live_open_child();
	foreign_hooks_look(handle);
	result = real.dlclose(handle);
	modules_look();
	return result;
}
