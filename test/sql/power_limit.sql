-- A card that is capped below its own limit: it draws no more, and answers slower where it would
CREATE TEMPORARY TABLE capped AS
SELECT g.gpu, tdp_w, share, p.power_w, p.power_hi_w, p.itl_s, p.extrapolated, p.out_of_range, free.power_w AS free_w, free.itl_s AS free_s,
	free.extrapolated AS free_extrapolated, tdp_w * share AS power_limit_w
FROM wattgpu_gpus g, generate_series(0.3, 1.1, 0.1) share, unnest(ARRAY['server_high', 'offline']) s,
	wattgpu_predict(g.gpu, 'meta-llama/Llama-3.1-8B-Instruct', s, power_limit_w => tdp_w * share) p, wattgpu_predict(g.gpu, 'meta-llama/Llama-3.1-8B-Instruct', s) free
WHERE tdp_w IS NOT NULL AND free.power_w IS NOT NULL;
SELECT count(*) > 1000 AS many, bool_and(power_w <= power_limit_w * (1 + 1e-12)) AS within, bool_and(power_hi_w <= power_limit_w * (1 + 1e-12)) AS interval_within,
	bool_and(power_w <= free_w * (1 + 1e-12)) AS no_more, bool_and(itl_s >= free_s) AS no_faster, count(*) FILTER (WHERE itl_s > free_s) > 300 AS often_slower,
	bool_and(itl_s = free_s AND power_w = free_w) FILTER (WHERE share >= 1) AS own_limit_is_none
FROM capped;
-- Whatever is slower says so, and that it is modelled; a cap that is never reached says nothing
SELECT bool_and(extrapolated AND out_of_range::text LIKE '%power_limit_w = %not by measurements%') FILTER (WHERE itl_s > free_s) AS flagged,
	bool_and(NOT out_of_range::text LIKE '%power_limit_w%') FILTER (WHERE share >= 1) AS own_limit_is_not, bool_and(extrapolated = free_extrapolated) FILTER (WHERE share >= 1) AS as_without
FROM capped;
-- A higher limit never means less power, or slower answers
SELECT count(*) FILTER (WHERE power_w < lower_w * (1 - 1e-12)) AS less_power, count(*) FILTER (WHERE itl_s > lower_s * (1 + 1e-12)) AS slower
FROM (SELECT *, lag(power_w) OVER w AS lower_w, lag(itl_s) OVER w AS lower_s FROM capped WINDOW w AS (PARTITION BY gpu, free_s ORDER BY share)) c;
-- By hand, offline, where the card draws D without a cap: the step takes sqrt((D - idle) / (limit - idle)) times as long, and the power is the limit
SELECT bool_and(abs(capped.itl_s / free.itl_s / sqrt((free.power_w - 60) / (limit_w - 60)) - 1) < 1e-9 AND abs(capped.power_w / limit_w - 1) < 1e-9) AS as_said
FROM (SELECT jsonb_populate_record(g, '{"idle_power_w": 60}') g, l, s FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s
	WHERE g.gpu = 'NVIDIA A100-SXM4-40GB' AND llm = 'meta-llama/Llama-3.1-8B-Instruct' AND scenario = 'offline') r, unnest(ARRAY[150, 250, 350]) limit_w,
	wattgpu_predict(g, l, s) free, wattgpu_predict(g, l, s, power_limit_w => limit_w) capped;
-- The same by function, by row and by name; and both functions agree with wattgpu_predict
SELECT wattgpu_power('NVIDIA A30', 'llama3.1:8b', power_limit_w => 120) = p.power_w AS power, wattgpu_itl('NVIDIA A30', 'llama3.1:8b', power_limit_w => 120) = p.itl_s AS itl,
	wattgpu_power(g, l, s, power_limit_w => 120) = p.power_w AS power_of_rows, wattgpu_itl(g, l, s, power_limit_w => 120) = p.itl_s AS itl_of_rows
FROM wattgpu_predict('NVIDIA A30', 'llama3.1:8b', power_limit_w => 120) p, wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s
WHERE g.gpu = 'NVIDIA A30' AND l.llm = p.llm AND s.scenario = 'server_high';
-- Each card has the limit
SELECT abs(two.power_w / 300 - 1) < 1e-9 AS both_at_150 FROM wattgpu_predict('NVIDIA A100-SXM4-40GB', 'meta-llama/Llama-3.1-8B-Instruct', 'offline', num_gpus => 2, power_limit_w => 150) two;
-- No prediction below what the idle card draws
SELECT power_w, itl_s, fits, cardinality(out_of_range) > 0 AS said FROM wattgpu_predict('NVIDIA A100-SXM4-40GB', 'gpt2', power_limit_w => 20);
SELECT wattgpu_itl('NVIDIA A100-SXM4-40GB', 'gpt2', power_limit_w => 20) AS itl_s;
-- Wrong ones
SELECT wattgpu_power('NVIDIA A30', 'gpt2', power_limit_w => 0);
SELECT wattgpu_itl('NVIDIA A30', 'gpt2', power_limit_w => 'NaN');
SELECT wattgpu_itl('NVIDIA A30', 'gpt2', power_limit_w => 'Infinity');
SELECT wattgpu_predict('NVIDIA A30', 'gpt2', power_limit_w => -5);
SELECT wattgpu_power('NVIDIA A30', 'gpt2', power_limit_w => 100, model => 'wattgpu-paper');
SELECT wattgpu_itl('NVIDIA A30', 'gpt2', power_limit_w => 100, model => 'wattgpu-paper');
