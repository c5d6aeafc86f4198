# Through pg_dump and psql the user's rows stay, the shipped ones are not doubled, and predictions are the same; with the
# extension in a schema that is not on the search_path.
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
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE first');
$node->safe_psql('postgres', 'CREATE DATABASE second');
$node->safe_psql('first', 'CREATE SCHEMA wg; CREATE EXTENSION wattgpu SCHEMA wg');

my @shipped_tables = map { "wg.wattgpu_$_" } qw(gpus llms gpu_aliases llm_aliases cloud_instances scenarios measurements models
  default_models template_fields);
# of these all rows are the user's
my @own_tables = map { "wg.wattgpu_$_" } qw(sites grid_intensity deployments report_relations reports report_rows report_inputs report_deletions
  trainings inference_tasks site_meters);
my @tables = (@shipped_tables, @own_tables);

sub counts
{
	my ($dbname, $where, @of) = @_;

	return join("\n", map { "$_ " . $node->safe_psql($dbname, "SELECT count(*) FROM $_ WHERE $where") } @of);
}

# Each table's rows in one digest, whatever their order.
sub digests
{
	my ($dbname) = @_;

	return join(
		"\n",
		map {
			"$_ "
			  . $node->safe_psql($dbname,
				"SELECT md5(string_agg(to_jsonb(t)::text, E'\\n' ORDER BY to_jsonb(t)::text COLLATE \"C\")) FROM $_ t")
		} @tables);
}

sub dump_of
{
	my ($dbname) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir . "/$dbname.sql";

	$node->command_ok([ 'pg_dump', '--file', $file, $dbname ], "pg_dump of $dbname");
	return $file;
}

# The rows of a dump, without the key that newer versions of pg_dump make up each time, in an order of our own: an updated
# row has moved within its table.
sub lines
{
	my ($file) = @_;

	return join("\n", sort grep { !/^\\(?:un)?restrict / } split(/\n/, slurp_file($file)));
}

# Every kind of row a user may have
my $shipped = counts('first', 'builtin', @shipped_tables);
like($shipped, qr/wg\.wattgpu_gpus [1-9]/, 'the shipped rows are builtin');
is(counts('first', 'NOT builtin', @shipped_tables) =~ s/ 0$//gmr, join("\n", @shipped_tables), 'and no other row is there');
is(counts('first', 'true', @own_tables) =~ s/ 0$//gmr, join("\n", @own_tables), 'nor one in the tables of one\'s own');
$node->safe_psql('first', gpu_row('Acme X1', 'wg.') . llm_row('acme/X-7B', 'wg.') . <<'SQL');
INSERT INTO wg.wattgpu_gpu_aliases (alias, gpu, kind) VALUES ('the new one', 'Acme X1', 'short'), ('old friend', 'NVIDIA A30', 'short');
INSERT INTO wg.wattgpu_llm_aliases (alias, llm, kind) VALUES (E'it''s \\ "x"\ttab', 'acme/X-7B', 'hf_alias');
INSERT INTO wg.wattgpu_cloud_instances (provider, instance_type, gpu, gpu_count) VALUES ('acme', 'x1.large', 'Acme X1', 2);
INSERT INTO wg.wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens, description)
VALUES ('night_shift', 0.05, 20, 200, 'ours');
INSERT INTO wg.wattgpu_measurements (gpu, llm, scenario, prompt_tokens, output_tokens, power_w, itl_s, runs, source)
VALUES ('Acme X1', 'acme/X-7B', 'night_shift', 20, 200, 100, 0.02, 3, 'ours'),
	('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', 15, 250, 141, 0.0207, 1, 'ours');
UPDATE wg.wattgpu_gpus SET idle_power_w = 66 WHERE gpu = 'NVIDIA A30';
UPDATE wg.wattgpu_gpus SET memory_bandwidth_gb_s = 1500 WHERE gpu = 'NVIDIA A100-SXM4-40GB';
UPDATE wg.wattgpu_llms SET source = 'checked' WHERE llm = 'meta-llama/Llama-3.1-8B-Instruct';
UPDATE wg.wattgpu_gpu_aliases SET gpu = 'Acme X1' WHERE alias = (SELECT min(alias) FROM wg.wattgpu_gpu_aliases WHERE gpu = 'Tesla T4');
UPDATE wg.wattgpu_scenarios SET output_tokens = 210 WHERE scenario = 'server_low';
UPDATE wg.wattgpu_cloud_instances SET gpu_count = 8 WHERE (provider, instance_type) = (SELECT min(provider), min(instance_type) FROM wg.wattgpu_cloud_instances WHERE provider = 'aws');
UPDATE wg.wattgpu_template_fields SET label = 'Renamed' WHERE template = 'sci' AND field = 'method';
INSERT INTO wg.wattgpu_template_fields (template, field, position, label, source, checked) VALUES ('sci', 'contact', 1, 'Whom to ask', 'ours', 'ours');
INSERT INTO wg.wattgpu_trainings (training, llm, gpus, hours, measured_mwh, measured_boundary) VALUES ('run', 'acme/X-7B', 8, 24, 1.5, 'node');
INSERT INTO wg.wattgpu_inference_tasks (task, llm, gpu, gpus, requests, prompt_tokens, output_tokens) VALUES ('task', 'acme/X-7B', 'the new one', 2, 400, 100, 250);
INSERT INTO wg.wattgpu_site_meters VALUES ('Berlin', '[2026-01-01,2026-02-01)', 100, 120), ('Berlin', '[2026-02-01,2026-03-01)', 100, NULL);
SELECT wg.wattgpu_train('power', 'mine', 'paper', params => '{"rounds": 20}');
SELECT wg.wattgpu_set_default('mine');
SQL
is($node->safe_psql('first', "SELECT bool_or(builtin) FROM wg.wattgpu_gpus WHERE gpu IN ('Acme X1', 'NVIDIA A30')"),
	'f', 'a new row and a changed one are the user\'s');
is($node->safe_psql('first', "SELECT model FROM wg.wattgpu_default_models WHERE target = 'power' ORDER BY set_at DESC LIMIT 1"),
	'mine', 'the user\'s model is the default');

# A view of the user's stands in for the sites; a report is saved twice, the second time with another PUE
my $halls = <<'SQL';
CREATE TABLE halls (hall text PRIMARY KEY, pue numeric);
CREATE VIEW hall_sites AS SELECT hall AS site, 'DE' AS zone, pue, 0.2 AS price_per_kwh, 'EUR' AS currency FROM halls;
SQL
$node->safe_psql('first', $halls . <<'SQL');
INSERT INTO halls VALUES ('north', 1.2), ('south', NULL);
SELECT wg.wattgpu_use_relation('wattgpu_sites', 'hall_sites');
INSERT INTO wg.wattgpu_sites (site, zone, pue) VALUES ('unused', 'DE', 1.5);
INSERT INTO wg.wattgpu_grid_intensity (zone, method, valid, co2e_g_per_kwh, source)
VALUES ('DE', 'location', '[2026-01-01 00:00+00, 2027-01-01 00:00+00)', 363.7, 'ours'), ('DE', 'market', '[2026-01-01 00:00+00, 2026-02-01 00:00+00)', 0.1, 'it''s "green"');
INSERT INTO wg.wattgpu_deployments (deployment, site, gpu, gpus, llm, scenario, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES ('chat', 'north', 'the new one', 4, E'it''s \\ "x"\ttab', 'night_shift', '[2026-01-01 00:00+00, 2026-03-01 00:00+00)', 1000.1, 1200, 150),
	('spare', 'south', 'old friend', 2, NULL, NULL, '[2026-01-10 00:00+00, 2026-01-20 00:00+00)', 0, 240, NULL);
SELECT wg.wattgpu_report_save('our "2026"', '[2026-01-01 00:00+00, 2027-01-01 00:00+00)', 'mine');
UPDATE halls SET pue = 1.25 WHERE hall = 'north';
SELECT wg.wattgpu_report_save('our "2026"', '[2026-01-01 00:00+00, 2027-01-01 00:00+00)', 'mine');
SELECT wg.wattgpu_report_save('our "2026"', '[2026-01-01 00:00+00, 2027-01-01 00:00+00)', 'mine');
DELETE FROM wg.wattgpu_reports WHERE revision = 3;
SQL
my $reports = <<'SQL';
SELECT record_send(r) FROM generate_series(1, 2) n, wg.wattgpu_report('our "2026"', n) r;
SELECT record_send(d) FROM wg.wattgpu_report_diff('our "2026"', 1, 2) d;
SELECT record_send(e) FROM wg.wattgpu_energy() e;
SELECT why FROM wg.wattgpu_report_diff('our "2026"', 1, 2);
SELECT 'verified ' || wg.wattgpu_report_verify('our "2026"', n) FROM generate_series(1, 2) n;
SQL
my $reported = $node->safe_psql('first', $reports);
is(() = $reported =~ /^\\x[0-9a-f]{200,}$/gm, 11, 'two reports of three rows, two that moved, and three rows of now');
is(() = $reported =~ /^\{"PUE 1.2 -> 1.25"\}$/gm, 2, 'and why');
is(() = $reported =~ /^verified [0-9a-f]{64}$/gm, 2, 'with their digests');

# Names that reach a shipped row, the user's, and a changed one; the user's model knows the user's scenario
my $predictions = <<'SQL';
SELECT g, l, s, wg.wattgpu_power(g, l, s, model => 'mine'), wg.wattgpu_itl_roofline(g, l, s),
	CASE WHEN s NOT IN ('night_shift', 'server_low') THEN wg.wattgpu_power(g, l, s, model => 'wattgpu-paper') END,
	CASE WHEN s <> 'night_shift' THEN wg.wattgpu_itl(g, l, s) END
FROM (SELECT gpu FROM wg.wattgpu_gpus UNION ALL SELECT 'the new one' UNION ALL SELECT 'old friend') g (g),
	(VALUES ('acme/X-7B'), ('meta-llama/Llama-3.1-8B-Instruct'), (E'it''s \\ "x"\ttab')) l (l),
	(SELECT scenario FROM wg.wattgpu_scenarios) s (s)
ORDER BY g COLLATE "C", l COLLATE "C", s COLLATE "C"
SQL
my $before = $node->safe_psql('first', $predictions);
like($before, qr/^Acme X1\|acme\/X-7B\|night_shift\|[0-9.]+\|[0-9.e-]+\|\|$/m, 'the user\'s pair is predicted');

my $dump = dump_of('first');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('second'), '-f', $dump ], 'restore');
is(counts('second', 'true', @tables), counts('first', 'true', @tables), 'as many rows in each table');
is(counts('second', 'builtin', @shipped_tables), counts('first', 'builtin', @shipped_tables), 'as many shipped rows in each table');
is(digests('second'), digests('first'), 'the same rows in each table');
is($node->safe_psql('second', 'SELECT idle_power_w FROM wg.wattgpu_gpus WHERE gpu = \'NVIDIA A30\''), '66', 'a changed row is kept');
is($node->safe_psql('second', $predictions), $before, 'the same predictions');
is($node->safe_psql('second', $reports), $reported, 'the same reports, to the bit');
is(lines(dump_of('second')), lines($dump), 'a dump of the restored database holds the same');

# The restored database is as good as the first
is($node->safe_psql('second', "SELECT wg.wattgpu_report_save('our \"2026\"', '[2026-01-01 00:00+00, 2027-01-01 00:00+00)', 'mine')"), '4', 'revisions go on after the deleted one');
is($node->safe_psql('second', "SELECT count(*) FROM wg.wattgpu_report_diff('our \"2026\"', 2, 4)"), '0', 'and nothing has moved');
$node->safe_psql('second', gpu_row('Acme X2', 'wg.'));
is($node->safe_psql('second', 'SELECT ' . itl('acme x2', 'acme/x-7b', 'wg.') . ' = ' . itl('Acme X1', 'acme/X-7B', 'wg.')),
	't', 'a row inserted there predicts');
$node->safe_psql('second', "SELECT wg.wattgpu_train('itl', 'mine', 'paper', params => '{\"rounds\": 5}')");

# A data-only dump of the tables, into a database that has the extension
$node->safe_psql('postgres', 'CREATE DATABASE third');
$node->safe_psql('third', "CREATE SCHEMA wg; CREATE EXTENSION wattgpu SCHEMA wg; $halls");
my $custom = PostgreSQL::Test::Utils::tempdir . '/first.dump';
$node->command_ok([ 'pg_dump', '--format=custom', '--file', $custom, 'first' ], 'pg_dump in the custom format');
$node->command_ok([ 'pg_restore', '--exit-on-error', '--data-only', '-d', $node->connstr('third'), $custom ], 'pg_restore of the data alone');
is(digests('third'), digests('first'), 'the same rows in each table');
is($node->safe_psql('third', $reports), $reported, 'and the same reports');

$node->stop;
done_testing();
