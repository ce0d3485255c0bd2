/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that no allocator returned: "double": a block freed twice; "foreign": an address on the stack;
 * "moved": realloc of one. glibc reports it and aborts: the same line and signal with the recorder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile block;

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long local[8] = { 0 };

	block = malloc(5000);
	if (!strcmp(what, "double")) {
		free(block);
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
