/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/run: in which run the ranks of a launch meet. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/common/base/proc_text.h"
#include "preload/common/run/run_join.h"
#include "preload/common/run/run_logs.h"
#include "test/unit/unit.h"

#define RANKS 24

static char place[] = "/tmp/insideme-test.XXXXXX";
static const char *run_setting = "";

/*
 * Rank @number as a process of another parent each time would see itself; @host: pids of others are not ours.
 */
static struct process_id make_id(const char *launch_id, const char *host, int32_t number)
{
	struct process_id id;

	memset(&id, 0, sizeof(id));
	process_id_read(&id, NULL);
	id.pid = 10000000u + (uint32_t)number;
	id.ppid = 20000000u;	/* above any pid: no ancestors */
	snprintf(id.host, sizeof(id.host), "%s", host);
	snprintf(id.boot_id, sizeof(id.boot_id), "boot of %s", host);
	snprintf(id.program, sizeof(id.program), "app");
	snprintf(id.rank.launch_id, sizeof(id.rank.launch_id), "%s", launch_id);
	id.rank.rank = number;
	id.rank.nr_ranks = RANKS;
	return id;
}

/* The recorder's next step: a log of the rank. */
static void write_log(const struct run *run, const struct process_id *id)
{
	struct log_header header = { .magic = LOG_MAGIC,
				     .kind = LOG_OF_PROGRAM,
				     .pid = id->pid,
				     .ppid = id->ppid,
				     .process_start = id->start,
				     .rank = id->rank.rank,
				     .is_rank_child = id->rank.is_child };
	char path[PATH_MAX];
	uint32_t exec_count;
	int fd = run_new_log(run, id, path, sizeof(path), &exec_count);

	assert_true(fd >= 0);
	strcpy(header.boot_id, id->boot_id);
	strcpy(header.host, id->host);
	strcpy(header.launch_id, id->rank.launch_id);
	assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
}

/* Start @id's process as far as its log. Return: its run's name. */
static const char *start(struct process_id *id)
{
	static char name[NAME_MAX + 1];
	struct run run;

	assert_int_equal(run_find(&run, RUN_OF_PROGRAM, run_setting, "data", id), 0);
	write_log(&run, id);
	munmap(run.page, 4096);
	snprintf(name, sizeof(name), "%s", strrchr(run.path, '/') + 1);
	return name;
}

static int count(const char *directory, const char *prefix)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int nr = 0;

	while (stream && (entry = readdir(stream)))
		nr += entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	if (stream)
		closedir(stream);
	return nr;
}

static int is_there(const char *name)
{
	return access(name, F_OK) == 0;
}

/* All at the same time: each waits at a pipe until all are ready. */
static void start_together(const char *launch_id, const char *const *hosts, int nr_hosts)
{
	int gate[2];

	assert_int_equal(pipe(gate), 0);
	for (int i = 0; i < RANKS; i++) {
		if (fork() == 0) {
			struct process_id id = make_id(launch_id, hosts[i % nr_hosts], i);
			char byte;

			close(gate[1]);
			_exit(read(gate[0], &byte, 1) != 0 || !start(&id)[0]);
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < RANKS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

TEST(ranks_of_one_launch_come_into_one_run)
{
	static const char *const hosts[] = { "node1", "node2", "node3" };

	for (int round = 0; round < 8; round++) {
		char id[32], command[64];
		int nr = 0;

		snprintf(id, sizeof(id), "launch.%d", round);
		start_together(id, hosts, 3);
		assert_int_equal(count("data", "2"), 1);
		snprintf(command, sizeof(command),
			 "exit $(ls data/*/rank00[0-2][0-9]-node[123]-*-0.log | wc -l)");
		nr = WEXITSTATUS(system(command));
		assert_int_equal(nr, RANKS);
		assert_int_equal(system("rm -r data"), 0);
	}
}

TEST(a_run_that_is_set_is_begun_by_one_of_many)
{
	static const char *const hosts[] = { "node1" };

	run_setting = "data/mine";
	for (int round = 0; round < 8; round++) {
		assert_int_equal(mkdir("data", 0700), 0);
		start_together("id", hosts, 1);
		assert_int_equal(count("data", ""), 1);
		assert_int_equal(count("data/mine", "rank"), RANKS);
		assert_int_equal(system("rm -r data"), 0);
	}
	run_setting = "";
}

TEST(launches_are_kept_apart)
{
	struct process_id a = make_id("a", "node1", 0), b = make_id("b", "node1", 0),
			  c = make_id("a", "node1", 1);
	char first[NAME_MAX + 1];

	strcpy(first, start(&a));
	assert_string_not_equal(start(&b), first);
	assert_string_equal(start(&c), first);
	assert_int_equal(count("data", "2"), 2);
	assert_int_equal(system("rm -r data"), 0);
}

/* Job ids come again: the ranks of the later launch agree on another run. */
TEST(a_rank_that_is_there_starts_a_new_run)
{
	char first[NAME_MAX + 1], second[NAME_MAX + 1];

	for (int i = 0; i < 3; i++) {
		struct process_id id = make_id("again", "node1", i);

		strcpy(first, start(&id));
	}
	for (int i = 0; i < 3; i++) {
		struct process_id id = make_id("again", "node1", i);

		id.pid += 100;
		id.ppid += 100;
		if (i == 0)
			strcpy(second, start(&id));
		else
			assert_string_equal(start(&id), second);
	}
	assert_string_not_equal(first, second);
	assert_int_equal(count("data", "2"), 2);
	assert_int_equal(system("rm -r data"), 0);
}

/* A wrapper's script may run several programs in the place of the rank. */
TEST(programs_of_one_parent_are_one_rank)
{
	struct process_id id = make_id("wrapped", "node1", 0);
	char first[NAME_MAX + 1];

	strcpy(first, start(&id));
	id.pid++;
	assert_string_equal(start(&id), first);
	assert_int_equal(system("rm -r data"), 0);
}

TEST(an_exec_stays_in_its_run)
{
	struct process_id id = make_id("exec", "node1", 7);
	char first[NAME_MAX + 1], path[PATH_MAX];

	strcpy(first, start(&id));
	assert_string_equal(start(&id), first);
	assert_false(id.rank.is_child);
	snprintf(path, sizeof(path), "data/%s/rank0007-node1-%u-1.log", first, id.pid);
	assert_true(is_there(path));
	assert_int_equal(system("rm -r data"), 0);
}

/* Its parent, which is the rank, is this process. */
TEST(a_child_of_a_rank_is_marked)
{
	struct process_id parent, child;
	char path[PATH_MAX], first[NAME_MAX + 1];

	memset(&parent, 0, sizeof(parent));
	process_id_read(&parent, NULL);
	parent.rank = (struct rank){ .rank = 2, .nr_ranks = 4, .local_rank = 2, .launch_id = "family" };
	strcpy(first, start(&parent));
	child = parent;
	child.ppid = parent.pid;
	child.pid = 10000000;
	child.start++;
	assert_string_equal(start(&child), first);
	assert_true(child.rank.is_child);
	assert_false(parent.rank.is_child);
	snprintf(path, sizeof(path), "data/%s/%s-10000000-0.log", first, child.host);
	assert_true(is_there(path));
	assert_int_equal(system("rm -r data"), 0);
}

/* The run was removed, but not the link to it. */
TEST(a_link_to_nothing_is_passed_by)
{
	struct process_id a = make_id("gone", "node1", 0), b = make_id("gone", "node1", 1);
	char first[NAME_MAX + 1];

	start(&a);
	assert_int_equal(system("rm -r data/2*"), 0);
	strcpy(first, start(&a));
	assert_string_equal(start(&b), first);
	assert_int_equal(count("data", "2"), 1);
	assert_int_equal(system("rm -r data"), 0);
}

TEST(an_id_cannot_leave_the_directory)
{
	struct process_id id = make_id("../../x y/\n", "node1", 0);

	start(&id);
	assert_int_equal(count(".", ""), 1);
	assert_int_equal(system("test -L 'data/.launch-.._.._x_y__' && rm -r data"), 0);
}

/* Of a child of this process, which is in the run. */
static void find_from_child(char *boot_id, size_t bytes)
{
	struct process_id id;
	struct run run;

	memset(&id, 0, sizeof(id));
	process_id_read(&id, NULL);
	id.ppid = id.pid;
	id.pid = 10000000;
	id.rank.rank = -1;
	assert_int_equal(run_find(&run, RUN_OF_PROGRAM, "", "data", &id), 0);
	snprintf(boot_id, bytes, "%s", id.boot_id);
	run_leave(&run);
}

TEST(the_boot_is_that_of_the_run_until_another_comes)
{
	struct process_id first = make_id("", "a", -1), other = make_id("", "b", -1), here;
	char boot_id[sizeof(first.boot_id)];
	struct run run, run_of_other;

	memset(&here, 0, sizeof(here));
	process_id_boot(&here);
	assert_int_equal(run_find(&run, RUN_OF_PROGRAM, "data", "", &first), 0);
	find_from_child(boot_id, sizeof(boot_id));
	assert_string_equal(boot_id, "boot of a");
	assert_int_equal(run_find(&run_of_other, RUN_OF_PROGRAM, "data", "", &other), 0);
	find_from_child(boot_id, sizeof(boot_id));
	assert_string_equal(boot_id, here.boot_id);
	assert_string_not_equal(boot_id, "boot of a");
	run_leave(&run);
	run_leave(&run_of_other);
	assert_int_equal(system("rm -r data"), 0);
}

static bool is_told(struct process_id *id, uint64_t start)
{
	struct log_header header = { .magic = LOG_MAGIC,
				     .version = LOG_VERSION,
				     .newborns = { [3] = start << 32 | 10000003 } };
	FILE *file = fopen("parent.log", "w");

	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	fclose(file);
	id->start = 0;
	return run_knows_newborn("parent.log", id);
}

TEST(an_image_knows_its_start_from_the_fork_before)
{
	struct process_id own = make_id("", "a", 3), other = make_id("", "a", 11);
	struct timespec now;
	uint64_t ticks;

	clock_gettime(CLOCK_BOOTTIME, &now);
	ticks = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) / PROC_TICK_NS;
	assert_true(is_told(&own, ticks));
	assert_int_equal(own.start, ticks);
	assert_false(is_told(&other, ticks));
	assert_int_equal(other.start, 0);
	assert_false(is_told(&own, ticks - 100));	/* another process may have that pid by now */
	unlink("parent.log");
}

int before_all(void **state)
{
	return mkdtemp(place) && chdir(place) == 0 ? 0 : -1;
}

int after_all(void **state)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -r %s", place);
	return chdir("/") == 0 ? system(command) : -1;
}

TEST(the_clock_rate_is_of_its_host)
{
	struct log_run page = { .magic = LOG_RUN_MAGIC, .boot_id = "boot of a" };
	struct run run = { .page = &page };

	assert_int_equal(run_us_ticks(&run, "boot of a"), 0);
	run_set_us_ticks(&run, "boot of b", 3000);
	assert_int_equal(run_us_ticks(&run, "boot of a"), 0);
	run_set_us_ticks(&run, "boot of a", 2596);
	assert_int_equal(run_us_ticks(&run, "boot of a"), 2596);
	assert_int_equal(run_us_ticks(&run, "boot of b"), 0);
}
