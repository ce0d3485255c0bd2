/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The peak of a process's heap. Threads hold back a part of the process's total. The peak is the highest
 * total with these parts that a thread or the sampler has seen. Callable from anywhere.
 */
#pragma once

#include "preload/common/log/log.h"

/*
 * Look whether the heap is at a new peak. If so, paths have their current blocks as those at the peak, until
 * the next one. @thread brought it there, on the path @node.
 */
void heap_peak_look(struct log_header *log, const struct log_thread *thread, uint32_t node);

/* The sampler's look. Return: the live heap. */
int64_t heap_peak_sample(struct log_header *log);
