#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything that disturbs a recorder, at once: nothing crashes or hangs, and all is read again.
load lib

@test "plugins, exceptions, forks, threads and signals at once" {
	for compiler in '' .clang; do
		rm -rf insideme.data functions.csv
		timeout -k 1 60 env LD_PRELOAD="$library" "$bin/together$compiler" "$bin" 2 >stdout 2>stderr
		same "stderr" "$(cat stderr)" ''
		read -r _ loads _ throws _ forks <stdout
		[ "$loads" -gt 0 ] && [ "$throws" -gt 0 ] && [ "$forks" -gt 0 ]
		same "logs" "$(ls insideme.data/*/*.log | wc -l)" $((forks + 1))
		calls load 2 catch_exceptions 2 start_threads 1 main 1
	done
}
