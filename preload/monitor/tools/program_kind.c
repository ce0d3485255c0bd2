/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Examines the program before it runs. */
#include "preload/monitor/tools/program_kind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"
#include "preload/common/base/text.h"
#include "preload/monitor/tools/elf_file.h"

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#define OUR_MACHINE_NAME "x86-64"
#else
#define OUR_MACHINE EM_AARCH64
#define OUR_MACHINE_NAME "aarch64"
#endif

static int can_run(const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of) < 0)
		return errno == ENOTDIR ? -ENOENT : -errno;
	if (!S_ISREG(stat_of.st_mode) || access(path, X_OK) < 0)
		return -EACCES;
	return 0;
}

int program_find(const char *name, char *path, size_t bytes)
{
	const char *directory = getenv("PATH");
	int result = -ENOENT;

	if (strchr(name, '/')) {
		snprintf(path, bytes, "%s", name);
		return can_run(path);
	}
	if (!directory)
		directory = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(directory, ":");
		int error;

		snprintf(path, bytes, "%.*s%s%s", length, directory, length ? "/" : "", name);
		error = *name ? can_run(path) : -ENOENT;
		if (error == 0)
			return 0;
		if (error == -EACCES)
			result = error;
		if (!directory[length])
			return result;
		directory += length + 1;
	}
}

/*
 * Does the program get rights that its caller does not have? Then ld.so takes no library from the
 * environment.
 */
static bool gains_rights(int fd)
{
	struct stat stat_of;
	char capability[64];

	if (fstat(fd, &stat_of) < 0)
		return false;
	if ((stat_of.st_mode & S_ISUID) && stat_of.st_uid != getuid())
		return true;
	if ((stat_of.st_mode & S_ISGID) && (stat_of.st_mode & S_IXGRP) && stat_of.st_gid != getgid())
		return true;
	return getuid() != 0 && fgetxattr(fd, "security.capability", capability, sizeof(capability)) > 0;
}

/* Find the program header that names ld.so. The ELF file is of our own kind. */
static bool find_interpreter(int fd, const Elf64_Ehdr *elf, char *interpreter, size_t bytes)
{
	for (int i = 0; i < elf->e_phnum; i++) {
		Elf64_Phdr segment;
		ssize_t length;

		if (pread(fd, &segment, sizeof(segment),
			  (off_t)(elf->e_phoff + (uint64_t)i * sizeof(segment))) != (ssize_t)sizeof(segment))
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		length = pread(fd, interpreter, bytes - 1, (off_t)segment.p_offset);
		interpreter[length > 0 ? length : 0] = '\0';
		return length > 0;
	}
	return false;
}

static const struct refusal other_machine = { "it is built for another architecture",
					      "build it for " OUR_MACHINE_NAME },
			    is_static = { "it is linked statically", "link it dynamically" },
			    uses_musl = { "it uses musl, and the library is built for glibc",
					  "build it with glibc" },
			    uses_another = { "it uses another C library than glibc", "build it with glibc" },
			    rights = { "it gains rights when it starts (setuid, setgid or capabilities)",
				       "run a copy that gains none" };

/*
 * ld.so run as a program loads the library into the program that it starts. Before glibc 2.34 its
 * file was ld-2.31.so.
 */
static bool is_ld_so(const char *file)
{
	char real[PATH_MAX];
	const char *name = realpath(file, real) ? strrchr(real, '/') + 1 : "";

	return !strncmp(name, "ld-linux", strlen("ld-linux")) || !strncmp(name, "ld-2.", strlen("ld-2."));
}

static const struct refusal *judge_elf(int fd, const char *file, const Elf64_Ehdr *elf)
{
	char interpreter[PATH_MAX];

	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != OUR_MACHINE)
		return &other_machine;
	if (elf->e_phentsize != sizeof(Elf64_Phdr) ||
	    !find_interpreter(fd, elf, interpreter, sizeof(interpreter)))
		return is_ld_so(file) ? NULL : &is_static;
	if (strstr(interpreter, "ld-musl"))
		return &uses_musl;
	if (!strstr(interpreter, "/ld-linux"))
		return &uses_another;
	return gains_rights(fd) ? &rights : NULL;
}

/* "#! /path/of/interpreter argument" */
static bool script_interpreter(char *line, char **path)
{
	if (line[0] != '#' || line[1] != '!')
		return false;
	*path = line + 2 + strspn(line + 2, " \t");
	(*path)[strcspn(*path, " \t\r\n")] = '\0';
	return **path;
}

union head {
	Elf64_Ehdr elf;
	char text[512];
};

/* Return: the open file, or -1. */
static int open_head(const char *path, union head *head, bool *is_elf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, head->text, sizeof(head->text) - 1);

	head->text[length > 0 ? length : 0] = '\0';
	*is_elf = length >= (ssize_t)sizeof(head->elf) && !memcmp(head->elf.e_ident, ELFMAG, SELFMAG);
	return fd;
}

/* A script's interpreter may be a script again; the kernel follows four. */
int program_executable(const char *path, char *file)
{
	snprintf(file, PATH_MAX, "%s", path);
	for (int depth = 0; depth <= 4; depth++) {
		union head head;
		bool is_elf;
		char *interpreter;
		int fd = open_head(file, &head, &is_elf);

		if (fd >= 0)
			close(fd);
		if (is_elf)
			return depth;
		if (fd < 0 || !script_interpreter(head.text, &interpreter))
			return -1;
		snprintf(file, PATH_MAX, "%s", interpreter);
	}
	return -1;
}

const struct refusal *program_refusal(const char *path)
{
	const struct refusal *refusal = NULL;
	char file[PATH_MAX];
	union head head;
	bool is_elf;
	int fd;

	if (program_executable(path, file) < 0)
		return NULL;
	fd = open_head(file, &head, &is_elf);
	if (is_elf)
		refusal = judge_elf(fd, file, &head.elf);
	if (fd >= 0)
		close(fd);
	return refusal;
}

bool program_ld_so(const char *file, char *ld_so, size_t bytes)
{
	union head head;
	bool is_elf, found;
	int fd = open_head(file, &head, &is_elf);

	found = is_elf && find_interpreter(fd, &head.elf, ld_so, bytes);
	if (fd >= 0)
		close(fd);
	return found;
}

bool program_has_hooks(const char *path)
{
	struct elf_file file;
	bool has_hooks;

	if (!elf_file_open(&file, path))
		return false;
	has_hooks = elf_file_symbol(&file, "__cyg_profile_func_enter") == ELF_SYMBOL_USED;
	elf_file_close(&file);
	return has_hooks;
}

bool program_uses_mpi(const char *path)
{
	static const char *const launchers[] = {
		"mpirun", "mpirun.openmpi", "mpirun.mpich", "mpiexec", "mpiexec.openmpi", "mpiexec.mpich",
		"mpiexec.hydra", "orterun", "prterun", "prun", "srun",
	};
	static const char *const calls[] = {
		"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "mpi_init_", "mpi_init_f08_",
		"mpi_init_thread_", "mpi_init_thread_f08_",
	};
	struct elf_file file;
	bool has_call = false;

	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++) {
		if (!strcmp(text_base_name(path), launchers[i]))
			return true;
	}
	if (!elf_file_open(&file, path))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(calls) && !has_call; i++)
		has_call = elf_file_symbol(&file, calls[i]) == ELF_SYMBOL_USED;
	elf_file_close(&file);
	return has_call;
}
