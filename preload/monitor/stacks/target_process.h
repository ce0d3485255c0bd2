/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another process: its memory, and the objects in it. All is read from its memory, so that deleted files,
 * memfds, other mount namespaces and the vdso need no file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "insideme_log.h"

#define TARGET_OBJECTS_MOST 4096
#define TARGET_MARK_BYTES 64u

struct target_object {
	uint64_t begin, end; /* its segments, with what lies between them */
	uint64_t first_end;  /* of the mapping at begin */
	uint64_t bias;	     /* address in memory less address in the file */
	uint64_t table;	     /* the sorted table of its .eh_frame_hdr; 0: it has none that is usable */
	uint64_t nr_entries; /* in that table */
	uint64_t header;     /* base of the table's addresses */
	uint64_t entry;	     /* where the program begins; 0: none */
	uint64_t device, inode;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	uint64_t mark_addr; /* identifies it if another object takes its place: its build-id, or its head */
	uint32_t mark_bytes;
	uint8_t mark[TARGET_MARK_BYTES];
	uint32_t number;	   /* in the log, from 1 */
	bool is_libc;		   /* libc or the dynamic linker: what calls main() */
	bool is_there;		   /* used while the list is made again */
	struct log_module *record; /* stack_log.h's own; NULL: there was no room */
	char *path; /* where the file was when it was mapped, as the process saw it */
};

struct target {
	pid_t pid;
	struct target_object **objects; /* by address */
	size_t nr_objects;
	uint64_t looked_ns;  /* CLOCK_MONOTONIC: when the list was made */
	uint64_t generation; /* grows when an object goes or comes */
};

/* Return: how many bytes from @addr on were read, at least 1; or -errno. */
long target_read(const struct target *target, uint64_t addr, void *to, size_t bytes);

/* Called for each change: an object is new, or gone. */
typedef void target_change(struct target_object *object, bool is_gone, void *context);

/* Bring the list up to date. Return: 0, or -errno where the process may not be read, or is gone. */
int target_look(struct target *target, target_change *change, void *context);

/* Is each object of the list still where it was? One read of a few bytes of each. */
bool target_is_same(const struct target *target);

/* The object at @addr; NULL: none. */
struct target_object *target_find(const struct target *target, uint64_t addr);
