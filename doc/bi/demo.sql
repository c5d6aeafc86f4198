-- A made-up fleet to see the dashboards with: a quarter at two sites. For a database of its own, since its rows count in every report.
-- No figure here was measured anywhere.
BEGIN;
INSERT INTO wattgpu_sites (site, zone, pue, price_per_kwh, currency) VALUES
	('Frankfurt', 'DE', 1.31, 0.21, 'EUR'),
	('Luleå', 'SE1', 1.09, 0.06, 'EUR');

-- The residual mix of SE1 is left out: its market-based emissions are unknown, and the reports say so.
INSERT INTO wattgpu_grid_intensity (zone, method, valid, co2e_g_per_kwh, source)
SELECT zone, method, tstzrange('2026-01-01 00:00+00', '2027-01-01 00:00+00'), co2e_g_per_kwh, 'made up for the demo'
FROM (VALUES ('DE', 'location', 340), ('DE', 'market', 560), ('SE1', 'location', 12)) g (zone, method, co2e_g_per_kwh);

-- What the operator read off an A30 with a model loaded and nothing to do. Other cards' idle power is extrapolated, or unknown.
UPDATE wattgpu_gpus SET idle_power_w = 31 WHERE gpu = 'NVIDIA A30';

INSERT INTO wattgpu_deployments (deployment, site, gpu, gpus, num_gpus, llm, scenario, period, hours_active, hours_reserved,
	node_overhead_w_per_gpu, embodied_co2e_kg)
SELECT d.deployment, d.site, d.gpu, d.gpus, d.num_gpus, d.llm, d.scenario, tstzrange(m.first, m.first + m.hours * interval '1 hour'),
	d.active_share * m.hours, m.hours, d.node_overhead_w_per_gpu, d.gpus * 4.5
FROM (VALUES
	('support chat', 'Frankfurt', 'NVIDIA H100 80GB HBM3', 16, 4, 'meta-llama/Llama-3.3-70B-Instruct', 'server_high', 0.82, 150),
	('assistant', 'Frankfurt', 'H100 NVL', 8, 1, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', 0.98, 110),
	('document search', 'Frankfurt', 'NVIDIA L40S', 12, 1, 'mistralai/Mistral-7B-Instruct-v0.3', 'server_high', 0.94, 80),
	('nightly summaries', 'Frankfurt', 'NVIDIA-A100-SXM4-40GB', 8, 1, 'google/gemma-3-12b-it', 'offline', 0.33, 120),
	('code completion', 'Frankfurt', 'NVIDIA A30', 10, 1, 'Qwen/Qwen2.5-Coder-7B-Instruct', 'server_high', 0.45, 90),
	('translation', 'Luleå', 'NVIDIA H200', 4, 2, 'mistralai/Mixtral-8x7B-Instruct-v0.1', 'server_high', 0.7, 150),
	('moderation', 'Luleå', 'Tesla T4', 24, 1, 'google/gemma-3-4b-it', 'server_low', 0.9, 60),
	('reasoning pilot', 'Luleå', 'AMD Instinct MI300X', 8, 1, 'openai/gpt-oss-120b', 'server_high', 0.5, 160),
	-- a name as users write them
	('R&D "Grüße" <b>δοκιμή</b> O''Brien </script>', 'Luleå', 'NVIDIA L4', 8, 1, 'llama3.1:8b', 'server_low', 0.6, 60),
	-- a card nobody knows, and one that is held in reserve
	('accelerator trial', 'Luleå', 'Acme NPU 9000', 4, 1, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', 0.5, 100),
	('spare', 'Luleå', 'NVIDIA A30', 6, 1, NULL, NULL, 0, 90)
) d (deployment, site, gpu, gpus, num_gpus, llm, scenario, active_share, node_overhead_w_per_gpu),
(VALUES ('2026-07-01 00:00+00'::timestamptz, 744), ('2026-08-01 00:00+00', 744), ('2026-09-01 00:00+00', 720)) m (first, hours)
WHERE d.deployment <> 'reasoning pilot' OR m.first >= '2026-09-01 00:00+00';

-- The racks of the support chat and the search have meters; the chat's failed in September.
UPDATE wattgpu_deployments SET measured_kwh = 5480, measured_boundary = 'node'
WHERE deployment = 'support chat' AND period @> '2026-07-15 00:00+00'::timestamptz;
UPDATE wattgpu_deployments SET measured_kwh = 5610, measured_boundary = 'node'
WHERE deployment = 'support chat' AND period @> '2026-08-15 00:00+00'::timestamptz;
UPDATE wattgpu_deployments SET measured_kwh = 2.95 * hours_reserved, measured_boundary = 'gpu'
WHERE deployment = 'document search';
COMMIT;
