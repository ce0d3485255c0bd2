#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# INSIDEME_PROGRAMS: which programs of a process tree are recorded.
load lib

# The programs that have logs, sorted.
recorded() {
	find insideme.data -name '*.log' -exec sh -c 'head -c 232 "$1" | tail -c 64 | tr -d "\0"; echo' _ {} \
		\; | sort | paste -sd ' '
}

# The dynamic linker that the programs here ask for.
linker() { readelf -lW "$bin/calls" | sed -n "s|.*interpreter: \(.*\)]|\1|p"; }

runs() {
	find insideme.data -mindepth 1 -maxdepth 1 -type d | wc -l
}

@test "only programs of the list are recorded, and into one run" {
	INSIDEME_PROGRAMS='call?,for*' LD_PRELOAD=$library sh \
		-c "'$bin/calls'; '$bin/alloc'; sh -c '$bin/calls; exit 0'; exit 0" \
		>stdout 2>stderr
	quiet
	same programs "$(recorded)" "calls calls"
	same runs "$(runs)" 1
	calls leaf 12000
}

@test "an excluded program's children are recorded" {
	INSIDEME_PROGRAMS='!*sh' LD_PRELOAD=$library bash -c "true; '$bin/calls'; exit 0" >stdout 2>stderr
	same programs "$(recorded)" "calls"
	calls leaf 6000
}

@test "a first program that is not recorded keeps its run over an exec" {
	INSIDEME_PROGRAMS='calls' LD_PRELOAD=$library sh \
		-c "'$bin/calls'; exec '$bin/calls'" >stdout 2>stderr || same status $? 7
	same runs "$(runs)" 1
	calls leaf 12000
}

@test "what is not recorded runs the same, with forks" {
	run record forks
	cp stdout expected
	rm -rf insideme.data
	INSIDEME_PROGRAMS=nothing run record forks
	same status "$status" 0
	diff expected stdout
	quiet
	same logs "$(find insideme.data -name '*.log' | wc -l)" 0
}

@test "the option of insideme-run and the line of insideme.conf do the same" {
	monitor -q --programs=calls sh -c "'$bin/calls'; exit 0"
	same programs "$(recorded)" "calls insideme-run"
	rm -rf insideme.data
	echo 'INSIDEME_PROGRAMS = calls' >insideme.conf
	LD_PRELOAD=$library sh -c "'$bin/calls'; exit 0" >stdout
	same programs "$(recorded)" "calls"
}

@test "a program's file is what /proc/self/exe says, however it was started" {
	cp "$(command -v readlink)" real
	mkdir folder
	ln -s ../real folder/up
	ln -s "$PWD/real" link
	ln -s folder linked
	printf '#!%s/link\n' "$PWD" >script
	chmod +x script
	# shellcheck disable=SC2016
	LD_PRELOAD=$library bash -c 'for name in "$1"/{real,link,folder/up,linked/up,/link,./link,script} ./link; do "$name" /proc/self/exe; done
		"$2" "$1/link" /proc/self/exe
		"$1/real" -q "$1/real" /proc/self/exe
		(exec -a other "$1/link" /proc/self/exe)
		exec 3<real; /proc/self/fd/3 /proc/self/exe; exit 0' _ "$PWD" "$(linker)" >stdout 2>stderr
	quiet
	"$report" --save run.json.gz
	gunzip run.json.gz
	same "the files of the programs" "$(grep -o '"exe":"[^"]*' run.json | cut -d'"' -f4 | grep -v bash |
		sort)" "$(sort stdout)"
	same "programs" "$(wc -l <stdout)" 12
}
