/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the dynamic linker for MPI, as programs do that run with and without it, and prints what it answers. With a
 * library's name it calls that one's MPI_Init and MPI_Finalize by its handle, where no other library stands before them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*init)(int *, char ***), (*finalize)(void);
	void *mpi = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;

	if (!mpi) {
		puts(dlsym(RTLD_DEFAULT, "MPI_Init") ? "MPI is here" : "no MPI");
		return 0;
	}
	*(void **)&init = dlsym(mpi, "MPI_Init");
	*(void **)&finalize = dlsym(mpi, "MPI_Finalize");
	init(NULL, NULL);
	return finalize();
}
