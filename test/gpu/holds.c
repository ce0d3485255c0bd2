/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * holds MIB MS: holds MIB MiB of the first CUDA device's memory for MS ms, by the driver's library alone, so that no
 * toolkit is needed. Exit status 77: there is no device. insideme-run must show so much more of the device's memory in
 * use, and of the process's at least so much.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NO_DEVICE 77

static void *library;

static int call_failed(const char *what, int error)
{
	if (error)
		fprintf(stderr, "holds: %s: CUDA error %d\n", what, error);
	return error;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	unsigned long long address;
	int device, count = 0;
	void *context;

	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library)
		return NO_DEVICE;
	int (*init)(unsigned) = dlsym(library, "cuInit");
	int (*get_count)(int *) = dlsym(library, "cuDeviceGetCount");
	int (*get)(int *, int) = dlsym(library, "cuDeviceGet");
	int (*retain)(void **, int) = dlsym(library, "cuDevicePrimaryCtxRetain");
	int (*set_current)(void *) = dlsym(library, "cuCtxSetCurrent");
	int (*allocate)(unsigned long long *, size_t) = dlsym(library, "cuMemAlloc_v2");
	int (*set)(unsigned long long, unsigned char, size_t) = dlsym(library, "cuMemsetD8_v2");

	if (!init || !get_count || !get || !retain || !set_current || !allocate || !set || init(0) || get_count(&count) || !count)
		return NO_DEVICE;
	if (call_failed("cuDeviceGet", get(&device, 0)) || call_failed("context", retain(&context, device)) ||
	    call_failed("cuCtxSetCurrent", set_current(context)) || call_failed("cuMemAlloc", allocate(&address, bytes)) ||
	    call_failed("cuMemset", set(address, 1, bytes)))
		return 1;
	usleep(argc > 2 ? (useconds_t)strtoul(argv[2], NULL, 10) * 1000 : 0);
	return 0;
}
