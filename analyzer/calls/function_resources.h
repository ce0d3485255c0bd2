/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What functions used besides time: samples joined with single calls. A counter that was read at two times grew evenly
 * between them, so a call's part is what lies between its begin and its end; what belongs to a whole process is shared by
 * its threads as the CPU time was. Where the kernel told of context switches, a thread's CPU time and blocked time are exact.
 * So is the growth of RSS that was read at a call's entry and exit, where the process has one thread.
 * Calls without a record have their parts of CPU time, waiting and blocked time, see use_shares.h; of all else theirs is
 * their caller's.
 */
#ifndef INSIDEME_FUNCTION_RESOURCES_H
#define INSIDEME_FUNCTION_RESOURCES_H

#include "analyzer/model/model.h"

enum use_kind {
	USE_CPU_NS,		/* of the thread */
	USE_WAIT_NS,		/* ready to run, but no processor was free */
	USE_BLOCKED_NS,		/* the rest of the time: asleep, or waiting for something */
	USE_MINOR_FAULTS,
	USE_MAJOR_FAULTS,
	USE_READ_BYTES,		/* from storage */
	USE_WRITE_BYTES,
	USE_READ_CHARS,		/* of any file */
	USE_WRITE_CHARS,
	USE_SWITCHES,		/* voluntary */
	USE_PREEMPTIONS,	/* involuntary ones */
	USE_RSS_BYTES,		/* growth; below 0: it shrank */
	USE_GPU_NS,		/* of engines, or of whole devices in parts of their time */
	USE_GPU_BYTES,		/* growth of memory on them */
	NR_USES,
};

/* The highest that the process had while a call was open, as far as it was read: by samples, and where calls begin and end. */
enum use_peak { PEAK_RSS_BYTES, PEAK_HEAP_BYTES, NR_PEAKS };

struct function_use {
	uint64_t calls;			/* with a record, and open ones */
	double total[NR_USES];		/* with what it called, recursion once; NAN: not known */
	double self[NR_USES];
	double peak[NR_PEAKS];		/* of any call; NAN: not known */
	double elapsed_ns;		/* during which at least one such call was open, on any thread */
};

/* Fill function->use of all functions that have such calls, once. It takes as long as reading all of them. */
void function_use_read(struct model *model);

#endif
