/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts that are written once about a process: command, directory, machine, settings in force. */
#pragma once

#include "preload/common/base/settings.h"
#include "preload/common/log/log.h"

struct facts {
	const char *command;		/* arguments separated by spaces, quoted as for a shell */
	const char *exe;		/* "" where it cannot be read, as cwd */
	const char *cwd;
};

/*
 * Read the facts of process @pid, which may be PROCESS_SELF. The texts are in @buffer
 * (FACTS_BYTES). @executed: AT_EXECFN of this process, at its start; NULL: not known.
 */
#define FACTS_BYTES	16384
void facts_read(struct facts *facts, char *buffer, uint32_t pid, const char *executed, int argc,
		char *const *argv);

/* Write them. @cpu_model: include what is slow to read and the same for all processes of a host. */
void facts_write(struct log_header *log, const struct facts *facts, const struct settings *settings,
		 bool cpu_model);

/*
 * The executable from what was executed, without /proc/self/exe: the kernel makes entries of /proc
 * for each process that is looked up there, and removes them at its end. @executed: AT_EXECFN.
 * @exe: PATH_MAX bytes, set to the path without symbolic links, as /proc/self/exe has it. Only for
 * the start of this process. Return: false when that link must be read, because @executed is
 * relative, a script, a file of /proc or /dev, an argument of the dynamic linker, or has too many
 * links.
 */
bool executed_path(char *exe, const char *executed, int argc, char *const *argv);

#include <stdbool.h>
