\set SHOW_CONTEXT never
-- Whether and where a card is ranked, against another query: which cards keep to the limits, and how many of them are better
CREATE TEMPORARY TABLE wishes AS SELECT row_number() OVER () AS wish, w.*, order_by FROM (VALUES
	('meta-llama/Llama-3.1-8B-Instruct', 'server_high', 0.05, NULL, NULL, 1, NULL, NULL),
	('META-LLAMA/llama-3.1-8b-instruct', ' offline', NULL, 250, NULL, 1, NULL, NULL),
	('meta-llama/Llama-3.1-70B-Instruct', 'server_low', 0.1, 2000, 1, 4, NULL, NULL),
	('mistralai/Mixtral-8x7B-Instruct-v0.1', 'server_high', NULL, NULL, NULL, 2, 5, 300),
	('llama3.1:8b', 'server_high', 0.02, 200, 50, 1, 1, 100),
	('openai-community/gpt2', 'server_high', NULL, NULL, 20000, 1, 150, 200),
	('google/gemma-3-27b-it', 'offline', 0.002, 1000, 700, 2, NULL, 400)
) w (llm, scenario, max_itl_s, max_power_w, min_tokens_per_s, num_gpus, rate, tokens), (VALUES ('energy'), ('power'), ('latency'), ('cost')) o (order_by);
CREATE TEMPORARY TABLE prices AS SELECT gpu, (10 + length(gpu) % 7) / 4.0 AS price FROM wattgpu_gpus WHERE gpu LIKE 'NVIDIA%';
CREATE TEMPORARY TABLE ranked AS SELECT w.wish, r.* FROM wishes w, wattgpu_rank(llm, scenario, max_itl_s, max_power_w, min_tokens_per_s, num_gpus => num_gpus,
	order_by => order_by, price_per_gpu_hour => (SELECT jsonb_object_agg(gpu, price) FROM prices), arrival_rate_qps => rate, output_tokens => tokens) r;
-- how fast tokens come is not known either of a card whose step is not
CREATE TEMPORARY TABLE predicted AS SELECT w.wish, p.*, CASE WHEN itl_s IS NOT NULL THEN output_tokens_per_s END AS tokens_per_s,
	CASE WHEN itl_s IS NOT NULL THEN 1e6 * price * p.num_gpus / 3600 / output_tokens_per_s END AS cost, price, max_itl_s, max_power_w, min_tokens_per_s, order_by
FROM wishes w, wattgpu_gpus g LEFT JOIN prices USING (gpu), wattgpu_predict(g.gpu, llm, scenario, num_gpus => w.num_gpus, arrival_rate_qps => rate, output_tokens => tokens) p;
CREATE TEMPORARY TABLE qualified AS SELECT *, CASE order_by WHEN 'energy' THEN energy_j_per_token WHEN 'power' THEN power_w WHEN 'latency' THEN itl_s WHEN 'cost' THEN cost END AS figure
FROM predicted p WHERE fits AND saturated IS NOT TRUE AND CASE order_by WHEN 'energy' THEN energy_j_per_token WHEN 'power' THEN power_w WHEN 'latency' THEN itl_s WHEN 'cost' THEN cost END IS NOT NULL
	AND (max_itl_s IS NULL OR itl_s <= max_itl_s) AND (max_power_w IS NULL OR power_w <= max_power_w) AND (min_tokens_per_s IS NULL OR tokens_per_s >= min_tokens_per_s);
CREATE TEMPORARY TABLE expected AS SELECT q.wish, (SELECT count(*) FROM qualified better WHERE better.wish = q.wish AND better.figure < q.figure * (1 - 1e-12)) + 1 AS rank,
	gpu, power_w, itl_s, tokens_per_s, energy_j_per_token, basis, extrapolated, power_model, itl_model FROM qualified q;
SELECT count(*) AS wishes, bool_and(ranked > 3) AS ranked, bool_and(others > 3) AS others, bool_and(ranks > 3) AS ranks
FROM (SELECT count(e.gpu) AS ranked, count(*) FILTER (WHERE e.gpu IS NULL) AS others, count(DISTINCT e.rank) AS ranks FROM predicted p LEFT JOIN expected e USING (wish, gpu) GROUP BY wish) w;
TABLE expected EXCEPT SELECT wish, rank, gpu, power_w, itl_s, output_tokens_per_s, energy_j_per_token, basis, extrapolated, power_model, itl_model FROM ranked;
SELECT wish, rank, gpu, power_w, itl_s, output_tokens_per_s, energy_j_per_token, basis, extrapolated, power_model, itl_model FROM ranked WHERE rank IS NOT NULL EXCEPT TABLE expected;
-- Every card has one row: ranked, or left out with a reason; and its own figures, where there are any
SELECT count(*) = (SELECT count(*) FROM wishes) * (SELECT count(*) FROM wattgpu_gpus) AS all_cards, count(DISTINCT (wish, gpu)) = count(*) AS once,
	bool_and((rank IS NULL) = (reason IS NOT NULL)) AS reason, bool_and(reason <> '') AS said, bool_and(rank IS NULL OR fits) AS fits FROM ranked;
SELECT count(*) AS other_figures FROM ranked r JOIN predicted p USING (wish, gpu)
WHERE (r.power_w, r.power_lo_w, r.power_hi_w, r.itl_s, r.itl_lo_s, r.itl_hi_s, r.output_tokens_per_s, r.energy_j_per_token, r.fits, r.basis, r.extrapolated)
	IS DISTINCT FROM (p.power_w, p.power_lo_w, p.power_hi_w, p.itl_s, p.itl_lo_s, p.itl_hi_s, p.tokens_per_s, p.energy_j_per_token, p.fits, p.basis, p.extrapolated)
	OR abs(r.cost_per_million_tokens / p.cost - 1) > 1e-12 OR (r.cost_per_million_tokens IS NULL) <> (p.cost IS NULL);
-- Each reason says what it says of the prediction, with its figure, and is given whenever it holds
SELECT count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%does not fit%') IS DISTINCT FROM NOT coalesce(p.fits, true)) AS fit,
	count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%no spec for%') IS DISTINCT FROM (p.power_w IS NULL) AND order_by IN ('energy', 'power') AND p.fits IS NOT FALSE) AS spec,
	count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%misses the latency limit%') IS DISTINCT FROM coalesce(p.itl_s > max_itl_s, false)) AS latency,
	count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%over the power budget%') IS DISTINCT FROM coalesce(p.power_w > max_power_w, false)) AS power,
	count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%below the throughput floor%') IS DISTINCT FROM coalesce(p.tokens_per_s < min_tokens_per_s, false)) AS throughput,
	count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%cannot keep up%') IS DISTINCT FROM coalesce(p.saturated, false)) AS saturated,
	count(*) FILTER (WHERE (coalesce(r.reason, '') LIKE '%no price%') IS DISTINCT FROM (price IS NULL AND order_by = 'cost')) AS price,
	max(abs(substring(reason FROM 'cannot keep up: ([0-9.]+) of')::float8 * p.output_tokens - p.output_tokens_per_s)) < 0.0006 * max(p.output_tokens)
		AND bool_and(substring(reason FROM 'cannot keep up: [0-9.]+ of ([0-9.]+) requests/s')::float8 = p.arrival_rate_qps) AS kept_up,
	max(abs(substring(reason FROM 'latency limit: ([0-9.]+) s, limit')::float8 / p.itl_s - 1)) < 6e-4 AND max(abs(substring(reason FROM 'budget: ([0-9.]+) W, limit')::float8 / p.power_w - 1)) < 6e-4
		AND max(abs(substring(reason FROM 'floor: ([0-9.]+) tokens/s, limit')::float8 / p.output_tokens_per_s - 1)) < 6e-4 AS figures,
	bool_and(substring(reason FROM 'latency limit: [0-9.]+ s, limit ([0-9.]+) s')::float8 = max_itl_s) AND bool_and(substring(reason FROM 'budget: [0-9.]+ W, limit ([0-9.]+) W')::float8 = max_power_w)
		AND bool_and(substring(reason FROM 'floor: [0-9.]+ tokens/s, limit ([0-9.]+) tokens/s')::float8 = min_tokens_per_s) AS limits
FROM ranked r JOIN predicted p USING (wish, gpu);
SELECT count(*) FILTER (WHERE rank IS NOT NULL) AS ranked, bool_and(reason ~ '^misses the latency limit: [0-9.]+ s, limit 1e-09 s; over the power budget: [0-9.]+ W, limit 0.1 W; below the throughput floor: [0-9.]+ tokens/s, limit 1000000000 tokens/s; no price$') AS all_reasons
FROM wattgpu_rank('gpt2', max_itl_s => 1e-9, max_power_w => 0.1, min_tokens_per_s => 1e9, gpus => '{A30,H200}', order_by => 'cost');
-- A limit that a prediction just meets is kept, the next smaller one is not
SELECT (SELECT rank FROM wattgpu_rank('gpt2', max_itl_s => itl_s, max_power_w => power_w, min_tokens_per_s => output_tokens_per_s, gpus => '{A30}')) AS met,
	(SELECT rank FROM wattgpu_rank('gpt2', max_itl_s => itl_s * (1 - 1e-9), gpus => '{A30}')) AS itl, (SELECT rank FROM wattgpu_rank('gpt2', max_power_w => power_w * (1 - 1e-9), gpus => '{A30}')) AS power,
	(SELECT rank FROM wattgpu_rank('gpt2', min_tokens_per_s => output_tokens_per_s * (1 + 1e-9), gpus => '{A30}')) AS tokens FROM wattgpu_predict('A30', 'gpt2');

-- Pareto: against each pair. Distinguishable: against the next rank's intervals
SELECT count(*) FILTER (WHERE r.pareto) > 20 AS many, count(*) FILTER (WHERE r.pareto IS DISTINCT FROM NOT EXISTS (SELECT FROM ranked o WHERE o.wish = r.wish AND o.rank IS NOT NULL
	AND o.energy_j_per_token <= r.energy_j_per_token AND o.itl_s <= r.itl_s AND (o.energy_j_per_token < r.energy_j_per_token OR o.itl_s < r.itl_s))) AS wrong
FROM ranked r WHERE rank IS NOT NULL AND energy_j_per_token IS NOT NULL AND itl_s IS NOT NULL;
SELECT count(pareto) AS pareto, count(distinguishable) AS distinguishable FROM ranked WHERE rank IS NULL;
CREATE TEMPORARY TABLE intervals AS SELECT r.*, lo, hi FROM ranked r JOIN predicted p USING (wish, gpu), LATERAL (VALUES ('energy', energy_lo_j_per_token, energy_hi_j_per_token),
	('power', p.power_lo_w, p.power_hi_w), ('latency', p.itl_lo_s, p.itl_hi_s), ('cost', cost * CASE WHEN saturated OR arrival_rate_qps IS NULL THEN p.itl_lo_s / p.itl_s ELSE 1 END,
	cost * CASE WHEN saturated OR arrival_rate_qps IS NULL THEN p.itl_hi_s / p.itl_s ELSE 1 END)) v (name, lo, hi) WHERE order_by = name AND rank IS NOT NULL;
SELECT count(*) FILTER (WHERE distinguishable) > 0 AS some, count(*) FILTER (WHERE NOT distinguishable) > 0 AS others, count(*) FILTER (WHERE distinguishable IS NULL) > 0 AS last_ones,
	count(*) FILTER (WHERE distinguishable IS DISTINCT FROM (SELECT bool_and(i.hi < n.lo) FROM intervals n WHERE n.wish = i.wish
		AND n.rank = (SELECT min(rank) FROM intervals w WHERE w.wish = i.wish AND w.rank > i.rank))) AS wrong FROM intervals i;
SELECT rank, gpu, distinguishable FROM wattgpu_rank('gpt2', gpus => ARRAY['Jetson Orin Nano 8GB', 'AMD Instinct MI355X'], order_by => 'power');

-- The interval of the energy: that of power where tokens come as asked for; offline and saturated both, the conservative way
SELECT count(*) FILTER (WHERE p.saturated) > 3 AS saturated, count(*) FILTER (WHERE NOT p.saturated AND p.arrival_rate_qps IS NOT NULL) > 3 AS server, count(*) FILTER (WHERE p.arrival_rate_qps IS NULL) > 3 AS offline,
	bool_and(abs(energy_lo_j_per_token / (r.power_lo_w / p.output_tokens_per_s) - 1) < 1e-12 AND abs(energy_hi_j_per_token / (r.power_hi_w / p.output_tokens_per_s) - 1) < 1e-12)
		FILTER (WHERE NOT p.saturated AND p.arrival_rate_qps IS NOT NULL) AS of_power,
	bool_and(abs(energy_lo_j_per_token / (r.power_lo_w * r.itl_lo_s) - 1) < 1e-12 AND abs(energy_hi_j_per_token / (r.power_hi_w * r.itl_hi_s) - 1) < 1e-12) FILTER (WHERE p.arrival_rate_qps IS NULL) AS of_both,
	bool_and(abs(energy_lo_j_per_token * r.itl_s / (p.energy_j_per_token * r.power_lo_w / r.power_w * r.itl_lo_s) - 1) < 1e-12
		AND abs(energy_hi_j_per_token * r.itl_s / (p.energy_j_per_token * r.power_hi_w / r.power_w * r.itl_hi_s) - 1) < 1e-12) FILTER (WHERE p.saturated) AS scaled
FROM ranked r JOIN predicted p USING (wish, gpu) WHERE p.power_w IS NOT NULL;

-- Order of the rows: by rank, equal ones by name, then the others by name
SELECT bool_and(r.n = e.n) AS in_order FROM (SELECT gpu, row_number() OVER () AS n FROM wattgpu_rank('llama3.1:8b', max_itl_s => 0.01)) r
JOIN (SELECT gpu, row_number() OVER (ORDER BY rank NULLS LAST, gpu COLLATE "C") AS n FROM wattgpu_rank('llama3.1:8b', max_itl_s => 0.01)) e USING (gpu);
-- The best one and the front are rows of the ranking
SELECT bool_and(wattgpu_best_gpu(llm, scenario, max_itl_s, max_power_w, min_tokens_per_s, NULL, num_gpus, order_by, (SELECT jsonb_object_agg(gpu, price) FROM prices), rate, tokens)
	IS NOT DISTINCT FROM (SELECT min(gpu COLLATE "C") FROM ranked r WHERE r.wish = w.wish AND rank = 1)) AS best FROM wishes w;
CREATE TEMPORARY TABLE front AS SELECT w.wish, p.* FROM wishes w, wattgpu_pareto(llm, scenario, max_itl_s, max_power_w, min_tokens_per_s, NULL, num_gpus, order_by,
	(SELECT jsonb_object_agg(gpu, price) FROM prices), rate, tokens) p;
SELECT count(*) > 20 AS many FROM front;
TABLE front EXCEPT SELECT * FROM ranked WHERE pareto;
SELECT * FROM ranked WHERE pareto EXCEPT TABLE front;
SELECT bool_and(itl_s >= before) AS by_itl, bool_and(energy_j_per_token <= energy_before) AS and_energy FROM (SELECT itl_s, energy_j_per_token, lag(itl_s) OVER () AS before, lag(energy_j_per_token) OVER () AS energy_before
	FROM wattgpu_pareto('llama3.1:8b')) p;
SELECT wattgpu_best_gpu('meta-llama/Llama-3.1-70B-Instruct', gpus => '{A30,T4}') IS NULL AS none, wattgpu_best_gpu('meta-llama/Llama-3.1-70B-Instruct', gpus => '{A30,T4}', num_gpus => 16) IS NOT NULL AS sixteen;
DROP TABLE wishes, prices, ranked, predicted, qualified, expected, intervals, front;

-- Cost by hand: 1 request a second of 100 tokens is 360,000 tokens an hour; offline a token takes its ITL
SELECT gpu, rank, abs(cost_per_million_tokens / v.price / 2 * 0.36 - 1) < 1e-12 AS by_hand
FROM (VALUES ('NVIDIA A30', 0.55), ('NVIDIA H200', 0.5)) v (gpu, price) JOIN wattgpu_rank('gpt2', arrival_rate_qps => 1, output_tokens => 100, num_gpus => 2, order_by => 'cost',
	gpus => '{A30,H200}', price_per_gpu_hour => '{"A30": 0.55, "h200": 0.5}') r USING (gpu) ORDER BY rank;
SELECT abs(cost_per_million_tokens / (1.25 * itl_s / 3600 * 1e6) - 1) < 1e-12 AS offline FROM wattgpu_rank('gpt2', 'offline', gpus => '{A30}', price_per_gpu_hour => '{"NVIDIA A30": 1.25}');
SELECT gpu, rank, cost_per_million_tokens, reason FROM wattgpu_rank('gpt2', gpus => '{A30,H200}', order_by => 'cost') ORDER BY gpu;
SELECT gpu, rank, cost_per_million_tokens IS NULL AS no_cost, reason FROM wattgpu_rank('gpt2', gpus => '{A30}', price_per_gpu_hour => '{}');
-- prices of other cards do not matter; of one card, spellings must agree
SELECT count(*), count(cost_per_million_tokens) FROM wattgpu_rank('gpt2', gpus => '{A30,L4}', price_per_gpu_hour => '{"A30": 1, " nvidia a30 ": 1.0, "H200": 3}');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"A30": 1, " nvidia a30 ": 2}');

-- Which cards: any spelling, each once, NULLs skipped; none, none
CREATE TEMPORARY TABLE inventory (gpu text);
INSERT INTO inventory VALUES ('NVIDIA A30'), (' a30'), ('NVIDIA-A30'), (NULL), ('NVIDIA H200'), ('NVIDIA H200');
SELECT gpu, rank IS NOT NULL AS ranked FROM wattgpu_rank('gpt2', gpus => ARRAY(SELECT gpu FROM inventory)) ORDER BY gpu;
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => ARRAY[['A30', 'H200'], ['L4', NULL]]);
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => '{}');
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => ARRAY[NULL, NULL]);
SELECT wattgpu_best_gpu('gpt2', gpus => '{}') IS NULL AS none;
-- One prediction a card, however it is spelt
BEGIN;
SET LOCAL track_functions = 'all';
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => ARRAY(SELECT gpu FROM inventory));
SELECT pg_stat_get_xact_function_calls('wattgpu_predict(text,text,text,float8,float8,float8,integer,text,float8)'::regprocedure) AS predictions;
ROLLBACK;
DROP TABLE inventory;

-- Ties share a rank, the next one counts them, and the first by name in bytes is the best
BEGIN;
CREATE TEMPORARY TABLE specs AS SELECT attname AS name FROM pg_attribute WHERE attrelid = 'wattgpu_gpus'::regclass AND attnum > 0 AND attname NOT IN ('gpu', 'builtin');
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', name))).*
FROM wattgpu_gpus g, unnest(ARRAY['a twin', 'B twin', 'Kärtchen "ÜBER" O''Neil ☃']) name WHERE gpu = 'NVIDIA A30';
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', 'hungry', 'tdp_w', 2 * tdp_w))).* FROM wattgpu_gpus g WHERE gpu = 'NVIDIA A30';
SELECT rank, gpu, pareto FROM wattgpu_rank('gpt2', gpus => ARRAY['hungry', 'a twin', 'KäRTCHEN "ÜBER" O''NEIL ☃', 'b TWIN']);
SELECT rank, gpu, distinguishable IS NULL AS last FROM wattgpu_rank('gpt2', gpus => ARRAY['a twin', 'B twin']);
SELECT wattgpu_best_gpu('gpt2', gpus => ARRAY['a twin', 'B twin']) AS best;
SELECT rank, gpu, round(cost_per_million_tokens::numeric, 3) AS cost FROM wattgpu_rank('gpt2', gpus => ARRAY['a twin', 'Kärtchen "ÜBER" O''Neil ☃'], order_by => 'cost',
	arrival_rate_qps => 1, output_tokens => 100, price_per_gpu_hour => jsonb_build_object('a twin', 0.36, 'KäRTCHEN "ÜBER" O''NEIL ☃', 0.18));

-- A card without a spec is left out where there is no prediction without it, and the reason names it: each column in turn, and pairs that stand in for each other
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', 'without ' || name, name, NULL))).* FROM wattgpu_gpus g, specs WHERE gpu = 'NVIDIA A30';
INSERT INTO wattgpu_gpus SELECT (jsonb_populate_record(g, jsonb_build_object('gpu', v.name, a, NULL, b, NULL))).* FROM wattgpu_gpus g, (VALUES ('pair 1', 'memory_gb', 'memory_total_mib'), ('pair 2', 'boost_clock_mhz', 'shading_units'),
	('pair 3', 'fp16_tflops', 'fp32_tflops'), ('pair 4', 'boost_clock_mhz', 'tdp_w')) v (name, a, b) WHERE gpu = 'NVIDIA A30';
CREATE TEMPORARY TABLE bare AS SELECT gpu FROM wattgpu_gpus WHERE gpu ~ '^(without|pair)';
SELECT gpu, fits, reason FROM wattgpu_rank('gpt2', gpus => ARRAY(TABLE bare)) WHERE rank IS NULL;
SELECT gpu, reason FROM wattgpu_rank('gpt2', gpus => ARRAY(TABLE bare), order_by => 'latency') WHERE rank IS NULL;
SELECT gpu, reason FROM wattgpu_rank('gpt2', gpus => ARRAY(TABLE bare), order_by => 'power', model => 'wattgpu-paper') WHERE rank IS NULL;
SELECT gpu, reason FROM wattgpu_rank('gpt2', gpus => ARRAY(TABLE bare), order_by => 'cost', price_per_gpu_hour => (SELECT jsonb_object_agg(gpu, 1) FROM bare)) WHERE rank IS NULL;
SELECT order_by, count(*) > 10 AS many, count(*) FILTER (WHERE (rank IS NULL) IS DISTINCT FROM (CASE order_by WHEN 'power' THEN p.power_w WHEN 'latency' THEN p.itl_s ELSE p.energy_j_per_token END IS NULL)) AS wrong
FROM (VALUES ('power'), ('latency'), ('energy')) o (order_by), wattgpu_rank('gpt2', gpus => ARRAY(TABLE bare), order_by => order_by) r, wattgpu_predict(r.gpu, 'gpt2') p GROUP BY order_by ORDER BY order_by;
-- a limit on a figure that is not known is not met; nor does a card that may not keep up have a throughput
SELECT gpu, rank, pareto, power_w IS NULL AS no_power, reason FROM wattgpu_rank('gpt2', gpus => '{without tdp_w}', order_by => 'latency');
SELECT rank, reason FROM wattgpu_rank('gpt2', gpus => '{without tdp_w}', order_by => 'latency', max_power_w => 1000);
SELECT rank, output_tokens_per_s, reason FROM wattgpu_rank('gpt2', gpus => '{without memory_bandwidth_gb_s}', order_by => 'cost', price_per_gpu_hour => '{"without memory_bandwidth_gb_s": 1}', min_tokens_per_s => 1);
SELECT reason FROM wattgpu_rank('meta-llama/Llama-3.1-70B-Instruct', gpus => '{without tdp_w}');
-- the same of the LLM's columns: a dense one, a quantised one of experts, a latent cache, and none
INSERT INTO wattgpu_llms SELECT (jsonb_populate_record(l, jsonb_build_object('llm', name || ' ' || l.llm, name, NULL))).*
FROM wattgpu_llms l, (SELECT attname FROM pg_attribute WHERE attrelid = 'wattgpu_llms'::regclass AND attnum > 0 AND attname NOT IN ('llm', 'builtin')) a (name)
WHERE llm IN ('openai-community/gpt2', 'Qwen/Qwen3-235B-A22B-Thinking-2507-FP8', 'deepseek-ai/DeepSeek-V2-Lite-Chat', 'state-spaces/mamba-2.8b-hf');
CREATE TEMPORARY TABLE bare_llms AS SELECT l.llm, split_part(l.llm, ' ', 1) AS without, r.rank, r.reason, p.energy_j_per_token
FROM wattgpu_llms l, wattgpu_rank(l.llm, num_gpus => 64, gpus => '{NVIDIA H200}') r, wattgpu_predict(r.gpu, l.llm, num_gpus => 64) p WHERE l.llm LIKE '% %';
SELECT count(*) > 70 AS many, count(*) FILTER (WHERE (rank IS NULL) IS DISTINCT FROM (energy_j_per_token IS NULL)) AS wrong FROM bare_llms;
SELECT without, reason, count(*) FROM bare_llms WHERE rank IS NULL GROUP BY without, reason ORDER BY without COLLATE "C", count(*);
ROLLBACK;
-- what does not fit says so, and more cards may hold it
SELECT gpu, rank, reason FROM wattgpu_rank('meta-llama/Llama-3.1-70B-Instruct', gpus => '{A30,H200,T4}', max_itl_s => 10);
SELECT gpu, rank IS NOT NULL AS ranked, reason FROM wattgpu_rank('meta-llama/Llama-3.1-70B-Instruct', gpus => '{A30,T4}', num_gpus => 8, order_by => 'latency');

-- The published models give no throughput to a server, since they take no lengths; the rest they rank, and no other workload
SELECT count(*) FILTER (WHERE rank IS NULL) = count(*) AS none, count(*) FILTER (WHERE reason = 'no throughput: the model takes no length of answers') > 50 AS reason FROM wattgpu_rank('gpt2', model => 'wattgpu-paper');
SELECT count(rank) > 50 AS power, count(pareto) AS pareto, min(power_model) AS model FROM wattgpu_rank('gpt2', order_by => 'power', model => 'wattgpu-paper');
SELECT count(rank) > 50 AS offline, count(*) FILTER (WHERE pareto) > 0 AS pareto FROM wattgpu_rank('gpt2', 'offline', model => 'wattgpu-paper');
SELECT count(*) FROM wattgpu_rank('gpt2', arrival_rate_qps => 2, model => 'wattgpu-paper');
SELECT count(*) FROM wattgpu_rank('gpt2', model => 'nobody');
-- two default models: a power without an ITL is ranked by power alone, and is on no front
BEGIN;
SELECT wattgpu_set_default('wattgpu-paper', 'power');
UPDATE wattgpu_gpus SET memory_bandwidth_gb_s = NULL WHERE gpu = 'NVIDIA L4';
SELECT gpu, rank IS NOT NULL AS ranked, itl_s IS NULL AS no_itl, pareto, reason FROM wattgpu_rank('gpt2', gpus => '{L4,A30}', order_by => 'power') ORDER BY gpu;
SELECT gpu, rank, pareto, energy_j_per_token IS NULL AS no_energy, reason FROM wattgpu_rank('gpt2', gpus => '{L4,A30}') ORDER BY gpu;
ROLLBACK;
-- without intervals nothing can be told apart
BEGIN;
UPDATE wattgpu_models SET intervals = '{}';
UPDATE wattgpu_models m SET crc32c = wattgpu_model_crc32c(m);
SELECT count(rank) AS ranked, count(energy_lo_j_per_token) AS intervals, count(distinguishable) AS distinguishable FROM wattgpu_rank('gpt2', gpus => '{A30,H200,T4}');
ROLLBACK;

-- NULL in, no rows; for an option it is what the option is without it
SELECT count(*) FROM wattgpu_rank(NULL);
SELECT count(*) FROM wattgpu_rank('gpt2', NULL);
SELECT count(*) FROM wattgpu_pareto(NULL);
SELECT wattgpu_best_gpu(NULL) IS NULL AS null_in;
SELECT count(*) = (SELECT count(*) FROM wattgpu_gpus) AS same FROM
	(SELECT * FROM wattgpu_rank('gpt2', 'server_high', NULL, NULL, NULL, NULL, 1, 'energy', NULL, NULL, NULL, NULL, NULL) INTERSECT SELECT * FROM wattgpu_rank('gpt2')) r;
SELECT count(*) AS unknown_count FROM wattgpu_rank('gpt2', num_gpus => NULL);
-- Unknown names
SELECT count(*) FROM wattgpu_rank('nobody/knows');
SELECT count(*) FROM wattgpu_rank('gpt2', 'server_hihg');
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => ARRAY['A30', 'NVIDIA A300']);
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => ARRAY['']);
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"O''Brien\"; DROP TABLE wattgpu_gpus; --": 1}');
-- also without a card
SELECT count(*) FROM wattgpu_rank('nobody/knows', gpus => '{}');
SELECT count(*) FROM wattgpu_rank('gpt2', 'server_hihg', gpus => '{}');
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => '{}', num_gpus => 0);
SET wattgpu.unknown_name = 'null';
SELECT count(*) FROM wattgpu_rank('nobody/knows');
SELECT count(*) FROM wattgpu_rank('gpt2', 'server_hihg');
SELECT count(*) FROM wattgpu_rank('gpt2', 'server_hihg', gpus => ARRAY['nobody']);
SELECT wattgpu_best_gpu('nobody/knows') IS NULL AS llm;
SELECT rank, left(gpu, 40) AS gpu, power_w, fits, pareto, distinguishable, reason
FROM wattgpu_rank('gpt2', gpus => ARRAY[' NVIDIA A300 ', 'O''Brien"; DROP TABLE wattgpu_gpus; --', '☃', '', 'nobody', 'nobody', NULL, repeat('x', 1000)]);
SELECT rank, gpu, reason FROM wattgpu_rank('gpt2', gpus => ARRAY['zz', 'A30', 'Aa'], max_itl_s => 1e-9) r WHERE reason NOT LIKE 'misses%';
SELECT array_agg(gpu) AS by_name FROM wattgpu_rank('gpt2', gpus => ARRAY['zz', 'A30', 'Aa'], max_itl_s => 1e-9);
SELECT count(*), count(cost_per_million_tokens) FROM wattgpu_rank('gpt2', gpus => '{A30,H200}', price_per_gpu_hour => '{"A30": 1, "nobody": 2}');
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => '{}', model => 'nobody');
RESET wattgpu.unknown_name;

-- What is out of range
SELECT count(*) FROM wattgpu_rank('gpt2', max_itl_s => 0);
SELECT count(*) FROM wattgpu_rank('gpt2', max_itl_s => 'NaN');
SELECT count(*) FROM wattgpu_rank('gpt2', max_power_w => 'Infinity');
SELECT count(*) FROM wattgpu_rank('gpt2', max_power_w => -5);
SELECT count(*) FROM wattgpu_rank('gpt2', min_tokens_per_s => '-Infinity');
SELECT count(*) FROM wattgpu_best_gpu('gpt2', min_tokens_per_s => 0);
SELECT count(*) FROM wattgpu_pareto('gpt2', max_itl_s => -1);
SELECT count(*) FROM wattgpu_rank('gpt2', order_by => 'enrgy');
SELECT count(*) FROM wattgpu_rank('gpt2', order_by => 'Energy');
SELECT count(*) FROM wattgpu_rank('gpt2', order_by => '');
SELECT count(*) FROM wattgpu_rank('gpt2', order_by => NULL);
SELECT count(*) FROM wattgpu_rank('gpt2', order_by => 'energy; DROP TABLE "☃"''');
SELECT count(*) FROM wattgpu_rank('gpt2', num_gpus => 0);
SELECT count(*) FROM wattgpu_rank('gpt2', arrival_rate_qps => 'NaN');
SELECT count(*) FROM wattgpu_rank('gpt2', output_tokens => 0);
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '[1]');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => 'null');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '3');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"A30": "0.5"}');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"A30": null}');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"H200": 1, "A30": 0}');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"A30": -1}');
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => '{"A30": {"on demand": 1}}');
\set VERBOSITY sqlstate
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => ('{"A30": 1e' || 400 || '}')::jsonb);
SELECT count(*) FROM wattgpu_rank('gpt2', price_per_gpu_hour => ('{"A30": 1e-' || 400 || '}')::jsonb);
SELECT count(*) FROM wattgpu_rank('gpt2', order_by => 'x');
SELECT count(*) FROM wattgpu_rank('gpt2', max_itl_s => -1);
SELECT count(*) FROM wattgpu_rank('gpt2', gpus => '{nobody}');
\set VERBOSITY default

-- An ordinary role ranks, in a read-only transaction, from a search_path with other objects of these names instead of the extension, and in a parallel worker
SELECT wattgpu_best_gpu('gpt2', max_itl_s => 0.01) AS best \gset
SELECT md5(string_agg(r::text, ',')) AS digest FROM wattgpu_rank('meta-llama/Llama-3.1-8B-Instruct', max_itl_s => 0.01, price_per_gpu_hour => '{"A30": 1}') r \gset
CREATE ROLE wattgpu_ordinary;
CREATE SCHEMA hostile;
GRANT USAGE ON SCHEMA hostile TO wattgpu_ordinary;
CREATE TABLE hostile.wattgpu_gpus (gpu text);
CREATE FUNCTION hostile.concat_ws(text, VARIADIC text[]) RETURNS text LANGUAGE sql AS 'SELECT ''stolen''';
CREATE FUNCTION hostile.never(double precision, double precision) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR hostile.> (LEFTARG = double precision, RIGHTARG = double precision, FUNCTION = hostile.never);
CREATE OPERATOR hostile.< (LEFTARG = double precision, RIGHTARG = double precision, FUNCTION = hostile.never);
SET ROLE wattgpu_ordinary;
BEGIN READ ONLY;
SET LOCAL search_path = hostile, pg_catalog;
SELECT public.wattgpu_best_gpu('gpt2', max_itl_s => 0.01) = :'best' AS best, (SELECT count(*) FROM public.wattgpu_pareto('gpt2')) > 0 AS front, md5(string_agg(r::text, ',')) = :'digest' AS same
FROM public.wattgpu_rank('meta-llama/Llama-3.1-8B-Instruct', max_itl_s => 0.01, price_per_gpu_hour => '{"A30": 1}') r;
ROLLBACK;
DO $$ BEGIN
	PERFORM set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false);
END $$;
SELECT wattgpu_best_gpu('gpt2', max_itl_s => 0.01) = :'best' AS best, md5(string_agg(r::text, ',')) = :'digest' AS same
FROM wattgpu_rank('meta-llama/Llama-3.1-8B-Instruct', max_itl_s => 0.01, price_per_gpu_hour => '{"A30": 1}') r;
SELECT wattgpu_best_gpu('gpt2', order_by => 'watts');
DO $$ BEGIN
	PERFORM set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'off', false);
END $$;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;
RESET client_min_messages;
DROP ROLE wattgpu_ordinary;
-- also with names of another collation, and joined to a table of wishes
SELECT wattgpu_best_gpu('gpt2' COLLATE "C", max_itl_s => 0.01) = :'best' AS same;
SELECT llm, wattgpu_best_gpu(llm, max_itl_s => itl) IS NOT NULL AS found FROM (VALUES ('gpt2', 0.1), ('llama3.1:8b', 0.1), ('gpt2', 1e-6)) w (llm, itl);

-- The views for BI tools: every LLM in every scenario, the same rows as the functions give
SELECT (SELECT count(*) FROM wattgpu_rankings) = (SELECT count(*) FROM wattgpu_gpus, wattgpu_llms, wattgpu_scenarios) AS whole_catalogue;
SELECT count(*) > 50 AS many FROM wattgpu_rankings WHERE llm = 'openai-community/gpt2' AND scenario = 'offline';
SELECT * FROM wattgpu_rankings WHERE llm = 'openai-community/gpt2' EXCEPT SELECT s.scenario, 'openai-community/gpt2', r.* FROM wattgpu_scenarios s, wattgpu_rank('gpt2', s.scenario) r;
SELECT 'offline' AS scenario, 'openai-community/gpt2' AS llm, r.* FROM wattgpu_pareto('gpt2', 'offline') r EXCEPT SELECT * FROM wattgpu_pareto_rankings WHERE llm = 'openai-community/gpt2';
SELECT count(*) > 1 AS front, bool_and(pareto) AS only_front FROM wattgpu_pareto_rankings WHERE llm = 'openai-community/gpt2' AND scenario = 'offline';
-- what is asked for is all that is ranked: how often a plan's ranking ran
CREATE FUNCTION pg_temp.rankings(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	RETURN (SELECT sum(loops::integer) FROM jsonb_path_query(plan, 'strict $.**?(@."Function Name" == "wattgpu_rank_or_reason")."Actual Loops"') loops);
END $$;
SELECT pg_temp.rankings('SELECT * FROM wattgpu_rankings WHERE llm = ''openai-community/gpt2'' AND scenario = ''offline''') AS one,
	pg_temp.rankings('SELECT gpu FROM wattgpu_pareto_rankings WHERE scenario = ''offline'' AND llm = ''openai-community/gpt2'' ORDER BY itl_s') AS front,
	pg_temp.rankings('SELECT gpu FROM (SELECT * FROM wattgpu_rankings) t WHERE llm IN (''openai-community/gpt2'', ''meta-llama/Llama-3.1-8B-Instruct'') AND scenario = ''offline''') AS two,
	pg_temp.rankings('SELECT * FROM wattgpu_rankings WHERE llm = ''nobody/knows''') AS none,
	pg_temp.rankings('SELECT * FROM wattgpu_rankings WHERE llm = ''openai-community/gpt2''') = (SELECT count(*) FROM wattgpu_scenarios) AS scenarios;
-- what cannot be ranked is one row that says why, and the others stay
BEGIN;
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens) VALUES ('nights', 0.1, 15);
SELECT wattgpu_set_default('wattgpu-paper', 'power');
SELECT scenario, count(gpu) > 50 AS ranked, count(*) FILTER (WHERE gpu IS NULL) AS failed, min(reason) FILTER (WHERE gpu IS NULL) AS reason, count(power_w) > 0 AS figures
FROM wattgpu_rankings WHERE llm = 'openai-community/gpt2' GROUP BY scenario ORDER BY scenario;
SELECT count(*) FROM wattgpu_pareto_rankings WHERE scenario = 'nights';
ROLLBACK;
-- an unknown name is no matter here, and an ordinary role reads them, with other objects of these names on its search_path
CREATE ROLE wattgpu_ordinary;
CREATE SCHEMA hostile;
GRANT USAGE ON SCHEMA hostile TO wattgpu_ordinary;
CREATE TABLE hostile.wattgpu_llms (llm text);
SET ROLE wattgpu_ordinary;
SET search_path = hostile, pg_catalog;
SET wattgpu.unknown_name = 'null';
SELECT count(*) > 50 AS ranked, count(power_w) > 10 AS figures FROM public.wattgpu_rankings WHERE llm = 'openai-community/gpt2' AND scenario = 'server_low';
SELECT count(*) AS failed FROM public.wattgpu_rankings WHERE gpu IS NULL AND scenario = 'server_low';
RESET wattgpu.unknown_name;
RESET search_path;
RESET ROLE;
DROP TABLE hostile.wattgpu_llms;
DROP SCHEMA hostile;
DROP ROLE wattgpu_ordinary;
