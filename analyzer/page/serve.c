/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small HTTP server: one page, one reader at a time, this machine only. */
#include "analyzer/page/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"

#define REQUEST_BYTES	8192
#define TIMEOUT_S	5	/* for a reader that neither sends nor receives */

struct server {
	const struct options *options;
	int (*make)(const struct options *options);
	int listener;
	uint16_t port;
	char token[33];
	char folder[64];		/* our own, for the page while it is sent */
};

static volatile sig_atomic_t ended;

static void end(int number)
{
	ended = 1;
}

static int open_listener(struct server *server, uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int on = 1;

	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listener < 0)
		return -errno;
	setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(server->listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(server->listener, 8) < 0 ||
	    getsockname(server->listener, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	server->port = ntohs(address.sin_port);
	return 0;
}

static int make_token(char token[33])
{
	unsigned char random[16];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

static bool send_all(int to, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t nr = send(to, text, bytes, MSG_NOSIGNAL);

		if (nr <= 0)
			return false;
		text += nr;
		bytes -= (size_t)nr;
	}
	return true;
}

static void answer(int to, const char *status, const char *text)
{
	char *all = xasprintf(
		"HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
		"Connection: close\r\n\r\n%s",
		status, strlen(text), text);

	send_all(to, all, strlen(all));
	free(all);
}

static void send_page(int to, const char *path)
{
	struct stat status;
	off_t offset = 0;
	int page = open(path, O_RDONLY | O_CLOEXEC);
	char *head;

	if (page < 0 || fstat(page, &status) < 0) {
		answer(to, "500 Internal Server Error", "the page could not be made\n");
	} else {
		head = xasprintf(
			"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
			"Content-Length: %lld\r\n"
			"Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
			"Connection: close\r\n\r\n",
			(long long)status.st_size);
		if (send_all(to, head, strlen(head)))
			while (sendfile(to, page, &offset, (size_t)(status.st_size - offset)) > 0)
				;
		free(head);
	}
	if (page >= 0)
		close(page);
	unlink(path);
}

/* Read the whole head of the request. Return: false if it does not come, or is too long */
static bool read_request(int from, char *request)
{
	size_t nr = 0;

	while (nr < REQUEST_BYTES - 1) {
		ssize_t more = recv(from, request + nr, REQUEST_BYTES - 1 - nr, 0);

		if (more <= 0)
			return false;
		nr += (size_t)more;
		request[nr] = '\0';
		if (strstr(request, "\r\n\r\n"))
			return true;
	}
	return false;
}

/* Refuse another site that resolves its own name to this machine. */
static bool is_for_us(const struct server *server, const char *request)
{
	char *wanted = xasprintf("\r\nhost: 127.0.0.1:%u\r\n", server->port);
	bool is_so = strcasestr(request, wanted) != NULL;

	free(wanted);
	return is_so;
}

static void serve_one(const struct server *server, int from)
{
	struct timeval timeout = { .tv_sec = TIMEOUT_S };
	struct options options = *server->options;
	char request[REQUEST_BYTES], wanted[64], *path;

	setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (!read_request(from, request))
		return;
	snprintf(wanted, sizeof(wanted), "GET /%s/ HTTP/1.", server->token);
	if (strncmp(request, wanted, strlen(wanted)) != 0 || !is_for_us(server, request)) {
		answer(from, "404 Not Found", "not here\n");
		return;
	}
	path = xasprintf("%s/page.html", server->folder);
	options.output = path;
	if (server->make(&options) != 0)
		unlink(path);
	send_page(from, path);
	free(path);
}

/*
 * Let signals interrupt only the wait for a reader, so that none is lost between the test of @ended and the
 * wait.
 */
static void catch_ends(sigset_t *while_waiting)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = end };
	sigset_t ends;

	sigemptyset(&ends);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		sigaction(numbers[i], &action, NULL);
		sigaddset(&ends, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &ends, while_waiting);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigdelset(while_waiting, numbers[i]);
	signal(SIGPIPE, SIG_IGN);	/* raised by a reader that leaves while the page is sent */
}

int serve(const struct options *options, int (*make)(const struct options *options))
{
	struct server server = { .options = options, .make = make, .folder = "/tmp/insideme-serve-XXXXXX" };
	sigset_t while_waiting;
	int result = make_token(server.token);

	if (result == 0)
		result = open_listener(&server, options->port);
	if (result == 0 && !mkdtemp(server.folder))
		result = -errno;
	if (result < 0) {
		error("--serve: %s", strerror(-result));
		return EXIT_FAILURE;
	}
	catch_ends(&while_waiting);
	printf("http://127.0.0.1:%u/%s/\n", server.port, server.token);
	fflush(stdout);
	while (!ended) {
		struct pollfd listener = { .fd = server.listener, .events = POLLIN };
		int from = ppoll(&listener, 1, NULL, &while_waiting) > 0
				   ? accept4(server.listener, NULL, NULL, SOCK_CLOEXEC)
				   : -1;

		if (from < 0)
			continue;
		serve_one(&server, from);
		close(from);
	}
	rmdir(server.folder);
	close(server.listener);
	return EXIT_SUCCESS;
}
