#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Entries and exits of calls: of runs that have ended, and while they go on.
load lib

# check_nesting FILE: pikos's csv of one thread. Each return is of the newest call that is open; prints how many are left open.
check_nesting() {
	perl -ne '
		next if $. == 1;
		my ($index, $type, $function) = split /,/;
		$index == $. - 2 or die "row $. has index $index\n";
		if ($type eq "call") { push @open, $function }
		else { my $top = pop @open; $top eq $function or die "row $.: $function returns within $top\n" }
		END { print scalar(@open), "\n" }' "$1"
}

@test "each call has an entry and an exit, within those of its caller" {
	for compiler in '' .clang; do
		rm -rf insideme.data
		INSIDEME_THRESHOLD=0 record calls$compiler || same status $? 7
		"$report" -f pikos -o rows.csv
		same head "$(head -1 rows.csv)" index,type,function,RSS,VMS,lineNo,filename,pid,tid
		# outer 1000, middle 3000, leaf 6000, fib 21891, even 501, odd 500, main 1
		same calls "$(grep -c ,call, rows.csv)" 32893
		same returns "$(grep -c ,return, rows.csv)" 32893
		same "left open" "$(check_nesting rows.csv)" 0
		for function in outer:1000 middle:3000 leaf:6000 fib:21891 even:501 odd:500 main:1; do
			same "calls of $function" "$(grep -c ",call,${function%:*}," rows.csv)" "${function#*:}"
		done
		same "where leaf begins" "$("$here/csv" lineNo function=leaf type=return <rows.csv | sort -u)" "$(grep -n 'void leaf' "$here/../programs/calls.c" | cut -d: -f1)"
	done
}

@test "the rows are those of view calls, and so is their order" {
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	view calls >calls.csv
	view events >events.csv
	"$here/csv" function <calls.csv >ended
	"$here/csv" function type=return <events.csv >returns
	cmp ended returns
	"$here/csv" duration_ns <calls.csv >ended
	"$here/csv" duration_ns type=return <events.csv >returns
	cmp ended returns
	"$here/csv" time_ns <events.csv >times
	sort -n -c times
	"$here/csv" depth <calls.csv >ended
	"$here/csv" depth type=return <events.csv >returns
	cmp ended returns
}

@test "many calls, of several threads, within calls that last longer than what is read at once" {
	INSIDEME_THRESHOLD=0 record followed 50000 || same status $? 3
	"$report" -f pikos -o rows.csv
	same calls "$(grep -c ,call, rows.csv)" 300010
	same returns "$(grep -c ,return, rows.csv)" 300008
	for thread in $("$here/csv" tid function=worker type=call <rows.csv); do
		head -1 rows.csv >thread.csv
		grep ",$thread\$" rows.csv | awk -F, -v OFS=, '{ $1 = NR - 1; print }' >>thread.csv
		same "rows of thread $thread" "$(wc -l <thread.csv)" 300009
		same "left open" "$(check_nesting thread.csv)" 0
	done
	same "never returned" "$(grep -cE ',return,(main|leave),' rows.csv)" 0
}

@test "a filter shows some rows, and says where it is wrong" {
	INSIDEME_THRESHOLD=0 record calls || same status $? 7
	"$report" -f pikos --filter 'function in outer,odd' -o rows.csv
	same rows "$(sed 1d rows.csv | wc -l)" 3000
	"$report" -f pikos --filter 'function not in leaf,fib,middle,even and type == call' -o rows.csv
	same rows "$(sed 1d rows.csv | wc -l)" 1501
	# pikos's OnChange: a row whose function differs from that of the row before
	"$report" -f pikos --columns function -o all.csv
	"$report" -f pikos --columns function --filter 'changed(function)' -o rows.csv
	same rows "$(sed 1d rows.csv)" "$(sed 1d all.csv | uniq)"
	view calls --filter 'depth > 490 and function in even,odd' --columns depth >rows.csv
	same depths "$(sed 1d rows.csv | sort -n | sed -n '1p;$p' | xargs)" '491 1001'
	view calls --filter 'duration >= 1us' --columns duration_ns >rows.csv
	view calls --columns duration_ns >all.csv
	same rows "$(sed 1d rows.csv | sort -n)" "$(sed 1d all.csv | awk '$1 >= 1000' | sort -n)"
	run "$report" -f pikos --filter 'function inn outer'
	same status "$status" 2
	[[ $output == *'--filter: at "inn outer": expected in, not in'* ]]
	run "$report" -v calls --filter 'deep < 3'
	same status "$status" 2
	[[ $output == *'at "deep < 3": no column '\''deep'\'' in calls'*depth* ]]
	run "$report" -v tree --filter 'calls < 3'
	same status "$status" 2
}
