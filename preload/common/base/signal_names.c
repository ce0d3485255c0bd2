/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Their names. */
#include "preload/common/base/signal_names.h"

#include <errno.h>
#include <signal.h>

#include "preload/common/base/text.h"

#define FIRST_REALTIME	34u	/* below: libc's own */
#define LAST_REALTIME	64u

static const struct {
	const char *name;
	int number;
} names[] = {
	{ "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "TERM", SIGTERM },
	{ "CONT", SIGCONT }, { "URG", SIGURG }, { "VTALRM", SIGVTALRM }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH }, { "IO", SIGIO },
	{ "PWR", SIGPWR },
};

/* "RTMIN", "RTMIN+3" */
static int parse_realtime(const char *text, uint64_t *number)
{
	uint64_t above = 0;

	if (!text_begins(text, "RTMIN"))
		return -EINVAL;
	text += sizeof("RTMIN") - 1;
	if (*text && (*text++ != '+' || !*text))
		return -EINVAL;
	for (; *text >= '0' && *text <= '9' && above <= LAST_REALTIME; text++)
		above = above * 10 + (uint64_t)(*text - '0');
	if (*text || above > LAST_REALTIME - FIRST_REALTIME)
		return -EINVAL;
	*number = FIRST_REALTIME + above;
	return 0;
}

int signal_parse(const char *text, uint64_t *number)
{
	*number = 0;
	if (text_equal(text, "off"))
		return 0;
	if (text_begins(text, "SIG"))
		text += sizeof("SIG") - 1;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!text_equal(text, names[i].name))
			continue;
		*number = (uint64_t)names[i].number;
		return 0;
	}
	return parse_realtime(text, number);
}
