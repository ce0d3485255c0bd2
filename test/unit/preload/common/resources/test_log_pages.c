/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources/log_pages: logs that are full, or whose end the program has written over. */
#include <string.h>

#include "preload/common/resources/log_pages.h"
#include "test/unit/empty_log.h"
#include "test/unit/unit.h"

#define PAGE		4096u
#define LOG_BYTES	((uint64_t)LOG_PAGES_CHUNKS * 64u * PAGE)	/* as many chunks as there can be */
#define LAST		100u /* pages at its end that are there: some in each of the last two chunks */
#define GUARD		0x5a5a5a5au

static struct {
	struct log_pages pages;
	uint32_t behind[8];
} counted;

static void assert_counted(uint64_t tail_bytes, uint64_t pages)
{
	struct read_count count = { .calls = 0 };
	struct log_header *log;
	int fd;

	log = empty_log(LOG_BYTES, &fd);
	assert_int_equal(ftruncate(fd, (off_t)LOG_BYTES), 0);
	memset((char *)log + LOG_BYTES - LAST * PAGE, 1, LAST * PAGE);
	memset(counted.behind, 0x5a, sizeof(counted.behind));
	log_pages_open(&counted.pages, log, getpid(), &count);
	log->tail_bytes = tail_bytes;
	counted.pages.newest = LOG_PAGES_CHUNKS - 1;
	assert_int_equal(log_pages_read(&counted.pages), pages * PAGE);
	for (size_t i = 0; i < sizeof(counted.behind) / sizeof(counted.behind[0]); i++)
		assert_int_equal(counted.behind[i], GUARD);
	log_pages_close(&counted.pages);
	munmap(log, LOG_BYTES);
	close(fd);
}

TEST(a_full_log_is_counted_up_to_its_end)
{
	assert_counted(LOG_BYTES, LAST);
}

TEST(an_end_behind_the_log_is_no_chunk)
{
	assert_counted(UINT64_MAX, LAST);
}
