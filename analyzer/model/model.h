/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run: processes, threads, the merged call tree, functions, rows, events. Built from logs once
 * (model_load()), and then only read, except for the fields of struct object and struct function that
 * resolve.c fills. Slices are not in it: slices.h iterates over them.
 *
 * Times are int64_t ns after the start of the first process of their run, or NO_TIME. Durations and their
 * sums are double ns; NAN: not known. Sums of paths that were timed are 0 or more (hook_costs.h).
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyzer/log/histogram.h"
#include "analyzer/log/rows_reader.h"
#include "analyzer/log/timebase.h"
#include "analyzer/model/call_stats.h"
#include "analyzer/model/heap_stats.h"
#include "insideme_log.h"

#define NO_TIME INT64_MIN

struct filter;
struct logfile;
struct process;
struct error;
struct lines;
struct function_use;
struct naming;
struct profile;
struct run;
struct thrown;
struct transfer;
struct tree_node;

/*
 * A loaded file as it was when it was recorded. Files with one build-id are one object; without one, files
 * with the same path, size and mtime.
 */
struct object {
	char *path;			/* as first seen */
	char *copy_path;		/* of a copy in the run; NULL: there is none */
	uint8_t build_id[32];
	uint32_t build_id_bytes;	/* 0: it has none */
	uint64_t file_bytes;		/* 0: no file (the vdso) */
	uint64_t file_mtime_ns;
	struct object *next;		/* model->objects */
	struct naming *naming;		/* naming.h; NULL: no name was asked for yet */
	bool has_builds;		/* other builds of this file were read too */
};

/* A file system that a process wrote to. */
struct disk {
	uint64_t device;
	uint64_t first_free_bytes, least_free_bytes;
	char *folder;			/* of the first file that was seen */
};

/* An object in one process: [begin_addr, end_addr) belongs to it from from_ticks until gone_ticks. */
struct module {
	struct object *object;
	uint64_t begin_addr;
	uint64_t end_addr;
	uint64_t bias;
	uint64_t from_ticks;
	uint64_t gone_ticks;		/* 0: never unloaded */
	uint32_t number;		/* in retired nodes of its functions; 0: in none */
};

/* The verdict of a selection on a function. If several items apply, the largest holds. */
enum verdict { VERDICT_UNKNOWN, VERDICT_PLAIN, VERDICT_FOCUS, VERDICT_EXCLUDED };

enum function_kind {
	FUNCTION_PLAIN,
	FUNCTION_OTHERS,  /* "(other paths)", no function: its own calls are of unknown functions */
	FUNCTION_COUNTED, /* "(counted calls)", no function: below it are calls that timing auto only
			   * counted */
};

/* Of a region: what it is, if the recorder made it. No name tells it, because a program may give any. */
enum made_up {
	MADE_UP_NOT,
	MADE_UP_GAP,	/* REGION_OF_GAPS: calls that began while recording was off: LOG_FUNCTION_GAP */
	MADE_UP_TEAM,	/* REGION_OF_TEAMS: parts of parallel regions: LOG_FUNCTION_TEAM */
};
#define REGION_OF_GAPS "(not recorded)"
#define REGION_OF_TEAMS LOG_NAME_OF_TEAMS

/*
 * A function, merged over threads and processes by (object, address in it), or outside of objects by
 * (process, address). A region of the source is treated as a function, and merged by its name. There is one
 * struct for each function, so pointers can be compared.
 */
struct function {
	enum function_kind kind;
	uint32_t number;		/* below functions_count(), for tables that modules keep */
	struct object *object;		/* NULL: in no known module; then see process */
	struct process *process;	/* where it was first seen */
	uint64_t addr; /* in the object's file; without an object: in the process; of a region: 0 */
	const char *region;		/* the name that the program gave; NULL: not a region of the source */
	enum log_wait_kind wait;	/* of a region that is a library call which waits; else 0 */
	enum made_up made_up;		/* neither the program nor a library calls it */
	struct call_stats stats;
	struct histogram histogram;
	struct heap_stats heap;
	struct heap_stats charged_heap;	/* see heap_sites.h */
	struct sample_stats samples;
	uint64_t primitive_calls;	/* of stats.calls: not within another call of the same function */
	bool total_is_bound;		/* below "(other paths)": total_ns may count recursion twice */
	uint32_t nr_nodes;		/* call paths that end in it */
	struct run_part *parts;		/* [model->nr_runs]; NULL: one run, or no calls */
	struct heap_part *heap_parts;	/* likewise; NULL: one run, or nothing on the heap */
	double *cpu_runs_ns;	/* [model->nr_runs] self CPU time; NAN: not known; NULL: of no run */
	struct function_use *use;	/* by function_use_read(); NULL: not read, or no recorded calls */
	bool was_called, was_inlined;	/* samples met it as called; in code of its caller. Both: see
					 * function_is_inlined() */

	/* Filled by resolve.c. If resolved is false, name is "module+0x1234". NULL or 0: not known. */
	bool resolved;
	const char *name;		/* demangled, with parameters */
	const char *short_name;		/* without parameters */
	const char *link_name;		/* the linker's, as long as the model lives; NULL: not known */
	const char *plain_name;		/* without template arguments as well; NULL: it has none */
	const char *apart;		/* "a.c" or "region": distinguishes functions of one name; NULL:
					 * there is only one */
	const char *file;
	uint32_t line;
	const char *said_field; /* the field that the program, or a saved profile, gave it; NULL: none */
	const char *field;		/* by fields_apply(): "I/O", "@name"; NULL: not computed */
	enum verdict verdict;		/* by selection_read() */
	bool is_counted;		/* timing auto counted its calls, at least from some time on */
	bool lacks_times;		/* the histogram has more calls than are reported */
};

/*
 * Bounds of a percentile, the 50th for example, from a histogram by powers of two, mean and deviation.
 * Return: the upper one, NAN if not known
 */
double function_percentile_ns(const struct function *function, double percent, double *least_ns);

/* A call path, merged over threads and processes. path_stats() computes its statistics. */
struct tree_node {
	struct function *function;	/* NULL: the root */
	struct tree_node *parent;
	struct tree_node *starter; /* of a thread's part of a parallel region: where another thread began it;
				    * else NULL. See tree_hang_teams() */
	struct tree_node *child;	/* the first one; the order means nothing */
	struct tree_node *next;		/* sibling */
	const struct heap_stats *heap;	/* never NULL: most paths share an empty one; of the root: outside
					 * of all functions */
	const struct sample_stats *samples;	/* never NULL: as heap */
	const struct rare_counters *rare;	/* never NULL: as heap */
	struct counters sum;
	struct hook_share hooks;	/* to be subtracted from sum; 0 until everything is summed up */
	uint32_t id;			/* 0: root; else in the order of first sight */
	uint32_t depth;			/* 0: root */
	uint32_t starter_depth;		/* of depth: the path that began the parallel region; mostly 0 */
	uint32_t age;			/* index into model->heap_ages, 0: none */
	uint32_t last_thread;		/* the thread that nr_threads counted last: its number + 1; 0: none */
	uint32_t nr_threads : 29;	/* threads that took the path; thread records if threads_unknown */
	uint32_t was_called : 1, was_inlined : 1;	/* as in struct function */
	uint32_t threads_unknown : 1;	/* several threads shared a record, so which of them took the path
					 * is not known */
};

/* The address of a function without a copy that can be called is made of its name and declaration. */
#define CODE_INLINED_ONLY (1ull << 63)

/* Is a function known only from code of its callers, where the compiler inlined it? */
static inline bool function_is_inlined(const struct function *function)
{
	return (function->object && function->addr & CODE_INLINED_ONLY) ||
	       (function->was_inlined && !function->was_called);
}

/* For people: distinguishes a function from others of its name, or says that it is inlined. NULL: nothing. */
static inline const char *function_apart(const struct function *function)
{
	return function->apart ? function->apart : function_is_inlined(function) ? "inlined" : NULL;
}

/* Statistics of a path, once the model is loaded; before that they include the cost of hooks. */
static inline struct call_stats path_stats(const struct tree_node *node)
{
	return counters_stats(&node->sum, node->rare, &node->hooks);
}

/* CPU samples of one thread in the code of one path. */
struct thread_samples {
	const struct thread *thread;
	struct tree_node *path;
	double ns;	/* CPU time that they stand for */
};

/* Calls of one function that a process's call site counted, and its path in the tree. */
struct counted_sum {
	struct tree_node *path;
	uint64_t calls;
	const struct log_site *site;
	struct function *caller;	/* by counted_callers_read(); NULL: not known */
};

/* A call that was open when the log ended, or is now. */
struct open_call {
	struct tree_node *node;
	int64_t since;			/* model time */
	double so_far_ns;
	double self_ns;			/* self time of this call; 0 if it was not timed */
	bool was_counted;		/* counted as a finished call already: it was just ending */
	bool left_out, is_beside;	/* only for open_calls.c */
	uint64_t start_ticks;		/* 0: not timed */
	uint32_t ref;			/* of its node in the log */
	uint32_t wait;	/* of a library call that waits: its record, offset / 8; 0: none */
	uint32_t site_low, return_low;	/* of a function: where it was called, see struct log_call_place */
	struct log_memory_reading memory;	/* at its entry; LOG_NONE: not read */
};

/* A library call that waited when the log ended. */
struct open_wait {
	uint32_t wait;			/* its record, offset / 8 */
	double so_far_ns;
};

/* The open calls of one stack, bottom to top. */
struct open_stack {
	struct thread *thread;		/* that runs on the stack, or did last */
	struct open_call *calls;
	size_t nr_calls;
	bool left;			/* no thread runs on it: a coroutine that waits */
};

struct thread {
	struct process *process;
	uint32_t tid; /* of the last thread that used the record; so are serial, name, end and open calls */
	uint32_t serial;		/* 0: the first of its process */
	uint32_t nr_threads;		/* threads that shared this record: views print "3 threads" */
	char name[LOG_NAME_MAX];	/* zero-terminated, "" if none */
	uint64_t begin_function_addr;	/* the function given to pthread_create(); 0: the first thread, or
					 * not known */
	struct function *outermost;	/* of the paths without a caller: that with most time; NULL: none */
	double outermost_ns;		/* its time, as recorded */
	char earlier_name[LOG_NAME_MAX];	/* of all threads of the record but the last one; "": they
						 * had several names */
	int64_t begin;			/* model time */
	int64_t end;			/* NO_TIME: it did not end by itself */
	double unused_ns;		/* of several threads: time between them */
	uint64_t calls;
	uint64_t open_calls;		/* of calls: open when the log ended, or now */
	double functions_ns;		/* sum of self times, see load/thread_times.h */
	double hooks_ns;		/* of the recorded one: the cost of hooks, and of counting */
	double outside_ns;		/* by samples, of counted calls without a recorded call around them,
					 * beyond what these recorded themselves; only for samples_read.c */
	double new_path_ns;		/* mean time to make a node */
	double on_cpu_ns, ready_ns, waiting_ns;	/* by samples of time: all 0 where there are none */
	uint64_t overflow_depth; /* open calls that had no room for a frame; calls does not contain them */
	struct heap_stats heap;		/* everything, outside of functions too */
	int64_t heap_bytes;		/* allocated less freed by it */
	int64_t heap_held_bytes;	/* of heap_bytes: not in header.heap_total_bytes */
	uint32_t ref;			/* of its area */
	size_t index;			/* in process->threads */
	bool left_out;			/* a filter left it out: nothing of it is read */
	bool is_in_teams;		/* it took part in parallel regions of other threads */
};

struct event {
	enum log_event_kind kind;
	struct process *process;
	struct thread *thread;		/* NULL: of the process */
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

/* How a process ended, by the best evidence in all logs. */
enum process_end {
	END_RUNNING,			/* pid, start time, boot and host still match */
	END_EXIT,			/* end_status: exit status */
	END_SIGNAL,			/* end_status: signal; insideme-run saw it */
	END_EXEC, /* end_next: the process that follows, if it has a log; else end_program */
	END_TURNED_OFF,			/* the recorder turned itself off: the fact "off" has the reason */
	END_SILENT,			/* nothing recorded its end: SIGKILL, a raw exit, an unseen exec */
	END_UNKNOWN,			/* nothing recorded its end, and it ran on another host */
};

struct usage {
	double cpu_ns;			/* NAN: not known; this applies to all */
	double user_ns;
	double system_ns;
	double peak_rss_bytes;		/* a lower bound; without the log's own pages */
};

struct process {
	struct model *model;
	uint32_t run;			/* which of model->nr_runs */
	uint32_t number;		/* 1: the first of model->processes; 0: not among them */
	uint32_t first_thread;		/* see thread_number() */
	bool is_saved;			/* in a saved profile: only sums are known */
	struct logfile *log;
	struct logfile *entry_log;	/* the log that has its entry, at entry_offset; NULL: it has a log
					 * of its own */
	uint64_t entry_offset;
	struct process *parent;		/* of a forked child without a log: its parent */
	struct log_header header; /* as in the log; strings end with a 0; for losses see header.losses */
	const char *command, *exe, *cwd;	/* from the facts; "" if not known */

	bool is_running;		/* when its log was opened, on this machine */
	enum process_end end_kind;
	int end_status;
	bool core_dumped;
	struct process *end_next;
	bool follows_image;		/* it is the end_next of another */
	const char *end_program;	/* the program that follows, which has no log; NULL: it has one */
	bool left_out;			/* a filter left it out: it is not in model->processes */
	bool was_left;			/* still running when insideme-run ended */
	bool has_usage;			/* its end was recorded, by itself or by insideme-run, with: */
	uint64_t user_ns, system_ns, cpu_ns;	/* of a saved process also by its rows; LOG_NONE: not
						 * known; cpu_ns: only of a saved process */
	uint64_t peak_rss_bytes;	/* a lower bound, else like these */

	struct timebase timebase;
	double tick_ns;			/* timebase.tick_ns */
	int64_t origin_ns;		/* model time = monotonic ns - origin_ns */
	int64_t opened_ns;		/* monotonic, on this host: when its log was opened */
	int64_t start;			/* model time of the constructor */
	int64_t last;			/* the last known instant; now if it is running */
	uint64_t last_ticks;
	uint64_t limit_ticks; /* all of the log is older, except for what surviving children write: */
	uint64_t now_ticks;		/* that is older than this */

	struct thread **threads;
	size_t nr_threads;
	struct rowset *rowsets;
	size_t nr_rowsets;
	struct module *modules;
	size_t nr_modules;
	struct event *events;		/* in the order of time */
	size_t nr_events;
	struct said *said;		/* what the program reported by insideme.h: see marks_read.h */
	struct log_messages *messages;	/* of MPI calls; NULL: none */
	size_t nr_messages;
	struct tree_node **message_paths; /* [message]; only of a saved process, see messages_path() */
	struct transfer *transfers; /* likewise, of a part of a run, see transfers_read(); NULL: none */
	size_t nr_transfers;
	struct log_site *sites;		/* only for counted_read.c */
	size_t nr_sites;
	struct log_counted *counted; /* only for counted_read.c */
	size_t nr_counted;
	struct counted_sum *counted_sums;	/* calls that call sites counted, by path and site */
	size_t nr_counted_sums;
	struct thread_samples *thread_samples;	/* if there are counted functions, for sample_shares.h */
	size_t nr_thread_samples;
	char **labels;			/* [number]: names that the program gave; NULL: not recorded */
	size_t nr_labels;
	struct error *errors;		/* errors_read.h; these two in the order of places */
	size_t nr_errors;
	struct thrown *thrown;
	size_t nr_thrown;
	struct text_fact *facts;
	size_t nr_facts;
	struct disk *disks;
	size_t nr_disks;
	struct open_stack *stacks;	/* those with open calls */
	size_t nr_stacks;
	struct open_wait *open_waits;
	size_t nr_open_waits;

	uint64_t calls;			/* finished and open */
	double functions_ns;		/* sum of self times over its threads; NAN: neither this nor calls
					 * are known, see profile.c */
	double hooks_ns;		/* cost of its hooks, as measured; 0: not known */
	struct heap_stats heap;		/* totals */
	uint64_t heap_sizes[LOG_HEAP_SIZES];	/* allocations by size */
	uint64_t heap_peak_bytes;	/* including what it inherited at a fork; known if live blocks were
					 * recorded */
	int64_t heap_peak;		/* time of the peak; NO_TIME: not known */
	struct tree_node *heap_peak_node;	/* the path of the thread that reached it; NULL: not known */
	struct usage row_usage;		/* by its rows; only for process_usage.c */
	bool has_row_usage;
	uint64_t nr_slices;
	uint64_t log_bytes;		/* size of the part of the file in use */
	uint64_t nr_damaged; /* records and areas that were not sound; grows while slices are read */

	uint32_t *path_of;		/* [index of a node in the log]: only for nodes_read.c */
};

/* A program of the run that did not load the library, as insideme-run saw it. */
struct unseen_process {
	struct process *before;		/* the process that exec'ed it; NULL: not known */
	uint32_t run, pid;		/* which of model->nr_runs */
	int32_t rank;			/* rank of the insideme-run that saw it; -1: none */
	char *program;
	int64_t time, end;		/* when it was first seen, and when it ended; has_end: end and the
					 * following are known, wait_status as from waitpid() */
	bool has_end;
	int wait_status;
	uint64_t user_ns, system_ns, peak_rss_bytes;
};

/* Which calls are reported, see selection.h, and sums of those that are left out. */
struct selection {
	bool is_on;
	bool has_focus;
	size_t most_depth;		/* 0: any */
	struct function **functions;	/* named for the selection */
	size_t nr_functions;

	uint64_t inside_calls; /* within reported calls, which their time and memory is counted for */
	uint64_t outside_calls;
	double outside_ns;		/* their self time */
	uint64_t outside_alloc_bytes;
	double counted_around_ns;	/* struct hook_cost around_ns of counted calls that are left out */
};

struct model {
	struct process **processes;	/* by run and start */
	size_t nr_processes;
	struct process **left_out;	/* by the filter; read only as far as the ends of others need them */
	size_t nr_left_out;
	struct process **shared;	/* logs that several programs share, see entries.h; not processes
					 * themselves */
	size_t nr_shared;
	struct process **monitors;	/* logs of insideme-run: rows of set "system", events; no threads */
	size_t nr_monitors;
	struct process **machines; /* those of both that recorded rows of their machine; for rate_bounds.c */
	size_t nr_machines;
	bool has_machines;	/* they were looked for */
	struct unseen_process *unseen;
	size_t nr_unseen;

	size_t nr_runs;			/* read together, including those in saved profiles */
	size_t nr_parts; /* runs whose shares of functions and paths are known; 1: no shares are known */
	char **run_names;		/* their paths; of a run in a saved profile its name */
	uint64_t *run_starts_ns;	/* [run] model time 0 of its processes, in ns after 1970 */
	struct profile **profiles;	/* [in the order given]: NULL for a run of logs */
	size_t nr_profiles;
	struct rank_sums *saved_ranks;	/* of these, see rank_sums.h; NULL: none */
	uint64_t start_realtime_ns;	/* of the first run: model time 0, in ns after 1970 */
	int64_t end;			/* of the last process */
	int64_t from, to; /* the reported part of time: 0 to end, or as window_apply() sets it */

	struct tree_node *root;
	size_t nr_tree_nodes;
	struct tree_node **tree_chunks;	/* blocks of nodes; see tree_node() */
	size_t nr_tree_chunks;
	uint32_t nr_threads;		/* of all processes */
	struct path_range *ranges;	/* [id of a node]; NULL: one run */
	size_t nr_ranges;		/* later nodes, of counted calls, have none */
	struct heap_part *outside_parts;	/* [nr_runs] of the heap outside of functions; likewise */
	struct function **functions;	/* of any kind: called, open, or sampled if no function was called */
	size_t nr_functions;
	size_t nr_known_functions;	/* with those behind nr_functions that occur only in sampled stacks
					 * of allocations */
	struct object *objects;

	uint64_t calls;			/* of all processes */
	bool is_later_part;	/* what belongs to no process is counted in the first part */
	uint64_t calls_open_at_forks;	/* of these: calls that were counted before, in the parent */
	double functions_ns;
	double hooks_ns;		/* cost of all hooks, as measured; 0: not measured */
	double hooks_noise_ns;		/* its uncertainty */
	double around_ns;		/* CPU time of samples that is the hooks' all the same, see
					 * counted_samples.h */
	bool use_is_read;		/* by function_use_read(), with: */
	double used_ns[3];		/* of functions_ns: on a processor, waiting for one, blocked; NAN: not
					 * known */
	double (*path_used_ns)[3];	/* [id of a path in the tree]: likewise of its self time; NULL: of no
					 * path */
	bool is_raw, is_sampled;	/* times include the hooks' cost; no calls are known, only CPU
					 * samples of stacks */
	struct heap_stats heap;
	struct sample_stats samples;	/* of functions */
	struct heap_stats suppressed;	/* taken out of not_freed by suppressions.c */
	bool has_block_callers;		/* of live blocks it is known which code allocated them */
	struct heap_age *heap_ages;	/* [0] belongs to no path */
	size_t nr_heap_ages;
	struct lines *lines;		/* lines/lines.h; NULL: no line is known */
	uint64_t nr_slices;
	uint64_t log_bytes, saved_log_bytes;	/* of processes, without insideme-run's logs; of the logs
						 * that saved profiles were made from */
	uint64_t nr_damaged;		/* when it was loaded */
	size_t nr_unreadable;		/* logs that could not be opened; reported on stderr */

	struct selection selection;
	struct model_tables *tables;	/* for functions.c, tree.c and run_parts.c */
	char **texts;			/* of saved names and fields */
	size_t nr_texts;
	bool has_fields;		/* fields_apply() was called */
};

/* Give processes and threads numbers, for tables that modules keep. After the filter was applied. */
void model_number(struct model *model);
/* The number of a thread of model->processes, below model->nr_threads. */
static inline uint32_t thread_number(const struct thread *thread)
{
	return thread->process->first_thread + (uint32_t)thread->index;
}

/* The first reading of its clocks. */
static inline struct log_clocks *process_begin(const struct process *process)
{
	return &process->timebase.points[0];
}

static inline bool processes_share_boot(const struct process *a, const struct process *b)
{
	return strcmp(a->header.boot_id, b->header.boot_id) == 0;
}

static inline bool processes_share_host(const struct process *a, const struct process *b)
{
	return processes_share_boot(a, b) && strcmp(a->header.host, b->header.host) == 0;
}

/* Does any process of the run still run? */
bool model_is_running(const struct model *model);
/* Is a process of a saved profile, which has no single calls? */
bool model_has_saved(const struct model *model);
/* NULL: the run has none. */
const struct process *model_first_process(const struct model *model, uint32_t run);
/* INSIDEME_LAST: is there a process whose single calls are only the last ones? */
bool model_keeps_last_calls(const struct model *model);

/* An upper bound of the calls that the time of a log allows: each takes at least 1 ns. */
static inline uint64_t process_most_calls(const struct process *process)
{
	return (uint64_t)((double)(process->limit_ticks - process->timebase.points[0].ticks) *
			  process->tick_ns) +
	       1000;
}

/* The program that the process became by exec; NULL: none, or it is not reported. */
static inline struct process *process_next_image(const struct process *process)
{
	return process->end_kind == END_EXEC && process->end_next && !process->end_next->left_out
		       ? process->end_next
		       : NULL;
}

/*
 * The name of the process: that of its first thread if it named itself, otherwise that of its executable.
 * For a script, the kernel takes the name of the script.
 */
const char *process_name(const struct process *process);
/* A fact by its key ("kernel", "cpu_model", "setting.INSIDEME_THRESHOLD"), or NULL. */
const char *process_fact(const struct process *process, const char *key);
/* The rows of a set, or NULL. */
struct rowset *process_rowset(const struct process *process, const char *set);
/* Model time of ticks of a process. */
int64_t process_time(struct process *process, uint64_t ticks);
static inline int64_t row_time(struct process *process, const struct rowset *rows, size_t row)
{
	return process_time(process, rowset_ticks(rows, row));
}
/* Ticks of a process at a model time. */
uint64_t process_ticks(const struct process *process, int64_t time);
