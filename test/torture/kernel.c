/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What few programs ask the kernel for: kernel KIND. Each prints "fine N", N calls of work(), which the report must show, and
 * ends with 0; with 77 where the kernel does not let it.
 *   registers   a SIGSEGV handler reads the place of the fault from its ucontext and goes on behind the instruction, 1000 times
 *   barrier     1000 pages whose first write each is seen by a SIGSEGV handler that unprotects them, as garbage collectors do
 *   userfault   pages that another thread fills in by userfaultfd
 *   ring        io_uring: 200 reads, the ring's own thread polling
 *   rseq        membarrier, and rseq registered by the program itself, whose area the kernel writes to
 *   strict      seccomp's strict mode: only read, write, exit and sigreturn from then on, so that of 100100 calls 100 can be recorded
 *   dispatch    system calls come as SIGSYS from then on but from libc, as programs for other systems do (syscall user dispatch)
 *   traces      traces its own child, which has a thread and forks
 *   undumpable  forbids others to look at it, and forks
 *   altstack    1000 handlers, which call work on a signal stack of 1 KiB more than the kernel's frame takes
 *   hog         takes all addresses that there are, then memory until there is none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#define PAGE 4096u
#define NOT_HERE 77

static volatile long sink;
static long nr_work;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

QUIET static void count(void)
{
	__atomic_add_fetch(&nr_work, 1, __ATOMIC_RELAXED);
	work();
}

QUIET static void must(int done)
{
	if (!done) {
		perror("kernel");
		_exit(1);
	}
}

QUIET static void must_here(int done)
{
	if (!done)
		exit(NOT_HERE);
}

QUIET static char *map(size_t bytes, int protection)
{
	char *memory = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory != MAP_FAILED);
	return memory;
}

QUIET static void handle_by(int number, void (*handle)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | flags };

	must(sigaction(number, &action, NULL) == 0);
}

/* registers */
static char *volatile forbidden;

QUIET static void step_over(int number, siginfo_t *info, void *context)
{
	ucontext_t *state = context;

	must(info->si_addr == forbidden && state->uc_mcontext.gregs[REG_RAX] == (greg_t)forbidden);
	state->uc_mcontext.gregs[REG_RIP] += 3;	/* movb $1, (%rax) */
	state->uc_mcontext.gregs[REG_RAX]++;
	count();
}

QUIET static void registers(void)
{
	forbidden = map(PAGE, PROT_NONE);
	handle_by(SIGSEGV, step_over, 0);
	for (int i = 0; i < 1000; i++) {
		char *at = forbidden;

		__asm__ volatile("movb $1, (%0)" : "+a"(at) : : "memory");
		must(at == forbidden + 1);
		count();
	}
}

/* barrier */
static long nr_faults;

QUIET static void unprotect(int number, siginfo_t *info, void *context)
{
	nr_faults++;
	count();
	must(mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE) == 0);
}

QUIET static void barrier(void)
{
	char *heap = map(1000 * PAGE, PROT_READ);

	handle_by(SIGSEGV, unprotect, 0);
	for (int i = 0; i < 1000; i++) {
		heap[(size_t)i * PAGE + 100] = 1;
		heap[(size_t)i * PAGE + 200] = 1;
		count();
	}
	must(nr_faults == 1000);
}

/* userfault */
static int fault_fd;

QUIET static void *fill_pages(void *unused)
{
	struct uffd_msg message;
	static char page[PAGE];

	while (read(fault_fd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = { .dst = message.arg.pagefault.address & ~(uint64_t)(PAGE - 1),
					    .src = (uint64_t)(uintptr_t)page, .len = PAGE };

		memset(page, 7, PAGE);
		count();
		must(ioctl(fault_fd, UFFDIO_COPY, &copy) == 0);
	}
	return unused;
}

QUIET static void userfault(void)
{
	enum { PAGES = 200 };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *memory = map(PAGES * PAGE, PROT_READ | PROT_WRITE);
	pthread_t thread;

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	must_here(fault_fd >= 0 && ioctl(fault_fd, UFFDIO_API, &api) == 0);
	range.range.start = (uint64_t)(uintptr_t)memory;
	range.range.len = PAGES * PAGE;
	must(ioctl(fault_fd, UFFDIO_REGISTER, &range) == 0 && pthread_create(&thread, NULL, fill_pages, NULL) == 0);
	for (int i = 0; i < PAGES; i++) {
		must(memory[(size_t)i * PAGE] == 7);
		count();
	}
}

/* ring */
QUIET static void ring(void)
{
	struct io_uring_params setup = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 1000 };
	int fd = (int)syscall(SYS_io_uring_setup, 8, &setup), zero = open("/dev/zero", O_RDONLY);
	char *submitted, *completed, block[100];
	struct io_uring_sqe *entries;

	must_here(fd >= 0);
	submitted = mmap(NULL, setup.sq_off.array + setup.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	completed = mmap(NULL, setup.cq_off.cqes + setup.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED,
			 fd, IORING_OFF_CQ_RING);
	entries = mmap(NULL, setup.sq_entries * sizeof(*entries), PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	must(submitted != MAP_FAILED && completed != MAP_FAILED && (void *)entries != MAP_FAILED);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t *tail = (uint32_t *)(submitted + setup.sq_off.tail), *done = (uint32_t *)(completed + setup.cq_off.tail);
		uint32_t slot = i & (setup.sq_entries - 1);

		entries[slot] = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = zero, .addr = (uint64_t)(uintptr_t)block,
						       .len = sizeof(block) };
		((uint32_t *)(submitted + setup.sq_off.array))[slot] = slot;
		__atomic_store_n(tail, i + 1, __ATOMIC_RELEASE);
		must(syscall(SYS_io_uring_enter, fd, 0, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0) >= 0);
		while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != i + 1)
			usleep(10);
		__atomic_store_n((uint32_t *)(completed + setup.cq_off.head), i + 1, __ATOMIC_RELEASE);
		count();
	}
}

/* rseq: in a thread of our own, which glibc has registered already, so once more only where it has not. */
QUIET static void *count_100(void *unused)
{
	for (int i = 0; i < 100; i++)
		count();
	return unused;
}

QUIET static void membarriers(void)
{
	static __thread struct { uint32_t words[8]; } __attribute__((aligned(32))) area;
	pthread_t thread;

	must_here(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
	if (syscall(SYS_rseq, &area, sizeof(area), 0, 0x53053053) == 0)
		must(syscall(SYS_rseq, &area, sizeof(area), 1, 0x53053053) == 0);
	must(pthread_create(&thread, NULL, count_100, NULL) == 0);
	for (int i = 0; i < 100; i++) {
		must(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
		count();
	}
	pthread_join(thread, NULL);
}

/* strict: ends by itself, since exit_group is not allowed. */
QUIET static void strict(void)
{
	char line[32];

	count_100(NULL);
	snprintf(line, sizeof(line), "fine %d\n", 100100);
	must_here(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
	for (int i = 0; i < 100000; i++)
		count();
	syscall(SYS_write, 1, line, strlen(line));
	syscall(SYS_exit, 0);
}

/* dispatch */
static volatile char selector;
static volatile long nr_dispatched;

QUIET static void on_sigsys(int number, siginfo_t *info, void *context)
{
	selector = 0;
	nr_dispatched++;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 12345;
}

QUIET static void dispatch(void)
{
	long result;

	handle_by(SIGSYS, on_sigsys, 0);
	must_here(prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) == 0);
	for (int i = 0; i < 1000; i++) {
		selector = 1;	/* block: what calls of work() ask the kernel for would be the program's to answer */
		count();
		__asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_getppid) : "rcx", "r11", "memory");
		must(result == 12345 && selector == 0);
	}
	must(nr_dispatched == 1000);
	prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
}

/* traces: what its child does, and no more */
QUIET static void be_traced(void)
{
	pthread_t thread;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	count_100(NULL);
	if (pthread_create(&thread, NULL, count_100, NULL) == 0)
		pthread_join(thread, NULL);
	if (fork() == 0)
		_exit(3);
	wait(NULL);
	_exit(4);
}

QUIET static void traces(void)
{
	pid_t child = fork(), grandchild = 0, pid;
	unsigned long message;
	int status, left = 0;

	if (child == 0)
		be_traced();
	must(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	must(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) == 0);
	must(ptrace(PTRACE_CONT, child, NULL, 0) == 0);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		int event = status >> 16, number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (event == PTRACE_EVENT_FORK && ptrace(PTRACE_GETEVENTMSG, pid, NULL, &message) == 0)
			grandchild = (pid_t)message;
		if (WIFEXITED(status) && (pid == child || pid == grandchild))	/* no task of the recorder's */
			left += WEXITSTATUS(status);
		else if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, NULL, event || number == SIGSTOP || number == SIGTRAP ? 0 : number);
	}
	must(left == 3 + 4);
	nr_work += 200;		/* the child's */
}

QUIET static void undumpable(void)
{
	must(prctl(PR_SET_DUMPABLE, 0) == 0);
	count_100(NULL);
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			count_100(NULL);
			_exit(0);
		}
		must(waitpid(child, &status, 0) == child && status == 0);
		nr_work += 100;
	}
}

/* altstack */
QUIET static void on_altstack(int number, siginfo_t *info, void *context)
{
	count();
}

QUIET static void altstack(void)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ), bytes = (frame ? frame : 2048) + 1024;
	char *low = map(2 * PAGE + (bytes + PAGE - 1) / PAGE * PAGE, PROT_NONE), *top;
	stack_t stack;

	top = low + PAGE + (bytes + PAGE - 1) / PAGE * PAGE;
	must(mprotect(low + PAGE, (size_t)(top - low) - PAGE, PROT_READ | PROT_WRITE) == 0);
	memset(low + PAGE, 0xa5, (size_t)(top - low) - PAGE);
	stack = (stack_t){ .ss_sp = top - bytes, .ss_size = bytes };
	must(sigaltstack(&stack, NULL) == 0);
	handle_by(SIGUSR1, on_altstack, SA_ONSTACK);
	count();	/* ld.so takes 3 KiB to find the hooks */
	for (int i = 0; i < 1000; i++)
		raise(SIGUSR1);
	for (char *at = low + PAGE; at < top - bytes; at++)
		must(*at == (char)0xa5);	/* below the stack nobody wrote */
}

/* hog */
QUIET static void hog(void)
{
	struct rlimit limit = { 4ul << 30, 4ul << 30 };
	size_t taken = 0;

	for (size_t bytes = 1ul << 46; bytes >= 1ul << 30; bytes /= 2)
		while (mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
			taken++;
	must(taken);
	count_100(NULL);
	must(setrlimit(RLIMIT_AS, &limit) == 0);	/* less than it has */
	for (int i = 0; i < 1000; i++) {
		char *volatile block = malloc(64 << 20);

		free(block);
		count();
	}
}

static const struct { const char *name; void (*run)(void); } kinds[] = {
	{ "registers", registers }, { "barrier", barrier }, { "userfault", userfault }, { "ring", ring }, { "rseq", membarriers },
	{ "strict", strict }, { "dispatch", dispatch }, { "traces", traces }, { "undumpable", undumpable }, { "altstack", altstack },
	{ "hog", hog },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].run();
			printf("fine %ld\n", nr_work);
			return 0;
		}
	}
	return 2;
}
