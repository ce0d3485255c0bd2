/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/common/resources/child_io: what children read and wrote is not counted for their parent, in spite
 * of /proc/PID/io.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/resources/usage.h"
#include "test/unit/empty_log.h"
#include "test/unit/unit.h"

#define LOG_BYTES	(16u << 20)

enum {
	BY_PROCESS = 1000,
	BY_CHILD = 1000000,
	BY_THREAD = 10000,
	BY_THREAD_AT_ITS_END = 5000,
	REPLY = 1,
	NR_MANY = 300
};

static struct usage usage;		/* some KiB: not on the stack */
static int nowhere = -1;		/* /dev/null: what is written there counts as well */
static char bytes[BY_CHILD];
static sem_t may_end, has_written;
static pthread_t thread;

static void put(size_t nr_bytes)
{
	if (write(nowhere, bytes, nr_bytes) != (ssize_t)nr_bytes)
		abort();
}

static void have_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		put(BY_CHILD);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *write_in_thread(void *arg)
{
	put(BY_THREAD);
	sem_post(&has_written);
	sem_wait(&may_end);
	put(BY_THREAD_AT_ITS_END);
	return arg;
}

static void obey(char command, const struct log_header *log, struct figures *figures)
{
	switch (command) {
	case 'w':
		put(BY_PROCESS);
		break;
	case 'c':
		have_child();
		break;
	case 'C':
		for (int i = 0; i < NR_MANY; i++)
			have_child();
		break;
	case 't':
		pthread_create(&thread, NULL, write_in_thread, NULL);
		sem_wait(&has_written);
		break;
	case 'e':
		sem_post(&may_end);
		pthread_join(thread, NULL);
		break;
	case 'o':
		figures_clear(figures);
		usage_read_own(&usage, log, figures);
		break;
	default:
		_exit(0);
	}
}

struct process {
	pid_t pid;
	int commands, replies;
	struct log_header *log;
	int log_fd;
	struct figures *own;	/* its own figures, in shared memory */
};

static struct process start(void)
{
	struct process process;
	int commands[2], replies[2];
	char command;

	process.log = empty_log(LOG_BYTES, &process.log_fd);
	process.own =
		mmap(NULL, sizeof(*process.own), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pipe(commands) | pipe(replies), 0);
	process.pid = fork();
	if (process.pid == 0) {
		close(commands[1]);
		sem_init(&may_end, 0, 0);
		sem_init(&has_written, 0, 0);
		while (read(commands[0], &command, 1) == 1) {
			obey(command, process.log, process.own);
			if (write(replies[1], &command, REPLY) != REPLY)
				abort();
		}
		_exit(0);
	}
	close(commands[0]);
	close(replies[1]);
	process.commands = commands[1];
	process.replies = replies[0];
	return process;
}

static void tell(struct process *process, const char *commands)
{
	char reply;

	for (const char *at = commands; *at; at++) {
		assert_int_equal(write(process->commands, at, 1), 1);
		assert_int_equal(read(process->replies, &reply, 1), 1);
	}
}

static void end(struct process *process)
{
	close(process->commands);
	close(process->replies);
	waitpid(process->pid, NULL, 0);
	munmap(process->log, LOG_BYTES);
	munmap(process->own, sizeof(*process->own));
	close(process->log_fd);
	close(nowhere);
}

static uint64_t written(void)
{
	struct figures figures;

	figures_clear(&figures);
	assert_int_equal(usage_read(&usage, &figures), 0);
	return figures.write_chars;
}

TEST(of_one_thread_it_is_exact)
{
	struct process process = start();
	uint64_t expected = 0;

	assert_int_equal(usage_open(&usage, process.pid, false, process.log, process.log->process_start), 0);
	tell(&process, "w");
	assert_int_equal(written(), expected += BY_PROCESS + REPLY);
	tell(&process, "c");
	assert_int_equal(written(), expected += REPLY);
	tell(&process, "wcwcc");
	assert_int_equal(written(), expected += 2 * BY_PROCESS + 5 * REPLY);
	tell(&process, "w");
	assert_int_equal(written(), expected += BY_PROCESS + REPLY);
	usage_close(&usage);
	end(&process);
}

/*
 * Its children ended before the first reading, like those of a shell that insideme-run --pid attaches to
 * late.
 */
TEST(what_was_before_the_first_reading_is_left_out_too)
{
	struct process process = start();

	tell(&process, "cwc");
	assert_int_equal(usage_open(&usage, process.pid, false, process.log, process.log->process_start), 0);
	assert_int_equal(written(), BY_PROCESS + 3 * REPLY);
	usage_close(&usage);
	end(&process);
}

TEST(what_threads_do_is_kept)
{
	struct process process = start();
	uint64_t expected = 0, at_most;

	assert_int_equal(usage_open(&usage, process.pid, false, process.log, process.log->process_start), 0);
	tell(&process, "tcw");
	assert_int_equal(written(), expected += BY_THREAD + BY_PROCESS + 3 * REPLY);
	tell(&process, "e");
	assert_int_equal(written(), expected += BY_THREAD_AT_ITS_END + REPLY);
	/*
	 * What the ended thread wrote is in no thread's numbers: only in this interval, something may be
	 * lost.
	 */
	tell(&process, "cw");
	at_most = expected + BY_PROCESS + 2 * REPLY;
	assert_in_range(written(), expected, at_most);
	expected = written();
	tell(&process, "cw");
	assert_int_equal(written(), expected += BY_PROCESS + 2 * REPLY);
	usage_close(&usage);
	end(&process);
}

/* Some are reaped between two of the texts of one reading. */
TEST(children_that_come_and_go_all_the_time_are_left_out)
{
	struct process process = start();
	struct pollfd reply = { .fd = process.replies, .events = POLLIN };
	char answer;

	assert_int_equal(usage_open(&usage, process.pid, false, process.log, process.log->process_start), 0);
	assert_int_equal(write(process.commands, "C", 1), 1);
	while (poll(&reply, 1, 0) == 0)
		assert_in_range(written(), 0, REPLY);
	assert_int_equal(read(process.replies, &answer, 1), 1);
	tell(&process, "c");
	assert_int_equal(written(), 2 * REPLY);
	usage_close(&usage);
	end(&process);
}

TEST(a_process_that_reads_itself_leaves_them_out)
{
	struct process process = start();

	tell(&process, "wcwo");
	assert_int_equal(process.own->write_chars, 2 * BY_PROCESS + 3 * REPLY);
	assert_int_equal(process.own->write_calls, 5);
	end(&process);
}
