/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log_bytes LOG...: how many bytes of logs are in use; their files are longer, they grow in steps. */
#include <stdio.h>

#include "insideme_log.h"

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	for (int i = 1; i < argc; i++) {
		struct log_header header;
		FILE *file = fopen(argv[i], "rb");

		if (!file || fread(&header, sizeof(header), 1, file) != 1 || header.magic != LOG_MAGIC) {
			fprintf(stderr, "log_bytes: %s is no log\n", argv[i]);
			return 1;
		}
		sum += header.tail_bytes;
		fclose(file);
	}
	printf("%lu\n", sum);
	return 0;
}
