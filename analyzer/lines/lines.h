/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source lines of a model, by function: time of samples in each, blocks from there, how often it ran. */
#pragma once

#include "analyzer/lines/code_places.h"
#include "analyzer/lines/source_text.h"
#include "analyzer/model/model.h"

/* Samples in some code (self), and also in what it calls. Times are CPU time in ns. */
struct line_samples {
	uint64_t self_nr, nr;
	double self_ns, ns;
	double waiting_ns;		/* of samples of time, with what it calls, as ns */
	uint64_t newest_stack;		/* lines.c's own: which stack was counted last */
};

/* Durations of single calls that ended, for their percentiles: see call_stats_percentile_ns(). */
struct line_times {
	struct call_stats stats;
	struct histogram histogram;
};

/* Calls by hooks. Times are without the hooks' cost. */
struct line_calls {
	uint64_t nr;
	double ns, doubt_ns;		/* its uncertainty */
	double min_ns, max_ns;		/* of one call; NAN: not known */
	struct line_times *times;	/* NULL: no call ended, or lacks_times */
	bool lacks_times;		/* of some calls that ended */
};

/* How often a line began (line events), and the process's memory around that. */
struct line_visits {
	uint64_t nr;
	uint64_t most_rss_bytes;	/* before or after it; 0: not read */
	int64_t grown_bytes;		/* sum of the changes of RSS while it ran, with what it called */
	uint64_t nr_changes;		/* of which that is the sum: not where its call ended */
};

struct line_function {
	struct function *function;
	struct line_samples samples;	/* those of all its lines, each stack once */
	struct heap_stats heap;		/* likewise; nr_samples 0: nothing */
	uint64_t new_bytes;
	double called_ns;		/* sum of its lines' calls.ns */
	bool has_calls;			/* a line of it has calls whose time is known */
	double rest_ns;			/* its time by hooks, less called_ns; NAN: not known */
};

struct line {
	struct line_function *of;
	const char *file;		/* NULL: not known */
	uint32_t number;		/* 0: of no line */
	struct line_samples samples;
	struct heap_stats heap;		/* allocated by the line itself or what is inlined there */
	uint64_t new_bytes;		/* of pages that its own code touched first */
	struct line_calls calls;	/* from the line; its time in a recursion: of the outermost call */
	uint64_t hits;			/* how often it ran, if has_hits */
	bool has_hits;
	struct line_visits visits;
};

/* struct model's lines. */
struct lines {
	struct code_places places;
	struct source_files sources;
	struct hashtable functions;	/* struct line_function */
	struct hashtable table;		/* struct line */
	uint64_t nr_stacks, nr_samples;	/* of the latter those whose time the lines have */
	uint64_t nr_blocks;		/* allocations of which the line is known exactly */
	uint64_t nr_faults;		/* page faults */
	uint64_t new_elsewhere_bytes;	/* of pages that code without a line touched first */
	uint64_t nr_visits;		/* of all lines */
	uint64_t nr_lineless;		/* calls that were only counted, where nothing tells their line */
	bool are_read;			/* by sampled_lines_read() */
	bool visits_are_read;		/* by line_visits_read() */
};

/* The model's, made at the first call. */
struct lines *lines_of(struct model *model);
void lines_release(struct model *model);

/* The line of a level, made if it is new. @function: if that of the level is not known. NULL: neither is. */
struct line *line_at(struct lines *lines, struct code_level *level, struct function *function);

/*
 * A stack of samples: begin, then add its places, the innermost first; each line and function of them gets
 * the @nr samples and their @ns once. @place: NULL: not known. @function: what was called there, if debug
 * information does not say it; or NULL.
 */
struct line_stack {
	struct lines *lines;
	uint64_t nr;
	double ns, waiting_ns;
	bool has_begun;			/* the innermost place is there, whose innermost line has self time */
};
struct line_stack line_stack_begin(struct lines *lines, uint64_t nr, double ns);
/* The same where the thread waited: the lines get this time as waiting_ns. */
struct line_stack line_stack_begin_waiting(struct lines *lines, double waiting_ns);
void line_stack_add(struct line_stack *stack, struct code_place *place, struct function *function);

/* Blocks that were allocated at @levels of a place: to each of its lines and functions, once. */
void lines_add_heap(struct lines *lines, struct code_level *levels, size_t nr, struct function *function,
		    const struct heap_stats *stats);

/* Code at @place touched pages of @bytes first: for the innermost line. */
void lines_add_new(struct lines *lines, struct code_place *place, struct function *function, uint64_t bytes);

/*
 * Calls from @levels of a place, the outermost first. The last level made the calls; their time belongs to
 * all levels. @function: as above. @has_time: false: they were only counted.
 */
void lines_add_calls(struct lines *lines, struct code_level *levels, size_t nr, struct function *function,
		     const struct line_calls *calls, bool has_time);

/*
 * After all calls of @of were added, and it took @ns: put the rest into a line of its own, without a
 * number.
 */
void lines_add_rest(struct lines *lines, struct line_function *of, double ns);

/* A line of @function ran @hits times more. @file must live as long as the model. */
void lines_add_hits(struct lines *lines, struct function *function, const char *file, uint32_t number,
		    uint64_t hits);

/*
 * All lines (of NULL: none), by function, those with the most time, then blocks, first; in a function by file
 * and number. The caller frees the list.
 */
const struct line **lines_list(const struct lines *lines, size_t *nr);
