# A library under an extension of another version refuses to predict, and names both.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION wattgpu');

my $version = $node->safe_psql('postgres', "SELECT default_version FROM pg_available_extensions WHERE name = 'wattgpu'");
my %call = (
	power => "wattgpu_power('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high')",
	itl => "wattgpu_itl('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high')",
	roofline => "wattgpu_itl_roofline('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high')",
	train => "wattgpu_train('power', 'mine')",
);
my $before = $node->safe_psql('postgres', "SELECT $call{power}");

is($node->safe_psql('postgres', "SELECT extversion FROM pg_extension WHERE extname = 'wattgpu'"), $version, 'the version is the control file\'s');
foreach my $other ('0.0.1', "$version-next")
{
	$node->safe_psql('postgres', "UPDATE pg_extension SET extversion = '$other' WHERE extname = 'wattgpu'");
	foreach my $name (sort keys %call)
	{
		my ($status, $output, $error) = $node->psql('postgres', "SELECT $call{$name}");

		isnt($status, 0, "$name refuses to run under version \"$other\"");
		like($error, qr/ERROR:(?=.*\b\Q$version\E(?!\S))(?=.*\b\Q$other\E(?!\S))/, 'and names both versions');
	}
}
$node->safe_psql('postgres', "UPDATE pg_extension SET extversion = '$version' WHERE extname = 'wattgpu'");
is($node->safe_psql('postgres', "SELECT $call{power}"), $before, 'works again under its own version');
is($node->safe_psql('postgres', "SELECT count(*) FROM wattgpu_models WHERE model = 'mine'"), '0', 'nothing was trained');

$node->stop;
done_testing();
