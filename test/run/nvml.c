/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stand-in for NVIDIA's library: two devices with known figures. ENTRY: bytes of an entry of the list of processes, 16
 * (version 1), 24 or 32 (version 3). NVML_DOES: hang in nvmlInit, fail in it, lose device 1 after its first reading.
 * NVML_PID: a file with the number of the process that is on device 0; without it, that is our parent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ENTRY
#define ENTRY 24
#endif
#if ENTRY == 16
#define VERSIONED(name) name
#elif ENTRY == 24
#define VERSIONED(name) name##_v2
#else
#define VERSIONED(name) name##_v3
#endif

static int does(const char *what)
{
	const char *value = getenv("NVML_DOES");

	return value && !strcmp(value, what);
}

int nvmlInit_v2(void)
{
	if (does("hang"))
		sleep(1000);
	return does("fail") ? 9 : 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = 2;
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
	*device = (void *)(unsigned long)(index + 1);
	return 0;
}

static int is_gone(void *device)
{
	static int readings;

	return device == (void *)2 && does("lose") && readings++ > 0;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates)
{
	rates[0] = device == (void *)1 ? 37 : 3700;	/* the second is nonsense */
	rates[1] = 12;
	return is_gone(device) ? 15 : 0;
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory)
{
	memory[0] = 80ull << 30;
	memory[1] = (80ull << 30) - (5ull << 30);
	memory[2] = 5ull << 30;
	return does("lose") && device == (void *)2 ? 15 : 0;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
	*celsius = 61;
	return device && sensor == 0 ? 0 : 2;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
	*milliwatts = 250500;
	return device ? 0 : 2;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = type == 0 ? 1980 : 2619;
	return device ? 0 : 2;
}

static unsigned first_pid(void)
{
	const char *path = getenv("NVML_PID");
	FILE *file = path ? fopen(path, "r") : NULL;
	unsigned pid = path ? 4000001 : (unsigned)getppid();

	if (file && fscanf(file, "%u", &pid) != 1)
		pid = 4000001;		/* not written yet */
	if (file)
		fclose(file);
	return pid;
}

/* That process, and one that nobody here knows, whose memory is not told. */
static int list(void *device, unsigned *count, unsigned char *entries)
{
	const unsigned pids[] = { first_pid(), 4000000 };
	const unsigned long long bytes[] = { 123 << 20, ~0ull };
	const unsigned none = ~0u;

	if (*count < 2) {
		*count = 2;
		return 7;
	}
	*count = device == (void *)1 ? 2 : 0;
	for (unsigned i = 0; i < *count; i++) {
		unsigned char *entry = entries + i * ENTRY;

		memcpy(entry, &pids[i], 4);
		memcpy(entry + 8, &bytes[i], 8);
		for (int at = 16; at < ENTRY; at += 4)
			memcpy(entry + at, &none, 4);
	}
	return 0;
}

int VERSIONED(nvmlDeviceGetComputeRunningProcesses)(void *device, unsigned *count, void *entries)
{
	return list(device, count, entries);
}

int nvmlDeviceGetProcessUtilization(void *device, void *samples, unsigned *count, unsigned long long last_us)
{
	struct { unsigned pid; unsigned long long us; unsigned sm, memory, encoder, decoder; } sample = {
		first_pid(), last_us + 1000, 25, 1, 0, 0 };

	if (!device || *count < 1)
		return 7;
	memcpy(samples, &sample, sizeof(sample));
	*count = 1;
	return 0;
}
