/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * First calls where there is little room: narrow, on a stack of 4 KiB above what a signal's frame takes, with
 * a page below it that nobody may touch. In a handler on such a signal stack: the first call of a forked
 * child and of a raw clone's; then the first ones of a coroutine that libc's own makecontext() made, which
 * the library does not see. Must print "fine". The report must show work 1 time in the first process, and
 * once in each child.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ROOM_BYTES 4096u
#define NOT_RECORDED __attribute__((no_instrument_function))

static volatile long sink;
static ucontext_t out, in;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

NOT_RECORDED static void handle(int number)
{
	work();
}

NOT_RECORDED static void run(void)
{
	work();
	swapcontext(&in, &out);
}

/* The end of a stack of @bytes, rounded up to pages. */
NOT_RECORDED static char *new_stack(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
	char *low = mmap(NULL, page + whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (low == MAP_FAILED || mprotect(low, page, PROT_NONE))
		abort();
	return low + page + whole - bytes;
}

NOT_RECORDED static int handle_on(char *stack, size_t bytes)
{
	stack_t signal_stack = { .ss_sp = stack, .ss_size = bytes };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	return sigaltstack(&signal_stack, NULL) || sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1);
}

NOT_RECORDED static int in_child(int raw)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ), bytes = (frame ? frame : 4096) + ROOM_BYTES;
	char *stack = new_stack(bytes);
	pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
	int status;

	if (child == 0)
		_exit(handle_on(stack, bytes));
	return waitpid(child, &status, 0) != child || status;
}

NOT_RECORDED static int in_coroutine(void)
{
	void (*make)(ucontext_t *, void (*)(void), int, ...) =
		dlsym(dlopen("libc.so.6", RTLD_NOW), "makecontext");

	getcontext(&in);
	in.uc_stack.ss_sp = new_stack(ROOM_BYTES);
	in.uc_stack.ss_size = ROOM_BYTES;
	make(&in, run, 0);
	return swapcontext(&out, &in);
}

NOT_RECORDED int main(void)
{
	if (in_child(0) || in_child(1) || in_coroutine())
		return 1;
	puts("fine");
	return 0;
}
