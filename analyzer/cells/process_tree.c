/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a run as a tree. */
#include "analyzer/cells/process_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyzer/base/error.h"
#include "analyzer/model/parents.h"

static bool has_first_thread(const struct process *process)
{
	return process->nr_threads && !process->threads[0]->left_out;
}

/* Without the one that goes on in the next image. */
static uint64_t count_threads(const struct process *process)
{
	const struct process *next = process_next_image(process);
	uint64_t nr = 0;

	for (size_t i = 0; i < process->nr_threads; i++)
		nr += process->threads[i]->left_out ? 0 : process->threads[i]->nr_threads;
	return nr - (next && has_first_thread(process) && has_first_thread(next));
}

/* The number of the exec rises from image to image: so there is no circle. */
static void take_images(struct member *member)
{
	const struct process *last;

	for (struct process *process = member->first; process; process = process_next_image(process)) {
		member->nr_threads += count_threads(process);
		member->calls += process->calls;
		member->functions_ns += process->functions_ns;
		member->alloc_bytes += process->heap.alloc_bytes;
		member->log_bytes += process->log_bytes;
		member->last = process;
		member->end = process->last;
	}
	last = member->last;
	member->end_kind = last->end_kind;
	member->end_status = last->end_status;
	member->core_dumped = last->core_dumped;
}

static void add_recorded(struct process_tree *tree, struct process *process)
{
	struct member *member = &tree->members[tree->nr++];

	member->first = process;
	member->model = process->model;
	member->run = process->run;
	member->pid = process->header.pid;
	member->ppid = process->header.ppid;
	member->begin = process->start;
	take_images(member);
}

static void add_unseen(struct process_tree *tree, const struct model *model,
		       const struct unseen_process *unseen)
{
	int status = unseen->wait_status;

	tree->members[tree->nr++] = (struct member){
		.unseen = unseen,
		.end_kind = !unseen->has_end ? END_UNKNOWN : WIFSIGNALED(status) ? END_SIGNAL : END_EXIT,
		.end_status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		.core_dumped = WIFSIGNALED(status) && WCOREDUMP(status),
		.model = model,
		.run = unseen->run,
		.pid = unseen->pid,
		.ppid = unseen->before ? unseen->before->header.ppid : 0,
		.begin = unseen->time,
		.end = unseen->before && unseen->has_end ? unseen->end : NO_TIME,
		.functions_ns = NAN,
	};
}

static int by_address(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	return x < y ? -1 : x > y;
}

/* Those that no other image came before. */
static void add_first_images(struct process_tree *tree, const struct model *model)
{
	struct process **later = xcalloc(model->nr_processes + 1, sizeof(struct process *));
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (process_next_image(model->processes[i]))
			later[nr++] = process_next_image(model->processes[i]);
	qsort(later, nr, sizeof(struct process *), by_address);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!bsearch(&model->processes[i], later, nr, sizeof(struct process *), by_address))
			add_recorded(tree, model->processes[i]);
	free(later);
}

static int by_begin(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int by_pid(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x < y ? -1 : x > y;	/* they lie in the order of run and begin */
}

static bool can_be_parent(const struct member *a, const struct member *b)
{
	if (a->run != b->run)
		return false;
	return !a->first || !b->first || strcmp(a->first->header.host, b->first->header.host) == 0;
}

/*
 * The parent is the newest process of that pid that began before the child, because pids are used again. If
 * a process was not recorded, its begin is not known, only when it was first seen. Such a process has a
 * parent only if it was seen by an exec, so there are no circles.
 */
static struct member *find_parent(struct member *const *list, size_t nr, const struct member *member)
{
	size_t low = PARTITION_POINT(i, nr, list[i]->pid < member->ppid ||
		(list[i]->pid == member->ppid && list[i] < member));

	for (size_t i = low; i > 0 && list[i - 1]->pid == member->ppid; i--)
		if (can_be_parent(list[i - 1], member))
			return list[i - 1];
	for (size_t i = low; i < nr && list[i]->pid == member->ppid; i++)
		if (list[i]->unseen && !list[i]->ppid && can_be_parent(list[i], member))
			return list[i];
	return NULL;
}

static void join(struct member *parent, struct member *child)
{
	child->parent = parent;
	child->depth = parent->depth + 1;
	if (parent->last_child)
		parent->last_child->next = child;
	else
		parent->child = child;
	parent->last_child = child;
}

/* A parent comes before its children, or has none: so depths are known in one pass. */
static void link_members(struct process_tree *tree)
{
	struct member **list = xcalloc(tree->nr + 1, sizeof(struct member *));

	for (size_t i = 0; i < tree->nr; i++)
		list[i] = &tree->members[i];
	qsort(list, tree->nr, sizeof(struct member *), by_pid);
	for (size_t i = 0; i < tree->nr; i++) {
		struct member *member = &tree->members[i];
		struct member *parent = member->ppid ? find_parent(list, tree->nr, member) : NULL;

		if (parent)
			join(parent, member);
	}
	free(list);
}

void process_tree_init(struct process_tree *tree, const struct model *model)
{
	tree->members = xcalloc(model->nr_processes + model->nr_unseen + 1, sizeof(struct member));
	tree->nr = 0;
	add_first_images(tree, model);
	for (size_t i = 0; i < model->nr_unseen; i++)
		add_unseen(tree, model, &model->unseen[i]);
	qsort(tree->members, tree->nr, sizeof(struct member), by_begin);
	link_members(tree);
}

void process_tree_release(struct process_tree *tree)
{
	free(tree->members);
}

struct usage member_usage(const struct member *member)
{
	struct usage usage = { 0 };
	double peak = NAN;

	if (member->unseen)
		return usage_of_unseen(member->unseen);
	for (struct process *process = member->first; process; process = process_next_image(process)) {
		usage = usage_of_process(process);
		peak = fmax(peak, usage.peak_rss_bytes);
	}
	usage.peak_rss_bytes = peak;
	return usage;
}

const char *member_program(const struct member *member)
{
	return member->unseen ? member->unseen->program : member->last->header.program;
}

/*
 * The image that a forked child has from its parent. If the child left it by exec without a call, it may have
 * no log.
 */
static bool is_copy_of_parent(const struct member *member, const struct process *process)
{
	if (process != member->first || process == member->last)
		return false;
	return process->parent || (!process->calls && lineage_is_forked(process));
}

char *member_programs(const struct member *member)
{
	char *text = xstrdup(""), *longer;

	if (member->unseen) {
		free(text);
		return xstrdup(member->unseen->program);
	}
	for (const struct process *process = member->first;; process = process_next_image(process)) {
		if (!is_copy_of_parent(member, process)) {
			longer = xasprintf("%s%s%s", text, text[0] ? " > " : "", process->header.program);
			free(text);
			text = longer;
		}
		if (process == member->last)
			return text;
	}
}

static const char *signal_text(const struct member *member, char *out, size_t bytes)
{
	const char *name = sigabbrev_np(member->end_status),
		   *core = member->core_dumped ? ", core dumped" : "";

	if (name)
		snprintf(out, bytes, "SIG%s%s", name, core);
	else
		snprintf(out, bytes, "signal %d%s", member->end_status, core);
	return out;
}

const char *member_end_text(const struct member *member, char *out, size_t bytes)
{
	switch (member->end_kind) {
	case END_EXIT:
		snprintf(out, bytes, "exit %d", member->end_status);
		return out;
	case END_SIGNAL:
		return signal_text(member, out, bytes);
	case END_RUNNING:
		return "running";
	case END_EXEC:
		return "exec";
	case END_TURNED_OFF:
		return "turned off";
	case END_SILENT:
		return member->last->was_left ? "ran on" : "no word";
	default:
		return "not known";
	}
}

bool member_is_killed(const struct member *member)
{
	return member->end_kind == END_SIGNAL || (member->end_kind == END_SILENT && !member->last->was_left);
}

bool member_has_failed(const struct member *member)
{
	return member->end_kind == END_EXIT && member->end_status != 0;
}

const char *member_recorded(const struct member *member)
{
	if (member->unseen)
		return "did not load the recorder";
	if (member->calls)
		return "functions";
	if (member->last->end_kind == END_TURNED_OFF)
		return process_fact(member->last, "off") ?: "gave up";
	return member->last->header.has_hooks ? "no calls" : "no hooks";
}
