-- All that the page shows, as one JSON document. The rankings are those of the fleet's LLMs; without a fleet, of one LLM.
SELECT jsonb_build_object(
	'built_at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
	'version', (SELECT extversion FROM pg_extension WHERE extname = 'wattgpu'),
	'span', (SELECT jsonb_build_object('first', min(period_start) AT TIME ZONE 'UTC', 'last', max(period_end) AT TIME ZONE 'UTC') FROM wattgpu_bi.energy),
	'model_versions', (SELECT jsonb_agg(jsonb_build_object('target', m.target, 'model', m.model, 'sha256', m.booster_sha256, 'trained_with', m.wattgpu_version) ORDER BY m.target DESC)
		FROM wattgpu_models m WHERE m.model = (SELECT d.model FROM wattgpu_default_models d WHERE d.target = m.target ORDER BY d.set_at DESC LIMIT 1)),
	'total', (SELECT to_jsonb(t) FROM wattgpu_bi.energy_total t),
	'models', (SELECT coalesce(jsonb_agg(to_jsonb(m) || to_jsonb(p) ORDER BY m.gpu_kwh DESC NULLS LAST, m.llm), '[]')
		FROM wattgpu_bi.energy_by_model m JOIN wattgpu_bi.power_by_model p ON p.llm IS NOT DISTINCT FROM m.llm),
	'problems', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.deployment, p.gpu_unknown DESC, p.problem), '[]') FROM (
		SELECT deployment, site, gpu, llm, problem, bool_or(gpu_unknown) AS gpu_unknown FROM wattgpu_bi.problems GROUP BY deployment, site, gpu, llm, problem) p),
	'rankings', (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY r.llm, r.scenario, r.rank, r.gpu), '[]') FROM (
		SELECT scenario, llm, rank, gpu, power_w, power_lo_w, power_hi_w, itl_s, itl_lo_s, itl_hi_s, energy_j_per_token,
			energy_lo_j_per_token, energy_hi_j_per_token, pareto, distinguishable, basis, reason
		FROM wattgpu_bi.rankings WHERE llm IN (
			SELECT e.llm FROM wattgpu_bi.energy e
			UNION ALL SELECT 'meta-llama/Llama-3.1-8B-Instruct' WHERE NOT EXISTS (SELECT FROM wattgpu_bi.energy))) r)
);
