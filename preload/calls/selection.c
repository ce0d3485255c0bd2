/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which functions are recorded, by their addresses. */
#include "preload/calls/selection.h"

#include <errno.h>
#include <sys/mman.h>

#include "insideme_pattern.h"
#include "preload/calls/line_focus.h"
#include "preload/calls/paths.h"
#include "preload/common/base/text.h"
#include "preload/common/run/message.h"
#include "preload/objects/function_names.h"
#include "preload/objects/sorted_numbers.h"
#include "preload/objects/symbol_file.h"
#include "preload/state/labels.h"
#include "preload/state/modules.h"
#include "preload/state/recording_state.h"

#define PATTERNS_MAX	64u
#define OBJECTS_MAX	1024u
#define SETS_MAX 64u
#define PATHS_KNOWN 1024u
#define NAME_BYTES	512

/* A name that a setting lists. */
struct choice {
	struct pattern pattern;
	enum verdict verdict;
	bool is_known;			/* it has matched something */
	bool is_file;			/* and only as a file, where only static functions have one */
	const char *setting;
	size_t distance;		/* of the nearest name; SIZE_MAX: there is none */
	char near[NEAR_NAME_MAX + 1];	/* "": likewise */
};

/* A loaded object, and those of its functions that a pattern names, sorted. */
struct selected {
	uintptr_t begin;
	uintptr_t end;			/* 0: free; written last */
	struct sorted_numbers functions;	/* address << VERDICT_BITS | verdict */
	enum verdict of_all;		/* the object itself is named; else VERDICT_PLAIN */
};

/* Only objects change after the set is in use. They are written by the task that changes the module map. */
struct full_set {
	struct selection_set set; /* first, because hooks use it */
	struct choice choices[PATTERNS_MAX];
	uint32_t nr_choices;
	uint32_t nr_objects;
	struct selected objects[OBJECTS_MAX];
	char focus[LOG_FOCUS_BYTES];
};

LARGE static struct full_set first_set;
struct selection selection = { .set = &first_set.set };
static struct full_set *sets[SETS_MAX] = { &first_set }; /* written by the task that changes the module map */
static uint32_t nr_sets = 1;

/* ---- patterns ---- */

static void add_choices(struct full_set *full, const char *list, enum setting_id id, enum verdict verdict)
{
	struct glob item;

	while (pattern_next(&list, &item))
		if (item.bytes && full->nr_choices < PATTERNS_MAX)
			full->choices[full->nr_choices++] =
				(struct choice){ .pattern = pattern_of(item.start, item.bytes),
						 .verdict = verdict,
						 .setting = settings_table[id].name,
						 .distance = SIZE_MAX };
}

/* Everything but the objects. */
static void set_init(struct full_set *full, const char *focus)
{
	text_copy(full->focus, sizeof(full->focus), focus);
	add_choices(full, full->focus, SETTING_FOCUS, VERDICT_FOCUS);
	full->set.has_focus = full->nr_choices;
	add_choices(full, settings_text(&settings, SETTING_EXCLUDE), SETTING_EXCLUDE, VERDICT_EXCLUDED);
	full->set.has_names = full->nr_choices;
	add_choices(full, settings_text(&settings, SETTING_KEEP), SETTING_KEEP, VERDICT_KEPT);
}

void selection_init(void)
{
	set_init(&first_set, settings_text(&settings, SETTING_FOCUS));
	selection.has_kept = *settings_text(&settings, SETTING_KEEP);
	selection.most_depth = settings.value[SETTING_DEPTH];
	selection.is_on = first_set.set.has_names || selection.most_depth;
}

/* ---- objects ---- */

struct search {
	struct full_set *full;
	const char *path;
	uintptr_t bias;
	struct selected *object;
	uint64_t by_file;		/* a bit for each choice that matched something only by its file */
};

/* The names of a function. NULL: it has no such name, or it is not known */
struct names {
	const char *symbol, *plain, *with_arguments;
};

static bool names_function(const struct pattern *pattern, const char *path, const char *file,
			   const struct names *names)
{
	if (pattern->place.bytes && !glob_fits_path(&pattern->place, file) &&
	    !glob_fits_path(&pattern->place, path))
		return false;
	return glob_fits(&pattern->name, names->symbol) || glob_fits(&pattern->name, names->plain) ||
	       glob_fits(&pattern->name, names->with_arguments) ||
	       (pattern->may_be_place && glob_fits_path(&pattern->name, file));
}

/*
 * In case nothing has the name itself. Among equal distances the first stays: the program's before
 * libraries'.
 */
static void look_whether_near(struct choice *choice, const char *name)
{
	struct glob word = near_word(&choice->pattern.name);
	size_t distance = near_distance(&word, name);

	if (distance >= choice->distance || text_length(name) >= sizeof(choice->near))
		return;
	choice->distance = distance;
	text_copy(choice->near, sizeof(choice->near), name);
}

/* Line events use the focus of the start. */
static bool wants_lines(const struct full_set *full)
{
	return settings.value[SETTING_LINE_EVENTS] && full == &first_set;
}

static void look_at(const char *name, const char *file, uint64_t value, uint64_t bytes, void *context)
{
	struct search *search = context;
	struct choice *choices = search->full->choices;
	enum verdict verdict = VERDICT_NONE;
	char plain[NAME_BYTES], with_arguments[NAME_BYTES];
	const struct names names = {
		name, symbol_plain_name(name, plain, sizeof(plain)) ? plain : NULL,
		symbol_short_name(name, with_arguments, sizeof(with_arguments)) ? with_arguments : NULL
	};

	for (uint32_t i = 0; i < search->full->nr_choices; i++) {
		if (!names_function(&choices[i].pattern, search->path, file, &names)) {
			if (!choices[i].is_known)
				look_whether_near(&choices[i], names.plain ?: name);
			continue;
		}
		choices[i].is_known = true;
		if (choices[i].pattern.may_be_place && glob_fits_path(&choices[i].pattern.name, file))
			search->by_file |= 1ull << i;
		verdict = choices[i].verdict > verdict ? choices[i].verdict : verdict;
	}
	if (verdict == VERDICT_FOCUS && wants_lines(search->full))
		line_focus_add(search->bias + value, search->bias + value + bytes);
	if (verdict != VERDICT_NONE)
		sorted_numbers_add(&search->object->functions,
				   (search->bias + value) << VERDICT_BITS | verdict);
}

static struct selected *free_slot(struct full_set *full)
{
	for (uint32_t i = 0; i < OBJECTS_MAX; i++) {
		if (full->objects[i].end)
			continue;
		if (i >= full->nr_objects)
			__atomic_store_n(&full->nr_objects, i + 1, __ATOMIC_RELEASE);
		return &full->objects[i];
	}
	return NULL;	/* its functions are plain */
}

/* For what lay there before. */
static void forget(struct selection_set *set, uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < SELECTION_CACHE; i++)
		if ((set->cache[i] >> VERDICT_BITS) - begin < end - begin)
			__atomic_store_n(&set->cache[i], 0, __ATOMIC_RELAXED);
}

static void add_object(struct full_set *full, const char *path, uintptr_t bias, uintptr_t begin,
		       uintptr_t end)
{
	struct selected *object = full->nr_choices ? free_slot(full) : NULL;
	struct search search = { full, path, bias, object, 0 };
	struct choice *choices = full->choices;
	bool wants_files = false;

	if (!object)
		return;
	*object = (struct selected){ .begin = begin, .of_all = VERDICT_PLAIN };
	for (uint32_t i = 0; i < full->nr_choices; i++) {
		wants_files |= choices[i].pattern.may_be_place || choices[i].pattern.place.bytes;
		if (!choices[i].pattern.may_be_place || !glob_fits_path(&choices[i].pattern.name, path))
			continue;
		choices[i].is_known = true;
		object->of_all = choices[i].verdict > object->of_all ? choices[i].verdict : object->of_all;
	}
	if (object->of_all == VERDICT_FOCUS && wants_lines(full))
		line_focus_add(begin, end);
	if (symbol_file_each(path, wants_files, look_at, &search) != SYMBOLS_WITH_FILES)
		for (uint32_t i = 0; i < full->nr_choices; i++)
			choices[i].is_file |= search.by_file >> i & 1;
	sorted_numbers_sort(&object->functions);
	__atomic_store_n(&object->end, end, __ATOMIC_RELEASE);
	forget(&full->set, begin, end);
}

static void remove_object(struct full_set *full, uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < full->nr_objects; i++) {
		struct selected *object = &full->objects[i];

		if (object->begin != begin || object->end != end)
			continue;
		__atomic_store_n(&object->end, 0, __ATOMIC_RELEASE);
		sorted_numbers_free(&object->functions);
	}
	if (full->nr_choices)
		forget(&full->set, begin, end);
}

void selection_add(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < nr_sets; i++)
		add_object(sets[i], path, bias, begin, end);
}

void selection_remove(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < nr_sets; i++)
		remove_object(sets[i], begin, end);
	line_focus_remove(begin, end);
}

/* ---- the question ---- */

static enum verdict verdict_in(const struct selected *object, uint64_t addr)
{
	/* the last one of several symbols that share an address */
	uint64_t nr = sorted_numbers_up_to(&object->functions, addr << VERDICT_BITS | VERDICT_MASK);

	if (nr && object->functions.list[nr - 1] >> VERDICT_BITS == addr) {
		enum verdict own = (enum verdict)(object->functions.list[nr - 1] & VERDICT_MASK);

		return own > object->of_all ? own : object->of_all;
	}
	return object->of_all;
}

static enum verdict verdict_of_function(const struct full_set *full, uint64_t addr)
{
	uint32_t nr;

	modules_know(addr);
	nr = __atomic_load_n(&full->nr_objects, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < nr; i++) {
		uintptr_t end = __atomic_load_n(&full->objects[i].end, __ATOMIC_ACQUIRE);

		if (addr < end && addr >= full->objects[i].begin)
			return verdict_in(&full->objects[i], addr);
	}
	return VERDICT_PLAIN;
}

/* A part of a parallel region is recorded if what began the region is in the focus. */
static enum verdict verdict_of_region(const struct full_set *full, uint64_t region)
{
	const bool is_team = log_team_starter(region);
	const struct label *label = is_team ? NULL : label_numbered((uint32_t)log_region_label(region));
	const struct choice *choices = full->choices;
	enum verdict verdict = is_team ? VERDICT_FOCUS : VERDICT_PLAIN;

	for (uint32_t i = 0; label && i < full->nr_choices; i++)
		if (!choices[i].pattern.place.bytes && glob_fits(&choices[i].pattern.name, label->text) &&
		    choices[i].verdict > verdict)
			verdict = choices[i].verdict;
	return verdict;
}

NOINLINE enum verdict selection_look_up(struct selection_set *set, uint64_t function_addr)
{
	const struct full_set *full = (const struct full_set *)set;
	enum verdict verdict = function_addr & LOG_FUNCTION_REGION ? verdict_of_region(full, function_addr)
								   : verdict_of_function(full, function_addr);

	__atomic_store_n(&set->cache[(function_addr >> 4) % SELECTION_CACHE],
			 function_addr << VERDICT_BITS | verdict, __ATOMIC_RELAXED);
	return verdict;
}

/* The last result for a node: its ref << 32 | number of the set << 2 | 2 | is it off the path; atomic. */
LARGE static uint64_t known_paths[PATHS_KNOWN];

NOINLINE bool selection_is_off_path(struct selection_set *set, const struct log_thread *thread)
{
	uint64_t *known = &known_paths[thread->current / LOG_NODE_STEP % PATHS_KNOWN];
	uint64_t entry = (uint64_t)thread->current << 32 | (uint64_t)set->number << 2 | 2, found;
	const struct log_node *node = node_at(live.log, thread->current);

	found = __atomic_load_n(known, __ATOMIC_RELAXED);
	if (found >> 1 == entry >> 1)
		return found & 1;
	while (node->parent && selection_verdict(set, node->function_addr) != VERDICT_FOCUS)
		node = node_at(live.log, node->parent);
	__atomic_store_n(known, entry | !node->parent, __ATOMIC_RELAXED);
	return !node->parent;
}

static void tell_unknown(const struct choice *choice)
{
	char line[SETTING_TEXT_MAX + 256];
	struct text text;

	text_init(&text, line, sizeof(line));
	text_add(&text, choice->setting);
	text_add(&text, choice->is_file ? ": '" : ": no function that is loaded is called '");
	text_add_bytes(&text, choice->pattern.whole.start, choice->pattern.whole.bytes);
	if (choice->is_file) {
		text_add(&text, "' selects the static functions of this file, ");
		text_add(&text, "since the program has no debug information (-g)");
		say_line(line);
		return;
	}
	text_add(&text, *choice->near ? "'; did you mean " : "', if it is no region of the source (");
	text_add(&text, *choice->near ? choice->near
				      : "insideme-report -v functions of a run without it lists names");
	text_add(&text, *choice->near ? "?" : ")");
	say_line(line);
}

void selection_tell_unknown(void)
{
	const struct full_set *full = (const struct full_set *)selection_now();
	bool is_news = false;

	for (uint32_t i = 0; i < full->nr_choices; i++) {
		if (full->choices[i].is_known && !full->choices[i].is_file)
			continue;
		is_news = is_news || say_is_news(MESSAGE_SELECTION);
		if (is_news)
			tell_unknown(&full->choices[i]);
	}
}

/* ---- changes while the program runs ---- */

/* With the module map's lock. NULL: there is no room for another one. */
static struct full_set *find_set(const char *focus, bool *is_new)
{
	struct full_set *full;
	long place;

	for (uint32_t i = 0; i < nr_sets; i++)
		if (text_equal(sets[i]->focus, focus))
			return sets[i];
	place = nr_sets < SETS_MAX ? sys_mmap(NULL, sizeof(*full), PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				   : -1;
	if (sys_failed(place))
		return NULL;
	full = (struct full_set *)place;
	full->set.number = nr_sets;
	set_init(full, focus);
	*is_new = true;
	return full;
}

struct change {
	const char *focus;
	struct full_set *full;
	bool is_new;
};

static void begin_change(void *context)
{
	struct change *change = context;

	change->full = find_set(change->focus, &change->is_new);
}

static void add_to_change(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end, void *context)
{
	struct change *change = context;

	if (change->is_new)
		add_object(change->full, path, bias, begin, end);
}

/* Calls continue meanwhile, by the set that they find. */
static void end_change(void *context)
{
	struct change *change = context;

	if (!change->full)
		return;
	if (change->is_new)
		sets[nr_sets++] = change->full;
	__atomic_store_n(&selection.set, &change->full->set, __ATOMIC_RELEASE);
	__atomic_store_n(&selection.has_changed, true, __ATOMIC_RELEASE);
	__atomic_store_n(&selection.is_on, true, __ATOMIC_RELEASE);
	__atomic_store_n(&live.hot_log_when_on, NULL, __ATOMIC_SEQ_CST);
	switched_settle();
	if (live.log)
		__atomic_fetch_add(&live.log->focus_changes, 1, __ATOMIC_RELAXED);
}

int selection_change(const char *focus)
{
	static const struct modules_visit visit = { begin_change, add_to_change, end_change };
	struct change change = { .focus = focus };

	if (text_length(focus) >= LOG_FOCUS_BYTES)
		return -EINVAL;
	if (live_is_sealed())
		return -EPERM;
	modules_visit(&visit, &change);
	if (!change.full)
		return -ENOSPC;
	if (change.is_new)
		selection_tell_unknown();
	return 0;
}

static uint32_t is_following; /* one thread does it; the others continue */

void selection_forked(void)
{
	is_following = 0;
	__builtin_memset(known_paths, 0, sizeof(known_paths));
}

NOINLINE void selection_follow_wish(void)
{
	struct log_header *log = live.log;
	char focus[LOG_FOCUS_BYTES];
	uint32_t wanted;

	if (live_is_sealed() || __atomic_exchange_n(&is_following, 1, __ATOMIC_ACQUIRE))
		return;
	wanted = __atomic_load_n(&log->focus_wanted, __ATOMIC_ACQUIRE);
	text_copy(focus, sizeof(focus), log->focus);
	selection_change(focus);
	__atomic_store_n(&log->focus_seen, wanted, __ATOMIC_RELEASE);
	__atomic_store_n(&is_following, 0, __ATOMIC_RELEASE);
}
