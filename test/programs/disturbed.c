/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disturbed [around]: writes into its own log that a call's hooks, or the calls of them, cost ten times what
 * was measured, as after a disturbed start. Then it calls tiny() for 300 ms. The report must subtract what
 * the hooks really cost. Status 1: it did not find its log.
 */
#include <insideme_log.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile long sink;

__attribute__((noinline)) static void tiny(void)
{
	for (int i = 0; i < 20; i++)	/* as long as its hooks, which are known within a tenth */
		sink++;
}

__attribute__((no_instrument_function)) static struct log_header *find_log(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, offset;
	char line[4096], access[8];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, ".log") && sscanf(line, "%lx-%*x %7s %lx", &begin, access, &offset) == 3 && !offset &&
		    access[1] == 'w' && ((struct log_header *)begin)->magic == LOG_MAGIC)
			return (struct log_header *)begin;
	return NULL;
}

__attribute__((no_instrument_function)) static void print_cost(const struct log_header *log, enum log_cost_kind kind)
{
	printf("%u\n", (unsigned)log->costs[kind].full);
}

int main(int argc, char **argv)
{
	enum log_cost_kind kind = argc > 1 && !strcmp(argv[1], "around") ? LOG_COST_AROUND : LOG_COST_TIMED;
	struct log_header *log = find_log();

	if (!log)
		return 1;
	print_cost(log, kind);
	print_cost(log, LOG_COST_AROUND);
	log->costs[kind].full *= 10;
	log->costs[kind].inside *= 10;
	print_cost(log, kind);
	while (clock() < CLOCKS_PER_SEC * 3 / 10)
		for (int i = 0; i < 1000; i++)
			tiny();
	print_cost(log, kind);
	print_cost(log, LOG_COST_AROUND);
	return 0;
}
