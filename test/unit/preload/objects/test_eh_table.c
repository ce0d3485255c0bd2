/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/objects/eh_table: a function is found by its table. Of a wrong table, nothing beyond its segment is
 * read.
 */
#include <string.h>
#include <sys/mman.h>

#include "preload/objects/eh_table.h"
#include "test/unit/unit.h"

#define PAGE 4096u
#define NR 3u
#define FUNCTION_BYTES 32u

/* It ends with the last page before one that may not be read. */
struct segment {
	int32_t head[3];
	int32_t pairs[NR][2];
	int32_t entries[NR][4];
};
static struct segment *segment;
static uintptr_t code_addr;

static uintptr_t function(uint32_t i)
{
	return code_addr + i * 2 * FUNCTION_BYTES; /* with gaps between them */
}

static struct eh_table make(void)
{
	static char *pages;

	if (!pages) {
		pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
	}
	code_addr = (uintptr_t)pages;
	segment = (struct segment *)(pages + 2 * PAGE) - 1;
	memcpy(segment->head, (uint8_t[]){ 1, 0x1b, 0x03, 0x3b }, 4);
	segment->head[2] = NR;
	for (uint32_t i = 0; i < NR; i++) {
		segment->pairs[i][0] = (int32_t)(function(i) - (uintptr_t)segment);
		segment->pairs[i][1] = (int32_t)((uintptr_t)segment->entries[i] - (uintptr_t)segment);
		segment->entries[i][2] = (int32_t)(function(i) - (uintptr_t)&segment->entries[i][2]);
		segment->entries[i][3] = FUNCTION_BYTES;
	}
	return (struct eh_table){ (uintptr_t)segment, (uintptr_t)segment, (uintptr_t)(pages + 2 * PAGE) };
}

TEST(functions_are_found)
{
	struct eh_table table = make();

	for (uint32_t i = 0; i < NR; i++)
		for (uint32_t at = 0; at < FUNCTION_BYTES; at += FUNCTION_BYTES - 1) {
			struct function_range range = eh_table_find(&table, function(i) + at);

			assert_int_equal(range.begin, function(i));
			assert_int_equal(range.end, function(i) + FUNCTION_BYTES);
		}
	assert_int_equal(eh_table_find(&table, function(1) + FUNCTION_BYTES).end, 0);
	assert_int_equal(eh_table_find(&table, function(0) - 1).end, 0);
	assert_int_equal(eh_table_find(&(struct eh_table){ 0 }, function(0)).end, 0);
}

TEST(wrong_tables_are_not_followed)
{
	struct eh_table table = make();

	segment->head[2] = 1 << 20;
	assert_int_equal(eh_table_find(&table, function(1)).end, 0);
	table = make();
	segment->pairs[1][1] += (int32_t)(sizeof(segment->entries[1]) * 2 - 4);
	assert_int_equal(eh_table_find(&table, function(1)).end, 0);
	table = make();
	segment->pairs[1][1] = INT32_MIN;
	assert_int_equal(eh_table_find(&table, function(1)).end, 0);
	table = make();
	segment->entries[1][2]++;
	assert_int_equal(eh_table_find(&table, function(1)).end, 0);
	table.begin = table.high - 8;
	assert_int_equal(eh_table_find(&table, function(1)).end, 0);
}
