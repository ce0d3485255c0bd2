/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/run/run: the page of a run. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/run/run.h"
#include "test/unit/unit.h"

static char directory[] = "/tmp/insideme-rundir-XXXXXX";

int before_all(void **state)
{
	return mkdtemp(directory) ? 0 : -1;
}

int after_all(void **state)
{
	return rmdir(directory);
}

/*
 * Beside a log that an ancestor has mapped: what was looked at is not taken for the run that is found
 * elsewhere.
 */
TEST(a_file_that_is_no_page_is_not_kept)
{
	static struct run run;
	static const char zeros[4096];
	char path[sizeof(directory) + 4];
	int fd;

	snprintf(path, sizeof(path), "%s/run", directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, zeros, sizeof(zeros)), sizeof(zeros));
	close(fd);
	strcpy(run.path, directory);
	assert_true(run_map_page(&run, NULL) < 0);
	assert_null(run.page);
	unlink(path);
}

TEST(the_page_of_a_run_is_mapped_by_who_makes_it_and_by_others)
{
	static struct run made, found;
	const struct process_id creator = { .pid = 4321, .start = 99, .boot_id = "boot" };
	char path[sizeof(directory) + 4];

	strcpy(made.path, directory);
	strcpy(found.path, directory);
	assert_int_equal(run_map_page(&made, &creator), 0);
	assert_int_equal(run_map_page(&found, NULL), 0);
	assert_ptr_not_equal(made.page, found.page);
	assert_int_equal(found.page->creator_pid, 4321);
	assert_string_equal(found.page->boot_id, "boot");
	run_leave(&made);
	run_leave(&found);
	snprintf(path, sizeof(path), "%s/run", directory);
	unlink(path);
}
