/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was lost, in a saved profile: counters, and facts that say what was not recorded. */
#ifndef INSIDEME_PROFILE_LOSSES_H
#define INSIDEME_PROFILE_LOSSES_H

#include <jansson.h>

#include "analyzer/model/model.h"

/* Counters [LOG_LOSSES_MAX], without zeros at the end, and back. Return: false: these are none */
json_t *losses_to_json(const uint64_t *losses);
bool losses_from_json(uint64_t *losses, const json_t *array);
/* Facts that findings.c asks for, and back, with values that are @object's. Return: false: these are none */
json_t *facts_to_json(const struct process *process);
bool facts_from_json(struct process *process, const json_t *object);
/* Facts that were read. */
void facts_release(struct process *process);

#endif
