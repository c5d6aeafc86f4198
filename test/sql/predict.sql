-- In sample: within 10 % of what was measured (published means, Watt Counts)
SELECT gpu, abs(wattgpu_power(gpu, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high') / power_w - 1) <= 0.10 AS power_ok,
	itl_ms IS NULL OR abs(wattgpu_itl(gpu, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high') * 1000 / itl_ms - 1) <= 0.10 AS itl_ok
FROM (VALUES ('NVIDIA L4', 71.1, 62), ('NVIDIA A30', 139, 20.6), ('Tesla V100-SXM2-32GB', 186, 25.9), ('NVIDIA H100 NVL', 201, 5.9),
	('NVIDIA A100-SXM4-40GB', 201, 12.8), ('NVIDIA H200', 243, 4.9), ('NVIDIA L40S', 256, 21.7)) v (gpu, power_w, itl_ms);
SELECT wattgpu_power('Tesla T4', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high') IS NULL AS t4_power,
	wattgpu_itl('Tesla T4', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high') IS NULL AS t4_itl;
-- The published example: the H100 NVL draws 40 to 45 % more than the A30 for the same work
SELECT wattgpu_power('NVIDIA H100 NVL', 'meta-llama/Llama-3.1-8B-Instruct') / wattgpu_power('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct') BETWEEN 1.40 AND 1.45 AS published;
\i doc/quickstart.sql

-- The scenario defaults to server_high, and the model to the default one
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2') = wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'server_high', model => 'wattgpu-paper') AS same;

-- NULL in, NULL out
SELECT wattgpu_power(NULL, 'openai-community/gpt2'), wattgpu_power('NVIDIA A30', NULL), wattgpu_power('NVIDIA A30', 'openai-community/gpt2', NULL),
	wattgpu_itl(NULL, NULL, NULL), wattgpu_fits(NULL, 'openai-community/gpt2'), wattgpu_power_tdp(NULL), wattgpu_power_load_scaled('NVIDIA A30', NULL), wattgpu_itl_roofline('NVIDIA A30', NULL);

-- Baselines, by hand: A30 has 165 W and 933.1 GB/s; Llama 3.1 8B has 8.03e9 weights of 2 bytes
SELECT wattgpu_power_tdp('NVIDIA A30') AS tdp, wattgpu_power_load_scaled('NVIDIA A30', 'offline') AS offline,
	wattgpu_power_load_scaled('NVIDIA A30') AS server_high, wattgpu_power_load_scaled('NVIDIA A30', 'server_low') AS server_low;
SELECT abs(wattgpu_itl_roofline('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct') / (2 * 8.03 / 933.1) - 1) < 1e-12 AS server,
	abs(wattgpu_itl_roofline('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'offline') / (2 * 8.03 / 933.1 / 256) - 1) < 1e-12 AS offline,
	wattgpu_itl_roofline('Tesla T4', 'meta-llama/Llama-3.1-8B-Instruct') IS NULL AS does_not_fit;

-- Every pair that fits predicts a positive, finite number in every scenario, unless the card has no TDP
SELECT count(*) FILTER (WHERE NOT (power > 0 AND power < 'Infinity')) AS bad_power, count(*) FILTER (WHERE power IS NULL AND tdp_w IS NOT NULL) AS no_power,
	count(*) FILTER (WHERE itl > 0 AND itl < 'Infinity') = count(*) AS itl_ok
FROM (SELECT tdp_w, wattgpu_power(gpu, llm, scenario) AS power, wattgpu_itl(gpu, llm, scenario) AS itl
	FROM wattgpu_gpus, wattgpu_llms, wattgpu_scenarios WHERE wattgpu_fits(gpu, llm, scenario) OFFSET 0) p;
SELECT wattgpu_power('AMD Instinct MI308X', 'openai-community/gpt2') IS NULL AS no_tdp_no_power FROM wattgpu_gpus WHERE gpu = 'AMD Instinct MI308X' AND tdp_w IS NULL;

-- The published models know a workload by its scenario's name; another one is refused, not guessed
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => 0.5, model => 'wattgpu-paper');
SELECT wattgpu_itl('NVIDIA A30', 'openai-community/gpt2', num_gpus => 2, model => 'wattgpu-paper');
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('chat', 2, 100, 300);
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'chat', model => 'wattgpu-paper');
SELECT wattgpu_power_load_scaled('NVIDIA A30', 'chat') IS NULL AS no_published_share;
DELETE FROM wattgpu_scenarios WHERE scenario = 'chat';
