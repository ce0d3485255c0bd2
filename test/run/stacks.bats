#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# CPU samples of programs without hooks: the stack of each. What part of the time is whose is known by counted
# loops; limits are 6
# standard errors of as many samples as came, and 2 points for what is not in the loops.
load lib

# stacks KIND [ARGUMENT]: its output and its status are what they are without the recorder. Each kind is
# recorded once.
stacks() {
	local status=0 kept=$BATS_FILE_TMPDIR/$1$compiler$options
	rm -rf insideme.data functions.csv
	[ ! -e "$kept" ] || { cp -r "$kept" insideme.data; return; }
	(unset LD_PRELOAD; "$bin/cpu_sites$compiler" "$@") >expected || status=$?
	same "status" "$status" 3
	status=0
	monitor --quiet --sample=250 $options -- "$bin/cpu_sites$compiler" "$@" || status=$?
	same "status" "$status" 3
	quiet
	same "output" "$(cat stdout)" "$(cat expected)"
	cp -r insideme.data "$kept"
}

# share COLUMN FUNCTION PERCENT: of all samples, give or take
share() {
	awk -v column="$1" -v name="$2" -v percent="$3" -v found="$(value "$1" "function=$2")" -v all="$(nr_samples)" 'BEGIN {
		part = percent / 100
		limit = 2 + 600 * sqrt((part > 0.99 ? 0.01 : part * (1 - part)) / all)
		if (all >= 40 && found != "" && (found - percent) ^ 2 <= limit ^ 2)
			exit 0
		print column " of " name ": " found " where " percent " give or take " limit " was expected, of " all " samples"
		exit 1
	}'
}

# mostly COLUMN FUNCTION: of a third of a second, of which a busy machine may leave few samples
mostly() {
	between "samples" 5 "$(nr_samples)" 1000000
	between "$1 of $2" 80 "$(value "$1" "function=$2" | cut -d. -f1)" 100
}

nr_samples() {
	view functions --columns samples | awk 'NR > 1 { n += $1 } END { print n + 0 }'
}

setup_file() {
	export compiler='' options=''
}

@test "shares of functions and of their callers, by gcc and clang" {
	for compiler in '' .clang; do
		stacks split
		share samples_percent work 100
		share total_samples_percent by_one 25
		share total_samples_percent by_three 75
		share total_samples_percent both 100
		share total_samples_percent main 100
		same "calls" "$(value calls function=work)" ''
		same "times by hooks" "$(value self_ns function=work)" ''
	done
}

@test "without PIE, with link-time optimisation" {
	for compiler in .nopie .lto; do
		stacks split
		share total_samples_percent by_three 75
		share samples_percent work 100
	done
}

@test "as many samples as the CPU time has intervals" {
	stacks split
	cpu_ms=$(view processes --columns cpu_ns | awk 'NR == 2 { printf "%d", $1 / 1e6 }')
	sampled_ms=$(view functions --columns sampled_self_ns |
		awk 'NR > 1 { n += $1 } END { printf "%d", n / 1e6 }')
	between "ms of samples" $((cpu_ms * 9 / 10 - 20)) "$sampled_ms" $((cpu_ms * 11 / 10 + 20))
}

@test "paths: callers and callees" {
	stacks split
	view tree >tree.csv
	of_path() { "$here/csv" samples "path=$1" <tree.csv; }
	between "paths that end in work" 1 "$(of_path 'main;both();by_three();work(int)')" 1000000
	between "paths that end in work" 1 "$(of_path 'main;both();by_one();work(int)')" 1000000
	view callers >callers.csv
	same "callers of work" "$("$here/csv" caller function=work <callers.csv | sort | tr '\n' ' ')" \
		'by_one() by_three() '
	"$report" -v tree >tree.txt
	grep -E '^ *CPU  *Self CPU  *In kernel  *Function' tree.txt
	"$report" >summary.txt
	grep -E '^Time .* in functions, by [0-9]+ samples; CPU time of all: ' summary.txt
	grep -qE '^ .* work  *cpu_sites.cpp:' summary.txt
	same "what does not hold here" "$(grep -cE 'no hooks|[0-9] calls' summary.txt)" 0
}

@test "what is interrupted at its first instruction is not its caller" {
	[ "$(uname -m)" = x86_64 ] || skip "needs an instruction that takes long: rep stosb"
	rm -rf insideme.data functions.csv
	cat >first.c <<-'END'
		void fill(char *at, long unused, long unused_too, long bytes);
		__asm__(".globl fill\n.type fill, %function\nfill:\n\t.cfi_startproc\n"
			"\trep stosb\n\tret\n\t.cfi_endproc\n.size fill, . - fill");
		static char bytes[16384];
		int main(void) { for (long i = 0; i < 3000000; i++) fill(bytes, 0, 0, sizeof(bytes)); return 0; }
	END
	gcc -g -O1 first.c -o first
	monitor --quiet --sample=250 -- ./first
	mostly samples_percent fill
}

@test "recursion counts once" {
	stacks recursion
	share total_samples_percent descend 100
	share samples_percent work 100
	share total_samples_percent by_one 25
}

@test "a stack that is too deep keeps its innermost functions" {
	stacks deep
	share total_samples_percent descend 100
	share samples_percent work 100
	share total_samples_percent by_three 75
}

@test "threads" {
	stacks threads
	share total_samples_percent run_one 25
	share total_samples_percent run_three 75
	share samples_percent work 100
}

@test "a forked child" {
	stacks fork
	share total_samples_percent run_one 25
	share total_samples_percent run_three 75
	share samples_percent work 100
}

@test "exceptions, allocations and objects that come and go run on" {
	for compiler in '' .clang; do
		stacks throws
		mostly total_samples_percent 'throws()'
		stacks registers
		stacks loads "$bin/../../libinsideme-nop.so"
		between "samples" 20 "$(nr_samples)" 1000000
	done
}

@test "code whose unwind tables are wrong runs on" {
	for compiler in '' .clang; do
		stacks moves
		mostly samples_percent shift_stack
	done
}

@test "beside samples of the heap" {
	options=--heap-sample=8K
	stacks allocates
	between "samples" 10 "$(nr_samples)" 1000000
	between "allocations" 1 "$("$here/csv" alloc_bytes function=by_malloc < <(view heap))" 1000000000000
}

# Signals of the program, waits that no signal may end, libc's own timers, exec, many threads: as with hooks.
@test "what samples must not disturb in a program without hooks" {
	for kind in calls wait suspend own notify forks execs threads burn; do
		rm -rf insideme.data
		monitor --quiet --sample=250 -- "$bin/sampled.plain" "$kind"
		quiet
	done
	share total_samples_percent burn_some 75	# three threads of four
}

@test "saved and read again" {
	stacks split
	"$report" --save saved.json
	for columns in samples sampled_total_ns total_samples_percent; do
		same "$columns" "$(view functions --columns "function,$columns" saved.json)" \
			"$(view functions --columns "function,$columns")"
	done
}

@test "without the unwinder the report says why there are none" {
	(INSIDEME_SAMPLE=250 LD_PRELOAD=$library "$bin/sampled.plain" split >stdout 2>stderr)
	quiet
	view quality | grep -q 'CPU time was not sampled.*libgcc_s.so.1 is not loaded'
	same "samples" "$(nr_samples)" 0
}

@test "a run with hooks and one by samples of a build without: calls and times beside shares" {
	rm -rf insideme.data
	echo 'static volatile unsigned sink;
	      void burn(unsigned n) COPY;
	      __attribute__((noinline)) void burn(unsigned n) { while (n--) sink = sink * 3 + n; }
	      __attribute__((noinline)) void once(void) { burn(70000); sink++; }
	      __attribute__((noinline)) void thrice(void) { burn(210000); sink++; }
	      int main(void) { for (int i = 0; i < 900; i++) { once(); thrice(); } return 0; }' >both.c
	gcc -g -O1 -DCOPY='__asm__("burn.isra.0")' both.c -o both	# as the compiler calls a copy that takes other arguments
	monitor --sample=250 -- ./both
	grep -E '^insideme: [1-9][0-9]* CPU samples, .*; read with: insideme-report insideme.data/' stderr
	gcc -g -O1 -DCOPY= -finstrument-functions both.c -o both
	monitor --quiet -- ./both
	"$report" -v functions -f csv last~1 last \
		--columns function,calls,samples_percent,total_samples_percent 2>report.stderr |
		tr -d '"' >functions.csv
	same "calls" "$(awk -F, 'NR > 1 { print $1 "=" $2 }' functions.csv | sort | xargs)" \
		'burn=1800 main=1 once=900 thrice=900'
	awk -F, '$1 == "burn" && $3 < 90 || $1 == "thrice" && ($4 - 75) ^ 2 > 25 ^ 2 { bad = 1 } END { exit bad }' functions.csv || { cat functions.csv; false; }
	same "columns" "$("$report" -v functions last~1 last 2>/dev/null | sed -n 2p |
		grep -o -e Sampled -e Calls -e Self/run | xargs)" 'Sampled Calls'
}

# Bytes of a function, somewhere else: what compilers at run time make.
@test "code that is in no module: how much of the time it has" {
	local nameless
	rm -rf insideme.data functions.csv
	cat >made.c <<-'END'
		#include <string.h>
		#include <sys/mman.h>
		__attribute__((noinline)) int spin(int n) { while (n) { __asm__ volatile("" : "+r"(n)); n--; } return 0; }
		int main(void)
		{
			int (*made)(int) = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memcpy((void *)made, (void *)spin, 64);
			__builtin___clear_cache((char *)made, (char *)made + 64);
			for (int i = 0; i < 1000; i++)
				made(1000000);
			return 0;
		}
	END
	gcc -O1 made.c -o made
	monitor --quiet --sample=250 -- ./made
	nameless=$(view quality | sed -n 's/^nameless_functions.* name, \([0-9]*\).* % of the time in functions: they are in no known module.*/\1/p')
	between "percent in code that was made" 80 "$nameless" 100
}
