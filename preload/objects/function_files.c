/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the line programs of .debug_line, and keeps where the file changes. */
#include "preload/objects/function_files.h"

#include <stddef.h>

#include "preload/common/base/text.h"

#define FILE_BITS	24
#define FILES_MAX	((1u << FILE_BITS) - 1)
#define ADDR_MAX	(1ull << (64 - FILE_BITS))
#define FORMATS_MAX	8u

enum { TEXTS_OF_FILE = 3 };
enum { FORM_DATA2 = 0x05, FORM_DATA4, FORM_DATA8, FORM_STRING, FORM_BLOCK, FORM_DATA1 = 0x0b,
       FORM_STRP = 0x0e, FORM_UDATA, FORM_DATA16 = 0x1e, FORM_LINE_STRP };
enum { CONTENT_PATH = 1, CONTENT_FOLDER };
enum { OP_COPY = 1, OP_ADVANCE_PC, OP_ADVANCE_LINE, OP_SET_FILE, OP_CONST_ADD_PC = 8, OP_FIXED_ADVANCE_PC };
enum { OP_END_SEQUENCE = 1, OP_SET_ADDRESS };

/* Reads past the end give 0, and the cursor stays there. */
struct cursor {
	const uint8_t *at, *end;
};

static uint64_t take(struct cursor *from, uint64_t bytes)
{
	uint64_t value = 0;

	if ((uint64_t)(from->end - from->at) < bytes) {
		from->at = from->end;
		return 0;
	}
	for (uint64_t i = 0; i < bytes; i++)
		value |= i < 8 ? (uint64_t)from->at[i] << 8 * i : 0;
	from->at += bytes;
	return value;
}

/* Signed ones are only stepped over. */
static uint64_t take_leb(struct cursor *from)
{
	uint64_t value = 0, byte = 0x80;

	for (unsigned int shift = 0; byte & 0x80 && from->at < from->end; shift += 7) {
		byte = *from->at++;
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
	}
	return value;
}

/* There is a 0 behind the section. */
static const char *take_text(struct cursor *from)
{
	const char *text = (const char *)from->at;

	while (from->at < from->end && *from->at)
		from->at++;
	take(from, 1);
	return text;
}

static const char *text_at(const struct chunk *chunk, uint64_t offset)
{
	return chunk->start && offset < chunk->bytes ? chunk->start + offset : "";
}

/* One unit's table, and the registers of its program. */
struct unit {
	struct cursor at;
	const struct chunk *strings, *others;
	unsigned int version, offset_bytes, step, line_range, opcode_base;
	const uint8_t *nr_operands;	/* [opcode_base - 1] */
	uint64_t first_file;		/* the number of its first file, less one */
	uint64_t addr, file, last_addr, last_file;
	bool is_dropped;		/* the linker left the code out */
};

/* *@number: the value, *@text: or the text. Return: false if the form is not known. */
static bool take_form(struct unit *unit, uint64_t form, uint64_t *number, const char **text)
{
	struct cursor *at = &unit->at;

	switch (form) {
	case FORM_STRING: *text = take_text(at); return true;
	case FORM_LINE_STRP: *text = text_at(unit->strings, take(at, unit->offset_bytes)); return true;
	case FORM_STRP: *text = text_at(unit->others, take(at, unit->offset_bytes)); return true;
	case FORM_UDATA: *number = take_leb(at); return true;
	case FORM_DATA1: *number = take(at, 1); return true;
	case FORM_DATA2: *number = take(at, 2); return true;
	case FORM_DATA4: *number = take(at, 4); return true;
	case FORM_DATA8: *number = take(at, 8); return true;
	case FORM_DATA16: take(at, 16); return true;
	case FORM_BLOCK: take(at, take_leb(at)); return true;
	default: return false;
	}
}

static bool add_file(struct function_files *files, const char *unit_folder, const char *folder,
		     const char *name)
{
	return files->texts.nr < (uint64_t)FILES_MAX * TEXTS_OF_FILE &&
	       sorted_numbers_add(&files->texts, (uintptr_t)unit_folder) &&
	       sorted_numbers_add(&files->texts, (uintptr_t)folder) &&
	       sorted_numbers_add(&files->texts, (uintptr_t)name);
}

/* The folders, or the files, of version 5. @files: NULL: they are folders. */
static bool read_entries(struct unit *unit, struct sorted_numbers *folders, struct function_files *files)
{
	uint64_t content[FORMATS_MAX], form[FORMATS_MAX], nr_formats = take(&unit->at, 1), nr;

	if (nr_formats > FORMATS_MAX)
		return false;
	for (uint64_t i = 0; i < nr_formats; i++) {
		content[i] = take_leb(&unit->at);
		form[i] = take_leb(&unit->at);
	}
	nr = take_leb(&unit->at);
	for (uint64_t entry = 0; entry < nr && unit->at.at < unit->at.end; entry++) {
		const char *path = "", *text;
		uint64_t folder = 0, number;

		for (uint64_t i = 0; i < nr_formats; i++) {
			text = "";
			number = 0;
			if (!take_form(unit, form[i], &number, &text))
				return false;
			path = content[i] == CONTENT_PATH ? text : path;
			folder = content[i] == CONTENT_FOLDER ? number : folder;
		}
		if (!files ? !sorted_numbers_add(folders, (uintptr_t)path)
			   : !add_file(files, folders->nr ? (const char *)folders->list[0] : "",
				       folder < folders->nr ? (const char *)folders->list[folder] : "", path))
			return false;
	}
	return true;
}

/* Before version 5 there is no folder 0, in which the compiler ran. */
static bool read_old_entries(struct unit *unit, struct sorted_numbers *folders, struct function_files *files)
{
	const char *text = "";
	uint64_t folder;

	for (bool more = sorted_numbers_add(folders, (uintptr_t)text);
	     more && *(text = take_text(&unit->at));)
		more = sorted_numbers_add(folders, (uintptr_t)text);
	while (*(text = take_text(&unit->at))) {
		folder = take_leb(&unit->at);
		take_leb(&unit->at);
		take_leb(&unit->at);
		if (!add_file(files, "", folder < folders->nr ? (const char *)folders->list[folder] : "",
			      text))
			return false;
	}
	return true;
}

/*
 * Take the row in the registers. Of several rows at one address, the first belongs to the function that
 * begins there.
 */
static bool add_place(struct unit *unit, struct function_files *files, bool is_end)
{
	uint64_t file = unit->first_file + unit->file + (unit->version >= 5);

	if (unit->is_dropped || unit->addr >= ADDR_MAX || file * TEXTS_OF_FILE > files->texts.nr)
		return true;
	file = is_end ? 0 : file;
	if ((unit->addr == unit->last_addr && !is_end) || file == unit->last_file)
		return true;
	unit->last_addr = unit->addr;
	unit->last_file = file;
	return sorted_numbers_add(&files->places, unit->addr << FILE_BITS | file);
}

static void begin_sequence(struct unit *unit)
{
	unit->addr = 0;
	unit->file = 1;
	unit->last_addr = unit->last_file = UINT64_MAX;
	unit->is_dropped = true; /* until it has an address */
}

static bool run_extended(struct unit *unit, struct function_files *files)
{
	uint64_t bytes = take_leb(&unit->at);
	struct cursor operand = unit->at;
	bool ok = true;

	take(&unit->at, bytes);
	operand.end = unit->at.at;
	switch (take(&operand, 1)) {
	case OP_END_SEQUENCE:
		ok = add_place(unit, files, true);
		begin_sequence(unit);
		break;
	case OP_SET_ADDRESS:
		unit->addr = take(&operand, (uint64_t)(operand.end - operand.at));
		unit->is_dropped = !unit->addr;
		break;
	}
	return ok;
}

static bool run_standard(struct unit *unit, struct function_files *files, unsigned int opcode)
{
	switch (opcode) {
	case OP_COPY:
		return add_place(unit, files, false);
	case OP_ADVANCE_PC:
		unit->addr += take_leb(&unit->at) * unit->step;
		break;
	case OP_SET_FILE:
		unit->file = take_leb(&unit->at);
		break;
	case OP_CONST_ADD_PC:
		unit->addr += (255 - unit->opcode_base) / unit->line_range * unit->step;
		break;
	case OP_FIXED_ADVANCE_PC:
		unit->addr += take(&unit->at, 2);
		break;
	default:
		for (unsigned int i = 0; i < unit->nr_operands[opcode - 1]; i++)
			take_leb(&unit->at);
	}
	return true;
}

static void run(struct unit *unit, struct function_files *files)
{
	bool ok = true;

	begin_sequence(unit);
	while (ok && unit->at.at < unit->at.end) {
		unsigned int opcode = *unit->at.at++;

		if (opcode >= unit->opcode_base) {
			unit->addr += (opcode - unit->opcode_base) / unit->line_range * unit->step;
			ok = add_place(unit, files, false);
		} else {
			ok = opcode ? run_standard(unit, files, opcode) : run_extended(unit, files);
		}
	}
}

/* @unit->at: behind its length, to its end. */
static void read_unit(struct unit *unit, struct sorted_numbers *folders, struct function_files *files)
{
	const uint8_t *program;
	uint64_t bytes;

	unit->version = (unsigned int)take(&unit->at, 2);
	if (unit->version < 2 || unit->version > 5)
		return;
	if (unit->version == 5)
		take(&unit->at, 2);	/* sizes of addresses and segments */
	bytes = take(&unit->at, unit->offset_bytes);
	if (bytes > (uint64_t)(unit->at.end - unit->at.at))
		return;
	program = unit->at.at + bytes;
	unit->step = (unsigned int)take(&unit->at, 1);
	take(&unit->at, unit->version >= 4 ? 3 : 2);	/* operations at once, is_stmt, line_base */
	unit->line_range = (unsigned int)take(&unit->at, 1);
	unit->opcode_base = (unsigned int)take(&unit->at, 1);
	unit->nr_operands = unit->at.at;
	if (!unit->line_range || !unit->opcode_base ||
	    unit->opcode_base - 1 > (uint64_t)(unit->at.end - unit->at.at))
		return;
	take(&unit->at, unit->opcode_base - 1);
	unit->first_file = files->texts.nr / TEXTS_OF_FILE;
	folders->nr = 0;
	if (unit->version < 5 ? !read_old_entries(unit, folders, files)
			      : !read_entries(unit, folders, NULL) || !read_entries(unit, folders, files))
		return;
	unit->at.at = program;
	run(unit, files);
}

void function_files_read(struct function_files *files, const struct chunk *lines, const struct chunk *strings,
			 const struct chunk *others)
{
	struct cursor at = { (const uint8_t *)lines->start, (const uint8_t *)lines->start + lines->bytes };
	struct sorted_numbers folders = { .nr = 0 };

	while (at.at < at.end) {
		struct unit unit = { .strings = strings, .others = others, .offset_bytes = 4 };
		uint64_t bytes = take(&at, 4);

		if (bytes == UINT32_MAX) {
			unit.offset_bytes = 8;
			bytes = take(&at, 8);
		}
		unit.at = at;
		take(&at, bytes);
		unit.at.end = at.at;
		read_unit(&unit, &folders, files);
	}
	sorted_numbers_free(&folders);
	sorted_numbers_sort(&files->places);
}

const char *function_file(const struct function_files *files, uint64_t addr, char *path, uint64_t bytes)
{
	uint64_t at = 0, file;
	const char *part;
	struct text text;

	if (addr < ADDR_MAX)
		at = sorted_numbers_up_to(&files->places, addr << FILE_BITS | FILES_MAX);
	file = at ? files->places.list[at - 1] & FILES_MAX : 0;
	if (!file)
		return NULL;
	text_init(&text, path, bytes);
	for (int i = 0; i < TEXTS_OF_FILE; i++) {
		part = (const char *)files->texts.list[(file - 1) * TEXTS_OF_FILE + (uint64_t)i];
		if (*part == '/')
			text_init(&text, path, bytes);
		else if (*part && *path)
			text_add(&text, "/");
		text_add(&text, part);
	}
	return path;
}

void function_files_release(struct function_files *files)
{
	sorted_numbers_free(&files->places);
	sorted_numbers_free(&files->texts);
}
