/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written once about a process: command, directory, machine, settings in force. */
#ifndef INSIDEME_PROCESS_FACTS_H
#define INSIDEME_PROCESS_FACTS_H

#include "preload/common/base/settings.h"
#include "preload/common/log/log.h"

struct facts {
	const char *command;		/* arguments separated by spaces, quoted as for a shell */
	const char *exe;		/* these two "" where they cannot be read */
	const char *cwd;
};

/*
 * Of process @pid, which may be PROCESS_SELF; the texts are in @buffer (FACTS_BYTES). @executed: AT_EXECFN of this process, at its
 * start; NULL: not known.
 */
#define FACTS_BYTES	16384
void facts_read(struct facts *facts, char *buffer, uint32_t pid, const char *executed, int argc, char *const *argv);

/* @cpu_model: what takes long to read, and is the same for all processes of a host, too. */
void facts_write(struct log_header *log, const struct facts *facts, const struct settings *settings, bool cpu_model);

#endif
