-- Any workload. Power and ITL never fall with the rate, and power stays within the limit: over rates from next to nothing to
-- far beyond what the card can serve, for cards and LLMs seen and unseen, dense, MoE and quantised
CREATE TEMPORARY TABLE sweep AS
SELECT g.gpu, l.llm, tokens, cards, rate, p.power_w, p.itl_s, p.saturated, p.requests_in_flight, p.output_tokens_per_s, p.energy_j_per_token, g.tdp_w * cards AS limit_w
FROM wattgpu_gpus g, unnest(ARRAY['openai-community/gpt2', 'meta-llama/Llama-3.1-8B-Instruct', 'mistralai/Mixtral-8x7B-Instruct-v0.1', 'llama3.1:8b',
	'Qwen/Qwen3-30B-A3B', 'google/gemma-3-27b-it']) l (llm), unnest(ARRAY[20, 200, 1000]) tokens, unnest(ARRAY[1, 4]) cards,
	LATERAL (SELECT 10 ^ (i / 8.0 - 4) AS rate FROM generate_series(0, 64) i) r,
	LATERAL wattgpu_predict(g.gpu, l.llm, arrival_rate_qps => rate, output_tokens => tokens, prompt_tokens => 100, num_gpus => cards) p
WHERE p.fits AND p.power_w IS NOT NULL
	AND g.gpu IN ('Tesla T4', 'Tesla V100-SXM2-32GB', 'NVIDIA A30', 'NVIDIA L40S', 'NVIDIA H100 NVL', 'NVIDIA H200', 'NVIDIA B200', 'NVIDIA GeForce RTX 4090', 'AMD Instinct MI300X');
SELECT count(*) > 10000 AS many,
	count(*) FILTER (WHERE power_w < (before).power_w * (1 - 1e-6)) AS power_falls,
	count(*) FILTER (WHERE itl_s < (before).itl_s * (1 - 1e-9)) AS itl_falls,
	count(*) FILTER (WHERE power_w > limit_w * (1 + 1e-9)) AS above_limit,
	count(*) FILTER (WHERE (before).saturated AND NOT saturated) AS unsaturated_again
FROM (SELECT *, lag(s) OVER (PARTITION BY gpu, llm, tokens, cards ORDER BY rate) AS before FROM sweep s) s;
-- Little's law: requests in flight are rate x tokens x ITL, until the card is saturated; then tokens come no faster
SELECT bool_and(abs(requests_in_flight / (rate * tokens * itl_s) - 1) < 1e-6) FILTER (WHERE NOT saturated) AS littles_law,
	bool_and(output_tokens_per_s <= rate * tokens * (1 + 1e-9)) AS no_more_than_asked,
	bool_and(saturated) FILTER (WHERE rate > 5000) AS saturated, bool_or(saturated) FILTER (WHERE rate < 0.001) AS at_rest,
	bool_and(abs(energy_j_per_token * output_tokens_per_s / power_w - 1) < 1e-9) AS energy
FROM sweep;
-- a saturated card answers as it does offline, and draws no less
SELECT count(*), bool_and(s.power_w >= p.power_w * (1 - 1e-9)) AS power, bool_and(abs(s.output_tokens_per_s * p.itl_s - 1) < 1e-9) AS tokens
FROM sweep s, LATERAL wattgpu_predict(s.gpu, s.llm, 'offline', output_tokens => tokens, prompt_tokens => 100, num_gpus => cards) p WHERE rate > 5000;
DROP TABLE sweep;

-- What is given as arguments, as a scenario of one's own, or by name, is one and the same
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('Chat', 1.5, 300, 150);
SELECT wattgpu_power('NVIDIA A30', 'gpt2', 'chat') = wattgpu_power('NVIDIA A30', 'gpt2', 'server_low', 1.5, 150, 300) AS power,
	wattgpu_itl('NVIDIA A30', 'gpt2', ' CHAT') = wattgpu_itl('NVIDIA A30', 'gpt2', arrival_rate_qps => 1.5, output_tokens => 150, prompt_tokens => 300) AS itl;
DELETE FROM wattgpu_scenarios WHERE scenario = 'Chat';
-- A scenario that leaves the answers' length open takes the LLM's own, or 200 where nobody measured it
SELECT llm, round(output_tokens::numeric, 1) AS output_tokens, prompt_tokens, arrival_rate_qps
FROM unnest(ARRAY['meta-llama/Llama-3.1-8B-Instruct', 'microsoft/phi-2', 'Qwen/Qwen3-32B']) l, wattgpu_predict('NVIDIA H200', l);
SELECT round((sum(runs * output_tokens) / sum(runs))::numeric, 1) AS llama_by_hand FROM wattgpu_measurements WHERE llm = 'meta-llama/Llama-3.1-8B-Instruct';

-- Where the configuration was measured, the measurement stands beside, and within the 90 % interval nearly always
SELECT count(*), count(*) FILTER (WHERE basis = 'measured') AS measured, bool_and(abs(p.measured_power_w / m.power_w - 1) < 1e-12) AS same_power,
	count(p.measured_itl_s) = count(m.itl_s) AND bool_and(abs(p.measured_itl_s / m.itl_s - 1) < 1e-12) AS same_itl,
	avg((m.power_w BETWEEN power_lo_w AND power_hi_w)::int) BETWEEN 0.85 AND 1 AS power_inside, avg((m.itl_s BETWEEN itl_lo_s AND itl_hi_s)::int) BETWEEN 0.85 AND 1 AS itl_inside
FROM wattgpu_measurements m, wattgpu_predict(m.gpu, m.llm, m.scenario) p WHERE p.fits;
SELECT basis, measured_power_w IS NULL AS not_measured FROM wattgpu_predict('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => 0.2);
-- Intervals hold the prediction, and are wider for an unseen LLM, an unseen GPU, and both
CREATE TEMPORARY TABLE widths AS SELECT known, power_hi_w / power_lo_w AS power, itl_hi_s / itl_lo_s AS itl, power_lo_w <= power_w AND power_w <= power_hi_w AND itl_lo_s <= itl_s AND itl_s <= itl_hi_s AS around
FROM (VALUES ('both', 'NVIDIA A30', 'openai-community/gpt2'), ('gpu', 'NVIDIA A30', 'Qwen/Qwen3-8B'), ('llm', 'NVIDIA A10', 'openai-community/gpt2'), ('none', 'NVIDIA A10', 'Qwen/Qwen3-8B')) v (known, gpu, llm),
	wattgpu_predict(v.gpu, v.llm, output_tokens => 200) p;
SELECT bool_and(around) AS around, max(power) FILTER (WHERE known = 'both') <= least(max(power) FILTER (WHERE known = 'gpu'), max(power) FILTER (WHERE known = 'llm')) AS power_wider,
	max(power) FILTER (WHERE known = 'none') > max(power) FILTER (WHERE known = 'gpu') AS power_widest,
	max(itl) FILTER (WHERE known = 'both') < max(itl) FILTER (WHERE known = 'llm') AS itl_wider, max(itl) FILTER (WHERE known = 'none') > max(itl) FILTER (WHERE known = 'gpu') AS itl_widest FROM widths;
DROP TABLE widths;

-- What lies outside of what was trained on is said, with the range
SELECT extrapolated, unnest(out_of_range) AS out_of_range FROM wattgpu_predict('NVIDIA B200', 'mistralai/Mixtral-8x7B-Instruct-v0.1', arrival_rate_qps => 1, prompt_tokens => 1000, output_tokens => 100) ORDER BY 2;
SELECT extrapolated, out_of_range FROM wattgpu_predict('NVIDIA A30', 'openai-community/gpt2');
SELECT extrapolated, out_of_range FROM wattgpu_predict('NVIDIA A30', 'openai-community/gpt2', num_gpus => 2);
SELECT extrapolated, out_of_range FROM wattgpu_predict('NVIDIA A30', 'llama3.1:8b', output_tokens => 200);
INSERT INTO wattgpu_gpus (gpu, memory_gb, memory_bandwidth_gb_s, tdp_w, streaming_multiprocessors, boost_clock_mhz, fp32_tflops) VALUES ('Half Known', 24, 900, 200, 60, 1500, 11);
SELECT itl_s > 0 AS itl, power_w, unnest(out_of_range) AS out_of_range FROM wattgpu_predict('Half Known', 'openai-community/gpt2') ORDER BY 3;
DELETE FROM wattgpu_gpus WHERE NOT builtin;
-- A measured idle power replaces the term for it: at next to no load it is what the card draws, but for what the booster knows
BEGIN;
UPDATE wattgpu_gpus SET idle_power_w = 60 WHERE gpu = 'NVIDIA L40S';
SELECT wattgpu_power('NVIDIA L40S', 'openai-community/gpt2', arrival_rate_qps => 1e-6) BETWEEN 50 AND 72 AS near_idle;
ROLLBACK;
SELECT wattgpu_power('NVIDIA L40S', 'openai-community/gpt2', arrival_rate_qps => 1e-6) > 90 AS without;

-- What does not fit says so in an otherwise empty row; NULLs and unknown names give none
SELECT fits, power_w, itl_s, basis, extrapolated, power_model FROM wattgpu_predict('Tesla T4', 'meta-llama/Llama-3.1-70B-Instruct');
SELECT wattgpu_predict('NVIDIA A30', NULL) IS NULL AS null_in;
SET wattgpu.unknown_name = 'null';
SELECT wattgpu_predict('NVIDIA A30', 'nobody/knows') IS NULL AS unknown;
RESET wattgpu.unknown_name;
SELECT wattgpu_predict('NVIDIA A30', 'nobody/knows');
SELECT wattgpu_predict('NVIDIA A30', 'gpt2', arrival_rate_qps => -1);
SELECT wattgpu_predict('NVIDIA A30', 'gpt2', model => '');
-- The published models know neither lengths nor how many requests are in flight
SELECT power_w > 0 AS power, saturated, requests_in_flight, output_tokens_per_s, energy_j_per_token, power_model FROM wattgpu_predict('NVIDIA A30', 'gpt2', model => 'wattgpu-paper');
