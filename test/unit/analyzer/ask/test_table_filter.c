/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/ask/table_filter: which rows pass, and the messages for text that is no rule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/ask/table_filter.h"
#include "test/unit/unit.h"

struct call {
	const char *function;
	const char *file;
	int64_t duration_ns;
	int64_t rss_bytes;		/* < 0: not known */
	int64_t depth;
};

/* Their numbers are the bits of the masks that a rule is to pass. */
static const struct call calls[] = {
	{ "main", "/src/app.c", 5000000, 1 << 20, 0 },
	{ "Grid::step(int)", "/src/grid.cc", 999999, 1 << 20, 1 },
	{ "Grid::step(double)", "/src/grid.cc", 1000000, -1, 1 },
	{ "map<int, int>", NULL, 20, -1, 2 },
	{ "leaf", "/src/app.c", 20, 3 << 20, 3 },
};
#define NR_CALLS (sizeof(calls) / sizeof(*calls))

enum { FUNCTION, FILE_NAME, DURATION, RSS, DEPTH };

static struct value get(const struct column *column, const void *row)
{
	const struct call *call = row;

	switch (column->index) {
	case FUNCTION:
		return value_text(call->function);
	case FILE_NAME:
		return value_text(call->file);
	case DURATION:
		return value_integer(UNIT_NS, call->duration_ns);
	case RSS:
		return call->rss_bytes < 0 ? value_empty() : value_integer(UNIT_BYTES, call->rss_bytes);
	}
	return value_integer(UNIT_NONE, call->depth);
}

static const struct column columns[] = {
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT, get, FUNCTION },
	{ "file", "filename", COLUMN_LEFT, get, FILE_NAME },
	{ "duration_ns", "Duration", 0, get, DURATION },
	{ "rss_bytes", "RSS", 0, get, RSS },
	{ "depth", "Depth", 0, get, DEPTH },
};
static const struct table table = { .name = "calls", .columns = columns, .nr_columns = 5 };

static void assert_passes(const char *text, unsigned int expected)
{
	struct row_filter *filter = row_filter_new(&table, text);
	unsigned int found[2] = { 0, 0 };

	if (!filter)
		fail_msg("%s: not understood", text);
	for (int pass = 0; pass < 2; pass++, row_filter_reset(filter))
		for (size_t i = 0; i < NR_CALLS; i++)
			found[pass] |= (unsigned int)row_filter_passes(filter, &calls[i]) << i;
	if (found[0] != expected || found[1] != expected)
		fail_msg("%s: passes %x, then %x, expected %x", text, found[0], found[1], expected);
	row_filter_free(filter);
}

TEST(values)
{
	assert_passes("function in main,leaf", 0x11);
	assert_passes("function in main, leaf", 0x11);
	assert_passes("function not in main,leaf", 0x0e);
	assert_passes("function == main", 0x01);
	assert_passes("function != main", 0x1e);
	assert_passes("function in Grid::step", 0x06);
	assert_passes("function in Grid::*", 0x06);
	assert_passes("function in \"Grid::step(int)\",'map<int, int>'", 0x0a);
	assert_passes("depth in 0,3", 0x11);
	assert_passes("depth not in 1", 0x19);
}

TEST(paths_match_by_their_last_part_too)
{
	assert_passes("file in app.c", 0x11);
	assert_passes("filename in /src/grid.cc", 0x06);
	assert_passes("file not in *.c", 0x0e);	/* an unknown value is none of them */
}

TEST(sizes)
{
	assert_passes("duration > 1ms", 0x01);
	assert_passes("duration_ns >= 1ms", 0x05);
	assert_passes("Duration<1ms", 0x1a);
	assert_passes("duration <= 20", 0x18);
	assert_passes("duration == 0.02us", 0x18);
	assert_passes("depth <= 1", 0x07);
	assert_passes("rss >= 1M", 0x13);
	assert_passes("RSS > 1MiB", 0x10);
	assert_passes("rss_bytes < 1G", 0x13);	/* an unknown value has no size */
}

TEST(changes)
{
	assert_passes("changed(rss_bytes)", 0x15);
	assert_passes("changed( depth )", 0x1b);
	assert_passes("changed(file)", 0x1b);
	assert_passes("changed(depth) and depth > 0", 0x1a);
	assert_passes("depth > 0 and changed(depth)", 0x1a);	/* rows that are not shown count too */
}

TEST(all_terms_must_hold)
{
	assert_passes("depth >= 1 and duration > 20 and function in *step*", 0x06);
	assert_passes("depth >= 1 and duration > 20 and function in main", 0);
}

/* @place: the part of the message that says where the error is. */
static void assert_refused(const char *text, const char *place)
{
	char said[1024] = "";
	FILE *messages = tmpfile();
	int saved = dup(STDERR_FILENO);
	struct row_filter *filter;

	dup2(fileno(messages), STDERR_FILENO);
	filter = row_filter_new(&table, text);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(messages);
	if (!fgets(said, sizeof(said), messages))
		said[0] = '\0';
	fclose(messages);
	if (filter)
		fail_msg("'%s' was understood", text);
	if (!strstr(said, place))
		fail_msg("'%s': '%s' does not name the place %s", text, said, place);
}

TEST(what_is_no_rule_is_refused_with_its_place)
{
	assert_refused("", "at its end: expected a column");
	assert_refused("depth", "at its end: expected in,");
	assert_refused("depth inn 3", "at \"inn 3\": expected in,");
	assert_refused("deep < 3", "at \"deep < 3\": no column 'deep' in calls");
	assert_refused("depth < 3 or depth > 5", "at \"or depth > 5\": expected and");
	assert_refused("depth < ", "at its end: expected a value");
	assert_refused("depth < 3 and", "at its end: expected a column");
	assert_refused("depth < 3,4", "at \",4\": one value only");
	assert_refused("depth < 3x", "at \"3x\": '3x' is not a number");
	assert_refused("duration > 1 ms", "at \"ms\": expected and");
	assert_refused("duration > 1kg", "at \"1kg\": '1kg' is not a time such as 1ms");
	assert_refused("rss > lots", "at \"lots\": 'lots' is not a size such as 64M");
	assert_refused("function < main", "at \"< main\": this column has texts");
	assert_refused("function in \"main", "at \"\"main\": this quote has no end");
	assert_refused("function in main,", "at its end: expected a value");
	assert_refused("changed depth", "at \"depth\": expected changed(COLUMN)");
	assert_refused("changed(depth", "at its end: expected )");
	assert_refused("changed(deep)", "at \"deep)\": no column 'deep'");
}
