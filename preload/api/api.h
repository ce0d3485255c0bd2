/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions behind include/insideme.h, which has their contracts. */
#pragma once

#include <stdint.h>

struct insideme_sum;
struct insideme_timer;

/*
 * Marks, failures, counters and spans. Together they may take a share of the log, so that the call tree keeps
 * its room.
 */
int mark_instant(const char *name);
int mark_failure(const char *type, const char *message);
int mark_counter(const char *name, uint64_t value);

int mark_field(const char *name);
int mark_snapshot(const char *name);

int timer_start(struct insideme_timer *timer);
int timer_pause(struct insideme_timer *timer);
int timer_resume(struct insideme_timer *timer);
int timer_stop(struct insideme_timer *timer);
int64_t timer_elapsed(const struct insideme_timer *timer);
int timer_add(const char *name, uint64_t ns);
int on_call(void (*callback)(const char *name, uint64_t ns, int broken), uint64_t least_ns);

/* Bytes that the open call moved: a message of no MPI call. */
int messages_moved(uint64_t bytes);

/* Questions that the program can ask. */
int query_sum(const char *name, struct insideme_sum *sum);
int query_sum_after(const char *name, struct insideme_sum *sum);
int query_reset(const char *name);
uint64_t query_mean_ns(const char *name);
uint64_t query_memory(int which);

/* Switch recording of calls on and off. */
int toggle_enable(void);
int toggle_disable(void);

/*
 * Apply INSIDEME_START, and INSIDEME_SIGNAL if the program has no handler for that signal. Constructor only.
 */
void toggle_begin(void);
