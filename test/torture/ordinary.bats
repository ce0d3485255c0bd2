#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ordinary programs, the slow and the big ones; the quick ones are in run/ordinary.bats.
load ../run/lib
load ../run/alike

@test "node: workers, child processes, files, compression" {
	needs node
	threads=vary limit=120
	mkdir given && cat >given/given.js <<-'END'
		const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
		const { execFileSync, spawn } = require('child_process');
		const zlib = require('zlib'), fs = require('fs'), crypto = require('crypto');
		if (!isMainThread) {
			let sum = 0;
			for (let i = 0; i < 1e6; i++) sum += i % (workerData + 1);
			parentPort.postMessage(sum);
		} else {
			const all = [1, 2, 3, 4].map(n => new Promise(done =>
				new Worker(__filename, { workerData: n }).on('message', done)));
			Promise.all(all).then(sums => {
				console.log(sums, execFileSync('sh', ['-c', 'echo child']).toString());
				const packed = zlib.gzipSync(Buffer.alloc(1e6, 'abc'));
				fs.writeFileSync('packed', packed);
				console.error(crypto.createHash('sha256').update(packed).digest('hex'));
				spawn('sh', ['-c', 'kill -TERM $$']).on('exit', (code, signal) => {
					console.log(code, signal);
					process.exit(6);
				});
			});
		}
	END
	alike node given.js
}

@test "java: threads, a child, the collector, exit" {
	needs java javac
	threads=vary limit=120
	cat >Given.java <<-'END'
		public class Given {
			public static void main(String[] arguments) throws Exception {
				Thread[] threads = new Thread[8];
				long[] sums = new long[8];
				for (int i = 0; i < 8; i++) {
					int mine = i;
					threads[i] = new Thread(() -> { for (int k = 0; k < 3000000; k++) sums[mine] += k % (mine + 1); });
					threads[i].start();
				}
				for (Thread thread : threads) thread.join();
				System.out.println(java.util.Arrays.toString(sums));
				System.out.println(new ProcessBuilder("sh", "-c", "exit 4").start().waitFor());
				for (int i = 0; i < 200; i++) sums[i % 8] += new byte[1 << 20].length;
				System.gc();
				int[] none = null;
				try { none[0] = 1; } catch (NullPointerException error) { System.err.println("no array"); }
				try { deeper(0); } catch (StackOverflowError error) { System.err.println("too deep"); }
				System.exit(5);
			}
			static int deeper(int n) { return deeper(n + 1) + 1; }
		}
	END
	mkdir given && javac -d given Given.java
	alike java Given
}

@test "python: many forks beside threads, a pool that is terminated, signals, a subprocess each" {
	needs python3
	mkdir given && cat >given/given.py <<-'END'
		import concurrent.futures, os, signal, subprocess, sys, threading, time
		stop = threading.Event()
		def spin():
		    while not stop.is_set(): sum(range(100))
		threads = [threading.Thread(target=spin) for _ in range(3)]
		[thread.start() for thread in threads]
		statuses = []
		for i in range(100):
		    pid = os.fork()
		    if pid == 0:
		        os._exit(i % 7)
		    statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
		print(statuses)
		caught = []
		signal.signal(signal.SIGALRM, lambda *_: caught.append(1))
		signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
		while len(caught) < 100: time.sleep(0.01)
		signal.setitimer(signal.ITIMER_REAL, 0)
		print(len(caught) >= 100)
		with concurrent.futures.ThreadPoolExecutor(8) as pool:
		    print(list(pool.map(lambda n: subprocess.run(["sh", "-c", f"exit {n}"]).returncode, range(20))))
		stop.set()
		[thread.join() for thread in threads]
		os.kill(os.getpid(), signal.SIGUSR1)
	END
	alike python3 given.py
}

@test "a shell loop of 300 programs, in pipes and in the background" {
	alike bash -c 'for i in {1..100}; do echo $i | cat | wc -l; done | sort | uniq -c; for i in {1..100}; do /bin/true & done; wait; echo $?'
}

@test "make -j of a project of C and C++" {
	mkdir given
	for i in {1..12}; do
		printf '#include <map>\n#include <string>\nint part_%d(int n) { std::map<int, std::string> m; m[n] = "x"; return (int)m.size(); }\n' \
			$i >given/part_$i.cpp
	done
	printf 'int part_1(int), part_12(int);\nint main() { return part_1(3) + part_12(4); }\n' >given/main.cpp
	cat >given/Makefile <<-'END'
		main: main.o $(patsubst %,part_%.o,1 2 3 4 5 6 7 8 9 10 11 12)
			$(CXX) -o $@ $^
	END
	filter='s/^(sh: 0=)[^ ]*/\1/'
	alike sh -c 'make -s -j4 CXX="g++ -O1 </dev/null"; ./main'
	alike sh -c 'make -s -j4 CXX="clang++ -O1 </dev/null"; ./main'
}

# Each signal that ends a process, sent by itself, with and without a core.
@test "deaths by every signal" {
	for signal in {1..16} {23..27} 29 30 31 34 64; do
		[ $signal = 9 ] || alike perl -e "kill $signal, \$\$; sleep 1; print 'lives'"
	done
	alike perl -e 'kill 9, $$'
}

# gdb reads the same from both.
@test "a core dump" {
	ulimit -c unlimited
	[ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip "core_pattern is not core"
	for launcher in "env X=1" "env LD_PRELOAD=$library" "$build/insideme-run --quiet --"; do
		mkdir dump && cd dump
		status=0
		$launcher "$bin/life" abort 2>../said || status=$?
		same "status of $launcher" $status 134
		gdb -batch -nx -ex bt "$bin/life" core* 2>/dev/null | sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\?//p' | sed 's/ (.*//' >../now
		[[ $(cat ../now) == *work*main* || $(cat ../now) == *abort*main* ]]
		cd .. && rm -r dump
		[ ! -e stack ] || diff stack now
		mv now stack
	done
}

# The thread of the recorder shows where it is inside.
@test "under gdb: breakpoints, steps, a call of a function, variables" {
	filter='/^\[/d; s/^Thread [0-9]+ "[^"]*" hit //; s/0x[0-9a-f]+/ADDRESS/g'
	alike gdb -batch -nx -ex 'break level_3' -ex run -ex bt -ex next -ex next -ex finish \
		-ex 'print (int)getpid() == $_inferior' -ex 'info locals' -ex continue --args "$bin/ends" exit
	[[ $(cat outside/stdout) == *level_3*level_2*main* ]]
	filter="$filter; s/^Thread [0-9]+ \"[^\"]*\" received/Program received/"
	alike gdb -batch -nx -ex run -ex bt --args "$bin/ends" segv
}

@test "under strace -f, and the program's own calls" {
	alike sh -c 'strace -f -e trace=write,execve -o calls.all sh -c "echo hello; cat /nonexistent; exit 5"; echo $?
		grep -Eo "write.*(hello|nonexistent).*|execve\([^,]*" calls.all >calls; rm calls.all'
	[ "$(wc -l <outside/files/calls)" -ge 4 ]
}

@test "under valgrind: memcheck finds the same errors, helgrind the same races" {
	cat >wrong.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		static int shared;
		static void *add(void *unused) { shared++; return unused; }
		int main(void)
		{
			pthread_t thread;
			char *volatile block = malloc(10);
			pthread_create(&thread, NULL, add, NULL);
			add(NULL);
			pthread_join(thread, NULL);
			block[10] = 1;
			free(block);
			return block[3] ? 1 : 2;
		}
	END
	gcc -g -O0 -finstrument-functions -pthread wrong.c -o wrong
	filter='s/^==[0-9]+== ?//; s/0x[0-9A-Fa-f]+/ADDRESS/g; s/[0-9]+ bytes/N bytes/; /^(Using|Copyright|Command|Parent|total heap)/d'
	limit=120
	alike valgrind -q --error-exitcode=9 "$PWD/wrong"
	[[ $(cat plain/stderr) == *"Invalid write"*"Invalid read"* ]]
	filter='/data race/!d; s/.*(data race) .*/\1/'
	alike valgrind -q --tool=helgrind --error-exitcode=9 "$PWD/wrong"
	[[ $(cat plain/stderr) == *"data race"* ]]
}
