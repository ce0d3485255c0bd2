/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far times can be trusted: what was not timed, and what is too short. */
#include "analyzer/summary/doubts.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/function_resources.h"
#include "analyzer/cells/flag_advice.h"
#include "analyzer/counted/counted_samples.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/profile/profile_totals.h"
#include "analyzer/resources/series.h"

void findings_add(struct findings *findings, const char *name, enum unit unit, double number, bool is_doubt,
		  const char *text)
{
	APPEND(findings->list, findings->nr) = (struct finding){ name, unit, number, text, is_doubt };
}

char *findings_number(struct findings *findings, enum unit unit, double number)
{
	return unit_format(document_new(findings->document, UNIT_TEXT_MAX), unit, number);
}

/* Functions that timing auto counted, and how well their time is known. */
struct counted {
	uint64_t calls, samples;
	double sampled_ns;
	size_t nr_functions;
	uint64_t calls_without_time;
	size_t nr_without_time;
	double callers_ns;	/* of their samples: in the time of their recorded callers */
	double hidden_ns;	/* time of their first calls */
};

static struct counted sum_counted(const struct model *model)
{
	struct counted sum = { 0 };

	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];
		const struct call_stats *stats = &function->stats;

		if (!function->is_counted)
			continue;
		sum.nr_functions++;
		sum.calls += stats->counted_calls;
		sum.sampled_ns += stats->sampled_ns;
		sum.samples += call_stats_know_self(stats) ? function->samples.nr : 0;
		if (call_stats_know_self(stats))
			continue;
		sum.nr_without_time++;
		sum.calls_without_time += stats->calls;
		sum.callers_ns += function->samples.ns;
		sum.hidden_ns += fmax(stats->self_ns, 0);
	}
	return sum;
}

#define HIDDEN_MOST 5	/* percent of the time that may be in no row without a word */

/* May the CPU time of all functions be off by more than a quarter? */
static bool around_hides_times(const struct model *model)
{
	double cpu_ns = model->used_ns[USE_CPU_NS];

	return AROUND_ERROR * model->around_ns >
	       HOOK_DOUBT_MARKED * (cpu_ns > 0 ? cpu_ns : model->functions_ns);
}

static void add_counted_functions(struct findings *findings, const struct model *model)
{
	const struct counted sum = sum_counted(model);
	double hidden_percent = model->functions_ns > 0 ? 100 * sum.hidden_ns / model->functions_ns : 0;

	if (!sum.nr_functions)
		return;
	findings_add(
		findings, "counted_calls", UNIT_COUNT, (double)sum.calls, false,
		document_text(
			findings->document,
			"%s of %s calls were counted, not timed: those of %zu functions too short for hooks; "
			"counts are exact; their single calls, percentiles, minima and maxima are not known",
			findings_number(findings, UNIT_COUNT, (double)sum.calls),
			findings_number(findings, UNIT_COUNT, (double)model->calls), sum.nr_functions));
	if (sum.samples)
		findings_add(findings, "sampled_ns", UNIT_NS, sum.sampled_ns, false,
			     document_text(findings->document,
					   "%s of CPU time in them, by %" PRIu64 " samples, marked \u2248",
					   findings_number(findings, UNIT_NS, sum.sampled_ns), sum.samples));
	if (sum.nr_without_time)
		findings_add(
			findings, "counted_without_time", UNIT_COUNT, (double)sum.nr_without_time,
			hidden_percent >= HIDDEN_MOST,
			document_text(
				findings->document,
				"%zu counted functions, %s calls, have no time: too few CPU samples met "
				"them and their callers; a longer run has more. Their samples stand for %s, "
				"which is in the time of their recorded callers. Their first calls, which "
				"were timed, took %s of all time; no row has it",
				sum.nr_without_time,
				findings_number(findings, UNIT_COUNT, (double)sum.calls_without_time),
				findings_number(findings, UNIT_NS, sum.callers_ns),
				findings_number(findings, UNIT_PERCENT, hidden_percent)));
	if (model->samples.stubs_ns > 0 && !model->is_raw)
		findings_add(findings, "counting_ns", UNIT_NS, model->samples.stubs_ns, false,
			     document_text(findings->document,
					   "%s of CPU time, by samples, for counting calls; subtracted "
					   "where there were enough samples",
					   findings_number(findings, UNIT_NS, model->samples.stubs_ns)));
	if (model->around_ns > 0)
		findings_add(findings, "around_hooks_ns", UNIT_NS, model->around_ns,
			     around_hides_times(model),
			     document_text(findings->document,
					   "%s of CPU time in functions for calling their hooks, by the "
					   "measured cost of a call; subtracted; its standard error is half "
					   "of it",
					   findings_number(findings, UNIT_NS, model->around_ns)));
}

static void add_uncertain_functions(struct findings *findings, const struct model *model)
{
	bool asked_for = false, is_adaptive = false;
	uint64_t untimed = 0, timed = 0;
	double variance_ns2 = 0;
	size_t bound = 0;

	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct call_stats *stats = &model->functions[i]->stats;

		bound += model->functions[i]->total_is_bound;
		if (stats->calls > stats->timed_calls + stats->open_calls + stats->counted_calls)
			untimed +=
				stats->calls - stats->timed_calls - stats->open_calls - stats->counted_calls;
		timed += stats->timed_calls;
		if (!stats->counted_calls)
			variance_ns2 = fmax(variance_ns2, stats->self_variance_ns2);
	}
	for (size_t i = 0; i < model->nr_processes; i++)
		asked_for |= model->processes[i]->header.timing != LOG_TIMING_EXACT;
	for (size_t i = 0; i < model->nr_processes; i++)
		is_adaptive |= model->processes[i]->header.timing == LOG_TIMING_ADAPTIVE;
	if (variance_ns2 > 0 && is_adaptive)
		findings_add(
			findings, "estimated_times", UNIT_COUNT, (double)timed, false,
			document_text(
				findings->document,
				"%s calls were timed; other calls of the same paths are assumed to be like "
				"them (INSIDEME_TIMING=adaptive). The largest standard error of a "
				"function's self time is %s. Min and max are of timed calls: a single long "
				"call may be missed. Counts are exact",
				findings_number(findings, UNIT_COUNT, (double)timed),
				findings_number(findings, UNIT_NS, sqrt(variance_ns2))));
	if (untimed)
		findings_add(findings, "calls_without_time", UNIT_COUNT, (double)untimed, !asked_for,
		    document_text(findings->document, "%s of %s calls were not timed",
				  findings_number(findings, UNIT_COUNT, (double)untimed),
				  findings_number(findings, UNIT_COUNT, (double)model->calls)));
	if (bound)
		findings_add(findings, "bounded_totals", UNIT_COUNT, (double)bound, false,
		    document_text(findings->document, "%zu functions were also called under (other paths): "
		    	"their total time may count recursion twice", bound));
}

/* How many functions are too short to be timed with hooks. @share: their percentage of the time */
static size_t count_short(const struct model *model, bool (*is_short)(const struct function *), double *share)
{
	double self_ns = 0;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_functions; i++) {
		if (!is_short(model->functions[i]))
			continue;
		self_ns += model->functions[i]->stats.self_ns;
		nr++;
	}
	*share = model->functions_ns > 0 ? fmax(100 * self_ns / model->functions_ns, 0) : 0;
	return nr;
}

/* For runs where the hooks' cost is not known, or was not subtracted. */
static void add_short_functions(struct findings *findings, const struct model *model)
{
	double share;
	size_t nr = count_short(model, excludes_is_short, &share);

	if (nr)
		findings_add(findings, "short_functions", UNIT_COUNT, (double)nr, share >= 1,
		    document_text(findings->document, "%zu function%s of less than %d ns a call (%s of the "
		    	"time) look%s slower than without hooks: their time, and their callers' time, "
		    	"includes the hooks' cost; counts are exact", nr, nr == 1 ? "" : "s", SHORT_CALL_NS,
				  findings_number(findings, UNIT_PERCENT, share), nr == 1 ? "s" : ""));
}

static bool is_doubtful(const struct function *function)
{
	return !function->is_counted && hook_costs_hide_self(&function->stats);
}

/* Tables print 0 where subtracting the hooks' cost left less. */
static double clamped_ns(const struct model *model)
{
	double sum = 0;

	for (size_t i = 0; i < model->nr_functions; i++)
		sum -= fmin(model->functions[i]->stats.self_ns, 0);
	return sum;
}

static void add_removed(struct findings *findings, const struct model *model)
{
	double share, clamped = clamped_ns(model);
	size_t nr = count_short(model, is_doubtful, &share);

	findings_add(findings, "hooks_ns", UNIT_NS, model->hooks_ns, false,
	    document_text(findings->document, "%s of the hooks' own cost, as measured at the start, were "
	    	"subtracted from times (--raw keeps them); times in -v calls are as recorded",
			  findings_number(findings, UNIT_NS, model->hooks_ns)));
	if (nr)
		findings_add(findings, "doubtful_functions", UNIT_COUNT, (double)nr, share >= 1,
			     document_text(findings->document,
					   "%zu function%s (%s of the time) %s too short to time, "
					   "marked ~; counts are exact",
					   nr, nr == 1 ? "" : "s",
					   findings_number(findings, UNIT_PERCENT, share),
					   nr == 1 ? "is" : "are"));
	if (clamped >= 1)
		findings_add(findings, "clamped_self_ns", UNIT_NS, clamped, false,
			     document_text(findings->document,
					   "%s of self time below 0 are shown as 0: the hooks' "
					   "cost that was subtracted was estimated too high there",
					   findings_number(findings, UNIT_NS, clamped)));
}

/* The value of a setting that leaves calls out while recording; NULL: all calls are recorded. */
static const char *chosen(const struct process *process, const char *setting)
{
	const char *value = process->header.has_hooks ? process_fact(process, setting) : NULL;

	return value && value[0] && strcmp(value, "off") != 0 ? value : NULL;
}

const char *settings_that_left_out(struct document *document, const struct process *process)
{
	static const char *const settings[] = { "setting.INSIDEME_FOCUS", "setting.INSIDEME_EXCLUDE",
						"setting.INSIDEME_DEPTH" };
	const char *names = NULL;

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const char *value = chosen(process, settings[i]);

		if (value)
			names = document_text(document, "%s%s%s=%s", names ? names : "", names ? ", " : "",
					      strchr(settings[i], '.') + 1, value);
	}
	return names;
}

/* The number of these calls is not known, so their hooks' cost cannot be subtracted. */
static void add_hooks_of_left_out(struct findings *findings, const struct model *model)
{
	const char *names = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const char *of_process = settings_that_left_out(findings->document, model->processes[i]);

		names = names ?: of_process;
		nr += of_process != NULL;
	}
	if (nr)
		findings_add(findings, "hooks_of_left_out", UNIT_COUNT, (double)nr, true,
		    document_text(findings->document, "calls that were left out while recording (%s) ran "
		    	"their hooks all the same: the hooks' cost is in the time of their callers", names));
}

/* Bodies of gcc's parallel regions (NAME._omp_fn.0) have no hooks. Our wrappers record most of them. */
static void add_openmp(struct findings *findings, const struct model *model)
{
	uint64_t nr = losses_totals(model).openmp_threads;

	if (nr)
		findings_add(findings, "openmp_threads", UNIT_COUNT, (double)nr, true,
		    document_text(findings->document, "%" PRIu64 " thread%s of OpenMP: only the functions "
		    	"that they call are recorded, because their parallel regions began in no recorded "
		    	"function, or functions were selected while recording; samples of a build without "
		    	"hooks show these regions (insideme-run --sample=250)", nr, nr == 1 ? "" : "s"));
}

#define IO_LEAST_BYTES 65536.0	/* less is the program's start */
#define IO_LEAST_PART  10.0

/* Of all that processes read and wrote: how much is in no function? */
static void add_unplaced_io(struct findings *findings, const struct model *model)
{
	static const char *const names[] = { "read_chars", "write_chars" };
	const struct series_columns columns = { names, 2 };
	struct series series[2];
	double all = 0, left;

	if (!model->use_is_read)
		return;
	series_of_columns(series, model, "process", &columns, 1);
	for (size_t i = 0; i < 2; i++) {
		all += series[i].last > 0 ? series[i].last : 0;
		series_release(&series[i]);
	}
	left = all;
	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function_use *use = model->functions[i]->use;

		for (int kind = USE_READ_CHARS; use && kind <= USE_WRITE_CHARS; kind++)
			left -= isnan(use->self[kind]) ? 0 : use->self[kind];
	}
	if (left > IO_LEAST_BYTES && left > all / IO_LEAST_PART)
		findings_add(findings, "unplaced_io_bytes", UNIT_BYTES, left, false,
			     document_text(findings->document,
					   "%s of the %s that were read and written are in no "
					   "function: it is not known which thread did that, or "
					   "when; -v waits has the bytes of library calls",
					   findings_number(findings, UNIT_BYTES, left),
					   findings_number(findings, UNIT_BYTES, all)));
}

void findings_of_times(struct findings *findings, const struct model *model)
{
	add_hooks_of_left_out(findings, model);
	add_openmp(findings, model);
	add_counted_functions(findings, model);
	add_uncertain_functions(findings, model);
	add_unplaced_io(findings, model);
	if (model->hooks_ns > 0 && !model->is_raw)
		add_removed(findings, model);
	else
		add_short_functions(findings, model);
}
