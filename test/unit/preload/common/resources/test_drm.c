/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources/gpu_drm: what drivers report of a process's GPU use, from made-up descriptors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/resources/drm.h"
#include "test/unit/unit.h"

static char root[] = "/tmp/insideme-drm-XXXXXX";
static struct drm drm;
static struct read_count count;

static void shell(const char *format, const char *argument)
{
	char command[512];

	snprintf(command, sizeof(command), format, root, argument, root, argument);
	assert_int_equal(system(command), 0);
}

/* A descriptor of process 7 that leads to @target. */
static void put(const char *name, const char *target, const char *fdinfo)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/7/fd/%s", root, name);
	assert_int_equal(symlink(target, path), 0);
	snprintf(path, sizeof(path), "%s/proc/7/fdinfo/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(fdinfo, file);
	fclose(file);
}

TEST(engines_and_memory_are_summed)
{
	struct drm_client client;

	assert_int_equal(
		drm_parse_fdinfo(
			"pos:\t0\ndrm-driver:\tamdgpu\ndrm-client-id:\t42\ndrm-memory-vram:\t1000 KiB\n"
			"drm-memory-gtt:\t24 KiB\ndrm-engine-gfx:\t500 ns\ndrm-engine-capacity-gfx:\t2\n"
			"drm-engine-compute:\t70 ns\n",
			&client),
		0);
	assert_int_equal(client.id, 42);
	assert_int_equal(client.engine_ns, 570);
	assert_int_equal(client.memory_bytes, 1 << 20);
	/* newer drivers report the same under two names */
	assert_int_equal(
		drm_parse_fdinfo("drm-client-id:\t1\ndrm-memory-vram:\t8 KiB\ndrm-resident-vram:\t8 KiB\n"
				 "drm-resident-system0:\t2 MiB\ndrm-total-vram:\t64 MiB\n",
				 &client),
		0);
	assert_int_equal(client.memory_bytes, (2 << 20) + 8192);
	assert_int_equal(drm_parse_fdinfo("pos:\t0\nflags:\t02\n", &client), -EINVAL);
	assert_int_equal(drm_parse_fdinfo("drm-client-id:\nx", &client), -EINVAL);
	assert_int_equal(
		drm_parse_fdinfo("drm-client-id:\t1\ndrm-memory-vram:\t99999999999999999999 KiB\n", &client),
		0);
	assert_int_equal(client.memory_bytes, 0);
}

TEST(each_client_counts_once_and_other_files_do_not)
{
	struct figures figures;

	figures_clear(&figures);
	drm_open(&drm, root, 7, &count);
	drm_read(&drm, &figures);
	assert_true(figures.gpu_engine_ns == LOG_NONE);
	put("3", "/dev/dri/renderD128",
	    "drm-client-id:\t5\ndrm-engine-gfx:\t100 ns\ndrm-memory-vram:\t4 KiB\n");
	put("4", "/dev/dri/renderD128",
	    "drm-client-id:\t5\ndrm-engine-gfx:\t100 ns\ndrm-memory-vram:\t4 KiB\n");
	put("5", "/dev/dri/card0", "drm-client-id:\t6\ndrm-engine-render:\t30 ns\n");
	put("6", "/dev/null", "drm-client-id:\t7\ndrm-engine-render:\t1000 ns\n");
	put("7", "/dev/dri/card0", "pos:\t0\n");
	drm_read(&drm, &figures);
	assert_int_equal(figures.gpu_engine_ns, 130);
	assert_int_equal(figures.gpu_client_bytes, 4096);
	drm_open(&drm, root, 8, &count);
	figures_clear(&figures);
	drm_read(&drm, &figures);
	assert_true(figures.gpu_client_bytes == LOG_NONE);
}

int before_all(void **state)
{
	if (!mkdtemp(root))
		return -1;
	shell("mkdir -p %s/dev/dri%s %s/proc/7/fd%s", "");
	shell("mkdir -p %s/proc/7/fdinfo%s %s%s", "");
	return 0;
}

int after_all(void **state)
{
	shell("rm -r %s%s; : %s%s", "");
	return 0;
}
