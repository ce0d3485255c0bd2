/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that no allocator returned: "double": a block freed twice; "inside": an address within a
 * block; "large": within a block of 40 MiB; "foreign": one on the stack; "moved": realloc of one.
 * glibc reports it and aborts, other allocators may not: the same line and signal with the recorder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile block;

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long local[8] = { 0 };

	block = calloc(1, 5000);
	if (!strcmp(what, "double")) {
		free(block);
		free(block);
	}
	if (!strcmp(what, "inside")) {
		block = (char *)block + 64;
		free(block);
	}
	if (!strcmp(what, "large")) {
		char *large = aligned_alloc(64, 40 << 20);

		block = large + 32;
		free(block);
	}
	if (!strcmp(what, "foreign")) {
		block = &local[2];
		free(block);
	}
	if (!strcmp(what, "moved")) {
		block = &local[2];
		block = realloc(block, 10);
	}
	return puts("still here") < 0;
}
