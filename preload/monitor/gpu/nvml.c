/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls libnvidia-ml.so.1, without needing its header. */
#include "preload/monitor/gpu/nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"

#define DEVICES_MAX	64
#define ENTRY_MOST	32	/* bytes; the largest of all versions */
#define UNTOUCHED	0xa5
#define SAMPLES_MAX	256
#define MHZ_GRAPHICS	0
#define MHZ_MEMORY	2

struct utilization {
	unsigned gpu, memory;
};

struct memory {
	unsigned long long total, free, used;
};

/* Of one process, in the last second. */
struct utilization_sample {
	unsigned pid;
	unsigned long long time_us;
	unsigned sm, memory, encoder, decoder;
};

/* All return 0, or an error. */
static struct {
	int (*init)(void);
	int (*count)(unsigned *);
	int (*handle)(unsigned, void **);
	int (*utilization)(void *, struct utilization *);
	int (*memory)(void *, struct memory *);
	int (*temperature)(void *, int, unsigned *);
	int (*power)(void *, unsigned *);
	int (*energy)(void *, unsigned long long *);
	int (*clock)(void *, int, unsigned *);
	int (*compute)(void *, unsigned *, void *);
	int (*graphics)(void *, unsigned *, void *);
	int (*samples)(void *, struct utilization_sample *, unsigned *, unsigned long long);
} nvml;

/* The newest version of each comes first. A missing function stays NULL. */
static const struct {
	size_t place;
	const char *names[3];
} symbols[] = {
#define CALL(field, ...) { __builtin_offsetof(__typeof__(nvml), field), { __VA_ARGS__ } }
	CALL(init, "nvmlInit_v2", "nvmlInit"),
	CALL(count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
	CALL(handle, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"),
	CALL(utilization, "nvmlDeviceGetUtilizationRates"),
	CALL(memory, "nvmlDeviceGetMemoryInfo"),
	CALL(temperature, "nvmlDeviceGetTemperature"),
	CALL(power, "nvmlDeviceGetPowerUsage"),
	CALL(energy, "nvmlDeviceGetTotalEnergyConsumption"),
	CALL(clock, "nvmlDeviceGetClockInfo"),
	CALL(compute, "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
	     "nvmlDeviceGetComputeRunningProcesses"),
	CALL(graphics, "nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2",
	     "nvmlDeviceGetGraphicsRunningProcesses"),
	CALL(samples, "nvmlDeviceGetProcessUtilization"),
#undef CALL
};

static void *handles[DEVICES_MAX];		/* NULL: not available */
static unsigned long long seen_us[DEVICES_MAX];	/* time of the newest sample of processes */

static void find_symbols(void *library)
{
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		void *symbol = NULL;

		for (size_t j = 0; j < ARRAY_SIZE(symbols[i].names) && symbols[i].names[j] && !symbol; j++)
			symbol = dlsym(library, symbols[i].names[j]);
		memcpy((char *)&nvml + symbols[i].place, &symbol, sizeof(symbol));
	}
}

unsigned nvml_open(const char **reason)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	unsigned count = 0;

	*reason = "libnvidia-ml.so.1 cannot be loaded";
	if (!library)
		return 0;
	find_symbols(library);
	*reason = "libnvidia-ml.so.1 is none of NVIDIA's";
	if (!nvml.init || !nvml.count || !nvml.handle)
		return 0;
	*reason = "NVML finds no driver";
	if (nvml.init() != 0)
		return 0;
	*reason = "there is no device";
	if (nvml.count(&count) != 0)
		return 0;
	if (count > DEVICES_MAX)
		count = DEVICES_MAX;
	for (unsigned i = 0; i < count; i++)
		if (nvml.handle(i, &handles[i]) != 0)
			handles[i] = NULL;
	return count;
}

/* Numbers stay LOG_NONE if the device is gone, or if they are impossible. */
void nvml_read(unsigned device, struct nvml_figures *figures)
{
	struct utilization utilization;
	unsigned long long millijoules;
	struct memory memory;
	unsigned number;
	void *handle = handles[device];

	memset(figures, 0xff, sizeof(*figures));
	if (!handle)
		return;
	if (nvml.utilization && nvml.utilization(handle, &utilization) == 0) {
		if (utilization.gpu <= 100)
			figures->percent = utilization.gpu;
		if (utilization.memory <= 100)
			figures->memory_percent = utilization.memory;
	}
	if (nvml.memory && nvml.memory(handle, &memory) == 0 && memory.used <= memory.total) {
		figures->memory_used_bytes = memory.used;
		figures->memory_total_bytes = memory.total;
	}
	if (nvml.temperature && nvml.temperature(handle, 0, &number) == 0 && number < 1000)
		figures->temperature_celsius = number * 1000ull;
	if (nvml.power && nvml.power(handle, &number) == 0)
		figures->power_watts = number;
	if (nvml.energy && nvml.energy(handle, &millijoules) == 0)
		figures->energy_joules = millijoules;
	if (nvml.clock && nvml.clock(handle, MHZ_GRAPHICS, &number) == 0)
		figures->clock_mhz = number;
	if (nvml.clock && nvml.clock(handle, MHZ_MEMORY, &number) == 0)
		figures->memory_clock_mhz = number;
}

/*
 * An entry is {u32 pid; u64 bytes}, and from version 2 on more follows. Headers and drivers do not
 * agree how much, so the size is measured by how much of the buffer was written. Return: 0 when the
 * result makes no sense.
 */
static size_t entry_bytes(const unsigned char *buffer, size_t bytes, unsigned nr)
{
	static const size_t sizes[] = { 16, 24, ENTRY_MOST };
	size_t used = bytes;

	while (used && buffer[used - 1] == UNTOUCHED)
		used--;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (used > nr * (sizes[i] - 8) && used <= nr * sizes[i])
			return sizes[i];
	return 0;
}

static struct nvml_process *find(struct nvml_process *processes, unsigned nr, uint32_t pid)
{
	for (unsigned i = 0; i < nr; i++)
		if (processes[i].pid == pid)
			return &processes[i];
	return NULL;
}

/* A process may be in both lists. */
static unsigned add_listed(int (*list)(void *, unsigned *, void *), void *handle,
			   struct nvml_process *processes, unsigned nr)
{
	static unsigned char buffer[NVML_PROCESSES_MAX * ENTRY_MOST];
	unsigned listed = NVML_PROCESSES_MAX;
	size_t bytes;

	memset(buffer, UNTOUCHED, sizeof(buffer));
	if (!list || list(handle, &listed, buffer) != 0 || listed > NVML_PROCESSES_MAX)
		return nr;
	bytes = entry_bytes(buffer, sizeof(buffer), listed);
	for (unsigned i = 0; bytes && i < listed; i++) {
		struct nvml_process process = { .percent = LOG_NONE };

		memcpy(&process.pid, buffer + i * bytes, sizeof(process.pid));
		memcpy(&process.memory_bytes, buffer + i * bytes + 8, sizeof(process.memory_bytes));
		if (nr < NVML_PROCESSES_MAX && !find(processes, nr, process.pid))
			processes[nr++] = process;
	}
	return nr;
}

/* Samples may be old, of other processes, or above 100 %. The newest of each process counts. */
static void add_samples(unsigned device, struct nvml_process *processes, unsigned nr)
{
	static struct utilization_sample samples[SAMPLES_MAX];
	unsigned nr_samples = SAMPLES_MAX;
	unsigned long long newest = seen_us[device];

	if (!nr || !nvml.samples || nvml.samples(handles[device], samples, &nr_samples, seen_us[device]) != 0)
		return;
	for (unsigned i = 0; i < nr_samples && i < SAMPLES_MAX; i++) {
		struct nvml_process *process = find(processes, nr, samples[i].pid);

		if (!process || samples[i].sm > 100 || samples[i].time_us <= seen_us[device])
			continue;
		process->percent = samples[i].sm;
		if (samples[i].time_us > newest)
			newest = samples[i].time_us;
	}
	seen_us[device] = newest;
}

unsigned nvml_read_processes(unsigned device, struct nvml_process processes[NVML_PROCESSES_MAX])
{
	unsigned nr = 0;

	if (!handles[device])
		return 0;
	nr = add_listed(nvml.compute, handles[device], processes, nr);
	nr = add_listed(nvml.graphics, handles[device], processes, nr);
	add_samples(device, processes, nr);
	return nr;
}
