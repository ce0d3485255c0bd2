/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose names the test damages by changing the file: name_a to name_d, of 16 bytes each, are called
 * 1, 2, 3 and 4 times.
 */
void name_a(void) __asm__("placeholder_name_a");
void name_b(void) __asm__("placeholder_name_b");
void name_c(void) __asm__("placeholder_name_c");
void name_d(void) __asm__("placeholder_name_d");

void name_a(void) { }
void name_b(void) { }
void name_c(void) { }
void name_d(void) { }

int main(void)
{
	name_a();
	for (int i = 0; i < 2; i++)
		name_b();
	for (int i = 0; i < 3; i++)
		name_c();
	for (int i = 0; i < 4; i++)
		name_d();
	return 0;
}
