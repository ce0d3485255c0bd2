/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the settings table as a part of the manual page, so that the two always agree. */
#include <stdio.h>

#include "preload/common/base/settings.h"

static void print_choices(const struct setting *setting)
{
	const char *separator = setting->type == SETTING_LIST ? "," : "|";

	if (!setting->choices)
		return;
	printf(".br\nValues: ");
	for (int i = 0; setting->choices[i]; i++)
		printf("%s\\fB%s\\fR", i ? separator : "", setting->choices[i]);
	printf("%s.\n", setting->type == SETTING_LIST ? ", or \\fBoff\\fR" : "");
}

int main(void)
{
	for (int i = 0; i < NR_SETTINGS; i++) {
		const struct setting *setting = &settings_table[i];

		printf(".TP\n.BR %s \", \\-\\-%s\"\n%s", setting->name, setting->option, setting->help);
		printf(setting->fallback[0] ? " (default %s)\n" : "\n", setting->fallback);
		print_choices(setting);
	}
	return 0;
}
