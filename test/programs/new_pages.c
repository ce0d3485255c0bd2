/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * new_pages HOW: lines that touch pages of 4 KiB first, 0.4 s after their process began. "killed": 1,000,
 * then SIGKILL. "forked": 1,000; a child touches 2,000 of its own and writes to the 1,000, which copies them;
 * status 3. "execed": 1,000, then itself again, which touches 3,000; status 4.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EACH_PAGE(memory, pages) \
	for (volatile char *at = (memory); at < (memory) + (pages) * 4096l; at += 4096)

/* Memory of small pages, after insideme-run has had time to see the process. */
static char *memory_of(long pages)
{
	char *memory = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE);
	usleep(400000);
	return memory;
}

static void in_child(char *parents)
{
	char *memory = memory_of(2000);

	EACH_PAGE(memory, 2000) {
		*at = 1; /* in the child */
	}
	EACH_PAGE(parents, 1000) {
		*at = 2; /* copied */
	}
	_exit(0);
}

static int after_exec(void)
{
	char *memory = memory_of(3000);

	EACH_PAGE(memory, 3000) {
		*at = 1; /* after exec */
	}
	return 4;
}

int main(int argc, char **argv)
{
	char *memory;

	if (argc < 2)
		return after_exec();
	memory = memory_of(1000);
	EACH_PAGE(memory, 1000) {
		*at = 1; /* at first */
	}
	if (strcmp(argv[1], "killed") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(argv[1], "execed") == 0)
		execl(argv[0], argv[0], NULL);
	if (fork() == 0)
		in_child(memory);
	wait(NULL);
	return 3;
}
