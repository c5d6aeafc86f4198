-- Training refuses what it cannot use, and stores nothing
SELECT wattgpu_train('watts', 'm', 'paper');
SELECT wattgpu_train('power', '', 'paper');
SELECT wattgpu_train('power', repeat('x', 101), 'paper');
SELECT wattgpu_train('power', 'm', 'soup');
-- what acts does not take NULL for done
SELECT wattgpu_train(NULL, 'm', 'paper');
SELECT wattgpu_train('power', NULL, 'paper');
SELECT wattgpu_train('power', 'm', NULL);
SELECT wattgpu_train('power', 'm', params => NULL);
SELECT wattgpu_calibrate(NULL);
SELECT wattgpu_calibrate('wattgpu-paper', 'itll');
\set VERBOSITY terse
SELECT wattgpu_set_default(NULL, 'itl');
SELECT wattgpu_import_model(NULL);
\set VERBOSITY default
SELECT wattgpu_train('power', 'm', 'paper', params => '[1]');
SELECT wattgpu_train('power', 'm', 'paper', params => '{"max_depth": "6"}');
SELECT wattgpu_train('power', 'm', 'paper', params => '{"max_depth": 6.5}');
SELECT wattgpu_train('power', 'm', 'paper', params => '{"max_depth": 1000}');
SELECT wattgpu_train('power', 'm', 'paper', params => '{"rounds": 0}');
SELECT wattgpu_train('power', 'm', 'paper', params => '{"lambda": -1}');
SELECT wattgpu_train('power', 'm', 'paper', params => '{"booster": 1}');
CREATE TABLE rows (LIKE wattgpu_measurements);
SELECT wattgpu_train('power', 'm', 'paper', 'rows');
INSERT INTO rows SELECT * FROM wattgpu_measurements WHERE gpu = 'NVIDIA A30' AND llm = 'openai-community/gpt2' AND scenario = 'offline';
SELECT wattgpu_train('power', 'm', 'paper', 'rows');
INSERT INTO rows SELECT * FROM wattgpu_measurements WHERE gpu = 'NVIDIA A30';
SELECT wattgpu_calibrate('nobody');
UPDATE rows SET power_w = 'NaN' WHERE llm = 'Qwen/Qwen3-14B' OR (llm = 'microsoft/phi-2' AND scenario = 'offline');
SELECT wattgpu_train('power', 'm', 'paper', 'rows');
UPDATE rows SET power_w = -5 WHERE power_w = 'NaN';
SELECT wattgpu_train('power', 'm', 'paper', 'rows');
UPDATE rows SET power_w = 50, llm = 'nobody/knows' WHERE power_w = -5;
SELECT wattgpu_train('power', 'm', 'paper', 'rows');
ALTER TABLE rows DROP COLUMN runs;
SELECT wattgpu_train('power', 'm', 'paper', 'rows');
SELECT wattgpu_train('power', 'm', 'paper', 'wattgpu_gpus');
DROP TABLE rows;
SELECT count(*) FROM wattgpu_models WHERE model = 'm';
SELECT wattgpu_verify_model('wattgpu-paper', 'power', -1);
SELECT wattgpu_verify_model('nobody', 'power');
SELECT wattgpu_verify_model('wattgpu-paper', 'watts');
SELECT wattgpu_power('NVIDIA A30', 'gpt2', num_gpus => 0);
SELECT wattgpu_power('NVIDIA A30', 'gpt2', num_gpus => 2147483647);
SELECT wattgpu_power('NVIDIA A30', 'gpt2', arrival_rate_qps => 'NaN');
SELECT wattgpu_power('NVIDIA A30', 'gpt2', arrival_rate_qps => '-Infinity');
SELECT wattgpu_power('NVIDIA A30', 'gpt2', output_tokens => 0);
SELECT wattgpu_power('NVIDIA A30', 'gpt2', prompt_tokens => 'Infinity');

-- An ordinary role predicts; it does not write, train or import
CREATE ROLE wattgpu_ordinary;
SET ROLE wattgpu_ordinary;
SELECT wattgpu_power('NVIDIA A30', 'gpt2') > 0 AS predicts;
SELECT wattgpu_train('power', 'm', 'paper');
SELECT wattgpu_calibrate('wattgpu-paper');
SELECT wattgpu_verify_model('wattgpu-paper', 'itl');
SELECT wattgpu_set_default('wattgpu-paper');
SELECT wattgpu_import_model(wattgpu_export_model('wattgpu-paper', 'itl') || '{"model": "m"}');
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Mine', 1);
RESET ROLE;
DROP ROLE wattgpu_ordinary;

-- Empty tables: nothing is known, nothing crashes
BEGIN;
TRUNCATE wattgpu_gpus, wattgpu_llms, wattgpu_gpu_aliases, wattgpu_llm_aliases, wattgpu_cloud_instances, wattgpu_scenarios, wattgpu_measurements;
SAVEPOINT s;
SELECT wattgpu_power('NVIDIA A30', 'gpt2');
ROLLBACK TO s;
SELECT wattgpu_train('power', 'm', 'paper');
ROLLBACK;
BEGIN;
TRUNCATE wattgpu_models CASCADE;
SELECT wattgpu_power('NVIDIA A30', 'gpt2');
ROLLBACK;
SELECT wattgpu_power('NVIDIA A30', 'gpt2') > 0 AS back;
