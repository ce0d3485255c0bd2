/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -o DIRECTORY/: everything about a run, to keep or to hand on. */
#pragma once

#include "analyzer/cells/view_context.h"

/*
 * Write into options->output, which is created if necessary: the page, a csv of each view, and the logs if
 * --copy or --move is given. Return: exit status
 */
int folder_write(struct report *report);
