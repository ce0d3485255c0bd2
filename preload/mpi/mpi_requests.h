/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Persistent requests: each start of one is a message. Any thread. */
#ifndef INSIDEME_MPI_REQUESTS_H
#define INSIDEME_MPI_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/mpi/mpi_recorder.h"

/*
 * @handle as stored_handle() has it; Fortran's handles are others than C's. Without memory the starts of the
 * request are calls without messages.
 */
void request_add(uint64_t handle, bool is_fortran, const struct mpi_message *message);
/* Return: whether it is known. */
bool request_find(uint64_t handle, bool is_fortran, struct mpi_message *message);
void request_forget(uint64_t handle, bool is_fortran);

#endif
