/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/monitor/watch/watched_log: which children of a log are found while it is written, and when it is
 * damaged.
 */
#include <stdbool.h>
#include <string.h>

#include "preload/common/log/log.h"
#include "preload/monitor/watch/watched_log.h"
#include "test/unit/empty_log.h"
#include "test/unit/unit.h"

#define LOG_BYTES	(32u << 20)

static struct log_header *header;
static int fd;
static struct watched watched;
static uint32_t found[200000];
static size_t nr_found;

static int set_up(void **state)
{
	header = empty_log(LOG_BYTES, &fd);
	watched = (struct watched){ .log = header, .map_bytes = LOG_BYTES };
	nr_found = 0;
	return 0;
}

static int tear_down(void **state)
{
	munmap(header, LOG_BYTES);
	close(fd);
	return 0;
}

static void note(void *context, const struct log_entry *entry)
{
	assert_in_range(nr_found, 0, 199999);
	found[nr_found++] = entry->pid;
}

static void look(void)
{
	watched_new_entries(&watched, note, NULL);
}

static struct log_entry *begin(uint32_t pid)
{
	struct log_entry *entry;

	log_grow(header, fd, header->tail_bytes + (1u << 20));
	entry = (struct log_entry *)log_new_record(header, sizeof(*entry), 1);
	assert_non_null(entry);
	entry->pid = pid;
	return entry;
}

static void enter(uint32_t pid)
{
	log_publish_entry(header, begin(pid));
}

/* Other records lie between them; areas follow each other, and so do looks. */
TEST(each_is_found_once, set_up, tear_down)
{
	bool is_found[3001] = { false };
	const uint64_t value = 1;

	look();
	assert_int_equal(nr_found, 0);
	for (uint32_t pid = 1; pid <= 3000; pid++) {
		enter(pid);
		log_write_event(header, LOG_EVENT_FORK, 0, &value, 1, "with a text", 1);
		log_claim(header, LOG_AREA_SLICES, 0, 1, 64, 0);
		if (pid % 700 == 0)
			look();
	}
	look();
	look();
	assert_int_equal(nr_found, 3000);
	for (uint32_t i = 0; i < 3000; i++) {
		assert_in_range(found[i], 1, 3000);
		assert_false(is_found[found[i]]);
		is_found[found[i]] = true;
	}
}

TEST(one_that_is_not_written_yet_hides_no_other, set_up, tear_down)
{
	struct log_entry *late;

	enter(1);
	late = begin(2);
	enter(3);
	look();
	look();
	assert_int_equal(nr_found, 2);
	log_publish_entry(header, late);
	look();
	assert_int_equal(nr_found, 3);
	assert_int_equal(found[2], 2);
	begin(4);			/* killed there */
	enter(5);
	look();
	assert_int_equal(nr_found, 4);
	assert_int_equal(found[3], 5);
}

/* The program overwrites its log. */
TEST(damage_ends_nothing, set_up, tear_down)
{
	uint32_t random = 1;

	for (uint32_t pid = 1; pid <= 1000; pid++)
		enter(pid);
	for (int round = 0; round < 2000; round++) {
		uint32_t *word;

		random = random * 1664525 + 1013904223;
		word = (uint32_t *)((char *)header + LOG_HEADER_BYTES +
				    random % (header->tail_bytes - LOG_HEADER_BYTES) / 4 * 4);
		*word = round % 2 ? UINT32_MAX : random;
		nr_found = 0;
		watched.seen_entry = 0;
		look();
		assert_in_range(nr_found, 1, LOG_BYTES / sizeof(struct log_entry));
	}
}

TEST(a_circle_is_left, set_up, tear_down)
{
	struct log_entry *first = begin(1);

	log_publish_entry(header, first);
	enter(2);
	first->older = header->entries;
	look();
	assert_in_range(nr_found, 2, LOG_BYTES / sizeof(struct log_entry));
}

TEST(a_place_outside_of_the_log_is_not_read, set_up, tear_down)
{
	enter(1);
	for (uint64_t offset = 0; offset <= LOG_BYTES; offset += LOG_BYTES) {
		header->entries = (uint32_t)(offset / 8);
		look();
	}
	header->entries = UINT32_MAX;
	header->file_bytes = UINT64_MAX - 4096;
	look();
	assert_int_equal(nr_found, 0);
}
