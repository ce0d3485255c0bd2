/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of symbols without looking at a file. */
#include "symbols.h"

#include "error.h"

/* In libsupc++; declared here because its header is C++. */
char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

char *symbols_type_name(const char *mangled)
{
	char *name = __cxa_demangle(mangled, NULL, NULL, NULL);

	return name ? name : xstrdup(mangled);
}

const char *symbols_state_text(enum symbols_state state)
{
	static const char *const texts[] = {
		[SYMBOLS_GOOD] = "has no symbol for it",
		[SYMBOLS_NO_FILE] = "is gone",
		[SYMBOLS_OTHER_FILE] = "is another file now",
		[SYMBOLS_UNREADABLE] = "cannot be read",
	};

	return texts[state];
}
