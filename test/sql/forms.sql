-- Forms that regulation asks for. The figures beside the queries are calculated by hand.
\pset null -
\pset format unaligned
\set VERBOSITY terse

-- 3.8e9 parameters and 3.3e12 tokens: 6 x 3.8e9 x 3.3e12 = 7.524e22; 370,000 H100-hours at 989 TFLOP/s and 50 %: 3.7e5 x 3600 x 9.89e14 / 2 = 6.587e23
SELECT wattgpu_two_figures(wattgpu_training_flop(3.8, 3.3e12)) = 7.5e22 AS architecture, wattgpu_two_figures(wattgpu_hardware_flop(1, 370000 * 3600.0, 989, 0.5)) = 6.6e23 AS hardware,
	wattgpu_hardware_flop(1000, 370 * 3600, 989, 0.5) = wattgpu_hardware_flop(1, 370000 * 3600.0, 989, 0.5) AS units_times_seconds;
-- 6,500 kg over 50e9 tokens: 6.5e6 g / 5e4 millions = 130 g a million; 75,000 kg over 2.5e9 parameters: 30,000 kg a billion
SELECT wattgpu_sci_g(6500, 50e9, 1e6) AS per_million, wattgpu_sci_g(6500, 50e9) AS per_thousand, wattgpu_sci_g(75000, 2.5e9, 1e9) / 1000 AS kg_per_billion, wattgpu_sci_g(0, 1) AS nothing;
-- 1000 cards x 100 h x 500 W = 50 MWh; 150 W more a card: 65; x 1.2: 78
SELECT b.boundary, wattgpu_training_energy_mwh(1000, 100, 500, 150, 1.2, b.boundary) FROM unnest(ARRAY['gpu', 'node', 'facility', NULL]) b (boundary);
-- what a boundary needs and is not known leaves it unknown, and the inner ones known
SELECT wattgpu_training_energy_mwh(1000, 100, 500) AS gpu, wattgpu_training_energy_mwh(1000, 100, 500, pue => 1.2, boundary => 'facility') AS no_overhead,
	wattgpu_training_energy_mwh(1000, 100, 500, 150, boundary => 'facility') AS no_pue, wattgpu_training_energy_mwh(1000, 100, NULL) AS no_power;
-- two figures, not three where rounding carries, whatever the caller's search_path
CREATE FUNCTION round(numeric, integer) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT 666.0';
SET search_path = public, pg_catalog;
SELECT array_agg(wattgpu_two_figures(v)) FROM unnest(ARRAY[9.96, 0.0995, -99.6, 9.949, 0.00104, 1005]) v;
RESET search_path;
DROP FUNCTION public.round(numeric, integer);
-- NULL in, NULL out
SELECT wattgpu_training_flop(NULL, 1), wattgpu_hardware_flop(1, 1, NULL, 1), wattgpu_sci_g(1, NULL), wattgpu_inference_flop(NULL, 1, 1), wattgpu_inference_flop('gpt2', NULL, 1), wattgpu_two_figures(NULL);

-- Bad input
SELECT wattgpu_training_flop(-3.8, 3.3e12);
SELECT wattgpu_training_flop(3.8, 0);
SELECT wattgpu_training_flop('NaN', 1);
SELECT wattgpu_training_flop(3.8, 'Infinity');
SELECT wattgpu_hardware_flop(1, 1, 989, 1.01);
SELECT wattgpu_hardware_flop(1, 1, 989, 50);
SELECT wattgpu_hardware_flop(1, -1, 989, 0.5);
SELECT wattgpu_hardware_flop(0, 1, 989, 0.5);
SELECT wattgpu_training_energy_mwh(1000, 100, 500, 150, 0.9, 'facility');
SELECT wattgpu_training_energy_mwh(1000, 100, 500, 150, 'NaN', 'gpu');
SELECT wattgpu_training_energy_mwh(1000, 100, 500, -1);
SELECT wattgpu_training_energy_mwh(1000, 100, 500, boundary => 'rack');
SELECT wattgpu_sci_g(-1, 1);
SELECT wattgpu_sci_g(1, 0);
SELECT wattgpu_sci_g(1, 1, 'NaN');
SELECT wattgpu_inference_flop('no such LLM', 1, 1);
SELECT wattgpu_inference_flop('gpt2', -1, 1);
SELECT wattgpu_inference_flop('gpt2', 1, 0);
SELECT wattgpu_inference_flop('gpt2', 1, 1, requests => 0);
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT wattgpu_hardware_flop(1, 1, 989, 50);
SELECT wattgpu_training_energy_mwh(1, 1, 1, boundary => 'rack');
\set VERBOSITY terse

-- Inference. GPT-2: 12 layers, 12 heads of 64, 0.1244e9 parameters. 1,000 tokens: 2 x 1.244e8 x 1000 = 2.488e11 for the weights, and
-- 4 FLOP for each layer, unit of the heads' width and pair of a token with itself or one before it
SELECT wattgpu_inference_flop('gpt2', 900, 100, attention => false) AS weights,
	wattgpu_inference_flop('gpt2', 900, 100) = wattgpu_inference_flop('gpt2', 900, 100, attention => false) + sum(4 * 12 * 12 * 64 * t) AS and_attention,
	wattgpu_inference_flop('gpt2', 900, 100, 7) = 7 * wattgpu_inference_flop('gpt2', 900, 100) AS seven_times
FROM generate_series(1, 1000) t;
-- a mixture of experts computes with its active parameters: 2 x 12.88e9 x 1000; a state-space model has no attention; the shape of a latent one is not known
SELECT l, wattgpu_inference_flop(l, 0, 1000, attention => false) AS weights, wattgpu_inference_flop(l, 0, 1000) / wattgpu_inference_flop(l, 0, 1000, attention => false) AS whole
FROM unnest(ARRAY['mistralai/Mixtral-8x7B-Instruct-v0.1', 'state-spaces/mamba-2.8b-hf', 'deepseek-ai/DeepSeek-V3']) l;
SET wattgpu.unknown_name = 'null';
SELECT wattgpu_inference_flop('no such LLM', 1, 1);
RESET wattgpu.unknown_name;

-- Units
SELECT wattgpu_convert_unit(1500, 'kWh', 'MWh') AS mwh, wattgpu_convert_unit(1, 'MWh', 'GJ') AS gj, wattgpu_convert_unit(750, 'kgCO2e', 'tCO2e') AS t,
	wattgpu_convert_unit(0.13, 'gCO2e per 1,000 tokens', 'gCO2e per million tokens') AS per_million, wattgpu_convert_unit(1.2, NULL, NULL) AS ratio,
	wattgpu_convert_unit(1, 'kWh', 'hours') AS other_kind, wattgpu_convert_unit(1, 'kWh', 'barrels') AS unknown, wattgpu_convert_unit(1, NULL, 'kWh') AS none;

-- Trainings that cannot be
INSERT INTO wattgpu_trainings (training, llm) VALUES ('', 'gpt2');
INSERT INTO wattgpu_trainings (training, llm, utilisation) VALUES ('bad', 'gpt2', 1.5);
INSERT INTO wattgpu_trainings (training, llm, utilisation) VALUES ('bad', 'gpt2', 'NaN');
INSERT INTO wattgpu_trainings (training, llm, gpus) VALUES ('bad', 'gpt2', 0);
INSERT INTO wattgpu_trainings (training, llm, hours) VALUES ('bad', 'gpt2', -1);
INSERT INTO wattgpu_trainings (training, llm, mean_power_w_per_gpu) VALUES ('bad', 'gpt2', 'Infinity');
INSERT INTO wattgpu_trainings (training, llm, node_overhead_w_per_gpu) VALUES ('bad', 'gpt2', 'NaN');
INSERT INTO wattgpu_trainings (training, llm, pue) VALUES ('bad', 'gpt2', 0.99);
INSERT INTO wattgpu_trainings (training, llm, training_tokens) VALUES ('bad', 'gpt2', 'NaN');
INSERT INTO wattgpu_trainings (training, llm, measured_mwh) VALUES ('bad', 'gpt2', 5);
INSERT INTO wattgpu_trainings (training, llm, measured_mwh, measured_boundary) VALUES ('bad', 'gpt2', 5, 'rack');
INSERT INTO wattgpu_trainings (training, llm, measured_mwh, measured_boundary) VALUES ('bad', 'gpt2', -5, 'gpu');
INSERT INTO wattgpu_trainings (training) VALUES ('bad');
INSERT INTO wattgpu_inference_tasks (task, llm, gpu, gpus, num_gpus, requests, prompt_tokens, output_tokens) VALUES ('bad', 'gpt2', 'A30', 3, 2, 1, 1, 1);
INSERT INTO wattgpu_inference_tasks (task, llm, gpu, gpus, requests, prompt_tokens, output_tokens) VALUES ('bad', 'gpt2', 'A30', 1, 0, 1, 1);
INSERT INTO wattgpu_inference_tasks (task, llm, gpu, gpus, requests, prompt_tokens, output_tokens) VALUES ('bad', 'gpt2', 'A30', 1, 1, 1, 'NaN');

-- Nothing in, nothing out
SELECT count(*) FROM wattgpu_annex_xi;

-- Annex XI. H100 SXM: 700 W, 989 TFLOP/s. Llama 3.1 8B: 8.03e9 parameters; Mixtral 8x7B: 12.88e9 active ones.
BEGIN;
INSERT INTO wattgpu_trainings (training, llm, gpu, gpus, hours, utilisation, mean_power_w_per_gpu, node_overhead_w_per_gpu, pue, training_tokens, peak_tflops, measured_mwh, measured_boundary) VALUES
	('1 estimated', 'meta-llama/Llama-3.1-8B-Instruct', 'NVIDIA-H100-80GB-HBM3', 1000, 100, 0.4, 500, 150, 1.2, 3e12, NULL, NULL, NULL),
	('2 at TDP', 'meta-llama/Llama-3.1-8B-Instruct', 'NVIDIA H100 80GB HBM3', 1000, 100, 0.2, NULL, 150, 1.2, 3e12, 1979, NULL, NULL),
	('3 node meter', 'mistralai/Mixtral-8x7B-Instruct-v0.1', 'NVIDIA H100 80GB HBM3', 1000, 100, 0.4, NULL, 150, 1.2, 1e12, NULL, 85, 'node'),
	('4 facility meter', 'gpt2', 'NVIDIA H100 80GB HBM3', 1000, 100, NULL, NULL, 150, 1.2, NULL, NULL, 102, 'facility'),
	('5 board meter', 'gpt2', NULL, NULL, NULL, NULL, NULL, NULL, 1.2, NULL, NULL, 70, 'gpu'),
	('6 too small a meter', 'gpt2', NULL, 1000, 100, NULL, NULL, 150, NULL, NULL, NULL, 10, 'node'),
	('7 strangers', 'no such LLM', 'no such GPU', 1000, 100, 0.4, NULL, 0, 1, 3e12, NULL, NULL, NULL),
	('8 nothing', 'gpt2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO wattgpu_trainings (training, llm, gpus, hours, energy_withheld, methodology) VALUES ('9 withheld', 'gpt2', 8, 12, 'N/A: withheld by the cloud', 'Own words.');
-- Energy: 1: 50, 65, 78 as above. 2: 1000 x 100 h x 700 W = 70, 85, 102. 3 and 4 come from meters to the same.
SELECT subject, array_agg(exact_value::numeric(8, 3) ORDER BY field = 'training_energy_facility', field = 'training_energy_node') AS gpu_node_facility,
	array_agg(DISTINCT text_value) AS texts, array_agg(DISTINCT note) AS notes
FROM wattgpu_annex_xi WHERE field ~ '^training_energy' AND unit = 'MWh' GROUP BY subject ORDER BY subject;
-- Compute: 1: 6 x 8.03e9 x 3e12 = 1.4454e23, 1000 x 360000 s x 9.89e14 x 0.4 = 1.42416e23. 2: 1.979e15 x 0.2 makes 1.42488e23. 3: 6 x 12.88e9 x 1e12 = 7.728e22.
SELECT subject, field, (exact_value / 1e20)::numeric(8, 2) AS e20, (value / 1e20)::numeric(8, 2) AS rounded, unit, note FROM wattgpu_annex_xi WHERE field ~ '^training_compute';
-- Time: 100 h are 4.17 days
SELECT subject, field, value, unit, note FROM wattgpu_annex_xi WHERE field IN ('training_time', 'training_hardware_time') AND subject ~ '^[189]';
SELECT text_value FROM wattgpu_annex_xi WHERE field = 'training_energy_methodology';
SELECT max(cardinality(regexp_split_to_array(text_value, ' '))) <= 100 AS short FROM wattgpu_annex_xi WHERE field = 'training_energy_methodology';
-- the setting of the caller does not matter
CREATE TEMPORARY TABLE before AS TABLE wattgpu_annex_xi;
SET LOCAL wattgpu.unknown_name = 'null';
SELECT count(*) FROM (TABLE before EXCEPT TABLE wattgpu_annex_xi) changed;
SET LOCAL wattgpu.unknown_name = 'error';
SELECT count(*) FROM (TABLE before EXCEPT TABLE wattgpu_annex_xi) changed;
ROLLBACK;

-- A task: 1e5 requests of 100 and 250 tokens on 64 cards. Llama 3.1 8B: 1e5 x (2 x 8.03e9 x 350 + 2 x 32 x 32 x 128 x 350 x 351) = 1e5 x
-- (5.621e12 + 3.22e10) = 5.65e17, attention 0.6 %. DeepSeek V3: 1e5 x 2 x 37.55e9 x 350 = 2.63e18. Time and energy are those of wattgpu_predict: the boards together draw 64 times one copy's power.
BEGIN;
INSERT INTO wattgpu_inference_tasks (task, llm, gpu, gpus, num_gpus, requests, prompt_tokens, output_tokens) VALUES
	('1 many', 'meta-llama/Llama-3.1-8B-Instruct', 'A100-SXM4-80GB', 64, 1, 100000, 100, 250),
	('2 pairs', 'meta-llama/Llama-3.1-8B-Instruct', 'A100-SXM4-80GB', 64, 2, 100000, 100, 250),
	('3 few', 'meta-llama/Llama-3.1-8B-Instruct', 'A100-SXM4-80GB', 64, 1, 400, 100, 250),
	('4 too large', 'deepseek-ai/DeepSeek-V3', 'A100-SXM4-80GB', 64, 1, 100000, 100, 250),
	('5 strangers', 'no such LLM', 'no such GPU', 64, 1, 100000, 100, 250);
SELECT subject, field, CASE WHEN field !~ 'energy|time' THEN value END AS value, value IS NOT NULL AS known, unit, text_value, regexp_replace(note, '\d+ to \d+', '... to ...') AS note
FROM wattgpu_annex_xi WHERE field ~ '^inference';
SELECT t.task, abs(h.exact_value * 3600 * p.output_tokens_per_s * t.gpus / t.num_gpus / 25e6 - 1) < 1e-9 AS hours,
	abs(e.exact_value * 1000 / (h.exact_value * wattgpu_power('A100-SXM4-80GB', t.llm, 'offline', output_tokens => 250, prompt_tokens => 100, num_gpus => t.num_gpus) * t.gpus / t.num_gpus) - 1) < 1e-9 AS energy
FROM wattgpu_inference_tasks t JOIN wattgpu_annex_xi h ON h.subject = t.task AND h.field = 'inference_time' JOIN wattgpu_annex_xi e ON e.subject = t.task AND e.field = 'inference_energy',
	wattgpu_predict(t.gpu, t.llm, 'offline', output_tokens => t.output_tokens, prompt_tokens => t.prompt_tokens, num_gpus => t.num_gpus) p
WHERE h.exact_value IS NOT NULL;
ROLLBACK;

-- Meters that cannot be
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,2026-02-01)', 100, 99);
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,2026-02-01)', 0, 99);
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,2026-02-01)', 'NaN', NULL);
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,2026-02-01)', 1, 'Infinity');
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,2026-02-01)', 1, 'NaN');
INSERT INTO wattgpu_site_meters VALUES ('s', 'empty', 1, 1);
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,)', 1, 1);
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,infinity)', 1, 1);
INSERT INTO wattgpu_site_meters VALUES ('', '[2026-01-01,2026-02-01)', 1, 1);
BEGIN;
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-01,2026-02-01)', 1, 1), ('s', '[2026-02-01,2026-03-01)', 1, NULL), ('t', '[2026-01-01,2026-02-01)', 1, 1);
INSERT INTO wattgpu_site_meters VALUES ('s', '[2026-01-31,2026-02-01)', 1, 1);
ROLLBACK;

-- Deployments, metered at the node so that all can be calculated by hand: January has 744 h. PUE 1.25, 400 and 100 g a kWh.
-- llama: 1000 kWh -> 1250 kWh at the facility -> 500 and 125 kg. gpt: 500 -> 625 -> 250 and 62.5 kg.
SET timezone = 'UTC';
BEGIN;
INSERT INTO wattgpu_sites (site, zone, pue) VALUES ('Berlin', 'DE', 1.25);
INSERT INTO wattgpu_grid_intensity VALUES ('DE', 'location', '[2026-01-01,2027-01-01)', 400, 'made up'), ('DE', 'market', '[2026-01-01,2027-01-01)', 100, 'made up');
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu, measured_kwh, measured_boundary, measured_output_tokens, embodied_co2e_kg) VALUES
	('llama', 'Berlin', 'A30', 8, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-01-01,2026-02-01)', 744, 744, 20, 1000, 'node', 5e9, 50),
	('gpt', 'Berlin', 'A30', 4, 'openai-community/gpt2', '[2026-01-01,2026-02-01)', 744, 744, 20, 500, 'node', 1e9, NULL);
INSERT INTO wattgpu_site_meters VALUES ('Berlin', '[2026-01-01,2026-02-01)', 1650, 2145), ('Munich', '[2026-01-01,2026-02-01)', 10, NULL);

-- ESRS: 1875 kWh; 750 and 187.5 kg
SELECT period, field, exact_value::numeric(12, 6), value, unit, text_value, note FROM wattgpu_esrs_e1;
-- SCI: llama 500 kg / 5e9 = 100 g a million, 550 kg / 5e9 = 110; gpt 250 kg / 1e9 = 250; all 750 kg / 6e9 = 125, with embodied not known, since gpt's is not
SELECT subject, field, exact_value::numeric(12, 6), value, unit, text_value, note FROM wattgpu_sci;
-- the same out of the views of totals, which are summed on their own
SELECT bool_and(abs(s.exact_value / t.sci - 1) < 1e-12), count(*) FROM wattgpu_sci s JOIN (
	SELECT llm, unnest(ARRAY['sci_operational_1000', 'sci_1000']), unnest(ARRAY[sci_operational_g_per_1000_tokens, sci_g_per_1000_tokens]) FROM wattgpu_energy_by_model
	UNION ALL SELECT 'all deployments', unnest(ARRAY['sci_operational_1000', 'sci_1000']), unnest(ARRAY[sci_operational_g_per_1000_tokens, sci_g_per_1000_tokens]) FROM wattgpu_energy_total
) t (llm, field, sci) ON t.llm = s.subject AND t.field = s.field WHERE s.exact_value IS NOT NULL;
SELECT bool_and(abs(e.exact_value / t.co2e_t - 1) < 1e-12), count(*) FROM wattgpu_esrs_e1 e JOIN (
	SELECT unnest(ARRAY['scope2_location', 'scope2_market']), unnest(ARRAY[sum(location_co2e_t), sum(market_co2e_t)]) FROM wattgpu_scope2) t (field, co2e_t) USING (field);
-- EED: both known, so they share the whole meter in proportion: 1650 x 1000 / 1500 = 1100 and 550; facility x 2145 / 1650 = 1.3. Munich has no deployments.
SELECT subject, field, text_value, exact_value::numeric(12, 6), value, unit, note FROM wattgpu_eed_allocation;

-- a meter at the facility says nothing of the boards where node overhead is not known, and is a meter all the same
SAVEPOINT fleet;
UPDATE wattgpu_deployments SET measured_boundary = 'facility', node_overhead_w_per_gpu = NULL;
SELECT subject, text_value FROM wattgpu_sci WHERE field = 'method';
ROLLBACK TO fleet;

-- A reserve, 93 kWh at the node -> 116.25 -> 46.5 kg: counts in all, 796.5 kg / 6e9 = 132.75 g a million, and serves no LLM
SAVEPOINT fleet;
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, scenario, period, hours_active, hours_reserved, node_overhead_w_per_gpu, measured_kwh, measured_boundary)
VALUES ('reserve', 'Berlin', 'A30', 4, NULL, NULL, '[2026-01-01,2026-02-01)', 0, 744, 20, 93, 'node');
SELECT subject, exact_value::numeric(12, 6), note FROM wattgpu_sci WHERE field = 'sci_operational_million';
-- 1650 x 1000 / 1593 = 1035.78
SELECT text_value, exact_value::numeric(12, 2), note FROM wattgpu_eed_allocation WHERE field = 'E_IT_allocated' AND subject = 'Berlin';
ROLLBACK TO fleet;

-- A deployment nobody can know: totals are not known and say why; the others keep their estimates, and the rest of the meter, 1650 - 1500, is not allocated
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES ('stranger', 'Berlin', 'no such GPU', 4, 'openai-community/gpt2', '[2026-01-15,2026-02-15)', 100, 744, 20);
SELECT period, field, value, note FROM wattgpu_esrs_e1 WHERE field IN ('energy_total', 'scope2_location', 'scope2_market');
SELECT substring(text_value FROM 'Metered[^,.]*') AS not_all FROM wattgpu_esrs_e1 WHERE field = 'boundary';
SELECT subject, exact_value::numeric(12, 6), note FROM wattgpu_sci WHERE field = 'sci_operational_million';
SELECT text_value, exact_value::numeric(12, 6), note FROM wattgpu_eed_allocation WHERE field = 'E_IT_allocated' AND subject = 'Berlin';
-- a meter below the estimates scales them: 1200 x 1000 / 1500 = 800, 400, and nothing is left
UPDATE wattgpu_site_meters SET it_kwh = 1200 WHERE site = 'Berlin';
SELECT text_value, exact_value::numeric(12, 6), note FROM wattgpu_eed_allocation WHERE field = 'E_IT_allocated' AND subject = 'Berlin';
-- before and after the stranger came; and each meter is the sum of its rows
UPDATE wattgpu_site_meters SET period = '[2026-01-01,2026-01-15)' WHERE site = 'Berlin';
INSERT INTO wattgpu_site_meters SELECT 'Berlin', tstzrange(d, d + interval '1 day'), 47.11 + extract(day FROM d), 60 + 1.3 * extract(day FROM d) FROM generate_series('2026-01-15'::timestamptz, '2026-02-20', '1 day') d;
SELECT a.period, a.text_value, a.exact_value::numeric(12, 3), a.note FROM wattgpu_eed_allocation a
WHERE field = 'E_IT_allocated' AND subject = 'Berlin' AND (period @> '2026-01-07'::timestamptz OR period @> '2026-01-20'::timestamptz OR period @> '2026-02-14'::timestamptz OR period @> '2026-02-16'::timestamptz);
SELECT field, count(*), bool_and(abs(total / metered - 1) < 1e-12) AS adds_up FROM (
	SELECT a.field, a.subject, a.period, sum(a.exact_value) AS total, max(CASE a.field WHEN 'E_IT_allocated' THEN m.it_kwh ELSE m.facility_kwh END) AS metered
	FROM wattgpu_eed_allocation a JOIN wattgpu_site_meters m ON m.site = a.subject AND m.period = a.period
	WHERE a.field ~ 'allocated' AND m.facility_kwh IS NOT NULL GROUP BY 1, 2, 3) s GROUP BY field ORDER BY field;
ROLLBACK;

-- A stand-in may lack dates and sites: then no year and no site is complete
BEGIN;
INSERT INTO wattgpu_sites (site, zone, pue) VALUES ('Berlin', 'DE', 1.25);
INSERT INTO wattgpu_grid_intensity VALUES ('DE', 'location', '[2026-01-01,2027-01-01)', 400, 'made up');
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu, measured_kwh, measured_boundary)
VALUES ('llama', 'Berlin', 'A30', 8, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-01-01,2026-02-01)', 744, 744, 20, 1000, 'node');
INSERT INTO wattgpu_site_meters VALUES ('Berlin', '[2026-01-01,2026-02-01)', 1650, 2145);
CREATE VIEW lacking AS
SELECT * FROM wattgpu_deployments UNION ALL SELECT (jsonb_populate_record(d, o)).* FROM wattgpu_deployments d,
	(VALUES ('{"deployment": "no dates", "period": null}'::jsonb), ('{"deployment": "no site", "site": null}')) v (o);
SELECT wattgpu_use_relation('wattgpu_deployments', 'lacking');
SELECT period, value, note FROM wattgpu_esrs_e1 WHERE field = 'energy_total';
SELECT subject, text_value, exact_value::numeric(12, 6), note FROM wattgpu_eed_allocation WHERE field = 'E_IT_allocated';
ROLLBACK;

-- Predicted deployments: ESRS is what wattgpu_energy sums to, by the year of UTC months
BEGIN;
INSERT INTO wattgpu_sites (site, zone, pue) VALUES ('Berlin', 'DE', 1.25);
INSERT INTO wattgpu_grid_intensity VALUES ('DE', 'location', '[2025-01-01,2027-01-01)', 400, 'made up');
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES ('llama', 'Berlin', 'A30', 8, 'meta-llama/Llama-3.1-8B-Instruct', '[2025-12-01,2026-02-01)', 500, 1000, 20);
SELECT e.period, e.field, abs(e.exact_value * 1000 / (SELECT sum(CASE e.field WHEN 'energy_total' THEN w.facility_kwh ELSE w.location_co2e_kg END)
	FROM wattgpu_energy() w WHERE w.period <@ e.period) - 1) < 1e-12 AS same, e.note ~ '^[0-9.]+ to [0-9.]+ (MWh|tCO2e)$' AS range, CASE WHEN e.exact_value IS NULL THEN e.note END AS note
FROM wattgpu_esrs_e1 e WHERE e.field IN ('energy_total', 'scope2_location', 'scope2_market');
ROLLBACK;

-- A meter may be anywhere within the interval of the estimates; outside of it the note says on which side. The second deployment, of other months, does not count.
BEGIN;
INSERT INTO wattgpu_sites (site, zone, pue) VALUES ('Berlin', 'DE', 1.25);
INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, period, hours_active, hours_reserved, node_overhead_w_per_gpu)
VALUES ('llama', 'Berlin', 'A30', 8, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-01-01,2026-02-01)', 744, 744, 20),
	('later', 'Berlin', 'A30', 8, 'meta-llama/Llama-3.1-8B-Instruct', '[2026-02-01,2026-03-01)', 600, 600, 20);
INSERT INTO wattgpu_site_meters SELECT 'Berlin', '[2026-01-01,2026-02-01)', node_lo_kwh, NULL FROM wattgpu_deployment_energy WHERE deployment = 'llama';
CREATE FUNCTION note(at double precision) RETURNS text LANGUAGE sql VOLATILE AS $$
	UPDATE wattgpu_site_meters SET it_kwh = at;
	SELECT regexp_replace(note, '[0-9.]+ kWh|times [0-9.]+|\([^)]+\)', '...', 'g') FROM wattgpu_eed_allocation WHERE field = 'E_IT_allocated'
$$;
SELECT v.at, note(v.kwh) FROM wattgpu_deployment_energy d, LATERAL (VALUES ('below', node_lo_kwh * 0.999), ('lo', node_lo_kwh), ('mid', node_kwh), ('hi', node_hi_kwh), ('above', node_hi_kwh * 1.001), ('8.4', node_kwh * 8.4)) v (at, kwh)
WHERE d.deployment = 'llama';
ROLLBACK;

-- Forms change: a label, a unit, a field of one's own, one that is filled by hand
BEGIN;
INSERT INTO wattgpu_trainings (training, llm, gpu, gpus, hours, mean_power_w_per_gpu) VALUES ('run', 'gpt2', 'A30', 100, 10, 150);
UPDATE wattgpu_template_fields SET label = 'Energy, as the form of 2028 calls it', unit = 'kWh' WHERE template = 'annex_xi' AND field = 'training_energy_gpu';
INSERT INTO wattgpu_template_fields (template, field, position, label, unit, value_column, source, checked) VALUES
	('annex_xi', 'joules', 1000, 'Energy again', 'GJ', 'training_gpu_mwh', 'ours', 'ours'),
	('annex_xi', 'wrong unit', 1010, 'Energy in hours', 'hours', 'training_gpu_mwh', 'ours', 'ours'),
	('annex_xi', 'contact', 1020, 'Whom to ask', NULL, NULL, 'ours', 'ours');
-- 100 x 10 h x 150 W = 0.15 MWh = 150 kWh = 0.54 GJ
SELECT field, label, value, unit, note, checked FROM wattgpu_annex_xi WHERE source = 'ours' OR field = 'training_energy_gpu';
INSERT INTO wattgpu_template_fields (template, field, position, label, unit, value_column, source, checked) VALUES ('annex_xi', 'MODEL', 5, 'Name', NULL, 'llm', 'ours', 'ours');
SELECT field, label, builtin FROM wattgpu_template_fields WHERE template = 'annex_xi' AND (NOT builtin OR field = 'model') ORDER BY position;
INSERT INTO wattgpu_template_fields (template, field, position, label, unit, value_column, source, checked) VALUES ('annex_xi', 'x', 5, 'x', 'kWh', 'facility_kwh', 'ours', 'ours');
ROLLBACK;
INSERT INTO wattgpu_template_fields (template, field, position, label, source, checked) VALUES ('annex_xii', 'x', 5, 'x', 'ours', 'ours');
-- each figure that a template knows is in a shipped field, and each field says where it is from
SELECT template, count(*), count(DISTINCT value_column), bool_and(builtin AND source <> '' AND checked <> '') FROM wattgpu_template_fields GROUP BY template ORDER BY template;
