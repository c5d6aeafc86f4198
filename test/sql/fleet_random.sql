-- Reports of a random fleet, against a calculation of their own: from the input tables and wattgpu_predict alone, in joules, over
-- ranges that are intersected
\set VERBOSITY terse
BEGIN;
SET LOCAL TimeZone = 'Asia/Kolkata';
SET LOCAL wattgpu.unknown_name = 'null';
SELECT setseed(0.61);
SELECT (wattgpu_add_gpu('Acme X1', memory_gb => 48, memory_bandwidth_gb_s => 2000, tdp_w => 300, fp16_tflops => 400, streaming_multiprocessors => 100,
	boost_clock_mhz => 1800, memory_type => 'HBM3', process_nm => 5, idle_power_w => 50)).gpu;
INSERT INTO wattgpu_sites VALUES ('s0', 'A', 1.1, 0.3, 'EUR'), ('s1', 'B', 1.9, 0.1, 'USD'), ('s2', 'C', NULL, NULL, NULL), ('s3', NULL, 1.4, 0.2, 'EUR'), ('s4', 'none', 1.2, NULL, NULL);
-- A by the hour, with one that is missing; B by halves of an hour off the months; C by the year, only location
INSERT INTO wattgpu_grid_intensity
SELECT 'A', m, tstzrange(h, h + interval '1 hour'), 1000 * random(), 'hourly' FROM unnest(ARRAY['location', 'market']) m,
	generate_series('2024-01-01 00:00Z'::timestamptz, '2024-07-31 23:00Z', '1 hour') h WHERE (m, h) <> ('market', '2024-03-17 05:00Z')
UNION ALL SELECT 'B', m, tstzrange(d, d + interval '9 days 30 minutes'), 1000 * random(), 'odd' FROM unnest(ARRAY['location', 'market']) m,
	generate_series('2023-12-20 00:17Z'::timestamptz, '2024-07-31 23:00Z', '9 days 30 minutes') d
UNION ALL SELECT 'C', 'location', tstzrange '(2024-01-01Z,2025-01-01Z]', 77, 'yearly';
-- 100 deployments of three periods each, to the microsecond, in ranges of any ends
INSERT INTO wattgpu_deployments
SELECT 'd' || n, 's' || n % 6, (ARRAY['A30', 'acme x1', 'NVIDIA H100 80GB HBM3', 'Tesla T4', 'Acme 9000'])[least(5, 1 + floor(r[1] * 5.5))], (1 + floor(r[2] * 7)) * f.num, f.num,
	l.llm, CASE WHEN l.llm IS NOT NULL THEN (ARRAY['offline', 'server_high', 'server_low'])[1 + n % 3] END, tstzrange(p.start, p.stop, (ARRAY['[)', '(]', '[]', '()'])[1 + n % 4]),
	h.active, h.active + CASE WHEN n % 5 > 0 THEN (a.h - h.active) * r[3] ELSE 0 END,
	CASE WHEN r[4] < 0.85 THEN 100 * r[4] END, CASE WHEN r[5] < 0.3 THEN 2e4 * r[5] END, CASE WHEN r[5] < 0.3 THEN (ARRAY['gpu', 'node', 'facility'])[1 + n % 3] END,
	CASE WHEN r[6] < 0.2 THEN 1e9 * r[6] END, CASE WHEN r[7] < 0.7 THEN 50 * r[7] END
FROM (SELECT n, k, ARRAY[random(), random(), random(), random(), random(), random(), random(), random(), random(), random(), random()] AS r FROM generate_series(1, 100) n, generate_series(0, 2) k) x,
	LATERAL (SELECT '2024-01-01Z'::timestamptz + n * interval '11 hours 7 minutes' + k * interval '49 days') o (origin),
	LATERAL (SELECT o.origin + r[8] * interval '9 days', o.origin + interval '10 days' + r[9] * interval '38 days') p (start, stop),
	LATERAL (SELECT extract(epoch FROM p.stop - p.start)::float / 3600) a (h),
	LATERAL (SELECT CASE WHEN (n + k) % 7 = 0 THEN 0 ELSE a.h * r[10] END) h (active),
	LATERAL (SELECT CASE WHEN h.active > 0 OR n % 2 = 0 THEN (ARRAY['meta-llama/Llama-3.1-8B-Instruct', 'google/gemma-2-2b-it', 'acme/none'])[1 + floor(r[11] * 2.2)] END) l (llm),
	LATERAL (SELECT (ARRAY[1, 2, 4])[1 + (n + k) % 3]) f (num);

ANALYZE wattgpu_grid_intensity, wattgpu_deployments;

CREATE FUNCTION pg_temp.expected(asked tstzrange) RETURNS TABLE (deployment text, site text, gpu text, llm text, month date, period tstzrange, figures jsonb) LANGUAGE sql AS $$
	WITH months AS (
		SELECT ('2023-12-01'::date + i * interval '1 month')::date AS month, tstzrange(('2023-12-01'::date + i * interval '1 month') AT TIME ZONE 'UTC',
			('2023-12-01'::date + (i + 1) * interval '1 month') AT TIME ZONE 'UTC') AS span FROM generate_series(0, 11) i
	),
	plain AS (SELECT d.*, tstzrange(lower(d.period), upper(d.period)) AS whole FROM wattgpu_deployments d),
	piece AS (
		SELECT d.*, m.month, d.whole * m.span * asked AS piece, extract(epoch FROM upper(d.whole * m.span * asked) - lower(d.whole * m.span * asked))::float AS s,
			extract(epoch FROM upper(d.whole) - lower(d.whole))::float AS whole_s
		FROM plain d JOIN months m ON NOT isempty(d.whole * m.span * asked)
	),
	power AS (
		SELECT i.*, g.gpu AS card, a.power_w, a.power_lo_w, a.power_hi_w, a.output_tokens_per_s, a.basis, CASE WHEN g.idle_power_w IS NULL THEN 'extrapolated' ELSE 'measured' END AS idle_basis,
			coalesce(g.idle_power_w * i.num_gpus, z.power_w) AS idle_w, coalesce(g.idle_power_w * i.num_gpus, z.power_lo_w) AS idle_lo_w, coalesce(g.idle_power_w * i.num_gpus, z.power_hi_w) AS idle_hi_w
		FROM (SELECT DISTINCT p.gpu, p.llm, p.scenario, p.num_gpus FROM plain p) i
		LEFT JOIN wattgpu_gpus g ON g.gpu = wattgpu_canonical_gpu(i.gpu)
		LEFT JOIN LATERAL wattgpu_predict(i.gpu, i.llm, i.scenario, num_gpus => i.num_gpus) a ON true
		LEFT JOIN LATERAL wattgpu_predict(i.gpu, i.llm, i.scenario, num_gpus => i.num_gpus, arrival_rate_qps => 1e-9) z ON true
	),
	-- joules of one of the three: figure, lower end, upper end
	joules AS (
		SELECT p.*, w.card, w.output_tokens_per_s, w.basis, w.idle_basis, s.zone, s.pue, s.price_per_kwh, s.currency, e.way,
			p.gpus / p.num_gpus AS copies, 1.0 * p.node_overhead_w_per_gpu * p.gpus AS overhead_w,
			CASE e.way WHEN '' THEN w.power_w WHEN 'lo_' THEN w.power_lo_w ELSE w.power_hi_w END AS w, CASE e.way WHEN '' THEN w.idle_w WHEN 'lo_' THEN w.idle_lo_w ELSE w.idle_hi_w END AS i
		FROM piece p LEFT JOIN power w ON (w.gpu, w.num_gpus) = (p.gpu, p.num_gpus) AND w.llm IS NOT DISTINCT FROM p.llm AND w.scenario IS NOT DISTINCT FROM p.scenario
		LEFT JOIN wattgpu_sites s USING (site) CROSS JOIN (VALUES (''), ('lo_'), ('hi_')) e (way)
	),
	boundary AS (
		SELECT j.*, CASE j.measured_boundary
				WHEN 'gpu' THEN j.measured_kwh * 3.6e6 WHEN 'node' THEN j.measured_kwh * 3.6e6 - j.overhead_w * j.hours_reserved * 3600 WHEN 'facility' THEN j.measured_kwh * 3.6e6 / j.pue - j.overhead_w * j.hours_reserved * 3600
				ELSE j.active_j + j.idle_j END AS board_j, j.overhead_w * j.hours_reserved * 3600 AS overhead_j
		FROM (
			SELECT b.*, CASE WHEN b.hours_active > 0 THEN b.copies * b.w * b.hours_active * 3600 ELSE 0 END AS active_j,
				CASE WHEN b.hours_reserved > b.hours_active THEN b.copies * b.i * (b.hours_reserved - b.hours_active) * 3600 ELSE 0 END AS idle_j
			FROM joules b
		) j
	),
	outward AS (
		SELECT b.*, CASE WHEN b.board_j >= 0 THEN b.board_j END AS gpu_j,
			CASE b.measured_boundary WHEN 'node' THEN b.measured_kwh * 3.6e6 WHEN 'facility' THEN b.measured_kwh * 3.6e6 / b.pue ELSE b.board_j + b.overhead_j END AS node_j,
			CASE b.measured_boundary WHEN 'node' THEN b.measured_kwh * 3.6e6 * b.pue WHEN 'facility' THEN b.measured_kwh * 3.6e6 ELSE (b.board_j + b.overhead_j) * b.pue END AS facility_j
		FROM boundary b
	),
	air AS (
		SELECT p.zone, p.piece, g.method, sum(extract(epoch FROM upper(g.valid * p.piece) - lower(g.valid * p.piece))::float * g.co2e_g_per_kwh) / min(p.s) AS g_per_kwh
		FROM (SELECT DISTINCT zone, piece, s FROM outward) p JOIN wattgpu_grid_intensity g ON g.zone = p.zone AND g.valid && p.piece
		GROUP BY p.zone, p.piece, g.method HAVING range_agg(g.valid) @> multirange(tstzrange(lower(p.piece), upper(p.piece), '()'))
	),
	said AS (
		SELECT o.*, o.s / o.whole_s / 3.6e6 AS kwh, l.g_per_kwh AS l, m.g_per_kwh AS m,
			CASE WHEN o.measured_output_tokens IS NOT NULL THEN o.measured_output_tokens WHEN o.hours_active = 0 THEN 0 ELSE o.output_tokens_per_s * o.copies * o.hours_active * 3600 END * o.s / o.whole_s AS tokens
		FROM outward o LEFT JOIN air l ON (l.zone, l.piece, l.method) = (o.zone, o.piece, 'location') LEFT JOIN air m ON (m.zone, m.piece, m.method) = (o.zone, o.piece, 'market')
	)
	SELECT d.deployment, d.site, coalesce(d.card, d.gpu), d.llm, d.month, d.piece, jsonb_object_agg(f.name, f.value) FROM said d, LATERAL (VALUES
		('gpu_' || d.way || 'kwh', d.gpu_j * d.kwh), ('node_' || d.way || 'kwh', d.node_j * d.kwh), ('facility_' || d.way || 'kwh', d.facility_j * d.kwh),
		('location_co2e_' || d.way || 'kg', d.facility_j * d.kwh * d.l / 1000), ('market_co2e_' || d.way || 'kg', d.facility_j * d.kwh * d.m / 1000),
		('location_co2e_g_per_kwh', d.l), ('market_co2e_g_per_kwh', d.m), ('output_tokens', d.tokens), ('embodied_co2e_kg', d.embodied_co2e_kg * d.s / d.whole_s),
		('hours_active', d.hours_active * d.s / d.whole_s), ('hours_idle', (d.hours_reserved - d.hours_active) * d.s / d.whole_s), ('gpus', d.gpus),
		('power_' || d.way || 'w', CASE WHEN d.hours_active > 0 THEN d.w * d.copies END), ('cost', CASE WHEN d.way = '' THEN d.facility_j / 3.6e6 * d.s / d.whole_s * d.price_per_kwh END),
		-- of gpu_kwh
		('metered', CASE WHEN d.measured_boundary IS NOT NULL THEN d.gpu_j * d.kwh END), (d.basis, CASE WHEN d.measured_boundary IS NULL THEN d.active_j * d.kwh END),
		('idle ' || d.idle_basis, CASE WHEN d.measured_boundary IS NULL THEN d.idle_j * d.kwh END)) f (name, value)
	WHERE f.name IS NOT NULL AND (d.way = '' OR f.name ~ '_(lo|hi)_')
	GROUP BY d.deployment, d.site, d.card, d.gpu, d.llm, d.month, d.piece
$$;
CREATE FUNCTION pg_temp.differs(got double precision, expected double precision) RETURNS boolean LANGUAGE sql AS
$$ SELECT (got IS NULL) <> (expected IS NULL) OR abs(got - expected) > 1e-9 * abs(expected) $$;
-- how many of the figures are there, and which are not what they should be
CREATE FUNCTION pg_temp.compared(asked tstzrange) RETURNS TABLE (pieces bigint, figures integer, of_boards bigint, of_air bigint, wrong json[]) LANGUAGE sql AS $$
	SELECT count(DISTINCT (deployment, period)), round(count(f.value), -3), count(*) FILTER (WHERE f.name = 'gpu_kwh' AND f.value IS NOT NULL), count(*) FILTER (WHERE f.name = 'market_co2e_kg' AND f.value IS NOT NULL),
		(array_agg(json_build_array(deployment, period, f.*, to_jsonb(e) -> f.name)) FILTER (WHERE e IS NULL OR x IS NULL OR pg_temp.differs((to_jsonb(e) ->> f.name)::float, f.value::float)))[1:2]
	FROM pg_temp.expected(asked) x FULL JOIN wattgpu_energy(asked) e USING (deployment, month, period) LEFT JOIN LATERAL jsonb_each_text(x.figures) f (name, value) ON f.name ~ '_' OR f.name IN ('gpus', 'cost')
$$;
SELECT * FROM pg_temp.compared('(,)');
-- from an odd instant of a leap day to the last one of a month
SELECT * FROM pg_temp.compared('[2024-02-29 12:34:56.789012Z, 2024-03-31 23:59:59.999999Z)');

-- and of the sums
CREATE TEMPORARY TABLE piece ON COMMIT DROP AS
SELECT x.*, n.*, coalesce(n.measured, 0) + coalesce(n."idle measured", 0) AS of_measured, coalesce(n.extrapolated, 0) + coalesce(n."idle extrapolated", 0) AS of_extrapolated
FROM pg_temp.expected('(,)') x, LATERAL jsonb_to_record(x.figures) n (gpus float, hours_active float, hours_idle float, output_tokens float, embodied_co2e_kg float, cost float, gpu_kwh float, node_kwh float,
	facility_kwh float, location_co2e_kg float, market_co2e_kg float, metered float, measured float, predicted float, extrapolated float, "idle measured" float, "idle extrapolated" float);
CREATE TEMPORARY TABLE sums ON COMMIT DROP AS
WITH keyed AS (
	SELECT k.view, k.key, p.* FROM piece p, LATERAL (VALUES ('total', ARRAY[]::text[]), ('by_site', ARRAY[p.site]), ('by_model', ARRAY[p.llm]), ('by_month', ARRAY[p.month::text]),
		('by_site_month', ARRAY[p.site, p.month::text]), ('by_deployment', ARRAY[p.deployment, p.site, p.gpu, p.llm])) k (view, key)
),
added AS (
	SELECT k.view, k.key, f.name, sum(f.value::float), count(DISTINCT k.deployment) FILTER (WHERE f.value IS NULL) AS missing FROM keyed k, jsonb_each_text(k.figures) f (name, value) GROUP BY k.view, k.key, f.name
)
SELECT a.view, a.key, a.name, CASE WHEN a.name <> 'cost' OR a.missing = 0 AND NOT EXISTS (SELECT FROM keyed k JOIN wattgpu_sites s USING (site) WHERE (k.view, k.key) = (a.view, a.key) HAVING count(DISTINCT s.currency) > 1) THEN a.sum END AS value
FROM added a WHERE a.name ~ '^(gpu|node|facility|location_co2e|market_co2e)_(lo_|hi_)?k' OR a.name IN ('output_tokens', 'cost')
UNION ALL
SELECT a.view, a.key, 'missing_' || m.missing, a.missing FROM added a JOIN (VALUES ('gpu_kwh', 'gpu'), ('node_kwh', 'node'), ('facility_kwh', 'facility'), ('location_co2e_kg', 'location'),
	('market_co2e_kg', 'market'), ('output_tokens', 'tokens')) m (name, missing) USING (name)
UNION ALL
SELECT k.view, k.key, f.* FROM (
	SELECT view, key, count(DISTINCT deployment) AS deployments, sum(gpus * hours_active) AS active, sum(gpus * hours_idle) AS idle,
		-- a piece counts if all that the ratio is of is known
		sum(CASE WHEN gpu_kwh IS NOT NULL THEN output_tokens END) AS t, sum(CASE WHEN output_tokens IS NOT NULL THEN gpu_kwh END) AS tj,
		sum(CASE WHEN location_co2e_kg IS NOT NULL THEN output_tokens END) AS o, sum(CASE WHEN output_tokens IS NOT NULL THEN location_co2e_kg END) AS okg,
		bool_or(location_co2e_kg + output_tokens IS NOT NULL AND embodied_co2e_kg IS NULL) AS hardware_unknown, sum(CASE WHEN output_tokens IS NOT NULL THEN location_co2e_kg + embodied_co2e_kg END) AS ekg,
		sum(gpu_kwh) AS kwh, sum(CASE WHEN gpu_kwh IS NOT NULL THEN coalesce(metered, 0) END) AS metered, sum(CASE WHEN gpu_kwh IS NOT NULL THEN of_measured END) AS measured,
		sum(CASE WHEN gpu_kwh IS NOT NULL THEN coalesce(predicted, 0) END) AS predicted, sum(CASE WHEN gpu_kwh IS NOT NULL THEN of_extrapolated END) AS extrapolated
	FROM keyed GROUP BY view, key) k, LATERAL (VALUES
	('deployments', k.deployments), ('gpu_hours_active', k.active), ('gpu_hours_idle', k.idle), ('tokens_per_j', k.t / nullif(k.tj, 0) / 3.6e6),
	('sci_operational_g_per_1000_tokens', k.okg * 1000 / (nullif(k.o, 0) / 1000)), ('sci_g_per_1000_tokens', CASE WHEN NOT k.hardware_unknown THEN k.ekg * 1000 / (nullif(k.o, 0) / 1000) END),
	('share_metered', k.metered / nullif(k.kwh, 0)), ('share_measured', k.measured / nullif(k.kwh, 0)), ('share_predicted', k.predicted / nullif(k.kwh, 0)), ('share_extrapolated', k.extrapolated / nullif(k.kwh, 0))) f (name, value);
SELECT view, count(DISTINCT key) AS groups, count(*) / count(DISTINCT key) AS figures,
	(array_agg(json_build_array(key, name, value, v.figures -> name)) FILTER (WHERE v IS NULL OR s IS NULL OR pg_temp.differs((v.figures ->> name)::float, value)))[1:2] AS wrong
FROM sums s FULL JOIN (
	SELECT 'total', ARRAY[]::text[], to_jsonb(v) FROM wattgpu_energy_total v UNION ALL SELECT 'by_site', ARRAY[site], to_jsonb(v) FROM wattgpu_energy_by_site v UNION ALL
	SELECT 'by_model', ARRAY[llm], to_jsonb(v) FROM wattgpu_energy_by_model v UNION ALL SELECT 'by_month', ARRAY[month::text], to_jsonb(v) FROM wattgpu_energy_by_month v UNION ALL
	SELECT 'by_site_month', ARRAY[site, month::text], to_jsonb(v) FROM wattgpu_energy_by_site_month v UNION ALL
	SELECT 'by_deployment', ARRAY[deployment, site, gpu, llm], to_jsonb(v) FROM wattgpu_deployment_energy v) v (view, key, figures) USING (view, key)
GROUP BY view ORDER BY view;
SELECT count(*) AS rows, (array_agg(json_build_array(v, s.key, s.name, s.value)) FILTER (WHERE pg_temp.differs((to_jsonb(v) ->> c.name)::float, s.value * c.factor)))[1:2] AS wrong
FROM wattgpu_scope2 v, sums s, LATERAL (SELECT regexp_replace(s.name, '_kg$', '_t'), CASE WHEN s.name ~ '_kg$' THEN 0.001 ELSE 1 END) c (name, factor)
WHERE s.view = 'by_site_month' AND s.key = ARRAY[v.site, v.month::text] AND to_jsonb(v) ? c.name;
ROLLBACK;
