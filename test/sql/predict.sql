-- In sample: within 10 % of what was measured (published means, Watt Counts), by both shipped models
SELECT model, gpu, abs(wattgpu_power(gpu, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', model => model) / power_w - 1) <= 0.10 AS power_ok,
	abs(wattgpu_itl(gpu, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', model => model) * 1000 / itl_ms - 1) <= 0.10 AS itl_ok
FROM (VALUES ('NVIDIA L4', 71.1, 62), ('NVIDIA A30', 139, 20.6), ('Tesla V100-SXM2-32GB', 186, 25.9), ('NVIDIA H100 NVL', 201, 5.9),
	('NVIDIA A100-SXM4-40GB', 201, 12.8), ('NVIDIA H200', 243, 4.9), ('NVIDIA L40S', 256, 21.7)) v (gpu, power_w, itl_ms),
	(VALUES ('wattgpu-1'), ('wattgpu-paper')) m (model) ORDER BY model, gpu;
SELECT wattgpu_power('Tesla T4', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high') IS NULL AS t4_power,
	wattgpu_itl('Tesla T4', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high') IS NULL AS t4_itl;
-- The published example: the H100 NVL draws 40 to 45 % more than the A30 for the same work. By the default model as well, at
-- the rate and length that were measured.
SELECT wattgpu_power('NVIDIA H100 NVL', 'meta-llama/Llama-3.1-8B-Instruct', model => 'wattgpu-paper')
	/ wattgpu_power('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', model => 'wattgpu-paper') BETWEEN 1.40 AND 1.45 AS published;
SELECT max(p) FILTER (WHERE gpu = 'NVIDIA H100 NVL') / max(p) FILTER (WHERE gpu = 'NVIDIA A30') BETWEEN 1.40 AND 1.46 AS default_model
FROM (SELECT gpu, wattgpu_power(gpu, llm, scenario, arrival_rate_qps, output_tokens, prompt_tokens) AS p FROM wattgpu_measurements
	WHERE llm = 'meta-llama/Llama-3.1-8B-Instruct' AND scenario = 'server_high') m;
\i doc/quickstart.sql

-- The scenario defaults to server_high, and the model to the default one
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2') = wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'server_high', model => 'wattgpu-1') AS same;

-- NULL in, NULL out
SELECT wattgpu_power(NULL, 'openai-community/gpt2'), wattgpu_power('NVIDIA A30', NULL), wattgpu_power('NVIDIA A30', 'openai-community/gpt2', NULL),
	wattgpu_itl(NULL, NULL, NULL), wattgpu_fits(NULL, 'openai-community/gpt2'), wattgpu_power_tdp(NULL), wattgpu_power_load_scaled('NVIDIA A30', NULL), wattgpu_itl_roofline('NVIDIA A30', NULL);

-- Baselines, by hand: A30 has 165 W and 933.1 GB/s; Llama 3.1 8B has 8.03e9 weights of 2 bytes
SELECT wattgpu_power_tdp('NVIDIA A30') AS tdp, wattgpu_power_load_scaled('NVIDIA A30', 'offline') AS offline,
	wattgpu_power_load_scaled('NVIDIA A30') AS server_high, wattgpu_power_load_scaled('NVIDIA A30', 'server_low') AS server_low;
SELECT abs(wattgpu_itl_roofline('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct') / (2 * 8.03 / 933.1) - 1) < 1e-12 AS server,
	abs(wattgpu_itl_roofline('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'offline') / (2 * 8.03 / 933.1 / 256) - 1) < 1e-12 AS offline,
	wattgpu_itl_roofline('Tesla T4', 'meta-llama/Llama-3.1-8B-Instruct') IS NULL AS does_not_fit;

-- Every pair that fits predicts a positive, finite number in every scenario (the default ones never above the limit), unless a spec that it needs is missing
SELECT model, count(*) FILTER (WHERE NOT (power > 0 AND power < 'Infinity' AND (model <> 'wattgpu-1' OR power <= tdp_w))) AS bad_power,
	count(*) FILTER (WHERE NOT (itl > 0 AND itl < 'Infinity')) AS bad_itl,
	array_agg(DISTINCT gpu) FILTER (WHERE power IS NULL OR itl IS NULL) AS without_prediction
FROM (SELECT model, gpu, tdp_w, wattgpu_power(gpu, llm, scenario, model => model) AS power, wattgpu_itl(gpu, llm, scenario, model => model) AS itl
	FROM wattgpu_gpus, wattgpu_llms, wattgpu_scenarios, (VALUES ('wattgpu-1'), ('wattgpu-paper')) m (model)
	WHERE wattgpu_fits(gpu, llm, scenario) OFFSET 0) p GROUP BY model ORDER BY model;
-- these lack multiprocessors or clocks (Gaudi, B100) or a power limit and clocks (MI308X)
SELECT gpu, tdp_w IS NULL AS tdp, streaming_multiprocessors IS NULL AS sms, boost_clock_mhz IS NULL AS boost FROM wattgpu_gpus
WHERE gpu IN ('NVIDIA B100', 'Intel Gaudi 2', 'Intel Gaudi 3', 'AMD Instinct MI308X') ORDER BY gpu;

-- The published models know a workload by its scenario's name; another one is refused, not guessed
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => 0.5, model => 'wattgpu-paper');
SELECT wattgpu_itl('NVIDIA A30', 'openai-community/gpt2', num_gpus => 2, model => 'wattgpu-paper');
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('chat', 2, 100, 300);
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'chat', model => 'wattgpu-paper');
-- nor what was a published scenario until somebody edited it
BEGIN;
UPDATE wattgpu_scenarios SET arrival_rate_qps = 50 WHERE scenario = 'server_low';
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'server_low', model => 'wattgpu-paper');
ROLLBACK;
-- the default ones take it
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'chat') = wattgpu_power('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => 2, prompt_tokens => 100, output_tokens => 300) AS same;
SELECT wattgpu_power_load_scaled('NVIDIA A30', 'chat') IS NULL AS no_published_share;
DELETE FROM wattgpu_scenarios WHERE scenario = 'chat';
