/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The launchers: the variables that they set for their ranks, and their programs. */
#include "preload/common/run/rank.h"

#include <stddef.h>

#include "preload/common/base/compiler.h"
#include "preload/common/base/text.h"

#define IDS	2	/* variables that form a launch id */
#define NEEDS	2

struct launcher {
	const char *rank;		/* names of variables; NULL: there is none */
	const char *nr_ranks;
	const char *local_rank;
	const char *id[IDS];
	const char *needs[NEEDS];	/* one of these must be set too */
};

/*
 * The first launcher whose rank is set counts. Variables that one launcher sets for another come
 * late: PMIx is below the launchers that use it. Slurm is last, because it sets its variables in
 * each batch script, and they stay set under any mpirun.
 */
static const struct launcher launchers[] = {
	/* Job ids of Open MPI up to 4 repeat after some thousand launches; its random key does not. */
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
	  { "PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports" }, { NULL } },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", { NULL }, { NULL } },
	{ "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_LOCAL_RANK", { NULL }, { NULL } },
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", { "PMI_JOBID", "PALS_APID" }, { "PMI_SIZE", "PMI_FD" } },
	{ "PALS_RANKID", "PMI_SIZE", "PALS_LOCAL_RANKID", { "PALS_APID" }, { NULL } },
	{ "ALPS_APP_PE", NULL, NULL, { "ALPS_APP_ID" }, { NULL } },
	{ "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", { "FLUX_JOB_ID" }, { NULL } },
	{ "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_RANK", { NULL }, { NULL } },
	{ "PMIX_RANK", NULL, NULL, { "PMIX_NAMESPACE" }, { NULL } },
};
static const struct launcher slurm = { "SLURM_PROCID",
				       "SLURM_NTASKS",
				       "SLURM_LOCALID",
				       { "SLURM_JOB_ID", "SLURM_STEP_ID" },
				       { "SLURM_STEP_ID" } };

static const char *const launcher_programs[] = {
	"mpirun",
	"mpiexec",
	"orterun",
	"orted",
	"orte-dvm",
	"prun",
	"prterun",
	"prte",
	"prted",
	"mpiexec.hydra",
	"hydra_pmi_proxy",
	"hydra_bstrap_proxy",
	"hydra_nameserver",
	"mpirun_rsh",
	"mpispawn",
	"mpiexec.gforker",
	"srun",
	"slurmstepd",
	"aprun",
	"palsd",
	"jsrun",
	"flux",
	"flux-broker",
	"flux-shell",
};

bool rank_is_launcher(const char *program)
{
	for (size_t i = 0; i < ARRAY_SIZE(launcher_programs); i++)
		if (text_equal(program, launcher_programs[i]))
			return true;
	return false;
}

/* The value of @name, or NULL when it is not set or empty. */
static const char *find(char *const *environment, const char *name)
{
	size_t length = name ? text_length(name) : 0;

	for (; length && environment && *environment; environment++)
		if (text_begins(*environment, name) && (*environment)[length] == '=')
			return (*environment)[length + 1] ? *environment + length + 1 : NULL;
	return NULL;
}

static int32_t find_number(char *const *environment, const char *name)
{
	const char *at = find(environment, name);
	uint64_t number;

	if (!at || *at < '0' || *at > '9' || text_read_u64(&at, &number) < 0 || *at || number > INT32_MAX)
		return -1;
	return (int32_t)number;
}

/* Join the parts that are set by points. An id that is too long ends with a hash of all of it. */
static void find_id(char *id, char *const *environment, const struct launcher *launcher)
{
	uint64_t hash = 0xcbf29ce484222325u;
	struct text text;

	text_init(&text, id, LOG_LAUNCH_ID_BYTES);
	for (size_t i = 0; i < IDS; i++) {
		const char *part = find(environment, launcher->id[i]);

		if (!part)
			continue;
		if (id[0])
			text_add_char(&text, '.');
		text_add(&text, part);
		for (; *part; part++)
			hash = (hash ^ (unsigned char)*part) * 0x100000001b3u;
	}
	if (!text.cut)
		return;
	text_init(&text, id + LOG_LAUNCH_ID_BYTES - 22, 22);
	text_add_char(&text, '.');
	text_add_padded(&text, hash, 20);
}

/* Return: whether @launcher has set its variables, and they make sense; then @rank is filled. */
static bool take(struct rank *rank, char *const *environment, const struct launcher *launcher)
{
	bool is_met = !launcher->needs[0];

	rank->rank = find_number(environment, launcher->rank);
	if (rank->rank < 0)
		return false;
	for (size_t i = 0; i < NEEDS && !is_met; i++)
		is_met = find(environment, launcher->needs[i]);
	rank->nr_ranks = find_number(environment, launcher->nr_ranks);
	rank->local_rank = find_number(environment, launcher->local_rank);
	find_id(rank->launch_id, environment, launcher);
	return is_met && (rank->nr_ranks < 0 || rank->rank < rank->nr_ranks);
}

/* A single task means nothing: a batch script is one too. */
static bool take_slurm(struct rank *rank, char *const *environment)
{
	return take(rank, environment, &slurm) && rank->nr_ranks > 1;
}

/*
 * Values that a library's own variables leave open are taken from Slurm's, if Slurm started this very rank.
 */
static void complete(struct rank *rank, char *const *environment)
{
	struct rank task;

	if ((rank->nr_ranks >= 0 && rank->launch_id[0]) || !take_slurm(&task, environment) ||
	    task.rank != rank->rank || (rank->nr_ranks >= 0 && task.nr_ranks != rank->nr_ranks))
		return;
	rank->nr_ranks = task.nr_ranks;
	if (rank->local_rank < 0)
		rank->local_rank = task.local_rank;
	if (!rank->launch_id[0])
		text_copy(rank->launch_id, sizeof(rank->launch_id), task.launch_id);
}

void rank_read(struct rank *rank, char *const *environment)
{
	rank->is_child = false;
	for (size_t i = 0; i < ARRAY_SIZE(launchers); i++) {
		if (!take(rank, environment, &launchers[i]))
			continue;
		complete(rank, environment);
		return;
	}
	if (take_slurm(rank, environment))
		return;
	rank->rank = rank->nr_ranks = rank->local_rank = -1;
	rank->launch_id[0] = '\0';
}
