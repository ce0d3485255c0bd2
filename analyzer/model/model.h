/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run was: processes, threads, the merged call tree, functions, rows, events. Built from logs once
 * (model_load) and then only read, but for the fields of struct object and struct function that resolve.c
 * fills. Slices are not in it: slices.h iterates over them.
 *
 * Times are int64_t ns after the start of the first process of their run, or NO_TIME. Durations
 * and sums of them are double ns; NAN: not known. Sums are signed and not clamped: printing does that.
 */
#ifndef INSIDEME_MODEL_H
#define INSIDEME_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/log/histogram.h"
#include "analyzer/log/rows_reader.h"
#include "analyzer/log/timebase.h"
#include "analyzer/model/call_stats.h"
#include "analyzer/model/heap_stats.h"
#include "insideme_log.h"

#define NO_TIME INT64_MIN

struct logfile;
struct process;
struct call_stack;
struct error;
struct filter;
struct function_use;
struct naming;
struct profile;
struct run;
struct spans;
struct thrown;
struct tree_node;

/* A loaded file as it was when it was recorded. Those with one build-id are one object; else path, size and mtime. */
struct object {
	char *path;			/* as first seen */
	uint8_t build_id[32];
	uint32_t build_id_bytes;	/* 0: it has none */
	uint64_t file_bytes;		/* 0: no file (the vdso) */
	uint64_t file_mtime_ns;
	struct object *next;		/* model->objects */
	struct naming *naming;		/* naming.h; NULL: nobody asked for a name yet */
	uint32_t number;		/* names_file.c's own */
	bool has_builds;		/* other builds of this file were read too */
};

/* An object in one process: [begin_addr, end_addr) means it from from_ticks until gone_ticks. */
struct module {
	struct object *object;
	uint64_t begin_addr;
	uint64_t end_addr;
	uint64_t bias;
	uint64_t from_ticks;
	uint64_t gone_ticks;		/* 0: to the end */
	uint32_t number;		/* in retired nodes of its functions, 0: in none */
};

/* What a selection says about a function; the larger one holds where several do. */
enum verdict { VERDICT_PLAIN, VERDICT_FOCUS, VERDICT_EXCLUDED };

enum function_kind {
	FUNCTION_PLAIN,
	FUNCTION_OTHERS,  /* "(other paths)": no function; calls of its own are of functions not known */
	FUNCTION_COUNTED, /* "(counted calls)": no function; beneath are calls that timing auto only counted
			   */
};

/*
 * A function, merged over threads and processes by (object, address in it); in no object: by (process,
 * address); a region of the source, which is treated as a function, by its name. One struct per function: pointers can be compared.
 */
struct function {
	enum function_kind kind;
	uint32_t number;		/* among all functions, for tables of a module's own */
	struct object *object;		/* NULL: in no known module, see process */
	struct process *process;	/* where it was seen first */
	uint64_t addr;			/* in the object's file; without object: in the process; a region: 0 */
	const char *region;		/* its name as the program gave it; NULL: it is no region of the source */
	struct call_stats stats;
	struct histogram histogram;
	struct heap_stats heap;
	struct heap_stats charged_heap;	/* heap_charge.h */
	struct sample_stats samples;
	uint64_t child_calls;		/* calls made by it itself */
	double judged_ns, judged_error_ns;	/* samples.c: CPU time of itself by hooks and samples; NAN: none */
	uint64_t primitive_calls;	/* of stats.calls: not within another call of itself */
	bool total_is_bound;		/* called under "(other paths)": total_ns may count recursion twice */
	uint32_t nr_nodes;		/* call paths that end in it */
	struct run_part *parts;		/* [model->nr_runs]; NULL: one run, or no calls */
	struct heap_part *heap_parts;	/* likewise; NULL: one run, or nothing on the heap */
	struct function *same;		/* functions.c's own: that of another build of its file; NULL: itself */
	struct function_use *use;	/* by function_use_read(); NULL: not read, or no recorded calls */
	struct spans *spans;		/* function_use.c's own */
	bool is_listed, is_called;	/* in model->functions; by hooks, samples_read.c's */

	/* Filled by resolve.c. name: "module+0x1234" where resolved is false; NULL or 0: not known. */
	bool resolved;
	const char *name;		/* demangled, with parameters */
	const char *short_name;		/* without parameters */
	const char *plain_name;		/* and without template arguments; NULL: it has none */
	const char *apart;		/* "a.c": what tells it from others of its name; "region"; NULL: there are none */
	const char *file;
	uint32_t line;
	const char *said_field;		/* what it, or a saved profile, says that it is for; NULL: nothing */
	const char *field;		/* by fields_apply(): "I/O", "@name"; NULL: not asked for */
	enum verdict verdict;		/* by selection_read() */
	bool is_judged;			/* selection.c's own */
	bool is_counted;		/* timing auto counted its calls, at least from some time on */
	bool lacks_times;		/* the histogram has more calls than are reported */
};

/* p50: function_percentile_ns(function, 50). NAN when not known. See histogram_percentile(). */
double function_percentile_ns(const struct function *function, double percent);

/* A call path, merged over threads and processes. path_stats() makes statistics of it. */
struct tree_node {
	struct function *function;	/* NULL: the root */
	struct tree_node *parent;
	struct tree_node *child;	/* the first; order means nothing */
	struct tree_node *next;		/* sibling */
	const struct heap_stats *heap;	/* never NULL: most paths share that of nothing; root: outside of all functions */
	const struct sample_stats *samples;	/* likewise */
	const struct rare_counters *rare;	/* likewise */
	struct counters sum;
	struct hook_share hooks;	/* to be subtracted from it; 0 until all is summed up */
	uint32_t id;			/* 0: root; then in the order of first sight */
	uint32_t depth;			/* 0: root */
	uint32_t age;			/* index into model->heap_ages, 0: none */
	uint32_t last_thread;		/* the thread counted in nr_threads last, by its number in the order of reading */
	uint32_t nr_threads : 31;	/* threads that came by; records where threads_unknown */
	uint32_t threads_unknown : 1;	/* of a record that several threads shared it is not known which of them did */
};

/* Of a path as of a function, once the model is loaded; before that, with what the hooks cost. */
static inline struct call_stats path_stats(const struct tree_node *node)
{
	return counters_stats(&node->sum, node->rare, &node->hooks);
}

/* A call that was open when the log ended, or is now. */
struct open_call {
	struct tree_node *node;
	int64_t since;			/* model time */
	double so_far_ns;
	double self_ns;			/* of it; 0 where it was not timed */
	bool was_counted;		/* as a finished call already: it was just ending */
	bool left_out;			/* open_calls.c's own */
	uint64_t start_ticks;		/* 0: it is not timed */
	uint32_t ref;			/* of its node in the log */
	struct log_memory_reading memory;	/* at its entry; LOG_NONE: not read */
};

/* The open calls of one stack, bottom to top: the thread's last words. */
struct open_stack {
	struct thread *thread;		/* that runs on it, or did last */
	struct open_call *calls;
	size_t nr_calls;
	bool left;			/* no thread runs on it: a coroutine that waits */
};

struct thread {
	struct process *process;
	uint32_t tid;			/* of several threads the last one's, so serial, name, end and open calls */
	uint32_t serial;		/* 0: the first of its process */
	uint32_t nr_threads;		/* threads that shared this record: views print "3 threads" */
	char name[LOG_NAME_MAX];	/* zero-terminated, "" if none */
	uint64_t begin_function_addr;	/* that pthread_create() was given; 0: the first thread, or not known */
	struct function *begin_function;	/* resolve.c's own */
	char earlier_name[LOG_NAME_MAX];	/* of all but the last one; "": they had several */
	int64_t begin;			/* model time */
	int64_t end;			/* NO_TIME: not ended by itself */
	double unused_ns;		/* between them, of several threads */
	uint64_t calls;
	uint64_t open_calls;		/* of them open when the log ended, or now */
	double functions_ns;		/* in functions: sum of self times */
	double new_path_ns;		/* the mean time that making a node took */
	uint64_t overflow_depth;	/* open calls that had no room for a frame: not in calls */
	struct heap_stats heap;		/* all of it, outside of functions too */
	int64_t heap_bytes;		/* allocated less freed by it */
	int64_t heap_held_bytes;	/* of it not in header.heap_total_bytes */
	uint32_t ref;			/* of its area */
	size_t index;			/* in process->threads */
	uint32_t number;		/* among all threads with calls, in the order of reading; 0: none yet */
	struct call_stack *call_stack;	/* function_use.c's own */
	bool left_out;			/* by a filter: nothing of it is read */
	struct caller *caller;		/* call_events.c's own */
};

struct event {
	enum log_event_kind kind;
	struct process *process;
	struct thread *thread;		/* NULL: the process */
	uint64_t ticks;
	int64_t time;
	uint64_t values[6];
	struct tree_node *node;		/* of LOG_EVENT_MEMORY_PATH; NULL: not known */
	char *text;			/* NULL: none */
};

struct text_fact {
	char *key;
	char *value;
};

/* How a process ended, best knowledge of all logs. */
enum process_end {
	END_RUNNING,			/* pid, start time, boot and host still match */
	END_EXIT,			/* end_status: exit status */
	END_SIGNAL,			/* end_status: signal; insideme-run saw it */
	END_EXEC,			/* end_next: the process that follows, if it has a log; else end_program */
	END_TURNED_OFF,			/* the recorder gave up: fact "off" says why */
	END_SILENT,			/* gone without a word: SIGKILL, a raw exit, an exec that nobody saw */
	END_UNKNOWN,			/* no word, and it ran on another host */
};

struct process {
	struct model *model;
	uint32_t run;			/* which of model->nr_runs */
	bool is_saved;			/* of a saved profile: nothing but sums */
	struct logfile *log;
	struct logfile *entry_log;	/* where only its entry is, at entry_offset, instead of a log; NULL: it has a log */
	uint64_t entry_offset;
	struct process *parent;		/* of an entered child: who forked it */
	struct log_header header;	/* as in the log; strings end with a 0; for losses see header.losses */
	const char *command, *exe, *cwd;	/* from the facts; "" if not known */

	enum process_end end_kind;
	int end_status;
	bool core_dumped;
	struct process *end_next;
	const char *end_program;	/* of what follows and has no log; NULL: it has one */
	bool left_out;			/* by a filter: not among model->processes */
	bool was_left;			/* it ran on when insideme-run ended */
	bool has_usage;			/* it told at its end, or insideme-run saw it: */
	uint64_t user_ns, system_ns, cpu_ns;	/* of a saved one, by its samples too: LOG_NONE: not known; cpu_ns: of no other */
	uint64_t peak_rss_bytes;	/* likewise, at least; LOG_NONE: not known */

	struct timebase timebase;
	double tick_ns;			/* timebase.tick_ns */
	int64_t origin_ns;		/* model time = monotonic ns - origin_ns */
	int64_t start;			/* model time of the constructor */
	int64_t last;			/* last instant known of; now if it is running */
	uint64_t last_ticks;
	uint64_t limit_ticks;		/* nothing in the log can be later, but what children write that outlive the process: */
	uint64_t now_ticks;		/* not later than this */

	struct thread **threads;
	size_t nr_threads;
	struct rowset *rowsets;
	size_t nr_rowsets;
	struct module *modules;
	size_t nr_modules;
	struct event *events;		/* in the order of time */
	size_t nr_events;
	struct said *said;		/* by insideme.h: see marks.h */
	struct log_site *sites;		/* counted_read.c's own */
	size_t nr_sites;
	struct log_counted *counted; /* likewise */
	size_t nr_counted;
	struct counted_sum *counted_sums;	/* likewise: calls that its call sites counted */
	size_t nr_counted_sums;
	char **labels;			/* [number]: names that the program gave; NULL: not told */
	size_t nr_labels;
	struct error *errors;		/* errors.h; these two by place */
	size_t nr_errors;
	struct thrown *thrown;
	size_t nr_thrown;
	struct text_fact *facts;
	size_t nr_facts;
	struct open_stack *stacks;	/* those with open calls */
	size_t nr_stacks;

	uint64_t calls;			/* finished and open */
	double functions_ns;		/* sum of self times over its threads; NAN: neither it nor calls are known, see profile.c */
	struct heap_stats heap;		/* totals */
	uint64_t heap_sizes[LOG_HEAP_SIZES];	/* allocations by size */
	uint64_t heap_peak_bytes;	/* what was inherited at the fork too; where live blocks were recorded */
	int64_t heap_peak;		/* when; NO_TIME: not known */
	struct tree_node *heap_peak_node;	/* where the thread was that brought it there; NULL: not known */
	uint64_t nr_slices;
	uint64_t slice_bytes;
	uint64_t log_bytes;		/* of the file in use */
	uint64_t nr_damaged;		/* records and areas that were not sound; also counted while slices are read */

	struct process_peaks *peaks;	/* function_use.c's own */
	const char *parent_name;	/* export_multiprocess.c's own */
	uint32_t page_number, page_first_thread;	/* page_process.c's own; page_number: 0: none */
	uint32_t *path_of;		/* nodes_read.c's own: [index of a node in the log] */
};

/* A program of the run that did not load the library; insideme-run saw it. */
struct unseen_process {
	const struct process *before;	/* that exec'ed it; NULL: not known */
	uint32_t run, pid;		/* which of model->nr_runs */
	int32_t rank;			/* of the insideme-run that saw it; -1: none */
	char *program;
	int64_t time, end;		/* when it was seen, and when its end was; that and wait_status (of waitpid()): */
	bool has_end;
	int wait_status;
	uint64_t user_ns, system_ns, peak_rss_bytes;
};

/* Which calls are reported, see selection.h, and what is left out of the others. */
struct selection {
	bool is_on;
	bool has_focus;
	size_t most_depth;		/* 0: any */
	struct function **functions;	/* that were named for it */
	size_t nr_functions;

	uint64_t inside_calls;		/* within calls that are reported, whose time and memory theirs is */
	uint64_t outside_calls;
	double outside_ns;		/* self time of those */
	uint64_t outside_alloc_bytes;
};

struct model {
	struct process **processes;	/* recorded programs, by run and start */
	size_t nr_processes;
	struct process **left_out;	/* by the filter; read only as far as ends need them */
	size_t nr_left_out;
	struct process **shared;	/* logs that programs share, see entries.h; no processes themselves */
	size_t nr_shared;
	struct process **monitors;	/* insideme-run's own logs: rows of set "system", events; no threads */
	size_t nr_monitors;
	struct unseen_process *unseen;
	size_t nr_unseen;

	size_t nr_runs;			/* that were read together, those of saved profiles too */
	size_t nr_parts;		/* runs of which it is known what each has of functions and paths; 1: it is not */
	char **run_names;		/* their paths; of a run in a saved profile its name */
	uint64_t *run_starts_ns;	/* [run] model time 0 of its processes, in ns after 1970 */
	struct profile **profiles;	/* [as they were given]: NULL for a run of logs */
	size_t nr_profiles;
	uint64_t start_realtime_ns;	/* of the first run: model time 0, in ns after 1970 */
	int64_t end;			/* the last of all processes */
	int64_t from, to;		/* what is reported of things that have a time: 0 to end, or window.c's */

	struct tree_node *root;
	size_t nr_tree_nodes;
	struct tree_node **tree_chunks;	/* that hold them; see tree_node() */
	size_t nr_tree_chunks;
	uint32_t nr_threads_read;	/* with calls */
	struct path_range *ranges;	/* [id of a node]; NULL: one run */
	struct heap_part *outside_parts;	/* [nr_runs] of the heap outside of functions; likewise */
	struct function **functions;	/* called at least once, or open, or sampled where none was called; of any kind */
	size_t nr_functions;
	size_t nr_known_functions;	/* behind them those that are only in sampled stacks of allocations */
	struct object *objects;

	uint64_t calls;			/* of all processes */
	double functions_ns;
	double hooks_ns;		/* what the hooks cost, as measured; 0: it was not */
	bool is_raw, is_sampled;	/* times are as recorded, with the hooks' own; no call is known, CPU samples of stacks are */
	struct heap_stats heap;
	struct sample_stats samples;	/* of functions */
	double judged_ns;		/* sum over functions */
	struct heap_stats suppressed;	/* suppressions.c's: what it took out of what was not freed */
	struct heap_age *heap_ages;	/* [0] is nobody's */
	size_t nr_heap_ages;
	uint64_t nr_slices;
	uint64_t log_bytes, saved_log_bytes;	/* of processes, without insideme-run's own; of what saved profiles were made of */
	uint64_t nr_damaged;		/* when it was loaded */
	size_t nr_unreadable;		/* logs that could not be opened; told on stderr */

	struct selection selection;
	struct model_tables *tables;	/* model.c's own */
	char **texts;			/* what saved names and fields are in */
	size_t nr_texts;
	bool has_fields;		/* fields_apply()'s */
};

/*
 * Read @nr_runs runs as one, of their processes those that @filter (NULL: all) takes. A log that cannot be read is told on stderr and counted.
 * Return: NULL after an error() when none is left.
 */
struct model *model_load_runs(const struct run *runs, size_t nr_runs, const struct filter *filter);
/* The same of one run, or some logs of it. */
struct model *model_load(char *const *paths, size_t nr_paths, const struct filter *filter);
/* Only processes, with when and how they ended: no call paths, no totals. Return: NULL when no log can be read. */
struct model *model_open(const struct run *runs, size_t nr_runs);
void model_free(struct model *model);

/* How often something can have happened in the time of a log, at most: none takes less than 1 ns. */
static inline uint64_t process_most_calls(const struct process *process)
{
	return (uint64_t)((double)(process->limit_ticks - process->timebase.points[0].ticks) * process->tick_ns) + 1000;
}

/* The image of the same process that followed by exec, or NULL: none, or none that is reported. */
static inline struct process *process_next_image(const struct process *process)
{
	return process->end_kind == END_EXEC && process->end_next && !process->end_next->left_out ? process->end_next :
		NULL;
}

/* A fact by its key ("kernel", "cpu_model", "setting.INSIDEME_THRESHOLD"), or NULL. */
const char *process_fact(const struct process *process, const char *key);
/* Rows by the set's name, or NULL. */
struct rowset *process_rowset(const struct process *process, const char *set);
/* Model time of ticks of a process. */
int64_t process_time(struct process *process, uint64_t ticks);
/* Ticks of a process at a model time. */
uint64_t process_ticks(const struct process *process, int64_t time);
/* ns after 1970 of a model time; follows steps of the machine's clock. */
int64_t process_realtime_ns(struct process *process, uint64_t ticks);
/* "exit status 0", "killed by SIGKILL" */
const char *process_end_text(const struct process *process, char *out, size_t bytes);

#endif
