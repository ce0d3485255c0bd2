/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The executable of this process by what was executed, without /proc/self/exe: the kernel makes entries of /proc for
 * each process that is looked up there, and takes them apart at its end. No libc.
 */
#ifndef INSIDEME_EXE_PATH_H
#define INSIDEME_EXE_PATH_H

#include <stdbool.h>

/*
 * The path of @executed, AT_EXECFN of this process, free of symbolic links, as /proc/self/exe has it. @exe: PATH_MAX bytes. At
 * the process's start only. False: that link has to say it, since what was executed is a relative path, a script, a
 * file of /proc or /dev, given to the dynamic linker as an argument, or far to follow.
 */
bool executed_path(char *exe, const char *executed, int argc, char *const *argv);

#endif
