/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals between the process that started insideme-run, and the program. */
#include "preload/monitor/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"

static const int passed_on[] = { SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
				 SIGUSR2, SIGWINCH, SIGALRM, SIGTSTP, SIGCONT };

int signals_open(sigset_t *before)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(&set, passed_on[i]);
	if (sigprocmask(SIG_BLOCK, &set, before) < 0)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* The program may want signals that our starter ignored (nohup), and children must be waited for. */
void signals_hear_all(void)
{
	signal(SIGCHLD, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		signal(passed_on[i], SIG_DFL);
}

/*
 * Signals from the kernel (Ctrl-C, a closed terminal, a new window size) go to the whole foreground group of
 * the terminal, including the program. Signals that a process sent to us alone did not reach the program.
 */
void signals_pass_on(int fd, pid_t pid)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0 && (pid_t)info.ssi_pid != pid)
			kill(pid, (int)info.ssi_signo);
	}
}

/*
 * A terminal stops and continues whole groups, and so does a shell with its jobs. A process that stops the
 * program alone, as cpulimit does, will continue only the program.
 */
void signals_stop_too(int signal)
{
	bool is_job = getpgrp() == getpid() && getsid(0) != getpid();

	if (signal != SIGSTOP || is_job)
		raise(SIGSTOP);
}

_Noreturn void signals_end_like(int status)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t set;

	if (!WIFSIGNALED(status))
		exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &no_core);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}
