#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A program of MPI under both libraries: the same output as without, one run, each rank's calls.
load ../run/lib
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=4

# launch LIBRARY PROGRAM...
launch() {
	local library=$1 options=
	shift
	[ "$library" != openmpi ] || options=--oversubscribe
	timeout 120 "mpirun.$library" $options -n $ranks "$@"
}

check_run() {
	same output "$(cat stdout)" "sum 6 of 4 ranks"
	same "what was said" "$(cat stderr)" ''
	same runs "$(find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l)" 1
	same "logs with a rank" "$(find insideme.data -name 'rank*' | wc -l)" $ranks
	for ((rank = 0; rank < ranks; rank++)); do
		view functions --rank $rank >functions.csv
		calls step 50 main 1
	done
	rm -rf insideme.data functions.csv
}

every_way() {
	command -v "mpicc.$1" >/dev/null || skip "needs $1"
	"mpicc.$1" -g -O2 -finstrument-functions "$here/../torture/mpi/ring.c" -o ring
	launch "$1" ./ring >stdout
	same "output without us" "$(cat stdout)" "sum 6 of 4 ranks"
	launch "$1" env LD_PRELOAD="$library" ./ring >stdout 2>stderr
	check_run
	LD_PRELOAD=$library launch "$1" ./ring >stdout 2>stderr
	check_run
	launch "$1" "$build/insideme-run" -q ./ring >stdout 2>stderr
	check_run
	"$build/insideme-run" -q "mpirun.$1" $([ "$1" != openmpi ] || echo --oversubscribe) -n $ranks ./ring >stdout 2>stderr
	check_run
}

@test "Open MPI" {
	every_way openmpi
}

@test "MPICH" {
	every_way mpich
}
