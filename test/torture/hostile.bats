#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Files that were changed at random: read by the sanitized insideme-report, which must say something or nothing, and end. And a
# program that asks for too much.
load ../run/lib

# attack FILE VIEWS...: 300 changed forms of FILE, which is put back
attack() {
	local seed views=("${@:2}") accepted=0 refused=0
	cp "$1" whole
	for ((seed = 1; seed <= 300; seed++)); do
		python3 "$here/../torture/mutate.py" whole "$seed" >"$1"
		status=0
		timeout 20 "$report" "${target[@]}" -v "${views[seed % ${#views[@]}]}" >output 2>&1 || status=$?
		[ "$status" -le 1 ] || { echo "status $status of seed $seed"; cat output; return 1; }
		[ "$status" = 1 ] && refused=$((refused + 1)) || accepted=$((accepted + 1))
	done
	figure "300 changed forms of ${1##*/}: $refused refused, $accepted read"
	cp whole "$1"
}

@test "saved profiles that were changed" {
	for n in 10 20; do record repeat $n; done
	"$report" --save profile.json last last~1
	target=(profile.json)
	attack profile.json functions summary tree processes threads quality
}

@test "saved names that were changed" {
	record calls_cpp
	"$report" >/dev/null
	rm -f insideme.data/*/run		# so that no report writes them anew
	target=()
	attack "$(echo insideme.data/*/names)" functions summary tree threads
}

# Past the room for names each one is refused; what they took in vain must not come round.
@test "names without end" {
	cat >names.c <<-'END'
		#include <insideme.h>
		#include <stdio.h>
		#include <string.h>
		int main(void)
		{
			char name[256];
			long begun = 0;
			memset(name, 'x', 255);
			name[255] = '\0';
			for (int i = 0; i < 15000000; i++) {
				memcpy(name, &(char[8]){ 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26, 'a' + i / 17576 % 26,
							 'a' + i / 456976 % 26, 'a' + i / 11881376 % 26, '0', '0' }, 8);
				begun += insideme_begin(name) == 0 && insideme_end(name) == 0;
			}
			printf("%ld\n", begun);
			return 0;
		}
	END
	gcc -O1 -I"$here/../../include" names.c -o names
	LD_PRELOAD=$library timeout 1000 ./names >stdout
	between "names" 10000 "$(cat stdout)" 14000
	same "regions" "$(view functions --top 0 | tail -n +2 | grep -c 00x)" "$(cat stdout)"
}
