/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run's command line. */
#include "preload/monitor/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/common/base/compiler.h"
#include "preload/common/base/text.h"

static const struct {
	const char *name;
	char letter;
	const char *help;
	const char *value;	/* its name in --help; NULL: it takes none */
} own_options[] = {
	{ "quiet", 'q', "no line at the end", NULL },
	{ "no-tree", 0, "do not adopt orphans: for daemons that look at their parent", NULL },
	{ "pid", 0, "instead of a program: sample these processes, which run already; separated by commas", "PIDS" },
	{ "children", 0, "with --pid: their children too", NULL },
	{ "machine", 0, "instead of a program: sample the machine", NULL },
	{ "timeout", 0, "with --pid or --machine: end after this time", "TIME" },
	{ "recording", 0, "of a monitor: where rows go: screen (stderr), text, csv [screen]", "FORM" },
	{ "output", 'o', "of a monitor: the file [monitor_records.log, monitor_records.csv]", "FILE" },
	{ "buffered", 0, "of a monitor: write the rows when PROGRAM has ended", NULL },
	{ "focused-on", 0, "of a monitor: only these functions and all beneath, as --focus", "LIST" },
	{ "filter", 0, "of a monitor: only rows for which it holds, as of insideme-report", "RULE" },
	{ "check", 0, "tell what of PROGRAM can be recorded and what to do, and stop", NULL },
	{ "library", 0, "print the path of the library and stop", NULL },
	{ "help", 'h', "print this and stop", NULL },
	{ "version", 0, "print the version and stop", NULL },
};

static bool take_own(struct run_options *options, const char *name)
{
	if (!strcmp(name, "children"))
		options->children = true;
	else if (!strcmp(name, "machine"))
		options->machine = true;
	else if (!strcmp(name, "quiet"))
		options->quiet = true;
	else if (!strcmp(name, "no-tree"))
		options->no_tree = true;
	else if (!strcmp(name, "buffered"))
		options->rows.at_end = true, options->needs_preset = name;
	else if (!strcmp(name, "library"))
		options->action = ACTION_LIBRARY;
	else if (!strcmp(name, "check"))
		options->action = ACTION_CHECK;
	else if (!strcmp(name, "help"))
		options->action = ACTION_HELP;
	else if (!strcmp(name, "version"))
		options->action = ACTION_VERSION;
	else
		return false;
	return true;
}

static int find_setting(const char *name, size_t length)
{
	for (int id = 0; id < NR_SETTINGS; id++) {
		const char *option = settings_table[id].option;

		if (strlen(option) == length && !memcmp(option, name, length))
			return id;
	}
	return -1;
}

static int wrong(const char *option, const char *what)
{
	fprintf(stderr, "insideme-run: %s: %s (--help lists the options)\n", option, what);
	return 2;
}

/* @value: what follows '=', or NULL; then the next argument is taken, but some need none. */
static int take_setting(struct run_options *options, int id, const char *value, char ***next)
{
	const struct setting *setting = &settings_table[id];
	char option[64], expected[256];
	struct text line;
	uint64_t parsed;

	snprintf(option, sizeof(option), "--%s", setting->option);
	if (!value && setting->type == SETTING_SWITCH)
		value = "on";
	else if (!value && setting->bare)
		value = setting->bare;
	else if (!value && **next)
		value = *(*next)++;
	if (!value)
		return wrong(option, "a value is missing");
	if (setting_new_name((enum setting_id)id, value)) {
		fprintf(stderr, "insideme-run: %s: %s is called %s now\n", option, value,
			setting_new_name((enum setting_id)id, value));
		value = setting_new_name((enum setting_id)id, value);
	}
	if (setting_parse((enum setting_id)id, value, &parsed) < 0) {
		text_init(&line, expected, sizeof(expected));
		setting_add_expected(&line, setting);
		fprintf(stderr, "insideme-run: %s: '%s' is not understood; expected %s\n", option, value, expected);
		return 2;
	}
	options->settings[id] = value;
	return 0;
}

static bool are_pids(const char *text)
{
	for (;;) {
		size_t digits = strspn(text, "0123456789");

		if (!digits || digits > 9 || (text[digits] && text[digits] != ','))
			return false;
		if (!text[digits])
			return true;
		text += digits + 1;
	}
}

/* What the monitor's options say; @name: of own_options. Return: whether it is one. */
static bool take_of_rows(struct run_options *options, const char *name, const char *value)
{
	if (!strcmp(name, "recording"))
		options->rows.recording = value;
	else if (!strcmp(name, "output"))
		options->rows.output = value;
	else if (!strcmp(name, "focused-on"))
		options->settings[SETTING_FOCUS] = value;
	else if (!strcmp(name, "filter"))
		options->rows.filter = value;
	else
		return false;
	options->needs_preset = name;
	return true;
}

/* @name: of own_options. */
static int take_value(struct run_options *options, const char *argument, const char *name, const char *value)
{
	if (!value)
		return wrong(argument, "a value is missing");
	if (take_of_rows(options, name, value))
		return 0;
	if (!strcmp(name, "pid")) {
		options->pids = value;
		return are_pids(value) ? 0 : wrong("--pid", "numbers of processes are needed, for example --pid=1,2");
	}
	if (text_parse_time(value, &options->timeout_ns) < 0)
		return wrong("--timeout", "a time is needed, for example --timeout=10s");
	return 0;
}

/* The own option with a value of that name, or NULL. */
static const char *find_with_value(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_options); i++)
		if (own_options[i].value && strlen(own_options[i].name) == length && !memcmp(own_options[i].name, name, length))
			return own_options[i].name;
	return NULL;
}

static int take_long(struct run_options *options, const char *argument, char ***next)
{
	const char *name = argument + 2, *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	int id = find_setting(name, length);

	if (id >= 0)
		return take_setting(options, id, equals ? equals + 1 : NULL, next);
	if (find_with_value(name, length))
		return take_value(options, argument, find_with_value(name, length),
				  equals ? equals + 1 : **next ? *(*next)++ : NULL);
	if (!take_own(options, name))
		return wrong(argument, "no such option");
	return 0;
}

static int take_short(struct run_options *options, const char *argument, char ***next)
{
	if (argument[1] == 'd')
		return take_setting(options, SETTING_DIR, argument[2] ? argument + 2 : NULL, next);
	for (size_t i = 0; i < ARRAY_SIZE(own_options); i++) {
		if (own_options[i].letter != argument[1])
			continue;
		if (own_options[i].value)
			return take_value(options, argument, own_options[i].name,
					  argument[2] ? argument + 2 : **next ? *(*next)++ : NULL);
		if (!argument[2]) {
			take_own(options, own_options[i].name);
			return 0;
		}
	}
	return wrong(argument, "no such option");
}

static int check_attach(struct run_options *options)
{
	if (options->pids && options->machine)
		return wrong("--machine", "the machine is sampled with --pid too");
	if (*options->command)
		return wrong(*options->command, "what runs already is sampled: no program is started");
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
static int take_options(struct run_options *options, char ***next)
{
	while (**next) {
		const char *argument = **next;
		bool is_option = argument[0] == '-' && argument[1];
		int error = 0;

		if (!is_option && (options->rows.preset || !rows_find_preset(argument) || !has_dashes(*next)))
			break;
		(*next)++;
		if (!strcmp(argument, "--"))
			return 0;
		if (is_option)
			error = argument[1] == '-' ? take_long(options, argument, next) : take_short(options, argument, next);
		else
			options->rows.preset = rows_find_preset(argument);
		if (error)
			return error;
	}
	return options->rows.preset ? wrong(options->rows.preset->name, "-- must follow before PROGRAM") : 0;
}

static int needs_monitor(const char *name)
{
	char option[64];

	snprintf(option, sizeof(option), "--%s", name);
	return wrong(option, "it needs a monitor: functions or function_memory, then -- PROGRAM");
}

/* Where the user said nothing of a setting, the monitor does. */
static int check_rows(struct run_options *options)
{
	const struct rows_options *rows = &options->rows;

	if (!rows->preset)
		return options->needs_preset ? needs_monitor(options->needs_preset) : 0;
	if (rows->recording && !rows_is_recording(rows->recording))
		return wrong(rows->recording, "no such recording; screen, text or csv");
	if (rows->recording && rows->output && !strcmp(rows->recording, "screen"))
		return wrong("--output", "the screen is no file; --recording=text or csv");
	for (size_t i = 0; i < ARRAY_SIZE(rows->preset->settings) && rows->preset->settings[i].value; i++) {
		enum setting_id id = rows->preset->settings[i].id;

		if (!options->settings[id] && !getenv(settings_table[id].name))
			options->settings[id] = rows->preset->settings[i].value;
	}
	return 0;
}

int options_parse(struct run_options *options, int argc, char **argv)
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
	if (options->pids || options->machine)
		return check_attach(options);
	if (options->children || options->timeout_ns)
		return wrong(options->children ? "--children" : "--timeout", "it needs --pid or --machine");
	if ((options->action == ACTION_RUN || options->action == ACTION_CHECK) && !*next)
		return wrong("no program named", options->action == ACTION_RUN ? "nothing to run" : "nothing to check");
	return 0;
}

void options_print_help(void)
{
	char option[64];

	printf("Usage: insideme-run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	       "       insideme-run functions|function_memory [OPTION...] -- PROGRAM [ARGUMENT...]\n"
	       "       insideme-run [OPTION...] --pid=PIDS [--children] | --machine [--timeout=TIME]\n"
	       "Run PROGRAM under InsideMe's recorder and sample what it uses from outside.\n\n");
	for (int id = 0; id < NR_SETTINGS; id++) {
		const struct setting *setting = &settings_table[id];

		snprintf(option, sizeof(option), "%s--%s%s", id == SETTING_DIR ? "-d, " : "    ", setting->option,
			 setting->type == SETTING_SWITCH ? "" : setting->bare ? "[=VALUE]" : "=VALUE");
		printf("  %-24s %s", option, setting->help);
		if (setting->fallback[0] && setting->type != SETTING_SWITCH)
			printf(" [%s]", setting->fallback);
		printf("\n");
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_options); i++) {
		char letter[] = { '-', own_options[i].letter, ',', ' ', 0 };

		snprintf(option, sizeof(option), "%s--%s%s%s", own_options[i].letter ? letter : "    ", own_options[i].name,
			 own_options[i].value ? "=" : "", own_options[i].value ? own_options[i].value : "");
		printf("  %-24s %s\n", option, own_options[i].help);
	}
	printf("\nA monitor records every call and writes rows while PROGRAM runs, or when it has ended:\n");
	for (const struct rows_preset *preset = rows_presets; preset->name; preset++)
		printf("  %-24s %s\n", preset->name, preset->help);
	printf("\nEach setting is also an environment variable, and a line of insideme.conf: INSIDEME_BUDGET and so on.\n"
	       "The exit status is PROGRAM's; 127: not found, 126: cannot be run, 2: wrong usage.\n"
	       "Of --check: 0: it can be recorded, 1: it cannot.\n");
}
