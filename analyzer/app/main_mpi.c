/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * insideme-report-mpi: several readers share the work for a large run. Each saves a part of it, and these are
 * joined in pairs up a tree. The first reader reports what the last two are together.
 */
#include <errno.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/app/report.h"
#include "analyzer/base/error.h"

#define NR_BYTES_MOST (1u << 30) /* of one message */

struct reader {
	int rank, nr_readers;
	char folder[4096];
	char *own, *others, *joined; /* files in it; one that is not there has no processes */
	bool failed;
};

static void prepare(struct reader *reader)
{
	const char *folder = getenv("TMPDIR");

	MPI_Comm_rank(MPI_COMM_WORLD, &reader->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &reader->nr_readers);
	snprintf(reader->folder, sizeof(reader->folder), "%s/insideme-report-XXXXXX",
		 folder && *folder ? folder : "/tmp");
	if (!mkdtemp(reader->folder)) {
		error("cannot create %s: %s", reader->folder, strerror(errno));
		reader->failed = true;
	}
	reader->own = xasprintf("%s/own", reader->folder);
	reader->others = xasprintf("%s/others", reader->folder);
	reader->joined = xasprintf("%s/joined", reader->folder);
}

static void clean_up(struct reader *reader)
{
	unlink(reader->own);
	unlink(reader->others);
	unlink(reader->joined);
	rmdir(reader->folder);
	free(reader->own);
	free(reader->others);
	free(reader->joined);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* The bytes of a file; -1: it cannot be read. *@data: to be freed */
static int64_t file_read(const char *path, char **data)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	int64_t bytes = -1;

	*data = NULL;
	if (file && fstat(fileno(file), &status) == 0) {
		*data = xcalloc((size_t)status.st_size + 1, 1);
		if (fread(*data, 1, (size_t)status.st_size, file) == (size_t)status.st_size)
			bytes = status.st_size;
	}
	if (file)
		fclose(file);
	if (bytes < 0)
		error("cannot read %s: %s", path, strerror(errno));
	return bytes;
}

static bool file_write(const char *path, const char *data, size_t bytes)
{
	FILE *file = fopen(path, "we");
	bool written = file && fwrite(data, 1, bytes, file) == bytes;

	if (file && fclose(file) != 0)
		written = false;
	if (!written)
		error("cannot write %s: %s", path, strerror(errno));
	return written;
}

static int next_bytes(int64_t left)
{
	return left < NR_BYTES_MOST ? (int)left : (int)NR_BYTES_MOST;
}

/* The length comes first: -1: the reader failed; 0: it has no processes. */
static void send_part(struct reader *reader, int to)
{
	char *data = NULL;
	int64_t bytes = reader->failed ? -1 : is_there(reader->own) ? file_read(reader->own, &data) : 0;

	MPI_Send(&bytes, 1, MPI_INT64_T, to, 0, MPI_COMM_WORLD);
	for (int64_t at = 0; at < bytes; at += next_bytes(bytes - at))
		MPI_Send(data + at, next_bytes(bytes - at), MPI_BYTE, to, 0, MPI_COMM_WORLD);
	free(data);
}

static void receive_part(struct reader *reader, int from)
{
	int64_t bytes;
	char *data;

	MPI_Recv(&bytes, 1, MPI_INT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	reader->failed |= bytes < 0;
	data = xcalloc(bytes > 0 ? (size_t)bytes : 1, 1);
	for (int64_t at = 0; at < bytes; at += next_bytes(bytes - at))
		MPI_Recv(data + at, next_bytes(bytes - at), MPI_BYTE, from, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (bytes > 0 && !reader->failed)
		reader->failed = !file_write(reader->others, data, (size_t)bytes);
	free(data);
}

static void join(struct reader *reader)
{
	char *parts[] = { reader->own, reader->others, NULL };

	if (reader->failed || !is_there(reader->others))
		return;
	if (!is_there(reader->own))
		reader->failed = rename(reader->others, reader->own) != 0;
	else
		reader->failed = report_join_parts(parts, reader->joined) != 0 ||
				 rename(reader->joined, reader->own) != 0;
	unlink(reader->others);
}

/* Return: whether this reader is the first one, which has its own part and perhaps others left */
static bool climb(struct reader *reader)
{
	for (int step = 1; step < reader->nr_readers; step *= 2) {
		if (reader->rank & step) {
			send_part(reader, reader->rank - step);
			return false;
		}
		if (reader->rank + step >= reader->nr_readers)
			continue;
		receive_part(reader, reader->rank + step);
		if (reader->rank || 2 * step < reader->nr_readers)
			join(reader);
	}
	return true;
}

/* Return: exit status */
static int report(struct reader *reader, struct options *options)
{
	char *parts[3] = { NULL };
	int nr = 0;

	if (is_there(reader->own))
		parts[nr++] = reader->own;
	if (is_there(reader->others))
		parts[nr++] = reader->others;
	if (!nr)
		return error("nothing to report"), EXIT_FAILURE;
	report_use_parts(options, parts);
	return report_make(options);
}

static int share(struct options *options)
{
	struct reader reader = { .rank = 0 };
	int status = EXIT_SUCCESS;

	prepare(&reader);
	if (!reader.failed)
		reader.failed = report_save_part(options, (size_t)reader.rank, (size_t)reader.nr_readers,
						 reader.own) != 0;
	if (climb(&reader) && !reader.failed)
		status = report(&reader, options);
	clean_up(&reader);
	return reader.failed ? EXIT_FAILURE : status;
}

static bool can_share(const struct options *options)
{
	return options->task == TASK_REPORT && !options->diff && !options->gate;
}

int main(int argc, char **argv)
{
	struct options options;
	int status = EXIT_USAGE, rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	setlocale(LC_CTYPE, "");
	messages_hide(rank > 0);
	if (options_parse(&options, argc, argv) == 0) {
		if (can_share(&options))
			messages_show(false), status = share(&options);
		else
			error("insideme-report-mpi shows one view of a run, or saves it; "
			      "insideme-report can do more");
	}
	MPI_Finalize();
	return status;
}
