/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the process that samples NVIDIA's devices. */
#include "preload/monitor/gpu/gpu.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/text.h"
#include "preload/common/log/rows_writer.h"
#include "preload/monitor/gpu/nvml.h"
#include "preload/monitor/tools/process_info.h"

#define LEAST_INTERVAL_NS	100000000	/* the driver's own figures change no faster */
#define PROCESS_ROOM		(64u << 10)
#define KEPT_FD			3
#define DEVICES_MAX		64
#define FOLLOWED_MAX		256		/* processes on all devices, over the whole run */

struct gpu_word {
	char reason[128];		/* why nothing is sampled; "": it works, or still hangs */
};

#define COLUMN(field, title, unit, kind)                                                                     \
	{                                                                                                    \
		title, LOG_UNIT_##unit, LOG_##kind, offsetof(struct nvml_figures, field)                     \
	}
static const struct column device_columns[] = {
	COLUMN(percent, "gpu_percent", PERCENT, GAUGE),
	COLUMN(memory_percent, "gpu_memory_percent", PERCENT, GAUGE),
	COLUMN(memory_used_bytes, "gpu_memory_used_bytes", BYTES, GAUGE),
	COLUMN(memory_total_bytes, "gpu_memory_total_bytes", BYTES, GAUGE),
	COLUMN(temperature_celsius, "gpu_temperature_celsius", MILLI, GAUGE),
	COLUMN(power_watts, "gpu_power_watts", MILLI, GAUGE),
	COLUMN(energy_joules, "gpu_energy_joules", MILLI, CUMULATIVE),
	COLUMN(clock_mhz, "gpu_clock_mhz", NONE, GAUGE),
	COLUMN(memory_clock_mhz, "gpu_memory_clock_mhz", NONE, GAUGE),
};
#undef COLUMN
#define COLUMN(field, title, unit) { title, LOG_UNIT_##unit, LOG_GAUGE, offsetof(struct nvml_process, field) }
static const struct column process_columns[] = {
	COLUMN(memory_bytes, "gpu_process_memory_bytes", BYTES),
	COLUMN(percent, "gpu_process_percent", PERCENT),
};
#undef COLUMN

/* Rows of a device, or of a process on a device. */
struct followed {
	struct column_set set;
	struct row_set rows;
	uint64_t last[ARRAY_SIZE(device_columns)];
	char name[24];
	uint32_t told_pid;		/* the driver's number for the process */
};

struct sampling {
	struct log_header *log;
	unsigned nr_devices;
	unsigned nr_followed;
	struct followed devices[DEVICES_MAX];
	struct followed processes[FOLLOWED_MAX];
};

static bool is_listed(const char *list, unsigned device)
{
	for (char *end; *list; list = *end ? end + 1 : end) {
		if (strtoul(list, &end, 10) == device)
			return true;
	}
	return false;
}

/* Is it "all", "off" or a list of numbers? */
static bool is_understood(const char *text)
{
	size_t digits;

	if (!strcmp(text, "all") || !strcmp(text, "off"))
		return true;
	while ((digits = strspn(text, "0123456789")) && digits < 4 && text[digits] == ',')
		text += digits + 1;
	return digits && digits < 4 && !text[digits];
}

static void begin_rows(struct sampling *sampling, struct followed *followed, const char *name,
		       const struct column *columns, uint32_t nr_columns, uint32_t id)
{
	snprintf(followed->name, sizeof(followed->name), "%s", name);
	followed->set =
		(struct column_set){ followed->name, columns, nr_columns, 8, PROCESS_ROOM * (id ? 1 : 8),
				     LOG_AREA_ALIGN, false };
	row_set_init(&followed->rows, sampling->log, KEPT_FD, &followed->set, id, followed->last);
}

/*
 * A process that has ended has no number here any more, but the one that it had. Return: NULL when
 * there have been too many processes.
 */
static struct followed *follow_process(struct sampling *sampling, unsigned device, uint32_t told_pid)
{
	struct followed *followed = sampling->processes;
	uint32_t pid = pid_here(told_pid);
	char name[24];

	snprintf(name, sizeof(name), "gpu%u_process", device);
	for (; followed < sampling->processes + sampling->nr_followed; followed++)
		if ((followed->rows.id == pid || (pid == told_pid && followed->told_pid == pid)) &&
		    !strcmp(followed->name, name))
			return followed;
	if (sampling->nr_followed == FOLLOWED_MAX)
		return NULL;
	sampling->nr_followed++;
	begin_rows(sampling, followed, name, process_columns, ARRAY_SIZE(process_columns), pid);
	followed->told_pid = told_pid;
	return followed;
}

static void sample_device(struct sampling *sampling, unsigned device)
{
	static struct nvml_process processes[NVML_PROCESSES_MAX];
	struct followed *followed = &sampling->devices[device];
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), ticks = clock_ticks(sampling->log->clock);
	struct nvml_figures figures;
	unsigned nr;

	nvml_read(device, &figures);
	nr = nvml_read_processes(device, processes);
	row_set_add(&followed->rows, ticks, &figures);
	row_set_cost(&followed->rows, clock_ns(CLOCK_MONOTONIC) - begin_ns,
		     sampling->log->interval_ns > LEAST_INTERVAL_NS ? sampling->log->interval_ns
								    : LEAST_INTERVAL_NS);
	for (unsigned i = 0; i < nr; i++) {
		struct followed *process = follow_process(sampling, device, processes[i].pid);

		if (process)
			row_set_add(&process->rows, ticks, &processes[i]);
	}
}

static void sample(struct sampling *sampling, const char *list)
{
	uint64_t interval_ns = sampling->log->interval_ns;
	bool all = !strcmp(list, "all");

	if (interval_ns < LEAST_INTERVAL_NS)
		interval_ns = LEAST_INTERVAL_NS;
	for (unsigned i = 0; i < sampling->nr_devices; i++) {
		char name[24];

		snprintf(name, sizeof(name), "gpu%u", i);
		begin_rows(sampling, &sampling->devices[i], name, device_columns, ARRAY_SIZE(device_columns),
			   0);
	}
	for (;;) {
		const struct timespec pause = { (time_t)(interval_ns / 1000000000),
						(long)(interval_ns % 1000000000) };

		for (unsigned i = 0; i < sampling->nr_devices; i++)
			if (all || is_listed(list, i))
				sample_device(sampling, i);
		nanosleep(&pause, NULL);
	}
}

/* No process must have to wait for us, so nothing that our parent has open is kept, except the log. */
static void leave_everything(int log_fd)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "insideme-gpu");
	for (int fd = 0; fd <= 2; fd++)
		dup2(nowhere, fd);
	dup2(log_fd, KEPT_FD);
	syscall(SYS_close_range, KEPT_FD + 1, ~0u, 0);
}

_Noreturn static void run(const struct gpu *gpu, const char *list, struct log_header *log, int log_fd)
{
	static struct sampling sampling;
	const char *reason;

	leave_everything(log_fd);
	sampling.log = log;
	sampling.nr_devices = nvml_open(&reason);
	if (sampling.nr_devices)
		sample(&sampling, list);
	snprintf(gpu->word->reason, sizeof(gpu->word->reason), "%s", reason);
	_exit(0);
}

void gpu_start(struct gpu *gpu, const struct settings *settings, struct log_header *log, int log_fd)
{
	const char *list = settings_text(settings, SETTING_GPU);

	*gpu = (struct gpu){ .is_asked_for = settings->source[SETTING_GPU] != FROM_FALLBACK };
	if (!is_understood(list)) {
		fprintf(stderr, "insideme: INSIDEME_GPU=%s: expected all, off, or numbers as in 0,1\n", list);
		return;
	}
	if (!log || !strcmp(list, "off") || (!gpu->is_asked_for && access("/dev/nvidiactl", F_OK) < 0))
		return;
	gpu->word = mmap(NULL, sizeof(*gpu->word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gpu->word == MAP_FAILED)
		return;
	gpu->pid = fork();
	if (gpu->pid == 0)
		run(gpu, list, log, log_fd);
}

bool gpu_is(const struct gpu *gpu, pid_t pid)
{
	return gpu->pid > 0 && pid == gpu->pid;
}

void gpu_stop(struct gpu *gpu)
{
	if (gpu->pid <= 0)
		return;
	kill(gpu->pid, SIGKILL);
	waitpid(gpu->pid, NULL, WNOHANG);
	if (gpu->is_asked_for && gpu->word->reason[0])
		fprintf(stderr, "insideme: no GPU was sampled: %s\n", gpu->word->reason);
}
