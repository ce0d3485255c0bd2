/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends, forks and jumps that meet each other: clashes KIND [FILE]. Every call of work() is counted by the program; it prints
 * "KIND N", N such calls, which the report must show, and ends with 0 where nothing else is said.
 *   loads     4 threads fork 50 children each, of which each calls work 3 times and allocates, while 2 others load and unload
 *             the plugin FILE
 *   cancels   400 threads are cancelled at any moment of their calls (asynchronously), 4 at a time; work
 *             is between N and the number that is printed as "most"
 *   exits     exit(5) by one of 8 threads, of which the others call and allocate; a handler and a destructor at the exit call work, once each; 40
 *             children
 *   line      forks 50 deep, each child calls work 2 times, has a thread that does, and waits for its own
 *   siblings  20 times 3 tasks that share memory but are processes (clone(CLONE_VM)), each on its own stack and thread block; each
 *             calls work 100 times, and main meanwhile as often
 *   execs     30 times another image, by exec from a thread while three others call and allocate; 1 call of work in each
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

static volatile long sink;
static long *nr_work;	/* shared by all processes */
static const char *file;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

QUIET static void count(void)
{
	__atomic_add_fetch(nr_work, 1, __ATOMIC_RELAXED);
	work();
}

QUIET static void count_times(int times)
{
	while (times--)
		count();
}

QUIET static int wait_all(void)
{
	int status, wrong = 0;

	while (wait(&status) > 0 || errno == EINTR)
		wrong |= status;
	return wrong;
}

/* A failed start of a thread would make less of the test than it says. */
QUIET static pthread_t start(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, argument))
		abort();
	return thread;
}

/* loads */
static volatile int forked;

QUIET static void *fork_many(void *unused)
{
	for (int i = 0; i < 50; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			char *volatile block = malloc(1000 + (size_t)i);

			count_times(3);
			free(block);
			_exit(7);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
			abort();
	}
	return unused;
}

QUIET static void *load_many(void *unused)
{
	while (!forked) {
		void *object = dlopen(file, RTLD_NOW);

		if (!object)
			abort();
		dlclose(object);
	}
	return unused;
}

QUIET static int loads(void)
{
	pthread_t loaders[2], forkers[4];

	for (int i = 0; i < 2; i++)
		loaders[i] = start(load_many, NULL);
	for (int i = 0; i < 4; i++)
		forkers[i] = start(fork_many, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(forkers[i], NULL);
	forked = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(loaders[i], NULL);
	return 0;
}

/* cancels: no lock is held and nothing is allocated, so a program may be cancelled anywhere */
static long begun[4], ended[4];

__attribute__((noinline)) static void within(long *number)
{
	(*number)++;
}

__attribute__((noinline)) static void around(long slot)
{
	within(&begun[slot]);
	work();
	within(&ended[slot]);
}

QUIET static void *be_cancelled(void *slot)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		around((long)slot);
	return NULL;
}

QUIET static int cancels(void)
{
	long least = 0, most = 0;

	for (int round = 0; round < 100; round++) {
		pthread_t threads[4];
		void *result;

		for (long i = 0; i < 4; i++)
			threads[i] = start(be_cancelled, (void *)i);
		usleep((useconds_t)(round * 20));
		for (int i = 0; i < 4; i++)
			pthread_cancel(threads[i]);
		for (int i = 0; i < 4; i++)
			if (pthread_join(threads[i], &result) || result != PTHREAD_CANCELED)
				return 1;
	}
	for (int i = 0; i < 4; i++) {
		least += ended[i];
		most += begun[i];
	}
	*nr_work = least;
	printf("most %ld\n", most);
	return 0;
}

/* exits */
static pthread_barrier_t all_run;

QUIET static void *run_on(void *unused)
{
	char *volatile block;

	pthread_barrier_wait(&all_run);
	for (;;) {
		within((long *)&sink);
		block = malloc(100);
		free(block);
	}
	return unused;
}

QUIET static void *end_all(void *unused)
{
	pthread_barrier_wait(&all_run);
	exit(5);
	return unused;
}

static volatile int exits_in_thread;

__attribute__((destructor)) QUIET static void at_end(void)
{
	if (exits_in_thread)
		count();
}

QUIET static void at_exit(void)
{
	count();
	exits_in_thread = 1;
}

QUIET static int exits(void)
{
	int wrong = 0, status;

	for (int i = 0; i < 40; i++) {
		pid_t child = fork();

		if (child == 0) {
			pthread_barrier_init(&all_run, NULL, 8);
			atexit(at_exit);
			for (int k = 0; k < 7; k++)
				start(run_on, NULL);
			start(end_all, NULL);
			for (;;)
				pause();
		}
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 5)
			wrong = 1;
	}
	return wrong;
}

/* line */
QUIET static void *work_twice(void *unused)
{
	count_times(2);
	return unused;
}

QUIET static int line(int depth)
{
	pid_t child;
	int status;

	pthread_join(start(work_twice, NULL), NULL);
	count_times(2);
	if (depth == 0)
		return 0;
	child = fork();
	if (child == 0)
		_exit(line(depth - 1));
	return waitpid(child, &status, 0) != child || status;
}

/* siblings */
QUIET static int be_sibling(void *unused)
{
	count_times(100);
	return 0;
}

QUIET static int siblings(void)
{
	enum { STACK = 65536, TLS = 65536, ALL = STACK + TLS };
	char *memory = mmap(NULL, 3 * ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 3; i++) {
			char *stack = memory + i * ALL, *tls = stack + STACK + TLS / 2;

			memset(stack + STACK, 0, TLS);
			((void **)tls)[0] = ((void **)tls)[2] = tls;	/* where x86-64 looks for the block's address */
			if (clone(be_sibling, stack + STACK, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SETTLS | SIGCHLD, NULL, NULL, tls,
				  NULL) < 0)
				return 1;
		}
		count_times(100);
		if (wait_all())
			return 1;
	}
	return 0;
}

/* execs */
static char **arguments;

QUIET static void *exec_next(void *left)
{
	char text[16];

	pthread_barrier_wait(&all_run);
	snprintf(text, sizeof(text), "%ld", (long)left);
	execl("/proc/self/exe", arguments[0], "execs", text, (char *)NULL);
	_exit(9);
	return NULL;
}

QUIET static int execs(void)
{
	long left = file ? atol(file) : 30;

	count();
	*nr_work = 31;
	if (left == 0)
		return 0;
	pthread_barrier_init(&all_run, NULL, 5);
	for (int i = 0; i < 3; i++)
		start(run_on, NULL);
	start(exec_next, (void *)(left - 1));
	pthread_barrier_wait(&all_run);
	for (;;)
		pause();
}

QUIET static int fork_line(void)
{
	return line(50);
}

static const struct { const char *name; int (*run)(void); } kinds[] = {
	{ "loads", loads }, { "cancels", cancels }, { "exits", exits }, { "line", fork_line }, { "siblings", siblings },
	{ "execs", execs },
};

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	arguments = argv;
	file = argc > 2 ? argv[2] : NULL;
	nr_work = mmap(NULL, sizeof(*nr_work), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kind, kinds[i].name) == 0) {
			int wrong = kinds[i].run();

			printf("%s %ld\n", kind, *nr_work);
			return wrong;
		}
	}
	return 2;
}
