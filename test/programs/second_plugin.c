/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin of plugins.c: its second_work is called 200 times in each round. */
void second_work(volatile long *sum);
void run(volatile long *sum);

__attribute__((noinline)) void second_work(volatile long *sum)
{
	++*sum;
}

void run(volatile long *sum)
{
	for (int i = 0; i < 200; i++)
		second_work(sum);
}
