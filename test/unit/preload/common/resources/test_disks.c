/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources/disks: which mounts count, and which descriptors. */
#include <errno.h>

#include "preload/common/resources/disks.h"
#include "test/unit/unit.h"

TEST(a_mount_has_a_number_and_a_device)
{
	struct mount mount;

	assert_int_equal(disks_parse_mount("36 35 98:7 /a /mnt\\0402 rw master:1 - ext3 /dev/root rw\n37 ",
					   &mount), 0);
	assert_int_equal(mount.id, 36);
	assert_int_equal(mount.device, 98ull << 32 | 7);
	assert_true(mount.is_local);
	assert_int_equal(disks_parse_mount("1 2 0:9 / / rw - tmpfs none rw", &mount), 0);
	assert_true(mount.is_local);
	assert_int_equal(disks_parse_mount("", &mount), -EINVAL);
	assert_int_equal(disks_parse_mount("1 2 0:9 / / rw\n2 2 0:9 / / rw - ext4 none rw\n", &mount),
			 -EINVAL);
	assert_int_equal(disks_parse_mount("1 2 x / / rw - ext4 none rw\n", &mount), -EINVAL);
}

TEST(file_systems_that_may_keep_the_reader_waiting_do_not_count)
{
	static const char *const lines[] = {
		"1 2 0:9 / / rw - nfs4 host:/a rw\n", "1 2 0:9 / / rw - fuse.sshfs host: rw\n",
		"1 2 0:9 / / rw - lustre a@tcp:/b rw\n", "1 2 0:9 / / rw - cifs //a/b rw\n",
		"1 2 0:9 / / rw - proc proc rw\n", "1 2 0:9 / / rw - ext4fuse a rw\n",
		"1 2 0:9 / / rw - autofs a rw\n",
	};
	struct mount mount;

	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(disks_parse_mount(lines[i], &mount), 0);
		assert_false(mount.is_local);
	}
}

TEST(a_descriptor_counts_if_it_is_open_for_writing)
{
	assert_int_equal(disks_parse_fdinfo("pos:\t0\nflags:\t0100001\nmnt_id:\t29\nino:\t7\n"), 29);
	assert_int_equal(disks_parse_fdinfo("pos:\t0\nflags:\t02100002\nmnt_id:\t31\n"), 31);
	assert_int_equal(disks_parse_fdinfo("pos:\t0\nflags:\t0100000\nmnt_id:\t29\n"), 0);
	assert_int_equal(disks_parse_fdinfo("pos:\t0\nflags:\t0100001\n"), 0);
	assert_int_equal(disks_parse_fdinfo(""), 0);
}
