/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/ask/options: the command line of insideme-report. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/ask/options.h"
#include "test/unit/unit.h"

#define WORDS_MAX 12

static struct options options;
static char *words[WORDS_MAX + 1];
static char message[512];

/* Parse words that end with NULL; what goes to stderr is in message. */
static int parse(const char *first, ...)
{
	static char name[] = "insideme-report";
	int count = 1, fds[2], saved = dup(STDERR_FILENO), status;
	va_list list;
	ssize_t bytes;

	words[0] = name;
	va_start(list, first);
	for (const char *word = first; word; word = va_arg(list, const char *))
		words[count++] = (char *)word;
	va_end(list);
	words[count] = NULL;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	status = options_parse(&options, count, words);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	bytes = read(fds[0], message, sizeof(message) - 1);
	message[bytes > 0 ? bytes : 0] = '\0';
	close(fds[0]);
	return status;
}

TEST(nothing_given_is_the_summary_as_text_of_the_newest_run)
{
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(options.task, TASK_REPORT);
	assert_string_equal(options.view, "summary");
	assert_string_equal(options.format, "text");
	assert_null(options.runs[0]);
	assert_false(options.top_given);
}

TEST(all_options_are_taken)
{
	assert_int_equal(parse("run1", "-v", "tree", "-fcsv", "--output=x", "--sort", "calls", "--reverse",
			       "--top=5", NULL),
			 0);
	assert_string_equal(options.view, "tree");
	assert_string_equal(options.format, "csv");
	assert_string_equal(options.output, "x");
	assert_string_equal(options.sort, "calls");
	assert_true(options.reverse);
	assert_true(options.top_given);
	assert_int_equal(options.top, 5);
	assert_string_equal(options.runs[0], "run1");
	assert_null(options.runs[1]);
	assert_int_equal(parse("--min-percent", "2.5%", "--from=1s", "--to", "50%", "--no-pager", NULL), 0);
	assert_true(options.min_percent == 2.5);
	assert_true(options.window.from.value == 1e9 && !options.window.from.is_percent);
	assert_true(options.window.to.value == 50 && options.window.to.is_percent);
	assert_true(options.no_pager);
	assert_int_equal(parse("--match", "a*", "--columns", "calls,line", "--", "-x", NULL), 0);
	assert_string_equal(options.match, "a*");
	assert_string_equal(options.columns, "calls,line");
	assert_string_equal(options.runs[0], "-x");
}

TEST(bare_v_and_f_list)
{
	assert_int_equal(parse("-v", NULL), 0);
	assert_int_equal(options.task, TASK_LIST_VIEWS);
	assert_int_equal(parse("--format", NULL), 0);
	assert_int_equal(options.task, TASK_LIST_FORMATS);
}

static void assert_complains(const char *about)
{
	assert_non_null(strstr(message, about));
	assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);	/* one line */
}

TEST(wrong_usage_names_the_option)
{
	assert_int_equal(parse("--frobnicate", NULL), EXIT_USAGE);
	assert_complains("unknown option --frobnicate");
	assert_int_equal(parse("--reverse=", NULL), EXIT_USAGE);
	assert_complains("option --reverse takes no value");
	assert_int_equal(parse("-q", NULL), EXIT_USAGE);
	assert_complains("-q");
	assert_int_equal(parse("run", "--sort", NULL), EXIT_USAGE);
	assert_complains("--sort needs a value");
	assert_int_equal(parse("-o", NULL), EXIT_USAGE);
	assert_complains("-o needs a value");
	assert_int_equal(parse("--reverse=1", NULL), EXIT_USAGE);
	assert_complains("--reverse");
	assert_int_equal(parse("--top", "many", NULL), EXIT_USAGE);
	assert_complains("--top");
	assert_int_equal(parse("--top", "-1", NULL), EXIT_USAGE);
	assert_complains("--top");
	assert_int_equal(parse("--filter", "calls > 1", "--save", "x", NULL), EXIT_USAGE);
	assert_complains("--filter");
	assert_int_equal(parse("--filter", "calls > 1", "--serve", NULL), EXIT_USAGE);
	assert_complains("--filter");
	assert_int_equal(parse("--rank", "1,x", NULL), EXIT_USAGE);
	assert_complains("--rank");
}

TEST(names_are_not_abbreviated)
{
	assert_int_equal(parse("--col", "calls", NULL), EXIT_USAGE);
	assert_complains("unknown option --col");
	assert_int_equal(parse("--sor=calls", NULL), EXIT_USAGE);
	assert_complains("unknown option --sor ");
	assert_int_equal(parse("--sortx=calls", NULL), EXIT_USAGE);
	assert_complains("unknown option --sortx ");
}

TEST(an_option_is_no_value_of_another)
{
	assert_int_equal(parse("--diff", "-v", "tree", "a", "b", NULL), EXIT_USAGE);
	assert_complains("option --diff needs a value, and -v is an option");
	assert_int_equal(parse("a", "-o", "-v", "functions", NULL), EXIT_USAGE);
	assert_complains("option -o needs a value, and -v is an option");
	assert_int_equal(parse("-v", "--format", "csv", NULL), EXIT_USAGE);
	assert_complains("option -v needs a value, and --format is an option");
	assert_int_equal(parse("-o", "-", "--match=-x", "--sort", "-[Object name]", NULL), 0);
	assert_string_equal(options.output, "-");
	assert_string_equal(options.match, "-x");
}
