/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Complaints about settings wait here until the run is known, so that only one process prints them. */
#ifndef INSIDEME_SETTINGS_COMPLAINTS_H
#define INSIDEME_SETTINGS_COMPLAINTS_H

#include "preload/common/base/text.h"

struct complaints {
	struct text text;
	char buffer[2048];
};

void complaints_init(struct complaints *complaints);
/* A settings_complain; @context: the struct complaints. */
void complaints_keep(void *context, const char *line);
void complaints_say(struct complaints *complaints);

#endif
