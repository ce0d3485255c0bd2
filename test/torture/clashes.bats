#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Forks, ends, jumps and loads that meet each other. Each program runs as without the library, and its calls of work() are those
# that it counted.
load ../run/lib
load ../run/alike

# counted PROGRAM KIND: as the program printed, with both compilers and both homes of the sampler
counted() {
	local where number program=$1
	shift
	for compiler in '' .clang; do
		limit=200 alike "$bin/$program$compiler" "$@"
		same "status of $1" "$(cat plain/status)" 0
		for where in inside outside; do
			number=$(awk -v kind="$1" '$1 == kind {print $2}' $where/stdout)
			rm -f functions.csv
			INSIDEME_DIR=data.$where calls work "$([ "$number" = 0 ] || echo "$number")" || { echo "^ $1$compiler $where"; return 1; }
		done
	done
}

# What is being loaded at a fork is open in the child.
@test "forks while others load and unload" { filter='s/ [0-9]+=[^ ]*first_plugin.so//g' threads=vary counted clashes loads "$bin/first_plugin.so"; }
@test "exit by a thread while others call and allocate" { threads=vary counted clashes exits; }
@test "a line of 50 forks, with threads" { counted clashes line; }
@test "processes that share memory" { counted clashes siblings; }
@test "exec by a thread, 30 images" { counted clashes execs; }
@test "handlers that end the process" { counted leaving handlers; }

@test "handlers at 10 kHz that call and jump" {
	filter='s/^leaves .*//'		# how many there were
	for compiler in '' .clang; do
		alike "$bin/leaving$compiler" leaves
		filter= one_run inside "$library" "$bin/leaving$compiler" leaves
		read -r _ number <inside/stdout
		between "handlers" 2000 "$number" 1000000
		INSIDEME_DIR=data.inside calls work "$number"
		rm functions.csv
	done
}

# One that is cancelled between the two instructions by which a hook counts and ends a call has counted one more.
@test "threads that are cancelled at any moment" {
	for compiler in '' .clang; do
		rm -rf inside data.inside functions.csv
		one_run inside "$library" "$bin/clashes$compiler" cancels
		same status "$(cat inside/status)" 0
		same "what was said" "$(cat inside/stderr)" ''
		most=$(sed -n 's/^most //p' inside/stdout)
		least=$(sed -n 's/^cancels //p' inside/stdout)
		between "spread" 0 $((most - least)) 400
		INSIDEME_DIR=data.inside view functions >functions.csv
		for function in work around; do
			between "calls of $function" "$least" "$(value calls function=$function)" $((most + 400))
		done
	done
}
