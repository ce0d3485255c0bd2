/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filling a finding. */
#include "preload/monitor/check/check_finding.h"

#include <stdarg.h>
#include <stdio.h>

void finding_set(struct finding *finding, enum works works, const char *advice, const char *format, ...)
{
	va_list arguments;

	finding->works = works;
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice ? advice : "");
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
}
