#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Objects: however they are built, loaded and unloaded, their calls are counted, or it is said that they are
# not.
load lib

finding() {
	view quality | "$here/csv" value finding="$1"
}

@test "calls of programs built in every way" {
	for way in nopie noplt lto inlined; do
		rm -rf insideme.data functions.csv
		run record calls.$way
		same "status of calls.$way" "$status" 7
		quiet
		calls outer 1000 middle 3000 leaf 6000 fib 21891 even 501 odd 500 main 1
	done
}

@test "a static-pie program runs on, and insideme-run says why there is nothing" {
	run record calls.static
	same status "$status" 7
	[ ! -e insideme.data ]
	run monitor -- "$bin/calls.static"
	same "status under insideme-run" "$status" 7
	[[ $(cat stderr) == *static* ]]
}

@test "local functions of one name, numbered by link-time optimization, have the name of the source" {
	for part in one two; do
		echo "static __attribute__((noinline)) int sort(int x) { return x + 1; }
		      int $part(int x) { return sort(x) + sort(x); }" >$part.c
		gcc -g -O2 -flto -finstrument-functions -c $part.c
	done
	echo 'int one(int), two(int); int main(int argc, char **argv) { return one(argc) + two(argc) == 0; }' >main.c
	gcc -g -O2 -flto -finstrument-functions main.c one.o two.o -o sorted
	nm sorted | grep 'sort[.]lto_priv'
	LD_PRELOAD=$library ./sorted
	same "functions" "$(view functions --columns calls,function,file | sed 1d | tr -d '"' | grep ,sort |
		sed 's|,[^,]*/|,|' | sort | xargs)" \
		'2,sort,one.c 2,sort,two.c'
}

@test "functions of a library for which a program at a fixed address has its own stubs" {
	echo 'void work(void) {}' | gcc -g -O2 -finstrument-functions -shared -fPIC -x c - -o libwork.so
	echo 'void work(void); void (*volatile worker)(void) = work;
	      int main(void) { for (int i = 0; i < 10; i++) worker(); return 0; }' |
		gcc -g -O2 -finstrument-functions -no-pie -fno-pie -x c - -L. -lwork -Wl,-rpath,"$PWD" \
			-o taker
	LD_PRELOAD=$library ./taker
	calls work 10 main 1
}

@test "a plugin with hooks in a program without" {
	for kind in local runpath; do
		rm -rf insideme.data functions.csv
		record host $kind "$bin"
		quiet
		calls run 1 first_work 100
		same "objects that bypass, $kind" "$(finding bypassed)$(finding namespaces)" ''
	done
}

@test "plugins that do not see the recorder run on, and that is said" {
	for kind in deepbind unloaded namespace; do
		rm -rf insideme.data functions.csv
		record host $kind "$bin"
		quiet
		same "calls of run, $kind" "$(value calls function=run)" ''
		same "said, $kind" "$(finding bypassed),$(finding namespaces)" \
			"$([ $kind = namespace ] && echo ,1 || echo 1,)"
	done
}

@test "plugins that a handler jumps out of, loaded and unloaded in turn" {
	record host jumps "$bin"
	quiet
	read -r _ first _ second <stdout
	[ "$first" -gt 100 ]
	[ "$second" -gt 200 ]
	between "calls of first_work" $((first - 100)) "$(value calls function=first_work)" $((first + 100))
	between "calls of second_work" $((second - 100)) "$(value calls function=second_work)" \
		$((second + 100))
	same "records without room" "$(finding lost_records)" ''
}
