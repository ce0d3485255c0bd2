/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The MPI calls themselves, in C and under the names that compilers use for Fortran. All arguments are words,
 * numbers or addresses: no MPI function takes a floating-point number by value.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "insideme_log.h"
#include "preload/mpi/mpi_completions.h"
#include "preload/mpi/mpi_memory.h"
#include "preload/mpi/mpi_messages.h"

#define CALL_NAME_BYTES	40	/* no name, with what separates it from the next one, is longer */
#define MPI_ERR_OTHER 15	/* of MPICH; any number but 0 says that a call failed */

/* For each call: the functions that the program would have called, by variant. Any thread writes the same. */
static struct {
	void *next[NR_VARIANTS];
	void *own;		/* our function of the variant of C, which stands for all in the log */
} functions[NR_MPI_CALLS];

/* A callee takes the arguments that it has; the caller removes further words. */
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

/* A call that is under way. */
struct call {
	struct mpi_arguments arguments;
	struct messages messages;
	struct completions completions;
};

/* Before the call: what it frees must be forgotten before MPI can use the same handle again. */
static void begin_call(struct call *call, bool is_recorded)
{
	const struct mpi_arguments *arguments = &call->arguments;
	const struct mpi_message *awaited;

	if (arguments->id == CALL_Finalize)
		mpi_stop();
	else if (arguments->id == CALL_Session_finalize)
		mpi_stop_session(arguments->values[0], arguments->variant);
	else if (mpi.is_up && (arguments->id == CALL_Comm_free || arguments->id == CALL_Comm_disconnect))
		comm_forget(stored_comm(arguments->values[0], arguments->variant));
	else if (mpi.is_up && arguments->id == CALL_Win_free)
		comm_forget(stored_window(arguments->values[0], arguments->variant));
	messages_prepare(&call->messages, arguments);
	completions_begin(&call->completions, arguments);
	awaited = messages_awaited(&call->messages, arguments) ?: completions_awaited(&call->completions);
	if (awaited && is_recorded)
		recorder->awaits(awaited);
}

static bool communicates(enum mpi_call id)
{
	return role_first(id, 'c') >= 0 || role_first(id, 'F') >= 0 || role_first(id, 'W') >= 0 ||
	       role_first(id, 'q') >= 0 || role_first(id, 'R') >= 0;
}

/* If the call failed, its arguments may mean nothing. */
static void report_call(struct call *call, bool has_succeeded)
{
	static const struct mpi_message none = { .direction = LOG_MESSAGE_NONE, .peer = LOG_PEER_NONE };

	if (!mpi.is_up || !has_succeeded || !messages_report(&call->messages, &call->arguments))
		recorder->message(&none);
}

/* A program that defines an MPI function itself comes before us. */
static void tell_bypassed(void)
{
	char names[200] = "", *at = names;
	const char *end = names + sizeof(names);

	for (int id = 0; id < NR_MPI_CALLS; id++) {
		const void *found = dlsym(RTLD_DEFAULT, call_names[id]);

		if (!found || !mpi_is_others(found) || end - at < CALL_NAME_BYTES)
			continue;
		at = text_add(at, end, at == names ? "" : ", ");
		at = text_add(at, end, call_names[id]);
	}
	if (at != names)
		recorder->bypassed(names);
}

static void look_for_mpi(const struct mpi_arguments *arguments, bool has_succeeded)
{
	recorder->own_work(1);
	mpi_look();
	if (arguments->id == CALL_Session_init && has_succeeded)
		mpi_look_session(arguments->values[2], arguments->variant);
	if (mpi.is_up) {
		recorder->rank(mpi.rank, mpi.nr_ranks);
		comm_find(mpi.comm_world); /* otherwise its first call would not say what it waits for */
		tell_bypassed();
	}
	recorder->own_work(-1);
}

/* Return: whether the recorder has taken the call's end. */
static bool end_call(struct call *call, bool is_recorded, bool has_succeeded)
{
	if (is_recorded)
		is_recorded = recorder->returned();
	if (!mpi.is_up)
		look_for_mpi(&call->arguments, has_succeeded);
	if (is_recorded)
		report_call(call, has_succeeded);
	completions_end(&call->completions, &call->arguments, is_recorded, has_succeeded);
	if (mpi.is_up && (!is_recorded || !has_succeeded) && communicates(call->arguments.id))
		recorder->lost();
	return is_recorded;
}

static void *find_next(enum mpi_call id, enum mpi_variant variant, const char *name)
{
	if (recorder)
		recorder->own_work(1);
	functions[id].next[variant] = mpi_find(name);
	if (recorder)
		recorder->own_work(-1);
	return functions[id].next[variant];
}

#define CALLER ((uintptr_t)__builtin_return_address(0))

static word __attribute__((noinline)) call(enum mpi_call id, enum mpi_variant variant, const char *name,
					   const word *values, word error_at, uintptr_t caller_addr)
{
	void *next = functions[id].next[variant], *own = functions[id].own;
	bool is_recorded;
	struct call call;
	word result;

	if (!next)
		next = find_next(id, variant, name);
	if (!next)
		return MPI_ERR_OTHER;
	if (!recorder || recorder->is_within())
		return forward(next, values);
	recorder->enter(own, NULL);
	is_recorded = recorder->entered(own, caller_addr);
	call.arguments = (struct mpi_arguments){ id, variant, values };
	begin_call(&call, is_recorded);
	result = forward(next, values);
	if (!end_call(&call, is_recorded, has_succeeded(variant, result, error_at)) || !recorder->left(own))
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
#define P14 P13, word a13
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
#define A14 A13, a13

#define C_WRAPPER(function, id, nr) \
	EXPORT int function(P##nr); \
	EXPORT int function(P##nr) \
	{ \
		const word values[MPI_ARGUMENTS_MOST] = { A##nr }; \
		return (int)call(id, FROM_C, #function, values, 0, CALLER); \
	}
/* ierr comes after the arguments that C has too, but MPI_Init has none in Fortran. */
#define FORTRAN_WRAPPER(function, id, variant, nr_c, nr) \
	EXPORT void function(P##nr); \
	EXPORT void function(P##nr) \
	{ \
		const word values[MPI_ARGUMENTS_MOST] = { A##nr }; \
		call(id, variant, #function, values, values[(id) <= CALL_Init_thread ? nr - 1 : nr_c], \
		     CALLER); \
	}
#define WRAPPERS(name, lower, upper, f08, f08ts, nr_c, nr, roles) \
	C_WRAPPER(MPI_##name, CALL_##name, nr_c) \
	FORTRAN_WRAPPER(mpi_##lower##_, CALL_##name, FROM_FORTRAN_, nr_c, nr) \
	FORTRAN_WRAPPER(mpi_##lower, CALL_##name, FROM_FORTRAN, nr_c, nr) \
	FORTRAN_WRAPPER(mpi_##lower##__, CALL_##name, FROM_FORTRAN__, nr_c, nr) \
	FORTRAN_WRAPPER(MPI_##upper, CALL_##name, FROM_FORTRAN_CAPITALS, nr_c, nr) \
	FORTRAN_WRAPPER(f08, CALL_##name, FROM_F08, nr_c, nr) \
	FORTRAN_WRAPPER(f08ts, CALL_##name, FROM_F08TS, nr_c, nr)
MPI_CALLS(WRAPPERS)

/* Fortran's has no ierr. The meaning of other levels than 0 and 1 is up to each tool. */
static void control(int level, const char *name, word argument)
{
	void *next = mpi_find(name);

	if (next)
		((int (*)(word))next)(argument);
	if (recorder && (level == 0 || level == 1))
		recorder->control(level);
}

EXPORT int MPI_Pcontrol(int level, ...);
EXPORT int MPI_Pcontrol(int level, ...)
{
	control(level, "MPI_Pcontrol", (word)level);
	return 0;
}

#define FORTRAN_CONTROL(function) \
	EXPORT void function(const int *level); \
	EXPORT void function(const int *level) \
	{ \
		control(*level, #function, (word)level); \
	}
FORTRAN_CONTROL(mpi_pcontrol_)
FORTRAN_CONTROL(mpi_pcontrol)
FORTRAN_CONTROL(mpi_pcontrol__)
FORTRAN_CONTROL(MPI_PCONTROL)
FORTRAN_CONTROL(mpi_pcontrol_f08_)

#define OWN(name, lower, upper, f08, f08ts, nr_c, nr, roles) functions[CALL_##name].own = (void *)MPI_##name;

__attribute__((constructor)) static void begin(void)
{
	const struct mpi_recorder *found = dlsym(RTLD_DEFAULT, "insideme_mpi_recorder");

	MPI_CALLS(OWN)
	roles_begin();
	recorder = found && found->version == MPI_RECORDER_VERSION ? found : NULL;
}
