/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/base/settings: the table, its parser, and which source overrides which. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "insideme_log.h"
#include "test/unit/unit.h"

#include "preload/common/base/settings.h"

struct complaints {
	int number;
	char last[1024];
};

static void note_complaint(void *context, const char *line)
{
	struct complaints *complaints = context;

	complaints->number++;
	snprintf(complaints->last, sizeof(complaints->last), "%s", line);
}

/* Each test runs in an empty directory of its own, below any insideme.conf. */
static int enter_directory(void **state)
{
	char *path = strdup("/tmp/insideme-settings-XXXXXX");

	*state = path;
	return path && mkdtemp(path) && chdir(path) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	unlink("insideme.conf");
	rmdir("sub");
	if (chdir("/") || rmdir(*state))
		return -1;
	free(*state);
	return 0;
}

static void write_conf(const char *text, mode_t mode)
{
	FILE *file = fopen("insideme.conf", "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod("insideme.conf", mode), 0);
}

static struct settings read_settings(char *const *environment, struct complaints *complaints)
{
	static struct settings settings;

	memset(complaints, 0, sizeof(*complaints));
	memset(&settings, 0xaa, sizeof(settings));
	settings_read(&settings, environment, note_complaint, complaints);
	return settings;
}

TEST(ceiling_has_a_size_and_an_action)
{
	static const struct {
		const char *text;
		int error;
		uint64_t bytes;
		uint32_t action;
	} cases[] = {
		{ "off", 0, 0, 0 },
		{ "64M", 0, 64u << 20, LOG_MEMORY_STACK },
		{ "64M:stack", 0, 64u << 20, LOG_MEMORY_STACK },
		{ "2G:stop", 0, 2ull << 30, LOG_MEMORY_STOP },
		{ "1M:abort", 0, 1u << 20, LOG_MEMORY_ABORT },
		{ "1000", -EINVAL, 0, 0 },	{ "64M:", -EINVAL, 0, 0 },
		{ ":stop", -EINVAL, 0, 0 },	{ "64M:stopp", -EINVAL, 0, 0 },
		{ "0000000000000000000000000000000000064M", -EINVAL, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t value = 0;

		assert_int_equal(setting_parse(SETTING_MAX_MEMORY, cases[i].text, &value), cases[i].error);
		if (cases[i].error)
			continue;
		assert_int_equal(settings_ceiling_bytes(value), cases[i].bytes);
		assert_int_equal(settings_ceiling_choice(value), cases[i].action);
	}
}

TEST(every_fallback_is_a_value)
{
	for (int id = 0; id < NR_SETTINGS; id++) {
		uint64_t value;

		assert_non_null(settings_table[id].name);
		assert_non_null(settings_table[id].help);
		if (setting_parse(id, settings_table[id].fallback, &value) != 0)
			fail_msg("%s: its own default is not understood", settings_table[id].name);
	}
}

TEST(names_and_options_belong_together)
{
	for (int id = 0; id < NR_SETTINGS; id++) {
		const char *name = settings_table[id].name, *option = settings_table[id].option;

		assert_memory_equal(name, "INSIDEME_", 9);
		assert_int_equal(strlen(name + 9), strlen(option));
		for (int i = 0; option[i]; i++)
			assert_int_equal(option[i] == '-' ? '_' : option[i] - 32, name[9 + i]);
	}
}

TEST(defaults_without_any_source, enter_directory, leave_directory)
{
	char *environment[] = { "PATH=/bin", NULL };
	struct complaints complaints;
	struct settings settings = read_settings(environment, &complaints);

	assert_int_equal(complaints.number, 0);
	assert_int_equal(settings.value[SETTING_BUDGET], 256 << 20);
	assert_int_equal(settings.value[SETTING_THRESHOLD], 10000);
	assert_int_equal(settings.value[SETTING_TIMING], TIMING_AUTO);
	assert_int_equal(settings.value[SETTING_SNAPSHOT], LOG_SNAPSHOT_HEAP | LOG_SNAPSHOT_RSS);
	assert_string_equal(settings_text(&settings, SETTING_DIR), "insideme.data");
	assert_int_equal(settings.source[SETTING_DIR], FROM_FALLBACK);
}

TEST(no_environment_at_all, enter_directory, leave_directory)
{
	struct complaints complaints;
	struct settings settings = read_settings(NULL, &complaints);

	assert_int_equal(complaints.number, 0);
	assert_int_equal(settings.value[SETTING_THRESHOLD], 10000);
}

TEST(environment_beats_file_beats_default, enter_directory, leave_directory)
{
	char *environment[] = { "INSIDEME_THRESHOLD=0", NULL };
	struct complaints complaints;
	struct settings settings;

	write_conf("# a comment\nINSIDEME_THRESHOLD = 5us\n\nINSIDEME_TIMING = counts\n", 0644);
	settings = read_settings(environment, &complaints);
	assert_int_equal(complaints.number, 0);
	assert_int_equal(settings.value[SETTING_THRESHOLD], 0);
	assert_int_equal(settings.source[SETTING_THRESHOLD], FROM_ENVIRONMENT);
	assert_int_equal(settings.value[SETTING_TIMING], TIMING_COUNTS);
	assert_int_equal(settings.source[SETTING_TIMING], FROM_FILE);
	assert_string_equal(settings_text(&settings, SETTING_TIMING), "counts");
	assert_int_equal(settings.source[SETTING_BUDGET], FROM_FALLBACK);
}

TEST(a_file_above_is_found, enter_directory, leave_directory)
{
	struct complaints complaints;
	struct settings settings;

	write_conf("INSIDEME_BUDGET=1M", 0644);
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(chdir("sub"), 0);
	settings = read_settings(NULL, &complaints);
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(settings.value[SETTING_BUDGET], 1 << 20);
}

TEST(a_file_that_others_can_write_is_left_alone, enter_directory, leave_directory)
{
	struct complaints complaints;
	struct settings settings;

	write_conf("INSIDEME_BUDGET=1M\n", 0666);
	settings = read_settings(NULL, &complaints);
	assert_int_equal(settings.value[SETTING_BUDGET], 256 << 20);
	assert_int_equal(complaints.number, 1);
	assert_non_null(
		strstr(complaints.last, "/insideme.conf: not used, others may write to it (chmod go-w)"));
}

TEST(of_a_damaged_file_nothing_reaches_the_terminal_as_it_is, enter_directory, leave_directory)
{
	struct complaints complaints;

	write_conf("\033[31m\001\377=1\n", 0600);
	read_settings(NULL, &complaints);
	assert_int_equal(complaints.number, 1);
	assert_non_null(strstr(complaints.last, "insideme.conf: ?[31m??: no such setting"));
	write_conf("INSIDEME_BUDGET=\033]0;x\a\n", 0600);
	read_settings(NULL, &complaints);
	assert_non_null(strstr(complaints.last, "insideme.conf: INSIDEME_BUDGET=?]0;x?: not understood"));
}

TEST(a_wrong_value_is_named_and_the_default_used, enter_directory, leave_directory)
{
	char *environment[] = { "INSIDEME_THRESHOLD=soon", NULL };
	struct complaints complaints;
	struct settings settings = read_settings(environment, &complaints);

	assert_int_equal(complaints.number, 1);
	assert_non_null(strstr(complaints.last, "INSIDEME_THRESHOLD"));
	assert_non_null(strstr(complaints.last, "soon"));
	assert_non_null(strstr(complaints.last, "10us"));
	assert_int_equal(settings.value[SETTING_THRESHOLD], 10000);
	assert_int_equal(settings.source[SETTING_THRESHOLD], FROM_FALLBACK);
}

TEST(no_budget_is_below_what_a_log_needs)
{
	uint64_t value;

	assert_int_equal(setting_parse(SETTING_BUDGET, "1M", &value), 0);
	assert_true(setting_parse(SETTING_BUDGET, "1023K", &value) < 0);
	assert_true(setting_parse(SETTING_BUDGET, "0", &value) < 0);
}

TEST(an_unknown_name_is_named, enter_directory, leave_directory)
{
	char *environment[] = { "INSIDEME_TRESHOLD=1us", "INSIDEMEX=1", NULL };
	struct complaints complaints;

	read_settings(environment, &complaints);
	assert_int_equal(complaints.number, 1);
	assert_non_null(strstr(complaints.last, "INSIDEME_TRESHOLD"));
}

TEST(values_of_any_length_are_survived, enter_directory, leave_directory)
{
	static char long_value[20000] = "INSIDEME_DIR=", long_name[20000] = "INSIDEME_";
	char *environment[] = { long_value, long_name, NULL };
	struct complaints complaints;
	struct settings settings;

	memset(long_value + 13, 'x', sizeof(long_value) - 14);
	memset(long_name + 9, 'X', sizeof(long_name) - 10);
	long_name[sizeof(long_name) - 3] = '=';
	settings = read_settings(environment, &complaints);
	assert_int_equal(complaints.number, 2);
	assert_string_equal(settings_text(&settings, SETTING_DIR), "insideme.data");
}

TEST(signals_have_names_but_for_errors)
{
	static const struct {
		const char *text;
		uint64_t number;	/* 0: refused */
	} cases[] = {
		{ "USR1", SIGUSR1 },   { "SIGUSR2", SIGUSR2 }, { "WINCH", SIGWINCH }, { "RTMIN", 34 },
		{ "SIGRTMIN+30", 64 }, { "RTMIN+31", 0 },      { "RTMIN+", 0 },	      { "RTMIN-1", 0 },
		{ "KILL", 0 },	       { "SEGV", 0 },	       { "10", 0 },	      { "", 0 },
		{ "SIG", 0 },
	};
	uint64_t value = 99;

	assert_int_equal(setting_parse(SETTING_SIGNAL, "off", &value), 0);
	assert_int_equal(value, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(setting_parse(SETTING_SIGNAL, cases[i].text, &value) == 0,
				 cases[i].number != 0);
		if (cases[i].number)
			assert_int_equal(value, cases[i].number);
	}
}

TEST(lists_are_sets_of_their_choices)
{
	uint64_t value = 99;

	assert_int_equal(setting_parse(SETTING_SNAPSHOT, "off", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(setting_parse(SETTING_SNAPSHOT, "rss", &value), 0);
	assert_int_equal(value, LOG_SNAPSHOT_RSS);
	assert_int_equal(setting_parse(SETTING_SNAPSHOT, "rss,heap", &value), 0);
	assert_int_equal(value, LOG_SNAPSHOT_RSS | LOG_SNAPSHOT_HEAP);
	assert_int_equal(setting_parse(SETTING_SNAPSHOT, "heap,rss:every", &value), 0);
	assert_int_equal(value, LOG_SNAPSHOT_EVERY | LOG_SNAPSHOT_HEAP);
	assert_true(setting_parse(SETTING_SNAPSHOT, "heap:every", &value) < 0);
	assert_true(setting_parse(SETTING_SNAPSHOT, "rss,", &value) < 0);
	assert_true(setting_parse(SETTING_SNAPSHOT, "", &value) < 0);
	assert_true(setting_parse(SETTING_SNAPSHOT, "rs", &value) < 0);
	assert_true(setting_parse(SETTING_TIMING, "exactly", &value) < 0);
}

TEST(a_step_is_a_size_or_off)
{
	uint64_t value;

	assert_int_equal(setting_parse(SETTING_HEAP_SAMPLE, settings_table[SETTING_HEAP_SAMPLE].bare, &value),
			 0);
	assert_int_equal(value, 512 << 10);
	assert_int_equal(setting_parse(SETTING_HEAP_SAMPLE, "off", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(setting_parse(SETTING_HEAP_SAMPLE, "1", &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(setting_parse(SETTING_HEAP_SAMPLE, "64M", &value), 0);
	assert_true(setting_parse(SETTING_HEAP_SAMPLE, "65M", &value) < 0);
	assert_true(setting_parse(SETTING_HEAP_SAMPLE, "0", &value) < 0);
	assert_true(setting_parse(SETTING_HEAP_SAMPLE, "", &value) < 0);
	assert_true(setting_parse(SETTING_HEAP_SAMPLE, "./server", &value) < 0);
}

TEST(a_rate_is_a_number_or_off)
{
	uint64_t value;

	assert_int_equal(setting_parse(SETTING_SAMPLE, "250", &value), 0);
	assert_int_equal(value, 250);
	assert_int_equal(setting_parse(SETTING_SAMPLE, "off", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(setting_parse(SETTING_SAMPLE, "10000", &value), 0);
	assert_true(setting_parse(SETTING_SAMPLE, "10001", &value) < 0);
	assert_true(setting_parse(SETTING_SAMPLE, "0", &value) < 0);
	assert_true(setting_parse(SETTING_SAMPLE, "", &value) < 0);
	assert_true(setting_parse(SETTING_SAMPLE, "100Hz", &value) < 0);
	assert_true(setting_parse(SETTING_SAMPLE, "18446744073709551866", &value) < 0);
}

