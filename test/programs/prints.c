/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints floating-point numbers among others, by each function that takes them. The output must be the same
 * as without a recorder. With an argument it prints wide characters.
 */
#include <stdio.h>
#include <wchar.h>

static void print_wide(double number)
{
	for (int i = 0; i < 3; i++) {
		wprintf(L"%d %ls %.2f %g %.1f\n", i, L"text", number * i, 0.5, (double)i);
		fwprintf(stdout, L"%.2f %d %.2f\n", number, i, number + i);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	volatile double number = 223325413.25;
	volatile float small = 0.5f;

	if (argc > 1) {
		print_wide(number);
		return !argv[1];
	}
	for (int i = 0; i < 3; i++) {
		printf("%d %s %.2f %g %.1f\n", i, "text", number * i, (double)small, (double)i);
		fprintf(stdout, "%.2f %d %.2f\n", number, i, number + i);
		fflush(stdout);
		dprintf(1, "%.2f %d\n", number, i);
	}
	return 0;
}
