-- Which card serves an LLM best: a prediction a card, what the card must keep to, and an order.

CREATE TYPE @extschema@.wattgpu_ranking AS (
	rank integer, gpu text,
	power_w double precision, power_lo_w double precision, power_hi_w double precision,
	itl_s double precision, itl_lo_s double precision, itl_hi_s double precision,
	output_tokens_per_s double precision,
	energy_j_per_token double precision, energy_lo_j_per_token double precision, energy_hi_j_per_token double precision,
	cost_per_million_tokens double precision,
	fits boolean, reason text, pareto boolean, distinguishable boolean, basis text, extrapolated boolean,
	power_model text, itl_model text);
COMMENT ON TYPE @extschema@.wattgpu_ranking IS 'What wattgpu_rank and wattgpu_pareto give, a row a card';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.rank IS 'Place in the order, 1 is best; equal figures share one. NULL for a card that is left out';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.gpu IS 'Canonical name of the GPU; of an unknown one the spelling as given';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.power_w IS 'Mean board power, all cards together, W; NULL if it does not fit or a spec that it needs is missing';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.power_lo_w IS 'Lower end of the 90 % interval of power_w, W; NULL if the model is not calibrated';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.power_hi_w IS 'Upper end of the 90 % interval of power_w, W; NULL if the model is not calibrated';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.itl_s IS 'Mean inter-token latency, s (offline: wall time over all tokens of the batch)';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.itl_lo_s IS 'Lower end of the 90 % interval of itl_s, s';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.itl_hi_s IS 'Upper end of the 90 % interval of itl_s, s';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.output_tokens_per_s IS 'Tokens generated a second; NULL where the length of answers, or whether the card keeps up, is not known';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.energy_j_per_token IS 'Board energy of a generated token, J: power_w / output_tokens_per_s';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.energy_lo_j_per_token IS 'Lower end of the interval of energy_j_per_token, J. Where tokens come as they are asked for, that of power, 90 %; offline and saturated, where they come as fast as the card makes them, lower power with lower ITL, which holds at least as much';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.energy_hi_j_per_token IS 'Upper end, J: upper power, and offline and saturated with upper ITL';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.cost_per_million_tokens IS 'Price of a million generated tokens, in the currency of the prices: price x cards / tokens an hour x 1e6; NULL without a price';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.fits IS 'Whether weights and the KV cache of one sequence fit; NULL if a spec that decides it is missing';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.reason IS 'Why a card is left out, all reasons with "; " between; NULL for a ranked one';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.pareto IS 'Whether no other ranked card is at least as good in both energy per token and ITL and better in one; NULL if left out, or if one of the two is not known';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.distinguishable IS 'Whether this card is better than the next rank by more than the error: the intervals of the figure they are ordered by do not overlap. NULL for the last rank, if left out, or without intervals';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.basis IS 'measured (this configuration was; the figures are predicted all the same), predicted, or extrapolated';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.extrapolated IS 'Whether a spec or the workload lies outside of what the models were trained on; wattgpu_predict says which';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.power_model IS 'The model that gave power_w (wattgpu_models.model)';
COMMENT ON COLUMN @extschema@.wattgpu_ranking.itl_model IS 'The model that gave itl_s (wattgpu_models.model)';

-- Nothing here handles exceptions: that takes a subtransaction, which a parallel worker cannot start.

CREATE FUNCTION @extschema@.wattgpu_canonical_prices(price_per_gpu_hour jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	priced record;
	prices jsonb := '{}';
BEGIN
	IF jsonb_typeof(price_per_gpu_hour) <> 'object' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = 'price_per_gpu_hour is not a JSON object',
			HINT = 'It gives each GPU its price, as {"NVIDIA A30": 0.55}.';
	END IF;
	FOR priced IN SELECT p.key, p.value, NULL::text AS gpu FROM jsonb_each(price_per_gpu_hour) p ORDER BY p.key COLLATE "C" LOOP
		-- far within what a double precision holds, so that no cost overflows; CASE keeps what is no number from the cast
		IF (CASE jsonb_typeof(priced.value) WHEN 'number' THEN priced.value::numeric NOT BETWEEN 1e-200 AND 1e200 ELSE true END) THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('price_per_gpu_hour of "%s" is %s, which is not a number above 0', left(priced.key, 60), left(priced.value::text, 60)),
				HINT = 'It gives each GPU its price, as {"NVIDIA A30": 0.55}.';
		END IF;
		priced.gpu := @extschema@.wattgpu_canonical_gpu(priced.key);
		IF prices -> priced.gpu <> priced.value THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('price_per_gpu_hour has two prices of "%s", %s and %s', priced.gpu, prices -> priced.gpu, priced.value),
				HINT = 'Several spellings of one GPU need the same price.';
		END IF;
		IF priced.gpu IS NOT NULL THEN
			prices := prices || jsonb_build_object(priced.gpu, priced.value);
		END IF;
	END LOOP;
	RETURN prices;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_canonical_prices(jsonb) IS
'For wattgpu_rank: prices by canonical names of GPUs. NULL in, NULL out; unknown GPUs are left out with wattgpu.unknown_name = null, otherwise error undefined_object. Error invalid_parameter_value for what is no JSON object of numbers above 0, or gives one GPU two prices.';

CREATE FUNCTION @extschema@.wattgpu_gpu_lacks(g @extschema@.wattgpu_gpus, power boolean, power_terms boolean, step boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$ -- without SET and operators, so that it is inlined
	SELECT pg_catalog.concat_ws(', ',
		CASE WHEN g.memory_gb IS NULL AND (step OR g.memory_total_mib IS NULL) THEN 'memory_gb' END,
		CASE WHEN step AND g.memory_bandwidth_gb_s IS NULL THEN 'memory_bandwidth_gb_s' END,
		CASE WHEN step AND g.streaming_multiprocessors IS NULL THEN 'streaming_multiprocessors' END,
		CASE WHEN step AND g.boost_clock_mhz IS NULL AND (g.fp32_tflops IS NULL OR g.shading_units IS NULL) THEN 'boost_clock_mhz' END,
		CASE WHEN step AND g.fp16_tflops IS NULL AND g.fp32_tflops IS NULL THEN 'fp16_tflops' END,
		CASE WHEN power AND g.tdp_w IS NULL THEN 'tdp_w' END,
		CASE WHEN power_terms AND g.memory_type IS NULL THEN 'memory_type' END)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_gpu_lacks(@extschema@.wattgpu_gpus, boolean, boolean, boolean) IS
'For wattgpu_rank: columns of wattgpu_gpus that a prediction needs and the card does not have, or the empty string. power: board power is predicted; power_terms: from physical terms; step: so is a decode step.';

CREATE FUNCTION @extschema@.wattgpu_llm_lacks(l @extschema@.wattgpu_llms, step boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat_ws(', ',
		CASE WHEN l.weight_dtype IS NULL AND l.quantization IS DISTINCT FROM 'none' THEN 'weight_dtype' END,
		CASE WHEN l.total_params_b IS NULL THEN 'total_params_b' END,
		CASE WHEN l.num_layers IS NULL AND (step OR l.attention_kind IS DISTINCT FROM 'none') THEN 'num_layers' END,
		CASE WHEN l.num_key_value_heads IS NULL AND coalesce(l.attention_kind NOT IN ('mla', 'none'), true) THEN 'num_key_value_heads' END,
		CASE WHEN l.head_dim IS NULL AND (l.hidden_size IS NULL OR l.num_attention_heads IS NULL)
			AND coalesce(l.attention_kind NOT IN ('mla', 'none'), true) THEN 'head_dim' END,
		CASE WHEN (step OR w.wide) AND l.hidden_size IS NULL THEN 'hidden_size' END,
		CASE WHEN (step OR w.wide) AND l.vocab_size IS NULL THEN 'vocab_size' END,
		CASE WHEN step AND l.active_params_b IS NULL THEN 'active_params_b' END,
		CASE WHEN step AND l.tie_word_embeddings IS NULL THEN 'tie_word_embeddings' END,
		CASE WHEN step AND l.total_params_b > l.active_params_b AND (l.architecture = 'moe' OR l.num_experts IS NOT NULL)
			AND (l.num_experts IS NULL OR l.num_experts_per_token IS NULL) THEN 'num_experts, num_experts_per_token' END)
	-- a quantised checkpoint keeps its embeddings in 16 bits
	FROM (VALUES (l.weight_dtype NOT IN ('fp32', 'bf16', 'fp16') AND l.quantization IS DISTINCT FROM 'gguf')) w (wide)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_llm_lacks(@extschema@.wattgpu_llms, boolean) IS
'For wattgpu_rank: columns of wattgpu_llms that a prediction needs and the LLM does not have, or the empty string. step: a decode step is predicted from physical terms.';

CREATE FUNCTION @extschema@.wattgpu_rank(
	llm text, scenario text DEFAULT 'server_high',
	max_itl_s double precision DEFAULT NULL, max_power_w double precision DEFAULT NULL, min_tokens_per_s double precision DEFAULT NULL,
	gpus text[] DEFAULT NULL, num_gpus integer DEFAULT 1, order_by text DEFAULT 'energy', price_per_gpu_hour jsonb DEFAULT NULL,
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, model text DEFAULT NULL)
RETURNS SETOF @extschema@.wattgpu_ranking
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 50000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	wrong record;
	prices jsonb;
	cards text[];
	strangers text[] := '{}';
	predictions @extschema@.wattgpu_prediction[];
	-- the figures that decide whether and where a card is ranked
	power_counts boolean;
	itl_counts boolean;
	tokens_count boolean;
	physical_power boolean;
	physical_itl boolean;
	step_counts boolean;
	llm_lacks text;
BEGIN
	IF wattgpu_rank.llm IS NULL OR wattgpu_rank.scenario IS NULL THEN
		RETURN;
	END IF;
	IF order_by IN ('energy', 'power', 'latency', 'cost') IS NOT TRUE THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('unknown order_by %s', coalesce('"' || left(order_by, 60) || '"', 'NULL')),
			HINT = 'The orders are "energy", "power", "latency" and "cost".';
	END IF;
	SELECT l.name, l.value INTO wrong
	FROM (VALUES ('max_itl_s', max_itl_s), ('max_power_w', max_power_w), ('min_tokens_per_s', min_tokens_per_s)) l (name, value)
	WHERE NOT (l.value > 0 AND l.value < 'Infinity') LIMIT 1;
	IF FOUND THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s is %s, which is out of range', wrong.name, wrong.value),
			HINT = 'It must be a finite number above 0.';
	END IF;
	prices := @extschema@.wattgpu_canonical_prices(price_per_gpu_hour);

	IF gpus IS NULL THEN
		cards := ARRAY(SELECT g.gpu FROM @extschema@.wattgpu_gpus g);
	ELSE
		WITH named AS MATERIALIZED (
			SELECT s.spelling, @extschema@.wattgpu_canonical_gpu(s.spelling) AS gpu
			FROM (SELECT DISTINCT u.spelling FROM unnest(gpus) u (spelling)) s WHERE s.spelling IS NOT NULL
		)
		SELECT array_agg(DISTINCT n.gpu) FILTER (WHERE n.gpu IS NOT NULL), array_agg(n.spelling) FILTER (WHERE n.gpu IS NULL)
		INTO cards, strangers FROM named n;
	END IF;
	-- Without a card, any one stands in, so that the other arguments are checked all the same.
	predictions := ARRAY(
		SELECT p FROM unnest(coalesce(nullif(cards, '{}'), ARRAY(SELECT g.gpu FROM @extschema@.wattgpu_gpus g LIMIT 1))) c (card),
			@extschema@.wattgpu_predict(c.card, wattgpu_rank.llm, wattgpu_rank.scenario, wattgpu_rank.arrival_rate_qps,
				wattgpu_rank.output_tokens, wattgpu_rank.prompt_tokens, wattgpu_rank.num_gpus, wattgpu_rank.model) p
		WHERE p.gpu IS NOT NULL);
	-- Known cards without a row: the LLM or the scenario is not known, and that may be.
	IF cardinality(predictions) = 0 THEN
		RETURN;
	END IF;

	power_counts := order_by IN ('energy', 'power') OR max_power_w IS NOT NULL;
	itl_counts := order_by = 'latency' OR max_itl_s IS NOT NULL;
	tokens_count := order_by IN ('energy', 'cost') OR min_tokens_per_s IS NOT NULL;
	SELECT coalesce(bool_or(m.target = 'power'), false), coalesce(bool_or(m.target = 'itl'), false) INTO physical_power, physical_itl
	FROM @extschema@.wattgpu_models m WHERE m.recipe = 'physical'
		AND (m.model, m.target) IN (((predictions[1]).power_model, 'power'), ((predictions[1]).itl_model, 'itl'));
	step_counts := physical_power AND (power_counts OR tokens_count) OR physical_itl AND (itl_counts OR tokens_count);
	SELECT @extschema@.wattgpu_llm_lacks(l, step_counts) INTO llm_lacks
	FROM @extschema@.wattgpu_llms l WHERE l.llm = (predictions[1]).llm;

	RETURN QUERY
	WITH predicted AS (
		SELECT c.card, p.*, (prices ->> p.gpu)::double precision AS price,
			-- a card whose step is not known may not keep up
			CASE WHEN p.saturated IS NOT NULL OR p.arrival_rate_qps IS NULL THEN p.output_tokens_per_s END AS tokens_per_s,
			-- tokens that come as fast as the card makes them come as much faster or slower as ITL may be
			CASE WHEN p.saturated OR p.arrival_rate_qps IS NULL THEN p.itl_lo_s / p.itl_s ELSE 1 END AS lo,
			CASE WHEN p.saturated OR p.arrival_rate_qps IS NULL THEN p.itl_hi_s / p.itl_s ELSE 1 END AS hi
		FROM unnest(cards || strangers) c (card) LEFT JOIN unnest(predictions) p ON p.gpu = c.card
	),
	figures AS (
		SELECT p.*, p.power_w / p.tokens_per_s AS energy, p.power_lo_w / p.tokens_per_s * p.lo AS energy_lo,
			p.power_hi_w / p.tokens_per_s * p.hi AS energy_hi, p.price * p.num_gpus / (p.tokens_per_s * 3600) * 1e6 AS cost,
			power_counts AND p.power_w IS NULL OR itl_counts AND p.itl_s IS NULL OR tokens_count AND p.tokens_per_s IS NULL AS lacking
		FROM predicted p
	),
	judged AS MATERIALIZED (
		SELECT f.*, o.figure, o.figure_lo, o.figure_hi,
			CASE WHEN f.gpu IS NULL THEN 'unknown GPU' ELSE coalesce(nullif(concat_ws('; ',
				CASE WHEN NOT f.fits THEN 'does not fit in memory' END,
				CASE WHEN f.saturated THEN format('cannot keep up: %s of %s requests/s', round((f.tokens_per_s / f.output_tokens)::numeric, 3), f.arrival_rate_qps) END,
				CASE WHEN f.lacking THEN 'no spec for ' || nullif(concat_ws(' and ', nullif(@extschema@.wattgpu_gpu_lacks(
					g, power_counts, power_counts AND physical_power, step_counts), '') || ' of the GPU', nullif(llm_lacks, '') || ' of the LLM'), '') END,
				CASE WHEN f.fits AND tokens_count AND f.tokens_per_s IS NULL AND NOT (physical_power OR physical_itl)
					THEN 'no throughput: the model takes no length of answers' END,
				(SELECT string_agg(format('%s: %s %s, limit %s %s', l.what, round(l.value::numeric, 3 - floor(log(l.value))::integer), l.unit, l.bound, l.unit), '; ')
				 FROM (VALUES
					('misses the latency limit', f.itl_s, 's', max_itl_s, f.itl_s > max_itl_s),
					('over the power budget', f.power_w, 'W', max_power_w, f.power_w > max_power_w),
					('below the throughput floor', f.tokens_per_s, 'tokens/s', min_tokens_per_s, f.tokens_per_s < min_tokens_per_s)
				 ) l (what, value, unit, bound, broken) WHERE l.broken),
				CASE WHEN order_by = 'cost' AND f.price IS NULL THEN 'no price' END), ''),
				CASE WHEN f.lacking OR o.figure IS NULL THEN 'no prediction' END) END AS reason
		FROM figures f LEFT JOIN @extschema@.wattgpu_gpus g ON g.gpu = f.gpu, LATERAL (VALUES
			('energy', f.energy, f.energy_lo, f.energy_hi),
			('power', f.power_w, f.power_lo_w, f.power_hi_w),
			('latency', f.itl_s, f.itl_lo_s, f.itl_hi_s),
			('cost', f.cost, f.cost * f.lo, f.cost * f.hi)) o (name, figure, figure_lo, figure_hi)
		WHERE o.name = order_by
	)
	SELECT CASE WHEN j.reason IS NULL THEN rank() OVER by_figure END::integer, j.card,
		j.power_w, j.power_lo_w, j.power_hi_w, j.itl_s, j.itl_lo_s, j.itl_hi_s, j.tokens_per_s, j.energy, j.energy_lo, j.energy_hi, j.cost,
		j.fits, j.reason,
		CASE WHEN j.reason IS NULL THEN
			j.energy <= min(j.energy) OVER as_fast AND j.energy < coalesce(min(j.energy) OVER faster, 'Infinity') END,
		CASE WHEN j.reason IS NULL THEN j.figure_hi < min(j.figure_lo) OVER next_rank END,
		j.basis, j.extrapolated, j.power_model, j.itl_model
	FROM judged j
	WINDOW by_figure AS (PARTITION BY j.reason IS NULL ORDER BY j.figure),
		next_rank AS (by_figure GROUPS BETWEEN 1 FOLLOWING AND 1 FOLLOWING),
		as_fast AS (PARTITION BY j.reason IS NULL, j.itl_s),
		faster AS (PARTITION BY j.reason IS NULL ORDER BY j.itl_s GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	ORDER BY j.reason IS NOT NULL, CASE WHEN j.reason IS NULL THEN j.figure END, j.card COLLATE "C";
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_rank(text, text, double precision, double precision, double precision, text[], integer, text, jsonb, double precision, double precision, double precision, text) IS
'Which cards serve an LLM best: one row a card, by one wattgpu_predict each, ranked by order_by: energy (J a token), power (W), latency (ITL) or cost (of a token), least first. A card is ranked only if the LLM fits and its predictions keep to max_itl_s (s), max_power_w (W, all num_gpus cards of one copy together) and min_tokens_per_s, each NULL or a finite number above 0; the others follow by name with their reason. A saturated card, which answers fewer requests than come, is left out. gpus: the cards to judge, in any spelling, each once, NULLs skipped; NULL is every card of wattgpu_gpus. price_per_gpu_hour: {"GPU in any spelling": price of an hour, above 0}, in a currency of your own. The rest as wattgpu_power. Interval of the energy: where throughput does not depend on ITL (server, not saturated), that of power over it; where it does (offline, saturated), power_lo with itl_lo to power_hi with itl_hi, which is conservative. No rows if llm, scenario or num_gpus is NULL (or a name is unknown, with wattgpu.unknown_name = null; an unknown GPU is then a row left out). Errors as wattgpu_power, and invalid_parameter_value for another order_by, a limit out of range, or prices that are no JSON object of numbers above 0 or contradict each other.';

CREATE FUNCTION @extschema@.wattgpu_best_gpu(
	llm text, scenario text DEFAULT 'server_high',
	max_itl_s double precision DEFAULT NULL, max_power_w double precision DEFAULT NULL, min_tokens_per_s double precision DEFAULT NULL,
	gpus text[] DEFAULT NULL, num_gpus integer DEFAULT 1, order_by text DEFAULT 'energy', price_per_gpu_hour jsonb DEFAULT NULL,
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, model text DEFAULT NULL)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 50000 SET search_path = pg_catalog, pg_temp AS $$
	SELECT r.gpu FROM @extschema@.wattgpu_rank(llm, scenario, max_itl_s, max_power_w, min_tokens_per_s, gpus, num_gpus, order_by,
		price_per_gpu_hour, arrival_rate_qps, output_tokens, prompt_tokens, model) r
	WHERE r.rank = 1 ORDER BY r.gpu COLLATE "C" LIMIT 1
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_best_gpu(text, text, double precision, double precision, double precision, text[], integer, text, jsonb, double precision, double precision, double precision, text) IS
'The card that wattgpu_rank puts first, by its canonical name; of equal ones the first by name ("C" collation). NULL if none qualifies. Arguments and errors as wattgpu_rank.';

CREATE FUNCTION @extschema@.wattgpu_pareto(
	llm text, scenario text DEFAULT 'server_high',
	max_itl_s double precision DEFAULT NULL, max_power_w double precision DEFAULT NULL, min_tokens_per_s double precision DEFAULT NULL,
	gpus text[] DEFAULT NULL, num_gpus integer DEFAULT 1, order_by text DEFAULT 'energy', price_per_gpu_hour jsonb DEFAULT NULL,
	arrival_rate_qps double precision DEFAULT NULL, output_tokens double precision DEFAULT NULL,
	prompt_tokens double precision DEFAULT NULL, model text DEFAULT NULL)
RETURNS SETOF @extschema@.wattgpu_ranking
LANGUAGE sql STABLE PARALLEL SAFE COST 50000 ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
	SELECT r FROM @extschema@.wattgpu_rank(llm, scenario, max_itl_s, max_power_w, min_tokens_per_s, gpus, num_gpus, order_by,
		price_per_gpu_hour, arrival_rate_qps, output_tokens, prompt_tokens, model) r
	WHERE r.pareto ORDER BY r.itl_s, r.gpu COLLATE "C"
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_pareto(text, text, double precision, double precision, double precision, text[], integer, text, jsonb, double precision, double precision, double precision, text) IS
'The ranked cards that no other one beats in both energy per token and ITL: the rows of wattgpu_rank with pareto true, fastest first. Arguments and errors as wattgpu_rank.';

-- A view over many LLMs goes on past one that cannot be ranked. That takes a subtransaction, so this one stays out of parallel workers.
CREATE FUNCTION @extschema@.wattgpu_rank_or_reason(llm text, scenario text) RETURNS SETOF @extschema@.wattgpu_ranking
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE COST 50000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	failed @extschema@.wattgpu_ranking;
BEGIN
	RETURN QUERY SELECT * FROM @extschema@.wattgpu_rank(llm, scenario);
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value OR undefined_object THEN
	failed.reason := SQLERRM;
	RETURN NEXT failed;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_rank_or_reason(text, text) IS
'For wattgpu_rankings: wattgpu_rank of an LLM in a scenario; where that is an error, one row with the error as reason and everything else NULL. No rows if an argument is NULL.';

-- LATERAL, so that a condition on llm and scenario is met before anything is ranked.
CREATE VIEW @extschema@.wattgpu_rankings AS
SELECT s.scenario, l.llm, r.* FROM @extschema@.wattgpu_llms l, @extschema@.wattgpu_scenarios s,
	LATERAL @extschema@.wattgpu_rank_or_reason(l.llm, s.scenario) r;
COMMENT ON VIEW @extschema@.wattgpu_rankings IS
'wattgpu_rank of every LLM in every scenario, on one card each, by energy per token, with the default models: a row a card. With WHERE llm = ... AND scenario = ... it costs one ranking, without them all of them (seconds); names are the canonical ones. An LLM that cannot be ranked has one row with a reason and no gpu.';

CREATE VIEW @extschema@.wattgpu_pareto_rankings AS SELECT * FROM @extschema@.wattgpu_rankings WHERE pareto;
COMMENT ON VIEW @extschema@.wattgpu_pareto_rankings IS
'The rows of wattgpu_rankings that no other card of the same LLM and scenario beats in both energy per token and ITL. Costs what wattgpu_rankings costs.';

DO $$
DECLARE
	said record;
BEGIN
	FOR said IN
		SELECT v.name, c.* FROM (VALUES ('wattgpu_rankings'), ('wattgpu_pareto_rankings')) v (name), (
			SELECT a.attname, col_description(a.attrelid, a.attnum) AS comment
			FROM pg_attribute a WHERE a.attrelid = '@extschema@.wattgpu_ranking'::regclass
			UNION ALL VALUES ('scenario', 'Canonical name of the scenario (wattgpu_scenarios.scenario)'),
				('llm', 'Canonical name of the LLM (wattgpu_llms.llm)')) c
	LOOP
		EXECUTE format('COMMENT ON COLUMN @extschema@.%I.%I IS %L', said.name, said.attname, said.comment);
	END LOOP;
END $$;

GRANT SELECT ON @extschema@.wattgpu_rankings, @extschema@.wattgpu_pareto_rankings TO PUBLIC;
