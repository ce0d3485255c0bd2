/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading /proc/PID/stat of a process that runs or has just ended. */
#include "preload/monitor/tools/last_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "insideme_log.h"
#include "preload/common/resources/proc_text.h"
#include "preload/common/resources/source.h"

/*
 * The exit code is the last field. To those who may not look it reads 0, which could be an exit status: the kernel asks
 * the same for the link to the program, which a zombie that may be looked at has not any more.
 */
static uint64_t read_status(pid_t pid, const char *text)
{
	const char *last = strrchr(text, ' ');
	char path[32], program;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!last || (readlink(path, &program, 1) < 0 && errno == EACCES))
		return LOG_NONE;
	return strtoull(last, NULL, 10);
}

/* Field 2 is in parentheses, and may hold some. */
static void read_name(struct last_words *words, const char *text)
{
	const char *begin = strchr(text, '('), *end = strrchr(text, ')');

	if (begin && end && end - begin - 1 < (long)sizeof(words->name))
		memcpy(words->name, begin + 1, (size_t)(end - begin - 1));
}

bool last_words_read(struct last_words *words, pid_t pid)
{
	struct source_count count = { 0, 0 };
	struct proc_stat stat;
	char text[1024];
	int fd = source_open(pid, "stat");
	bool found = source_read(fd, &count, text, sizeof(text), 0) > 0 && proc_parse_stat(text, &stat) == 0;

	*words = (struct last_words){ .start_ticks = LOG_NONE, .user_ns = LOG_NONE, .system_ns = LOG_NONE,
				      .status = LOG_NONE };
	if (found) {
		words->start_ticks = stat.start_ticks;
		words->user_ns = stat.user_ns;
		words->system_ns = stat.system_ns;
		words->parent = (pid_t)stat.parent_pid;
		words->is_over = stat.state == 'Z' || stat.state == 'X';
		words->had_children = stat.child_faults > 0;
		if (words->is_over)
			words->status = read_status(pid, text);
		read_name(words, text);
	}
	source_close(&fd);
	return found;
}
