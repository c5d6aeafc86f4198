# A damaged booster is an error that names its model, whatever the damage, and never takes the server down.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use WattGPU;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'log_statement = none');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION wattgpu');

my $session = session($node);
my $damaged = qr/ERROR:.*"wattgpu-paper"/;
my %predict = map { $_ => "SELECT wattgpu_$_('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', model => 'wattgpu-paper')" } qw(power itl);
my %right = map { $_ => ask($session, $predict{$_}) } keys %predict;
my %size = map { $_ => ask($session, "SELECT length(booster) FROM wattgpu_models WHERE model = 'wattgpu-paper' AND target = '$_'") }
  keys %predict;
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $backend = ask($session, 'SELECT pg_backend_pid()');

like($right{$_}, qr/^\d+\.\d+/, "$_ is predicted") for sort keys %right;
ask($session, "CREATE TABLE kept AS SELECT target, booster, crc32c, golden_margins FROM wattgpu_models WHERE model = 'wattgpu-paper'");

# The same damage on every machine and every version of Perl.
my $state = 20240607;

sub any
{
	my ($below) = @_;

	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 2147483648 * $below);
}

# Put an expression over the kept booster k.booster in its place; with its checksum made right, if so asked.
sub damage
{
	my ($target, $expression, $sealed) = @_;
	my $which = "m.model = 'wattgpu-paper' AND m.target = '$target'";

	return ask($session, "UPDATE wattgpu_models m SET booster = $expression, crc32c = k.crc32c FROM kept k WHERE $which AND k.target = m.target")
	  . ($sealed ? ask($session, "UPDATE wattgpu_models m SET crc32c = wattgpu_model_crc32c(m) WHERE $which") : '');
}

sub flip
{
	my ($at, $with) = @_;

	return "set_byte(k.booster, $at, get_byte(k.booster, $at) # $with)";
}

foreach my $target (sort keys %predict)
{
	my $n = $size{$target};
	my %change;

	# The ends, where headers and lengths are, and places all over it
	$change{"cut to $_ bytes"} = "substr(k.booster, 1, $_)" for 0, 1, 2, 7, 8, 16, 100, $n - 1, map { any($n) } 1 .. 30;
	$change{"without its first $_ bytes"} = "substr(k.booster, 1 + $_)" for 1, 8, map { 1 + any($n - 1) } 1 .. 5;
	$change{"byte $_ flipped"} = flip($_, 1 + any(255)) for 0 .. 40, $n - 8 .. $n - 1, map { any($n) } 1 .. 100;
	$change{"a byte more"} = 'k.booster || \'\x00\'';
	$change{"twice itself"} = 'k.booster || k.booster';
	$change{"zeros"} = "decode(repeat('00', $n), 'hex')";
	$change{"text"} = "convert_to(repeat('{\"x\":[', $n / 6), 'UTF8')";

	my @missed;
	my @silent;
	foreach my $name (sort keys %change)
	{
		if (damage($target, $change{$name}) ne '')
		{
			push @missed, "$name: cannot be stored";
			next;
		}
		my $answer = ask($session, $predict{$target});
		push @missed, "$name: $answer" if $answer !~ $damaged;
	}
	is(join("\n", @missed), '', "$target: " . scalar(keys %change) . ' damaged boosters, each an error that names the model');

	# Damage that the checksum does not show: an error, or at the least a number, but no crash, and no error but that one.
	foreach my $name (sort keys %change)
	{
		damage($target, $change{$name}, 1);
		my $answer = ask($session, $predict{$target});
		push @silent, "$name: $answer" if $answer !~ $damaged && $answer !~ /^-?(?:\d+(?:\.\d+)?(?:e[-+]\d+)?)?$/;
	}
	is(join("\n", @silent), '', "$target: the same damage with a right checksum");

	my $cut = $change{"cut to 100 bytes"};
	damage($target, $cut, 1);
	like(ask($session, $predict{$target}), $damaged, "$target: a cut booster with a right checksum");

	damage($target, 'k.booster');
	is(ask($session, $predict{$target}), $right{$target}, "$target: works again once repaired");
}

# The other target's booster, and columns beside the booster
damage('power', "(SELECT booster FROM kept WHERE target = 'itl')", 1);
like(ask($session, $predict{power}), $damaged, 'the other target\'s booster');
damage('power', 'k.booster');
foreach my $set (
	"features = features || 'no such feature'::text", "features = features[2:]", "features = '{}'",
	"features = array_append(features, NULL)", "features = ARRAY[features, features]", "features = array_fill('tdp'::text, ARRAY[5000])",
	"categories = '{}'", "golden_features = '{}'", "golden_margins = '{}'", "golden_margins = golden_margins || NULL::real",
	"golden_margins = golden_margins[2:]", "golden_margins = '{}', golden_features = '{}'", "crc32c = 0")
{
	ask($session, 'BEGIN');
	my $error = ask($session, "UPDATE wattgpu_models SET $set WHERE model = 'wattgpu-paper' AND target = 'power'");
	die $error if $error ne '';
	like(ask($session, $predict{power}), $damaged, "damaged: $set");
	ask($session, 'ROLLBACK');
}
is(ask($session, $predict{power}), $right{power}, 'works again after the rollback');

# What fails again and again costs no memory, early in the booster or after all of it was read
my $memory = 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts';
foreach my $harm ('booster = substr(m.booster, 1, 1000)', 'golden_margins[1] = m.golden_margins[1] + 1')
{
	ask($session, "UPDATE wattgpu_models m SET $harm WHERE model = 'wattgpu-paper' AND target = 'power'");
	like(ask($session, $predict{power}), $damaged, "damaged: $harm");
	ask($session, $predict{power}) for 1 .. 10;
	my $before = ask($session, $memory);
	ask($session, $predict{power}) for 1 .. 100;
	cmp_ok(ask($session, $memory) - $before, '<', 100_000, '100 failures leave nothing behind');
	damage('power', 'k.booster');
}
ask($session, "UPDATE wattgpu_models m SET golden_margins = k.golden_margins FROM kept k WHERE model = 'wattgpu-paper' AND m.target = 'power' AND k.target = 'power'");

is(ask($session, $predict{$_}), $right{$_}, "$_ works at the end") for sort keys %predict;
is(ask($session, 'SELECT pg_backend_pid()'), $backend, 'in the same session');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'of the same server');
$session->quit;
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP:/, 'nothing crashed');
done_testing();
