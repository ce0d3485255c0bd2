/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses in a saved profile: counters, and facts that say what was not recorded. */
#pragma once

#include <jansson.h>

#include "analyzer/model/model.h"

/*
 * Counters [LOG_LOSSES_MAX] to JSON, without zeros at the end, and back. Return: false if it is no such list
 */
json_t *losses_to_json(const uint64_t *losses);
bool losses_from_json(uint64_t *losses, const json_t *array);
/*
 * The facts that doubts.c needs to JSON, and back. Their values belong to @object. Return: false if it has
 * none
 */
json_t *facts_to_json(const struct process *process);
bool facts_from_json(struct process *process, const json_t *object);
/* Release facts that were read. */
void facts_release(struct process *process);
