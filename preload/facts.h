/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written once about a process: command, directory, machine, settings in force. */
#ifndef INSIDEME_FACTS_H
#define INSIDEME_FACTS_H

#include "log.h"
#include "settings.h"

/* Of process @pid, which may be PROCESS_SELF. @cpu_model: what takes long to read, and is the same for all processes of a host, too. */
void facts_write(struct log_header *log, uint32_t pid, int argc, char *const *argv, const struct settings *settings,
		 bool cpu_model);

#endif
