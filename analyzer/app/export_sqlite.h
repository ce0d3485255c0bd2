/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A database of all views. */
#pragma once

#include "analyzer/cells/view_context.h"

/* Write it to --output. Return: exit status, after an error() */
int export_sqlite(struct report *report);
