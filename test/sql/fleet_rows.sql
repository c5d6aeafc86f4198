-- What the input tables of reports refuse, and what becomes of it in relations that stand in for them
\set VERBOSITY terse
BEGIN;
INSERT INTO wattgpu_sites VALUES ('north', 'A', 1.25, 0.2, 'EUR');
INSERT INTO wattgpu_grid_intensity VALUES ('A', 'location', '[2026-01-01Z, 2026-02-01Z)', 400, 'x'), ('A', 'market', '[2026-01-01Z, 2026-02-01Z)', 400, 'x');
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved)
VALUES ('chat', 'north', 'A30', 4, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-01-01Z, 2026-02-01Z)', 512, 744);
-- next to one another is not over one another
INSERT INTO wattgpu_grid_intensity VALUES ('A', 'location', '[2026-02-01Z, 2026-03-01Z)', 400, 'x'), ('a', 'location', '[2026-01-01Z, 2026-02-01Z)', 0, 'x');
INSERT INTO wattgpu_deployments SELECT deployment, site, gpu, gpus, num_gpus, llm, scenario, '[2026-02-01Z, 2026-03-01Z)', 512, 600 FROM wattgpu_deployments;
-- Each of these changes is refused, by the rule that it breaks
CREATE FUNCTION pg_temp.refused(relation text, changes text[]) RETURNS TABLE (change text, message text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH change IN ARRAY changes LOOP
		BEGIN
			EXECUTE format('UPDATE %I SET %s WHERE ctid = (SELECT min(ctid) FROM %1$I)', relation, change);
			message := 'taken';
		EXCEPTION WHEN OTHERS THEN
			message := regexp_replace(SQLERRM, '^.* violates ', '');
		END;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM pg_temp.refused('wattgpu_sites', ARRAY['pue = 0.99', 'pue = 10.1', $$pue = 'NaN'$$, $$pue = 'Infinity'$$, 'price_per_kwh = -0.01', $$price_per_kwh = 'NaN'$$,
	$$price_per_kwh = 'Infinity'$$, 'currency = NULL', $$currency = 'eur'$$, $$currency = 'EURO'$$, $$site = ''$$, $$zone = ''$$, $$site = repeat('x', 257)$$, 'site = NULL']);
SELECT * FROM pg_temp.refused('wattgpu_grid_intensity', ARRAY['co2e_g_per_kwh = -1', 'co2e_g_per_kwh = 10001', $$co2e_g_per_kwh = 'NaN'$$, $$co2e_g_per_kwh = 'Infinity'$$, 'co2e_g_per_kwh = NULL',
	$$method = 'marginal'$$, $$valid = '(,2026-01-01)'$$, $$valid = '[2026-01-01,)'$$, $$valid = '[2026-01-01,infinity)'$$, $$valid = '[-infinity,2026-01-01)'$$, $$valid = '[1999-12-31Z,2026-01-01)'$$, $$valid = '[2026-01-01,20260-02-01)'$$, $$valid = 'empty'$$,
	$$valid = '[2026-02-01, 2026-01-01)'$$, $$valid = '[2026-01-01Z, 2026-02-01 01:00Z)'$$, 'source = NULL', $$source = ''$$, $$zone = ''$$]);
SELECT * FROM pg_temp.refused('wattgpu_deployments', ARRAY['gpus = 0', 'gpus = 1000001', 'num_gpus = 3', 'num_gpus = 0', 'num_gpus = 8', 'gpu = NULL', 'llm = NULL', 'scenario = NULL', 'site = NULL',
	$$deployment = ''$$, $$period = '[2026-01-01Z, 2026-02-02Z)'$$, $$period = '(,2026-01-01)'$$, $$period = '[2026-01-01,)'$$, $$period = '[2026-01-01,infinity)'$$, $$period = '[2026-01-01,20260-02-01)'$$, $$period = 'empty'$$,
	$$period = '[2026-01-02, 2026-01-01)'$$, 'hours_reserved = 744.001', 'hours_active = 745, hours_reserved = 745', 'hours_reserved = 511', 'hours_active = -1', $$hours_active = 'NaN'$$,
	$$hours_active = 'Infinity', hours_reserved = 'Infinity'$$, $$hours_active = 'NaN', hours_reserved = 'NaN'$$, 'hours_active = NULL', 'hours_active = 0, hours_reserved = -1',
	'node_overhead_w_per_gpu = -1', $$node_overhead_w_per_gpu = 'Infinity'$$, 'measured_kwh = 1', $$measured_boundary = 'gpu'$$, $$measured_kwh = -1, measured_boundary = 'gpu'$$,
	$$measured_kwh = 'NaN', measured_boundary = 'gpu'$$, $$measured_kwh = 1, measured_boundary = 'rack'$$, 'measured_output_tokens = -1', $$measured_output_tokens = 'NaN'$$,
	'embodied_co2e_kg = -1', $$embodied_co2e_kg = 'Infinity'$$]);
-- and these are taken
SELECT * FROM pg_temp.refused('wattgpu_sites', ARRAY['pue = NULL, price_per_kwh = NULL, currency = NULL, zone = NULL', 'pue = 1', $$price_per_kwh = 0, currency = 'NOK'$$]);
SELECT * FROM pg_temp.refused('wattgpu_deployments', ARRAY['llm = NULL, scenario = NULL, hours_active = 0', 'hours_reserved = 744', 'num_gpus = 4', $$measured_kwh = 0, measured_boundary = 'node'$$,
	$$measured_kwh = NULL, measured_boundary = NULL$$]);
-- any time zone's month, and hours that are quotients
SET LOCAL TimeZone = 'Europe/Berlin';
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, period, hours_active, hours_reserved) VALUES
	('march', 'north', 'A30', 1, '[2026-03-01, 2026-04-01)', 0, 743), ('third', 'north', 'A30', 1, '[2026-03-01 00:00, 2026-03-01 00:20)', 0, 1 / 3.0);
SELECT month, hours_idle FROM wattgpu_energy() WHERE deployment = 'march' ORDER BY month;
-- Names of any letters
INSERT INTO wattgpu_sites VALUES (E'Zürich "1" ''b'' \\ %s', '北', 1);
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES (E'чат "x"; DROP TABLE ''y'' %I', E'Zürich "1" ''b'' \\ %s', E'карта ''1''', 1, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-01-01Z, 2026-01-02Z)', 24, 24, 0);
SELECT deployment, site, gpu, problem FROM wattgpu_energy() WHERE site LIKE 'Z%';
SELECT problems FROM wattgpu_energy_by_site WHERE site LIKE 'Z%';
ROLLBACK;

-- A relation that stands in, without constraints of its own
CREATE SCHEMA "Fleet ""2""";
SET search_path = "Fleet ""2""", public;
CREATE TABLE "rows" (note text, deployment varchar, site text, gpu text, gpus bigint, num_gpus smallint, llm text, scenario text, period tstzrange, hours_active numeric, hours_reserved real,
	node_overhead_w_per_gpu float, measured_kwh numeric, measured_boundary text, measured_output_tokens bigint, embodied_co2e_kg numeric);
CREATE VIEW stand_in AS SELECT * FROM "rows";
CREATE TABLE plants AS TABLE wattgpu_sites;
CREATE TABLE grid AS TABLE wattgpu_grid_intensity;
SELECT wattgpu_use_relation('wattgpu_deployments', 'stand_in');
SELECT wattgpu_use_relation('wattgpu_sites', 'plants');
SELECT wattgpu_use_relation('wattgpu_grid_intensity', 'grid');
SELECT * FROM wattgpu_report_relations ORDER BY table_name;
INSERT INTO plants VALUES ('north', 'A', 1.5, 0.1, 'EUR'), ('twice', 'A', 1.5, NULL, NULL), ('twice', 'A', 1.6, NULL, NULL), ('low', 'A', 0.5, NULL, NULL), (NULL, NULL, NULL, NULL, NULL);
INSERT INTO grid VALUES ('A', 'location', '[2026-01-01Z, 2026-02-01Z)', 100, 'x'), ('A', 'market', '[2026-01-01Z, 2026-01-20Z)', 100, 'x'), ('A', 'market', '[2026-01-10Z, 2026-02-01Z)', 300, 'x'),
	('A', 'location', '[2026-02-01Z, 2026-03-01Z)', -5, 'x'), ('A', NULL, NULL, 5, NULL), (NULL, NULL, NULL, NULL, NULL), ('A', 'market', '[2026-04-01Z,)', 5, 'x');
-- idle cards with a meter at the boards, 100 kWh a row
INSERT INTO "rows" SELECT n, n, s, 'A30', 2, 1, NULL, NULL, p::tstzrange, 0, 100, 0, 100, 'gpu', NULL, NULL FROM (VALUES
	('1 good', 'north', '[2026-01-01Z, 2026-01-08Z)'), ('1 good', 'north', '[2026-02-01Z, 2026-02-08Z)'), ('2 twice', 'twice', '[2026-01-01Z, 2026-01-08Z)'), ('3 low', 'low', '[2026-01-01Z, 2026-01-08Z)'),
	('4 overlapping', 'north', '[2026-01-01Z, 2026-01-08Z)'), ('4 overlapping', 'north', '[2026-01-07Z, 2026-01-14Z)'), ('4 overlapping', 'north', '[2026-01-14Z, 2026-01-21Z)'),
	('5 around', 'north', '[2026-01-01Z, 2026-01-31Z)'), ('5 around', 'north', '[2026-01-02Z, 2026-01-10Z)'), ('5 around', 'north', '[2026-01-11Z, 2026-01-20Z)'),
	('6 unbounded', 'north', '[2026-01-01Z,)'), ('7 infinite', 'north', '[-infinity, infinity]'), ('8 empty', 'north', 'empty'), ('9 no period', 'north', NULL),
	('10 the last month there is', 'north', '[294276-12-01Z, 294276-12-31Z)')) v (n, s, p);
INSERT INTO "rows" SELECT (jsonb_populate_record(r, c::jsonb || jsonb_build_object('deployment', 'broken', 'note', c))).* FROM "rows" r, unnest(ARRAY[
	'{"gpus": 3, "num_gpus": 2}', '{"gpus": 0}', '{"gpus": null}', '{"num_gpus": 0}', '{"gpu": null}', '{"site": null}', '{"hours_active": -1}', '{"hours_active": "NaN"}', '{"hours_reserved": "Infinity"}', '{"hours_reserved": null}',
	'{"hours_active": 1}', '{"hours_active": 101}', '{"hours_reserved": 169}', '{"measured_kwh": "NaN"}', '{"measured_kwh": -1}', '{"measured_kwh": null}', '{"measured_boundary": "rack"}',
	'{"node_overhead_w_per_gpu": -1}', '{"measured_output_tokens": -1}', '{"embodied_co2e_kg": -1}']) WITH ORDINALITY c (c, n)
WHERE r.deployment = '3 low';
UPDATE "rows" SET deployment = note WHERE deployment = 'broken';
INSERT INTO "rows" (note, site) VALUES ('nothing', 'north');
SELECT deployment, period * '[2026-01-01Z, 2026-03-01Z)' AS period, gpu_kwh, facility_kwh, location_co2e_kg, market_co2e_kg, problem FROM wattgpu_energy() ORDER BY deployment COLLATE "C", period;
-- What is sure: the boards of both rows of 1 good, of 2 twice, 3 low and the last of 4 overlapping, 5 x 100 kWh; at the facility three of
-- them, at a PUE of 1.5. Deployments: 10 by number, 20 broken, one without a name; all but 1, 2 and 3 have a row whose boards are not known.
SELECT deployments, missing_gpu, missing_facility, gpu_kwh, facility_kwh, gpu_hours_idle FROM wattgpu_energy_total;
SELECT sum(missing_gpu) FROM wattgpu_energy_by_month WHERE month IS NULL;
-- within a period, too, a row without dates of its own is one row
SELECT deployment, period, month FROM wattgpu_energy('[2026-01-15Z, 2026-04-01Z)') WHERE deployment ~ '^(6|7|8|9) ' ORDER BY deployment;
-- what is no integer is not rounded to one, nor an error of the other rows
CREATE TABLE counted AS SELECT * FROM stand_in LIMIT 0;
ALTER TABLE counted ALTER gpus TYPE float, ALTER num_gpus TYPE text;
SELECT wattgpu_use_relation('wattgpu_deployments', 'counted');
INSERT INTO counted SELECT '', n || ' of ' || g, 'north', 'A30', n, g, NULL, NULL, '[2026-01-01Z, 2026-01-08Z)', 0, 100, 0, 100, 'gpu', NULL, NULL
FROM (VALUES (2.0, '1'), (2.5, '1'), (2.4, '1'), (5e9, '1'), ('NaN', '1'), ('Infinity', '1'), (2, '1.5')) v (n, g);
SELECT deployment, gpus, num_gpus, gpu_kwh, problem FROM wattgpu_energy() ORDER BY deployment COLLATE "C";
SELECT wattgpu_use_relation('wattgpu_deployments', 'stand_in');
-- What cannot stand in
SELECT wattgpu_use_relation('wattgpu_gpus', 'plants');
SELECT wattgpu_use_relation('wattgpu_sites', 'grid');
CREATE TABLE plants2 AS SELECT site, zone, now() AS pue, price_per_kwh, currency FROM plants;
SELECT wattgpu_use_relation('wattgpu_sites', 'plants2');
CREATE TEMPORARY TABLE plants3 AS TABLE plants;
SELECT wattgpu_use_relation('wattgpu_sites', 'plants3');
CREATE SEQUENCE plants4;
SELECT wattgpu_use_relation('wattgpu_sites', 'plants4');
SELECT wattgpu_use_relation(NULL, 'plants');
SELECT relation FROM wattgpu_report_relations WHERE table_name = 'wattgpu_sites';
-- An ordinary role reads what it may, whatever stands on its search_path, and writes nothing
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.lower(tstzrange) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hostile'; END $$;
CREATE FUNCTION hostile.isfinite(timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hostile'; END $$;
CREATE FUNCTION hostile.le(float8, float8) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hostile'; END $$;
CREATE OPERATOR hostile.<= (LEFTARG = float8, RIGHTARG = float8, PROCEDURE = hostile.le);
CREATE FUNCTION hostile.log(float8) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hostile'; END $$;
CREATE TABLE hostile.wattgpu_sites AS SELECT 'hostile' AS site;
CREATE ROLE wattgpu_reporter;
GRANT USAGE ON SCHEMA hostile, "Fleet ""2""" TO wattgpu_reporter;
GRANT SELECT ON plants, grid TO wattgpu_reporter;
SET ROLE wattgpu_reporter;
SELECT count(*) FROM wattgpu_energy();
SELECT wattgpu_use_relation('wattgpu_deployments', NULL);
INSERT INTO wattgpu_sites VALUES ('mine');
RESET ROLE;
GRANT SELECT ON stand_in TO wattgpu_reporter;
SET ROLE wattgpu_reporter;
SET search_path = hostile, pg_catalog, public;
SELECT public.wattgpu_two_figures(facility_kwh) FROM public.wattgpu_energy_total;
SELECT sum(facility_kwh) FROM public.wattgpu_scope2_rounded;
SELECT count(*) FROM public.wattgpu_read_sites();
RESET ROLE;
SET search_path = "Fleet ""2""", public;
-- Gone, and back to the tables
DROP TABLE plants;
SELECT count(*) FROM wattgpu_energy();
SELECT wattgpu_use_relation(t, NULL) FROM unnest(ARRAY['wattgpu_sites', 'wattgpu_grid_intensity', 'wattgpu_deployments']) t;
SELECT count(*) FROM wattgpu_energy();
SELECT count(*) FROM wattgpu_report_relations;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA "Fleet ""2""", hostile CASCADE;
DROP ROLE wattgpu_reporter;
