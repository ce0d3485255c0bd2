/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers are excluded as a whole, unless time is spent in them; other functions of the program by name.
 * Sources are looked up only for the functions that matter.
 */
#include "analyzer/cells/flag_advice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/resolve.h"

#define LOOKED_AT	2000	/* functions whose sources are looked up: most called, most time */
#define NAMES_MAX	20
#define LONG_CALL_NS	1000	/* self time of a call of a function that is worth seeing */
#define CPP_HEADERS	"/include/c++/"

struct place {
	char *text;			/* part of the path of its sources */
	bool is_own;			/* a header of the program */
	size_t nr_short;		/* functions that should have no hooks */
	uint64_t short_calls;
	double self_ns;
	double other_ns;		/* of it in other functions */
	double long_ns;			/* of that in long calls */
};

struct search {
	const struct model *model;
	struct function **functions;	/* most calls first */
	size_t nr_looked_at;
	struct place *places;
	size_t nr_places;
	char *names[NAMES_MAX];
	size_t nr_names;
};

bool excludes_is_short(const struct function *function)
{
	return !function->is_counted && function->stats.known_calls &&
	       function->stats.self_ns < SHORT_CALL_NS * (double)function->stats.known_calls;
}

/* Is it so short that it should have no hooks? A counted function that no sample met is. */
static bool is_better_without(const struct function *function)
{
	return excludes_is_short(function) ||
	       (function->is_counted &&
		function->stats.self_ns < SHORT_COUNTED_NS * (double)function->stats.calls);
}

bool excludes_is_dear(const struct function *function)
{
	const struct call_stats *stats = &function->stats;

	return !function->is_counted && stats->known_calls && stats->self_ns < stats->hooks_ns;
}

static bool is_long(const struct function *function)
{
	return function->stats.self_ns >= LONG_CALL_NS * (double)function->stats.known_calls;
}

static int by_calls(const void *a, const void *b)
{
	uint64_t left = (*(struct function *const *)a)->stats.calls,
		 right = (*(struct function *const *)b)->stats.calls;

	return (left < right) - (left > right);
}

static int by_self(const void *a, const void *b)
{
	double left = (*(struct function *const *)a)->stats.self_ns,
	       right = (*(struct function *const *)b)->stats.self_ns;

	return (left < right) - (left > right);
}

/* Is it a header, by the end of its name? */
static bool is_header(const char *file)
{
	static const char *const ends[] = { ".h",   ".hh",  ".hpp", ".hxx", ".h++", ".H",
					    ".inl", ".ipp", ".tcc", ".tpp" };
	const char *end = strrchr(path_base(file), '.');

	for (size_t i = 0; end && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(end, ends[i]) == 0)
			return true;
	return false;
}

/*
 * "/include/c++/", "/usr/include/eigen3/" or "/usr/include/zlib.h" for an installed header, "board.h" for one
 * of the program; NULL: the file is no header. gcc knows only the path by which it was included.
 */
static char *place_of(const char *file)
{
	const char *include, *end;
	bool is_own = file && !path_is_header(file);

	if (!file || (is_own && !is_header(file)))
		return NULL;
	if (!is_own && strstr(file, CPP_HEADERS))
		return xstrdup(CPP_HEADERS);
	file = is_own ? path_base(file) : file;
	if (strpbrk(file, ", '\"\\$`*?"))
		return NULL;
	if (is_own)
		return xstrdup(file);
	include = strstr(file, "/include/");
	end = strchr(include + strlen("/include/"), '/');
	return end ? xasprintf("%.*s", (int)(end + 1 - file), file) : xstrdup(file);
}

static void add_place(struct search *search, char *text)
{
	for (size_t i = 0; i < search->nr_places; i++) {
		if (strcmp(search->places[i].text, text))
			continue;
		free(text);
		return;
	}
	search->places = xgrow(search->places, search->nr_places, sizeof(*search->places));
	search->places[search->nr_places++] = (struct place){ .text = text, .is_own = !strchr(text, '/') };
}

static void look_up_sources(const struct search *search)
{
	for (size_t i = 0; i < search->nr_looked_at; i++)
		resolve_source(search->functions[i]);
}

static void find_places(struct search *search)
{
	for (size_t i = 0; i < search->model->nr_functions; i++) {
		char *text = place_of(search->functions[i]->file);

		if (text)
			add_place(search, text);
	}
}

static void add_up(struct place *place, const struct function *function)
{
	place->self_ns += function->stats.self_ns;
	if (is_better_without(function)) {
		place->nr_short++;
		place->short_calls += function->stats.calls;
		return;
	}
	place->other_ns += function->stats.self_ns;
	if (is_long(function))
		place->long_ns += function->stats.self_ns;
}

/* gcc's option matches each file whose path contains the text. */
static void add_up_places(struct search *search)
{
	for (size_t i = 0; i < search->model->nr_functions; i++) {
		const char *file = search->functions[i]->file;

		for (size_t k = 0; file && k < search->nr_places; k++)
			if (strstr(file, search->places[k].text))
				add_up(&search->places[k], search->functions[i]);
	}
}

/*
 * The standard library's functions call what is given to them: their time is the program's doing. A header of
 * the program holds what its author wants to see, unless nearly all of it is short.
 */
static bool is_worth_leaving_out(const struct search *search, const struct place *place)
{
	if (place->short_calls * 100 < search->model->calls)
		return false;
	if (place->is_own)
		return place->nr_short > 1 && place->other_ns * 4 <= place->self_ns;
	return strcmp(place->text, CPP_HEADERS) == 0 || place->long_ns * 4 <= place->self_ns;
}

static void choose_places(struct search *search)
{
	size_t nr = 0;

	for (size_t i = 0; i < search->nr_places; i++) {
		if (is_worth_leaving_out(search, &search->places[i]))
			search->places[nr++] = search->places[i];
		else
			free(search->places[i].text);
	}
	search->nr_places = nr;
}

static bool is_left_out(const struct search *search, const struct function *function)
{
	for (size_t i = 0; i < search->nr_places; i++)
		if (function->file && strstr(function->file, search->places[i].text))
			return true;
	for (size_t i = 0; i < search->nr_names; i++)
		if (function->resolved && strstr(function->short_name, search->names[i]))
			return true;
	return false;
}

/* How much of the name may stand in a list of flags: identifiers and scopes. */
static size_t plain_length(const char *name)
{
	size_t length = 0;

	while (isalnum((unsigned char)name[length]) || strchr("_:~", name[length] ?: ' '))
		length++;
	return length;
}

/*
 * The part of a name that gcc's option matches: the name as users read it, for a template's function its last
 * part. NULL: none.
 */
static char *pattern_of(const struct function *function)
{
	const char *name = function->short_name, *p;

	if (plain_length(name) == strlen(name))
		return xstrdup(name);
	for (p = name + strlen(name); p > name && (isalnum((unsigned char)p[-1]) || strchr("_:~", p[-1]));
	     p--)
		;
	return strlen(p) > 4 && !strstr(name, "operator") ? xstrdup(p) : NULL;
}

/* The compiler excludes each name that contains @pattern. Would that hide another function worth seeing? */
static bool hits_others(const struct search *search, const char *pattern)
{
	for (size_t i = 0; i < search->model->nr_functions; i++) {
		const struct function *function = search->functions[i];

		if (function->stats.self_ns * 100 >= search->model->functions_ns && is_long(function) &&
		    function->resolved && strstr(function->short_name, pattern))
			return true;
	}
	return false;
}

static void choose_names(struct search *search)
{
	for (size_t i = 0; i < search->nr_looked_at && search->nr_names < NAMES_MAX; i++) {
		const struct function *function = search->functions[i];
		char *pattern;

		if (function->stats.calls * 200 < search->model->calls || !is_better_without(function) ||
		    !function->resolved || is_left_out(search, function) ||
		    call_stats_mean_ns(&function->stats) >= LONG_CALL_NS)
			continue;
		pattern = pattern_of(function);
		if (pattern && !hits_others(search, pattern))
			search->names[search->nr_names++] = pattern;
		else
			free(pattern);
	}
}

static char *join(char *list, const char *item)
{
	char *longer = xasprintf("%s%s%s", list, *list ? "," : "", item);

	free(list);
	return longer;
}

static void write_lists(struct excludes *excludes, struct search *search)
{
	for (size_t i = 0; i < search->model->nr_functions; i++) {
		const struct function *function = search->model->functions[i];

		if (!is_left_out(search, function))
			excludes->calls_left += function->stats.calls;
	}
	for (size_t i = 0; i < search->nr_places; i++) {
		excludes->files = join(excludes->files, search->places[i].text);
		free(search->places[i].text);
	}
	for (size_t i = 0; i < search->nr_names; i++) {
		excludes->functions = join(excludes->functions, search->names[i]);
		free(search->names[i]);
	}
	free(search->places);
}

static void search_all(struct excludes *excludes, struct search *search)
{
	size_t nr = search->model->nr_functions;

	search->nr_looked_at = nr < LOOKED_AT ? nr : LOOKED_AT;
	search->functions = xcalloc(nr, sizeof(*search->functions));
	memcpy(search->functions, search->model->functions, nr * sizeof(*search->functions));
	qsort(search->functions, nr, sizeof(*search->functions), by_self);
	look_up_sources(search);
	qsort(search->functions, nr, sizeof(*search->functions), by_calls);
	look_up_sources(search);
	find_places(search);
	add_up_places(search);
	choose_places(search);
	choose_names(search);
	write_lists(excludes, search);
	free(search->functions);
}

static void add_short(struct excludes *excludes, const struct function *function)
{
	excludes->short_calls += function->stats.calls;
	excludes->counted_calls += function->is_counted ? function->stats.calls : 0;
	excludes->short_hooks_ns += function->stats.hooks_ns;
}

void excludes_find(struct excludes *excludes, const struct model *model)
{
	struct search search = { .model = model };

	*excludes = (struct excludes){
		.files = xstrdup(""), .functions = xstrdup(""),
	};
	for (size_t i = 0; i < model->nr_functions; i++)
		if (is_better_without(model->functions[i]))
			add_short(excludes, model->functions[i]);
	if (excludes->short_calls * 2 > model->calls)
		search_all(excludes, &search);
	else
		excludes->calls_left = model->calls;
}

void excludes_release(struct excludes *excludes)
{
	free(excludes->files);
	free(excludes->functions);
}
