-- Cards, LLMs and scenarios given as rows

-- Rows of the catalogue give what their names give
SELECT count(*) > 10000 AS many, count(*) FILTER (WHERE wattgpu_power(g, l, s) IS DISTINCT FROM wattgpu_power(g.gpu, l.llm, s.scenario)) AS power,
	count(*) FILTER (WHERE wattgpu_itl(g, l, s) IS DISTINCT FROM wattgpu_itl(g.gpu, l.llm, s.scenario)) AS itl
FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s;
SELECT count(*) > 1000 AS many, count(*) FILTER (WHERE to_jsonb(r) - '{measured_power_w,measured_itl_s,basis}'::text[]
	IS DISTINCT FROM to_jsonb(n) - '{measured_power_w,measured_itl_s,basis}'::text[]) AS different
FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s, wattgpu_predict(g, l, s) r, wattgpu_predict(g.gpu, l.llm, s.scenario) n
WHERE g.gpu IN ('NVIDIA A30', 'NVIDIA H100 NVL', 'AMD Instinct MI300X');
SELECT count(*) FILTER (WHERE wattgpu_power(g, l, s, model => 'wattgpu-paper') IS DISTINCT FROM wattgpu_power(g.gpu, l.llm, s.scenario, model => 'wattgpu-paper')) AS paper,
	count(*) FILTER (WHERE wattgpu_itl(g, l, s, num_gpus => 2) IS DISTINCT FROM wattgpu_itl(g.gpu, l.llm, s.scenario, num_gpus => 2)) AS two_cards
FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s WHERE g.gpu IN ('NVIDIA A30', 'NVIDIA H100 NVL');

CREATE TEMPORARY VIEW a30 AS SELECT g, l, s FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s
WHERE gpu = 'NVIDIA A30' AND llm = 'meta-llama/Llama-3.1-8B-Instruct' AND scenario = 'server_high';

-- A card that was never built: twice the bandwidth at the same TDP is faster
SELECT wattgpu_itl(jsonb_populate_record(g, '{"memory_bandwidth_gb_s": 1866}'), l, s) < wattgpu_itl(g, l, s) AS faster FROM a30;
-- It is a stranger, whatever name it carries: predicted alike under either, and with a wider interval
WITH cards AS (
	SELECT g AS own, jsonb_populate_record(g, '{"memory_bandwidth_gb_s": 1866}') AS same_name,
		jsonb_populate_record(g, '{"memory_bandwidth_gb_s": 1866, "gpu": "A30 with HBM3"}') AS other_name,
		jsonb_populate_record(g, '{"memory_bandwidth_gb_s": 1866, "gpu": null}') AS no_name, l, s
	FROM a30)
SELECT wattgpu_power(same_name, l, s) = wattgpu_power(other_name, l, s) AS power, wattgpu_itl(same_name, l, s) = wattgpu_itl(other_name, l, s) AS itl,
	wattgpu_power(no_name, l, s) = wattgpu_power(other_name, l, s) AS nameless, o.gpu, n.gpu, p.gpu AS kept,
	o.power_hi_w / o.power_w > k.power_hi_w / k.power_w AS wider
FROM cards, wattgpu_predict(other_name, l, s) o, wattgpu_predict(no_name, l, s) n, wattgpu_predict(same_name, l, s) p, wattgpu_predict(own, l, s) k;

-- The same card under another name is another card to the model, which knows the A30 by name
SELECT wattgpu_power(jsonb_populate_record(g, '{"gpu": "A30 by another name"}'), l, s) <> wattgpu_power(g, l, s) AS unlike FROM a30;
-- A fine-tuned LLM has its base's shape under a name of its own
SELECT p.llm, p.power_w IS NOT NULL AS predicted, p.itl_hi_s / p.itl_lo_s > k.itl_hi_s / k.itl_lo_s AS wider
FROM a30, wattgpu_predict(g, jsonb_populate_record(l, '{"llm": "acme/Llama-3.1-8B-support"}'), s) p, wattgpu_predict(g, l, s) k;
-- A scenario of one's own is the workload that the arguments give
SELECT wattgpu_power(g, l, jsonb_populate_record(s, '{"arrival_rate_qps": 1.5, "prompt_tokens": 900, "output_tokens": 300}'))
	= wattgpu_power((g).gpu, (l).llm, (s).scenario, arrival_rate_qps => 1.5, prompt_tokens => 900, output_tokens => 300) AS same FROM a30;
-- A model that knows scenarios by name knows them as they were
SELECT wattgpu_power(g, l, jsonb_populate_record(s, '{"arrival_rate_qps": 1.5}'), model => 'wattgpu-paper') FROM a30;
SELECT wattgpu_power(g, l, jsonb_populate_record(s, '{"scenario": "mine"}'), model => 'wattgpu-paper') FROM a30;

-- A stored row that was changed is a stranger as well, and what was measured was of the card as it was; a measured idle power changes no card
BEGIN;
UPDATE wattgpu_gpus SET memory_bandwidth_gb_s = 1866 WHERE gpu = 'NVIDIA A30';
SELECT basis, measured_power_w, power_w = wattgpu_power(jsonb_populate_record(g, '{"gpu": "another"}'), l, s) AS stranger
FROM a30, wattgpu_predict('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct');
ROLLBACK;
BEGIN;
UPDATE wattgpu_llms SET num_key_value_heads = 32, attention_kind = 'mha' WHERE llm = 'meta-llama/Llama-3.1-8B-Instruct';
SELECT basis, output_tokens FROM wattgpu_predict('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct');
ROLLBACK;
BEGIN;
SELECT p.itl_s AS itl_s, p.power_w AS power_w FROM wattgpu_predict('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct') p \gset
UPDATE wattgpu_gpus SET idle_power_w = 35 WHERE gpu = 'NVIDIA A30';
SELECT basis, itl_s = :itl_s AS same_itl, power_w <> :power_w AS other_power FROM wattgpu_predict('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct');
ROLLBACK;

-- A rate by position is a rate, whatever number it is written as
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'server_high', 1) = wattgpu_power('NVIDIA A30', 'openai-community/gpt2', 'server_high', 1.0) AS same;

-- An unknown spec stays unknown; what does not fit gives NULL
SELECT wattgpu_power(jsonb_populate_record(g, '{"tdp_w": null}'), l, s) AS no_tdp,
	wattgpu_power(jsonb_populate_record(g, '{"memory_gb": 8, "memory_total_mib": null}'), l, s) AS does_not_fit, p.fits
FROM a30, wattgpu_predict(jsonb_populate_record(g, '{"memory_gb": 8, "memory_total_mib": null}'), l, s) p;
SELECT wattgpu_power(NULL::wattgpu_gpus, l, s) AS gpu, wattgpu_itl(g, NULL::wattgpu_llms, s) AS llm, wattgpu_power(g, l, NULL::wattgpu_scenarios) AS scenario,
	wattgpu_predict(g, l, NULL::wattgpu_scenarios) AS predicted, wattgpu_power(g, l, s, num_gpus => NULL) AS num_gpus FROM a30;
SELECT wattgpu_power(g, l, s, num_gpus => 0) FROM a30;
SELECT wattgpu_power(g, l, s, model => 'no such model') FROM a30;

-- What the tables refuse is refused as a row as well. For each column and value: whether the table takes it, and the function.
CREATE FUNCTION pg_temp.takes(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RAISE SQLSTATE 'TAKEN'; -- and undone
EXCEPTION WHEN SQLSTATE 'TAKEN' THEN
	RETURN 'takes';
WHEN check_violation OR not_null_violation THEN
	RETURN 'refuses';
WHEN invalid_parameter_value THEN
	RETURN 'refuses';
WHEN numeric_value_out_of_range OR invalid_text_representation OR datetime_field_overflow OR invalid_datetime_format THEN
	RETURN 'cannot hold';
END $$;
CREATE TEMPORARY TABLE tried AS
SELECT c.relname, a.attname, v.value,
	pg_temp.takes(format('UPDATE %I SET %I = %L WHERE %I = %L', c.relname, a.attname, v.value, k.key, k.name)) AS by_table,
	pg_temp.takes(format($q$SELECT wattgpu_itl(%s, %s, %s) FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s
		WHERE gpu = 'NVIDIA A30' AND llm = 'meta-llama/Llama-3.1-8B-Instruct' AND scenario = 'server_high'$q$,
		CASE k.letter WHEN 'g' THEN changed ELSE 'g' END, CASE k.letter WHEN 'l' THEN changed ELSE 'l' END,
		CASE k.letter WHEN 's' THEN changed ELSE 's' END)) AS by_function
FROM (VALUES ('wattgpu_gpus', 'gpu', 'NVIDIA A30', 'g'), ('wattgpu_llms', 'llm', 'meta-llama/Llama-3.1-8B-Instruct', 'l'),
		('wattgpu_scenarios', 'scenario', 'server_high', 's')) k (relation, key, name, letter)
	JOIN pg_class c ON c.oid = k.relation::regclass
	JOIN pg_attribute a ON a.attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attname <> ALL (ARRAY['builtin', k.key]),
	unnest(ARRAY['-1', '0', '1e-320', '0.5', '1', '7', '65536', '2000000', '1e9', '1e300', 'NaN', 'Infinity', '-Infinity', '1985-01-01', '2150-01-01', '', 'dense', 'no such word', 'fp8', 'a b']) v (value),
	format('jsonb_populate_record(%s, %L)', k.letter, jsonb_build_object(a.attname, v.value)) changed;
SELECT count(*) > 500 AS many, count(*) FILTER (WHERE by_table = 'takes') > 50 AS some_taken, count(*) FILTER (WHERE by_table = 'refuses') > 100 AS some_refused FROM tried;
-- They agree but for columns that no prediction uses, which the function does not look at
SELECT relname, attname, array_agg(value ORDER BY value COLLATE "C") FROM tried
WHERE by_table <> by_function AND NOT (by_table = 'refuses' AND by_function = 'takes' AND attname IN
	('manufacturer', 'tensor_cores', 'memory_clock_mhz', 'memory_bus_bits', 'fp8_tflops', 'form_factor', 'intermediate_size', 'max_position_embeddings'))
GROUP BY 1, 2 ORDER BY 1, 2;

-- The messages
SELECT wattgpu_power(jsonb_populate_record(g, '{"tdp_w": -165}'), l, s) FROM a30;
SELECT wattgpu_power(jsonb_populate_record(g, '{"tdp_w": "NaN"}'), l, s) FROM a30;
SELECT wattgpu_power(jsonb_populate_record(g, '{"idle_power_w": 170}'), l, s) FROM a30;
SELECT wattgpu_power(g, jsonb_populate_record(l, '{"weight_dtype": "fp7"}'), s) FROM a30;
SELECT wattgpu_power(g, jsonb_populate_record(l, '{"num_key_value_heads": 5}'), s) FROM a30;
SELECT wattgpu_power(g, l, jsonb_populate_record(s, '{"prompt_tokens": null}')) FROM a30;

-- The same call site meets good rows after bad ones, and a table that was altered meanwhile
DO $$
DECLARE
	card wattgpu_gpus;
	other wattgpu_llms;
	w wattgpu_scenarios;
	before double precision;
	after double precision;
BEGIN
	SELECT * INTO card FROM wattgpu_gpus WHERE gpu = 'NVIDIA A30';
	SELECT * INTO other FROM wattgpu_llms WHERE llm = 'meta-llama/Llama-3.1-8B-Instruct';
	SELECT * INTO w FROM wattgpu_scenarios WHERE scenario = 'server_high';
	before := wattgpu_power(card, other, w);
	FOR tdp IN -1 .. 1 LOOP
		BEGIN
			card.tdp_w := tdp * 165;
			after := wattgpu_power(card, other, w);
		EXCEPTION WHEN invalid_parameter_value THEN
			RAISE NOTICE 'refused at %', card.tdp_w;
		END;
	END LOOP;
	RAISE NOTICE 'the same afterwards: %', before = after;
END $$;
BEGIN;
ALTER TABLE wattgpu_gpus ADD COLUMN rack text;
ALTER TABLE wattgpu_gpus DROP COLUMN manufacturer;
SELECT wattgpu_power(g, l, s) = wattgpu_power(g.gpu, l.llm, s.scenario) AS same FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s
WHERE gpu = 'NVIDIA A30' AND llm = 'meta-llama/Llama-3.1-8B-Instruct' AND scenario = 'server_high';
ROLLBACK;

-- What was predicted just before does not matter: cards, LLMs, lengths, regimes and limits in turns, and each kind by itself
CREATE TEMPORARY TABLE in_turns AS
SELECT row_number() OVER (ORDER BY gpu, llm, scenario, tokens, limit_w) AS n, g, l, limit_w,
	jsonb_populate_record(s, jsonb_build_object('output_tokens', tokens, 'builtin', false)) AS s
FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s, (VALUES (NULL), (50), (500)) v (tokens), (VALUES (NULL), (120.0)) w (limit_w)
WHERE gpu IN ('NVIDIA A30', 'NVIDIA H100 PCIe', 'NVIDIA GeForce RTX 4090') AND llm IN ('meta-llama/Llama-3.1-8B-Instruct', 'Qwen/Qwen2.5-7B-Instruct', 'microsoft/phi-4');
CREATE FUNCTION pg_temp.in_turn(predictor text, by text) RETURNS TABLE (n bigint, figure double precision) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT n, %s(g, l, s, power_limit_w => limit_w) FROM (SELECT * FROM in_turns ORDER BY %s OFFSET 0) t', $1, by);
END $$;
SELECT v.figure, count(*), count(a.figure) AS known, count(*) FILTER (WHERE (b, c) IS DISTINCT FROM (a, a)) AS different
FROM (VALUES ('wattgpu_power'), ('wattgpu_itl')) v (figure), pg_temp.in_turn(v.figure, 'n') a JOIN pg_temp.in_turn(v.figure, 'md5(n::text)') b USING (n)
	JOIN pg_temp.in_turn(v.figure, '(l).llm, (g).gpu, (s).output_tokens, limit_w, md5(n::text)') c USING (n)
GROUP BY v.figure ORDER BY v.figure;

-- A scenario without a name is any workload to a physical model, and none to one that knows scenarios by their names
SELECT wattgpu_power(g, l, jsonb_populate_record(s, '{"scenario": null}')) = wattgpu_power(g, l, jsonb_populate_record(s, '{"scenario": "mine"}')) AS same FROM a30;
SELECT wattgpu_power(g, l, jsonb_populate_record(s, '{"scenario": null}'), model => 'wattgpu-paper') FROM a30;
SELECT power_w FROM a30, wattgpu_predict(g, l, jsonb_populate_record(s, '{"scenario": null}'), model => 'wattgpu-paper');

-- A power and an ITL that were trained on different cards: by row as by name, in each function
BEGIN;
CREATE TEMPORARY TABLE few AS SELECT * FROM wattgpu_measurements WHERE gpu NOT IN ('NVIDIA A30', 'NVIDIA L4') AND llm NOT LIKE '%Llama-3.1-8B%';
SELECT count(*) FROM (VALUES (1, 'itl', 'fewer', 'few'), (2, 'power', 'fewer', 'wattgpu_measurements'), (3, 'itl', 'other', 'wattgpu_measurements'), (4, 'power', 'other', 'few'))
	v (n, target, model, measurements), wattgpu_train(target, model, measurements => measurements::regclass);
SELECT wattgpu_set_default('other', 'power'), wattgpu_set_default('fewer', 'itl');
SELECT limit_w, count(r.power_w) AS powers, count(r.itl_s) AS itls,
	count(*) FILTER (WHERE (r.power_w, r.itl_s) IS DISTINCT FROM (n.power_w, n.itl_s)) AS predict,
	count(*) FILTER (WHERE wattgpu_power(g, l, s, power_limit_w => limit_w) IS DISTINCT FROM wattgpu_power(g.gpu, l.llm, s.scenario, power_limit_w => limit_w)) AS power,
	count(*) FILTER (WHERE wattgpu_itl(g, l, s, power_limit_w => limit_w) IS DISTINCT FROM wattgpu_itl(g.gpu, l.llm, s.scenario, power_limit_w => limit_w)) AS itl,
	count(*) FILTER (WHERE wattgpu_itl(g, l, s, 'fewer', power_limit_w => limit_w) IS DISTINCT FROM wattgpu_itl(g.gpu, l.llm, s.scenario, model => 'fewer', power_limit_w => limit_w)) AS itl_of_fewer
FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s, (VALUES (NULL), (100.0)) v (limit_w),
	wattgpu_predict(g, l, s, power_limit_w => limit_w) r, wattgpu_predict(g.gpu, l.llm, s.scenario, power_limit_w => limit_w) n
WHERE g.gpu IN ('NVIDIA A30', 'NVIDIA L4', 'NVIDIA H200', 'NVIDIA H100 PCIe') AND l.llm IN ('meta-llama/Llama-3.1-8B-Instruct', 'Qwen/Qwen3-8B', 'microsoft/phi-4')
GROUP BY limit_w ORDER BY limit_w;
ROLLBACK;
