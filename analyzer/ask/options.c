/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-report's command line. */
#include "analyzer/ask/options.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analyzer/ask/restriction.h"
#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/units.h"
#include "analyzer/tables/table_text.h"
#include "insideme_options.h"

#define KEEP_DEFAULT	10
#define KEEP_NOT_GIVEN	SIZE_MAX

static bool is_number(const char *text, size_t *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	return isdigit((unsigned char)text[0]) && !*end && !errno;
}

static int wrong(const struct option_line *line, const char *value, const char *expected)
{
	error("--%s: '%s' is not %s", line->name, value, expected);
	return EXIT_USAGE;
}

/* The field is a size_t. */
static int take_number(struct options *options, const struct option_line *line, const char *value)
{
	return is_number(value, (size_t *)((char *)options + line->at)) ? 0 : wrong(line, value, "a number");
}

static int take_top(struct options *options, const struct option_line *line, const char *value)
{
	options->top_given = true;
	return take_number(options, line, value);
}

/* "20M", "500k", "1G", or bytes. */
static int take_max_size(struct options *options, const struct option_line *line, const char *value)
{
	static const char units[] = "kMG";
	char *end;
	double size = strtod(value, &end);
	const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;

	if (unit)
		size *= (double)((size_t)1 << (10 * (unit - units + 1)));
	if (!isdigit((unsigned char)value[0]) || (*end && (!unit || end[1])) || !(size < 1e15))
		return wrong(line, value, "a size such as 20M");
	options->max_bytes = (size_t)size;
	return 0;
}

static int take_min_percent(struct options *options, const struct option_line *line, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (!isdigit((unsigned char)value[0]) || (*end && strcmp(end, "%") != 0) || !(percent <= 100))
		return wrong(line, value, "a percentage");
	options->min_percent = percent;
	return 0;
}

static int take_task(struct options *options, const struct option_line *line, const char *value)
{
	options->task = (enum options_task)line->at;
	return 0;
}

/* Without a value the values are listed. */
static int take_choice(struct options *options, const struct option_line *line, const char *value)
{
	if (!value)
		options->task = line->letter == 'v' ? TASK_LIST_VIEWS : TASK_LIST_FORMATS;
	return option_take_text(options, line, value);
}

static int take_serve(struct options *options, const struct option_line *line, const char *value)
{
	size_t port = 0;

	options->task = TASK_SERVE;
	if (value && (!is_number(value, &port) || port > UINT16_MAX))
		return wrong(line, value, "a port");
	options->port = (uint16_t)port;
	return 0;
}

static int take_logs(struct options *options, const struct option_line *line, const char *value)
{
	options->logs = (int)line->at;
	return 0;
}

static int take_time_unit(struct options *options, const struct option_line *line, const char *value)
{
	const char *unit = options->time_unit = unit_keep_time(value);

	return unit ? 0 : wrong(line, value, "one of h, min, s, ms, us or ns");
}

static int take_mem_unit(struct options *options, const struct option_line *line, const char *value)
{
	const char *unit = options->mem_unit = unit_keep_memory(value);

	return unit ? 0 : wrong(line, value, "one of B, KiB, MiB or GiB");
}

static int take_filter(struct options *options, const struct option_line *line, const char *value)
{
	return filter_parse(&options->filter, (enum filter_kind)line->at, value);
}

static int take_patterns(struct options *options, const struct option_line *line, const char *value)
{
	return option_take_text(options, line, filter_list(value));
}

static int take_time(struct options *options, const struct option_line *line, const char *value)
{
	return time_mark_parse((struct time_mark *)((char *)options + line->at), line->name, value);
}

/* The value of an option that may be repeated, at the end of a list that NULL ends. */
static void add_to_list(const char ***list, size_t *nr, const char *value)
{
	APPEND(*list, *nr) = value;
	*list = xgrow(*list, *nr, sizeof(**list));
	(*list)[*nr] = NULL;
}

static int take_restriction(struct options *options, const struct option_line *line, const char *value)
{
	struct restriction restriction;

	if (restriction_parse(&restriction, value) < 0)
		return wrong(line, value, "a number, a fraction such as 0.1 or 10%, or a regular expression");
	restriction_release(&restriction);
	add_to_list(&options->restrictions, &options->nr_restrictions, value);
	return 0;
}

/* One character, or "tab". */
static int take_delimiter(struct options *options, const struct option_line *line, const char *value)
{
	char delimiter = strcmp(value, "tab") == 0 ? '\t' : value[0];

	if ((value[1] && delimiter != '\t') || !delimiter || strchr("\"\r\n", delimiter) ||
	    (unsigned char)delimiter > 126)
		return wrong(line, value, "one character, or tab");
	options->csv = line->name;
	csv_set_delimiter(delimiter);
	return 0;
}

static int take_dialect(struct options *options, const struct option_line *line, const char *value)
{
	options->csv = line->name;
	return csv_set_dialect(value) ? 0 : wrong(line, value, "excel, excel-tab or unix");
}

static int take_strip_dirs(struct options *options, const struct option_line *line, const char *value)
{
	bool strips = !value || strcmp(value, "on") == 0;

	if (!strips && strcmp(value, "off") != 0)
		return wrong(line, value, "on or off");
	paths_show(strips ? PATHS_SHORT : PATHS_WHOLE);
	return 0;
}

static int take_diff(struct options *options, const struct option_line *line, const char *value)
{
	add_to_list((const char ***)&options->diff, &options->nr_diff, value);
	return 0;
}

#define AT(field) offsetof(struct options, field)

static const struct option_line lines[] = {
	{ 'v', "view", "[VIEW]", take_choice, AT(view), "what to show; without VIEW: list the views",
	  "summary" },
	{ 'f', "format", "[FORMAT]", take_choice, AT(format),
	  "how to write it; without FORMAT: list the formats", "text" },
	{ 'o', "output", "FILE", option_take_text, AT(output),
	  "write to FILE; DIRECTORY/: the page, and csv of all views, into it", NULL },
	{ 0, "copy", NULL, take_logs, LOGS_COPY, "with -o DIRECTORY/: copy the logs there too", NULL },
	{ 0, "move", NULL, take_logs, LOGS_MOVE, "with -o DIRECTORY/: move the logs there", NULL },
	{ 0, "max-size", "SIZE", take_max_size, 0,
	  "largest page (20M), trace, or csv of calls in DIRECTORY/: short calls are merged in the page, "
	  "or else left out, where it would be larger; 0: all of them", NULL },
	{ 0, "no-source", NULL, option_take_flag, AT(no_source),
	  "no text of source files in the html page and in -v lines", NULL },
	{ 0, "serve", "[=PORT]", take_serve, 0,
	  "serve the html page by HTTP on 127.0.0.1, made anew while the run goes on; print its address",
	  NULL },
	{ 0, "follow", NULL, take_task, TASK_FOLLOW,
	  "rows of -f pikos or pikos-text (the default) while the run goes on, until it has ended", NULL },
	{ 0, "check", NULL, option_take_flag, AT(only_check),
	  "with --follow: only report whether these options can be followed", NULL },
	{ 0, "no-pager", NULL, option_take_flag, AT(no_pager),
	  "do not show long text by $INSIDEME_PAGER, $PAGER or less", NULL },
	{ 0, "sort", "COLUMN", option_take_text, AT(sort),
	  "largest first, names in alphabetical order; COLUMN may be a key of pstats, such as cumtime",
	  NULL },
	{ 0, "reverse", NULL, option_take_flag, AT(reverse), "the other way round", NULL },
	{ 0, "top", "N", take_top, AT(top), "at most N rows; 0: all", NULL },
	{ 0, "min-percent", "P", take_min_percent, 0,
	  "only rows that have at least P % of the column that orders them", NULL },
	{ 0, "match", "PATTERN", option_take_text, AT(match),
	  "only functions whose name, with or without parameters, is PATTERN or matches it as a glob", NULL },
	{ 0, "restrict", "WHAT", take_restriction, 0,
	  "as pstats does: the first 10, the first 0.1 or 10%, or those whose FILE:LINE(FUNCTION) has a "
	  "match of this regular expression; repeated, one after the other", NULL },
	{ 0, "filter", "RULE", option_take_text, AT(row_filter),
	  "only rows for which RULE holds: 'duration > 1ms and depth <= 3', 'function not in a,b*', "
	  "'changed(COLUMN)'", NULL },
	{ 0, "rank", "LIST", take_filter, FILTER_RANK,
	  "only these ranks, and the processes that they started: 0,2-5", NULL },
	{ 0, "process", "LIST", take_filter, FILTER_PROCESS,
	  "only these processes, by number or program: 4242,100-200,worker*", NULL },
	{ 0, "thread", "LIST", take_filter, FILTER_THREAD, "only these threads, by number or name", NULL },
	{ 0, "focus", "LIST", take_patterns, AT(filter.focus),
	  "only these functions and what they call: NAME, Class::method, FILE or MODULE, FILE:NAME", NULL },
	{ 0, "exclude", "LIST", take_patterns, AT(filter.exclude),
	  "without these functions: their time and memory are their callers'", NULL },
	{ 0, "depth", "N", take_number, AT(filter.most_depth), "at most N calls within each other", NULL },
	{ 0, "from", "TIME", take_time, AT(window.from),
	  "only what happened since this time of the run (1.5s, 200ms, 40%), in views that know when", NULL },
	{ 0, "to", "TIME", take_time, AT(window.to), "only what happened until this time of the run", NULL },
	{ 0, "columns", "LIST", option_take_text, AT(columns),
	  "these columns in this order, separated by commas", NULL },
	{ 0, "colormap", "NAME", option_take_text, AT(colormap),
	  "-f dot: gprof2dot's colours: color, pink, gray, bw or print", "color" },
	{ 0, "delimiter", "C", take_delimiter, 0, "csv: what separates cells: one character, or tab", "," },
	{ 0, "dialect", "NAME", take_dialect, 0,
	  "csv as python's csv module names it: excel, excel-tab or unix, which quotes all cells", NULL },
	{ 0, "strip-dirs", "[=on|off]", take_strip_dirs, 0,
	  "source files without their folders, in csv and json too; off: with them, in text too", NULL },
	{ 0, "skip-zero", NULL, option_take_flag, AT(skip_zero),
	  "-v lines: without the text of lines that nothing is known of", NULL },
	{ 0, "summarize", NULL, option_take_flag, AT(summarize), "-v lines: one line for each function",
	  NULL },
	{ 0, "suppressions", "FILE", option_take_text, AT(suppressions),
	  "blocks that are not freed on purpose, as for LeakSanitizer: leak:PATTERN", NULL },
	{ 0, "diff", "RUN", take_diff, 0,
	  "what changed since RUN: -v functions, -v tree, -f html; may be repeated, figures are means of a "
	  "run then", NULL },
	{ 0, "gate", "RULES", option_take_text, AT(gate),
	  "judge the runs, exit with 3 if a rule fails: 'cpu_ns <= base + 5%; not_freed_bytes == 0', @FILE "
	  "or default", NULL },
	{ 0, "strict", NULL, option_take_flag, AT(strict),
	  "with --gate: a rule that the runs cannot decide fails", NULL },
	{ 0, "fields", "RULES", option_take_text, AT(fields),
	  "what functions are for: GLOB = FIELD; GLOB = FIELD, or @FILE; see -v fields", NULL },
	{ 0, "list", NULL, take_task, TASK_LIST_RUNS, "list the runs, newest first", NULL },
	{ 0, "clean", NULL, take_task, TASK_CLEAN, "remove all but the newest runs; never one that goes on",
	  NULL },
	{ 0, "remove", NULL, take_task, TASK_REMOVE, "remove the runs that are named, and nothing else",
	  NULL },
	{ 0, "keep", "N", take_number, AT(keep), "with --clean: how many of the newest runs stay", "10" },
	{ 0, "dry-run", NULL, option_take_flag, AT(dry_run),
	  "with --clean, --remove: only list what would be removed", NULL },
	{ 0, "time-unit", "UNIT", take_time_unit, 0,
	  "all times in h, min, s, ms, us or ns; csv and json always have ns", NULL },
	{ 0, "mem-unit", "UNIT", take_mem_unit, 0,
	  "all sizes in B, KiB, MiB or GiB; csv and json always have bytes", NULL },
	{ 0, "raw", NULL, option_take_flag, AT(filter.is_raw),
	  "times as recorded, with what the hooks themselves cost", NULL },
	{ 0, "save", "FILE", option_take_text, AT(save),
	  "write all of the runs as one profile, which is a RUN again, and show nothing", NULL },
	{ 0, "save-names", NULL, take_task, TASK_SAVE_NAMES,
	  "keep the functions' names with the run, for when its programs are gone", NULL },
	{ 'h', "help", NULL, take_task, TASK_HELP, "print this", NULL },
	{ 0, "version", NULL, take_task, TASK_VERSION, "print the version", NULL },
};

static const struct option_table table = { lines, sizeof(lines) / sizeof(*lines), error };

void options_print_help(void)
{
	fputs("usage: insideme-report [OPTION...] [RUN...]\n"
	      "\n"
	      "Shows what a recorded run did. RUN is a run's directory, a log, a saved profile, the name\n"
	      "of a run or a program, last, last~1, or a pattern of paths in quotes. Without RUN it is\n"
	      "the newest run in insideme.data. Several runs are added up.\n"
	      "\n", stdout);
	option_print_help(&table);
	fputs("\nExit status: 0 done, 1 could not, 2 wrong usage, 3 a rule of --gate fails.\n", stdout);
}

size_t options_most_bytes(const struct options *options, size_t otherwise)
{
	size_t bytes = options->max_bytes == BYTES_NOT_GIVEN ? otherwise : options->max_bytes;

	return bytes ? bytes : SIZE_MAX / 4;
}

bool options_want_folder(const struct options *options)
{
	size_t length = options->output ? strlen(options->output) : 0;
	struct stat status;

	return length && (options->output[length - 1] == '/' ||
			  (stat(options->output, &status) == 0 && S_ISDIR(status.st_mode)));
}

/* Return: what is wrong with options that exclude or need each other; NULL: nothing. */
static const char *conflict(const struct options *options)
{
	if (options->diff && (options->save || options->task == TASK_FOLLOW))
		return "--diff: not with --save, --follow";
	if (options->gate && (options->save || options->task == TASK_FOLLOW || options->task == TASK_SERVE))
		return "--gate: not with --save, --follow, --serve";
	if (options->strict && !options->gate)
		return "--strict: only with --gate";
	if (options->row_filter && (options->save || options->task == TASK_SERVE))
		return "--filter: not with --save, --serve";
	if (options->csv && strcmp(options->format, "csv") != 0 && strcmp(options->format, "pikos") != 0 &&
	    !options_want_folder(options))
		return "--delimiter, --dialect: only with -f csv or pikos";
	if (options->logs && !options_want_folder(options))
		return "--copy, --move: only with -o DIRECTORY/";
	if (options->keep != KEEP_NOT_GIVEN && options->task != TASK_CLEAN)
		return "--keep: only with --clean";
	if (options->dry_run && options->task != TASK_CLEAN && options->task != TASK_REMOVE)
		return "--dry-run: only with --clean or --remove";
	if (options->task == TASK_REMOVE && !options->runs[0])
		return "--remove: which runs? --list shows them";
	if (options->only_check && options->task != TASK_FOLLOW)
		return "--check: only with --follow";
	return NULL;
}

int options_parse(struct options *options, int argc, char **argv)
{
	char **words = argv + (argc > 0), **run = words;
	bool has_options = true;

	*options = (struct options){ .format = "text", .keep = KEEP_NOT_GIVEN, .max_bytes = BYTES_NOT_GIVEN };
	options->runs = run;
	while (*words) {
		if (!has_options || (*words)[0] != '-' || !(*words)[1])
			*run++ = *words++;
		else if (strcmp(*words, "--") == 0)
			words++, has_options = false;
		else if (option_take(&table, options, &words) != 0)
			return EXIT_USAGE;
	}
	*run = NULL;
	if (conflict(options))
		return error("%s", conflict(options)), EXIT_USAGE;
	if (!options->view)
		options->view = options->diff ? "functions" : "summary";
	if (options->keep == KEEP_NOT_GIVEN)
		options->keep = KEEP_DEFAULT;
	if (options->task == TASK_FOLLOW && strcmp(options->format, "text") == 0)
		options->format = "pikos-text";
	return 0;
}
