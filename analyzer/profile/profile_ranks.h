/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of ranks, and relations between ranks, in a saved profile: the lists after its paths. */
#pragma once

#include <stdio.h>

#include "analyzer/profile/profile_data.h"

/* The places, in the file, of the things that these lists refer to. */
struct profile_places {
	FILE *file;
	const struct model *model;
	const uint32_t *functions;	/* [number of a function]: its place + 1; 0: none */
	const int32_t *paths;		/* [id of a node] */
};

/* Names of communicators and fields: the lists refer to them by their place. */
struct profile_texts;
struct profile_texts *profile_texts_new(const struct model *model, const struct rank_sums *sums);
/* A new array of them. */
json_t *profile_texts_to_json(const struct profile_texts *texts);
void profile_texts_free(struct profile_texts *texts);

/* Write the lists, each as ",\n" and its lines. @sums: NULL: none */
void profile_ranks_write(const struct profile_places *places, const struct profile_texts *texts,
			 const struct rank_sums *sums);

/* Does a profile have these messages of a process? Not those of calls that are left out. */
bool profile_has_messages(const struct process *process, const struct log_messages *messages);

/* Read them, after the paths. Return: 0, or -1 after an error() */
int profile_ranks_read(struct profile *profile, struct model *model);
