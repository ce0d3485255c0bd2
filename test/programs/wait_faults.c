/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Library calls that wait, in all the ways in which they may not be disturbed: errno, signals, cancellation,
 * jumps, kinds of mutexes, those that inherit priority too, both versions of condition variables, forked children, destructors and code before
 * main. Prints "ok", or the line of what went wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__))

static void fail(int line)
{
	dprintf(1, "line %d: errno %d\n", line, errno);
	_exit(1);
}

/* A function of the program's own that has a name of libc's. */
int syncfs(int fd)
{
	return fd + 1000;
}

static struct timespec after_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void sleep_ms(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

/* ---- before main ---- */

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void before_main(void)
{
	pthread_mutex_lock(&early);
	sleep_ms(1);
	pthread_mutex_unlock(&early);
}

/* ---- mutexes ---- */

static pthread_mutex_t *wanted;
static sem_t held, go;

static void *hold(void *ms)
{
	CHECK(pthread_mutex_lock(wanted) == 0);
	sem_post(&held);
	sleep_ms((long)ms);
	CHECK(pthread_mutex_unlock(wanted) == 0);
	return NULL;
}

static void *die_holding(void *unused)
{
	CHECK(pthread_mutex_lock(wanted) == 0);
	return NULL;
}

static pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, function, argument) == 0);
	return thread;
}

static void make_mutex(pthread_mutex_t *mutex, int type, int robust, int shared)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
	pthread_mutexattr_setpshared(&attributes, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	CHECK(pthread_mutex_init(mutex, &attributes) == 0);
}

/* Its holder is in the kernel's hands, and it has a word of its own in glibc's. */
static void inheriting_mutex(int type, int robust)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	struct timespec until;
	pthread_t thread;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutexattr_setrobust(&attributes, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
	CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
	wanted = &mutex;
	thread = start(hold, (void *)30L);
	sem_wait(&held);
	until = after_ms(CLOCK_REALTIME, 2);
	CHECK(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
	errno = 77;
	CHECK(pthread_mutex_lock(&mutex) == 0 && errno == 77);
	if (type == PTHREAD_MUTEX_ERRORCHECK)
		CHECK(pthread_mutex_lock(&mutex) == EDEADLK);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	pthread_join(thread, NULL);
	if (!robust)
		return;
	pthread_join(start(die_holding, NULL), NULL);
	CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void mutexes(void)
{
	struct timespec until;
	pthread_mutex_t mutex;
	pthread_t thread;

	make_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK, 0, 0);
	CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK);
	until = after_ms(CLOCK_REALTIME, 1);
	CHECK(pthread_mutex_timedlock(&mutex, &until) == EDEADLK && pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);

	make_mutex(&mutex, PTHREAD_MUTEX_RECURSIVE, 0, 0);
	CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);

	make_mutex(&mutex, PTHREAD_MUTEX_NORMAL, 1, 0);
	wanted = &mutex;
	pthread_join(start(die_holding, NULL), NULL);
	CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	pthread_join(start(die_holding, NULL), NULL);
	CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);

	make_mutex(&mutex, PTHREAD_MUTEX_NORMAL, 0, 0);
	thread = start(hold, (void *)30L);
	sem_wait(&held);
	until = after_ms(CLOCK_REALTIME, 2);
	CHECK(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
	until = after_ms(CLOCK_MONOTONIC, 2);
	CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
	errno = 77;
	CHECK(pthread_mutex_lock(&mutex) == 0 && errno == 77 && pthread_mutex_unlock(&mutex) == 0);
	pthread_join(thread, NULL);

	inheriting_mutex(PTHREAD_MUTEX_NORMAL, 0);
	inheriting_mutex(PTHREAD_MUTEX_ERRORCHECK, 0);
	inheriting_mutex(PTHREAD_MUTEX_NORMAL, 1);
}

static void other_locks(void)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec until;
	mtx_t mutex;
	sem_t semaphore;

	CHECK(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_rdlock(&lock) == EDEADLK);
	CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK && pthread_rwlock_unlock(&lock) == 0);
	CHECK(pthread_rwlock_rdlock(&lock) == 0);
	until = after_ms(CLOCK_REALTIME, 2);
	CHECK(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT && pthread_rwlock_unlock(&lock) == 0);
	mtx_init(&mutex, mtx_timed);
	CHECK(mtx_lock(&mutex) == thrd_success);
	until = after_ms(CLOCK_REALTIME, 2);
	CHECK(mtx_timedlock(&mutex, &until) == thrd_timedout && mtx_unlock(&mutex) == thrd_success);
	sem_init(&semaphore, 0, 1);
	errno = 77;
	CHECK(sem_wait(&semaphore) == 0 && errno == 77);
	until = after_ms(CLOCK_REALTIME, 2);
	CHECK(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
}

/* ---- condition variables ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_set;

static void *set(void *unused)
{
	sleep_ms(2);
	pthread_mutex_lock(&mutex);
	is_set = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void conditions(void)
{
	pthread_t thread = start(set, NULL);
	struct timespec until = after_ms(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&mutex);
	CHECK(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT || is_set);
	while (!is_set)
		CHECK(pthread_cond_wait(&condition, &mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	pthread_join(thread, NULL);
}

#if defined(__x86_64__)
/* Of programs that were linked twenty years ago. */
typedef struct { void *first; } old_cond_t;
extern int old_init(old_cond_t *condition, void *unused);
extern int old_wait(old_cond_t *condition, pthread_mutex_t *mutex);
extern int old_timedwait(old_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
extern int old_signal(old_cond_t *condition);
__asm__(".symver old_init, pthread_cond_init@GLIBC_2.2.5");
__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_timedwait, pthread_cond_timedwait@GLIBC_2.2.5");
__asm__(".symver old_signal, pthread_cond_signal@GLIBC_2.2.5");

static struct {
	old_cond_t condition;
	char guard[64];		/* a condition of the new version is larger */
} old;

static void *old_set(void *unused)
{
	sleep_ms(2);
	pthread_mutex_lock(&mutex);
	is_set = 1;
	old_signal(&old.condition);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void old_conditions(void)
{
	static const char guard[sizeof(old.guard)];
	struct timespec until = after_ms(CLOCK_REALTIME, 1);
	pthread_t thread;

	is_set = 0;
	old_init(&old.condition, NULL);
	thread = start(old_set, NULL);
	pthread_mutex_lock(&mutex);
	CHECK(old_timedwait(&old.condition, &mutex, &until) == ETIMEDOUT || is_set);
	while (!is_set)
		CHECK(old_wait(&old.condition, &mutex) == 0);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	CHECK(memcmp(old.guard, guard, sizeof(guard)) == 0);
}
#else
static void old_conditions(void)
{
}
#endif

/* ---- signals ---- */

static volatile sig_atomic_t nr_signals, jumps;
static sigjmp_buf back;
static pthread_mutex_t of_handler = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number)
{
	int before = errno;

	pthread_mutex_lock(&of_handler);
	nr_signals++;
	pthread_mutex_unlock(&of_handler);
	sleep_ms(1);
	errno = before;
	if (jumps)
		siglongjmp(back, 1);
}

static void arm(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	struct itimerval timer = { { 0, 0 }, { 0, 3000 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void *write_late(void *fd)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sleep_ms(15);
	CHECK(write((int)(long)fd, "x", 1) == 1);
	return NULL;
}

static void signals(void)
{
	struct timespec left = { 0, 0 }, second = { 1, 0 };
	struct pollfd event = { .events = POLLIN };
	pthread_t thread;
	int fds[2];
	char byte;

	CHECK(pipe(fds) == 0);
	event.fd = fds[0];
	arm(0);
	CHECK(read(fds[0], &byte, 1) == -1 && errno == EINTR);
	arm(0);
	CHECK(nanosleep(&second, &left) == -1 && errno == EINTR && left.tv_nsec > 0);
	arm(0);
	CHECK(poll(&event, 1, 1000) == -1 && errno == EINTR);
	arm(0);
	CHECK(sem_wait(&go) == -1 && errno == EINTR);
	arm(0);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL) == EINTR);
	thread = start(write_late, (void *)(long)fds[1]);
	arm(SA_RESTART);
	CHECK(read(fds[0], &byte, 1) == 1 && byte == 'x');
	pthread_join(thread, NULL);
	CHECK(nr_signals == 6);
	for (volatile int i = 0; i < 20; i++) {
		jumps = 1;
		if (sigsetjmp(back, 1) == 0) {
			arm(0);
			for (;;)
				CHECK(read(fds[0], &byte, 1) != 1);
		}
		jumps = 0;
		sleep_ms(1);
	}
	close(fds[0]);
	close(fds[1]);
}

/* ---- cancellation ---- */

static int cleaned;

static void clean(void *unused)
{
	sleep_ms(1);
	cleaned++;
}

static void *wait_in(void *kind)
{
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	static pthread_mutex_t its = PTHREAD_MUTEX_INITIALIZER;
	char byte;
	int fds[2];

	CHECK(pipe(fds) == 0);
	pthread_cleanup_push(clean, NULL);
	sem_post(&held);
	switch ((long)kind) {
	case 0:
		CHECK(read(fds[0], &byte, 1) == 1);
		break;
	case 1:
		pthread_mutex_lock(&its);
		pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &its);
		pthread_cond_wait(&never, &its);
		pthread_cleanup_pop(0);
		break;
	case 2:
		sem_wait(&go);
		break;
	default:
		sleep(100);
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	for (long kind = 0; kind < 4; kind++) {
		pthread_t thread = start(wait_in, (void *)kind);
		void *result;

		sem_wait(&held);
		sleep_ms(2);
		CHECK(pthread_cancel(thread) == 0);
		CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
		CHECK(cleaned == kind + 1);
	}
}

/* ---- other threads and processes ---- */

static pthread_key_t key;
static int destroyed;

static void destroy(void *round)
{
	if ((long)round < 4) {
		pthread_setspecific(key, (void *)((long)round + 1));
		return;
	}
	pthread_mutex_lock(&mutex);
	sleep_ms(1);
	destroyed++;
	pthread_mutex_unlock(&mutex);
}

static void *with_destructor(void *unused)
{
	pthread_setspecific(key, (void *)1L);
	return unused;
}

static void destructors(void)
{
	pthread_t threads[4];

	pthread_key_create(&key, destroy);
	for (int i = 0; i < 4; i++)
		threads[i] = start(with_destructor, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(destroyed == 4);
}

static void children(void)
{
	pthread_mutex_t *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, fds[2];
	pid_t child;
	char byte;

	CHECK(pipe(fds) == 0);
	make_mutex(shared, PTHREAD_MUTEX_NORMAL, 0, 1);
	child = fork();
	if (child == 0) {
		pthread_mutex_lock(shared);
		CHECK(write(fds[1], "x", 1) == 1);
		sleep_ms(10);
		pthread_mutex_unlock(shared);
		wanted = &early;
		pthread_join(start(hold, (void *)1L), NULL);
		exit(5);
	}
	CHECK(read(fds[0], &byte, 1) == 1 && pthread_mutex_lock(shared) == 0);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
	child = vfork();
	if (child == 0) {
		close(fds[1]);
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(waitpid(child, &status, 0) == -1 && errno == ECHILD);
	CHECK(write(fds[1], "y", 1) == 1 && read(fds[0], &byte, 1) == 1 && byte == 'y');
}

static char *volatile nowhere = (char *)1;

int main(void)
{
	sem_init(&held, 0, 0);
	sem_init(&go, 0, 0);
	CHECK(syncfs(1) == 1001);
	CHECK(read(-1, nowhere, 1) == -1 && errno == EBADF);
	CHECK(write(1, nowhere, 1) == -1 && errno == EFAULT);
	mutexes();
	other_locks();
	conditions();
	old_conditions();
	signals();
	cancellation();
	destructors();
	children();
	puts("ok");
	return 0;
}
