/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /proc tells of a process, for as long as nobody has waited for it. */
#ifndef INSIDEME_MONITOR_LAST_WORDS_H
#define INSIDEME_MONITOR_LAST_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct last_words {
	uint64_t start_ticks;		/* field 22 of stat; LOG_NONE as all below: not told */
	uint64_t user_ns;		/* to 10 ms */
	uint64_t system_ns;
	uint64_t status;		/* as wait() tells; only of a zombie that is ours to look at */
	pid_t parent;			/* 0: not told */
	bool is_over;
	bool had_children;		/* what wait4() tells is then of them too */
	char name[16];			/* of the program; "" when not told */
};

/* Return: whether there is such a process. */
bool last_words_read(struct last_words *words, pid_t pid);

#endif
