/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Was the calling thread off its processor in a call, without having asked for it? Then what the call lasted is no measure of
 * others. Asking takes two system calls, so only what lasted long is asked about, and what it is compared with is up to
 * a ms older than the call: a long call shortly after a wait for the processor is taken for one that waited.
 */
#ifndef INSIDEME_PREEMPTED_H
#define INSIDEME_PREEMPTED_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

/* A call begins that may be asked about. Makes system calls once a ms at most, and none after a seccomp filter. */
void preempted_begin(struct log_thread *thread);

/* Since @since_ticks, when such a call began. False where it cannot be told. */
bool preempted_since(struct log_thread *thread, uint64_t since_ticks);

#endif
