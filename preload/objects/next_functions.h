/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that the library interposes, and their next definitions after the library's own: a
 * wrapper forwards to those. To interpose another function: one line in REAL_FUNCTIONS, the wrapper
 * in preload/wraps, one line in test/exports.txt.
 */
#pragma once

#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>

#include "preload/common/base/compiler.h"
#include "preload/objects/wait_functions.h"

#define REAL_FUNCTIONS(X)                                                                           \
	X(void *, malloc, (size_t bytes))                                                           \
	X(void *, calloc, (size_t count, size_t bytes))                                             \
	X(void *, realloc, (void *block, size_t bytes))                                             \
	X(void, free, (void *block))                                                                \
	X(size_t, malloc_usable_size, (void *block))	/* called, not interposed */                \
	X(int, posix_memalign, (void **block, size_t align, size_t bytes))                          \
	X(void *, aligned_alloc, (size_t align, size_t bytes))                                      \
	X(void *, memalign, (size_t align, size_t bytes))                                           \
	X(void *, valloc, (size_t bytes))                                                           \
	X(void *, pvalloc, (size_t bytes))                                                          \
	X(void *, reallocarray, (void *block, size_t count, size_t bytes))                          \
	X(void, free_sized, (void *block, size_t bytes))                                            \
	X(void, free_aligned_sized, (void *block, size_t align, size_t bytes))                      \
	X(void *, _Znwm, (size_t bytes))                                                            \
	X(void *, _Znam, (size_t bytes))                                                            \
	X(void *, _ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag))                             \
	X(void *, _ZnamRKSt9nothrow_t, (size_t bytes, const void *tag))                             \
	X(void *, _ZnwmSt11align_val_t, (size_t bytes, size_t align))                               \
	X(void *, _ZnamSt11align_val_t, (size_t bytes, size_t align))                               \
	X(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t align, const void *tag)) \
	X(void *, _ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t align, const void *tag)) \
	X(void, _ZdlPv, (void *block))                                                              \
	X(void, _ZdaPv, (void *block))                                                              \
	X(void, _ZdlPvm, (void *block, size_t bytes))                                               \
	X(void, _ZdaPvm, (void *block, size_t bytes))                                               \
	X(void, _ZdlPvRKSt9nothrow_t, (void *block, const void *tag))                               \
	X(void, _ZdaPvRKSt9nothrow_t, (void *block, const void *tag))                               \
	X(void, _ZdlPvSt11align_val_t, (void *block, size_t align))                                 \
	X(void, _ZdaPvSt11align_val_t, (void *block, size_t align))                                 \
	X(void, _ZdlPvmSt11align_val_t, (void *block, size_t bytes, size_t align))                  \
	X(void, _ZdaPvmSt11align_val_t, (void *block, size_t bytes, size_t align))                  \
	X(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *tag))  \
	X(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t align, const void *tag))  \
	X(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attributes,                \
				void *(*function)(void *), void *argument))                         \
	X(int, thrd_create, (thrd_t *thread, thrd_start_t function, void *argument))                \
	X(int, pthread_setname_np, (pthread_t thread, const char *name))                            \
	X(int, pthread_cancel, (pthread_t thread))                                                  \
	X(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)) \
	X(long, syscall, (long number, long a, long b, long c, long d, long e, long f))             \
	X(void, makecontext, (ucontext_t *context, void (*function)(void), int count, long a, long b, \
		long c)) \
	X(int, unshare, (int flags))                                                                \
	X(int, setns, (int fd, int type))                                                           \
	X(int, setuid, (uid_t user))                                                                \
	X(int, setgid, (gid_t group))                                                               \
	X(int, seteuid, (uid_t user))                                                               \
	X(int, setegid, (gid_t group))                                                              \
	X(int, setreuid, (uid_t user, uid_t effective))                                             \
	X(int, setregid, (gid_t group, gid_t effective))                                            \
	X(int, setresuid, (uid_t user, uid_t effective, uid_t saved))                               \
	X(int, setresgid, (gid_t group, gid_t effective, gid_t saved))                              \
	X(int, setgroups, (size_t count, const gid_t *groups))                                      \
	X(int, initgroups, (const char *name, gid_t group))                                         \
	X(pid_t, _Fork, (void))                                                                     \
	X(int, daemon, (int stays, int keeps_files))                                                \
	X(void, _exit, (int status))                                                                \
	X(void, _Exit, (int status))                                                                \
	X(void, quick_exit, (int status))                                                           \
	X(void, longjmp, (struct __jmp_buf_tag *to, int value))                                     \
	X(void, _longjmp, (struct __jmp_buf_tag *to, int value))                                    \
	X(void, siglongjmp, (struct __jmp_buf_tag *to, int value))                                  \
	X(void, __longjmp_chk, (struct __jmp_buf_tag *to, int value))                               \
	X(void *, __cxa_begin_catch, (void *exception))                                             \
	X(void, __cxa_throw, (void *object, const void *type, void (*destroy)(void *)))             \
	X(void, __cxa_rethrow, (void))                                                              \
	X(void, __register_frame, (void *table))                                                    \
	X(void, __deregister_frame, (void *table))                                                  \
	X(void *, __cxa_get_globals, (void))	/* called, not interposed */                        \
	X(void, _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE, (void *const *pointer)) \
	X(void, _ZSt17rethrow_exceptionSt13exception_ptr, (void *const *pointer))	/* libc++'s */ \
	X(void, abort, (void))                                                                      \
	X(void, __assert_fail, (const char *text, const char *file, unsigned int line, \
		const char *function)) \
	X(void, pthread_exit, (void *value))                                                        \
	X(int, dlclose, (void *handle))                                                             \
	X(int, mlockall, (int flags))                                                               \
	X(char *, setlocale, (int category, const char *locale))                                    \
	X(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit))               \
	X(int, setrlimit64, (__rlimit_resource_t resource, const struct rlimit64 *limit))           \
	X(int, prlimit, (pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit, \
		struct rlimit *old)) \
	X(int, prlimit64, (pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *limit, \
		struct rlimit64 *old)) \
	/* these ten are called, not interposed */                                                  \
	X(int, omp_get_num_threads, (void))                                                         \
	X(int, omp_test_lock, (void *lock))                                                         \
	X(int, omp_test_lock_, (void *lock))                                                        \
	X(int, omp_test_nest_lock, (void *lock))                                                    \
	X(int, omp_test_nest_lock_, (void *lock))                                                   \
	X(int, pthread_mutex_trylock, (pthread_mutex_t *mutex))                                     \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *lock))                                  \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *lock))                                  \
	X(int, mtx_trylock, (mtx_t *mutex))                                                         \
	X(int, sem_getvalue, (sem_t *restrict semaphore, int *restrict value))                      \
	X(int, ftrylockfile, (FILE *file))                                                          \
	X(void, funlockfile, (FILE *file))                                                          \
	X(int, close, (int fd))                                                                     \
	X(int, dup2, (int from, int to))                                                            \
	X(int, dup3, (int from, int to, int flags))                                                 \
	X(int, fclose, (FILE *file))                                                                \
	X(int, pclose, (FILE *file))                                                                \
	X(int, fcntl, (int fd, int command, long argument))                                         \
	X(int, fcntl64, (int fd, int command, long argument))                                       \
	/* variables */                                                                             \
	X(FILE *, stdin, )                                                                          \
	X(FILE *, stdout, )                                                                         \
	LOCK_FUNCTIONS(X)                                                                           \
	LOCK_LIFE_FUNCTIONS(X)                                                                      \
	CONDITION_LIFE_FUNCTIONS(X)                                                                 \
	LOCK_END_FUNCTIONS(X)                                                                       \
	STREAM_FUNCTIONS(X)                                                                         \
	WIDE_STREAM_FUNCTIONS(X)                                                                    \
	STREAM_OPEN_FUNCTIONS(X)                                                                    \
	OPEN_FUNCTIONS(X)                                                                           \
	OPENMP_FUNCTIONS(X)                                                                         \
	CRITICAL_FUNCTIONS(X)                                                                       \
	CRITICAL_END_FUNCTIONS(X)                                                                   \
	OPENMP_LOCK_FUNCTIONS(X)                                                                    \
	PARALLEL_FUNCTIONS(X)                                                                       \
	X(void, __kmpc_fork_call, (void *place, int32_t nr, void *body, ...))                       \
	PLAIN_WAIT_FUNCTIONS(X)

#define REAL_MEMBER(type, name, arguments, ...) type (*name) arguments;
/* NULL: not looked up yet, or no loaded object defines it. C programs have no operator new. */
struct real {
	REAL_FUNCTIONS(REAL_MEMBER)
};
#undef REAL_MEMBER

extern HIDDEN struct real real;	/* any thread may write a word, whole and always with the same value */

/*
 * The functions of libc that the library itself calls, in libc's own definition: a sanitizer that
 * interposes them may not be ready when our constructor runs. The library imports no function.
 */
#define LIBC_FUNCTIONS(X)                                                                           \
	X(int, dl_iterate_phdr, (int (*each)(struct dl_phdr_info *, size_t, void *), void *context)) \
	X(int, on_exit, (void (*function)(int, void *), void *argument))                            \
	X(int, __register_atfork, (void (*prepare)(void), void (*parent)(void), void (*child)(void), \
		void *)) \
	X(int, pthread_key_create, (pthread_key_t *key, void (*destructor)(void *)))                \
	X(int, pthread_setspecific, (pthread_key_t key, const void *value))                         \
	X(void *, pthread_getspecific, (pthread_key_t key))                                         \
	X(int, pthread_attr_init, (pthread_attr_t *attributes))                                     \
	X(int, pthread_attr_getstacksize, (const pthread_attr_t *attributes, size_t *bytes))        \
	X(pthread_t, pthread_self, (void))                                                          \
	X(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *clock))                         \
	X(int *, __errno_location, (void))                                                          \
	X(unsigned long, getauxval, (unsigned long type))                                           \
	X(int, clock_gettime, (clockid_t clock, \
		struct timespec *now))	/* the vDSO's: a tenth of the system call */ \
	X(int, _dl_find_object, (void *addr, void *found))	/* glibc 2.35 and later, else NULL */

#define LIBC_MEMBER(type, name, arguments) type (*name) arguments;
struct libc {
	LIBC_FUNCTIONS(LIBC_MEMBER)
};
#undef LIBC_MEMBER

extern HIDDEN struct libc libc;		/* set by the constructor, before any thread */

/*
 * Look up all functions that are still NULL. The definition is the first in an object loaded after
 * ours, in the dynamic linker's order. That includes objects opened later by dlopen(), in whatever
 * way. The constructor calls this first, and so does a wrapper that finds NULL. Return: whether all
 * of libc that the recorder needs was found.
 */
bool real_init(void);

/*
 * The next definition of the function @name, looked up while it is not known. NULL: no loaded object
 * defines it.
 */
#define real_find(name) (likely(real.name) ? real.name : (real_init(), real.name))

/* Forget the functions that the object at [begin, end) defined, because it is gone. */
void real_forget(uintptr_t begin, uintptr_t end);

/*
 * The definition that the code at @caller would have called by @name without us, if the program
 * started without any: its own object's, otherwise a C++ library's, otherwise any. Plugins may each
 * bring their own C++ library. Return: NULL when there is none.
 */
void *real_for_caller(const char *name, uintptr_t caller);

/*
 * Is @name defined by an object before ours, for example by the program? Then our definition is
 * never called.
 */
bool real_is_taken(const char *name);
