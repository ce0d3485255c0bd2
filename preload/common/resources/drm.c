/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the descriptors of /dev/dri. */
#include "preload/common/resources/drm.h"

#include <errno.h>

#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"

#define DESCRIPTORS_MAX	256	/* that one reading looks at */
#define CLIENTS_MAX	32

/* Parse "123 KiB". Return: 0 when it cannot be parsed. */
static uint64_t parse_bytes(const char *at)
{
	uint64_t number, bytes, unit = 1;

	if (!scan_number(&at, &number))
		return 0;
	while (*at == ' ' || *at == '\t')
		at++;
	if (text_begins(at, "KiB"))
		unit = 1024;
	else if (text_begins(at, "MiB"))
		unit = 1024 * 1024;
	return __builtin_mul_overflow(number, unit, &bytes) ? 0 : bytes;
}

static const char *value_of(const char *line)
{
	while (*line && *line != ':' && *line != '\n')
		line++;
	return *line == ':' ? line + 1 : line;
}

int drm_parse_fdinfo(const char *text, struct drm_client *client)
{
	uint64_t resident = 0, memory = 0, ns;
	bool is_client = false, has_resident = false;

	*client = (struct drm_client){ 0, 0, 0 };
	for (const char *line = text; *line; line = scan_next_line(line)) {
		const char *value = value_of(line);

		if (text_begins(line, "drm-client-id:")) {
			is_client = scan_number(&value, &client->id);
		} else if (text_begins(line, "drm-engine-") && !text_begins(line, "drm-engine-capacity-")) {
			if (scan_number(&value, &ns))
				client->engine_ns += ns;
		} else if (text_begins(line, "drm-resident-")) {
			resident += parse_bytes(value);
			has_resident = true;
		} else if (text_begins(line, "drm-memory-")) {
			memory += parse_bytes(value);
		}
	}
	client->memory_bytes = has_resident ? resident : memory;
	return is_client ? 0 : -EINVAL;
}

void drm_open(struct drm *drm, const char *root, int pid, struct read_count *count)
{
	char path[128];
	struct text text;

	drm->root = root;
	drm->pid = pid;
	drm->count = count;
	text_init(&text, path, sizeof(path));
	text_add(&text, root);
	text_add(&text, "/dev/dri");
	drm->is_there = raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0) == 0;
}

static bool is_device(const struct drm *drm, const char *name)
{
	char path[160], target[32];
	long length;

	proc_entry_path(path, sizeof(path), drm->root, drm->pid, "/fd/", name);
	length = sys_readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	return text_begins(target, "/dev/dri/");
}

static bool read_client(struct drm *drm, const char *name, struct drm_client *client)
{
	char path[160];
	bool found;
	int fd;

	proc_entry_path(path, sizeof(path), drm->root, drm->pid, "/fdinfo/", name);
	fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	found = proc_file_read(fd, drm->count, drm->buffer, sizeof(drm->buffer), 0) > 0 &&
		drm_parse_fdinfo(drm->buffer, client) == 0;
	proc_file_close(&fd);
	return found;
}

static void add_client(struct figures *figures, const struct drm_client *client)
{
	if (figures->gpu_engine_ns == LOG_NONE)
		figures->gpu_engine_ns = figures->gpu_client_bytes = 0;
	figures->gpu_engine_ns += client->engine_ns;
	figures->gpu_client_bytes += client->memory_bytes;
}

void drm_read(struct drm *drm, struct figures *figures)
{
	uint64_t ids[CLIENTS_MAX];
	unsigned nr_clients = 0, nr_looked_at = 0;
	_Alignas(8) char buffer[DIRECTORY_BUFFER_BYTES];
	struct directory directory;
	struct drm_client client;
	const char *name;
	char path[160];

	proc_entry_path(path, sizeof(path), drm->root, drm->pid, "/fd", "");
	if (!drm->is_there || directory_open(&directory, path, buffer, sizeof(buffer)) < 0)
		return;
	while (nr_looked_at++ < DESCRIPTORS_MAX && nr_clients < CLIENTS_MAX &&
	       (name = directory_next(&directory))) {
		bool is_new = is_device(drm, name) && read_client(drm, name, &client);

		for (unsigned i = 0; i < nr_clients; i++)
			is_new = is_new && ids[i] != client.id;
		if (!is_new)
			continue;
		ids[nr_clients++] = client.id;
		add_client(figures, &client);
	}
	directory_close(&directory);
}
