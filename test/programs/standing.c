/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What insideme-run --stacks and --pid --sample must find, and must not disturb: standing KIND, until its input ends.
 * It prints "ready" when all threads are where they stay.
 *   stacks   main: read, in main(); thread "waits": poll, 13 calls of wait_at() deep; "locks": a mutex, 6 calls of
 *            lock_at(); "burns": 21 calls of burn_at(), then burn()
 *   split    a thread, long_part() for three times as long as short_part()
 *   calls    17 threads, each with a blocking call of its own that lasts some ms, again and again, with work between
 *            them; then prints "calls N eintr N"
 *   pauses   a thread looks at the clock all the time; prints "gaps N us", the longest time between two looks
 *   deep     a thread that burns, 2,000 calls of deep_at(), each with 200 bytes
 *   code     a thread runs in code without unwind tables, which code_from() calls
 *   damaged  a thread overwrites the program's unwind tables by random bytes again and again; another burns
 *   handler  a thread burns in a signal handler on a stack of its own, handled(), which came into interrupted()
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MS 1000000

static volatile uint64_t sink;
static volatile int is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t standing;

static void work(int turns)
{
	for (int i = 0; i < turns; i++)
		sink = sink * 6364136223846793005u + 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void begin(const char *name, void *(*run)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, argument))
		exit(1);
	pthread_setname_np(thread, name);
	pthread_detach(thread);
}

/* ---- stacks: what follows the recursive calls keeps them from becoming loops ---- */

NOINLINE static int wait_at(int depth)
{
	int result;

	if (depth) {
		result = wait_at(depth - 1);
	} else {
		sem_post(&standing);
		result = poll(NULL, 0, -1);
	}
	sink += (uint64_t)result;
	return result + 1;
}

NOINLINE static int lock_at(int depth)
{
	int result;

	if (depth) {
		result = lock_at(depth - 1);
	} else {
		sem_post(&standing);
		result = pthread_mutex_lock(&lock);
	}
	sink += (uint64_t)result;
	return result + 1;
}

NOINLINE static void burn(void)
{
	sem_post(&standing);
	while (!is_over)
		work(1000);
}

NOINLINE static int burn_at(int depth)
{
	int result = 0;

	if (depth)
		result = burn_at(depth - 1);
	else
		burn();
	sink += (uint64_t)result;
	return result + 1;
}

static void *waits(void *none)
{
	wait_at(12);
	return none;
}

static void *locks(void *none)
{
	lock_at(5);
	return none;
}

static void *burns(void *none)
{
	burn_at(20);
	return none;
}

/* ---- split ---- */

NOINLINE static void long_part(void)
{
	work(3000);
}

NOINLINE static void short_part(void)
{
	work(1000);
}

static void *splits(void *none)
{
	sem_post(&standing);
	while (!is_over) {
		long_part();
		short_part();
	}
	return none;
}

/* ---- deep, code, handler ---- */

NOINLINE static int deep_at(int depth)
{
	volatile char room[200];
	int result = 0;

	room[0] = (char)depth;
	if (depth)
		result = deep_at(depth - 1);
	else
		burn();
	return result + room[0];
}

static void *is_deep(void *none)
{
	deep_at(1999);
	return none;
}

NOINLINE static int code_from(void *code)
{
	sem_post(&standing);
	((void (*)(void))code)();
	return (int)++sink;
}

static void *runs_code(void *none)
{
	static const unsigned char forever[] = { 0xeb, 0xfe };	/* jumps to itself */
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, forever, sizeof(forever));
	code_from(code);
	return none;
}

static void handled(int number)
{
	burn();
}

NOINLINE static int interrupted(void)
{
	return raise(SIGUSR1) + (int)sink;
}

static void *is_interrupted(void *none)
{
	struct sigaction action = { .sa_handler = handled, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sink += (uint64_t)interrupted();
	return none;
}

/* ---- damaged ---- */

static int find_tables(struct dl_phdr_info *info, size_t bytes, void *range)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
			((uintptr_t *)range)[0] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			((uintptr_t *)range)[1] = info->dlpi_phdr[i].p_memsz;
		}
	return 1;	/* the program is the first */
}

static void *damages(void *none)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t range[2], begin_page;
	unsigned seed = 1;

	dl_iterate_phdr(find_tables, range);
	begin_page = range[0] & ~(page - 1);
	if (mprotect((void *)begin_page, range[0] + range[1] + 2048 - begin_page, PROT_READ | PROT_WRITE))
		exit(1);
	sem_post(&standing);
	while (!is_over)	/* the header stays, the table's entries and what they point to do not */
		*(volatile unsigned char *)(range[0] + 12 + (unsigned)rand_r(&seed) % (range[1] + 1024)) =
			(unsigned char)rand_r(&seed);
	return none;
}

/* ---- pauses ---- */

static uint64_t longest_gap_ns;

static void *looks(void *none)
{
	uint64_t last;

	sem_post(&standing);
	last = now_ns();
	while (!is_over) {
		uint64_t now = now_ns();

		if (now - last > longest_gap_ns)
			longest_gap_ns = now - last;
		last = now;
	}
	return none;
}

/* ---- calls ---- */

static int nr_calls, nr_interrupted;
static const struct timespec short_time = { 0, 3 * MS };
static int nobody[2], epoll, queue, semaphores, listener;
static mqd_t mq;
static aio_context_t aio;
static sigset_t own_signal;

static struct timespec in_short_time(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += short_time.tv_nsec;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return until;
}

static int call_poll(void) { return poll(NULL, 0, 3); }
static int call_ppoll(void) { return ppoll(NULL, 0, &short_time, NULL); }
static int call_select(void) { return select(0, NULL, NULL, NULL, &(struct timeval){ 0, 3000 }); }
static int call_pselect(void) { return pselect(0, NULL, NULL, NULL, &short_time, NULL); }
static int call_epoll(void) { struct epoll_event event; return epoll_wait(epoll, &event, 1, 3); }
static int call_epoll_pwait(void) { struct epoll_event event; return epoll_pwait(epoll, &event, 1, 3, NULL); }
static int call_nanosleep(void) { return nanosleep(&short_time, NULL); }
static int call_clock_nanosleep(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL);
	return errno ? -1 : 0;
}
static int call_semtimedop(void)
{
	struct sembuf take = { 0, -1, 0 };

	return semtimedop(semaphores, &take, 1, &short_time);
}
static int call_sigtimedwait(void) { return sigtimedwait(&own_signal, NULL, &short_time); }
static int call_recv(void) { char byte; return (int)recv(nobody[0], &byte, 1, 0); }
static int call_accept(void) { return accept(listener, NULL, NULL); }
static int call_io_getevents(void)
{
	struct io_event event;

	return (int)syscall(SYS_io_getevents, aio, 1, 1, &event, &short_time);
}
static int call_mq(void)
{
	char text[64];
	struct timespec until = in_short_time();

	return (int)mq_timedreceive(mq, text, sizeof(text), NULL, &until);
}
static int call_sem(void)
{
	static sem_t never;
	struct timespec until = in_short_time();

	return sem_timedwait(&never, &until);
}
static int call_condition(void)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until = in_short_time();

	pthread_mutex_lock(&own);
	errno = pthread_cond_timedwait(&never, &own, &until);
	pthread_mutex_unlock(&own);
	return errno ? -1 : 0;
}
static int call_read(void)
{
	static int ends[2];
	static char byte;

	if (!ends[1] && pipe(ends))
		exit(1);
	if (write(ends[1], &byte, 1) != 1)
		exit(1);
	usleep(3000);
	return (int)read(ends[0], &byte, 1);
}

static int (*const calls[])(void) = {
	call_poll, call_ppoll, call_select, call_pselect, call_epoll, call_epoll_pwait, call_nanosleep,
	call_clock_nanosleep, call_semtimedop, call_sigtimedwait, call_recv, call_accept, call_io_getevents, call_mq,
	call_sem, call_condition, call_read,
};
#define NR_CALLS ((int)(sizeof(calls) / sizeof(*calls)))

static void *blocks(void *which)
{
	int (*call)(void) = calls[(intptr_t)which];

	sem_post(&standing);
	while (!is_over) {
		errno = 0;
		if (call() < 0 && errno == EINTR)
			__atomic_fetch_add(&nr_interrupted, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&nr_calls, 1, __ATOMIC_RELAXED);
		work(30000);
	}
	return NULL;
}

static void prepare_calls(void)
{
	struct timeval limit = { 0, 3000 };
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 64 };
	char name[32];

	snprintf(name, sizeof(name), "/standing-%d", (int)getpid());
	sigemptyset(&own_signal);
	sigaddset(&own_signal, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &own_signal, NULL);
	epoll = epoll_create1(0);
	queue = msgget(IPC_PRIVATE, 0600);
	msgctl(queue, IPC_RMID, NULL);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	listen(listener, 1);
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	socketpair(AF_UNIX, SOCK_DGRAM, 0, nobody);
	setsockopt(nobody[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	syscall(SYS_io_setup, 1, &aio);
	mq = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink(name);
}

/* ---- */

NOINLINE static int wait_for_end(int nr_threads)
{
	char byte;

	while (nr_threads-- > 0)
		sem_wait(&standing);
	usleep(20000);		/* they stand a moment after they have said so */
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return (int)++sink;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "stacks";
	int nr = 1;

	sem_init(&standing, 0, 0);
	pthread_mutex_lock(&lock);
	if (!strcmp(kind, "stacks")) {
		begin("waits", waits, NULL);
		begin("locks", locks, NULL);
		begin("burns", burns, NULL);
		nr = 3;
	} else if (!strcmp(kind, "split")) {
		begin("splits", splits, NULL);
	} else if (!strcmp(kind, "pauses")) {
		begin("looks", looks, NULL);
	} else if (!strcmp(kind, "deep")) {
		begin("deep", is_deep, NULL);
	} else if (!strcmp(kind, "code")) {
		begin("code", runs_code, NULL);
	} else if (!strcmp(kind, "handler")) {
		begin("handler", is_interrupted, NULL);
	} else if (!strcmp(kind, "damaged")) {
		begin("damages", damages, NULL);
		begin("burns", burns, NULL);
		nr = 2;
	} else {
		prepare_calls();
		for (nr = 0; nr < NR_CALLS; nr++)
			begin("blocks", blocks, (void *)(intptr_t)nr);
	}
	wait_for_end(nr);
	is_over = 1;
	if (nr == NR_CALLS) {
		usleep(50000);
		printf("calls %d eintr %d\n", nr_calls, nr_interrupted);
		semctl(semaphores, 0, IPC_RMID);
	}
	if (!strcmp(kind, "pauses"))
		printf("gaps %llu us\n", (unsigned long long)longest_gap_ns / 1000);
	return 0;
}
