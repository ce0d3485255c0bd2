/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function names as text: shortened, fitted to a width, matched by a pattern; and which existing names
 * were perhaps meant by one that does not exist. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct glob;

/*
 * A symbol as the source names it. Link-time optimization numbers local functions to make their names
 * unique ("sort.lto_priv.0"). Return: newly allocated; the caller frees it
 */
char *name_in_source(const char *symbol);

/*
 * Length of a name, demangled or not, without the marks of copies and parts that the compiler made:
 * "sort.isra.0", "run(int) [clone .part.1]".
 */
size_t name_length_in_source(const char *name);

/* The last part of a path: "a.c" of "/src/a.c". Return: within @path; "" if that is NULL */
const char *path_base(const char *path);
/* Is it that of an installed header: "/usr/include/zlib.h", "/opt/include/c++/12/mutex"? */
bool path_is_header(const char *path);

/* Demangle a C++ symbol. Return: newly allocated; NULL if it is not one */
char *name_demangled(const char *symbol);

/* A C++ type as the source names it, from the name in its type_info. Return: newly allocated */
char *name_of_type(const char *mangled);

/**
 * name_short() - a function's name without parameters, return type and qualifiers
 *
 * "void Index::insert<int>(int) const" becomes "Index::insert<int>". A name without these is copied.
 *
 * Return: newly allocated; the caller frees it
 */
char *name_short(const char *name);

/*
 * A short name without its template arguments: "Index::insert". Return: newly allocated; the caller
 * frees it
 */
char *name_plain(const char *short_name);

/**
 * name_fit() - shorten a name to at most @width columns
 * @cut: stands for each part left out: "..." or one character of UTF-8
 *
 * Anonymous namespaces go first. Then template arguments go, inner ones before outer ones. Then leading
 * namespaces and classes go, if what is left fills half of the width. Then the middle goes, because the end
 * says most.
 *
 * Return: newly allocated; the caller frees it
 */
char *name_fit(const char *name, size_t width, const char *cut);
/* For names that name_fit() makes the same: the end, which has the arguments of a function's template. */
char *name_fit_end(const char *name, size_t width, const char *cut);

/* The first columns of a text, and @cut at the end: @width columns together. Return: newly allocated */
char *text_fit(const char *text, size_t width, const char *cut);

/* --strip-dirs: paths of source files are shown without or with their folders; else each view as it does. */
enum shown_paths { PATHS_AS_EVER, PATHS_SHORT, PATHS_WHOLE };
void paths_show(enum shown_paths how);
/* @path as --strip-dirs asks for it: in csv and json, and in text. NULL if @path is NULL. */
const char *path_in_data(const char *path);
const char *path_in_text(const char *path);

/*
 * Whether @pattern matches the full name, the name without parameters, or without template arguments as well:
 * literally, or as a glob.
 */
bool name_matches(const char *pattern, const char *name);
/* The same, for a caller that has the name without parameters. */
bool name_matches_either(const struct glob *glob, const char *name, const char *short_name);

#define NEAREST_MAX 3

struct nearest {
	const char *wanted;
	char *names[NEAREST_MAX];	/* nearest first */
	size_t distances[NEAREST_MAX];
	size_t nr;
};

/* Set .wanted and leave the rest 0, then add every name that exists. Only near ones are kept. */
void nearest_add(struct nearest *nearest, const char *name);
/* "; did you mean calls or callers?", or "". Frees what @nearest holds. Return: newly allocated */
char *nearest_text(struct nearest *nearest);

/* UTF-8 of any bytes: malformed ones become U+FFFD. The caller frees it. */
char *utf8_cleaned(const char *text);
