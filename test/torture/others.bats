#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ordinary programs, those that are not in every house.
load ../run/lib
load ../run/alike

@test "zsh, ksh, busybox: pipes, jobs, traps, subshells" {
	needs zsh ksh93 busybox
	script='x=$(for i in 1 2 3; do echo $i | cat; done); echo $x; (exit 4); echo $?; sleep 0.01 & wait $!; echo $?
		trap "echo trapped; exit 5" TERM; kill -TERM $$; sleep 1; echo not here'
	alike zsh -f -c "$script"
	alike ksh93 -c "$script"
	alike busybox sh -c "$script; ls /nowhere"
	alike zsh -f -c 'cat =(seq 100) <(seq 3) | busybox wc -l; kill -KILL $$'
}

@test "ruby: threads, fork, spawn, collector, signals" {
	needs ruby
	mkdir given && cat >given/given.rb <<-'END'
		threads = 6.times.map { |n| Thread.new { (0..20000).map { |i| "#{i * n}" }.size } }
		p threads.map(&:value)
		p 5.times.map { |n| pid = fork { GC.start; exit! n }; Process.wait2(pid)[1].exitstatus }
		p `echo here`, $?.to_i, system("exit 3"), Process.wait2(spawn("sh", "-c", "kill -TERM $$"))[1].termsig
		trap(:USR1) { puts "caught"; $stdout.flush }
		Process.kill(:USR1, $$); sleep 0.05
		fiber = Fiber.new { 3.times { |i| Fiber.yield i } ; :done }
		p 4.times.map { fiber.resume }
		def deeper(n) = deeper(n + 1)
		begin deeper(0) rescue p $!.class end
		$stderr.puts Dir.children("/proc/self/fd").size
		exec "sh", "-c", "exit 6"
	END
	threads=vary filter='s/^(ruby:).*//'	# pipes of its timer thread, in an order of their own
	alike ruby given.rb
}

@test "php and tcl: processes, pipes, sockets, errors" {
	needs php tclsh
	mkdir given && cat >given/given.php <<-'END'
		<?php
		$pipe = proc_open(["sh", "-c", "cat; exit 4"], [["pipe", "r"], ["pipe", "w"]], $pipes);
		fwrite($pipes[0], "through\n"); fclose($pipes[0]); echo stream_get_contents($pipes[1]), proc_close($pipe), "\n";
		echo shell_exec("echo shell"), md5(str_repeat("x", 1000000)), "\n";
		if (function_exists("pcntl_fork")) { $pid = pcntl_fork(); if (!$pid) exit(5); pcntl_wait($status); echo pcntl_wexitstatus($status), "\n"; }
		[$a, $b] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0); fwrite($a, "hello\n"); echo fgets($b);
		fwrite(STDERR, "to stderr\n");
		exit(3);
	END
	cat >given/given.tcl <<-'END'
		puts [exec sh -c "echo child; exit 0"]
		catch {exec sh -c "exit 7"} message options
		puts [lindex [dict get $options -errorcode] end]
		set channel [open "|cat" r+]; puts $channel line; flush $channel; puts [gets $channel]; close $channel
		after 20 {set done 1}; vwait done
		puts stderr error; exit 2
	END
	alike php -n given.php
	threads=vary filter='s/tcl_[A-Za-z0-9]+/tcl/'	# a file of its own
	alike tclsh given.tcl
}

@test "rsync: three processes; ssh-keygen" {
	needs rsync ssh-keygen
	mkdir -p given/from/deep && seq 20000 >given/from/a && seq 300 >given/from/deep/b
	filter='s/^(sent|total) .*//; s/ [0-9.,]+ bytes.sec//'
	alike rsync -a --checksum from/ to/
	alike sh -c 'rsync -a from/ to/ && seq 20001 >from/a && rsync -av --no-times from/ to/ && rsync nowhere to; echo $?'
	ssh-keygen -q -t ed25519 -N '' -f given/key
	alike sh -c 'ssh-keygen -y -f key | cut -d" " -f1,2; ssh-keygen -l -f nothing; ssh -F none -o BatchMode=yes -o ConnectTimeout=1 -p 1 127.0.0.1 true; echo $?'
}

@test "redis: its own allocator, threads, a child that saves, a shutdown" {
	needs redis-check-rdb redis-cli
	threads=vary limit=120 filter='/^(bash|grep|redis-cli|sleep): 0=/d'	# who waits asks as often as it takes
	mkdir given && cat >given/given.sh <<-'END'
		# One program by two names, of which the server's package would start a service.
		(exec -a redis-server redis-check-rdb --port 0 --unixsocket "$PWD/socket" --io-threads 2 --save '' --dir "$PWD" --logfile /dev/null) &
		cli() { redis-cli -s "$PWD/socket" "$@"; }
		until [ "$(cli ping 2>/dev/null)" = PONG ]; do sleep 0.02; done
		cli debug populate 20000 key 100; cli dbsize; cli bgsave
		until [ "$(cli info persistence | grep -c 'rdb_bgsave_in_progress:0')" = 1 ]; do sleep 0.02; done
		cli info persistence | grep -o 'rdb_last_bgsave_status:ok'
		cli eval 'local s = 0 for i = 1, 100000 do s = s + i end return s' 0
		cli shutdown nosave
		wait $!; echo $?; rm -f dump.rdb socket
	END
	alike bash given.sh
}
