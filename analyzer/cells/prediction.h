/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the run would take, compiled as excludes.h says. */
#ifndef INSIDEME_PREDICTION_H
#define INSIDEME_PREDICTION_H

#include "analyzer/cells/flag_advice.h"

struct prediction {
	double ns;		/* NAN: not known */
	double doubt_ns;	/* what it is off by */
};

/* Where threads or processes ran at once it is that of the thread that made most calls: at most so long. */
struct prediction prediction_of(const struct excludes *excludes, const struct model *model);

#endif
