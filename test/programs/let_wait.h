/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For processes that let a program wait. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 60

static void pause_ms(long ms)
{
	syscall(SYS_nanosleep, &(struct timespec){ 0, ms * 1000000 }, NULL);
}

/*
 * In a child: let the program wait for WAIT_MS. They count once it is asleep: its state is the letter behind
 * its name.
 */
static void let_wait(void)
{
	char path[32], text[256], *state;
	long nr;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
	do {
		fd = (int)syscall(SYS_open, path, O_RDONLY);
		nr = syscall(SYS_read, fd, text, sizeof(text) - 1);
		syscall(SYS_close, fd);
		text[nr > 0 ? nr : 0] = 0;
		state = strrchr(text, ')');
		pause_ms(1);
	} while (state && state[2] != 'S');
	pause_ms(WAIT_MS);
}
