# RFC 4180 without line breaks in fields: what every script here reads and writes, so that none parses CSV its own way.
package Csv;

use strict;
use warnings;

# Returns undef rather than dying, since only the caller knows the file and line to blame.
sub parse_line
{
	my ($line) = @_;
	my @fields;

	while (1)
	{
		if ($line =~ /\G"((?:[^"]++|"")*+)"(?=,|\z)/gc)
		{
			push @fields, $1 =~ s/""/"/gr;
		}
		elsif ($line =~ /\G([^",]*)(?=,|\z)/gc)
		{
			push @fields, $1;
		}
		else
		{
			return undef;
		}
		return \@fields unless $line =~ /\G,/gc;
	}
}

sub format_line
{
	return join(',', map { /[",]/ ? '"' . s/"/""/gr . '"' : $_ } @_);
}

# Returns the header and one hash per row. A malformed line dies unless $complain takes it, which lets
# the catalogue check list all of them.
sub read_table
{
	my ($path, $complain) = @_;
	my ($header, @rows);

	$complain //= sub { die "$path: $_[0]\n" };
	open(my $in, '<', $path) or die "cannot open $path: $!\n";
	while (my $line = <$in>)
	{
		chomp $line;
		my $fields = parse_line($line);

		if (!$fields)
		{
			$complain->("line $.: quotes do not balance");
		}
		elsif (!$header)
		{
			$header = $fields;
		}
		elsif (@$fields != @$header)
		{
			$complain->(sprintf 'line %d: %d fields, expected %d', $., scalar @$fields, scalar @$header);
		}
		else
		{
			my %row;
			@row{@$header} = @$fields;
			push @rows, \%row;
		}
	}
	close $in;
	return ($header // [], \@rows);
}

1;
