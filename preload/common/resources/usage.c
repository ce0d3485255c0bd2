/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what one process uses. */
#include "preload/common/resources/usage.h"

#include <errno.h>
#include <sys/stat.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/proc_text.h"

#define CPU_CLOCK_OF(pid) ((int)((~(unsigned)(pid)) << 3 | 2)) /* CPUCLOCK_SCHED of a whole process */
/* at most, until the thread's two clocks were read this close to each other: */
#define CPU_READINGS		4
#define CPU_NARROW_NS		4000u
/* this text is read once in so many readings, since it costs as much as the rest of a row */
#define RARELY			8

static long read_text(struct usage *usage, int fd)
{
	return proc_file_read(fd, &usage->count, usage->buffer, sizeof(usage->buffer), 0);
}

/* @earlier: reads of the threads that read before. This thread's reads count from its first one on. */
static void open_own_io(struct usage *usage, struct read_count earlier)
{
	struct proc_io io;
	char name[40];
	struct text text;
	long length;

	text_init(&text, name, sizeof(name));
	text_add(&text, "task/");
	text_add_number(&text, (uint64_t)sys_gettid());
	text_add(&text, "/io");
	usage->own_io_fd = proc_file_open(usage->pid, name);
	length = read_text(usage, usage->own_io_fd);
	if (length <= 0)
		return;
	proc_parse_io(usage->buffer, &io);
	if (io.read_calls == LOG_NONE || io.read_chars == LOG_NONE)
		return;
	/* This reading is not yet in the text. */
	usage->count.calls = earlier.calls + io.read_calls + 1;
	usage->count.bytes = earlier.bytes + io.read_chars + (uint64_t)length;
}

/* The pid may have been given to another process since, or may belong to another namespace. */
static bool is_same_process(struct usage *usage)
{
	struct proc_stat stat;

	return read_text(usage, usage->stat_fd) > 0 && proc_parse_stat(usage->buffer, &stat) == 0 &&
	       (!usage->start_ticks || stat.start_ticks == usage->start_ticks);
}

int usage_open(struct usage *usage, int pid, bool own_thread, const struct log_header *log,
	       uint64_t start_ticks)
{
	*usage = (struct usage){ .pid = pid, .own_thread = own_thread, .start_ticks = start_ticks };
	return usage_open_again(usage, log);
}

int usage_open_again(struct usage *usage, const struct log_header *log)
{
	struct read_count earlier = usage->count;
	int pid = usage->pid;

	usage->own_io_fd = -1;
	usage->stat_fd = proc_file_open(pid, "stat");
	if (usage->stat_fd < 0)
		return usage->stat_fd;
	if (!is_same_process(usage)) {
		proc_file_close(&usage->stat_fd);
		return -ESRCH;
	}
	if (usage->own_thread)
		open_own_io(usage, earlier);
	usage->statm_fd = proc_file_open(pid, "statm");
	usage->io_fd = proc_file_open(pid, "io");
	usage->status_fd = proc_file_open(pid, "status");
	log_pages_open(&usage->log_pages, log, pid, &usage->count);
	switches_open(&usage->switches, pid, &usage->count);
	details_open(&usage->details, pid, &usage->count);
	usage->nr_threads = LOG_NONE;
	return 0;
}

void usage_close(struct usage *usage)
{
	proc_file_close(&usage->stat_fd);
	proc_file_close(&usage->statm_fd);
	proc_file_close(&usage->io_fd);
	proc_file_close(&usage->status_fd);
	proc_file_close(&usage->own_io_fd);
	log_pages_close(&usage->log_pages);
	switches_close(&usage->switches);
	details_close(&usage->details);
}

/*
 * A process is over when only its first thread is left, as a zombie. From inside, the reading
 * thread is left besides, as when all other threads ended by themselves (the child of a clone()
 * does that): we must not keep the process alive.
 */
static bool is_over(const struct usage *usage, const struct proc_stat *stat)
{
	return stat->threads <= (usage->own_thread ? 2 : 1) && (stat->state == 'Z' || stat->state == 'X');
}

static int read_cpu_clock(const struct usage *usage, uint64_t *cpu_ns)
{
	struct timespec time;
	long error = sys_clock_gettime(CPU_CLOCK_OF(usage->pid), &time);

	if (error < 0)
		return (int)error;
	*cpu_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	return 0;
}

/*
 * The result is wrong by what the reading thread uses between its two clock readings: an interrupt
 * there counts as its own.
 */
static uint64_t cpu_ns_within(void)
{
	uint64_t narrowest_ns = UINT64_MAX, cpu_ns = LOG_NONE;

	for (int i = 0; i < CPU_READINGS && narrowest_ns > CPU_NARROW_NS; i++) {
		uint64_t before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID),
			 all_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		uint64_t passed_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;

		if (passed_ns >= narrowest_ns)
			continue;
		narrowest_ns = passed_ns;
		cpu_ns = all_ns - before_ns - passed_ns / 2;
	}
	return cpu_ns;
}

uint64_t usage_cpu_ns(const struct usage *usage)
{
	uint64_t cpu_ns = LOG_NONE;

	if (usage->own_thread)
		return cpu_ns_within();
	read_cpu_clock(usage, &cpu_ns);
	return cpu_ns;
}

/*
 * The directory of a process's threads has two links and one for each thread. Reading that costs a
 * fifth of the text of "stat".
 */
static uint64_t nr_threads(const struct usage *usage)
{
	struct stat stat;

	if (sys_fstat(usage->switches.task_fd, &stat) <
	    0)
		return LOG_NONE;
	return figure_less(stat.st_nlink, 2);
}

/*
 * From inside, the other numbers of "stat" are known better, except when the first thread, and with
 * it its memory, is gone.
 */
static int read_from_within(struct usage *usage, struct figures *figures)
{
	struct proc_stat stat;

	figures->threads = figure_less(nr_threads(usage), 1);
	own_use_read(&usage->earlier, figures);
	if (figures->rss_bytes != LOG_NONE || read_text(usage, usage->stat_fd) <= 0 ||
	    proc_parse_stat(usage->buffer, &stat) < 0)
		return 0;
	return is_over(usage, &stat) ? -ESRCH : 0;
}

static int read_from_outside(struct usage *usage, struct figures *figures)
{
	struct proc_stat stat;
	long length = read_text(usage, usage->stat_fd);

	if (length <= 0)
		return -ESRCH;
	if (proc_parse_stat(usage->buffer, &stat) < 0)
		return 0;
	figures->threads = is_over(usage, &stat) ? LOG_NONE : stat.threads;
	figures->user_ns = stat.user_ns;
	figures->system_ns = stat.system_ns;
	/* each page of the log that the program has in memory is a page fault that we caused */
	figures->minor_faults = figure_less(stat.minor_faults, usage->log_pages.present);
	if (figures->minor_faults < usage->minor_faults)	/* pages that came between both readings */
		figures->minor_faults = usage->minor_faults;
	if (figures->minor_faults != LOG_NONE)
		usage->minor_faults = figures->minor_faults;
	figures->major_faults = stat.major_faults;
	usage->child_faults = stat.child_faults;
	if (usage->nr_readings++ % RARELY == 0 || is_over(usage, &stat))
		switches_read(&usage->switches, stat.threads, figures, usage->buffer, sizeof(usage->buffer));
	return is_over(usage, &stat) ? -ESRCH : 0;
}

/*
 * The reading thread brings pages of the log into memory, and the kernel counts them as written by
 * the process.
 */
static uint64_t own_write_bytes(struct usage *usage)
{
	struct proc_io io;

	if (read_text(usage, usage->own_io_fd) <= 0)
		return usage->earlier.write_bytes;
	proc_parse_io(usage->buffer, &io);
	return usage->earlier.write_bytes + (io.write_bytes == LOG_NONE ? 0 : io.write_bytes);
}

void usage_leave(struct usage *usage)
{
	if (usage->own_thread) {
		usage->earlier.write_bytes = own_write_bytes(usage);
		own_use_add(&usage->earlier);
	}
	usage_close(usage);
}

/* @own: set to our threads' reads that are included. Return: false when it cannot be read. */
static bool read_io(struct usage *usage, struct proc_io *io, struct read_count *own)
{
	if (usage->own_thread && usage->own_written_reach_bytes != usage->log_pages.reach_bytes) {
		usage->own_written_reach_bytes = usage->log_pages.reach_bytes;
		usage->own_written_bytes = own_write_bytes(usage);
	}
	/* this reading is not yet in its own text */
	*own = usage->own_thread ? usage->count : (struct read_count){ 0, 0 };
	if (read_text(usage, usage->io_fd) <= 0)
		return false;
	proc_parse_io(usage->buffer, io);
	return true;
}

static void take_own_off(struct usage *usage, const struct read_count *own, struct proc_io *io)
{
	io->read_calls = figure_less(io->read_calls, own->calls);
	io->read_chars = figure_less(io->read_chars, own->bytes);
	io->write_bytes = figure_less(io->write_bytes, usage->own_written_bytes);
	if (io->write_bytes < usage->written_bytes)	/* ours are known some readings late */
		io->write_bytes = usage->written_bytes;
	if (io->write_bytes != LOG_NONE)
		usage->written_bytes = io->write_bytes;
}

/* Call it after read_io(). Return: as read_io(). */
static bool read_io_of_children(struct usage *usage, struct proc_io *io, struct read_count *own)
{
	if (usage->own_thread)
		usage->child_faults = own_use_child_faults();
	return !child_io_is_due(&usage->child_io, usage->child_faults) || read_io(usage, io, own);
}

/* @own_tid: the thread that reads for us; 0: @io counts none. */
static void take_children_off(struct usage *usage, int own_tid, struct proc_io *io)
{
	child_io_take_off(&usage->child_io, usage->child_faults, usage->switches.task_fd, own_tid,
			   &usage->count, usage->buffer, sizeof(usage->buffer), io);
}

static void set_io(const struct proc_io *io, struct figures *figures)
{
	figures->read_calls = io->read_calls;
	figures->read_chars = io->read_chars;
	figures->write_calls = io->write_calls;
	figures->write_chars = io->write_chars;
	figures->read_bytes = io->read_bytes;
	figures->write_bytes = io->write_bytes;
}

/* The map of live blocks. */
static uint64_t map_bytes(const struct usage *usage)
{
	return __atomic_load_n(&usage->log_pages.log->heap_map_bytes, __ATOMIC_RELAXED);
}

static uint64_t reserved_bytes(const struct usage *usage)
{
	return __atomic_load_n(&usage->log_pages.log->heap_reserved_bytes, __ATOMIC_RELAXED);
}

/*
 * A first thread that has ended while others run shows no memory; nothing is known then.
 * @count_log: count also those pages of the log that were claimed before and touched since.
 */
static int read_memory(struct usage *usage, bool count_log, struct figures *figures)
{
	uint64_t page_bytes = usage->log_pages.page_bytes, log_bytes;
	struct proc_statm statm;
	long length = read_text(usage, usage->statm_fd);

	if (length == -ESRCH)
		return -ESRCH;
	if (length <= 0 || proc_parse_statm(usage->buffer, &statm) < 0 || statm.size_pages == 0)
		return 0;
	log_bytes =
		count_log ? log_pages_read(&usage->log_pages) : log_pages_read_if_grown(&usage->log_pages);
	figures->rss_bytes = figure_less(statm.resident_pages * page_bytes, log_bytes + map_bytes(usage));
	figures->mapped_bytes = figure_less(statm.mapped_pages * page_bytes, log_bytes);
	figures->vms_bytes = figure_less(statm.size_pages * page_bytes,
					 (usage->log_pages.is_mapped ? usage->log_pages.log->map_bytes : 0) +
						 reserved_bytes(usage));
	return 0;
}

/* From outside: does the process run another program by now? */
static bool has_execed(const struct usage *usage)
{
	return !usage->own_thread && log_pages_are_left(&usage->log_pages, usage->statm_fd);
}

int usage_read_memory(struct usage *usage, struct figures *figures)
{
	return has_execed(usage) ? -ESTALE : read_memory(usage, true, figures);
}

/* A zombie has no memory any more, but still has all its counters. */
int usage_read(struct usage *usage, struct figures *figures)
{
	bool is_full = !usage->full_every || usage->nr_rows++ % usage->full_every == 0, has_io;
	struct read_count own;
	struct proc_io io;
	int error = 0;

	/* the kernel's error for a pid that is gone */
	if (!usage->own_thread && read_cpu_clock(usage, &figures->cpu_ns) == -EINVAL)
		return -ESRCH;
	if (has_execed(usage))
		return -ESTALE;
	read_memory(usage, is_full, figures);
	is_full = is_full || figures->rss_bytes == LOG_NONE;
	has_io = is_full && read_io(usage, &io, &own);
	if (!usage->own_thread && is_full)
		error = read_from_outside(usage, figures);
	if (has_io && read_io_of_children(usage, &io, &own)) {
		take_own_off(usage, &own, &io);
		take_children_off(usage, usage->own_thread ? (int)sys_gettid() : 0, &io);
		set_io(&io, figures);
	}
	if (usage->own_thread)
		error = read_from_within(usage, figures);
	if (figures->threads != LOG_NONE)
		usage->nr_threads = figures->threads;
	return error;
}

/*
 * VmHWM counts the log's pages too. It rises only with RSS. So when it has risen since the last
 * reading, its value less the log's present pages is a lower bound. The error is what the log has
 * grown since then.
 */
int usage_read_slow(struct usage *usage, struct figures *figures)
{
	struct proc_status status;
	long length = read_text(usage, usage->status_fd);

	if (length <= 0)
		return length == -ESRCH ? -ESRCH : 0;
	proc_parse_status(usage->buffer, &status);
	figures->swap_bytes = status.swap_bytes;
	details_read(&usage->details, figures);
	if (status.peak_rss_bytes == LOG_NONE)
		return 0;
	if (status.peak_rss_bytes > usage->highest_seen_bytes) {
		uint64_t peak = figure_less(status.peak_rss_bytes,
					    log_pages_read(&usage->log_pages) +
						    usage->log_pages.log->heap_map_most_bytes);

		usage->highest_seen_bytes = status.peak_rss_bytes;
		if (peak > usage->peak_rss_bytes)
			usage->peak_rss_bytes = peak;
	}
	figures->peak_rss_bytes = usage->peak_rss_bytes;
	return 0;
}

void usage_read_maps(struct usage *usage, uint64_t limit_bytes, struct figures *figures)
{
	uint64_t page_bytes = usage->log_pages.page_bytes;
	struct proc_statm statm;

	if (read_text(usage, usage->statm_fd) > 0 && proc_parse_statm(usage->buffer, &statm) == 0 &&
	    statm.resident_pages <= limit_bytes / page_bytes)
		details_read_maps(&usage->details, log_pages_read(&usage->log_pages) + map_bytes(usage),
				  figures);
	figures->stack_bytes = log_pages_of_stacks(&usage->log_pages);
}

/* Our pid in /proc, which may show an outer pid namespace. */
static int pid_in_proc(const struct log_header *log)
{
	char number[16];
	const char *at = number;
	long length = sys_readlink("/proc/self", number, sizeof(number) - 1);
	uint64_t pid;

	number[length > 0 ? length : 0] = '\0';
	return text_read_u64(&at, &pid) < 0 ? (int)log->pid : (int)pid;
}

void usage_read_own(struct usage *usage, const struct log_header *log, struct figures *figures)
{
	struct read_count own;
	struct proc_io io;
	uint64_t peak_bytes;

	*usage = (struct usage){
		.pid = pid_in_proc(log), .own_thread = true, .own_io_fd = -1, .switches.task_fd = -1
	};
	usage->statm_fd = proc_file_open(usage->pid, "statm");
	usage->io_fd = proc_file_open(usage->pid, "io");
	log_pages_open(&usage->log_pages, log, usage->pid, &usage->count);
	usage_read_memory(usage, figures);
	if (read_io(usage, &io, &own) && read_io_of_children(usage, &io, &own)) {
		if (usage->child_faults)
			usage->switches.task_fd = proc_file_open(usage->pid, "task");
		take_children_off(usage, 0, &io);
		/* read by a thread of the program, whose reads are counted there too */
		take_own_off(usage, &own, &io);
		set_io(&io, figures);
	}
	peak_bytes = own_use_read_all(figures);
	if (peak_bytes != LOG_NONE) {
		figures->peak_rss_bytes =
			figure_less(peak_bytes, usage->log_pages.present * usage->log_pages.page_bytes +
							log->heap_map_most_bytes);
		/* The kernel adds pages to its peak in batches, later than to RSS. */
		if (figures->rss_bytes != LOG_NONE && figures->peak_rss_bytes < figures->rss_bytes)
			figures->peak_rss_bytes = figures->rss_bytes;
	}
	proc_file_close(&usage->statm_fd);
	proc_file_close(&usage->io_fd);
	proc_file_close(&usage->switches.task_fd);
	log_pages_close(&usage->log_pages);
}
