/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/stacks/target_process.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/text.h"

#define SEGMENTS_MOST 64
#define NOTES_BYTES 1024
#define MARKS_AT_ONCE 64
#define FDE_TABLE 0x3b /* of .eh_frame_hdr: 32 bits each, counted from its begin; all linkers write that */
#define FDE_COUNT 0x03 /* 32 bits */

long target_read(const struct target *target, uint64_t addr, void *to, size_t bytes)
{
	struct iovec here = { to, bytes }, there = { (void *)(uintptr_t)addr, bytes };
	ssize_t nr = process_vm_readv(target->pid, &here, 1, &there, 1, 0);

	return nr > 0 ? nr : nr < 0 ? -errno : -EFAULT;
}

static bool read_whole(const struct target *target, uint64_t addr, void *to, size_t bytes)
{
	return target_read(target, addr, to, bytes) == (long)bytes;
}

/* ---- one object ---- */

static uint32_t aligned(uint32_t bytes)
{
	return (bytes + 3) & ~3u;
}

static void read_build_id(const struct target *target, struct target_object *object, uint64_t addr,
			  uint64_t bytes)
{
	uint8_t notes[NOTES_BYTES];
	long nr = target_read(target, addr, notes, bytes < sizeof(notes) ? bytes : sizeof(notes));

	for (long at = 0; at + (long)sizeof(Elf64_Nhdr) <= nr;) {
		Elf64_Nhdr note;
		uint64_t name = (uint64_t)at + sizeof(note), text, next;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > NOTES_BYTES || note.n_descsz > NOTES_BYTES)
			return;
		text = name + aligned(note.n_namesz);
		next = text + aligned(note.n_descsz);
		if (next > (uint64_t)nr)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
		    note.n_descsz <= sizeof(object->build_id)) {
			memcpy(object->build_id, notes + text, note.n_descsz);
			object->build_id_bytes = note.n_descsz;
			object->mark_addr = addr + text;
			return;
		}
		at = (long)next;
	}
}

static void read_table(const struct target *target, struct target_object *object, uint64_t addr,
		       uint64_t bytes)
{
	struct {
		uint8_t version, frame_coding, count_coding, table_coding;
		int32_t frame;
		uint32_t count;
	} head;

	if (!read_whole(target, addr, &head, sizeof(head)) || head.version != 1 ||
	    head.count_coding != FDE_COUNT || head.table_coding != FDE_TABLE ||
	    (head.frame_coding & 0xf) != 0xb || (uint64_t)head.count * 8 > bytes - sizeof(head))
		return;
	object->header = addr;
	object->table = addr + sizeof(head);
	object->nr_entries = head.count;
}

static bool read_head(const struct target *target, uint64_t addr, Elf64_Ehdr *head)
{
	return read_whole(target, addr, head, sizeof(*head)) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_phentsize == sizeof(Elf64_Phdr) &&
	       head->e_phnum && head->e_phnum <= SEGMENTS_MOST;
}

/* The object whose first page is at @addr. Return: whether there is one. */
static bool read_object(const struct target *target, uint64_t addr, struct target_object *object)
{
	Elf64_Phdr segments[SEGMENTS_MOST];
	uint64_t low = UINT64_MAX, high = 0;
	Elf64_Ehdr head;

	if (!read_head(target, addr, &head) ||
	    !read_whole(target, addr + head.e_phoff, segments, head.e_phnum * sizeof(*segments)))
		return false;
	for (int i = 0; i < head.e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type != PT_LOAD)
			continue;
		low = segment->p_vaddr < low ? segment->p_vaddr : low;
		high = segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz
								  : high;
	}
	if (low >= high || high - low > UINT64_MAX / 2)
		return false;
	low &= ~(uint64_t)(LOG_AREA_ALIGN - 1);
	object->bias = addr - low;
	object->begin = addr;
	object->end = object->bias + high;
	object->entry = head.e_entry ? object->bias + head.e_entry : 0;
	for (int i = 0; i < head.e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type == PT_NOTE && !object->build_id_bytes)
			read_build_id(target, object, object->bias + segment->p_vaddr, segment->p_memsz);
		if (segment->p_type == PT_GNU_EH_FRAME && segment->p_memsz > 12)
			read_table(target, object, object->bias + segment->p_vaddr, segment->p_memsz);
	}
	object->mark_addr = object->build_id_bytes ? object->mark_addr : addr;
	object->mark_bytes = object->build_id_bytes ?: sizeof(head);
	return object->begin < object->end &&
	       read_whole(target, object->mark_addr, object->mark, object->mark_bytes);
}

/* ---- the list ---- */

struct mapping {
	uint64_t begin, end, offset, device, inode;
	bool runs; /* its code may run */
	const char *path;
};

static bool parse_mapping(char *line, struct mapping *mapping)
{
	unsigned major, minor;
	char rights[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &mapping->begin,
		   &mapping->end, rights, &mapping->offset, &major, &minor, &mapping->inode, &at) < 7)
		return false;
	mapping->device = makedev(major, minor);
	mapping->runs = rights[2] == 'x';
	mapping->path = line + at;
	return true;
}

static struct target_object *find_same(const struct target *target, const struct target_object *wanted)
{
	for (size_t i = 0; i < target->nr_objects; i++) {
		struct target_object *object = target->objects[i];

		if (object->begin == wanted->begin && object->end == wanted->end &&
		    object->device == wanted->device && object->inode == wanted->inode &&
		    object->build_id_bytes == wanted->build_id_bytes &&
		    !memcmp(object->build_id, wanted->build_id, sizeof(object->build_id)))
			return object;
	}
	return NULL;
}

static bool is_libc(const char *path)
{
	const char *name = text_base_name(path);

	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-2", 6) || !strncmp(name, "ld-linux", 8) ||
	       !strncmp(name, "libpthread", 10);
}

static void add_object(struct target *target, const struct mapping *mapping, target_change *change,
		       void *context)
{
	struct target_object found = { .device = mapping->device,
				       .inode = mapping->inode,
				       .first_end = mapping->end },
			     *object, **objects;

	if (target->nr_objects == TARGET_OBJECTS_MOST || !read_object(target, mapping->begin, &found))
		return;
	object = find_same(target, &found);
	if (object) {
		object->is_there = true;
		return;
	}
	objects = realloc(target->objects, (target->nr_objects + 1) * sizeof(*objects));
	object = malloc(sizeof(*object));
	if (!objects || !object)
		abort();
	*object = found;
	object->path = strdup(mapping->path);
	object->is_libc = is_libc(mapping->path);
	object->is_there = true;
	target->objects = objects;
	target->objects[target->nr_objects++] = object;
	target->generation++;
	change(object, false, context);
}

static int by_address(const void *a, const void *b)
{
	const struct target_object *x = *(struct target_object *const *)a,
				   *y = *(struct target_object *const *)b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void drop_gone(struct target *target, target_change *change, void *context)
{
	size_t nr = 0;

	for (size_t i = 0; i < target->nr_objects; i++) {
		struct target_object *object = target->objects[i];

		if (object->is_there) {
			target->objects[nr++] = object;
			continue;
		}
		change(object, true, context);
		target->generation++;
		free(object->path);
		free(object);
	}
	target->nr_objects = nr;
	if (nr)
		qsort(target->objects, nr, sizeof(*target->objects), by_address);
}

/*
 * An object's first page is the mapping of its file's begin. Data files are mapped like that too, but have no
 * code.
 */
int target_look(struct target *target, target_change *change, void *context)
{
	struct mapping mapping, first = { 0 };
	char path[32], *line = NULL;
	bool is_new = false, is_empty = true;
	size_t bytes = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)target->pid);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	for (size_t i = 0; i < target->nr_objects; i++)
		target->objects[i]->is_there = false;
	while (getline(&line, &bytes, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		text_drop_end(line, " (deleted)");
		if (!parse_mapping(line, &mapping))
			continue;
		is_empty = false;
		if (!mapping.offset && mapping.path[0]) {
			free((void *)first.path);
			first = mapping;
			first.path = strdup(mapping.path);
			is_new = first.path;
		}
		if (mapping.runs && is_new && first.inode == mapping.inode &&
		    first.device == mapping.device && !strcmp(first.path, mapping.path)) {
			add_object(target, &first, change, context);
			is_new = false;
		}
	}
	free((void *)first.path);
	free(line);
	fclose(maps);
	drop_gone(target, change, context);
	target->looked_ns = clock_ns(CLOCK_MONOTONIC);
	return is_empty ? -ESRCH : 0;
}

static bool are_same(const struct target *target, size_t first, size_t nr)
{
	struct iovec here[MARKS_AT_ONCE], there[MARKS_AT_ONCE];
	uint8_t marks[MARKS_AT_ONCE][TARGET_MARK_BYTES];
	ssize_t bytes = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct target_object *object = target->objects[first + i];

		here[i] = (struct iovec){ marks[i], object->mark_bytes };
		there[i] = (struct iovec){ (void *)(uintptr_t)object->mark_addr, object->mark_bytes };
		bytes += object->mark_bytes;
	}
	if (process_vm_readv(target->pid, here, nr, there, nr, 0) != bytes)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (memcmp(marks[i], target->objects[first + i]->mark, here[i].iov_len) != 0)
			return false;
	return true;
}

bool target_is_same(const struct target *target)
{
	for (size_t i = 0; i < target->nr_objects; i += MARKS_AT_ONCE) {
		const size_t left = target->nr_objects - i;

		if (!are_same(target, i, left < MARKS_AT_ONCE ? left : MARKS_AT_ONCE))
			return false;
	}
	return true;
}

struct target_object *target_find(const struct target *target, uint64_t addr)
{
	size_t low = 0, high = target->nr_objects;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct target_object *object = target->objects[middle];

		if (addr < object->begin)
			high = middle;
		else if (addr >= object->end)
			low = middle + 1;
		else
			return object;
	}
	return NULL;
}
