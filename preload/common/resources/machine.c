/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what the machine uses. */
#include "preload/common/resources/machine.h"

#include "preload/common/base/clock.h"
#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"

#define BLOCK_DIR "/sys/block/"
#define SLOW_NS 250000000u	/* between readings of slow numbers, which cost three quarters of all */

/*
 * Loop, RAM, device-mapper and RAID devices have no "device". Their traffic is counted at the disks
 * below them.
 */
static void take_disk(struct machine *machine, const char *name)
{
	char path[320], target[8];
	struct text text;

	if (machine->nr_disks == MACHINE_DISKS || text_length(name) >= sizeof(machine->disks[0]))
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
	struct directory directory;
	const char *name;

	machine->nr_disks = 0;
	if (directory_open(&directory, BLOCK_DIR, machine->buffer, sizeof(machine->buffer)) < 0)
		return;
	while ((name = directory_next(&directory)))
		take_disk(machine, name);
	directory_close(&directory);
}

static void describe_core(struct machine_cores *cores, uint64_t number)
{
	uint32_t i = cores->set.nr_columns++;
	struct text text;

	text_init(&text, cores->names[i], sizeof(cores->names[i]));
	text_add(&text, "cpu");
	text_add_number(&text, number);
	text_add(&text, "_busy_ns");
	cores->numbers[i] = (uint32_t)number;
	cores->columns[i] = (struct column){ cores->names[i], LOG_UNIT_NS, LOG_CUMULATIVE,
					     i * (uint32_t)sizeof(uint64_t) };
}

static long read_text(struct machine *machine, int fd, uint64_t offset)
{
	return proc_file_read(fd, machine->count, machine->buffer, sizeof(machine->buffer), offset);
}

/* A single processor gets no columns: it equals the machine's sum. */
void machine_find_cores(struct machine *machine)
{
	struct machine_cores *cores = &machine->cores;
	struct proc_core core;
	const char *at;
	uint32_t row_bytes;

	cores->set = (struct column_set){
		.name = "cores", .columns = cores->columns, .room_shift = 7, .room_bytes = 2u << 20
	};
	if (read_text(machine, machine->stat_fd, 0) <= 0)
		return;
	at = scan_next_line(machine->buffer);
	while (cores->set.nr_columns < MACHINE_CORES && proc_parse_core(&at, &core) == 0)
		describe_core(cores, core.number);
	row_bytes = (1 + cores->set.nr_columns) * (uint32_t)sizeof(uint64_t);
	cores->set.first_bytes = (uint32_t)sizeof(struct log_rows) + 16 * row_bytes +
				 cores->set.nr_columns * (uint32_t)sizeof(struct log_column);
	cores->set.first_bytes = (cores->set.first_bytes + LOG_AREA_ALIGN - 1) & ~(LOG_AREA_ALIGN - 1u);
	if (cores->set.nr_columns == 1)
		cores->set.nr_columns = 0;
}

/* A processor that is off line has no line. */
static void read_cores(struct machine_cores *cores, const char *text)
{
	struct proc_core core;
	uint32_t i = 0;

	for (uint32_t j = 0; j < cores->set.nr_columns; j++)
		cores->busy_ns[j] = LOG_NONE;
	for (text = scan_next_line(text); proc_parse_core(&text, &core) == 0;) {
		while (i < cores->set.nr_columns && cores->numbers[i] < core.number)
			i++;
		if (i < cores->set.nr_columns && cores->numbers[i] == core.number)
			cores->busy_ns[i] = core.busy_ns;
	}
}

void machine_open(struct machine *machine, struct read_count *count, bool has_network)
{
	machine->count = count;
	machine->slow_due_ns = 0;
	machine->stat_fd = proc_file_open(0, "stat");
	machine->meminfo_fd = proc_file_open(0, "meminfo");
	machine->loadavg_fd = proc_file_open(0, "loadavg");
	machine->net_fd = has_network ? proc_file_open(0, "net/dev") : -1;
	machine->cpu_pressure_fd = proc_file_open(0, "pressure/cpu");
	machine->memory_pressure_fd = proc_file_open(0, "pressure/memory");
	machine->io_pressure_fd = proc_file_open(0, "pressure/io");
	sensors_open(&machine->sensors, "", count);
	find_disks(machine);
	machine->diskstats_fd = machine->nr_disks ? proc_file_open(0, "diskstats") : -1;
}

void machine_close(struct machine *machine)
{
	proc_file_close(&machine->stat_fd);
	proc_file_close(&machine->meminfo_fd);
	proc_file_close(&machine->loadavg_fd);
	proc_file_close(&machine->diskstats_fd);
	proc_file_close(&machine->net_fd);
	proc_file_close(&machine->cpu_pressure_fd);
	proc_file_close(&machine->memory_pressure_fd);
	proc_file_close(&machine->io_pressure_fd);
	sensors_close(&machine->sensors);
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

/* Cut the text after its last whole line. Return: the length that is left. */
static uint64_t keep_lines(char *text, long length)
{
	while (length > 0 && text[length - 1] != '\n')
		length--;
	text[length] = '\0';
	return (uint64_t)length;
}

/* The file may be longer than the buffer, so it is read in pieces, each from the start of a line. */
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
			/* this was the end: the kernel fills a page with as many whole lines as fit */
			return;
		offset += used;
	}
}

/* A text that was cut has no true sum. */
static void read_net(struct machine *machine, struct figures *figures)
{
	long length = read_text(machine, machine->net_fd, 0);
	struct proc_net net;

	if (length <= 0 || length == sizeof(machine->buffer) - 1 || proc_parse_net(machine->buffer, &net) < 0)
		return;
	figures->net_received_bytes = net.received_bytes;
	figures->net_received_packets = net.received_packets;
	figures->net_sent_bytes = net.sent_bytes;
	figures->net_sent_packets = net.sent_packets;
}

static struct proc_pressure read_pressure(struct machine *machine, int fd)
{
	struct proc_pressure pressure = { LOG_NONE, LOG_NONE };

	if (read_text(machine, fd, 0) > 0)
		proc_parse_pressure(machine->buffer, &pressure);
	return pressure;
}

static void read_pressures(struct machine *machine, struct figures *figures)
{
	struct proc_pressure pressure = read_pressure(machine, machine->memory_pressure_fd);

	figures->memory_stall_ns = pressure.some_ns;
	figures->memory_full_stall_ns = pressure.full_ns;
	pressure = read_pressure(machine, machine->io_pressure_fd);
	figures->io_stall_ns = pressure.some_ns;
	figures->io_full_stall_ns = pressure.full_ns;
	figures->cpu_stall_ns = read_pressure(machine, machine->cpu_pressure_fd).some_ns;
}

void machine_read(struct machine *machine, struct figures *figures)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct proc_cpu cpu;
	struct proc_meminfo meminfo;

	if (read_text(machine, machine->stat_fd, 0) > 0 && proc_parse_cpu(machine->buffer, &cpu) == 0) {
		figures->system_cpu_busy_ns = cpu.busy_ns;
		figures->system_cpu_total_ns = cpu.total_ns;
		read_cores(&machine->cores, machine->buffer);
	}
	if (read_text(machine, machine->meminfo_fd, 0) > 0) {
		proc_parse_meminfo(machine->buffer, &meminfo);
		figures->memory_used_bytes = meminfo.used_bytes;
		figures->memory_available_bytes = meminfo.available_bytes;
		figures->swap_used_bytes = meminfo.swap_used_bytes;
	}
	if (now_ns < machine->slow_due_ns)
		return;
	machine->slow_due_ns = now_ns + SLOW_NS;
	if (read_text(machine, machine->loadavg_fd, 0) > 0)
		proc_parse_loadavg(machine->buffer, &figures->load_1min);
	read_disks(machine, figures);
	read_net(machine, figures);
	read_pressures(machine, figures);
	sensors_read(&machine->sensors, figures);
}
