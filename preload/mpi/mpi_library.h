/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program's MPI, used without mpi.h. This file has all differences between Open MPI and MPICH; the rest
 * is common to both. Handles in C are pointers in Open MPI and numbers in MPICH; in Fortran they are numbers
 * in both.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"
#include "preload/mpi/mpi_recorder.h"

typedef uintptr_t word;

/* The language that a call comes from. Fortran passes everything by its address. */
enum mpi_variant {
	FROM_C,
	FROM_FORTRAN_,
	FROM_FORTRAN,
	FROM_FORTRAN__,
	FROM_FORTRAN_CAPITALS,
	FROM_F08,
	FROM_F08TS,
	NR_VARIANTS,
};

struct mpi {
	bool is_up;			/* between MPI_Init and MPI_Finalize: MPI may be asked */
	bool is_open_mpi;
	word comm_world, comm_self, comm_null, no_op;
	int cartesian;			/* what topo_test() says of such a topology */
	word session;			/* 0: MPI_Init was called */
	word world_group;
	int any_source, proc_null;
	int rank, nr_ranks;
	int (*type_size)(word type, int *bytes);
	int (*comm_size)(word comm, int *size);
	int (*comm_group)(word comm, word *group);
	int (*comm_remote_group)(word comm, word *group);
	int (*win_get_group)(word window, word *group);
	int (*comm_test_inter)(word comm, int *is_inter);
	int (*topo_test)(word comm, int *topology);
	int (*cartdim_get)(word comm, int *nr_dimensions);
	int (*dist_graph_neighbors_count)(word comm, int *nr_in, int *nr_out, int *is_weighted);
	int (*group_size)(word group, int *size);
	int (*group_free)(word *group);
	int (*group_translate_ranks)(word group, int nr, const int *ranks, word other, int *other_ranks);
	word (*comm_f2c)(int comm);
	word (*win_f2c)(int window);
	word (*type_f2c)(int type);
	word (*op_f2c)(int operation);
	word (*request_f2c)(int request);
};

extern HIDDEN struct mpi mpi;

/* NULL: nothing is recorded. Set by the constructor. */
extern HIDDEN const struct mpi_recorder *recorder;

/* The definition of @name that the program would have called without us; NULL: no loaded object has one. */
void *mpi_find(const char *name);

/* Is @name defined, but not by this library? */
bool mpi_is_others(const void *function);

/* After a call of the program: fill mpi when MPI has been initialized. Any thread. */
void mpi_look(void);

/*
 * The same after MPI_Session_init has stored a session at the address @session. Its ranks are those of the
 * world.
 */
void mpi_look_session(word session, enum mpi_variant variant);

/* MPI_Finalize begins. */
void mpi_stop(void);
/* The session at the address @session is about to end. */
void mpi_stop_session(word session, enum mpi_variant variant);

/* Handles as C has them, from the arguments of a call. */
int argument_int(word argument, enum mpi_variant variant);
word argument_comm(word argument, enum mpi_variant variant);
word argument_window(word argument, enum mpi_variant variant);
word argument_type(word argument, enum mpi_variant variant);
word argument_operation(word argument, enum mpi_variant variant);
/* The @index-th datatype of an array. */
word stored_type(word address, int index, enum mpi_variant variant);
/* The @index-th request that is stored at @address. */
word stored_request(word address, int index, enum mpi_variant variant);
/* The @index-th place in an array that the call has stored at @address, counted from 0. */
int stored_place(word address, int index, enum mpi_variant variant);
word stored_comm(word address, enum mpi_variant variant);
word stored_window(word address, enum mpi_variant variant);

/* Does the buffer @argument stand for MPI_IN_PLACE? Also true if that cannot be known. */
bool argument_is_in_place(word argument, enum mpi_variant variant);

/* The contents of a status. */
struct status {
	int source, tag;
	bool is_cancelled;
	int64_t bytes;
};

/* Read the @index-th status at @argument. False: the program asked for none, or that cannot be known. */
bool argument_status(word argument, int index, enum mpi_variant variant, struct status *status);
