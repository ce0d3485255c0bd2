/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of many processes to show. */
#ifndef INSIDEME_BUSIEST_H
#define INSIDEME_BUSIEST_H

#include "analyzer/model/model.h"

/*
 * At most @max processes, those first whose readings of a column of the set "process" are highest; of a column that
 * only grows: grew most. Processes that have none come last, in their order. Return: how many are in @busiest.
 */
size_t busiest_processes(const struct model *model, const char *column, struct process **busiest, size_t max);

#endif
