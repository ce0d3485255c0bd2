#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# MPI calls that few programs make: what they move, and that names of communicators stay alike after them.
load lib

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_orte_tmpdir_base=$BATS_FILE_TMPDIR # or launches at the same time disturb each other

# ranks MPI COMMAND...: each rank's output sorted in stdout
ranks() {
	local mpi=$1 more=
	shift
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n 2 "$@" >out 2>stderr || { cat stderr; return 1; }
	sort out >stdout
}

# sums COLUMN CONDITIONS...: of the view, added up
sums() {
	"$here/csv" "$@" <view.csv | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

further_calls() {
	local mpi=$1
	command -v mpirun.$mpi >/dev/null || skip "needs $mpi"
	mpicc.$mpi -g -O1 -w "$here/../programs/mpi/further.c" -o further
	ranks $mpi ./further file
	mv stdout plain
	ranks $mpi "$build/insideme-run" -q ./further file
	cmp plain stdout

	view messages >view.csv
	same "Neighbor_allgather" "$(sums bytes function=MPI_Neighbor_allgather)" 16
	same "Neighbor_alltoall" "$(sums bytes function=MPI_Neighbor_alltoall)" 48
	same "Ineighbor_allgather" "$(sums bytes function=MPI_Ineighbor_allgather)" 32
	same "to neighbours, with counts" "$(sums bytes function=MPI_Neighbor_alltoallv)" 24
	same "with types: a number of 4 bytes and two of 8" "$(sums bytes function=MPI_Ineighbor_alltoallw)" 40
	same "to neighbours of a graph" "$(sums bytes function=MPI_Ineighbor_alltoallv)" 40
	same "Alltoall" "$(sums bytes function=MPI_Alltoall)" 48
	same "Ialltoallw" "$(sums bytes function=MPI_Ialltoallw)" 16
	same "Ireduce_scatter_block" "$(sums bytes function=MPI_Ireduce_scatter_block)" 32
	same "Rput" "$(sums bytes function=MPI_Rput direction=put sender=0 receiver=1)" 16
	same "Rget" "$(sums bytes function=MPI_Rget direction=got sender=0 receiver=1)" 12
	same "Rget_accumulate, got" "$(sums bytes function=MPI_Rget_accumulate direction=got)" 16
	same "Rget_accumulate, put" "$(sums bytes function=MPI_Rget_accumulate direction=put)" 16
	same "Get_accumulate, got" "$(sums bytes function=MPI_Get_accumulate direction=got)" 16
	same "Get_accumulate, put: MPI_NO_OP puts nothing" \
		"$(sums bytes function=MPI_Get_accumulate direction=put)" 8
	same "communicators of rings" \
		"$("$here/csv" communicator function=MPI_Sendrecv <view.csv | sort -u | xargs)" \
		'MPI_COMM_WORLD/2@0 MPI_COMM_WORLD/3@0 MPI_COMM_WORLD/4@0'
	view mpi >view.csv
	same "new communicators have no buffer, whose size were unknown" \
		"$("$here/csv" unknown_sizes function=MPI_Dist_graph_create <view.csv)" 0
	same "written" "$(sums bytes function=MPI_File_iwrite_at)" 16
	same "written in order" "$(sums bytes function=MPI_File_write_ordered)" 16
	same "read, up to the end of the file" "$(sums bytes function=MPI_File_read_at)" 16
	same "read without a status" "$(sums unknown_sizes function=MPI_File_read_at_all)" 2
	same "read between two calls" "$(sums bytes function=MPI_File_read_at_all_end)" 24
	same "Mprobe takes the message" "$(sums bytes function=MPI_Mprobe)" 20
	same "Ialltoallw" "$(sums calls function=MPI_Ialltoallw)" 2
	same "File_iwrite_at" "$(sums calls function=MPI_File_iwrite_at)" 2
	same "File_write_ordered" "$(sums calls function=MPI_File_write_ordered)" 2
	[ "$(sums calls function=MPI_Request_get_status)" -ge 2 ]
	[ "$(sums calls function=MPI_Win_test)" -ge 2 ]
	"$report" -v late | tr -s ' \n' ' ' | grep -qE 'of ([0-9]+) receives and parts in collectives the other side is known of \1;'
}

@test "Open MPI: calls that few programs make" { further_calls openmpi; }

@test "MPICH: calls that few programs make" {
	further_calls mpich
	[ "$(grep -c 'later calls' plain)" = 2 ] || skip "this MPICH has no MPI 4"
	same "Isendrecv" "$(sums calls function=MPI_Isendrecv)" 2
	same "what it sent" "$(sums bytes function=MPI_Isendrecv)" 24
	same "starts of a collective and of partitions" "$(sums calls function=MPI_Start)" 8
	same "Pready" "$(sums calls function=MPI_Pready)" 2
	view messages >view.csv
	same "bytes of partitions" "$(sums bytes function=MPI_Start direction=sent sender=0 receiver=1)" 24
	same "bytes of a started collective" "$(sums bytes function=MPI_Start direction=collective)" 48
}
