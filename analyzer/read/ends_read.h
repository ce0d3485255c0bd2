/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each process of a run ended: by its own log, its successor's, and insideme-run's. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Set end_kind and the fields that belong to it of all processes, and model->unseen. After records_read() of
 * all.
 */
void ends_find(struct model *model);

/* "exit status 0", "killed by SIGKILL" */
const char *process_end_text(const struct process *process, char *out, size_t bytes);

/* false: nothing saw the end. The process lasted at least until process->last, the last that it recorded. */
bool process_end_is_timed(const struct process *process);
