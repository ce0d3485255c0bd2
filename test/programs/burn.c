/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Known CPU time: burn USER_MS SYSTEM_MS [-]. in_user computes until the process has used so much user time,
 * in_system makes system calls until so much system time. It prints what getrusage says at the end: "user_ns
 * N system_ns N max_rss_bytes N minor_faults N", and ends; with - when its input does. The report's last
 * process row must agree.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t in_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static struct rusage usage(void)
{
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	return now;
}

__attribute__((noinline)) static void in_user(uint64_t ns)
{
	while (in_ns(usage().ru_utime) < ns)
		for (int i = 0; i < 100000; i++)
			sink = sink * 6364136223846793005u + 1;
}

__attribute__((noinline)) static void in_system(uint64_t ns)
{
	static char buffer[1 << 20];
	int zero = open("/dev/zero", O_RDONLY);

	while (in_ns(usage().ru_stime) < ns)
		if (read(zero, buffer, sizeof(buffer)) < 0)
			exit(1);
	close(zero);
}

int main(int argc, char **argv)
{
	struct rusage end;

	if (argc < 3)
		return 2;
	in_user(strtoull(argv[1], NULL, 10) * 1000000);
	in_system(strtoull(argv[2], NULL, 10) * 1000000);
	end = usage();
	printf("user_ns %lu system_ns %lu max_rss_bytes %lu minor_faults %ld\n", in_ns(end.ru_utime),
	       in_ns(end.ru_stime), (uint64_t)end.ru_maxrss * 1024, end.ru_minflt);
	fflush(stdout);
	while (argc > 3 && getchar() != EOF)
		;
	return 0;
}
