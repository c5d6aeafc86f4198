# Eight clients predict while specs, models and defaults change under them: no error, no answer older than the last commit that
# was announced, none that was rolled back. And a backend that forgets a thousand times uses no more memory for it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use WattGPU;

my $seconds = 15;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "wattgpu.unknown_name = 'null'\nmax_connections = 30\nlog_statement = none");
$node->start;

# Every change has a version, committed with it, and announced by a transaction of its own once that commit has returned: sessions
# are told of a change shortly after its rows can be seen, and before the commit returns. What is right in a version is written
# down with it, by the session that makes the change.
my $answers = join(', ', "wattgpu_power_tdp('Acme X1')", power('Acme X1', 'acme/X-7B'), itl('Acme X1', 'acme/X-7B'));
$node->safe_psql('postgres', 'CREATE EXTENSION wattgpu;' . gpu_row('Acme X1') . llm_row('acme/X-7B') . <<"SQL");
CREATE TABLE version (n int);
CREATE TABLE announced (n int);
INSERT INTO version VALUES (0);
INSERT INTO announced VALUES (0);
CREATE TABLE expected (n int PRIMARY KEY, tdp_w float8, power_w float8, itl_s float8, power_model text);
INSERT INTO expected SELECT 0, $answers, 'wattgpu-1';
CREATE SEQUENCE compared;
CREATE TABLE inventory AS
SELECT row_number() OVER ()::int AS id, gpu, llm, scenario, known, wattgpu_power(gpu, llm, scenario, model => 'wattgpu-paper') AS power_w
FROM (SELECT gpu, true AS known FROM wattgpu_gpus WHERE builtin
	UNION ALL SELECT alias, true FROM (SELECT alias FROM wattgpu_gpu_aliases ORDER BY alias LIMIT 20) a
	UNION ALL VALUES ('nobody''s card', false), ('', false), (NULL, false)) g,
	(SELECT llm FROM wattgpu_llms WHERE builtin) l, (SELECT scenario FROM wattgpu_scenarios WHERE builtin) s;
CREATE UNIQUE INDEX ON inventory (id);
ANALYZE inventory;

CREATE FUNCTION check_versions() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE
	oldest int;
	newest int;
	answer record;
	predicted wattgpu_prediction;
BEGIN
	FOR i IN 1 .. 100 LOOP
		SELECT n INTO oldest FROM announced;
		SELECT * INTO answer FROM (SELECT $answers) a (tdp_w, power_w, itl_s);
		predicted := wattgpu_predict('Acme X1', 'acme/X-7B', 'server_high');
		SELECT n INTO newest FROM version;
		IF NOT EXISTS (SELECT FROM expected e WHERE n BETWEEN oldest AND newest AND e.tdp_w = answer.tdp_w) THEN
			RAISE EXCEPTION '% W are not of versions % to %', answer.tdp_w, oldest, newest;
		END IF;
		-- A call that is overtaken by two changes may have seen the second without the first.
		CONTINUE WHEN newest > oldest + 1;
		IF NOT EXISTS (SELECT FROM expected e WHERE n BETWEEN oldest AND newest AND e.power_w = answer.power_w)
			OR NOT EXISTS (SELECT FROM expected e WHERE n BETWEEN oldest AND newest AND e.itl_s = answer.itl_s)
			OR NOT EXISTS (SELECT FROM expected e WHERE n BETWEEN oldest AND newest AND e.power_w = predicted.power_w)
			OR NOT EXISTS (SELECT FROM expected e WHERE n BETWEEN oldest AND newest AND e.itl_s = predicted.itl_s)
			OR NOT EXISTS (SELECT FROM expected e WHERE n BETWEEN oldest AND newest AND e.power_model = predicted.power_model) THEN
			RAISE EXCEPTION '% and % are not of versions % to %', answer, predicted, oldest, newest;
		END IF;
		PERFORM nextval('compared');
	END LOOP;
END \$\$;

-- The published model and the shipped rows stay as they are, and so must their answers.
CREATE FUNCTION check_inventory(first int) RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT *, wattgpu_power(gpu, llm, scenario) AS power, wattgpu_itl(gpu, llm, scenario) AS itl,
			wattgpu_power(gpu, llm, scenario, model => 'wattgpu-paper') AS published, wattgpu_predict(gpu, llm, scenario) AS predicted
		FROM inventory WHERE id BETWEEN first AND first + 20 LOOP
		IF r.published IS DISTINCT FROM r.power_w THEN
			RAISE EXCEPTION 'the published power of % is %', r, r.published;
		END IF;
		IF r.known <> ((r.predicted).gpu IS NOT NULL) OR NOT r.known AND (r.power IS NOT NULL OR r.itl IS NOT NULL) THEN
			RAISE EXCEPTION 'not known: %', r;
		END IF;
	END LOOP;
END \$\$;
SQL
my $rows = $node->safe_psql('postgres', 'SELECT count(*) FROM inventory');

my %script = (
	versions => 'SELECT check_versions();',
	inventory => "\\set first random(1, $rows)\nSELECT check_inventory(:first);",
	query => "\\set first random(1, $rows)\nSELECT count((p).power_w), sum((p).itl_s), sum(power), sum(itl)"
	  . ' FROM (SELECT wattgpu_predict(gpu, llm, scenario) AS p, wattgpu_power(gpu, llm, scenario) AS power,'
	  . ' wattgpu_itl(gpu, llm, scenario) AS itl FROM inventory WHERE id BETWEEN :first AND :first + 100) t;',
);
my @files;
foreach my $name (sort keys %script)
{
	my $file = $node->basedir . "/$name.sql";

	append_to_file($file, $script{$name});
	push @files, '-f', $file;
}

# What the changing session does, in turn; each change comes with its version.
my $changing = session($node);
my $default = "DO 'BEGIN PERFORM wattgpu_set_default(''%s''); END'";
my $train = "DO 'BEGIN PERFORM wattgpu_train(''itl'', ''ours'', params => ''{\"rounds\": %d}'');"
  . " PERFORM wattgpu_train(''power'', ''ours'', params => ''{\"rounds\": %d}''); END'";
my $n = 0;

sub change
{
	my ($change) = @_;
	my $error = ask($changing, $change);

	die "$change: $error" if $error =~ /ERROR/;
}

sub new_version
{
	my ($change) = @_;

	$n++;
	change(<<"SQL");
BEGIN;
$change;
UPDATE version SET n = $n;
INSERT INTO expected SELECT $n, $answers,
	(SELECT model FROM wattgpu_default_models WHERE target = 'power' ORDER BY set_at DESC LIMIT 1);
COMMIT;
UPDATE announced SET n = $n;
SQL
}

sub new_spec
{
	new_version('UPDATE wattgpu_gpus SET tdp_w = ' . (200 + $n) . ", memory_bandwidth_gb_s = 900 + $n WHERE gpu = 'Acme X1'");
}

new_version(sprintf($train, 2, 2));
my ($output, $error) = ('', '');
my $load = IPC::Run::start(
	[ 'pgbench', '-n', '-h', $node->host, '-p', $node->port, '-c', 8, '-j', 1, '-M', 'prepared', '-T', $seconds, @files, 'postgres' ],
	'<', \undef, '>', \$output, '2>', \$error);
my $rounds = 0;
my $end = time + $seconds;
while (time < $end)
{
	new_spec();
	new_version(sprintf($default, 'ours'));
	change("BEGIN; UPDATE wattgpu_gpus SET tdp_w = 9999 WHERE gpu = 'Acme X1'; SELECT $answers; ROLLBACK");
	new_spec();
	new_version(sprintf($train, 3 + $rounds % 2, 3 + $rounds % 2));
	new_spec();
	new_version(sprintf($default, $rounds % 2 ? 'wattgpu-1' : 'wattgpu-paper'));
	$rounds++;
}
ok($load->finish, 'pgbench ends well');
unlike($error, qr/error|abort/i, 'without an error of a client');
like($output, qr/number of transactions actually processed: [1-9]/, 'after some transactions');
my $compared = $node->safe_psql('postgres', 'SELECT last_value FROM compared WHERE is_called');
cmp_ok($compared || 0, '>', 0, 'in which answers were compared with their version');
cmp_ok($rounds, '>', 0, 'and models were trained');
is($node->safe_psql('postgres', "SELECT $answers"), $node->safe_psql('postgres', "SELECT tdp_w, power_w, itl_s FROM expected WHERE n = $n"),
	'and a new session gives the last version');
note("$n versions, $compared comparisons");
note($output);

# Memory: all of the backend's contexts, and what the system says of it, without the buffers that it shares. A small model is read
# anew a thousand times in a few seconds.
change(sprintf($default, 'ours'));
$changing->quit;
$node->safe_psql('postgres', <<'SQL');
CREATE PROCEDURE forget_and_predict(rounds int) LANGUAGE plpgsql AS $$
DECLARE
	first int;
BEGIN
	FOR i IN 1 .. rounds LOOP
		UPDATE wattgpu_gpus SET tdp_w = 200 + i % 100 WHERE gpu = 'Acme X1';
		COMMIT;
		first := i * 97 % (SELECT max(id) - 10 FROM inventory);
		PERFORM count(power), count(itl), count(named), count((p).itl_s), count(tdp_w)
		FROM (SELECT wattgpu_power(gpu, llm, scenario) AS power, wattgpu_itl(gpu, llm, scenario) AS itl,
				wattgpu_power(gpu, llm, scenario, model => 'ours') AS named, wattgpu_predict(gpu, llm, scenario) AS p,
				wattgpu_power_tdp(coalesce(gpu, 'nobody''s ' || i)) AS tdp_w
			FROM inventory, generate_series(1, 20) WHERE id > first AND id <= first + 10 OFFSET 0) t;
	END LOOP;
END $$;
SQL
my $session = session($node);
my $pid = ask($session, 'SELECT pg_backend_pid()');

sub memory
{
	my %memory;

	$memory{'memory contexts'} = ask($session, 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts') if $node->pg_version >= 14;
	if (open(my $status, '<', "/proc/$pid/status"))
	{
		while (<$status>)
		{
			$memory{'private memory'} = 1024 * $1 if /^RssAnon:\s+(\d+) kB/;
		}
		close($status);
	}
	return \%memory;
}

# 5 calls of 20 times 10 rows after each change
is(ask($session, 'CALL forget_and_predict(100)'), '', 'a hundred thousand calls');
my $before = memory();
is(ask($session, 'CALL forget_and_predict(900)'), '', 'a million calls');
my $after = memory();
foreach my $what (sort keys %$before)
{
	cmp_ok($after->{$what} - $before->{$what}, '<', 1024 * 1024, "$what is as large after 1000 changes as after 100");
	note("$what: $before->{$what}, then $after->{$what}");
}
$session->quit;

$node->stop;
is(join("\n", grep { /terminated by signal|PANIC|TRAP:|ERROR:/ && !/autovacuum/ } split(/\n/, slurp_file($node->logfile))), '', 'nothing failed or crashed');
done_testing();
