#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Names of a stripped program come from a separate debug file, found by its link or by build-id.
load lib

# A copy of the test program without symbols, and its debug file.
split() {
	gcc -g -O2 -finstrument-functions -Wl,--build-id "$here/../programs/burn.c" -o stripped
	mkdir -p elsewhere
	objcopy --only-keep-debug stripped elsewhere/names.debug
	strip stripped
}

run_stripped() {
	LD_PRELOAD=$library ./stripped 20 1 >/dev/null
}

@test "without its debug file a stripped program has addresses" {
	split
	run_stripped
	run "$report" -v functions
	[[ $output == *'stripped+0x'* && $output != *in_user* ]]
}

@test "by .gnu_debuglink" {
	split
	mkdir -p .debug
	cp elsewhere/names.debug .debug/
	(cd .debug && objcopy --add-gnu-debuglink=names.debug ../stripped)
	run_stripped
	run "$report" -v functions
	[[ $output == *in_user* && $output != *'stripped+0x'* ]]
}

@test "by build-id" {
	[ "$(id -u)" = 0 ] || skip "writing to /usr/lib/debug needs root"
	split
	id=$(readelf -n stripped | awk '/Build ID/ { print $3 }')
	file=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	mkdir -p "${file%/*}"
	cp elsewhere/names.debug "$file"
	run_stripped
	run "$report" -v functions
	rm "$file"
	rmdir --ignore-fail-on-non-empty "${file%/*}"
	[[ $output == *in_user* && $output != *'stripped+0x'* ]]
}
