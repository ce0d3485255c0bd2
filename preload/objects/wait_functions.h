/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The library calls that may wait, in one table. A call that only needs to be timed is a line here and a line
 * in test/exports.txt. Calls of LOCK_FUNCTIONS have wrappers of their own (wrap_locks.c).
 *
 * Columns: result, name, parameters, arguments; the name in reports; enum log_wait_kind without its
 * prefix; the descriptor, or -1; bytes moved, from `result`; the value returned where no object
 * defines the function.
 */
#pragma once

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include <wchar.h>

/* Columns: result, name, parameters alone. OLD_VERSION before a name: that version of the symbol. */
#define OLD_VERSION "old_"
#define LOCK_FUNCTIONS(X) \
	X(int, pthread_mutex_lock, (pthread_mutex_t *mutex)) \
	X(int, pthread_mutex_timedlock, (pthread_mutex_t *restrict mutex, const struct timespec \
		*restrict until)) \
	X(int, pthread_mutex_clocklock, (pthread_mutex_t *restrict mutex, clockid_t clock, const \
		struct timespec *restrict until)) \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock)) \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock)) \
	X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *restrict lock, const struct timespec \
		*restrict until)) \
	X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *restrict lock, const struct timespec \
		*restrict until)) \
	X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *restrict lock, clockid_t clock, const \
		struct timespec *restrict until)) \
	X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *restrict lock, clockid_t clock, const \
		struct timespec *restrict until)) \
	X(int, mtx_lock, (mtx_t *mutex)) \
	X(int, mtx_timedlock, (mtx_t *restrict mutex, const struct timespec *restrict until)) \
	X(int, sem_wait, (sem_t *semaphore)) \
	X(int, sem_timedwait, (sem_t *restrict semaphore, const struct timespec *restrict until)) \
	X(int, sem_clockwait, (sem_t *restrict semaphore, clockid_t clock, const struct timespec \
		*restrict until)) \
	X(int, pthread_barrier_wait, (pthread_barrier_t *barrier)) \
	X(int, pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict \
		mutex)) \
	X(int, pthread_cond_timedwait, (pthread_cond_t *restrict condition, pthread_mutex_t \
		*restrict mutex, const struct timespec *restrict until)) \
	X(int, pthread_cond_clockwait, (pthread_cond_t *restrict condition, pthread_mutex_t \
		*restrict mutex, clockid_t clock, const struct timespec *restrict until)) \
	X(int, old_pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict \
		mutex)) \
	X(int, old_pthread_cond_timedwait, (pthread_cond_t *restrict condition, pthread_mutex_t \
		*restrict mutex, const struct timespec *restrict until)) \
	X(int, cnd_wait, (cnd_t *condition, mtx_t *mutex)) \
	X(int, cnd_timedwait, (cnd_t *restrict condition, mtx_t *restrict mutex, const struct \
		timespec *restrict until))

/*
 * Locks begin and end. Columns: result, name, parameters, arguments; what that says of the lock; the value
 * returned where no object defines the function.
 */
#define LOCK_LIFE_FUNCTIONS(X) \
	X(int, pthread_mutex_init, (pthread_mutex_t *lock, const pthread_mutexattr_t *kind), (lock, \
		kind), lock_initialised(lock, CALLER), ENOSYS) \
	X(int, pthread_rwlock_init, (pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t \
		*restrict kind), (lock, kind), lock_initialised(lock, CALLER), ENOSYS) \
	X(int, pthread_barrier_init, (pthread_barrier_t *restrict lock, const pthread_barrierattr_t \
		*restrict kind, unsigned int nr), (lock, kind, nr), lock_initialised(lock, CALLER), \
		ENOSYS) \
	X(int, sem_init, (sem_t *lock, int shared, unsigned int value), (lock, shared, value), \
		lock_initialised(lock, CALLER), -1) \
	X(int, mtx_init, (mtx_t *lock, int kind), (lock, kind), lock_initialised(lock, CALLER), \
		thrd_error) \
	X(int, cnd_init, (cnd_t *lock), (lock), lock_initialised(lock, CALLER), thrd_error) \
	X(void, mtx_destroy, (mtx_t *lock), (lock), lock_destroyed(lock), ) \
	X(void, cnd_destroy, (cnd_t *lock), (lock), lock_destroyed(lock), )

/* The same columns, but a condition has two versions: the wrapper has another name. */
#define CONDITION_LIFE_FUNCTIONS(X) \
	X(int, pthread_cond_init, (pthread_cond_t *restrict lock, const pthread_condattr_t *restrict \
		kind), (lock, kind), lock_initialised(lock, CALLER), ENOSYS) \
	X(int, old_pthread_cond_init, (pthread_cond_t *restrict lock, const pthread_condattr_t \
		*restrict kind), (lock, kind), lock_initialised(lock, CALLER), ENOSYS) \
	X(int, pthread_cond_destroy, (pthread_cond_t *lock), (lock), lock_destroyed(lock), ENOSYS) \
	X(int, old_pthread_cond_destroy, (pthread_cond_t *lock), (lock), lock_destroyed(lock), ENOSYS)

/* A lock that is in use is not destroyed. */
#define LOCK_END_FUNCTIONS(X) \
	X(int, pthread_mutex_destroy, (pthread_mutex_t *lock), (lock), ENOSYS) \
	X(int, pthread_rwlock_destroy, (pthread_rwlock_t *lock), (lock), ENOSYS) \
	X(int, pthread_barrier_destroy, (pthread_barrier_t *lock), (lock), ENOSYS) \
	X(int, sem_destroy, (sem_t *lock), (lock), -1)

#define FILE_FUNCTIONS(X) \
	X(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), "read", FILE, fd, result, \
		-1) \
	X(ssize_t, __read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room), \
		"read", FILE, fd, result, -1) \
	X(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), "write", FILE, \
		fd, result, -1) \
	X(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), "pread", \
		FILE, fd, result, -1) \
	X(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at), \
		"pread", FILE, fd, result, -1) \
	X(ssize_t, __pread_chk, (int fd, void *to, size_t size, off_t at, size_t room), (fd, to, \
		size, at, room), "pread", FILE, fd, result, -1) \
	X(ssize_t, __pread64_chk, (int fd, void *to, size_t size, off64_t at, size_t room), (fd, to, \
		size, at, room), "pread", FILE, fd, result, -1) \
	X(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), \
		"pwrite", FILE, fd, result, -1) \
	X(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, \
		at), "pwrite", FILE, fd, result, -1) \
	X(ssize_t, readv, (int fd, const struct iovec *to, int nr), (fd, to, nr), "readv", FILE, fd, \
		result, -1) \
	X(ssize_t, writev, (int fd, const struct iovec *from, int nr), (fd, from, nr), "writev", \
		FILE, fd, result, -1) \
	X(ssize_t, preadv, (int fd, const struct iovec *to, int nr, off_t at), (fd, to, nr, at), \
		"preadv", FILE, fd, result, -1) \
	X(ssize_t, preadv64, (int fd, const struct iovec *to, int nr, off64_t at), (fd, to, nr, at), \
		"preadv", FILE, fd, result, -1) \
	X(ssize_t, pwritev, (int fd, const struct iovec *from, int nr, off_t at), (fd, from, nr, \
		at), "pwritev", FILE, fd, result, -1) \
	X(ssize_t, pwritev64, (int fd, const struct iovec *from, int nr, off64_t at), (fd, from, nr, \
		at), "pwritev", FILE, fd, result, -1) \
	X(ssize_t, preadv2, (int fd, const struct iovec *to, int nr, off_t at, int flags), (fd, to, \
		nr, at, flags), "preadv2", FILE, fd, result, -1) \
	X(ssize_t, preadv64v2, (int fd, const struct iovec *to, int nr, off64_t at, int flags), (fd, \
		to, nr, at, flags), "preadv2", FILE, fd, result, -1) \
	X(ssize_t, pwritev2, (int fd, const struct iovec *from, int nr, off_t at, int flags), (fd, \
		from, nr, at, flags), "pwritev2", FILE, fd, result, -1) \
	X(ssize_t, pwritev64v2, (int fd, const struct iovec *from, int nr, off64_t at, int flags), \
		(fd, from, nr, at, flags), "pwritev2", FILE, fd, result, -1) \
	X(ssize_t, copy_file_range, (int from, off64_t *from_at, int to, off64_t *to_at, size_t \
		size, unsigned int flags), (from, from_at, to, to_at, size, flags), \
		"copy_file_range", FILE, from, result, -1) \
	X(ssize_t, vmsplice, (int fd, const struct iovec *at, size_t nr, unsigned int flags), (fd, \
		at, nr, flags), "vmsplice", FILE, fd, result, -1) \
	X(ssize_t, tee, (int from, int to, size_t size, unsigned int flags), (from, to, size, \
		flags), "tee", FILE, from, result, -1) \
	X(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size), \
		"sendfile", FILE, from, result, -1) \
	X(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size), \
		"sendfile", FILE, from, result, -1) \
	X(ssize_t, splice, (int from, off64_t *from_at, int to, off64_t *to_at, size_t size, \
		unsigned int flags), (from, from_at, to, to_at, size, flags), "splice", FILE, from, \
		result, -1) \
	X(int, vdprintf, (int fd, const char *format, va_list list), (fd, format, list), "dprintf", \
		FILE, fd, result, -1) \
	X(int, __vdprintf_chk, (int fd, int flag, const char *format, va_list list), (fd, flag, \
		format, list), "dprintf", FILE, fd, result, -1) \
	X(int, flock, (int fd, int operation), (fd, operation), "flock", FILE, fd, 0, -1) \
	X(int, lockf, (int fd, int operation, off_t size), (fd, operation, size), "lockf", FILE, fd, \
		0, -1) \
	X(int, lockf64, (int fd, int operation, off64_t size), (fd, operation, size), "lockf", FILE, \
		fd, 0, -1) \
	X(int, fsync, (int fd), (fd), "fsync", STORAGE, fd, 0, -1) \
	X(int, fdatasync, (int fd), (fd), "fdatasync", STORAGE, fd, 0, -1) \
	X(int, syncfs, (int fd), (fd), "syncfs", STORAGE, fd, 0, -1) \
	X(int, msync, (void *addr, size_t size, int flags), (addr, size, flags), "msync", STORAGE, \
		-1, 0, -1)

#define SOCKET_FUNCTIONS(X) \
	X(int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned int nr, int flags, struct \
		timespec *time), (fd, messages, nr, flags, time), "recvmmsg", SOCKET, fd, 0, -1) \
	X(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned int nr, int flags), (fd, \
		messages, nr, flags), "sendmmsg", SOCKET, fd, 0, -1) \
	X(int, accept, (int fd, struct sockaddr *restrict from, socklen_t *restrict size), (fd, \
		from, size), "accept", SOCKET, fd, 0, -1) \
	X(int, accept4, (int fd, struct sockaddr *restrict from, socklen_t *restrict size, int \
		flags), (fd, from, size, flags), "accept", SOCKET, fd, 0, -1) \
	X(int, connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), \
		"connect", SOCKET, fd, 0, -1) \
	X(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, \
		flags), "send", SOCKET, fd, result, -1) \
	X(ssize_t, sendto, (int fd, const void *from, size_t size, int flags, const struct sockaddr \
		*to, socklen_t to_size), (fd, from, size, flags, to, to_size), "sendto", SOCKET, fd, \
		result, -1) \
	X(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), \
		"sendmsg", SOCKET, fd, result, -1) \
	X(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), "recv", \
		SOCKET, fd, result, -1) \
	X(ssize_t, __recv_chk, (int fd, void *to, size_t size, size_t room, int flags), (fd, to, \
		size, room, flags), "recv", SOCKET, fd, result, -1) \
	X(ssize_t, recvfrom, (int fd, void *restrict to, size_t size, int flags, struct sockaddr \
		*restrict from, socklen_t *restrict from_size), (fd, to, size, flags, from, \
		from_size), "recvfrom", SOCKET, fd, result, -1) \
	X(ssize_t, __recvfrom_chk, (int fd, void *restrict to, size_t size, size_t room, int flags, \
		struct sockaddr *restrict from, socklen_t *restrict from_size), (fd, to, size, room, \
		flags, from, from_size), "recvfrom", SOCKET, fd, result, -1) \
	X(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), \
		"recvmsg", SOCKET, fd, result, -1) \
	X(int, getaddrinfo, (const char *restrict name, const char *restrict service, const struct \
		addrinfo *restrict hints, struct addrinfo **restrict found), (name, service, hints, \
		found), "getaddrinfo", SOCKET, -1, 0, EAI_FAIL)

#define EVENT_FUNCTIONS(X) \
	X(ssize_t, msgrcv, (int queue, void *to, size_t size, long type, int flags), (queue, to, \
		size, type, flags), "msgrcv", EVENT, -1, result, -1) \
	X(int, msgsnd, (int queue, const void *from, size_t size, int flags), (queue, from, size, \
		flags), "msgsnd", EVENT, -1, result == 0 ? (int64_t)size : -1, -1) \
	X(int, semop, (int set, struct sembuf *operations, size_t nr), (set, operations, nr), \
		"semop", SEMAPHORE, -1, 0, -1) \
	X(int, semtimedop, (int set, struct sembuf *operations, size_t nr, const struct timespec \
		*time), (set, operations, nr, time), "semop", SEMAPHORE, -1, 0, -1) \
	X(int, poll, (struct pollfd *fds, nfds_t nr, int ms), (fds, nr, ms), "poll", EVENT, -1, 0, \
		-1) \
	X(int, __poll_chk, (struct pollfd *fds, nfds_t nr, int ms, size_t room), (fds, nr, ms, \
		room), "poll", EVENT, -1, 0, -1) \
	X(int, ppoll, (struct pollfd *fds, nfds_t nr, const struct timespec *time, const sigset_t \
		*mask), (fds, nr, time, mask), "ppoll", EVENT, -1, 0, -1) \
	X(int, __ppoll_chk, (struct pollfd *fds, nfds_t nr, const struct timespec *time, const \
		sigset_t *mask, size_t room), (fds, nr, time, mask, room), "ppoll", EVENT, -1, 0, \
		-1) \
	X(int, select, (int nr, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, \
		struct timeval *restrict time), (nr, in, out, other, time), "select", EVENT, -1, 0, \
		-1) \
	X(int, pselect, (int nr, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, \
		const struct timespec *restrict time, const sigset_t *restrict mask), (nr, in, out, \
		other, time, mask), "pselect", EVENT, -1, 0, -1) \
	X(int, epoll_wait, (int fd, struct epoll_event *events, int room, int ms), (fd, events, \
		room, ms), "epoll_wait", EVENT, -1, 0, -1) \
	X(int, epoll_pwait, (int fd, struct epoll_event *events, int room, int ms, const sigset_t \
		*mask), (fd, events, room, ms, mask), "epoll_pwait", EVENT, -1, 0, -1) \
	X(int, epoll_pwait2, (int fd, struct epoll_event *events, int room, const struct timespec \
		*time, const sigset_t *mask), (fd, events, room, time, mask), "epoll_pwait2", EVENT, \
		-1, 0, -1) \
	X(int, pause, (void), (), "pause", EVENT, -1, 0, -1) \
	X(int, sigsuspend, (const sigset_t *mask), (mask), "sigsuspend", EVENT, -1, 0, -1) \
	X(int, sigwait, (const sigset_t *restrict set, int *restrict number), (set, number), \
		"sigwait", EVENT, -1, 0, ENOSYS) \
	X(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info), \
		"sigwaitinfo", EVENT, -1, 0, -1) \
	X(int, sigtimedwait, (const sigset_t *restrict set, siginfo_t *restrict info, const struct \
		timespec *restrict time), (set, info, time), "sigtimedwait", EVENT, -1, 0, -1)

#define SLEEP_FUNCTIONS(X) \
	X(unsigned int, sleep, (unsigned int seconds), (seconds), "sleep", SLEEP, -1, 0, seconds) \
	X(int, usleep, (useconds_t us), (us), "usleep", SLEEP, -1, 0, -1) \
	X(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left), \
		"nanosleep", SLEEP, -1, 0, -1) \
	X(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct \
		timespec *left), (clock, flags, time, left), "clock_nanosleep", SLEEP, -1, 0, \
		ENOSYS) \
	X(int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left), \
		"thrd_sleep", SLEEP, -1, 0, -2)

#define CHILD_FUNCTIONS(X) \
	X(pid_t, wait, (int *status), (status), "wait", CHILD, -1, 0, -1) \
	X(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags), "waitpid", \
		CHILD, -1, 0, -1) \
	X(pid_t, wait3, (int *status, int flags, struct rusage *usage), (status, flags, usage), \
		"wait3", CHILD, -1, 0, -1) \
	X(pid_t, wait4, (pid_t pid, int *status, int flags, struct rusage *usage), (pid, status, \
		flags, usage), "wait4", CHILD, -1, 0, -1) \
	X(int, system, (const char *command), (command), "system", CHILD, -1, 0, -1) \
	X(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int flags), (type, id, info, \
		flags), "waitid", CHILD, -1, 0, -1)

#define THREAD_FUNCTIONS(X) \
	X(int, pthread_join, (pthread_t thread, void **value), (thread, value), "pthread_join", \
		THREAD, -1, 0, ENOSYS) \
	X(int, pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until), \
		(thread, value, until), "pthread_timedjoin_np", THREAD, -1, 0, ENOSYS) \
	X(int, pthread_clockjoin_np, (pthread_t thread, void **value, clockid_t clock, const struct \
		timespec *until), (thread, value, clock, until), "pthread_clockjoin_np", THREAD, -1, \
		0, ENOSYS) \
	X(int, thrd_join, (thrd_t thread, int *value), (thread, value), "thrd_join", THREAD, -1, 0, \
		thrd_error)

/* ---- stdio ---- */

/*
 * Columns: result, name, parameters, arguments, the name in reports, the stream; whether the call may pass
 * the stream's buffer; bytes moved; the value returned where no object defines the function.
 */
#define STREAM_FUNCTIONS(X) \
	X(size_t, fread, (void *to, size_t size, size_t nr, FILE *file), (to, size, nr, file), \
		"fread", file, lacks_block(file, size * nr), result * size, 0) \
	X(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t nr, FILE *file), (to, \
		room, size, nr, file), "fread", file, lacks_block(file, size * nr), result * size, 0) \
	X(size_t, fread_unlocked, (void *to, size_t size, size_t nr, FILE *file), (to, size, nr, \
		file), "fread", file, lacks_block(file, size * nr), result * size, 0) \
	X(char *, fgets, (char *to, int size, FILE *file), (to, size, file), "fgets", file, \
		lacks_line(file, size > 0 ? (size_t)size - 1 : 0, '\n'), 0, NULL) \
	X(char *, __fgets_chk, (char *to, size_t room, int size, FILE *file), (to, room, size, \
		file), "fgets", file, lacks_line(file, size > 0 ? (size_t)size - 1 : 0, '\n'), 0, NULL) \
	X(char *, fgets_unlocked, (char *to, int size, FILE *file), (to, size, file), "fgets", \
		file, lacks_line(file, size > 0 ? (size_t)size - 1 : 0, '\n'), 0, NULL) \
	X(ssize_t, getline, (char **line, size_t *size, FILE *file), (line, size, file), \
		"getline", file, lacks_line(file, SIZE_MAX, '\n'), result, -1) \
	X(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *file), (line, size, end, \
		file), "getdelim", file, lacks_line(file, SIZE_MAX, end), result, -1) \
	X(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *file), (line, size, \
		end, file), "getdelim", file, lacks_line(file, SIZE_MAX, end), result, -1) \
	X(int, fgetc, (FILE *file), (file), "fgetc", file, lacks(file, 1), 0, EOF) \
	X(int, getc, (FILE *file), (file), "getc", file, lacks(file, 1), 0, EOF) \
	X(int, getchar, (void), (), "getchar", standard(real.stdin), lacks(standard(real.stdin), 1), 0, EOF) \
	X(int, __uflow, (FILE *file), (file), "getc", file, lacks(file, 1), 0, EOF) \
	X(int, __underflow, (FILE *file), (file), "getc", file, lacks(file, 1), 0, EOF) \
	X(size_t, fwrite, (const void *from, size_t size, size_t nr, FILE *file), (from, size, nr, \
		file), "fwrite", file, fills(file, size * nr), result * size, 0) \
	X(size_t, fwrite_unlocked, (const void *from, size_t size, size_t nr, FILE *file), (from, \
		size, nr, file), "fwrite", file, fills(file, size * nr), result * size, 0) \
	X(int, fputs, (const char *text, FILE *file), (text, file), "fputs", file, \
		fills(file, PRINT_ROOM), 0, EOF) \
	X(int, fputs_unlocked, (const char *text, FILE *file), (text, file), "fputs", file, \
		fills(file, PRINT_ROOM), 0, EOF) \
	X(int, puts, (const char *text), (text), "puts", standard(real.stdout), \
		fills(standard(real.stdout), PRINT_ROOM), 0, EOF) \
	X(int, fputc, (int byte, FILE *file), (byte, file), "fputc", file, fills(file, 1), 0, EOF) \
	X(int, putc, (int byte, FILE *file), (byte, file), "putc", file, fills(file, 1), 0, EOF) \
	X(int, putchar, (int byte), (byte), "putchar", standard(real.stdout), \
		fills(standard(real.stdout), 1), 0, EOF) \
	X(int, __overflow, (FILE *file, int byte), (file, byte), "putc", file, fills(file, 1), 0, \
		EOF) \
	X(int, fseek, (FILE *file, long to, int whence), (file, to, whence), "fseek", file, \
		leaves(file, to, whence), 0, -1) \
	X(int, fseeko, (FILE *file, off_t to, int whence), (file, to, whence), "fseek", file, \
		leaves(file, to, whence), 0, -1) \
	X(int, fseeko64, (FILE *file, off64_t to, int whence), (file, to, whence), "fseek", file, \
		leaves(file, to, whence), 0, -1) \
	X(int, fsetpos, (FILE *file, const fpos_t *to), (file, to), "fsetpos", file, true, 0, -1) \
	X(int, fsetpos64, (FILE *file, const fpos64_t *to), (file, to), "fsetpos", file, true, 0, -1) \
	X(int, vprintf, (const char *format, va_list list), (format, list), "printf", \
		standard(real.stdout), fills(standard(real.stdout), PRINT_ROOM), result, -1) \
	X(int, vfprintf, (FILE *file, const char *format, va_list list), (file, format, list), \
		"fprintf", file, fills(file, PRINT_ROOM), result, -1) \
	X(int, __vprintf_chk, (int flag, const char *format, va_list list), (flag, format, list), \
		"printf", standard(real.stdout), fills(standard(real.stdout), PRINT_ROOM), result, -1) \
	X(int, __vfprintf_chk, (FILE *file, int flag, const char *format, va_list list), (file, \
		flag, format, list), "fprintf", file, fills(file, PRINT_ROOM), result, -1) \
	X(int, __isoc99_vscanf, (const char *format, va_list list), (format, list), "scanf", \
		standard(real.stdin), lacks(standard(real.stdin), 1), 0, EOF) \
	X(int, __isoc99_vfscanf, (FILE *file, const char *format, va_list list), (file, format, list), \
		"fscanf", file, lacks(file, 1), 0, EOF) \
	X(int, __isoc23_vscanf, (const char *format, va_list list), (format, list), "scanf", \
		standard(real.stdin), lacks(standard(real.stdin), 1), 0, EOF) \
	X(int, __isoc23_vfscanf, (FILE *file, const char *format, va_list list), (file, format, list), \
		"fscanf", file, lacks(file, 1), 0, EOF) \
	X(int, fflush, (FILE *file), (file), "fflush", file, holds(file), 0, EOF) \
	X(int, fflush_unlocked, (FILE *file), (file), "fflush", file, holds(file), 0, EOF)

/*
 * The variadic ones. scanf() is a name in C90 alone: headers make it one of those below. Columns:
 * name, parameters, the last of them, the name in reports, the descriptor; whether the call may wait;
 * bytes moved; the function that takes a list, and its arguments.
 */
#define PRINTS(file) descriptor_of(file), fills(file, PRINT_ROOM), result
#define SCANS(file) descriptor_of(file), lacks(file, 1), 0
#define VARIADIC_FUNCTIONS(X) \
	X(printf, (const char *format, ...), format, "printf", PRINTS(standard(real.stdout)), \
		vprintf, (format, list)) \
	X(__printf_chk, (int flag, const char *format, ...), format, "printf", \
		PRINTS(standard(real.stdout)), __vprintf_chk, (flag, format, list)) \
	X(fprintf, (FILE *file, const char *format, ...), format, "fprintf", PRINTS(file), \
		vfprintf, (file, format, list)) \
	X(__fprintf_chk, (FILE *file, int flag, const char *format, ...), format, "fprintf", \
		PRINTS(file), __vfprintf_chk, (file, flag, format, list)) \
	X(dprintf, (int fd, const char *format, ...), format, "dprintf", fd, true, result, \
		vdprintf, (fd, format, list)) \
	X(__dprintf_chk, (int fd, int flag, const char *format, ...), format, "dprintf", fd, true, \
		result, __vdprintf_chk, (fd, flag, format, list)) \
	X(__isoc99_scanf, (const char *format, ...), format, "scanf", SCANS(standard(real.stdin)), \
		__isoc99_vscanf, (format, list)) \
	X(__isoc99_fscanf, (FILE *file, const char *format, ...), format, "fscanf", SCANS(file), \
		__isoc99_vfscanf, (file, format, list)) \
	X(__isoc23_scanf, (const char *format, ...), format, "scanf", SCANS(standard(real.stdin)), \
		__isoc23_vscanf, (format, list)) \
	X(__isoc23_fscanf, (FILE *file, const char *format, ...), format, "fscanf", SCANS(file), \
		__isoc23_vfscanf, (file, format, list))

/* The same for streams of wide characters. How many bytes a call moves is not known. */
#define WIDE_STREAM_FUNCTIONS(X) \
	X(wchar_t *, fgetws, (wchar_t *to, int size, FILE *file), (to, size, file), \
		"fgetws", file, lacks_wide_line(file, size > 0 ? (size_t)size - 1 : 0), 0, NULL) \
	X(wchar_t *, __fgetws_chk, (wchar_t *to, size_t room, int size, FILE *file), (to, \
		room, size, file), "fgetws", file, lacks_wide_line(file, size > 0 ? (size_t)size - 1 : 0), \
		0, NULL) \
	X(wchar_t *, fgetws_unlocked, (wchar_t *to, int size, FILE *file), (to, size, file), \
		"fgetws", file, lacks_wide_line(file, size > 0 ? (size_t)size - 1 : 0), 0, NULL) \
	X(wint_t, fgetwc, (FILE *file), (file), "fgetwc", file, lacks_wide(file, 1), 0, WEOF) \
	X(wint_t, getwc, (FILE *file), (file), "getwc", file, lacks_wide(file, 1), 0, WEOF) \
	X(wint_t, fgetwc_unlocked, (FILE *file), (file), "fgetwc", file, lacks_wide(file, \
		1), 0, WEOF) \
	X(wint_t, getwc_unlocked, (FILE *file), (file), "getwc", file, lacks_wide(file, 1), \
		0, WEOF) \
	X(wint_t, getwchar, (void), (), "getwchar", standard(real.stdin), \
		lacks_wide(standard(real.stdin), 1), 0, WEOF) \
	X(wint_t, getwchar_unlocked, (void), (), "getwchar", standard(real.stdin), \
		lacks_wide(standard(real.stdin), 1), 0, WEOF) \
	X(int, fputws, (const wchar_t *text, FILE *file), (text, file), "fputws", file, \
		fills_wide(file, PRINT_ROOM), 0, EOF) \
	X(int, fputws_unlocked, (const wchar_t *text, FILE *file), (text, file), "fputws", \
		file, fills_wide(file, PRINT_ROOM), 0, EOF) \
	X(wint_t, fputwc, (wchar_t character, FILE *file), (character, file), "fputwc", \
		file, fills_wide(file, 1), 0, WEOF) \
	X(wint_t, putwc, (wchar_t character, FILE *file), (character, file), "putwc", file, \
		fills_wide(file, 1), 0, WEOF) \
	X(wint_t, fputwc_unlocked, (wchar_t character, FILE *file), (character, file), \
		"fputwc", file, fills_wide(file, 1), 0, WEOF) \
	X(wint_t, putwc_unlocked, (wchar_t character, FILE *file), (character, file), \
		"putwc", file, fills_wide(file, 1), 0, WEOF) \
	X(wint_t, putwchar, (wchar_t character), (character), "putwchar", \
		standard(real.stdout), fills_wide(standard(real.stdout), 1), 0, WEOF) \
	X(wint_t, putwchar_unlocked, (wchar_t character), (character), "putwchar", \
		standard(real.stdout), fills_wide(standard(real.stdout), 1), 0, WEOF) \
	X(int, vwprintf, (const wchar_t *format, va_list list), (format, list), "wprintf", \
		standard(real.stdout), fills_wide(standard(real.stdout), PRINT_ROOM), 0, -1) \
	X(int, vfwprintf, (FILE *file, const wchar_t *format, va_list list), (file, format, \
		list), "fwprintf", file, fills_wide(file, PRINT_ROOM), 0, -1) \
	X(int, __vwprintf_chk, (int flag, const wchar_t *format, va_list list), (flag, \
		format, list), "wprintf", standard(real.stdout), \
		fills_wide(standard(real.stdout), PRINT_ROOM), 0, -1) \
	X(int, __vfwprintf_chk, (FILE *file, int flag, const wchar_t *format, va_list list), \
		(file, flag, format, list), "fwprintf", file, fills_wide(file, PRINT_ROOM), \
		0, -1) \
	X(int, __isoc99_vwscanf, (const wchar_t *format, va_list list), (format, list), \
		"wscanf", standard(real.stdin), lacks_wide(standard(real.stdin), 1), 0, EOF) \
	X(int, __isoc99_vfwscanf, (FILE *file, const wchar_t *format, va_list list), (file, \
		format, list), "fwscanf", file, lacks_wide(file, 1), 0, EOF) \
	X(int, __isoc23_vwscanf, (const wchar_t *format, va_list list), (format, list), \
		"wscanf", standard(real.stdin), lacks_wide(standard(real.stdin), 1), 0, EOF) \
	X(int, __isoc23_vfwscanf, (FILE *file, const wchar_t *format, va_list list), (file, \
		format, list), "fwscanf", file, lacks_wide(file, 1), 0, EOF)

#define PRINTS_WIDE(file) descriptor_of(file), fills_wide(file, PRINT_ROOM), 0
#define SCANS_WIDE(file) descriptor_of(file), lacks_wide(file, 1), 0
#define WIDE_VARIADIC_FUNCTIONS(X) \
	X(wprintf, (const wchar_t *format, ...), format, "wprintf", \
		PRINTS_WIDE(standard(real.stdout)), vwprintf, (format, list)) \
	X(__wprintf_chk, (int flag, const wchar_t *format, ...), format, "wprintf", \
		PRINTS_WIDE(standard(real.stdout)), __vwprintf_chk, (flag, format, list)) \
	X(fwprintf, (FILE *file, const wchar_t *format, ...), format, "fwprintf", \
		PRINTS_WIDE(file), vfwprintf, (file, format, list)) \
	X(__fwprintf_chk, (FILE *file, int flag, const wchar_t *format, ...), format, \
		"fwprintf", PRINTS_WIDE(file), __vfwprintf_chk, (file, flag, format, list)) \
	X(__isoc99_wscanf, (const wchar_t *format, ...), format, "wscanf", \
		SCANS_WIDE(standard(real.stdin)), __isoc99_vwscanf, (format, list)) \
	X(__isoc99_fwscanf, (FILE *file, const wchar_t *format, ...), format, "fwscanf", \
		SCANS_WIDE(file), __isoc99_vfwscanf, (file, format, list)) \
	X(__isoc23_wscanf, (const wchar_t *format, ...), format, "wscanf", \
		SCANS_WIDE(standard(real.stdin)), __isoc23_vwscanf, (format, list)) \
	X(__isoc23_fwscanf, (FILE *file, const wchar_t *format, ...), format, "fwscanf", \
		SCANS_WIDE(file), __isoc23_vfwscanf, (file, format, list))

/* Functions that open a stream. Columns: result, name, parameters, arguments; the stream that goes. */
#define STREAM_OPEN_FUNCTIONS(X) \
	X(FILE *, fopen, (const char *restrict path, const char *restrict mode), (path, mode), NULL) \
	X(FILE *, fopen64, (const char *restrict path, const char *restrict mode), (path, mode), NULL) \
	X(FILE *, freopen, (const char *restrict path, const char *restrict mode, FILE *restrict \
		file), (path, mode, file), file) \
	X(FILE *, freopen64, (const char *restrict path, const char *restrict mode, FILE *restrict \
		file), (path, mode, file), file)

/* Functions that make a descriptor: columns as of FILE_FUNCTIONS up to the name. `mode` may be anything. */
#define OPEN_FUNCTIONS(X) \
	X(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), "open") \
	X(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode), "open") \
	X(int, openat, (int at, const char *path, int flags, mode_t mode), (at, path, flags, \
		mode), "openat") \
	X(int, openat64, (int at, const char *path, int flags, mode_t mode), (at, path, flags, \
		mode), "openat") \
	X(int, __open_2, (const char *path, int flags), (path, flags), "open") \
	X(int, __open64_2, (const char *path, int flags), (path, flags), "open") \
	X(int, __openat_2, (int at, const char *path, int flags), (at, path, flags), "openat") \
	X(int, __openat64_2, (int at, const char *path, int flags), (at, path, flags), "openat") \
	X(int, creat, (const char *path, mode_t mode), (path, mode), "creat") \
	X(int, creat64, (const char *path, mode_t mode), (path, mode), "creat")

/*
 * The functions of libgomp (GOMP_) and libomp (__kmpc_) that compilers call for OpenMP, where threads wait
 * for their team. Columns: result, name, parameters, arguments, the name in reports.
 */
#define OPENMP_FUNCTIONS(X) \
	X(void, GOMP_barrier, (void), (), "omp barrier") \
	X(void, GOMP_loop_end, (void), (), "omp for") \
	X(void, GOMP_sections_end, (void), (), "omp sections") \
	X(void, GOMP_taskwait, (void), (), "omp taskwait") \
	X(void, GOMP_taskgroup_end, (void), (), "omp taskgroup") \
	X(void, __kmpc_end_taskgroup, (void *place, int32_t thread), (place, thread), "omp taskgroup") \
	X(void, __kmpc_barrier, (void *place, int32_t thread), (place, thread), "omp barrier")

/* Critical sections. Columns: result, name, parameters, arguments, the lock or NULL. */
#define CRITICAL_FUNCTIONS(X) \
	X(void, GOMP_critical_start, (void), (), NULL) \
	X(void, GOMP_critical_name_start, (void **lock), (lock), lock) \
	X(void, __kmpc_critical, (void *place, int32_t thread, void *lock), (place, thread, lock), lock) \
	X(void, __kmpc_critical_with_hint, (void *place, int32_t thread, void *lock, uint32_t hint), \
		(place, thread, lock, hint), lock)
#define CRITICAL_END_FUNCTIONS(X) \
	X(void, GOMP_critical_end, (void), (), NULL) \
	X(void, GOMP_critical_name_end, (void **lock), (lock), lock) \
	X(void, __kmpc_end_critical, (void *place, int32_t thread, void *lock), (place, thread, lock), lock)

/*
 * OpenMP's locks; a name with _ is Fortran's. Columns: result, name, parameters, arguments, the function
 * that takes the lock if it is free.
 */
#define OPENMP_LOCK_FUNCTIONS(X) \
	X(void, omp_set_lock, (void *lock), (lock), omp_test_lock) \
	X(void, omp_set_lock_, (void *lock), (lock), omp_test_lock_) \
	X(void, omp_set_nest_lock, (void *lock), (lock), omp_test_nest_lock) \
	X(void, omp_set_nest_lock_, (void *lock), (lock), omp_test_nest_lock_)

/*
 * Functions that begin a parallel region of libgomp: the body runs in each thread of the team, then the
 * caller waits for the others. Columns: result, name, parameters, arguments with the body and its data as
 * `run` and `place`.
 */
#define GOMP_BODY void (*body)(void *), void *data, unsigned int threads
#define GOMP_LOOP GOMP_BODY, long begin, long end, long step
#define PARALLEL_FUNCTIONS(X) \
	X(void, GOMP_parallel, (GOMP_BODY, unsigned int flags), (run, place, threads, flags)) \
	X(void, GOMP_parallel_sections, (GOMP_BODY, unsigned int nr, unsigned int flags), (run, place, \
		threads, nr, flags)) \
	X(void, GOMP_parallel_loop_static, (GOMP_LOOP, long chunk, unsigned int flags), (run, place, \
		threads, begin, end, step, chunk, flags)) \
	X(void, GOMP_parallel_loop_dynamic, (GOMP_LOOP, long chunk, unsigned int flags), (run, place, \
		threads, begin, end, step, chunk, flags)) \
	X(void, GOMP_parallel_loop_guided, (GOMP_LOOP, long chunk, unsigned int flags), (run, place, \
		threads, begin, end, step, chunk, flags)) \
	X(void, GOMP_parallel_loop_nonmonotonic_dynamic, (GOMP_LOOP, long chunk, unsigned int flags), \
		(run, place, threads, begin, end, step, chunk, flags)) \
	X(void, GOMP_parallel_loop_nonmonotonic_guided, (GOMP_LOOP, long chunk, unsigned int flags), \
		(run, place, threads, begin, end, step, chunk, flags)) \
	X(void, GOMP_parallel_loop_runtime, (GOMP_LOOP, unsigned int flags), (run, place, threads, \
		begin, end, step, flags)) \
	X(void, GOMP_parallel_loop_nonmonotonic_runtime, (GOMP_LOOP, unsigned int flags), (run, place, \
		threads, begin, end, step, flags)) \
	X(void, GOMP_parallel_loop_maybe_nonmonotonic_runtime, (GOMP_LOOP, unsigned int flags), (run, \
		place, threads, begin, end, step, flags))

/* Waits of OpenMP that return something. */
#define TEAM_FUNCTIONS(X) \
	X(bool, GOMP_barrier_cancel, (void), (), "omp barrier", BARRIER, -1, 0, false) \
	X(bool, GOMP_loop_end_cancel, (void), (), "omp for", BARRIER, -1, 0, false) \
	X(bool, GOMP_sections_end_cancel, (void), (), "omp sections", BARRIER, -1, 0, false) \
	X(int32_t, __kmpc_cancel_barrier, (void *place, int32_t thread), (place, thread), "omp barrier", \
		BARRIER, -1, 0, 0) \
	X(int32_t, __kmpc_omp_taskwait, (void *place, int32_t thread), (place, thread), "omp taskwait", \
		BARRIER, -1, 0, 0)

/* All that are timed and forwarded, no more. */
#define PLAIN_WAIT_FUNCTIONS(X) \
	FILE_FUNCTIONS(X) SOCKET_FUNCTIONS(X) EVENT_FUNCTIONS(X) SLEEP_FUNCTIONS(X) CHILD_FUNCTIONS(X) \
	THREAD_FUNCTIONS(X) TEAM_FUNCTIONS(X)
