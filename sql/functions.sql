-- The functions. Those in SQL and PL/pgSQL fix their search_path, so that nobody's objects stand in for the server's.

CREATE FUNCTION @extschema@.wattgpu_power(
	gpu text, llm text, scenario text DEFAULT 'server_high',
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, num_gpus integer DEFAULT 1, model text DEFAULT NULL)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.wattgpu_power(text, text, text, double precision, double precision, double precision, integer, text) IS
'Predicted mean board power in W, above 0. NULL if a name is NULL, if the weights do not fit the card, or if the card has no TDP. Error undefined_object for an unknown name (NULL with wattgpu.unknown_name = null), invalid_parameter_value for a workload out of range, feature_not_supported for a workload that the model does not know. model: NULL is the default of wattgpu_default_models.';

CREATE FUNCTION @extschema@.wattgpu_itl(
	gpu text, llm text, scenario text DEFAULT 'server_high',
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, num_gpus integer DEFAULT 1, model text DEFAULT NULL)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.wattgpu_itl(text, text, text, double precision, double precision, double precision, integer, text) IS
'Predicted mean inter-token latency in s, above 0 (offline: wall time over all tokens of the batch). NULL and errors as wattgpu_power, but a TDP is not needed.';

CREATE FUNCTION @extschema@.wattgpu_canonical_gpu(gpu text) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_canonical_gpu(text) IS
'The canonical name (wattgpu_gpus.gpu) of a GPU in any of its spellings. NULL in, NULL out; error undefined_object for an unknown name (NULL with wattgpu.unknown_name = null).';

CREATE FUNCTION @extschema@.wattgpu_canonical_llm(llm text) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_canonical_llm(text) IS
'The canonical name (wattgpu_llms.llm) of an LLM in any of its spellings. NULL in, NULL out; error undefined_object for an unknown name (NULL with wattgpu.unknown_name = null).';

CREATE FUNCTION @extschema@.wattgpu_fits(gpu text, llm text, scenario text DEFAULT 'server_high', num_gpus integer DEFAULT 1)
RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_fits(text, text, text, integer) IS
'Whether the weights and the KV cache of one sequence fit the memory of num_gpus cards (1 to 1024) as an inference server uses it. NULL if an argument is NULL or a spec that decides it is. Errors as wattgpu_power. Source: every pair of Watt Counts that ran, and every one that ran out of memory.';

CREATE FUNCTION @extschema@.wattgpu_power_tdp(gpu text)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_power_tdp(text) IS
'Baseline: board power in W taken as the TDP. NULL if gpu or its TDP is NULL. Error undefined_object for an unknown name.';

CREATE FUNCTION @extschema@.wattgpu_power_load_scaled(gpu text, scenario text DEFAULT 'server_high')
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_power_load_scaled(text, text) IS
'Baseline: board power in W as a share of TDP: 0.9 offline, 0.6 server_high, 0.2 server_low. NULL for a scenario without a published share, or if the TDP is NULL. Error undefined_object for an unknown name. Source: WattGPU (arXiv 2607.02391).';

CREATE FUNCTION @extschema@.wattgpu_itl_roofline(gpu text, llm text, scenario text DEFAULT 'server_high')
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_itl_roofline(text, text, text) IS
'Baseline: inter-token latency in s as bytes of all weights over memory bandwidth, divided by 256 for offline scenarios. NULL and errors as wattgpu_power. Source: WattGPU (arXiv 2607.02391).';

CREATE FUNCTION @extschema@.wattgpu_train(
	target text, model text, recipe text DEFAULT 'paper', measurements regclass DEFAULT NULL, params jsonb DEFAULT '{}',
	OUT model_name text, OUT model_target text, OUT training_rows integer, OUT training_runs bigint, OUT metrics jsonb)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_train(text, text, text, regclass, jsonb) IS
'Trains a booster for target (power or itl) and stores it as model in wattgpu_models, over an earlier one of yours with that name. recipe: paper. measurements: a relation with the columns of wattgpu_measurements; NULL is that table. params: rounds, max_depth, eta, lambda, alpha, gamma, min_child_weight, subsample, colsample_bytree, max_bin, seed, in place of the recipe''s. Only the extension''s owner may (insufficient_privilege); invalid_parameter_value for what is unknown or out of range, or fewer than two usable rows. Nothing is stored after an error or a cancel.';

CREATE FUNCTION @extschema@.wattgpu_verify_model(model text, target text, random_rows integer DEFAULT 10000,
	OUT vectors bigint, OUT mismatches bigint, OUT max_relative_difference double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_verify_model(text, text, integer) IS
'Compares the forest that predictions use with libxgboost on the whole catalogue (GPUs x LLMs x scenarios) and on random_rows (0 to 1000000) random vectors, split thresholds and missing values among them. mismatches counts vectors whose margins differ in any bit.';

CREATE FUNCTION @extschema@.wattgpu_load_model(model text, target text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.wattgpu_load_model(text, text) IS
'Loads a model as a prediction would and checks it: checksum, structure, golden rows. Error data_corrupted names the model and what is wrong; undefined_object if there is none.';

CREATE FUNCTION @extschema@.wattgpu_export_model(model text, target text) RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	exported jsonb;
BEGIN
	SELECT to_jsonb(m) - 'builtin' || jsonb_build_object('format', 'wattgpu-model-1', 'booster', encode(m.booster, 'base64'))
	INTO exported FROM @extschema@.wattgpu_models m
	WHERE m.model = wattgpu_export_model.model AND m.target = wattgpu_export_model.target;
	IF NOT FOUND THEN
		RAISE undefined_object USING
			MESSAGE = format('there is no model "%s" for %s', wattgpu_export_model.model, wattgpu_export_model.target),
			HINT = 'Table wattgpu_models lists the models there are.';
	END IF;
	RETURN exported;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_export_model(text, text) IS
'A model as one JSON document (booster in base64), for wattgpu_import_model in another database. NULL in, NULL out; error undefined_object if there is none.';

CREATE FUNCTION @extschema@.wattgpu_import_model(exported jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m @extschema@.wattgpu_models;
BEGIN
	IF exported ->> 'format' IS DISTINCT FROM 'wattgpu-model-1' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('"%s" is not a format of models that this version imports', exported ->> 'format'),
			HINT = 'Import what wattgpu_export_model gave.';
	END IF;
	m := jsonb_populate_record(NULL::@extschema@.wattgpu_models,
		exported || jsonb_build_object('builtin', false, 'booster', '\x' || encode(decode(exported ->> 'booster', 'base64'), 'hex')));
	INSERT INTO @extschema@.wattgpu_models SELECT m.*;
	PERFORM @extschema@.wattgpu_load_model(m.model, m.target);
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_model(jsonb) IS
'Stores a model that wattgpu_export_model gave, after the checks of wattgpu_load_model. Needs INSERT on wattgpu_models. Error unique_violation if the name is taken, invalid_parameter_value or data_corrupted if the document is not whole.';

CREATE FUNCTION @extschema@.wattgpu_set_default(model text, target text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF wattgpu_set_default.model IS NULL THEN
		RETURN;
	END IF;
	INSERT INTO @extschema@.wattgpu_default_models (target, model)
	SELECT m.target, m.model FROM @extschema@.wattgpu_models m
	WHERE m.model = wattgpu_set_default.model AND m.target = coalesce(wattgpu_set_default.target, m.target);
	IF NOT FOUND THEN
		RAISE undefined_object USING
			MESSAGE = format('there is no model "%s"%s', wattgpu_set_default.model, ' for ' || wattgpu_set_default.target),
			HINT = 'Table wattgpu_models lists the models there are.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_set_default(text, text) IS
'Makes model the default of target, or of both targets that it has. Logged in wattgpu_default_models; delete the newest row there to go back. Needs INSERT on that table. Error undefined_object if there is no such model.';

CREATE FUNCTION @extschema@.wattgpu_cross_validate(
	target text, strategy text, model text, measurements regclass DEFAULT NULL, training regclass DEFAULT NULL)
RETURNS TABLE (fold text, gpu text, llm text, scenario text, arrival_rate_qps double precision, prompt_tokens double precision,
	output_tokens double precision, runs integer, measured double precision, predicted double precision, relative_error double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_cross_validate(text, text, text, regclass, regclass) IS
'Predicts each measurement by a model trained without its fold. strategy: CV (5 folds, the pairs of GPU and LLM dealt out in turn), LOGO (a fold leaves one GPU out), LOLO (one LLM). model: a stored one, whose recipe and parameters are trained anew, or a baseline: tdp, load_scaled_tdp, roofline. measurements: what is predicted, NULL is wattgpu_measurements. training: what is learnt from, NULL is the same rows. measured and predicted in W (power) or s (itl). Rows of dense LLMs on one GPU with more than one token an answer count. A NOTICE says when a fold is done. Errors: invalid_parameter_value, undefined_object, undefined_column.';

CREATE FUNCTION @extschema@.wattgpu_evaluate(
	target text, strategy text, model text, measurements regclass DEFAULT NULL, training regclass DEFAULT NULL)
RETURNS TABLE (subset text, n bigint, mdape double precision, pearson_r double precision, gpu_tau double precision, llm_tau double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_evaluate(text, text, text, regclass, regclass) IS
'The published evaluation, for offline and for server rows: n, median absolute percentage error in percent, Pearson''s r, and mean Kendall tau-b over the GPUs of each LLM and scenario (gpu_tau) and over the LLMs of each GPU and scenario (llm_tau); NULL where there is none. Arguments and errors as wattgpu_cross_validate. Source of the method: WattGPU (arXiv 2607.02391).';
