#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The library by another compiler than the one at hand, and without optimisation: what a compiler leaves to a
# call then is ours.
load lib

@test "by clang, without optimisation" {
	command -v clang >/dev/null || skip "needs clang"
	make -s -C "$here/../.." O="$PWD/out" CC=clang CFLAGS=-O0 "$PWD/out/libinsideme.so" >made 2>&1 ||
		{ cat made; return 1; }
	same imports "$(nm -D --undefined-only out/libinsideme.so | awk '{print $2}' | sort)" \
		"$(cat "$here/../imports.txt")"
	library=$PWD/out/libinsideme.so
	record calls || same status $? 7
	quiet
	calls outer 1000 middle 3000 leaf 6000
}
