/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of objects that the report could not open: deleted, replaced, or in another root. */
#pragma once

#include "preload/monitor/stacks/target_process.h"

/*
 * Keep the file of @object as object-BUILD_ID in @directory, the run's, unless it is at its path as this
 * process sees it. Without a build-id, or without the right to open the file, no copy is made: then the
 * report says that the file is gone.
 */
void object_keep(const struct target *target, const struct target_object *object, const char *directory);
