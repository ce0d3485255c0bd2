#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Faults and rare cases where functions are counted by INSIDEME_TIMING=auto.
load lib
load counted
export INSIDEME_TIMING=auto

@test "exceptions through counted functions" {
	local compiler
	cat >thrown.cpp <<-'END'
		static volatile long sink;
		__attribute__((noinline)) static void thrower(long n) { if (n >= 300000 && n % 16 == 0) throw n; sink = sink + n; }
		struct Held { long n; ~Held() { sink = sink + n; } };
		__attribute__((noinline)) static void through(long n) { Held held{ n }; thrower(n); sink = sink + 1; }
		__attribute__((noinline)) static bool again(long n)
		{
			try { through(n); } catch (long) { if (n % 32 == 0) throw; return true; }
			return false;
		}
		int main()
		{
			for (long n = 0; n < 600000; n++)
				try { again(n); } catch (long) { sink = sink + 1; }
		}
	END
	for compiler in "g++ -O2" "g++ -O0" "clang++ -O2" "clang++ -O0"; do
		echo "$compiler"
		$compiler -g -finstrument-functions thrown.cpp -o thrown
		counts ./thrown
		same "timed calls of thrower" "$(counted_functions | grep -c '^thrower')" 1
		calls 'thrower(long)' 600000 'through(long)' 600000 'again(long)' 600000 main 1
	done
}

@test "constructors, destructors and the resolver of an ifunc run counted functions" {
	cat >plugin.c <<-'END'
		extern void tiny(void);
		static void first(void) { tiny(); }
		static void (*resolve(void))(void) { for (int i = 0; i < 1000; i++) tiny(); return first; }
		static void chosen(void) __attribute__((ifunc("resolve")));
		__attribute__((constructor)) static void begin(void) { for (int i = 0; i < 1000; i++) tiny(); }
		__attribute__((destructor)) static void end(void) { for (int i = 0; i < 1000; i++) tiny(); }
		void go(void) { chosen(); }
	END
	cat >host.c <<-'END'
		#include <dlfcn.h>
		static volatile long sink;
		__attribute__((noinline)) void tiny(void) { sink++; }
		__attribute__((constructor)) static void early(void) { for (int i = 0; i < 300000; i++) tiny(); }
		__attribute__((destructor)) static void late(void) { for (int i = 0; i < 1000; i++) tiny(); }
		int main(void)
		{
			for (int i = 0; i < 3; i++) {
				void *plugin = dlopen("./plugin.so", i ? RTLD_NOW : RTLD_LAZY);
				((void (*)(void))dlsym(plugin, "go"))();
				dlclose(plugin);
			}
			return 0;
		}
	END
	gcc -O2 -g -fPIC -shared -finstrument-functions plugin.c -o plugin.so
	gcc -O2 -g -rdynamic -finstrument-functions host.c -o host
	counts ./host
	same "what was counted" "$(counted_functions)" tiny
	calls tiny $((300000 + 1000 + 3 * 3000 + 3)) first 3 resolve 3 begin 3 end 3 go 3
}

@test "what is short but once in 20,000 calls: its callee is timed; samples have it where there is none" {
	local spin
	cat >rare.c <<-'END'
		static volatile long sink;
		SPIN static void spin(void) { for (int i = 0; i < 2400000; i++) sink++; }
		__attribute__((noinline)) static void mostly(int i) { if (i % 20000 == 0) spin(); }
		int main(void) { for (int i = 0; i < 6000000; i++) mostly(i); return 0; }
	END
	for spin in "__attribute__((noinline))" "__attribute__((no_instrument_function))"; do
		gcc -O2 -g -finstrument-functions "-DSPIN=$spin" rare.c -o rare
		counts ./rare
		same "what was counted" "$(counted_functions)" mostly
		calls mostly 6000000
		same "longest of mostly" "$(value max_ns function=mostly)" ''
		if [[ $spin == *noinline* ]]; then
			same "timed calls of spin" "$(value timed_calls function=spin)" 300
			between "longest of spin" 100000 "$(value max_ns function=spin)" 10000000000
		else
			same "source of mostly" "$(value time_source function=mostly)" hooks+samples
			between "self of mostly" 100000000 "$(value self_ns function=mostly)" "$(total_of main)"
		fi
	done
}

@test "call sites that go on to the hook are told, and why" {
	cat >by_register.c <<-'END'
		extern void __cyg_profile_func_enter(void *, void *), __cyg_profile_func_exit(void *, void *);
		static void (*volatile enter)(void *, void *) = __cyg_profile_func_enter;
		__attribute__((noinline, no_instrument_function)) static void tiny(void)
		{
			enter((void *)tiny, __builtin_return_address(0));
			__cyg_profile_func_exit((void *)tiny, __builtin_return_address(0));
		}
		int main(void) { for (int i = 0; i < 400000; i++) tiny(); return 0; }
	END
	gcc -O2 -g -finstrument-functions by_register.c -o by_register
	counts ./by_register
	same "by register" "$(view quality | "$here/csv" value finding=sites_unknown)" 1

	# 8,184 counters for 8,400 sites, two of each function
	cat >many.S <<-'END'
			.globl main
		main:	push %rbx
			mov $3000, %ebx
		1:	.set i, 0
			.rept 8400
			.balign 64	# no call crosses a line of the cache
			lea functions + 16 * (i / 2)(%rip), %rdi
			lea main(%rip), %rsi
			call __cyg_profile_func_enter@PLT
			lea functions + 16 * (i / 2)(%rip), %rdi
			lea main(%rip), %rsi
			call __cyg_profile_func_exit@PLT
			.set i, i + 1
			.endr
			dec %ebx
			jnz 1b
			xor %eax, %eax
			pop %rbx
			ret
			.balign 16
		functions: .skip 16 * 4200
			.section .note.GNU-stack
	END
	gcc many.S -o many
	counts ./many
	same "beyond the counters" "$(view quality | "$here/csv" value finding=sites_without_counter)" \
		$((8400 - 8184))
	same "of others" "$(view quality | grep -c '^sites_unknown\|^sites_without_detour' || true)" 0
}

@test "two threads whose first counted calls come at once are both sampled" {
	local thread
	cat >both.c <<-'END'
		#include <pthread.h>
		static pthread_barrier_t begin;
		static volatile __thread long sink;
		__attribute__((noinline)) static void tiny(void) { sink++; }
		static void *run(void *nothing)
		{
			pthread_barrier_wait(&begin);
			for (long i = 0; i < 60000000; i++)
				tiny();
			return nothing;
		}
		int main(void)
		{
			pthread_t other;
			pthread_barrier_init(&begin, 0, 2);
			pthread_create(&other, 0, run, 0);
			run(0);
			return pthread_join(other, 0);
		}
	END
	gcc -O2 -g -pthread -finstrument-functions both.c -o both
	# one thread asks for the clock's resolution when it begins to sample; the other one counts meanwhile
	strace -f -o trace -e trace=clock_getres -e inject=clock_getres:delay_exit=20000 \
		-E LD_PRELOAD="$library" ./both
	view threads --columns thread >threads.csv
	same "threads" "$(tail -n +2 threads.csv | wc -l)" 2
	while read -r thread; do
		view functions --thread "$thread" >functions.csv
		between "samples of thread $thread" 5 "$(value samples function=tiny)" 1000
	done < <(tail -n +2 threads.csv)
}

# Probes at all calls of hooks come and go while threads count there. The kernel runs the call that the file
# has, which goes to the hook.
@test "with uprobes at its call sites a program counts as by exact timing" {
	local tracing=/sys/kernel/tracing group=insideme$$ program place hits
	[ -w $tracing/uprobe_events ] || skip "no rights for uprobes, or no tracefs"
	sed 's/i < 5; i++/i < 1000; i++/' "$here/../programs/counted.c" >counted.c
	gcc -O2 -g -pthread -no-pie -finstrument-functions -I"$here/../../include" counted.c -o counted
	counts ./counted threads
	objdump -d counted | sed -n 's/^ *\([0-9a-f]*\):.*\(call\|j[a-z]*\) .*<__cyg_profile_func_.*@plt>$/\1/p' >places
	for place in $(<places); do
		echo "p:$group/at_$place $PWD/counted:0x$(printf %x $((0x$place - 0x400000)))" \
			>>$tracing/uprobe_events || skip "this kernel refuses uprobes"
	done
	rm -rf insideme.data
	LD_PRELOAD=$library ./counted threads &
	program=$!
	while kill -0 $program 2>kill.err; do
		echo 1 >$tracing/events/$group/enable
		sleep 0.02
		echo 0 >$tracing/events/$group/enable
		sleep 0.1
	done
	hits=$(awk '/ at_/ { n += $3 } END { print n }' $tracing/uprobe_profile)
	while read -r place; do echo "-:$group/at_$place" >>$tracing/uprobe_events; done <places
	wait $program
	between "hits of probes" 1 "$hits" 1000000000
	calls_of_own >probed.csv
	same "calls with probes" "$(cat probed.csv)" "$(cat exact.csv)"
	between "functions that were counted" 1 "$(counted_functions | wc -l)" 10000
}

@test "calls of inlined copies are with the function that the copy is in, as exact says" {
	local compiler
	cat >copies.c <<-'END'
		#include <stdio.h>
		static inline int tiny(int x) { return x * 3 + 1; }
		static inline int both(int x) { return tiny(x) ^ tiny(x + 1); }
		static inline int once(int x) { return x ^ 5; }
		static int (*volatile pointer)(int) = once;
		__attribute__((noinline)) int alpha(int n) { int s = 0; while (n--) s += tiny(n ^ s); return s; }
		__attribute__((noinline)) int beta(int n) { int s = 0; while (n--) s ^= both(n + s); return s; }
		__attribute__((noinline)) int gamma_of(int n) { int s = 0; while (n--) s ^= once(n); return s; }
		int main(void)
		{
			int s = 0;
			for (int i = 0; i < 300; i++)
				s += alpha(1000) + beta(2000) + gamma_of(500) + pointer(i);
			printf("%d\n", s);
			return 0;
		}
	END
	for compiler in gcc clang; do
		$compiler -O2 -g -finstrument-functions copies.c -o copies
		for timing in exact auto; do
			rm -rf insideme.data
			INSIDEME_TIMING=$timing LD_PRELOAD=$library ./copies >stdout
			view callers --columns function,caller,calls | sort >$timing.csv
		done
		same "calls by exact" "$(grep -E '^(tiny|both|once)' exact.csv | xargs)" \
			"both,beta,600000 once,gamma_of,150000 once,main,300 tiny,alpha,300000 tiny,both,1200000"
		same "where a copy is not inlined, callers by auto" "$(grep -c '^once,.*,$' auto.csv)" 2
		diff <(grep -v '^once' exact.csv) <(grep -v '^once' auto.csv)
	done
}

# rare() is called by f(), which e() calls, and by a copy of long_one() in other(). f(), e() and other() are counted.
@test "recorded calls stand below the counted functions that made them" {
	local compiler
	cat >between.c <<-'END'
		#include <time.h>
		#define FUNCTION __attribute__((noinline))
		static volatile long sink;
		FUNCTION void rare(void) { clock_t end = clock() + CLOCKS_PER_SEC / 500; while (clock() < end) ; }
		FUNCTION void f(long i) { if (i % 20000 == 19999) rare(); sink++; }
		FUNCTION void e(long i) { f(i); sink++; }
		#define COPIED static inline __attribute__((always_inline))
		COPIED void long_one(void) { rare(); rare(); f(19999); sink++; }
		COPIED void copied(void) { for (int i = 0; i < 100000; i++) sink++; }
		FUNCTION void own(void) { copied(); sink++; }
		FUNCTION void other(long i) { if (i % 20000 == 19999) long_one(), own(); sink++; }
		int main(void) { for (long i = 0; i < 2000000; i++) { e(i); other(i); } }
	END
	for compiler in "gcc -O2" "gcc -O0" "clang -O2"; do
		echo "$compiler"
		$compiler -g -finstrument-functions -fno-optimize-sibling-calls between.c -o between
		counts ./between
		same "callers of rare and copied" "$("$report" -v callers -f csv --columns function,caller,calls |
			grep -E '^(rare|copied),' | sort)" "copied,own,100
rare,f,200
rare,long_one,200"
		rm -rf insideme.data
		monitor -- ./between
		same "callers of f" "$("$report" -v callers -f csv --columns function,caller | grep ^f, | sort)" "f,e
f,long_one"
		between "total of f" 400000000 "$(total_of f)" "$(($(total_of main) - 400000000))"
		between "total of e" 200000000 "$(total_of e)" "$(($(total_of main) - 600000000))"
		"$here/check-numbers" "$build/insideme-report" insideme.data/*
	done
}

@test "waits stand below the counted functions that made them, at their lines" {
	cat >between.c <<-'END'
		#include <unistd.h>
		static volatile long sink;
		__attribute__((noinline)) void f(long i)
		{
			sink++;
			if (i % 20000 == 19999)
				usleep(2000);
			sink++;
		}
		int main(void) { for (long i = 0; i < 1000000; i++) f(i); usleep(1000); }
	END
	gcc -O2 -g -finstrument-functions between.c -o between
	monitor -- ./between
	same "callers of usleep" "$("$report" -v callers -f csv --columns function,caller,calls | grep ^usleep,)" \
		"usleep,f,50
usleep,main,1"
	same "lines of usleep" "$("$report" -v waits | sed -n 's/.*usleep in \(.*\)/\1/p')" "main > f (between.c:7)
main (between.c:10)"
}
