/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: flags that make the next run cheaper and truer. */
#include "summary.h"

#include "excludes.h"

#define CALLS_MIN	100000	/* fewer cost nothing that could be felt */
#define HOOKS_NS	30	/* of one call */
#define SHARE_MIN	0.05	/* of the time in functions */

void summary_flags(struct document *document, const struct model *model)
{
	struct excludes excludes;

	if (model->calls < CALLS_MIN)
		return;
	excludes_find(&excludes, model);
	if (excludes.calls_left * 2 <= model->calls &&
	    (double)excludes.short_calls * HOOKS_NS >= SHARE_MIN * model->functions_ns)
		document_add(document, "Flags", document_text(document,
			"%s of %s calls take less than %d ns, most of it for the hooks. Compile with\n%s%s%s%s%s%s"
			"and at most %s calls are left (clang: -finstrument-functions-after-inlining instead)",
			summary_number(document, UNIT_COUNT, (double)excludes.short_calls),
			summary_number(document, UNIT_COUNT, (double)model->calls), SHORT_CALL_NS,
			excludes.files[0] ? "  -finstrument-functions-exclude-file-list=" : "", excludes.files,
			excludes.files[0] ? "\n" : "",
			excludes.functions[0] ? "  -finstrument-functions-exclude-function-list=" : "", excludes.functions,
			excludes.functions[0] ? "\n" : "",
			summary_number(document, UNIT_COUNT, (double)excludes.calls_left)))->apart = true;
	excludes_release(&excludes);
}
