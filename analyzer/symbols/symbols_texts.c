/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of symbols without looking at a file. */
#include "analyzer/symbols/symbols.h"

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
