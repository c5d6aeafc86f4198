# The examples of README.md and doc/*.md: each block of SQL runs, and where a block of text follows, that is its output.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('docs');
$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
$node->start;

foreach my $page ('README.md', sort glob 'doc/*.md')
{
	my $text = slurp_file($page);
	my $dbname = $page =~ s/\W/_/gr;

	$node->safe_psql('postgres', "CREATE DATABASE \"$dbname\"");
	$node->safe_psql($dbname, 'CREATE EXTENSION wattgpu');
	while ($text =~ /^```sql\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?/msg)
	{
		my ($sql, $expected) = ($1, $2);
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
		my ($stdout, $stderr);

		next if $sql =~ /^CREATE EXTENSION/;
		# aligned output, as a reader would see it; the last query's if there are several
		IPC::Run::run([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($dbname), '-f', '-' ],
			'<', \$sql, '>', \$stdout, '2>', \$stderr);
		is($stderr =~ s/^.*NOTICE:.*\n//gmr, '', "$page line $line runs");
		is($stdout =~ s/\n\n\z/\n/r, $expected, "$page line $line prints what the page says") if defined $expected;
	}
}

ok(index(slurp_file('README.md'), slurp_file('doc/quickstart.sql')) >= 0, 'the README shows the query of the quickstart');
$node->stop;
done_testing();
