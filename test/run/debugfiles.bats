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

@test "a stripped program without its debug file has addresses in place of names" {
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

has_debuginfod() {
	ldconfig -p | grep -q libdebuginfod.so.1 || skip "libdebuginfod is not installed"
	export DEBUGINFOD_CACHE_PATH=$PWD/cache
}

@test "by debuginfod, where its servers are set" {
	has_debuginfod
	split
	mkdir -p "served/buildid/$(readelf -n stripped | awk '/Build ID/ { print $3 }')"
	mv elsewhere/names.debug "$(echo served/buildid/*)/debuginfo"
	run_stripped
	DEBUGINFOD_URLS=file://$PWD/served/ run "$report" -v functions
	[[ $output == *in_user* && $output != *'stripped+0x'* ]]
	unset DEBUGINFOD_URLS
	rm -r cache
	run "$report" -v functions
	[[ $output == *in_user* ]]
}

# The server takes the connection and says nothing. Standard error is a terminal; what it gets is printed.
@test "a server that does not answer: the report says what it waits for, and goes on" {
	has_debuginfod
	split
	run_stripped
	DEBUGINFOD_TIMEOUT=2 python3 -c '
import os, pty, socket, sys
server = socket.create_server(("127.0.0.1", 0))
try:
    socket.create_connection(server.getsockname()).close()
    server.accept()[0].close()
except OSError:
    sys.exit(75)
os.environ["DEBUGINFOD_URLS"] = "http://127.0.0.1:%d/" % server.getsockname()[1]
terminal, side = pty.openpty()
if os.fork() == 0:
    os.dup2(side, 2)
    os.execv(sys.argv[1], [sys.argv[1], "-v", "functions", "-o", "report"])
os.close(side)
os.wait()
try:
    while part := os.read(terminal, 100000):
        sys.stdout.write(part.decode())
except OSError:		# the end of a terminal
    pass' "$report" >said || { [ $? = 75 ] && skip "no network, not even this machine's own"; }
	grep -q "insideme-report: reading symbols of $PWD/stripped" said
	same "what is left on the terminal" "$(tail -c 4 said)" $'\r\e[K'
	grep -q 'stripped+0x' report
}
