/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the process and the machine, as key=value text records. */
#include "preload/common/run/process_facts.h"

#include <limits.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/exe_path.h"
#include "preload/common/run/process_id.h"

_Static_assert(FACTS_BYTES / 2 >= 2 * PATH_MAX, "room for two paths");

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       text_find("_-./=:,+@%^", c);
}

/* One argument as it would be typed into a shell. */
static void add_quoted(struct text *text, const char *argument)
{
	const char *p = argument;

	while (*p && is_plain(*p))
		p++;
	if (!*p && p > argument) {
		text_add(text, argument);
		return;
	}
	text_add_char(text, '\'');
	for (p = argument; *p; p++) {
		if (*p == '\'')
			text_add(text, "'\\''");
		else
			text_add_char(text, *p);
	}
	text_add_char(text, '\'');
}

static void write_number(struct log_header *log, const char *key, uint64_t number, uint64_t now)
{
	char buffer[24];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add_number(&text, number);
	log_write_text(log, key, buffer, now);
}

/* The value in the first line of /proc/cpuinfo that begins with "model name". */
static void write_cpu_model(struct log_header *log, uint64_t now)
{
	char content[2048], *line = content;

	if (read_file("/proc/cpuinfo", content, sizeof(content)) <= 0)
		return;
	for (char *p = content; *p; p++) {
		const char *colon;

		if (*p != '\n')
			continue;
		*p = '\0';
		colon = text_find(line, ':');
		if (text_begins(line, "model name") && colon && colon[1]) {
			log_write_text(log, "cpu_model", colon + 2, now);
			return;
		}
		line = p + 1;
	}
}

static void write_machine(struct log_header *log, uint64_t now, bool cpu_model)
{
	uint64_t cpus[128], nr_cpus = 0;
	struct utsname names;
	struct sysinfo info;
	long bytes;

	if (raw_syscall(SYS_uname, (long)&names, 0, 0, 0, 0, 0) == 0)
		log_write_text(log, "kernel", names.release, now);
	if (cpu_model)
		write_cpu_model(log, now);
	bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof(cpus), (long)cpus, 0, 0, 0);
	for (long i = 0; i < bytes / (long)sizeof(cpus[0]); i++)
		nr_cpus += (uint64_t)__builtin_popcountll(cpus[i]);
	if (nr_cpus)
		write_number(log, "nr_cpus", nr_cpus, now);
	if (raw_syscall(SYS_sysinfo, (long)&info, 0, 0, 0, 0, 0) == 0)
		write_number(log, "memory_bytes", (uint64_t)info.totalram * info.mem_unit, now);
}

static void write_settings(struct log_header *log, const struct settings *settings, uint64_t now)
{
	char key[64];
	struct text text;

	for (int id = 0; id < NR_SETTINGS; id++) {
		text_init(&text, key, sizeof(key));
		text_add(&text, "setting.");
		text_add(&text, settings_table[id].name);
		log_write_text(log, key, settings_text(settings, id), now);
	}
}

void facts_read(struct facts *facts, char *buffer, uint32_t pid, const char *executed, int argc, char *const *argv)
{
	struct text text;
	char *exe, *cwd;

	text_init(&text, buffer, FACTS_BYTES / 2);
	for (int i = 0; i < argc && argv[i]; i++) {
		if (i)
			text_add_char(&text, ' ');
		add_quoted(&text, argv[i]);
	}
	exe = text.at + 1;
	if (!executed || !executed_path(exe, executed, argc, argv))
		process_link(pid, "/exe", exe);
	cwd = exe + text_length(exe) + 1;
	if (pid != PROCESS_SELF)
		process_link(pid, "/cwd", cwd);
	else if (raw_syscall(SYS_getcwd, (long)cwd, PATH_MAX, 0, 0, 0, 0) <= 0)	/* a fifth of the link's time */
		cwd[0] = '\0';
	*facts = (struct facts){ buffer, exe, cwd };
}

void facts_write(struct log_header *log, const struct facts *facts, const struct settings *settings, bool cpu_model)
{
	uint64_t now = clock_ticks(log->clock);

	log_write_text(log, "command", facts->command, now);
	if (facts->exe[0])
		log_write_text(log, "exe", facts->exe, now);
	if (facts->cwd[0])
		log_write_text(log, "cwd", facts->cwd, now);
	write_machine(log, now, cpu_model);
	write_settings(log, settings, now);
}
