/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run --check: looks at the program, its objects and the machine. */
#include "preload/monitor/check/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/compiler.h"
#include "preload/common/run/log_create.h"
#include "preload/common/run/rank.h"
#include "preload/monitor/check/ld_so_list.h"
#include "preload/monitor/tools/process_info.h"
#include "preload/monitor/tools/program_kind.h"
#include "preload/monitor/tools/totals.h"

#define HOOK "__cyg_profile_func_enter"
#define LEAST_BYTES (1u << 20)	/* a smaller log is not worth it */

static const struct check *check;	/* what is checked; set by check_print() */
static struct objects_of objects;	/* of its program */

/* One line of the output. */
enum works { WORKS, WORKS_IN_PART, WORKS_NOT };

struct finding {
	enum works works;
	bool is_fatal;			/* the program cannot be recorded at all */
	char text[512];
	char advice[512];		/* "": nothing */
};

/* Fill @finding, like printf. @advice: NULL for none. */
static void __attribute__((format(printf, 4, 5)))
finding_set(struct finding *finding, enum works works, const char *advice, const char *format, ...)
{
	va_list arguments;

	finding->works = works;
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice ? advice : "");
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
}

static void check_loading(struct finding *finding)
{
	const char *older = getenv("LD_PRELOAD");

	if (objects.has_library) {
		finding_set(finding, WORKS, NULL, "libinsideme.so is loaded%s%.200s",
			    older && *older ? ", before " : "", older ? older : "");
		return;
	}
	if (!check->library)
		finding_set(finding, WORKS_NOT, "install it there",
			    "libinsideme.so is not beside insideme-run nor in ../lib/insideme");
	else
		finding_set(finding, WORKS_NOT, NULL, "libinsideme.so is not loaded: %s",
			    objects.complaint[0] ? objects.complaint : "ld.so does not say why");
	finding->is_fatal = true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* libc has hooks that do nothing. A program with hooks of its own keeps those. */
static bool calls_hooks(const struct object_of *object)
{
	return elf_file_symbol(&object->elf, HOOK) == ELF_SYMBOL_USED;
}

static void count_hooks(struct finding *finding)
{
	char names[300] = "";
	size_t used = 0;
	int nr = 0;

	for (int i = 0; i < objects.nr; i++) {
		if (!calls_hooks(&objects.list[i]))
			continue;
		if (nr++ < 5 && used < sizeof(names) - 70)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.60s",
						 used ? ", " : "", base_name(objects.list[i].path));
	}
	if (nr)
		finding_set(finding, WORKS, NULL, "hooks in %d of %d objects: %s%s", nr, objects.nr, names,
			    nr > 5 ? ", ..." : "");
}

static void check_functions(struct finding *finding)
{
	char advice[sizeof(finding->advice)];
	const struct object_of *program = &objects.list[0];

	if (rank_is_launcher(base_name(check->name))) {
		finding_set(finding, WORKS_IN_PART,
			    "check what it starts: insideme-run --check -- PROGRAM",
			    "%.100s itself is not recorded, the programs that it starts are",
			    base_name(check->name));
		return;
	}
	snprintf(advice, sizeof(advice),
		 "compile and link with insideme-cc, or -g -finstrument-functions, or sample it as it is:\n"
		 "%-19s insideme-run --sample=250 --heap-sample=512K -- %.300s",
		 "", check->name);
	finding_set(finding, WORKS_NOT, advice, "no hooks: memory, CPU time and I/O of the whole only");
	if (elf_file_symbol(&program->elf, HOOK) == ELF_SYMBOL_DEFINED)
		finding_set(finding, WORKS_NOT, "leave its " HOOK " out",
			    "the program defines the hooks itself");
	else if (elf_file_symbol(&program->elf, "mcount"))
		finding_set(finding, WORKS_NOT, "use -finstrument-functions instead",
			    "built with -pg (mcount)");
	else if (elf_file_symbol(&program->elf, "__fentry__"))
		finding_set(finding, WORKS_NOT, "use -finstrument-functions instead",
			    "built with -pg -mfentry");
	else if (elf_file_has_section(&program->elf, "xray_instr_map"))
		finding_set(finding, WORKS_NOT, "use -finstrument-functions instead", "built for XRay");
	if (elf_file_symbol(&program->elf, HOOK) != ELF_SYMBOL_DEFINED)
		count_hooks(finding);
}

/* A separate debug file, found by build-id, as Debian and others install it. */
static bool has_debug_file(const struct object_of *object, char *path, size_t bytes)
{
	char id[160];

	if (!elf_file_build_id(&object->elf, id, sizeof(id)))
		return false;
	snprintf(path, bytes, "/usr/lib/debug/.build-id/%s.debug", id);
	return access(path, R_OK) == 0;
}

static void check_names(struct finding *finding)
{
	const struct object_of *object = &objects.list[0];
	const char *name;
	char path[PATH_MAX];

	for (int i = 0; i < objects.nr && !calls_hooks(object); i++) {
		if (calls_hooks(&objects.list[i]))
			object = &objects.list[i];
	}
	name = base_name(object->path);
	if (elf_file_has_section(&object->elf, ".debug_info"))
		finding_set(finding, WORKS, NULL, "debug information in %.100s", name);
	else if (has_debug_file(object, path, sizeof(path)))
		finding_set(finding, WORKS, NULL, "debug information in %.300s", path);
	else if (elf_file_has_section(&object->elf, ".gnu_debuglink"))
		finding_set(finding, WORKS, NULL,
			    "debug information in the file that %.100s links to, if it is there", name);
	else if (elf_file_has_section(&object->elf, ".symtab"))
		finding_set(finding, WORKS_IN_PART, "compile with -g",
			    "functions without file and line in %.100s", name);
	else
		finding_set(finding, WORKS_IN_PART, "compile with -g, do not strip",
			    "exported functions only: %.100s is stripped", name);
}

static void check_heap(struct finding *finding)
{
	static const char *const allocators[] = { "libjemalloc", "libtcmalloc", "libmimalloc" };

	finding_set(finding, WORKS, NULL, "malloc of libc");
	for (int i = 0; i < objects.nr; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(allocators); k++) {
			if (!strncmp(base_name(objects.list[i].path), allocators[k], strlen(allocators[k])))
				finding_set(finding, WORKS, NULL, "malloc of %.100s",
					    base_name(objects.list[i].path));
		}
	}
	if (elf_file_symbol(&objects.list[0].elf, "__asan_init") ||
	    elf_file_symbol(&objects.list[0].elf, "__tsan_init"))
		finding_set(finding, WORKS_NOT, NULL, "the sanitizer's malloc: the heap is not counted");
	else if (elf_file_symbol(&objects.list[0].elf, "malloc") == ELF_SYMBOL_DEFINED)
		finding_set(finding, WORKS_NOT, "link the allocator as a shared library",
			    "the program defines malloc itself: the heap is not counted");
}

/*
 * gcc's AddressSanitizer ends a program if another library was loaded before it, unless an option
 * tells it not to check.
 */
static void check_sanitizer(struct finding *finding)
{
	static const char *const others[][2] = {
		{ "__tsan_init", "ThreadSanitizer" },
		{ "__msan_init", "MemorySanitizer" },
		{ "__ubsan_handle_type_mismatch_v1", "UndefinedBehaviorSanitizer" },
	};
	const char *options = getenv("ASAN_OPTIONS");
	bool is_shared = elf_file_symbol(&objects.list[0].elf, "__asan_init") == ELF_SYMBOL_USED;

	finding_set(finding, WORKS, NULL, "none");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (elf_file_symbol(&objects.list[0].elf, others[i][0]))
			finding_set(finding, WORKS, NULL, "%s", others[i][1]);
	}
	if (elf_file_symbol(&objects.list[0].elf, "__asan_init"))
		finding_set(finding, WORKS, NULL, "AddressSanitizer%s",
			    is_shared ? ", whose check of the order is off" : "");
	if (!is_shared || (options && strstr(options, "verify_asan_link_order=0")))
		return;
	finding_set(finding, WORKS_NOT, "set ASAN_OPTIONS=verify_asan_link_order=0",
		    "AddressSanitizer as a shared library ends the program when it is not loaded first");
	finding->is_fatal = true;
}

/* Since 6.15 the kernel keeps the exit code of a process for the holder of its pidfd. */
static void check_kernel(struct finding *finding)
{
	struct utsname name;
	int major = 0, minor = 0, fd = pidfd_of(getpid());

	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	if (fd >= 0)
		close(fd);
	if (fd < 0)
		finding_set(finding, WORKS_IN_PART, "allow pidfd_open",
			    "%s: ends of processes that others wait for are not seen: %s", name.release,
			    strerror(-fd));
	else if (major < 6 || (major == 6 && minor < 15))
		finding_set(finding, WORKS_IN_PART, NULL,
			    "%s: before 6.15 some ends of processes that others wait for are missed",
			    name.release);
	else
		finding_set(finding, WORKS, NULL, "%s", name.release);
}

static void check_fork(struct finding *finding)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	finding_set(finding, WORKS, NULL, "children are distinguished from their parent (MADV_WIPEONFORK)");
	if (page == MAP_FAILED || madvise(page, bytes, MADV_WIPEONFORK) < 0)
		finding_set(finding, WORKS_IN_PART, NULL,
			    "children of _Fork and raw clone are not distinguished from their parent");
	if (page != MAP_FAILED)
		munmap(page, bytes);
}

/* How many ns it takes to read the kernel's clock once. */
static double clock_reading_ns(void)
{
	const int nr_readings = 1000;
	uint64_t least = UINT64_MAX, start, end;

	for (int batch = 0; batch < 5; batch++) {
		struct timespec now;

		start = clock_ns(CLOCK_MONOTONIC);
		for (int i = 0; i < nr_readings; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
		end = clock_ns(CLOCK_MONOTONIC);
		least = end - start < least ? end - start : least;
	}
	return (double)least / nr_readings;
}

static void check_clock(struct finding *finding)
{
	if (choose_clock() == LOG_CLOCK_TSC)
		finding_set(finding, WORKS, NULL, "the processor's time-stamp counter");
	else
		finding_set(finding, WORKS_IN_PART, "--timing=counts where calls are short",
			    "the kernel does not trust the time-stamp counter: a timed call reads the\n"
			    "%-16s kernel's clock twice, %.0f ns each",
			    "", clock_reading_ns());
}

static void check_timing(struct finding *finding)
{
	static const char *const texts[] = {
		[TIMING_EXACT] = "each call is timed",
		[TIMING_AUTO] = "functions that are too short to time are counted, samples tell their time",
		[TIMING_COUNTS] = "calls are counted, none is timed",
	};

	finding_set(finding, WORKS, NULL, "%s", texts[check->settings->value[SETTING_TIMING]]);
}

/* The directory of the runs or, before it exists, the directory in which it will be made. */
static void check_space(struct finding *finding)
{
	const char *dir = settings_text(check->settings, SETTING_DIR);
	char where[SETTING_TEXT_MAX], free_text[COUNT_TEXT_BYTES], budget[COUNT_TEXT_BYTES];
	struct statvfs space;

	snprintf(where, sizeof(where), "%s", dir);
	while (access(where, F_OK) < 0 && errno == ENOENT && strcmp(where, ".") != 0) {
		char *slash = strrchr(where, '/');

		if (slash == where)
			slash++;
		if (slash)
			*slash = '\0';
		else
			strcpy(where, ".");
	}
	if (access(where, W_OK | X_OK) < 0 || statvfs(where, &space) < 0) {
		finding_set(finding, WORKS_NOT, "choose another directory with -d",
			    "%.200s cannot be written: %s", dir, strerror(errno));
		finding->is_fatal = true;
		return;
	}
	format_bytes(free_text, (uint64_t)space.f_bavail * space.f_frsize);
	format_bytes(budget, check->settings->value[SETTING_BUDGET]);
	finding_set(finding, WORKS, NULL, "%s free for %.200s; a process takes at most %s or a tenth of that",
		    free_text, dir, budget);
	if (space.f_bavail * space.f_frsize < LEAST_BYTES) {
		finding_set(finding, WORKS_NOT, "make room, or choose another directory with -d",
			    "%s free for %.200s: too little for a log", free_text, dir);
		finding->is_fatal = true;
	} else if (space.f_bavail * space.f_frsize < 10 * check->settings->value[SETTING_BUDGET]) {
		finding_set(finding, WORKS_IN_PART, "make room, or choose another directory with -d",
			    "%s free for %.200s: a process takes at most a tenth of that", free_text, dir);
	}
}

static void check_limits(struct finding *finding)
{
	char bytes[COUNT_TEXT_BYTES];
	struct rlimit limit;

	finding_set(finding, WORKS, NULL, "none that matters");
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		format_bytes(bytes, limit.rlim_cur);
		finding_set(finding, WORKS_IN_PART, "ulimit -v unlimited",
			    "%s of address space: a log takes at most a quarter of what is left", bytes);
	}
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		format_bytes(bytes, limit.rlim_cur);
		finding_set(finding, WORKS_IN_PART, "ulimit -f unlimited", "files of at most %s: so is a log",
			    bytes);
	}
}

static const struct {
	const char *name;
	void (*look)(struct finding *finding);
} lines[] = {
	{ "loading", check_loading },
	{ "functions", check_functions },
	{ "names", check_names },
	{ "heap", check_heap },
	{ "sanitizer", check_sanitizer },
	{ "clock", check_clock },
	{ "timing", check_timing },
	{ "forks", check_fork },
	{ "kernel", check_kernel },
	{ "space", check_space },
	{ "limits", check_limits },
};

static void print(const char *name, const struct finding *finding)
{
	static const char *const words[] = { [WORKS] = "yes", [WORKS_IN_PART] = "part", [WORKS_NOT] = "no" };

	printf("%-10s %-5s %s\n", name, words[finding->works], finding->text);
	if (finding->advice[0])
		printf("%-16s -> %s\n", "", finding->advice);
}

static void look_at_program(const char *file, int scripts, struct finding *finding)
{
	const struct refusal *refusal = program_refusal(check->path);

	finding_set(finding, WORKS, NULL, "%s%.400s, linked dynamically, with glibc",
		    scripts > 0 ? "a script, run by " : "", file);
	if (scripts < 0)
		finding_set(finding, WORKS_NOT, NULL, "%.240s is no program and no script that names one",
			    check->path);
	else if (refusal)
		finding_set(finding, WORKS_NOT, refusal->advice, "%s", refusal->reason);
	finding->is_fatal = finding->works == WORKS_NOT;
}

static bool look_at_the_rest(const char *file, const char *ld_so)
{
	bool can_be = true;

	objects_of(&objects, file, ld_so, check->library, check->environment);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct finding finding = { .is_fatal = false };

		lines[i].look(&finding);
		print(lines[i].name, &finding);
		can_be &= !finding.is_fatal;
	}
	objects_release(&objects);
	return can_be;
}

bool check_print(const struct check *of)
{
	struct finding finding;
	char file[PATH_MAX], ld_so[PATH_MAX];
	int scripts = program_executable(of->path, file);
	bool can_be;

	check = of;
	look_at_program(file, scripts, &finding);
	print("program", &finding);
	can_be = !finding.is_fatal && program_ld_so(file, ld_so, sizeof(ld_so)) &&
		 look_at_the_rest(file, ld_so);
	printf("\n%s %s be recorded\n", check->name, can_be ? "can" : "cannot");
	return can_be;
}
