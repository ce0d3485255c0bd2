/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/run/rank: what each launcher's environment says. */
#include <string.h>

#include "preload/common/run/rank.h"
#include "test/unit/unit.h"

#define VARIABLES_MAX 12

struct expectation {
	const char *environment[VARIABLES_MAX];
	int32_t rank, nr_ranks, local_rank;
	const char *launch_id;
};

/* As found under the launcher, or as its manual says. */
static const struct expectation expectations[] = {
	/* Open MPI 4.1 */
	{ { "PATH=/bin", "PMIX_NAMESPACE=643956737", "PMIX_RANK=3", "OMPI_COMM_WORLD_RANK=3",
	    "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_RANK=1",
	    "OMPI_MCA_orte_precondition_transports=03dde51ffcaa5ed5-fd98043c9a5fcfba" },
	  3,
	  4,
	  1,
	  "643956737.03dde51ffcaa5ed5-fd98043c9a5fcfba" },
	/* Open MPI 5 */
	{ { "PMIX_NAMESPACE=prterun-node17-4242@1", "PMIX_RANK=0", "OMPI_COMM_WORLD_RANK=0",
	    "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_LOCAL_RANK=0" },
	  0,
	  2,
	  0,
	  "prterun-node17-4242@1" },
	/* Hydra: MPICH, Intel MPI */
	{ { "PMI_RANK=2", "PMI_FD=6", "PMI_SIZE=3", "MPI_LOCALRANKID=2", "MPI_LOCALNRANKS=3" }, 2, 3, 2, "" },
	{ { "PMI_RANK=2", "PMI_FD=6" }, 2, -1, -1, "" },
	/* pmi2 of Slurm, with and without its own variables */
	{ { "PMI_RANK=1", "PMI_SIZE=2", "PMI_FD=9", "PMI_JOBID=77.3" }, 1, 2, -1, "77.3" },
	{ { "PMI_RANK=1", "PMI_SIZE=2", "SLURM_PROCID=1", "SLURM_NTASKS=2", "SLURM_LOCALID=0",
	    "SLURM_JOB_ID=77", "SLURM_STEP_ID=4" },
	  1,
	  2,
	  0,
	  "77.4" },
	/* Hydra whose proxies Slurm started: its step is not the launch's */
	{ { "PMI_RANK=1", "PMI_SIZE=8", "SLURM_PROCID=0", "SLURM_NTASKS=2", "SLURM_JOB_ID=77",
	    "SLURM_STEP_ID=4" },
	  1,
	  8,
	  -1,
	  "" },
	{ { "MV2_COMM_WORLD_RANK=5", "MV2_COMM_WORLD_SIZE=6", "MV2_COMM_WORLD_LOCAL_RANK=2" }, 5, 6, 2, "" },
	{ { "MVP_COMM_WORLD_RANK=5", "MVP_COMM_WORLD_SIZE=6", "MVP_COMM_WORLD_LOCAL_RANK=2" }, 5, 6, 2, "" },
	{ { "PALS_RANKID=7", "PALS_LOCAL_RANKID=3", "PALS_APID=abc-1" }, 7, -1, 3, "abc-1" },
	{ { "ALPS_APP_PE=7", "ALPS_APP_ID=1234" }, 7, -1, -1, "1234" },
	{ { "FLUX_TASK_RANK=1", "FLUX_JOB_SIZE=4", "FLUX_TASK_LOCAL_ID=1", "FLUX_JOB_ID=f2xQ" },
	  1,
	  4,
	  1,
	  "f2xQ" },
	{ { "JSM_NAMESPACE_RANK=1", "JSM_NAMESPACE_SIZE=4", "JSM_NAMESPACE_LOCAL_RANK=1" }, 1, 4, 1, "" },
	/* Slurm, with PMIx and alone */
	{ { "PMIX_RANK=1", "PMIX_NAMESPACE=slurm.pmix.77.0", "SLURM_PROCID=1", "SLURM_NTASKS=2",
	    "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_JOB_ID=77" },
	  1,
	  2,
	  1,
	  "slurm.pmix.77.0" },
	{ { "SLURM_PROCID=1", "SLURM_NTASKS=2", "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_JOB_ID=77" },
	  1,
	  2,
	  1,
	  "77.0" },
	/* An mpirun in a batch script of Slurm */
	{ { "SLURM_PROCID=0", "SLURM_NTASKS=8", "SLURM_JOB_ID=77", "PMI_RANK=7", "PMI_SIZE=8" },
	  7,
	  8,
	  -1,
	  "" },
};

static const char *const no_ranks[][4] = {
	{ "PATH=/bin" },
	{ "SLURM_PROCID=0", "SLURM_NTASKS=8", "SLURM_JOB_ID=77" }, /* a batch script */
	{ "SLURM_PROCID=0", "SLURM_NTASKS=1", "SLURM_STEP_ID=0", "SLURM_JOB_ID=77" },	/* srun of one task */
	{ "PMI_RANK=0" },
	{ "OMPI_COMM_WORLD_RANK=4", "OMPI_COMM_WORLD_SIZE=4" },
	{ "OMPI_COMM_WORLD_RANK=" },
	{ "OMPI_COMM_WORLD_RANK=-1" },
	{ "OMPI_COMM_WORLD_RANK=1x" },
	{ "OMPI_COMM_WORLD_RANK= 1" },
	{ "OMPI_COMM_WORLD_RANK=4294967294" },
	{ "OMPI_COMM_WORLD_RANK=99999999999999999999999" },
	{ "XOMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_RANKS=1" },
};

TEST(each_launcher_is_understood)
{
	struct rank rank;

	for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
		const struct expectation *expected = &expectations[i];

		memset(&rank, 0xff, sizeof(rank));
		rank_read(&rank, (char *const *)(uintptr_t)expected->environment);
		assert_int_equal(rank.rank, expected->rank);
		assert_int_equal(rank.nr_ranks, expected->nr_ranks);
		assert_int_equal(rank.local_rank, expected->local_rank);
		assert_string_equal(rank.launch_id, expected->launch_id);
		assert_false(rank.is_child);
	}
}

TEST(what_makes_no_sense_is_no_rank)
{
	struct rank rank;

	for (size_t i = 0; i < sizeof(no_ranks) / sizeof(no_ranks[0]); i++) {
		memset(&rank, 0xff, sizeof(rank));
		rank_read(&rank, (char *const *)(uintptr_t)no_ranks[i]);
		assert_int_equal(rank.rank, -1);
		assert_int_equal(rank.nr_ranks, -1);
		assert_int_equal(rank.local_rank, -1);
		assert_string_equal(rank.launch_id, "");
	}
}

/* A name that does not fit still tells two launches apart. */
TEST(long_ids_stay_apart)
{
#define LONG "prterun-a-very-long-host-name.with.a.long.domain.example.org-4242"
	const char *first[] = { "PMIX_RANK=0", "PMIX_NAMESPACE=" LONG "@1", NULL };
	const char *second[] = { "PMIX_RANK=0", "PMIX_NAMESPACE=" LONG "@2", NULL };
	struct rank a, b;

	rank_read(&a, (char *const *)(uintptr_t)first);
	rank_read(&b, (char *const *)(uintptr_t)second);
	assert_int_equal(strlen(a.launch_id), LOG_LAUNCH_ID_BYTES - 1);
	assert_memory_equal(a.launch_id, LONG, 40);
	assert_string_not_equal(a.launch_id, b.launch_id);
}

TEST(launchers_are_known_by_name)
{
	assert_true(rank_is_launcher("orterun"));
	assert_true(rank_is_launcher("hydra_pmi_proxy"));
	assert_true(rank_is_launcher("srun"));
	assert_false(rank_is_launcher("srun2"));
	assert_false(rank_is_launcher("sh"));
	assert_false(rank_is_launcher(""));
}
