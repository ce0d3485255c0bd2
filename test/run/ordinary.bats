#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ordinary programs run as they do without the library: see alike. The slow and the big ones are in torture/.
load lib
load alike

@test "dash" {
	alike dash -c 'for i in 1 2 3; do /bin/echo $i; done; echo error | cat >&2; (exit 4) || exit $?'
}

@test "bash: pipes, jobs, traps, descriptors" {
	alike bash -c 'exec 7>seven 8<<<here; cat <&8 >&7; sort <(seq 50) | tail -1; sleep 0.01 & wait $!; echo $?
		trap "echo trapped; exit 5" TERM; kill $$; echo not here'
}

@test "a shell that dies by a signal" {
	alike bash -c '/bin/echo before; kill -KILL $$'
}

@test "perl: fork, pipes, wait" {
	alike perl -e '$| = 1; for (1..3) { if (!fork) { exit $_ } wait; print $? >> 8, "\n" }
		open $ls, "-|", "ls", "/usr"; print <$ls>; print STDERR `id -u`; $x{$_} = "a" x $_ for 1..2000; exit 6'
}

@test "awk, find, xargs -P, sort, sed, wc" {
	alike sh -c 'find /usr/share/iso-codes -type f | sort | xargs -P2 -n1 cat | wc -c
		sort --parallel=2 -S1M /usr/share/dict/words | sed -n "s/ing$//p" | awk "{n += length} END {print n}"'
}

@test "git" {
	export GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z HOME=$PWD
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	alike sh -c 'git init -q -b main . && seq 1000 >numbers && git add . && git commit -qm first && seq 2000 >numbers &&
		git commit -qam second && git gc -q && git log --stat && git status && git diff HEAD~1 | tail -1
		rm .git/index; git nonsense'
}

@test "tar and xz" {
	mkdir given && cp -a /usr/include/elfutils given/tree
	alike sh -c 'tar -cf tree.tar --sort=name tree && xz -T2 -k tree.tar && tar -xJf tree.tar.xz --transform=s/tree/again/ &&
		diff -r tree again && sha256sum tree.tar.xz; xz -d nowhere.xz'
}

@test "sqlite3" {
	alike sqlite3 base 'create table t (a integer primary key, b text);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, hex(i) from n;
		create index byb on t (b); select count(*), max(b) from t where b like "3%"; select nonsense;'
}

@test "gcc, make -j, ld, ar" {
	mkdir given
	for i in 1 2 3 4; do
		echo "int part_$i(int n) { return n * $i; }" >given/part_$i.c
	done
	printf '#include <stdio.h>\nint part_4(int);\nint main(void) { printf("%%d\\n", part_4(5)); unused: return 3; }\n' >given/main.c
	printf 'main: main.o parts.a\n\t$(CC) -o $@ $^\nparts.a: $(patsubst %%,part_%%.o,1 2 3 4)\n\t$(AR) rcsD $@ $^\n' >given/Makefile
	filter='s/^(sh: 0=)[^ ]*/\1/'	# one job has make's own
	alike sh -c 'make -s -j2 CC="gcc -Wall </dev/null" AR="ar </dev/null" 2>&1 | sort; ./main'
}

python=/usr/bin/python3

@test "python: threads, processes, fork" {
	needs $python
	cat >given.py <<-'END'
		import os, subprocess, sys, threading, multiprocessing
		def work(n): return sum(i * i for i in range(n))
		if __name__ == "__main__":
		    threads = [threading.Thread(target=work, args=(1000,)) for _ in range(8)]
		    [thread.start() for thread in threads]
		    [thread.join() for thread in threads]
		    pool = multiprocessing.Pool(2)
		    print(pool.map(work, range(0, 2000, 100)), flush=True)
		    pool.close(); pool.join()
		    pid = os.fork()
		    if pid == 0: os._exit(9)
		    print(os.waitpid(pid, 0)[1], subprocess.run(["sh", "-c", "exit 7"]).returncode, len(os.listdir("/proc/self/fd")))
		    print(len(os.listdir("/proc/self/task")) <= 2, file=sys.stderr)
		    sys.exit(8)
	END
	mkdir given && mv given.py given/
	alike $python given.py
}
