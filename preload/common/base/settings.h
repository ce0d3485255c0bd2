/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The settings. One table drives the parser, insideme-run's options and --help, the man page and
 * the log's record of the settings in force. An option overrides the environment, which overrides
 * insideme.conf, which overrides the default.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum setting_id {
	SETTING_DIR,
	SETTING_RUN,
	SETTING_BUDGET,
	SETTING_THRESHOLD,
	SETTING_TIMING,
	SETTING_HEAP,
	SETTING_HEAP_SAMPLE,
	SETTING_SNAPSHOT,
	SETTING_MAX_MEMORY,
	SETTING_INTERVAL,
	SETTING_PSS_LIMIT,
	SETTING_GPU,
	SETTING_SAMPLE,
	SETTING_PAGE_FAULTS,
	SETTING_CALL_LINES,
	SETTING_LINE_EVENTS,
	SETTING_WAITS,
	SETTING_WHAT,
	SETTING_CRASH,
	SETTING_PROGRAMS,
	SETTING_FOCUS,
	SETTING_EXCLUDE,
	SETTING_KEEP,
	SETTING_DEPTH,
	SETTING_LAST,
	SETTING_START,
	SETTING_SIGNAL,
	SETTING_FIELDS,
	SETTING_SUMMARY,
	SETTING_VERBOSE,
	SETTING_NAME_WIDTH,
	SETTING_MONITOR,
	SETTING_RECORDING,
	SETTING_MPI,
	SETTING_COLLECT,
	NR_SETTINGS,
};

enum setting_type {
	SETTING_TEXT,
	SETTING_SIZE,		/* bytes */
	SETTING_TIME,		/* ns */
	SETTING_SWITCH,		/* 0 or 1 */
	SETTING_RATE,		/* per second; "off": 0 */
	SETTING_COUNT,		/* "off": 0 */
	SETTING_STEP,		/* bytes, at least 1; "off": 0 */
	SETTING_CHOICE,		/* index into choices */
	SETTING_LIST,		/* bit mask over choices; text separates them by commas; "off": 0 */
	SETTING_SIGNAL_NAME,	/* the signal's number; "off": 0 */
	/* bytes, and an index into choices in the top byte, see settings_ceiling_bytes(); "off": 0 */
	SETTING_CEILING,
};

struct setting {
	const char *name;		/* INSIDEME_... */
	const char *option;		/* --... of insideme-run, without the dashes */
	enum setting_type type;
	const char *fallback;		/* the default, as text */
	const char *const *choices;	/* NULL-terminated; of SETTING_TEXT: for help alone */
	const char *help;		/* one line */
	const char *bare;	/* value of the option when it is given without one; NULL: it needs a value */
};

extern const struct setting settings_table[NR_SETTINGS];

enum setting_source { FROM_FALLBACK, FROM_FILE, FROM_ENVIRONMENT };

#define SETTING_TEXT_MAX 1024
struct settings {
	uint64_t value[NR_SETTINGS];			/* of all types but SETTING_TEXT */
	enum setting_source source[NR_SETTINGS];
	/* As text; not filled where the default is in force, see settings_text() */
	char given[NR_SETTINGS][SETTING_TEXT_MAX];
};

/* The value in force, as text. */
static inline const char *settings_text(const struct settings *settings, enum setting_id id)
{
	return settings->source[id] == FROM_FALLBACK ? settings_table[id].fallback : settings->given[id];
}

#define SETTINGS_CEILING_SHIFT	56
static inline uint64_t settings_ceiling_bytes(uint64_t value)
{
	return value & ((1ull << SETTINGS_CEILING_SHIFT) - 1);
}
static inline uint32_t settings_ceiling_choice(uint64_t value)
{
	return (uint32_t)(value >> SETTINGS_CEILING_SHIFT);
}

enum { MPI_AUTO, MPI_ON, MPI_OFF };	/* indices of SETTING_MPI's choices */
enum { TIMING_EXACT, TIMING_AUTO, TIMING_COUNTS }; /* indices of SETTING_TIMING's choices */
/*
 * Indices of SETTING_HEAP's choices; the last is set by SETTING_HEAP_SAMPLE without hooks. The bits
 * of SETTING_SNAPSHOT are LOG_SNAPSHOT_...
 */
enum { HEAP_OFF, HEAP_COUNTERS, HEAP_LIVE, HEAP_SAMPLED };

/* Called with one finished line for each wrong name or value. @context is what the caller gave. */
typedef void settings_complain(void *context, const char *line);

/*
 * Fill @settings from insideme.conf and @environment. A wrong name or value gets a complaint, and
 * the default stays. Makes no libc call. Takes a few us, or more if an insideme.conf is found.
 */
void settings_read(struct settings *settings, char *const *environment, settings_complain *complain,
		   void *context);

/* A value that older versions had: its name now; NULL: it is not one of these. */
const char *setting_new_name(enum setting_id id, const char *text);

/* Parse one value. Return: 0, or -EINVAL when @text is not a value of @id. */
int setting_parse(enum setting_id id, const char *text, uint64_t *value);

struct text;
/* Append what may be a setting's value, for messages: "off or a number up to 10000". */
void setting_add_expected(struct text *line, const struct setting *setting);

/*
 * Does @list select @program? @list has globs of * and ?, separated by commas or colons. A glob
 * that begins with ! excludes. A list of such globs alone selects all other programs; "all" selects
 * every program.
 */
bool programs_select(const char *list, const char *program);
