/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that are not freed on purpose, in LeakSanitizer's file format: lines "leak:PATTERN"; # begins a
 * comment. A pattern is searched for in the function, source file and object of each call on the path that
 * allocated. * stands for anything, ^ for the begin, $ for the end.
 */
#pragma once

#include "analyzer/model/model.h"

/*
 * Take what the file @path suppresses out of what was not freed, and count it in @model->suppressed. After
 * resolve_names(). Return: 0, or -1 after an error().
 */
int suppressions_apply(struct model *model, const char *path);

/* Does @text match? */
bool suppression_matches(const char *pattern, const char *text);
