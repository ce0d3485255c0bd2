#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Who allocates in programs without hooks, from stacks of some allocations. Limits are 6 standard errors of
# what a known number of
# blocks of a known size comes to: 1 false alarm in 10^8.
load lib
load heap

# sampled BYTES PROGRAM ARGS...: under insideme-run, which brings the unwinder.
sampled() {
	local bytes=$1
	shift
	monitor --quiet --heap-sample="$bytes" -- "$@"
	rm -f heap.csv
}

# judge BYTES: each line of stdout, "NAME ALLOCATED BLOCKS LIVE LIVE_BLOCKS", is what do_NAME must have but
# for the error that it says.
judge() {
	local name bytes blocks live live_blocks nr=0
	while read -r name bytes blocks live live_blocks; do
		nr=$((nr + 1))
		awk -v what="$name" -v mean="$1" -v bytes="$bytes" -v blocks="$blocks" -v live="$live" \
			-v nr_live="$live_blocks" \
			-v found="$(of alloc_bytes "do_$name")" -v said="$(of alloc_error_bytes "do_$name")" \
			-v lives="$(of not_freed_bytes "do_$name")" \
				-v lives_said="$(of not_freed_error_bytes "do_$name")" \
			-v nr_found="$(of alloc_calls "do_$name")" '
			function error(nr, size) { return size * sqrt(nr / (exp(size / mean) - 1)) }
			function near(of, x, wanted, off) {
				if (x != "" && (x - wanted) ^ 2 <= (6 * off + wanted * 1e-5 + 1) ^ 2) return
				print what ": " of " " x " where " wanted " +/- " off " was expected"; bad = 1
			}
			BEGIN {
				size = bytes / blocks
				near("allocated", found, bytes, what == "by_realloc" ? said : error(blocks, size))
				near("live", lives, live, what == "by_realloc" ? mean : error(nr_live, size))
				near("allocations", nr_found, blocks, what == "by_realloc" ? 22 : error(blocks, size) / size + sqrt(blocks))
				if (what != "by_realloc") {
					near("its error", said, error(blocks, size), error(blocks, size) / 12)
					near("the live ones error", lives_said, error(nr_live, size), error(nr_live, size) / 12)
				}
				exit bad
			}' || return 1
	done <stdout
	[ $nr -ge 4 ]
}

@test "estimates are within their errors: threads, signal handlers, constructors, realloc" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		sampled 8K "$bin/heap_sites$compiler"
		quiet
		same "sites that are told" "$(wc -l <stdout)" 10
		judge 8192
	done
}

@test "who made the peak" {
	sampled 8K "$bin/heap_sites"
	judge 8192
	# peak_only's 20,000 blocks of 2008 bytes lived then, and what was kept: 40,160 kB, give or take 6
	# times 539
	between "peak of peak_only in kB" 36900 "$(($(of peak_heap_bytes do_peak_only) / 1000))" 43400
	same "peak of churn" "$(of peak_heap_bytes do_churn)" 0
	same "peak of keep_calloc" "$(of peak_heap_bytes do_keep_calloc)" \
		"$(of not_freed_bytes do_keep_calloc)"
	"$report" -v heap >heap.txt
	grep -E ' main > do_peak_only$' heap.txt
	grep -E ' main > with_signals > .*raise' heap.txt
	grep -E 'run > do_exchange$' heap.txt
	grep -E '^ *estimates from the stacks of [0-9.]+ k allocations' heap.txt
	tr -s ' \n' ' ' <heap.txt | grep -E '^Heap .* MiB at the peak, .*\. These are counted\. '
	"$report" -v heap -f json >heap.json
	python3 -c 'import json; json.load(open("heap.json"))["heap"][0]["peak_error_bytes"] > 0 or exit(1)'
}

# 200 blocks of 100,000 bytes that are freed, then 100 bytes that stay: one is a sample in 5,000 runs.
@test "what no sample is of may still not be freed" {
	cat >kept.c <<-'END'
		#include <stdlib.h>
		static void *volatile kept;
		int main(void)
		{
			for (int i = 0; i < 200; i++) {
				kept = malloc(100000);
				free(kept);
			}
			kept = malloc(100);
			return 0;
		}
	END
	gcc kept.c -o kept
	sampled 512K ./kept
	same "samples of what is not freed" "$(all not_freed_blocks)" 0
	"$report" -v heap | tr -s ' \n' ' ' >heap.txt
	grep -F 'on average; less than 1.50 MiB (95 %) not freed' heap.txt
	grep -F 'Not freed none of the samples: less than 1.50 MiB (95 %)' heap.txt
	grep -F '+/-: one standard error, and 0 may be less than 1.50 MiB (95 %);' heap.txt
	"$report" | tr -s ' \n' ' ' | grep -F 'on average; less than 1.50 MiB (95 %) not freed'
	rm -r insideme.data
	sampled 1 ./kept
	same "blocks" "$(all not_freed_blocks)" 1
	"$report" -v heap | tr -s ' \n' ' ' >heap.txt
	same "doubt where all are samples" "$(grep -c '95 %' heap.txt)" 0
}

@test "without a sample the report says what was allocated, and that no stack was taken" {
	printf '#include <stdlib.h>\nvoid *volatile p; int main(void) { for (int i = 0; i < 3; i++) p = malloc(100); return 0; }\n' >few.c
	gcc few.c -o few
	sampled 64M ./few
	"$report" -v heap | tr -s ' \n' ' ' >heap.txt
	grep -E '^Heap 3[0-9]{2} B in 3 allocations' heap.txt
	grep -F 'no allocation became a sample, one every 64.0 MiB on average: a smaller --heap-sample takes more' heap.txt
}

@test "the tree is of what was allocated" {
	sampled 1 "$bin/heap_sites"
	view tree >tree.csv
	of_path() { "$here/csv" "$1" "path=$2" <tree.csv; }
	same "all of it is below the outermost calls" \
		"$("$here/csv" total_alloc_bytes depth=0 <tree.csv | awk '{ s += $1 } END { print s }')" \
		"$("$here/csv" alloc_bytes <tree.csv | awk '{ s += $1 } END { print s }')"
	path=$("$here/csv" path function=do_churn <tree.csv | head -1)
	same "a site's own" "$(of_path total_alloc_bytes "$path")" "$(of_path alloc_bytes "$path")"
	same "the path with the most is the first" "$("$here/csv" total_alloc_bytes <tree.csv | head -1)" \
		"$("$here/csv" total_alloc_bytes depth=0 <tree.csv | sort -n | tail -1)"
	"$report" -v tree >tree.txt
	grep '^ *Allocated  *At peak  *Not freed  *Function' tree.txt
	same "columns that say nothing here" "$(grep -c 'Calls\|Self' tree.txt)" 0
}

@test "every allocation a sample: exact to the byte" {
	sampled 1 "$bin/heap_sites"
	while read -r name bytes blocks live live_blocks; do
		same "allocated by $name" "$(of alloc_bytes "do_$name")" "$bytes"
		same "allocations of $name" "$(of alloc_calls "do_$name")" "$blocks"
		same "live of $name" "$(of not_freed_bytes "do_$name")" "$live"
		same "live blocks of $name" "$(of not_freed_blocks "do_$name")" "$live_blocks"
		same "error of $name" "$(of alloc_error_bytes "do_$name")" 0
		same "samples of $name" "$(of samples "do_$name")" "$blocks"
	done <stdout
	same "temporary blocks of churn" "$(of temporary_calls do_churn)" 200000
	same "what was lost" "$(view quality | grep -c heap_calls)" 0
}

@test "operator new counts for its caller, also before main() and while an exception is on its way" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		sampled 8K "$bin/heap_sites_cpp$compiler"
		quiet
		judge 8192
		same "sites that are operator new" "$(grep -c '^"*operator new' heap.csv)" 0
		same "sites that are told" "$(wc -l <stdout)" 6
	done
}

@test "hello world has nothing that is not freed" {
	for source in c cpp; do
		[ $source = c ] && echo 'int puts(const char *); int main(void) { puts("hello world"); }' \
			>hello.c
		[ $source = cpp ] && printf \
			'#include <iostream>\nint main() { std::cout << "hello world" << std::endl; }\n' \
			>hello.cpp
		g++ -x c$([ $source = c ] || echo ++) hello.$source -o hello
		sampled 1 ./hello
		same "allocations" "$(($(all alloc_calls) > 0))" 1
		same "not freed" "$(all not_freed_blocks)" 0
	done
}

@test "a forked child goes on by itself" {
	sampled 8K "$bin/heap_sites" fork
	quiet
	child=$(view processes | "$here/csv" pid | sort -n | tail -1)
	parent=$(view processes | "$here/csv" pid | sort -n | head -1)
	[ "$child" != "$parent" ]
	view heap --process "$child" >heap.csv
	same "sites of the child" "$("$here/csv" function <heap.csv | grep '^do_')" do_child_keeps
	sed -n '/^child_keeps/p' stdout >child.txt
	view heap --process "$parent" >heap.csv
	same "the child's in the parent" "$("$here/csv" function <heap.csv | grep -c child_keeps)" 0
	rm heap.csv
	judge 8192
}

@test "killed, and while it runs" {
	sampled 8K "$bin/heap_sites" dies || true
	judge 8192
	rm stdout heap.csv
	LD_PRELOAD="$library libgcc_s.so.1" INSIDEME_HEAP_SAMPLE=8K INSIDEME_RUN=$PWD/running \
		"$bin/heap_sites" waits >stdout 2>stderr &
	wait_until grep -qs in_handler stdout
	view heap running >heap.csv
	kill $!
	judge 8192
}

@test "a stripped program has its sites by address" {
	strip -o stripped "$bin/heap_sites"
	sampled 8K ./stripped
	known=$(awk '{ sum += $2 } END { print sum }' stdout)
	found=$(view heap | "$here/csv" alloc_bytes module=stripped |
		awk '{ sum += $1 } END { printf "%d", sum }')
	between "allocated, in percent" 98 $((found * 100 / known)) 102
	[ "$(view heap | "$here/csv" function | grep -c '^stripped+0x')" -ge 10 ]
}

@test "an interpreter without any preparation" {
	python=$(python3 -c 'import sys; print(sys.executable)')
	cat >work.py <<-'END'
		rows = [{"name": "x" * (i % 2000), "list": list(range(i % 50))} for i in range(20000)]
		print(sum(len(row["name"]) for row in rows))
	END
	sampled 32K "$python" work.py
	same "what it prints" "$(cat stdout)" "$("$python" work.py)"
	view heap >heap.csv
	exact=$(view processes | "$here/csv" alloc_bytes)
	awk -v exact="$exact" -v found="$(all alloc_bytes)" \
		-v error="$("$here/csv" alloc_error_bytes <heap.csv |
		awk '{ s += $1 ^ 2 } END { print sqrt(s) }')" \
		'BEGIN { print exact, found, error; exit error <= 0 || (exact - found) ^ 2 > (6 * error) ^ 2 }'
	[ "$(all samples)" -gt 200 ]
}

@test "without samples the view names the command, and says why there are none" {
	record heap_sites
	"$report" -v heap >heap.txt
	tr -s ' \n' ' ' <heap.txt | grep -F 'insideme-run --heap-sample ./heap_sites'
	INSIDEME_HEAP_SAMPLE=8K record heap_sites
	"$report" -v heap | tr -s ' \n' ' ' | grep -F 'stacks were not sampled: libgcc_s.so.1 is not loaded'
	same "finding" "$(view quality | grep -c heap_not_sampled)" 1
	cp "$bin/own_malloc" own
	sampled 8K ./own
	strings -a insideme.data/*/*.log | grep '^heap_off=malloc is defined by the program'
}

# Without hooks there are no calls to tell of.
@test "the last line says how many stacks there are, and what to type" {
	monitor --heap-sample=128K "$bin/heap_sites"
	bytes=$(view processes | "$here/csv" alloc_bytes)
	same "the line" "$(sed 's/, [0-9.]* [KM]iB; / /' stderr)" "insideme: $(all samples) stacks of $(awk -v b="$bytes" \
		'BEGIN { printf "%.0f MiB", b / 1048576 }') allocated read with: insideme-report -v heap $(echo insideme.data/*heap_sites)"
	monitor --heap-sample=8K --waits=off "$bin/leaks"
	grep '^insideme: 12 calls, .*; read with: insideme-report insideme.data/' stderr
}

@test "the option needs no value, and takes no argument for one" {
	monitor --quiet --heap-sample "$bin/heap_sites"
	[ "$(all samples)" -gt 100 ]
	strings -a insideme.data/*/*.log | grep -x 'setting.INSIDEME_HEAP_SAMPLE=512K'
	run "$build/insideme-run" --heap-sample=65M "$bin/heap_sites"
	same "status" "$status" 2
	same "what it says" "$output" \
		"insideme-run: --heap-sample: '65M' is not understood; expected off or a size up to 64M"
}

@test "a saved profile keeps estimates and errors" {
	sampled 8K "$bin/heap_sites"
	"$report" --save saved.json
	for column in alloc_bytes alloc_error_bytes peak_heap_bytes peak_error_bytes not_freed_bytes \
		not_freed_error_bytes samples; do
		same "$column" "$("$report" -v heap -f csv saved.json |
			"$here/csv" $column function=do_keep_calloc)" "$(of $column do_keep_calloc)"
	done
	[ "$(of samples do_keep_calloc)" -gt 1000 ]
}

@test "with hooks each allocation is recorded, and none is sampled" {
	sampled 8K "$bin/leaks"
	same "bytes of by_malloc" "$(of not_freed_bytes by_malloc)" 1000
	same "samples" "$(of samples by_malloc)" ""
}

@test "an allocator of its own that is an object" {
	command -v jemalloc-config >/dev/null || [ -e /usr/lib/x86_64-linux-gnu/libjemalloc.so.2 ] ||
		skip "jemalloc is not installed"
	LD_PRELOAD="$library libgcc_s.so.1 libjemalloc.so.2" INSIDEME_HEAP_SAMPLE=8K \
		"$bin/heap_sites" >stdout 2>stderr
	rm -f heap.csv
	quiet
	judge 8192
}

# libgcc's begin, as the program sees it: a handler that comes within it and takes a stack would wait for
# ever.
@test "the unwinder has begun before a signal handler can come" {
	cat >once.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <unistd.h>
		static volatile sig_atomic_t has_handler;
		static void *volatile kept;
		int pthread_once(pthread_once_t *once, void (*init)(void))
		{
			if (*once == 1)
				_exit(3);
			if (*once == 2)
				return 0;
			*once = 1;
			if (has_handler)
				raise(SIGUSR1);
			init();
			*once = 2;
			return 0;
		}
		static void allocate(int number) { kept = malloc(1000 + number); }
		int main(void)
		{
			signal(SIGUSR1, allocate);
			has_handler = 1;
			allocate(0);
			raise(SIGUSR1);
			return 0;
		}
	END
	gcc -rdynamic once.c -o once
	sampled 1 ./once
	same "samples of allocate" "$(of samples allocate)" 2
}

@test "stacks that a program makes, and the end of threads" {
	cat >stacks.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <ucontext.h>
		static ucontext_t home, other;
		static pthread_key_t key;
		static void *volatile kept;
		__attribute__((noinline)) static void do_on_stack(void)
		{
			for (int i = 0; i < 1000; i++) {
				kept = malloc(1000);
				swapcontext(&other, &home);
			}
		}
		__attribute__((noinline)) static void do_at_end(void *block) { free(block); kept = malloc(5000); }
		static void *run(void *unused) { pthread_setspecific(key, malloc(100)); return unused; }
		int main(void)
		{
			pthread_t thread;
			getcontext(&other);
			other.uc_stack.ss_sp = malloc(16384);
			other.uc_stack.ss_size = 16384;
			other.uc_link = &home;
			makecontext(&other, do_on_stack, 0);
			for (int i = 0; i < 1000; i++)
				swapcontext(&home, &other);
			pthread_key_create(&key, do_at_end);
			for (int i = 0; i < 200; i++) {
				pthread_create(&thread, NULL, run, NULL);
				pthread_join(thread, NULL);
			}
			return 0;
		}
	END
	gcc -g -O2 -pthread stacks.c -o stacks
	sampled 1 ./stacks
	quiet
	same "on a stack of its own" "$(of alloc_calls do_on_stack)" 1000
	same "at the end of threads" "$(of alloc_calls do_at_end)" 200
}
