/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: what ended calls without a return. Found by what a broken call says, and summed up over threads and processes. */
#ifndef INSIDEME_ERRORS_READ_H
#define INSIDEME_ERRORS_READ_H

#include "analyzer/model/model.h"

/* Equal errors of one thread, see struct log_error. */
struct error {
	uint32_t place;			/* where broken calls say it is */
	struct log_error counts;
	char *type;			/* mangled; "" if none */
};

/* One of them. */
struct thrown {
	uint32_t place;
	uint32_t error;			/* place of its struct error */
	uint32_t tid;
	uint64_t ticks;
	int64_t time;
	int64_t caught;			/* model time; NO_TIME: it was not */
	char *message;			/* NULL: none, or not known */
};

/* A broken call's reason: its error, and in *@thrown that one alone where it was kept (else NULL). NULL: it is none. */
const struct error *errors_find(const struct process *process, uint32_t reason, const struct thrown **thrown);

/* What the process told that it would end by, and did: an exception that nobody caught, abort() and the like; or NULL. */
const struct error *errors_ending(const struct process *process);

/* The path of a node of the error's thread, or NULL. */
struct tree_node *errors_path(const struct process *process, const struct error *error, uint32_t node);

/* Code of a process at @ticks, as "a.c:12" or "libc.so.6+0x1234". The caller frees it. */
char *errors_code(const struct process *process, uint64_t ticks, uint64_t addr);

/* Of what a crash handler told: "code 1, address 0x0", or "sent by process 12". */
#define ERRORS_CAUSE_BYTES 64
void errors_cause(const struct event *crash, char *text, size_t bytes);

/* "exception", ... as in csv. */
const char *errors_kind(uint32_t kind);

/* Equal errors of all threads and processes: of one kind, type, source line and path. */
#define ERROR_SAID 0		/* by insideme_fail(); none of enum log_error_kind */
struct error_sum {
	uint32_t kind;			/* enum log_error_kind, or ERROR_SAID */
	char *type;			/* as the source has it; "": none */
	struct tree_node *path;		/* where it was thrown; NULL: not known */
	struct object *object;		/* these two: the code that threw it; NULL: not known */
	uint64_t addr;
	const char *file;		/* NULL: not known */
	uint32_t line;

	uint64_t count, caught, caught_elsewhere, broken_calls;
	uint64_t uncaught;		/* how many ended their process */
	struct tree_node *caught_path;	/* NULL: none was, or it is not known */
	bool own_what;			/* what() is the program's own */
	int64_t first;			/* model time */
	const char *message;		/* of the first that has one */
	uint64_t other_messages;	/* that differ, as far as they were kept */
	uint64_t kept;			/* of count */
};

struct error_sums {
	struct error_sum *sums;		/* the most frequent first */
	size_t nr;
};

/* After resolve_names(). */
void errors_sum_up(struct error_sums *errors, struct model *model);
void errors_release(struct error_sums *errors);

#endif
