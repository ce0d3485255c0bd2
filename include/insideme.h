/* SPDX-License-Identifier: MIT */
/*
 * InsideMe's interface for C and C++: regions that are measured as functions are.
 *
 * Include this file and nothing else: there is nothing to link with (before glibc 2.34: -ldl), and a program that uses it
 * runs everywhere. The recorder is looked for once, when the program starts; where it is not loaded
 * (LD_PRELOAD=libinsideme.so, insideme-run) each call is a test of a pointer. Programs need not be compiled with
 * -finstrument-functions.
 *
 *     #include <insideme.h>
 *
 *     void step(void)
 *     {
 *             INSIDEME_REGION("step");           to the end of the scope
 *             ...
 *             insideme_begin("exchange");
 *             ...
 *             insideme_end("exchange");
 *     }
 *
 * Names are any text without a 0 byte; they are copied, and cut after INSIDEME_NAME_MAX bytes. A program can have some 60,000.
 *
 * Unless said otherwise everything may be called from any thread and from a signal handler: it takes no lock, allocates
 * nothing and keeps errno. Errors are -errno; nothing ever ends the program. -ENODATA: no recorder is loaded.
 */
#ifndef INSIDEME_H
#define INSIDEME_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define INSIDEME_NAME_MAX 255

/* The recorder's side. What changes the meaning of a member gets a new version; new members come at the end. */
#define INSIDEME_VERSION_OF_TABLE 1
struct insideme_recorder {
	uint32_t version;
	uint32_t bytes;
	void (*enter)(void *function, void *call_site);
	void (*exit)(void *function, void *call_site);
	void *(*region)(const char *name);	/* what stands for its function, NULL: for none */
};

#ifndef INSIDEME_RECORDER

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In place, also without optimisation: the recorder tells by the stack who is in which scope. */
#define INSIDEME_INLINE static inline __attribute__((always_inline, unused, no_instrument_function))

/* Each object, the program or a library, has its own. */
struct insideme_link {
	const struct insideme_recorder *recorder;	/* NULL: none is loaded */
	int is_looked_up;
};
__attribute__((weak, visibility("hidden"))) struct insideme_link insideme_link;

/* Before main() and before the constructors of C++; a library's when it is loaded. */
__attribute__((weak, visibility("hidden"), constructor(101), no_instrument_function)) void insideme_look_up(void);
void insideme_look_up(void)
{
	const struct insideme_recorder *recorder;

	if (insideme_link.is_looked_up)
		return;
	insideme_link.is_looked_up = 1;
	/* NULL is RTLD_DEFAULT, which not everybody declares. */
	recorder = (const struct insideme_recorder *)dlsym(NULL, "insideme_recorder");
	if (!recorder)
		dlerror();	/* is the program's again */
	else if (recorder->version == INSIDEME_VERSION_OF_TABLE && recorder->bytes >= sizeof(*recorder))
		insideme_link.recorder = recorder;
}

/**
 * insideme_begin() - begin a region: a call of its own in the call tree, below the function or region that is open
 * @name: of the region
 *
 * Ends by insideme_end() of the same name in the same function. Regions nest, in themselves too.
 *
 * Return: 0, -EINVAL if @name is NULL, -ENOBUFS if there is no room for one more name, -ENODATA
 */
INSIDEME_INLINE int insideme_begin(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	void *region;

	if (!recorder)
		return -ENODATA;
	region = recorder->region(name);
	if (!region)
		return name ? -ENOBUFS : -EINVAL;
	recorder->enter(region, NULL);
	return 0;
}

/**
 * insideme_end() - end the innermost open region of that name
 * @name: as it was begun
 *
 * What was begun in it and has not ended, ends too, and counts as broken. Where no such region is open nothing happens
 * but that it is counted in the log.
 *
 * Return: as insideme_begin()
 */
INSIDEME_INLINE int insideme_end(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	void *region;

	if (!recorder)
		return -ENODATA;
	region = recorder->region(name);
	if (!region)
		return name ? -ENOBUFS : -EINVAL;
	recorder->exit(region, NULL);
	return 0;
}

/* One place in the source that begins a region: its name is looked up once. */
INSIDEME_INLINE void *insideme_scope_begin(void **place, const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	void *region;

	if (!recorder)
		return NULL;
	region = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (__builtin_expect(!region, 0)) {
		region = recorder->region(name);
		__atomic_store_n(place, region, __ATOMIC_RELAXED);
	}
	if (region)
		recorder->enter(region, NULL);
	return region;
}

INSIDEME_INLINE void insideme_scope_end(void **region)
{
	if (*region)
		insideme_link.recorder->exit(*region, NULL);
}

#ifdef __cplusplus
}
#endif

#define INSIDEME_JOIN_AGAIN(a, b) a##b
#define INSIDEME_JOIN(a, b) INSIDEME_JOIN_AGAIN(a, b)

/**
 * INSIDEME_REGION() - a region from here to the end of the scope, however that is left
 * @name: of the region; must be the same each time that this place is come by
 *
 * A statement, or a declaration as it were: not the only statement of an if. Left by return, break, goto, a C++
 * exception or pthread_exit() the region ends there; by longjmp() it ends as broken.
 */
#define INSIDEME_REGION(name) INSIDEME_REGION_OF(name, INSIDEME_JOIN(insideme_place_, __LINE__), \
						 INSIDEME_JOIN(insideme_region_, __LINE__))

#ifdef __cplusplus

#define INSIDEME_REGION_OF(name, place, region) \
	static void *place; \
	const struct insideme_scope region(&place, name)

struct insideme_scope {
	void *region;

	__attribute__((always_inline, no_instrument_function)) insideme_scope(void **place, const char *name)
		: region(insideme_scope_begin(place, name))
	{
	}
	__attribute__((always_inline, no_instrument_function)) ~insideme_scope()
	{
		insideme_scope_end(&region);
	}
};

#else

#define INSIDEME_REGION_OF(name, place, region) \
	static void *place; \
	void *region __attribute__((cleanup(insideme_scope_end), unused)) = insideme_scope_begin(&place, name)

#endif
#endif
#endif
