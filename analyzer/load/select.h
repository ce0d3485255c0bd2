/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --focus, --exclude, --depth: judges functions before their calls are read. See analyzer/model/selection.h.
 */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/model/process_filter.h"

/*
 * Judge all functions of logs and saved profiles by @filter (NULL: none), before their calls are read. A
 * pattern that fits no function is reported on stderr, with similar names.
 */
void selection_read(struct model *model, const struct filter *filter);
void selection_release(struct model *model);
