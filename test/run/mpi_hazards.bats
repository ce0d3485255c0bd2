#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What programs do that a recorder of MPI calls may break or miss. Each test fails without what it names.
load lib

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
source=$BATS_TEST_DIRNAME/../programs/mpi
programs=$BATS_FILE_TMPDIR

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	for mpi in openmpi mpich; do
		command -v mpicc.$mpi >/dev/null || continue
		mpicc.$mpi -g -O1 -w -finstrument-functions "$source/hazards.c" -o hazards.$mpi
	done
}

# ranks MPI N COMMAND...
ranks() {
	local mpi=$1 nr=$2 more=
	shift 2
	command -v mpirun.$mpi >/dev/null || skip "needs $mpi"
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n "$nr" "$@" >stdout 2>stderr || { cat stderr; return 1; }
}

# What our own work allocates, and what MPI allocates to answer our questions, is no memory of the program.
memory_is_the_programs() {
	local with without
	ranks "$1" 1 "$build/insideme-run" -q "$programs/hazards.$1" memory
	view processes >with.csv
	ranks "$1" 1 "$build/insideme-run" -q --mpi=off "$programs/hazards.$1" memory
	view processes >without.csv
	with=$("$here/csv" alloc_bytes rank=0 <with.csv)
	without=$("$here/csv" alloc_bytes rank=0 <without.csv)
	between "allocated, beside $without without" $((without - 1000)) "$with" $((without + 1000))
}

@test "Open MPI: our memory is none of the program's" { memory_is_the_programs openmpi; }
@test "MPICH: our memory is none of the program's" { memory_is_the_programs mpich; }
