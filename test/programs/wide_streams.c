/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits within stdio of wide characters. The report must name each for 50 ms at least: fgetws, fgetwc, getwc
 * and fwscanf of a pipe, fwprintf and fputws into a full pipe, fclose of one whose reader is late. Few calls
 * wait among 10,000 of fputwc on a file, and 10,000 of fgetwc that read it again. Lines in the buffer do not.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "let_wait.h"

#define APART __attribute__((noinline))

/* The other end of pipes: a process, whose waits are not the program's. */
static void feed(int fd)
{
	static const char *const texts[] = { "line\n", "a", "b", "12 ", "one\ntwo\nthree\n" };

	for (int i = 0; i < 5; i++) {
		let_wait();
		syscall(SYS_write, fd, texts[i], strlen(texts[i]));
	}
	syscall(SYS_exit_group, 0);
}

/* Reads a pipe late: 64 KiB fit into it. */
static void drain(int fd)
{
	char page[4096];

	let_wait();
	while (syscall(SYS_read, fd, page, sizeof(page)) > 0)
		;
	syscall(SYS_exit_group, 0);
}

static FILE *child(void (*side)(int), int end, const char *mode)
{
	int ends[2];

	if (pipe(ends) < 0)
		exit(1);
	if (fork() == 0) {
		close(ends[end]);
		side(ends[!end]);
	}
	close(ends[!end]);
	return fdopen(ends[end], mode);
}

APART static void read_all(void)
{
	FILE *file = child(feed, 0, "r");
	wchar_t text[100];
	int number = 0, bytes;

	if (!fgetws(text, 100, file) || fgetwc(file) != L'a' || getwc(file) != L'b' ||
	    fwscanf(file, L"%d", &number) != 1 || number != 12)
		puts("read failed");
	while (ioctl(fileno(file), FIONREAD, &bytes) == 0 && bytes < 14)	/* all lines */
		pause_ms(1);
	for (int i = 0; i < 3; i++)
		if (!fgetws(text, 100, file))
			puts("no line");
	fclose(file);
}

APART static void print_all(void)
{
	FILE *file = child(drain, 1, "w");

	for (int i = 0; i < 800; i++)
		fwprintf(file, L"%99d\n", i);
	fclose(file);
}

APART static void put_lines(void)
{
	FILE *file = child(drain, 1, "w");
	wchar_t line[101];

	wmemset(line, L'x', 100);
	line[100] = 0;
	for (int i = 0; i < 800; i++)
		fputws(line, file);
	fclose(file);
}

APART static void close_late(void)
{
	static char buffer[1 << 20];
	FILE *file = child(drain, 1, "w");

	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	for (int i = 0; i < 800; i++)
		fwprintf(file, L"%99d\n", i);
	fclose(file);
}

APART static void put_and_get(void)
{
	FILE *file = fopen("characters.out", "w+");
	long sum = 0;

	for (int i = 0; i < 10000; i++)
		fputwc(L'x', file);
	rewind(file);
	for (int i = 0; i < 10000; i++)
		sum += fgetwc(file) == L'x';
	if (sum != 10000 || fgetwc(file) != WEOF)
		puts("not what was put");
	fclose(file);
}

int main(void)
{
	read_all();
	print_all();
	put_lines();
	close_late();
	put_and_get();
	while (wait(NULL) > 0)
		;
	return 0;
}
