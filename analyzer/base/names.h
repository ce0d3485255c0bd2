/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function names as text: without parameters, fitted to a width, matched by a pattern. Pure functions.
 */
#ifndef INSIDEME_NAMES_H
#define INSIDEME_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct glob;

/*
 * A symbol as the source has it, to be freed: optimization of whole programs numbers local functions, so that each has a
 * name of its own ("sort.lto_priv.0").
 */
char *name_in_source(const char *symbol);

/* How much of a name, demangled or not, is not of copies and parts that the compiler made: "sort.isra.0", "run(int) [clone .part.1]". */
size_t name_length_in_source(const char *name);

/* A C++ symbol as text, to be freed; NULL: it is none. */
char *name_demangled(const char *symbol);

/* A C++ type as the source has it, by the name that its type_info has. The caller frees it. */
char *name_of_type(const char *mangled);

/**
 * name_short() - a function's name without parameters, return type and qualifiers
 *
 * "void Index::insert<int>(int) const" becomes "Index::insert<int>". A name that has none of these stays.
 *
 * Return: newly allocated; the caller frees it
 */
char *name_short(const char *name);

/* A short name without template arguments: "Index::insert". Return: newly allocated; the caller frees it */
char *name_plain(const char *short_name);

/**
 * name_fit() - shorten a name to at most @width columns
 * @cut: what stands for a part left out: "..." or one character of UTF-8
 *
 * Template arguments go first, the inner ones before the outer ones; then leading namespaces and
 * classes; then the middle: the end tells most.
 *
 * Return: newly allocated; the caller frees it
 */
char *name_fit(const char *name, size_t width, const char *cut);

/* The first @width columns of a text, the last of them @cut; newly allocated. */
char *text_fit(const char *text, size_t width, const char *cut);

/* Columns that UTF-8 text takes on a terminal, each character taken for one column. */
size_t name_width(const char *text);

/* Does @pattern, first as it stands, then as a glob, match the full name or the name without parameters? */
bool name_matches(const char *pattern, const char *name);
/* The same where the name without parameters is known. */
bool name_matches_either(const struct glob *glob, const char *name, const char *short_name);

#define NEAREST_MAX 3

struct nearest {
	const char *wanted;
	char *names[NEAREST_MAX];	/* nearest first */
	size_t distances[NEAREST_MAX];
	size_t nr;
};

/* Begin with .wanted set and all else 0; then each name that exists, far ones are not kept. */
void nearest_add(struct nearest *nearest, const char *name);
/* "; did you mean calls or callers?", or "". The caller frees it; nothing else remains. */
char *nearest_text(struct nearest *nearest);

#endif
