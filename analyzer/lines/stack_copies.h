/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of stacks in a log, such as of a thread that crashed, walked by the files that were loaded. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/symbols/unwind.h"

struct stack_copy {
	struct process *process;
	uint32_t tid;
	char name[LOG_NAME_MAX];	/* of the thread */
	enum log_stack_reason reason;
	uint16_t flags;			/* LOG_SAMPLE_ */
	uint64_t ticks;
	uint64_t code_addr;		/* the code that ran */
	/* The innermost first; without the recorder's, and without libc's around the program's first */
	struct unwind_frame *frames;
	size_t nr;
	bool is_cut;			/* the outermost ones are missing */
};

/* All of a process, in the order of the log. The caller frees them by stack_copies_free(). */
struct stack_copy *stack_copies_read(struct process *process, size_t *nr);
void stack_copies_free(struct stack_copy *copies, size_t nr);
