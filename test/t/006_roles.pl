# An ordinary role predicts, in a read-only transaction and in parallel workers too, and may do nothing else; training can
# be cancelled and then leaves nothing.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use WattGPU;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_worker_processes = 8\nmax_parallel_workers = 8");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA wg;
CREATE EXTENSION wattgpu SCHEMA wg;
CREATE ROLE analyst LOGIN;
GRANT USAGE ON SCHEMA wg TO analyst;
CREATE TABLE inventory AS SELECT gpu, llm, scenario FROM wg.wattgpu_gpus, wg.wattgpu_llms, wg.wattgpu_scenarios;
ALTER TABLE inventory SET (parallel_workers = 2);
GRANT SELECT ON inventory TO analyst;
ANALYZE inventory;
SQL

# As analyst, with nothing on the search_path but what is always there.
sub analyst
{
	my ($query) = @_;
	my ($status, $output, $error) =
	  $node->psql('postgres', "SET search_path = '';\n$query", extra_params => [ '-U', 'analyst' ]);

	return $error eq '' ? $output : $error;
}

my $a30 = power('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'wg.');
my $expected = $node->safe_psql('postgres', "SELECT $a30");
is(analyst("SELECT $a30"), $expected, 'an ordinary role predicts');
is(analyst("SELECT wg.wattgpu_itl(' nvidia a30 ', 'META-LLAMA/llama-3.1-8b-instruct') > 0"), 't', 'by other spellings too');
is(analyst("BEGIN READ ONLY; SELECT $a30; COMMIT"), $expected, 'in a read-only transaction');
is(analyst("SET default_transaction_isolation = 'serializable'; SET default_transaction_read_only = on; SELECT $a30"),
	$expected, 'in a serializable read-only transaction');
like(analyst("SELECT wg.wattgpu_power('nvidia a3O', 'meta-llama/Llama-3.1-8B-Instruct')"), qr/ERROR:.*"nvidia a3O"/, 'an unknown name is an error');
is(analyst("SET wattgpu.unknown_name = 'null'; SELECT wg.wattgpu_power('nvidia a3O', 'meta-llama/Llama-3.1-8B-Instruct') IS NULL"),
	't', 'or NULL, before the library is loaded');

# Parallel
my $sum = 'SELECT count(*), count(p), sum(p::numeric), sum(i::numeric) FROM (SELECT wg.wattgpu_power(gpu, llm, scenario) AS p,'
  . ' wg.wattgpu_itl(gpu, llm, scenario) AS i FROM public.inventory) t';
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
  . ' SET max_parallel_workers_per_gather = 2;';
my $serial = analyst("SET max_parallel_workers_per_gather = 0; $sum");
like($serial, qr/^[1-9]\d*\|[1-9]\d*\|[1-9]/, 'a sum over the whole catalogue');
my $plan = analyst("$parallel EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $sum");
like($plan, qr/Gather/, 'a parallel plan');
like($plan, qr/Workers Launched: [12]/, 'with workers');
is(analyst("$parallel $sum"), $serial, 'gives the same sum');

my $forced = "DO 'BEGIN PERFORM set_config(CASE WHEN current_setting(''server_version_num'')::int >= 160000"
  . " THEN ''debug_parallel_query'' ELSE ''force_parallel_mode'' END, ''on'', false); END';";
is(analyst("$forced SELECT $a30"), $expected, 'in a worker alone');
like(analyst("$forced SELECT wg.wattgpu_power('nobody', 'meta-llama/Llama-3.1-8B-Instruct')"), qr/ERROR:.*"nobody"/, 'an unknown name in a worker');
is(analyst("$forced SET wattgpu.unknown_name = 'null'; SELECT wg.wattgpu_power('nobody', 'meta-llama/Llama-3.1-8B-Instruct') IS NULL"),
	't', 'the setting reaches a worker');
is($node->safe_psql('postgres',
		'BEGIN;' . gpu_row('Acme X1', 'wg.') . llm_row('acme/X-7B', 'wg.') . "$forced SELECT " . itl('Acme X1', 'acme/X-7B', 'wg.') . ' > 0; ROLLBACK'),
	't', 'a worker knows its transaction\'s own rows');
is($node->safe_psql('postgres', "SELECT count(*) FROM wg.wattgpu_gpus WHERE gpu = 'Acme X1'"), '0', 'which are gone after the rollback');

# What it may not
foreach my $table (map { "wg.wattgpu_$_" } qw(gpus llms gpu_aliases llm_aliases cloud_instances scenarios measurements models default_models))
{
	is(analyst("SELECT count(*) > 0 FROM $table"), 't', "$table can be read");
	like(analyst("INSERT INTO $table (builtin) SELECT builtin FROM $table"), qr/ERROR:  permission denied/, 'and not inserted into');
	like(analyst("UPDATE $table SET builtin = false"), qr/ERROR:  permission denied/, 'updated');
	like(analyst("DELETE FROM $table"), qr/ERROR:  permission denied/, 'deleted from');
	like(analyst("TRUNCATE $table CASCADE"), qr/ERROR:  permission denied/, 'or truncated');
}
foreach my $call ("wattgpu_train('power', 'mine')", "wattgpu_set_default('wattgpu-paper')",
	"wattgpu_import_model(wg.wattgpu_export_model('wattgpu-paper', 'power') || '{\"model\": \"mine\"}')")
{
	like(analyst("SELECT wg.$call"), qr/ERROR:.*(?:permission denied|only the owner)/, "no $call");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM wg.wattgpu_models WHERE NOT builtin'), '0', 'and nothing is stored');

# The same tables under the role's own names do not stand in for the extension's
is(analyst(<<"SQL"), $expected, 'temporary tables and functions of the same names are not used');
CREATE TEMP TABLE wattgpu_gpus (gpu text);
CREATE TEMP TABLE wattgpu_models (model text);
CREATE FUNCTION pg_temp.lower(text) RETURNS text LANGUAGE sql AS 'SELECT ''x''';
SET search_path = pg_temp, pg_catalog;
SELECT $a30;
SQL

# Cancel
my $long = "SELECT wg.wattgpu_train('power', 'mine', 'paper', params => '{\"rounds\": 5000, \"max_depth\": 12, \"lambda\": 0}')";
my $begin = time;
my ($status, $output, $error) = $node->psql('postgres', "SET statement_timeout = '300ms'; $long");
like($error, qr/ERROR:  canceling statement due to statement timeout/, 'statement_timeout ends a training');
cmp_ok(time - $begin, '<', 5, 'soon');

my $session = session($node);
$session->query_until(qr/started/, "\\echo started\n$long;\n");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT wg.wattgpu_train%'")
  or die 'the training does not run';
$begin = time;
is($node->safe_psql('postgres', "SELECT bool_and(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'SELECT wg.wattgpu_train%'"),
	't', 'pg_cancel_backend is sent');
$session->{timeout}->start;
$session->query('SELECT 1');
like($session->{stderr}, qr/ERROR:  canceling statement due to user request/, 'and ends a training');
cmp_ok(time - $begin, '<', 5, 'soon');
is($node->safe_psql('postgres', "SELECT count(*) FROM wg.wattgpu_models WHERE model = 'mine'"), '0', 'nothing is stored');
is(ask($session, "SELECT $a30"), $expected, 'the session goes on');
is(ask($session, "SELECT training_rows > 0 FROM wg.wattgpu_train('power', 'mine', 'paper', params => '{\"rounds\": 2}')"), 't', 'and trains');

# The owner need not be a superuser
$node->safe_psql('postgres', 'CREATE ROLE keeper LOGIN');
my $names = $node->safe_psql('postgres', "SELECT string_agg(c.oid::regclass::text, ',') FROM pg_class c WHERE relname LIKE 'wattgpu%' AND relkind = 'r'");
$node->safe_psql('postgres', "GRANT USAGE, CREATE ON SCHEMA wg TO keeper; ALTER TABLE $_ OWNER TO keeper") for split(/,/, $names);
is($node->safe_psql('postgres', "SELECT training_rows > 0 FROM wg.wattgpu_train('itl', 'theirs', 'paper', params => '{\"rounds\": 2}')",
		extra_params => [ '-U', 'keeper' ]), 't', 'the tables\' owner trains');

# What one role looked up in a session does not serve another one that may not read it
ask($session, 'CREATE ROLE guest; GRANT USAGE ON SCHEMA wg TO guest; CREATE ROLE peer; GRANT USAGE ON SCHEMA wg TO peer');
is(ask($session, "SELECT $a30"), $expected, 'the session\'s role predicts');
is(ask($session, "SET ROLE peer; SELECT $a30"), $expected, 'and so does one that may read the same');
ask($session, "RESET ROLE; REVOKE SELECT ON wg.wattgpu_llms FROM PUBLIC; GRANT SELECT ON wg.wattgpu_llms TO peer");
is(ask($session, "SELECT $a30"), $expected, 'the owner still predicts');
like(ask($session, "SET ROLE guest; SELECT $a30"), qr/ERROR:  permission denied for table wattgpu_llms/, 'one that may not read the LLMs does not');
is(ask($session, "SET ROLE peer; SELECT $a30"), $expected, 'one that was granted it does');
ask($session, "RESET ROLE; GRANT SELECT ON wg.wattgpu_llms TO PUBLIC;"
	  . " CREATE POLICY hers ON wg.wattgpu_gpus FOR SELECT TO guest USING (gpu <> 'NVIDIA A30');"
	  . " CREATE POLICY all_of_them ON wg.wattgpu_gpus FOR SELECT TO peer USING (true); ALTER TABLE wg.wattgpu_gpus ENABLE ROW LEVEL SECURITY");
is(ask($session, "SELECT $a30"), $expected, 'a policy does not bind the owner');
like(ask($session, "SET ROLE guest; SELECT $a30"), qr/ERROR:  unknown GPU "NVIDIA A30"/, 'but it hides a card from whom it binds');
is(ask($session, "SET ROLE peer; SELECT $a30"), $expected, 'and from nobody else');
like(ask($session, "SET ROLE guest; SELECT $a30"), qr/ERROR:  unknown GPU "NVIDIA A30"/, 'in whatever order they ask');
ask($session, 'RESET ROLE; ALTER TABLE wg.wattgpu_gpus DISABLE ROW LEVEL SECURITY');
is(ask($session, "SELECT $a30"), $expected, 'the owner predicts at the end');
# Another role, after the tables it would be asked about were dropped and made anew
$node->safe_psql('postgres', 'CREATE DATABASE anew');
my $anew = session($node, 'anew');
ask($anew, 'CREATE SCHEMA wg; CREATE EXTENSION wattgpu SCHEMA wg; GRANT USAGE ON SCHEMA wg TO peer');
is(ask($anew, "SELECT $a30"), $expected, 'a database of its own');
ask($anew, 'DROP EXTENSION wattgpu; CREATE EXTENSION wattgpu SCHEMA wg');
is(ask($anew, "SET ROLE peer; SELECT $a30"), $expected, 'dropped and made anew: another role predicts');
is(ask($anew, "RESET ROLE; SELECT $a30"), $expected, 'and the owner again');
$anew->quit;

$session->quit;
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP:/, 'nothing crashed');
done_testing();
