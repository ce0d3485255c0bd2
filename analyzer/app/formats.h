/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats. */
#pragma once

#include "analyzer/formats/formats.h"

extern const struct format formats[];	/* ends with a name of NULL */
/* NULL: there is none of that name. */
const struct format *format_find(const char *name);
