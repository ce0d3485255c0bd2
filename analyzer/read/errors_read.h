/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors: what ended calls without a return. Found from a broken call, and summed up over threads and
 * processes.
 */
#pragma once

#include "analyzer/model/model.h"

/* Equal errors of one thread, see struct log_error. */
struct error {
	uint32_t place;			/* value by which broken calls refer to it */
	struct log_error counts;
	char *type;			/* mangled; "" if none */
};

/* One of these errors. */
struct thrown {
	uint32_t place;
	uint32_t error;			/* place of its struct error */
	uint32_t tid;
	uint64_t ticks;
	int64_t time;
	int64_t caught;			/* model time; NO_TIME: not caught */
	char *message;			/* NULL: none, or not known */
};

/* The error that broke a call. *@thrown is the single error if it was kept, else NULL. NULL: none. */
const struct error *errors_find(const struct process *process, uint32_t reason, const struct thrown **thrown);

/*
 * The error by which the process ended as it recorded it would: an uncaught exception, abort() and the like.
 * NULL: none.
 */
const struct error *errors_ending(const struct process *process);

/* The path of a node of the error's thread, or NULL. */
struct tree_node *errors_path(const struct process *process, const struct error *error, uint32_t node);

/* The place of a code address of a process at @ticks: "a.c:12" or "libc.so.6+0x1234". To be freed. */
char *errors_code(const struct process *process, uint64_t ticks, uint64_t addr);
/* The function that is there, by its symbol; NULL: there is none. To be freed. */
char *errors_code_function(const struct process *process, uint64_t ticks, uint64_t addr);
/* The same of an address in @module; NULL: in none that is known. */
char *errors_code_in(const struct module *module, uint64_t addr);
char *errors_code_function_in(const struct module *module, uint64_t addr);

/* From what a crash handler recorded: "code 1, address 0x0", or "sent by process 12". */
#define ERRORS_CAUSE_BYTES 64
void errors_cause(const struct event *crash, char *text, size_t bytes);

/* "exception", ... as in csv. */
const char *errors_kind(uint32_t kind);

/* Equal errors of all threads and processes: of one kind, type, source line and path. */
#define ERROR_SAID 0		/* reported by insideme_fail(); not in enum log_error_kind */
struct error_sum {
	uint32_t kind;			/* enum log_error_kind, or ERROR_SAID */
	char *type;			/* as in the source; "": none */
	struct tree_node *path;		/* where it was thrown; NULL: not known */
	struct object *object;		/* the code that threw it: object and address; NULL: not known */
	uint64_t addr;
	const char *file;		/* NULL: not known */
	uint32_t line;

	uint64_t count, caught, caught_elsewhere, broken_calls;
	uint64_t uncaught;		/* how many ended their process */
	struct tree_node *caught_path;	/* NULL: none was caught, or not known */
	bool own_what;			/* the program defines its own what() */
	int64_t first;			/* model time */
	const char *message;		/* of the first one that has a message */
	uint64_t other_messages;	/* different messages, as far as they were kept */
	uint64_t kept;			/* of count: those that were kept */
};

struct error_sums {
	struct error_sum *sums;		/* most frequent first */
	size_t nr;
};

/* After resolve_names(). */
void errors_sum_up(struct error_sums *errors, struct model *model);
void errors_release(struct error_sums *errors);
