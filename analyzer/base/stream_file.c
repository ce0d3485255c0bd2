/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/error.h"

#define WAIT_MS		1000	/* for a reader that is there, to take something; then lines are dropped */
#define LOOK_NS		10000000	/* between looks for a reader: one look takes as long as many lines */

struct stream {
	const char *path;
	int fd;				/* -1: nobody reads */
	bool is_stuck;			/* the reader took nothing for WAIT_MS */
	int64_t look_ns;		/* when to look for a reader again */
	char *head;			/* the first line; NULL: not yet known */
	char *rest;			/* of a line of which a part was written */
	size_t rest_bytes;
	char *part;			/* of a line that is not yet complete */
	size_t part_bytes;
	size_t nr_lines, nr_dropped;
};

const char *stream_path(const char *output)
{
	static const char mark[] = "stream:";

	return output && strncmp(output, mark, strlen(mark)) == 0 ? output + strlen(mark) : NULL;
}

int stream_check(const char *path)
{
	struct stat status;

	if (path[0] && stat(path, &status) < 0)
		return 0;
	return path[0] && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) ? 0 : -ENOTSUP;
}

static int connect_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void leave(struct stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->nr_dropped += stream->rest_bytes != 0;
	stream->rest_bytes = 0;
	stream->fd = -1;
}

/* Write as much as the reader takes. Return: whether it took all */
static bool send_bytes(struct stream *stream, const char *bytes, size_t nr, size_t *done)
{
	struct pollfd poll_fd = { stream->fd, POLLOUT, 0 };

	for (*done = 0; *done < nr;) {
		ssize_t written = write(stream->fd, bytes + *done, nr - *done);

		if (written > 0) {
			*done += (size_t)written;
			stream->is_stuck = false;
		} else if (written < 0 && errno == EAGAIN) {
			if (stream->is_stuck || poll(&poll_fd, 1, WAIT_MS) <= 0) {
				stream->is_stuck = true;
				return false;
			}
		} else if (written < 0 && errno != EINTR) {
			leave(stream);
			return false;
		}
	}
	return true;
}

static char *copy_of(const char *bytes, size_t nr)
{
	char *copy = xcalloc(nr + 1, 1);

	memcpy(copy, bytes, nr);
	return copy;
}

static bool send_line(struct stream *stream, const char *line, size_t nr)
{
	size_t done;

	if (stream->rest_bytes) {
		if (!send_bytes(stream, stream->rest, stream->rest_bytes, &done)) {
			if (stream->rest_bytes) {
				memmove(stream->rest, stream->rest + done, stream->rest_bytes - done);
				stream->rest_bytes -= done;
			}
			return false;
		}
		stream->rest_bytes = 0;
	}
	if (send_bytes(stream, line, nr, &done))
		return true;
	if (stream->fd < 0 || !done)
		return false;
	free(stream->rest);
	stream->rest = copy_of(line + done, nr - done);
	stream->rest_bytes = nr - done;
	return true;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Look whether a reader has come, and give it the first line. */
static bool has_reader(struct stream *stream)
{
	struct stat status;
	int64_t now = stream->fd < 0 ? now_ns() : 0;

	if (stream->fd >= 0)
		return true;
	if (now < stream->look_ns)
		return false;
	stream->look_ns = now + LOOK_NS;
	if (stat(stream->path, &status) < 0)
		return false;
	stream->fd = S_ISSOCK(status.st_mode) ? connect_socket(stream->path)
		     : S_ISFIFO(status.st_mode) ? open(stream->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	stream->is_stuck = false;
	return stream->fd >= 0 && (!stream->head || send_line(stream, stream->head, strlen(stream->head)));
}

static void take_line(struct stream *stream, const char *line, size_t nr)
{
	bool is_head = !stream->head;

	if (!has_reader(stream) || !send_line(stream, line, nr))
		stream->nr_dropped += !is_head;
	stream->nr_lines += !is_head;
	if (is_head)
		stream->head = copy_of(line, nr);
}

static void keep_part(struct stream *stream, const char *bytes, size_t nr)
{
	char *longer = xcalloc(stream->part_bytes + nr, 1);

	if (stream->part_bytes)
		memcpy(longer, stream->part, stream->part_bytes);
	memcpy(longer + stream->part_bytes, bytes, nr);
	free(stream->part);
	stream->part = longer;
	stream->part_bytes += nr;
}

static ssize_t take(void *cookie, const char *bytes, size_t nr)
{
	struct stream *stream = cookie;
	const char *at = bytes, *end;

	while ((end = memchr(at, '\n', nr - (size_t)(at - bytes))) != NULL) {
		size_t length = (size_t)(end + 1 - at);

		if (stream->part_bytes) {
			keep_part(stream, at, length);
			take_line(stream, stream->part, stream->part_bytes);
			stream->part_bytes = 0;
		} else {
			take_line(stream, at, length);
		}
		at = end + 1;
	}
	if (at < bytes + nr)
		keep_part(stream, at, (size_t)(bytes + nr - at));
	return (ssize_t)nr;
}

static int finish(void *cookie)
{
	struct stream *stream = cookie;

	if (stream->fd >= 0)
		send_line(stream, "", 0);	/* the rest of the last one */
	leave(stream);
	if (stream->nr_dropped)
		warning("stream:%s: %zu of %zu rows were dropped: nobody read them in time", stream->path,
			stream->nr_dropped, stream->nr_lines);
	free(stream->head);
	free(stream->rest);
	free(stream->part);
	free(stream);
	return 0;
}

FILE *stream_open(const char *path)
{
	const cookie_io_functions_t functions = { .write = take, .close = finish };
	struct stream *stream = xcalloc(1, sizeof(*stream));

	stream->path = path;
	stream->fd = -1;
	signal(SIGPIPE, SIG_IGN);
	return fopencookie(stream, "w", functions);
}
