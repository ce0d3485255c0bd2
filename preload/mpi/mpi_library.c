/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Open MPI and MPICH have in common, and what differs. */
#include "preload/mpi/mpi_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "preload/mpi/mpi_lock.h"

/* MPICH's handles and sentinels are part of its ABI, which its derivatives share (MPICH ABI initiative). */
#define MPICH_COMM_WORLD 0x44000000u
#define MPICH_COMM_SELF 0x44000001u
#define MPICH_COMM_NULL 0x04000000u
#define MPICH_NO_OP 0x5800000eu
#define MPICH_CART 2
#define MPICH_PROC_NULL (-1)
#define MPICH_ANY_SOURCE (-2)
#define MPICH_IN_PLACE ((word)-1)
#define MPICH_STATUS_IGNORE ((word)1)
#define OPEN_MPI_CART 1
#define OPEN_MPI_PROC_NULL (-2)
#define OPEN_MPI_ANY_SOURCE (-1)
#define OPEN_MPI_IN_PLACE ((word)1)
#define OPEN_MPI_STATUS_IGNORE ((word)0)

/* Those of Fortran and of mpi_f08 are the same. */
struct mpich_status {
	int count_low, count_high_and_cancelled;
	int source, tag, error;
};
struct open_mpi_status {
	int source, tag, error;
	int is_cancelled;
	int count[2];		/* a 64-bit number, which Fortran does not align */
};

struct mpi mpi;
const struct mpi_recorder *recorder;

static bool is_locked; /* protects the discovery of MPI */
static bool is_over;

struct search {
	const char *name;
	void *found;
};

/* A program that is linked at fixed addresses may have a stub of its own for the function's address. */
bool mpi_is_others(const void *function)
{
	static char here;
	const ElfW(Sym) *symbol = NULL;
	Dl_info of, own;

	return dladdr1(function, &of, (void **)&symbol, RTLD_DL_SYMENT) && dladdr(&here, &own) &&
	       of.dli_fbase != own.dli_fbase && symbol && symbol->st_shndx != SHN_UNDEF;
}

static int look_in(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct search *search = context;
	void *handle = info->dlpi_name[0] ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = handle ? dlsym(handle, search->name) : NULL;

	if (handle)
		dlclose(handle);
	if (found && mpi_is_others(found))
		search->found = found;
	return search->found != NULL;
}

/*
 * Search first the objects after ours in the order of the dynamic linker, then those that were opened with
 * RTLD_LOCAL.
 */
void *mpi_find(const char *name)
{
	struct search search = { name, dlsym(RTLD_NEXT, name) };

	if (!search.found)
		dl_iterate_phdr(look_in, &search);
	return search.found;
}

/* A variable of MPI: the program's copy of it, if the linker made one. */
static word variable(const char *name)
{
	void *place = dlsym(RTLD_DEFAULT, name);

	return (word)(place ? place : mpi_find(name));
}

/* Sentinels of Fortran are variables: Open MPI's are common blocks, MPICH has pointers to its own. */
static struct {
	word in_place, f08_in_place; /* 0: not known; these too: */
	word status_ignore, statuses_ignore, f08_status_ignore, f08_statuses_ignore;
	bool f08_counts_from_0; /* where it stores which requests are complete */
} fortran;

static word pointer(const char *name)
{
	const word *place = (const word *)variable(name);

	return place ? *place : 0;
}

/* MPICH 4.0 to 4.0.3 store the places that C has; 3.4 and 4.1 add 1 (its issue 6270). */
static bool is_mpich_4_0(void)
{
	const char *version = (const char *)variable("MPII_Version_string");

	return version && strncmp(version, "4.0", 3) == 0;
}

static void know_fortran(void)
{
	if (mpi.is_open_mpi) {
		fortran.in_place = variable("mpi_fortran_in_place_");
		fortran.status_ignore = variable("mpi_fortran_status_ignore_");
		fortran.statuses_ignore = variable("mpi_fortran_statuses_ignore_");
	} else {
		fortran.in_place = pointer("MPIR_F_MPI_IN_PLACE");
		fortran.f08_in_place = variable("MPIR_F08_MPI_IN_PLACE");
		fortran.status_ignore = pointer("MPI_F_STATUS_IGNORE");
		fortran.statuses_ignore = pointer("MPI_F_STATUSES_IGNORE");
		fortran.f08_status_ignore = pointer("MPI_F08_STATUS_IGNORE");
		fortran.f08_statuses_ignore = pointer("MPI_F08_STATUSES_IGNORE");
		fortran.f08_counts_from_0 = is_mpich_4_0();
	}
}

static void know_handles(void)
{
	mpi.comm_world = variable("ompi_mpi_comm_world");
	mpi.is_open_mpi = mpi.comm_world != 0;
	if (mpi.is_open_mpi) {
		mpi.comm_self = variable("ompi_mpi_comm_self");
		mpi.comm_null = variable("ompi_mpi_comm_null");
		mpi.no_op = variable("ompi_mpi_op_no_op");
		mpi.cartesian = OPEN_MPI_CART;
		mpi.any_source = OPEN_MPI_ANY_SOURCE;
		mpi.proc_null = OPEN_MPI_PROC_NULL;
	} else {
		mpi.comm_world = MPICH_COMM_WORLD;
		mpi.comm_self = MPICH_COMM_SELF;
		mpi.comm_null = MPICH_COMM_NULL;
		mpi.no_op = MPICH_NO_OP;
		mpi.cartesian = MPICH_CART;
		mpi.any_source = MPICH_ANY_SOURCE;
		mpi.proc_null = MPICH_PROC_NULL;
	}
}

static bool find_all(void)
{
	const struct {
		const char *name;
		void *slot;
	} needed[] = {
		{ "PMPI_Type_size", &mpi.type_size },
		{ "PMPI_Comm_size", &mpi.comm_size },
		{ "PMPI_Comm_group", &mpi.comm_group },
		{ "PMPI_Comm_remote_group", &mpi.comm_remote_group },
		{ "PMPI_Win_get_group", &mpi.win_get_group },
		{ "PMPI_Comm_test_inter", &mpi.comm_test_inter },
		{ "PMPI_Topo_test", &mpi.topo_test },
		{ "PMPI_Cartdim_get", &mpi.cartdim_get },
		{ "PMPI_Dist_graph_neighbors_count", &mpi.dist_graph_neighbors_count },
		{ "PMPI_Group_size", &mpi.group_size },
		{ "PMPI_Group_free", &mpi.group_free },
		{ "PMPI_Group_translate_ranks", &mpi.group_translate_ranks },
	};
	bool are_found = true;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		*(void **)needed[i].slot = mpi_find(needed[i].name);
		are_found &= *(void **)needed[i].slot != NULL;
	}
	if (mpi.is_open_mpi) {
		*(void **)&mpi.comm_f2c = mpi_find("PMPI_Comm_f2c");
		*(void **)&mpi.win_f2c = mpi_find("PMPI_Win_f2c");
		*(void **)&mpi.type_f2c = mpi_find("PMPI_Type_f2c");
		*(void **)&mpi.request_f2c = mpi_find("PMPI_Request_f2c");
		*(void **)&mpi.op_f2c = mpi_find("PMPI_Op_f2c");
		are_found &= mpi.comm_f2c && mpi.win_f2c && mpi.type_f2c && mpi.request_f2c && mpi.op_f2c;
	}
	return are_found;
}

static bool is_initialized(void)
{
	int (*ask)(int *) = mpi_find("PMPI_Initialized"), (*ask_end)(int *) = mpi_find("PMPI_Finalized");
	int is_begun = 0, is_ended = 0;

	return ask && ask_end && ask(&is_begun) == 0 && is_begun && ask_end(&is_ended) == 0 && !is_ended;
}

void mpi_look(void)
{
	int (*ask_rank)(word, int *);

	if (__atomic_load_n(&mpi.is_up, __ATOMIC_ACQUIRE) || is_over)
		return;
	lock_take(&is_locked);
	if (!mpi.is_up && is_initialized()) {
		know_handles();
		know_fortran();
		ask_rank = mpi_find("PMPI_Comm_rank");
		if (!find_all() || !ask_rank || ask_rank(mpi.comm_world, &mpi.rank) ||
		    mpi.comm_size(mpi.comm_world, &mpi.nr_ranks) ||
		    mpi.comm_group(mpi.comm_world, &mpi.world_group))
			is_over = true; /* neither of the two: calls are recorded, messages are not */
		else
			__atomic_store_n(&mpi.is_up, true, __ATOMIC_RELEASE);
	}
	lock_give(&is_locked);
}

static word stored_handle(word address, int index, enum mpi_variant variant)
{
	if (variant == FROM_C && mpi.is_open_mpi)
		return ((const word *)address)[index];
	return ((const uint32_t *)address)[index];
}

void mpi_look_session(word session, enum mpi_variant variant)
{
	int (*ask_world)(word, const char *, word *) = mpi_find("PMPI_Group_from_session_pset");
	int (*ask_rank)(word, int *) = mpi_find("PMPI_Group_rank");

	lock_take(&is_locked);
	if (!mpi.is_up && ask_world && ask_rank) {
		know_handles();
		know_fortran();
		mpi.session = stored_handle(session, 0, variant);
		if (!mpi.is_open_mpi && find_all() &&
		    !ask_world(mpi.session, "mpi://WORLD", &mpi.world_group) &&
		    !ask_rank(mpi.world_group, &mpi.rank) &&
		    !mpi.group_size(mpi.world_group, &mpi.nr_ranks))
			__atomic_store_n(&mpi.is_up, true, __ATOMIC_RELEASE);
	}
	lock_give(&is_locked);
}

void mpi_stop_session(word session, enum mpi_variant variant)
{
	if (!mpi.is_up || !mpi.session || mpi.session != stored_handle(session, 0, variant))
		return;
	__atomic_store_n(&mpi.is_up, false, __ATOMIC_RELEASE);
	mpi.group_free(&mpi.world_group);
	mpi.session = 0;
}

void mpi_stop(void)
{
	is_over = true;
	__atomic_store_n(&mpi.is_up, false, __ATOMIC_RELEASE);
}

int argument_int(word argument, enum mpi_variant variant)
{
	return variant == FROM_C ? (int)argument : *(const int *)argument;
}

word argument_comm(word argument, enum mpi_variant variant)
{
	if (variant == FROM_C)
		return mpi.is_open_mpi ? argument : (uint32_t)argument;
	return mpi.is_open_mpi ? mpi.comm_f2c(*(const int *)argument) : *(const uint32_t *)argument;
}

word argument_window(word argument, enum mpi_variant variant)
{
	if (variant == FROM_C)
		return mpi.is_open_mpi ? argument : (uint32_t)argument;
	return mpi.is_open_mpi ? mpi.win_f2c(*(const int *)argument) : *(const uint32_t *)argument;
}

word argument_operation(word argument, enum mpi_variant variant)
{
	if (variant == FROM_C)
		return mpi.is_open_mpi ? argument : (uint32_t)argument;
	return mpi.is_open_mpi ? mpi.op_f2c(*(const int *)argument) : *(const uint32_t *)argument;
}

word argument_type(word argument, enum mpi_variant variant)
{
	if (variant == FROM_C)
		return mpi.is_open_mpi ? argument : (uint32_t)argument;
	return mpi.is_open_mpi ? mpi.type_f2c(*(const int *)argument) : *(const uint32_t *)argument;
}

word stored_type(word address, int index, enum mpi_variant variant)
{
	word handle = stored_handle(address, index, variant);

	return variant != FROM_C && mpi.is_open_mpi ? mpi.type_f2c((int)handle) : handle;
}

word stored_request(word address, int index, enum mpi_variant variant)
{
	word handle = stored_handle(address, index, variant);

	return variant != FROM_C && mpi.is_open_mpi ? mpi.request_f2c((int)handle) : handle;
}

int stored_place(word address, int index, enum mpi_variant variant)
{
	const bool is_from_0 = variant == FROM_C || (variant >= FROM_F08 && fortran.f08_counts_from_0);

	return ((const int *)address)[index] - !is_from_0;
}

word stored_comm(word address, enum mpi_variant variant)
{
	word handle = stored_handle(address, 0, variant);

	return variant != FROM_C && mpi.is_open_mpi ? mpi.comm_f2c((int)handle) : handle;
}

word stored_window(word address, enum mpi_variant variant)
{
	word handle = stored_handle(address, 0, variant);

	return variant != FROM_C && mpi.is_open_mpi ? mpi.win_f2c((int)handle) : handle;
}

bool argument_is_in_place(word argument, enum mpi_variant variant)
{
	if (variant == FROM_C)
		return argument == (mpi.is_open_mpi ? OPEN_MPI_IN_PLACE : MPICH_IN_PLACE);
	if (variant == FROM_F08TS) /* the argument describes the buffer; each compiler's way begins so */
		return !fortran.f08_in_place || *(const word *)argument == fortran.f08_in_place;
	if (!fortran.in_place)
		return true;
	return argument == fortran.in_place;
}

static bool is_ignored(word argument, enum mpi_variant variant)
{
	if (variant == FROM_C)
		return argument == (mpi.is_open_mpi ? OPEN_MPI_STATUS_IGNORE : MPICH_STATUS_IGNORE);
	if (!mpi.is_open_mpi && variant >= FROM_F08) /* MPICH knows the others where they are used alone */
		return !fortran.f08_status_ignore || !fortran.f08_statuses_ignore ||
		       argument == fortran.f08_status_ignore || argument == fortran.f08_statuses_ignore;
	return !fortran.status_ignore || !fortran.statuses_ignore || argument == fortran.status_ignore ||
	       argument == fortran.statuses_ignore;
}

bool argument_status(word argument, int index, enum mpi_variant variant, struct status *status)
{
	if (is_ignored(argument, variant))
		return false;
	if (mpi.is_open_mpi) {
		const struct open_mpi_status *of = (const struct open_mpi_status *)argument + index;

		*status = (struct status){ of->source, of->tag, of->is_cancelled, 0 };
		memcpy(&status->bytes, of->count, sizeof(status->bytes));
	} else {
		const struct mpich_status *of = (const struct mpich_status *)argument + index;

		*status = (struct status){ of->source, of->tag, of->count_high_and_cancelled & 1,
					   (int64_t)(of->count_high_and_cancelled >> 1) << 32 |
						   (uint32_t)of->count_low };
	}
	return true;
}
