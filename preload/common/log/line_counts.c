/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/common/log/line_counts.h"

#include "preload/common/base/syscalls.h"

#define PARTS 32u
#define VALUES 512u
#define MOST_FILES (1u << 20) /* a damaged list may have no end */

/* Counters that are read at once. */
struct batch {
	struct log_line_counts *counts;
	int pid;
	uint32_t nr_parts, nr_values;
	bool has_failed;
	struct iovec parts[PARTS];
	uint64_t *copies[PARTS];
	uint64_t values[VALUES];
};

static struct log_line_function *functions_of(struct log_line_counts *counts)
{
	return (struct log_line_function *)(counts + 1);
}

/* Several tasks may copy at once, and the last one to write may have read first. */
static void raise_to(uint64_t *copy, const uint64_t *values, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t value = __atomic_load_n(&values[i], __ATOMIC_RELAXED);
		uint64_t before = __atomic_load_n(&copy[i], __ATOMIC_RELAXED);

		while (before < value && !__atomic_compare_exchange_n(&copy[i], &before, value, false,
								      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
}

void line_counts_take(struct log_line_counts *counts)
{
	const struct log_line_function *function = functions_of(counts),
				       *end = function + counts->nr_functions;
	uint64_t *copy = (uint64_t *)end;

	for (; function < end; copy += function->nr_counters, function++)
		raise_to(copy, (const uint64_t *)function->counters_addr, function->nr_counters);
	__atomic_store_n(&counts->is_copied, 1, __ATOMIC_RELEASE);
}

/* The counters that were read are valid, unless their object was being unloaded meanwhile. */
static void read_batch(struct batch *batch)
{
	struct iovec to = { batch->values, sizeof(batch->values) };
	const uint64_t *values = batch->values;
	long bytes = batch->nr_parts ? raw_syscall(SYS_process_vm_readv, batch->pid, (long)&to, 1,
						   (long)batch->parts, batch->nr_parts, 0)
				     : 0;

	if (__atomic_load_n(&batch->counts->is_final, __ATOMIC_ACQUIRE))
		bytes = 0;
	for (uint32_t i = 0; i < batch->nr_parts && bytes >= (long)batch->parts[i].iov_len; i++) {
		raise_to(batch->copies[i], values, batch->parts[i].iov_len / sizeof(*values));
		values += batch->parts[i].iov_len / sizeof(*values);
		bytes -= (long)batch->parts[i].iov_len;
	}
	batch->has_failed |= bytes != 0 || values != batch->values + batch->nr_values;
	batch->nr_parts = batch->nr_values = 0;
}

static void add_to_batch(struct batch *batch, uint64_t addr, uint64_t *copy, uint32_t nr)
{
	while (nr) {
		uint32_t room = VALUES - batch->nr_values, part = nr < room ? nr : room;

		batch->parts[batch->nr_parts] = (struct iovec){ (void *)addr, part * sizeof(uint64_t) };
		batch->copies[batch->nr_parts++] = copy;
		batch->nr_values += part;
		addr += part * sizeof(uint64_t);
		copy += part;
		nr -= part;
		if (batch->nr_parts == PARTS || batch->nr_values == VALUES)
			read_batch(batch);
	}
}

static void fetch(struct log_line_counts *counts, int pid)
{
	struct batch batch = { .counts = counts, .pid = pid, .nr_parts = 0 };
	const uint32_t nr = __atomic_load_n(&counts->nr_functions, __ATOMIC_ACQUIRE);
	const struct log_line_function *function = functions_of(counts), *end = function + nr;
	uint64_t *copy = (uint64_t *)end, *last = (uint64_t *)((char *)counts + counts->head.bytes);

	for (; function < end && function->nr_counters <= (uint64_t)(last - copy);
	     copy += function->nr_counters, function++)
		add_to_batch(&batch, function->counters_addr, copy, function->nr_counters);
	read_batch(&batch);
	if (!batch.has_failed)
		__atomic_store_n(&counts->is_copied, 1, __ATOMIC_RELEASE);
}

/* The log may be another process's, whose program may have written anything into it. */
static struct log_line_counts *counts_at(const struct log_header *log, uint32_t ref)
{
	const uint64_t end = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);
	const uint64_t offset = (uint64_t)ref << LOG_REF_SHIFT;
	struct log_line_counts *counts = log_at(log, ref);

	if (!ref || offset + sizeof(*counts) > end || counts->head.kind != LOG_AREA_LINE_COUNTS ||
	    counts->head.bytes > end - offset || counts->head.bytes < sizeof(*counts) ||
	    (uint64_t)counts->nr_functions * sizeof(struct log_line_function) >
		    counts->head.bytes - sizeof(*counts))
		return NULL;
	return counts;
}

void line_counts_fetch(struct log_header *log, int pid)
{
	struct log_line_counts *counts =
		counts_at(log, __atomic_load_n(&log->line_counts, __ATOMIC_ACQUIRE));

	for (uint32_t i = 0; counts && i < MOST_FILES; i++, counts = counts_at(log, counts->head.next))
		if (!__atomic_load_n(&counts->is_final, __ATOMIC_ACQUIRE))
			fetch(counts, pid);
}
