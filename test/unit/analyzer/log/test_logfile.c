/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/log/logfile: a log that its process still writes. */
#include "analyzer/log/logfile.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "test/unit/build_log.h"
#include "test/unit/unit.h"

#define PATH	"/tmp/insideme-test_logfile.log"

static void write_in_place(const struct build *build, off_t offset, size_t bytes)
{
	int fd = open(PATH, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, build->bytes + offset, bytes, offset), bytes);
	close(fd);
}

TEST(a_log_is_older_once_its_process_wrote_its_end)
{
	struct logfile *log;
	struct build build;

	build_init(&build, LOG_CLOCK_MONOTONIC, 1);
	build_thread(&build, "main");
	build_write(&build, PATH, 0);
	log = logfile_open(PATH);
	assert_non_null(log);
	assert_false(logfile_is_older(log));
	build_finish(&build, BUILD_START_TICKS + 1000, 0);
	write_in_place(&build, 0, sizeof(struct log_header));
	assert_true(logfile_is_older(log));
	logfile_close(log);
	unlink(PATH);
	build_release(&build);
}

/* The header is copied after the file's size was read: areas may have been added between the two. */
TEST(an_area_newer_than_the_header_may_reach_past_the_end)
{
	struct logfile *log;
	struct build build;
	uint64_t tail;

	build_init(&build, LOG_CLOCK_MONOTONIC, 1);
	build_thread(&build, "main");
	tail = build.header->tail_bytes;
	build_area(&build, LOG_AREA_NODES, 0, 8192, sizeof(struct log_area));
	build_write(&build, PATH, tail + 4096);
	log = logfile_open(PATH);	/* the header has the new area */
	assert_non_null(log);
	assert_int_equal(log->nr_damaged, 2);
	logfile_close(log);
	build.header->tail_bytes = tail;
	build_write(&build, PATH, tail + 4096);
	log = logfile_open(PATH);
	assert_non_null(log);
	assert_int_equal(log->nr_damaged, 0);
	logfile_close(log);
	unlink(PATH);
	build_release(&build);
}

TEST(messages_stay_hidden_where_a_part_hides_its_own)
{
	bool outer = messages_hide(true), inner = messages_hide(false);

	assert_false(outer);
	assert_true(inner);
	messages_show(inner);
	assert_true(messages_hide(false));
	messages_show(outer);
	assert_false(messages_hide(false));
}
