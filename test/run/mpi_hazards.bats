#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What programs do that a recorder of MPI calls may break or miss. Each test fails without what it names.
load lib

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_orte_tmpdir_base=$BATS_FILE_TMPDIR # or launches at the same time disturb each other
source=$BATS_TEST_DIRNAME/../programs/mpi
programs=$BATS_FILE_TMPDIR

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	for mpi in openmpi mpich; do
		command -v mpicc.$mpi >/dev/null || continue
		mpicc.$mpi -g -O1 -w -finstrument-functions "$source/hazards.c" -o hazards.$mpi
		mpicc.$mpi -g -O1 -w -DOWN_SEND "$source/hazards.c" -o own.$mpi
		mpicc.$mpi -g -O1 -w "$source/calls.c" -o calls.$mpi
		mpicc.$mpi -g -O1 -shared -fPIC "$source/tool.c" -o tool.$mpi.so
	done
	gcc "$source/asks.c" -o asks
}

# ranks MPI N COMMAND...
ranks() {
	local mpi=$1 nr=$2 more=
	shift 2
	command -v mpirun.$mpi >/dev/null || skip "needs $mpi"
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n "$nr" "$@" >stdout 2>stderr || { cat stderr; return 1; }
}

# goes_on MPI N MODE: what hazards.c prints with us is what it prints without; stdout is of the run with us
goes_on() {
	ranks "$1" "$2" "$programs/hazards.$1" "$3"
	sort stdout >plain
	ranks "$1" "$2" "$build/insideme-run" -q "$programs/hazards.$1" "$3"
	sort stdout | cmp - plain
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

@test "Open MPI: our memory is not counted as the program's" { memory_is_the_programs openmpi; }
@test "MPICH: our memory is not counted as the program's" { memory_is_the_programs mpich; }

# sums COLUMN CONDITIONS...: of the view, added up
sums() {
	"$here/csv" "$@" <view.csv | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# The next MPI_x is called, not PMPI_x: a tool behind ours counts the same calls.
a_tool_goes_on() {
	local function calls
	ranks "$1" 3 env LD_PRELOAD="$programs/tool.$1.so" "$build/insideme-run" -q "$programs/calls.$1"
	view functions >view.csv
	same "ranks that the tool saw" "$(ls tool.? | wc -l)" 3
	cat tool.? | awk -F, \
		'{ calls[$1] += $2 } END { for (function_ in calls) print function_, calls[function_] }' \
		>tool.sums
	while read -r function calls; do
		same "$function" "$(sums calls function="$function")" "$calls"
	done <tool.sums
	same "receives that the tool saw" "$(awk '/MPI_Recv/ { print $2 }' tool.sums)" 5
}

@test "Open MPI: a program's own PMPI tool" { a_tool_goes_on openmpi; }
@test "MPICH: a program's own PMPI tool" { a_tool_goes_on mpich; }

@test "a program that asks the dynamic linker for MPI finds none of ours" {
	"$build/insideme-run" -q "$programs/asks" >out
	same "answer" "$(cat out)" 'no MPI'
	"$build/insideme-run" -q --mpi=on "$programs/asks" >out
	same "answer where all programs get it" "$(cat out)" 'MPI is here'
}

# Peers are ranks of the other group.
groups_are_kept_apart() {
	goes_on "$1" 4 inter
	view messages >view.csv
	same "bytes from 0 to 2" "$(sums bytes function=MPI_Send sender=0 receiver=2)" 4
	same "bytes from 1 to 3" "$(sums bytes function=MPI_Send sender=1 receiver=3)" 8
	same "messages of MPI_Send" "$(sums messages function=MPI_Send)" 2
	view mpi >view.csv
	same "reductions" "$(sums calls function=MPI_Allreduce)" 4
	same "without a size" "$(sums unknown_sizes function=MPI_Allreduce)" 0
	same "their bytes" "$(sums bytes function=MPI_Allreduce)" 16
	same "the root's group has no buffer" "$(sums unknown_sizes function=MPI_Bcast)" 2
	same "the other one has" "$(sums bytes function=MPI_Bcast)" 8
}

@test "Open MPI: intercommunicators" { groups_are_kept_apart openmpi; }
@test "MPICH: intercommunicators" { groups_are_kept_apart mpich; }

# Ranks of a spawned world have the numbers of others here: they are not taken for these.
worlds_are_kept_apart() {
	local more=
	command -v "mpirun.$1" >/dev/null || skip "needs $1"
	[ "$1" = mpich ] || more=--oversubscribe
	timeout 100 "mpirun.$1" $more -n 1 "$programs/hazards.$1" spawn >plain 2>&1 ||
		skip "$1 starts no other ranks here"
	timeout 100 "$build/insideme-run" -q "mpirun.$1" $more -n 1 "$programs/hazards.$1" \
		spawn >stdout 2>stderr ||
		{ cat stderr; return 1; }
	view messages >view.csv
	same "sent to the other world" "$(sums messages function=MPI_Send)" 2
	same "bytes" "$(sums bytes function=MPI_Send)" 8
	same "communicator of the spawn" "$("$here/csv" communicator function=MPI_Send <view.csv | sort -u | xargs)" \
		MPI_COMM_SELF/1@0
	same "sent within this one" "$(sums messages function=MPI_Send receiver=0)" 0
	same "within the children's" "$(sums messages function=MPI_Sendrecv sender=0 receiver=1)" 1
	same "and back" "$(sums messages function=MPI_Sendrecv sender=1 receiver=0)" 1
	view mpi >view.csv
	same "from the other world" "$(sums messages function=MPI_Recv)" 2
	same "calls of all worlds" "$(sums calls function=MPI_Finalize)" 3
}

@test "Open MPI: spawned worlds" { worlds_are_kept_apart openmpi; }
@test "MPICH: spawned worlds" { worlds_are_kept_apart mpich; }

# Requests are completed by other threads than started them, and handles come again at once.
threads_are_distinguished() {
	ranks "$1" 2 "$build/insideme-run" -q "$programs/hazards.$1" threads
	view messages >view.csv
	same "sent" "$(sums messages function=MPI_Send)" 1600
	same "from 0 to 1" "$(sums bytes function=MPI_Send sender=0 receiver=1)" 3200
	same "communicators" "$("$here/csv" communicator function=MPI_Send <view.csv | sort -u | wc -l)" 4
	view mpi >view.csv
	same "received" "$(sums messages function=MPI_Irecv)" 1600
	same "their bytes" "$(sums bytes function=MPI_Irecv)" 6400
	same "completions" "$(sums calls function=MPI_Wait)" 1600
}

@test "Open MPI: threads" { threads_are_distinguished openmpi; }
@test "MPICH: threads" { threads_are_distinguished mpich; }

@test "MPICH: a session, without MPI_Init" {
	goes_on mpich 2 session
	view mpi >view.csv
	same "calls" "$(sums calls function=MPI_Sendrecv)" 2
	view messages >view.csv
	same "messages" "$(sums messages function=MPI_Sendrecv sender=0 receiver=1 \
		communicator='group/of the test@0')" 1
	same "bytes" "$(sums bytes function=MPI_Sendrecv)" 8
}

# What cannot be recorded is told.
bypasses_are_reported() {
	local library_of=$2 doubts
	ranks "$1" 2 "$build/insideme-run" -q "$programs/own.$1" one
	view mpi >view.csv
	same "calls of the program's own function" "$(sums calls function=MPI_Send)" 0
	same "calls of others" "$(sums calls function=MPI_Recv)" 1
	doubts=$("$report" -v quality | tr -s ' \n' ' ')
	[[ $doubts == *"MPI calls that the program defines itself were not recorded in process "*": MPI_Send"* ]]

	ranks "$1" 1 "$build/insideme-run" -q "$programs/asks" "$library_of"
	[[ $("$report" -v quality | tr -s ' \n' ' ') == *"recorded in 1 of the ranks that have MPI loaded"* ]]
	ranks "$1" 2 env LD_PRELOAD="$library" "$programs/own.$1" one
	[[ $("$report" -v quality | tr -s ' \n' ' ') == *"recorded in 2 of the ranks that have MPI loaded"* ]]
	ranks "$1" 2 "$build/insideme-run" -q "$programs/calls.$1"
	[[ $("$report" -v quality) != *"MPI"* ]]
}

@test "Open MPI: bypassed calls are reported" { bypasses_are_reported openmpi libmpi.so.40; }
@test "MPICH: bypassed calls are reported" { bypasses_are_reported mpich libmpich.so.12; }

@test "MPICH: counts of 64 bits" {
	ranks mpich 1 "$build/insideme-run" -q "$programs/hazards.mpich" large
	view messages >view.csv
	same "sent" "$(sums bytes function=MPI_Sendrecv_c)" 12
	same "more than an int counts" "$(sums bytes function=MPI_Bcast_c)" 5000000000
	same "counts by rank" "$(sums bytes function=MPI_Alltoallv_c)" 12
}

# Of two ranks: 1 is rank 0 of the window.
windows_are_known() {
	goes_on "$1" 2 one_sided
	view messages >view.csv
	same "put by 0 to 1" "$(sums bytes function=MPI_Put sender=0 receiver=1 direction=put)" 24
	same "puts" "$(sums messages function=MPI_Put)" 2
	same "got by 0 from 1" "$(sums bytes function=MPI_Get sender=1 receiver=0 direction=got)" 16
	same "added by 0" "$(sums bytes function=MPI_Accumulate sender=0 receiver=1 direction=put)" 8
	same "fetched" "$(sums bytes function=MPI_Fetch_and_op sender=1 direction=got)" 16
	same "and added" "$(sums bytes function=MPI_Fetch_and_op receiver=1 direction=put)" 16
	same "windows" "$("$here/csv" communicator function=MPI_Put <view.csv | sort | xargs)" \
		'MPI_COMM_WORLD/1@0/window1@0 MPI_COMM_WORLD/1@0/window2@0'
	view mpi >view.csv
	same "fences" "$(sums calls function=MPI_Win_fence)" 12
	same "what is waited in one-sided calls" "$("$here/csv" waiting_most_ns function=MPI_Put <view.csv)" \
		''
	"$here/csv" waiting_ns function=MPI_Win_fence <view.csv | grep -q '^[0-9]'
	same "locks" "$(sums calls function=MPI_Win_lock)" 4
}

@test "Open MPI: windows" { windows_are_known openmpi; }
@test "MPICH: windows" { windows_are_known mpich; }

recording_is_switched() {
	ranks "$1" 2 "$build/insideme-run" -q "$programs/hazards.$1" control
	view mpi >view.csv
	same "rings that were recorded" "$(sums calls function=MPI_Sendrecv)" 4
	same "rings" "$(grep -c ring stdout)" 6
}

@test "Open MPI: MPI_Pcontrol" { recording_is_switched openmpi; }
@test "MPICH: MPI_Pcontrol" { recording_is_switched mpich; }

@test "missing ranks are named" {
	command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
	timeout 100 mpirun.openmpi --oversubscribe -n 1 "$programs/hazards.openmpi" one : \
		-n 1 "$build/insideme-run" -q "$programs/hazards.openmpi" one : -n 2 \
			"$programs/hazards.openmpi" one
	[[ $("$report" -v quality | tr -s ' \n' ' ') == *"no log of 3 of 4 ranks: 0, 2 to 3"* ]]
}
