#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The programs of examples/, built by their own Makefile: what examples/README.md says of them.
load lib

examples=$BATS_FILE_TMPDIR
source=$BATS_TEST_DIRNAME/../../examples

setup_file() {
	make -C "$source" O="$examples" PATH="$build:$PATH" >"$examples/make.out" 2>&1 ||
		{ cat "$examples/make.out"; return 1; }
}

# example OPTIONS -- NAME ARGS: under insideme-run
example() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	"$build/insideme-run" "${options[@]}" -- "$examples/$2" "${@:3}" >stdout 2>stderr
}

@test "mandelbrot: three languages draw one picture, and make as many calls" {
	local name function
	for name in mandelbrot mandelbrot_cpp mandelbrot_fortran; do
		example -- $name 50
		cp stdout $name.txt
		cmp mandelbrot.txt $name.txt
		function=escape_steps
		[ $name = mandelbrot ] || function=fractal::escape_steps
		rm -f functions.csv
		calls $function 5000 || return 1
	done
	same "lines of the picture" "$(wc -l <mandelbrot.txt)" 25
}

@test "mandelbrot: as it is, most time is in escape_steps" {
	example -- mandelbrot
	same "calls of escape_steps" "$(view functions | "$here/csv" calls function=escape_steps)" 1280000
	# on a busy machine its callers have the time in which the thread was ready; a short run has no CPU time
	between "percent of the time" 40 "$(view functions --columns self_cpu_ns,self_ns,function | awk -F, '
		NR > 1 { cpu += $1; self += $2 } $3 == "escape_steps" { own_cpu = $1; own = $2 }
		END { print int(100 * (cpu ? own_cpu / cpu : own / self)) }')" 100
}

@test "mandelbrot: each row is a block, which lives at the peak" {
	example -- mandelbrot 50
	same "blocks of compute_row" "$(view heap | "$here/csv" alloc_calls function=compute_row)" 50
	same "bytes of it at the peak" "$(view heap | "$here/csv" peak_heap_bytes function=compute_row)" 5000
	same "blocks not freed" "$(view heap | "$here/csv" not_freed_bytes function=compute_row)" 0
}

@test "mandelbrot: a record for each call and each return" {
	example function_memory --recording csv -o rows.csv -- mandelbrot 10
	same "returns of escape_steps" "$(grep -c ',return,escape_steps,' rows.csv)" 200
	same "calls of compute_row" "$(grep -c ',call,compute_row,' rows.csv)" 10
}

@test "pool: one item in 20 fails, in four workers" {
	example --threshold=0 -- pool 400
	same "what it prints" "$(cat stdout)" '20 of 400 items failed'
	calls factor 400 work 400 worker 4
	"$report" -f multiprocess-profiler -o profile.csv
	same "rows that are broken" "$("$here/csv" id broken=True <profile.csv | sort | uniq -c | xargs)" \
		'20 factor 4 main'
	same "their errors" "$("$here/csv" error_type id=factor broken=True <profile.csv | sort -u)" \
		std::invalid_argument
	same "processes of work" "$("$here/csv" pid id=work <profile.csv | sort -u | wc -l)" 4
}

@test "poisson: regions, and the residual over time" {
	local steps
	example -- poisson 40
	steps=$(sed -n 's/ steps$//p' stdout)
	[ "$steps" -gt 10 ]
	calls assemble_row 1600 multiply "$steps" dot $((2 * steps)) "stage assembly" 1 \
		"stage solver" 1 iterations 1
	same "its stages" "$(view timers | "$here/csv" timer | sort | xargs)" "assembly iterations solver"
	same "the region's stage" "$(view timers --columns stage,timer | "$here/csv" stage timer=iterations)" solver
	"$report" -v resources -f csv >resources.csv
	head -1 resources.csv | grep -q residual
	same "bytes of the matrix, each step" "$(view timers | "$here/csv" moved_bytes timer=iterations)" \
		$((steps * (12 * (5 * 1600 - 4 * 40) + 20 * 1600)))
}

@test "heat: fields of all ranks, of growing trials" {
	[ -x "$examples/heat" ] || skip "needs MPI"
	command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	timeout 60 mpirun.openmpi --oversubscribe -n 2 "$build/insideme-run" -q --waits=off "$examples/heat" \
		3 >stdout 2>stderr
	view fields >fields.csv
	# 63 calls of the program's own functions, 123 that these make of MPI, MPI_Init and MPI_Finalize
	same "calls of communication, by rank" \
		"$("$here/csv" calls field=communication <fields.csv | xargs)" '188 188'
	same "calls of computation" "$("$here/csv" calls field=computation <fields.csv | xargs)" '60 60'
	same "calls of I/O" "$("$here/csv" calls field=I/O <fields.csv | xargs)" '3 3'
	same "calls of a function without a field" \
		"$("$here/csv" calls field=@random_start <fields.csv | xargs)" '3 3'
}

@test "commands.sh: what each command of a script used" {
	"$build/insideme-run" -- "$source/commands.sh" 1 >stdout 2>stderr
	same "lines" "$(cat stdout)" 131072
	view processes >processes.csv
	for program in seq sort gzip cmp wc; do
		"$here/csv" programs <processes.csv | grep -q "$program" || { echo "no $program"; return 1; }
	done
}

@test "commands.sh: the machine while it runs" {
	monitor -q --machine --timeout=1s --interval=10ms --run=machine 3>&- &
	"$source/commands.sh" 1 >lines
	wait $!
	same "lines" "$(cat lines)" 131072
	"$report" -v resources -f csv machine | "$here/csv" system_cpu_busy_ns set=system | grep . >busy
	[ "$(wc -l <busy)" -ge 3 ] || { cat busy; return 1; }
	sort -n busy | cmp - busy
}

@test "commands.sh: attached to from outside" {
	local pid
	"$source/commands.sh" 4 >stdout &
	pid=$!
	monitor --pid=$pid --children --interval=10ms
	wait $pid
	same "lines" "$(cat stdout)" 524288
	"$report" -f resource-monitor -o rows.csv
	[ "$(wc -l <rows.csv)" -ge 6 ] || { cat rows.csv; return 1; }
	"$report" | grep -q commands.sh
}
