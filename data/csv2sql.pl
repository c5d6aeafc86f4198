#!/usr/bin/perl
# csv2sql.pl TABLE FILE.csv
# Prints INSERTs of FILE's rows, marked builtin, for an extension's install script. An empty field is NULL.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use Csv;

# One INSERT for all rows would make the parser hold a list of thousands; one a row is slow to install.
use constant ROWS_PER_INSERT => 200;

# CREATE EXTENSION replaces @extschema@ and the like, and MODULE_PATHNAME, everywhere in a script, literals included:
# values that could hold one hide its first letter behind an escape.
sub literal
{
	my ($value) = @_;

	return 'NULL' if $value eq '';
	$value =~ s/'/''/g;
	return "'$value'" unless $value =~ /\@|MODULE_PATHNAME/;
	$value =~ s/\\/\\\\/g;
	$value =~ s/(\@|M(?=ODULE_PATHNAME))/sprintf '\\x%02x', ord $1/ge;
	return "E'$value'";
}

die "usage: csv2sql.pl TABLE FILE.csv\n" unless @ARGV == 2;
my ($table, $path) = @ARGV;
my ($columns, $rows) = Csv::read_table($path);

foreach my $name ($table, @$columns)
{
	die "$path: \"$name\" is not a plain SQL name\n" unless $name =~ /^[a-z_][a-z0-9_]*\z/;
}

my $insert = sprintf "INSERT INTO \@extschema\@.%s (%s) VALUES\n", $table, join(', ', @$columns, 'builtin');
while (my @chunk = splice @$rows, 0, ROWS_PER_INSERT)
{
	print $insert, join(",\n", map { '(' . join(', ', map({ literal($_) } @$_{@$columns}), 'true') . ')' } @chunk), ";\n";
}
