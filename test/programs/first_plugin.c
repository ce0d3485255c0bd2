/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin of plugins.c: its first_work is called 100 times in each round. */
void first_work(volatile long *sum);
void run(volatile long *sum);

__attribute__((noinline)) void first_work(volatile long *sum)
{
	++*sum;
}

void run(volatile long *sum)
{
	for (int i = 0; i < 100; i++)
		first_work(sum);
}
