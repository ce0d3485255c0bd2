/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a second task in the process would disturb: life KIND, after 30 ms of calls, so that a sampler runs by
 * then.
 *   tsync    a seccomp filter for all threads that ends the process at any system call but a few
 *   again    after that asks as libseccomp does which flags there are, by a filter at NULL that the kernel
 *            refuses
 *   listener the filter with SECCOMP_FILTER_FLAG_NEW_LISTENER, for which a success is a descriptor
 *   called   the filter by syscall(SYS_prctl, ...)
 *   probe    asks as libseccomp does whether the kernel has seccomp(), by a strict mode that it refuses
 *   forked   the same just after a fork, from which a sampler would come back later
 *   unshare  unshare(CLONE_NEWUSER), which the kernel refuses to a process with threads
 *   syscall  the same by syscall()
 *   raw      the same by an instruction of its own, which no library sees: only without a task of ours inside
 *   setuid   to nobody (as root): no task of the process keeps another user id
 *   wall     waitpid(-1, __WALL) finds no child
 *   close    closes every descriptor it does not know, then goes on
 *   mlock    mlockall(MCL_CURRENT | MCL_FUTURE) under a limit of 64 MiB unless it is root
 *   fork     forks, and looks at once how many threads it had, as python from 3.12 on does
 *   release  three children: once wait has returned, nothing holds their shared memory and their lock any
 *            more
 *   subreaper is one: every orphan it waits for is its own
 *   scan     reads all writable memory of all objects, as leak checkers and garbage collectors do
 *   abort    dies by SIGABRT in work()
 *   threads  prints the number of its threads as /proc says
 * Each prints "fine" and exits 0, or says what was not. The report must show work, at least 2 calls.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <link.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC * 30 / 1000;

	while (clock() < end)
		sink++;
}

/* How a filter comes to be. */
static int by_seccomp(struct sock_fprog *program)
{
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
}

static int with_listener(struct sock_fprog *program)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, program) < 0
		       ? -1
		       : 0;
}

static int by_called_prctl(struct sock_fprog *program)
{
	return (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0);
}

static int filter_calls(int (*set)(struct sock_fprog *program))
{
	/* write, exit_group, exit, rt_sigreturn, clock_gettime, seccomp */
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	setvbuf(stdout, NULL, _IONBF, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return set(&program);
}

static int filter_again(void)
{
	if (filter_calls(by_seccomp))
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT ? 0 : -1;
}

static int probe_strict(void)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) == -1 && errno == EINVAL ? 0 : -1;
}

static int forked_tsync(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return filter_calls(by_seccomp);
}

static int unshare_raw(void)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"((long)SYS_unshare), "D"((long)CLONE_NEWUSER) :
			 "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long result __asm__("x0") = CLONE_NEWUSER;
	register long number __asm__("x8") = SYS_unshare;

	__asm__ volatile("svc 0" : "+r"(result) : "r"(number) : "memory");
#endif
	errno = (int)-result;
	return result ? -1 : 0;
}

static int one_task_is_root(const char *task)
{
	char path[300], line[256];
	unsigned int real = 1, effective = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "Uid: %u %u", &real, &effective);
	if (file)
		fclose(file);
	return real == 0 || effective == 0;
}

static int become_nobody(void)
{
	DIR *tasks;
	struct dirent *task;
	int roots = 0;

	if (getuid())
		return 0;
	if (setuid(65534))
		return -1;
	tasks = opendir("/proc/self/task");
	while (tasks && (task = readdir(tasks)))
		roots += task->d_name[0] != '.' && one_task_is_root(task->d_name);
	if (tasks)
		closedir(tasks);
	errno = EPERM;
	return roots ? -1 : 0;
}

static int has_no_child(void)
{
	return waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD ? 0 : -1;
}

static int close_all(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	return 0;
}

static int count_tasks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int nr = 0;

	while (tasks && (task = readdir(tasks)))
		nr += task->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return nr;
}

/* What python from 3.12 on reads; after the name, which may hold anything. */
static int threads_in_stat(void)
{
	char text[1024] = "", *end;
	FILE *file = fopen("/proc/self/stat", "r");
	int nr = 0;

	if (!file || !fgets(text, sizeof(text), file))
		return -1;
	fclose(file);
	end = strrchr(text, ')');
	sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &nr);
	return nr;
}

static int print_threads(void)
{
	printf("threads %d\n", count_tasks() > threads_in_stat() ? count_tasks() : threads_in_stat());
	return 0;
}

static int fork_alone(void)
{
	pid_t child = fork();
	int nr = threads_in_stat();

	nr = nr == 1 ? count_tasks() : nr;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	work();		/* long enough for a sampler to come back */
	errno = EBUSY;
	return nr == 1 ? 0 : -1;
}

static int hold_and_exit(int memory)
{
	int lock = open("lock", O_RDWR | O_CREAT, 0600);

	if (lock < 0 || flock(lock, LOCK_EX) || shmat(memory, NULL, 0) == (void *)-1)
		_exit(1);
	work();
	_exit(0);
}

static int release(void)
{
	int memory = shmget(IPC_PRIVATE, 1 << 20, 0600), wrong = 0, status, lock;
	struct shmid_ds state;

	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0)
			hold_and_exit(memory);
		waitpid(child, &status, 0);
		lock = open("lock", O_RDWR);
		wrong += status || flock(lock, LOCK_EX | LOCK_NB) || shmctl(memory, IPC_STAT, &state) ||
			 state.shm_nattch;
		close(lock);
	}
	shmctl(memory, IPC_RMID, NULL);
	errno = EBUSY;
	return wrong ? -1 : 0;
}

static int reap_orphans(void)
{
	pid_t child, orphan = -1;
	int status;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			_exit(7);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	orphan = waitpid(-1, &status, 0);
	errno = ECHILD;
	return orphan > 0 && WEXITSTATUS(status) == 7 && waitpid(-1, NULL, 0) == -1 && errno == ECHILD ? 0
												       : -1;
}

static int scan_object(struct dl_phdr_info *info, size_t bytes, void *context)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const volatile char *begin = (const char *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
			for (size_t at = 0; at < segment->p_memsz; at += 512)
				sink += begin[at];
	}
	return 0;
}

static int disturb(const char *kind)
{
	if (!strcmp(kind, "scan"))
		return dl_iterate_phdr(scan_object, NULL);
	if (!strcmp(kind, "tsync"))
		return filter_calls(by_seccomp);
	if (!strcmp(kind, "again"))
		return filter_again();
	if (!strcmp(kind, "listener"))
		return filter_calls(with_listener);
	if (!strcmp(kind, "called"))
		return filter_calls(by_called_prctl);
	if (!strcmp(kind, "probe"))
		return probe_strict();
	if (!strcmp(kind, "forked"))
		return forked_tsync();
	if (!strcmp(kind, "unshare"))
		return unshare(CLONE_NEWUSER);
	if (!strcmp(kind, "syscall"))
		return (int)syscall(SYS_unshare, CLONE_NEWUSER);
	if (!strcmp(kind, "raw"))
		return unshare_raw();
	if (!strcmp(kind, "release"))
		return release();
	if (!strcmp(kind, "setuid"))
		return become_nobody();
	if (!strcmp(kind, "wall"))
		return has_no_child();
	if (!strcmp(kind, "close"))
		return close_all();
	if (!strcmp(kind, "mlock"))
		return mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!strcmp(kind, "fork"))
		return fork_alone();
	if (!strcmp(kind, "subreaper"))
		return reap_orphans();
	if (!strcmp(kind, "abort"))
		abort();
	if (!strcmp(kind, "threads"))
		return print_threads();
	errno = EINVAL;
	return -1;
}

int main(int argc, char **argv)
{
	work();
	if (argc != 2 || disturb(argv[1])) {
		perror("life");
		return 1;
	}
	work();
	puts("fine");
	return 0;
}
