/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints lines on stderr. */
#include "preload/common/run/message.h"

#include <sys/stat.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/mapped_runs.h"
#include "preload/common/run/rank.h"

#define BEGIN		"insideme: "
#define SPAN_LINE_BYTES	512

static struct run *run;			/* set before any thread; NULL: no run yet */
static struct stat first_stderr;	/* set before any thread; st_ino 0: none */

static long stat_stderr(int fd, struct stat *stat)
{
	return sys_fstat(fd, stat);
}

void say_init(struct run *own)
{
	run = own;
	stat_stderr(2, &first_stderr);
}

/* The program may have closed stderr, and opened a file of its own with the same number. */
static bool is_stderr(int fd)
{
	struct stat now;

	return !first_stderr.st_ino || (stat_stderr(fd, &now) == 0 && now.st_ino == first_stderr.st_ino &&
					now.st_dev == first_stderr.st_dev);
}

/*
 * If the parent has no run for the same reason, it has printed the message: a script in another
 * user's directory may start hundreds of programs.
 */
static bool is_said_by_parent(void)
{
	uint32_t parent = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	char program[PROCESS_PROGRAM_BYTES];

	if (!parent || !mapped_runs_are_missed(parent))
		return false;
	process_program(parent, program);
	return !rank_is_launcher(program);	/* launchers are not recorded, and print nothing */
}

bool say_is_news(enum message message)
{
	uint32_t bit = 1u << message;

	if (!run)
		return !is_said_by_parent();
	if (!run->page && run_map_page(run, NULL) < 0)
		return true;
	return !(__atomic_fetch_or(&run->page->messages, bit, __ATOMIC_RELAXED) & bit);
}

static void say_on(int fd, const char *begin, const char *line)
{
	static char end[] = "\n";
	const struct iovec parts[] = {
		{ (char *)begin, text_length(begin) },
		{ (char *)line, text_length(line) },
		{ end, sizeof(end) - 1 },
	};

	if (is_stderr(fd))
		sys_writev_unsignalled(fd, parts, ARRAY_SIZE(parts));
}

bool say_can(void)
{
	return first_stderr.st_ino && is_stderr(2);
}

void say_line(const char *line)
{
	say_on(2, BEGIN, line);
}

void say_span(const char *name, const struct span_line *span)
{
	char line[SPAN_LINE_BYTES];
	struct text text;
	size_t bytes = text_length(name), width = 0;
	const size_t most = span->name_width ? span->name_width : SPAN_NAME_MAX;
	bool is_cut = bytes > most;

	bytes = is_cut ? (most > 3 ? most - 3 : 0) : bytes;
	while (is_cut && bytes && (name[bytes] & 0xc0) == 0x80)	/* do not cut a character in half */
		bytes--;
	text_init(&text, line, sizeof(line));
	for (size_t i = 0; i < bytes; i++) {
		text_add_char(&text, (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i]);
		width += (name[i] & 0xc0) != 0x80;
	}
	text_add(&text, is_cut ? "..." : "");
	for (width += is_cut ? 3 : 0; width < span->name_width; width++)
		text_add_char(&text, ' ');
	text_add(&text, " - ");
	text_add_number(&text, (span->ns + 5000) / 1000000000);
	text_add_char(&text, '.');
	text_add_padded(&text, (span->ns + 5000) % 1000000000 / 10000, 5);
	text_add(&text, " seconds - process ");
	text_add(&text, span->program);
	text_add_char(&text, '/');
	text_add_number(&text, span->pid);
	text_add(&text, span->broken ? " (broken)" : "");
	say_on(2, "[Profiler] ", line);
}

void say_line_of(int pid, const char *line)
{
	long process = raw_syscall(SYS_pidfd_open, pid, 0, 0, 0, 0, 0), fd;

	if (process < 0)
		return;
	fd = raw_syscall(SYS_pidfd_getfd, process, 2, 0, 0, 0, 0);
	if (fd >= 0) {
		say_on((int)fd, BEGIN, line);
		sys_close((int)fd);
	}
	sys_close((int)process);
}

void complaints_init(struct complaints *complaints)
{
	text_init(&complaints->text, complaints->buffer, sizeof(complaints->buffer));
}

void complaints_keep(void *context, const char *line)
{
	struct complaints *complaints = context;

	text_add(&complaints->text, line);
	text_add_char(&complaints->text, '\n');
}

void complaints_say(struct complaints *complaints)
{
	char *line = complaints->buffer;

	if (!*line || !say_is_news(MESSAGE_SETTINGS))
		return;
	for (char *p = line; *p; p++) {
		if (*p != '\n')
			continue;
		*p = '\0';
		say_line(line);
		line = p + 1;
	}
}
