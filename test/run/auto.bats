#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_TIMING=auto: functions that are too short to time are counted, and samples tell their time.
load lib
load counted
export INSIDEME_TIMING=auto

@test "all calls are counted, those of short functions are not timed" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		record short_calls$compiler
		quiet
		calls main 1 spin 200000 around 100000 rarely 100000 wait_long 100 fib 242785
		between "timed calls of rarely" 1000 "$(value timed_calls function=rarely)" 80000
		same "timed calls of wait_long" "$(value timed_calls function=wait_long)" 100
		same "longest of rarely" "$(value max_ns function=rarely)" ''
		same "median of rarely" "$(value p50_ns function=rarely)" ''
	done
}

@test "functions that are to be kept are timed, by name and file" {
	local keep
	for keep in rarely 'rar*,nothing.c:f' 'short_calls.c:r*'; do
		rm -rf insideme.data functions.csv
		INSIDEME_KEEP=$keep run record short_calls
		calls spin 200000 rarely 100000 wait_long 100 fib 242785
		same "timed calls of rarely by $keep" "$(value timed_calls function=rarely)" 100000
		between "timed calls of fib" 1000 "$(value timed_calls function=fib)" 240000
	done
	rm -rf insideme.data functions.csv
	monitor --keep=f?b -- "$bin/short_calls"
	same "timed calls of fib" "$(view functions | "$here/csv" timed_calls function=fib)" 242785
	INSIDEME_KEEP=rarly LD_PRELOAD=$library "$bin/short_calls" 2>said >stdout
	grep -q "^insideme: INSIDEME_KEEP: no function that is loaded is called 'rarly'; did you mean rarely?" said
}

@test "a short program keeps all of its times" {
	LD_PRELOAD=$library "$bin/calls" >stdout || same status $? 7
	same "calls that were timed" "$("$report" -v functions -f csv --columns calls)" \
		"$("$report" -v functions -f csv --columns timed_calls | sed s/timed_//)"
	same "CPU samples" "$(view quality | grep -c '^samples' || true)" 0
}

@test "however a program is compiled, the counts are those of exact timing" {
	local compiler flags after_inlining
	for compiler in gcc clang; do
		after_inlining=
		[ $compiler = gcc ] || after_inlining="-O2 -finstrument-functions-after-inlining"
		for flags in -O0 -O1 -O2 -O3 -Os "-O2 -fno-plt" "-O2 -fcf-protection=full" \
			"-O2 -no-pie -fno-pie" "-O2 -flto" "-O2 -fuse-ld=lld" \
			"-O2 -Wl,-z,now" "-O2 -mcmodel=large" "-O2 -fno-asynchronous-unwind-tables" \
			$after_inlining; do
			echo "$compiler $flags"
			# shellcheck disable=SC2086
			$compiler -w -g -finstrument-functions $flags -pthread "$here/../programs/counted.c" -o counted
			counts ./counted
			between "counted functions" 3 "$("$report" -v functions -f csv --columns function,timed_calls,calls |
				awk -F, '$2 > 0 && $2 < $3 / 2' | wc -l)" 20
		done
	done
}

@test "sites that cross a line of the cache are changed too, while threads run them" {
	local compiler threads
	for compiler in gcc "gcc -fno-plt" clang; do
		$compiler -O2 -g -w -pthread -finstrument-functions "$here/../programs/crossing.c" -o crossing
		for threads in 1 4; do
			echo "$compiler, $threads threads"
			counts ./crossing "$threads"
			same "functions" "$(grep -c "^at_..,$((threads * 20000))\$" auto.csv)" 64
			[[ $compiler == *no-plt* ]] ||
				same "calls that go on to the hook, before" "$(cat auto.out)" "0 64"
		done
	done
}

@test "a site that compilers made of two functions' stays the slow one's" {
	local compiler
	for compiler in "gcc -Os" "clang -O2"; do
		$compiler -g -finstrument-functions "$here/../programs/merged.c" -o merged
		same "ends of \"slow\" and \"fast\" by $compiler" \
			"$(objdump -d merged | grep -c 'call.*func_exit\|jmp.*func_exit')" 6
		counts ./merged
		quiet
		same "timed calls of slow" "$(value timed_calls function=slow)" 300
		between "timed calls of fast" 1000 "$(value timed_calls function=fast)" 600000
		[[ $("$report" -v quality) != *"did not return"* ]]
	done
}

@test "functions of a plugin that is loaded again and again keep their names, and their stubs are used again" {
	local name
	for name in one two; do
		cat >$name.c <<-END
			static volatile long sink;
			__attribute__((noinline)) static void add_$name(long i) { sink += i; }
			void go(void) { for (int i = 0; i < 3000; i++) add_$name(i); }
		END
		gcc -O2 -g -fPIC -shared -finstrument-functions $name.c -o $name.so
	done
	cat >loads.c <<-'END'
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(void)
		{
			int nr_lines = 0;
			FILE *maps;

			for (int i = 0; i < 200; i++) {
				void *plugin = dlopen(i % 2 ? "./one.so" : "./two.so", RTLD_NOW);
				((void (*)(void))dlsym(plugin, "go"))();
				dlclose(plugin);
			}
			maps = fopen("/proc/self/maps", "r");
			for (int c; (c = fgetc(maps)) != EOF;)
				nr_lines += c == '\n';
			return nr_lines > 100;
		}
	END
	gcc -O2 -g -finstrument-functions loads.c -o loads
	counts ./loads
	same "add_one" "$(grep add_one auto.csv)" add_one,300000
	between "timed calls of add_one" 1000 "$(value timed_calls function=add_one)" 250000
}

@test "threads within what becomes counted: no call is lost" {
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	counts ./counted threads
	for ((i = 0; i < 25; i++)); do
		rm -rf insideme.data
		LD_PRELOAD=$library ./counted threads >stdout
		same "calls, run $i" "$(calls_of_own)" "$(cat exact.csv)"
	done
}

@test "forked children count their own calls, and killed programs have all of them" {
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	counts ./counted forks
	rm -rf insideme.data
	LD_PRELOAD=$library ./counted killed >stdout || status=$?
	same status "$status" 137
	same "calls before the kill" "$(view functions | "$here/csv" calls function=add)" "$(cat stdout)"
}

@test "children of vfork count as by exact timing" {
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	counts ./counted vforks
}

@test "under valgrind, which may run old code, and with breakpoints of gdb the counts are the same" {
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	counts ./counted
	rm -rf insideme.data
	LD_PRELOAD=$library valgrind -q ./counted
	calls_of_own >valgrind.csv
	same "by valgrind" "$(cat valgrind.csv)" "$(cat exact.csv)"
	rm -rf insideme.data
	gdb -batch -ex "set environment LD_PRELOAD=$library" -ex 'break add if a == 29999' -ex run -ex bt \
		-ex delete -ex c \
		./counted >gdb.out 2>&1
	grep -q '^#0 *add (a=.*29999' gdb.out
	grep -q '^#[23] .*in main ' gdb.out
	calls_of_own >gdb.csv
	same "by gdb" "$(cat gdb.csv)" "$(cat exact.csv)"
}

@test "where code may not be changed hooks count, and that is said" {
	local how
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	for how in filtered sealed refused; do
		./counted $how || skip "this kernel has no PR_SET_MDWE"
		echo "$how"
		counts ./counted $how
		same "notes of it" "$("$report" -v quality -f csv | grep -c "^call_sites_unchanged")" 1
		"$report" -v quality | grep -q "hooks count short calls"
	done
}

@test "allocations of functions are those of exact timing" {
	local timing
	for timing in exact auto; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record alloc often
		"$report" -v functions -f csv --columns function,alloc_calls,alloc_bytes,not_freed_bytes \
			--sort function >$timing.csv
	done
	same "allocations" "$(cat auto.csv)" "$(cat exact.csv)"
	same "counted functions" "$(counted_functions | sort | xargs)" "commonly keep_block one_block seldom tiny"
	same "blocks of one_block" "$(value alloc_calls function=one_block)" 4688
	"$report" -v heap | tr -s ' \n' ' ' | grep -q "paths may lack functions in between whose calls were only counted"
	same "blocks of keep_block" "$(value alloc_calls function=keep_block)" 37500
}

# Their calls have frames without a clock: so the paths of calls and of blocks are known, and what takes long below
# them is theirs.
@test "short functions that allocate are counted by path, and contain what is timed below them" {
	local path calls blocks
	cat >boxes.c <<-'END'
		#define _GNU_SOURCE
		#include <setjmp.h>
		#include <stdlib.h>
		#include <unistd.h>
		#define APART __attribute__((noinline))
		void *volatile block;
		jmp_buf out;
		int leaves;
		APART void inner(void) { block = malloc(32); }
		APART void rare(void) { usleep(20000); }
		APART void box(int i)
		{
			inner();
			if (i % 50000 == 49999)
				rare();
			if (leaves && i % 100 == 99)
				longjmp(out, 1);
		}
		APART void first(void)
		{
			for (int i = 0; i < 100000; i++) {
				box(i);
				free(block);
			}
		}
		APART void second(void)
		{
			leaves = 1;
			for (volatile int i = 0; i < 300000; i++) {
				if (!setjmp(out))
					box(i);
				free(block);
			}
		}
		int main(int argc, char **argv)
		{
			first();
			second();
			if (argc > 1) {
				block = malloc(1);
				_exit(fork() ? 0 : 1);
			}
		}
	END
	gcc -O2 -g -finstrument-functions boxes.c -o boxes
	LD_PRELOAD=$library ./boxes
	same "counted functions" "$(counted_functions | sort | xargs)" "box inner"
	"$report" -v tree --top 0 -f csv --columns path,calls,alloc_calls,total_ns >tree.csv
	while read -r path calls blocks; do
		same "calls of $path" "$(sed -n "s/^$path,\([0-9]*\),.*/\1/p" tree.csv)" "$calls"
		same "blocks of $path" "$(sed -n "s/^$path,[0-9]*,\([0-9]*\),.*/\1/p" tree.csv)" "$blocks"
	done <<-'END'
		main;first;box 100000 0
		main;first;box;inner 100000 100000
		main;first;box;rare 2 0
		main;second;box 300000 0
		main;second;box;inner 300000 300000
		main;second;box;rare 6 0
	END
	between "time of box in first, ms, with two sleeps of 20" 40 \
		"$(($(sed -n 's/^main;first;box,.*,\([0-9]*\)$/\1/p' tree.csv) / 1000000))" 200
}

# The block tells whose it was. Where live blocks are not known, frees tell what a function has left.
@test "a function that only frees is counted, and its frees are its caller's" {
	local first
	cat >frees.c <<-'END'
		#include <stdlib.h>
		void *volatile block;
		__attribute__((noinline)) void take(void) { block = malloc(32); }
		__attribute__((noinline)) void drop(void) { free(block); }
		__attribute__((noinline)) void work(void)
		{
			for (int i = 0; i < 300000; i++) {
				take();
				drop();
			}
		}
		int main(void) { work(); }
	END
	gcc -O2 -g -finstrument-functions frees.c -o frees
	LD_PRELOAD=$library ./frees
	same "counted functions" "$(counted_functions | sort | xargs)" "drop take"
	same "calls" "$(value calls function=take),$(value calls function=drop)" 300000,300000
	same "blocks of take" "$(value alloc_calls function=take),$(value not_freed_blocks function=take)" 300000,0
	first=$(value free_calls function=drop)
	between "frees before drop was counted" 1 "$first" 200000
	same "frees in work" "$(value free_calls function=work)" $((300000 - first))
	"$report" -v heap | tr -s ' \n' ' ' | grep -q "what these freed since counts for their callers"
	rm -rf insideme.data functions.csv
	INSIDEME_HEAP=counters LD_PRELOAD=$library ./frees
	same "counted functions without live blocks" "$(counted_functions | sort | xargs)" "drop take"
	same "frees" "$(value free_calls function=drop)" 300000
}

# Samples know the innermost counted function then, not those that called it.
@test "without libgcc totals of counted functions are in doubt" {
	cat >nested.c <<-'END'
		__attribute__((noinline)) int inner(int x) { for (int i = 0; i < 30; i++) __asm__(""); return x & 3; }
		__attribute__((noinline)) int outer(int x) { return inner(x) + 1; }
		int main(void)
		{
			int n = 0;
			for (int i = 0; i < 15000000; i++)
				n += outer(i);
			return n == 0;
		}
	END
	gcc -O1 -g -finstrument-functions nested.c -o nested
	LD_PRELOAD=$library ./nested
	same "counted functions" "$(counted_functions | sort | xargs)" "inner outer"
	same "totals in doubt" "$(value total_is_doubtful function=inner),$(value total_is_doubtful function=outer)" 1,1
	same "main's" "$(value total_is_doubtful function=main)" 0
	"$report" | tr -s ' \n' ' ' | grep -q "totals of counted functions (≈) lack what these call"
}

@test "calls made while recording is off are not counted" {
	gcc -O2 -g -pthread -finstrument-functions -I"$here/../../include" "$here/../programs/counted.c" \
		-o counted
	counts ./counted off
}

@test "excluded functions and a focus have the counts of exact timing" {
	gcc -O2 -g -pthread -finstrument-functions "$here/../programs/counted.c" -o counted
	INSIDEME_EXCLUDE=add counts ./counted
	same "add" "$(grep -c '^add,' auto.csv || true)" 0
	INSIDEME_FOCUS=twice counts ./counted often
	INSIDEME_DEPTH=3 same_calls ./counted # where each call needs a frame
}

@test "where a coroutine has a stack too small for signals no samples are taken" {
	cat >small.c <<-'END'
		#include <ucontext.h>
		static ucontext_t here, there;
		static volatile long sink;
		__attribute__((noinline)) static void tiny(void) { sink++; }
		__attribute__((no_instrument_function)) static void spin(void) { for (long i = 0; i < 50000000; i++) sink++; }
		static void run(void) { for (int i = 0; i < 1000000; i++) tiny(); spin(); swapcontext(&there, &here); }
		int main(void)
		{
			static char stack[8192];
			getcontext(&there);
			there.uc_stack.ss_sp = stack;
			there.uc_stack.ss_size = sizeof(stack);
			there.uc_link = &here;
			makecontext(&there, run, 0);
			swapcontext(&here, &there);
			return 0;
		}
	END
	gcc -O2 -g -finstrument-functions small.c -o small
	counts ./small
	same "CPU samples" "$("$report" -v quality -f csv | grep -c '^samples,' || true)" 0
	view quality | grep -q 'stack of less than 16 KB'
	INSIDEME_SAMPLE=100 LD_PRELOAD=$library "$bin/short_calls" >stdout
	between "samples where they were asked for" 3 \
		"$("$report" -v functions -f csv | "$here/csv" samples function=spin)" 100
}

# What hooks left in the time of functions is not time in which the thread was ready.
@test "on a busy processor functions are ready for as long as the kernel says" {
	local cpu other ready waited
	cat >ready.c <<-'END'
		#include <stdio.h>
		static volatile long sink;
		#define SPIN(nr) for (int i = 0; i < nr; i++) sink++
		__attribute__((noinline)) static void leaf(void) { SPIN(30); }
		__attribute__((noinline)) static void work(void)
		{
			SPIN(300);
			for (int i = 0; i < 20; i++)
				leaf();
		}
		__attribute__((noinline)) static void group(void)
		{
			for (int i = 0; i < 20; i++)
				work();
		}
		int main(void)
		{
			unsigned long long cpu, ready = 0;
			for (int i = 0; i < 30000; i++)
				group();
			fscanf(fopen("/proc/self/schedstat", "r"), "%llu %llu", &cpu, &ready);
			printf("%llu\n", ready);
		}
	END
	gcc -w -O1 -finstrument-functions ready.c -o ready
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	taskset -c "$cpu" sh -c 'while :; do :; done' 3>&- &
	other=$!
	taskset -c "$cpu" "$build/insideme-run" -q -- ./ready >stdout || { kill $other; return 1; }
	kill $other
	ready=$(view functions --top 0 | "$here/csv" self_wait_ns | awk '{ sum += $1 } END { printf "%.0f", sum }')
	waited=$(cat stdout)
	between "ns that the thread waited for the processor" 50000000 "$waited" 10000000000
	same "of a counted function" "$(view functions --columns function,self_wait_ns |
		"$here/csv" self_wait_ns function=leaf)" ""
	between "ns in functions, ready" $((waited * 85 / 100)) "$ready" $((waited * 103 / 100))
}

@test "by a clock that is not the time-stamp counter" {
	unshare -m true || skip "no mount namespaces here"
	echo acpi_pm >clocksource
	cat >on_off.c <<-'END'
		#include <insideme.h>
		__attribute__((noinline)) void quick(int ends_off) { if (ends_off) insideme_disable(); }
		int main(void)
		{
			for (int i = 0; i < 100000; i++) {
				quick(i % 10 == 0);
				if (i % 10 == 0)
					insideme_enable();
			}
			return 0;
		}
	END
	gcc -O1 -finstrument-functions -I"$here/../../include" on_off.c -o on_off
	for setting in INSIDEME_EXCLUDE=main INSIDEME_DEPTH=9 INSIDEME_SNAPSHOT=rss:every \
		INSIDEME_HEAP=off; do
		rm -rf insideme.data functions.csv
		unshare -m sh -c "mount --bind clocksource /sys/devices/system/clocksource/clocksource0/current_clocksource &&
			exec env $setting LD_PRELOAD='$library' ./on_off"
		same "calls with $setting" "$(value calls function=quick)" 100000
		rm -rf insideme.data functions.csv
		unshare -m sh -c "mount --bind clocksource /sys/devices/system/clocksource/clocksource0/current_clocksource &&
			exec env INSIDEME_TIMING=exact $setting LD_PRELOAD='$library' ./on_off"
		# as recorded: less what hooks cost by such a clock may be nothing
		between "total of them" 1000 "$(view functions --raw | "$here/csv" total_ns function=quick)" \
			10000000000
	done
}

@test "what reads such a clock is the hooks' time in samples" {
	unshare -m true || skip "no mount namespaces here"
	echo acpi_pm >clocksource
	cat >kept.c <<-'END'
		volatile long sum;
		__attribute__((noinline)) void quick(long i) { sum += i; }
		int main(void) { for (long i = 0; i < 6000000; i++) quick(i); }
	END
	gcc -O1 -finstrument-functions kept.c -o kept
	unshare -m sh -c "mount --bind clocksource /sys/devices/system/clocksource/clocksource0/current_clocksource &&
		exec env INSIDEME_SAMPLE=250 INSIDEME_KEEP=quick LD_PRELOAD='$library' ./kept"
	between "samples in hooks, of all" 80 "$(view functions --columns function,samples,hook_samples |
		awk -F, 'NR > 1 { all += $2 + $3; hooks += $3 } END { printf "%d", all ? 100 * hooks / all : 0 }')" 100
}

@test "a record of every call is of calls that are all timed" {
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	same "timed calls of fib" "$(value timed_calls function=fib)" 21891
	same "records of leaf" "$(view calls | "$here/csv" function function=leaf | wc -l)" 6000
}

@test "jumps out of handlers and calls, and coroutines, are counted as with exact timing" {
	counts "$bin/jumps" often
	counts "$bin/coroutines" often
	same "touch is counted" "$(counted_functions)" touch
}

@test "times are without what the hooks cost, with it by --raw" {
	local total raw calls
	INSIDEME_TIMING=exact record short_calls
	calls=$(view functions --columns calls | awk 'NR > 1 {s += $1} END {print s}')
	total=$(total_of main)
	raw=$(view functions --raw | "$here/csv" total_ns function=main)
	between "hooks of $calls calls" $((calls * 5)) $((raw - total)) $((calls * 400))
	between "time in functions" $((total - total / 1000)) "$(view threads | "$here/csv" functions_ns)" \
		$((total + total / 1000))
	same "wait_long is too short to tell" "$(value self_is_doubtful function=wait_long)" 0
	run "$report" -v functions --columns self_ns,function	# where threads had to wait it begins with CPU time
	same "marks in the text" "$(grep -c '^ *~' <<<"$output")" "$(value self_is_doubtful | grep -c 1)"
	run "$report" -v quality
	[[ $output == *hooks_ns*subtracted* ]]
	run "$report" -v quality --raw
	[[ $output != *subtracted* && $output == *"times include"* ]]
}

# shares_within PERCENT FUNCTION=SHARE...: of the self times of these functions
shares_within() {
	local within=$1 sum=0 each
	shift
	for each; do
		sum=$((sum + $(value self_ns "function=${each%=*}")))
	done
	[ $sum -gt 0 ] || { echo "no self times: $sum"; return 1; }
	for each; do
		between "share of ${each%=*}" $((${each#*=} - within)) \
			$(($(value self_ns "function=${each%=*}") * 100 / sum)) $((${each#*=} + within)) ||
				return 1
	done
}

@test "inlined functions that are counted have the samples in their copies, beneath what they are inlined in" {
	local compiler
	for compiler in "gcc -gdwarf-5" "gcc -gdwarf-4" "clang -gdwarf-5" "clang -gdwarf-4"; do
		echo "$compiler"
		rm -rf insideme.data functions.csv
		$compiler -O2 -finstrument-functions "$here/../programs/inlined.c" -o inlined
		LD_PRELOAD=$library ./inlined >stdout
		shares_within 12 one=17 two=33 half=25 three=25
		between "samples of step" 0 "$(value samples function=step)" 20
		between "samples of its inlined functions" 100 "$(view tree --columns path,samples | awk -F, \
			'$1 ~ /^main;step;(one|two|three|three;half)$/ { sum += $2 } END { print sum }')" 400
	done
}

@test "without debug information samples in inlined code are those of the function that it is in" {
	gcc -g0 -O2 -finstrument-functions "$here/../programs/inlined.c" -o inlined
	LD_PRELOAD=$library ./inlined >stdout
	between "samples of step" 100 "$(value samples function=step)" 400
	same "what the report said" "$(cat report.stderr)" ""
}

@test "an inline function of several units is one, whichever unit's copy is called" {
	local unit compiler
	cat >box.h <<-'END'
		struct Box {
			unsigned long value;
			inline __attribute__((always_inline)) void turn()
			{
				for (int i = 0; i < 40; i++)
					value = (value ^ value >> 29) * 6364136223846793005ul;
			}
		};
	END
	for unit in first second; do
		printf '%s\n' '#include "box.h"' "unsigned long $unit(unsigned long);" \
			"unsigned long $unit(unsigned long value)" \
			'{ Box box{ value }; for (int i = 0; i < 10000; i++) box.turn(); return box.value; }' >$unit.cpp
	done
	cat >both.cpp <<-'END'
		#include <time.h>
		unsigned long first(unsigned long), second(unsigned long);
		int main()
		{
			unsigned long value = 1;
			while (clock() < CLOCKS_PER_SEC)
				value = second(first(value | 1));
			return value == 0;
		}
	END
	for compiler in g++ clang++ "g++ -flto"; do
		echo "$compiler"
		rm -rf insideme.data
		$compiler -g -O2 -finstrument-functions both.cpp first.cpp second.cpp -o both
		LD_PRELOAD=$library ./both
		view tree --columns path,samples >tree.csv
		for unit in first second; do
			between "samples beneath $unit" 30 \
				"$("$here/csv" samples \
				"path=main;$unit(unsigned long);Box::turn()" <tree.csv)" 200
		done
	done
}

@test "a saved profile can be read with the hooks' cost and without" {
	INSIDEME_TIMING=exact record short_calls
	"$report" --save one.json >save.txt 2>&1 || { cat save.txt; return 1; }
	for option in '' --raw; do
		"$report" -v tree -f csv --columns path,self_ns,total_ns,self_is_doubtful $option >log.csv
		"$report" one.json -v tree -f csv --columns path,self_ns,total_ns,self_is_doubtful \
			$option >saved.csv
		same "tree $option" "$(sort saved.csv)" "$(sort log.csv)"
	done
	cp one.json two.json
	between "self of spin in each of two runs" $(($(value self_ns function=spin) - 1)) \
		"$("$report" one.json two.json -v functions -f csv |
			"$here/csv" self_run_mean_ns function=spin)" \
		$(($(value self_ns function=spin) + 1))
}
@test "times are without what counting blocks of the heap costs" {
	local self raw
	for timing in exact auto; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record alloc
		self=$(value self_ns function=by_calloc)
		raw=$(view functions --raw | "$here/csv" self_ns function=by_calloc)
		between "$timing: 200 blocks" $((200 * 2)) $((raw - self)) $((200 * 400))
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing INSIDEME_HEAP=off record alloc
		self=$(value self_ns function=by_calloc)
		raw=$(view functions --raw | "$here/csv" self_ns function=by_calloc)
		between "$timing: blocks that are not counted" 1 $((raw - self)) 399
	done
}

@test "a disturbed start is noticed: what hooks cost is measured again while the program runs" {
	local timing kind measured around wrong at_end around_at_end
	reads_tsc || skip "by other clocks what hooks cost is measured at the start only"
	for kind in timed around; do for timing in exact auto; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record disturbed $kind
		{ read -r measured; read -r around; read -r wrong; read -r at_end; read -r around_at_end; } <stdout
		same "$timing: cost that the program wrote" "$wrong" $((measured * 10))
		between "$timing: cost at the end" 1 "$at_end" $((measured * 5))
		between "$timing: cost around the hooks" $((around / 3)) "$around_at_end" $((around * 3))
		between "$timing: time of main" 1000000 "$(value total_ns function=main)" 100000000000
	done; done
}

@test "what hooks cost is measured in a process whose first object with hooks comes late" {
	for timing in exact auto; do
		rm -rf insideme.data functions.csv
		INSIDEME_TIMING=$timing record late_heap "$bin/keeping_plugin.so"
		quiet
		between "$timing: hooks" 10 "$(view quality | "$here/csv" value finding=hooks_ns |
			cut -d. -f1)" \
			"$(view functions --raw | "$here/csv" total_ns function=plugin_run)"
	done
}

# loops CALLS: a program whose loop() calls tiny() and, now and then, other() which calls tiny() too
loops() {
	cat >loops.c <<-END
		__attribute__((noinline)) int tiny(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
		__attribute__((noinline)) int single(int n) { for (int i = 0; i < 8; i++) __asm__ volatile("" : "+r"(n)); return n; }
		__attribute__((noinline)) int other(int n) { for (int i = 0; i < 4096; i++) n = tiny(n); return n; }
		__attribute__((noinline)) int loop(long calls)
		{
			int n = 0;
			for (long i = 0; i < calls; i++)
				n += single(tiny(n));
			return n;
		}
		int main(void) { return (other(0) + loop($1)) & 0; }
	END
	gcc -O1 -g -finstrument-functions loops.c -o loops
	LD_PRELOAD=$library ./loops
}

@test "counted functions have their time from samples, and views say so" {
	loops 100000000
	same "source of single" "$(value time_source function=single)" hooks+samples
	same "source of main" "$(value time_source function=main)" hooks
	between "self of single" 20000000 "$(value self_ns function=single)" "$(total_of main)"
	same "deviation of one call" "$(value stddev_ns function=loop)" 0
	between "self of loop" 0 "$(value self_ns function=loop)" \
		$(($(total_of loop) - $(value self_ns function=single)))
	between "self of single, of processes" $(($(value self_ns function=single) - 1000)) \
		"$("$report" -v fields -f csv --fields "single = S" | "$here/csv" self_ns field=S)" \
		$(($(value self_ns function=single) + 1000))
	between "error of single" 1000000 "$(value self_error_ns function=single)" "$(total_of loop)"
	"$report" -v functions >functions.txt
	grep -q "≈.*single" functions.txt
	grep -q "≈: too short" functions.txt
	LC_ALL=C "$report" -v functions | grep -q "~.*single"
	"$report" | grep -q "short functions were counted"
	run "$report" -v quality
	[[ $output == *counted_calls*"200 M of 200 M"*sampled_ns* ]]
	[[ $output == *"calls take less than"*"most of which were only counted"* ]]
}

@test "a call that allocated on its stack keeps its time when its function becomes counted" {
	local of
	record interpreted
	quiet
	calls evaluate 1 interpret 286566 native 5
	for of in main evaluate interpret; do
		between "total of $of" "$(value total_ns function=native)" "$(total_of $of)" "$(total_of main)"
	done
	between "self of evaluate" 0 "$(value self_ns function=evaluate)" $(($(total_of main) / 10))
	same "calls without an end" "$("$report" -v quality | grep -c broken_calls)" 0
	rm -rf insideme.data functions.csv
	record interpreted threads
	calls evaluate 3 interpret 859698 native 15
	between "total of evaluate" "$(value total_ns function=native)" "$(total_of evaluate)" 60000000000
	between "total of interpret" "$(value total_ns function=native)" "$(total_of interpret)" "$(total_of evaluate)"
}

@test "counted calls are shown where they can have gone by one path alone" {
	local view
	loops 200000
	same "calls that no sample met" "$(view tree | "$here/csv" calls "path=main;loop;single")" ''
	rm -rf insideme.data
	loops 100000000
	same "calls of single by its path" "$(view tree | "$here/csv" calls "path=main;loop;single")" \
		100000000
	same "calls of tiny by a path of two" "$(view tree | "$here/csv" calls "path=main;other;tiny")" ''
	same "all calls of tiny" "$(value calls function=tiny)" 100004096
	same "calls of single by loop" "$(view callers | "$here/csv" calls function=single)" 100000000
	same "callers of single" "$(view callers | "$here/csv" caller function=single)" loop
	for view in functions tree callers callees fields; do
		if "$report" -v $view | grep "(counted calls)" || view $view | grep "(counted calls)"; then
			return 1
		fi
	done
	same "longest of single" "$(view tree | "$here/csv" max_ns function=single)" ''
	same "longest of single by loop" "$(view callers | "$here/csv" max_ns function=single)" ''
}

@test "without samples enough no time is shown, and the caller is marked" {
	loops 200000
	same "self of single" "$(value self_ns function=single)" ''
	same "total of single" "$(value total_ns function=single)" ''
	same "mean of single" "$(value mean_ns function=single)" ''
	same "source of single" "$(value time_source function=single)" ''
	same "calls of single" "$(value calls function=single)" 200000
	"$report" -v functions | grep -q "[≤~].* loop"
	same "functions without time" "$("$report" -v quality -f csv |
		"$here/csv" value finding=counted_without_time)" 2
	"$report" -v quality | tr -s ' \n' ' ' >page	# on the first page too, from 5 % on
	between "time of no row, in 0.1 %" \
		"$(view functions --columns self_percent | awk '{ sum += $1 } END { print int(1000 - 10 * sum) - 2 }')" \
		"$(grep -oE '[0-9.]+ % of all time; no row has it' page | awk '{ print int(10 * $1 + 0.5) }')" \
		"$(view functions --columns self_percent | awk '{ sum += $1 } END { print int(1000 - 10 * sum) + 2 }')"
}

# A profile does not have what the rows of threads say of functions.
without_use() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) out[i] = $i ~ /^(self|total)_(cpu|wait|blocked)_ns$/ }
		{ line = ""; for (i = 1; i <= NF; i++) if (!out[i]) line = line "," $i; print substr(line, 2) }'
}

# A profile has times to the thousandth of a ns, so its means may be rounded otherwise.
without_thousandths() {
	sed -E 's/(\.[0-9][0-9])[0-9]/\1/g'
}

@test "saved profiles, differences and several runs know what was counted" {
	local view
	loops 100000000
	"$report" --save one.json >/dev/null 2>&1
	for view in functions tree callers; do
		"$report" -v $view -f csv | without_use | without_thousandths | sort >log.csv
		"$report" one.json -v $view -f csv | without_thousandths | sort >saved.csv
		same "$view" "$(cat saved.csv)" "$(cat log.csv)"
	done
	same "calls by field" "$("$report" -v fields -f csv --fields "single = S" |
		"$here/csv" calls field=S)" 100000000
	cp one.json two.json
	same "changes" "$("$report" two.json --diff one.json -v functions -f csv |
		"$here/csv" self_change_ns function=single)" 0
	"$report" two.json --diff one.json -v tree -f csv >diff.csv
	same "paths of counters" "$(grep -c "(counted calls)" diff.csv || true)" 0
	same "calls of two runs" "$("$report" one.json two.json -v functions -f csv |
		"$here/csv" calls function=single)" 200000000
	# twice the samples have a smaller error, by which it is judged whether they tell all of a time
	between "self of two runs" $(($(value self_ns function=single) * 3 / 2)) \
		"$("$report" one.json two.json -v functions -f csv | "$here/csv" self_ns function=single)" \
		$(($(value self_ns function=single) * 5 / 2))
}

@test "adaptive is called auto now" {
	INSIDEME_TIMING=adaptive LD_PRELOAD=$library "$bin/short_calls" 2>said >stdout
	same "what the recorder said" "$(cat said)" "insideme: INSIDEME_TIMING: adaptive is called auto now"
	calls fib 242785
	between "timed calls of rarely" 1000 "$(value timed_calls function=rarely)" 80000
	monitor --timing=adaptive -- true
	grep -q -e "--timing: adaptive is called auto now" stderr
}
