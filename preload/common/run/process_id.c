/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies processes, for the names and headers of logs. */
#include "preload/common/run/process_id.h"

#include <errno.h>
#include <limits.h>
#include <sys/utsname.h>

#include "preload/common/base/proc_text.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

long read_file(const char *path, char *buffer, size_t bytes)
{
	int fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	long length;

	buffer[0] = '\0';
	if (fd < 0)
		return fd;
	length = sys_read(fd, buffer, bytes - 1);
	sys_close(fd);
	if (length >= 0)
		buffer[length] = '\0';
	return length;
}

uint64_t number_in(const char *path)
{
	char content[64];
	const char *at = content;
	uint64_t number;

	if (read_file(path, content, sizeof(content)) <= 0 || text_read_u64(&at, &number) < 0)
		return UINT64_MAX;
	return number;
}

void proc_path(char *path, size_t bytes, uint32_t pid, const char *name)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, "/proc/");
	if (pid == PROCESS_SELF)
		text_add(&text, "self");
	else
		text_add_number(&text, pid);
	text_add(&text, name);
}

static int read_stat(uint32_t pid, struct proc_stat *stat)
{
	char path[32], content[1024];

	proc_path(path, sizeof(path), pid, "/stat");
	return read_file(path, content, sizeof(content)) < 0 ? -ESRCH : proc_parse_stat(content, stat);
}

int process_parent(uint32_t pid, uint32_t *ppid, uint64_t *start)
{
	struct proc_stat stat;
	int error = read_stat(pid, &stat);

	if (error < 0)
		return error;
	*ppid = (uint32_t)stat.parent_pid;
	*start = stat.start_ticks;
	return 0;
}

/*
 * The kernel may hide the file of another user's process; then it is only known whether the process
 * exists.
 */
bool process_runs(uint32_t pid, uint32_t start_low)
{
	struct proc_stat stat;

	if (read_stat(pid, &stat) < 0)
		return raw_syscall(SYS_kill, pid, 0, 0, 0, 0, 0) != -ESRCH;
	return stat.state != 'Z' && stat.state != 'X' && (uint32_t)stat.start_ticks == start_low;
}

static void name_program(char *program, const char *exe)
{
	text_copy(program, PROCESS_PROGRAM_BYTES, exe[0] ? text_base_name(exe) : "unknown");
}

void process_link(uint32_t pid, const char *name, char *target)
{
	char path[32];
	long length;

	proc_path(path, sizeof(path), pid, name);
	length = sys_readlink(path, target, PATH_MAX - 1);
	target[length > 0 ? length : 0] = '\0';
	text_drop_end(target, " (deleted)"); /* the kernel's word about the file */
}

void process_program(uint32_t pid, char *program)
{
	char exe[PATH_MAX];

	process_link(pid, "/exe", exe);
	name_program(program, exe);
}

void process_id_look(struct process_id *id)
{
	id->pid = (uint32_t)sys_getpid();
	if (process_parent(PROCESS_SELF, &id->ppid, &id->start) < 0) {
		id->ppid = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
		id->start = 0;
	}
}

void process_id_expand(const struct process_id *id, const char *name, char *expanded, size_t bytes)
{
	struct text text;

	text_init(&text, expanded, bytes);
	for (; *name; name++) {
		if (text_begins(name, "%e"))
			text_add(&text, id->program);
		else if (text_begins(name, "%h"))
			text_add(&text, id->host);
		else if (text_begins(name, "%p"))
			text_add_number(&text, id->pid);
		else if (text_begins(name, "%r"))
			text_add_number(&text, id->rank.rank > 0 ? (uint64_t)id->rank.rank : 0);
		else
			text_add_char(&text, *name);
		name += *name == '%' && name[1] && text_find("ehpr", name[1]);
	}
}

void process_id_boot(struct process_id *id)
{
	if (read_file("/proc/sys/kernel/random/boot_id", id->boot_id, 37) < 0)
		id->boot_id[0] = '\0';
}

void process_id_begin(struct process_id *id, const char *exe)
{
	struct utsname names;

	id->pid = (uint32_t)sys_getpid();
	id->ppid = (uint32_t)raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	id->start = 0;
	raw_syscall(SYS_uname, (long)&names, 0, 0, 0, 0, 0);
	text_copy(id->host, sizeof(id->host), names.nodename);
	for (char *p = id->host; *p; p++)
		if (*p == '/')
			*p = '_';
	id->boot_id[0] = '\0';
	if (exe)
		name_program(id->program, exe);
	else
		process_program(PROCESS_SELF, id->program);
}

void process_id_read(struct process_id *id, const char *exe)
{
	process_id_begin(id, exe);
	process_id_look(id);
}

void format_date(char *date, uint64_t realtime_ns)
{
	uint64_t seconds = realtime_ns / 1000000000u, days = seconds / 86400, second = seconds % 86400;
	/*
	 * Days become a civil date by eras of 400 years that begin in March, so that leap days come
	 * last.
	 */
	uint64_t day = days + 719468, era = day / 146097, of_era = day % 146097;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
	struct text text;

	text_init(&text, date, DATE_BYTES);
	text_add_padded(&text, year + era * 400 + (month >= 10), 4);
	text_add_padded(&text, month < 10 ? month + 3 : month - 9, 2);
	text_add_padded(&text, of_year - (153 * month + 2) / 5 + 1, 2);
	text_add_char(&text, '-');
	text_add_padded(&text, second / 3600, 2);
	text_add_padded(&text, second / 60 % 60, 2);
	text_add_padded(&text, second % 60, 2);
}
