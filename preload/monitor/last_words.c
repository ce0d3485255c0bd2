/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading /proc/PID/stat of a process that runs or has just ended. */
#include "monitor/last_words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "insideme_log.h"
#include "resources/process_text.h"
#include "resources/source.h"

/* The exit code is the last field. To others than the owner it reads 0, which could be an exit status. */
static uint64_t read_status(int fd, const char *text)
{
	const char *last = strrchr(text, ' ');
	struct stat owner;

	if (!last || fstat(fd, &owner) < 0 || (geteuid() != 0 && owner.st_uid != geteuid()))
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
			words->status = read_status(fd, text);
		read_name(words, text);
	}
	source_close(&fd);
	return found;
}
