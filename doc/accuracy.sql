-- Writes doc/accuracy.md: how far predictions are from measurements that were not trained on. In a scratch database with the
-- extension, from the top of the sources; nothing stays in the database. Takes some minutes.
--   psql -X -q -v runs=RUNS.csv -f doc/accuracy.sql DATABASE
-- RUNS.csv is the run table of Watt Counts, as data/means.pl takes it.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
BEGIN;
\ir ../data/models/runs.sql

-- A workload of which only the scenario's name is known; answers of one token stay out, as they do where the length is known
CREATE TEMPORARY VIEW named AS
SELECT gpu, llm, scenario, NULL::float8 AS arrival_rate_qps, NULL::float8 AS prompt_tokens, NULL::float8 AS output_tokens,
	num_gpus, power_w, itl_s, runs
FROM runs WHERE scenario = 'offline' OR output_tokens >= 2;

CREATE TEMPORARY TABLE targets (target text, t int);
INSERT INTO targets VALUES ('power', 1), ('itl', 2);
CREATE TEMPORARY TABLE subsets (subset text, u int);
INSERT INTO subsets VALUES ('offline', 1), ('server', 2);
CREATE TEMPORARY TABLE strategies (strategy text, s int);
INSERT INTO strategies VALUES ('CV', 1), ('LOGO', 2), ('LOLO', 3);
CREATE TEMPORARY TABLE methods (method text, model text, relation text, target text, s int, m int);
INSERT INTO methods SELECT v.method, v.model, v.relation, t.target, strategies.s, v.m FROM targets t, strategies,
	(VALUES ('`wattgpu-paper`', 'wattgpu-paper', 'runs', 1), ('`wattgpu-1`, name only', 'wattgpu-1', 'named', 2), ('`wattgpu-1`', 'wattgpu-1', 'runs', 3))
	v (method, model, relation, m);
-- baselines learn nothing, so that one strategy says it all
INSERT INTO methods VALUES ('`tdp`', 'tdp', 'runs', 'power', 1, 4), ('`load_scaled_tdp`', 'load_scaled_tdp', 'runs', 'power', 1, 5),
	('`roofline`', 'roofline', 'runs', 'itl', 1, 4);

CREATE TEMPORARY TABLE figures AS
SELECT method, m, s, target, strategy, e.* FROM methods JOIN strategies USING (s),
	wattgpu_evaluate(target, strategy, model, relation::regclass, 'wattgpu_measurements') e;

CREATE TEMPORARY TABLE held_out AS
SELECT method, model, target, strategy, CASE scenario WHEN 'offline' THEN 'offline' ELSE 'server' END AS subset, e.*,
	100 * abs(relative_error) AS ape, ln(measured / predicted) AS error
FROM methods JOIN strategies USING (s), wattgpu_cross_validate(target, strategy, model, relation::regclass, 'wattgpu_measurements') e
WHERE model LIKE 'wattgpu-%';

-- The share inside an interval that is made as wattgpu_calibrate makes it, but from the errors of the other folds
CREATE TEMPORARY TABLE blind AS
SELECT method, target, strategy, subset, avg((h.error BETWEEN least(f.ends[1], 0) AND greatest(f.ends[2], 0))::int) AS coverage
FROM held_out h JOIN (SELECT method, target, strategy, subset, k.fold,
		percentile_cont(CASE strategy WHEN 'LOGO' THEN '{0.035, 0.965}' ELSE '{0.05, 0.95}' END::float8[]) WITHIN GROUP (ORDER BY o.error) AS ends
	FROM (SELECT DISTINCT method, target, strategy, subset, fold FROM held_out) k JOIN held_out o USING (method, target, strategy, subset)
	WHERE o.fold <> k.fold GROUP BY method, target, strategy, subset, k.fold) f USING (method, target, strategy, subset, fold)
GROUP BY method, target, strategy, subset;

-- Other seeds of the same recipe, which draw other rows and features for each tree
CREATE TEMPORARY TABLE seeds AS SELECT format('seed %s', seed) AS model, seed FROM generate_series(1, 4) seed;
SELECT wattgpu_train('itl', model, params => jsonb_build_object('seed', seed)) FROM seeds \g /dev/null
SELECT wattgpu_train('power', model, params => jsonb_build_object('seed', seed)) FROM seeds \g /dev/null
CREATE TEMPORARY TABLE seed_figures AS
SELECT target, s, subset, mdape, true AS shipped FROM figures WHERE method = '`wattgpu-1`'
UNION ALL
SELECT target, s, subset, mdape, false FROM seeds, targets, strategies, wattgpu_evaluate(target, strategy, model, 'runs', 'wattgpu_measurements');

CREATE TEMPORARY TABLE published (target text, subset text, s int, mdape numeric);
INSERT INTO published VALUES
	('power', 'offline', 1, 1.6), ('power', 'offline', 2, 3.4), ('power', 'offline', 3, 2.0),
	('power', 'server', 1, 5.5), ('power', 'server', 2, 13.5), ('power', 'server', 3, 6.7),
	('itl', 'offline', 1, 12.8), ('itl', 'offline', 2, 24.9), ('itl', 'offline', 3, 15.6),
	('itl', 'server', 1, 4.9), ('itl', 'server', 2, 8.5), ('itl', 'server', 3, 5.6);

-- to decimals, or a dash where there is no figure
CREATE FUNCTION pg_temp.shown(figure float8, decimals int DEFAULT 1) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(round(figure::numeric, decimals)::text, '-') $$;
CREATE FUNCTION pg_temp.row_of(VARIADIC cells text[]) RETURNS text LANGUAGE sql AS $$ SELECT '| ' || array_to_string(cells, ' | ') || ' |' $$;

-- MdAPE of both models, side by side, for each group of what a strategy leaves out
CREATE FUNCTION pg_temp.by_group(strategy_shown text, by_gpu boolean) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT pg_temp.row_of(VARIADIC array[grp, sum(n) FILTER (WHERE model = 'wattgpu-1' AND target = 'power')::text] || array_agg(pair ORDER BY t, u) FILTER (WHERE pair IS NOT NULL))
	FROM (SELECT grp, least_b, model, target, t, u, n,
			CASE model WHEN 'wattgpu-1' THEN pg_temp.shown(lag(mdape) OVER (PARTITION BY grp, t, u ORDER BY model DESC)) || ' / ' || pg_temp.shown(mdape) END AS pair
		FROM (SELECT CASE WHEN by_gpu THEN gpu ELSE class END AS grp, CASE WHEN NOT by_gpu THEN least_b END AS least_b, model, target, t, u,
				count(*) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY ape) AS mdape
			FROM held_out JOIN targets USING (target) JOIN subsets USING (subset) JOIN wattgpu_llms USING (llm)
				JOIN (VALUES (0, 1, 'below 1'), (1, 3, '1 to 3'), (3, 8, '3 to 8'), (8, 15, '8 to 15'), (15, 1000, 'above 15')) classes (least_b, most_b, class)
					ON total_params_b >= least_b AND total_params_b < most_b
			WHERE strategy = strategy_shown AND method IN ('`wattgpu-paper`', '`wattgpu-1`') GROUP BY 1, 2, 3, 4, 5, 6) g) p
	GROUP BY grp, least_b ORDER BY least_b, grp COLLATE "C"
$$;

\o doc/accuracy.md
\qecho '# Accuracy'
\qecho
\qecho 'How far predictions are from measurements that they were not trained on. This page is the output of'
\qecho
\qecho '```sh'
\qecho 'psql -X -q -v runs=RUNS.csv -f doc/accuracy.sql DATABASE'
\qecho '```'
\qecho
\qecho 'in a database with the extension, where RUNS.csv is the run table of Watt Counts ([data/README.md](../data/README.md)). Every figure'
\qecho 'comes from `wattgpu_evaluate` or `wattgpu_cross_validate`, which do the same for rows of yours ([measurements.md](measurements.md)).'
\qecho
\qecho '## What is measured'
\qecho
SELECT format(E'%s single runs of %s dense LLMs on %s NVIDIA cards, served by vLLM on one GPU with 16-bit weights; server runs whose answers have\n'
	'fewer than two tokens are left out. Each run is predicted by a model trained on the shipped means (`wattgpu_measurements`) without those\n'
	'in its fold:', count(*), count(DISTINCT llm), count(DISTINCT gpu))
FROM held_out WHERE method = '`wattgpu-1`' AND strategy = 'LOGO' AND target = 'power';
\qecho
\qecho '| strategy | left out | says how well one predicts |'
\qecho '| --- | --- | --- |'
\qecho '| CV | a fifth of the pairs of GPU and LLM | a pair not measured, of a card and an LLM that were |'
\qecho '| LOGO | one GPU | a card never seen |'
\qecho '| LOLO | one LLM | an LLM never seen |'
\qecho
\qecho 'MdAPE is the median of |predicted - measured| / measured, in percent. GPU tau is Kendall''s tau-b over the cards, averaged over LLMs and'
\qecho 'scenarios: 1 ranks the cards as measured. LLM tau is the same over the LLMs of a card. ITL of server runs is latency over tokens, since'
\qecho 'the run table does not hold the time to the first token.'
\qecho
\qecho '## Beside the published figures'
\qecho
\qecho 'MdAPE, CV / LOGO / LOLO. Published: WattGPU, [arXiv 2607.02391](https://arxiv.org/abs/2607.02391), on its own rows, features and ITL.'
\qecho '`wattgpu-paper` is its recipe on this catalogue; it knows the scenario''s name only. `wattgpu-1` is shown with the name only, and given the'
\qecho 'rate and lengths that the run had.'
\qecho
\qecho '| | published | `wattgpu-paper` | `wattgpu-1`, name only | `wattgpu-1` |'
\qecho '| --- | --- | --- | --- | --- |'
SELECT pg_temp.row_of(VARIADIC array[format('%s %s', CASE target WHEN 'itl' THEN 'ITL' ELSE target END, subset)] || array_agg(cell ORDER BY m))
FROM (SELECT target, subset, m, string_agg(pg_temp.shown(mdape), ' / ' ORDER BY s) AS cell
	FROM (SELECT target, subset, m, s, mdape FROM figures WHERE m <= 3 AND method LIKE '`wattgpu-%' UNION ALL SELECT target, subset, 0, s, mdape FROM published) f
	GROUP BY target, subset, m) c JOIN targets USING (target) JOIN subsets USING (subset)
GROUP BY t, u, target, subset ORDER BY t, u;
\qecho
\qecho 'Published MdAPE of the baselines, offline and server: TDP 4.4 and 190, load-scaled TDP 7.2 and 26.0, roofline 80.2 and 29.6.'
\qecho 'Published GPU tau under LOGO, offline and server: power 0.95 and 0.76, ITL 0.72 and 0.78; r 0.988 and 0.965, 0.727 and 0.972.'

SELECT format(E'\n## All figures: %s\n\n| runs | model | strategy | n | MdAPE, %% | r | GPU tau | LLM tau | inside, %% | blind, %% |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n%s',
	CASE target WHEN 'itl' THEN 'ITL' ELSE target END, string_agg(pg_temp.row_of(f.subset, method, CASE WHEN method LIKE '`wattgpu-%' THEN strategy ELSE 'none' END, n::text,
		pg_temp.shown(mdape), pg_temp.shown(pearson_r, 3), pg_temp.shown(gpu_tau, 2), pg_temp.shown(llm_tau, 2), pg_temp.shown(100 * f.coverage),
		pg_temp.shown(100 * b.coverage)), E'\n' ORDER BY u, m, s))
FROM figures f JOIN targets USING (target) JOIN subsets USING (subset) LEFT JOIN blind b USING (target, strategy, subset, method)
GROUP BY t, target ORDER BY t;
\qecho
\qecho '`inside` is the share of runs within the 90 % interval. Interval ends are the 5 % and 95 % quantiles of ln(measured / predicted) of these'
\qecho 'very errors (3.5 % and 96.5 % for an unseen GPU), so `inside` only says that they are what they claim to be. `blind` is the check: the'
\qecho 'share within ends taken from the other folds alone, for an unseen GPU from the seven other cards. Baselines learn nothing, so strategies'
\qecho 'are the same for them.'
\qecho
\qecho '## Each GPU, unseen'
\qecho
\qecho 'MdAPE under LOGO, `wattgpu-paper` / `wattgpu-1` (rate and lengths given).'
\qecho
\qecho '| GPU | runs | power offline | power server | ITL offline | ITL server |'
\qecho '| --- | --- | --- | --- | --- | --- |'
SELECT pg_temp.by_group('LOGO', true);
\qecho
\qecho '## LLMs by size, unseen'
\qecho
\qecho 'MdAPE under LOLO, `wattgpu-paper` / `wattgpu-1` (rate and lengths given); total parameters in 10^9.'
\qecho
\qecho '| parameters | runs | power offline | power server | ITL offline | ITL server |'
\qecho '| --- | --- | --- | --- | --- | --- |'
SELECT pg_temp.by_group('LOLO', false);
\qecho
\qecho '## Chance'
\qecho
SELECT format(E'MdAPE of `wattgpu-1` (seed 0), and the range and median of its recipe with the seeds 0 to %s. Within such a range, better and worse are luck,\n'
	'that of seed 0 as well:', max(seed)) FROM seeds;
\qecho
\qecho '| | CV | LOGO | LOLO |'
\qecho '| --- | --- | --- | --- |'
SELECT pg_temp.row_of(VARIADIC array[format('%s %s', CASE target WHEN 'itl' THEN 'ITL' ELSE target END, subset)] || array_agg(spread ORDER BY s))
FROM (SELECT target, subset, s, format('%s (%s to %s, %s)', pg_temp.shown(min(mdape) FILTER (WHERE shipped)), pg_temp.shown(min(mdape)), pg_temp.shown(max(mdape)),
		pg_temp.shown(percentile_cont(0.5) WITHIN GROUP (ORDER BY mdape))) AS spread FROM seed_figures GROUP BY target, subset, s) c
	JOIN targets USING (target) JOIN subsets USING (subset)
GROUP BY t, u, target, subset ORDER BY t, u;
\qecho
\qecho '## What it does not say'
\qecho
\qecho '- Eight cards of one vendor are eight folds: LOGO says little about a ninth family. The form of `wattgpu-1` was chosen on these eight as'
\qecho '  well, so its LOGO figures flatter it. `wattgpu_predict` says `extrapolated` where a spec is out of range.'
\qecho '- Dense LLMs only. Mixtures of experts, quantised weights, several GPUs and other servers than vLLM are predicted, but were not checked here.'
SELECT format('- Prompts have %s to %s tokens and answers %s to %s (means of a run). Long contexts were not measured.',
	round(min(prompt_tokens)::numeric), round(max(prompt_tokens)::numeric), round(min(output_tokens)::numeric), round(max(output_tokens)::numeric))
FROM held_out WHERE method = '`wattgpu-1`' AND strategy = 'LOGO' AND target = 'power';
\qecho '- A median hides single cards and sizes: offline ITL of one card can be far off, and so can the smallest LLMs; see their tables. Hosts and'
\qecho '  server versions count there, and no spec tells them.'
\o
ROLLBACK;
