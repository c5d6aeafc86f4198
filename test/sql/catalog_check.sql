-- Upkeep of the catalogue: what is missing disables just what is NULL without it, and no figure of a shipped row cries wolf
\pset null -
\pset format unaligned
SELECT name, problem, disables FROM wattgpu_catalog_check() WHERE relation = 'wattgpu_gpus';
SELECT relation, count(*) FILTER (WHERE disables IS NULL) AS implausible, count(DISTINCT name) < 5 AS few, bool_and(builtin) AS shipped FROM wattgpu_catalog_check() GROUP BY relation ORDER BY relation;

-- Every column of a sound card and a sound LLM in turn: what is listed as disabled is what predictions leave NULL
BEGIN;
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', 'without ' || c.name, c.name, NULL))).*
FROM wattgpu_gpus g, (SELECT attname FROM pg_attribute WHERE attrelid = 'wattgpu_gpus'::regclass AND attnum > 0 AND attname NOT IN ('gpu', 'builtin')) c (name) WHERE gpu = 'NVIDIA A30';
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', 'without any ' || c.a, c.a, NULL, c.b, NULL))).*
FROM wattgpu_gpus g, (VALUES ('memory_gb', 'memory_total_mib'), ('boost_clock_mhz', 'shading_units'), ('fp16_tflops', 'fp32_tflops')) c (a, b) WHERE gpu = 'NVIDIA A30';
SELECT name, builtin, problem, disables FROM wattgpu_catalog_check() WHERE name LIKE 'without%';
SELECT count(*) AS cards, count(*) FILTER (WHERE (p.power_w IS NULL) IS DISTINCT FROM coalesce(c.disables LIKE '%power%', false)) AS power,
	count(*) FILTER (WHERE (p.itl_s IS NULL) IS DISTINCT FROM coalesce(c.disables LIKE '%latency%', false)) AS latency,
	count(*) FILTER (WHERE (p.fits IS NULL) IS DISTINCT FROM coalesce(c.disables LIKE '%fit%', false)) AS fit
FROM wattgpu_gpus g LEFT JOIN (SELECT name, string_agg(disables, ', ') FROM wattgpu_catalog_check() GROUP BY name) c (name, disables) ON c.name = g.gpu, wattgpu_predict(g.gpu, 'gpt2') p;
INSERT INTO wattgpu_llms SELECT (jsonb_populate_record(l, jsonb_build_object('llm', 'without ' || c.name || ' ' || l.llm, c.name, NULL))).*
FROM wattgpu_llms l, (SELECT attname FROM pg_attribute WHERE attrelid = 'wattgpu_llms'::regclass AND attnum > 0 AND attname NOT IN ('llm', 'builtin')) c (name)
WHERE llm IN ('openai-community/gpt2', 'Qwen/Qwen3-30B-A3B-FP8', 'deepseek-ai/DeepSeek-V2-Lite-Chat', 'state-spaces/mamba-2.8b-hf');
SELECT count(*) > 400 AS llms, count(*) FILTER (WHERE (p.power_w IS NULL) IS DISTINCT FROM coalesce(c.disables LIKE '%power%', false)) AS power,
	count(*) FILTER (WHERE (p.itl_s IS NULL) IS DISTINCT FROM coalesce(c.disables LIKE '%latency%', false)) AS latency,
	count(*) FILTER (WHERE (p.fits IS NULL) IS DISTINCT FROM coalesce(c.disables LIKE '%fit%', false)) AS fit
FROM wattgpu_llms l LEFT JOIN (SELECT name, string_agg(disables, ', ') FROM wattgpu_catalog_check() GROUP BY name) c (name, disables) ON c.name = l.llm, wattgpu_predict('NVIDIA H200', l.llm, num_gpus => 1024) p;
ROLLBACK;

-- Slips of a sound card: units, clocks as data rates, figures of another card
BEGIN;
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', 'slip ' || v.name) || v.slip)).* FROM wattgpu_gpus g, (VALUES
	('0 none', '{}'::jsonb), ('1 TB/s', '{"memory_bandwidth_gb_s": 0.9331}'), ('2 data rate', '{"memory_clock_mhz": 2430}'), ('3 kW', '{"tdp_w": 0.165}'), ('4 mW', '{"tdp_w": 99999, "fp16_tflops": 165}'),
	('5 GHz', '{"boost_clock_mhz": 1.44, "base_clock_mhz": null}'), ('6 fp16 as fp32', '{"fp32_tflops": 165}'), ('7 sparse fp8', '{"fp8_tflops": 1320}'), ('8 idle', '{"idle_power_w": 83}'), ('9 half is sound', '{"idle_power_w": 82.5}'),
	('a date', '{"release_date": "2099-12-31"}'), ('b memory', '{"memory_total_mib": 16384}'), ('c MiB', '{"memory_gb": 24576, "memory_total_mib": null}'), ('d shaders', '{"shading_units": 358400}'),
	('e PFLOPS', '{"fp16_tflops": 0.165}'), ('f dual issue is sound', '{"fp32_tflops": 20.64}'), ('g tiny', '{"boost_clock_mhz": 1e-320, "base_clock_mhz": null, "tdp_w": 1e-320, "memory_bandwidth_gb_s": 1e-320, "memory_gb": 1e-320, "memory_total_mib": null}'),
	('h huge', '{"boost_clock_mhz": 1e5, "tdp_w": 1e5, "memory_bandwidth_gb_s": 1e6, "memory_clock_mhz": 1e6, "fp32_tflops": 1e6, "shading_units": 2147483647, "streaming_multiprocessors": 2147483647, "memory_bus_bits": 2147483647}'),
	('i "☃" O''Neil', '{"memory_bus_bits": 384}')) v (name, slip) WHERE gpu = 'NVIDIA A30';
SELECT name, problem, disables FROM wattgpu_catalog_check() WHERE name LIKE 'slip%';
-- of LLMs
INSERT INTO wattgpu_llms SELECT (jsonb_populate_record(l, jsonb_build_object('llm', 'slip ' || v.name) || v.slip)).* FROM (VALUES
	('openai-community/gpt2', '0 none', '{}'::jsonb), ('openai-community/gpt2', '1 millions', '{"total_params_b": 124, "active_params_b": 124}'), ('openai-community/gpt2', '2 layers', '{"num_layers": 120}'),
	('openai-community/gpt2', '3 int4 unquantised', '{"weight_dtype": "int4", "quantization": "none"}'), ('openai-community/gpt2', '4 awq in 16 bits', '{"weight_dtype": "bf16", "quantization": "awq"}'),
	('openai-community/gpt2', '5 extremes', '{"num_layers": 10000, "hidden_size": 10000000, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 1000000, "intermediate_size": 100000000, "vocab_size": 1000000000}'),
	('mistralai/Mixtral-8x7B-Instruct-v0.1', '6 all experts', '{"active_params_b": 46.7, "total_params_b": 46.7}'), ('mistralai/Mixtral-8x7B-Instruct-v0.1', '7 few', '{"active_params_b": 7.2}'),
	('mistralai/Mixtral-8x7B-Instruct-v0.1', '8 millions', '{"active_params_b": 12900, "total_params_b": 46700}')) v (base, name, slip) JOIN wattgpu_llms l ON l.llm = v.base;
SELECT name, problem, disables FROM wattgpu_catalog_check() WHERE relation = 'wattgpu_llms' AND name LIKE 'slip%';
-- aliases behind a name, and two ways by punctuation; instances in two cases
INSERT INTO wattgpu_gpu_aliases VALUES ('nvidia l40s', 'NVIDIA L40'), ('nvidia l40', 'NVIDIA L40'), ('A-10', 'NVIDIA A30'), ('my-card', 'NVIDIA L4'), ('My Card', 'NVIDIA L40'), ('same card', 'NVIDIA L4'), ('same_card', 'NVIDIA L4');
INSERT INTO wattgpu_llm_aliases VALUES ('OPENAI-COMMUNITY/GPT2', 'microsoft/phi-2'), ('gpt-2-new', 'openai-community/gpt2'), ('gpt2-new', 'microsoft/phi-2');
INSERT INTO wattgpu_cloud_instances (provider, instance_type, gpu, gpu_count) VALUES ('AWS', 'G6E.xlarge', 'NVIDIA L40', 1), ('aws', 'G4DN.xlarge', 'Tesla T4', 1), ('mine', 'box', 'Tesla T4', 1), ('Mine', 'BOX', 'Tesla T4', 2), ('mine', 'same', 'Tesla T4', 1), ('mine', 'SAME', 'Tesla T4', 1);
SELECT relation, name, builtin, problem, disables FROM wattgpu_catalog_check() WHERE relation NOT IN ('wattgpu_gpus', 'wattgpu_llms');
ROLLBACK;

-- An ordinary role may ask, and an empty catalogue has no problem
CREATE ROLE wattgpu_ordinary;
SET ROLE wattgpu_ordinary;
SELECT count(*) > 0 AS some FROM wattgpu_catalog_check();
RESET ROLE;
DROP ROLE wattgpu_ordinary;
BEGIN;
SET LOCAL client_min_messages = warning;
TRUNCATE wattgpu_gpus, wattgpu_llms CASCADE;
SELECT count(*) FROM wattgpu_catalog_check();
ROLLBACK;
\pset format aligned
\pset null ''
