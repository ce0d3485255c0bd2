/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run's command line. */
#include "preload/monitor/options.h"

#include <stdarg.h>
#include <stdlib.h>

#include "insideme_options.h"
#include "preload/common/base/compiler.h"
#include "preload/common/base/text.h"

#define RUNS_MOST	10000

static int complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("insideme-run: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return OPTION_WRONG;
}

static int wrong(const char *option, const char *what)
{
	return complain("%s: %s (--help lists the options)", option, what);
}

/* line->at: the setting's id. */
static int take_setting(struct options *options, const struct option_line *line, const char *value)
{
	const enum setting_id id = (enum setting_id)line->at;
	const struct setting *setting = &settings_table[id];
	char expected[256];
	struct text text;
	uint64_t parsed;

	if (!value)
		value = setting->bare ?: "on";
	if (setting_new_name(id, value)) {
		complain("--%s: %s is called %s now", setting->option, value, setting_new_name(id, value));
		value = setting_new_name(id, value);
	}
	if (setting_parse(id, value, &parsed) < 0) {
		text_init(&text, expected, sizeof(expected));
		setting_add_expected(&text, setting);
		return complain("--%s: '%s' is not understood; expected %s", setting->option, value,
				expected);
	}
	options->settings[id] = value;
	return 0;
}

static int take_action(struct options *options, const struct option_line *line, const char *value)
{
	options->action = (enum run_action)line->at;
	return 0;
}

static int take_library(struct options *options, const struct option_line *line, const char *value)
{
	(void)line;
	if (value && strcmp(value, "mpi") != 0)
		return wrong("--library", "it takes no value but mpi");
	options->action = ACTION_LIBRARY;
	options->with_mpi = value != NULL;
	return 0;
}

/* Options of a monitor. */
static int take_of_rows(struct options *options, const struct option_line *line, const char *value)
{
	options->needs_preset = line->name;
	return value ? option_take_text(options, line, value) : option_take_flag(options, line, value);
}

/* Numbers have at most 9 digits. Process 0 is none: it would stand for the machine. */
static int take_pids(struct options *options, const struct option_line *line, const char *value)
{
	for (const char *at = value;; at++) {
		size_t length = strcspn(at, ","), digits = strspn(at, "0123456789");

		if (!length || (digits == length && (digits > 9 || strspn(at, "0") == length)))
			return wrong("--pid",
				     "numbers or names of processes are needed, for example --pid=1,nginx");
		at += length;
		if (!*at)
			return option_take_text(options, line, value);
	}
}

static int take_timeout(struct options *options, const struct option_line *line, const char *value)
{
	return text_parse_time(value, &options->timeout_ns) < 0
		       ? wrong("--timeout", "a time is needed, for example --timeout=10s") : 0;
}

static int take_runs(struct options *options, const struct option_line *line, const char *value)
{
	return text_read_u64(&value, &options->nr_runs) < 0 || *value || !options->nr_runs ||
			       options->nr_runs > RUNS_MOST
		       ? wrong("--runs", "a number is needed, for example --runs=10") : 0;
}

static int take_format(struct options *options, const struct option_line *line, const char *value)
{
	if (strcmp(value, "text") && strcmp(value, "csv") && strcmp(value, "json"))
		return wrong(value, "no such format; text, csv or json");
	return option_take_text(options, line, value);
}

#define AT(field) offsetof(struct options, field)

static const struct option_line own_lines[] = {
	{ 'q', "quiet", NULL, option_take_flag, AT(quiet), "print no line at the end", NULL },
	{ 0, "no-tree", NULL, option_take_flag, AT(no_tree),
	  "do not adopt orphans: for daemons that look at their parent", NULL },
	{ 0, "pid", "PIDS", take_pids, AT(pids),
	  "instead of a program: sample these running processes, by numbers or names of programs", NULL },
	{ 0, "children", NULL, option_take_flag, AT(children), "with --pid: their children too", NULL },
	{ 0, "machine", NULL, option_take_flag, AT(machine), "instead of a program: sample the machine",
	  NULL },
	{ 0, "timeout", "TIME", take_timeout, 0, "with --pid or --machine: end after this time", NULL },
	{ 0, "runs", "N", take_runs, 0, "run PROGRAM N times, with --run=NAME as the runs NAME.1 to NAME.N",
	  NULL },
	{ 0, "beside", "PROGRAM", option_take_text, AT(beside),
	  "with --runs: by turns also this program, with the same arguments, as NAME-beside.1 and so on",
	  NULL },
	{ 0, "stacks", NULL, option_take_flag, AT(stacks),
	  "with --pid: print what each thread does now and in which functions, and stop", NULL },
	{ 'f', "format", "text|csv|json", take_format, AT(format), "how --stacks prints", "text" },
	{ 's', "sort", "KEY", option_take_text, AT(sort),
	  "print the functions when PROGRAM has ended, sorted by KEY, as insideme-report --sort", NULL },
	{ 'o', "output", "FILE", take_of_rows, AT(rows.output), "with a monitor: the file for its rows",
	  "monitor_records.log, monitor_records.csv" },
	{ 0, "buffered", NULL, take_of_rows, AT(rows.at_end),
	  "with a monitor: write the rows when PROGRAM has ended", NULL },
	{ 0, "focused-on", "LIST", take_of_rows, AT(settings[SETTING_FOCUS]),
	  "with a monitor: only these functions and what they call, as --focus", NULL },
	{ 0, "delimiter", "C", take_of_rows, AT(rows.delimiter),
	  "with a monitor's csv: the character between cells, or tab", "," },
	{ 0, "dialect", "NAME", take_of_rows, AT(rows.dialect),
	  "with a monitor's csv: python's name of its dialect: excel, excel-tab or unix", NULL },
	{ 0, "filter", "RULE", take_of_rows, AT(rows.filter),
	  "with a monitor: only rows for which RULE holds, as --filter of insideme-report", NULL },
	{ 0, "check", NULL, take_action, ACTION_CHECK,
	  "report what of PROGRAM can be recorded and what to do, and stop", NULL },
	{ 0, "library", "[=mpi]", take_library, 0,
	  "print the path of the library, for LD_PRELOAD, and stop; mpi: of both that ranks need", NULL },
	{ 'h', "help", NULL, take_action, ACTION_HELP, "print this and stop", NULL },
	{ 0, "version", NULL, take_action, ACTION_VERSION, "print the version and stop", NULL },
};

/* The name of a setting's value. */
static void name_value(struct text *text, const struct setting *setting)
{
	static const char *const names[] = {
		[SETTING_TEXT] = "VALUE",     [SETTING_SIZE] = "SIZE",
		[SETTING_TIME] = "TIME",      [SETTING_SWITCH] = "on|off",
		[SETTING_RATE] = "N",	      [SETTING_COUNT] = "N",
		[SETTING_STEP] = "SIZE",      [SETTING_SIGNAL_NAME] = "SIGNAL",
		[SETTING_CEILING] = "SIZE[:", [SETTING_LIST] = "",
		[SETTING_CHOICE] = "",
	};
	bool is_optional = setting->bare || setting->type == SETTING_SWITCH;

	text_add(text, is_optional ? "[=" : "");
	text_add(text, setting->type == SETTING_TEXT && setting->choices ? "" : names[setting->type]);
	for (size_t i = 0; setting->choices && setting->choices[i]; i++) {
		text_add(text, !i ? "" : setting->type == SETTING_LIST ? "," : "|");
		text_add(text, setting->choices[i]);
	}
	text_add(text, is_optional || setting->type == SETTING_CEILING ? "]" : "");
}

/* Own options, and one for each setting. */
static struct option_table make_table(void)
{
	static struct option_line lines[ARRAY_SIZE(own_lines) + NR_SETTINGS];
	static char values[NR_SETTINGS][64];

	memcpy(lines, own_lines, sizeof(own_lines));
	for (size_t id = 0; id < NR_SETTINGS; id++) {
		const struct setting *setting = &settings_table[id];
		struct text text;

		text_init(&text, values[id], sizeof(values[id]));
		name_value(&text, setting);
		lines[ARRAY_SIZE(own_lines) + id] =
			(struct option_line){ id == SETTING_DIR ? 'd' : 0,
					      setting->option,
					      values[id],
					      take_setting,
					      id,
					      setting->help,
					      setting->fallback[0] ? setting->fallback : NULL };
	}
	return (struct option_table){ lines, ARRAY_SIZE(lines), complain };
}

/* The meaning of --focus beside --pid. */
static int check_focus(struct options *options)
{
	if (options->stacks || options->children || options->timeout_ns || options->settings[SETTING_SAMPLE])
		return wrong("--focus", "with --pid it changes the focus of recorded processes, and stops");
	options->action = ACTION_FOCUS;
	return 0;
}

static int check_attach(struct options *options)
{
	if (options->pids && options->machine)
		return wrong("--machine", "the machine is sampled with --pid too");
	if (*options->command)
		return wrong(*options->command, "what runs already is sampled: no program is started");
	if (options->action == ACTION_RUN && options->pids && options->settings[SETTING_FOCUS])
		return check_focus(options);
	if (options->action == ACTION_RUN)
		options->action = ACTION_ATTACH;
	return 0;
}

static bool has_dashes(char **arguments)
{
	while (*arguments && strcmp(*arguments, "--"))
		arguments++;
	return *arguments;
}

/* Options, and a monitor's name among them, up to "--" or the program. */
static int take_options(struct options *options, char ***words)
{
	const struct option_table table = make_table();

	while (**words) {
		const char *word = **words;
		bool is_option = word[0] == '-' && word[1];

		if (!is_option && (options->rows.preset || !rows_find_preset(word) || !has_dashes(*words)))
			break;
		if (is_option && strcmp(word, "--")) {
			if (option_take(&table, options, words))
				return OPTION_WRONG;
			continue;
		}
		(*words)++;
		if (is_option)
			return 0;
		options->rows.preset = rows_find_preset(word);
	}
	return options->rows.preset ? wrong(options->rows.preset->name, "-- must follow before PROGRAM") : 0;
}

static void ignore_complaint(void *context, const char *line)
{
}

/* The monitor and its recording may also stand in the environment and in insideme.conf. */
static void take_rows_settings(struct options *options)
{
	static struct settings settings;
	const char *monitor = options->settings[SETTING_MONITOR], *last = options->settings[SETTING_LAST];

	settings_read(&settings, environ, ignore_complaint, NULL);
	if (!options->rows.preset && options->action == ACTION_RUN && !options->pids && !options->machine)
		options->rows.preset = rows_find_preset(monitor ?: settings_text(&settings, SETTING_MONITOR));
	options->rows.recording = options->settings[SETTING_RECORDING];
	if (!options->rows.recording && settings.source[SETTING_RECORDING] != FROM_FALLBACK)
		options->rows.recording = settings_text(&settings, SETTING_RECORDING);
	if (!text_equal(last ?: settings_text(&settings, SETTING_LAST), "off"))
		options->rows.at_end = true; /* which rows are the last ones is known then */
}

/* A setting that the user does not give has the monitor's value. */
static int check_rows(struct options *options)
{
	const struct rows_options *rows = &options->rows;

	take_rows_settings(options);
	if (!rows->preset && options->settings[SETTING_RECORDING])
		options->needs_preset = "recording";
	if (!rows->preset)
		return !options->needs_preset ? 0 :
			complain("--%s: it needs a monitor, as functions or lines, then -- PROGRAM%s",
				 options->needs_preset,
				 strcmp(options->needs_preset, "output") ? "" :
				 "; a report is written by insideme-report -o FILE");
	if (rows->recording && !rows_is_recording(rows->recording))
		return wrong(rows->recording, "no such recording; screen, text, csv, count or stream:PATH");
	if (rows->recording && rows->output && !strcmp(rows->recording, "screen"))
		return wrong("--output", "the screen is no file; --recording=text or csv");
	if (rows->output && rows_is_stream(rows->recording))
		return wrong("--output", "the rows go where --recording=stream:PATH says");
	if ((rows->delimiter || rows->dialect) && !rows_are_csv(rows->recording))
		return wrong(rows->delimiter ? "--delimiter" : "--dialect",
			     "it needs --recording=csv or stream:PATH");
	for (size_t i = 0; i < ARRAY_SIZE(rows->preset->settings) && rows->preset->settings[i].value; i++) {
		enum setting_id id = rows->preset->settings[i].id;

		if (!options->settings[id] && !getenv(settings_table[id].name))
			options->settings[id] = rows->preset->settings[i].value;
	}
	return 0;
}

int options_parse(struct options *options, int argc, char **argv)
{
	char **next = argv + (argc > 0);
	int error;

	memset(options, 0, sizeof(*options));
	error = take_options(options, &next);
	if (!error)
		error = check_rows(options);
	if (error)
		return error;
	options->command = next;
	if (options->beside && !options->nr_runs)
		return wrong("--beside", "it needs --runs");
	if (options->stacks && !options->pids)
		return wrong("--stacks", "it needs --pid");
	if (options->format && !options->stacks)
		return wrong("--format", "it needs --stacks");
	if (options->sort && (options->pids || options->machine))
		return wrong("--sort", "it needs a program");
	if (options->pids || options->machine)
		return check_attach(options);
	if (options->children || options->timeout_ns)
		return wrong(options->children ? "--children" : "--timeout", "it needs --pid or --machine");
	if ((options->action == ACTION_RUN || options->action == ACTION_CHECK) && !*next)
		return wrong("no program named",
			     options->action == ACTION_RUN ? "nothing to run" : "nothing to check");
	return 0;
}

void options_print_help(void)
{
	const struct option_table table = make_table(),
				  own = { table.lines, ARRAY_SIZE(own_lines), complain },
				  settings = { table.lines + ARRAY_SIZE(own_lines), NR_SETTINGS, complain };

	printf("Usage: insideme-run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	       "       insideme-run functions|function_memory|lines|line_memory [OPTION...] -- PROGRAM "
	       "[ARGUMENT...]\n"
	       "       insideme-run [OPTION...] --pid=PIDS [--children] | --machine [--timeout=TIME]\n"
	       "Run PROGRAM under InsideMe's recorder and sample what it uses from outside.\n\n");
	option_print_help(&own);
	printf("\nSettings, each also an environment variable and a line of insideme.conf: "
	       "INSIDEME_BUDGET and so on.\n");
	option_print_help(&settings);
	printf("\nA monitor records every call, or line, and writes rows while PROGRAM runs, or when it has "
	       "ended:\n");
	for (const struct rows_preset *preset = rows_presets; preset->name; preset++)
		printf("  %-23s %s\n", preset->name, preset->help);
	printf("\nThe exit status is PROGRAM's; 127: not found, 126: cannot be run, 2: wrong usage.\n"
	       "With --check: 0: PROGRAM can be recorded, 1: it cannot.\n");
}
