/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program's ELF files say about what can be recorded. */
#ifndef INSIDEME_MONITOR_CHECK_OBJECTS_H
#define INSIDEME_MONITOR_CHECK_OBJECTS_H

#include "preload/monitor/check/check.h"
#include "preload/monitor/check/check_finding.h"
#include "preload/monitor/check/ld_so_list.h"

void check_functions(const struct check *check, const struct objects_of *objects, struct finding *finding);
void check_names(const struct check *check, const struct objects_of *objects, struct finding *finding);
void check_heap(const struct check *check, const struct objects_of *objects, struct finding *finding);
void check_sanitizer(const struct check *check, const struct objects_of *objects, struct finding *finding);

#endif
