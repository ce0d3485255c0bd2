/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * It lowers its own limit on the size of files below what its log will want, then makes calls. The report must show
 * work 3000000 times; the program must end with 0.
 */
#include <sys/resource.h>

static volatile long sink;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

int main(void)
{
	struct rlimit limit = { 100000, 100000 };

	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 3000000; i++)
		work();
	return 0;
}
