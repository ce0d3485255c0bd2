/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of /proc/PID/cgroup and of the files of control groups: text in, numbers out. LOG_NONE: none. */
#ifndef INSIDEME_RESOURCES_CGROUP_TEXT_H
#define INSIDEME_RESOURCES_CGROUP_TEXT_H

#include <stdint.h>

/* The group's path, up to the end of its line, in "4:memory:/a/b\n..." or (@controller "") "0::/a/b"; NULL: not there. */
const char *cgroup_parse_path(const char *text, const char *controller);
uint64_t cgroup_line_length(const char *line);

/* A number; "max", a negative one and version 1's "no limit" are LOG_NONE. */
uint64_t cgroup_parse_limit(const char *text);

/* "50000 100000" and "max 100000": thousandths of a processor. */
uint64_t cgroup_parse_cpu_max(const char *text);
uint64_t cgroup_cpu_milli(uint64_t quota_us, uint64_t period_us);

/* The number behind @key, which ends with its blank, at the start of a line. */
uint64_t cgroup_parse_key(const char *text, const char *key);
uint64_t cgroup_us_to_ns(uint64_t us);

#endif
