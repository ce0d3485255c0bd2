/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the recorder's map of live blocks takes: map_size BLOCKS BYTES. Prints the program's heap and the
 * resident memory that is neither the heap's nor a file's, in bytes: with all blocks, and when nine of ten
 * have been freed and the heap was trimmed. The same numbers without the recorder are to be subtracted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void **blocks;

__attribute__((noinline)) static void take(long nr, size_t bytes)
{
	for (long i = 0; i < nr; i++) {
		blocks[i] = malloc(bytes);
		if (!blocks[i])
			abort();
		memset(blocks[i], 1, bytes);
	}
}

__attribute__((noinline)) static void give(long first, long nr)
{
	for (long i = first; i < nr; i++)
		free(blocks[i]);
}

static void print(long nr, size_t bytes)
{
	struct mallinfo2 info = mallinfo2();
	int fd = open("/proc/self/statm", O_RDONLY);
	char text[128] = "";
	long size, resident, shared;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    sscanf(text, "%ld %ld %ld", &size, &resident, &shared) != 3)
		abort();
	close(fd);
	printf("%ld %ld\n", nr * (long)bytes,
	       (resident - shared) * getpagesize() - (long)(info.arena + info.hblkhd));
}

int main(int argc, char **argv)
{
	long nr = argc > 2 ? atol(argv[1]) : 100000;
	size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 272;

	setvbuf(stdout, NULL, _IOLBF, 0);
	blocks = calloc((size_t)nr, sizeof(*blocks));
	if (!blocks)
		abort();
	memset(blocks, 1, (size_t)nr * sizeof(*blocks));
	take(nr, bytes);
	print(nr, bytes);
	give(nr / 10, nr);
	malloc_trim(0);
	print(nr / 10, bytes);
	give(0, nr / 10);
	free(blocks);
	return 0;
}
