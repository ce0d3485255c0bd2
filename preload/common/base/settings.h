/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The settings: one table drives the parser, insideme-run's options and --help, the man page and the
 * log's record of what was in force. Option beats environment beats insideme.conf beats default.
 */
#ifndef INSIDEME_SETTINGS_H
#define INSIDEME_SETTINGS_H

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
	SETTING_WHAT,
	SETTING_CRASH,
	SETTING_PROGRAMS,
	SETTING_FOCUS,
	SETTING_EXCLUDE,
	SETTING_DEPTH,
	SETTING_START,
	SETTING_SIGNAL,
	SETTING_FIELDS,
	SETTING_SUMMARY,
	SETTING_VERBOSE,
	NR_SETTINGS,
};

enum setting_type {
	SETTING_TEXT,
	SETTING_SIZE,		/* bytes */
	SETTING_TIME,		/* ns */
	SETTING_SWITCH,		/* 0 or 1 */
	SETTING_RATE,		/* per second; "off": 0 */
	SETTING_COUNT,		/* "off": 0 */
	SETTING_STEP,		/* bytes, from 1 on; "off": 0 */
	SETTING_CHOICE,		/* index into choices */
	SETTING_LIST,		/* bit mask over choices, separated by commas; "off": 0 */
	SETTING_SIGNAL_NAME,	/* its number; "off": 0 */
	SETTING_CEILING,	/* bytes, and an index into choices at the top, see settings_ceiling_; "off": 0 */
};

struct setting {
	const char *name;		/* INSIDEME_... */
	const char *option;		/* --... of insideme-run */
	enum setting_type type;
	const char *fallback;		/* value when not set, as text */
	const char *const *choices;	/* NULL-terminated */
	const char *help;		/* one line */
	const char *bare;		/* value of the option without one; NULL: it needs one */
};

extern const struct setting settings_table[NR_SETTINGS];

enum setting_source { FROM_FALLBACK, FROM_FILE, FROM_ENVIRONMENT };

#define SETTING_TEXT_MAX 1024
struct settings {
	uint64_t value[NR_SETTINGS];			/* all types but text */
	enum setting_source source[NR_SETTINGS];
	char given[NR_SETTINGS][SETTING_TEXT_MAX];	/* as text; not set where it is the fallback: see settings_text() */
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

enum { TIMING_EXACT, TIMING_ADAPTIVE, TIMING_COUNTS };	/* choices of SETTING_TIMING */
/* Of SETTING_HEAP, but the last one: by SETTING_HEAP_SAMPLE, without hooks. Bits of SETTING_SNAPSHOT: LOG_SNAPSHOT_ */
enum { HEAP_OFF, HEAP_COUNTERS, HEAP_LIVE, HEAP_SAMPLED };

/* Called with one finished line for each wrong name or value; context is the caller's. */
typedef void settings_complain(void *context, const char *line);

/*
 * Fill @settings from insideme.conf and @environment. What is wrong is complained about and left at its
 * default. Makes no libc call; takes a few us, more where an insideme.conf is found.
 */
void settings_read(struct settings *settings, char *const *environment, settings_complain *complain, void *context);

/* One value, as the parser sees it. Return: 0, or -EINVAL when @text is not a value of @id. */
int setting_parse(enum setting_id id, const char *text, uint64_t *value);

struct text;
/* "off or a number up to 10000": what may stand in a setting's place, for messages. */
void setting_add_expected(struct text *line, const struct setting *setting);

#endif
