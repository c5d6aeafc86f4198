\set SHOW_CONTEXT never
-- What predictions take a spelling for is what the resolver says, for every name and alias there is
SET wattgpu.unknown_name = 'null';
SELECT count(*) AS wrong_gpus FROM (SELECT gpu AS spelling, gpu FROM wattgpu_gpus UNION ALL SELECT alias, gpu FROM wattgpu_gpu_aliases) s, wattgpu_resolve_gpu(spelling) r
WHERE r.name IS DISTINCT FROM gpu OR wattgpu_canonical_gpu(spelling) IS DISTINCT FROM gpu OR r.match NOT IN ('canonical', 'alias');
SELECT count(*) AS wrong_llms FROM (SELECT llm AS spelling, llm FROM wattgpu_llms UNION ALL SELECT alias, llm FROM wattgpu_llm_aliases) s, wattgpu_resolve_llm(spelling) r
WHERE r.name IS DISTINCT FROM llm OR wattgpu_canonical_llm(spelling) IS DISTINCT FROM llm OR r.match NOT IN ('canonical', 'alias') OR NOT r.ambiguous AND r.candidates <> '{}';
-- a bare alias is ambiguous if and only if its tag latest is another LLM
SELECT count(*) > 1000 AS many, count(*) FILTER (WHERE r.ambiguous IS DISTINCT FROM (strpos(alias, ':') = 0 AND strpos(alias, '/') = 0 AND EXISTS (
	SELECT FROM wattgpu_llm_aliases o WHERE lower(o.alias) IN (lower(a.alias) || ':latest', 'ollama/' || lower(a.alias) || ':latest') AND o.llm <> a.llm))) AS wrong
FROM wattgpu_llm_aliases a, wattgpu_resolve_llm(alias) r;
SELECT r.* FROM unnest(ARRAY['deepseek-r1', 'TinyLlama', ' deepseek-v3 ', 'deepseek-r1:latest', 'ollama/deepseek-r1:latest', 'deepseek-ai/DeepSeek-R1', 'llama3.1', 'gpt2']) WITH ORDINALITY s (spelling, n), wattgpu_resolve_llm(spelling) r ORDER BY n;

-- One key never joins two cards that no alias joins already: "Tesla A100" is a name of the card with 40 GB, "A100" of that with 80 GB
SELECT wattgpu_gpu_key(spelling) AS key, array_agg(DISTINCT gpu ORDER BY gpu) AS gpus
FROM (SELECT gpu AS spelling, gpu FROM wattgpu_gpus UNION ALL SELECT alias, gpu FROM wattgpu_gpu_aliases) s GROUP BY 1 HAVING count(DISTINCT gpu) > 1;
-- every shipped spelling has a key, and finds its card through it as a label would spell it, that one apart
SELECT count(*) FROM wattgpu_gpu_aliases WHERE wattgpu_gpu_key(alias) IS NULL;
SELECT count(*) AS wrong FROM wattgpu_gpu_aliases, wattgpu_resolve_gpu(translate(upper(alias), ' -', '__')) r WHERE kind <> 'pci_id' AND r.name IS DISTINCT FROM gpu;
SELECT alias, name FROM wattgpu_gpu_aliases, wattgpu_resolve_gpu('NVIDIA_TESLA_' || replace(alias, ' ', '_')) WHERE gpu ~ '^NVIDIA [ABHL][0-9]' AND alias !~* 'tesla|nvidia|hgx' AND kind <> 'pci_id'
	AND name IS DISTINCT FROM gpu ORDER BY 1;

-- GPUs: by the normalised key
SELECT spelling, r.name, r.match, r.ambiguous AS amb, wattgpu_canonical_gpu(spelling) IS NOT DISTINCT FROM r.name AS agrees
FROM unnest(ARRAY['NVIDIA(R) A100-SXM4-80G', 'a100_sxm4_80 GiB', 'NVIDIA Corporation Tesla T4', 'Tesla(TM) T4', 'nvidia h100 80 gb hbm3', 'Tesla L4', 'RTX_4090', 'GeForce RTX4090', 'MI-300X',
	'intel gaudi-3', 'Quadro RTX-6000', E' NVIDIA\tA30\n', 'nvidia_h200', 'NVIDIA® A30', 'L40 S', 'NVIDIA-A100', 'tesla_a100', 'NVIDIA_H100']) WITH ORDINALITY s (spelling, n), wattgpu_resolve_gpu(spelling) r ORDER BY n;
-- what is not the whole card, not this card, or no card
SELECT left(spelling, 40) AS spelling, r.name, r.match, r.ambiguous AS amb, r.note, wattgpu_canonical_gpu(spelling) IS NULL AS agrees
FROM unnest(ARRAY['NVIDIA-A100-SXM4-40GB-MIG-1g.5gb', 'NVIDIA A100-SXM4-40GB MIG 1g.5gb', 'A100 1g 5gb', 'H100 1g.10gb+me', 'nvidia.com/mig-1g.5gb', 'A40-8Q', 'NVIDIA A40-48A', 'GRID A100-8C', 'A100-1-5CME',
	'Tesla-T4-SHARED', 'NVIDIA-A30-SHARED', 'A10 0', 'L4-0', 'RTX 4090 D', 'A100X', 'A100 20GB', 'RTX 6000', 'A100/H100', '2x A100', 'AMD A30', 'Intel T4', 'NVIDIA MI300X', 'NVIDIA', 'Tesla', 'NVIDIA Graphics Device',
	'"NVIDIA A30"', 'A30; --', E'NVIDIA A30\x01', E'\x7f', '', '   ', '☃', '10de:ffff', repeat('A30 ', 75), repeat('é', 200), 'NVIDIA A30' || repeat('-', 247)])
	WITH ORDINALITY s (spelling, n), wattgpu_resolve_gpu(spelling) r ORDER BY n;
-- short names: the most deployed card, flagged, and all that may be meant
SELECT spelling, r.name, r.match, r.candidates FROM unnest(ARRAY['H100', 'a100', 'NVIDIA-A100', 'Tesla A100', 'h200', 'v100-16gb', 'mi300', 'rtx4060ti', 'AMD Instinct MI250X / MI250', 'gh200', 'rtx-3060'])
	WITH ORDINALITY s (spelling, n), wattgpu_resolve_gpu(spelling) r WHERE r.ambiguous ORDER BY n;
SELECT count(*) AS short_ambiguous, count(*) FILTER (WHERE ambiguous) AS flagged, bool_and(candidates[1] = gpu) AS chosen_first, min(cardinality(candidates)) AS least
FROM wattgpu_gpu_aliases, wattgpu_resolve_gpu(alias) WHERE kind = 'short_ambiguous';
SELECT count(*) FROM wattgpu_gpu_aliases a, wattgpu_resolve_gpu(alias) r WHERE r.ambiguous IS DISTINCT FROM (r.match <> 'canonical' AND a.kind NOT IN ('k8s_label', 'gcp', 'nvidia_smi', 'pci_id') AND EXISTS (
	SELECT FROM wattgpu_gpu_aliases s WHERE s.kind = 'short_ambiguous' AND s.gpu = a.gpu AND wattgpu_gpu_key(s.alias) = wattgpu_gpu_key(a.alias)));
SELECT alias, kind FROM wattgpu_gpu_aliases, wattgpu_resolve_gpu(alias) WHERE kind <> 'short_ambiguous' AND ambiguous ORDER BY alias COLLATE "C";
-- punctuation does not decide whether it is ambiguous; a canonical name never is
SELECT spelling, r.match, r.ambiguous AS amb, cardinality(r.candidates) AS num FROM unnest(ARRAY['RTX 3060', 'RTX-3060', 'rtx3060', 'NVIDIA_RTX_3060', 'H200', 'NVIDIA-H200', 'nvidia_h200', ' nvidia H200', 'NVIDIA A100-SXM4-80GB', 'a100_sxm4_80gb', '10de:20b2'])
	WITH ORDINALITY s (spelling, n), wattgpu_resolve_gpu(spelling) r ORDER BY n;
SELECT count(*) FROM wattgpu_gpus, wattgpu_resolve_gpu(E' ' || lower(gpu) || E'\n') r WHERE r.ambiguous OR r.name IS DISTINCT FROM gpu;
-- the closest names of an unknown one are those of the error's hint
SELECT candidates FROM wattgpu_resolve_gpu('NVIDIA A100-SMX4-40GB');
-- two letters in turn are the nearest, although 4000 has more trigrams of 4900 than 4090 has
SELECT spelling, candidates[1] AS first FROM unnest(ARRAY['RTX 4900', 'rtx4900', 'GeForce RTX 4900', 'NVIDIA GeForce RTX 4900', 'NVIDIA A03', 'nvidai a30']) WITH ORDINALITY s (spelling, n), wattgpu_resolve_gpu(spelling) ORDER BY n;
SELECT candidates[1] AS first FROM wattgpu_resolve_llm('openai-community/gtp2');
SELECT count(*) > 70 AS many, count(*) FILTER (WHERE gpu <> ALL (r.candidates)) AS wrong
FROM wattgpu_gpus, LATERAL (SELECT regexp_replace(gpu, '(.)(.)$', '\2\1') AS spelling) s, wattgpu_resolve_gpu(spelling) r WHERE r.name IS NULL;
SELECT r IS NULL AS null_in FROM wattgpu_resolve_gpu(NULL) r;
RESET wattgpu.unknown_name;
SELECT wattgpu_canonical_gpu('NVIDIA A100-SMX4-40GB');
SELECT wattgpu_canonical_gpu('NVIDIA-A100-SXM4-40GB-MIG-1g.5gb');
SELECT wattgpu_canonical_gpu('RTX 4900');

-- The name of something else: "7B" behind an organisation is no vGPU profile, also where nobody knows the LLM
SELECT spelling, r.* FROM unnest(ARRAY['meta-llama/Llama-3.1-8B-Instruct', 'Qwen/Qwen2.5-7B', 'llama3.1:8b', 'nobody/Nothing-8B', 'offline', 'A40-8Q']) WITH ORDINALITY s (spelling, n), wattgpu_resolve_gpu(spelling) r ORDER BY n;
SELECT spelling, r.* FROM unnest(ARRAY['H100', 'Tesla_T4', '10de:20b2', 'server_low', 'A40-8Q']) WITH ORDINALITY s (spelling, n), wattgpu_resolve_llm(spelling) r ORDER BY n;
-- no LLM and no card of the catalogue is said to be anything else
SELECT count(*) FROM (SELECT llm FROM wattgpu_llms UNION SELECT alias FROM wattgpu_llm_aliases) l, wattgpu_resolve_gpu(llm) r WHERE r.note IS DISTINCT FROM 'is the name of an LLM, not of a GPU' OR r.name IS NOT NULL OR r.candidates <> '{}';
SELECT count(*) FROM (SELECT gpu FROM wattgpu_gpus UNION SELECT alias FROM wattgpu_gpu_aliases) g, wattgpu_resolve_llm(gpu) r WHERE r.note IS DISTINCT FROM 'is the name of a GPU, not of an LLM' OR r.name IS NOT NULL OR r.candidates <> '{}';
SELECT wattgpu_power('Qwen/Qwen2.5-7B', 'NVIDIA A30');
SELECT wattgpu_power('NVIDIA A30', 'NVIDIA A30');
SELECT wattgpu_power('NVIDIA A30', 'gpt2', 'gpt2');
SELECT wattgpu_power('nobody/Nothing-8B', 'gpt2');

-- LLMs: punctuation counts, and so does the precision that a name says
SET wattgpu.unknown_name = 'null';
SELECT left(spelling, 60) AS spelling, r.name, r.match, l.weight_dtype, wattgpu_canonical_llm(spelling) IS NOT DISTINCT FROM r.name AS agrees
FROM unnest(ARRAY['opt-1.3b', 'opt-13b', 'opt-1_3b', 'phi4', 'phi-4', 'gpt-oss:20b', 'gpt-oss-20b', 'unsloth/Llama-3.1-8B-Instruct', 'nobody/Qwen3-8B', 'x/PHI-4', 'x/phi4', 'microsoft/phi4', 'x/llama3.1',
	'unsloth/Llama-3.1-8B-Instruct-GGUF', '/gpt2', 'gpt2/', 'a/b/gpt2', 'a/gpt2', 'library/llama3.1:8b', 'registry.ollama.ai/library/llama3.1', 'someone/llama3.1:8b', 'someone/llama3.1:8b-instruct-q4_K_M',
	'llama3.1:8b-instruct-q4_K_M', 'LLAMA3.1:8B-Instruct-Q8_0', 'llama3.1:8b-q8_0', 'llama3.1:8b-fp16', 'llama3.1:8b-q5_K_M', 'llama3.1:8b-text-q4_0', 'qwen2.5:7b-instruct-q4_0', 'qwen2.5:7b-instruct-q8_0',
	'qwen2.5:7b-instruct-fp16', 'qwen3:8b-q8_0', 'falcon3:7b-q4_1', 'mistral:7b-instruct-fp16', 'gpt-oss:20b-q4_K_M', 'gpt-oss:latest', 'phi-4:latest', 'phi4:q4_K_M', 'gpt2:fp16',
	'hf.co/bartowski/Llama-3.1-8B-Instruct-GGUF:Q4_K_M', 'meta-llama/Llama-3.1-8B-Instruct:Q4_K_M', 'meta-llama/Llama-3.1-8B-Instruct:latest', '"gpt2"', '''gpt2''', ':', '-q4_0', ':q4_0', '', ' ', '☃', E'gpt2\x02',
	repeat('x', 300), repeat('x', 256) || ':q4_0'])
	WITH ORDINALITY s (spelling, n) CROSS JOIN wattgpu_resolve_llm(spelling) r LEFT JOIN wattgpu_llms l ON l.llm = r.name ORDER BY n;
SELECT note, candidates FROM wattgpu_resolve_llm('hf.co/bartowski/Llama-3.1-8B-Instruct-GGUF:Q4_K_M');
SELECT r IS NULL AS null_in FROM wattgpu_resolve_llm(NULL) r;

-- whatever the quantisation of Ollama's tags is changed to, what they resolve to has as many bits and parameters
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE quant = 'fp16') > 40 AS sixteen,
	count(*) FILTER (WHERE of.total_params_b <> l.total_params_b OR l.weight_dtype !~ expected OR (quant ~ 'q' AND l.quantization <> 'gguf')) AS wrong
FROM (SELECT regexp_replace(alias, '-(q4_0|q4_K_M|q8_0|fp16)$', '') AS stem, of.* FROM wattgpu_llm_aliases a JOIN wattgpu_llms of USING (llm) WHERE kind ~ '^ollama' AND alias ~ ':' AND alias !~ 'latest') of
	CROSS JOIN (VALUES ('q4_0', '^int4$'), ('q4_1', '^int4$'), ('IQ4_XS', '^int4$'), ('q8_0', '^int8$'), ('fp16', '^(bf|fp)16$'), ('q6_K', '^$')) q (quant, expected)
	CROSS JOIN wattgpu_resolve_llm(stem || '-' || quant) r JOIN wattgpu_llms l ON l.llm = r.name;

-- A name that two organisations have is nobody's, and a key that two cards have
INSERT INTO wattgpu_llms (llm, weight_dtype, quantization) VALUES ('one/Twin-7B', 'bf16', 'none');
SELECT name, match FROM wattgpu_resolve_llm('twin-7b');
INSERT INTO wattgpu_llms (llm, weight_dtype, quantization) VALUES ('two/twin-7b', 'bf16', 'none'), ('ollama/solo:7b-q8_0', 'int8', 'gguf');
SELECT r.* FROM wattgpu_resolve_llm('TWIN-7B') r;
SELECT r.* FROM wattgpu_resolve_llm('three/twin-7b') r;
SELECT name FROM wattgpu_resolve_llm('two/twin-7b');
SELECT spelling, r.name, r.match FROM unnest(ARRAY['solo:7b-q8_0', 'solo:7b-Q8_K', 'solo:7b-q4_0', 'solo:7b', 'x/solo:7b-q8_0']) spelling, wattgpu_resolve_llm(spelling) r;
INSERT INTO wattgpu_gpus (gpu, manufacturer, tdp_w) VALUES ('Acme X-1', 'Acme', 100), ('Acme X1 8g', NULL, 200);
INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('acme/x1', 'Acme X1 8g'), ('slice MIG 1g.5gb', 'Acme X-1');
SELECT spelling, r.* FROM unnest(ARRAY['acme x-1', 'acme/x1', 'ACME_X1', 'Tesla Acme X1', 'acme x1 8 GB', 'nvidia acme x1 8gb', 'Slice MIG 1g.5gb', 'slice-mig-1g.5gb']) spelling, wattgpu_resolve_gpu(spelling) r;
RESET wattgpu.unknown_name;
SELECT wattgpu_power_tdp('ACME_X1');
SELECT wattgpu_canonical_llm('twin-7b');
DELETE FROM wattgpu_gpu_aliases WHERE NOT builtin;
DELETE FROM wattgpu_gpus WHERE NOT builtin;
SELECT name, match FROM wattgpu_resolve_gpu('ACME_X1');
DELETE FROM wattgpu_llms WHERE NOT builtin;

-- A whole inventory, unknown and ambiguous spellings first
CREATE TABLE "My ""fleet""" (id int, "Card's name" varchar(80), llm text, n int, plain name, gone text);
ALTER TABLE "My ""fleet""" DROP COLUMN gone;
INSERT INTO "My ""fleet""" VALUES (1, 'NVIDIA A30', 'gpt2', 1, 'T4'), (2, 'NVIDIA A30', 'Gpt2', 1, 'T4'), (3, 'H100', 'gpt3', 1, 't4'), (4, NULL, 'llama3.1:8b-fp16', 1, 'T4'), (5, NULL, NULL, 1, NULL),
	(6, 'NVIDIA A300', 'gpt2', 1, ''), (7, 'Tesla-T4-SHARED', 'gpt2', 1, 'O''Brien"');
SELECT kind, spelling, rows, name, match, ambiguous AS amb, cardinality(candidates) AS num, note FROM wattgpu_resolve_inventory('"My ""fleet"""', 'Card''s name', 'llm');
SELECT spelling, rows, name FROM wattgpu_resolve_inventory('"My ""fleet"""', 'plain');
-- columns that changed places show
SELECT DISTINCT kind, note FROM wattgpu_resolve_inventory('"My ""fleet"""', 'llm', 'Card''s name') WHERE note ~ 'name of' ORDER BY kind;
CREATE TABLE parts (gpu text COLLATE "C", llm char(20)) PARTITION BY LIST (gpu);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN ('A30', 'a30');
CREATE TABLE parts_2 PARTITION OF parts DEFAULT;
INSERT INTO parts VALUES ('A30', 'gpt2'), ('a30', 'gpt2'), ('A31', 'gpt2'), (NULL, 'gpt2');
CREATE DOMAIN card AS text;
CREATE VIEW cards AS SELECT gpu::card AS gpu FROM parts;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM parts;
SELECT spelling, rows, name FROM wattgpu_resolve_inventory('parts', 'gpu', 'llm');
SELECT count(*), sum(rows) FROM wattgpu_resolve_inventory('cards', 'gpu');
SELECT count(*), sum(rows) FROM wattgpu_resolve_inventory('kept', NULL, 'llm');
SELECT count(*) FROM wattgpu_resolve_inventory(NULL, 'gpu');
DELETE FROM parts;
SELECT count(*) FROM wattgpu_resolve_inventory('parts', 'gpu', 'llm');
-- and what cannot be asked
SELECT * FROM wattgpu_resolve_inventory('parts', 'card');
SELECT * FROM wattgpu_resolve_inventory('parts', 'GPU', 'llm');
SELECT * FROM wattgpu_resolve_inventory('parts', 'gpu"; DROP TABLE parts; --');
SELECT * FROM wattgpu_resolve_inventory('parts', 'tableoid');
SELECT * FROM wattgpu_resolve_inventory('"My ""fleet"""', 'gone');
SELECT * FROM wattgpu_resolve_inventory('"My ""fleet"""', 'n');
SELECT * FROM wattgpu_resolve_inventory('parts');
SELECT * FROM wattgpu_resolve_inventory('wattgpu_gpus_pkey', 'gpu');
SELECT * FROM wattgpu_resolve_inventory('nobody', 'gpu');
-- with the caller's rights
CREATE ROLE wattgpu_stranger;
SET ROLE wattgpu_stranger;
SELECT * FROM wattgpu_resolve_inventory('"My ""fleet"""', NULL, 'llm');
RESET ROLE;
-- who may not see the LLMs is told no less of a GPU
BEGIN;
REVOKE SELECT ON wattgpu_llm_aliases FROM PUBLIC;
SET ROLE wattgpu_stranger;
SELECT spelling, name, note FROM unnest(ARRAY['gpt2', 'T4', 'offline']) spelling, wattgpu_resolve_gpu(spelling);
SELECT wattgpu_power_tdp('gpt2');
ROLLBACK;
GRANT SELECT (llm) ON "My ""fleet""" TO wattgpu_stranger;
SET ROLE wattgpu_stranger;
SELECT count(*) FROM wattgpu_resolve_inventory('"My ""fleet"""', NULL, 'llm');
RESET ROLE;
-- a policy holds for names that are looked up by their key, too
ALTER TABLE wattgpu_gpus ENABLE ROW LEVEL SECURITY;
ALTER TABLE wattgpu_llms ENABLE ROW LEVEL SECURITY;
CREATE POLICY cards ON wattgpu_gpus FOR SELECT TO wattgpu_stranger USING (gpu <> 'NVIDIA A30');
CREATE POLICY models ON wattgpu_llms FOR SELECT TO wattgpu_stranger USING (llm !~ 'Qwen');
GRANT SELECT ON wattgpu_gpus, wattgpu_llms TO wattgpu_stranger;
SELECT name FROM wattgpu_resolve_gpu('NVIDIA_A30');
SET ROLE wattgpu_stranger;
SELECT spelling, name, candidates FROM unnest(ARRAY['NVIDIA_A30', 'NVIDIA_A40']) spelling, wattgpu_resolve_gpu(spelling);
SELECT spelling, name FROM unnest(ARRAY['x/Qwen3-8B', 'x/gpt2']) spelling, wattgpu_resolve_llm(spelling);
RESET ROLE;
SELECT name FROM wattgpu_resolve_gpu('NVIDIA_A30');
DROP POLICY cards ON wattgpu_gpus;
DROP POLICY models ON wattgpu_llms;
ALTER TABLE wattgpu_gpus DISABLE ROW LEVEL SECURITY;
ALTER TABLE wattgpu_llms DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON wattgpu_gpus, wattgpu_llms FROM wattgpu_stranger;
DROP VIEW cards;
DROP MATERIALIZED VIEW kept;
DROP TABLE parts, "My ""fleet""";
DROP DOMAIN card;
DROP ROLE wattgpu_stranger;
