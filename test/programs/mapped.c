/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What RSS is made of: maps the file that its argument names, 32 MiB, and reads it all; has 16 MiB of
 * anonymous memory and 24 MiB of the heap, all written to; stays so for 100 ms, and then has one small block
 * more: the heap's peak.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1 << 20)

static volatile unsigned char sum;
static void *volatile small;

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDONLY);
	const unsigned char *file = mmap(NULL, 32 * MIB, PROT_READ, MAP_SHARED, fd, 0);
	void *anonymous = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *block;

	if (file == MAP_FAILED || anonymous == MAP_FAILED)
		return 1;
	for (int i = 0; i < 32 * MIB; i += 4096)
		sum += file[i];
	memset(anonymous, 1, 16 * MIB);
	block = malloc(24 * MIB);
	if (!block)
		return 1;
	memset(block, 1, 24 * MIB);
	usleep(100000);
	small = malloc(1000);
	free(small);
	free(block);
	return 0;
}
