/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The MPI calls themselves, in C and as compilers name them in Fortran. All arguments are words: numbers and
 * addresses. No MPI function takes a floating-point number by value.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "insideme_log.h"
#include "preload/mpi/mpi_completions.h"
#include "preload/mpi/mpi_messages.h"

#define EXPORT	    __attribute__((visibility("default")))
#define MPI_ERR_OTHER 15	/* of MPICH; any number but 0 says that a call failed */

/* For each call: the functions that the program would have called, by variant. Any thread writes the same. */
static struct {
	void *next[NR_VARIANTS];
	void *own;		/* ours of the variant of C, which stands for all in the log */
} functions[NR_MPI_CALLS];

static const struct mpi_recorder *recorder;

/* A callee takes the arguments that it has; words beyond are the caller's to clean up. */
typedef word next_function(word, word, word, word, word, word, word, word, word, word, word, word, word,
			   word);

static word forward(void *next, const word *a)
{
	return ((next_function *)next)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
				       a[11], a[12], a[13]);
}

/* @error_at: of Fortran's ierr, which mpi_f08 lets its callers leave out. */
static bool has_succeeded(enum mpi_variant variant, word result, word error_at)
{
	if (variant == FROM_C)
		return (int)result == 0;
	return !error_at || *(const int *)error_at == 0;
}

/* Before the call: what it frees must be forgotten before the same handle can come again. */
static void begin_call(const struct mpi_arguments *arguments, struct completions *completions)
{
	if (arguments->id == CALL_Finalize)
		mpi_stop();
	else if (mpi.is_up && (arguments->id == CALL_Comm_free || arguments->id == CALL_Comm_disconnect))
		comm_forget(stored_comm(arguments->values[0], arguments->variant));
	completions_begin(completions, arguments);
}

static bool communicates(enum mpi_call id)
{
	return role_first(id, 'c') >= 0 || role_first(id, 'W') >= 0 || role_first(id, 'q') >= 0 ||
	       role_first(id, 'R') >= 0;
}

/* After the call, while it is open in the recorder. If it failed, its arguments may mean nothing. */
static void report_call(const struct mpi_arguments *arguments, bool has_succeeded)
{
	static const struct mpi_message none = { .direction = LOG_MESSAGE_NONE, .peer = LOG_PEER_NONE };
	static int is_rank_known;

	if (mpi.is_up && !__atomic_exchange_n(&is_rank_known, 1, __ATOMIC_RELAXED))
		recorder->rank(mpi.rank, mpi.nr_ranks);
	if (!mpi.is_up || !has_succeeded || !messages_report(recorder, arguments))
		recorder->message(&none);
}

static word __attribute__((noinline)) call(enum mpi_call id, enum mpi_variant variant, const char *name,
					   const word *values, word error_at)
{
	const struct mpi_arguments arguments = { id, variant, values };
	void *next = functions[id].next[variant], *own = functions[id].own;
	struct completions completions;
	bool is_recorded, is_well;
	word result;

	if (!next)
		functions[id].next[variant] = next = mpi_find(name);
	if (!next)
		return MPI_ERR_OTHER;
	if (!recorder || recorder->is_within())
		return forward(next, values);
	recorder->enter(own, NULL);
	is_recorded = recorder->entered(own);
	begin_call(&arguments, &completions);
	result = forward(next, values);
	is_well = has_succeeded(variant, result, error_at);
	mpi_look();
	if (is_recorded)
		report_call(&arguments, is_well);
	completions_end(&completions, is_recorded ? recorder : NULL, &arguments, is_well);
	if (mpi.is_up && (!is_recorded || !is_well) && communicates(id))
		recorder->lost();
	recorder->exit(own, NULL);
	return result;
}

#define P0 void
#define P1 word a0
#define P2 P1, word a1
#define P3 P2, word a2
#define P4 P3, word a3
#define P5 P4, word a4
#define P6 P5, word a5
#define P7 P6, word a6
#define P8 P7, word a7
#define P9 P8, word a8
#define P10 P9, word a9
#define P11 P10, word a10
#define P12 P11, word a11
#define P13 P12, word a12
#define A0
#define A1 a0
#define A2 A1, a1
#define A3 A2, a2
#define A4 A3, a3
#define A5 A4, a4
#define A6 A5, a5
#define A7 A6, a6
#define A8 A7, a7
#define A9 A8, a8
#define A10 A9, a9
#define A11 A10, a10
#define A12 A11, a11
#define A13 A12, a12

#define C_WRAPPER(function, id, nr) \
	EXPORT int function(P##nr); \
	EXPORT int function(P##nr) \
	{ \
		const word values[MPI_ARGUMENTS_MOST] = { A##nr }; \
		return (int)call(id, FROM_C, #function, values, 0); \
	}
/* ierr comes after the arguments that C has too, but MPI_Init has none in Fortran. */
#define FORTRAN_WRAPPER(function, id, variant, nr_c, nr) \
	EXPORT void function(P##nr); \
	EXPORT void function(P##nr) \
	{ \
		const word values[MPI_ARGUMENTS_MOST] = { A##nr }; \
		call(id, variant, #function, values, values[(id) <= CALL_Init_thread ? nr - 1 : nr_c]); \
	}
#define WRAPPERS(name, lower, upper, nr_c, nr, roles) \
	C_WRAPPER(MPI_##name, CALL_##name, nr_c) \
	FORTRAN_WRAPPER(mpi_##lower##_, CALL_##name, FROM_FORTRAN_, nr_c, nr) \
	FORTRAN_WRAPPER(mpi_##lower, CALL_##name, FROM_FORTRAN, nr_c, nr) \
	FORTRAN_WRAPPER(mpi_##lower##__, CALL_##name, FROM_FORTRAN__, nr_c, nr) \
	FORTRAN_WRAPPER(MPI_##upper, CALL_##name, FROM_FORTRAN_CAPITALS, nr_c, nr) \
	FORTRAN_WRAPPER(mpi_##lower##_f08_, CALL_##name, FROM_F08, nr_c, nr) \
	FORTRAN_WRAPPER(mpi_##lower##_f08ts_, CALL_##name, FROM_F08TS, nr_c, nr)
MPI_CALLS(WRAPPERS)

#define OWN(name, lower, upper, nr_c, nr, roles) functions[CALL_##name].own = (void *)MPI_##name;

__attribute__((constructor)) static void begin(void)
{
	const struct mpi_recorder *found = dlsym(RTLD_DEFAULT, "insideme_mpi_recorder");

	MPI_CALLS(OWN)
	roles_begin();
	recorder = found && found->version == MPI_RECORDER_VERSION ? found : NULL;
}
