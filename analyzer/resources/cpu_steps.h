/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CPU time of a process before its first reading, and after its last one. */
#pragma once

#include "analyzer/base/curves.h"
#include "analyzer/model/model.h"

/*
 * Before the first reading of @column of @rows, which came at @times: exec and the dynamic linker, if it was
 * another program of the run that started the process; then from its start on. @most: a limit of the rate
 */
void cpu_steps_begin(struct steps *steps, const struct process *process, const struct rowset *rows,
		     const int64_t *times, uint32_t column, double most);

/*
 * After the last reading, at @time, of @used_ns. Return: what the process used in all; of an image that is
 * not its last, @used_ns
 */
double cpu_steps_end(struct steps *steps, struct process *process, int64_t time, double used_ns, double most);

/* All of a process without readings. Return: likewise; 0: not known */
double cpu_steps_unread(struct steps *steps, struct process *process);
