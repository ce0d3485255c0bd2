/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/memory_limits.h"

#include "analyzer/read/nodes_read.h"

void memory_limits_read(struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++) {
		struct event *event = &process->events[i];

		if (event->kind == LOG_EVENT_MEMORY_PATH && event->thread && event->values[0] <= UINT32_MAX)
			event->node = nodes_path(event->thread, (uint32_t)event->values[0]);
	}
}
