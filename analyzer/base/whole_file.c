/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/whole_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/gzip_file.h"

/* A signal that ends the program removes this file first; NULL: none. One file is written at a time. */
static const char *volatile unfinished;

static void remove_unfinished(int number)
{
	if (unfinished)
		unlink(unfinished);
	raise(number);		/* SA_RESETHAND: this one ends the program */
}

static void guard(const char *path)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	unfinished = path;
	for (size_t i = 0; path && i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

int whole_file_open(struct whole_file *file, const char *path)
{
	struct stat status;
	bool is_there = lstat(path, &status) == 0;
	int result;

	file->path = path;
	file->unfinished = NULL;
	if (is_there && S_ISREG(status.st_mode) && access(path, W_OK) < 0)
		return -errno;		/* a user who protected the file meant its contents too */
	if (!is_there || S_ISREG(status.st_mode))
		file->unfinished = xasprintf("%s.%d", path, (int)getpid());
	file->out = fopen(file->unfinished ?: path, file->unfinished ? "w+xe" : "we");
	if (file->out && is_there && file->unfinished)
		fchmod(fileno(file->out), status.st_mode & 0777);	/* keep it as private as it was */
	if (file->out) {
		guard(file->unfinished);
		return 0;
	}
	result = -errno;
	free(file->unfinished);
	return result;
}

int whole_file_compress(struct whole_file *file)
{
	FILE *compressed = gzip_file_write(file->out);

	if (!compressed)
		return -errno;
	fclose(file->out);
	file->out = compressed;
	return 0;
}

/* Return: 0 or -errno */
static int append(FILE *out, FILE *in)
{
	char buffer[64 << 10];
	size_t bytes;

	while ((bytes = fread(buffer, 1, sizeof(buffer), in)))
		if (fwrite(buffer, 1, bytes, out) != bytes)
			return -errno;
	return ferror(in) ? -EIO : 0;
}

int whole_file_compress_written(struct whole_file *file)
{
	FILE *written = file->out, *out;
	struct stat status;
	int result;

	unlink(file->unfinished);	/* a new file takes its name */
	out = fopen(file->unfinished, "wxe");
	if (!out)
		return -errno;
	file->out = out;
	if (fstat(fileno(written), &status) == 0)
		fchmod(fileno(out), status.st_mode & 0777);
	result = whole_file_compress(file);
	if (result == 0)
		result = append(file->out, written);
	fclose(written);
	return result;
}

int whole_file_close(struct whole_file *file, bool whole)
{
	bool failed = ferror(file->out);
	int result;

	errno = EIO;		/* zlib may not say why */
	if (failed && fputc('\n', file->out) != EOF)
		fflush(file->out);	/* fails again, and says why */
	result = failed ? -errno : 0;
	if (fclose(file->out) != 0 && result == 0)
		result = -errno;
	if (!whole && result == 0)
		result = -EIO;
	if (file->unfinished && result == 0 && rename(file->unfinished, file->path) < 0)
		result = -errno;
	if (file->unfinished && result < 0)
		unlink(file->unfinished);
	guard(NULL);
	free(file->unfinished);
	return result;
}
