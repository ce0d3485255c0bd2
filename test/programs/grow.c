/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that grows and shrinks as known: hold maps 64 MiB, touches it in 8 steps of 8 MiB, 40 ms each, holds
 * it for 100 ms and gives it back; then rest sleeps 100 ms. The report's RSS must rise by 64 MiB (it prints
 * what /proc says before and at the top: "before N top N after N", in bytes) and fall again.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP (8ul << 20)

static unsigned long rss_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

__attribute__((noinline)) static unsigned long hold(void)
{
	char *memory = mmap(NULL, 8 * STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long top;

	if (memory == MAP_FAILED)
		return 0;
	for (int i = 0; i < 8; i++) {
		memset(memory + i * STEP, 1, STEP);
		usleep(40000);
	}
	top = rss_bytes();
	usleep(100000);
	munmap(memory, 8 * STEP);
	return top;
}

__attribute__((noinline)) static void rest(void)
{
	usleep(100000);
}

int main(void)
{
	unsigned long before = rss_bytes(), top = hold();

	rest();
	printf("before %lu top %lu after %lu\n", before, top, rss_bytes());
	return 0;
}
