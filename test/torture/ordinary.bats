#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ordinary programs, the slow and the big ones; the quick ones are in run/ordinary.bats.
load ../run/lib
load ../run/alike

@test "python: threads" {
	needs python3
	alike python3 -c 'import threading; t = [threading.Thread(target=print, args=(i,)) for i in range(3)]; [(x.start(), x.join()) for x in t]'
}
