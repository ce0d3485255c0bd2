#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that change what a process may do: privileges, roots, namespaces, filters of system calls, limits,
# descriptors. They run as without the library, and are recorded up to there at least.
load ../run/lib
load ../run/alike

as_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# What a program of other rights execs cannot reach the run, and says so in one line: see doc/limits.md.
said='/^insideme: .*Permission denied; not recording$/d'

# A user that is nobody must reach its program and the library.
for_nobody() {
	as_root
	setpriv --reuid 65534 --clear-groups test -r "$library" || skip "nobody cannot read the build folder"
}

@test "privileges dropped by setpriv, su, runuser, start-stop-daemon" {
	for_nobody
	chmod 777 "$BATS_TEST_TMPDIR"
	filter=$said
	alike setpriv --reuid 65534 --regid 65534 --clear-groups id
	alike setpriv --reuid 65534 --clear-groups sh -c 'id -u; touch /root/x; cat /proc/self/status | grep Uid'
	alike su -s /bin/sh nobody -c 'id -u; exit 3'
	alike runuser -u nobody -- id -u
	alike start-stop-daemon --start --chuid nobody --exec /usr/bin/id
}

@test "privileges dropped by perl and python" {
	for_nobody
	alike perl -e '$( = $) = "65534 65534"; $< = $> = 65534; if (!fork) { exit 6 } wait; exit(($? >> 8) + ($> == 65534))'
	filter=$said
	alike perl -e '$( = $) = "65534 65534"; $< = $> = 65534; system "id"; exit($> == 65534 ? 3 : 4)'
	needs python3
	alike /usr/bin/python3 -c 'import os, threading
e = threading.Event(); t = threading.Thread(target=e.wait); t.start()
os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
print([open(f"/proc/self/task/{t}/status").read().split("Uid:")[1].split()[0] for t in sorted(os.listdir("/proc/self/task"), key=int)][:2])
e.set(); t.join(); print(os.system("id -u"))'
}

@test "capabilities dropped" {
	as_root
	needs capsh
	alike capsh --drop=cap_sys_admin,cap_net_admin -- -c 'grep Cap /proc/self/status; exit 2'
	alike setpriv --bounding-set -all --inh-caps -all --no-new-privs sh -c 'grep -E "Cap|NoNew" /proc/self/status'
}

@test "a root of its own" {
	as_root
	mkdir -p given/root/{bin,lib,lib64,lib/x86_64-linux-gnu}
	cp /bin/dash /bin/cat /bin/ls given/root/bin/
	cp -L /lib/x86_64-linux-gnu/{libc.so.6,libselinux.so.1,libpcre2-8.so.0} given/root/lib/x86_64-linux-gnu/
	cp -L /lib64/ld-linux-x86-64.so.2 given/root/lib64/
	# Inside, ld.so finds no library to preload, and says so whichever it is.
	filter='/object .* from LD_PRELOAD cannot be preloaded/d'
	alike chroot root /bin/dash -c 'cd /; /bin/ls; /bin/cat /bin/nothing; exit 4'
	alike perl -e 'chroot "root" or die; chdir "/"; open F, ">file"; print F "x" x 100000; close F; print -s "file", "\n";
		system "/bin/dash", "-c", "exit 5"; exit($? >> 8)'
}

@test "namespaces of its own" {
	as_root
	unshare --user --map-root-user true || skip "no user namespaces here"
	alike unshare --user --map-root-user id
	alike unshare --user --map-root-user --mount --uts --ipc --net sh -c 'id -u; hostname inner; hostname; ls /sys/class/net; exit 6'
	threads=vary	# insideme-run does not sample other pid namespaces: a thread within does
	alike unshare --pid --fork --mount-proc sh -c 'echo $$; (exit 3); echo $?; ls -d /proc/[0-9]* | head -1; exit 7'
	alike unshare --pid --fork --mount-proc --kill-child bash -c 'sleep 0.05 & wait; kill -TERM $$; exit 8'
	alike unshare --mount sh -c 'mount -t tmpfs none "$PWD"; cd "$PWD"; ls -a'
	alike unshare --time --monotonic 100000 sh -c 'cut -c1-2 /proc/uptime >/dev/null; exit 9'
}

@test "filters of system calls: man, file" {
	needs man file
	mkdir given && cp "$build/insideme.7" given/
	# Its filter lets no directory be made: what runs under it says once that it is not recorded.
	filter='/^insideme: cannot use directory .*: Function not implemented; not recording$/d'
	alike man -l insideme.7
	alike file /bin/sh /etc/passwd insideme.7
}

@test "a filter by python for all threads, set while others run" {
	needs python3
	mkdir given && cat >given/given.py <<-'END'
		import ctypes, struct, threading, os
		libc = ctypes.CDLL(None, use_errno=True)
		# Kills at fallocate, mmap of files, openat; allows all else.
		code = [(0x20, 0, 0, 0)] + [(0x15, 0, 1, number) for number in ()]
		for number in (285, 257, 2, 56, 435):
		    code += [(0x15, 0, 1, number), (6, 0, 0, 0x80000000)]
		code.append((6, 0, 0, 0x7fff0000))
		data = b"".join(struct.pack("HBBI", *line) for line in code)
		buffer = ctypes.create_string_buffer(data)
		program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(buffer))
		stop = threading.Event()
		sums = []
		def spin():
		    while not stop.is_set(): sum(range(1000))
		    sums.append(1)
		threads = [threading.Thread(target=spin) for _ in range(4)]
		[thread.start() for thread in threads]
		libc.prctl(38, 1, 0, 0, 0)
		print(libc.syscall(317, 1, 1, program), flush=True)
		blocks = [bytearray(100000) for _ in range(2000)]
		stop.set()
		[thread.join() for thread in threads]
		print(sum(sums), len(blocks), flush=True)
		os.kill(os.getpid(), 15)
	END
	alike /usr/bin/python3 given.py
	same "status" "$(cat outside/status)" 143
}

# What the log needs must not be taken from what the program is left.
@test "limits: memory, files, their size, processes, stack, locked memory, time" {
	alike prlimit --as=300000000 perl -e 'print length("x" x 50_000_000), "\n"; $x = "y" x 400_000_000; print "not reached\n"'
	alike prlimit --data=100000000 perl -e 'print length("x" x 20_000_000), "\n"; $x = "y" x 200_000_000; print "not reached\n"'
	alike prlimit --nofile=6 bash -c 'exec 3</dev/null 4</dev/null 5</dev/null; exec 6</dev/null; echo $?; echo here'
	filter='/LD_PRELOAD cannot be preloaded/d'
	alike prlimit --nofile=3 sh -c 'echo three; cat </dev/null; /bin/echo more'
	filter=
	filter='/^insideme: cannot /d'	# the line itself may meet the limit
	alike prlimit --fsize=0 sh -c ': >file; cat /etc/passwd >file'
	alike prlimit --fsize=100 sh -c '/bin/echo something >file; ls -s file'
	alike prlimit --fsize=5000 perl -e '$SIG{XFSZ} = "IGNORE"; open F, ">file"; syswrite(F, "x" x 9000); print -s "file", "\n"; system "true"; print $?'
	alike prlimit --stack=200000 bash -c 'f() { [ $1 = 0 ] || f $(($1 - 1)); }; f 50; echo fine'
	alike prlimit --memlock=0 sh -c 'ulimit -l; /bin/true'
	alike prlimit --core=0 sh -c 'kill -SEGV $$'
	alike prlimit --cpu=1 perl -e 'while (1) { $x++ }'
}

@test "few processes allowed" {
	for_nobody
	chmod 777 "$BATS_TEST_TMPDIR"
	filter=$said
	alike setpriv --reuid 64321 --clear-groups prlimit --nproc=1 sh -c 'ulimit -u; exit 3'
	alike setpriv --reuid 64321 --clear-groups prlimit --nproc=2 perl -e 'my $pid = fork; die "no fork\n" unless defined $pid;
		if (!$pid) { exit 4 } wait; print $? >> 8, "\n"'
}

@test "every descriptor closed, by close, close_range, closefrom" {
	cat >closes.c <<-'END'
		#define _GNU_SOURCE
		#include <dirent.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static int work(int n) { return n + 1; }
		int main(int argc, char **argv)
		{
			int sum = 0, out = dup(1), last;
			for (int i = 0; i < 1000; i++)
				sum = work(sum);
			if (*argv[1] == 'c')
				for (int fd = 0; fd < 10000; fd++)
					close(fd);
			else if (*argv[1] == 'r')
				close_range(0, ~0u, 0);
			else
				closefrom(0);
			last = open("/dev/null", O_RDWR);
			for (int i = 0; i < 1000; i++)
				sum = work(sum);
			open("left", O_WRONLY | O_CREAT, 0644);
			dprintf(1, "%d %d %d %d %p\n", sum, out, last, argc, (void *)opendir("/nowhere"));
			if (fork() == 0)
				_exit(work(6));
			wait(NULL);	/* a child that outlives insideme-run samples itself */
			return open("/dev/null", O_RDONLY);
		}
	END
	gcc -w -g -finstrument-functions closes.c -o closes
	for way in close range from; do
		alike "$PWD/closes" $way
		same "what it wrote" "$(cat outside/files/left)" "2000 $(cut -d' ' -f2- plain/files/left)"
	done
}

@test "a daemon: two forks, a session of its own, no descriptors" {
	cat >daemon.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(void)
		{
			FILE *file;
			if (daemon(1, 0))
				return 1;
			file = fopen("said", "w");
			fprintf(file, "%d %d\n", getsid(0) == getppid(), (int)lseek(3, 0, SEEK_CUR));
			fclose(file);
			rename("said", "done");
			return 7;
		}
	END
	gcc daemon.c -o daemon
	# A subreaper, which waits for the daemon.
	alike perl -e 'syscall 157, 36, 1, 0, 0, 0; system @ARGV; print $? >> 8, "\n"; print $? >> 8, "\n" while wait > 0' "$PWD/daemon"
}
