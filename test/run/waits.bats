#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What library calls waited for: by which call, for which object, how long, and who held it.
load lib
load waits
all_views=" "

@test "locks, their holders, files and sleeps have names" {
	local program
	for program in locks locks.clang; do
		rm -rf insideme.data waits.csv
		record $program
		quiet
		same "what the program printed" "$(cat stdout)" 20
		same "which lock" "$(waits object function=pthread_mutex_lock caller='updater;update' |
			sort -u)" table_lock
		same "who held it" "$(waits holder_thread_name function=pthread_mutex_lock object=table_lock |
			sort -u)" $program
		waits holder function=pthread_mutex_lock | grep -qx 'holder;keep;sleep_us;nanosleep'
		between "waits for the lock, ms" 20 \
			"$(($(sum total_ns function=pthread_mutex_lock) / 1000000))" 200
		same "sleeps" "$(sum calls caller='main;pace;sleep_us')" 10
		between "asleep, ms" 10 "$(($(sum total_ns caller='main;pace;sleep_us') / 1000000))" 200
		same "bytes" "$(sum bytes caller='main;save' function=write object="$PWD/waits.out")" 100
		same "writes" "$(sum calls caller='main;save' function=write object="$PWD/waits.out")" 100
		same "joins" "$(waits calls caller=main function=pthread_join | xargs)" "1 1"
		same "barrier" "$(waits kind caller=holder function=pthread_barrier_wait)" barrier
	done
}

@test "the same without hooks: by the symbol of the function that calls" {
	record locks.plain
	quiet
	same "which lock" "$(waits object function=pthread_mutex_lock caller=update | sort -u)" table_lock
	same "sleeps" "$(sum calls caller=sleep_us)" 70
	same "bytes" "$(sum bytes caller=save function=write object="$PWD/waits.out")" 100
	same "functions" "$(view functions | wc -l)" 1
}

# waited_in CALLER FUNCTION...: each for about as long as the program's children let it wait
waited_in() {
	local function ms
	for function in "${@:2}"; do
		ms=$(($(sum total_ns function=$function caller="$1") / 1000000))
		[ $ms -ge 40 ] || { echo "$function in $1: $ms ms"; return 1; }
	done
}

@test "stdio, opens, locks of files, commands and futexes that block have names" {
	local program
	for program in streams streams.clang; do
		rm -rf insideme.data waits.csv fifo
		record $program
		quiet
		same "what the program printed" "$(cat stdout)" ""
		waited_in 'main;read_lines' fgets fread getdelim getc
		waited_in 'main;print_lines;write_lines' fprintf
		waited_in 'main;close_late;write_lines' fclose
		waited_in 'main;open_fifo' open
		waited_in 'main;lock_file' fcntl
		waited_in 'main;run_commands' system pclose
		waited_in 'main;wait_futex' futex
		waited_in 'main;scan_numbers' fscanf
		waited_in 'main;print_to_descriptor' dprintf
		waited_in 'main;open_stream' fopen
		waited_in 'main;await_others' semop msgrcv
		same "which FIFO" "$(waits object function=fopen caller='main;open_stream')" "$PWD/fifo"
		same "bytes of a message" "$(waits bytes function=msgrcv)" 4
		same "which file was locked" "$(waits object function=fcntl)" "$PWD/locked.out"
		[ "$(sum calls function=putc caller='main;put_bytes')" -le 10 ] || return 1
	done
}

@test "the name of a file that is opened often is read once, and again if its path leads elsewhere" {
	needs_strace
	cat >reopen.c <<-'END'
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 1000; i++) {
				if (i % 250 == 0 && (unlink("way"), symlink(i == 500 ? "second" : "first", "way")) != 0)
					return 1;
				close(open("way", O_RDONLY));
				fclose(fopen("third", "r"));
			}
			return 0;
		}
	END
	gcc -g -finstrument-functions reopen.c -o reopen
	touch first second third
	strace -f -o trace -e trace=readlink,readlinkat -E LD_PRELOAD="$library" ./reopen
	view waits >waits.csv
	same "opens of the first" "$(waits calls function=open object="$PWD/first")" 750
	same "opens of the second" "$(waits calls function=open object="$PWD/second")" 250
	same "opens of the third" "$(waits calls function=fopen object="$PWD/third")" 1000
	between "names read" 3 "$(grep -c /proc/self/fd/ trace)" 50
}

@test "a line that the buffer ends within is read from the file, any other is not a wait" {
	printf '%99s\n' $(seq 100) >lines	# 10,000 bytes
	echo '#define _GNU_SOURCE
	      #include <stdio.h>
	      #define READ(name, type, call, no) void name(void) { FILE *file = fopen("lines", "r"); type line; \
	      	setvbuf(file, NULL, _IOFBF, 4096); while ((line = call) != no); fclose(file); }
	      static char text[200], large[6000], *rest; static size_t size;
	      READ(by_fgets, char *, fgets(text, 200, file), NULL)
	      READ(by_getline, ssize_t, getline(&rest, &size, file), -1)
	      READ(by_pieces, char *, fgets(text, 11, file), NULL)
	      READ(by_words, ssize_t, getdelim(&rest, &size, 0, file), -1)
	      READ(by_blocks, size_t, fread(text, 1, 200, file), 0)
	      READ(by_large_blocks, size_t, fread(large, 1, 6000, file), 0)
	      int main(void) { by_fgets(); by_getline(); by_pieces(); by_words(); by_blocks(); by_large_blocks();
	      	return 0; }' |
		tee read_lines.c | gcc -O1 -finstrument-functions -x c - -o read_lines
	monitor -q -- ./read_lines
	"$report" -v waits -f csv >waits.csv
	# 4096, 4096 and 1808 bytes, and none at the end; pieces of 10 bytes end with the file; what has seen the
	# end reads no more
	same "fgets" "$(sum calls function=fgets caller='main;by_fgets')" 4
	same "getline" "$(sum calls function=getdelim caller='main;by_getline')" 4
	same "pieces" "$(sum calls function=fgets caller='main;by_pieces')" 4
	same "the whole file" "$(sum calls function=getdelim caller='main;by_words')" 1
	# 3 as above; the last block ends with the file, and the next one finds the end
	same "blocks" "$(sum calls function=fread caller='main;by_blocks')" 4
	same "large blocks" "$(sum calls function=fread caller='main;by_large_blocks')" 3
	tr '\n' ' ' <lines >one_line && mv one_line lines
	sed 's/text, 200/text, 199/' read_lines.c | gcc -O1 -finstrument-functions -x c - -o read_lines
	monitor -q --run=long -- ./read_lines
	"$report" -v waits -f csv long >waits.csv
	# the last piece finds the end; the call behind it reads nothing
	same "of a line in pieces of 198 bytes" "$(sum calls function=fgets caller='main;by_fgets')" 4
}

@test "a seek fills the buffer of a stream that reads: that is a wait, a seek within the buffer is none" {
	needs_strace
	head -c 40960 /dev/zero >blocks
	gcc -g -O1 -finstrument-functions -x c - -o seek <<-'END'
		#define _GNU_SOURCE
		#include <stdio.h>
		void look(FILE *file, long at, int whence)
		{
			char record[16];
			if (fseek(file, at, whence) != 0 || fread(record, 1, 16, file) != 16)
				puts("wrong");
		}
		int main(void)
		{
			FILE *file = fopen("blocks", "r");
			setvbuf(file, NULL, _IOFBF, 4096);
			for (int i = 0; i < 10; i++) {
				look(file, i * 7 % 10 * 4096 + 100, SEEK_SET);	/* another block */
				look(file, i * 7 % 10 * 4096 + 4000, SEEK_SET);	/* the same */
				look(file, -500, SEEK_CUR);
			}
			return fclose(file);
		}
	END
	strace -f -o trace -e trace=read -e inject=read:delay_enter=2000:when=3+ -E LD_PRELOAD="$library" ./seek >stdout
	same "what it printed" "$(cat stdout)" ""
	same "reads" "$(grep -c '"\\0' trace)" 11 # the first seek reads up to its place
	view waits >waits.csv
	same "seeks that read" "$(waits calls function=fseek caller='main;look' object="$PWD/blocks")" 10
	between "ms" 20 "$(($(sum total_ns function=fseek) / 1000000))" 1000
	same "reads beside them" "$(waits calls function=fread)" 1
}

@test "calls that read, write and copy in other ways have names and bytes" {
	head -c 4096 /dev/zero >from
	gcc -g -O1 -finstrument-functions -x c - -o kin <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/uio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			char text[8];
			struct iovec at = { text, 8 };
			int ends[2], other[2], from = open("from", O_RDONLY), to = open("to", O_RDWR | O_CREAT, 0600);
			if (pipe(ends) || pipe(other))
				return 1;
			if (fork() == 0) {
				for (int i = 0; i < 2; i++)
					if (usleep(50000) || write(ends[1], "abcdefgh", 8) != 8)
						_exit(1);
				_exit(0);
			}
			if (preadv2(ends[0], &at, 1, -1, 0) != 8 || tee(ends[0], other[1], 8, 0) != 8 ||
			    vmsplice(other[1], &at, 1, 0) != 8 || pwritev2(to, &at, 1, -1, 0) != 8)
				return 1;
			return copy_file_range(from, NULL, to, NULL, 4096, 0) == 4096 && wait(NULL) > 0 ? 0 : 1;
		}
	END
	LD_PRELOAD=$library ./kin
	waited_in main preadv2 tee
	same bytes "$(for call in preadv2 tee vmsplice pwritev2 copy_file_range; do
		sum bytes caller=main function=$call; done | xargs)" "8 8 8 8 4096"
	same "what was copied" "$(waits object function=copy_file_range)" "$PWD/from"
}

@test "OpenMP: barriers, loops that wait for their team, sections, locks and ends of regions have names" {
	local name program
	for program in barriers barriers.clang; do
		rm -rf insideme.data waits.csv
		record $program
		quiet
		for name in 'omp barrier' 'omp critical' 'omp lock'; do
			between "$name, ms" 20 "$(($(sum total_ns function="$name") / 1000000))" 100000
		done
		same "critical sections that were not free" "$(sum calls function='omp critical')" 1
		same "locks that were not free" "$(sum calls function='omp lock')" 2
		between "at a region's end, ms" 20 \
			"$(($(sum total_ns function='omp parallel' caller='main;last') / 1000000))" 100000
		same "ends" "$(sum calls function='omp parallel' caller='main;last')" 1
		same "begins" "$(sum calls function='omp start' caller='main;last')" 1
		same "how the team is waited for" "$(waits function function=pthread_cond_wait caller='main;last;omp parallel')" ''
		same "whose functions they are" "$("$report" -v functions --top 0 | grep -o 'omp .* (.*)' |
			sed 's/.*(//' | sort -u)" "openmp)"
		[ $program != barriers ] || {
			between "omp for, ms" 20 "$(($(sum total_ns function='omp for') / 1000000))" 100000
			same "which section" "$(waits object function='omp critical' kind=lock | sort -u)" \
				.gomp_critical_user_turn
		}
	done
}

# lines_of FUNCTION: the source's lines that its waits come from, without duplicates
lines_of() {
	waits source function="$1" | grep -o 'waits_cpp.cpp:[0-9]*' | sort -u | while IFS=: read -r _ line; do
		sed -n "${line}s/^[\t ]*//p" "$here/../programs/waits_cpp.cpp"
	done | sort -u
}

@test "waits that come through a library are shown at the program's own line, files in one row" {
	local program file
	for file in {0..19}; do
		printf '12345\n678\n' >"file.$file"
	done
	for program in waits_cpp waits_cpp.clang; do
		rm -rf insideme.data waits.csv
		record $program
		quiet
		same "what $program read" "$(cat stdout)" 160
		same "joins" "$(lines_of pthread_join | xargs -d'\n')" \
			"first.join(); maker.join(); second.join();"
		same "condition" "$(lines_of pthread_cond_wait)" "is_ready.wait(guard);"
		same "which condition" "$(waits object function=pthread_cond_wait)" store::is_ready
		same "files" "$(waits object function=read | grep -c "^$PWD/file.[0-9]*$")" 20
		"$report" -v waits | sed -n '1,/^each object/p' | tr -s ' \n' ' ' >page
		grep -oE "read $PWD/file.[0-9]* and 19 others in " page
	done
}

@test "forked workers that do nothing but wait have their waits, and a row of one process has its pid" {
	local program
	for program in waiting_workers waiting_workers.plain; do
		rm -rf insideme.data waits.csv
		record $program
		quiet
		same "naps" "$(sum calls function=nanosleep)" 24
		between "events, ms" 250 "$(($(sum total_ns function=epoll_wait) / 1000000))" 2000
		between "events" 15 "$(sum calls function=epoll_wait)" 20
		same "whose" "$(waits pid function=wait)" "$(cat stdout)"
		"$report" -v waits | grep -qE "^each object; without a Pid" || return 1
		"$report" -v waits | grep -qE " $(cat stdout) +wait in main" || return 1
	done
}

@test "a forked child of a program with hooks that only sleeps has its sleeps" {
	printf '%s\n' '#include <sys/wait.h>' '#include <unistd.h>' 'int main(void) {' \
		'if (!fork()) { for (int i = 0; i < 100; i++) usleep(2000); _exit(0); }' \
		'return wait(NULL) < 0; }' | gcc -O1 -g -finstrument-functions -x c - -o child
	"$build/insideme-run" --quiet -- ./child
	between "sleeps, without those of the first 5 ms" 95 "$(sum calls function=usleep caller=main)" 100
}

@test "calls that were cancelled are counted" {
	record waiting_workers cancel
	quiet
	same "cancelled" "$(sum calls function=sem_wait)" 3
	"$report" -v waits | grep -E ' ms +3 +[0-9.]+ ms +sem_wait in wait_for_work'
}

# named PROGRAM ARGS...: how much of its threads' blocked time has a name, in percent
named() {
	rm -rf insideme.data waits.csv
	INSIDEME_INTERVAL=10ms record "$@"
	"$report" -v waits | tr -s ' \n' ' ' |
		grep -oE '[0-9]+ % of the time that threads were blocked has a name' | cut -d' ' -f1
}

@test "at least 95 % of blocked time has a name" {
	between streams 95 "$(named streams)" 100
	between uses 95 "$(named uses sleeps 500)" 100
	between causes 95 "$(named causes keep)" 100
	between barriers 95 "$(named barriers)" 100
	between unseen_waits 95 "$(named unseen_waits)" 100
	rm -rf insideme.data
	INSIDEME_INTERVAL=10ms record barriers
	[ "$(sum samples function=futex)" -ge 3 ] # idle workers of OpenMP
}

# is_blocked PID: in a futex, in both threads
is_blocked() { [ "$(cat /proc/$1/task/*/syscall 2>/dev/null | grep -cE '^(202|34) ')" = 2 ]; }

@test "a deadlock that was killed says which lock and who holds it" {
	LD_PRELOAD=$library "$bin/locks" for_ever >stdout 2>stderr &
	local pid=$!
	wait_until is_blocked $pid
	kill -KILL $pid
	wait $pid || true
	same "lock" "$(waits object function=pthread_mutex_lock caller='main;update' open_calls=1)" table_lock
	same "holder" "$(waits holder function=pthread_mutex_lock open_calls=1 | cut -d';' -f1)" for_ever
}

@test "--waits=off: no library call is recorded" {
	INSIDEME_WAITS=off record locks
	quiet
	same "waits" "$(waits calls | wc -l)" 0
	same "calls of libc" "$(view functions | "$here/csv" function | grep -c nanosleep)" 0
}

@test "errno, signals, cancellation, jumps and kinds of locks are as without us" {
	local program
	for program in wait_faults wait_faults.clang wait_faults.plain; do
		rm -rf insideme.data
		record $program
		quiet
		same "what $program found" "$(cat stdout)" ok
		"$report" -v quality >quality
		! grep -i damaged quality || return 1
		monitor -q -- "$bin/$program"
		same "what $program found under insideme-run" "$(cat stdout)" ok
		INSIDEME_WAITS=off record $program
		same "what $program found without waits" "$(cat stdout)" ok
	done
}

@test "where threads wait, the first page is sorted by CPU time and has three shares of it" {
	local shares
	often
	record uses sleeps 300
	"$report" >page
	read -ra shares < <(grep -oE '[0-9]+ %( on a processor| ready| blocked)' page | grep -oE '^[0-9]+' |
		xargs)
	same "shares of elapsed time" $((shares[0] + shares[1] + shares[2])) 100
	between "blocked, %" 1 "${shares[2]}" 100
	grep -q '^ *Self CPU .*Self blocked .*Function' page
	grep -q '^ *Elapsed .*Blocked .*Call, what it waited for' page
	between "blocked time of the sleep" 1 "$(sum blocked_ns function=usleep)" "$(sum total_ns function=usleep)"
	same "the same in both views, us" $(($(sum blocked_ns function=usleep) / 1000)) \
		"$(view functions --columns function,self_blocked_ns | "$here/csv" self_blocked_ns function=usleep |
			awk '{printf "%d", $1 / 1000}')"
	grep -A1 "^ *Self CPU" page | grep -wE "work|clock_of"
	between "CPU time of all functions, at most the process's, ms" 0 \
		"$(view functions --columns self_cpu_ns | awk '{sum += $1} END {printf "%d", sum / 1e6}')" \
		"$(view processes | "$here/csv" cpu_ns | awk '{printf "%d", $1 / 1e6 + 1}')"
}

@test "without rows of a thread it is not known how much of its reads it was blocked" {
	INSIDEME_INTERVAL=0 record io data
	same "calls" "$(waits calls function=pread)" 1024
	same "blocked time of reads" "$(waits blocked_ns function=pread)" ""
	same "of sleeps" "$(waits blocked_ns function=usleep)" "$(waits total_ns function=usleep)"
}

@test "with samples too, functions show the CPU time that they are sorted by" {
	often
	INSIDEME_TIMING=exact INSIDEME_SAMPLE=250 record uses sleeps 300
	"$report" -v functions >page
	grep -q 'functions by self_cpu_ns' page
	grep -qE '^ *Self CPU +Sampled .*Self blocked .*Function' page
}

# first_rows VIEW WORD: is it in the first five rows of the view's table, or of the first page's part that
# begins with VIEW?
first_rows() {
	if [[ $1 == [A-Z]* ]]; then
		COLUMNS=500 "$report" | sed -n "/^$1\\( \\|\$\\)/,/^$/p" >page
	else
		COLUMNS=500 "$report" -v "$1" >page
	fi
	sed '1,/^ *\(Self\|Self CPU\|Elapsed\|Total\|At peak\|Most-mean\)  /d' page | head -5 >rows
	grep -qw "$2" rows || { echo "no $2 in $1:"; cat page; return 1; }
}

# cause CAUSE PLACE WORDS...: each must be in the first rows there
cause() {
	local place=$2 word
	rm -rf insideme.data
	record causes "$1"
	quiet
	for word in "$1" "${@:3}"; do
		first_rows "$place" "$word" || return 1
	done
}

@test "the first rows name a lock that is held too long, and a convoy" {
	cause keep waits "table_lock, held.* by keep"
	cause convoy waits table_lock
	cause keep Waits table_lock
	cause convoy Waits table_lock
}

@test "the first rows name output in small pieces, fsync in a loop and a sleep in a retry" {
	cause trickle Waits write small.out
	cause commit Waits fsync commits.out
	cause retry Waits nanosleep
}

@test "the first rows name a quadratic append, an expression compiled in a loop, first touches, imbalance, false sharing" {
	cause append Time
	cause compile Time
	cause first_touch Time
	cause share balance
	"$report" | grep -q 'insideme-report -v balance '
	cause count_beside Time
}

@test "the first rows name a leak by a cycle and a cache that grows" {
	cause link_back heap
	cause remember heap
}

@test "floating-point numbers print as without" {
	local how
	gcc -O2 -D_FORTIFY_SOURCE=2 "$here/../programs/prints.c" -o prints.checked
	nm -D prints.checked | grep -q __wprintf_chk
	for program in "$bin/prints" "$bin/prints.clang" ./prints.checked; do
		for how in '' wide; do
			$program $how >plain
			LD_PRELOAD=$library $program $how >stdout
			cmp plain stdout
			grep -q '^1 text 223325413.25 0.5 1.0$' stdout
		done
	done
}

@test "stdio of wide characters is a wait where it passes its buffer" {
	local program
	for program in wide_streams wide_streams.clang; do
		rm -rf insideme.data waits.csv
		record $program
		quiet
		same "what the program printed" "$(cat stdout)" ""
		waited_in 'main;read_all' fgetws fgetwc getwc fwscanf
		same "lines from the file" "$(sum calls function=fgetws caller='main;read_all')" 2
		waited_in 'main;print_all' fwprintf
		waited_in 'main;put_lines' fputws
		waited_in 'main;close_late' fclose
		between "puts that wait" 1 "$(sum calls function=fputwc caller='main;put_and_get')" 10
		between "gets that wait" 1 "$(sum calls function=fgetwc caller='main;put_and_get')" 10
		same "which file" "$(waits object function=fputwc caller='main;put_and_get')" "$PWD/characters.out"
	done
}

# at LINE: the place of a line of lock_names.c, by its comment
at() { echo "lock_names.c:$(grep -n "/\* $1 \*/" "$here/../programs/lock_names.c" | cut -d: -f1)"; }

# lock FUNCTION [CALLER]: what it waited for, and where that was initialised
lock() {
	local of=(function="$1" caller="main;${2:-others}")
	echo "$(waits object "${of[@]}" | sed 's/^0x[0-9a-f]*$/address/') $(waits object_source "${of[@]}")"
}

@test "a lock in the heap is known by the place that initialised it, or by the name that the program gave it" {
	local program
	for program in lock_names lock_names.clang; do
		rm -rf insideme.data waits.csv
		record $program
		quiet
		same "stdout" "$(cat stdout)" "0 errors"
		same "initialised" "$(lock pthread_mutex_lock 'made;take_mutex')" "address $(at made)"
		same "named" "$(lock pthread_mutex_lock 'named;take_mutex')" "queue lock "
		same "again" "$(lock pthread_mutex_lock 'again;take_mutex')" "address $(at again)"
		same "unknown" "$(lock pthread_mutex_lock 'unknown;take_mutex')" "address "
		same "rwlock" "$(lock pthread_rwlock_rdlock)" "address $(at rwlock)"
		same "semaphore" "$(lock sem_wait)" "address $(at semaphore)"
		same "mtx" "$(lock mtx_lock)" "address $(at mtx)"
		same "condition" "$(lock pthread_cond_wait conditions)" "address $(at condition)"
		same "after its end" "$(lock pthread_cond_timedwait conditions)" "address "
		same "cnd" "$(lock cnd_timedwait conditions)" "address $(at cnd)"
		same "bytes" "$(waits bytes function=sem_wait)" ""
		"$report" -v waits >page
		grep -E "sem_wait 0x[0-9a-f]+ of $(at semaphore)" page
	done
}

# line LIBRARY TEXT: the place of a line that has TEXT
line() { echo "$1.c:$(grep -n "$2" $1.c | cut -d: -f1)"; }

@test "locks and calls of libraries that are gone have the places of those, not of what came there later" {
	local library of both
	# both libraries have the same shape, so the second one comes to where the first one was
	for library in first second; do
		cat >$library.c <<-E
			#include <pthread.h>
			#include <unistd.h>
			pthread_mutex_t ${library}_lock;
			void init(pthread_mutex_t *lock)
			{
				pthread_mutex_init(lock, 0); pthread_mutex_init(&${library}_lock, 0);
			}
			pthread_mutex_t *own(void) { return &${library}_lock; }
			void wait_in_$library(pthread_mutex_t *lock) { pthread_mutex_lock(lock); pthread_mutex_unlock(lock); }
		E
		[ $library = first ] || sed -i '1i //' $library.c
		gcc -g -O1 -shared -fPIC -o $library.so $library.c
	done
	cat >main.c <<-'E'
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <time.h>
		static pthread_barrier_t held;
		static void *hold(void *lock)
		{
			pthread_mutex_lock(lock);
			pthread_barrier_wait(&held);
			nanosleep(&(struct timespec){ 0, 20000000 }, 0);
			pthread_mutex_unlock(lock);
			return 0;
		}
		static void take(pthread_mutex_t *lock, void (*wait)(pthread_mutex_t *))
		{
			pthread_t thread;
			pthread_create(&thread, 0, hold, lock);
			pthread_barrier_wait(&held);
			wait(lock);
			pthread_join(thread, 0);
		}
		static void here(pthread_mutex_t *lock) { pthread_mutex_lock(lock); pthread_mutex_unlock(lock); }
		static void late(pthread_mutex_t *lock) { take(lock, here); }
		static void *use(const char *name, const char *wait, pthread_mutex_t *lock)
		{
			void *library = dlopen(name, RTLD_NOW);
			((void (*)(pthread_mutex_t *))dlsym(library, "init"))(lock);
			take(lock, dlsym(library, wait));
			take(((pthread_mutex_t *(*)(void))dlsym(library, "own"))(), here);
			printf("%p\n", dlsym(library, "init"));
			return library;
		}
		int main(void)
		{
			pthread_mutex_t *locks = malloc(2 * sizeof(*locks));
			pthread_barrier_init(&held, 0, 2);
			dlclose(use("./first.so", "wait_in_first", &locks[0]));
			use("./second.so", "wait_in_second", &locks[1]);
			late(&locks[0]);
			return 0;
		}
	E
	gcc -g -O1 -finstrument-functions -pthread -o main main.c
	monitor -q -- ./main
	same "they were at one place" "$(uniq stdout | wc -l)" 1
	for library in first second; do
		of=(caller='main;use;take;here' object=${library}_lock)
		same "the library's own lock" "$(waits object_source "${of[@]}")" "$(line $library '(lock, 0)')"
	done
	both="$(line first '(lock, 0)') $(line second '(lock, 0)')"
	same "locks that it got" "$(waits object_source caller='main;use;take' kind=lock | sort | xargs)" "$both"
	same "late" "$(waits object_source caller='main;late;take;here')" "$(line first '(lock, 0)')"
	gcc -g -O1 -pthread -o main main.c	# then the caller is the library
	rm waits.csv
	monitor -q -- ./main
	for library in first second; do
		same "the library's call" "$(waits source caller=wait_in_$library)" "$(line $library '^void wait_in')"
	done
}

@test "a call that only asks for children has CPU time, and is not blocked" {
	cat >asks_only.c <<-'END'
		#include <signal.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static void ask(pid_t child)
		{
			for (int i = 0; i < 400000; i++)
				waitpid(child, 0, WNOHANG);
		}
		int main(void)
		{
			pid_t child = fork();
			if (child == 0)
				for (;;)
					pause();
			ask(child);
			kill(child, SIGKILL);
			return waitpid(child, 0, 0) != child;
		}
	END
	gcc -w -O1 -g -finstrument-functions asks_only.c -o asks_only
	often
	LD_PRELOAD=$library ./asks_only
	view functions --columns function,self_ns,self_blocked_ns >asked.csv
	between "% blocked of asking" 0 "$(($("$here/csv" self_blocked_ns function=waitpid <asked.csv) * 100 /
		$("$here/csv" self_ns function=waitpid <asked.csv)))" 30
}
