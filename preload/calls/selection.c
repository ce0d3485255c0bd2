/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions are recorded, by their addresses. */
#include "preload/calls/selection.h"

#include <sys/mman.h>

#include "insideme_pattern.h"
#include "preload/common/base/text.h"
#include "preload/common/run/message.h"
#include "preload/objects/function_names.h"
#include "preload/state/labels.h"
#include "preload/state/modules.h"

#define PATTERNS_MAX	64u
#define OBJECTS_MAX	1024u
#define NAME_BYTES	512

/* One that is chosen by a setting. */
struct choice {
	struct pattern pattern;
	enum verdict verdict;
	bool is_known;			/* it has matched something */
	const char *setting;
	size_t distance;		/* of the nearest name; SIZE_MAX: there is none */
	char near[NEAR_NAME_MAX + 1];	/* "": likewise */
};

/* A loaded object, and those of its functions that a pattern names, sorted. */
struct selected {
	uintptr_t begin;
	uintptr_t end;			/* 0: free; written last */
	uint64_t *functions;		/* address << VERDICT_BITS | verdict; NULL: none */
	uint64_t nr;
	uint64_t bytes;			/* of its mapping */
	enum verdict of_all;		/* the object itself is named; else VERDICT_PLAIN */
};

struct selection selection;
LARGE uint64_t selection_cache[SELECTION_CACHE];
LARGE static struct choice choices[PATTERNS_MAX];	/* set before any thread */
static uint32_t nr_choices;
LARGE static struct selected objects[OBJECTS_MAX];	/* written by one at a time */
static uint32_t nr_objects;

/* ---- patterns ---- */

static void add_choices(enum setting_id id, enum verdict verdict)
{
	const char *list = settings_text(&settings, id);
	struct glob item;

	while (pattern_next(&list, &item))
		if (item.bytes && nr_choices < PATTERNS_MAX)
			choices[nr_choices++] = (struct choice){
				.pattern = pattern_of(item.start, item.bytes), .verdict = verdict,
				.setting = settings_table[id].name, .distance = SIZE_MAX };
}

void selection_init(void)
{
	add_choices(SETTING_FOCUS, VERDICT_FOCUS);
	selection.has_focus = nr_choices;
	add_choices(SETTING_EXCLUDE, VERDICT_EXCLUDED);
	selection.has_names = nr_choices;
	add_choices(SETTING_KEEP, VERDICT_KEPT);
	selection.has_kept = *settings_text(&settings, SETTING_KEEP);
	selection.most_depth = settings.value[SETTING_DEPTH];
	selection.is_on = selection.has_names || selection.most_depth;
}

/* ---- objects ---- */

struct search {
	const char *path;
	uintptr_t bias;
	struct selected *object;
};

static bool names_function(const struct pattern *pattern, const char *path, const char *file,
			   const char *name, const char *plain_name)
{
	if (pattern->place.bytes && !glob_fits_path(&pattern->place, file) &&
	    !glob_fits_path(&pattern->place, path))
		return false;
	return glob_fits(&pattern->name, name) || glob_fits(&pattern->name, plain_name) ||
	       (pattern->may_be_place && glob_fits_path(&pattern->name, file));
}

static void keep(struct selected *object, uint64_t entry)
{
	uint64_t bytes = object->bytes ? object->bytes * 2 : 1u << 16;
	long place;

	if ((object->nr + 1) * sizeof(entry) > object->bytes) {
		place = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(place))
			return;
		if (object->functions) {
			__builtin_memcpy((void *)place, object->functions, object->nr * sizeof(entry));
			sys_munmap(object->functions, object->bytes);
		}
		object->functions = (uint64_t *)place;
		object->bytes = bytes;
	}
	object->functions[object->nr++] = entry;
}

/*
 * In case that nothing has the name itself. Of those alike the first stays: the program's before libraries'.
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

static void look_at(const char *name, const char *file, uint64_t value, void *context)
{
	struct search *search = context;
	enum verdict verdict = VERDICT_NONE;
	char plain[NAME_BYTES];
	bool has_plain = symbol_plain_name(name, plain, sizeof(plain));

	for (uint32_t i = 0; i < nr_choices; i++) {
		if (!names_function(&choices[i].pattern, search->path, file, name,
				    has_plain ? plain : NULL)) {
			if (!choices[i].is_known)
				look_whether_near(&choices[i], has_plain ? plain : name);
			continue;
		}
		choices[i].is_known = true;
		verdict = choices[i].verdict > verdict ? choices[i].verdict : verdict;
	}
	if (verdict != VERDICT_NONE)
		keep(search->object, (search->bias + value) << VERDICT_BITS | verdict);
}

/* Largest first to the end, by a heap: no recursion, and no more than n log n however many there are. */
static void sink(uint64_t *heap, uint64_t at, uint64_t nr)
{
	for (uint64_t child; (child = 2 * at + 1) < nr; at = child) {
		uint64_t value = heap[at];

		child += child + 1 < nr && heap[child + 1] > heap[child];
		if (heap[child] <= value)
			return;
		heap[at] = heap[child];
		heap[child] = value;
	}
}

static void sort(uint64_t *values, uint64_t nr)
{
	for (uint64_t i = nr / 2; i-- > 0; )
		sink(values, i, nr);
	for (uint64_t last = nr; last-- > 1; ) {
		uint64_t value = values[last];

		values[last] = values[0];
		values[0] = value;
		sink(values, 0, last);
	}
}

static struct selected *free_slot(void)
{
	for (uint32_t i = 0; i < OBJECTS_MAX; i++) {
		if (objects[i].end)
			continue;
		if (i >= nr_objects)
			__atomic_store_n(&nr_objects, i + 1, __ATOMIC_RELEASE);
		return &objects[i];
	}
	return NULL;	/* its functions are plain */
}

/* Of what lay there before. */
static void forget(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < SELECTION_CACHE; i++)
		if ((selection_cache[i] >> VERDICT_BITS) - begin < end - begin)
			__atomic_store_n(&selection_cache[i], 0, __ATOMIC_RELAXED);
}

void selection_add(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end)
{
	struct selected *object = nr_choices ? free_slot() : NULL;
	struct search search = { path, bias, object };

	if (!object)
		return;
	*object = (struct selected){ .begin = begin, .of_all = VERDICT_PLAIN };
	for (uint32_t i = 0; i < nr_choices; i++) {
		if (!choices[i].pattern.may_be_place || !glob_fits_path(&choices[i].pattern.name, path))
			continue;
		choices[i].is_known = true;
		object->of_all = choices[i].verdict > object->of_all ? choices[i].verdict : object->of_all;
	}
	symbol_file_each(path, look_at, &search);
	sort(object->functions, object->nr);
	__atomic_store_n(&object->end, end, __ATOMIC_RELEASE);
	forget(begin, end);
}

void selection_remove(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < nr_objects; i++) {
		if (objects[i].begin != begin || objects[i].end != end)
			continue;
		__atomic_store_n(&objects[i].end, 0, __ATOMIC_RELEASE);
		if (objects[i].functions)
			sys_munmap(objects[i].functions, objects[i].bytes);
	}
	if (nr_choices)
		forget(begin, end);
}

/* ---- the question ---- */

static enum verdict verdict_in(const struct selected *object, uint64_t addr)
{
	uint64_t low = 0, high = object->nr, wanted = addr << VERDICT_BITS | VERDICT_MASK;

	while (low < high) { /* to the last entry that is not above: several symbols may share an address */
		uint64_t middle = low + (high - low) / 2;

		if (object->functions[middle] <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && object->functions[low - 1] >> VERDICT_BITS == addr) {
		enum verdict own = (enum verdict)(object->functions[low - 1] & VERDICT_MASK);

		return own > object->of_all ? own : object->of_all;
	}
	return object->of_all;
}

static enum verdict verdict_of_function(uint64_t addr)
{
	uint32_t nr;

	modules_know(addr);
	nr = __atomic_load_n(&nr_objects, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < nr; i++) {
		uintptr_t end = __atomic_load_n(&objects[i].end, __ATOMIC_ACQUIRE);

		if (addr < end && addr >= objects[i].begin)
			return verdict_in(&objects[i], addr);
	}
	return VERDICT_PLAIN;
}

static enum verdict verdict_of_region(uint64_t region)
{
	const struct label *label = label_numbered((uint32_t)log_region_label(region));
	enum verdict verdict = VERDICT_PLAIN;

	for (uint32_t i = 0; label && i < nr_choices; i++)
		if (!choices[i].pattern.place.bytes && glob_fits(&choices[i].pattern.name, label->text) &&
		    choices[i].verdict > verdict)
			verdict = choices[i].verdict;
	return verdict;
}

NOINLINE enum verdict selection_look_up(uint64_t function_addr)
{
	enum verdict verdict = function_addr & LOG_FUNCTION_REGION ? verdict_of_region(function_addr) :
			       verdict_of_function(function_addr);

	__atomic_store_n(&selection_cache[(function_addr >> 4) % SELECTION_CACHE],
			 function_addr << VERDICT_BITS | verdict, __ATOMIC_RELAXED);
	return verdict;
}

static void tell_unknown(const struct choice *choice)
{
	char line[SETTING_TEXT_MAX + 256];
	struct text text;

	text_init(&text, line, sizeof(line));
	text_add(&text, choice->setting);
	text_add(&text, ": no function that is loaded is called '");
	text_add_bytes(&text, choice->pattern.whole.start, choice->pattern.whole.bytes);
	text_add(&text, *choice->near ? "'; did you mean " : "', if it is no region of the source (");
	text_add(&text, *choice->near ? choice->near
				      : "insideme-report -v functions of a run without it lists names");
	text_add(&text, *choice->near ? "?" : ")");
	say_line(line);
}

void selection_tell_unknown(void)
{
	bool is_news = false;

	for (uint32_t i = 0; i < nr_choices; i++) {
		if (choices[i].is_known)
			continue;
		is_news = is_news || say_is_news(MESSAGE_SELECTION);
		if (is_news)
			tell_unknown(&choices[i]);
	}
}
