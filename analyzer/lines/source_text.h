/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a source file. Its path comes from debug information, which a malicious program may have made
 * up: only regular files whose names end like those of sources are read.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct source_text {
	char *text;			/* NULL: not read; to be freed */
	size_t bytes;			/* of it, without its final 0 */
	const char *trouble;		/* why it is not, or may not be as compiled; NULL: it is fine */
};

/* @program_mtime_ns: of what was compiled from it, 0: not known. @most_bytes: larger files are not read. */
struct source_text source_text_read(const char *path, uint64_t program_mtime_ns, size_t most_bytes);

/* Files that were read so far, each once; all 0 at first. */
struct source_files {
	struct source_file *list;
	size_t nr;
};

/*
 * Line @number, from 1, without its end and with blanks for tabs; "" if the file has fewer lines or cannot
 * be read. Valid until source_files_release().
 */
const char *source_line(struct source_files *files, const char *path, uint64_t program_mtime_ns,
			uint32_t number);
/* The trouble with a file that was asked for. NULL: none. */
const char *source_trouble(struct source_files *files, const char *path, uint64_t program_mtime_ns);
void source_files_release(struct source_files *files);
