#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The library for another architecture: it is not run, but linked, and wants no more of others than here.
load ../run/lib

@test "for aarch64" {
	command -v clang aarch64-linux-gnu-nm >/dev/null && [ -d /usr/aarch64-linux-gnu/include ] &&
		ls /usr/lib/gcc-cross/aarch64-linux-gnu/*/libgcc.a >/dev/null || skip "needs scripts/setup --torture"
	make -s -C "$here/../.." O="$PWD/out" CC='clang --target=aarch64-linux-gnu' "$PWD/out/libinsideme.so" >made 2>&1 ||
		{ cat made; return 1; }
	same imports "$(aarch64-linux-gnu-nm -D --undefined-only out/libinsideme.so | awk '{print $2}' | sort)" \
		"$(cat "$here/../imports.txt")"
}
