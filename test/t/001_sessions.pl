# A change of the catalogue reaches every session at once, and one that is rolled back reaches none.
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
$node->safe_psql('postgres', 'CREATE EXTENSION wattgpu');

my $x = itl('Acme X1', 'acme/X-7B');
my $shipped = itl('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct');
my $insert = gpu_row('Acme X1') . llm_row('acme/X-7B');
my $delete = "DELETE FROM wattgpu_gpus WHERE gpu = 'Acme X1'; DELETE FROM wattgpu_llms WHERE llm = 'acme/X-7B';";
my $null = "SET wattgpu.unknown_name = 'null';";
my $error = "SET wattgpu.unknown_name = 'error';";

my $a = session($node);
my $b = session($node);

sub known
{
	my ($session, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(ask($session, "SELECT $x > 0"), 't', $name);
}

sub unknown
{
	my ($session, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like(ask($session, "$error SELECT $x"), qr/ERROR:.*"(?:Acme X1|acme\/X-7B)"/, $name);
}

# For use in a transaction, which an error would end.
sub null
{
	my ($session, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(ask($session, "$null SELECT $x IS NULL"), 't', $name);
}

# Two sessions
my $before = ask($a, "SELECT $shipped");
like($before, qr/^0\.0/, 'a shipped pair is predicted');
unknown($a, 'unknown before the insert');
unknown($b, 'unknown before the insert, other session');
ask($b, $insert);
known($b, 'known in the session that inserted');
known($a, 'known in the session that was there before');
is(ask($a, "$null SELECT $x > 0"), 't', 'known with unknown_name = null');
ask($b, $delete);
unknown($a, 'unknown after the delete');
unknown($b, 'unknown after the delete, in the session that deleted');

# Half of the pair is not enough
ask($b, gpu_row('Acme X1'));
like(ask($a, "SELECT $x"), qr/ERROR:.*"acme\/X-7B"/, 'the LLM alone is unknown');
ask($b, llm_row('acme/X-7B'));
known($a, 'known with the second row');
ask($b, "DELETE FROM wattgpu_gpus WHERE gpu = 'Acme X1'");
like(ask($a, "SELECT $x"), qr/ERROR:.*"Acme X1"/, 'the GPU alone is unknown');
ask($b, "DELETE FROM wattgpu_llms WHERE llm = 'acme/X-7B'");

# An open transaction of the other session
ask($a, 'BEGIN');
is(ask($a, "SELECT $shipped"), $before, 'READ COMMITTED: a shipped pair');
null($a, 'READ COMMITTED: unknown before');
ask($b, $insert);
known($a, 'READ COMMITTED: known within the open transaction');
ask($b, $delete);
null($a, 'READ COMMITTED: unknown again within the open transaction');
ask($a, 'COMMIT');

ask($a, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
is(ask($a, "SELECT $shipped"), $before, 'REPEATABLE READ: a shipped pair');
null($a, 'REPEATABLE READ: unknown before');
ask($b, $insert);
is(ask($a, "SELECT $shipped"), $before, 'REPEATABLE READ: the shipped pair is as before');
ask($a, 'COMMIT');
known($a, 'REPEATABLE READ: known after it');
ask($a, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
known($a, 'REPEATABLE READ: known in the next one');
ask($b, $delete);
ask($a, 'COMMIT');
unknown($a, 'REPEATABLE READ: unknown after that one');

# What was looked up while the other session had not committed yet
ask($b, "BEGIN; $insert");
known($b, 'own uncommitted rows are known');
unknown($a, 'uncommitted rows of another session are not');
ask($b, 'COMMIT');
known($a, 'known once committed');
ask($b, "BEGIN; $delete");
null($b, 'own uncommitted delete');
known($a, 'still known to the other session');
ask($b, 'ROLLBACK');
known($a, 'known after the delete was rolled back');
known($b, 'known after the delete was rolled back, same session');
ask($b, $delete);

# Rolled back
ask($b, "BEGIN; $insert");
known($b, 'rollback: known within');
ask($b, 'ROLLBACK');
unknown($b, 'rollback: no trace in the same session');
unknown($a, 'rollback: no trace in the other');

ask($b, "BEGIN; $error SAVEPOINT s; $insert");
known($b, 'savepoint: known within');
ask($b, 'ROLLBACK TO SAVEPOINT s');
null($b, 'savepoint: no trace after it');
ask($b, "SAVEPOINT t; $insert RELEASE SAVEPOINT t");
known($b, 'savepoint: known after a release');
ask($b, 'COMMIT');
known($b, 'savepoint: the released one stays');
known($a, 'savepoint: the released one reaches the other session');
ask($b, "BEGIN; SAVEPOINT s; $delete");
null($b, 'savepoint: deleted within');
ask($b, 'ROLLBACK TO s');
known($b, 'savepoint: known after the delete was undone');
like(ask($b, 'SELECT 1/0'), qr/division by zero/, 'savepoint: the transaction fails');
ask($b, 'ROLLBACK');
known($b, 'savepoint: known after the failed transaction');

# An error after the lookup, in the statement that inserted
like(
	ask($b, "$error DO \$\$ BEGIN BEGIN " . gpu_row('Acme X2') . "PERFORM wattgpu_itl('Acme X2', 'acme/X-7B', 'server_high');"
	  . " RAISE EXCEPTION 'undo'; EXCEPTION WHEN raise_exception THEN NULL; END;"
	  . " PERFORM wattgpu_itl('Acme X2', 'acme/X-7B', 'server_high'); END \$\$"),
	qr/ERROR:.*"Acme X2"/,
	'a block that was undone leaves no trace in the rest of the function');

# A changed spec
ask($a, "PREPARE p AS SELECT $x");
my $fast = ask($a, 'EXECUTE p');
ask($b, "UPDATE wattgpu_gpus SET memory_bandwidth_gb_s = memory_bandwidth_gb_s / 2 WHERE gpu = 'Acme X1'");
my $slow = ask($a, "SELECT $x");
cmp_ok($slow, '>', $fast, 'half the memory bandwidth makes it slower');
is(ask($a, 'EXECUTE p'), $slow, 'a prepared statement follows');
is(ask($b, "SELECT $x"), $slow, 'so does the session that changed it');
ask($b, "UPDATE wattgpu_gpus SET memory_bandwidth_gb_s = 2 * memory_bandwidth_gb_s WHERE gpu = 'Acme X1'");
is(ask($a, 'EXECUTE p'), $fast, 'and back');
my $power = power('Acme X1', 'acme/X-7B');
my $watts = ask($a, "SELECT $power");
ask($b, "UPDATE wattgpu_gpus SET tdp_w = NULL WHERE gpu = 'Acme X1'");
is(ask($a, "SELECT $power IS NULL"), 't', 'without a TDP the power is unknown');
ask($b, "UPDATE wattgpu_gpus SET tdp_w = 165 WHERE gpu = 'Acme X1'");
is(ask($a, "SELECT $power"), $watts, 'with it, it is known again');

# Aliases
my $alias = "wattgpu_itl('the new one', 'x seven', 'server_high')";
like(ask($a, "SELECT $alias"), qr/ERROR:.*"the new one"/, 'alias: unknown');
ask($b, "INSERT INTO wattgpu_gpu_aliases (alias, gpu, kind) VALUES ('The New One', 'Acme X1', 'short')");
like(ask($a, "SELECT $alias"), qr/ERROR:.*"x seven"/, 'alias: of the LLM unknown');
ask($b, "INSERT INTO wattgpu_llm_aliases (alias, llm, kind) VALUES ('X Seven', 'acme/X-7B', 'hf_alias')");
is(ask($a, "SELECT $alias"), $fast, 'alias: the same as by name');
ask($b, "DELETE FROM wattgpu_gpu_aliases WHERE alias = 'The New One'");
like(ask($a, "SELECT $alias"), qr/ERROR:.*"the new one"/, 'alias: unknown once removed');

my $short = "wattgpu_itl('a100 40gb', 'x seven', 'server_high') > 0";
is(ask($a, "SELECT $short"), 't', 'alias: a shipped one');
ask($b, 'BEGIN; TRUNCATE wattgpu_gpu_aliases, wattgpu_llm_aliases');
is(ask($b, "$null SELECT ($short) IS NULL"), 't', 'truncate: unknown to the session');
ask($b, 'ROLLBACK');
is(ask($b, "$error SELECT $short"), 't', 'truncate: rolled back');
is(ask($a, "SELECT $short"), 't', 'truncate: rolled back, other session');
ask($b, 'TRUNCATE wattgpu_gpu_aliases');
like(ask($a, "SELECT $short"), qr/ERROR:.*"a100 40gb"/, 'truncate: unknown to the other session');
ask($b, 'TRUNCATE wattgpu_llm_aliases');
like(ask($a, "SELECT wattgpu_itl('Acme X1', 'x seven', 'server_high')"), qr/ERROR:.*"x seven"/, 'truncate: LLMs too');

# Scenarios, for which the shipped models do not speak, but the baseline does
my $custom = "wattgpu_itl_roofline('Acme X1', 'acme/X-7B', 'night_shift')";
like(ask($a, "SELECT $custom"), qr/ERROR:.*"night_shift"/, 'scenario: unknown');
ask($b, "INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens, description)"
	  . " VALUES ('night_shift', 0.05, 20, 200, 'test')");
is(ask($a, "SELECT $custom > 0"), 't', 'scenario: known');
ask($b, "DELETE FROM wattgpu_scenarios WHERE scenario = 'night_shift'");
like(ask($a, "SELECT $custom"), qr/ERROR:.*"night_shift"/, 'scenario: unknown once removed');

# A function that waits for another session's commit
ask($b, $delete);
$a->query_until(qr/waiting/, <<SQL);
$null
\\echo waiting
DO \$\$
BEGIN
	FOR i IN 1 .. 600 LOOP
		IF $x IS NOT NULL THEN
			RETURN;
		END IF;
		PERFORM pg_sleep(0.01);
	END LOOP;
	RAISE EXCEPTION 'it never came';
END \$\$;
SQL
$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
  or die 'the function does not wait';
ask($b, $insert);
is(ask($a, "SELECT $x > 0"), 't', 'a function that runs sees what another session committed meanwhile');
ask($a, $error);

# The extension made anew, elsewhere
ask($a, 'DEALLOCATE p');
ask($b, 'DROP EXTENSION wattgpu; CREATE SCHEMA w; CREATE EXTENSION wattgpu SCHEMA w');
is(ask($a, 'SELECT ' . itl('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'w.')), $before, 'made anew in another schema');
ask($b, 'ALTER SCHEMA w RENAME TO "W 2"');
is(ask($a, 'SELECT ' . itl('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', '"W 2".')), $before, 'its schema renamed');
ask($b, 'DROP EXTENSION wattgpu; CREATE EXTENSION wattgpu SCHEMA public');
is(ask($a, "SELECT $shipped"), $before, 'and back');

$a->quit;
$b->quit;
done_testing();
