/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which field a function belongs to. */
#include "analyzer/read/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/selector.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/nodes_read.h"

/* Names that programs have if they are compiled with hooks or wrapped: C, C++ and POSIX. */
static const char presets[] =
	"MPI_File_* = I/O; MPI_* = communication; PMPI_* = communication; mpi_* = communication; "
	"boost::mpi::* = communication;"
	"socket = communication; connect = communication; accept = communication; accept4 = communication;"
	"listen = communication; send = communication; sendto = communication; sendmsg = communication;"
	"recv = communication; recvfrom = communication; recvmsg = communication;"
	"malloc = memory; calloc = memory; realloc = memory; free = memory; aligned_alloc = memory; "
	"posix_memalign = memory;"
	"operator new = memory; operator new[[]] = memory; operator delete = memory; "
	"operator delete[[]] = memory;"
	"std::allocator*::* = memory; std::allocator_traits*::* = memory; "
	"__gnu_cxx::new_allocator*::* = memory;"
	"std::__new_allocator*::* = memory;"
	"pthread_mutex_* = synchronisation; pthread_cond_* = synchronisation; "
	"pthread_rwlock_* = synchronisation;"
	"pthread_barrier_* = synchronisation; pthread_join = synchronisation; sem_wait = synchronisation;"
	"sem_post = synchronisation; mtx_* = synchronisation; cnd_* = synchronisation; "
	"omp_*_lock = synchronisation;"
	"std::mutex::* = synchronisation; std::recursive_mutex::* = synchronisation; "
	"std::shared_mutex::* = synchronisation;"
	"std::lock_guard*::* = synchronisation; std::unique_lock*::* = synchronisation; "
	"std::scoped_lock*::* = synchronisation;"
	"std::condition_variable*::* = synchronisation; std::thread::join = synchronisation;"
	"open = I/O; close = I/O; read = I/O; write = I/O; pread = I/O; pwrite = I/O; readv = I/O; "
	"writev = I/O; fsync = I/O;"
	"fopen = I/O; fclose = I/O; fread = I/O; fwrite = I/O; fflush = I/O; fgets = I/O; fputs = I/O; "
	"getline = I/O;"
	"printf = I/O; fprintf = I/O; scanf = I/O; fscanf = I/O;"
	"std::basic_*stream*::* = I/O; std::basic_*buf*::* = I/O; std::getline* = I/O";

/* Cut blanks at both ends. In place. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

static void take_rule(struct field_rules *rules, const char *where, int line, char *text)
{
	char *equals = strrchr(text, '=');	/* the last one: operator== contains some too */
	char *field = equals ? trim(equals + 1) : NULL, *pattern;

	if (!*trim(text))
		return;
	if (!equals) {
		warning("%s:%d: '%s' has no =, expected GLOB = FIELD; the other rules apply", where, line,
			trim(text));
		return;
	}
	*equals = '\0';
	pattern = trim(text);
	if (!*pattern) {
		warning("%s:%d: '= %s' has no pattern, expected GLOB = FIELD; the other rules apply", where,
			line, field);
		return;
	}
	APPEND(rules->rules, rules->nr) = (struct field_rule){ xstrdup(pattern), xstrdup(field) };
}

void field_rules_parse(struct field_rules *rules, const char *where, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *row, *rule;

	for (int line = 1; (row = strsep(&rest, "\n")) != NULL; line++) {
		if (*trim(row) == '#')
			continue;
		while ((rule = strsep(&row, ";")) != NULL)
			take_rule(rules, where, line, rule);
	}
	free(copy);
}

static int read_file(struct field_rules *rules, const char *where, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	if (!file)
		return error("%s: cannot read %s: %s", where, path, strerror(errno));
	length = getdelim(&text, &room, '\0', file);
	if (length < 0 && ferror(file))
		error("%s: cannot read %s: %s", where, path, strerror(errno));
	else if (length > 0)
		field_rules_parse(rules, path, text);
	length = ferror(file) ? -1 : 0;
	free(text);
	fclose(file);
	return (int)length;
}

/*
 * The same for @text, or for the file that it names as @FILE, relative to the folder @cwd (NULL: this one).
 * Return: 0, or -1 after an error()
 */
static int field_rules_read(struct field_rules *rules, const char *where, const char *text, const char *cwd)
{
	char *path;
	int status;

	if (text[0] != '@') {
		field_rules_parse(rules, where, text);
		return 0;
	}
	path = cwd && text[1] != '/' ? xasprintf("%s/%s", cwd, text + 1) : xstrdup(text + 1);
	status = read_file(rules, where, path);
	free(path);
	return status;
}

const char *field_rules_find(const struct field_rules *rules, struct function *function)
{
	for (size_t i = 0; i < rules->nr; i++)
		if (selector_matches(rules->rules[i].pattern, function))
			return rules->rules[i].field;
	return NULL;
}

void field_rules_release(struct field_rules *rules)
{
	for (size_t i = 0; i < rules->nr; i++) {
		free(rules->rules[i].pattern);
		free(rules->rules[i].field);
	}
	free(rules->rules);
	*rules = (struct field_rules){ .nr = 0 };
}

/* Each process may have had other rules. Most have the same. */
static void read_recorded(struct field_rules *rules, const struct model *model)
{
	const char *last = "", *last_cwd = "";

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		const char *text = process_fact(process, "setting.INSIDEME_FIELDS");

		if (!text ||
		    (strcmp(text, last) == 0 && (text[0] != '@' || strcmp(process->cwd, last_cwd) == 0)))
			continue;
		last = text;
		last_cwd = process->cwd;
		/* reports a missing file; other rules apply */
		field_rules_read(rules, "INSIDEME_FIELDS", text, process->cwd);
	}
}

static char *keep_text(struct model *model, char *text)
{
	return APPEND(model->texts, model->nr_texts) = text;
}

/* The first one counts. */
static void take_said(struct process *process)
{
	for (size_t i = 0; process->said && i < process->said->nr_fields; i++) {
		const struct said_field *said = &process->said->fields[i];
		const struct tree_node *node =
			said->thread && !said->thread->left_out ? nodes_path(said->thread, said->node) : NULL;

		if (node && node->function && !node->function->said_field)
			node->function->said_field = said->name;
	}
}

void field_say(struct model *model, struct function *function, const char *field)
{
	if (!function->said_field)
		function->said_field = keep_text(model, xstrdup(field));
}

static int read_rules(struct field_rules *rules, struct model *model, const char *given)
{
	if (given && field_rules_read(rules, "--fields", given, NULL) < 0)
		return -1;
	read_recorded(rules, model);
	for (size_t i = 0; i < model->nr_processes; i++)
		take_said(model->processes[i]);
	return 0;
}

static void apply(struct model *model, const struct field_rules *rules, const struct field_rules *preset,
		  struct function *function)
{
	const char *said = NULL, *field;

	if (function->kind == FUNCTION_PLAIN)
		said = field_rules_find(rules, function) ?: function->said_field;
	function->said_field = said ? keep_text(model, xstrdup(said)) : NULL;
	field = said || function->kind != FUNCTION_PLAIN ? said : field_rules_find(preset, function);
	function->field =
		keep_text(model, field && *field ? xstrdup(field) : xasprintf("@%s", function->short_name));
}

int fields_apply(struct model *model, const char *given)
{
	struct field_rules rules = { .nr = 0 }, preset = { .nr = 0 };
	int status;

	if (model->has_fields)
		return 0;
	status = read_rules(&rules, model, given);
	field_rules_parse(&preset, "presets", presets);
	for (size_t i = 0; i < model->nr_functions && status == 0; i++)
		apply(model, &rules, &preset, model->functions[i]);
	model->has_fields = status == 0;
	field_rules_release(&rules);
	field_rules_release(&preset);
	return status;
}
