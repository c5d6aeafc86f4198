# doc/bi: the flat views have nothing a BI tool stumbles over and say what they are; every query of the dashboard and of the page
# runs against the demo fleet and gives rows, and without a fleet it runs too.
use strict;
use warnings FATAL => 'all';

use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('bi');
$node->init(extra => [ '--locale=C.UTF-8', '--encoding=UTF8' ]);
$node->start;

my $dashboard = decode_json(slurp_file('doc/bi/grafana.json'));
my $page = slurp_file('doc/bi/page/data.sql');

# What Grafana makes of its macro and variables
sub substituted
{
	my ($sql, %variables) = @_;

	$sql =~ s/\$__timeFrom\(\)/'2026-07-15T12:00:00Z'/g;
	$sql =~ s/\$__timeTo\(\)/'2026-09-15T12:00:00Z'/g;
	$sql =~ s/\$\{(\w+):sqlstring\}/"'" . $variables{$1} =~ s{'}{''}gr . "'"/ge;
	return $sql;
}

sub rows { my ($dbname, $sql) = @_; return $node->safe_psql($dbname, "SELECT count(*) FROM (\n$sql\n) q"); }

my @queries = map { my $panel = $_; map { [ $panel->{title}, $_->{rawSql} ] } @{ $panel->{targets} } } @{ $dashboard->{panels} };
my %variable = map { $_->{name} => $_->{query} } grep { $_->{type} eq 'query' } @{ $dashboard->{templating}{list} };
cmp_ok(scalar @queries, '>=', 9, 'the dashboard has its panels');
is_deeply([ sort keys %variable ], [qw(llm scenario)], 'and its variables');
is_deeply([ grep { $_->{datasource}{uid} ne '${datasource}' } @{ $dashboard->{panels} } ], [], 'each panel reads the chosen database');

is_deeply([ map { $_->{title} } grep { "$_->{title} $_->{description}" !~ /all periods|does not depend on the time picker/ && $_->{targets}[0]{rawSql} !~ /\$__timeFrom\(\)/ } @{ $dashboard->{panels} } ],
	[], 'and follows the time picker, or says that it does not');
is_deeply([ grep { ($_->{pluginVersion} // '') ne '11.1.0' } @{ $dashboard->{panels} } ], [], 'and names the version that it is of');

foreach my $dbname ('empty', 'fleet')
{
	$node->safe_psql('postgres', "CREATE DATABASE $dbname");
	$node->safe_psql($dbname, 'CREATE EXTENSION wattgpu');
	$node->safe_psql($dbname, slurp_file('doc/bi/demo.sql')) if $dbname eq 'fleet';
	foreach my $time ('once', 'and again')
	{
		$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($dbname), '-f', 'doc/bi/views.sql' ], "$dbname: the views are made, $time");
	}
	my %chosen = map { $_ => (split /\n/, $node->safe_psql($dbname, $variable{$_}))[0] } keys %variable;
	foreach my $query (@queries)
	{
		my $rows = rows($dbname, substituted($query->[1], %chosen));
		my $least = $dbname eq 'fleet' || $query->[1] =~ /rankings|^SELECT (sum|count)\(/ ? 1 : 0;
		cmp_ok($rows, '>=', $least, "$dbname: $query->[0]");
	}
	my $data = decode_json($node->safe_psql($dbname, $page));
	is_deeply([ grep { !defined $data->{$_} } qw(built_at version span model_versions total models problems rankings) ], [], "$dbname: the page has its data");
	is(scalar @{ $data->{rankings} }, 3 * ($dbname eq 'fleet' ? 9 : 1), "$dbname: a ranking an LLM and scenario");
	is_deeply([ grep { @{ $_->{ranked} } == 0 || @{ $_->{left_out} } == 0 } @{ $data->{rankings} } ], [], "$dbname: with cards in it and others left out");
	is(scalar @{ $data->{models} }, $dbname eq 'fleet' ? 10 : 0, "$dbname: models");
	is($data->{total}{gpu_kwh}, undef, 'nothing known is not 0') if $dbname eq 'empty';
}

# The first choice of the variables is what the fleet draws most for
is((split /\n/, $node->safe_psql('fleet', $variable{llm}))[0], 'meta-llama/Llama-3.3-70B-Instruct', 'the first LLM on the list');

is($node->safe_psql('fleet', <<'SQL'), '', 'only types that every BI tool knows');
SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'wattgpu_bi'::regnamespace AND a.attnum > 0 AND a.atttypid NOT IN ('text'::regtype, 'integer'::regtype, 'bigint'::regtype,
	'double precision'::regtype, 'numeric'::regtype, 'boolean'::regtype, 'date'::regtype, 'timestamptz'::regtype)
SQL
is($node->safe_psql('fleet', <<'SQL'), '', 'each view and column says what it is');
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'wattgpu_bi'::regnamespace AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)
SQL
is($node->safe_psql('fleet', <<'SQL'), '', 'there is one for each view of the extension');
SELECT c.relname FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'e' WHERE c.relkind = 'v' AND c.relname LIKE 'wattgpu\_%'
	AND to_regclass('wattgpu_bi.' || substr(c.relname, 9)) IS NULL
SQL

# Of the time picker's months, the first and the last begin and end outside of it. A stat's figure is the reports' own.
is($node->safe_psql('fleet', 'SELECT count(DISTINCT time) FROM (' . substituted((grep { $_->[0] eq 'Mean GPU power by model' } @queries)[0][1]) . ') q'), 3, 'no month of the time picker is dropped');
is($node->safe_psql('fleet', 'SELECT abs(q.estimate / t.gpu_kwh - 1) < 1e-9, q."lower end" < q.estimate FROM (' . substituted((grep { $_->[0] eq 'GPU energy' } @queries)[0][1]) . ') q, wattgpu_energy_total t'),
	't|t', 'GPU energy');
is($node->safe_psql('fleet', substituted((grep { $_->[0] =~ /^Deployments not known/ } @queries)[0][1])), 1, 'deployments that are not known');

# Three months, 92 x 24 hours; the search's boards are metered at 2.95 kW all the time, so that is its mean power
is($node->safe_psql('fleet', <<'SQL'), '2950.0|2950.0|2950.0|0', 'mean power of the metered search');
SELECT round(gpu_power_w::numeric, 1), round(gpu_power_lo_w::numeric, 1), round(gpu_power_hi_w::numeric, 1), missing_gpu
FROM wattgpu_bi.power_by_model WHERE llm = 'mistralai/Mistral-7B-Instruct-v0.3'
SQL
is($node->safe_psql('fleet', <<'SQL'), "2026-07-01|2194.8|2950.0\n2026-08-01|2194.8|2950.0\n2026-09-01|2124.0|2950.0", 'and of each month: 2.95 kW x 744, 744 and 720 h');
SELECT month, round(gpu_kwh::numeric, 1), round(gpu_power_w::numeric, 1) FROM wattgpu_bi.power_by_model_month
WHERE llm = 'mistralai/Mistral-7B-Instruct-v0.3' ORDER BY month
SQL
is($node->safe_psql('fleet', <<'SQL'), 't|t|t', 'months add up to the model, models to the fleet, shares to 1');
SELECT bool_and(abs(m.gpu_kwh / b.gpu_kwh - 1) < 1e-9), (SELECT abs(sum(gpu_kwh) / (SELECT gpu_kwh FROM wattgpu_bi.energy_total) - 1) < 1e-9 FROM wattgpu_bi.energy_by_model),
	(SELECT bool_and(abs(share - 1) < 1e-9) FROM (SELECT sum(share) AS share FROM wattgpu_bi.shares GROUP BY llm) s)
FROM (SELECT llm, sum(gpu_kwh) AS gpu_kwh FROM wattgpu_bi.power_by_model_month GROUP BY llm) m JOIN wattgpu_bi.energy_by_model b ON b.llm IS NOT DISTINCT FROM m.llm
SQL
is($node->safe_psql('fleet', <<'SQL'), 'accelerator trial|unknown GPU "Acme NPU 9000"|t', 'what could not be predicted is named');
SELECT deployment, problem, gpu_unknown FROM wattgpu_bi.problems WHERE problem LIKE 'unknown%'
SQL

# 1 kW in July and another one in its last two days, 4 kWh in the hour of 3 August, and what is not known: 744 + 48 + 4 kWh in 745 h.
# The LLMs have names that look like others, the site one that looks like two reasons.
$node->safe_psql('postgres', 'CREATE DATABASE odd');
$node->safe_psql('odd', <<'SQL');
CREATE EXTENSION wattgpu;
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, scenario, period, hours_active, hours_reserved, node_overhead_w_per_gpu, measured_kwh, measured_boundary)
SELECT d, s, g, 1, l, 'offline', tstzrange(a, b), h, h, 100, k, m FROM (VALUES
	('july', 'here; there', 'NVIDIA A30', 'no LLM (reserve)', '2026-07-01 00:00Z'::timestamptz, '2026-08-01 00:00Z'::timestamptz, 744, 744, 'gpu'),
	('its end', 'here; there', 'NVIDIA A30', 'no LLM (reserve)', '2026-07-30 00:00Z', '2026-08-01 00:00Z', 48, 48, 'gpu'),
	('not known', 'here; there', 'Acme; NPU', 'no LLM (reserve)', '2026-07-31 00:00Z', '2026-08-01 00:00Z', 24, NULL, NULL),
	('july', 'here; there', 'Acme; NPU', 'The whole fleet', '2026-08-01 00:00Z', '2026-08-03 00:00Z', 48, NULL, NULL),
	('an hour', 'here; there', 'NVIDIA A30', 'The whole fleet', '2026-08-03 00:00Z', '2026-08-03 01:00Z', 1, 4, 'gpu'),
	('behind the facility', 'here; there', 'NVIDIA A30', 'The whole fleet', '2026-08-03 00:00Z', '2026-08-03 01:00Z', 1, 9, 'facility')) d (d, s, g, l, a, b, h, k, m)
SQL
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('odd'), '-f', 'doc/bi/views.sql' ], 'an odd fleet');
is($node->safe_psql('odd', <<'SQL'), "no LLM (reserve)|744|792|1064.5|1\nThe whole fleet|1|4|4000.0|2", 'what is not known does not dilute mean power');
SELECT llm, gpu_held_h, gpu_kwh, round(gpu_power_w::numeric, 1), missing_gpu FROM wattgpu_bi.power_by_model ORDER BY gpu_held_h DESC
SQL
is($node->safe_psql('odd', 'SELECT gpu_held_h, gpu_kwh, missing_gpu, deployments, facility_power_w FROM wattgpu_bi.power_total'), '745|796|3|5|9000', 'nor that of the fleet');
is($node->safe_psql('odd', <<'SQL'), "site \"here; there\" is not known|f\nunknown GPU \"Acme; NPU\"|t\nunknown LLM \"no LLM (reserve)\"|t", 'names are not split, and only what makes the boards unknown says so');
SELECT problem, gpu_unknown FROM wattgpu_bi.problems WHERE deployment = 'not known' ORDER BY problem COLLATE "C"
SQL
is($node->safe_psql('odd', "SELECT problem FROM wattgpu_bi.problems WHERE deployment = 'behind the facility' AND gpu_unknown"), 'site "here; there" is not known',
	'what lies between the boards and the meter');
is($node->safe_psql($_, <<'SQL'), '', "$_: each deployment with unknown boards has a reason for that") foreach ('odd', 'fleet');
SELECT deployment FROM wattgpu_bi.energy WHERE gpu_kwh IS NULL EXCEPT SELECT deployment FROM wattgpu_bi.problems WHERE gpu_unknown
SQL
$node->safe_psql('odd', <<'SQL');
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved)
SELECT 'many ' || i, 'here', 'Acme', 1, 'LLM ' || i, '[2026-07-01 00:00Z,2026-07-02 00:00Z)', 24, 24 FROM generate_series(1, 60) i
SQL
my $many = decode_json($node->safe_psql('odd', $page))->{problems};
my %listed = map { $_->{deployment} => 1 } grep { $_->{missing} } @{ $many->{rows} };
is("$many->{missing} $many->{gaps} " . keys %listed, '63 2 50', 'of many deployments with problems, the first are listed, all are counted');

# A role with the README's grants, where the extension has a schema of its own and a view stands in, reads every view
$node->safe_psql('postgres', 'CREATE DATABASE granted');
$node->safe_psql('granted', <<'SQL');
ALTER DATABASE granted SET search_path = public, extensions;
CREATE SCHEMA extensions;
CREATE EXTENSION wattgpu SCHEMA extensions;
CREATE VIEW our_deployments AS SELECT * FROM extensions.wattgpu_deployments;
SELECT extensions.wattgpu_use_relation('wattgpu_deployments', 'our_deployments');
SQL
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('granted'), '-f', $_ ], "a schema of its own: $_") foreach ('doc/bi/demo.sql', 'doc/bi/views.sql');
my $grants = join '', slurp_file('doc/bi/README.md') =~ /^((?:CREATE ROLE|GRANT) .*\n)/mg;
is($node->safe_psql('granted', "$grants SET ROLE dashboards;" . <<'SQL'), 't|t', 'a role with the grants of the README reads every view');
SELECT bool_and(xpath_exists('/table', query_to_xml(format('SELECT count(*) FROM wattgpu_bi.%I', relname), false, false, ''))), count(*) > 20
FROM pg_class WHERE relnamespace = 'wattgpu_bi'::regnamespace AND relname !~ 'rankings'
SQL
is($node->safe_psql('granted', "SET ROLE dashboards; SELECT count(rank) > 50 FROM wattgpu_bi.rankings WHERE llm = 'google/gemma-3-4b-it' AND scenario = 'offline'"),
	't', 'and a ranking');
foreach my $grant (qw(extensions our_deployments))
{
	my ($less) = $grants =~ s/^GRANT.*\b$grant TO.*\n//mr =~ s/^CREATE ROLE.*\n//r;
	my (undef, undef, $err) = $node->psql('granted', "REVOKE ALL ON SCHEMA extensions FROM dashboards; REVOKE ALL ON our_deployments FROM dashboards; $less SET ROLE dashboards; SELECT count(*) FROM wattgpu_bi.energy_total");
	like($err, qr/permission denied for (schema extensions|view our_deployments)|our_deployments/, "which needs the grant on $grant");
}

$node->safe_psql('fleet', 'CREATE VIEW public.mine AS SELECT llm FROM wattgpu_bi.shares');
$node->command_fails_like([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('fleet'), '-f', 'doc/bi/views.sql' ],
	qr/view mine depends on view wattgpu_bi.shares/, 'a view of one\'s own on top is not dropped');
is($node->safe_psql('fleet', 'SELECT count(*) > 0 FROM mine'), 't', 'and still answers');

$node->stop;
done_testing();
