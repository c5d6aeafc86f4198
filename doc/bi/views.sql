-- Flat views for BI tools, in a schema of their own: what the extension's views say, without arrays, ranges and composites.
-- Run it with psql, with the extension's schema on the search_path; run it again after an upgrade of the extension.
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE SCHEMA IF NOT EXISTS wattgpu_bi;
COMMENT ON SCHEMA wattgpu_bi IS 'Flat views over wattgpu for BI tools (doc/bi/views.sql). Put nothing of your own into it: its views are dropped and made anew.';

-- All at once, so that they may depend on each other; a view of your own on top of them is an error, not a loss.
DO $$
DECLARE
	views text := (SELECT string_agg(c.oid::regclass::text, ', ') FROM pg_class c
		WHERE c.relnamespace = 'wattgpu_bi'::regnamespace AND c.relkind = 'v');
BEGIN
	IF views IS NOT NULL THEN
		EXECUTE 'DROP VIEW ' || views;
	END IF;
END $$;

-- Each view of the extension, the catalogue, and wattgpu_energy() itself, under its name without the prefix: an array becomes a text with "; "
-- between, a range its two ends. Comments go with the columns.
DO $$
DECLARE
	flat record;
	said record;
BEGIN
	FOR flat IN
		SELECT c.oid, substr(c.relname, 9) AS name, c.oid::regclass::text AS source, obj_description(c.oid, 'pg_class') AS comment
		FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
			JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
		WHERE e.extname = 'wattgpu' AND (c.relkind = 'v' OR c.relname IN ('wattgpu_gpus', 'wattgpu_llms', 'wattgpu_scenarios'))
		UNION ALL
		SELECT t.typrelid, 'energy', 'wattgpu_energy()', obj_description('wattgpu_energy'::regproc, 'pg_proc')
		FROM pg_type t WHERE t.oid = 'wattgpu_energy_row'::regtype
	LOOP
		CREATE TEMPORARY TABLE flat_columns ON COMMIT DROP AS
		SELECT f.*, a.attnum, col_description(a.attrelid, a.attnum) AS comment
		FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid, LATERAL (
			SELECT a.attname::text AS name, format('array_to_string(v.%I, ''; '')', a.attname) AS expression, '' AS prefix WHERE t.typcategory = 'A'
			UNION ALL SELECT a.attname || '_start', format('lower(v.%I)', a.attname), 'Start (included): ' WHERE t.typtype = 'r'
			UNION ALL SELECT a.attname || '_end', format('upper(v.%I)', a.attname), 'End (excluded): ' WHERE t.typtype = 'r'
			UNION ALL SELECT a.attname, format('v.%I', a.attname), '' WHERE t.typcategory <> 'A' AND t.typtype <> 'r') f
		WHERE a.attrelid = flat.oid AND a.attnum > 0 AND NOT a.attisdropped;
		EXECUTE format('CREATE VIEW wattgpu_bi.%I AS SELECT %s FROM %s v', flat.name,
			(SELECT string_agg(format('%s AS %I', expression, name), ', ' ORDER BY attnum, name DESC) FROM flat_columns), flat.source);
		EXECUTE format('COMMENT ON VIEW wattgpu_bi.%I IS %L', flat.name, flat.comment);
		FOR said IN SELECT * FROM flat_columns LOOP
			EXECUTE format('COMMENT ON COLUMN wattgpu_bi.%I.%I IS %L', flat.name, said.name, said.prefix || said.comment);
		END LOOP;
		DROP TABLE flat_columns;
	END LOOP;
END $$;

CREATE VIEW wattgpu_bi.problems AS
SELECT e.deployment, e.site, e.gpu, e.llm, p.problem, bool_or(e.gpu_kwh IS NULL) AS gpu_unknown,
	min(e.period_start) AS period_start, max(e.period_end) AS period_end
FROM wattgpu_bi.energy e, unnest(string_to_array(e.problem, '; ')) p (problem)
GROUP BY e.deployment, e.site, e.gpu, e.llm, p.problem;
COMMENT ON VIEW wattgpu_bi.problems IS 'Why a figure of a deployment could not be had: a row a deployment and reason';
COMMENT ON COLUMN wattgpu_bi.problems.deployment IS 'Name of the deployment';
COMMENT ON COLUMN wattgpu_bi.problems.site IS 'Where it stands';
COMMENT ON COLUMN wattgpu_bi.problems.gpu IS 'Canonical name of the GPU; as given if unknown';
COMMENT ON COLUMN wattgpu_bi.problems.llm IS 'Canonical name of the LLM; as given if unknown; NULL for a reserve';
COMMENT ON COLUMN wattgpu_bi.problems.problem IS 'The reason';
COMMENT ON COLUMN wattgpu_bi.problems.gpu_unknown IS 'Whether the energy of the GPUs themselves is unknown, or only a figure that builds on it';
COMMENT ON COLUMN wattgpu_bi.problems.period_start IS 'Start of the first period with this problem';
COMMENT ON COLUMN wattgpu_bi.problems.period_end IS 'End of the last period with this problem';

CREATE VIEW wattgpu_bi.shares AS
SELECT m.llm, s.basis, s.share, s.share * m.gpu_kwh AS gpu_kwh
FROM wattgpu_bi.energy_by_model m, LATERAL (VALUES ('metered', m.share_metered), ('measured', m.share_measured),
	('predicted', m.share_predicted), ('extrapolated', m.share_extrapolated)) s (basis, share)
WHERE s.share IS NOT NULL;
COMMENT ON VIEW wattgpu_bi.shares IS 'What the known GPU energy of each LLM rests on: a row an LLM and basis; LLMs without a known energy have none';
COMMENT ON COLUMN wattgpu_bi.shares.llm IS 'Canonical name of the LLM; as given if unknown; NULL for reserves';
COMMENT ON COLUMN wattgpu_bi.shares.basis IS 'metered, measured (this configuration was; the figure is predicted all the same), predicted or extrapolated';
COMMENT ON COLUMN wattgpu_bi.shares.share IS 'Share of the LLM''s gpu_kwh, 0 to 1; the four add up to 1';
COMMENT ON COLUMN wattgpu_bi.shares.gpu_kwh IS 'Energy of that basis, GPU boards, kWh';

-- Mean power: energy over the hours from the fleet's first hour to its last, the same for each LLM, so that powers add up.
CREATE VIEW wattgpu_bi.power_by_model AS
SELECT m.llm, s.span_start, s.span_end, m.deployments, m.missing_gpu, m.missing_node, m.missing_facility,
	m.gpu_kwh / s.h * 1000 AS gpu_power_w, m.gpu_lo_kwh / s.h * 1000 AS gpu_power_lo_w, m.gpu_hi_kwh / s.h * 1000 AS gpu_power_hi_w,
	m.node_kwh / s.h * 1000 AS node_power_w, m.node_lo_kwh / s.h * 1000 AS node_power_lo_w, m.node_hi_kwh / s.h * 1000 AS node_power_hi_w,
	m.facility_kwh / s.h * 1000 AS facility_power_w, m.facility_lo_kwh / s.h * 1000 AS facility_power_lo_w, m.facility_hi_kwh / s.h * 1000 AS facility_power_hi_w
FROM wattgpu_bi.energy_by_model m, (
	SELECT min(e.period_start) AS span_start, max(e.period_end) AS span_end,
		extract(epoch FROM max(e.period_end) - min(e.period_start))::double precision / 3600 AS h FROM wattgpu_bi.energy e) s;

CREATE VIEW wattgpu_bi.power_by_model_month AS
SELECT m.llm, m.month, s.span_start, s.span_end, m.deployments, m.missing_gpu, m.missing_node, m.missing_facility,
	m.gpu_kwh, m.gpu_lo_kwh, m.gpu_hi_kwh, m.facility_kwh, m.facility_lo_kwh, m.facility_hi_kwh,
	m.gpu_kwh / s.h * 1000 AS gpu_power_w, m.gpu_lo_kwh / s.h * 1000 AS gpu_power_lo_w, m.gpu_hi_kwh / s.h * 1000 AS gpu_power_hi_w,
	m.facility_kwh / s.h * 1000 AS facility_power_w, m.facility_lo_kwh / s.h * 1000 AS facility_power_lo_w, m.facility_hi_kwh / s.h * 1000 AS facility_power_hi_w
FROM (
	SELECT e.llm, e.month, count(DISTINCT e.deployment) AS deployments,
		count(DISTINCT e.deployment) FILTER (WHERE e.gpu_kwh IS NULL) AS missing_gpu,
		count(DISTINCT e.deployment) FILTER (WHERE e.node_kwh IS NULL) AS missing_node,
		count(DISTINCT e.deployment) FILTER (WHERE e.facility_kwh IS NULL) AS missing_facility,
		sum(e.gpu_kwh) AS gpu_kwh, sum(e.gpu_lo_kwh) AS gpu_lo_kwh, sum(e.gpu_hi_kwh) AS gpu_hi_kwh,
		sum(e.facility_kwh) AS facility_kwh, sum(e.facility_lo_kwh) AS facility_lo_kwh, sum(e.facility_hi_kwh) AS facility_hi_kwh
	FROM wattgpu_bi.energy e GROUP BY e.llm, e.month) m
JOIN (
	SELECT e.month, min(e.period_start) AS span_start, max(e.period_end) AS span_end,
		extract(epoch FROM max(e.period_end) - min(e.period_start))::double precision / 3600 AS h
	FROM wattgpu_bi.energy e GROUP BY e.month) s USING (month);

COMMENT ON VIEW wattgpu_bi.power_by_model IS 'Mean power of each LLM''s deployments, idle hours included: a row an LLM. Deployments that could not be predicted are counted, not in it.';
COMMENT ON VIEW wattgpu_bi.power_by_model_month IS 'Energy and mean power of each LLM''s deployments in each UTC calendar month, idle hours included: a row an LLM and month. Deployments that could not be predicted are counted, not in it.';
COMMENT ON COLUMN wattgpu_bi.power_by_model_month.month IS 'First day of the month, UTC';
DO $$
DECLARE
	said record;
BEGIN
	FOR said IN
		SELECT a.attrelid::regclass AS view, a.attname AS name, CASE
			WHEN a.attname = 'llm' THEN 'Canonical name of the LLM; as given if unknown; NULL for reserves'
			WHEN a.attname = 'span_start' THEN 'The fleet''s first hour (of the month)'
			WHEN a.attname = 'span_end' THEN 'The fleet''s last hour (of the month), excluded'
			WHEN a.attname = 'deployments' THEN 'Deployments of the LLM'
			WHEN a.attname ~ '^missing_' THEN format('Deployments with a period whose %s energy is not known; it is not in the figures', substr(a.attname, 9))
			ELSE concat(CASE WHEN a.attname ~ '_lo_' THEN 'Lower end of the interval: sum of the lower ends of 90 % intervals. '
				WHEN a.attname ~ '_hi_' THEN 'Upper end of the interval: sum of the upper ends of 90 % intervals. ' END,
				CASE WHEN a.attname ~ '_w$' THEN 'Mean power over the span, W, ' ELSE 'Energy, kWh, ' END,
				CASE split_part(a.attname, '_', 1) WHEN 'gpu' THEN 'GPU boards' WHEN 'node' THEN 'with the rest of the node' ELSE 'with the node and PUE' END,
				'; NULL if no deployment''s is known') END AS comment
		FROM pg_attribute a WHERE a.attrelid IN ('wattgpu_bi.power_by_model'::regclass, 'wattgpu_bi.power_by_model_month'::regclass)
			AND a.attnum > 0 AND a.attname <> 'month'
	LOOP
		EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', said.view, said.name, said.comment);
	END LOOP;
END $$;
COMMIT;
