#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of numbers that cannot be, which looks at the runs of all tests, finds each kind of them.
load lib

# The views of a run in which all is as it should be: good/VIEW.csv.
good_views() {
	mkdir good
	cat >good/summary.csv <<-END
		section,row,column,value
		resources,1,resource,heap
		resources,1,peak,5000
		run,1,functions_ns,90000
	END
	cat >good/processes.csv <<-END
		pid,threads,duration_ns,cpu_ns,functions_ns,recorded
		7,1,100000000,60000000,90000,functions
	END
	cat >good/threads.csv <<-END
		pid,thread,threads,begin_ns,duration_ns,functions_ns,functions_percent
		7,7,1,1000000,99000000,90000,100
	END
	cat >good/functions.csv <<-END
		function,module,file,line,calls,open_calls,self_ns,total_ns,mean_ns,min_ns,p50_ns,p90_ns,p99_ns,max_ns,self_percent,alloc_calls,alloc_bytes,largest_alloc_bytes,peak_heap_bytes,sampled_self_ns
		work,a,a.c,1,2,0,60000,60000,30000,20000,30000,40000,40000,40000,66.667,2,6000,4000,5000,50000000
		main,a,a.c,9,1,0,30000,90000,90000,90000,90000,90000,90000,90000,33.333,0,0,0,0,0
	END
	cat >good/tree.csv <<-END
		function,depth,calls,total_ns,self_ns,total_percent,self_percent
		main,0,1,90000,30000,100,33.333
		work,1,2,60000,60000,66.667,66.667
	END
	cat >good/callers.csv <<-END
		function,module,file,line,caller,calls,self_ns,total_ns,max_ns
		work,a,a.c,1,main,2,60000,60000,40000
	END
	cat >good/heap.csv <<-END
		function,alloc_calls,alloc_bytes,alloc_percent,peak_heap_bytes,peak_heap_percent
		work,2,6000,100,5000,100
	END
	cat >good/calls.csv <<-END
		start_ns,end_ns,duration_ns,function
		100,200,100,work
	END
	cat >good/resources.csv <<-END
		time_ns,pid,set,id,cpu_ns,heap_bytes,thread_cpu_ns
		10000000,7,process,,9000000,4000,
		90000000,7,process,,60000000,4500,
		95000000,7,thread,7,,,50000000
	END
	cat >good/use.csv <<-END
		function,self_ns,total_ns,self_cpu_ns,total_cpu_ns,self_wait_ns,total_wait_ns,self_blocked_ns,total_blocked_ns,sampled_self_ns
		work,60000,60000,50000,50000,4000,4000,6000,6000,50000000
	END
	cp good/use.csv good/use.thread.7.csv
	cp good/use.csv good/use.pid.7.csv
	printf 'finding,value,text\nhooks_ns,100,\n' >good/quality.csv
}

# with VIEW COLUMN VALUE: bad/ is as good/, but for this column of the first row
with() {
	rm -rf bad && cp -r good bad
	awk -F, -v OFS=, -v column="$2" -v value="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; if (!at) exit 1 }
		NR == 2 { $at = value }
		{ print }' "good/$1.csv" >"bad/$1.csv" || { echo "no column $2 in $1"; return 1; }
}

# finds RULE VIEW COLUMN VALUE: the rule that is broken then
finds() {
	with "${@:2}"
	! "$here/check-numbers" --csv bad >found || { echo "nothing found: $*"; return 1; }
	grep -q "bad: $1: " found || { echo "expected: $1"; cat found; return 1; }
}

@test "numbers that cannot be are found, each kind by its rule" {
	good_views
	"$here/check-numbers" --csv good
	finds 'below 0' functions self_ns -1
	finds 'no number' functions self_ns nan
	finds 'above 100 %' tree total_percent 100.2
	finds 'parts above 100 %' functions self_percent 67
	finds 'parts above 100 %' threads functions_percent 100.2
	finds 'share left out' tree total_percent ''
	finds 'self above total' functions self_ns 60003
	finds 'mean above longest' functions mean_ns 40003
	finds 'least above mean' functions min_ns 30003
	finds 'longest above total' functions max_ns 60003
	finds percentiles functions p90_ns 29990
	finds 'part of calls' functions open_calls 3
	finds 'part of allocations' functions peak_heap_bytes 6003
	finds 'callees above their caller' tree total_ns 59990
	finds 'callees and self above total' tree self_ns 30010
	finds 'a thread above its life' threads duration_ns 80000
	finds 'functions above their threads' threads functions_ns 80000
	finds 'paths above their threads' tree self_ns 31000
	finds 'CPU above elapsed' processes cpu_ns 130000000
	finds 'CPU above elapsed' use self_cpu_ns 60010
	finds 'parts of a time that is not known' use self_ns ''
	finds 'CPU, waiting and blocked above elapsed' use self_wait_ns 4010
	finds 'functions above the CPU time of their thread' use.thread.7 self_cpu_ns 80000000
	finds 'functions above the CPU time of their thread' use.thread.7 sampled_self_ns 120000000
	finds 'CPU above elapsed' use.thread.7 self_cpu_ns 99002000
	finds 'functions above the CPU time of their process' use.pid.7 self_cpu_ns 90000000
	finds 'functions above CPU time' functions sampled_self_ns 200000000
	finds 'heap peak below a sample' resources heap_bytes 5001
	finds 'heap peak below its parts' heap peak_heap_bytes 5001
	finds 'a counter falls' resources cpu_ns 60000001
	finds 'more than one processor' resources time_ns 89000000
	finds 'a call ends before it began' calls end_ns 99
	finds 'longer than from begin to end' calls duration_ns 103
	finds 'an edge above its function' callers max_ns 40010
	finds 'times below 0' quality finding clamped_self_ns
}

@test "no csv at all is an error" {
	mkdir empty
	run "$here/check-numbers" --csv empty
	same "exit status" "$status" 2
}

@test "no view of a run of many kinds of calls has a number that cannot be" {
	often
	record calls || [ $? = 7 ]
	record peak
	record threads
	record leaks	# a thread frees what another one allocated
	"$here/check-numbers" "$build/insideme-report" insideme.data/*
}
