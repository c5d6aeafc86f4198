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

	$sql =~ s/\$__timeFilter\(([^()]*)\)/$1 BETWEEN '2026-01-01T00:00:00Z' AND '2026-12-31T00:00:00Z'/g;
	$sql =~ s/\$\{(\w+):sqlstring\}/"'" . $variables{$1} =~ s{'}{''}gr . "'"/ge;
	return $sql;
}

sub rows { my ($dbname, $sql) = @_; return $node->safe_psql($dbname, "SELECT count(*) FROM (\n$sql\n) q"); }

my @queries = map { my $panel = $_; map { [ $panel->{title}, $_->{rawSql} ] } @{ $panel->{targets} } } @{ $dashboard->{panels} };
my %variable = map { $_->{name} => $_->{query} } grep { $_->{type} eq 'query' } @{ $dashboard->{templating}{list} };
cmp_ok(scalar @queries, '>=', 9, 'the dashboard has its panels');
is_deeply([ sort keys %variable ], [qw(llm scenario)], 'and its variables');
is_deeply([ grep { $_->{datasource}{uid} ne '${datasource}' } @{ $dashboard->{panels} } ], [], 'each panel reads the chosen database');

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
		my $least = $dbname eq 'fleet' || $query->[1] =~ /rankings|energy_total/ ? 1 : 0;
		cmp_ok($rows, '>=', $least, "$dbname: $query->[0]");
	}
	my $data = decode_json($node->safe_psql($dbname, $page));
	is_deeply([ grep { !defined $data->{$_} } qw(built_at version span model_versions total models problems rankings) ], [], "$dbname: the page has its data");
	cmp_ok(scalar @{ $data->{rankings} }, '>', 50, "$dbname: rankings");
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

# Three months of 92 x 24 hours; the search's boards are metered at 2.95 kW all the time, so that is its mean power
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

$node->safe_psql('fleet', 'CREATE VIEW public.mine AS SELECT llm FROM wattgpu_bi.shares');
$node->command_fails_like([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('fleet'), '-f', 'doc/bi/views.sql' ],
	qr/view mine depends on view wattgpu_bi.shares/, 'a view of one\'s own on top is not dropped');
is($node->safe_psql('fleet', 'SELECT count(*) > 0 FROM mine'), 't', 'and still answers');

$node->stop;
done_testing();
