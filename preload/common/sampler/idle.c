/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a process has been idle, and how seldom it is looked at for that. */
#include "preload/common/sampler/idle.h"

#include "insideme_log.h"

#define MS		1000000u
#define USED_NS		20000u		/* either way: less is what readings of two clocks are off by */
#define LOOK_PART	64u		/* of the time that it has been idle */
#define LOOK_MOST_NS	(100u * MS)
#define REST_PART	8u
#define REST_MOST_NS	(5000ull * MS)

bool idle_look(struct idle *idle, uint64_t cpu_ns, uint64_t now_ns, uint64_t ticks)
{
	uint64_t used_ns = cpu_ns > idle->cpu_ns ? cpu_ns - idle->cpu_ns : idle->cpu_ns - cpu_ns;
	bool was_idle = idle->since_ns;

	if (cpu_ns == LOG_NONE || used_ns >= USED_NS) {
		idle->cpu_ns = cpu_ns;
		idle->since_ns = 0;
		return was_idle;
	}
	if (!was_idle)
		idle->since_ns = now_ns;
	idle->seen_ns = now_ns;
	idle->seen_ticks = ticks;
	return false;
}

uint64_t idle_rest_ns(const struct idle *idle)
{
	uint64_t rest_ns = idle->since_ns ? (idle->seen_ns - idle->since_ns) / REST_PART : 0;

	return rest_ns < REST_MOST_NS ? rest_ns : REST_MOST_NS;
}

uint64_t idle_next_ns(const struct idle *idle, uint64_t interval_ns)
{
	uint64_t most_ns = (idle->seen_ns - idle->since_ns) / LOOK_PART, period_ns = interval_ns;

	if (most_ns > LOOK_MOST_NS)
		most_ns = LOOK_MOST_NS;
	while (period_ns * 2 <= most_ns)
		period_ns *= 2;
	return (idle->seen_ns / period_ns + 1) * period_ns;
}
