/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses in a saved profile. */
#include "analyzer/profile/profile_losses.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/profile/profile_fields.h"

#define LOSSES_MOST	(INT64_MAX / 64)	/* no run loses more */

static const char *const kept_facts[] = {
	"off",
	"heap_off",
	"heap_sample_off",
	"samples_off",
	"samples_without_callers",
	"sites_off",
	"bypassed",
	"namespaces",
	"cpu_model",
	"setting.INSIDEME_THRESHOLD",
	"setting.INSIDEME_HEAP_SAMPLE",
	"setting.INSIDEME_SNAPSHOT",
	"setting.INSIDEME_SAMPLE",
	"setting.INSIDEME_CALL_LINES",
	"setting.INSIDEME_WAITS",
	"setting.INSIDEME_FOCUS",
	"setting.INSIDEME_EXCLUDE",
	"setting.INSIDEME_KEEP",
	"setting.INSIDEME_DEPTH",
	"setting.INSIDEME_START",
};

json_t *losses_to_json(const uint64_t *losses)
{
	json_t *array = json_array();
	size_t nr = LOG_LOSSES_MAX;

	while (nr && !losses[nr - 1])
		nr--;
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(array, json_integer((json_int_t)losses[i]));
	return array;
}

bool losses_from_json(uint64_t *losses, const json_t *array)
{
	if (!json_is_array(array) || json_array_size(array) > LOG_LOSSES_MAX)
		return false;
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);

		if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		    json_integer_value(value) > LOSSES_MOST)
			return false;
		losses[i] = (uint64_t)json_integer_value(value);
	}
	return true;
}

json_t *facts_to_json(const struct process *process)
{
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(kept_facts) / sizeof(*kept_facts); i++)
		if (process_fact(process, kept_facts[i]))
			json_object_set_new(object, kept_facts[i],
					    text_to_json(process_fact(process, kept_facts[i])));
	return object;
}

bool facts_from_json(struct process *process, const json_t *object)
{
	if (!json_is_object(object))
		return false;
	for (size_t i = 0; i < sizeof(kept_facts) / sizeof(*kept_facts); i++) {
		const json_t *value = json_object_get(object, kept_facts[i]);

		if (value && !json_is_string(value))
			return false;
		if (!value)
			continue;
		APPEND(process->facts, process->nr_facts) =
			(struct text_fact){ xstrdup(kept_facts[i]), (char *)json_string_value(value) };
	}
	return true;
}

void facts_release(struct process *process)
{
	for (size_t i = 0; i < process->nr_facts; i++)
		free(process->facts[i].key);
	free(process->facts);
}
