-- A fleet of 100,000 deployments: a month each of a year, over the whole catalogue, 50 sites, 20 zones with a year of hourly
-- intensities by both methods. Every hundredth is metered, every tenth a reserve in part, some names are unknown.
INSERT INTO wattgpu_sites (site, zone, pue, price_per_kwh, currency)
SELECT 'site ' || i, 'Z' || i % 20, 1 + (i % 10) / 10.0, 0.1 + i / 1000.0, 'EUR' FROM generate_series(1, 50) i;

INSERT INTO wattgpu_grid_intensity (zone, method, valid, co2e_g_per_kwh, source)
SELECT 'Z' || z, m, tstzrange(h, h + interval '1 hour'), 100 + 10 * z + extract(hour FROM h), 'made up'
FROM generate_series(0, 19) z, unnest(ARRAY['location', 'market']) m, generate_series('2026-01-01 00:00Z'::timestamptz, '2026-12-31 23:00Z', '1 hour') h;

INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, llm, scenario, period, hours_active, hours_reserved,
	node_overhead_w_per_gpu, measured_kwh, measured_boundary, embodied_co2e_kg)
SELECT 'deployment ' || i / 12, 'site ' || 1 + i / 12 % 50, g.gpus[1 + i * 7 % cardinality(g.gpus)], 1 + i % 8, l.llms[1 + i * 13 % cardinality(l.llms)],
	(ARRAY['offline', 'server_high', 'server_low'])[1 + i % 3], tstzrange(m.month, m.month + interval '1 month'), 500, 500 + 100 * (i % 3),
	60, CASE WHEN i % 100 = 0 THEN 1000 END, CASE WHEN i % 100 = 0 THEN 'node' END, 3
FROM generate_series(0, 99999) i, LATERAL (SELECT '2026-01-01 00:00Z'::timestamptz AT TIME ZONE 'UTC' + i % 12 * interval '1 month') t (local),
	LATERAL (SELECT t.local AT TIME ZONE 'UTC') m (month),
	(SELECT array_agg(gpu ORDER BY gpu COLLATE "C") || 'Acme 1'::text FROM wattgpu_gpus) g (gpus), (SELECT array_agg(llm ORDER BY llm COLLATE "C") || 'acme/none'::text FROM wattgpu_llms) l (llms);
ANALYZE wattgpu_sites, wattgpu_grid_intensity, wattgpu_deployments;
