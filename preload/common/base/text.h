/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text without libc: bounded building, comparing, parsing. It uses no locale, allocation or errno,
 * and may be called from anywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text under construction in the caller's buffer. It always ends with 0; what does not fit is cut. */
struct text {
	char *at;
	char *end;	/* the last byte of the buffer, for the final 0 */
	bool cut;
};

void text_init(struct text *text, char *buffer, size_t bytes);
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_add_char(struct text *text, char c);
void text_add_number(struct text *text, uint64_t number);
/* Add at least @digits digits, with leading zeros. */
void text_add_padded(struct text *text, uint64_t number, int digits);
/* Add hexadecimal digits, without 0x. */
void text_add_hex(struct text *text, uint64_t number);
/* Add "No such file or directory" and the like for the errors that we meet, else "error N". */
void text_add_error(struct text *text, int error);

size_t text_length(const char *string);
bool text_equal(const char *a, const char *b);
bool text_begins(const char *string, const char *prefix);
/* First @c in @string, or NULL. */
const char *text_find(const char *string, char c);
/* Last path component of @path. */
const char *text_base_name(const char *path);
/* Copy, cut to the room, and end with 0. */
void text_copy(char *to, size_t bytes, const char *from);

/* Cut @end off, if @string ends so. */
void text_drop_end(char *string, const char *end);

/*
 * Read a decimal number at *@at, after any blanks, and move *@at past it. Return: 0, -EINVAL
 * without a digit, -ERANGE when it does not fit.
 */
int text_read_u64(const char **at, uint64_t *number);

/*
 * Parse a whole string: "64M", "1.5G", "4096" in bytes (K, M, G, T: powers of 1024). Return: 0 or
 * -EINVAL.
 */
int text_parse_size(const char *string, uint64_t *bytes);
/*
 * Parse a whole string: "10us", "1.5ms", "2s", "100ns", "0" in ns. A number other than 0 needs a
 * unit. Return: 0 or -EINVAL.
 */
int text_parse_time(const char *string, uint64_t *ns);
/* on/off/1/0/yes/no. Return: 0 or -EINVAL. */
int text_parse_switch(const char *string, bool *on);
