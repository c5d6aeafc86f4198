-- A fleet of 100,000 deployment rows: a month each of a year, over the whole catalogue, 50 sites, 20 zones with a year of hourly
-- intensities by both methods. Every hundredth is metered, every third has idle hours, some names are unknown. The seconds of
-- wattgpu_energy() and of every view beside those of a plain sum over the same rows and of reading all three tables:
--   createdb bench; psql -X -q -d bench -f test/bench/reports.sql
-- Deployments and sites stand in as plain tables; intensities are in their own table, without its constraint while they are filled in.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET TimeZone = 'UTC';
CREATE EXTENSION IF NOT EXISTS wattgpu;
CREATE TABLE bench_sites AS
SELECT 'site ' || i AS site, 'Z' || i % 20 AS zone, 1 + (i % 10) / 10.0 AS pue, 0.1 + i / 1000.0 AS price_per_kwh, 'EUR' AS currency FROM generate_series(1, 50) i;
ALTER TABLE wattgpu_grid_intensity DROP CONSTRAINT "valid overlaps no other of the zone and method";
INSERT INTO wattgpu_grid_intensity
SELECT 'Z' || z AS zone, m AS method, tstzrange(h, h + interval '1 hour') AS valid, 100 + 10 * z + extract(hour FROM h) AS co2e_g_per_kwh, 'made up' AS source
FROM generate_series(0, 19) z, unnest(ARRAY['location', 'market']) m, generate_series('2026-01-01 00:00Z'::timestamptz, '2026-12-31 23:00Z', '1 hour') h;
CREATE TABLE bench_deployments AS
SELECT 'deployment ' || i / 12 AS deployment, 'site ' || 1 + i / 12 % 50 AS site, g.names[1 + i * 7 % cardinality(g.names)] AS gpu, 1 + i % 8 AS gpus, 1 AS num_gpus,
	l.names[1 + i * 13 % cardinality(l.names)] AS llm, (ARRAY['offline', 'server_high', 'server_low'])[1 + i % 3] AS scenario,
	tstzrange(m.month, m.month + interval '1 month') AS period, 500.0 AS hours_active, 500.0 + 100 * (i % 3) AS hours_reserved, 60.0 AS node_overhead_w_per_gpu,
	CASE WHEN i % 100 = 0 THEN 1000.0 END AS measured_kwh, CASE WHEN i % 100 = 0 THEN 'node' END AS measured_boundary, NULL::float AS measured_output_tokens, 3.0 AS embodied_co2e_kg
FROM generate_series(0, 99999) i, LATERAL (SELECT '2026-01-01 00:00Z'::timestamptz + i % 12 * interval '1 month') m (month),
	(SELECT array_agg(gpu ORDER BY gpu COLLATE "C") || 'Acme 1'::text FROM wattgpu_gpus) g (names),
	(SELECT array_agg(llm ORDER BY llm COLLATE "C") || 'acme/none'::text FROM wattgpu_llms) l (names);
VACUUM ANALYZE bench_sites, wattgpu_grid_intensity, bench_deployments;
DO $$ BEGIN
	PERFORM wattgpu_use_relation(t, ('bench_' || b)::regclass) FROM (VALUES ('wattgpu_sites', 'sites'), ('wattgpu_deployments', 'deployments')) v (t, b);
END $$;
SELECT count(*) AS rows, count(DISTINCT (gpu, llm, scenario)) AS configurations FROM bench_deployments;
CREATE TEMPORARY TABLE timed (place serial, what text, seconds float);
DO $$
DECLARE
	started timestamptz;
	of record;
BEGIN
	FOR of IN SELECT * FROM (VALUES ('sum(hours_active) of the rows', 'SELECT sum(hours_active) FROM bench_deployments'),
			('the three readers', 'SELECT (SELECT count(d) FROM wattgpu_read_deployments() d), (SELECT count(g) FROM wattgpu_read_grid_intensity() g), (SELECT count(s) FROM wattgpu_read_sites() s)'),
			('wattgpu_energy(), first time', 'SELECT count(e) FROM wattgpu_energy() e'), ('wattgpu_energy()', 'SELECT count(e) FROM wattgpu_energy() e')) v (what, query)
		UNION ALL
		SELECT * FROM (SELECT c.relname::text, format('SELECT count(v) FROM %s v', c.oid::regclass) FROM pg_class c
			WHERE c.relkind = 'v' AND c.relname ~ '^wattgpu_(deployment_energy|energy_|scope2)' AND c.relname !~ '_rounded$' ORDER BY c.relname) x
	LOOP
		started := clock_timestamp();
		EXECUTE of.query;
		INSERT INTO timed (what, seconds) VALUES (of.what, extract(epoch FROM clock_timestamp() - started));
	END LOOP;
END $$;
SELECT what, round(seconds::numeric, 2) AS seconds, round((seconds / first_value(seconds) OVER (ORDER BY place))::numeric) AS times_the_sum FROM timed ORDER BY place;
