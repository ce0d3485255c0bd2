#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What ends calls without a return: exceptions, jumps, ends of threads and of the process; each with its reason.
load lib

# table NAME: of the errors view, as csv of its own
table() {
	"$report" -v errors -f json >errors.json && perl -MJSON::PP -0ne '
		my $rows = JSON::PP->new->utf8->decode($_)->{$ARGV[0] // "'"$1"'"};
		my @names = @$rows ? sort keys %{$rows->[0]} : exit;
		print join(",", @names), "\n";
		print join(",", map { my $v = $_ // ""; $v =~ s/"/""/g; "\"$v\"" } @$_{@names}), "\n" for @$rows' errors.json
}

# errors COLUMN [OTHER=VALUE]...: of its table of that name
errors() {
	[ -e errors.csv ] || table errors >errors.csv
	"$here/csv" "$@" <errors.csv
}

@test "exceptions: type, message, where thrown and caught, calls that they ended" {
	for program in throws throws.clang throws.plain throws.plain.clang; do
		rm -rf insideme.data functions.csv errors.csv
		run record "$program"
		same status "$status" 0
		quiet
		same output "$(cat stdout)" "$("$bin/$program")"
		same "message of token" "$(errors message 'function=token(int)')" 'bad 0'
		same "other messages" "$(errors other_messages 'function=token(int)')" 16
		same "of token" "$(errors count 'function=token(int)')" 250
		same "caught of token" "$(errors caught 'function=token(int)')" 250
		same "where" "$(errors caught_in 'function=token(int)')" load
		same "broken by token" "$(errors broken_calls 'function=token(int)')" 500
		same "own" "$(errors count type=own_error message=)" 5
		same "of two" "$(errors message type=of_two)" 'of two'
		same "virtual base" "$(errors message type=by_virtual_base)" 'shared'
		same "int" "$(errors count 'type=int' 'function=pick(int)')" 5
		same "thrown again" "$(errors count 'kind=rethrown exception' 'type=std::logic_error')" 10
		same "caught then" "$(errors caught_in 'kind=rethrown exception' 'type=std::logic_error')" attempt
		same "broken then" "$(errors broken_calls 'kind=rethrown exception' 'type=std::logic_error')" 10
		same "in threads" "$(errors count kind=exception 'type=std::out_of_range')" 20
		same "delivered" "$(errors broken_calls 'kind=rethrown exception' 'type=std::out_of_range')" 20
		same "message delivered" "$(errors message 'kind=rethrown exception' 'type=std::out_of_range')" carried
		same "broken by long" "$(errors broken_calls type=long)" 30
		same "jumps" "$(errors count kind=longjmp)" 15
		same "broken by jumps" "$(errors broken_calls kind=longjmp)" 30
		same "jumps land" "$(errors caught_in kind=longjmp)" land
		same "kept of token" "$(table thrown | grep -c '"bad ')" 100
	done
}
