/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of texts, for files that have each text once. All 0 at first. */
#pragma once

#include "analyzer/base/hashtable.h"

struct text_numbers {
	struct hashtable by_text;
};

/* The number of @text: 0 for the first one, and so on. *@is_new: this is the first call with it. */
uint64_t text_number(struct text_numbers *numbers, const char *text, bool *is_new);
void text_numbers_release(struct text_numbers *numbers);
