/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine uses. */
#include "resources/machine.h"

#include <dirent.h>

#include "resources/machine_text.h"

#define BLOCK_DIR "/sys/block/"

/* Loop, RAM, device-mapper and RAID devices have no "device": their traffic is counted where it arrives. */
static void take_disk(struct machine *machine, const char *name)
{
	char path[320], target[8];
	struct text text;

	if (name[0] == '.' || machine->nr_disks == MACHINE_DISKS || text_length(name) >= sizeof(machine->disks[0]))
		return;
	text_init(&text, path, sizeof(path));
	text_add(&text, BLOCK_DIR);
	text_add(&text, name);
	text_add(&text, "/device");
	if (sys_readlink(path, target, sizeof(target)) > 0)
		text_copy(machine->disks[machine->nr_disks++], sizeof(machine->disks[0]), name);
}

static void find_disks(struct machine *machine)
{
	int fd = (int)sys_open(BLOCK_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long length;

	machine->nr_disks = 0;
	if (fd < 0)
		return;
	while ((length = sys_getdents(fd, machine->buffer, sizeof(machine->buffer))) > 0) {
		for (long at = 0; at < length;) {
			const struct dirent64 *entry = (const struct dirent64 *)(machine->buffer + at);

			at += entry->d_reclen;
			take_disk(machine, entry->d_name);
		}
	}
	sys_close(fd);
}

void machine_open(struct machine *machine, struct source_count *count)
{
	machine->count = count;
	machine->stat_fd = source_open(0, "stat");
	machine->meminfo_fd = source_open(0, "meminfo");
	machine->loadavg_fd = source_open(0, "loadavg");
	find_disks(machine);
	machine->diskstats_fd = machine->nr_disks ? source_open(0, "diskstats") : -1;
}

void machine_close(struct machine *machine)
{
	source_close(&machine->stat_fd);
	source_close(&machine->meminfo_fd);
	source_close(&machine->loadavg_fd);
	source_close(&machine->diskstats_fd);
}

static long read_text(struct machine *machine, int fd, uint64_t offset)
{
	return source_read(fd, machine->count, machine->buffer, sizeof(machine->buffer), offset);
}

static void add_disk(const struct machine *machine, const struct proc_disk *disk, struct figures *figures)
{
	for (uint32_t i = 0; i < machine->nr_disks; i++) {
		if (!text_equal(machine->disks[i], disk->name))
			continue;
		figures->disk_reads += disk->reads;
		figures->disk_read_bytes += disk->read_bytes;
		figures->disk_writes += disk->writes;
		figures->disk_written_bytes += disk->written_bytes;
	}
}

/* Cut the text behind its last whole line. Return: the length of what is left. */
static uint64_t keep_lines(char *text, long length)
{
	while (length > 0 && text[length - 1] != '\n')
		length--;
	text[length] = '\0';
	return (uint64_t)length;
}

/* The file may be longer than the buffer: read piece by piece, each from the start of a line. */
static void read_disks(struct machine *machine, struct figures *figures)
{
	uint64_t offset = 0;
	long length = read_text(machine, machine->diskstats_fd, 0);

	if (length <= 0)
		return;
	figures->disk_reads = 0;
	figures->disk_read_bytes = 0;
	figures->disk_writes = 0;
	figures->disk_written_bytes = 0;
	for (; length > 0; length = read_text(machine, machine->diskstats_fd, offset)) {
		const char *at = machine->buffer;
		struct proc_disk disk;
		uint64_t used = keep_lines(machine->buffer, length);

		if (!used)
			return;
		while (*at) {
			if (proc_parse_disk(&at, &disk) == 0)
				add_disk(machine, &disk, figures);
		}
		if ((uint64_t)length < sizeof(machine->buffer) - 1 - 256)
			return;		/* the end: the kernel fills a page as far as whole lines fit */
		offset += used;
	}
}

void machine_read(struct machine *machine, struct figures *figures)
{
	struct proc_cpu cpu;
	struct proc_meminfo meminfo;

	if (read_text(machine, machine->stat_fd, 0) > 0 && proc_parse_cpu(machine->buffer, &cpu) == 0) {
		figures->system_cpu_busy_ns = cpu.busy_ns;
		figures->system_cpu_total_ns = cpu.total_ns;
	}
	if (read_text(machine, machine->loadavg_fd, 0) > 0)
		proc_parse_loadavg(machine->buffer, &figures->load_1min);
	if (read_text(machine, machine->meminfo_fd, 0) > 0) {
		proc_parse_meminfo(machine->buffer, &meminfo);
		figures->memory_used_bytes = meminfo.used_bytes;
		figures->memory_available_bytes = meminfo.available_bytes;
		figures->swap_used_bytes = meminfo.swap_used_bytes;
	}
	read_disks(machine, figures);
}
