/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings table and its parser. */
#include "preload/common/base/settings.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "insideme_pattern.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

#define CONF_NAME	"insideme.conf"
#define CONF_BYTES	16384
#define SHOWN_BYTES	80	/* at most, of a name or value that is not understood */
#define PATH_BYTES	4096
#define MOST_RATE	10000u
#define MOST_COUNT	1000000000u
#define MOST_STEP	(64u << 20)	/* it must fit heap_sample_bytes */
#define LEAST_SIZE	(1u << 20)	/* a smaller log could hold nothing */

static const char *const timing_choices[] = { "exact", "auto", "counts", NULL };
static const char *const heap_choices[] = { "off", "counters", "live", NULL };
/* The names of insideme-run's presets. */
static const char *const monitor_choices[] = { "off",   "functions",   "function_memory",
					    "lines", "line_memory", NULL };
static const char *const recording_choices[] = { "screen", "text", "csv", "count", "stream:PATH", NULL };
static const char *const mpi_choices[] = { "auto", "on", "off", NULL };
static const char *const what_choices[] = { "library", "all", NULL };
static const char *const snapshot_choices[] = { "heap", "rss", "rss:every", NULL };
/* In the order of enum log_memory_action. */
static const char *const ceiling_choices[] = { "stack", "stop", "abort", NULL };

const struct setting settings_table[NR_SETTINGS] = {
	[SETTING_DIR] = { "INSIDEME_DIR", "dir", SETTING_TEXT, "insideme.data", NULL,
		"directory of the runs" },
	[SETTING_RUN] = { "INSIDEME_RUN", "run", SETTING_TEXT, "", NULL,
		"directory of this run (default: a new one in INSIDEME_DIR)" },
	[SETTING_BUDGET] = { "INSIDEME_BUDGET", "budget", SETTING_SIZE, "256M", NULL,
		"most bytes of log per process" },
	[SETTING_THRESHOLD] = { "INSIDEME_THRESHOLD", "threshold", SETTING_TIME, "10us", NULL,
		"shortest call that gets its own record; 0: every call" },
	[SETTING_TIMING] = { "INSIDEME_TIMING", "timing", SETTING_CHOICE, "auto", timing_choices,
		"auto: count short functions and sample their time; exact: time every call; counts: none" },
	[SETTING_HEAP] = { "INSIDEME_HEAP", "heap", SETTING_CHOICE, "live", heap_choices,
		"live: blocks, leaks and the peak, where there are hooks; counters: allocations and frees" },
	[SETTING_HEAP_SAMPLE] = { "INSIDEME_HEAP_SAMPLE", "heap-sample", SETTING_STEP, "off", NULL,
		"without hooks, who allocates: a stack every so many bytes, up to 64M; alone: 512K", "512K" },
	[SETTING_SNAPSHOT] = { "INSIDEME_SNAPSHOT", "snapshot", SETTING_LIST, "heap,rss", snapshot_choices,
		"memory in a call's record: heap; rss: as sampled; rss:every: read at entry and exit; off" },
	[SETTING_MAX_MEMORY] = { "INSIDEME_MAX_MEMORY", "max-memory", SETTING_CEILING, "off", ceiling_choices,
		"if heap or RSS reaches SIZE, record the open calls; then stop the process, or abort it" },
	[SETTING_INTERVAL] = { "INSIDEME_INTERVAL", "interval", SETTING_TIME, "10ms", NULL,
		"time between resource samples" },
	[SETTING_PSS_LIMIT] = { "INSIDEME_PSS_LIMIT", "pss-limit", SETTING_SIZE, "32M", NULL,
		"largest RSS at which PSS and USS are read: mmap and brk wait meanwhile, 20 us per MiB" },
	[SETTING_SAMPLE] = { "INSIDEME_SAMPLE", "sample", SETTING_RATE, "off", NULL,
		"samples per second of each thread's CPU time; without hooks, of its stack; off" },
	[SETTING_PAGE_FAULTS] = { "INSIDEME_PAGE_FAULTS", "page-faults", SETTING_SWITCH, "off", NULL,
		"with insideme-run: which line touched each page of memory first, for -v lines" },
	[SETTING_CALL_LINES] = { "INSIDEME_CALL_LINES", "call-lines", SETTING_SWITCH, "off", NULL,
		"with hooks: calls, and their time, by the line that calls, for -v lines" },
	[SETTING_LINE_EVENTS] = { "INSIDEME_LINE_EVENTS", "line-events", SETTING_SWITCH, "off", NULL,
		"record each line that begins, of code of insideme-cc --line-events, for -v steps" },
	[SETTING_GPU] = { "INSIDEME_GPU", "gpu", SETTING_TEXT, "all", NULL,
		"NVIDIA devices to sample, by insideme-run: all, off, or numbers as in 0,1" },
	[SETTING_WAITS] = { "INSIDEME_WAITS", "waits", SETTING_SWITCH, "on", NULL,
		"record library calls that wait: locks, sleeps, input and output; off" },
	[SETTING_WHAT] = { "INSIDEME_WHAT", "what", SETTING_CHOICE, "library", what_choices,
		"exceptions whose what() is called: the C++ library's; all: the program's own too" },
	[SETTING_CRASH] = { "INSIDEME_CRASH", "crash", SETTING_SWITCH, "off", NULL,
		"report where a fatal signal came, with the stack, by a handler where the program has none" },
	[SETTING_PROGRAMS] = { "INSIDEME_PROGRAMS", "programs", SETTING_TEXT, "all", NULL,
		"names of programs to record, as globs: a*,b; !c: all but c" },
	[SETTING_FOCUS] = { "INSIDEME_FOCUS", "focus", SETTING_TEXT, "", NULL,
		"record only these functions and what they call: NAME, MODULE.so, FILE.c:NAME, globs; a,b" },
	[SETTING_EXCLUDE] = { "INSIDEME_EXCLUDE", "exclude", SETTING_TEXT, "", NULL,
		"functions not to record; what they call is recorded" },
	[SETTING_KEEP] = { "INSIDEME_KEEP", "keep", SETTING_TEXT, "", NULL,
		"functions that timing auto never counts: each of their calls is timed" },
	[SETTING_DEPTH] = { "INSIDEME_DEPTH", "depth", SETTING_COUNT, "off", NULL,
		"deepest nesting of calls that is recorded; off: all" },
	[SETTING_LAST] = { "INSIDEME_LAST", "last", SETTING_COUNT, "off", NULL,
		"of each thread keep the records of the last N calls alone, as a flight recorder; off: all" },
	[SETTING_START] = { "INSIDEME_START", "start", SETTING_SWITCH, "on", NULL,
		"off: record no call until insideme_enable() or INSIDEME_SIGNAL" },
	[SETTING_SIGNAL] = { "INSIDEME_SIGNAL", "signal", SETTING_SIGNAL_NAME, "off", NULL,
		"a signal that switches the recording of calls off and on: USR1, WINCH, RTMIN+3" },
	[SETTING_FIELDS] = { "INSIDEME_FIELDS", "fields", SETTING_TEXT, "", NULL,
		"which field functions belong to, for the report: GLOB = FIELD; GLOB = FIELD, or @FILE" },
	[SETTING_SUMMARY] = { "INSIDEME_SUMMARY", "summary", SETTING_SWITCH, "off", NULL,
		"print the report on stderr when the program has ended" },
	[SETTING_VERBOSE] = { "INSIDEME_VERBOSE", "verbose", SETTING_SWITCH, "off", NULL,
		"print on stderr what the recorder does, and the duration of each timer and recorded call" },
	[SETTING_NAME_WIDTH] = { "INSIDEME_NAME_WIDTH", "name-width", SETTING_COUNT, "30", NULL,
		"with INSIDEME_VERBOSE: cut names after N characters; off: do not" },
	[SETTING_MONITOR] = { "INSIDEME_MONITOR", "monitor", SETTING_CHOICE, "off", monitor_choices,
		"the monitor to run, if none is named before PROGRAM" },
	[SETTING_RECORDING] = { "INSIDEME_RECORDING", "recording", SETTING_TEXT, "screen", recording_choices,
		"of a monitor: text and csv are files, stream:PATH is a pipe or Unix socket" },
	[SETTING_MPI] = { "INSIDEME_MPI", "mpi", SETTING_CHOICE, "auto", mpi_choices,
		"record MPI calls: auto: of ranks, of programs that call MPI, of mpirun; on: of all" },
	[SETTING_COLLECT] = { "INSIDEME_COLLECT", "collect", SETTING_SWITCH, "off", NULL,
		"when all ranks of a host have ended, make one file of their logs" },
};

/* Index of the @length bytes at @word in @choices, or -1. */
static int find_choice(const char *const *choices, const char *word, size_t length)
{
	for (int i = 0; choices[i]; i++)
		if (text_length(choices[i]) == length && text_begins(word, choices[i]))
			return i;
	return -1;
}

static int parse_list(const char *const *choices, const char *text, uint64_t *mask)
{
	*mask = 0;
	if (text_equal(text, "off"))
		return 0;
	for (;;) {
		const char *comma = text_find(text, ',');
		size_t length = comma ? (size_t)(comma - text) : text_length(text);
		int choice = find_choice(choices, text, length);

		if (choice < 0)
			return -EINVAL;
		*mask |= 1u << choice;
		if (!comma)
			return 0;
		text = comma + 1;
	}
}

static int parse_count(const char *text, uint64_t most, uint64_t *count)
{
	*count = 0;
	if (text_equal(text, "off"))
		return 0;
	for (; *text >= '0' && *text <= '9' && *count <= most; text++)
		*count = *count * 10 + (uint64_t)(*text - '0');
	return *text || !*count || *count > most ? -EINVAL : 0;
}

static int parse_step(const char *text, uint64_t *bytes)
{
	*bytes = 0;
	if (text_equal(text, "off"))
		return 0;
	return text_parse_size(text, bytes) < 0 || !*bytes || *bytes > MOST_STEP ? -EINVAL : 0;
}

/* Parse SIZE or SIZE:CHOICE. Without a choice it is the first. */
static int parse_ceiling(const char *const *choices, const char *text, uint64_t *value)
{
	const char *colon = text_find(text, ':');
	size_t length = colon ? (size_t)(colon - text) : text_length(text);
	int choice = colon ? find_choice(choices, colon + 1, text_length(colon + 1)) : 0;
	char size[32];

	*value = 0;
	if (text_equal(text, "off"))
		return 0;
	if (choice < 0 || length >= sizeof(size))
		return -EINVAL;
	text_copy(size, length + 1, text);
	if (text_parse_size(size, value) < 0 || *value < LEAST_SIZE || *value >> SETTINGS_CEILING_SHIFT)
		return -EINVAL;
	*value |= (uint64_t)choice << SETTINGS_CEILING_SHIFT;
	return 0;
}

#define FIRST_REALTIME	34u	/* those below are libc's own */
#define LAST_REALTIME	64u

static const struct {
	const char *name;
	int number;
} signal_names[] = {
	{ "HUP", SIGHUP },	 { "INT", SIGINT },   { "QUIT", SIGQUIT },   { "USR1", SIGUSR1 },
	{ "USR2", SIGUSR2 },	 { "TERM", SIGTERM }, { "CONT", SIGCONT },   { "URG", SIGURG },
	{ "VTALRM", SIGVTALRM }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH }, { "IO", SIGIO },
	{ "PWR", SIGPWR },
};

/* "RTMIN", "RTMIN+3" */
static int parse_realtime(const char *text, uint64_t *number)
{
	uint64_t above = 0;

	if (!text_begins(text, "RTMIN"))
		return -EINVAL;
	text += sizeof("RTMIN") - 1;
	if (*text && (*text++ != '+' || !*text))
		return -EINVAL;
	for (; *text >= '0' && *text <= '9' && above <= LAST_REALTIME; text++)
		above = above * 10 + (uint64_t)(*text - '0');
	if (*text || above > LAST_REALTIME - FIRST_REALTIME)
		return -EINVAL;
	*number = FIRST_REALTIME + above;
	return 0;
}

static int parse_signal(const char *text, uint64_t *number)
{
	*number = 0;
	if (text_equal(text, "off"))
		return 0;
	if (text_begins(text, "SIG"))
		text += sizeof("SIG") - 1;
	for (unsigned int i = 0; i < ARRAY_SIZE(signal_names); i++) {
		if (!text_equal(text, signal_names[i].name))
			continue;
		*number = (uint64_t)signal_names[i].number;
		return 0;
	}
	return parse_realtime(text, number);
}

const char *setting_new_name(enum setting_id id, const char *text)
{
	return id == SETTING_TIMING && text_equal(text, "adaptive") ? "auto" : NULL;
}

int setting_parse(enum setting_id id, const char *text, uint64_t *value)
{
	const struct setting *setting = &settings_table[id];
	bool on;
	int choice;

	switch (setting->type) {
	case SETTING_TEXT:
		*value = 0;
		return text_length(text) < SETTING_TEXT_MAX ? 0 : -EINVAL;
	case SETTING_SIZE:
		return text_parse_size(text, value) < 0 || *value < LEAST_SIZE ? -EINVAL : 0;
	case SETTING_TIME:
		return text_parse_time(text, value);
	case SETTING_SWITCH:
		if (text_parse_switch(text, &on) < 0)
			return -EINVAL;
		*value = on;
		return 0;
	case SETTING_RATE:
		return parse_count(text, MOST_RATE, value);
	case SETTING_COUNT:
		return parse_count(text, MOST_COUNT, value);
	case SETTING_STEP:
		return parse_step(text, value);
	case SETTING_CHOICE:
		choice = find_choice(setting->choices, text, text_length(text));
		if (choice < 0)
			return -EINVAL;
		*value = (uint64_t)choice;
		return 0;
	case SETTING_LIST:
		return parse_list(setting->choices, text, value);
	case SETTING_SIGNAL_NAME:
		return parse_signal(text, value);
	case SETTING_CEILING:
		return parse_ceiling(setting->choices, text, value);
	}
	return -EINVAL;
}

void setting_add_expected(struct text *line, const struct setting *setting)
{
	static const char *const examples[] = {
		[SETTING_TEXT] = "a shorter text",  [SETTING_SIZE] = "a size such as 64M, at least 1M",
		[SETTING_TIME] = "a time such as 10us", [SETTING_SWITCH] = "on or off",
		[SETTING_STEP] = "off or a size up to 64M",
		[SETTING_RATE] = "off or a number up to 10000", [SETTING_COUNT] = "off or a number from 1 on",
		[SETTING_SIGNAL_NAME] = "off or a signal such as USR1, WINCH, RTMIN+3",
	};

	if (setting->type == SETTING_CEILING)
		text_add(line, "off or a size of at least 1M, and :");
	if (!setting->choices) {
		text_add(line, examples[setting->type]);
		return;
	}
	for (int i = 0; setting->choices[i]; i++) {
		text_add(line, i ? ", " : "");
		text_add(line, setting->choices[i]);
	}
	if (setting->type == SETTING_LIST)
		text_add(line, " or off");
}

struct reading {
	struct settings *settings;
	settings_complain *complain;
	void *context;
	enum setting_source source;
};

/* Make the text safe for any terminal. The end of a long text is cut, since it says nothing more. */
static void add_printable(struct text *line, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length && i < SHOWN_BYTES; i++)
		text_add_char(line, bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?');
}

static void begin_complaint(const struct reading *reading, struct text *line, char *buffer, size_t bytes)
{
	text_init(line, buffer, bytes);
	text_add(line, reading->source == FROM_FILE ? CONF_NAME ": " : "");
}

static void complain_value(const struct reading *reading, const struct setting *setting, const char *value)
{
	char buffer[512];
	struct text line;

	begin_complaint(reading, &line, buffer, sizeof(buffer));
	text_add(&line, setting->name);
	text_add(&line, "=");
	add_printable(&line, value, text_length(value));
	text_add(&line, *setting->fallback ? ": not understood, using " : ": not understood, ignored");
	text_add(&line, setting->fallback);
	text_add(&line, "; expected ");
	setting_add_expected(&line, setting);
	reading->complain(reading->context, buffer);
}

static void tell_new_name(const struct reading *reading, const struct setting *setting, const char *value,
			  const char *new_name)
{
	char buffer[128];
	struct text line;

	begin_complaint(reading, &line, buffer, sizeof(buffer));
	text_add(&line, setting->name);
	text_add(&line, ": ");
	text_add(&line, value);
	text_add(&line, " is called ");
	text_add(&line, new_name);
	text_add(&line, " now");
	reading->complain(reading->context, buffer);
}

static void complain_name(const struct reading *reading, const char *name, size_t length)
{
	char buffer[512];
	struct text line;

	begin_complaint(reading, &line, buffer, sizeof(buffer));
	add_printable(&line, name, length);
	text_add(&line, ": no such setting, ignored (insideme-run --help lists them)");
	reading->complain(reading->context, buffer);
}

/* Take one name=value, unless a stronger source has given the setting. */
static void take(const struct reading *reading, const char *name, size_t length, const char *value)
{
	struct settings *settings = reading->settings;

	for (int id = 0; id < NR_SETTINGS; id++) {
		const struct setting *setting = &settings_table[id];
		const char *new_name;
		uint64_t parsed;

		if (text_length(setting->name) != length || !text_begins(name, setting->name))
			continue;
		if (settings->source[id] > reading->source)
			return;
		new_name = setting_new_name((enum setting_id)id, value);
		if (new_name) {
			tell_new_name(reading, setting, value, new_name);
			value = new_name;
		}
		if (setting_parse((enum setting_id)id, value, &parsed) < 0) {
			complain_value(reading, setting, value);
			return;
		}
		settings->value[id] = parsed;
		text_copy(settings->given[id], SETTING_TEXT_MAX, value);
		settings->source[id] = reading->source;
		return;
	}
	complain_name(reading, name, length);
}

/* Variables of insideme-cc and insideme-report, which a shell may export too. */
static bool is_of_others(const char *name, size_t length)
{
	static const char *const names[] = { "INSIDEME_CC", "INSIDEME_CXX", "INSIDEME_FC", "INSIDEME_PAGER" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (text_length(names[i]) == length && text_begins(name, names[i]))
			return true;
	return false;
}

static void take_environment(struct reading *reading, char *const *environment)
{
	reading->source = FROM_ENVIRONMENT;
	for (; environment && *environment; environment++) {
		const char *equals = text_find(*environment, '=');

		if (equals && text_begins(*environment, "INSIDEME_") &&
		    !is_of_others(*environment, (size_t)(equals - *environment)))
			take(reading, *environment, (size_t)(equals - *environment), equals + 1);
	}
}

/* Take lines of NAME = value, where # begins a comment. Cuts up the text at @at. */
static void take_lines(struct reading *reading, char *at)
{
	reading->source = FROM_FILE;
	while (*at) {
		char *name, *name_end, *value, *end, *next;

		for (end = at; *end && *end != '\n'; end++)
			;
		next = *end ? end + 1 : end;
		*end = '\0';
		for (name = at; *name == ' ' || *name == '\t'; name++)
			;
		for (name_end = name; *name_end && *name_end != '=' && *name_end != ' ' && *name_end != '\t';
		     name_end++)
			;
		for (value = name_end; *value == ' ' || *value == '\t' || *value == '='; value++)
			;
		while (end > value && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
			*--end = '\0';
		if (*name && *name != '#')
			take(reading, name, (size_t)(name_end - name), value);
		at = next;
	}
}

/*
 * Only a file that the user or root owns, and that no other user can write, is trusted. The user gets a
 * message about a file of their own. There is none about other people's files, which must not put a line into
 * a program's output.
 */
static bool is_trusted(const struct reading *reading, int fd, const char *path)
{
	uid_t uid = (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	char buffer[PATH_BYTES + 128];
	struct stat stat;
	struct text line;

	if (sys_fstat(fd, &stat) < 0 ||
	    !S_ISREG(stat.st_mode) || (stat.st_uid != 0 && stat.st_uid != uid))
		return false;
	if (!(stat.st_mode & 022))
		return true;
	text_init(&line, buffer, sizeof(buffer));
	text_add(&line, path);
	text_add(&line, ": not used, others may write to it (chmod go-w)");
	if (stat.st_uid == uid)
		reading->complain(reading->context, buffer);
	return false;
}

/*
 * Not inlined: most programs have no such file, and should touch no stack page for it. Return:
 * whether the file was one.
 */
static NOINLINE bool take_content(struct reading *reading, int fd, const char *path)
{
	char content[CONF_BYTES];
	long bytes = is_trusted(reading, fd, path) ? sys_read(fd, content, sizeof(content) - 1) : -EPERM;

	if (bytes < 0)
		return false;
	content[bytes] = '\0';
	take_lines(reading, content);
	return true;
}

static void take_file(struct reading *reading)
{
	char path[PATH_BYTES + sizeof("/" CONF_NAME)];
	long length = raw_syscall(SYS_getcwd, (long)path, PATH_BYTES, 0, 0, 0, 0);

	if (length <= 0 || path[0] != '/')
		return;
	/* length counts the final 0. The search goes from the current directory up to the root. */
	for (length--; length >= 0; length--) {
		bool is_taken;
		int fd;

		if (length > 0 && path[length] != '/' && path[length] != '\0')
			continue;
		text_copy(path + (length == 1 ? 0 : length), sizeof("/" CONF_NAME), "/" CONF_NAME);
		fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
		is_taken = fd >= 0 && take_content(reading, fd, path);
		path[length] = '/';
		if (fd >= 0)
			sys_close(fd);
		if (is_taken)
			return;
	}
}

void settings_read(struct settings *settings, char *const *environment, settings_complain *complain,
		   void *context)
{
	struct reading reading = { settings, complain, context, FROM_FALLBACK };

	for (int id = 0; id < NR_SETTINGS; id++) {
		setting_parse((enum setting_id)id, settings_table[id].fallback, &settings->value[id]);
		settings->source[id] = FROM_FALLBACK;
	}
	take_file(&reading);
	take_environment(&reading, environment);
}

static bool is_end(char c)
{
	return c == '\0' || c == ',' || c == ':';
}

static size_t item_bytes(const char *item)
{
	size_t bytes = 0;

	while (!is_end(item[bytes]))
		bytes++;
	return bytes;
}

bool programs_select(const char *list, const char *program)
{
	bool has_wanted = false, is_wanted = false;

	if (text_equal(list, "all"))
		return true;
	for (;;) {
		bool excludes = *list == '!', is_item = !is_end(list[excludes]);
		bool fits =
			glob_matches(&(struct glob){ list + excludes, item_bytes(list + excludes) }, program);

		if (is_item && excludes && fits)
			return false;
		has_wanted |= is_item && !excludes;
		is_wanted |= is_item && !excludes && fits;
		while (!is_end(*list))
			list++;
		if (!*list++)
			return is_wanted || !has_wanted;
	}
}
