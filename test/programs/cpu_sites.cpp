// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Built without hooks, for CPU samples of stacks: cpu_sites KIND. Loops are counted, so it is known what part
 * of the CPU time each caller of work() has. Prints what it did, the same with and without the recorder.
 *   split      by_one() a quarter of the time, by_three() the rest: all of it in work() itself
 *   recursion  the same at the bottom of 30 calls of descend()
 *   threads    the same in two threads: run_one() and run_three()
 *   fork       the same in two processes: the child has by_three()
 *   deep       under 400 calls of descend(): more than are told of a stack
 *   throws     exceptions through 12 calls of rise(), a third of a second of them
 *   registers  the same after it has registered unwind tables, as compilers at run time do: libgcc takes a
 *              lock then
 *   moves      shift_stack() moves the stack pointer and its unwind tables do not say so
 *   allocates  by_new() and by_malloc() take and give back blocks
 *   loads      a thread loads and unloads the library of the second argument while another works
 */
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define UNIT 200000	/* some 0.3 ms */
#define RUNS_ON_S 0.3	/* for tests that only check that the program runs on: 75 samples */

static volatile uint64_t sink;
static volatile bool is_done;

static double cpu_seconds()
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

APART static void work(int units)
{
	uint64_t state = sink + 1;

	for (int i = 0; i < units * UNIT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		asm volatile("" : "+r"(state));		/* neither unrolled nor predicted */
	}
	sink = state;
}

APART static void by_one() { work(1); sink++; }
APART static void by_three() { work(3); sink++; }

APART static void both()
{
	by_one();
	by_three();
	sink++;
}

APART static void descend(int depth)
{
	if (depth > 1)
		descend(depth - 1);
	else
		both();
	sink++;
}

APART static void run_one() { for (int i = 0; i < 600; i++) by_one(); }
APART static void run_three() { for (int i = 0; i < 600; i++) by_three(); }

struct fault {
	int number;
};

APART static void rise(int depth, int number)
{
	if (depth == 1)
		throw fault{ number };
	rise(depth - 1, number);
	sink++;
}

APART static void throws()
{
	double end = cpu_seconds() + RUNS_ON_S;
	uint64_t nr = 0, wrong = 0;

	while (cpu_seconds() < end)
		for (int i = 0; i < 100; i++, nr++)
			try {
				rise(12, i);
				wrong++;
			} catch (const fault &caught) {
				wrong += caught.number != i;
			}
	printf("%s, %d wrong\n", nr > 100 ? "many" : "few", (int)wrong);
}

extern "C" void __register_frame(void *table);

/* Its own tables, once more. */
static int find_tables(dl_phdr_info *info, size_t, void *tables)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
			char *header = (char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
			int32_t offset;

			memcpy(&offset, header + 4, sizeof(offset));	/* where it is, less where this is */
			*(void **)tables = header + 4 + offset;
			return 1;
		}
	return 0;
}

static void registers()
{
	void *tables = nullptr;

	if (dl_iterate_phdr(find_tables, &tables))
		__register_frame(tables);
	printf("%s tables\n", tables ? "has" : "no");
	throws();
}

/* At the place where the tables say that the return address is, there is another number. */
APART static void shift_stack(uint64_t number)
{
#ifdef __x86_64__
	uint64_t left = UNIT;

	asm volatile("lea -136(%%rsp), %%rsp\n\tpush %1\n1:\tdec %0\n\tjnz 1b\n\tlea 144(%%rsp), %%rsp"
		     : "+r"(left) : "r"(number) : "cc", "memory");
#else
	work((int)(number != 0));
#endif
	sink++;
}

APART static void moves()
{
	double end = cpu_seconds() + RUNS_ON_S;

	while (cpu_seconds() < end)
		for (uint64_t number : { 1ul, 2ul, 0x1234ul, 1ul << 47, ~0ul })
			shift_stack(number);
}

APART static void by_new()
{
	for (int i = 0; i < 3000; i++)
		delete[] new char[(size_t)(16 + i % 300)];
}

APART static void by_malloc()
{
	static void *blocks[100];

	for (int i = 0; i < 3000; i++) {
		free(blocks[i % 100]);
		blocks[i % 100] = malloc((size_t)(16 + i % 3000));
	}
}

APART static void allocates()
{
	double end = cpu_seconds() + RUNS_ON_S;

	while (cpu_seconds() < end) {
		by_new();
		by_malloc();
	}
}

static void loads(const char *library)
{
	uint64_t failed = 0;
	std::thread other([] { run_three(); is_done = true; });

	while (!is_done) {
		void *handle = dlopen(library, RTLD_NOW);

		failed += !handle || dlclose(handle) != 0;
	}
	other.join();
	printf("%d failed\n", (int)failed);
}

static void forks()
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		run_three();
		_exit(7);
	}
	run_one();
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "split"))
		for (int i = 0; i < 600; i++)
			both();
	else if (!strcmp(kind, "recursion") || !strcmp(kind, "deep"))
		for (int i = 0; i < 600; i++)
			descend(*kind == 'd' ? 400 : 30);
	else if (!strcmp(kind, "threads")) {
		std::thread one(run_one), three(run_three);
		one.join();
		three.join();
	} else if (!strcmp(kind, "fork"))
		forks();
	else if (!strcmp(kind, "throws"))
		throws();
	else if (!strcmp(kind, "registers"))
		registers();
	else if (!strcmp(kind, "moves"))
		moves();
	else if (!strcmp(kind, "allocates"))
		allocates();
	else if (!strcmp(kind, "loads") && argc > 2)
		loads(argv[2]);
	else
		return 2;
	printf("done\n");
	return 3;
}
