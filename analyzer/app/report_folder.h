/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -o DIRECTORY/: all there is of a run, to keep or to pass on. */
#ifndef INSIDEME_REPORT_FOLDER_H
#define INSIDEME_REPORT_FOLDER_H

#include "analyzer/cells/view_context.h"

/*
 * Into options->output, made where it is not there: the page, a csv of each view, and the logs where --copy or --move asks
 * for them. Return: exit status
 */
int folder_write(struct report *report);

#endif
