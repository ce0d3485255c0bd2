/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMetrics 1.0, which GitLab shows beside a merge request: the figures that --gate has of runs, times in
 * seconds, and what is in doubt. If there are several runs, each has its number, from 1, as a label.
 */
#include "analyzer/formats/export.h"

#include <stdlib.h>

#include "analyzer/base/names.h"
#include "analyzer/cells/run_values.h"
#include "analyzer/tables/table_text.h"

struct metrics {
	FILE *out;
	struct row_text line;
	const struct report *report;
	size_t nr_doubts;
};

static void add_label(struct row_text *line, const char *name, const char *text)
{
	char *clean = utf8_cleaned(text);

	row_add_text(line, name);
	row_add_text(line, "=\"");
	for (const char *p = clean; *p; p++) {
		if (*p == '"' || *p == '\\' || *p == '\n')
			row_add_char(line, '\\');
		row_add_char(line, *p == '\n' ? 'n' : *p);
	}
	row_add_char(line, '"');
	free(clean);
}

/* "cpu_ns" is insideme_cpu_seconds. */
static void write_head(struct metrics *metrics, const struct figure *figure, char *name, size_t bytes)
{
	bool is_time = figure->unit == UNIT_NS;

	snprintf(name, bytes, "insideme_%.*s%s", (int)(strlen(figure->name) - (is_time ? strlen("_ns") : 0)),
		 figure->name, is_time ? "_seconds" : "");
	fprintf(metrics->out, "# TYPE %s gauge\n", name);
	if (is_time || figure->unit == UNIT_BYTES)
		fprintf(metrics->out, "# UNIT %s %s\n", name, is_time ? "seconds" : "bytes");
}

static void write_value(struct metrics *metrics, const char *name, uint32_t run, double value)
{
	struct row_text *line = &metrics->line;

	row_add_text(line, name);
	add_label(line, "{program", report_program(metrics->report));
	if (metrics->report->model->nr_runs > 1) {
		row_add_json_integer(line, ",run=\"", run + 1);
		row_add_char(line, '"');
	}
	row_add_text(line, "} ");
	row_add_real(line, value);
	row_end(line, metrics->out);
}

static void write_figure(struct metrics *metrics, const struct figure *figure)
{
	double *values = figure_values(figure, NULL, metrics->report);
	char name[64] = "";

	for (uint32_t run = 0; run < metrics->report->model->nr_runs; run++) {
		if (isnan(values[run]))
			continue;
		if (!name[0])
			write_head(metrics, figure, name, sizeof(name));
		write_value(metrics, name, run, figure->unit == UNIT_NS ? values[run] / 1e9 : values[run]);
	}
	free(values);
}

static void write_doubt(void *of, const char *text)
{
	struct metrics *metrics = of;

	if (!metrics->nr_doubts++)
		fputs("# TYPE insideme_doubt info\n", metrics->out);
	add_label(&metrics->line, "insideme_doubt_info{text", text);
	row_add_json_integer(&metrics->line, ",number=\"", (int64_t)metrics->nr_doubts);
	row_add_text(&metrics->line, "\"} 1");
	row_end(&metrics->line, metrics->out);
}

int export_openmetrics(struct report *report)
{
	struct metrics metrics = { .report = report };
	struct whole_file file;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	metrics.out = file.out;
	for (const struct figure *figure = figures; figure->name; figure++)
		if (figure_is_of_runs(figure))
			write_figure(&metrics, figure);
	export_doubts(report->model, write_doubt, &metrics);
	fputs("# EOF\n", file.out);
	row_text_release(&metrics.line);
	return export_close(&file);
}
