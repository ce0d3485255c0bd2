/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/run/shared_log and run_find: who may use the log that programs share. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/base/settings.h"
#include "preload/common/run/run_join.h"
#include "preload/common/run/shared_log.h"
#include "test/unit/unit.h"

static char place[] = "/tmp/insideme-test.XXXXXX";
static struct settings settings;

/* A child of this process that does not know its boot yet. */
static struct process_id make_child(void)
{
	struct process_id id;

	memset(&id, 0, sizeof(id));
	process_id_read(&id, "/bin/app");
	id.ppid = (uint32_t)getpid();
	id.pid = 10000000;
	id.rank.rank = -1;
	return id;
}

/* Return: whether it found the shared log, and that alone, or the run's page. */
static bool finds_shared(enum run_wish wish, char *boot_id, size_t bytes)
{
	struct process_id id = make_child();
	bool is_found;
	struct run run;

	assert_int_equal(run_find(&run, wish, "", "data", &id), 0);
	snprintf(boot_id, bytes, "%s", id.boot_id);
	is_found = run.shared;
	assert_int_equal(!run.page, is_found);
	if (is_found)
		shared_log_leave(&run);
	else
		run_leave(&run);
	return is_found;
}

TEST(it_is_enough_for_a_short_program_until_another_boot_comes)
{
	struct process_id first = make_child(), other = first;
	char boot_id[sizeof(first.boot_id)];
	struct run run, run_of_other;

	strcpy(first.boot_id, "a boot");
	strcpy(other.boot_id, "another boot");
	assert_int_equal(run_find(&run, RUN_OF_PROGRAM, "data", "", &first), 0);
	assert_false(finds_shared(RUN_OF_BRIEF, boot_id, sizeof(boot_id)));
	assert_int_equal(shared_log_make(&run, &first, &settings, 1000), 0);
	assert_true(finds_shared(RUN_OF_BRIEF, boot_id, sizeof(boot_id)));
	assert_string_equal(boot_id, "a boot");
	assert_false(finds_shared(RUN_OF_PROGRAM, boot_id, sizeof(boot_id)));
	assert_int_equal(run_find(&run_of_other, RUN_OF_PROGRAM, "data", "", &other), 0);
	assert_false(finds_shared(RUN_OF_BRIEF, boot_id, sizeof(boot_id)));
	assert_string_not_equal(boot_id, "a boot");
	shared_log_leave(&run);
	run_leave(&run);
	run_leave(&run_of_other);
	assert_int_equal(system("rm -r data"), 0);
}

/* Its creator knew one boot when it found the run. */
TEST(it_knows_of_boots_that_came_before_it)
{
	struct process_id first = make_child(), other = first;
	char boot_id[sizeof(first.boot_id)];
	struct run run, run_of_other;

	strcpy(first.boot_id, "a boot");
	strcpy(other.boot_id, "another boot");
	assert_int_equal(run_find(&run, RUN_OF_PROGRAM, "data", "", &first), 0);
	assert_int_equal(run_find(&run_of_other, RUN_OF_PROGRAM, "data", "", &other), 0);
	assert_int_equal(shared_log_make(&run, &first, &settings, 1000), 0);
	assert_false(finds_shared(RUN_OF_BRIEF, boot_id, sizeof(boot_id)));
	shared_log_leave(&run);
	run_leave(&run);
	run_leave(&run_of_other);
	assert_int_equal(system("rm -r data"), 0);
}

TEST(there_is_one)
{
	struct process_id first = make_child(), other = first;
	struct run run;

	strcpy(first.boot_id, "a boot");
	strcpy(other.boot_id, "another boot");
	assert_int_equal(run_find(&run, RUN_OF_PROGRAM, "data", "", &first), 0);
	assert_int_equal(shared_log_map(&run, &first), -ENOENT);
	assert_int_equal(shared_log_make(&run, &first, &settings, 1000), 0);
	shared_log_leave(&run);
	assert_int_equal(shared_log_make(&run, &first, &settings, 1000), -EEXIST);
	assert_null(run.shared);
	assert_int_equal(shared_log_map(&run, &other), -EINVAL);
	assert_int_equal(shared_log_map(&run, &first), 0);
	shared_log_leave(&run);
	run_leave(&run);
	assert_int_equal(system("rm -r data"), 0);
}

static void complain(void *context, const char *line)
{
	fail_msg("%s", line);
}

int before_all(void **state)
{
	char *environment[] = { NULL };

	if (!mkdtemp(place) || chdir(place) < 0)
		return -1;
	settings_read(&settings, environment, complain, NULL);
	return 0;
}

int after_all(void **state)
{
	return chdir("/") == 0 ? rmdir(place) : -1;
}
