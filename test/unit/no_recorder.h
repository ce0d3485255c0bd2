/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stubs for what pieces of the recorder use when they are tested alone. Included by one file of a test. */
#pragma once

#include "preload/common/base/settings.h"
#include "preload/stacks/thread.h"
#include "preload/state/live.h"

struct live live;
bool live_is_private;
struct settings settings;
__thread struct log_thread *self;

struct log_thread *thread_make(void)
{
	return self;
}

bool live_is_sealed(void)
{
	return false;
}

static uint64_t stub_clock_ns;

uint64_t live_clock_ns(void)
{
	return stub_clock_ns;
}
