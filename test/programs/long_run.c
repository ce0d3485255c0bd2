/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 100 rounds of 100 steps of 2000 leaves, some 10 ms, 100 us and less than 100 ns long. The report must show
 * these 100, 10000 and 20000000 calls however small the budget is.
 */
static volatile unsigned long sum;

__attribute__((noinline)) static void leaf(void)
{
	sum++;
}

__attribute__((noinline)) static void step(void)
{
	for (int i = 0; i < 2000; i++)
		leaf();
}

__attribute__((noinline)) static void a_round(void)
{
	for (int i = 0; i < 100; i++)
		step();
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		a_round();
	return 0;
}
