# Whatever a prediction stands on may change: after the commit every session gives the answer that a new session gives, after a
# rollback the old one, however it asks: by a query, a generic plan, a function that runs, an open cursor, a parallel worker.
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
# Autovacuum sends invalidations of its own, which would hide a missing one.
$node->append_conf('postgresql.conf', <<'CONF');
autovacuum = off
max_prepared_transactions = 2
max_worker_processes = 16
max_parallel_workers = 16
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
wattgpu.unknown_name = 'null'
CONF
$node->start;

my $forced = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
my $llama = 'meta-llama/Llama-3.1-8B-Instruct';
my $x_spec = "UPDATE wattgpu_gpus SET tdp_w = %d, memory_bandwidth_gb_s = %d WHERE gpu = 'Acme X1'";

# Small, for speed, and the same for the same rounds, so that a model can be trained anew and back.
sub train
{
	my ($rounds) = @_;

	return join('; ', map { "DO 'BEGIN PERFORM wattgpu_train(''$_'', ''ours'', params => ''{\"rounds\": $rounds}''); END'" } qw(itl power));
}

sub default_model
{
	my ($model) = @_;

	return "DO 'BEGIN PERFORM wattgpu_set_default(''$model''); END'";
}

# All that is predicted of a configuration, in one text.
sub everything
{
	my ($gpu, $llm, $scenario) = @_;
	my $names = "$gpu, $llm, $scenario";

	return "concat_ws(' ', wattgpu_power($names), wattgpu_itl($names), wattgpu_power_tdp($gpu), wattgpu_itl_roofline($names), wattgpu_predict($names))";
}

my $everything = everything('gpu', 'llm', 'scenario');
$node->safe_psql('postgres',
	'CREATE EXTENSION wattgpu;' . gpu_row('Acme X1') . llm_row('acme/X-7B') . train(2) . ';' . default_model('ours') . <<"SQL");
;
INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('rack 7', 'Acme X1');
INSERT INTO wattgpu_llm_aliases (alias, llm) VALUES ('our own', 'acme/X-7B');
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('night shift', 0.1, 20, 200);
CREATE TABLE shipped_measurements AS SELECT * FROM wattgpu_measurements;
CREATE FUNCTION probe(gpu text, llm text, scenario text) RETURNS text LANGUAGE plpgsql STABLE AS \$\$
BEGIN
	RETURN $everything;
END \$\$;
SQL

# What is changed, how it is changed back, and what is asked for. A TRUNCATE keeps other sessions waiting until it is committed.
my @cases = (
	{
		name => 'spec of a GPU',
		change => sprintf($x_spec, 200, 1400),
		back => sprintf($x_spec, 165, 933),
	},
	{
		name => 'spec of an LLM',
		change => "UPDATE wattgpu_llms SET num_layers = 48, total_params_b = 9, active_params_b = 9 WHERE llm = 'acme/X-7B'",
		back => "UPDATE wattgpu_llms SET num_layers = 32, total_params_b = 7.24, active_params_b = 7.24 WHERE llm = 'acme/X-7B'",
	},
	{
		name => 'alias of a GPU',
		gpu => 'rack 7',
		change => "UPDATE wattgpu_gpu_aliases SET gpu = 'NVIDIA A30' WHERE alias = 'rack 7'",
		back => "UPDATE wattgpu_gpu_aliases SET gpu = 'Acme X1' WHERE alias = 'rack 7'",
	},
	{
		name => 'alias of an LLM',
		llm => 'our own',
		change => "UPDATE wattgpu_llm_aliases SET llm = '$llama' WHERE alias = 'our own'",
		back => "UPDATE wattgpu_llm_aliases SET llm = 'acme/X-7B' WHERE alias = 'our own'",
	},
	{
		name => 'canonical name that hides an alias',
		gpu => 'rack 7',
		change => "INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, '{\"gpu\": \"Rack 7\"}')).* FROM wattgpu_gpus g WHERE gpu = 'NVIDIA A30'",
		back => "DELETE FROM wattgpu_gpus WHERE gpu = 'Rack 7'",
	},
	{
		name => 'scenario',
		scenario => 'night shift',
		change => "UPDATE wattgpu_scenarios SET arrival_rate_qps = 2, output_tokens = 400 WHERE scenario = 'night shift'",
		back => "UPDATE wattgpu_scenarios SET arrival_rate_qps = 0.1, output_tokens = 200 WHERE scenario = 'night shift'",
	},
	{
		name => 'measurement',
		change => 'INSERT INTO wattgpu_measurements (gpu, llm, scenario, power_w, itl_s, runs, source)'
		  . " VALUES ('Acme X1', 'acme/X-7B', 'server_high', 99, 0.02, 1, 'test')",
		back => "DELETE FROM wattgpu_measurements WHERE source = 'test'",
	},
	{
		name => 'new default model',
		change => default_model('wattgpu-paper'),
		back => "DELETE FROM wattgpu_default_models WHERE model = 'wattgpu-paper'",
	},
	{
		name => 'default model trained anew',
		change => train(6),
		back => train(2),
	},
	{
		name => 'TRUNCATE of every card, in a cascade',
		truncates => 1,
		rolled_back => 1,
		change => 'SET LOCAL client_min_messages = warning; TRUNCATE wattgpu_gpus CASCADE',
	},
	{
		name => 'TRUNCATE of the measurements',
		truncates => 1,
		gpu => 'NVIDIA A30',
		llm => $llama,
		change => 'TRUNCATE wattgpu_measurements',
		back => 'INSERT INTO wattgpu_measurements SELECT * FROM shipped_measurements',
	},
	{
		name => 'TRUNCATE of the default models',
		truncates => 1,
		change => 'TRUNCATE wattgpu_default_models; ' . default_model('wattgpu-1'),
		back => 'TRUNCATE wattgpu_default_models; ' . default_model('ours'),
	},
	{
		name => 'TRUNCATE of the aliases',
		truncates => 1,
		gpu => 'rack 7',
		change => 'TRUNCATE wattgpu_gpu_aliases, wattgpu_llm_aliases',
		back => "INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('rack 7', 'Acme X1')",
	},
);

# The same question asked in each of the ways; the answers, one a line. A worker starts with nothing remembered: what is in doubt
# is whether it knows the transaction's own changes.
my @session = qw(query generic function);
my @cursor = (@session, 'cursor');
my @all = (@cursor, 'worker');
my @names;

sub answers
{
	my ($session, @ways) = @_;
	my %ask = (
		query => "SELECT 'query', " . everything(@names) . ';',
		generic => "EXECUTE p('generic', " . join(', ', @names) . ');',
		function => "SELECT 'function', probe(" . join(', ', @names) . ');',
		worker => "SET $forced = on; SELECT 'worker', " . everything(@names) . "; SET $forced = off;",
		cursor => 'FETCH c;',
	);

	return ask($session, join(' ', map { $ask{$_} } @ways));
}

sub gives
{
	my ($session, $expected, $name, @ways) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(answers($session, @ways), join("\n", map { "$_|$expected" } @ways), $name);
}

# What a session says that has never asked before.
my $new_session = session($node);

sub fresh
{
	my ($query) = @_;

	return ask($new_session, "\\connect\n$query");
}

sub change
{
	my ($session, $change) = @_;
	my $error = ask($session, $change);

	die "$change: $error" if $error ne '';
}

sub open_cursor
{
	my ($session, $begin) = @_;

	change($session, "$begin; DECLARE c NO SCROLL CURSOR FOR SELECT 'cursor', " . everything(@names) . ' FROM generate_series(1, 1000)');
}

my $changing = session($node);
my $other = session($node);
my $older = session($node);

change($_, 'SET plan_cache_mode = force_generic_plan; PREPARE p(text, text, text, text) AS SELECT $1, ' . everything('$2', '$3', '$4'))
  foreach $changing, $other, $older;

foreach my $case (@cases)
{
	my $name = $case->{name};
	# The other sessions: one asks in a transaction of its own, one in one whose snapshot is older than every change.
	my %watching = $case->{truncates} ? () : ('READ COMMITTED' => $other, 'REPEATABLE READ' => $older);

	@names = map { "'$_'" } $case->{gpu} // 'Acme X1', $case->{llm} // 'acme/X-7B', $case->{scenario} // 'server_high';
	my $ask = 'SELECT ' . everything(@names);
	my $old = fresh($ask);
	my $new;
	if ($case->{rolled_back})
	{
		$new = fresh("BEGIN; $case->{change}; $ask; ROLLBACK");
	}
	else
	{
		change($changing, $case->{change});
		$new = fresh($ask);
		change($changing, $case->{back});
	}
	isnt($new, $old, "$name: makes a difference");

	open_cursor($watching{$_}, "BEGIN ISOLATION LEVEL $_") foreach keys %watching;
	my $elsewhere = sub {
		my ($expected, $when) = @_;
		local $Test::Builder::Level = $Test::Builder::Level + 1;
		gives($watching{$_}, $expected, "$name: $when, in a session under $_", @cursor) foreach sort keys %watching;
		gives($other, $expected, "$name: $when, in another session", @session) if $case->{truncates};
	};
	$elsewhere->($old, 'before');

	# ROLLBACK
	open_cursor($changing, 'BEGIN');
	gives($changing, $old, "$name: before, where it is changed", @cursor);
	change($changing, $case->{change});
	gives($changing, $new, "$name: in the transaction that changed it", @all);
	$elsewhere->($old, 'not committed yet') unless $case->{truncates};
	change($changing, 'ROLLBACK');
	gives($changing, $old, "$name: rolled back", @session);
	$elsewhere->($old, 'rolled back');

	# ROLLBACK TO SAVEPOINT
	open_cursor($changing, 'BEGIN');
	gives($changing, $old, "$name: before the savepoint", 'cursor');
	change($changing, "SAVEPOINT s; $case->{change}");
	gives($changing, $new, "$name: after the savepoint", @cursor);
	change($changing, 'ROLLBACK TO SAVEPOINT s');
	gives($changing, $old, "$name: rolled back to the savepoint", @all);
	if ($case->{rolled_back})
	{
		change($changing, 'COMMIT');
		gives($changing, $old, "$name: committed without it", @session);
		$elsewhere->($old, 'committed without it');
		next;
	}
	change($changing, "SAVEPOINT t; $case->{change}; RELEASE SAVEPOINT t");
	gives($changing, $new, "$name: in the released savepoint", @cursor);
	change($changing, 'COMMIT');
	gives($changing, $new, "$name: committed", @session);
	$elsewhere->($new, 'committed');

	# Alone, outside of a transaction
	change($changing, $case->{back});
	gives($changing, $old, "$name: changed back", @session);
	$elsewhere->($old, 'changed back');
	change($_, 'COMMIT') foreach values %watching;
	gives($other, $old, "$name: after the cursor", @session);
}

# The TDP is known without asking.
my $tdp = "wattgpu_power_tdp('Acme X1')";

sub tdp_is
{
	my ($session, $expected, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(ask($session, "SELECT $tdp"), $expected, $name);
}

# A cursor that outlives its transaction is read to its end when that commits.
change($changing, "BEGIN; DECLARE h CURSOR WITH HOLD FOR SELECT $tdp FROM generate_series(1, 3)");
is(ask($changing, 'FETCH h'), '165', 'cursor WITH HOLD: before');
change($changing, sprintf($x_spec, 170, 933) . '; COMMIT');
is(ask($changing, 'FETCH h'), '170', 'cursor WITH HOLD: after the commit');
change($changing, 'CLOSE h');

# Two-phase commit: what was prepared is nobody's until it is committed, elsewhere.
foreach my $end ('ROLLBACK', 'COMMIT')
{
	tdp_is($other, 170, "PREPARE TRANSACTION, $end: before");
	change($changing, 'BEGIN; ' . sprintf($x_spec, 180, 933));
	tdp_is($changing, 180, "PREPARE TRANSACTION, $end: in the transaction");
	change($changing, "PREPARE TRANSACTION 'two'");
	tdp_is($changing, 170, "PREPARE TRANSACTION, $end: prepared");
	tdp_is($other, 170, "PREPARE TRANSACTION, $end: prepared, other session");
	change($other, "$end PREPARED 'two'");
	tdp_is($_, $end eq 'COMMIT' ? 180 : 170, "PREPARE TRANSACTION, $end: ended") foreach $changing, $other;
}

# Rows as replication writes them.
change($changing, "SET session_replication_role = replica; " . sprintf($x_spec, 190, 933) . '; RESET session_replication_role');
tdp_is($_, 190, 'a change under session_replication_role = replica') foreach $changing, $other;

# More messages than the server's queue holds for a session that does not read them: it then forgets everything.
change($changing, 'SELECT FROM pg_advisory_lock(7)');
tdp_is($other, 190, 'full queue: before');
$other->query_until(qr/waiting/, <<SQL);
\\echo waiting
BEGIN;
SELECT pg_advisory_xact_lock(7) IS NULL; SELECT $tdp; COMMIT;
SQL
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'")
  or die 'the session does not wait';
change($changing, sprintf($x_spec, 195, 933));
change($changing, <<'SQL');
SET client_min_messages = warning;
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		CREATE TEMP TABLE t (a int PRIMARY KEY, b text);
		DROP TABLE t;
	END LOOP;
END $$;
SELECT FROM pg_advisory_unlock(7);
RESET client_min_messages;
SQL
like(ask($other, "SELECT $tdp"), qr/195\n195$/, 'full queue: after');

# A loop that predicts while another session commits. What it has seen is told by a sequence, which no transaction holds back.
change($changing, sprintf($x_spec, 100, 933));
$node->safe_psql('postgres', 'CREATE SEQUENCE seen; CREATE TABLE looped (n int, tdp_w float8, power_w float8)');
$other->query_until(qr/looping/, <<SQL);
\\echo looping
DO \$\$
DECLARE
	seen float8;
	power_w float8;
	last_seen float8 := 0;
	stop timestamptz := clock_timestamp() + interval '60 s';
BEGIN
	WHILE last_seen < 106 LOOP
		seen := $tdp;
		power_w := wattgpu_power('Acme X1', 'acme/X-7B');
		IF seen <> last_seen THEN
			INSERT INTO looped VALUES ((SELECT count(*) FROM looped), seen, power_w);
			PERFORM setval('seen', seen::bigint);
			last_seen := seen;
		END IF;
		IF clock_timestamp() > stop THEN
			RAISE EXCEPTION 'it stays at %', last_seen;
		END IF;
	END LOOP;
END \$\$;
SQL
my @expected;
foreach my $watts (100 .. 106)
{
	change($changing, sprintf($x_spec, $watts, 933)) if $watts > 100;
	my $stop = time + 60;
	while (ask($older, 'SELECT last_value FROM seen') ne $watts)
	{
		die "the loop does not see $watts" if time > $stop;
	}
	change($changing, 'BEGIN; ' . sprintf($x_spec, 9999, 933) . '; ROLLBACK');
	push @expected, $watts . '|' . fresh("SELECT wattgpu_power('Acme X1', 'acme/X-7B')");
}
ask($other, 'SELECT');
is($node->safe_psql('postgres', 'SELECT tdp_w, power_w FROM looped ORDER BY n'), join("\n", @expected),
	'a loop sees each commit of another session, and nothing that was rolled back');

# Parallel workers answer by what the transaction changed before the query. The leader leaves the rows to them.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE inventory AS SELECT gpu, llm, scenario FROM (VALUES ('Acme X1'), ('rack 7'), ('NVIDIA A30'), ('nobody''s')) g (gpu),
	(SELECT llm FROM wattgpu_llms ORDER BY llm <> 'acme/X-7B', llm NOT IN (SELECT llm FROM wattgpu_measurements), llm LIMIT 20) l, wattgpu_scenarios
	WHERE builtin;
ALTER TABLE inventory SET (parallel_workers = 2);
ANALYZE inventory;
SQL
change($changing, 'SET parallel_leader_participation = off');
my $sum = 'SELECT count(p), sum(p::numeric), sum(i::numeric), sum((r).requests_in_flight::numeric), sum(t::numeric), count((r).measured_power_w)'
  . ' FROM (SELECT wattgpu_power(gpu, llm, scenario) AS p, wattgpu_itl(gpu, llm, scenario) AS i, wattgpu_predict(gpu, llm, scenario) AS r,'
  . ' wattgpu_power_tdp(gpu) AS t FROM inventory OFFSET 0) s';
my %workers = (parallel => 2, serial => 0);

sub in_parallel
{
	my ($expected, $name) = @_;
	my %sum = map { $_ => ask($changing, "SET max_parallel_workers_per_gather = $workers{$_}; $sum") } qw(parallel serial);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like($sum{parallel}, qr/^[1-9]\d*(?:\|[\d.]*[1-9][\d.]*){4}\|\d+$/, "$name: in parallel");
	is($sum{parallel}, $sum{serial}, "$name: as in the session itself");
	is($sum{parallel}, $expected, "$name: as before") if $expected;
	return $sum{parallel};
}

like(ask($changing, "SET max_parallel_workers_per_gather = 2; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $sum"),
	qr/Gather.*Workers Launched: [12]/s, 'workers: a parallel plan');
my $before = in_parallel(undef, 'workers, before');
change($changing, 'BEGIN');
foreach my $step (
	[ 'spec of a GPU', sprintf($x_spec, 300, 2000) ],
	[ 'spec of an LLM', "UPDATE wattgpu_llms SET num_layers = num_layers * 2 WHERE llm = 'acme/X-7B'" ],
	[ 'alias', "UPDATE wattgpu_gpu_aliases SET gpu = 'NVIDIA H100 NVL' WHERE alias = 'rack 7'" ],
	[ 'model trained anew', train(4) ],
	[ 'default model', default_model('wattgpu-1') ],
	[ 'TRUNCATE', 'TRUNCATE wattgpu_measurements' ])
{
	my ($name, $change) = @$step;
	my $within = in_parallel(undef, "workers, $name: before");

	change($changing, "SAVEPOINT s; $change");
	my $undone = in_parallel(undef, "workers, $name: in the transaction that changed it");
	isnt($undone, $within, "workers, $name: makes a difference");
	change($changing, 'ROLLBACK TO SAVEPOINT s');
	in_parallel($within, "workers, $name: rolled back to the savepoint");
	change($changing, $change);
	in_parallel($undone, "workers, $name: changed after all");
}
change($changing, 'ROLLBACK');
in_parallel($before, 'workers: rolled back');

# A call that waits for a lock while a change is committed gives the answer of before or of after, not one of no rows or of some of
# each; the next one gives that of after.
change($changing, sprintf($x_spec, 200, 933));
my $by_model = "wattgpu_power('Acme X1', 'acme/X-7B', model => 'ours')";
my $by_default = "wattgpu_power('Acme X1', 'acme/X-7B')";
foreach my $overtaken (
	[ 'spec of a GPU', $by_default, 'LOCK TABLE wattgpu_gpus; ' . sprintf($x_spec, 250, 933) ],
	[ 'aliases written anew', "wattgpu_power_tdp('rack 7')", 'TRUNCATE wattgpu_gpu_aliases;'
		  . " INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('rack 7', 'NVIDIA A30')" ],
	[ 'pair of models', $by_model, 'LOCK TABLE wattgpu_models; ' . train(5) ],
	[ 'pair of models, of which one is in use', $by_default, 'LOCK TABLE wattgpu_default_models; ' . train(3),
		"SELECT FROM wattgpu_itl('Acme X1', 'acme/X-7B', model => 'ours')" ],
	[ 'default models written anew', $by_default, 'TRUNCATE wattgpu_default_models; ' . default_model('wattgpu-1') ])
{
	my ($name, $probe, $change, $first) = @$overtaken;
	my $old = fresh("SELECT $probe");

	change($other, "\\connect\n" . ($first // ''));
	change($changing, "BEGIN; $change");
	$other->query_until(qr/waiting/, "\\echo waiting\nSELECT $probe;\n");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
	  or die 'the call does not wait';
	change($changing, 'COMMIT');
	my $said = ask($other, '');
	my $new = fresh("SELECT $probe");

	isnt($new, $old, "overtaken call, $name: makes a difference");
	like($said, qr/^(?:\Q$old\E|\Q$new\E)$/, "overtaken call, $name: the answer of before or after");
	is(ask($other, "SELECT $probe"), $new, "overtaken call, $name: the next answer");
}

# A statement that predicts what it has just written, and fails: its rows are gone, and so must be what was predicted of them.
# The user's trigger comes before the extension's own in the order of their names.
$node->safe_psql('postgres', sprintf($x_spec, 200, 933) . <<'SQL');
;
CREATE TABLE log (at timestamptz DEFAULT now());
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF wattgpu_power_tdp(NEW.gpu) > 1000 THEN
		RAISE EXCEPTION '% W are too much', wattgpu_power_tdp(NEW.gpu);
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER refuse AFTER INSERT OR UPDATE ON wattgpu_gpus FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE FUNCTION write_and_fail(gpu text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO log DEFAULT VALUES;
	RAISE EXCEPTION 'failed at % W', wattgpu_power_tdp(gpu);
END $$;
SQL
my $too_much = sprintf($x_spec, 2000, 933);
my $new_row = "INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Acme X2', 2000)";
tdp_is($changing, 200, 'failed statement: before');
like(ask($changing, $too_much), qr/2000 W are too much/, 'a trigger predicts by the row that was just written');
tdp_is($changing, 200, 'failed statement: after it');
like(ask($changing, $new_row), qr/2000 W are too much/, 'by a new row, too');
is(ask($changing, "SELECT wattgpu_power_tdp('Acme X2') IS NULL"), 't', 'failed statement: the new row is unknown after it');
change($changing, 'BEGIN; SAVEPOINT s');
like(ask($changing, $new_row), qr/2000 W are too much/, 'in a transaction, too');
change($changing, 'ROLLBACK TO s');
is(ask($changing, "SELECT wattgpu_power_tdp('Acme X2') IS NULL"), 't', 'failed statement: unknown after the savepoint');
change($changing, 'ROLLBACK');
$node->safe_psql('postgres', sprintf($x_spec, 200, 933) . '; DROP TRIGGER refuse ON wattgpu_gpus');
change($changing, '\connect');
like(ask($changing, $too_much . ' RETURNING write_and_fail(gpu)'), qr/failed at 2000 W/, 'a function in RETURNING predicts by the new row');
tdp_is($_, 200, 'failed statement: RETURNING, after it') foreach $changing, $other;

$_->quit foreach $changing, $other, $older, $new_session;
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP:/, 'nothing crashed');
done_testing();
