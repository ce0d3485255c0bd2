/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resources that functions used, from rows and single calls. A counter that was read twice is assumed to
 * grow evenly in between: a call's share is the part between its begin and its end. Bytes, faults and
 * switches are counted for the process: they are a thread's while no other one ran, else nobody's. Memory is
 * divided among threads by their CPU time. If the kernel recorded context switches, a thread's CPU time and
 * blocked time are exact, and bytes and faults grow as its CPU time does. So is the growth of RSS that was
 * read at a call's entry and exit, if the process has one thread. Calls without a record have shares of CPU,
 * waiting and blocked time, see path_shares.h. The bytes of read() and write() are those of the recorded
 * library calls; what is left of a thread's bytes grows as above. All else that they used counts for their
 * caller.
 */
#pragma once

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
	USE_GPU_NS,		/* time on engines, or shares of time on whole devices */
	USE_GPU_BYTES,		/* growth of device memory */
	NR_USES,
};

/*
 * The highest value of the process while a call was open, as far as it was read: in rows, and at the begin
 * and end of calls.
 */
enum use_peak { PEAK_RSS_BYTES, PEAK_HEAP_BYTES, NR_PEAKS };

struct function_use {
	uint64_t calls;			/* that have a record, or are open */
	double total[NR_USES];		/* with callees, recursion counts once; NAN: not known */
	double self[NR_USES];
	double peak[NR_PEAKS];		/* over all calls; NAN: not known */
	double elapsed_ns;		/* time during which at least one such call was open, on any thread */
};

/*
 * Set function->use of functions that have such calls, model->used_ns and model->path_used_ns, once. Reads
 * all single calls.
 */
void function_use_read(struct model *model);
