/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of /proc/{stat,meminfo,loadavg,diskstats,net/dev} and /proc/pressure: text in, struct out. No clock or file is touched. */
#ifndef INSIDEME_RESOURCES_MACHINE_TEXT_H
#define INSIDEME_RESOURCES_MACHINE_TEXT_H

#include <stdint.h>

/* Summed over all processors; waiting for a disk is idle time. */
struct proc_cpu {
	uint64_t busy_ns;
	uint64_t total_ns;
};

struct proc_core {
	uint64_t number;
	uint64_t busy_ns;
};

/* Sums over all interfaces but the loopback, since each was made. */
struct proc_net {
	uint64_t received_bytes;
	uint64_t received_packets;
	uint64_t sent_bytes;
	uint64_t sent_packets;
};

/* LOG_NONE where a line is missing. */
struct proc_pressure {
	uint64_t some_ns;		/* some task waited for it */
	uint64_t full_ns;		/* nobody did anything else */
};

/* LOG_NONE where a line is missing. */
struct proc_meminfo {
	uint64_t used_bytes;		/* total less available */
	uint64_t available_bytes;
	uint64_t swap_used_bytes;
};

/* One line of diskstats: since boot. */
struct proc_disk {
	char name[32];
	uint64_t reads;
	uint64_t read_bytes;
	uint64_t writes;
	uint64_t written_bytes;
};

/* Return: 0, or -EINVAL when the text ends early or a number does not fit. */
int proc_parse_cpu(const char *text, struct proc_cpu *cpu);
/* The line of one processor at *@text, which moves to the next line where it is one. */
int proc_parse_core(const char **text, struct proc_core *core);
/* The whole text, two lines of heading first. */
int proc_parse_net(const char *text, struct proc_net *net);
void proc_parse_pressure(const char *text, struct proc_pressure *pressure);
int proc_parse_loadavg(const char *text, uint64_t *load_milli);
void proc_parse_meminfo(const char *text, struct proc_meminfo *meminfo);
/* One whole line at *@text, which moves behind it even when the line makes no sense. */
int proc_parse_disk(const char **text, struct proc_disk *disk);

#endif
