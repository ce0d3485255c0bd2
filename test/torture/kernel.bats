#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that ask the kernel for what few ask: each runs as without the library, and its calls are found.
load ../run/lib
load ../run/alike

# fine KIND [CALLS]: that many calls of work, without CALLS as many as it printed
fine() {
	local where calls
	for compiler in '' .clang; do
		alike "$bin/kernel$compiler" "$1"
		[ "$(cat plain/status)" != 77 ] || skip "the kernel does not let it"
		same "status of $1" "$(cat plain/status)" 0
		for where in inside outside; do
			read -r _ calls <$where/stdout
			rm -f functions.csv
			INSIDEME_DIR=data.$where calls work "${2:-$calls}" || { echo "^ $1$compiler $where"; return 1; }
		done
	done
}

@test "a SIGSEGV handler that changes registers" { fine registers; }
@test "a SIGSEGV handler that lifts write protection" { fine barrier; }
@test "userfaultfd" { fine userfault; }
@test "io_uring" { fine ring; }
@test "membarrier and rseq" { fine rseq; }
@test "seccomp's strict mode" {
	filter='/^insideme: the program asks for seccomp strict mode; not recording$/d' fine strict 100
}
@test "system calls that come as signals" { fine dispatch; }
@test "a program that traces its child" { threads=vary fine traces; }
@test "a program that may not be looked at" { fine undumpable; }
@test "the smallest signal stack" { fine altstack; }
@test "no address left" { fine hog; }
