/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that does nothing: what start and end of a recorder cost. */
int main(void)
{
	return 0;
}
