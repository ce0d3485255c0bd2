/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses the text of /proc: of /proc/PID/{stat,statm,io,status,schedstat,smaps_rollup}, of
 * /proc/{stat,meminfo,loadavg,diskstats,net/dev} and of /proc/pressure. Text goes in, a struct
 * comes out; no process, clock or file is touched. This is the sampler's fast path: it parses some
 * 700 bytes a hundred times a second. All texts end with 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

static ALWAYS_INLINE bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Move *@at past @count fields and the blanks before each. Return: false when the text ends early. */
static ALWAYS_INLINE bool scan_skip(const char **at, int count)
{
	const char *p = *at;

	while (count-- > 0) {
		while (*p == ' ')
			p++;
		if (!*p || *p == '\n')
			return false;
		while (*p && *p != ' ' && *p != '\n')
			p++;
	}
	*at = p;
	return true;
}

/* Read a number after blanks or tabs. Return: false without a digit, or when the number does not fit. */
static ALWAYS_INLINE bool scan_number(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t value = 0;

	while (*p == ' ' || *p == '\t')
		p++;
	if (!scan_is_digit(*p))
		return false;
	for (; scan_is_digit(*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (unlikely(value > UINT64_MAX / 10 ||
			     (value == UINT64_MAX / 10 && digit > UINT64_MAX % 10)))
			return false;
		value = value * 10 + digit;
	}
	*at = p;
	*number = value;
	return true;
}

/* The line after the one at @line, or the end of the text. */
static inline const char *scan_next_line(const char *line)
{
	while (*line && *line != '\n')
		line++;
	return *line ? line + 1 : line;
}

struct scan_key {
	const char *key;	/* as it begins the line, with its colon */
	uint64_t *value;	/* unchanged when the key is missing or no number follows */
};

/*
 * Fill the values of @keys. They must be in the order in which the kernel writes them; some may be
 * missing.
 */
void scan_keys(const char *text, const struct scan_key *keys, int nr_keys);

#define PROC_TICK_NS	10000000u	/* /proc counts CPU time in 1/100 s on every Linux that we run on */

struct proc_stat {
	char state;
	uint64_t parent_pid;
	uint64_t minor_faults;
	uint64_t child_faults;		/* minor faults of children that the process has waited for */
	uint64_t major_faults;
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t threads;
	uint64_t start_ticks;		/* 1/100 s after boot */
};

struct proc_statm {
	uint64_t size_pages;
	uint64_t resident_pages;
	uint64_t mapped_pages;		/* the part that is mapped from files or is shared memory */
};

/* Each value is LOG_NONE when its line is missing. */
struct proc_io {
	uint64_t read_chars;		/* passed to read() and similar calls, from any file */
	uint64_t write_chars;
	uint64_t read_calls;
	uint64_t write_calls;
	uint64_t read_bytes;		/* fetched from storage */
	uint64_t write_bytes;		/* dirtied for storage */
};

/* Each value is LOG_NONE when its line is missing. The switches are those of one thread only. */
struct proc_status {
	uint64_t peak_rss_bytes;
	uint64_t swap_bytes;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
};

/* One thread's times. */
struct proc_schedstat {
	uint64_t cpu_ns;
	uint64_t wait_ns;		/* ready to run, but not running */
};

/* Each value is LOG_NONE when its line is missing. */
struct proc_maps {
	uint64_t pss_bytes;
	uint64_t uss_bytes;
};

/* Summed over all processors. Waiting for a disk counts as idle time. */
struct proc_cpu {
	uint64_t busy_ns;
	uint64_t total_ns;
};

struct proc_core {
	uint64_t number;
	uint64_t busy_ns;
};

/* Sums over all interfaces except the loopback, since each was created. */
struct proc_net {
	uint64_t received_bytes;
	uint64_t received_packets;
	uint64_t sent_bytes;
	uint64_t sent_packets;
};

/* LOG_NONE where a line is missing. */
struct proc_pressure {
	uint64_t some_ns;		/* at least one task waited */
	uint64_t full_ns;		/* all tasks waited */
};

/* LOG_NONE where a line is missing. */
struct proc_meminfo {
	uint64_t used_bytes;		/* total minus available */
	uint64_t available_bytes;
	uint64_t swap_used_bytes;
};

/* One line of diskstats. It counts since boot. */
struct proc_disk {
	char name[32];
	uint64_t reads;
	uint64_t read_bytes;
	uint64_t writes;
	uint64_t written_bytes;
};

/* These return 0, or -EINVAL when the text ends early or a number does not fit. */
int proc_parse_stat(const char *text, struct proc_stat *stat);
int proc_parse_statm(const char *text, struct proc_statm *statm);
void proc_parse_io(const char *text, struct proc_io *io);
void proc_parse_status(const char *text, struct proc_status *status);
int proc_parse_schedstat(const char *text, struct proc_schedstat *schedstat);
void proc_parse_smaps_rollup(const char *text, struct proc_maps *maps);
int proc_parse_cpu(const char *text, struct proc_cpu *cpu);
/* Parse the line of one processor at *@text. Move *@text to the next line if it was one. */
int proc_parse_core(const char **text, struct proc_core *core);
/* Parse the whole text, which begins with two lines of headings. */
int proc_parse_net(const char *text, struct proc_net *net);
void proc_parse_pressure(const char *text, struct proc_pressure *pressure);
int proc_parse_loadavg(const char *text, uint64_t *load_milli);
void proc_parse_meminfo(const char *text, struct proc_meminfo *meminfo);
/* Parse one whole line at *@text, and move *@text past it even when it cannot be parsed. */
int proc_parse_disk(const char **text, struct proc_disk *disk);
