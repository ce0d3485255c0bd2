/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names and source lines, by libdw. One pass over the symbol table finds the names of all addresses that
 * occurred. Debug information is read only for the compilation units of functions that are shown.
 */
#include "analyzer/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/symbols/by_name.h"
#include "analyzer/symbols/declared.h"
#include "analyzer/symbols/inlined.h"
#include "analyzer/symbols/compile_units.h"

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct compile_units units;
	struct by_name by_name;
	struct declared declared;
	char **names;			/* memory of the names that were handed out */
	size_t nr_names;
};

static const char *keep(struct symbols *symbols, char *name)
{
	return APPEND(symbols->names, symbols->nr_names) = name;
}

static bool file_agrees(Dwfl_Module *module, const struct symbols_file *file, const struct stat *status)
{
	const unsigned char *id;
	GElf_Addr addr;
	int bytes;

	if (!file->build_id_bytes)
		return (uint64_t)status->st_size == file->file_bytes &&
			(uint64_t)status->st_mtim.tv_sec * 1000000000 + (uint64_t)status->st_mtim.tv_nsec ==
			file->file_mtime_ns;
	bytes = dwfl_module_build_id(module, &id, &addr);
	return bytes > 0 && (size_t)bytes == file->build_id_bytes &&
	       memcmp(id, file->build_id, (size_t)bytes) == 0;
}

static enum symbols_state module_open(struct symbols *symbols, const struct symbols_file *file)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct stat status;

	if (stat(file->path, &status) < 0)
		return SYMBOLS_NO_FILE;
	if (!S_ISREG(status.st_mode))
		return SYMBOLS_UNREADABLE;
	/* seconds; libdwfl asks a server only where DEBUGINFOD_URLS is set */
	setenv("DEBUGINFOD_TIMEOUT", "10", 0);
	symbols->dwfl = dwfl_begin(&callbacks);
	if (!symbols->dwfl)
		return SYMBOLS_UNREADABLE;
	dwfl_report_begin(symbols->dwfl);
	symbols->module = dwfl_report_elf(symbols->dwfl, file->path, file->path, -1, 0, true);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (!symbols->module)
		return SYMBOLS_UNREADABLE;
	return file_agrees(symbols->module, file, &status) ? SYMBOLS_GOOD : SYMBOLS_OTHER_FILE;
}

struct symbols *symbols_open(const struct symbols_file *file, enum symbols_state *state)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));

	*state = module_open(symbols, file);
	if (*state == SYMBOLS_GOOD)
		return symbols;
	symbols_close(symbols);
	return NULL;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->units.nr; i++) {
		free(symbols->units.list[i].entries);
		inlined_free(symbols->units.list[i].inlined);
	}
	for (size_t i = 0; i < symbols->nr_names; i++)
		free(symbols->names[i]);
	compile_units_release(&symbols->units);
	by_name_release(&symbols->by_name);
	declared_release(&symbols->declared);
	free(symbols->names);
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	free(symbols);
}

static bool is_fortran(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return true;
	}
	return false;
}

/* Functions lie below units, namespaces and modules; in C and Fortran also in other functions. */
static void read_entries(struct unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > 32 || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		Dwarf_Addr addr;

		if (tag == DW_TAG_namespace || tag == DW_TAG_module)
			read_entries(unit, &die, depth + 1);
		if (tag != DW_TAG_subprogram || !compile_units_entry_addr(&die, &addr))
			continue;
		APPEND(unit->entries, unit->nr_entries) = (struct unit_entry){ addr, die };
		if (unit->is_fortran)
			read_entries(unit, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* The unit that has the code at @addr, with its functions; NULL: none has. */
static struct unit *find_unit(struct symbols *symbols, uint64_t addr)
{
	struct unit *unit = compile_units_find(&symbols->units, symbols->module, addr);

	if (unit && !unit->read) {
		unit->read = true;
		unit->is_fortran = is_fortran(&unit->die);
		read_entries(unit, &unit->die, 0);
		if (unit->nr_entries)
			qsort(unit->entries, unit->nr_entries, sizeof(*unit->entries), compile_units_by_addr);
	}
	return unit;
}

static Dwarf_Die *find_die(struct unit *unit, uint64_t addr)
{
	struct unit_entry key = { .addr = addr }, *found = NULL;

	if (unit->nr_entries)
		found = bsearch(&key, unit->entries, unit->nr_entries, sizeof(key), compile_units_by_addr);
	return found ? &found->die : NULL;
}

void symbols_locate(struct symbols *symbols, struct symbol *symbol)
{
	struct unit *unit = find_unit(symbols, symbol->addr);
	uint64_t addr = symbol->addr - symbols->units.bias;
	Dwarf_Die *die = unit ? find_die(unit, addr) : NULL;
	Dwarf_Line *line;
	int number;

	if (die && dwarf_decl_line(die, &number) == 0) {
		symbol->file = compile_units_file(die, DW_AT_decl_file);
	} else if (unit && (line = dwarf_getsrc_die(&unit->skeleton, addr)) != NULL) {
		symbol->file = compile_units_path(&unit->skeleton, dwarf_linesrc(line, NULL, NULL));
		if (dwarf_lineno(line, &number) < 0)
			number = 0;
	}
	symbol->line = symbol->file && number > 0 ? (unsigned int)number : 0;
}

struct wanted_place {
	struct symbols *symbols;
	const char *file;
	unsigned int line;
};

static bool is_declared_at(uint64_t addr, void *context)
{
	const struct wanted_place *wanted = context;
	struct symbol symbol = { .addr = addr };

	symbols_locate(wanted->symbols, &symbol);
	return symbol.line == wanted->line && symbol.file &&
	       strcmp(path_base(symbol.file), path_base(wanted->file)) == 0;
}

uint64_t symbols_find_at(struct symbols *symbols, const char *link_name, const char *file, unsigned int line)
{
	struct wanted_place wanted = { symbols, file, line };

	return by_name_first(&symbols->by_name, symbols->module, link_name, is_declared_at, &wanted);
}

bool symbols_has_unlocked_counters(struct symbols *symbols)
{
	compile_units_find(&symbols->units, symbols->module, 0);	/* lists them */
	for (size_t i = 0; i < symbols->units.nr; i++) {
		Dwarf_Attribute attribute;
		const char *options = dwarf_formstring(
			dwarf_attr(&symbols->units.list[i].skeleton, DW_AT_producer, &attribute));

		if (options && strstr(options, "-fprofile-arcs") &&
		    !strstr(options, "-fprofile-update=atomic") &&
		    !strstr(options, "-fprofile-update=prefer-atomic"))
			return true;
	}
	return false;
}

const char *symbols_function_before(struct symbols *symbols, const char *file, unsigned int line,
				    unsigned int *begin)
{
	const struct declaration *found =
		declared_before(&symbols->declared, &symbols->units, symbols->module, file, line);

	*begin = found ? found->line : 0;
	return found ? found->link_name : NULL;
}

bool symbols_are_damaged(const struct symbols *symbols)
{
	return compile_units_are_damaged(&symbols->units);
}

static void note_lines(struct unit *unit)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (dwarf_hasattr(&unit->skeleton, DW_AT_stmt_list))
		compile_units_note(&unit->is_damaged, dwarf_getsrclines(&unit->skeleton, &lines, &nr));
}

const char *symbols_line(struct symbols *symbols, uint64_t addr, unsigned int *line)
{
	struct unit *unit = find_unit(symbols, addr);
	Dwarf_Line *at = unit ? dwarf_getsrc_die(&unit->skeleton, addr - symbols->units.bias) : NULL;
	const char *file;
	int number;

	if (unit && !at)
		note_lines(unit);
	if (!at || dwarf_lineno(at, &number) < 0 || number <= 0)
		return NULL;
	file = compile_units_path(&unit->skeleton, dwarf_linesrc(at, NULL, NULL));
	*line = file ? (unsigned int)number : 0;
	return file;
}

/* Fortran: "__mod_MOD_sub" is mod::sub. For "sub_", "inner.0" and "MAIN__" debug information has the name. */
static char *fortran_name(struct symbols *symbols, const char *name, uint64_t addr)
{
	const char *module_end = strstr(name, "_MOD_");
	size_t length = strlen(name);
	struct unit *unit;
	Dwarf_Die *die;
	char *out;

	if (strncmp(name, "__", 2) == 0 && module_end && module_end > name + 2) {
		out = xcalloc(1, length);
		stpcpy(stpcpy(mempcpy(out, name + 2, (size_t)(module_end - name - 2)), "::"), module_end + 5);
		return out;
	}
	if (length < 2 || (name[length - 1] != '_' && !strchr(name + 1, '.')))
		return NULL;
	unit = find_unit(symbols, addr);
	die = unit && unit->is_fortran ? find_die(unit, addr - symbols->units.bias) : NULL;
	return die && dwarf_diename(die) ? xstrdup(dwarf_diename(die)) : NULL;
}

static const char *display_name(struct symbols *symbols, const char *name, uint64_t addr)
{
	char *plain = name_in_source(name), *out = name_demangled(plain);

	if (!out)
		out = fortran_name(symbols, plain, addr);
	if (!out)
		return keep(symbols, plain);
	free(plain);
	return keep(symbols, out);
}

/*
 * How well a symbol suits an address. It begins there; it is a function; it is global; it has no leading
 * underscore: in this order.
 */
static int quality(const GElf_Sym *sym, const char *name, bool exact)
{
	int binding = GELF_ST_BIND(sym->st_info);

	return exact * 1000 + (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE) * 100 +
		(binding == STB_GLOBAL ? 20 : binding == STB_WEAK ? 10 : 0) + (name[0] != '_');
}

/*
 * An undefined function with a value is a stub in .plt: the canonical address in a program that is not PIE.
 */
static bool is_function(const GElf_Sym *sym, GElf_Word section)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (section == SHN_UNDEF)
		return type == STT_FUNC && sym->st_value != 0;
	return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && sym->st_size > 0);
}

static size_t first_at(const struct symbol *list, size_t nr, uint64_t addr)
{
	return PARTITION_POINT(i, nr, list[i].addr < addr);
}

void symbols_name(struct symbols *symbols, struct symbol *list, size_t nr)
{
	int nr_symbols = dwfl_module_getsymtab(symbols->module);
	int *best = xcalloc(nr, sizeof(*best));

	for (int i = 1; i < nr_symbols; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word section;
		const char *name =
			dwfl_module_getsym_info(symbols->module, i, &sym, &addr, &section, NULL, NULL);

		if (!name || !name[0] || !is_function(&sym, section))
			continue;
		for (size_t at = first_at(list, nr, addr); at < nr; at++) {
			bool exact = list[at].addr == addr;
			int good = quality(&sym, name, exact);

			if (!exact && list[at].addr - addr >= sym.st_size)
				break;
			if (good <= best[at])
				continue;
			best[at] = good;
			list[at].link_name = name;
			list[at].imported = section == SHN_UNDEF;
		}
	}
	free(best);
	for (size_t i = 0; i < nr; i++)
		list[i].name =
			list[i].link_name ? display_name(symbols, list[i].link_name, list[i].addr) : NULL;
}

bool symbols_find(struct symbols *symbols, const char *link_name, uint64_t *addr)
{
	int nr_symbols = dwfl_module_getsymtab(symbols->module);
	GElf_Word section;
	GElf_Sym sym;

	for (int i = 1; i < nr_symbols; i++) {
		const char *name =
			dwfl_module_getsym_info(symbols->module, i, &sym, addr, &section, NULL, NULL);

		if (name && section != SHN_UNDEF && GELF_ST_BIND(sym.st_info) != STB_LOCAL &&
		    is_function(&sym, section) && strcmp(name, link_name) == 0)
			return true;
	}
	return false;
}

const char *symbols_variable(struct symbols *symbols, uint64_t addr, uint64_t *offset)
{
	int nr_symbols = dwfl_module_getsymtab(symbols->module);
	const char *found = NULL;

	for (int i = 1; i < nr_symbols; i++) {
		GElf_Word section;
		GElf_Addr begin;
		GElf_Sym sym;
		const char *name =
			dwfl_module_getsym_info(symbols->module, i, &sym, &begin, &section, NULL, NULL);

		if (!name || !name[0] || section == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    addr - begin >= sym.st_size)
			continue;
		found = name;
		*offset = addr - begin;
	}
	return found;
}

/*
 * The wanted one of the functions that @copy may be a copy of. An inline function of several units has one
 * copy to be called, which may be another unit's.
 */
static uint64_t choose(struct symbols *symbols, struct unit *unit, const struct inlined_copy *copy,
		       symbols_wanted *wanted, void *context)
{
	size_t nr;
	const struct inlined_called *called = inlined_called(unit->inlined, copy, &nr);
	const char *name;

	for (size_t i = 0; i < nr; i++)
		if (wanted(called[i].addr + symbols->units.bias, context))
			return called[i].addr + symbols->units.bias;
	if (nr && !inlined_is_external(copy))
		return 0;
	name = inlined_link_name(copy);
	return name ? by_name_find(&symbols->by_name, symbols->module, name, wanted, context) : 0;
}

static size_t copies_at(struct symbols *symbols, struct unit *unit, uint64_t addr,
			struct inlined_copy *copies[SYMBOLS_CODES_MOST])
{
	if (!unit->inlined)
		unit->inlined = inlined_read(unit);
	return inlined_find(unit->inlined, addr - symbols->units.bias, copies, SYMBOLS_CODES_MOST);
}

/* The linker gives functions that it left out an address that no code has. */
static bool is_linked(uint64_t addr, void *context)
{
	return addr > 1;
}

/* Set what all addresses in a copy have in common. */
static void name_copy(struct symbols *symbols, struct unit *unit, struct inlined_copy *copy,
		      symbols_wanted *wanted, void *context)
{
	const char *name = inlined_link_name(copy);
	Dwarf_Addr addr;

	if (copy->is_named)
		return;
	copy->is_named = true;
	copy->called_addr = choose(symbols, unit, copy, wanted, context);
	if (!copy->called_addr && !copy->depth && compile_units_entry_addr(&copy->die, &addr))
		copy->called_addr = addr + symbols->units.bias;
	if (!copy->called_addr)
		copy->called_addr = choose(symbols, unit, copy, is_linked, NULL);
	if (name && copy->depth)
		copy->name = display_name(symbols, name, 0);
}

size_t symbols_code(struct symbols *symbols, uint64_t addr, symbols_wanted *wanted, void *context,
		    struct symbol_code codes[SYMBOLS_CODES_MOST])
{
	struct unit *unit = compile_units_find(&symbols->units, symbols->module, addr);
	struct inlined_copy *copies[SYMBOLS_CODES_MOST];
	size_t nr;

	if (!unit)
		return 0;
	nr = copies_at(symbols, unit, addr, copies);
	codes[0] = (struct symbol_code){ .addr = 0 };
	for (size_t i = 0; i < nr; i++) {
		int line;

		name_copy(symbols, unit, copies[i], wanted, context);
		codes[i] = (struct symbol_code){ .addr = copies[i]->called_addr, .name = copies[i]->name };
		if (i && dwarf_decl_line(&copies[i]->origin, &line) == 0) {
			codes[i].file = compile_units_file(&copies[i]->origin, DW_AT_decl_file);
			codes[i].line = (unsigned int)line;
		}
		if (i)
			codes[i - 1].code_file = inlined_call(copies[i], &codes[i - 1].code_line);
	}
	nr += !nr;
	codes[nr - 1].code_file = symbols_line(symbols, addr, &codes[nr - 1].code_line);
	return nr;
}

const char *symbols_own_line(struct symbols *symbols, uint64_t addr, unsigned int *line)
{
	struct unit *unit = compile_units_find(&symbols->units, symbols->module, addr);
	const char *file = symbols_line(symbols, addr, line);
	struct inlined_copy *copies[SYMBOLS_CODES_MOST];
	size_t nr = unit && file && path_is_header(file) ? copies_at(symbols, unit, addr, copies) : 0;

	for (size_t i = nr; i-- > 1;) {
		unsigned int call_line;
		const char *call = inlined_call(copies[i], &call_line);

		if (!call || path_is_header(call))
			continue;
		*line = call_line;
		return call;
	}
	return file;
}

const char *symbols_state_text(enum symbols_state state)
{
	static const char *const texts[] = {
		[SYMBOLS_GOOD] = "has no symbol for it",
		[SYMBOLS_NO_FILE] = "is gone",
		[SYMBOLS_OTHER_FILE] = "is another file now",
		[SYMBOLS_UNREADABLE] = "cannot be read",
	};

	return texts[state];
}
