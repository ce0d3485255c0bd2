/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program says of itself by include/insideme.h, whose contracts these have: instants, failures, counters, spans of
 * timers. All of it together may take a share of the log, so that a program that marks without end keeps its call tree.
 */
#ifndef INSIDEME_API_MARKS_H
#define INSIDEME_API_MARKS_H

#include <stdint.h>

struct insideme_timer;

int mark_instant(const char *name);
int mark_failure(const char *type, const char *message);
int mark_counter(const char *name, uint64_t value);

int mark_field(const char *name);
int mark_snapshot(const char *name);

int timer_start(struct insideme_timer *timer);
int timer_pause(struct insideme_timer *timer);
int timer_resume(struct insideme_timer *timer);
int timer_stop(struct insideme_timer *timer);

#endif
