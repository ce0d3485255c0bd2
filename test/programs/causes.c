/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * causes CAUSE: a program that is slow, or too large, for one reason, among functions that are not. Each cause is a function of
 * its own, and the report must have its name in the first rows: append (quadratic), compile (a regular expression in a loop),
 * keep (a lock held too long), convoy (a lock that all take all the time), trickle (output in small pieces), commit (fsync in a
 * loop), retry (a sleep between attempts), link_back (a leak by a cycle), remember (a cache that grows), first_touch (page
 * faults), share (one thread has most of the work), count_beside (false sharing: counters of threads in one cache line).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile long sink;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

APART static void work(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink += i;
}

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ 0, us * 1000 }, NULL);
}

static void join_all(void *(*function)(void *), int nr)
{
	pthread_t threads[8];

	for (long i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, function, (void *)i);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

/* ---- time ---- */

APART static char *append(char *text, size_t length)
{
	char *longer = malloc(length + 2);

	memcpy(longer, text, length);
	strcpy(longer + length, "x");
	free(text);
	return longer;
}

APART static void quadratic(void)
{
	char *text = calloc(1, 1);

	for (size_t i = 0; i < 30000; i++)
		text = append(text, i);
	free(text);
}

APART static int compile(const char *line)
{
	regex_t expression;
	int matches;

	regcomp(&expression, "^([a-z]+)=([0-9]+)(,([0-9]+))*$", REG_EXTENDED);
	matches = regexec(&expression, line, 0, NULL, 0) == 0;
	regfree(&expression);
	return matches;
}

APART static void expressions(void)
{
	for (int i = 0; i < 2000; i++)
		sink += compile("width=1024,768");
}

APART static void first_touch(void)
{
	const size_t bytes = 128u << 20;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	munmap(memory, bytes);
}

APART static void share(long number)
{
	work(number == 0 ? 60000000 : 3000000);
}

static void *part(void *number)
{
	share((long)number);
	return NULL;
}

APART static void count_beside(volatile long *counter)
{
	for (long i = 0; i < 10000000; i++)
		++*counter;
}

static void *count(void *number)
{
	static struct {
		volatile long of[4];
	} counters __attribute__((aligned(64)));

	count_beside(&counters.of[(long)number]);
	return NULL;
}

/* ---- waits ---- */

APART static void keep(void)
{
	pthread_mutex_lock(&table_lock);
	sleep_us(4000);
	pthread_mutex_unlock(&table_lock);
}

APART static void look_up(void)
{
	pthread_mutex_lock(&table_lock);
	sink++;
	pthread_mutex_unlock(&table_lock);
}

static void *keep_or_look(void *number)
{
	for (int i = 0; i < 40; i++) {
		if (number) {
			look_up();
			sleep_us(500);
		} else {
			keep();
			sleep_us(200);
		}
	}
	return NULL;
}

APART static void convoy(void)
{
	pthread_mutex_lock(&table_lock);
	work(20000);
	pthread_mutex_unlock(&table_lock);
}

static void *drive(void *unused)
{
	for (int i = 0; i < 1000; i++)
		convoy();
	return unused;
}

APART static void trickle(void)
{
	int fd = open("small.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 100000; i++)
		sink += write(fd, "x", 1);
	close(fd);
}

APART static void commit(void)
{
	int fd = open("commits.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 30; i++) {
		sink += write(fd, "line\n", 5);
		fsync(fd);
	}
	close(fd);
}

APART static void retry(void)
{
	for (int i = 0; i < 30; i++) {
		work(1000);
		sleep_us(5000);
	}
}

/* ---- memory ---- */

struct link {
	struct link *other;
	char bytes[1000];
};

static struct link *volatile newest;

APART static void link_back(void)
{
	struct link *one = malloc(sizeof(*one)), *other = malloc(sizeof(*other));

	one->other = other;
	other->other = one;
	newest = one;
}

APART static void cycles(void)
{
	for (int i = 0; i < 1000; i++)
		link_back();
}

static char **entries;

APART static void remember(int key)
{
	entries = realloc(entries, (size_t)(key + 1) * sizeof(*entries));
	entries[key] = strdup("the answer to a question that nobody will ask again");
}

APART static void cache(void)
{
	for (int i = 0; i < 20000; i++)
		remember(i);
}

static void locks(void)
{
	join_all(keep_or_look, 2);
}

static void convoys(void)
{
	join_all(drive, 4);
}

static void parts(void)
{
	join_all(part, 4);
}

static void counters(void)
{
	join_all(count, 4);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} causes[] = {
		{ "append", quadratic }, { "compile", expressions }, { "first_touch", first_touch }, { "share", parts },
		{ "count_beside", counters },
		{ "keep", locks }, { "convoy", convoys }, { "trickle", trickle }, { "commit", commit }, { "retry", retry },
		{ "link_back", cycles }, { "remember", cache },
	};

	work(1000000);
	for (size_t i = 0; argc > 1 && i < sizeof(causes) / sizeof(*causes); i++)
		if (strcmp(argv[1], causes[i].name) == 0)
			causes[i].run();
	work(1000000);
	return 0;
}
