/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches processes by pidfd. The status of a process is that of its zombie, if we see it before its parent
 * reaps it, or what the kernel keeps for the pidfd (Linux 6.15 and newer).
 */
#include "preload/monitor/watch/process_ends.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "insideme_log.h"
#include "preload/monitor/tools/process_info.h"

struct member {
	struct member *next;
	pid_t pid;
	int fd;
	struct last_words words;	/* as of when it was added, or of the zombie if that was seen */
};

void tree_init(struct tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
}

static struct member **find(struct tree *tree, pid_t pid)
{
	struct member **place = &tree->members;

	while (*place && (*place)->pid != pid)
		place = &(*place)->next;
	return place;
}

static void drop(struct member **place)
{
	struct member *member = *place;

	*place = member->next;
	close(member->fd);		/* also removes it from the epoll set */
	free(member);
}

/* The edge-triggered event comes twice: when the process ends, and when it is reaped. */
static bool hold(struct tree *tree, struct member *member)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.ptr = member };

	member->fd = pidfd_of(member->pid);
	if (member->fd < 0)
		return false;
	if (epoll_ctl(tree->epoll_fd, EPOLL_CTL_ADD, member->fd, &event) == 0)
		return true;
	close(member->fd);
	return false;
}

static struct told *told_of(struct tree *tree, pid_t pid)
{
	return &tree->told[(unsigned)pid % TREE_TOLD];
}

static bool was_told(struct tree *tree, const struct member *member)
{
	const struct told *told = told_of(tree, member->pid);

	return told->pid == member->pid && (member->words.start_ticks == told->start_ticks ||
					    member->words.start_ticks == LOG_NONE);
}

void tree_add(struct tree *tree, pid_t pid)
{
	struct member *member;

	if (pid <= 0 || pid == getpid() || tree->epoll_fd < 0 || *find(tree, pid))
		return;
	member = calloc(1, sizeof(*member));
	if (!member)
		return;
	member->pid = pid;
	if (!hold(tree, member)) {
		free(member);
		return;
	}
	last_words_read(&member->words, pid);
	member->next = tree->members;
	tree->members = member;
	if (was_told(tree, member))	/* a zombie, or reaped by now, whose last log is found late */
		drop(&tree->members);
}

void tree_forget(struct tree *tree, pid_t pid)
{
	struct member **place = find(tree, pid);

	if (*place)
		drop(place);
}

/* Return: is everything known of the end that can be? */
static bool look(struct member *member, uint32_t events, uint64_t *status)
{
	struct last_words words;
	int told;

	if (!(events & EPOLLHUP) && last_words_read(&words, member->pid) &&
	    words.start_ticks == member->words.start_ticks) {
		if (!words.is_over)
			return false;
		member->words = words;
		*status = words.status;
		return words.parent != getpid() && words.status != LOG_NONE;
	}
	*status = pidfd_status(member->fd, &told) == 0 ? (uint64_t)told : LOG_NONE;
	return true;
}

bool tree_next_end(struct tree *tree, struct process_end *end)
{
	struct epoll_event event;

	while (tree->epoll_fd >= 0 && epoll_wait(tree->epoll_fd, &event, 1, 0) == 1) {
		struct member *member = event.data.ptr;
		bool was_zombie;

		if (!look(member, event.events, &end->status))
			continue;
		was_zombie = member->words.is_over;
		end->pid = member->pid;
		end->start_ticks = member->words.start_ticks;
		end->user_ns = was_zombie ? member->words.user_ns : LOG_NONE;
		end->system_ns = was_zombie ? member->words.system_ns : LOG_NONE;
		end->peak_rss_bytes = LOG_NONE;
		*told_of(tree, member->pid) = (struct told){ end->pid, end->start_ticks };
		tree_forget(tree, member->pid);
		return true;
	}
	return false;
}

bool tree_next_left(struct tree *tree, pid_t *pid, uint64_t *start_ticks)
{
	struct member *member = tree->members;

	if (!member)
		return false;
	*pid = member->pid;
	*start_ticks = member->words.start_ticks;
	drop(&tree->members);
	return true;
}
