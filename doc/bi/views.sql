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

-- A name within quotes may hold the "; " that stands between reasons: only one with an even number of quotes after it parts them
-- (which a name with quotes of its own may still defeat).
-- Where a meter gave the energy of the boards, what keeps it from being known is what lies between them and the meter.
CREATE VIEW wattgpu_bi.problems AS
SELECT e.deployment, e.site, e.gpu, e.llm, p.problem,
	bool_or(e.gpu_kwh IS NULL AND CASE WHEN e.metered_boundary IS NULL THEN p.problem !~ '^(throughput of|node overhead is|site "|PUE of site|grid zone of site|no (location|market) intensity)'
		WHEN e.metered_boundary = 'facility' THEN p.problem ~ '^(node overhead is|metered energy is|site "|PUE of site)'
		ELSE p.problem ~ '^(node overhead is|metered energy is)' END) AS gpu_unknown,
	min(e.period_start) AS period_start, max(e.period_end) AS period_end
FROM wattgpu_bi.energy e, regexp_split_to_table(e.problem, '; (?=[^"]*("[^"]*"[^"]*)*$)') p (problem)
GROUP BY e.deployment, e.site, e.gpu, e.llm, p.problem;
COMMENT ON VIEW wattgpu_bi.problems IS 'Why a figure of a deployment could not be had: a row a deployment and reason';
COMMENT ON COLUMN wattgpu_bi.problems.deployment IS 'Name of the deployment';
COMMENT ON COLUMN wattgpu_bi.problems.site IS 'Where it stands';
COMMENT ON COLUMN wattgpu_bi.problems.gpu IS 'Canonical name of the GPU; as given if unknown';
COMMENT ON COLUMN wattgpu_bi.problems.llm IS 'Canonical name of the LLM; as given if unknown; NULL for a reserve';
COMMENT ON COLUMN wattgpu_bi.problems.problem IS 'The reason';
COMMENT ON COLUMN wattgpu_bi.problems.gpu_unknown IS 'Whether this is a reason why the energy of the GPU boards is unknown, and not only a figure that builds on it';
COMMENT ON COLUMN wattgpu_bi.problems.period_start IS 'Start of the first period with this problem';
COMMENT ON COLUMN wattgpu_bi.problems.period_end IS 'End of the last period with this problem';

CREATE VIEW wattgpu_bi.shares AS
SELECT m.llm, s.basis, s.share, s.share * m.gpu_kwh AS gpu_kwh
FROM wattgpu_bi.energy_by_model m, LATERAL (VALUES ('metered', m.share_metered), ('measured', m.share_measured),
	('predicted', m.share_predicted), ('extrapolated', m.share_extrapolated)) s (basis, share)
WHERE s.share IS NOT NULL;
COMMENT ON VIEW wattgpu_bi.shares IS 'What the known GPU energy of each LLM rests on: a row an LLM and basis; LLMs without a known energy have none';
COMMENT ON COLUMN wattgpu_bi.shares.llm IS 'Canonical name of the LLM; as given if unknown; NULL for reserves';
COMMENT ON COLUMN wattgpu_bi.shares.basis IS 'metered (read off a meter, or derived from one by the stated node overhead and PUE), measured (this configuration was, the figure is predicted all the same; or an idle power that the catalogue or you state), predicted or extrapolated';
COMMENT ON COLUMN wattgpu_bi.shares.share IS 'Share of the LLM''s gpu_kwh, 0 to 1; the four add up to 1';
COMMENT ON COLUMN wattgpu_bi.shares.gpu_kwh IS 'Energy of that basis, GPU boards, kWh';

-- Mean power: known energy over the hours in which deployments whose energy it is were held. Each hour counts once, however many
-- they are: of a period, what lies after the periods that began before it.
DO $$
DECLARE
	of record;
	said record;
BEGIN
	FOR of IN
		SELECT v.name, v.about, array_to_string(v.keys || '{""}', ', ') AS keys, 'PARTITION BY ' || nullif(array_to_string(v.keys, ', '), '') AS partition,
			'GROUP BY ' || nullif(array_to_string(v.keys, ', '), '') AS grouping
		FROM (VALUES ('power_total', '{}'::text[], 'all deployments: one row'), ('power_by_model', '{llm}', 'each LLM''s deployments: a row an LLM'),
			('power_by_model_month', '{llm,month}', 'each LLM''s deployments in each UTC calendar month: a row an LLM and month')) v (name, keys, about)
	LOOP
		EXECUTE format($v$
			CREATE VIEW wattgpu_bi.%1$I AS
			SELECT %2$s deployments, missing_gpu, missing_node, missing_facility, gpu_held_h, node_held_h, facility_held_h,
				gpu_kwh, gpu_lo_kwh, gpu_hi_kwh, node_kwh, node_lo_kwh, node_hi_kwh, facility_kwh, facility_lo_kwh, facility_hi_kwh,
				gpu_kwh / gpu_held_h * 1000 AS gpu_power_w, gpu_lo_kwh / gpu_held_h * 1000 AS gpu_power_lo_w, gpu_hi_kwh / gpu_held_h * 1000 AS gpu_power_hi_w,
				node_kwh / node_held_h * 1000 AS node_power_w, node_lo_kwh / node_held_h * 1000 AS node_power_lo_w, node_hi_kwh / node_held_h * 1000 AS node_power_hi_w,
				facility_kwh / facility_held_h * 1000 AS facility_power_w, facility_lo_kwh / facility_held_h * 1000 AS facility_power_lo_w,
				facility_hi_kwh / facility_held_h * 1000 AS facility_power_hi_w
			FROM (
				SELECT %2$s count(DISTINCT name) AS deployments, count(DISTINCT name) FILTER (WHERE gpu_kwh IS NULL) AS missing_gpu,
					count(DISTINCT name) FILTER (WHERE node_kwh IS NULL) AS missing_node, count(DISTINCT name) FILTER (WHERE facility_kwh IS NULL) AS missing_facility,
					sum(greatest(gpu_h, 0)) FILTER (WHERE gpu_kwh IS NOT NULL) AS gpu_held_h, sum(greatest(node_h, 0)) FILTER (WHERE node_kwh IS NOT NULL) AS node_held_h,
					sum(greatest(facility_h, 0)) FILTER (WHERE facility_kwh IS NOT NULL) AS facility_held_h,
					sum(gpu_kwh) AS gpu_kwh, CASE WHEN count(gpu_lo_kwh) = count(gpu_kwh) THEN sum(gpu_lo_kwh) END AS gpu_lo_kwh,
					CASE WHEN count(gpu_hi_kwh) = count(gpu_kwh) THEN sum(gpu_hi_kwh) END AS gpu_hi_kwh,
					sum(node_kwh) AS node_kwh, CASE WHEN count(node_lo_kwh) = count(node_kwh) THEN sum(node_lo_kwh) END AS node_lo_kwh,
					CASE WHEN count(node_hi_kwh) = count(node_kwh) THEN sum(node_hi_kwh) END AS node_hi_kwh,
					sum(facility_kwh) AS facility_kwh, CASE WHEN count(facility_lo_kwh) = count(facility_kwh) THEN sum(facility_lo_kwh) END AS facility_lo_kwh,
					CASE WHEN count(facility_hi_kwh) = count(facility_kwh) THEN sum(facility_hi_kwh) END AS facility_hi_kwh
				FROM (
					SELECT e.*, coalesce(e.deployment, '') AS name,
						extract(epoch FROM period_end - greatest(period_start, max(period_end) FILTER (WHERE gpu_kwh IS NOT NULL) OVER before))::double precision / 3600 AS gpu_h,
						extract(epoch FROM period_end - greatest(period_start, max(period_end) FILTER (WHERE node_kwh IS NOT NULL) OVER before))::double precision / 3600 AS node_h,
						extract(epoch FROM period_end - greatest(period_start, max(period_end) FILTER (WHERE facility_kwh IS NOT NULL) OVER before))::double precision / 3600 AS facility_h
					FROM wattgpu_bi.energy e WINDOW before AS (%3$s ORDER BY period_start, period_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
				) p %4$s
			) m$v$, of.name, of.keys, of.partition, of.grouping);
		EXECUTE format('COMMENT ON VIEW wattgpu_bi.%I IS %L', of.name, 'Energy and mean power, idle hours included, of ' || of.about ||
			'. Mean power is known energy over the hours in which deployments with a known one were held, so powers of different LLMs need not add up. What is not known is counted as missing, and in no figure.');
		FOR said IN
			SELECT a.attname AS name, CASE
				WHEN a.attname = 'llm' THEN 'Canonical name of the LLM; as given if unknown; NULL for reserves'
				WHEN a.attname = 'month' THEN 'First day of the month, UTC; NULL if the period breaks its rule'
				WHEN a.attname = 'deployments' THEN 'Deployments, each counted once'
				WHEN a.attname ~ '^missing_' THEN format('Deployments whose %s energy is not known, in part or whole; that part is not in the figures', substr(a.attname, 9))
				WHEN a.attname ~ '_held_h$' THEN format('Hours in which at least one deployment with known %s energy was held; NULL if there is none', split_part(a.attname, '_', 1))
				ELSE concat(CASE WHEN a.attname ~ '_lo_' THEN 'Lower end of the interval: sum of the lower ends of 90 % intervals. '
					WHEN a.attname ~ '_hi_' THEN 'Upper end of the interval: sum of the upper ends of 90 % intervals. ' END,
					CASE WHEN a.attname ~ '_w$' THEN format('Mean power, %1$s_kwh over %1$s_held_h, W, ', split_part(a.attname, '_', 1)) ELSE 'Energy, kWh, ' END,
					CASE split_part(a.attname, '_', 1) WHEN 'gpu' THEN 'GPU boards' WHEN 'node' THEN 'with the rest of the node' ELSE 'with the node and PUE' END,
					'; NULL if no deployment''s is known', CASE WHEN a.attname ~ '_(lo|hi)_' THEN ', or a known one has no interval' END) END AS comment
			FROM pg_attribute a WHERE a.attrelid = format('wattgpu_bi.%I', of.name)::regclass AND a.attnum > 0
		LOOP
			EXECUTE format('COMMENT ON COLUMN wattgpu_bi.%I.%I IS %L', of.name, said.name, said.comment);
		END LOOP;
	END LOOP;
END $$;
COMMIT;
