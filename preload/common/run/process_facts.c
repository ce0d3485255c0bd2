/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the process and the machine, written as key=value text records. */
#include "preload/common/run/process_facts.h"

#include <errno.h>
#include <limits.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"

/* Longer paths are read from /proc, so that a start touches few pages of the stack */
#define PATH_BYTES	512
#define LINKS_MAX	40	/* as in the kernel */

/*
 * For a script, the kernel executes the interpreter, and the script is an argument. The dynamic linker, when
 * it is called, sets AT_EXECFN to its first argument.
 */
static bool is_argument(const char *executed, int argc, char *const *argv)
{
	for (int i = 0; i < argc && argv[i]; i++)
		if (argv[i] == executed || (i && text_equal(argv[i], executed)))
			return true;
	return false;
}

/*
 * Is the path absolute, without "//", "/./" and "/../", and outside of folders that differ by
 * process?
 */
static bool is_plain_path(const char *path)
{
	if (path[0] != '/' || text_begins(path, "/proc/") || text_begins(path, "/dev/"))
		return false;
	for (const char *p = path; *p; p++)
		if (text_begins(p, "//") || text_begins(p, "/./") || text_begins(p, "/../"))
			return false;
	return true;
}

/*
 * Find the first link on the way to @path, which ends at *@bytes. Return: the length of its
 * @target; -EINVAL: there is none; or another -errno.
 */
static long read_first_link(char *path, size_t *bytes, char *target)
{
	for (char *p = path + 1;; p++) {
		const char c = *p;
		long length;

		if (c && c != '/')
			continue;
		*p = '\0';
		length = sys_readlink(path, target, PATH_BYTES);
		*p = c;
		*bytes = (size_t)(p - path);
		if (!c || length != -EINVAL)
			return length;
	}
}

/* Replace the link in @path that ends at @bytes by @target. Return: false when there is no room. */
static bool replace(char *path, size_t bytes, const char *target, size_t length)
{
	char replaced[PATH_BYTES];
	size_t directory = bytes;
	struct text text;

	while (path[directory - 1] != '/')
		directory--;
	text_init(&text, replaced, sizeof(replaced));
	if (target[0] != '/')
		text_add_bytes(&text, path, directory);
	text_add_bytes(&text, target, length);
	text_add(&text, path + bytes);
	text_copy(path, PATH_BYTES, replaced);
	return !text.cut;
}

bool executed_path(char *exe, const char *executed, int argc, char *const *argv)
{
	char target[PATH_BYTES];
	size_t bytes;
	long length;

	if (is_argument(executed, argc, argv) || text_length(executed) >= PATH_BYTES)
		return false;
	text_copy(exe, PATH_BYTES, executed);
	for (int links = 0; links < LINKS_MAX && is_plain_path(exe); links++) {
		length = read_first_link(exe, &bytes, target);
		if (length < 0 || !replace(exe, bytes, target, (size_t)length))
			return length == -EINVAL;
	}
	return false;
}

_Static_assert(FACTS_BYTES / 2 >= 2 * PATH_MAX, "room for two paths");

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       text_find("_-./=:,+@%^", c);
}

/* Add one argument as it would be typed into a shell. */
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

/* Write the value of the first line "model name" of /proc/cpuinfo. */
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
	struct statfs disk;
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
	if (raw_syscall(SYS_sysinfo, (long)&info, 0, 0, 0, 0, 0) == 0) {
		write_number(log, "memory_bytes", (uint64_t)info.totalram * info.mem_unit, now);
		write_number(log, "swap_bytes", (uint64_t)info.totalswap * info.mem_unit, now);
		write_number(log, "swap_free_bytes", (uint64_t)info.freeswap * info.mem_unit, now);
	}
	if (raw_syscall(SYS_statfs, (long)".", (long)&disk, 0, 0, 0, 0) == 0)
		write_number(log, "disk_free_bytes", (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize, now);
}

/* By which the parent is known where it is not recorded. */
static void write_parent(struct log_header *log, uint64_t now)
{
	char path[32], name[32];

	proc_path(path, sizeof(path), log->ppid, "/comm");
	if (!log->ppid || read_file(path, name, sizeof(name)) <= 0)
		return;
	name[text_length(name) - (text_find(name, '\n') ? 1 : 0)] = '\0';
	log_write_text(log, "parent", name, now);
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

void facts_read(struct facts *facts, char *buffer, uint32_t pid, const char *executed, int argc,
		char *const *argv)
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
	/* Five times as fast as reading the link */
	else if (raw_syscall(SYS_getcwd, (long)cwd, PATH_MAX, 0, 0, 0, 0) <= 0)
		cwd[0] = '\0';
	*facts = (struct facts){ buffer, exe, cwd };
}

void facts_write(struct log_header *log, const struct facts *facts, const struct settings *settings,
		 bool cpu_model)
{
	uint64_t now = clock_ticks(log->clock);

	log_write_text(log, "command", facts->command, now);
	if (facts->exe[0])
		log_write_text(log, "exe", facts->exe, now);
	if (facts->cwd[0])
		log_write_text(log, "cwd", facts->cwd, now);
	write_parent(log, now);
	write_machine(log, now, cpu_model);
	write_settings(log, settings, now);
}
