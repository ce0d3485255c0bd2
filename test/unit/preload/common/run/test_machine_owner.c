/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/run/machine_owner: which of several processes that share a page reads the machine. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/run/machine_owner.h"
#include "preload/common/run/process_id.h"
#include "test/unit/unit.h"

static struct log_run page;
static struct run run;
static struct log_header own_log, other_log;
static struct machine_owner one, other;	/* this process and its parent: both are there */

static void read_id(struct log_header *log, pid_t pid)
{
	uint32_t ppid;

	log->pid = (uint32_t)pid;
	strcpy(log->boot_id, "boot");
	assert_int_equal(process_parent(log->pid, &ppid, &log->process_start), 0);
}

static int begin(void **state)
{
	memset(&page, 0, sizeof(page));
	strcpy(page.boot_id, "boot");
	memset(&run, 0, sizeof(run));
	run.page = &page;
	strcpy(run.path, "/");
	read_id(&own_log, getpid());
	read_id(&other_log, getppid());
	machine_owner_init(&one, &run, &own_log);
	machine_owner_init(&other, &run, &other_log);
	return 0;
}

static bool claim(struct machine_owner *owner)
{
	return machine_owner_claim(owner, false);
}

TEST(the_first_one_stays_the_owner, begin, NULL)
{
	for (int i = 0; i < 3; i++) {
		assert_true(claim(&one));
		assert_false(claim(&other));
		assert_true(machine_owner_is_self(&one));
		assert_false(machine_owner_is_self(&other));
	}
}

TEST(an_owner_that_leaves_is_followed_at_once, begin, NULL)
{
	assert_true(claim(&one));
	machine_owner_leave(&other);	/* what it does not own */
	assert_true(machine_owner_is_self(&one));
	machine_owner_leave(&one);
	assert_false(machine_owner_is_self(&one));
	assert_true(claim(&other));
	assert_false(claim(&one));
}

TEST(an_owner_that_was_killed_is_gone_even_before_it_is_waited_for, begin, NULL)
{
	struct log_header killed_log = { .pid = 0 };
	struct machine_owner killed;
	siginfo_t info;
	pid_t pid;

	pid = fork();
	assert_int_not_equal(pid, -1);
	if (pid == 0)
		for (;;)
			pause();
	read_id(&killed_log, pid);
	machine_owner_init(&killed, &run, &killed_log);
	assert_true(claim(&killed));
	assert_false(claim(&one));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(claim(&one));
	waitpid(pid, NULL, 0);
	page.machine_owner = killed_log.process_start << 32 | killed_log.pid;
	assert_true(claim(&other));
}

TEST(another_process_of_the_same_pid_is_not_the_owner, begin, NULL)
{
	assert_true(claim(&other));
	page.machine_owner += 1ull << 32;
	assert_false(machine_owner_is_self(&other));
	assert_true(claim(&one));
}

TEST(an_idle_owner_stays_it_until_another_process_works, begin, NULL)
{
	assert_true(machine_owner_claim(&one, true));
	assert_false(machine_owner_claim(&other, true));
	assert_true(machine_owner_is_self(&one));
	assert_true(claim(&other));
	assert_false(claim(&one));
	assert_true(machine_owner_claim(&other, true));
	machine_owner_leave(&other);
	assert_int_equal(page.machine_owner, 0);
}

TEST(an_owner_that_works_again_is_left_alone, begin, NULL)
{
	assert_true(machine_owner_claim(&one, true));
	assert_true(claim(&one));
	assert_false(claim(&other));
}

TEST(a_damaged_page_has_no_owner, begin, NULL)
{
	static const uint64_t nonsense[] = { UINT64_MAX, 1ull << 62, LOG_MACHINE_IDLE, 12345ull << 32,
					     INT32_MAX };

	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		page.machine_owner = nonsense[i];
		assert_true(machine_owner_claim(&one, i % 2));
		machine_owner_leave(&one);
	}
}

TEST(where_the_page_is_of_no_use_each_process_reads_the_machine, begin, NULL)
{
	static struct run other_run;

	assert_true(claim(&one));
	strcpy(other_log.boot_id, "another boot");
	assert_true(claim(&other));
	machine_owner_init(&other, &run, &other_log);
	other_log.boot_id[0] = '\0';
	assert_true(claim(&other));
	other_run = run;
	other_run.page_is_private = true;
	machine_owner_init(&other, &other_run, &own_log);
	assert_true(claim(&other));
	assert_true(machine_owner_is_self(&other));
	machine_owner_leave(&other);
	other_run = run;
	strcpy(other_run.path, "/nowhere");
	machine_owner_init(&other, &other_run, &own_log);
	assert_true(claim(&other));
	machine_owner_init(&other, NULL, &own_log);
	assert_true(claim(&other));
	assert_true(claim(&one));
	assert_true(machine_owner_is_self(&one));
}

/* A process that found its run by the log that programs share has not mapped it. */
TEST(the_page_is_mapped_when_it_is_asked_for, begin, NULL)
{
	static struct run made, found;
	const struct process_id creator = { .pid = 4321, .boot_id = "boot" };
	char directory[] = "/tmp/insideme-owner-XXXXXX", path[sizeof(directory) + 4];

	assert_non_null(mkdtemp(directory));
	strcpy(made.path, directory);
	strcpy(found.path, directory);
	assert_int_equal(run_map_page(&made, &creator), 0);
	machine_owner_init(&one, &made, &own_log);
	machine_owner_init(&other, &found, &other_log);
	assert_true(claim(&one));
	assert_false(claim(&other));
	assert_non_null(found.page);
	run_leave(&found);
	run_take_back(&made);
	snprintf(path, sizeof(path), "%s/run", directory);
	assert_int_not_equal(access(path, F_OK), 0);
}

TEST(networks_are_those_of_the_first_owners_namespace, begin, NULL)
{
	claim(&one);
	claim(&other);
	assert_true(machine_owner_has_network(&one));
	assert_true(machine_owner_has_network(&other));
	assert_true(page.machine_network > 0);
	page.machine_network++;
	assert_false(machine_owner_has_network(&one));
}
