/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source lines of logs: those that samples were in, their callers, those that allocated or were counted. */
#pragma once

#include "analyzer/lines/lines.h"

/*
 * Fill the model's lines from the samples outside of hooks, and name their functions. Called when they are
 * asked for, because it reads the debug information of all code that was sampled. Return: NULL: no line is
 * known
 */
const struct lines *sampled_lines_read(struct model *model);
