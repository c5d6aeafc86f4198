-- All that the page shows, as one JSON document. What is many is counted: LLMs beyond the 30 that draw most have no ranking here,
-- deployments with problems are the first 50 of a kind, cards without a rank a number for each reason. Without a fleet one LLM is ranked.
-- Compiling it would take far longer than it runs.
SET jit = off;
WITH models AS MATERIALIZED (
	SELECT m.llm, row_number() OVER (ORDER BY m.gpu_kwh DESC NULLS LAST, m.llm) AS place, to_jsonb(m) || to_jsonb(p) AS figures
	FROM wattgpu_bi.energy_by_model m JOIN wattgpu_bi.power_by_model p ON p.llm IS NOT DISTINCT FROM m.llm
), cards AS MATERIALIZED (
	-- the page lists the first 15; the others are points of a chart
	SELECT r.llm, r.scenario, r.rank, r.gpu, r.reason, row_number() OVER (PARTITION BY r.llm, r.scenario ORDER BY r.rank, r.gpu) > 15 AS point, r.power_w, r.power_lo_w, r.power_hi_w,
		r.itl_s, r.itl_lo_s, r.itl_hi_s, r.energy_j_per_token, r.energy_lo_j_per_token, r.energy_hi_j_per_token, r.pareto, r.distinguishable, r.basis
	FROM (
		SELECT m.llm FROM models m WHERE m.place <= 30
		UNION ALL SELECT 'meta-llama/Llama-3.1-8B-Instruct' WHERE NOT EXISTS (SELECT FROM models)
	) m, LATERAL (SELECT * FROM wattgpu_bi.rankings r WHERE r.llm = m.llm OFFSET 0) r
), left_out AS (
	SELECT c.llm, c.scenario, coalesce(replace(replace(c.reason, c.gpu, 'the GPU'), c.llm, 'the LLM'), c.reason) AS reason, count(c.gpu) AS cards
	FROM cards c WHERE c.rank IS NULL GROUP BY 1, 2, 3
), problems AS MATERIALIZED (
	SELECT p.*, dense_rank() OVER (PARTITION BY p.missing ORDER BY p.deployment) AS place
	FROM (
		-- the periods that a reason names are all of the deployment's, a row each in the view
		SELECT deployment, site, gpu, llm, regexp_replace(problem, ' for \d{4,}-\d\d-\d\d \d\d:\d\d to \d{4,}-\d\d-\d\d \d\d:\d\d UTC(?=$|,)', '') AS problem,
			bool_or(gpu_unknown) AS gpu_unknown, bool_or(bool_or(gpu_unknown)) OVER (PARTITION BY deployment) AS missing
		FROM wattgpu_bi.problems GROUP BY 1, 2, 3, 4, 5
	) p
)
SELECT jsonb_build_object(
	'built_at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
	'version', (SELECT extversion FROM pg_extension WHERE extname = 'wattgpu'),
	'span', (SELECT jsonb_build_object('first', to_char(min(period_start) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'last', to_char((max(period_end) - interval '1 microsecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
		FROM wattgpu_bi.energy),
	'model_versions', (SELECT jsonb_agg(jsonb_build_object('target', m.target, 'model', m.model, 'sha256', m.booster_sha256, 'trained_with', m.wattgpu_version) ORDER BY m.target DESC)
		FROM wattgpu_models m WHERE m.model = (SELECT d.model FROM wattgpu_default_models d WHERE d.target = m.target ORDER BY d.set_at DESC LIMIT 1)),
	'total', (SELECT to_jsonb(t) || to_jsonb(p) FROM wattgpu_bi.energy_total t, wattgpu_bi.power_total p),
	'models', (SELECT coalesce(jsonb_agg(m.figures ORDER BY m.place), '[]') FROM models m),
	'problems', (SELECT jsonb_build_object('missing', coalesce(max(p.place) FILTER (WHERE p.missing), 0), 'gaps', coalesce(max(p.place) FILTER (WHERE NOT p.missing), 0),
		'rows', coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.place, p.gpu_unknown DESC, p.problem) FILTER (WHERE p.place <= 50), '[]')) FROM problems p),
	'rankings', (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY r.llm, r.scenario), '[]') FROM (
		SELECT c.llm, c.scenario, coalesce(jsonb_agg(to_jsonb(c) - '{llm,scenario,reason,point}'::text[]
				- CASE WHEN c.point THEN '{power_w,power_lo_w,power_hi_w,itl_lo_s,itl_hi_s,energy_lo_j_per_token,energy_hi_j_per_token,distinguishable}'::text[] ELSE '{}' END
				ORDER BY c.rank, c.gpu) FILTER (WHERE c.rank IS NOT NULL), '[]') AS ranked,
			(SELECT coalesce(jsonb_agg(jsonb_build_object('reason', l.reason, 'cards', l.cards) ORDER BY l.cards DESC, l.reason), '[]')
				FROM left_out l WHERE l.llm = c.llm AND l.scenario = c.scenario) AS left_out
		FROM cards c GROUP BY c.llm, c.scenario) r)
);
