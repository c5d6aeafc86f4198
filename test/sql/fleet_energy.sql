-- Energy, cost and emissions of a small fleet, against what it is by hand
\set VERBOSITY terse
BEGIN;
SELECT (wattgpu_add_gpu('Acme X1', memory_gb => 48, memory_bandwidth_gb_s => 2000, tdp_w => 300, fp16_tflops => 400, streaming_multiprocessors => 100,
	boost_clock_mhz => 1800, memory_type => 'HBM3', process_nm => 5, idle_power_w => 50)).gpu;
SET LOCAL TimeZone = 'America/New_York';
INSERT INTO wattgpu_sites VALUES ('north', 'A', 1.25, 0.2, 'EUR'), ('south', 'B', 1.5, 0.1, 'EUR');
-- A's January: 400 up to the 27th, 100 from then on. B has no market-based figure.
INSERT INTO wattgpu_grid_intensity VALUES
	('A', 'location', '[2026-01-01Z, 2026-01-27Z)', 400, 'by hand'), ('A', 'location', '[2026-01-27Z, 2026-02-01Z)', 100, 'by hand'),
	('A', 'location', '[2026-02-01Z, 2026-03-01Z)', 200, 'by hand'), ('A', 'market', '[2026-01-01Z, 2027-01-01Z)', 500, 'contract'),
	('B', 'location', '[2026-01-01Z, 2026-02-01Z)', 20, 'by hand');
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, num_gpus, llm, scenario, period, hours_active, hours_reserved,
	node_overhead_w_per_gpu, measured_kwh, measured_boundary, measured_output_tokens, embodied_co2e_kg) VALUES
	('chat', 'north', 'acme x1', 4, 2, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', '[2026-01-17Z, 2026-02-16Z)', 512, 720, 64, NULL, NULL, 1e9, 8),
	('batch', 'south', 'A30', 2, 1, 'meta-llama/Llama-3.1-8B-Instruct', 'offline', '[2026-01-01Z, 2026-02-01Z)', 600, 744, 50, 1000, 'node', 1e8, NULL),
	('spare', 'south', 'Acme X1', 2, 1, NULL, NULL, '[2026-01-01Z, 2026-02-01Z)', 0, 744, 0, NULL, NULL, NULL, NULL),
	('mystery', 'south', 'Acme 9000', 1, 1, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', '[2026-01-01Z, 2026-02-01Z)', 744, 744, 50, NULL, NULL, NULL, NULL);
CREATE TEMPORARY TABLE energy ON COMMIT DROP AS SELECT * FROM wattgpu_energy();
SELECT deployment, site, zone, gpu, gpus, num_gpus, llm, scenario, month, extract(epoch FROM upper(period) - lower(period)) / 3600 = 720 / 2 AS half_of_chat,
	hours_active, hours_idle, currency, idle_basis, metered_boundary, problem FROM energy ORDER BY deployment, month;

-- P is the one input that is not by hand: the power of a copy of chat's LLM, two cards. Two copies, half of the hours in each month:
--   active 2 x P W x 256 h = 0.512 P kWh; idle 4 x 50 W x 104 h = 20.8 kWh; overhead 4 x 64 W x 360 h = 92.16 kWh; then x 1.25
--   A's intensity in the January half: (10 days x 400 + 5 days x 100) / 15 days = 300; in February 200
-- batch: 1000 kWh metered at the node; overhead 2 x 50 W x 744 h = 74.4 kWh, so 925.6 kWh are the boards'; x 1.5 = 1500 kWh
-- spare: 2 x 50 W x 744 h = 74.4 kWh; x 1.5 = 111.6 kWh; x 20 g = 2.232 kg
SELECT power_w AS p, power_lo_w AS lo, power_hi_w AS hi FROM wattgpu_predict('Acme X1', 'meta-llama/Llama-3.1-8B-Instruct', num_gpus => 2) \gset
CREATE FUNCTION pg_temp.differs(got double precision, expected numeric) RETURNS boolean LANGUAGE sql AS
$$ SELECT got IS NULL OR abs(got::numeric - expected) > 1e-13 * abs(expected) $$;
SELECT v.what, v.got, v.expected FROM energy e, LATERAL (VALUES
	('power_w', e.power_w, 2 * :p), ('power_lo_w', e.power_lo_w, 2 * :lo), ('power_hi_w', e.power_hi_w, 2 * :hi), ('idle_power_w', e.idle_power_w, 200),
	('gpu_active_kwh', e.gpu_active_kwh, 0.512 * :p), ('gpu_idle_kwh', e.gpu_idle_kwh, 20.8),
	('gpu_kwh', e.gpu_kwh, 0.512 * :p + 20.8), ('gpu_lo_kwh', e.gpu_lo_kwh, 0.512 * :lo + 20.8), ('gpu_hi_kwh', e.gpu_hi_kwh, 0.512 * :hi + 20.8),
	('node_kwh', e.node_kwh, 0.512 * :p + 112.96), ('node_lo_kwh', e.node_lo_kwh, 0.512 * :lo + 112.96), ('node_hi_kwh', e.node_hi_kwh, 0.512 * :hi + 112.96),
	('pue', e.pue, 1.25), ('facility_kwh', e.facility_kwh, 0.64 * :p + 141.2), ('facility_lo_kwh', e.facility_lo_kwh, 0.64 * :lo + 141.2),
	('facility_hi_kwh', e.facility_hi_kwh, 0.64 * :hi + 141.2), ('cost', e.cost, 0.128 * :p + 28.24),
	('location', e.location_co2e_g_per_kwh, CASE e.month WHEN '2026-01-01' THEN 300 ELSE 200 END), ('market', e.market_co2e_g_per_kwh, 500),
	('location kg', e.location_co2e_kg, (0.64 * :p + 141.2) * CASE e.month WHEN '2026-01-01' THEN 0.3 ELSE 0.2 END),
	('location lo kg', e.location_co2e_lo_kg, (0.64 * :lo + 141.2) * CASE e.month WHEN '2026-01-01' THEN 0.3 ELSE 0.2 END),
	('location hi kg', e.location_co2e_hi_kg, (0.64 * :hi + 141.2) * CASE e.month WHEN '2026-01-01' THEN 0.3 ELSE 0.2 END),
	('market kg', e.market_co2e_kg, (0.64 * :p + 141.2) * 0.5), ('market lo kg', e.market_co2e_lo_kg, (0.64 * :lo + 141.2) * 0.5),
	('market hi kg', e.market_co2e_hi_kg, (0.64 * :hi + 141.2) * 0.5), ('tokens', e.output_tokens, 5e8), ('embodied', e.embodied_co2e_kg, 4)) v (what, got, expected)
WHERE e.deployment = 'chat' AND pg_temp.differs(v.got, v.expected);
SELECT gpu_active_kwh, gpu_idle_kwh, gpu_kwh, gpu_lo_kwh, gpu_hi_kwh, node_kwh, node_lo_kwh, node_hi_kwh, facility_kwh, facility_lo_kwh, facility_hi_kwh,
	cost, location_co2e_kg, location_co2e_lo_kg, location_co2e_hi_kg, market_co2e_kg, output_tokens, embodied_co2e_kg, basis
FROM energy WHERE deployment = 'batch';
SELECT power_w, idle_power_w, gpu_active_kwh, gpu_idle_kwh, gpu_kwh, gpu_lo_kwh, gpu_hi_kwh, node_kwh, facility_kwh, cost, location_co2e_kg, market_co2e_kg, output_tokens, basis
FROM energy WHERE deployment = 'spare';
SELECT power_w, gpu_active_kwh, gpu_idle_kwh, gpu_kwh, node_kwh, facility_kwh, cost, location_co2e_kg, output_tokens, basis FROM energy WHERE deployment = 'mystery';

-- The total: boards 2 x (0.512 P + 20.8) + 925.6 + 74.4 = 1.024 P + 1041.6; facility 2 x (0.64 P + 141.2) + 1500 + 111.6 = 1.28 P + 1894;
-- location (0.64 P + 141.2) x (0.3 + 0.2) + 30 + 2.232 = 0.32 P + 102.832; market of chat alone (1.28 P + 282.4) x 0.5 = 0.64 P + 141.2
SELECT v.what, v.got, v.expected FROM wattgpu_energy_total t, LATERAL (VALUES
	('gpu_kwh', t.gpu_kwh, 1.024 * :p + 1041.6), ('gpu_lo_kwh', t.gpu_lo_kwh, 1.024 * :lo + 1041.6), ('node_kwh', t.node_kwh, 1.024 * :p + 225.92 + 1000 + 74.4),
	('facility_kwh', t.facility_kwh, 1.28 * :p + 1894), ('facility_hi_kwh', t.facility_hi_kwh, 1.28 * :hi + 1894),
	('location', t.location_co2e_kg, 0.32 * :p + 102.832), ('market', t.market_co2e_kg, 0.64 * :p + 141.2),
	('gpu_hours_active', t.gpu_hours_active, 4 * 512 + 2 * 600 + 744), ('gpu_hours_idle', t.gpu_hours_idle, 4 * 208 + 2 * 144 + 2 * 744),
	('tokens_per_j', t.tokens_per_j, 1.1e9 / ((1.024 * :p + 1041.6) * 3.6e6)),
	('sci operational', t.sci_operational_g_per_1000_tokens, (0.32 * :p + 102.832) * 1000 / 1.1e6),
	-- of the whole fleet it is not known, since batch's and spare's hardware is not
	('sci', CASE WHEN t.sci_g_per_1000_tokens IS NULL THEN (SELECT d.sci_g_per_1000_tokens FROM wattgpu_deployment_energy d WHERE d.deployment = 'chat') END,
		(0.32 * :p + 70.6 + 8) * 1000 / 1e6),
	('metered', t.share_metered, 925.6 / (1.024 * :p + 1041.6)), ('measured', t.share_measured, (41.6 + 74.4) / (1.024 * :p + 1041.6)),
	('modelled', t.share_predicted + t.share_extrapolated, 1.024 * :p / (1.024 * :p + 1041.6))) v (what, got, expected)
WHERE pg_temp.differs(v.got, v.expected);
-- mystery's cost is not known, so the total's is not
SELECT deployments, missing_gpu, missing_node, missing_facility, missing_location, missing_market, missing_tokens, cost, currency, output_tokens, power_models, itl_models, problems
FROM wattgpu_energy_total;
SELECT site, cost IS NOT NULL AS has_cost, currency FROM wattgpu_energy_by_site ORDER BY site;
SELECT month, site, zone, location_co2e_t = 0.032232 AS by_hand, market_co2e_t, missing_facility, missing_location, missing_market, sources FROM wattgpu_scope2 WHERE site = 'south';
SELECT month, sources FROM wattgpu_scope2 WHERE site = 'north' ORDER BY month;

-- What must hold whatever the figures
SELECT count(*) FILTER (WHERE metered_boundary IS NULL AND abs(facility_kwh - node_kwh * pue) > 1e-12 * facility_kwh) AS pue_once,
	count(*) FILTER (WHERE NOT (gpu_lo_kwh <= gpu_kwh AND gpu_kwh <= gpu_hi_kwh AND node_lo_kwh <= node_kwh AND node_kwh <= node_hi_kwh
		AND facility_lo_kwh <= facility_kwh AND facility_kwh <= facility_hi_kwh AND location_co2e_lo_kg <= location_co2e_kg AND location_co2e_kg <= location_co2e_hi_kg)) AS enclosed,
	count(*) FILTER (WHERE (problem IS NULL) <> (num_nulls(gpu_kwh, node_kwh, facility_kwh, location_co2e_kg, market_co2e_kg, output_tokens) = 0)) AS named
FROM energy;
SELECT bool_and(abs(s.kwh - t.facility_kwh) < 1e-9 AND abs(s.kg - t.location_co2e_kg) < 1e-9 AND s.missing >= t.missing_gpu) AS sums_agree, count(*) AS ways
FROM wattgpu_energy_total t, (
	SELECT sum(facility_kwh), sum(location_co2e_kg), sum(missing_gpu) FROM wattgpu_energy_by_site UNION ALL
	SELECT sum(facility_kwh), sum(location_co2e_kg), sum(missing_gpu) FROM wattgpu_energy_by_month UNION ALL
	SELECT sum(facility_kwh), sum(location_co2e_kg), sum(missing_gpu) FROM wattgpu_energy_by_site_month UNION ALL
	SELECT sum(facility_kwh), sum(location_co2e_kg), sum(missing_gpu) FROM wattgpu_energy_by_model UNION ALL
	SELECT sum(facility_kwh), sum(location_co2e_kg), sum(missing_gpu) FROM wattgpu_deployment_energy UNION ALL
	SELECT sum(facility_kwh), sum(location_co2e_t) * 1000, sum(missing_facility) FROM wattgpu_scope2) s (kwh, kg, missing);
SELECT bool_and(abs(share_metered + share_measured + share_predicted + share_extrapolated - 1) < 1e-12) AS shares_add_up FROM wattgpu_deployment_energy WHERE gpu_kwh > 0;
-- halves of a period make the whole, and a month that nothing lies in is empty
SELECT abs(sum(h.facility_kwh) - (SELECT sum(facility_kwh) FROM energy)) < 1e-9 AS halves,
	abs(sum(h.location_co2e_kg) - (SELECT sum(location_co2e_kg) FROM energy)) < 1e-9 AS emissions, sum(h.output_tokens) = 1.1e9 AS tokens
FROM (SELECT * FROM wattgpu_energy('(,2026-01-20 07:13:21Z)') UNION ALL SELECT * FROM wattgpu_energy('[2026-01-20 07:13:21Z,)')) h;
SELECT count(*) FROM wattgpu_energy('[2025-01-01Z, 2026-01-01Z)') UNION ALL SELECT count(*) FROM wattgpu_energy('empty');
-- neither the time zone of the session, nor its summer time, nor its other settings matter
SET LOCAL TimeZone = 'Europe/Berlin';
SET LOCAL wattgpu.unknown_name = 'null';
SET LOCAL DateStyle = 'German';
SET LOCAL IntervalStyle = 'sql_standard';
SET LOCAL extra_float_digits = 0;
SELECT count(*) FROM (SELECT to_jsonb(e) - 'period' FROM energy e EXCEPT SELECT to_jsonb(e) - 'period' FROM wattgpu_energy() e) x;
RESET wattgpu.unknown_name;
RESET DateStyle;
RESET IntervalStyle;
RESET extra_float_digits;
SET LOCAL TimeZone = 'UTC';
-- figures of the views to two places
SELECT v, wattgpu_two_figures(v) FROM unnest(ARRAY[0, 1234.5, -0.0098765, 99.6, 5, 1e20, NULL]) v;
SELECT deployment, facility_kwh, location_co2e_kg FROM wattgpu_deployment_energy_rounded WHERE deployment <> 'chat' ORDER BY 1;

-- Twice the hours are twice the energy
UPDATE wattgpu_deployments SET hours_active = 0, measured_output_tokens = NULL, period = '[2026-01-01Z, 2026-01-31Z)' WHERE deployment = 'chat';
UPDATE wattgpu_deployments SET hours_active = 150, hours_reserved = 300 WHERE deployment = 'chat';
CREATE TEMPORARY TABLE once ON COMMIT DROP AS SELECT * FROM wattgpu_energy() WHERE deployment = 'chat';
UPDATE wattgpu_deployments SET hours_active = 300, hours_reserved = 600 WHERE deployment = 'chat';
SELECT abs(t.facility_kwh / o.facility_kwh - 2) < 1e-12 AS energy, abs(t.output_tokens / o.output_tokens - 2) < 1e-12 AS tokens,
	-- 0.33 requests a second for each of two copies
	abs(t.output_tokens - p.output_tokens * 0.33 * 2 * 300 * 3600) < 1e-6 * t.output_tokens AS by_rate
FROM once o, wattgpu_energy() t, wattgpu_predict('Acme X1', 'meta-llama/Llama-3.1-8B-Instruct', num_gpus => 2) p WHERE t.deployment = 'chat';

-- Hourly intensities: even hours at 100 and odd ones at 300 make 200; one hour missing makes the mean unknown, of pieces that it lies in.
-- From 11:00 of the 15th to the 20th are 109 hours, 55 of them odd: (55 x 300 + 54 x 100) / 109 = 200.917...
DELETE FROM wattgpu_grid_intensity WHERE zone = 'A';
INSERT INTO wattgpu_grid_intensity SELECT 'A', m, tstzrange(h, h + interval '1 hour'), CASE WHEN extract(hour FROM h)::integer % 2 = 0 THEN 100 ELSE 300 END, 'hourly'
FROM unnest(ARRAY['location', 'market']) m, generate_series('2026-01-01 00:00Z'::timestamptz, '2026-01-31 23:00Z', '1 hour') h;
SELECT location_co2e_g_per_kwh, market_co2e_g_per_kwh, problem FROM wattgpu_energy() WHERE deployment = 'chat';
DELETE FROM wattgpu_grid_intensity WHERE method = 'market' AND valid @> '2026-01-15 10:30Z'::timestamptz AND zone = 'A';
SELECT location_co2e_g_per_kwh, market_co2e_g_per_kwh, market_co2e_kg, facility_kwh IS NOT NULL AS facility, problem FROM wattgpu_energy() WHERE deployment = 'chat';
SELECT market_co2e_g_per_kwh, problem FROM wattgpu_energy('[2026-01-15 11:00Z, 2026-01-20Z)') WHERE deployment = 'chat';

-- Each figure that is not known takes only the outer ones with it
CREATE FUNCTION pg_temp.known(of text) RETURNS TABLE (gpu boolean, node boolean, facility boolean, location boolean, tokens boolean, problem text) LANGUAGE sql AS
$$ SELECT gpu_kwh IS NOT NULL, node_kwh IS NOT NULL, facility_kwh IS NOT NULL, location_co2e_kg IS NOT NULL, output_tokens IS NOT NULL, problem FROM wattgpu_energy('[2026-01-02Z, 2026-01-03Z)') WHERE deployment = of $$;
SELECT * FROM pg_temp.known('chat');
SAVEPOINT known;
UPDATE wattgpu_deployments SET node_overhead_w_per_gpu = NULL WHERE deployment = 'chat'; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_sites SET pue = NULL; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_sites SET zone = NULL; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
DELETE FROM wattgpu_sites WHERE site = 'north'; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_deployments SET llm = 'acme/none' WHERE deployment = 'chat'; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_deployments SET scenario = 'never' WHERE deployment = 'chat'; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_deployments SET gpu = 'T4', num_gpus = 1 WHERE deployment = 'chat'; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_gpus SET tdp_w = NULL WHERE gpu = 'Acme X1'; SELECT * FROM pg_temp.known('chat'); ROLLBACK TO known;
UPDATE wattgpu_gpus SET idle_power_w = NULL WHERE gpu = 'Acme X1'; SELECT * FROM pg_temp.known('spare'); ROLLBACK TO known;
-- the default model knows cards at next to no load, the published one does not
UPDATE wattgpu_gpus SET idle_power_w = NULL WHERE gpu = 'Acme X1'; SELECT idle_basis, idle_power_w < power_w AS less, gpu_idle_kwh > 0 AS known, problem FROM wattgpu_energy('[2026-01-02Z, 2026-01-03Z)') WHERE deployment = 'chat';
SELECT power_model, idle_power_w, output_tokens, problem FROM wattgpu_energy('[2026-01-02Z, 2026-01-03Z)', 'wattgpu-paper') WHERE deployment = 'chat'; ROLLBACK TO known;
SELECT * FROM wattgpu_energy(model => 'none'); ROLLBACK TO known;
-- a model that is not calibrated has no intervals, which is said once of a row, whether it is active, idle or both
SELECT training_rows > 0 AS trained FROM wattgpu_train('itl', 'bare', 'physical') UNION ALL SELECT training_rows > 0 FROM wattgpu_train('power', 'bare', 'physical');
UPDATE wattgpu_gpus SET idle_power_w = NULL WHERE gpu = 'Acme X1';
UPDATE wattgpu_deployments SET hours_active = 0, llm = 'gpt2', scenario = 'server_low' WHERE deployment = 'spare';
SELECT deployment, gpu_kwh > 0 AS known, gpu_lo_kwh, gpu_hi_kwh, problem LIKE '%model bare has no intervals%' AS said, problem LIKE '%intervals%intervals%' AS twice
FROM wattgpu_energy('[2026-01-02Z, 2026-01-03Z)', 'bare') WHERE deployment IN ('chat', 'spare') ORDER BY deployment;
ROLLBACK TO known;
-- a thousand requests a second are more than four cards can answer: the tokens are what they can
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('flood', 1000, 100, 250);
UPDATE wattgpu_deployments SET scenario = 'flood', measured_output_tokens = NULL WHERE deployment = 'chat';
SELECT e.saturated, abs(e.output_tokens / (2 * p.output_tokens_per_s * e.hours_active * 3600) - 1) < 1e-12 AS by_the_cards, p.output_tokens_per_s < 250000 AS fewer, e.problem
FROM wattgpu_energy('[2026-01-02Z, 2026-01-03Z)') e, wattgpu_predict('Acme X1', 'meta-llama/Llama-3.1-8B-Instruct', 'flood', num_gpus => 2) p WHERE e.deployment = 'chat';
SELECT deployment, saturated FROM wattgpu_deployment_energy ORDER BY deployment; ROLLBACK TO known;
-- a meter at each boundary: 744 kWh at the facility are 496 of the node at a PUE of 1.5, less 74.4 of overhead 421.6 of the boards
UPDATE wattgpu_deployments SET measured_kwh = 744, measured_boundary = 'facility' WHERE deployment = 'batch';
SELECT gpu_kwh, node_kwh, facility_kwh, facility_lo_kwh, gpu_active_kwh FROM wattgpu_energy() WHERE deployment = 'batch';
UPDATE wattgpu_deployments SET measured_boundary = 'gpu' WHERE deployment = 'batch';
SELECT gpu_kwh, node_kwh, facility_kwh, facility_lo_kwh, gpu_active_kwh FROM wattgpu_energy() WHERE deployment = 'batch';
UPDATE wattgpu_deployments SET hours_active = 744 WHERE deployment = 'batch';
SELECT gpu_active_kwh, gpu_idle_kwh FROM wattgpu_energy() WHERE deployment = 'batch';
-- a model that gave no figure of a row is not named in it, also if it gave another row's
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, num_gpus, llm, period, hours_active, hours_reserved)
SELECT 'chat idle', site, gpu, gpus, num_gpus, llm, period, 0, hours_reserved FROM wattgpu_deployments WHERE deployment = 'chat';
SELECT deployment, power_w IS NOT NULL AS active, idle_basis, power_model IS NOT NULL AS power_model, itl_model IS NOT NULL AS itl_model FROM wattgpu_energy() WHERE deployment LIKE 'chat%' ORDER BY deployment;
UPDATE wattgpu_gpus SET idle_power_w = NULL WHERE gpu = 'Acme X1';
SELECT deployment, idle_basis, power_model IS NOT NULL AS power_model, itl_model IS NOT NULL AS itl_model FROM wattgpu_energy() WHERE deployment = 'chat idle';
ROLLBACK TO known;
UPDATE wattgpu_deployments SET hours_active = 744 WHERE deployment = 'batch';
-- less than the overhead alone
UPDATE wattgpu_deployments SET measured_kwh = 70, measured_boundary = 'node' WHERE deployment = 'batch';
SELECT gpu_kwh, node_kwh, problem FROM wattgpu_energy() WHERE deployment = 'batch';
ROLLBACK;

-- Nothing is written, and an empty fleet draws nothing that is known
BEGIN READ ONLY;
SELECT count(*) FROM wattgpu_energy();
SELECT deployments, missing_gpu, gpu_kwh, problems FROM wattgpu_energy_total;
SELECT count(*) FROM wattgpu_scope2_rounded;
COMMIT;
