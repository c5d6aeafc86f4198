-- The functions. COST counts in what an operator takes, as measured in doc/performance.md. Those in SQL and PL/pgSQL fix their search_path, so that nobody's objects stand in for the server's.

CREATE FUNCTION @extschema@.wattgpu_power(
	gpu text, llm text, scenario text DEFAULT 'server_high',
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, num_gpus integer DEFAULT 1, model text DEFAULT NULL, power_limit_w double precision DEFAULT NULL)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.wattgpu_power(text, text, text, double precision, double precision, double precision, integer, text, double precision) IS
'Predicted mean board power in W, above 0. NULL if a name or num_gpus is NULL, if the weights do not fit the card, or if the card has no TDP, or if power_limit_w is no more than the idle card draws. A short name that several cards share is that of the most deployed one (wattgpu_resolve_gpu). Error undefined_object for an unknown name (NULL with wattgpu.unknown_name = null), invalid_parameter_value for a workload out of range, feature_not_supported for a workload that the model does not know. model: NULL is the default of wattgpu_default_models. power_limit_w: what each card was capped to, W, 1 to 100000; below the card''s own limit it bounds the power, and slows steps that would draw more (doc/models.md; wattgpu_predict flags it).';

CREATE FUNCTION @extschema@.wattgpu_itl(
	gpu text, llm text, scenario text DEFAULT 'server_high',
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, num_gpus integer DEFAULT 1, model text DEFAULT NULL, power_limit_w double precision DEFAULT NULL)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.wattgpu_itl(text, text, text, double precision, double precision, double precision, integer, text, double precision) IS
'Predicted mean inter-token latency in s, above 0 (offline: wall time over all tokens of the batch). NULL and errors as wattgpu_power, but a TDP is not needed.';

CREATE FUNCTION @extschema@.wattgpu_power(
	gpu @extschema@.wattgpu_gpus, llm @extschema@.wattgpu_llms, scenario @extschema@.wattgpu_scenarios,
	model text DEFAULT NULL, num_gpus integer DEFAULT 1, power_limit_w double precision DEFAULT NULL)
RETURNS double precision AS 'MODULE_PATHNAME', 'wattgpu_power_rows' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.wattgpu_power(@extschema@.wattgpu_gpus, @extschema@.wattgpu_llms, @extschema@.wattgpu_scenarios, text, integer, double precision) IS
'Predicted mean board power in W for a card, an LLM and a scenario given as rows, in the catalogue or made up: what if. As by name for rows that are in the catalogue; a row that takes the name of one and says something else is predicted as a card or LLM never seen. NULL if a row is NULL, otherwise as by name. Error invalid_parameter_value for a row that the table would refuse, as far as predictions use it.';

CREATE FUNCTION @extschema@.wattgpu_itl(
	gpu @extschema@.wattgpu_gpus, llm @extschema@.wattgpu_llms, scenario @extschema@.wattgpu_scenarios,
	model text DEFAULT NULL, num_gpus integer DEFAULT 1, power_limit_w double precision DEFAULT NULL)
RETURNS double precision AS 'MODULE_PATHNAME', 'wattgpu_itl_rows' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION @extschema@.wattgpu_itl(@extschema@.wattgpu_gpus, @extschema@.wattgpu_llms, @extschema@.wattgpu_scenarios, text, integer, double precision) IS
'Predicted mean inter-token latency in s for a card, an LLM and a scenario given as rows, in the catalogue or made up: what if. As by name for rows that are in the catalogue; a row that takes the name of one and says something else is predicted as a card or LLM never seen. NULL if a row is NULL, otherwise as by name. Error invalid_parameter_value for a row that the table would refuse, as far as predictions use it.';

CREATE TYPE @extschema@.wattgpu_prediction AS (
	gpu text, llm text, scenario text,
	power_w double precision, power_lo_w double precision, power_hi_w double precision,
	itl_s double precision, itl_lo_s double precision, itl_hi_s double precision,
	output_tokens_per_s double precision, energy_j_per_token double precision,
	fits boolean, saturated boolean, basis text, extrapolated boolean, out_of_range text[],
	measured_power_w double precision, measured_itl_s double precision, requests_in_flight double precision,
	arrival_rate_qps double precision, prompt_tokens double precision, output_tokens double precision, num_gpus integer,
	power_model text, itl_model text);
COMMENT ON TYPE @extschema@.wattgpu_prediction IS 'What wattgpu_predict gives';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.gpu IS 'Canonical name of the GPU that was taken: of several cards that share a short name the most deployed one (wattgpu_resolve_gpu)';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.llm IS 'Canonical name of the LLM';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.scenario IS 'Canonical name of the scenario';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.power_w IS 'Mean board power, all cards together, W; NULL if it does not fit or a spec that it needs is missing';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.power_lo_w IS 'Lower end of the 90 % interval of power_w, W; NULL if the model is not calibrated';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.power_hi_w IS 'Upper end of the 90 % interval of power_w, W; NULL if the model is not calibrated';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.itl_s IS 'Mean inter-token latency, s (offline: wall time over all tokens of the batch)';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.itl_lo_s IS 'Lower end of the 90 % interval of itl_s, s';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.itl_hi_s IS 'Upper end of the 90 % interval of itl_s, s';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.output_tokens_per_s IS 'Tokens generated a second; NULL where the length of answers is not known';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.energy_j_per_token IS 'Board energy of a generated token, J: power_w / output_tokens_per_s';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.fits IS 'Whether weights and the KV cache of one sequence fit; NULL if a spec that decides it is missing';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.saturated IS 'Whether requests come faster than the largest batch can answer; then they queue, and power and ITL are those of a full batch. NULL where the model cannot say';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.basis IS 'measured (this configuration was; the prediction stands beside), predicted, or extrapolated';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.extrapolated IS 'Whether a spec or the workload lies outside of what the models were trained on';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.out_of_range IS 'What lies outside, and of which range';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.measured_power_w IS 'Measured mean of this configuration, W; NULL if nobody measured it';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.measured_itl_s IS 'Measured mean of this configuration, s; NULL if nobody measured it';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.requests_in_flight IS 'Mean requests being answered at once (offline: sequences in a batch)';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.arrival_rate_qps IS 'Arrival rate that was taken, requests a second; NULL offline';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.prompt_tokens IS 'Prompt length that was taken, tokens';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.output_tokens IS 'Answer length that was taken, tokens';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.num_gpus IS 'Cards that the LLM runs on';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.power_model IS 'The model that gave power_w (wattgpu_models.model)';
COMMENT ON COLUMN @extschema@.wattgpu_prediction.itl_model IS 'The model that gave itl_s (wattgpu_models.model)';

CREATE FUNCTION @extschema@.wattgpu_predict(
	gpu text, llm text, scenario text DEFAULT 'server_high',
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, num_gpus integer DEFAULT 1, model text DEFAULT NULL, power_limit_w double precision DEFAULT NULL)
RETURNS @extschema@.wattgpu_prediction AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION @extschema@.wattgpu_predict(text, text, text, double precision, double precision, double precision, integer, text, double precision) IS
'One row: power and ITL with 90 % intervals, throughput, energy per token, whether it fits, is saturated or extrapolated, what was measured, and the models'' names. NULL if a name is NULL (or unknown, with wattgpu.unknown_name = null). Where it does not fit, the predictions in the row are NULL. Errors as wattgpu_power.';

CREATE FUNCTION @extschema@.wattgpu_predict(
	gpu @extschema@.wattgpu_gpus, llm @extschema@.wattgpu_llms, scenario @extschema@.wattgpu_scenarios,
	model text DEFAULT NULL, num_gpus integer DEFAULT 1, power_limit_w double precision DEFAULT NULL)
RETURNS @extschema@.wattgpu_prediction AS 'MODULE_PATHNAME', 'wattgpu_predict_rows' LANGUAGE C STABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.wattgpu_predict(@extschema@.wattgpu_gpus, @extschema@.wattgpu_llms, @extschema@.wattgpu_scenarios, text, integer, double precision) IS
'One row as wattgpu_predict by name, for a card, an LLM and a scenario given as rows, in the catalogue or made up. The names in it are those of the rows; measured_power_w and measured_itl_s are NULL. NULL if a row is NULL. Errors as wattgpu_power for rows.';

CREATE FUNCTION @extschema@.wattgpu_explain(
	gpu text, llm text, scenario text DEFAULT 'server_high',
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, num_gpus integer DEFAULT 1, model text DEFAULT NULL, target text DEFAULT 'power')
RETURNS TABLE (feature text, value double precision, category text, margin double precision, contribution double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 25;
COMMENT ON FUNCTION @extschema@.wattgpu_explain(text, text, text, double precision, double precision, double precision, integer, text, text) IS
'What a prediction of target (power or itl) is made of: the physical prior (wattgpu-1), what the booster expects on average (bias), each feature by its SHAP value, and what is left to a full batch, limits and rounding. value is the feature''s (category: a name; both NULL if it was missing to the model); margin its SHAP value in the booster''s own unit; contribution in W or s, and the contributions add up to the prediction. No rows if there is no prediction. Errors as wattgpu_power. Needs libxgboost.';

CREATE FUNCTION @extschema@.wattgpu_canonical_gpu(gpu text) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.wattgpu_canonical_gpu(text) IS
'The canonical name (wattgpu_gpus.gpu) of a GPU in any of its spellings. NULL in, NULL out; error undefined_object for an unknown name (NULL with wattgpu.unknown_name = null).';

CREATE FUNCTION @extschema@.wattgpu_canonical_llm(llm text) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.wattgpu_canonical_llm(text) IS
'The canonical name (wattgpu_llms.llm) of an LLM in any of its spellings. NULL in, NULL out; error undefined_object for an unknown name (NULL with wattgpu.unknown_name = null).';

CREATE FUNCTION @extschema@.wattgpu_fits(gpu text, llm text, scenario text DEFAULT 'server_high', num_gpus integer DEFAULT 1)
RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.wattgpu_fits(text, text, text, integer) IS
'Whether the weights and the KV cache of one sequence fit the memory of num_gpus cards (1 to 1024) as an inference server uses it. NULL if an argument is NULL or a spec that decides it is. Errors as wattgpu_power. Source: every pair of Watt Counts that ran, and every one that ran out of memory.';

CREATE FUNCTION @extschema@.wattgpu_power_tdp(gpu text)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.wattgpu_power_tdp(text) IS
'Baseline: board power in W taken as the TDP. NULL if gpu or its TDP is NULL. Error undefined_object for an unknown name.';

CREATE FUNCTION @extschema@.wattgpu_power_load_scaled(gpu text, scenario text DEFAULT 'server_high')
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.wattgpu_power_load_scaled(text, text) IS
'Baseline: board power in W as a share of TDP: 0.9 offline, 0.6 server_high, 0.2 server_low. NULL for a scenario without a published share, or if the TDP is NULL. Error undefined_object for an unknown name. Source: WattGPU (arXiv 2607.02391).';

CREATE FUNCTION @extschema@.wattgpu_itl_roofline(gpu text, llm text, scenario text DEFAULT 'server_high')
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION @extschema@.wattgpu_itl_roofline(text, text, text) IS
'Baseline: inter-token latency in s as bytes of all weights over memory bandwidth, divided by 256 for offline scenarios. NULL and errors as wattgpu_power. Source: WattGPU (arXiv 2607.02391).';

CREATE FUNCTION @extschema@.wattgpu_train(
	target text, model text, recipe text DEFAULT 'physical', measurements regclass DEFAULT NULL, params jsonb DEFAULT '{}',
	OUT model_name text, OUT model_target text, OUT training_rows integer, OUT training_runs bigint, OUT metrics jsonb)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_train(text, text, text, regclass, jsonb) IS
'Trains a booster for target (power or itl) and stores it as model in wattgpu_models, over an earlier one of yours with that name. recipe: physical (its power is based on the itl of the same name, so train that first) or paper. measurements: a relation with the columns of wattgpu_measurements; NULL is that table. params: rounds, max_depth, max_leaves (then trees grow by their best leaf; a forest with a tree of more than 16 predicts the same way, but slower), eta, lambda, alpha, gamma, min_child_weight, subsample, colsample_bytree, max_bin, num_parallel_tree, huber_slope, seed, in place of the recipe''s. Only the extension''s owner may (insufficient_privilege); invalid_parameter_value for what is NULL, unknown or out of range, or fewer than two usable rows. Nothing is stored after an error or a cancel.';

CREATE FUNCTION @extschema@.wattgpu_calibrate(
	model text, target text DEFAULT NULL, measurements regclass DEFAULT NULL, training regclass DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_calibrate(text, text, regclass, regclass) IS
'Gives a stored model its 90 % intervals: quantiles of ln(measured / predicted) for rows left out under CV, LOGO, LOLO and BOTH, each with the rows'' own workload and with their scenario''s. Trains a model for each fold: minutes. target: NULL is both. measurements: what is predicted, NULL is wattgpu_measurements; single runs show how far one run may lie from the mean. training: what is learnt from, NULL is the same rows. Only the extension''s owner may. Error invalid_parameter_value if model is NULL or target unknown, undefined_object if there is no such model.';

CREATE FUNCTION @extschema@.wattgpu_verify_model(model text, target text, random_rows integer DEFAULT 10000,
	OUT vectors bigint, OUT mismatches bigint, OUT max_relative_difference double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_verify_model(text, text, integer) IS
'Compares the forest that predictions use with libxgboost on the whole catalogue (GPUs x LLMs x scenarios) and on random_rows (0 to 1000000) random vectors, split thresholds and missing values among them. mismatches counts vectors whose margins differ in any bit. Only roles that were granted it may.';
REVOKE EXECUTE ON FUNCTION @extschema@.wattgpu_verify_model(text, text, integer) FROM PUBLIC;

CREATE FUNCTION @extschema@.wattgpu_model_crc32c(m @extschema@.wattgpu_models) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.wattgpu_model_crc32c(@extschema@.wattgpu_models) IS
'CRC-32C of all that a stored model predicts with, 0 to 4294967295. A prediction refuses a model whose column crc32c differs.';

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
	SELECT to_jsonb(m) - '{builtin,forest,booster_sha256}'::text[] || jsonb_build_object('format', 'wattgpu-model-1', 'booster', encode(m.booster, 'base64'))
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
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m @extschema@.wattgpu_models;
BEGIN
	IF exported ->> 'format' IS DISTINCT FROM 'wattgpu-model-1' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = CASE WHEN exported IS NULL THEN 'exported is NULL'
				WHEN exported ->> 'format' IS NULL THEN 'exported is not a model: it has no format'
				ELSE format('"%s" is not a format of models that this version imports', left(exported ->> 'format', 60)) END,
			HINT = 'Import what wattgpu_export_model gave.';
	END IF;
	m := jsonb_populate_record(NULL::@extschema@.wattgpu_models,
		exported || jsonb_build_object('builtin', false, 'booster', '\x' || encode(decode(exported ->> 'booster', 'base64'), 'hex')));
	EXECUTE (SELECT format('INSERT INTO @extschema@.wattgpu_models (%1$s) SELECT %1$s FROM (SELECT ($1).*) m', string_agg(quote_ident(attname), ', '))
		FROM pg_attribute WHERE attrelid = '@extschema@.wattgpu_models'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '') USING m;
	PERFORM @extschema@.wattgpu_load_model(m.model, m.target);
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_model(jsonb) IS
'Stores a model that wattgpu_export_model gave, after the checks of wattgpu_load_model. Of a physical pair import itl first: its power is based on it. Needs INSERT on wattgpu_models. Error unique_violation if the name is taken, invalid_parameter_value or data_corrupted if the document is NULL or not whole.';

CREATE FUNCTION @extschema@.wattgpu_set_default(model text, target text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	logged timestamptz := clock_timestamp();	-- one for both targets, so that they go back together
BEGIN
	IF wattgpu_set_default.model IS NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = 'model is NULL',
			HINT = 'Table wattgpu_models lists the models there are; to go back, delete the newest rows of wattgpu_default_models.';
	ELSIF wattgpu_set_default.target NOT IN ('power', 'itl') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('unknown target "%s"', left(wattgpu_set_default.target, 60)),
			HINT = 'The targets are power and itl; NULL is both.';
	END IF;
	INSERT INTO @extschema@.wattgpu_default_models (target, set_at, model)
	SELECT m.target, logged, m.model FROM @extschema@.wattgpu_models m
	WHERE m.model = wattgpu_set_default.model AND m.target = coalesce(wattgpu_set_default.target, m.target);
	IF NOT FOUND THEN
		RAISE undefined_object USING
			MESSAGE = format('there is no model "%s"%s', wattgpu_set_default.model, ' for ' || wattgpu_set_default.target),
			HINT = 'Table wattgpu_models lists the models there are.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_set_default(text, text) IS
'Makes model the default of target, or of both targets that it has. Logged in wattgpu_default_models, both targets at one set_at; delete the newest rows there to go back. Needs INSERT on that table. Error undefined_object if there is no such model, invalid_parameter_value if it is NULL or target unknown.';

CREATE FUNCTION @extschema@.wattgpu_cross_validate(
	target text, strategy text, model text, measurements regclass DEFAULT NULL, training regclass DEFAULT NULL)
RETURNS TABLE (fold text, gpu text, llm text, scenario text, arrival_rate_qps double precision, prompt_tokens double precision,
	output_tokens double precision, runs integer, measured double precision, predicted double precision, relative_error double precision,
	predicted_lo double precision, predicted_hi double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.wattgpu_cross_validate(text, text, text, regclass, regclass) IS
'Predicts each measurement by a model trained without its fold. strategy: CV (5 folds, the pairs of GPU and LLM dealt out in turn), LOGO (a fold leaves one GPU out), LOLO (one LLM), BOTH (one GPU and one of six groups of LLMs). model: a stored one, whose recipe and parameters are trained anew, or a baseline: tdp, load_scaled_tdp, roofline. measurements: what is predicted, NULL is wattgpu_measurements. training: what is learnt from, NULL is the same rows. measured and predicted in W (power) or s (itl); predicted_lo and predicted_hi are the 90 % interval of the stored model for what the strategy leaves out, NULL if it is not calibrated. Rows of dense LLMs on one GPU with more than one token an answer count. A NOTICE says when a fold is done. Errors: invalid_parameter_value, undefined_object, undefined_column.';

CREATE FUNCTION @extschema@.wattgpu_evaluate(
	target text, strategy text, model text, measurements regclass DEFAULT NULL, training regclass DEFAULT NULL)
RETURNS TABLE (subset text, n bigint, mdape double precision, pearson_r double precision, gpu_tau double precision, llm_tau double precision,
	coverage double precision, unpredicted bigint)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 2;
COMMENT ON FUNCTION @extschema@.wattgpu_evaluate(text, text, text, regclass, regclass) IS
'The published evaluation, for offline and for server rows: n, median absolute percentage error in percent, Pearson''s r, and mean Kendall tau-b over the GPUs of each LLM and scenario (gpu_tau) and over the LLMs of each GPU and scenario (llm_tau), and the share inside the stored model''s 90 % intervals (coverage, 0 to 1); NULL where there is none. unpredicted counts rows that gave no prediction, for want of a spec or a published share, and are in no figure. Arguments and errors as wattgpu_cross_validate. Source of the method: WattGPU (arXiv 2607.02391).';
