/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of insideme-run --check. */
#ifndef INSIDEME_CHECK_FINDING_H
#define INSIDEME_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>

enum works { WORKS, WORKS_IN_PART, WORKS_NOT };

struct finding {
	enum works works;
	bool is_fatal;			/* the program cannot be recorded at all */
	char text[512];
	char advice[256];		/* "": there is nothing to do */
};

/* What @finding says, like printf. @advice: NULL for none. */
void finding_set(struct finding *finding, enum works works, const char *advice, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
