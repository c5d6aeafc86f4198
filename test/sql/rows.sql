-- A card and a model that nobody measured predict at once
SELECT wattgpu_power('NVIDIA X100', 'openai-community/gpt2');
INSERT INTO wattgpu_gpus (gpu, manufacturer, architecture, release_date, transistors_m, streaming_multiprocessors, base_clock_mhz, boost_clock_mhz, memory_gb, memory_type, memory_bandwidth_gb_s, tdp_w, fp16_tflops)
VALUES ('NVIDIA X100', 'NVIDIA', 'Xylo', '2027-01-01', 300000, 160, 1500, 2000, 192, 'HBM4', 12000, 900, 4000);
INSERT INTO wattgpu_llms (llm, model_type, architecture, total_params_b, active_params_b, num_layers, hidden_size, num_attention_heads, num_key_value_heads, head_dim, vocab_size, tie_word_embeddings, weight_dtype, quantization, attention_kind)
VALUES ('me/mine-9b', 'mine', 'dense', 9, 9, 40, 4096, 32, 8, 128, 100000, false, 'bf16', 'none', 'gqa');
INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('x100', 'NVIDIA X100');
SELECT wattgpu_power('NVIDIA X100', 'me/mine-9b') BETWEEN 50 AND 900 AS power, wattgpu_itl('X100', 'me/mine-9b') BETWEEN 0.0005 AND 0.1 AS itl;
-- an UPDATE counts at once: to the published models, a tenth of the TDP is a tenth of the power
SELECT wattgpu_power('x100', 'me/mine-9b', model => 'wattgpu-paper') AS before \gset
UPDATE wattgpu_gpus SET tdp_w = tdp_w / 10 WHERE gpu = 'NVIDIA X100';
SELECT abs(wattgpu_power('x100', 'me/mine-9b', model => 'wattgpu-paper') / :before - 0.1) < 1e-9 AS a_tenth;
-- a name that aliases stand for stays, until they are gone
UPDATE wattgpu_gpus SET gpu = 'NVIDIA X200' WHERE gpu = 'NVIDIA X100';
SELECT wattgpu_power_tdp('x100');
-- without a TDP there is no power, but an ITL
UPDATE wattgpu_gpus SET tdp_w = NULL WHERE gpu = 'NVIDIA X100';
SELECT wattgpu_power('x100', 'me/mine-9b') IS NULL AS no_power, wattgpu_itl('x100', 'me/mine-9b') > 0 AS itl, wattgpu_power_tdp('x100') IS NULL AS no_tdp;
DELETE FROM wattgpu_gpus WHERE gpu = 'NVIDIA X100';
DELETE FROM wattgpu_gpu_aliases WHERE alias = 'x100';
DELETE FROM wattgpu_gpus WHERE gpu = 'NVIDIA X100';
SELECT wattgpu_power_tdp('x100');
DELETE FROM wattgpu_llms WHERE llm = 'me/mine-9b';
SELECT wattgpu_itl('NVIDIA H200', 'me/mine-9b');

-- A rolled-back insert leaves no trace, nor does one rolled back to a savepoint
BEGIN;
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Ghost', 100);
SELECT wattgpu_power_tdp('Ghost');
SAVEPOINT s;
UPDATE wattgpu_gpus SET tdp_w = 200 WHERE gpu = 'Ghost';
SELECT wattgpu_power_tdp('Ghost');
ROLLBACK TO s;
SELECT wattgpu_power_tdp('Ghost');
ROLLBACK;
SELECT wattgpu_power_tdp('Ghost');
-- a prepared statement sees a change between two executions, in one transaction too
PREPARE tdp AS SELECT wattgpu_power_tdp('NVIDIA A30');
EXECUTE tdp;
BEGIN;
UPDATE wattgpu_gpus SET tdp_w = 150 WHERE gpu = 'NVIDIA A30';
EXECUTE tdp;
ROLLBACK;
EXECUTE tdp;

-- What a user writes is the user's: a changed shipped row, and an inserted one of a shipped name
BEGIN;
UPDATE wattgpu_gpus SET idle_power_w = 31 WHERE gpu = 'NVIDIA A30';
SELECT builtin, idle_power_w, tdp_w FROM wattgpu_gpus WHERE gpu = 'NVIDIA A30';
INSERT INTO wattgpu_gpus (gpu, tdp_w, builtin) VALUES ('nvidia l4', 60, true);
SELECT gpu, builtin, tdp_w, memory_gb FROM wattgpu_gpus WHERE gpu ILIKE 'nvidia l4';
SELECT DISTINCT gpu FROM wattgpu_gpu_aliases WHERE alias IN ('NVIDIA-L4', 'L4', '10de:27b8');
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('NVIDIA L4', 60);
ROLLBACK;
-- where a shipped row has no key to be replaced by, it cannot be changed
UPDATE wattgpu_measurements SET source = 'mine' WHERE gpu = 'NVIDIA A30' AND scenario = 'server_high';
UPDATE wattgpu_default_models SET model = 'wattgpu-paper';
UPDATE wattgpu_gpus SET gpu = 'nvidia a30' WHERE gpu = 'NVIDIA A30';
SELECT count(*) FROM wattgpu_gpus WHERE NOT builtin;

-- In a read-only transaction, and with the extension's schema off the path
BEGIN TRANSACTION READ ONLY;
SELECT wattgpu_power('NVIDIA A30', 'gpt2') > 0 AS read_only;
SET LOCAL search_path = '';
SELECT public.wattgpu_power('NVIDIA A30', 'gpt2') > 0 AS qualified;
COMMIT;
-- objects of others on the path do not come in
CREATE SCHEMA evil;
CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE sql AS $$ SELECT 'NVIDIA H200' $$;
CREATE FUNCTION evil.eq(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.eq);
SET search_path = evil, pg_catalog;
SELECT public.wattgpu_power_tdp('T4');
RESET search_path;
DROP SCHEMA evil CASCADE;
