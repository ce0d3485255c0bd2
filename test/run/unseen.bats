#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The program never notices: same output, exit status, descriptors and more, with and without the library.
load lib
load alike

@test "what a program can see of itself" {
	alike "$bin/look"
	alike "$bin/look.clang"
}

@test "programs of the system" {
	alike true
	alike false
	alike ls -l /usr/share/iso-codes/json
	alike awk 'BEGIN { for (i = 0; i < 1000; i++) s += i; print s }'
	alike gcc --version
	alike cat /nonexistent
}

@test "a pipe ends when the program closes it" {
	run timeout 20 bash -c 'LD_PRELOAD=$1 sh -c "exec >&-; sleep 0.2" | wc -c' _ "$library"
	same output "$output" 0
}

@test "closed descriptors stay closed" {
	run bash -c 'LD_PRELOAD=$1 "$2" 7<&- 2>&- <&- | head -1; "$2" 7<&- 2>&- <&- | head -1' _ "$library" \
		"$bin/look"
	same "descriptors" "${lines[0]}" "${lines[1]}"
}

@test "the real program on real data writes the same result" {
	"$bin/countries" 1 plain.json >plain.out
	LD_PRELOAD=$library "$bin/countries" 1 with.json >with.out 2>with.err
	diff plain.json with.json
	diff plain.out with.out
	same stderr "$(cat with.err)" ''
	flags=$(cut -d' ' -f1 plain.out)
	calls decode_flag "$flags" measure_fields "$flags" load_json 3 one_round 1 most_alike 1 find_words 1
}

@test "a program linked statically is named by insideme-run" {
	printf 'int main(void) { return 5; }\n' | gcc -static -x c - -o static
	run monitor -- ./static
	same status "$status" 5
	[[ $(cat stderr) == *static* ]]
}

@test "the library that does nothing changes nothing" {
	LD_PRELOAD=$build/libinsideme-nop.so "$bin/calls" >stdout || same status $? 7
	[ ! -e insideme.data ]
}

@test "plugins that each bring their own C++ library" {
	cat >plugin.cpp <<-'END'
		#include <cstdio>
		#include <stdexcept>
		extern "C" void run()
		{
			try {
				try { throw std::runtime_error("thrown"); } catch (...) { throw; }
			} catch (std::exception &error) { puts(error.what()); }
		}
	END
	cat >main.c <<-'END'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			for (int i = 1; i < argc; i++)
				((void (*)(void))dlsym(dlopen(argv[i], RTLD_NOW), "run"))();
			return argc;
		}
	END
	mkdir given
	g++ -shared -fPIC plugin.cpp -o given/shared.so
	g++ -shared -fPIC -static-libstdc++ -static-libgcc plugin.cpp -o given/static_1.so
	cp given/static_1.so given/static_2.so
	gcc main.c -o given/main
	alike ./main ./shared.so ./static_1.so ./static_2.so
	alike ./main ./static_1.so ./shared.so
}

@test "a child for which no log can be made says nothing, and is counted" {
	alike perl -e '($run) = glob "$ENV{INSIDEME_DIR}/*" and rename $run, "moved"; for (1..3) {
			if (!fork) { select undef, undef, undef, 0.02; $s = "x" x 1e6; exit 4 }	# old enough for a log of its own
			wait }
		rename "moved", $run if $run; exit($? >> 8)'
	INSIDEME_DIR=data.inside view quality >quality.csv
	grep '^lost_processes,3,' quality.csv
}

@test "a line of ours that stderr does not take ends nothing" {
	run perl -e 'pipe R, W; close R; open STDERR, ">&W"; exec @ARGV' env LD_PRELOAD="$library" \
		INSIDEME_BUDGET=wrong "$bin/calls"
	same "status with a broken pipe" "$status" 7
	run prlimit --fsize=0 env LD_PRELOAD="$library" INSIDEME_DIR=other INSIDEME_BUDGET=wrong \
		"$bin/calls" 2>full
	same "status with a full file" "$status" 7
}

@test "a limit on files that the program lowers" {
	export INSIDEME_THRESHOLD=0
	alike "$bin/limits" files
	INSIDEME_DIR=data.inside calls work 3001000 main 1
}
