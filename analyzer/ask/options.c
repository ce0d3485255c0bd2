/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-report's command line: one table makes the parser, its help stands beside. */
#include "analyzer/ask/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/error.h"
#include "analyzer/base/units.h"

#define KEEP_DEFAULT 10
#define PAGE_BYTES	(20u << 20)

const char options_help[] =
	"usage: insideme-report [options] [RUN...]\n"
	"\n"
	"Shows what a recorded run did. RUN is a run's directory, a log, a run's or a program's name,\n"
	"last, or last~1; the newest run in insideme.data if none is given; several are added up.\n"
	"\n"
	"  -v, --view VIEW     what to show (summary); -v alone lists the views\n"
	"  -f, --format FORMAT how to write it (text); -f alone lists the formats\n"
	"  -o, --output FILE   write to FILE; DIRECTORY/: the page and csv of all views into it\n"
	"      --copy, --move  with -o DIRECTORY/: the logs too\n"
	"      --max-size SIZE of the html page (20M): short calls are merged where it would be larger\n"
	"      --no-source     no source text in the html page\n"
	"      --serve[=PORT]  the html page by HTTP on 127.0.0.1, made anew while the run goes on; prints its address\n"
	"      --follow        rows of -f pikos or pikos-text (the default) while the run goes on, until it has ended\n"
	"      --check         with --follow: only look whether these options can be followed\n"
	"      --no-pager      not through $INSIDEME_PAGER, $PAGER or less where text is longer than the terminal\n"
	"      --sort COLUMN   largest first, names in alphabetical order; pstats' keys are taken too: ncalls,\n"
	"                      pcalls, time, tottime, cumtime, cumulative, filename, line, name, nfl, stdname\n"
	"      --reverse       the other way round\n"
	"      --top N         N rows at most; 0: all\n"
	"      --min-percent P no rows that have less than P % of the column that orders them\n"
	"      --match PATTERN functions whose name, with or without parameters, is PATTERN or matches\n"
	"                      it as a glob\n"
	"      --filter RULE   rows for which it holds: COLUMN in VALUE,VALUE; COLUMN not in VALUE,VALUE; COLUMN > VALUE\n"
	"                      (< <= >= == !=); changed(COLUMN); several joined by and: 'duration > 1ms and depth <= 3'\n"
	"      --rank LIST     only these ranks and the processes that they started: 0,2-5\n"
	"      --process LIST  only these processes, by number or program: 4242,100-200,worker*\n"
	"      --thread LIST   only these threads, by number or name\n"
	"      --focus LIST    only these functions and what they call, by patterns as of INSIDEME_FOCUS: NAME,\n"
	"                      Class::method, FILE or MODULE, FILE:NAME\n"
	"      --exclude LIST  without these functions: their time and memory are their callers'\n"
	"      --depth N       N calls within each other at most\n"
	"      --from T, --to T  what happened between these times since the run's begin: 1.5s, 200ms, 40%;\n"
	"                      views that know when (calls, events, resources, marks)\n"
	"      --columns LIST  these columns in this order, separated by commas\n"
	"      --suppressions FILE  blocks that are not freed on purpose, as for LeakSanitizer: leak:PATTERN\n"
	"      --diff RUN      what changed since RUN: -v functions, -v tree, -f html\n"
	"      --fields RULES  what functions are for, GLOB = FIELD; GLOB = FIELD, or @FILE; see -v fields\n"
	"      --list          the runs there are, newest first\n"
	"      --clean         remove all but the newest 10 runs; never one that goes on\n"
	"      --time-unit UNIT, --mem-unit UNIT  all times in h, min, s, ms, us or ns, all sizes in B, KiB, MiB or GiB,\n"
	"                      rather than each in its own; csv and json are in ns and bytes always\n"
	"      --raw           times as recorded, with what the hooks themselves cost\n"
	"      --keep N        with --clean: all but the newest N\n"
	"      --dry-run       with --clean: only say what would be removed\n"
	"      --save FILE     write all of the runs as one profile, which is a RUN again, and show nothing\n"
	"      --save-names    keep the functions' names with the run, for when its programs are gone\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 done, 1 could not, 2 wrong usage.\n";

enum { OPT_NO_PAGER = 256, OPT_RAW, OPT_SORT, OPT_REVERSE, OPT_TOP, OPT_MIN_PERCENT, OPT_MATCH, OPT_FILTER, OPT_COLUMNS, OPT_RANK, OPT_PROCESS,
	OPT_THREAD, OPT_FROM, OPT_TO, OPT_LIST, OPT_CLEAN, OPT_KEEP, OPT_DRY_RUN, OPT_SAVE_NAMES, OPT_SAVE, OPT_COPY, OPT_MOVE, OPT_MAX_SIZE,
	OPT_SUPPRESSIONS, OPT_DIFF, OPT_NO_SOURCE, OPT_TIME_UNIT, OPT_MEM_UNIT, OPT_FIELDS, OPT_FOCUS, OPT_EXCLUDE, OPT_DEPTH, OPT_SERVE, OPT_FOLLOW, OPT_CHECK, OPT_HELP, OPT_VERSION };

static const struct option long_options[] = {
	{ "view",    required_argument, NULL, 'v' },
	{ "format",  required_argument, NULL, 'f' },
	{ "output",  required_argument, NULL, 'o' },
	{ "copy",    no_argument,       NULL, OPT_COPY },
	{ "move",    no_argument,       NULL, OPT_MOVE },
	{ "max-size", required_argument, NULL, OPT_MAX_SIZE },
	{ "serve",   optional_argument, NULL, OPT_SERVE },
	{ "follow",  no_argument,       NULL, OPT_FOLLOW },
	{ "check",   no_argument,       NULL, OPT_CHECK },
	{ "no-pager", no_argument,      NULL, OPT_NO_PAGER },
	{ "raw",     no_argument,       NULL, OPT_RAW },
	{ "sort",    required_argument, NULL, OPT_SORT },
	{ "reverse", no_argument,       NULL, OPT_REVERSE },
	{ "top",     required_argument, NULL, OPT_TOP },
	{ "min-percent", required_argument, NULL, OPT_MIN_PERCENT },
	{ "match",   required_argument, NULL, OPT_MATCH },
	{ "filter",  required_argument, NULL, OPT_FILTER },
	{ "columns", required_argument, NULL, OPT_COLUMNS },
	{ "rank",    required_argument, NULL, OPT_RANK },
	{ "process", required_argument, NULL, OPT_PROCESS },
	{ "thread",  required_argument, NULL, OPT_THREAD },
	{ "focus",   required_argument, NULL, OPT_FOCUS },
	{ "exclude", required_argument, NULL, OPT_EXCLUDE },
	{ "depth",   required_argument, NULL, OPT_DEPTH },
	{ "from",    required_argument, NULL, OPT_FROM },
	{ "to",      required_argument, NULL, OPT_TO },
	{ "list",    no_argument,       NULL, OPT_LIST },
	{ "clean",   no_argument,       NULL, OPT_CLEAN },
	{ "keep",    required_argument, NULL, OPT_KEEP },
	{ "dry-run", no_argument,       NULL, OPT_DRY_RUN },
	{ "suppressions", required_argument, NULL, OPT_SUPPRESSIONS },
	{ "diff",    required_argument, NULL, OPT_DIFF },
	{ "no-source", no_argument,     NULL, OPT_NO_SOURCE },
	{ "time-unit", required_argument, NULL, OPT_TIME_UNIT },
	{ "mem-unit", required_argument, NULL, OPT_MEM_UNIT },
	{ "fields",  required_argument, NULL, OPT_FIELDS },
	{ "save",    required_argument, NULL, OPT_SAVE },
	{ "save-names", no_argument,    NULL, OPT_SAVE_NAMES },
	{ "help",    no_argument,       NULL, OPT_HELP },
	{ "version", no_argument,       NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int parse_number(const char *option, const char *what, const char *text, size_t *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && !*end && !errno)
		return 0;
	error("%s: '%s' is not a number of %s", option, text, what);
	return EXIT_USAGE;
}

static int not_a_unit(const char *option, const char *text, const char *units)
{
	error("%s: '%s' is not one of %s", option, text, units);
	return EXIT_USAGE;
}

/* "20M", "500k", "1G", or bytes. */
static int parse_max_size(struct options *options, const char *text)
{
	static const char units[] = "kMG";
	char *end, *unit;
	double size = strtod(text, &end);
	size_t scale = 1;

	unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
	if (unit)
		scale = (size_t)1 << (10 * (unit - units + 1));
	if (!isdigit((unsigned char)text[0]) || (*end && (!unit || end[1])) || !(size * (double)scale < 1e15)) {
		error("--max-size: '%s' is not a size such as 20M", text);
		return EXIT_USAGE;
	}
	options->max_bytes = (size_t)(size * (double)scale);
	return 0;
}

static int parse_min_percent(struct options *options, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (!isdigit((unsigned char)text[0]) || (*end && strcmp(end, "%") != 0) || !(percent <= 100)) {
		error("--min-percent: '%s' is not a percentage", text);
		return EXIT_USAGE;
	}
	options->min_percent = percent;
	return 0;
}

/* @word: the argument that getopt has just looked at, for options that it does not know. */
static int complain(int what, const char *word)
{
	char name[3] = { '-', (char)optopt, '\0' };
	const char *option = strncmp(word, "--", 2) == 0 ? word : name;

	if (what == ':')
		error("option %s needs a value", option);
	else if (optopt >= 256 || strchr(word, '='))
		error("option %s takes no value", option);
	else
		error("unknown option %s (--help lists them)", option);
	return EXIT_USAGE;
}

/* "--diff -v tree": -v would be taken for the run that was forgotten. Who means a value like that says --match=-v. */
static bool lacks_value(char **argv)
{
	if (!optarg || optarg != argv[optind - 1] || optarg[0] != '-' || !(isalpha((unsigned char)optarg[1]) || optarg[1] == '-'))
		return false;
	error("option %s needs a value, and %s is an option", argv[optind - 2], optarg);
	return true;
}

/* What the options do that are no report. */
static enum options_task task_of(int option)
{
	switch (option) {
	case OPT_LIST:
		return TASK_LIST_RUNS;
	case OPT_CLEAN:
		return TASK_CLEAN;
	case OPT_SAVE_NAMES:
		return TASK_SAVE_NAMES;
	case OPT_FOLLOW:
		return TASK_FOLLOW;
	case OPT_HELP:
		return TASK_HELP;
	default:
		return TASK_VERSION;
	}
}

static int parse_port(struct options *options, const char *text)
{
	size_t port;

	options->task = TASK_SERVE;
	if (!text)
		return 0;
	if (parse_number("--serve", "a port", text, &port) != 0)
		return EXIT_USAGE;
	if (port > UINT16_MAX) {
		error("--serve: there is no port %s", text);
		return EXIT_USAGE;
	}
	options->port = (uint16_t)port;
	return 0;
}

/* Options of single views, the page and the folder, and what is no report. */
static int take_other(struct options *options, int option, const char *value)
{
	switch (option) {
	case OPT_COPY:
	case OPT_MOVE:
		options->logs = option == OPT_MOVE ? LOGS_MOVE : LOGS_COPY;
		return 0;
	case OPT_SERVE:
		return parse_port(options, value);
	case OPT_DIFF:
		options->diff = value;
		return 0;
	case OPT_TIME_UNIT:
		options->time_unit = unit_keep_time(optarg);
		return options->time_unit ? 0 : not_a_unit("--time-unit", optarg, "h, min, s, ms, us or ns");
	case OPT_MEM_UNIT:
		options->mem_unit = unit_keep_memory(optarg);
		return options->mem_unit ? 0 : not_a_unit("--mem-unit", optarg, "B, KiB, MiB or GiB");
	case OPT_NO_SOURCE:
		options->no_source = true;
		return 0;
	case OPT_CHECK:
		options->only_check = true;
		return 0;
	case OPT_FIELDS:
		options->fields = value;
		return 0;
	case OPT_SUPPRESSIONS:
		options->suppressions = value;
		return 0;
	case OPT_MAX_SIZE:
		return parse_max_size(options, value);
	default:
		options->task = task_of(option);
		return 0;
	}
}

/* What of the runs is reported. */
static int take_filter(struct options *options, int option, const char *value)
{
	switch (option) {
	case OPT_RAW:
		options->filter.is_raw = true;
		return 0;
	case OPT_RANK:
		return filter_parse(&options->filter, FILTER_RANK, value);
	case OPT_PROCESS:
		return filter_parse(&options->filter, FILTER_PROCESS, value);
	case OPT_THREAD:
		return filter_parse(&options->filter, FILTER_THREAD, value);
	case OPT_FOCUS:
		options->filter.focus = filter_list(value);
		return 0;
	case OPT_EXCLUDE:
		options->filter.exclude = filter_list(value);
		return 0;
	case OPT_DEPTH:
		return parse_number("--depth", "calls", value, &options->filter.most_depth);
	case OPT_FROM:
		return time_mark_parse(&options->window.from, "--from", value);
	case OPT_TO:
		return time_mark_parse(&options->window.to, "--to", value);
	default:
		return take_other(options, option, value);
	}
}

static int take(struct options *options, int option, const char *value)
{
	switch (option) {
	case 'v':
		options->view = value;
		return 0;
	case 'f':
		options->format = value;
		return 0;
	case 'o':
		options->output = value;
		return 0;
	case OPT_NO_PAGER:
		options->no_pager = true;
		return 0;
	case OPT_SORT:
		options->sort = value;
		return 0;
	case OPT_REVERSE:
		options->reverse = true;
		return 0;
	case OPT_TOP:
		options->top_given = true;
		return parse_number("--top", "rows", value, &options->top);
	case OPT_MIN_PERCENT:
		return parse_min_percent(options, value);
	case OPT_MATCH:
		options->match = value;
		return 0;
	case OPT_FILTER:
		options->row_filter = value;
		return 0;
	case OPT_COLUMNS:
		options->columns = value;
		return 0;
	case OPT_SAVE:
		options->save = value;
		return 0;
	case OPT_KEEP:
		options->of_clean = "--keep";
		return parse_number("--keep", "runs", value, &options->keep);
	case OPT_DRY_RUN:
		options->of_clean = "--dry-run";
		options->dry_run = true;
		return 0;
	default:
		return take_filter(options, option, value);
	}
}

bool options_want_folder(const struct options *options)
{
	size_t length = options->output ? strlen(options->output) : 0;
	struct stat status;

	return length && (options->output[length - 1] == '/' ||
			  (stat(options->output, &status) == 0 && S_ISDIR(status.st_mode)));
}

int options_parse(struct options *options, int argc, char **argv)
{
	int option, word;

	*options = (struct options){ .format = "text", .keep = KEEP_DEFAULT, .max_bytes = PAGE_BYTES };
	optind = 0;
	opterr = 0;
	for (;;) {
		word = optind ? optind : 1;
		option = getopt_long(argc, argv, ":v:f:o:", long_options, NULL);
		if (option == -1)
			break;
		if (option == ':' && (optopt == 'v' || optopt == 'f'))
			options->task = optopt == 'v' ? TASK_LIST_VIEWS : TASK_LIST_FORMATS;
		else if (option == ':' || option == '?')
			return complain(option, argv[optind > word ? optind - 1 : word]);
		else if (lacks_value(argv) || take(options, option, optarg) != 0)
			return EXIT_USAGE;
	}
	options->runs = argv + optind;
	if (!options->view)
		options->view = options->diff ? "functions" : "summary";
	if (options->diff && (options->save || options->task == TASK_FOLLOW)) {
		error("--diff: not with --save, --follow");
		return EXIT_USAGE;
	}
	if (options->row_filter && (options->save || options->task == TASK_SERVE)) {
		error("--filter: not with --save, --serve");
		return EXIT_USAGE;
	}
	if (options->logs && !options_want_folder(options)) {
		error("--copy, --move: only with -o DIRECTORY/");
		return EXIT_USAGE;
	}
	if (options->of_clean && options->task != TASK_CLEAN) {
		error("%s: only with --clean", options->of_clean);
		return EXIT_USAGE;
	}
	if (options->only_check && options->task != TASK_FOLLOW) {
		error("--check: only with --follow");
		return EXIT_USAGE;
	}
	if (options->task == TASK_FOLLOW && strcmp(options->format, "text") == 0)
		options->format = "pikos-text";
	return 0;
}
