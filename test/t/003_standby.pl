# A hot standby predicts as its primary does, and follows its catalogue in sessions that are already open.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use WattGPU;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION wattgpu');
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);

my $all = <<'SQL';
SELECT count(power), count(itl), sum(power::numeric), sum(itl::numeric), md5(string_agg(concat(power, ' ', itl), ',' ORDER BY gpu, llm, scenario))
FROM (SELECT gpu, llm, scenario, wattgpu_power(gpu, llm, scenario) AS power, wattgpu_itl(gpu, llm, scenario) AS itl
	FROM wattgpu_gpus, wattgpu_llms, wattgpu_scenarios) p
SQL
my $expected = $primary->safe_psql('postgres', $all);
like($expected, qr/^[1-9]\d{3,}\|[1-9]\d{3,}\|/, 'the primary predicts');
is($standby->safe_psql('postgres', $all), $expected, 'the standby predicts the same over the whole catalogue');

my $session = session($standby);
my $x = itl('Acme X1', 'acme/X-7B');
is(ask($session, 'SELECT pg_is_in_recovery()'), 't', 'the session is on the standby');
like(ask($session, "SELECT $x"), qr/ERROR:.*"Acme X1"/, 'unknown before');

sub on_primary
{
	$primary->safe_psql('postgres', $_[0]);
	$primary->wait_for_catchup($standby);
	return;
}

on_primary(gpu_row('Acme X1') . llm_row('acme/X-7B'));
my $fast = ask($session, "SELECT $x");
is($fast, $primary->safe_psql('postgres', "SELECT $x"), 'inserted on the primary, known to the open session');
on_primary("UPDATE wattgpu_gpus SET memory_bandwidth_gb_s = memory_bandwidth_gb_s / 2 WHERE gpu = 'Acme X1'");
my $slow = ask($session, "SELECT $x");
cmp_ok($slow, '>', $fast, 'an update is followed');
on_primary("INSERT INTO wattgpu_gpu_aliases (alias, gpu, kind) VALUES ('the new one', 'Acme X1', 'short')");
is(ask($session, 'SELECT ' . itl('The New One', 'acme/X-7B')), $slow, 'so is an alias');
on_primary("BEGIN; UPDATE wattgpu_gpus SET memory_bandwidth_gb_s = 5000 WHERE gpu = 'Acme X1'; ROLLBACK");
is(ask($session, "SELECT $x"), $slow, 'a change that was rolled back is not');
on_primary('TRUNCATE wattgpu_gpu_aliases');
like(ask($session, 'SELECT ' . itl('The New One', 'acme/X-7B')), qr/ERROR:.*"The New One"/, 'a truncated table is');
on_primary("DELETE FROM wattgpu_gpus WHERE gpu = 'Acme X1'");
like(ask($session, "SELECT $x"), qr/ERROR:.*"Acme X1"/, 'a delete is followed');

my $model = "SELECT wattgpu_power('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct')";
my $paper = ask($session, $model);
on_primary("SELECT wattgpu_train('power', 'mine', 'paper', params => '{\"rounds\": 3}'); SELECT wattgpu_set_default('mine', 'power')");
my $mine = ask($session, $model);
isnt($mine, $paper, 'another default model is followed');
is($mine, $primary->safe_psql('postgres', $model), 'and gives what it gives on the primary');
on_primary("DELETE FROM wattgpu_models WHERE model = 'mine'");
is(ask($session, $model), $paper, 'without it the shipped one is the default again');

on_primary(<<'SQL');
INSERT INTO wattgpu_sites (site, pue) VALUES ('north', 1.2);
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES ('chat', 'north', 'NVIDIA A30', 4, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-01-01 00:00+00, 2026-02-01 00:00+00)', 700, 744, 150);
SELECT wattgpu_report_save('first', '[2026-01-01 00:00+00, 2026-02-01 00:00+00)');
SQL
foreach my $view (qw(wattgpu_energy() wattgpu_deployment_energy wattgpu_energy_by_site_month_rounded wattgpu_energy_total wattgpu_scope2
	wattgpu_report('first') wattgpu_report_total('first')))
{
	my $rows = "SELECT to_jsonb(v) FROM $view v";
	my $energy = ask($session, $rows);
	like($energy, qr/"facility_kwh": [1-9]/, "$view answers on a standby");
	is($energy, $primary->safe_psql('postgres', $rows), 'as on the primary');
}
like(ask($session, "SELECT wattgpu_report_save('first', '[2026-01-01 00:00+00, 2026-02-01 00:00+00)')"), qr/ERROR:.*read-only/, 'a standby does not save');

like(ask($session, "SELECT wattgpu_train('power', 'other', 'paper')"), qr/ERROR:.*(?:read-only|recovery)/, 'a standby does not train');
is(ask($session, $model), $paper, 'and goes on predicting');

$standby->promote;
is(ask($session, gpu_row('Acme X3') . "SELECT " . itl('Acme X3', 'acme/X-7B') . ' > 0'), 't', 'once promoted, an inserted row predicts');

$session->quit;
$standby->stop;
$primary->stop;
done_testing();
