/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The MPI calls that are recorded: what communicates, waits or does I/O. Not what says that MPI is there
 * (MPI_Initialized), nor what only asks (MPI_Comm_rank). Each line: the name as in MPI_Name, in small
 * letters, in capitals; the number of arguments in C; in Fortran (one more for ierr, and one for each
 * string's length); the role of each argument in C, whose order is Fortran's too.
 *
 *   b n t   the buffer that this rank transfers, the count and the datatype of it; first one only
 *   N       counts by rank, of the buffer's datatype
 *   d s     destination, source; g: tag
 *   c o     communicator; where a new one is stored
 *   w F O   window of a one-sided call; of one that all ranks make; where a new one is stored
 *   p h     whose memory it puts into, gets from
 *   a r     where a new request is stored: of a transfer that has begun; of a persistent one
 *   q       a request that exists; R with l: an array of them, and its length
 *   W       the request, or with l the requests, that the call may complete, and then:
 *   f i     where it stores whether it did; which one; k I: how many, and which
 *   S X     where one status is stored; one of each request
 *   B G     the root, which all wait for; which waits for all; z: the ranks do not all wait for each other
 *   x       anything else, or what means nothing at some ranks
 *
 * BOTH: there is one with _c too.
 *
 * What a collective transfers is what this rank's buffer has: of the side that means something at every rank.
 */
#pragma once

/* With the function of MPI 4 whose counts have 64 bits. */
#define BOTH(X, name, lower, upper, nr_c, nr_fortran, roles) \
	X(name, lower, upper, nr_c, nr_fortran, roles) \
	X(name##_c, lower##_c, upper##_C, nr_c, nr_fortran, roles)

#define MPI_CALLS(X) \
	X(Init, init, INIT, 2, 1, "xx") \
	X(Init_thread, init_thread, INIT_THREAD, 4, 3, "xxxx") \
	X(Finalize, finalize, FINALIZE, 0, 1, "") \
	X(Abort, abort, ABORT, 2, 3, "xx") \
	BOTH(X, Send, send, SEND, 6, 7, "bntdgc") \
	BOTH(X, Bsend, bsend, BSEND, 6, 7, "bntdgc") \
	BOTH(X, Ssend, ssend, SSEND, 6, 7, "bntdgc") \
	BOTH(X, Rsend, rsend, RSEND, 6, 7, "bntdgc") \
	BOTH(X, Recv, recv, RECV, 7, 8, "bntsgcS") \
	BOTH(X, Isend, isend, ISEND, 7, 8, "bntdgca") \
	BOTH(X, Ibsend, ibsend, IBSEND, 7, 8, "bntdgca") \
	BOTH(X, Issend, issend, ISSEND, 7, 8, "bntdgca") \
	BOTH(X, Irsend, irsend, IRSEND, 7, 8, "bntdgca") \
	BOTH(X, Irecv, irecv, IRECV, 7, 8, "bntsgca") \
	BOTH(X, Send_init, send_init, SEND_INIT, 7, 8, "bntdgcr") \
	BOTH(X, Bsend_init, bsend_init, BSEND_INIT, 7, 8, "bntdgcr") \
	BOTH(X, Ssend_init, ssend_init, SSEND_INIT, 7, 8, "bntdgcr") \
	BOTH(X, Rsend_init, rsend_init, RSEND_INIT, 7, 8, "bntdgcr") \
	BOTH(X, Recv_init, recv_init, RECV_INIT, 7, 8, "bntsgcr") \
	X(Start, start, START, 1, 2, "q") \
	X(Startall, startall, STARTALL, 2, 3, "lR") \
	X(Request_free, request_free, REQUEST_FREE, 1, 2, "W") \
	X(Cancel, cancel, CANCEL, 1, 2, "q") \
	X(Wait, wait, WAIT, 2, 3, "WS") \
	X(Waitall, waitall, WAITALL, 3, 4, "lWX") \
	X(Waitany, waitany, WAITANY, 4, 5, "lWiS") \
	X(Waitsome, waitsome, WAITSOME, 5, 6, "lWkIX") \
	X(Test, test, TEST, 3, 4, "WfS") \
	X(Testall, testall, TESTALL, 4, 5, "lWfX") \
	X(Testany, testany, TESTANY, 5, 6, "lWifS") \
	X(Testsome, testsome, TESTSOME, 5, 6, "lWkIX") \
	X(Probe, probe, PROBE, 4, 5, "sgcS") \
	X(Iprobe, iprobe, IPROBE, 5, 6, "sgcfS") \
	X(Mprobe, mprobe, MPROBE, 5, 6, "sgcxS") \
	X(Improbe, improbe, IMPROBE, 6, 7, "sgcfxS") \
	BOTH(X, Mrecv, mrecv, MRECV, 5, 6, "xxxxx") \
	BOTH(X, Imrecv, imrecv, IMRECV, 5, 6, "xxxxx") \
	BOTH(X, Sendrecv, sendrecv, SENDRECV, 12, 13, "bntdgbntsgcS") \
	BOTH(X, Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, 9, 10, "bntdgsgcS") \
	X(Barrier, barrier, BARRIER, 1, 2, "c") \
	BOTH(X, Bcast, bcast, BCAST, 5, 6, "bntBc") \
	BOTH(X, Gather, gather, GATHER, 8, 9, "bntxxxGc") \
	BOTH(X, Gatherv, gatherv, GATHERV, 9, 10, "bntxxxxGc") \
	BOTH(X, Scatter, scatter, SCATTER, 8, 9, "xxxbntBc") \
	BOTH(X, Scatterv, scatterv, SCATTERV, 9, 10, "xxxxbntBc") \
	BOTH(X, Allgather, allgather, ALLGATHER, 7, 8, "bntxxxc") \
	BOTH(X, Allgatherv, allgatherv, ALLGATHERV, 8, 9, "bntxxxxc") \
	BOTH(X, Alltoall, alltoall, ALLTOALL, 7, 8, "bntxxxc") \
	BOTH(X, Alltoallv, alltoallv, ALLTOALLV, 9, 10, "bNxtxxxxc") \
	BOTH(X, Alltoallw, alltoallw, ALLTOALLW, 9, 10, "xxxxxxxxc") \
	BOTH(X, Reduce, reduce, REDUCE, 7, 8, "xxntxGc") \
	BOTH(X, Allreduce, allreduce, ALLREDUCE, 6, 7, "xxntxc") \
	BOTH(X, Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6, 7, "xxNtxc") \
	BOTH(X, Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6, 7, "xxntxc") \
	BOTH(X, Scan, scan, SCAN, 6, 7, "xxntzc") \
	BOTH(X, Exscan, exscan, EXSCAN, 6, 7, "xxntzc") \
	X(Ibarrier, ibarrier, IBARRIER, 2, 3, "ca") \
	BOTH(X, Ibcast, ibcast, IBCAST, 6, 7, "bntBca") \
	BOTH(X, Igather, igather, IGATHER, 9, 10, "bntxxxGca") \
	BOTH(X, Igatherv, igatherv, IGATHERV, 10, 11, "bntxxxxGca") \
	BOTH(X, Iscatter, iscatter, ISCATTER, 9, 10, "xxxbntBca") \
	BOTH(X, Iscatterv, iscatterv, ISCATTERV, 10, 11, "xxxxbntBca") \
	BOTH(X, Iallgather, iallgather, IALLGATHER, 8, 9, "bntxxxca") \
	BOTH(X, Iallgatherv, iallgatherv, IALLGATHERV, 9, 10, "bntxxxxca") \
	BOTH(X, Ialltoall, ialltoall, IALLTOALL, 8, 9, "bntxxxca") \
	BOTH(X, Ialltoallv, ialltoallv, IALLTOALLV, 10, 11, "bNxtxxxxca") \
	BOTH(X, Ireduce, ireduce, IREDUCE, 8, 9, "xxntxGca") \
	BOTH(X, Iallreduce, iallreduce, IALLREDUCE, 7, 8, "xxntxca") \
	BOTH(X, Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER, 7, 8, "xxNtxca") \
	BOTH(X, Iscan, iscan, ISCAN, 7, 8, "xxntzca") \
	BOTH(X, Iexscan, iexscan, IEXSCAN, 7, 8, "xxntzca") \
	BOTH(X, Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, 7, 8, "xxxzxxc") \
	BOTH(X, Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, 7, 8, "xxxzxxc") \
	X(Comm_dup, comm_dup, COMM_DUP, 2, 3, "co") \
	X(Comm_split, comm_split, COMM_SPLIT, 4, 5, "cxxo") \
	X(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE, 5, 6, "cxxxo") \
	X(Comm_create, comm_create, COMM_CREATE, 3, 4, "cxo") \
	X(Comm_create_group, comm_create_group, COMM_CREATE_GROUP, 4, 5, "cxzo") \
	X(Cart_create, cart_create, CART_CREATE, 6, 7, "cxxxxo") \
	X(Cart_sub, cart_sub, CART_SUB, 3, 4, "cxo") \
	X(Graph_create, graph_create, GRAPH_CREATE, 6, 7, "cxxxxo") \
	X(Intercomm_create, intercomm_create, INTERCOMM_CREATE, 6, 7, "czxxxo") \
	X(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE, 3, 4, "cxo") \
	X(Comm_free, comm_free, COMM_FREE, 1, 2, "x") \
	X(Comm_disconnect, comm_disconnect, COMM_DISCONNECT, 1, 2, "x") \
	X(Comm_spawn, comm_spawn, COMM_SPAWN, 8, 11, "xxxxxxxx") \
	BOTH(X, Put, put, PUT, 8, 9, "bntpxxxw") \
	BOTH(X, Get, get, GET, 8, 9, "bnthxxxw") \
	BOTH(X, Accumulate, accumulate, ACCUMULATE, 9, 10, "bntpxxxxw") \
	BOTH(X, Get_accumulate, get_accumulate, GET_ACCUMULATE, 12, 13, "xxxbnthxxxxw") \
	BOTH(X, Rput, rput, RPUT, 9, 10, "bntpxxxwx") \
	BOTH(X, Rget, rget, RGET, 9, 10, "bnthxxxwx") \
	BOTH(X, Raccumulate, raccumulate, RACCUMULATE, 10, 11, "bntpxxxxwx") \
	X(Fetch_and_op, fetch_and_op, FETCH_AND_OP, 7, 8, "xbthxxw") \
	X(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP, 7, 8, "xxbthxw") \
	BOTH(X, Win_create, win_create, WIN_CREATE, 6, 7, "xxxxcO") \
	BOTH(X, Win_allocate, win_allocate, WIN_ALLOCATE, 6, 7, "xxxcxO") \
	BOTH(X, Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED, 6, 7, "xxxcxO") \
	X(Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC, 3, 4, "xcO") \
	X(Win_free, win_free, WIN_FREE, 1, 2, "x") \
	X(Win_fence, win_fence, WIN_FENCE, 2, 3, "xF") \
	X(Win_lock, win_lock, WIN_LOCK, 4, 5, "xxxx") \
	X(Win_unlock, win_unlock, WIN_UNLOCK, 2, 3, "xx") \
	X(Win_flush, win_flush, WIN_FLUSH, 2, 3, "xx") \
	X(Win_flush_local, win_flush_local, WIN_FLUSH_LOCAL, 2, 3, "xx") \
	X(Win_flush_all, win_flush_all, WIN_FLUSH_ALL, 1, 2, "x") \
	X(Win_flush_local_all, win_flush_local_all, WIN_FLUSH_LOCAL_ALL, 1, 2, "x") \
	X(Win_lock_all, win_lock_all, WIN_LOCK_ALL, 2, 3, "xx") \
	X(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL, 1, 2, "x") \
	X(Win_start, win_start, WIN_START, 3, 4, "xxx") \
	X(Win_complete, win_complete, WIN_COMPLETE, 1, 2, "x") \
	X(Win_post, win_post, WIN_POST, 3, 4, "xxx") \
	X(Win_wait, win_wait, WIN_WAIT, 1, 2, "x") \
	X(File_open, file_open, FILE_OPEN, 5, 7, "xxxxx") \
	X(File_close, file_close, FILE_CLOSE, 1, 2, "x") \
	BOTH(X, File_read, file_read, FILE_READ, 5, 6, "xxxxx") \
	BOTH(X, File_read_all, file_read_all, FILE_READ_ALL, 5, 6, "xxxxx") \
	BOTH(X, File_read_at, file_read_at, FILE_READ_AT, 6, 7, "xxxxxx") \
	BOTH(X, File_read_at_all, file_read_at_all, FILE_READ_AT_ALL, 6, 7, "xxxxxx") \
	BOTH(X, File_write, file_write, FILE_WRITE, 5, 6, "xxxxx") \
	BOTH(X, File_write_all, file_write_all, FILE_WRITE_ALL, 5, 6, "xxxxx") \
	BOTH(X, File_write_at, file_write_at, FILE_WRITE_AT, 6, 7, "xxxxxx") \
	BOTH(X, File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL, 6, 7, "xxxxxx") \
	X(File_sync, file_sync, FILE_SYNC, 1, 2, "x")

#define MPI_CALL_NUMBER(name, lower, upper, nr_c, nr_fortran, roles) CALL_##name,
enum mpi_call { MPI_CALLS(MPI_CALL_NUMBER) NR_MPI_CALLS };
#undef MPI_CALL_NUMBER

#define MPI_ARGUMENTS_MOST 14
