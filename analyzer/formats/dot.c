/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts that all graphs for graphviz share: text, colours, and the file. */
#include "analyzer/formats/dot.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/utf8.h"
#include "analyzer/formats/export.h"

#define TEXT_MAX_BYTES 4096	/* as gprof2dot: graphviz refuses text of more than 16,384 bytes */

static double channel(double m1, double m2, double hue)
{
	hue -= floor(hue);
	return hue * 6 < 1 ? m1 + (m2 - m1) * hue * 6
	       : hue * 2 < 1 ? m2
	       : hue * 3 < 2 ? m1 + (m2 - m1) * (2.0 / 3 - hue) * 6 : m1;
}

void dot_color(FILE *out, double hue, double saturation, double lightness)
{
	double m2 = lightness + saturation * fmin(lightness, 1 - lightness), m1 = 2 * lightness - m2;

	fprintf(out, "\"#%02x%02x%02x\"", (unsigned int)lround(255 * channel(m1, m2, hue + 1.0 / 3)),
		(unsigned int)lround(255 * channel(m1, m2, hue)),
		(unsigned int)lround(255 * channel(m1, m2, hue - 1.0 / 3)));
}

void dot_text(FILE *out, const char *text)
{
	char *clean = utf8_cleaned(text);
	bool is_cut = strlen(clean) > TEXT_MAX_BYTES;

	if (is_cut) {
		clean[TEXT_MAX_BYTES] = '\0';
		utf8_drop_cut(clean);
	}
	for (const char *p = clean; *p; p++) {
		if (*p == '"' || *p == '\\')
			putc('\\', out);
		putc((unsigned char)*p < ' ' ? ' ' : *p, out);
	}
	fputs(is_cut ? "..." : "", out);
	free(clean);
}

void dot_tooltip(FILE *out, const struct function *function)
{
	fputs("tooltip=\"", out);
	dot_text(out, function->name);
	if (function->file) {
		fputs("\\n", out);
		dot_text(out, function->file);
		fprintf(out, ":%u", function->line);
	}
	putc('"', out);
}

/* ---- the file ---- */

/* "pdf" of "graph.pdf"; NULL: it is no picture */
static const char *picture_of(const struct options *options)
{
	static const char *const kinds[] = { "pdf", "svg", "png" };
	const char *dot = options->output ? strrchr(options->output, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(dot + 1, kinds[i]) == 0)
			return kinds[i];
	return NULL;
}

bool dot_can_draw(void)
{
	return system("command -v dot >/dev/null 2>&1") == 0;
}

/* graphviz reads @graph, and writes the picture to @picture. */
static bool draw(FILE *graph, FILE *picture, const char *kind)
{
	char *type = xasprintf("-T%s", kind), *command[] = { "dot", type, NULL };
	posix_spawn_file_actions_t actions;
	int status = -1, result;
	pid_t pid;

	rewind(graph);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(graph), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
	result = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(type);
	if (result)
		return error("cannot run dot, of graphviz: %s", strerror(result)), false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 || (error("dot could not draw the graph"), false);
}

static bool write_picture(FILE *picture, const char *kind, void (*write)(void *of, FILE *out), void *of)
{
	FILE *graph = tmpfile();
	bool done;

	if (!graph)
		return error("cannot make a temporary file: %s", strerror(errno)), false;
	write(of, graph);
	done = draw(graph, picture, kind);
	fclose(graph);
	return done;
}

int dot_file(const struct report *report, void (*write)(void *of, FILE *out), void *of)
{
	const char *picture = picture_of(report->options);
	struct whole_file file;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	if (!picture)
		write(of, file.out);
	else if (!write_picture(file.out, picture, write, of))
		return whole_file_close(&file, false), EXIT_FAILURE;
	return export_close(&file);
}
