\set SHOW_CONTEXT never
-- One row a part: the prior, the mean of the booster, each feature, and what a full batch and limits change
SELECT feature, value IS NULL AS no_value, category, margin IS NULL AS no_margin FROM wattgpu_explain('NVIDIA A30', 'llama3.1:8b-instruct-fp16', model => 'wattgpu-1');
SELECT feature, value IS NULL AS no_value, category FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', 'offline', model => 'wattgpu-paper', target => 'itl');
-- power is the target, server_high the scenario and the default model the model, unless the query says
SELECT count(*) FROM (SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2')
	EXCEPT SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', 'server_high', model => 'wattgpu-1', target => 'power')) d;
-- values are those of the catalogue
SELECT feature, value FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', model => 'wattgpu-paper') WHERE feature IN ('memory_bandwidth_gb_s', 'num_layers', 'base_clock_mhz') ORDER BY feature;

-- Contributions add up to the prediction, for cards and LLMs that were measured and that were not, mixtures and quantised ones
CREATE TABLE cases AS
SELECT model, target, scenario, gpu, llm, cards, CASE WHEN target = 'power' THEN wattgpu_power(gpu, llm, scenario, num_gpus => cards, model => model)
	ELSE wattgpu_itl(gpu, llm, scenario, num_gpus => cards, model => model) END AS prediction
FROM (VALUES ('wattgpu-1'), ('wattgpu-paper')) m (model), (VALUES ('itl'), ('power')) t (target), wattgpu_scenarios,
	(VALUES ('NVIDIA A30'), ('Tesla T4'), ('NVIDIA H200'), ('NVIDIA B200'), ('NVIDIA GeForce RTX 4090'), ('AMD Instinct MI300X')) g (gpu),
	(VALUES ('openai-community/gpt2', 1), ('microsoft/phi-4', 1), ('meta-llama/Llama-3.1-70B-Instruct', 1), ('meta-llama/Llama-3.1-70B-Instruct', 4), ('Qwen/Qwen3-30B-A3B', 1), ('openai/gpt-oss-20b', 1), ('ollama/llama3.1:70b', 1)) l (llm, cards)
WHERE model = 'wattgpu-1' OR cards = 1;
CREATE TABLE parts AS SELECT c.*, e.* FROM cases c, wattgpu_explain(gpu, llm, scenario, num_gpus => cards, model => model, target => target) e;
SELECT model, target, count(*) > 50 AS many, max(abs(explained / prediction - 1)) < 1e-9 AS add_up
FROM (SELECT model, target, prediction, sum(contribution) AS explained FROM parts GROUP BY model, target, scenario, gpu, llm, cards, prediction) p GROUP BY model, target ORDER BY model, target;
-- no rows where there is no prediction, and only there
SELECT count(*) FILTER (WHERE prediction IS NULL) > 0 AS some_do_not_fit, count(*) FILTER (WHERE (prediction IS NULL) = explained) AS wrong
FROM (SELECT prediction, EXISTS (SELECT FROM parts p WHERE (p.model, p.target, p.scenario, p.gpu, p.llm, p.cards) = (c.model, c.target, c.scenario, c.gpu, c.llm, c.cards)) AS explained FROM cases c) e;
-- every part is a number, and every feature of the model is there once
SELECT count(*) FILTER (WHERE contribution IS NULL OR abs(contribution) = 'Infinity' OR contribution = 'NaN') AS bad_contributions,
	count(*) FILTER (WHERE margin IS NULL AND feature NOT IN ('prior', 'full batch, limits, rounding')) AS bad_margins,
	count(*) FILTER (WHERE value IS NOT NULL AND category IS NOT NULL) AS both FROM parts;
SELECT model, target, count(*) FILTER (WHERE features <> (SELECT array_agg(f ORDER BY f COLLATE "C") FROM wattgpu_models m, unnest(m.features) f WHERE (m.model, m.target) = (e.model, e.target))) AS wrong
FROM (SELECT model, target, array_agg(feature ORDER BY feature COLLATE "C") FILTER (WHERE feature NOT IN ('prior', 'bias', 'full batch, limits, rounding')) AS features
	FROM parts GROUP BY model, target, scenario, gpu, llm, cards) e GROUP BY model, target ORDER BY model, target;
-- Margins are of the logarithm, and a full batch is all there is offline: their sum is ln(prediction / prior), the published models' prior being 1, in 32-bit floats
SELECT model, max(abs(margins - ln(prediction / coalesce(prior, 1)))) < 1e-4 AS margins, max(abs(rest / prediction)) < 1e-3 AS no_rest
FROM (SELECT model, prediction, sum(margin) AS margins, max(contribution) FILTER (WHERE feature = 'prior') AS prior, coalesce(sum(contribution) FILTER (WHERE feature = 'full batch, limits, rounding'), 0) AS rest
	FROM parts WHERE target = 'itl' AND scenario = 'offline' GROUP BY model, gpu, llm, cards, prediction) p GROUP BY model ORDER BY model;
-- wattgpu-paper's power is of TDP
SELECT max(abs(margins * tdp_w / prediction - 1)) < 1e-5 AS of_tdp
FROM (SELECT gpu, prediction, sum(margin) AS margins FROM parts WHERE model = 'wattgpu-paper' AND target = 'power' GROUP BY gpu, llm, scenario, prediction) p JOIN wattgpu_gpus USING (gpu);

-- A workload of one's own, by arguments, of any load, and by a scenario
SELECT count(*), max(abs(explained / prediction - 1)) < 1e-9 AS add_up FROM (
	SELECT wattgpu_power(gpu, llm, 'server_high', rate, 300, 500) AS prediction,
		(SELECT sum(contribution) FROM wattgpu_explain(gpu, llm, 'server_high', rate, 300, 500)) AS explained
	FROM (VALUES ('NVIDIA A30'), ('NVIDIA B200')) g (gpu), (VALUES ('meta-llama/Llama-3.1-8B-Instruct'), ('openai/gpt-oss-20b')) l (llm), (VALUES (0.001), (0.5), (5), (1000)) r (rate)) p;
SELECT count(*), max(abs(explained / prediction - 1)) < 1e-9 AS add_up FROM (
	SELECT wattgpu_itl(gpu, llm, 'server_high', rate, 300, 500) AS prediction,
		(SELECT sum(contribution) FROM wattgpu_explain(gpu, llm, 'server_high', rate, 300, 500, target => 'itl')) AS explained
	FROM (VALUES ('NVIDIA A30'), ('NVIDIA B200')) g (gpu), (VALUES ('meta-llama/Llama-3.1-8B-Instruct'), ('openai/gpt-oss-20b')) l (llm), (VALUES (0.001), (0.5), (5), (1000)) r (rate)) p;
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('chat', 2, 100, 300);
SELECT abs(sum(contribution) / wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'chat') - 1) < 1e-9 AS add_up FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', 'chat');
SELECT count(*) FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', 'chat', model => 'wattgpu-paper');
DELETE FROM wattgpu_scenarios WHERE scenario = 'chat';
-- a card unknown to the model has none of its card features; a measured one has
SELECT gpu, count(value) + count(category) > 0 AS card_features FROM parts WHERE model = 'wattgpu-1' AND target = 'itl' AND feature LIKE 'card:%' AND gpu IN ('NVIDIA A30', 'NVIDIA B200') GROUP BY gpu ORDER BY gpu;
-- a measured idle power moves the prior
BEGIN;
UPDATE wattgpu_gpus SET idle_power_w = 60 WHERE gpu = 'NVIDIA A30';
SELECT abs(sum(contribution) / wattgpu_power('NVIDIA A30', 'openai-community/gpt2') - 1) < 1e-9 AS add_up,
	max(contribution) FILTER (WHERE feature = 'prior') > (SELECT contribution FROM parts WHERE (model, target, scenario, gpu, llm, feature) = ('wattgpu-1', 'power', 'server_high', 'NVIDIA A30', 'openai-community/gpt2', 'prior')) AS prior
FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2');
ROLLBACK;

-- NULL in, no rows out; so it is for what does not fit and for a card without a TDP
SELECT count(*) FROM wattgpu_explain(NULL, 'openai-community/gpt2');
SELECT count(*) FROM wattgpu_explain('NVIDIA A30', NULL);
SELECT count(*) FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', NULL);
SELECT count(*) FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', target => NULL);
SELECT count(*) FROM wattgpu_explain('Tesla T4', 'meta-llama/Llama-3.1-70B-Instruct');
SELECT count(*) FROM wattgpu_explain('Tesla T4', 'meta-llama/Llama-3.1-70B-Instruct', model => 'wattgpu-paper', target => 'itl');
BEGIN;
INSERT INTO wattgpu_gpus (gpu, memory_gb, memory_type, memory_bandwidth_gb_s, fp16_tflops, streaming_multiprocessors, boost_clock_mhz, release_date) VALUES ('No TDP', 48, 'HBM3', 2000, 400, 100, 1500, '2026-01-01');
SELECT target, count(feature) > 0 AS explained FROM (VALUES ('itl'), ('power')) t (target) LEFT JOIN LATERAL wattgpu_explain('no tdp', 'openai-community/gpt2', target => target) ON true GROUP BY target ORDER BY target;
ROLLBACK;
SET wattgpu.unknown_name = 'null';
SELECT count(*) FROM wattgpu_explain('NVIDIA A300', 'openai-community/gpt2');
RESET wattgpu.unknown_name;
-- Errors
SELECT * FROM wattgpu_explain('NVIDIA A300', 'openai-community/gpt2');
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', target => 'watts');
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', model => 'nobody');
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', model => 'tdp');
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => -1);
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => 'NaN');
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', output_tokens => 0);
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', num_gpus => 0);
SELECT * FROM wattgpu_explain('NVIDIA A30', 'openai-community/gpt2', arrival_rate_qps => 0.5, model => 'wattgpu-paper');
DROP TABLE cases, parts;
