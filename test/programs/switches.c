/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coroutines that change stacks by their own instructions, with stacks next to each other in one block:
 * switches KIND NR BYTES, NR stacks of BYTES bytes each.
 *   resumed  main goes round and resumes each in turn
 *   unseen   the same, by a function without hooks
 *   direct   each goes straight on to the next one
 *   threads  every round is made by a new thread, which ends
 *   two      two threads resume them all in turn, and both go on to live
 *   beside   as resumed; where there is room the block follows on main's thread block, in one mapping
 * The report must show body NR calls, step and inner ROUNDS times as many, stray NR, main 1; no broken call;
 * step stands under body and inner under step; body and stray under main, or under round_of_all on the
 * threads.
 */
#define _GNU_SOURCE	/* MAP_FIXED_NOREPLACE */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS 100
#define NR_MAX 1000

#define NO_HOOKS __attribute__((no_instrument_function, noinline))

void switch_stack(void **from, void *to);
void first_steps(void);
__asm__(".text\n	.globl switch_stack, first_steps\n	.hidden switch_stack, first_steps\n"
#if defined(__x86_64__)
	"switch_stack:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	"first_steps:\n"
	"	mov %r12, %rdi\n	call *%r13\n	ud2\n"
#elif defined(__aarch64__)
	"switch_stack:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp]\n	stp x21, x22, [sp, #16]\n	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n"
	"	mov x2, sp\n	str x2, [x0]\n	mov sp, x1\n"
	"	ldp x19, x20, [sp]\n	ldp x21, x22, [sp, #16]\n	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n	ret\n"
	"first_steps:\n"
	"	mov x0, x19\n	blr x20\n	brk #0\n"
#else
#error "switches: another processor"
#endif
	);

struct coroutine {
	void *place;		/* its stack pointer while it does not run */
	int is_over;
};

static struct coroutine coroutines[NR_MAX];
static void *resumer;		/* main's or a thread's, while a coroutine runs */
static int nr, is_direct;
static volatile long sink;

NO_HOOKS static void yield(int self)
{
	int next = is_direct ? (self + 1) % nr : nr;

	while (next < nr && coroutines[next].is_over && next != self)
		next = (next + 1) % nr;
	if (next != self)
		switch_stack(&coroutines[self].place, next < nr ? coroutines[next].place : resumer);
}

NO_HOOKS static void resume(int self)
{
	if (!coroutines[self].is_over)
		switch_stack(&resumer, coroutines[self].place);
}

__attribute__((noinline)) static void stray(void)
{
	sink++;
}

__attribute__((noinline)) static void inner(int self)
{
	sink++;
	yield(self);
	sink++;
}

__attribute__((noinline)) static void step(int self)
{
	inner(self);
	sink++;
}

__attribute__((noinline)) static void body(int self)
{
	for (int i = 0; i < ROUNDS; i++)
		step(self);
	sink++;
}

NO_HOOKS static void run(long self)
{
	void *nowhere;
	int next = 0;

	body((int)self);
	stray();
	coroutines[self].is_over = 1;
	while (next < nr && (!is_direct || coroutines[next].is_over))
		next++;
	switch_stack(&nowhere, next < nr ? coroutines[next].place : resumer);
}

NO_HOOKS static void make(int self, char *stack, size_t bytes)
{
	void **place = (void **)(stack + bytes - 64);

#if defined(__x86_64__)
	place -= 8;
	place[2] = (void *)run;
	place[3] = (void *)(long)self;
	place[6] = (void *)first_steps;
#else
	place -= 20;
	place[0] = (void *)(long)self;
	place[1] = (void *)run;
	place[11] = (void *)first_steps;
#endif
	coroutines[self].place = place;
}

static void round_of_all(void)
{
	for (int self = 0; self < nr; self++)
		resume(self);
}

NO_HOOKS static void unseen_round(void)
{
	for (int self = 0; self < nr; self++)
		resume(self);
}

static void *one_round(void *unused)
{
	round_of_all();
	return unused;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;

static void *every_second_round(void *number)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i <= ROUNDS; i++) {
		while (turn % 2 != (long)number)
			pthread_cond_wait(&changed, &lock);
		unseen_round();
		turn++;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return number;
}

static void run_threads(void *(*function)(void *), int at_once)
{
	pthread_t threads[2];

	for (long i = 0; i < at_once; i++)
		pthread_create(&threads[i], NULL, function, (void *)i);
	for (int i = 0; i < at_once; i++)
		pthread_join(threads[i], NULL);
}

/* Right below the mapping that holds main's thread block. */
static char *allocate_beside(size_t bytes)
{
	const uintptr_t block = (uintptr_t)__builtin_thread_pointer();
	FILE *file = fopen("/proc/self/maps", "r");
	uintptr_t low, high;
	void *stacks = MAP_FAILED;
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx", &low, &high) == 2 && low <= block && block < high)
			stacks = mmap((void *)(low - bytes), bytes, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (file)
		fclose(file);
	return stacks == MAP_FAILED ? malloc(bytes) : stacks;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 3 ? argv[1] : "";
	size_t bytes = argc > 3 ? (size_t)atol(argv[3]) : 0;
	char *stacks;

	nr = argc > 3 ? atoi(argv[2]) : 0;
	if (nr < 1 || nr > NR_MAX)
		return 1;
	stacks = strcmp(kind, "beside") ? malloc((size_t)nr * bytes) : allocate_beside((size_t)nr * bytes);
	if (!stacks)
		return 1;
	for (int self = 0; self < nr; self++)
		make(self, stacks + (size_t)self * bytes, bytes);
	is_direct = !strcmp(kind, "direct");
	for (int i = 0; i <= ROUNDS; i++) {
		if (!strcmp(kind, "resumed") || !strcmp(kind, "beside"))
			round_of_all();
		if (!strcmp(kind, "unseen") || (is_direct && i == 0))
			unseen_round();
		if (!strcmp(kind, "threads"))
			run_threads(one_round, 1);
	}
	if (!strcmp(kind, "two"))
		run_threads(every_second_round, 2);
	printf("sink %ld\n", sink);
	return sink != nr * (ROUNDS * 3L + 2);
}
