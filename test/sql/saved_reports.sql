\set SHOW_CONTEXT never
-- Saved reports: what was saved stays, and what moved since is explained
\pset null '(null)'
SET TimeZone = 'UTC';
INSERT INTO wattgpu_sites (site, zone, pue, price_per_kwh, currency) VALUES ('berlin', 'DE', 1.2, 0.2, 'EUR'), ('lyon', 'FR', 1.4, NULL, NULL);
INSERT INTO wattgpu_grid_intensity (zone, method, valid, co2e_g_per_kwh, source)
SELECT zone, method, tstzrange('2026-01-01', '2027-01-01'), g, 'test'
FROM (VALUES ('DE', 'location', 400), ('DE', 'market', 700), ('FR', 'location', 50), ('FR', 'market', 40)) v (zone, method, g);
-- Held for January and February in whole months, so that a month's share of the hours is 31/59 and 28/59
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, '{"gpu": "Acme X1", "idle_power_w": 30, "tdp_w": 165, "source": "test"}')).* FROM wattgpu_gpus g WHERE g.gpu = 'NVIDIA A30';
INSERT INTO wattgpu_llms SELECT (jsonb_populate_record(l, '{"llm": "acme/X-8B"}')).* FROM wattgpu_llms l WHERE l.llm = 'meta-llama/Llama-3.1-8B-Instruct';
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('Night shift', 0.2, 20, 200);
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, scenario, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
SELECT deployment, site, gpu, 2, llm, scenario, tstzrange('2026-01-01', '2026-03-01'), 590, 590, 100
FROM (VALUES ('card', 'berlin', 'Acme X1', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high'), ('llm', 'berlin', 'L40S', 'acme/X-8B', 'server_high'),
	('scenario', 'berlin', 'L40S', 'meta-llama/llama-3.1-8b-instruct', 'night shift'), ('lyon', 'lyon', 'L40S', 'meta-llama/llama-3.1-8b-instruct', 'server_high'),
	('gone', 'berlin', 'A30', 'meta-llama/llama-3.1-8b-instruct', 'server_low'), ('alias', 'berlin', 'rack 7', 'meta-llama/llama-3.1-8b-instruct', 'server_high'),
	('still', 'berlin', 'A30', 'meta-llama/llama-3.1-8b-instruct', 'server_high')) v (deployment, site, gpu, llm, scenario);

-- Revisions count up by name; the settings of a session do not get into a report
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01')) AS first;
SET extra_float_digits = -15;
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'America/New_York';
SELECT wattgpu_report_save('Q1', '[2026-01-01 00:00+00, 2026-04-01 00:00+00)') AS second, wattgpu_report_save('q1', '[2026-01-01 00:00+00, 2026-02-01 00:00+00)') AS another_name;
RESET extra_float_digits;
RESET DateStyle;
SET TimeZone = 'UTC';
SELECT count(*) AS rows, count(*) FILTER (WHERE a.energy IS DISTINCT FROM b.energy OR a.inputs IS DISTINCT FROM b.inputs) AS differ
FROM (SELECT * FROM wattgpu_report_rows WHERE name = 'Q1' AND revision = 1) a FULL JOIN (SELECT * FROM wattgpu_report_rows WHERE name = 'Q1' AND revision = 2) b USING (line);
SELECT count(*) FROM wattgpu_report_diff('Q1', 1, 2);
SELECT count(*) FROM wattgpu_report_diff('Q1', 1, 1);
SELECT name, revision, period, saved_by = session_user AS by_me, model, power_model, itl_model, wattgpu_version = (SELECT extversion FROM pg_extension WHERE extname = 'wattgpu') AS version,
	power_booster_sha256 = (SELECT booster_sha256 FROM wattgpu_models WHERE model = 'wattgpu-1' AND target = 'power') AS power_booster,
	itl_booster_sha256 = (SELECT booster_sha256 FROM wattgpu_models WHERE model = 'wattgpu-1' AND target = 'itl') AS itl_booster
FROM wattgpu_reports ORDER BY name COLLATE "C", revision;
-- The digest is what its comment says, here over the rows themselves
SELECT data_sha256 = encode(sha256(convert_to((
	SELECT string_agg(concat(kind, ' ', key, ' ', jsonb_strip_nulls(content)), E'\n' ORDER BY kind, key COLLATE "C") FROM (
		SELECT 'gpu' AS kind, gpu AS key, to_jsonb(g) - 'gpu' - 'builtin' AS content FROM wattgpu_gpus g WHERE gpu IN ('Acme X1', 'NVIDIA L40S', 'NVIDIA A30')
		UNION ALL SELECT 'llm', llm, to_jsonb(l) - 'llm' - 'builtin' FROM wattgpu_llms l WHERE llm IN ('meta-llama/Llama-3.1-8B-Instruct', 'acme/X-8B')
		UNION ALL SELECT 'scenario', lower(scenario), to_jsonb(s) - 'scenario' - 'builtin' FROM wattgpu_scenarios s WHERE scenario IN ('server_high', 'server_low', 'Night shift')) d), 'UTF8')), 'hex') AS as_said
FROM wattgpu_reports WHERE name = 'Q1' AND revision = 1;
-- Bit by bit what wattgpu_energy gives, as its binary form shows
CREATE TEMPORARY TABLE as_saved AS SELECT record_send(e) AS bits FROM wattgpu_energy(tstzrange('2026-01-01', '2026-04-01')) e;
SELECT count(*) AS rows, count(*) FILTER (WHERE r.bits IS NULL OR a.bits IS NULL) AS differ
FROM as_saved a FULL JOIN (SELECT record_send(r) AS bits FROM wattgpu_report('Q1', 1) r) r ON r.bits = a.bits;
SELECT min(month), max(month), count(*) FROM wattgpu_report('q1');
-- Totals are those of the view, which sums the same rows in another order
SELECT count(*) > 30 AS many, bool_and(CASE jsonb_typeof(v.value) WHEN 'number' THEN abs(t.value::numeric - v.value::numeric) <= 1e-12 * abs(v.value::numeric) ELSE t.value = v.value END) AS same
FROM (SELECT j.* FROM wattgpu_report_total('Q1', 2) r, jsonb_each(to_jsonb(r)) j) t FULL JOIN (SELECT j.* FROM wattgpu_energy_total r, jsonb_each(to_jsonb(r)) j) v USING (key);
SELECT deployments, missing_gpu FROM wattgpu_report_total('Q1');
SELECT count(*) AS none FROM wattgpu_report_total(NULL);
SELECT * FROM wattgpu_report_total('Q1', 3);

-- Each change by itself, in a transaction that is rolled back, and why it moved what it moved
BEGIN;
UPDATE wattgpu_gpus SET tdp_w = 250, memory_bandwidth_gb_s = memory_bandwidth_gb_s * 2, source = 'another' WHERE gpu = 'Acme X1';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, change_gpu_kwh IS NOT NULL AND change_gpu_kwh <> 0 AND change_gpu_kwh = new_gpu_kwh - old_gpu_kwh AS gpu_moved, why FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
BEGIN;
UPDATE wattgpu_llms SET total_params_b = 9, active_params_b = 9 WHERE llm = 'acme/X-8B';
UPDATE wattgpu_scenarios SET output_tokens = 300 WHERE scenario = 'Night shift';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, 'gpu_kwh' = ANY (moved) AS gpu_moved, why FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
BEGIN;
UPDATE wattgpu_deployments SET hours_active = 295 WHERE deployment = 'still';
UPDATE wattgpu_deployments SET embodied_co2e_kg = 59 WHERE deployment = 'card';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, moved = '{embodied_co2e_kg}' AS embodied_alone, change_gpu_kwh = 0 AS same_energy, why FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
-- PUE goes into the facility's figures alone, an intensity into its own: 1.4 -> 1.05 is 3/4, 50 -> 60 is 6/5
BEGIN;
UPDATE wattgpu_sites SET pue = 1.05, price_per_kwh = 0.1, currency = 'EUR' WHERE site = 'lyon';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, change_node_kwh, round((new_facility_kwh / old_facility_kwh)::numeric, 12) AS facility, round((new_market_co2e_kg / old_market_co2e_kg)::numeric, 12) AS market, why FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
BEGIN;
UPDATE wattgpu_grid_intensity SET co2e_g_per_kwh = 60, source = 'newer' WHERE zone = 'FR' AND method = 'location';
UPDATE wattgpu_grid_intensity SET source = 'another, of the same figure' WHERE zone = 'DE';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, change_facility_kwh, round((new_location_co2e_kg / old_location_co2e_kg)::numeric, 12) AS location, change_market_co2e_kg, why FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
BEGIN;
DELETE FROM wattgpu_grid_intensity WHERE zone = 'FR' AND method = 'market';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, change_location_co2e_kg, old_market_co2e_kg > 0 AS was_known, new_market_co2e_kg, change_market_co2e_kg, why FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
-- A meter's figure does not move with the model, but what is predicted beside it does
BEGIN;
UPDATE wattgpu_deployments SET measured_kwh = 118, measured_boundary = 'gpu', measured_output_tokens = 1e6 WHERE deployment = 'still';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'), 'wattgpu-paper');
SELECT deployment, month, round(new_gpu_kwh::numeric, 9) AS new_gpu_kwh, change_facility_kwh, moved, why FROM wattgpu_report_diff('Q1', 3, 4) WHERE deployment = 'still';
ROLLBACK;
-- An unknown spelling becomes known; a site too
BEGIN;
INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('Rack 7', 'NVIDIA A30');
DELETE FROM wattgpu_sites WHERE site = 'lyon';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, month, old_gpu_kwh, new_gpu_kwh > 0 AS gpu_known, change_gpu_kwh, old_facility_kwh > 0 AS was_known, new_facility_kwh > 0 AS known, why FROM wattgpu_report_diff('Q1', 2, 3);
SELECT deployment, month, why FROM wattgpu_report_diff('Q1', 3, 2);
ROLLBACK;
-- Added, removed, split in two, and moved to another site. What is added or removed changes the sum by all of it.
BEGIN;
DELETE FROM wattgpu_deployments WHERE deployment = 'gone';
UPDATE wattgpu_deployments SET period = tstzrange('2026-01-01', '2026-02-01') WHERE deployment = 'still';
UPDATE wattgpu_deployments SET hours_active = 100, hours_reserved = 100, period = tstzrange('2026-01-01', '2026-01-16') WHERE deployment = 'card';
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES ('new', 'berlin', 'A30', 2, 'meta-llama/llama-3.1-8b-instruct', tstzrange('2026-02-01', '2026-03-01'), 280, 280, 100),
	('card', 'berlin', 'Acme X1', 2, 'meta-llama/llama-3.1-8b-instruct', tstzrange('2026-01-16', '2026-02-01'), 210, 210, 100);
UPDATE wattgpu_deployments SET site = 'lyon' WHERE deployment = 'llm';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT deployment, period, old_gpu_kwh IS NULL AS no_old, new_gpu_kwh IS NULL AS no_new, why FROM wattgpu_report_diff('Q1', 2, 3);
SELECT abs(sum(change_gpu_kwh) - (SELECT sum(gpu_kwh) FROM wattgpu_report('Q1', 3)) + (SELECT sum(gpu_kwh) FROM wattgpu_report('Q1', 2))) < 1e-9 AS change_of_the_sum FROM wattgpu_report_diff('Q1', 2, 3);
ROLLBACK;
-- Another period
BEGIN;
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-02-15'));
SELECT deployment, period, why FROM wattgpu_report_diff('Q1', 2, 3) WHERE deployment IN ('lyon', 'still');
SELECT wattgpu_report_save('Q1', tstzrange('2026-02-01', '2026-02-15'));
SELECT deployment, period, why FROM wattgpu_report_diff('Q1', 3, 4) WHERE deployment = 'still';
SELECT deployment, period, why FROM wattgpu_report_diff('Q1', 4, 3) WHERE deployment = 'still';
ROLLBACK;
-- A retrained model of the same name, another default, and several things at once
BEGIN;
SELECT model_name FROM wattgpu_train('power', 'mine', 'paper', params => '{"rounds": 3}');
SELECT model_name FROM wattgpu_train('itl', 'mine', 'paper', params => '{"rounds": 3}');
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'), 'mine');
SELECT model_name FROM wattgpu_train('power', 'mine', 'paper', params => '{"rounds": 5}');
SELECT wattgpu_set_default('mine');
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT revision, model, power_model, itl_model FROM wattgpu_reports WHERE name = 'Q1' ORDER BY revision;
SELECT (SELECT power_booster_sha256 FROM wattgpu_reports WHERE name = 'Q1' AND revision = 3) <> power_booster_sha256 AS retrained FROM wattgpu_reports WHERE name = 'Q1' AND revision = 4;
SELECT deployment, month, why FROM wattgpu_report_diff('Q1', 3, 4) WHERE deployment = 'still';
SELECT deployment, month, why FROM wattgpu_report_diff('Q1', 2, 3) WHERE deployment = 'still';
UPDATE wattgpu_sites SET pue = 1.3, zone = 'FR' WHERE site = 'berlin';
UPDATE wattgpu_gpus SET tdp_w = 160 WHERE gpu = 'NVIDIA A30';
UPDATE wattgpu_deployments SET gpus = 3 WHERE deployment = 'still';
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'), 'wattgpu-paper');
SELECT deployment, month, why FROM wattgpu_report_diff('Q1', 4, 5) WHERE deployment = 'still';
-- The models and cards are gone; the reports are as they were
DELETE FROM wattgpu_models WHERE model = 'mine';
DELETE FROM wattgpu_gpu_aliases WHERE gpu = 'NVIDIA A30';
DELETE FROM wattgpu_deployments;
SELECT count(*) AS rows, count(*) FILTER (WHERE r.bits IS NULL OR a.bits IS NULL) AS differ
FROM as_saved a FULL JOIN (SELECT record_send(r) AS bits FROM wattgpu_report('Q1', 2) r) r ON r.bits = a.bits;
SELECT deployment, month, why FROM wattgpu_report_diff('Q1', 3, 4) WHERE deployment = 'still';
ROLLBACK;
-- A model that predicted nothing, since it had no latency, until it got one
BEGIN;
SELECT model_name FROM wattgpu_train('power', 'mine', 'paper', params => '{"rounds": 3}');
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-02-01'), 'mine');
SELECT model_name FROM wattgpu_train('itl', 'mine', 'paper', params => '{"rounds": 3}');
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-02-01'), 'mine');
SELECT deployment, moved, why FROM wattgpu_report_diff('Q1', 3, 4) WHERE deployment = 'still';
ROLLBACK;
-- A figure that moved without a known reason, and under another version: rows as two builds would have saved them
BEGIN;
INSERT INTO wattgpu_reports (name, revision, period, wattgpu_version, data_sha256, lines, report_sha256)
SELECT 'builds', revision, tstzrange('2026-01-01', '2026-02-01'), version, '', 1, '' FROM (VALUES (1, '1.0'), (2, '1.0'), (3, '1.1')) v (revision, version);
INSERT INTO wattgpu_report_rows (name, revision, line, energy, inputs)
SELECT 'builds', n, 1, format('{"deployment": "a", "month": "2026-01-01", "gpu_kwh": %s}', n)::jsonb, '{}' FROM generate_series(1, 3) n;
SELECT change_gpu_kwh, why FROM wattgpu_report_diff('builds', 1, 2);
SELECT change_gpu_kwh, why FROM wattgpu_report_diff('builds', 3, 2);
-- A later version with a further column reads what was saved before
ALTER TYPE wattgpu_energy_row ADD ATTRIBUTE water_l double precision CASCADE;
SELECT deployment, gpu_kwh, water_l FROM wattgpu_report('builds', 2);
ROLLBACK;

-- Never changed, but for a whole report that its owner deletes
UPDATE wattgpu_reports SET saved_by = 'somebody' WHERE name = 'q1';
UPDATE wattgpu_report_rows SET energy = '{}';
UPDATE wattgpu_report_inputs SET content = '{}';
DELETE FROM wattgpu_report_rows WHERE name = 'q1' AND line = 1;
DELETE FROM wattgpu_report_inputs WHERE name = 'q1' AND kind = 'gpu';
TRUNCATE wattgpu_reports CASCADE;
TRUNCATE wattgpu_report_rows;
TRUNCATE wattgpu_report_inputs;
DELETE FROM wattgpu_reports WHERE name = 'q1';
SELECT count(*) AS rows FROM wattgpu_report_rows WHERE name = 'q1';
SELECT count(*) AS reports FROM wattgpu_reports;
SELECT count(*) FROM wattgpu_report('q1');
-- The number of a deleted revision does not come back, neither that of the last nor those of a whole name
BEGIN;
CREATE TEMPORARY TABLE last AS SELECT report_sha256 FROM wattgpu_reports WHERE name = 'Q1' AND revision = 2;
DELETE FROM wattgpu_reports WHERE name = 'Q1' AND revision = 2;
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01')), wattgpu_report_save('q1', tstzrange('2026-01-01', '2026-04-01'));
SELECT name, revision, report_sha256 = (SELECT report_sha256 FROM last) AS of_the_last, deleted_by = session_user AS by_me FROM wattgpu_report_deletions ORDER BY name COLLATE "C";
ROLLBACK;

-- The digest is what the comment of wattgpu_report_verify says, here over the rows themselves, and other settings of the session do not matter
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'America/New_York';
SET extra_float_digits = -15;
SELECT revision, wattgpu_report_verify(name, revision) = report_sha256 AS verified, lines FROM wattgpu_reports ORDER BY name, revision;
RESET extra_float_digits;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';
SELECT wattgpu_report_verify('Q1', 2) = encode(sha256(sha256(convert_to((to_jsonb(r) - '{report_sha256,model}'::text[])::text, 'UTF8'))
	|| (SELECT string_agg(sha256(convert_to(concat(line, ' ', energy, ' ', inputs), 'UTF8')), '' ORDER BY line) FROM wattgpu_report_rows WHERE name = 'Q1' AND revision = 2)
	|| (SELECT string_agg(sha256(convert_to(concat(kind, ' ', key, ' ', content), 'UTF8')), '' ORDER BY kind COLLATE "C", key COLLATE "C") FROM wattgpu_report_inputs WHERE name = 'Q1' AND revision = 2)), 'hex') AS as_said
FROM wattgpu_reports r WHERE name = 'Q1' AND revision = 2 AND model IS NULL;
RESET DateStyle;
SELECT wattgpu_report_verify('Q1', 9);
SELECT wattgpu_report_verify(NULL) IS NULL AS nothing;
-- What somebody wrote into a saved report shows: a row more wherever it is read, the rest where it is verified
BEGIN;
INSERT INTO wattgpu_report_rows SELECT name, revision, 99, energy, inputs FROM wattgpu_report_rows WHERE name = 'Q1' AND revision = 1 AND line = 1;
SAVEPOINT added;
SELECT count(*) FROM wattgpu_report('Q1', 1);
ROLLBACK TO added;
SELECT deployments FROM wattgpu_report_total('Q1', 1);
ROLLBACK TO added;
SELECT count(*) FROM wattgpu_report_diff('Q1', 2, 1);
ROLLBACK TO added;
SELECT wattgpu_report_verify('Q1', 1);
ROLLBACK TO added;
SELECT count(*) > 0 AS the_other_reads FROM wattgpu_report('Q1', 2);
ROLLBACK;
BEGIN;
INSERT INTO wattgpu_report_inputs SELECT name, revision, kind, key || ' SE', content FROM wattgpu_report_inputs WHERE name = 'Q1' AND revision = 1 AND kind = 'gpu';
DO $$ BEGIN PERFORM wattgpu_report_verify('Q1', 1); EXCEPTION WHEN data_corrupted THEN RAISE NOTICE '%', SQLERRM; END $$;
ROLLBACK;
-- a superuser comes past the triggers
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE wattgpu_report_rows SET energy = jsonb_set(energy, '{gpu_kwh}', '1') WHERE name = 'Q1' AND revision = 1 AND line = 1;
UPDATE wattgpu_reports SET saved_at = saved_at - interval '1 us' WHERE name = 'Q1' AND revision = 2;
SET LOCAL session_replication_role = origin;
DO $$ BEGIN PERFORM wattgpu_report_verify('Q1', 1); EXCEPTION WHEN data_corrupted THEN RAISE NOTICE '%', SQLERRM; END $$;
DO $$ BEGIN PERFORM wattgpu_report_verify('Q1', 2); EXCEPTION WHEN data_corrupted THEN RAISE NOTICE '%', SQLERRM; END $$;
ROLLBACK;
-- The catalogue changes while the report is made: predictions have seen it, the snapshot has not
BEGIN;
CREATE FUNCTION meddle() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN UPDATE public.wattgpu_gpus SET tdp_w = tdp_w + 1 WHERE gpu = 'Acme X1'; RETURN true; END $$;
CREATE VIEW meddling AS SELECT * FROM wattgpu_deployments WHERE deployment = 'card' AND meddle();
SELECT wattgpu_use_relation('wattgpu_deployments', 'meddling');
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-04-01'));
ROLLBACK;

-- Names and periods
SELECT wattgpu_report_save('naïve "quotes" \ it''s 100 % 電力', tstzrange('2026-01-01', '2026-02-01'));
SELECT count(*) FROM wattgpu_report('naïve "quotes" \ it''s 100 % 電力', 1);
SELECT wattgpu_report_save('', tstzrange('2026-01-01', '2026-02-01'));
SELECT wattgpu_report_save(' Q1', tstzrange('2026-01-01', '2026-02-01'));
SELECT wattgpu_report_save(repeat('é', 129), tstzrange('2026-01-01', '2026-02-01'));
SELECT wattgpu_report_save(NULL, tstzrange('2026-01-01', '2026-02-01'));
SELECT wattgpu_report_save('Q1', NULL);
SELECT wattgpu_report_save('Q1', 'empty');
SELECT wattgpu_report_save('Q1', '[2026-01-01,)');
SELECT wattgpu_report_save('Q1', '[2026-01-01,infinity)');
SELECT wattgpu_report_save('Q1', tstzrange('2030-01-01', '2031-01-01'));
SELECT count(*) FROM wattgpu_report('nobody''s');
SELECT count(*) FROM wattgpu_report('Q1', 9);
SELECT count(*) FROM wattgpu_report_diff('Q1', 1, 9);
SELECT count(*) AS none FROM wattgpu_report(NULL);
SELECT count(*) AS none FROM wattgpu_report_diff('Q1', 1, NULL);

-- Any role reads, who was granted INSERT saves, and only the owner deletes
CREATE ROLE regress_wattgpu_auditor;
SET ROLE regress_wattgpu_auditor;
SELECT count(*) > 0 AS reads FROM wattgpu_report('Q1', 1);
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-02-01'));
RESET ROLE;
GRANT INSERT ON wattgpu_reports, wattgpu_report_rows, wattgpu_report_inputs TO regress_wattgpu_auditor;
SET ROLE regress_wattgpu_auditor;
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-02-01'));
DELETE FROM wattgpu_reports;
RESET ROLE;
BEGIN READ ONLY;
SELECT count(*) > 0 AS reads FROM wattgpu_report('Q1');
SELECT wattgpu_report_save('Q1', tstzrange('2026-01-01', '2026-02-01'));
ROLLBACK;

DELETE FROM wattgpu_reports;
DELETE FROM wattgpu_report_deletions;
DELETE FROM wattgpu_deployments;
DELETE FROM wattgpu_sites;
DELETE FROM wattgpu_grid_intensity;
DELETE FROM wattgpu_scenarios WHERE scenario = 'Night shift';
DELETE FROM wattgpu_llms WHERE llm = 'acme/X-8B';
DELETE FROM wattgpu_gpus WHERE gpu = 'Acme X1';
DROP OWNED BY regress_wattgpu_auditor;
DROP ROLE regress_wattgpu_auditor;
