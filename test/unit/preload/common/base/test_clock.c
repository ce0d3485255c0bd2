/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/base/clock.h: from times in ns of the kernel to ticks. */

#include "preload/common/base/clock.h"
#include "test/unit/unit.h"

#define SECOND_NS	1000000000ull

/* A counter of 3 GHz, in a log of a week. */
static const struct log_clocks start = { .ticks = 1000, .monotonic_ns = 5 * SECOND_NS };
static const struct log_clocks now = { .ticks = 1000 + 604800 * 3 * SECOND_NS,
				       .monotonic_ns = (5 + 604800) * SECOND_NS };

/* Also for a process that was stopped for a day. */
TEST(test_ticks_of_an_earlier_time)
{
	static const uint64_t ago_ns[] = {
		0, 1, 1000, SECOND_NS, 600 * SECOND_NS, 86400 * SECOND_NS, 604800 * SECOND_NS
	};

	for (size_t i = 0; i < sizeof(ago_ns) / sizeof(*ago_ns); i++)
		assert_int_equal(clock_ticks_at(LOG_CLOCK_TSC, &start, &now, now.monotonic_ns - ago_ns[i]),
				 now.ticks - 3 * ago_ns[i]);
	assert_int_equal(clock_ticks_at(LOG_CLOCK_MONOTONIC, &start, &now, 77), 77);
	assert_int_equal(clock_ticks_at(LOG_CLOCK_TSC, &start, &start, start.monotonic_ns), start.ticks);
}
