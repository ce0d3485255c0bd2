/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the file systems that a process writes to, by its descriptors. */
#include "preload/common/resources/disks.h"

#include <errno.h>
#include <sys/vfs.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"

#define DESCRIPTORS_MAX	256	/* that one look takes */
#define REST		1000	/* times what a look costs */
#define FOLDER_BYTES	512u	/* files of longer paths are left out */

/* Their statfs() asks no other machine and no other program. */
static const char *const local_types[] = {
	"bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "nilfs2", "ntfs3",
	"overlay", "ramfs", "reiserfs", "tmpfs", "vfat", "xfs", "zfs",
};

static bool is_local_type(const char *type)
{
	for (unsigned i = 0; i < ARRAY_SIZE(local_types); i++) {
		size_t length = text_length(local_types[i]);

		if (text_begins(type, local_types[i]) && type[length] == ' ')
			return true;
	}
	return false;
}

/* After the type's " - ". A path has no blank: mountinfo writes \040. */
static const char *find_type(const char *text)
{
	for (const char *p = text; *p && *p != '\n'; p++)
		if (text_begins(p, " - "))
			return p + 3;
	return NULL;
}

int disks_parse_mount(const char *text, struct mount *mount)
{
	const char *type = find_type(text), *at = text;
	uint64_t major, minor;

	if (!type || !scan_number(&at, &mount->id) || !scan_skip(&at, 1) || !scan_number(&at, &major) ||
	    *at++ != ':' || !scan_number(&at, &minor))
		return -EINVAL;
	mount->device = major << 32 | minor;
	mount->is_local = is_local_type(type);
	return 0;
}

uint64_t disks_parse_fdinfo(const char *text)
{
	uint64_t flags = 0, id = 0;
	const struct scan_key keys[] = { { "flags:", &flags }, { "mnt_id:", &id } };

	scan_keys(text, keys, ARRAY_SIZE(keys));
	/* flags are octal: the access mode is a part of the last digit */
	return (flags % 10 & O_ACCMODE) == O_RDONLY ? 0 : id;
}

static long read_proc(struct disks *disks, const char *folder, const char *name, uint64_t offset)
{
	char path[160];
	long length;
	int fd;

	proc_entry_path(path, sizeof(path), disks->root, disks->pid, folder, name);
	fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	length = proc_file_read(fd, disks->count, disks->buffer, sizeof(disks->buffer), offset);
	proc_file_close(&fd);
	return length;
}

/* Return: false when it is not among the mounts that the process sees. */
static bool find_mount(struct disks *disks, uint64_t id, struct mount *mount)
{
	uint64_t offset = 0;
	long length;

	while ((length = read_proc(disks, "/mountinfo", "", offset)) > 0) {
		const char *line = disks->buffer, *next;

		/* the last line may be cut: the next reading begins there */
		for (; (next = scan_next_line(line)) > line && next[-1] == '\n'; line = next)
			if (disks_parse_mount(line, mount) == 0 && mount->id == id)
				return true;
		if (line == disks->buffer)
			return false;
		offset += (uint64_t)(line - disks->buffer);
	}
	return false;
}

/* Return: LOG_NONE when it is not known. */
static uint64_t free_bytes(const struct disks *disks, const char *descriptor)
{
	struct statfs status;
	char path[160];

	proc_entry_path(path, sizeof(path), disks->root, disks->pid, "/fd/", descriptor);
	if (raw_syscall(SYS_statfs, (long)path, (long)&status, 0, 0, 0, 0) < 0)
		return LOG_NONE;
	return (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
}

static struct log_disk *write_record(struct disks *disks, uint64_t device, const char *folder, uint64_t bytes)
{
	const uint32_t path_bytes = (uint32_t)text_length(folder) + 1;
	struct log_disk *record =
		(struct log_disk *)log_new_record(disks->log, (uint32_t)sizeof(*record) + path_bytes,
						  clock_ticks(disks->log->clock));

	if (!record)
		return NULL;
	record->device = device;
	record->first_free_bytes = record->least_free_bytes = bytes;
	record->path_bytes = path_bytes;
	text_copy((char *)(record + 1), path_bytes, folder);
	log_publish(&record->record, LOG_RECORD_DISK);
	return record;
}

static struct known_mount *find_known(struct disks *disks, uint64_t id)
{
	for (unsigned i = 0; i < disks->nr_known; i++)
		if (disks->known[i].id == id)
			return &disks->known[i];
	return NULL;
}

/* Cut the path of a file to that of its folder. */
static void drop_name(char *path)
{
	const size_t bytes = (size_t)(text_base_name(path) - path);

	path[bytes > 1 ? bytes - 1 : 1] = '\0';
}

/* @path: of the file. */
static void meet(struct disks *disks, uint64_t id, const char *descriptor, char *path)
{
	struct known_mount *known;
	struct mount mount;
	uint64_t bytes;

	if (disks->nr_known == DISKS_MAX)
		return;
	known = &disks->known[disks->nr_known++];
	*known = (struct known_mount){ id, NULL };
	if (!find_mount(disks, id, &mount) || !mount.is_local)
		return;
	bytes = free_bytes(disks, descriptor);
	drop_name(path);
	if (bytes != LOG_NONE)
		known->record = write_record(disks, mount.device, path, bytes);
}

/* @seen: the mounts of this look, a bit for each. */
static void look_at(struct disks *disks, const char *descriptor, uint32_t *seen)
{
	char link[160], path[FOLDER_BYTES];
	struct known_mount *known;
	uint64_t id, bytes;
	long length;

	proc_entry_path(link, sizeof(link), disks->root, disks->pid, "/fd/", descriptor);
	length = sys_readlink(link, path, sizeof(path));
	/* a socket, a pipe, or a path that was cut */
	if (length <= 0 || length == sizeof(path) || path[0] != '/')
		return;
	path[length] = '\0';
	if (read_proc(disks, "/fdinfo/", descriptor, 0) <= 0)
		return;
	id = disks_parse_fdinfo(disks->buffer);
	known = id ? find_known(disks, id) : NULL;
	if (id && !known)
		meet(disks, id, descriptor, path);
	if (!known || !known->record || *seen & 1u << (known - disks->known))
		return;
	*seen |= 1u << (known - disks->known);
	bytes = free_bytes(disks, descriptor);
	if (bytes < known->record->least_free_bytes)
		__atomic_store_n(&known->record->least_free_bytes, bytes, __ATOMIC_RELAXED);
}

void disks_init(struct disks *disks, const char *root, int pid, struct read_count *count,
		struct log_header *log)
{
	disks->root = root;
	disks->pid = pid;
	disks->count = count;
	disks->log = log;
	disks->due_ns = 0;
	disks->nr_known = 0;
}

void disks_read(struct disks *disks)
{
	_Alignas(8) char buffer[DIRECTORY_BUFFER_BYTES];
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), end_ns;
	struct directory directory;
	uint32_t seen = 0;
	const char *name;
	char path[160];

	proc_entry_path(path, sizeof(path), disks->root, disks->pid, "/fd", "");
	if (begin_ns < disks->due_ns || directory_open(&directory, path, buffer, sizeof(buffer)) < 0)
		return;
	for (int i = 0; i < DESCRIPTORS_MAX && (name = directory_next(&directory)); i++)
		look_at(disks, name, &seen);
	directory_close(&directory);
	end_ns = clock_ns(CLOCK_MONOTONIC);
	disks->due_ns = end_ns + (end_ns - begin_ns) * REST;
}
