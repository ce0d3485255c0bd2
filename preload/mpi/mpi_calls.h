/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The MPI calls that are recorded: what communicates, waits or does I/O. Not what says that MPI is there
 * (MPI_Initialized), nor what only asks (MPI_Comm_rank). Each line: the name as in MPI_Name, in small
 * letters, in capitals; the number of arguments in C; in Fortran (one more for ierr, and one for each
 * string's length); the role of each argument in C, whose order is Fortran's too.
 *
 *   b n t   the buffer that this rank transfers, the count and the datatype of it; first one only
 *   A E     the count, which there is for each rank, for each neighbour
 *   N M     counts by rank, by neighbour, of the buffer's datatype; with T each has a datatype of its own
 *   d s     destination, source; g: tag
 *   P       the count is of each of so many partitions
 *   c o     communicator; where a new one is stored; D: which may be used once the request is complete
 *   w F O   window of a one-sided call; of one that all ranks make; where a new one is stored
 *   p h     whose memory it puts into, gets from; e: both, with operation u, if there is one
 *   a r     where a new request is stored: of a transfer that has begun; of a persistent one
 *   q       a request that exists; R with l: an array of them, and its length
 *   W       the request, or with l the requests, that the call may complete, and then:
 *   f i     where it stores whether it did; which one; k I: how many, and which
 *   S X     where one status is stored; one of each request
 *   B G     the root, which all wait for; which waits for all; z: the ranks do not all wait for each other
 *   j y     file that it reads, as much as the status says; that it writes
 *   x       anything else, or what means nothing at some ranks
 *
 * BOTH: there is one with _c too.
 *
 * What a collective transfers is what this rank's buffer has: of the side that means something at every rank.
 */
#pragma once

#define ONE(X, name, lower, upper, nr_c, nr_fortran, roles) \
	X(name, lower, upper, mpi_##lower##_f08_, mpi_##lower##_f08ts_, nr_c, nr_fortran, roles)
/* With the function of MPI 4 whose counts have 64 bits; in mpi_f08 it is the same generic name. */
#define BOTH(X, name, lower, upper, nr_c, nr_fortran, roles) \
	ONE(X, name, lower, upper, nr_c, nr_fortran, roles) \
	X(name##_c, lower##_c, upper##_C, mpi_##lower##_f08_c_, mpi_##lower##_f08ts_large_, nr_c, \
	  nr_fortran, roles)

#define MPI_CALLS(X) \
	ONE(X, Init, init, INIT, 2, 1, "xx") \
	ONE(X, Init_thread, init_thread, INIT_THREAD, 4, 3, "xxxx") \
	ONE(X, Finalize, finalize, FINALIZE, 0, 1, "") \
	ONE(X, Abort, abort, ABORT, 2, 3, "xx") \
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
	ONE(X, Psend_init, psend_init, PSEND_INIT, 9, 10, "bPntdgcxr") \
	ONE(X, Precv_init, precv_init, PRECV_INIT, 9, 10, "bPntsgcxr") \
	ONE(X, Pready, pready, PREADY, 2, 3, "xx") \
	ONE(X, Pready_range, pready_range, PREADY_RANGE, 3, 4, "xxx") \
	ONE(X, Pready_list, pready_list, PREADY_LIST, 3, 4, "xxx") \
	ONE(X, Parrived, parrived, PARRIVED, 3, 4, "xxx") \
	ONE(X, Start, start, START, 1, 2, "q") \
	ONE(X, Startall, startall, STARTALL, 2, 3, "lR") \
	ONE(X, Request_free, request_free, REQUEST_FREE, 1, 2, "W") \
	ONE(X, Cancel, cancel, CANCEL, 1, 2, "q") \
	ONE(X, Wait, wait, WAIT, 2, 3, "WS") \
	ONE(X, Waitall, waitall, WAITALL, 3, 4, "lWX") \
	ONE(X, Waitany, waitany, WAITANY, 4, 5, "lWiS") \
	ONE(X, Waitsome, waitsome, WAITSOME, 5, 6, "lWkIX") \
	ONE(X, Test, test, TEST, 3, 4, "WfS") \
	ONE(X, Testall, testall, TESTALL, 4, 5, "lWfX") \
	ONE(X, Testany, testany, TESTANY, 5, 6, "lWifS") \
	ONE(X, Testsome, testsome, TESTSOME, 5, 6, "lWkIX") \
	ONE(X, Request_get_status, request_get_status, REQUEST_GET_STATUS, 3, 4, "xxx") \
	ONE(X, Probe, probe, PROBE, 4, 5, "sgcS") \
	ONE(X, Iprobe, iprobe, IPROBE, 5, 6, "sgcfS") \
	ONE(X, Mprobe, mprobe, MPROBE, 5, 6, "sgcxS") \
	ONE(X, Improbe, improbe, IMPROBE, 6, 7, "sgcfxS") \
	BOTH(X, Mrecv, mrecv, MRECV, 5, 6, "xxxxx") \
	BOTH(X, Imrecv, imrecv, IMRECV, 5, 6, "xxxxx") \
	BOTH(X, Sendrecv, sendrecv, SENDRECV, 12, 13, "bntdgbntsgcS") \
	BOTH(X, Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, 9, 10, "bntdgsgcS") \
	BOTH(X, Isendrecv, isendrecv, ISENDRECV, 12, 13, "bntdgbntsgca") \
	BOTH(X, Isendrecv_replace, isendrecv_replace, ISENDRECV_REPLACE, 9, 10, "bntdgsgca") \
	ONE(X, Barrier, barrier, BARRIER, 1, 2, "c") \
	BOTH(X, Bcast, bcast, BCAST, 5, 6, "bntBc") \
	BOTH(X, Gather, gather, GATHER, 8, 9, "bntxxxGc") \
	BOTH(X, Gatherv, gatherv, GATHERV, 9, 10, "bntxxxxGc") \
	BOTH(X, Scatter, scatter, SCATTER, 8, 9, "xxxbntBc") \
	BOTH(X, Scatterv, scatterv, SCATTERV, 9, 10, "xxxxbntBc") \
	BOTH(X, Allgather, allgather, ALLGATHER, 7, 8, "bntxxxc") \
	BOTH(X, Allgatherv, allgatherv, ALLGATHERV, 8, 9, "bntxxxxc") \
	BOTH(X, Alltoall, alltoall, ALLTOALL, 7, 8, "bAtxxxc") \
	BOTH(X, Alltoallv, alltoallv, ALLTOALLV, 9, 10, "bNxtxxxxc") \
	BOTH(X, Alltoallw, alltoallw, ALLTOALLW, 9, 10, "bNxTxxxxc") \
	BOTH(X, Reduce, reduce, REDUCE, 7, 8, "xxntxGc") \
	BOTH(X, Allreduce, allreduce, ALLREDUCE, 6, 7, "xxntxc") \
	BOTH(X, Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6, 7, "xxNtxc") \
	BOTH(X, Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6, 7, "xxAtxc") \
	BOTH(X, Scan, scan, SCAN, 6, 7, "xxntzc") \
	BOTH(X, Exscan, exscan, EXSCAN, 6, 7, "xxntzc") \
	ONE(X, Ibarrier, ibarrier, IBARRIER, 2, 3, "ca") \
	BOTH(X, Ibcast, ibcast, IBCAST, 6, 7, "bntBca") \
	BOTH(X, Igather, igather, IGATHER, 9, 10, "bntxxxGca") \
	BOTH(X, Igatherv, igatherv, IGATHERV, 10, 11, "bntxxxxGca") \
	BOTH(X, Iscatter, iscatter, ISCATTER, 9, 10, "xxxbntBca") \
	BOTH(X, Iscatterv, iscatterv, ISCATTERV, 10, 11, "xxxxbntBca") \
	BOTH(X, Iallgather, iallgather, IALLGATHER, 8, 9, "bntxxxca") \
	BOTH(X, Iallgatherv, iallgatherv, IALLGATHERV, 9, 10, "bntxxxxca") \
	BOTH(X, Ialltoall, ialltoall, IALLTOALL, 8, 9, "bAtxxxca") \
	BOTH(X, Ialltoallv, ialltoallv, IALLTOALLV, 10, 11, "bNxtxxxxca") \
	BOTH(X, Ialltoallw, ialltoallw, IALLTOALLW, 10, 11, "bNxTxxxxca") \
	BOTH(X, Ireduce, ireduce, IREDUCE, 8, 9, "xxntxGca") \
	BOTH(X, Iallreduce, iallreduce, IALLREDUCE, 7, 8, "xxntxca") \
	BOTH(X, Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER, 7, 8, "xxNtxca") \
	BOTH(X, Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, 7, 8, "xxAtxca") \
	BOTH(X, Iscan, iscan, ISCAN, 7, 8, "xxntzca") \
	BOTH(X, Iexscan, iexscan, IEXSCAN, 7, 8, "xxntzca") \
	BOTH(X, Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, 7, 8, "bntzxxc") \
	BOTH(X, Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 8, 9, "bntzxxxc") \
	BOTH(X, Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, 7, 8, "bEtzxxc") \
	BOTH(X, Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 9, 10, "bMxtzxxxc") \
	BOTH(X, Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW, 9, 10, "bMxTzxxxc") \
	BOTH(X, Ineighbor_allgather, ineighbor_allgather, INEIGHBOR_ALLGATHER, 8, 9, "bntzxxca") \
	BOTH(X, Ineighbor_allgatherv, ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, 9, 10, "bntzxxxca") \
	BOTH(X, Ineighbor_alltoall, ineighbor_alltoall, INEIGHBOR_ALLTOALL, 8, 9, "bEtzxxca") \
	BOTH(X, Ineighbor_alltoallv, ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, 10, 11, "bMxtzxxxca") \
	BOTH(X, Ineighbor_alltoallw, ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, 10, 11, "bMxTzxxxca") \
	ONE(X, Barrier_init, barrier_init, BARRIER_INIT, 3, 4, "cxr") \
	BOTH(X, Bcast_init, bcast_init, BCAST_INIT, 7, 8, "bntBcxr") \
	BOTH(X, Gather_init, gather_init, GATHER_INIT, 10, 11, "bntxxxGcxr") \
	BOTH(X, Gatherv_init, gatherv_init, GATHERV_INIT, 11, 12, "bntxxxxGcxr") \
	BOTH(X, Scatter_init, scatter_init, SCATTER_INIT, 10, 11, "xxxbntBcxr") \
	BOTH(X, Scatterv_init, scatterv_init, SCATTERV_INIT, 11, 12, "xxxxbntBcxr") \
	BOTH(X, Allgather_init, allgather_init, ALLGATHER_INIT, 9, 10, "bntxxxcxr") \
	BOTH(X, Allgatherv_init, allgatherv_init, ALLGATHERV_INIT, 10, 11, "bntxxxxcxr") \
	BOTH(X, Alltoall_init, alltoall_init, ALLTOALL_INIT, 9, 10, "bAtxxxcxr") \
	BOTH(X, Alltoallv_init, alltoallv_init, ALLTOALLV_INIT, 11, 12, "bNxtxxxxcxr") \
	BOTH(X, Alltoallw_init, alltoallw_init, ALLTOALLW_INIT, 11, 12, "bNxTxxxxcxr") \
	BOTH(X, Reduce_init, reduce_init, REDUCE_INIT, 9, 10, "xxntxGcxr") \
	BOTH(X, Allreduce_init, allreduce_init, ALLREDUCE_INIT, 8, 9, "xxntxcxr") \
	BOTH(X, Reduce_scatter_init, reduce_scatter_init, REDUCE_SCATTER_INIT, 8, 9, "xxNtxcxr") \
	BOTH(X, Reduce_scatter_block_init, reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT, 8, 9, \
	     "xxAtxcxr") \
	BOTH(X, Scan_init, scan_init, SCAN_INIT, 8, 9, "xxntzcxr") \
	BOTH(X, Exscan_init, exscan_init, EXSCAN_INIT, 8, 9, "xxntzcxr") \
	BOTH(X, Neighbor_allgather_init, neighbor_allgather_init, NEIGHBOR_ALLGATHER_INIT, 9, 10, \
	     "bntzxxcxr") \
	BOTH(X, Neighbor_allgatherv_init, neighbor_allgatherv_init, NEIGHBOR_ALLGATHERV_INIT, 10, 11, \
	     "bntzxxxcxr") \
	BOTH(X, Neighbor_alltoall_init, neighbor_alltoall_init, NEIGHBOR_ALLTOALL_INIT, 9, 10, "bEtzxxcxr") \
	BOTH(X, Neighbor_alltoallv_init, neighbor_alltoallv_init, NEIGHBOR_ALLTOALLV_INIT, 11, 12, \
	     "bMxtzxxxcxr") \
	BOTH(X, Neighbor_alltoallw_init, neighbor_alltoallw_init, NEIGHBOR_ALLTOALLW_INIT, 11, 12, \
	     "bMxTzxxxcxr") \
	ONE(X, Comm_dup, comm_dup, COMM_DUP, 2, 3, "co") \
	ONE(X, Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO, 3, 4, "cxo") \
	ONE(X, Comm_idup, comm_idup, COMM_IDUP, 3, 4, "cDa") \
	ONE(X, Comm_idup_with_info, comm_idup_with_info, COMM_IDUP_WITH_INFO, 4, 5, "cxDa") \
	ONE(X, Comm_split, comm_split, COMM_SPLIT, 4, 5, "cxxo") \
	ONE(X, Comm_split_type, comm_split_type, COMM_SPLIT_TYPE, 5, 6, "cxxxo") \
	ONE(X, Comm_create, comm_create, COMM_CREATE, 3, 4, "cxo") \
	ONE(X, Comm_create_group, comm_create_group, COMM_CREATE_GROUP, 4, 5, "cxzo") \
	ONE(X, Cart_create, cart_create, CART_CREATE, 6, 7, "cxxxxo") \
	ONE(X, Cart_sub, cart_sub, CART_SUB, 3, 4, "cxo") \
	ONE(X, Graph_create, graph_create, GRAPH_CREATE, 6, 7, "cxxxxo") \
	ONE(X, Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE, 9, 10, "cxxxxxxxo") \
	ONE(X, Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, 10, 11, \
	     "cxxxxxxxxo") \
	ONE(X, Intercomm_create, intercomm_create, INTERCOMM_CREATE, 6, 7, "czxxxo") \
	ONE(X, Intercomm_merge, intercomm_merge, INTERCOMM_MERGE, 3, 4, "cxo") \
	ONE(X, Comm_free, comm_free, COMM_FREE, 1, 2, "x") \
	ONE(X, Comm_disconnect, comm_disconnect, COMM_DISCONNECT, 1, 2, "x") \
	ONE(X, Comm_spawn, comm_spawn, COMM_SPAWN, 8, 11, "xxxxBcox") \
	ONE(X, Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE, 9, 12, "xxxxxBcox") \
	ONE(X, Comm_accept, comm_accept, COMM_ACCEPT, 5, 7, "xxBco") \
	ONE(X, Comm_connect, comm_connect, COMM_CONNECT, 5, 7, "xxBco") \
	ONE(X, Comm_join, comm_join, COMM_JOIN, 2, 3, "xx") \
	ONE(X, Comm_create_from_group, comm_create_from_group, COMM_CREATE_FROM_GROUP, 5, 7, "xxxxx") \
	ONE(X, Intercomm_create_from_groups, intercomm_create_from_groups, INTERCOMM_CREATE_FROM_GROUPS, \
	     8, 10, "xxxxxxxx") \
	ONE(X, Session_init, session_init, SESSION_INIT, 3, 4, "xxx") \
	ONE(X, Session_finalize, session_finalize, SESSION_FINALIZE, 1, 2, "x") \
	BOTH(X, Put, put, PUT, 8, 9, "bntpxxxw") \
	BOTH(X, Get, get, GET, 8, 9, "bnthxxxw") \
	BOTH(X, Accumulate, accumulate, ACCUMULATE, 9, 10, "bntpxxxxw") \
	BOTH(X, Get_accumulate, get_accumulate, GET_ACCUMULATE, 12, 13, "xxxbntexxxuw") \
	BOTH(X, Rput, rput, RPUT, 9, 10, "bntpxxxwa") \
	BOTH(X, Rget, rget, RGET, 9, 10, "bnthxxxwa") \
	BOTH(X, Raccumulate, raccumulate, RACCUMULATE, 10, 11, "bntpxxxxwa") \
	BOTH(X, Rget_accumulate, rget_accumulate, RGET_ACCUMULATE, 13, 14, "xxxbntexxxuwa") \
	ONE(X, Fetch_and_op, fetch_and_op, FETCH_AND_OP, 7, 8, "xbtexuw") \
	ONE(X, Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP, 7, 8, "xxbtexw") \
	BOTH(X, Win_create, win_create, WIN_CREATE, 6, 7, "xxxxcO") \
	BOTH(X, Win_allocate, win_allocate, WIN_ALLOCATE, 6, 7, "xxxcxO") \
	BOTH(X, Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED, 6, 7, "xxxcxO") \
	ONE(X, Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC, 3, 4, "xcO") \
	ONE(X, Win_free, win_free, WIN_FREE, 1, 2, "x") \
	ONE(X, Win_fence, win_fence, WIN_FENCE, 2, 3, "xF") \
	ONE(X, Win_lock, win_lock, WIN_LOCK, 4, 5, "xxxx") \
	ONE(X, Win_unlock, win_unlock, WIN_UNLOCK, 2, 3, "xx") \
	ONE(X, Win_flush, win_flush, WIN_FLUSH, 2, 3, "xx") \
	ONE(X, Win_flush_local, win_flush_local, WIN_FLUSH_LOCAL, 2, 3, "xx") \
	ONE(X, Win_flush_all, win_flush_all, WIN_FLUSH_ALL, 1, 2, "x") \
	ONE(X, Win_flush_local_all, win_flush_local_all, WIN_FLUSH_LOCAL_ALL, 1, 2, "x") \
	ONE(X, Win_lock_all, win_lock_all, WIN_LOCK_ALL, 2, 3, "xx") \
	ONE(X, Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL, 1, 2, "x") \
	ONE(X, Win_start, win_start, WIN_START, 3, 4, "xxx") \
	ONE(X, Win_complete, win_complete, WIN_COMPLETE, 1, 2, "x") \
	ONE(X, Win_post, win_post, WIN_POST, 3, 4, "xxx") \
	ONE(X, Win_wait, win_wait, WIN_WAIT, 1, 2, "x") \
	ONE(X, Win_test, win_test, WIN_TEST, 2, 3, "xx") \
	ONE(X, File_open, file_open, FILE_OPEN, 5, 7, "xxxxx") \
	ONE(X, File_close, file_close, FILE_CLOSE, 1, 2, "x") \
	BOTH(X, File_read, file_read, FILE_READ, 5, 6, "jxxxS") \
	BOTH(X, File_read_all, file_read_all, FILE_READ_ALL, 5, 6, "jxxxS") \
	BOTH(X, File_read_at, file_read_at, FILE_READ_AT, 6, 7, "jxxxxS") \
	BOTH(X, File_read_at_all, file_read_at_all, FILE_READ_AT_ALL, 6, 7, "jxxxxS") \
	BOTH(X, File_write, file_write, FILE_WRITE, 5, 6, "ybntx") \
	BOTH(X, File_write_all, file_write_all, FILE_WRITE_ALL, 5, 6, "ybntx") \
	BOTH(X, File_write_at, file_write_at, FILE_WRITE_AT, 6, 7, "yxbntx") \
	BOTH(X, File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL, 6, 7, "yxbntx") \
	BOTH(X, File_iread, file_iread, FILE_IREAD, 5, 6, "jxxxx") \
	BOTH(X, File_iwrite, file_iwrite, FILE_IWRITE, 5, 6, "ybntx") \
	BOTH(X, File_iread_all, file_iread_all, FILE_IREAD_ALL, 5, 6, "jxxxx") \
	BOTH(X, File_iwrite_all, file_iwrite_all, FILE_IWRITE_ALL, 5, 6, "ybntx") \
	BOTH(X, File_read_shared, file_read_shared, FILE_READ_SHARED, 5, 6, "jxxxS") \
	BOTH(X, File_write_shared, file_write_shared, FILE_WRITE_SHARED, 5, 6, "ybntx") \
	BOTH(X, File_iread_shared, file_iread_shared, FILE_IREAD_SHARED, 5, 6, "jxxxx") \
	BOTH(X, File_iwrite_shared, file_iwrite_shared, FILE_IWRITE_SHARED, 5, 6, "ybntx") \
	BOTH(X, File_read_ordered, file_read_ordered, FILE_READ_ORDERED, 5, 6, "jxxxS") \
	BOTH(X, File_write_ordered, file_write_ordered, FILE_WRITE_ORDERED, 5, 6, "ybntx") \
	BOTH(X, File_iread_at, file_iread_at, FILE_IREAD_AT, 6, 7, "jxxxxx") \
	BOTH(X, File_iwrite_at, file_iwrite_at, FILE_IWRITE_AT, 6, 7, "yxbntx") \
	BOTH(X, File_iread_at_all, file_iread_at_all, FILE_IREAD_AT_ALL, 6, 7, "jxxxxx") \
	BOTH(X, File_iwrite_at_all, file_iwrite_at_all, FILE_IWRITE_AT_ALL, 6, 7, "yxbntx") \
	BOTH(X, File_read_all_begin, file_read_all_begin, FILE_READ_ALL_BEGIN, 4, 5, "xxxx") \
	ONE(X, File_read_all_end, file_read_all_end, FILE_READ_ALL_END, 3, 4, "jxS") \
	BOTH(X, File_write_all_begin, file_write_all_begin, FILE_WRITE_ALL_BEGIN, 4, 5, "ybnt") \
	ONE(X, File_write_all_end, file_write_all_end, FILE_WRITE_ALL_END, 3, 4, "xxx") \
	BOTH(X, File_read_ordered_begin, file_read_ordered_begin, FILE_READ_ORDERED_BEGIN, 4, 5, "xxxx") \
	ONE(X, File_read_ordered_end, file_read_ordered_end, FILE_READ_ORDERED_END, 3, 4, "jxS") \
	BOTH(X, File_write_ordered_begin, file_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN, 4, 5, "ybnt") \
	ONE(X, File_write_ordered_end, file_write_ordered_end, FILE_WRITE_ORDERED_END, 3, 4, "xxx") \
	BOTH(X, File_read_at_all_begin, file_read_at_all_begin, FILE_READ_AT_ALL_BEGIN, 5, 6, "xxxxx") \
	ONE(X, File_read_at_all_end, file_read_at_all_end, FILE_READ_AT_ALL_END, 3, 4, "jxS") \
	BOTH(X, File_write_at_all_begin, file_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN, 5, 6, "yxbnt") \
	ONE(X, File_write_at_all_end, file_write_at_all_end, FILE_WRITE_AT_ALL_END, 3, 4, "xxx") \
	ONE(X, File_set_size, file_set_size, FILE_SET_SIZE, 2, 3, "xx") \
	ONE(X, File_preallocate, file_preallocate, FILE_PREALLOCATE, 2, 3, "xx") \
	ONE(X, File_sync, file_sync, FILE_SYNC, 1, 2, "x")

#define MPI_CALL_NUMBER(name, lower, upper, f08, f08ts, nr_c, nr_fortran, roles) CALL_##name,
enum mpi_call { MPI_CALLS(MPI_CALL_NUMBER) NR_MPI_CALLS };
#undef MPI_CALL_NUMBER

#define MPI_ARGUMENTS_MOST 14
