/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --gate: runs judged by rules, failures first. Runs that cannot be compared are not judged. */
#include "analyzer/views/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/rank_interval.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/gate_rules.h"
#include "analyzer/model/hook_costs.h"

enum verdict_of_rule { RULE_FAILS, RULE_IS_OPEN, RULE_HOLDS };

static const char *const verdicts[] = {
	[RULE_FAILS] = "fails", [RULE_IS_OPEN] = "cannot tell", [RULE_HOLDS] = "holds",
};

struct gate_row {
	const struct gate_rule *rule;
	enum verdict_of_rule verdict;
	struct function *function;	/* the first that the rule is about; NULL: none */
	double before, after;		/* means of a run; NAN: not known */
	double limit;			/* NAN: not known */
	struct rank_interval interval;	/* after / before; NAN: there is none */
	const char *why;
};

/* The values of both sides. */
struct sides {
	double *before, *after;
	size_t nr_before, nr_after;
};

/* ---- judging ---- */

static double mean_of(const double *values, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	return nr ? sum / (double)nr : NAN;
}

static double least_of(const double *values, size_t nr)
{
	double least = INFINITY;

	for (size_t i = 0; i < nr; i++)
		least = isnan(values[i]) ? NAN : fmin(least, values[i]);
	return least;
}

static double most_of(const double *values, size_t nr)
{
	double most = -INFINITY;

	for (size_t i = 0; i < nr; i++)
		most = fmax(most, values[i]);
	return most;
}

static bool are_known(const double *values, size_t nr)
{
	return nr && !isnan(mean_of(values, nr));
}

/* The verdict on a value between @low and @high, against a limit. */
static enum verdict_of_rule judge_range(enum gate_operator operator, double low, double high, double limit)
{
	if (operator == GATE_EQUAL)
		return low == limit && high == limit ? RULE_HOLDS
		       : low > limit || high < limit ? RULE_FAILS
						     : RULE_IS_OPEN;
	if (operator == GATE_LESS ? high < limit : high <= limit)
		return RULE_HOLDS;
	return (operator == GATE_LESS ? low >= limit : low > limit) ? RULE_FAILS : RULE_IS_OPEN;
}

/* All runs before agree: the least of those after is compared with them. */
static void judge_exactly(struct gate_row *row, const struct sides *sides)
{
	double least = least_of(sides->after, sides->nr_after);

	row->limit = sides->before[0] * (1 + row->rule->percent / 100) + row->rule->amount;
	row->verdict = judge_range(row->rule->operator, least, least, row->limit);
	row->why = sides->nr_after > 1 ? "the least of the runs after, compared exactly" : "compared exactly";
}

static void judge_by_interval(struct gate_row *row, const struct sides *sides)
{
	double base = mean_of(sides->before, sides->nr_before);
	double factor = 1 + row->rule->percent / 100 + (base > 0 ? row->rule->amount / base : 0);

	row->limit = base * factor;
	if (rank_interval(&row->interval, sides->before, sides->nr_before, sides->after, sides->nr_after)) {
		row->why = "by the interval of the ratio, 95 %";
	} else if (least_of(sides->before, sides->nr_before) > 0) {
		row->interval.ratio = mean_of(sides->after, sides->nr_after) / base;
		row->interval.low =
			least_of(sides->after, sides->nr_after) / most_of(sides->before, sides->nr_before);
		row->interval.high =
			most_of(sides->after, sides->nr_after) / least_of(sides->before, sides->nr_before);
		row->why = "by the range of all runs: they vary, and are few";
	} else {
		row->why = "it varies before, and is 0 in a run";
		return;
	}
	row->verdict = judge_range(row->rule->operator, row->interval.low, row->interval.high, factor);
}

static void judge_absolutely(struct gate_row *row, const struct sides *sides)
{
	row->limit = row->rule->amount;
	row->verdict = judge_range(row->rule->operator, least_of(sides->after, sides->nr_after),
				   most_of(sides->after, sides->nr_after), row->limit);
	row->why = "all runs after, against the limit";
}

static void judge(struct gate_row *row, const struct sides *sides)
{
	const struct gate_rule *rule = row->rule;

	row->verdict = RULE_IS_OPEN;
	if (!are_known(sides->after, sides->nr_after) ||
	    (rule->has_base && !are_known(sides->before, sides->nr_before)))
		row->why = "not known of all runs";
	else if (!rule->has_base)
		judge_absolutely(row, sides);
	else if (!rule->figure->varies &&
		 least_of(sides->before, sides->nr_before) == most_of(sides->before, sides->nr_before))
		judge_exactly(row, sides);
	else
		judge_by_interval(row, sides);
}

/* ---- what is not judged ---- */

static bool is_of_time(const struct gate_rule *rule)
{
	return rule->has_base && rule->figure->unit == UNIT_NS;
}

static struct function *first_match(const struct report *report, const char *pattern)
{
	for (size_t i = 0; pattern && i < report->model->nr_functions; i++)
		if (name_matches(pattern, report->model->functions[i]->name))
			return report->model->functions[i];
	return NULL;
}

/*
 * The functions that @pattern matches together: a long one among them makes up for short ones. Times by
 * samples can be compared: what may be wrong with the cost that was subtracted is the same before and after.
 */
static bool are_too_short(const struct report *report, const char *pattern)
{
	struct call_stats sum = { 0 };

	for (size_t i = 0; pattern && i < report->model->nr_functions; i++) {
		const struct function *function = report->model->functions[i];

		if (!name_matches(pattern, function->name))
			continue;
		sum.known_calls += function->stats.known_calls;
		sum.self_ns += function->stats.self_ns;
		if (!call_stats_sample_self(&function->stats))
			sum.self_doubt_ns += function->stats.self_doubt_ns;
	}
	return hook_costs_hide_self(&sum);
}

/* Return: 0, or EXIT_USAGE after an error() */
static int check_rule(const struct gate_rule *rule, const struct report *report)
{
	size_t nr_before = report->before ? report->before->model->nr_runs : 0,
	       nr_after = report->model->nr_runs;
	const struct function *function;

	if (rule->has_base && !report->before)
		return error("--gate: '%s' needs --diff RUN", rule->text), EXIT_USAGE;
	if (is_of_time(rule) && (nr_before < RANKS_LEAST || nr_after < RANKS_LEAST))
		return error("--gate: '%s' is about time, and needs %d runs before and after, not %zu and "
			     "%zu",
			     rule->text, RANKS_LEAST, nr_before, nr_after), EXIT_USAGE;
	function = first_match(report, rule->function);
	if (rule->function && !function && !(report->before && first_match(report->before, rule->function)))
		return error("--gate: no function is called '%s'", rule->function), EXIT_USAGE;
	if (is_of_time(rule) && are_too_short(report, rule->function))
		return error("--gate: %s is too short to time: '%s'", rule->function, rule->text), EXIT_USAGE;
	return 0;
}

/*
 * Settings that decide which calls are recorded, or what recording them takes. A profile of an older version
 * does not have all of them.
 */
static const char *const settings[] = {
	"setting.INSIDEME_THRESHOLD", "setting.INSIDEME_HEAP_SAMPLE", "setting.INSIDEME_SNAPSHOT",
	"setting.INSIDEME_SAMPLE", "setting.INSIDEME_CALL_LINES", "setting.INSIDEME_WAITS",
	"setting.INSIDEME_FOCUS", "setting.INSIDEME_EXCLUDE", "setting.INSIDEME_KEEP",
	"setting.INSIDEME_DEPTH", "setting.INSIDEME_START",
};

/* Return: the name of a setting that @process and @like differ in; NULL: there is none */
static const char *other_setting(const struct process *process, const struct process *like)
{
	if (process->header.timing != like->header.timing)
		return "INSIDEME_TIMING";
	if (process->header.heap_bytes != like->header.heap_bytes)
		return "INSIDEME_HEAP";
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const char *own = process_fact(process, settings[i]);
		const char *wanted = process_fact(like, settings[i]);

		if (own && wanted && strcmp(own, wanted) != 0)
			return strchr(settings[i], '.') + 1;
	}
	return NULL;
}

/* Return: what makes a run another one than @like; NULL: nothing but, maybe, its settings */
static const char *difference(const struct model *model, uint32_t run, const struct process *like)
{
	const struct process *first = model_first_process(model, run);
	uint64_t nr_lost = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run)
			nr_lost += model->processes[i]->header.losses[LOG_LOST_CALLS];
	if (nr_lost)
		return "calls are missing from it";
	if (!first)
		return "it has no process";
	if (first->end_kind != like->end_kind || first->end_status != like->end_status)
		return "it ended otherwise than the first run";
	if (!first->header.has_hooks != !like->header.has_hooks)
		return first->header.has_hooks ? "it has hooks, which the first run has not"
					       : "it has no hooks, which the first run has";
	return NULL;
}

static int check_runs(const struct report *report, const struct process *like, const char *side)
{
	if (report_has_damage(report))
		return error("the runs %s are not judged: a log of them is damaged, or could not be read",
			     side), EXIT_FAILURE;
	for (uint32_t run = 0; run < report->model->nr_runs; run++) {
		const char *name = report->model->run_names[run];
		const char *what = difference(report->model, run, like), *setting;

		if (what)
			return error("%s is not judged: %s", name, what), EXIT_FAILURE;
		setting = other_setting(model_first_process(report->model, run), like);
		if (setting)
			return error("%s is not judged: it has other settings than the first run (%s)", name,
				     setting), EXIT_FAILURE;
	}
	return 0;
}

/* Times on different processors differ as changes of the program would make them. */
static bool have_other_processor(const struct report *report)
{
	const struct model *sides[] = { report->model, report->before ? report->before->model : NULL };
	const char *known = NULL;

	for (size_t side = 0; side < 2 && sides[side]; side++)
		for (size_t i = 0; i < sides[side]->nr_processes; i++) {
			const char *model = process_fact(sides[side]->processes[i], "cpu_model");

			if (model && known && strcmp(model, known) != 0)
				return true;
			known = model ?: known;
		}
	return false;
}

/* ---- the table ---- */

enum { GATE_RULE, GATE_VERDICT, GATE_WHY };

static struct value get_text(const struct column *column, const void *row)
{
	const struct gate_row *of = row;
	const char *const texts[] = { of->rule->text, verdicts[of->verdict], of->why };
	struct value value = value_text(texts[column->index]);

	value.is_literal = true;
	return value;
}

enum { GATE_BEFORE, GATE_AFTER, GATE_LIMIT };

static struct value get_number(const struct column *column, const void *row)
{
	const struct gate_row *of = row;
	const double numbers[] = { of->before, of->after, of->limit };

	return value_real(of->rule->figure->unit, numbers[column->index]);
}

enum { GATE_CHANGE, GATE_LOW, GATE_HIGH };

static struct value get_change(const struct column *column, const void *row)
{
	const struct gate_row *of = row;
	const double ratios[] = { of->before > 0 ? of->after / of->before : NAN, of->interval.low,
				  of->interval.high };

	return value_real(UNIT_PERCENT, column->index == GATE_CHANGE && !isnan(of->interval.ratio)
						? 100 * (of->interval.ratio - 1)
						: 100 * (ratios[column->index] - 1));
}

static const struct column columns[] = {
	{ "verdict", "Verdict", COLUMN_LEFT, get_text, GATE_VERDICT },
	{ "rule", "Rule", COLUMN_LEFT, get_text, GATE_RULE },
	{ "before", "Before", 0, get_number, GATE_BEFORE },
	{ "after", "After", 0, get_number, GATE_AFTER },
	{ "limit", "Limit", 0, get_number, GATE_LIMIT },
	{ "change_percent", "Change", 0, get_change, GATE_CHANGE },
	{ "change_low_percent", "from", 0, get_change, GATE_LOW },
	{ "change_high_percent", "to", 0, get_change, GATE_HIGH },
	{ "source", "Source", COLUMN_LEFT | COLUMN_SPARE, MEMBER_FUNCTION(struct gate_row, function,
	  CELL_SOURCE) },
	{ "why", "How", COLUMN_LEFT | COLUMN_SPARE, get_text, GATE_WHY },
};

static int failures_first(const void *a, const void *b)
{
	const struct gate_row *x = a, *y = b;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	return x->rule < y->rule ? -1 : 1;
}

static struct gate_row judge_rule(const struct gate_rule *rule, const struct report *report,
				  bool other_processor)
{
	struct gate_row row = { .rule = rule, .function = first_match(report, rule->function), .limit = NAN,
				.interval = { NAN, NAN, NAN } };
	struct sides sides = { .nr_after = report->model->nr_runs };

	sides.after = figure_values(rule->figure, rule->function, report);
	if (report->before) {
		sides.nr_before = report->before->model->nr_runs;
		sides.before = figure_values(rule->figure, rule->function, report->before);
	}
	row.before = mean_of(sides.before, sides.nr_before);
	row.after = mean_of(sides.after, sides.nr_after);
	judge(&row, &sides);
	if (other_processor && is_of_time(rule)) {
		row.verdict = RULE_IS_OPEN;
		row.why = "the runs had different processors";
	}
	free(sides.before);
	free(sides.after);
	return row;
}

static void conclude(struct document *document, struct report *report, const struct gate_row *rows, size_t nr)
{
	size_t counts[RULE_HOLDS + 1] = { 0 };

	for (size_t i = 0; i < nr; i++)
		counts[rows[i].verdict]++;
	report->failed = counts[RULE_FAILS] || (report->options->strict && counts[RULE_IS_OPEN]);
	document_add(document, "Gate", document_text(document,
		"%zu of %zu rules %s, %zu hold, %zu cannot be decided%s", counts[RULE_FAILS], nr,
		counts[RULE_FAILS] == 1 ? "fails" : "fail", counts[RULE_HOLDS], counts[RULE_IS_OPEN],
		report->options->strict && counts[RULE_IS_OPEN] ? ", which fails by --strict" : ""));
}

/* Below failures: which functions changed most in what fails. */
static void add_changes(struct document *document, struct report *report, const struct gate_row *rows,
			size_t nr)
{
	const char **failed = document_new(document, nr * sizeof(*failed));
	size_t first = document->nr_sections, nr_failed = 0;

	if (!report->failed || !report->diff)
		return;
	if (report->options->columns || report->options->sort)	/* these name columns of the rules alone */
		return;
	for (size_t i = 0; i < nr; i++)
		if (rows[i].verdict == RULE_FAILS ||
		    (rows[i].verdict == RULE_IS_OPEN && report->options->strict))
			failed[nr_failed++] = rows[i].rule->figure->name;
	view_functions_diff_of(document, report, failed, nr_failed);
	for (size_t i = first; i < document->nr_sections; i++)
		if (document->sections[i].table)
			document->sections[i].table->formats &= IN_TEXT;
}

int view_gate(struct document *document, struct report *report)
{
	const struct gate_rules *rules = report->gate;
	const struct process *like = model_first_process((report->before ?: report)->model, 0);
	struct gate_row *list = document_new(document, rules->nr * sizeof(*list));
	bool other_processor = have_other_processor(report);
	int status = like ? 0 : (error("--gate: no process was recorded"), EXIT_FAILURE);

	for (size_t i = 0; i < rules->nr && status == 0; i++)
		status = check_rule(&rules->list[i], report);
	if (status == 0)
		status = check_runs(report, like, "after");
	if (status == 0 && report->before)
		status = check_runs(report->before, like, "before");
	if (status)
		return status;
	for (size_t i = 0; i < rules->nr; i++)
		list[i] = judge_rule(&rules->list[i], report, other_processor);
	qsort(list, rules->nr, sizeof(*list), failures_first);
	conclude(document, report, list, rules->nr);
	document_add_table(document, &(struct table){
		.name = "gate",
		.title = report->title,
		.what = "rules",
		.note = "before, after: means of a run; change: of the ratio after / before, with its "
			"interval of 95 %",
		TABLE_COLUMNS(columns),
		.fixed = true,
		.rows = TABLE_ROWS(list, rules->nr),
		.formats = IN_TEXT | IN_CSV | IN_JSON | IN_JUNIT,
		.apart = true,
	});
	add_changes(document, report, list, rules->nr);
	return 0;
}
