/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits within stdio, of opens, of locks of files, of commands and of futexes that the program asks for itself. The report must
 * name each for 50 ms at least: fgets, fread, getdelim and getc of a pipe, fprintf and fclose of a full pipe, open of a FIFO,
 * fcntl for a lock that a child holds, system, pclose, futex; fscanf of a pipe, dprintf into a full one, fopen of a FIFO, semop
 * for a set that a child changes, msgrcv of what a child sends. 10,000 calls of putc on a file have few waits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "let_wait.h"

#define APART __attribute__((noinline))

/* The other end of pipes: a process, whose waits are not the program's. */
static void feed(int fd)
{
	char page[4096];

	memset(page, 'x', sizeof(page));
	for (int i = 0; i < 4; i++) {
		let_wait();
		if (i == 1)
			syscall(SYS_write, fd, page, 100L);
		else
			syscall(SYS_write, fd, "line\n", 5L);
	}
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

APART static void read_lines(void)
{
	FILE *file = child(feed, 0, "r");
	char text[100], *line = NULL;
	size_t room = 0;

	if (!fgets(text, sizeof(text), file) || fread(text, 1, 100, file) != 100 || getdelim(&line, &room, 10, file) < 0 ||
	    getc(file) != 'l')
		puts("read failed");
	free(line);
	fclose(file);
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

static void write_lines(FILE *file)
{
	for (int i = 0; i < 800; i++)
		fprintf(file, "%99d\n", i);
	fclose(file);
}

APART static void print_lines(void)
{
	write_lines(child(drain, 1, "w"));
}

APART static void close_late(void)
{
	static char buffer[1 << 20];
	FILE *file = child(drain, 1, "w");

	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	write_lines(file);
}

APART static void put_bytes(void)
{
	FILE *file = fopen("bytes.out", "w");

	for (int i = 0; i < 10000; i++)
		putc('x', file);
	fclose(file);
}

APART static void open_fifo(void)
{
	mkfifo("fifo", 0600);
	if (fork() == 0) {
		let_wait();
		syscall(SYS_open, "fifo", O_WRONLY);
		syscall(SYS_exit_group, 0);
	}
	close(open("fifo", O_RDONLY));
}

APART static void lock_file(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open("locked.out", O_RDWR | O_CREAT, 0600);
	volatile bool *is_locked = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (fork() == 0) {
		fcntl(fd, F_SETLK, &lock);
		*is_locked = true;
		let_wait();
		syscall(SYS_exit_group, 0);
	}
	while (!*is_locked)	/* asleep, it would look as if it waited for the lock */
		sched_yield();
	fcntl(fd, F_SETLKW, &lock);
	close(fd);
}

APART static void run_commands(void)
{
	FILE *file;

	if (system("sleep 0.06") != 0)
		puts("system failed");
	file = popen("cat >cat.out; sleep 0.06", "w");	/* cat ends when pclose() closes the pipe */
	pclose(file);
}

APART static void scan_numbers(void)
{
	FILE *file = child(feed, 0, "r");
	char text[10];

	if (fscanf(file, "%9s", text) != 1)
		puts("fscanf failed");
	fclose(file);
}

APART static void print_to_descriptor(void)
{
	FILE *file = child(drain, 1, "w");

	for (int i = 0; i < 800; i++)
		dprintf(fileno(file), "%99d\n", i);
	fclose(file);
}

APART static void open_stream(void)
{
	if (fork() == 0) {
		let_wait();
		syscall(SYS_open, "fifo", O_WRONLY);
		syscall(SYS_exit_group, 0);
	}
	fclose(fopen("fifo", "r"));
}

/* Objects of the System V kind go with the last call: no run leaves one. */
APART static void await_others(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
	struct sembuf take = { 0, -1, 0 }, give = { 0, 1, 0 };
	struct { long type; char text[4]; } message = { 1, "abc" };

	if (fork() == 0) {
		let_wait();
		syscall(SYS_semop, set, &give, 1L);
		let_wait();
		syscall(SYS_msgsnd, queue, &message, 4L, 0);
		syscall(SYS_exit_group, 0);
	}
	if (semop(set, &take, 1) < 0 || msgrcv(queue, &message, 4, 0, 0) != 4)
		puts("semop or msgrcv failed");
	semctl(set, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
}

static int word;

APART static void wait_futex(void)
{
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &(struct timespec){ 0, WAIT_MS * 1000000 }, NULL, 0);
}

int main(void)
{
	read_lines();
	print_lines();
	close_late();
	put_bytes();
	open_fifo();
	lock_file();
	run_commands();
	scan_numbers();
	print_to_descriptor();
	open_stream();
	await_others();
	wait_futex();
	while (wait(NULL) > 0)
		;
	return 0;
}
