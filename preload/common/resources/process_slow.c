/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the slow numbers of a process. */
#include "preload/common/resources/process_slow.h"

#include <sys/stat.h>

#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"

#define RARELY	2	/* this text is read once in so many readings, since it costs a third of all */

void details_open(struct details *details, int pid, struct read_count *count)
{
	details->count = count;
	details->nr_readings = 0;
	details->descriptors_fd = proc_file_open(pid, "fd");
	details->net_fd = proc_file_open(pid, "net/dev");
	details->maps_fd = proc_file_open(pid, "smaps_rollup");
}

void details_close(struct details *details)
{
	proc_file_close(&details->descriptors_fd);
	proc_file_close(&details->net_fd);
	proc_file_close(&details->maps_fd);
}

static uint64_t count_entries(struct details *details)
{
	struct directory directory;
	uint64_t nr = 0;

	directory_begin(&directory, details->descriptors_fd, details->buffer, sizeof(details->buffer));
	while (directory_next(&directory))
		nr++;
	return directory.length < 0 ? LOG_NONE : nr;
}

/* From Linux 6.2 on the directory's size is the number of descriptors. Before, they are counted. */
static uint64_t nr_descriptors(struct details *details)
{
	struct stat stat;

	if (sys_fstat(details->descriptors_fd, &stat) <
	    0)
		return LOG_NONE;
	return stat.st_size ? (uint64_t)stat.st_size : count_entries(details);
}

static long read_text(struct details *details, int fd)
{
	return proc_file_read(fd, details->count, details->buffer, sizeof(details->buffer), 0);
}

void details_read(struct details *details, struct figures *figures)
{
	struct proc_net net;
	long length;

	figures->descriptors = nr_descriptors(details);
	if (details->nr_readings++ % RARELY)
		return;
	length = read_text(details, details->net_fd);
	if (length <= 0 || length == sizeof(details->buffer) - 1 || proc_parse_net(details->buffer, &net) < 0)
		return;		/* a text that was cut has no true sum */
	figures->netns_received_bytes = net.received_bytes;
	figures->netns_received_packets = net.received_packets;
	figures->netns_sent_bytes = net.sent_bytes;
	figures->netns_sent_packets = net.sent_packets;
}

void details_read_maps(struct details *details, uint64_t own_bytes, struct figures *figures)
{
	struct proc_maps maps;

	if (read_text(details, details->maps_fd) <= 0)
		return;
	proc_parse_smaps_rollup(details->buffer, &maps);
	figures->pss_bytes = figure_less(maps.pss_bytes, own_bytes);
	figures->uss_bytes = figure_less(maps.uss_bytes, own_bytes);
}
