/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of descriptors, by /proc/self/fd. */
#include "preload/waits/descriptor_names.h"

#include <sys/stat.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/resources/proc_file.h"
#include "preload/state/labels.h"
#include "preload/state/live.h"

#define DESCRIPTORS 1024u /* higher ones have no name */
#define MOST_NAMES 2000u  /* in the process; a program may open ever new files */
#define WORTH_US 20u	  /* reading a name takes 1 */
#define AGAIN_US 1000u
#define MANY_CALLS 64u
#define NAME_BYTES 256
#define OPENED 256u
#define LABEL_BITS 24u

LARGE static uint32_t labels[DESCRIPTORS]; /* atomic; 0: not known */
static uint32_t nr_names;		   /* atomic */
LARGE static uint64_t opened[OPENED];	   /* atomic; high bits of a hash of path and file; their label */

uint32_t descriptor_label(int fd)
{
	return (uint32_t)fd < DESCRIPTORS ? __atomic_load_n(&labels[fd], __ATOMIC_RELAXED) : 0;
}

void descriptor_forget(int fd)
{
	if ((uint32_t)fd < DESCRIPTORS && labels[fd])
		__atomic_store_n(&labels[fd], 0, __ATOMIC_RELAXED);
}

static uint32_t read_label(int fd)
{
	char path[32], name[NAME_BYTES];
	const struct label *label;
	struct text text;
	long length;

	text_init(&text, path, sizeof(path));
	text_add(&text, "/proc/self/fd/");
	text_add_number(&text, (uint64_t)fd);
	length = sys_readlink(path, name, NAME_BYTES - 1);
	if (length <= 0)
		return 0;
	name[length] = '\0';
	proc_cut_number(name);
	label = label_look_up(name);
	if (!label && __atomic_fetch_add(&nr_names, 1, __ATOMIC_RELAXED) >= MOST_NAMES)
		label = label_find("(more files)");
	else if (!label)
		label = label_find(name);
	return label ? label->number : 0;
}

static uint64_t hash_of(const char *path, const struct stat *file)
{
	uint64_t hash = file->st_ino ^ (uint64_t)file->st_dev << 32;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/*
 * A server opens the same file for each request. Reading the name takes longer than opening it, and is the
 * caller's time. So it is read again only if the path leads to another file.
 */
static uint32_t label_of_opened(int fd, const char *path)
{
	struct stat file;
	uint64_t hash, known;
	uint32_t label;

	if (sys_failed(sys_fstat(fd, &file)))
		return read_label(fd);
	hash = hash_of(path, &file) >> LABEL_BITS;
	known = __atomic_load_n(&opened[hash % OPENED], __ATOMIC_RELAXED);
	if (known && known >> LABEL_BITS == hash)
		return (uint32_t)(known & ((1u << LABEL_BITS) - 1));
	label = read_label(fd);
	if (label && label < 1u << LABEL_BITS)
		__atomic_store_n(&opened[hash % OPENED], hash << LABEL_BITS | label, __ATOMIC_RELAXED);
	return label;
}

uint32_t descriptor_look_again(int fd, const char *path, uint64_t ticks, uint64_t calls)
{
	const uint64_t us_ticks = live.log->threshold_floor_ticks;
	uint32_t label = descriptor_label(fd), now;

	if ((uint32_t)fd >= DESCRIPTORS || live_is_sealed())
		return label;
	if (!path && ticks < (label ? AGAIN_US : WORTH_US) * us_ticks && (label || calls % MANY_CALLS))
		return label;
	now = path ? label_of_opened(fd, path) : read_label(fd);
	if (now != label)
		__atomic_store_n(&labels[fd], now, __ATOMIC_RELAXED);
	return now;
}
