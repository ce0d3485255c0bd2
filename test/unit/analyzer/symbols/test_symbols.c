/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/symbols: names and lines of this very program. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/symbols/symbols.h"
#include "test/unit/unit.h"

#define SELF "/proc/self/exe"

static int twin_line = __LINE__ + 1;
static __attribute__((noinline)) int twin(int x)
{
	return x + twin_line;
}

/* As g++ would name Index::insert(int). */
int _ZN5Index6insertEi(int x);
int _ZN5Index6insertEi(int x)
{
	return twin(x) + 1;
}

static __attribute__((noinline)) char *return_addr(void)
{
	return __builtin_return_address(0);
}

/* Code of both lies in outer(). That they can be called too is seen below. */
static const unsigned int innermost_line = __LINE__ + 3;
static inline __attribute__((always_inline)) char *innermost(void)
{
	return return_addr() - 1;
}

static const unsigned int inner_line = __LINE__ + 3;
static inline __attribute__((always_inline)) char *inner(void)
{
	return innermost();
}

static const unsigned int outer_line = __LINE__ + 3;
static __attribute__((noinline)) char *outer(void)
{
	return inner();
}

static uint64_t file_addr(const void *address)
{
	struct link_map *map;
	Dl_info info;

	assert_true(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP));
	return (uint64_t)(uintptr_t)address - map->l_addr;
}

static struct symbols_file self_file(void)
{
	struct stat status;

	assert_int_equal(stat(SELF, &status), 0);
	return (struct symbols_file){ .path = SELF,
				      .file_bytes = (uint64_t)status.st_size,
				      .file_mtime_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
						       (uint64_t)status.st_mtim.tv_nsec };
}

static void sort_two(struct symbol *list)
{
	struct symbol first = list[0];

	if (list[1].addr > first.addr)
		return;
	list[0] = list[1];
	list[1] = first;
}

TEST(functions_have_name_and_line)
{
	struct symbol list[2] = { { .addr = file_addr((void *)twin) },
				  { .addr = file_addr((void *)_ZN5Index6insertEi) } };
	struct symbols_file file = self_file();
	enum symbols_state opened;
	struct symbols *symbols = symbols_open(&file, &opened);
	struct symbol *of_twin;

	assert_non_null(symbols);
	sort_two(list);
	symbols_name(symbols, list, 2);
	of_twin = &list[list[0].addr != file_addr((void *)twin)];
	assert_string_equal(of_twin->name, "twin");
	assert_string_equal(list[of_twin == &list[0]].name, "Index::insert(int)");
	symbols_locate(symbols, of_twin);
	assert_non_null(strstr(of_twin->file, "test_symbols.c"));
	assert_int_equal(of_twin->line, twin_line);
	symbols_close(symbols);
}

TEST(an_address_within_a_function_belongs_to_it_and_others_to_none)
{
	struct symbol list[2] = { { .addr = 1 }, { .addr = file_addr((void *)twin) + 1 } };
	struct symbols_file file = self_file();
	enum symbols_state opened;
	struct symbols *symbols = symbols_open(&file, &opened);

	symbols_name(symbols, list, 2);
	assert_null(list[0].name);
	assert_string_equal(list[1].name, "twin");
	symbols_close(symbols);
}

TEST(a_global_function_is_found_by_its_name)
{
	struct symbols_file file = self_file();
	enum symbols_state opened;
	struct symbols *symbols = symbols_open(&file, &opened);
	uint64_t addr = 0;

	assert_true(symbols_find(symbols, "_ZN5Index6insertEi", &addr));
	assert_int_equal(addr, file_addr((void *)_ZN5Index6insertEi));
	assert_false(symbols_find(symbols, "twin", &addr));	/* static */
	symbols_close(symbols);
}

TEST(a_file_that_does_not_agree_gives_no_names)
{
	const uint8_t id[20] = { 1, 2, 3 };
	struct symbols_file file = self_file();
	enum symbols_state opened;

	file.file_bytes++;
	assert_null(symbols_open(&file, &opened));
	assert_int_equal(opened, SYMBOLS_OTHER_FILE);
	file = self_file();
	file.file_mtime_ns++;
	assert_null(symbols_open(&file, &opened));
	assert_int_equal(opened, SYMBOLS_OTHER_FILE);
	file = self_file();
	file.build_id = id;
	file.build_id_bytes = sizeof(id);
	assert_null(symbols_open(&file, &opened));
	assert_int_equal(opened, SYMBOLS_OTHER_FILE);
}

TEST(what_is_no_object_is_said)
{
	struct symbols_file file = { .path = "/nonexistent" };
	enum symbols_state opened;

	assert_null(symbols_open(&file, &opened));
	assert_int_equal(opened, SYMBOLS_NO_FILE);
	file.path = "/etc/passwd";
	assert_null(symbols_open(&file, &opened));
	assert_int_equal(opened, SYMBOLS_UNREADABLE);
	file.path = "/proc";
	assert_null(symbols_open(&file, &opened));
	assert_int_equal(opened, SYMBOLS_UNREADABLE);
}

static bool is_among(uint64_t addr, void *context)
{
	const uint64_t *addrs = context;

	while (*addrs && *addrs != addr)
		addrs++;
	return *addrs;
}

TEST(inlined_functions_are_found_with_the_lines_of_their_calls)
{
	const uint64_t code_addr = file_addr(outer());
	uint64_t all[] = { file_addr((void *)outer), file_addr((void *)inner), file_addr((void *)innermost),
			   0 };
	const unsigned int lines[] = { outer_line, inner_line, innermost_line };
	const char *const names[] = { NULL, "inner", "innermost" };
	struct symbol_code found[SYMBOLS_CODES_MOST];
	struct symbols_file file = self_file();
	enum symbols_state opened;
	struct symbols *symbols = symbols_open(&file, &opened);

	assert_int_equal(symbols_code(symbols, code_addr, is_among, all, found), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(found[i].addr, all[i]);
		assert_int_equal(found[i].code_line, lines[i]);
		assert_non_null(strstr(found[i].code_file, "test_symbols.c"));
		assert_true(found[i].name == names[i] || strcmp(found[i].name, names[i]) == 0);
	}
	assert_int_equal(found[1].line, inner_line - 2);
	symbols_close(symbols);
}

TEST(code_that_nothing_was_inlined_at_is_its_functions)
{
	uint64_t all[] = { file_addr((void *)outer), 0 };
	struct symbol_code found[SYMBOLS_CODES_MOST];
	struct symbols_file file = self_file();
	enum symbols_state opened;
	struct symbols *symbols = symbols_open(&file, &opened);

	assert_int_equal(symbols_code(symbols, all[0], is_among, all, found), 1);
	assert_int_equal(found[0].addr, all[0]);
	assert_int_equal(symbols_code(symbols, file_addr((void *)twin), is_among, all, found), 1);
	assert_int_equal(found[0].addr, file_addr((void *)twin));
	assert_int_equal(symbols_code(symbols, 1, is_among, all, found), 0);
	symbols_close(symbols);
}
