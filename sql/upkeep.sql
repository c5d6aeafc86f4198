-- What is missing or cannot be true in the catalogue.
-- An upgrade script never overwrites a user's row: it inserts with ON CONFLICT DO NOTHING and updates only WHERE builtin, with the
-- triggers wattgpu_own_row disabled meanwhile, since they would make its rows the user's.

CREATE FUNCTION @extschema@.wattgpu_catalog_check()
RETURNS TABLE (relation text, name text, builtin boolean, problem text, disables text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
	SELECT p.relation, p.name, p.builtin, p.problem, p.disables FROM (
		SELECT 'wattgpu_gpus', g.gpu, g.builtin, 'no ' || m.lacking, concat_ws(', ', 'power',
			CASE WHEN m.lacking = ANY (string_to_array(@extschema@.wattgpu_gpu_lacks(g, false, false, true), ', ')) THEN 'latency' END,
			CASE WHEN m.lacking = @extschema@.wattgpu_gpu_lacks(g, false, false, false) THEN 'fit' END)
		FROM @extschema@.wattgpu_gpus g, unnest(string_to_array(@extschema@.wattgpu_gpu_lacks(g, true, true, true), ', ')) m (lacking)
		UNION ALL
		SELECT 'wattgpu_llms', l.llm, l.builtin, 'no ' || m.lacking, concat_ws(', ', 'power', 'latency',
			CASE WHEN m.lacking = ANY (string_to_array(@extschema@.wattgpu_llm_lacks(l, false), ', ')) THEN 'fit' END)
		FROM @extschema@.wattgpu_llms l, unnest(string_to_array(@extschema@.wattgpu_llm_lacks(l, true), ', ')) m (lacking)
		UNION ALL
		-- In numeric, which neither over- nor underflows. Bounds are several times what any shipped card has, where they only find slips of units.
		SELECT 'wattgpu_gpus', g.gpu, g.builtin, c.problem, NULL
		FROM @extschema@.wattgpu_gpus g, LATERAL (SELECT
			2e-6 * g.shading_units * g.boost_clock_mhz::numeric AS fp32_tflops,
			-- in transfers a clock as TechPowerUp writes clocks
			g.memory_clock_mhz::numeric * g.memory_bus_bits / 8000 * CASE upper(g.memory_type)
				WHEN 'HBM2' THEN 2 WHEN 'HBM2E' THEN 2 WHEN 'HBM3' THEN 4 WHEN 'HBM3E' THEN 4
				WHEN 'GDDR5' THEN 4 WHEN 'GDDR5X' THEN 8 WHEN 'GDDR6' THEN 8 WHEN 'GDDR6X' THEN 16 WHEN 'GDDR7' THEN 16
				WHEN 'LPDDR5' THEN 8 WHEN 'LPDDR5X' THEN 8 END AS bandwidth
			) x, LATERAL (VALUES
				(x.bandwidth NOT BETWEEN 0.9 * g.memory_bandwidth_gb_s::numeric AND 1.1 * g.memory_bandwidth_gb_s::numeric,
					format('memory_bandwidth_gb_s %s, but %s memory on %s bits at %s MHz makes %s', g.memory_bandwidth_gb_s, g.memory_type, g.memory_bus_bits, g.memory_clock_mhz, round(x.bandwidth))),
				-- twice as much where a vendor counts dual issue
				(g.fp32_tflops::numeric NOT BETWEEN 0.88 * x.fp32_tflops AND 1.12 * x.fp32_tflops
					AND g.fp32_tflops::numeric NOT BETWEEN 1.76 * x.fp32_tflops AND 2.24 * x.fp32_tflops,
					format('fp32_tflops %s, but %s shading units at %s MHz make %s', g.fp32_tflops, g.shading_units, g.boost_clock_mhz, round(x.fp32_tflops, 1))),
				(g.shading_units NOT BETWEEN 16 * g.streaming_multiprocessors::bigint AND 512 * g.streaming_multiprocessors::bigint,
					format('shading_units %s on %s multiprocessors', g.shading_units, g.streaming_multiprocessors)),
				(g.boost_clock_mhz NOT BETWEEN 100 AND 10000, format('boost_clock_mhz %s', g.boost_clock_mhz)),
				(g.fp16_tflops::numeric NOT BETWEEN 0.02 * g.tdp_w::numeric AND 12 * g.tdp_w::numeric, format('fp16_tflops %s at %s W', g.fp16_tflops, g.tdp_w)),
				(g.memory_bandwidth_gb_s::numeric NOT BETWEEN 0.1 * g.tdp_w::numeric AND 60 * g.tdp_w::numeric, format('memory_bandwidth_gb_s %s at %s W', g.memory_bandwidth_gb_s, g.tdp_w)),
				(g.memory_gb::numeric NOT BETWEEN 0.001 * g.memory_bandwidth_gb_s::numeric AND 3 * g.memory_bandwidth_gb_s::numeric,
					format('memory_gb %s at %s GB/s', g.memory_gb, g.memory_bandwidth_gb_s)),
				(g.fp8_tflops::numeric NOT BETWEEN 0.9 * g.fp16_tflops::numeric AND 3 * g.fp16_tflops::numeric, format('fp8_tflops %s beside fp16_tflops %s', g.fp8_tflops, g.fp16_tflops)),
				(g.memory_total_mib::numeric NOT BETWEEN 0.88 * 1024 * g.memory_gb::numeric AND 1.12 * 1024 * g.memory_gb::numeric, format('memory_total_mib %s, but memory_gb %s', g.memory_total_mib, g.memory_gb)),
				(g.idle_power_w > g.tdp_w - g.idle_power_w, format('idle_power_w %s is above half of tdp_w %s', g.idle_power_w, g.tdp_w)),
				(g.release_date > current_date, format('release_date %s is still to come', to_char(g.release_date, 'YYYY-MM-DD')))
			) c (wrong, problem)
		WHERE c.wrong
		UNION ALL
		SELECT 'wattgpu_llms', l.llm, l.builtin, c.problem, NULL
		FROM @extschema@.wattgpu_llms l, LATERAL (SELECT
			coalesce(l.active_params_b, CASE WHEN l.architecture = 'dense' THEN l.total_params_b END)::numeric AS active,
			-- a layer as GPT has it, of 12 matrices as wide as the model
			1e-9 * l.hidden_size * (12.0 * l.num_layers * l.hidden_size + l.vocab_size) AS rough,
			CASE WHEN l.architecture = 'dense' AND l.attention_kind IN ('mha', 'gqa', 'mqa') THEN 1e-9 * l.hidden_size * (l.vocab_size
				+ 2.0 * l.num_layers * coalesce(l.head_dim, l.hidden_size / l.num_attention_heads) * (l.num_attention_heads + l.num_key_value_heads)
				+ 2.0 * l.num_layers * l.intermediate_size) END AS least
			) r, LATERAL (SELECT r.least + 1e-9 * l.hidden_size * (l.vocab_size + 1.0 * l.num_layers * l.intermediate_size) AS most) m, LATERAL (VALUES
				-- from two matrices of an MLP and tied embeddings to three and two; otherwise a slip by ten shows
				(CASE WHEN r.least IS NOT NULL THEN r.active NOT BETWEEN 0.7 * r.least AND 1.5 * m.most ELSE r.active NOT BETWEEN 0.08 * r.rough AND 6 * r.rough END,
					format('active_params_b %s, but the shape makes about %s', r.active, round(coalesce(m.most, r.rough), 2))),
				(l.num_experts_per_token < l.num_experts AND l.active_params_b = l.total_params_b,
					format('active_params_b is all of total_params_b %s, but a token uses %s of %s experts', l.total_params_b, l.num_experts_per_token, l.num_experts)),
				(l.active_params_b::numeric * l.num_experts < 0.9 * l.total_params_b::numeric * l.num_experts_per_token,
					format('active_params_b %s of %s is less than the share of %s of %s experts', l.active_params_b, l.total_params_b, l.num_experts_per_token, l.num_experts)),
				(l.quantization = 'none' AND l.weight_dtype NOT IN ('fp32', 'bf16', 'fp16')
					OR l.quantization NOT IN ('none', 'gguf') AND l.weight_dtype IN ('fp32', 'bf16', 'fp16'), format('weight_dtype %s with quantization %s', l.weight_dtype, l.quantization))
			) c (wrong, problem)
		WHERE c.wrong
		UNION ALL
		-- canonical names are looked up first
		SELECT 'wattgpu_gpu_aliases', a.alias, a.builtin, format('stands for %s, but is the name of a card itself', a.gpu), NULL
		FROM @extschema@.wattgpu_gpu_aliases a JOIN @extschema@.wattgpu_gpus g ON lower(g.gpu COLLATE "C") = lower(a.alias COLLATE "C") AND g.gpu <> a.gpu
		UNION ALL
		SELECT 'wattgpu_llm_aliases', a.alias, a.builtin, format('stands for %s, but is the name of an LLM itself', a.llm), NULL
		FROM @extschema@.wattgpu_llm_aliases a JOIN @extschema@.wattgpu_llms l ON lower(l.llm COLLATE "C") = lower(a.alias COLLATE "C") AND l.llm <> a.llm
		UNION ALL
		-- a GPU's punctuation does not tell cards apart, an LLM's does
		SELECT 'wattgpu_gpu_aliases', a.alias, a.builtin, format('stands for %s, but without punctuation also for %s', a.gpu, a.others), NULL
		FROM (
			SELECT s.*, (SELECT string_agg(DISTINCT o.gpu, ', ') FROM unnest(s.cards) o (gpu) WHERE o.gpu <> s.gpu) AS others
			FROM (
				SELECT n.*, array_agg(n.gpu) OVER (PARTITION BY regexp_replace(lower(n.alias COLLATE "C"), '[-_./ ]+', '', 'g')) AS cards
				FROM (
					SELECT al.alias, al.gpu, al.builtin, true AS is_alias FROM @extschema@.wattgpu_gpu_aliases al
					WHERE NOT EXISTS (SELECT FROM @extschema@.wattgpu_gpus g WHERE lower(g.gpu COLLATE "C") = lower(al.alias COLLATE "C"))
					UNION ALL
					SELECT g.gpu, g.gpu, g.builtin, false FROM @extschema@.wattgpu_gpus g
				) n
			) s
		) a WHERE a.is_alias AND a.others IS NOT NULL
		UNION ALL
		SELECT 'wattgpu_cloud_instances', format('%s %s', i.provider, i.instance_type), i.builtin, format('%s x %s, but in another case %s x %s', i.gpu_count, i.gpu, o.gpu_count, o.gpu), NULL
		FROM @extschema@.wattgpu_cloud_instances i JOIN @extschema@.wattgpu_cloud_instances o
			ON lower(o.provider COLLATE "C") = lower(i.provider COLLATE "C") AND lower(o.instance_type COLLATE "C") = lower(i.instance_type COLLATE "C")
			AND (o.gpu, o.gpu_count) <> (i.gpu, i.gpu_count)
	) p (relation, name, builtin, problem, disables)
	ORDER BY p.relation, p.name COLLATE "C", p.problem COLLATE "C"
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_catalog_check() IS
'What is missing or implausible in the catalogue, shipped rows and yours: one row a problem, by relation and name. disables: for a missing spec the predictions that are NULL without it, of power, latency (and with it throughput and energy) and fit; NULL for an implausible figure or an alias that misleads, which disable none and make some wrong. Figures are compared with one another (bandwidth with memory clock and bus, fp32 rate with shaders and clock, parameters with the shape, rates and bandwidth with the power limit), with wide bounds: a card that is odd but true may be left as it is.';
