/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines are kept one after the other, and said one by one. */
#include "preload/common/run/settings_complaints.h"

#include "preload/common/run/message.h"

void complaints_init(struct complaints *complaints)
{
	text_init(&complaints->text, complaints->buffer, sizeof(complaints->buffer));
}

void complaints_keep(void *context, const char *line)
{
	struct complaints *complaints = context;

	text_add(&complaints->text, line);
	text_add_char(&complaints->text, '\n');
}

void complaints_say(struct complaints *complaints)
{
	char *line = complaints->buffer;

	if (!*line || !say_is_news(MESSAGE_SETTINGS))
		return;
	for (char *p = line; *p; p++) {
		if (*p != '\n')
			continue;
		*p = '\0';
		say_line(line);
		line = p + 1;
	}
}
