/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/formats: selecting rows of a table, and printing them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyzer/app/formats.h"
#include "analyzer/ask/table_select.h"
#include "analyzer/formats/formats.h"
#include "test/unit/unit.h"

struct thing {
	const char *name;
	int64_t calls;
	double mean;
};

static const struct thing things[] = {
	{ "Index::insert(int)", 3, 2.5 },
	{ "say \"hi\", twice", 12345678, 1e9 },
	{ "plain", 7, 0.1 },
	{ "last", 7, 4 },
};

static struct value get_name(const struct column *column, const void *row)
{
	return value_text(((const struct thing *)row)->name);
}

static struct value get_calls(const struct column *column, const void *row)
{
	return value_integer(UNIT_COUNT, ((const struct thing *)row)->calls);
}

static struct value get_mean(const struct column *column, const void *row)
{
	return value_real(UNIT_NS, ((const struct thing *)row)->mean);
}

static const struct column columns[] = {
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_name, 0 },
	{ "calls", "Calls", COLUMN_SUMS, get_calls, 0 },
	{ "mean_ns", "Mean", 0, get_mean, 0 },
};

static struct table table = {
	.name = "functions",
	.title = "prog",
	.columns = columns,
	.nr_columns = 3,
	.rows = { sizeof(struct thing), things, 4, 0 },
	.formats = IN_TEXT | IN_CSV | IN_JSON,
};

static char *print(const char *format, struct options options)
{
	struct section section = { .table = &table };
	struct document document = { .view = "test", .sections = &section, .nr_sections = 1 };
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	options.format = format;
	assert_int_equal(rows_check(&table, &options, strcmp(format, "text") == 0), 0);
	format_find(format)->print(out, &document, &options);
	fclose(out);
	return text;
}

static void assert_prints(const char *format, struct options options, const char *expected)
{
	char *text = print(format, options);

	assert_string_equal(text, expected);
	free(text);
}

TEST(csv_quotes_what_needs_it_and_nothing_else)
{
	assert_prints("csv", (struct options){ 0 },
		      "function,calls,mean_ns\n"
		      "Index::insert(int),3,2.5\n"
		      "\"say \"\"hi\"\", twice\",12345678,1000000000\n"
		      "plain,7,0.1\n"
		      "last,7,4\n");
}

TEST(rows_are_sorted_largest_first_and_stay_in_order_when_equal)
{
	assert_prints(
		"csv", (struct options){ .sort = "calls", .columns = "calls,function" },
		"calls,function\n12345678,\"say \"\"hi\"\", twice\"\n7,plain\n7,last\n"
		"3,Index::insert(int)\n");
	assert_prints("csv", (struct options){ .sort = "calls", .columns = "calls", .reverse = true },
		      "calls\n3\n7\n7\n12345678\n");
	assert_prints("csv", (struct options){ .sort = "function", .columns = "calls" },
		      "calls\n3\n7\n7\n12345678\n");
}

TEST(top_limits_and_match_selects)
{
	assert_prints("csv", (struct options){ .top = 1, .top_given = true, .columns = "calls" },
		      "calls\n3\n");
	assert_prints(
		"csv",
		(struct options){ .sort = "mean_ns", .top = 2, .top_given = true, .columns = "mean_ns" },
		"mean_ns\n1000000000\n4\n");
	assert_prints("csv", (struct options){ .match = "Index::insert", .columns = "calls" }, "calls\n3\n");
	assert_prints("csv", (struct options){ .match = "nothing", .columns = "calls" }, "calls\n");
}

/* calls: 3, 12345678, 7, 7. A sum of 12345695; means have no sum, so the largest counts, 1e9. */
TEST(min_percent_leaves_out_what_is_small)
{
	assert_prints("csv", (struct options){ .sort = "calls", .min_percent = 50, .columns = "calls" },
		      "calls\n12345678\n");
	assert_prints(
		"csv",
		(struct options){ .sort = "calls", .min_percent = 50, .reverse = true, .columns = "calls" },
		"calls\n12345678\n");
	assert_prints("csv", (struct options){ .sort = "calls", .min_percent = 0.00005, .columns = "calls" },
		      "calls\n12345678\n7\n7\n");
	assert_prints("csv", (struct options){ .sort = "mean_ns", .min_percent = 4e-7, .columns = "mean_ns" },
		      "mean_ns\n1000000000\n4\n");
	assert_prints(
		"text", (struct options){ .sort = "calls", .min_percent = 50, .columns = "calls,function" },
		"prog: 1 of 4 functions by calls, 100 % of it (--top 0: all; --sort COLUMN, --columns LIST)\n"
		"   Calls  Function\n"
		"  12.3 M  twice\n"
		"      17  3 other functions\n");
}

TEST(min_percent_needs_an_order_by_size)
{
	struct options options = { .min_percent = 1 };

	assert_int_equal(rows_check(&table, &options, true), EXIT_USAGE);
	options.sort = "function";
	assert_int_equal(rows_check(&table, &options, true), EXIT_USAGE);
	table.weight = "mean_ns";
	assert_prints("csv", (struct options){ .min_percent = 50, .columns = "function" },
		      "function\n\"say \"\"hi\"\", twice\"\n");
	table.weight = NULL;
}

TEST(keys_of_pstats_stand_for_columns)
{
	struct options options = { .sort = "cumtime" };

	assert_prints("csv", (struct options){ .sort = "ncalls", .columns = "calls" },
		      "calls\n12345678\n7\n7\n3\n");
	assert_prints("csv", (struct options){ .sort = "name", .columns = "calls" },
		      "calls\n3\n7\n7\n12345678\n");
	assert_int_equal(rows_check(&table, &options, false), EXIT_USAGE); /* this table has no total_ns */
}

/* Rows of a table that is never in memory: 1, 2, ... each once, not in sorted order. */
static bool next_number(struct table *of, void *row)
{
	if (of->at == 100003)
		return of->at = 0, false;
	*(struct thing *)row = (struct thing){ "f", (int64_t)(of->at++ * 7919 % 100003), 0 };
	return true;
}

TEST(the_largest_of_many_are_found_without_keeping_all)
{
	struct options options = { .sort = "calls", .top = 3, .top_given = true };
	struct table many = table;
	struct rows rows;

	many.next = next_number;
	rows_open(&rows, &many, &options, false);
	assert_int_equal(rows.nr_total, 100003);
	assert_true(rows.nr_kept == 3);
	for (int64_t expected = 100002; expected > 99999; expected--)
		assert_int_equal(((const struct thing *)rows_next(&rows))->calls, expected);
	assert_null(rows_next(&rows));
	rows_close(&rows);
}

TEST(unknown_columns_are_wrong_usage)
{
	struct options options = { .columns = "calls,nonsense" };

	assert_int_equal(rows_check(&table, &options, false), EXIT_USAGE);
	options = (struct options){ .sort = "self" };
	assert_int_equal(rows_check(&table, &options, false), EXIT_USAGE);
	options = (struct options){ .columns = "" };
	assert_int_equal(rows_check(&table, &options, false), EXIT_USAGE);
}

TEST(json_is_one_object_with_the_rows)
{
	char *text = print("json", (struct options){ 0 });
	json_t *root = json_loads(text, 0, NULL), *list, *row;

	assert_non_null(root);
	list = json_object_get(root, "functions");
	assert_int_equal(json_array_size(list), 4);
	row = json_array_get(list, 1);
	assert_string_equal(json_string_value(json_object_get(row, "function")), "say \"hi\", twice");
	assert_int_equal(json_integer_value(json_object_get(row, "calls")), 12345678);
	assert_true(json_real_value(json_object_get(json_array_get(list, 2), "mean_ns")) == 0.1);
	json_decref(root);
	free(text);
}

TEST(json_takes_any_bytes)
{
	static const struct thing odd[] = { { "a\xff" "b\xc3\xa9\xe0\x80\x80", 1, 1 } };
	json_t *root;
	char *text;

	table.rows = (struct table_rows)TABLE_ROWS(odd, 1);
	text = print("json", (struct options){ .columns = "function" });
	table.rows = (struct table_rows)TABLE_ROWS(things, 4);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(json_object_get(root, "functions"), 0), "function")),
			    "a\xef\xbf\xbd"
			    "b\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	json_decref(root);
	free(text);
}

TEST(text_aligns_shortens_and_sums_up_the_rest)
{
	assert_prints(
		"text",
		(struct options){
			.sort = "calls", .top = 2, .top_given = true, .columns = "calls,mean_ns,function" },
		"prog: 2 of 4 functions by calls, 100 % of it (--top 0: all; --sort COLUMN, --columns LIST)\n"
		"   Calls     Mean  Function\n"
		"  12.3 M   1.00 s  twice\n"
		"       7  0.10 ns  plain\n"
		"      10           2 other functions\n");
}

TEST(text_fits_the_width)
{
	char *text, *line;

	setenv("COLUMNS", "40", 1);
	text = print("text", (struct options){ .columns = "function,calls,mean_ns" });
	setenv("COLUMNS", "100", 1);
	for (line = strtok(strchr(text, '\n'), "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 40);
	free(text);
}

int before_all(void **state)
{
	return setenv("COLUMNS", "100", 1);
}
