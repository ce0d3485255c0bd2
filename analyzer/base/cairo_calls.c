/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading cairo. */
#include "analyzer/base/cairo_calls.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "analyzer/base/error.h"

static struct cairo_calls calls;

static bool find(void *library, const char *name, void *place)
{
	void *symbol = dlsym(library, name);

	memcpy(place, &symbol, sizeof(symbol));
	return symbol;
}

const struct cairo_calls *cairo_load(void)
{
	void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
	bool all = library;

#define FIND(name) all = all && find(library, "cairo_" #name, &calls.name);
	CAIRO_CALLS(FIND)
#undef FIND
	if (all)
		return &calls;
	error("pictures need libcairo.so.2, which is not installed (Debian: libcairo2)");
	return NULL;
}
