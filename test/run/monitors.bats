#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Entries and exits of calls: of runs that have ended, and while they go on.
load lib
export INSIDEME_WAITS=off	# rows are counted: those of the program's own functions

# check_nesting FILE: pikos's csv of one thread. Each return is of the newest call that is open; prints how
# many are left open.
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
			same "calls of $function" "$(grep -c ",call,${function%:*}," rows.csv)" \
				"${function#*:}"
		done
		same "where leaf begins" "$("$here/csv" lineNo function=leaf type=return <rows.csv |
			sort -u)" "$(grep -n 'void leaf' "$here/../programs/calls.c" | cut -d: -f1)"
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
	run "$report" -f html --filter 'calls < 3'
	same status "$status" 2
	[ ! -e insideme.html ]
}

# by_thread FILE: the rows without their index, thread by thread: rows of different threads at one instant may
# come in any order.
by_thread() {
	sed 1d "$1" | cut -d, -f2- | sort -s -t, -k6,6
}

@test "rows are written while the program runs, of a call that goes on its entry" {
	mkfifo gate
	"$build/insideme-run" functions --recording csv -- "$bin/followed" 1000 gate >stdout 2>stderr 3>&- &
	wait_until grep -qs ,call,waiting, monitor_records.csv
	cp monitor_records.csv live.csv
	: >gate
	status=0
	wait $! || status=$?
	same status "$status" 3
	same head "$(head -1 live.csv)" index,type,function,lineNo,filename,pid,tid
	same "leaves by then" "$(grep -c ,return,leaf, live.csv)" 6000
	same "waiting by then" "$(grep -cE ',(call|return),waiting,' live.csv)" 1
	same "the program's output" "$(cat stdout)" 'a line of its own'
	same "calls in the end" "$(grep -c ,call, monitor_records.csv)" 6011
	same "returns in the end" "$(grep -c ,return, monitor_records.csv)" 6009
	same "what was there stays" "$(head -n "$(wc -l <live.csv)" monitor_records.csv | cksum)" \
		"$(cksum <live.csv)"
	"$report" -f pikos --columns index,type,function,line,file,pid,thread -o again.csv
	diff <(by_thread monitor_records.csv) <(by_thread again.csv)
}

@test "screen, text and csv, at once or when the program has ended" {
	for when in '' --buffered; do
		"$build/insideme-run" -q functions $when -- "$bin/followed" 10 >stdout 2>screen ||
			same status $? 3
		same "the program's output" "$(cat stdout)" 'a line of its own'
		same head "$(head -1 screen)" '   index | type      | function                       | lineNo | filename                 |     pid |     tid'
		same line "$(sed -n 2p screen | tr -d -)" ''
		same "rows on the screen" "$(grep -cE '^ +[0-9]+ \| (call|return) ' screen)" 138
		"$build/insideme-run" -q $when --recording=text functions -- "$bin/followed" \
			10 >stdout 2>stderr || same status $? 3
		same "rows in the file" "$(grep -cE '^ +[0-9]+ \| (call|return) ' monitor_records.log)" 138
		"$build/insideme-run" -q functions $when --recording csv -o own.csv -- "$bin/followed" \
			10 >stdout 2>stderr || same status $? 3
		same "rows of csv" "$(sed 1d own.csv | wc -l)" 138
		[ -n "$when" ] || same "what else was said" "$(cat stderr)" ''
	done
}

@test "focus and filter of a monitor" {
	"$build/insideme-run" -q functions --recording csv --focused-on batch \
		--filter 'type == call and function in batch,leaf' \
		-- "$bin/followed" 10 >stdout 2>stderr || same status $? 3
	same leaves "$(grep -c ,call,leaf, monitor_records.csv)" 60
	same batches "$(grep -c ,call,batch, monitor_records.csv)" 6
	same rows "$(sed 1d monitor_records.csv | wc -l)" 66
}

@test "a monitor that is not understood does not run the program" {
	for options in '--recording paper' '--recording screen -o file' "--filter 'depth inn 3'" \
		'-o /nowhere/rows'; do
		eval "run \"$build/insideme-run\" functions $options -- touch it_ran"
		[ "$status" -ne 0 ]
		[[ $output == insideme-r* ]]
		[ ! -e it_ran ]
	done
	run "$build/insideme-run" --filter 'depth < 3' -- touch it_ran
	same status "$status" 2
	[[ $output == *'--filter: it needs a monitor'* ]]
	[ ! -e it_ran ]
	# a program of that name
	printf '#!/bin/sh\necho "it ran: $*"\n' >functions && chmod +x functions
	same "a program" "$(PATH=$PWD:$PATH "$build/insideme-run" -q functions a b)" 'it ran: a b'
	same "after --" "$(PATH=$PWD:$PATH "$build/insideme-run" -q -- functions a)" 'it ran: a'
	rm functions
	status=0
	"$build/insideme-run" functions "$bin/followed" 10 2>stderr || status=$?
	same status "$status" 127
	grep -q 'insideme-run functions -- PROGRAM?' stderr
}

@test "under another insideme-run there are no rows, and how to get them is said" {
	"$build/insideme-run" -q -- "$build/insideme-run" functions -- "$bin/followed" 10 >stdout 2>stderr ||
		true
	same "line" "$(cat stderr)" 'insideme: no rows here: give functions to the insideme-run above this one; afterwards: insideme-report -f pikos'
	"$build/insideme-run" -q functions --recording csv -- "$build/insideme-run" -q "$bin/followed" \
		10 >stdout 2>stderr || true
	same "then there are" "$(grep -c ',call,main,' monitor_records.csv)" 1
}

@test "RSS and VMS at each entry and exit" {
	"$build/insideme-run" -q function_memory --recording csv -- "$bin/every" >stdout 2>stderr
	same head "$(head -1 monitor_records.csv)" index,type,function,RSS,VMS,lineNo,filename,pid,tid
	for change in map_and_touch:4194304:4194304 map_only:0:8388608 touch:8388608:0 \
		unmap:-12582912:-12582912 nothing:0:0; do
		IFS=: read -r function rss vms <<<"$change"
		for column in RSS:$rss VMS:$vms; do
			paste -d' ' <("$here/csv" "${column%:*}" "function=$function" \
				type=call <monitor_records.csv) \
				<("$here/csv" "${column%:*}" "function=$function" \
					type=return <monitor_records.csv) >pairs
			same "${column%:*} of $function" "$(awk '{ print $2 - $1 }' pairs | sort -u)" \
				"${column#*:}"
		done
	done
	# the same as each call's record has it
	view calls --columns rss_at_exit_bytes,vms_at_exit_bytes,function | sed 1d >exits
	"$report" -f pikos --columns rss_bytes,vms_bytes,function --filter 'type != call' -o rows
	sed 1d rows | diff - exits
	view calls --columns rss_at_entry_bytes,vms_at_entry_bytes,function | sed 1d | sort >entries
	"$report" -f pikos --columns rss_bytes,vms_bytes,function --filter 'type == call' -o rows
	sed 1d rows | sort | diff - entries
}

@test "a million calls are followed to the last one" {
	"$build/insideme-run" -q functions --recording csv -- "$bin/followed" 166666 >stdout 2>stderr ||
		same status $? 3
	same calls "$(grep -c ,call, monitor_records.csv)" 1000006
	same returns "$(grep -c ,return, monitor_records.csv)" 1000004
	same "what was said" "$(grep -v ' rows of other threads that follow it in time$' stderr)" ''
}

@test "exceptions are distinguished from returns" {
	INSIDEME_THRESHOLD=0 record calls_cpp
	view calls --columns function,broken | sed 1d | grep -c ',1$' >broken
	"$report" -f pikos --columns index,type,function -o rows.csv
	same "exceptions" "$(grep -c ,exception, rows.csv)" "$(cat broken)"
	between "exceptions" 400 "$(grep -c ',exception,descend' rows.csv)" 400
}

@test "a run under the library alone is followed, until its program is killed" {
	mkfifo gate
	INSIDEME_THRESHOLD=0 LD_PRELOAD=$library "$bin/followed" 10 gate >stdout 3>&- &
	program=$!
	wait_until [ -s stdout ]
	"$report" --follow -f pikos -o rows.csv 2>said 3>&- &
	follower=$!
	wait_until grep -qs ,call,waiting, rows.csv
	kill -KILL $program
	wait $program || true
	wait $follower
	# leaf 60, batch 6, worker 2 return; waiting and main do not
	same calls "$(grep -c ,call, rows.csv)" 70
	same returns "$(grep -c ,return, rows.csv)" 68
	for options in '--sort index' '--from 1s' '-f csv'; do
		run "$report" --follow $options
		same "status of $options" "$status" 2
	done
}

@test "rows in the order of time cannot be sorted, nor counted first" {
	record calls || same status $? 7
	for options in "--sort depth" "--top 3" "--restrict 3"; do
		# shellcheck disable=SC2086
		run "$report" -f pikos $options
		same "status of $options" "$status" 2
		[[ $output == *'not of rows in the order of time; -v events has them'* ]]
	done
	same "rows of the view" "$("$report" -v events -f csv --top 3 2>report.stderr | sed 1d | wc -l)" 3
}
