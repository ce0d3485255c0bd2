/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what the calling process uses. */
#include "preload/common/log/rusage.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "insideme_log.h"
#include "preload/common/base/syscalls.h"

#define READ_AGAIN 3

static bool read_rusage(int who, struct rusage *usage)
{
	return raw_syscall(SYS_getrusage, who, (long)usage, 0, 0, 0, 0) == 0;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

void usage_read_totals(struct usage_totals *totals)
{
	struct rusage usage;

	*totals = (struct usage_totals){ 0, 0, 0 };
	if (!read_rusage(RUSAGE_SELF, &usage))
		return;
	totals->user_ns = timeval_ns(&usage.ru_utime);
	totals->system_ns = timeval_ns(&usage.ru_stime);
	totals->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

int own_use_add(struct own_use *own)
{
	struct rusage usage;

	if (!read_rusage(RUSAGE_THREAD, &usage))
		return -EINVAL;
	own->user_ns += timeval_ns(&usage.ru_utime);
	own->system_ns += timeval_ns(&usage.ru_stime);
	own->minor_faults += (uint64_t)usage.ru_minflt;
	own->major_faults += (uint64_t)usage.ru_majflt;
	own->voluntary_switches += (uint64_t)usage.ru_nvcsw;
	own->involuntary_switches += (uint64_t)usage.ru_nivcsw;
	return 0;
}

/*
 * From inside, the kernel reports times to the microsecond, and the switches of all threads,
 * including ended ones.
 */
static void set_from_rusage(const struct rusage *all, const struct own_use *own, struct figures *figures)
{
	figures->cpu_ns = figure_less(timeval_ns(&all->ru_utime) + timeval_ns(&all->ru_stime),
				      own->user_ns + own->system_ns);
	figures->user_ns = figure_less(timeval_ns(&all->ru_utime), own->user_ns);
	figures->system_ns = figure_less(timeval_ns(&all->ru_stime), own->system_ns);
	figures->minor_faults = figure_less((uint64_t)all->ru_minflt, own->minor_faults);
	figures->major_faults = figure_less((uint64_t)all->ru_majflt, own->major_faults);
	figures->voluntary_switches = figure_less((uint64_t)all->ru_nvcsw, own->voluntary_switches);
	figures->involuntary_switches = figure_less((uint64_t)all->ru_nivcsw, own->involuntary_switches);
}

static bool has_switched(const struct own_use *before, const struct own_use *now)
{
	return now->involuntary_switches != before->involuntary_switches ||
	       now->voluntary_switches != before->voluntary_switches;
}

/* A switch between the two readings would be in one of them only, and the process's figures would fall. */
void own_use_read(const struct own_use *earlier, struct figures *figures)
{
	struct own_use before, own = *earlier;
	struct rusage all;
	int tries = READ_AGAIN;

	if (own_use_add(&own) < 0)
		return;
	do {
		before = own;
		own = *earlier;
		if (!read_rusage(RUSAGE_SELF, &all) || own_use_add(&own) < 0)
			return;
	} while (has_switched(&before, &own) && tries-- > 0);
	set_from_rusage(&all, &own, figures);
}

uint64_t own_use_read_all(struct figures *figures)
{
	const struct own_use none = { 0 };
	struct rusage all;

	if (!read_rusage(RUSAGE_SELF, &all))
		return LOG_NONE;
	set_from_rusage(&all, &none, figures);
	return (uint64_t)all.ru_maxrss * 1024;
}

uint64_t own_use_child_faults(void)
{
	struct rusage children;

	return read_rusage(RUSAGE_CHILDREN, &children) ? (uint64_t)children.ru_minflt : LOG_NONE;
}
