/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/system_calls.h"

#include <stddef.h>
#include <sys/syscall.h>

#define CALL(name)	{ SYS_##name, #name }

/* The numbers differ by processor. Logs with such samples come from the one that this was built for. */
static const struct {
	int number;
	const char *name;
} calls[] = {
	CALL(read),	   CALL(write),		 CALL(readv),		 CALL(writev),
	CALL(pread64),	   CALL(pwrite64),	 CALL(preadv),		 CALL(pwritev),
	CALL(close),	   CALL(openat),	 CALL(fsync),		 CALL(fdatasync),
	CALL(sync),	   CALL(sync_file_range), CALL(fallocate),	 CALL(ftruncate),
	CALL(ioctl),	   CALL(fcntl),		 CALL(flock),		 CALL(splice),
	CALL(sendfile),	   CALL(copy_file_range), CALL(getdents64),	 CALL(statfs),
	CALL(ppoll),	   CALL(pselect6),	 CALL(epoll_pwait),	 CALL(futex),
	CALL(nanosleep),   CALL(clock_nanosleep), CALL(restart_syscall), CALL(wait4),
	CALL(waitid),	   CALL(rt_sigtimedwait), CALL(rt_sigsuspend),	 CALL(accept),
	CALL(accept4),	   CALL(connect),	 CALL(recvfrom),	 CALL(recvmsg),
	CALL(recvmmsg),	   CALL(sendto),	 CALL(sendmsg),		 CALL(sendmmsg),
	CALL(semtimedop),  CALL(semop),		 CALL(msgrcv),		 CALL(msgsnd),
	CALL(mq_timedreceive), CALL(mq_timedsend), CALL(io_getevents),	 CALL(mmap),
	CALL(munmap),	   CALL(mprotect),	 CALL(madvise),		 CALL(msync),
	CALL(mremap),	   CALL(brk),		 CALL(clone),		 CALL(clone3),
	CALL(execve),	   CALL(exit),		 CALL(exit_group),	 CALL(getrandom),
	CALL(sched_yield), CALL(membarrier),	 CALL(io_uring_enter),	 CALL(process_vm_readv),
	CALL(fadvise64),   CALL(readahead),	 CALL(syncfs),		 CALL(lseek),
	CALL(preadv2),	   CALL(pwritev2),	 CALL(vmsplice),	 CALL(tee),
	CALL(newfstatat),  CALL(fstat),		 CALL(statx),		 CALL(faccessat),
	CALL(unlinkat),	   CALL(renameat2),	 CALL(mkdirat),		 CALL(readlinkat),
	CALL(truncate),	   CALL(linkat),	 CALL(symlinkat),	 CALL(io_pgetevents),
	CALL(mlock),	   CALL(mlockall),	 CALL(ptrace),
#ifdef SYS_poll
	CALL(poll),	   CALL(select),	 CALL(epoll_wait),	 CALL(pause),
	CALL(open),	   CALL(fork),		 CALL(vfork),		 CALL(stat),
	CALL(lstat),	   CALL(access),	 CALL(unlink),		 CALL(rename),
	CALL(mkdir),	   CALL(rmdir),		 CALL(readlink),	 CALL(link),
	CALL(symlink),	   CALL(getdents),
#endif
};

const char *system_call_name(int number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}

bool system_call_has_fd(int number)
{
	static const int with_fd[] = {
		SYS_read,    SYS_write,	  SYS_readv,   SYS_writev,    SYS_pread64, SYS_pwrite64, SYS_preadv,
		SYS_pwritev, SYS_fsync,	  SYS_ioctl,   SYS_fdatasync, SYS_fcntl,   SYS_flock,	 SYS_accept,
		SYS_accept4, SYS_connect, SYS_recvmsg, SYS_recvfrom,  SYS_sendmsg, SYS_sendto,	 SYS_recvmmsg,
		SYS_preadv2, SYS_pwritev2,
	};

	for (size_t i = 0; i < sizeof(with_fd) / sizeof(*with_fd); i++)
		if (with_fd[i] == number)
			return true;
	return false;
}
