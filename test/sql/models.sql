SELECT model, target, recipe, builtin, array_length(features, 1) AS features, params ->> 'rounds' AS rounds, training_rows, training_runs, array_length(intervals, 1) AS intervals FROM wattgpu_models ORDER BY model, target;
SELECT target, model FROM wattgpu_default_models ORDER BY target;
-- 42 dense LLMs' rows; single-token answers left out: 4,213 runs less 50
SELECT sum(runs) FROM wattgpu_measurements m JOIN wattgpu_llms l USING (llm) WHERE total_params_b = active_params_b AND (scenario = 'offline' OR output_tokens >= 2);

-- The forest is libxgboost to the last bit: over the catalogue, and over random vectors with missing values
SELECT v.* FROM wattgpu_models m, wattgpu_verify_model(m.model, m.target, 10000) v WHERE builtin ORDER BY m.model, m.target;

-- Retraining reproduces what is shipped: same rows, same booster, same predictions
SELECT t.model_name, t.model_target, t.training_rows, t.training_runs FROM (VALUES (1, 'itl', 'again', 'paper'), (2, 'power', 'again', 'paper')) v (n, target, name, recipe), wattgpu_train(target, name, recipe) t;
SELECT t.model_name, t.training_rows, t.training_runs FROM wattgpu_train('itl', 'again-1', 'physical') t;
SELECT t.model_name, t.training_rows, t.training_runs FROM wattgpu_train('power', 'again-1', 'physical') t;
SELECT p.model, a.target, a.training_sha256 = p.training_sha256 AS same_rows, a.booster = p.booster AS same_booster, a.prior = p.prior AS same_prior, a.metrics = p.metrics AS same_metrics
FROM wattgpu_models a JOIN wattgpu_models p USING (target) WHERE (a.model, p.model) IN (('again', 'wattgpu-paper'), ('again-1', 'wattgpu-1')) AND a.library_version = p.library_version ORDER BY 1, 2;
SELECT count(*) > 50000 AS many, max(abs(wattgpu_power(gpu, llm, scenario, model => 'again') / wattgpu_power(gpu, llm, scenario, model => 'wattgpu-paper') - 1)) < 1e-6 AS power,
	max(abs(wattgpu_itl(gpu, llm, scenario, model => 'again') / wattgpu_itl(gpu, llm, scenario, model => 'wattgpu-paper') - 1)) < 1e-6 AS itl,
	max(abs(wattgpu_power(gpu, llm, scenario, model => 'again-1') / wattgpu_power(gpu, llm, scenario) - 1)) < 1e-6 AS power_1,
	max(abs(wattgpu_itl(gpu, llm, scenario, model => 'again-1') / wattgpu_itl(gpu, llm, scenario) - 1)) < 1e-6 AS itl_1
FROM wattgpu_gpus, wattgpu_llms, wattgpu_scenarios;
-- a physical power goes with an ITL of its name, and what is not calibrated has no intervals
SELECT wattgpu_train('power', 'alone', 'physical');
SELECT wattgpu_train('power', 'again', 'physical');
SELECT power_w > 0 AS power, power_lo_w, itl_hi_s FROM wattgpu_predict('NVIDIA A30', 'gpt2', model => 'again-1');
-- and with no other ITL of that name
SELECT model_target FROM wattgpu_train('itl', 'again-1', 'paper');
SELECT wattgpu_power('NVIDIA A30', 'gpt2', model => 'again-1');
SELECT model_target FROM wattgpu_train('itl', 'again-1', params => '{"rounds": 10}');
SELECT wattgpu_power('NVIDIA A30', 'gpt2', model => 'again-1');
DELETE FROM wattgpu_models WHERE model = 'again-1' AND target = 'itl';
SELECT wattgpu_power('NVIDIA A30', 'gpt2', model => 'again-1');
DELETE FROM wattgpu_models WHERE model = 'again-1';

-- Parameters change the model; training again replaces one's own, and only one's own
SELECT training_rows FROM wattgpu_train('power', 'again', 'paper', params => '{"rounds": 20, "eta": 0.1}');
SELECT a.params, a.booster = p.booster AS same FROM wattgpu_models a JOIN wattgpu_models p USING (target)
WHERE a.model = 'again' AND p.model = 'wattgpu-paper' AND target = 'power';
SELECT wattgpu_train('power', 'wattgpu-paper', 'paper');

-- Trained on rows of one's own: a relation with the same columns, names in any spelling
CREATE TABLE mine AS SELECT * FROM wattgpu_measurements WHERE gpu <> 'NVIDIA L4';
UPDATE mine SET gpu = 'h200' WHERE gpu = 'NVIDIA H200';
SELECT training_rows FROM wattgpu_train('power', 'mine', 'paper', 'mine');

-- The default can change and change back; the log says who and what
SELECT wattgpu_power('NVIDIA A30', 'gpt2', model => 'mine') AS mine \gset
SELECT wattgpu_set_default('mine');
SELECT wattgpu_power('NVIDIA A30', 'gpt2') = :mine AS changed;
SELECT target, model, set_by = session_user AS by_me FROM wattgpu_default_models WHERE NOT builtin;
DELETE FROM wattgpu_default_models WHERE model = 'mine';
SELECT wattgpu_power('NVIDIA A30', 'gpt2') = :mine AS changed;
SELECT wattgpu_set_default('mine', 'itl');
SELECT wattgpu_set_default('nobody');
SELECT wattgpu_set_default('wattgpu-paper', 'itll');

-- Export and import: the same model, in this or another database
CREATE TABLE exported AS SELECT wattgpu_export_model('mine', 'power') AS document;
DELETE FROM wattgpu_models WHERE model = 'mine';
SELECT wattgpu_power('NVIDIA A30', 'gpt2', model => 'mine');
SELECT wattgpu_import_model(document) FROM exported;
SELECT wattgpu_power('NVIDIA A30', 'gpt2', model => 'mine') = :mine AS same, builtin FROM wattgpu_models WHERE model = 'mine';
SELECT wattgpu_import_model(document) FROM exported;
DELETE FROM wattgpu_models WHERE model = 'mine';
-- a document that is not whole is refused, and nothing of it stays
SELECT wattgpu_import_model('{"format": "something else"}');
SELECT wattgpu_import_model('{"a": 1}');
SELECT wattgpu_import_model('[1]');
SELECT wattgpu_import_model('{"format": "wattgpu-model-1", "model": "mine", "target": "power"}');
SELECT wattgpu_import_model(document || jsonb_build_object('booster', left(document ->> 'booster', 10000))) FROM exported;
SELECT wattgpu_import_model(document || '{"golden_margins": [1, 2, 3]}') FROM exported;
SELECT wattgpu_import_model(document || '{"target": "itl"}') FROM exported;
SELECT wattgpu_import_model(document || '{"features": ["log_params"]}') FROM exported;
SELECT wattgpu_import_model(document || jsonb_build_object('features', jsonb_set(document -> 'features', '{0}', '"no_such_feature"'))) FROM exported;
SELECT count(*) FROM wattgpu_models WHERE model = 'mine';
SELECT wattgpu_export_model('mine', 'power');

-- A damaged model says so by name, and only where it is used
BEGIN;
UPDATE wattgpu_models SET booster = substr(booster, 1, length(booster) / 2) WHERE model = 'again' AND target = 'itl';
SELECT wattgpu_itl('NVIDIA A30', 'gpt2') > 0 AS default_works;
SELECT wattgpu_itl('NVIDIA A30', 'gpt2', model => 'again');
ROLLBACK;
-- also where the checksum was made to match
BEGIN;
UPDATE wattgpu_models SET booster = set_byte(booster, length(booster) / 2, 255 - get_byte(booster, length(booster) / 2)) WHERE model = 'again' AND target = 'itl';
UPDATE wattgpu_models m SET crc32c = wattgpu_model_crc32c(m) WHERE model = 'again' AND target = 'itl';
SELECT wattgpu_itl('NVIDIA A30', 'gpt2', model => 'again');
ROLLBACK;
DELETE FROM wattgpu_models WHERE model = 'again';
DROP TABLE mine, exported;
SELECT count(*) FROM wattgpu_models WHERE NOT builtin;
