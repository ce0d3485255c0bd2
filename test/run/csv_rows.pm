# SPDX-License-Identifier: GPL-3.0-or-later
# Rows of csv, for the scripts of tests.
package csv_rows;
use strict;
use warnings;

# The fields of a line.
sub fields {
	my ($line) = @_;
	return $line eq '' ? '' : split /,/, $line, -1 if index($line, '"') < 0;
	my @fields;
	while ($line =~ /\G(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/g) {
		my ($quoted, $plain, $end) = ($1, $2, $3);
		push @fields, defined $quoted ? $quoted =~ s/""/"/gr : $plain;
		last if $end eq '';
	}
	return @fields;
}

# The next row of FILE as a list, () at its end. A field may contain newlines.
sub next_row {
	my ($file) = @_;
	my $line = <$file> // return;
	$line .= <$file> while ($line =~ tr/"//) % 2 && !eof $file;
	$line =~ s/\r?\n$//;
	return fields($line);
}

1;
