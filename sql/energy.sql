-- Energy, cost and emissions of deployments.

CREATE TYPE @extschema@.wattgpu_energy_row AS (
	deployment text, site text, zone text, gpu text, gpus integer, num_gpus integer, llm text, scenario text,
	period tstzrange, month date, hours_active double precision, hours_idle double precision,
	power_w double precision, power_lo_w double precision, power_hi_w double precision, idle_power_w double precision,
	gpu_active_kwh double precision, gpu_idle_kwh double precision,
	gpu_kwh double precision, gpu_lo_kwh double precision, gpu_hi_kwh double precision,
	node_kwh double precision, node_lo_kwh double precision, node_hi_kwh double precision,
	pue double precision, facility_kwh double precision, facility_lo_kwh double precision, facility_hi_kwh double precision,
	cost double precision, currency text,
	location_co2e_g_per_kwh double precision, market_co2e_g_per_kwh double precision,
	location_co2e_kg double precision, location_co2e_lo_kg double precision, location_co2e_hi_kg double precision,
	market_co2e_kg double precision, market_co2e_lo_kg double precision, market_co2e_hi_kg double precision,
	output_tokens double precision, saturated boolean, embodied_co2e_kg double precision,
	basis text, idle_basis text, metered_boundary text, power_model text, itl_model text, problem text);
COMMENT ON TYPE @extschema@.wattgpu_energy_row IS 'What wattgpu_energy gives: a row a deployment row and UTC calendar month. A figure that cannot be had is NULL, and problem says why.';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.deployment IS 'Name of the deployment (wattgpu_deployments.deployment)';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.site IS 'Where it stands';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.zone IS 'Grid zone of the site; NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpu IS 'Canonical name of the GPU; of an unknown one the spelling as given';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpus IS 'Cards held';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.num_gpus IS 'Cards that serve one copy of the LLM together';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.llm IS 'Canonical name of the LLM; of an unknown one the spelling as given; NULL for a reserve without one';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.scenario IS 'Workload while active, as given';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.period IS 'The piece of the deployment''s period that the row is about; as given if that breaks its rule';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.month IS 'First day of the UTC calendar month that the piece lies in; NULL if the period breaks its rule';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.hours_active IS 'Hours in which the scenario ran';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.hours_idle IS 'Hours in which the cards were held and idle: reserved less active';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.power_w IS 'Predicted mean board power of all gpus together while active, W; NULL if unknown or never active';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.power_lo_w IS 'Lower end of the 90 % interval of power_w, W';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.power_hi_w IS 'Upper end of the 90 % interval of power_w, W';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.idle_power_w IS 'Board power of all gpus together while idle, W; NULL if unknown or never idle';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpu_active_kwh IS 'Energy of the boards while active, kWh; NULL if unknown, or metered together with idle hours';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpu_idle_kwh IS 'Energy of the boards while idle, kWh; NULL if unknown, or metered together with active hours';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpu_kwh IS 'Energy of the boards, kWh';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpu_lo_kwh IS 'Lower end of gpu_kwh, kWh: that of active and idle power together; the figure itself if metered or if idle power is a known one';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.gpu_hi_kwh IS 'Upper end of gpu_kwh, kWh';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.node_kwh IS 'Energy of the nodes, kWh: gpu_kwh and node_overhead_w_per_gpu over the reserved hours';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.node_lo_kwh IS 'Lower end of node_kwh, kWh; the overhead counts as exact';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.node_hi_kwh IS 'Upper end of node_kwh, kWh';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.pue IS 'PUE of the site; NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.facility_kwh IS 'Energy at the facility''s meter, kWh: node_kwh x PUE';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.facility_lo_kwh IS 'Lower end of facility_kwh, kWh; the PUE counts as exact';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.facility_hi_kwh IS 'Upper end of facility_kwh, kWh';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.cost IS 'Price of facility_kwh, in currency; NULL if unknown, which is no problem';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.currency IS 'Currency of cost';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.location_co2e_g_per_kwh IS 'Location-based intensity, g CO2e/kWh: the mean over the piece, by time; NULL unless it is known for all of the piece';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.market_co2e_g_per_kwh IS 'Market-based intensity, g CO2e/kWh, likewise';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.location_co2e_kg IS 'Location-based emissions, kg CO2e: facility_kwh x location_co2e_g_per_kwh / 1000';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.location_co2e_lo_kg IS 'Lower end of location_co2e_kg, kg; the intensity counts as exact';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.location_co2e_hi_kg IS 'Upper end of location_co2e_kg, kg';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.market_co2e_kg IS 'Market-based emissions, kg CO2e';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.market_co2e_lo_kg IS 'Lower end of market_co2e_kg, kg';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.market_co2e_hi_kg IS 'Upper end of market_co2e_kg, kg';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.output_tokens IS 'Tokens generated: counted, else predicted; 0 if never active, NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.saturated IS 'Whether requests come faster than the cards can answer them, as wattgpu_predict has it: they queue, and predicted output_tokens are those that the cards can make. NULL if that is not known, or never active';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.embodied_co2e_kg IS 'Embodied emissions, kg CO2e, as given; NULL if unknown, which is no problem';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.basis IS 'Where the active energy comes from: metered; measured (this configuration was, the figure is predicted all the same), predicted or extrapolated as wattgpu_predict has it. NULL if unknown or never active';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.idle_basis IS 'Where the idle energy comes from: metered, measured (wattgpu_gpus.idle_power_w) or extrapolated (predicted at next to no load). NULL if unknown or never idle';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.metered_boundary IS 'What the meter saw: gpu, node or facility; NULL if not metered';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.power_model IS 'The model that gave power_w or idle_power_w (wattgpu_models.model); NULL if neither is predicted';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.itl_model IS 'The model that gave latency, and with it output_tokens; NULL if never active';
COMMENT ON COLUMN @extschema@.wattgpu_energy_row.problem IS 'Why figures are NULL, all reasons with "; " between; NULL if every figure could be had';

CREATE TYPE @extschema@.wattgpu_configuration AS (
	gpu text, llm text, power_w double precision, power_lo_w double precision, power_hi_w double precision,
	idle_power_w double precision, idle_lo_w double precision, idle_hi_w double precision,
	output_tokens_per_s double precision, saturated boolean, basis text, idle_basis text, power_model text, itl_model text,
	problem text, active_problem text, idle_problem text);
COMMENT ON TYPE @extschema@.wattgpu_configuration IS 'For wattgpu_energy: what one copy of an LLM on its GPUs draws, active and idle';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.gpu IS 'Canonical name of the GPU; of an unknown one the spelling as given';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.llm IS 'Canonical name of the LLM; of an unknown one the spelling as given';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.power_w IS 'Mean board power while active, the cards of a copy together, W';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.power_lo_w IS 'Lower end of the 90 % interval of power_w, W';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.power_hi_w IS 'Upper end of the 90 % interval of power_w, W';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.idle_power_w IS 'Board power while idle, the cards of a copy together, W';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.idle_lo_w IS 'Lower end of idle_power_w, W';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.idle_hi_w IS 'Upper end of idle_power_w, W';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.output_tokens_per_s IS 'Tokens generated a second by a copy';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.saturated IS 'Whether requests come faster than a copy can answer them';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.basis IS 'measured, predicted or extrapolated, of power_w';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.idle_basis IS 'measured or extrapolated, of idle_power_w';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.power_model IS 'The model that gave power';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.itl_model IS 'The model that gave latency';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.problem IS 'Names that nobody knows';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.active_problem IS 'Why figures while active are NULL';
COMMENT ON COLUMN @extschema@.wattgpu_configuration.idle_problem IS 'Why figures while idle are NULL';

-- Handling exceptions takes a subtransaction, which a parallel plan cannot start; so nothing that calls this is parallel safe.
CREATE FUNCTION @extschema@.wattgpu_predict_configuration(
	gpu text, llm text, scenario text, num_gpus integer, active boolean, idle boolean, model text, physical boolean)
RETURNS @extschema@.wattgpu_configuration
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000 SET search_path = pg_catalog, pg_temp SET wattgpu.unknown_name = 'null' AS $$
#variable_conflict use_variable
DECLARE
	c @extschema@.wattgpu_configuration;
	g @extschema@.wattgpu_gpus;
	l @extschema@.wattgpu_llms;
	p @extschema@.wattgpu_prediction;
BEGIN
	SELECT t.* INTO g FROM @extschema@.wattgpu_gpus t WHERE t.gpu = @extschema@.wattgpu_canonical_gpu(gpu);
	SELECT t.* INTO l FROM @extschema@.wattgpu_llms t WHERE t.llm = @extschema@.wattgpu_canonical_llm(llm);
	c.gpu := coalesce(g.gpu, gpu);
	c.llm := coalesce(l.llm, llm);
	c.problem := nullif(concat_ws('; ', CASE WHEN g.gpu IS NULL THEN format('unknown GPU "%s"', gpu) END,
		CASE WHEN l.llm IS NULL AND llm IS NOT NULL THEN format('unknown LLM "%s"', llm) END), '');

	IF active AND c.problem IS NULL THEN
		BEGIN
			p := @extschema@.wattgpu_predict(g.gpu, l.llm, scenario, num_gpus => num_gpus, model => model);
			c.active_problem := CASE
				WHEN p.gpu IS NULL THEN format('unknown scenario "%s"', scenario)
				WHEN NOT p.fits THEN format('%s does not fit in the memory of %s x %s', l.llm, num_gpus, g.gpu)
				WHEN p.power_w IS NULL THEN coalesce('no spec for ' || nullif(concat_ws(' and ',
					nullif(@extschema@.wattgpu_gpu_lacks(g, true, physical, physical), '') || ' of ' || g.gpu,
					nullif(@extschema@.wattgpu_llm_lacks(l, physical), '') || ' of ' || l.llm), ''), format('power of %s is not known', g.gpu))
				WHEN p.power_lo_w IS NULL THEN format('model %s has no intervals', p.power_model) END;
			c.power_w := p.power_w;
			c.power_lo_w := p.power_lo_w;
			c.power_hi_w := p.power_hi_w;
			c.power_model := p.power_model;
			c.itl_model := p.itl_model;
			c.saturated := p.saturated;
			c.basis := CASE WHEN p.power_w IS NOT NULL THEN p.basis END;
			-- a card whose step is not known may not keep up
			c.output_tokens_per_s := CASE WHEN p.saturated IS NOT NULL OR p.arrival_rate_qps IS NULL THEN p.output_tokens_per_s END;
		EXCEPTION WHEN undefined_object OR invalid_parameter_value OR feature_not_supported THEN
			c.active_problem := SQLERRM;
		END;
	END IF;

	IF idle AND g.idle_power_w IS NOT NULL THEN
		c.idle_power_w := g.idle_power_w * num_gpus;
		c.idle_lo_w := c.idle_power_w;
		c.idle_hi_w := c.idle_power_w;
		c.idle_basis := 'measured';
	ELSIF idle AND c.problem IS NULL AND llm IS NOT NULL AND physical THEN
		BEGIN
			p := @extschema@.wattgpu_predict(g.gpu, l.llm, coalesce(scenario, 'server_high'), arrival_rate_qps => 1e-9, num_gpus => num_gpus, model => model);
			IF p.power_w IS NOT NULL THEN
				c.idle_power_w := p.power_w;
				c.idle_lo_w := p.power_lo_w;
				c.idle_hi_w := p.power_hi_w;
				c.power_model := p.power_model;
				c.idle_basis := 'extrapolated';
				c.idle_problem := CASE WHEN p.power_lo_w IS NULL THEN format('model %s has no intervals', p.power_model) END;
			END IF;
		EXCEPTION WHEN undefined_object OR invalid_parameter_value OR feature_not_supported THEN
			NULL;	-- not known, as said below
		END;
	END IF;
	IF idle AND c.idle_power_w IS NULL AND g.gpu IS NOT NULL THEN
		c.idle_problem := format('idle power of %s is not known', c.gpu);
	END IF;
	RETURN c;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_predict_configuration(text, text, text, integer, boolean, boolean, text, boolean) IS
'For wattgpu_energy: power of one copy of an LLM on num_gpus cards, while active and while idle if asked for, with the problems as text where a prediction has errors. physical: the power model''s recipe is physical, so that it knows idle cards.';

-- Without jit: compiling this many expressions takes seconds, for rows that take milliseconds.
CREATE FUNCTION @extschema@.wattgpu_energy(period tstzrange DEFAULT NULL, model text DEFAULT NULL)
RETURNS SETOF @extschema@.wattgpu_energy_row
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000000 ROWS 10000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
	recipe text;
	grid_stands_in boolean;
BEGIN
	SELECT m.recipe INTO recipe FROM @extschema@.wattgpu_models m
	WHERE m.target = 'power' AND m.model = coalesce(wattgpu_energy.model,
		(SELECT d.model FROM @extschema@.wattgpu_default_models d WHERE d.target = 'power' ORDER BY d.set_at DESC LIMIT 1));
	IF NOT FOUND THEN
		RAISE undefined_object USING
			MESSAGE = coalesce(format('there is no model "%s" for power', wattgpu_energy.model), 'there is no default model for power'),
			HINT = 'Table wattgpu_models lists the models there are.';
	END IF;

	grid_stands_in := EXISTS (SELECT FROM @extschema@.wattgpu_report_relations r WHERE r.table_name = 'wattgpu_grid_intensity');
	-- OFFSET 0 keeps the planner from computing a figure again for every figure made of it
	RETURN QUERY
	WITH held AS MATERIALIZED (
		SELECT d.r AS given, d.start, d.stop, nullif(concat_ws('; ', d.broken, CASE WHEN d.start < max(d.stop) OVER before OR d.stop > lead(d.start) OVER by_start
				THEN 'breaks the rule "period overlaps no other of the deployment"' END), '') AS wrong
		FROM (
			SELECT r, r.deployment, @extschema@.wattgpu_deployment_problem(r) AS broken,
				-- months of other years would be too many, or have no names
				CASE WHEN y.named THEN lower(r.period) END AS start, CASE WHEN y.named THEN upper(r.period) END AS stop
			FROM @extschema@.wattgpu_read_deployments() r,
				LATERAL (SELECT lower(r.period) >= '2000-01-01 00:00Z' AND upper(r.period) <= '10000-01-01 00:00Z') y (named)
		) d
		WINDOW by_start AS (PARTITION BY d.deployment COLLATE "C" ORDER BY d.start, d.stop),
			before AS (by_start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	),
	pieces AS MATERIALIZED (
		-- figures of a row that breaks a rule count for nothing
		SELECT h.given, h.wrong, (CASE WHEN h.wrong IS NULL THEN h.given END).*, m.month::date AS month, p.piece_start, p.piece_stop,
			CASE WHEN h.wrong IS NULL THEN ARRAY[(h.given).gpu, (h.given).llm, (h.given).scenario, (h.given).num_gpus::text] END AS configuration,
			date_part('epoch', p.piece_stop - p.piece_start) / date_part('epoch', h.stop - h.start) AS part
		FROM held h
		LEFT JOIN LATERAL generate_series(date_trunc('month', greatest(h.start, lower(wattgpu_energy.period)) AT TIME ZONE 'UTC'),
			least(h.stop, upper(wattgpu_energy.period)) AT TIME ZONE 'UTC', '1 month') m (month) ON h.start IS NOT NULL
		CROSS JOIN LATERAL (SELECT
			CASE WHEN h.start IS NOT NULL THEN greatest(h.start, lower(wattgpu_energy.period), m.month AT TIME ZONE 'UTC') END AS piece_start,
			CASE WHEN h.start IS NOT NULL THEN least(h.stop, upper(wattgpu_energy.period), (m.month + interval '1 month') AT TIME ZONE 'UTC') END AS piece_stop) p
		-- a row whose period has no months stays in every report, as a problem
		WHERE h.start IS NULL OR p.piece_start < p.piece_stop AND NOT coalesce(isempty(wattgpu_energy.period), false)
	),
	configurations AS MATERIALIZED (
		SELECT k.configuration, (k.c).*
		FROM (
			SELECT p.configuration, @extschema@.wattgpu_predict_configuration(p.configuration[1], p.configuration[2], p.configuration[3],
				p.configuration[4]::integer, bool_or(p.hours_active > 0), bool_or(p.hours_reserved > p.hours_active), wattgpu_energy.model, recipe = 'physical') AS c
			FROM pieces p WHERE p.configuration IS NOT NULL GROUP BY p.configuration OFFSET 0
		) k
	),
	sites AS MATERIALIZED (
		SELECT DISTINCT ON (s.name) s.name, s.wrong, (CASE WHEN s.wrong IS NULL THEN s.r END).*
		FROM (
			SELECT r.site AS name, r, nullif(concat_ws('; ', @extschema@.wattgpu_site_problem(r),
				CASE WHEN count(*) OVER (PARTITION BY r.site) > 1 THEN 'is given more than once' END), '') AS wrong
			FROM @extschema@.wattgpu_read_sites() r
		) s
	),
	spans AS MATERIALIZED (
		SELECT DISTINCT s.zone, p.piece_start, p.piece_stop FROM pieces p JOIN sites s ON s.name = p.site
		WHERE s.zone IS NOT NULL AND p.piece_start IS NOT NULL
	),
	intensities AS MATERIALIZED (
		SELECT r.zone, r.method, lower(r.valid) AS start, upper(r.valid) AS stop, r.co2e_g_per_kwh, @extschema@.wattgpu_grid_intensity_problem(r) AS wrong
		FROM @extschema@.wattgpu_read_grid_intensity() r WHERE r.zone IN (SELECT s.zone FROM spans s)
	),
	clashes AS MATERIALIZED (
		SELECT DISTINCT c.zone, c.method, c.start, 'breaks the rule "valid overlaps no other of the zone and method"' AS wrong
		FROM (
			SELECT n.*, n.start < max(n.stop) OVER before OR n.stop > lead(n.start) OVER by_start AS clashing
			FROM intensities n WHERE n.wrong IS NULL AND grid_stands_in
			WINDOW by_start AS (PARTITION BY n.zone COLLATE "C", n.method COLLATE "C" ORDER BY n.start, n.stop), before AS (by_start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
		) c
		WHERE c.clashing
	),
	wrong_intensities AS MATERIALIZED (
		SELECT w.zone, w.method, min(w.wrong COLLATE "C") AS wrong
		FROM (SELECT n.zone, n.method, n.wrong FROM intensities n WHERE n.wrong IS NOT NULL UNION ALL SELECT c.zone, c.method, c.wrong FROM clashes c) w
		GROUP BY w.zone, w.method
	),
	-- The starts and stops of a zone's pieces cut time into segments. What a kWh at a constant rate emits in each, and for how many
	-- seconds that is known, is summed up once, so that a piece is a difference however many hours it has; exact in numeric.
	cuts AS MATERIALIZED (
		SELECT c.zone, array_agg(c.at ORDER BY c.at) AS at
		FROM (SELECT DISTINCT s.zone, b.at FROM spans s, LATERAL (VALUES (s.piece_start), (s.piece_stop)) b (at)) c GROUP BY c.zone
	),
	-- apart from the arrays, which are too long to carry along with every segment
	bounds AS MATERIALIZED (
		SELECT c.zone, u.segment, u.at AS start, lead(u.at) OVER (PARTITION BY c.zone ORDER BY u.segment) AS stop
		FROM cuts c CROSS JOIN LATERAL unnest(c.at) WITH ORDINALITY u (at, segment)
	),
	reaches AS MATERIALIZED (
		SELECT n.zone, n.method, n.start, n.stop, n.co2e_g_per_kwh,
			greatest(width_bucket(n.start, c.at), 1) AS first, least(width_bucket(n.stop, c.at), cardinality(c.at) - 1) AS last
		FROM intensities n JOIN cuts c ON c.zone = n.zone
		WHERE n.wrong IS NULL AND NOT EXISTS (SELECT FROM clashes o WHERE o.zone = n.zone AND o.method = n.method AND o.start = n.start)
	),
	segments AS (
		SELECT n.zone, b.segment, sum(x.co2e) FILTER (WHERE n.method = 'location') AS location, sum(x.s) FILTER (WHERE n.method = 'location') AS location_s,
			sum(x.co2e) FILTER (WHERE n.method = 'market') AS market, sum(x.s) FILTER (WHERE n.method = 'market') AS market_s
		FROM reaches n CROSS JOIN LATERAL generate_series(n.first, n.last) k (segment)
		JOIN bounds b ON b.zone = n.zone AND b.segment = k.segment
		CROSS JOIN LATERAL (SELECT extract(epoch FROM least(n.stop, b.stop) - greatest(n.start, b.start))::numeric) l (s)
		CROSS JOIN LATERAL (SELECT l.s, l.s * n.co2e_g_per_kwh::numeric) x (s, co2e)
		GROUP BY n.zone, b.segment
	),
	integrals AS MATERIALIZED (
		SELECT c.zone, c.start AS at, coalesce(sum(g.location) OVER until, 0) AS location, coalesce(sum(g.location_s) OVER until, 0) AS location_s,
			coalesce(sum(g.market) OVER until, 0) AS market, coalesce(sum(g.market_s) OVER until, 0) AS market_s
		FROM bounds c LEFT JOIN segments g ON g.zone = c.zone AND g.segment = c.segment
		WINDOW until AS (PARTITION BY c.zone ORDER BY c.segment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	),
	means AS MATERIALIZED (
		SELECT s.zone, s.piece_start, s.piece_stop,
			CASE WHEN b.location_s - s.location_s = l.s THEN ((b.location - s.location) / l.s)::double precision END AS location,
			CASE WHEN b.market_s - s.market_s = l.s THEN ((b.market - s.market) / l.s)::double precision END AS market
		-- one join after the other: starts with stops of a zone would be all its pairs
		FROM (
			SELECT p.*, a.location, a.location_s, a.market, a.market_s FROM spans p JOIN integrals a ON a.zone = p.zone AND a.at = p.piece_start OFFSET 0
		) s JOIN integrals b ON b.zone = s.zone AND b.at = s.piece_stop,
			LATERAL (SELECT extract(epoch FROM s.piece_stop - s.piece_start)::numeric) l (s)
	),
	-- from here on a figure a boundary, from the boards outwards
	drawn AS (
		SELECT p.*, c.gpu AS card, c.llm AS served, c.saturated, c.basis, c.idle_basis, c.power_model, c.itl_model,
			s.zone, s.pue, s.price_per_kwh, s.currency, n.location, n.market,
			p.hours_active * p.part AS active_h, (p.hours_reserved - p.hours_active) * p.part AS idle_h,
			c.power_w * x.copies AS active_w, c.power_lo_w * x.copies AS active_lo_w, c.power_hi_w * x.copies AS active_hi_w,
			c.idle_power_w * x.copies AS idle_w, c.idle_lo_w * x.copies AS idle_lo_w, c.idle_hi_w * x.copies AS idle_hi_w,
			p.measured_kwh * p.part AS meter_kwh,
			p.node_overhead_w_per_gpu * p.gpus * p.hours_reserved * p.part / 1000 AS overhead_kwh,
			CASE WHEN p.measured_output_tokens IS NOT NULL THEN p.measured_output_tokens * p.part WHEN p.hours_active = 0 THEN 0
				ELSE c.output_tokens_per_s * x.copies * p.hours_active * p.part * 3600 END AS tokens,
			nullif(concat_ws('; ', c.problem, a.problem, CASE WHEN p.hours_reserved > p.hours_active THEN nullif(c.idle_problem, a.problem) END), '') AS prediction_problem,
			CASE WHEN s.name IS NULL THEN format('site "%s" is not known', p.site)
				WHEN s.wrong IS NOT NULL THEN format('site "%s" %s', p.site, s.wrong)
				ELSE nullif(concat_ws('; ', CASE WHEN s.pue IS NULL THEN format('PUE of site "%s" is not known', p.site) END,
					CASE WHEN s.zone IS NULL THEN format('grid zone of site "%s" is not known', p.site) END), '') END AS site_problem
		FROM pieces p CROSS JOIN LATERAL (SELECT p.gpus / p.num_gpus) x (copies)
		LEFT JOIN configurations c ON c.configuration = p.configuration
		CROSS JOIN LATERAL (SELECT CASE WHEN p.hours_active > 0 THEN c.active_problem END) a (problem)
		LEFT JOIN sites s ON s.name = p.site
		LEFT JOIN means n ON n.zone = s.zone AND n.piece_start = p.piece_start AND n.piece_stop = p.piece_stop
		OFFSET 0
	),
	boards AS (
		SELECT d.*,
			CASE WHEN d.active_h = 0 THEN 0 ELSE d.active_w * d.active_h / 1000 END AS active_kwh,
			CASE WHEN d.idle_h = 0 THEN 0 ELSE d.idle_w * d.idle_h / 1000 END AS idle_kwh,
			CASE WHEN d.active_h = 0 THEN 0 ELSE d.active_lo_w * d.active_h / 1000 END + CASE WHEN d.idle_h = 0 THEN 0 ELSE d.idle_lo_w * d.idle_h / 1000 END AS lo_kwh,
			CASE WHEN d.active_h = 0 THEN 0 ELSE d.active_hi_w * d.active_h / 1000 END + CASE WHEN d.idle_h = 0 THEN 0 ELSE d.idle_hi_w * d.idle_h / 1000 END AS hi_kwh,
			CASE d.measured_boundary WHEN 'gpu' THEN d.meter_kwh WHEN 'node' THEN d.meter_kwh - d.overhead_kwh
				WHEN 'facility' THEN d.meter_kwh / d.pue - d.overhead_kwh END AS meter_gpu_kwh
		FROM drawn d OFFSET 0
	),
	metered_boards AS (
		SELECT b.*,
			CASE WHEN b.measured_boundary IS NULL THEN b.active_kwh + b.idle_kwh WHEN b.meter_gpu_kwh >= 0 THEN b.meter_gpu_kwh END AS gpu_kwh,
			CASE WHEN b.measured_boundary IS NULL THEN b.lo_kwh WHEN b.meter_gpu_kwh >= 0 THEN b.meter_gpu_kwh END AS gpu_lo_kwh,
			CASE WHEN b.measured_boundary IS NULL THEN b.hi_kwh WHEN b.meter_gpu_kwh >= 0 THEN b.meter_gpu_kwh END AS gpu_hi_kwh,
			CASE b.measured_boundary WHEN 'node' THEN b.meter_kwh WHEN 'facility' THEN b.meter_kwh / b.pue END AS meter_node_kwh
		FROM boards b OFFSET 0
	),
	nodes AS (
		SELECT b.*,
			CASE WHEN b.measured_boundary IN ('node', 'facility') THEN b.meter_node_kwh ELSE b.gpu_kwh + b.overhead_kwh END AS node_kwh,
			CASE WHEN b.measured_boundary IN ('node', 'facility') THEN b.meter_node_kwh ELSE b.gpu_lo_kwh + b.overhead_kwh END AS node_lo_kwh,
			CASE WHEN b.measured_boundary IN ('node', 'facility') THEN b.meter_node_kwh ELSE b.gpu_hi_kwh + b.overhead_kwh END AS node_hi_kwh
		FROM metered_boards b OFFSET 0
	),
	facilities AS (
		SELECT n.*,
			CASE WHEN n.measured_boundary = 'facility' THEN n.meter_kwh ELSE n.node_kwh * n.pue END AS facility_kwh,
			CASE WHEN n.measured_boundary = 'facility' THEN n.meter_kwh ELSE n.node_lo_kwh * n.pue END AS facility_lo_kwh,
			CASE WHEN n.measured_boundary = 'facility' THEN n.meter_kwh ELSE n.node_hi_kwh * n.pue END AS facility_hi_kwh
		FROM nodes n OFFSET 0
	)
	SELECT (f.given).deployment, (f.given).site, f.zone, coalesce(f.card, (f.given).gpu), (f.given).gpus, (f.given).num_gpus,
		coalesce(f.served, (f.given).llm), (f.given).scenario,
		CASE WHEN f.piece_start IS NULL THEN (f.given).period ELSE tstzrange(f.piece_start, f.piece_stop) END, f.month, f.active_h, f.idle_h,
		CASE WHEN f.active_h > 0 THEN f.active_w END, CASE WHEN f.active_h > 0 THEN f.active_lo_w END,
		CASE WHEN f.active_h > 0 THEN f.active_hi_w END, CASE WHEN f.idle_h > 0 THEN f.idle_w END,
		-- a meter does not tell active hours from idle ones
		CASE WHEN f.measured_boundary IS NULL THEN f.active_kwh WHEN f.idle_h = 0 THEN f.gpu_kwh WHEN f.active_h = 0 THEN 0 END,
		CASE WHEN f.measured_boundary IS NULL THEN f.idle_kwh WHEN f.idle_h = 0 THEN 0 WHEN f.active_h = 0 THEN f.gpu_kwh END,
		f.gpu_kwh, f.gpu_lo_kwh, f.gpu_hi_kwh, f.node_kwh, f.node_lo_kwh, f.node_hi_kwh,
		f.pue, f.facility_kwh, f.facility_lo_kwh, f.facility_hi_kwh,
		f.facility_kwh * f.price_per_kwh, f.currency, f.location, f.market,
		f.facility_kwh * f.location / 1000, f.facility_lo_kwh * f.location / 1000, f.facility_hi_kwh * f.location / 1000,
		f.facility_kwh * f.market / 1000, f.facility_lo_kwh * f.market / 1000, f.facility_hi_kwh * f.market / 1000,
		f.tokens, CASE WHEN f.active_h > 0 THEN f.saturated END, f.embodied_co2e_kg * f.part,
		CASE WHEN f.active_h > 0 THEN CASE WHEN f.measured_boundary IS NULL THEN f.basis ELSE 'metered' END END,
		CASE WHEN f.idle_h > 0 THEN CASE WHEN f.measured_boundary IS NULL THEN f.idle_basis ELSE 'metered' END END,
		f.measured_boundary, CASE WHEN f.active_h > 0 OR f.idle_h > 0 AND f.idle_basis = 'extrapolated' THEN f.power_model END,
		CASE WHEN f.active_h > 0 THEN f.itl_model END,
		nullif(concat_ws('; ', f.wrong, f.prediction_problem,
			CASE WHEN f.active_w IS NOT NULL AND f.tokens IS NULL THEN format('throughput of %s on %s is not known', f.served, f.card) END,
			CASE WHEN f.node_overhead_w_per_gpu IS NULL AND f.wrong IS NULL THEN 'node overhead is not known' END,
			CASE WHEN f.meter_gpu_kwh < 0 THEN 'metered energy is below the node overhead' END,
			CASE WHEN f.wrong IS NULL THEN f.site_problem END,
			(SELECT string_agg(format('no %s intensity of zone "%s" for %s to %s UTC%s', i.method, f.zone,
					to_char(f.piece_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), to_char(f.piece_stop AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
					(SELECT ', where a row ' || min(w.wrong) FROM wrong_intensities w
					 WHERE w.zone = f.zone AND (w.method = i.method OR coalesce(w.method NOT IN ('location', 'market'), true)))), '; ' ORDER BY i.method)
			 FROM (VALUES ('location', f.location), ('market', f.market)) i (method, co2e) WHERE i.co2e IS NULL AND f.zone IS NOT NULL)), '')
	FROM facilities f;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_energy(tstzrange, text) IS
'Energy, cost and emissions of all deployments: one row per row of wattgpu_deployments (or what stands in for it) and UTC calendar month, clipped to period (NULL: all). Energy, hours, tokens and embodied emissions of a row are spread evenly over its period. Power is predicted once per GPU, LLM, scenario and num_gpus, by model (NULL: the default ones), and multiplied by copies of the LLM and hours; a meter''s figure takes its place at its boundary, without an interval, and the other boundaries are derived from it. Idle power is wattgpu_gpus.idle_power_w, else predicted at next to no load where there is an LLM and the model is physical. Intervals are those of power, 90 %; node overhead, PUE and intensities count as exact. What cannot be had is NULL, with the reason in problem: never 0, and never an error of the whole report. Writes nothing. Error undefined_object if there is no such model, undefined_table and insufficient_privilege as the readers.';

-- Totals: what each is, and says, once. The views and whoever sums saved rows are made of it.

CREATE FUNCTION @extschema@.wattgpu_total_columns() RETURNS TABLE (name text, expression text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
	WITH boundary (line, figure, what) AS (VALUES
		(1, 'gpu_%skwh', 'Energy of the boards, kWh'), (2, 'node_%skwh', 'Energy of the nodes, kWh'), (3, 'facility_%skwh', 'Energy at the facility''s meter, kWh'),
		(4, 'location_co2e_%skg', 'Location-based emissions, kg CO2e'), (5, 'market_co2e_%skg', 'Market-based emissions, kg CO2e')
	),
	missing (line, name, figure) AS (VALUES
		(1, 'gpu', 'gpu_kwh'), (2, 'node', 'node_kwh'), (3, 'facility', 'facility_kwh'), (4, 'location', 'location_co2e_kg'), (5, 'market', 'market_co2e_kg'), (6, 'tokens', 'output_tokens')
	),
	-- a metered row is metered as a whole; otherwise its active and its idle part may differ
	share (line, basis, expression) AS (VALUES
		(1, 'metered', 'CASE WHEN e.metered_boundary IS NOT NULL THEN e.gpu_kwh ELSE 0 END'),
		(2, 'measured', NULL), (3, 'predicted', NULL), (4, 'extrapolated', NULL)
	)
	SELECT c.name, c.expression, c.comment FROM (
		SELECT 100, 'deployments', 'count(DISTINCT coalesce(e.deployment, '''') COLLATE "C")', 'Deployments, each counted once; rows without a name, which a relation that stands in may have, as one'
		UNION ALL
		SELECT 100 + m.line, 'missing_' || m.name, format('count(DISTINCT coalesce(e.deployment, '''') COLLATE "C") FILTER (WHERE e.%I IS NULL)', m.figure),
			format('Deployments with a row whose %s is not known: it is in no sum', m.figure)
		FROM missing m
		UNION ALL
		SELECT 190, 'saturated', 'count(DISTINCT coalesce(e.deployment, '''') COLLATE "C") FILTER (WHERE e.saturated)',
			'Deployments whose requests come faster than their cards can answer: predicted tokens are those that the cards can make'
		UNION ALL
		SELECT 200, 'problems', 'coalesce(array_agg(DISTINCT format(''%s: %s'', e.deployment, e.problem) COLLATE "C") FILTER (WHERE e.problem IS NOT NULL), ''{}'')',
			'Each deployment and its problem once, in order; empty if there is none'
		UNION ALL
		SELECT 210, 'gpu_hours_active', 'sum(e.hours_active * e.gpus)', 'Active hours of all cards'
		UNION ALL
		SELECT 211, 'gpu_hours_idle', 'sum(e.hours_idle * e.gpus)', 'Idle hours of all cards'
		UNION ALL
		SELECT 300 + 10 * b.line + i.line, format(b.figure, i.part), format(i.expression, format(b.figure, i.part), format(b.figure, '')), i.what || b.what || i.how
		-- ends of fewer rows than the figure is of would not enclose it
		FROM boundary b, (VALUES (0, '', 'sum(e.%1$I)', 'Sum: ', ', of the rows where it is known; NULL if of none'),
			(1, 'lo_', 'CASE WHEN count(e.%1$I) = count(e.%2$I) THEN sum(e.%1$I) END', 'Lower end: ',
				', the sum of lower ends: with the upper end it holds at least the stated 90 % where errors do not move together. NULL if one is not known'),
			(2, 'hi_', 'CASE WHEN count(e.%1$I) = count(e.%2$I) THEN sum(e.%1$I) END', 'Upper end: ', ', the sum of upper ends. NULL if one is not known')) i (line, part, expression, what, how)
		UNION ALL
		SELECT 400, 'cost', 'CASE WHEN count(DISTINCT e.currency) = 1 AND count(e.cost) = count(*) THEN sum(e.cost) END',
			'Price of facility_kwh, in currency; NULL if that of any row is not known, or currencies differ'
		UNION ALL
		SELECT 401, 'currency', 'CASE WHEN count(DISTINCT e.currency) = 1 AND count(e.cost) = count(*) THEN min(e.currency) END', 'Currency of cost'
		UNION ALL
		SELECT 410, 'output_tokens', 'sum(e.output_tokens)', 'Tokens generated, of the rows where they are known'
		UNION ALL
		SELECT 411, 'tokens_per_j', 'sum(e.output_tokens) FILTER (WHERE e.gpu_kwh IS NOT NULL)
			/ nullif(sum(e.gpu_kwh) FILTER (WHERE e.output_tokens IS NOT NULL) * 3.6e6, 0)',
			'Tokens per joule of the boards, idle hours included: sum of tokens / sum of energy, over the rows where both are known'
		UNION ALL
		SELECT 412, 'sci_operational_g_per_1000_tokens', 'sum(e.location_co2e_kg) FILTER (WHERE e.output_tokens IS NOT NULL) * 1e6
			/ nullif(sum(e.output_tokens) FILTER (WHERE e.location_co2e_kg IS NOT NULL), 0)',
			'g CO2e a thousand tokens, operational: location-based, of the facility, idle hours included; over the rows where both are known'
		UNION ALL
		SELECT 413, 'sci_g_per_1000_tokens', 'CASE WHEN count(*) FILTER (WHERE e.location_co2e_kg IS NOT NULL AND e.output_tokens IS NOT NULL AND e.embodied_co2e_kg IS NULL) = 0
			THEN sum(e.location_co2e_kg + e.embodied_co2e_kg) FILTER (WHERE e.output_tokens IS NOT NULL) * 1e6
				/ nullif(sum(e.output_tokens) FILTER (WHERE e.location_co2e_kg IS NOT NULL), 0) END',
			'g CO2e a thousand tokens with embodied emissions (SCI, ISO/IEC 21031), over the same rows as the operational one; NULL if embodied_co2e_kg of one of them is not known'
		UNION ALL
		SELECT 420 + s.line, 'share_' || s.basis, format('sum(%s) / nullif(sum(e.gpu_kwh), 0)', coalesce(s.expression,
				format('CASE WHEN e.gpu_kwh IS NULL THEN NULL WHEN e.metered_boundary IS NULL THEN CASE WHEN e.basis = %1$L THEN e.gpu_active_kwh ELSE 0 END
					+ CASE WHEN e.idle_basis = %1$L THEN e.gpu_idle_kwh ELSE 0 END ELSE 0 END', s.basis))),
			format('Share of gpu_kwh that is %s, 0 to 1; the four shares add up to 1', s.basis)
		FROM share s
		UNION ALL
		SELECT 430, 'power_models', 'coalesce(array_agg(DISTINCT e.power_model COLLATE "C") FILTER (WHERE e.power_model IS NOT NULL), ''{}'')', 'Models of power that were used'
		UNION ALL
		SELECT 431, 'itl_models', 'coalesce(array_agg(DISTINCT e.itl_model COLLATE "C") FILTER (WHERE e.itl_model IS NOT NULL), ''{}'')', 'Models of latency that were used'
	) c (line, name, expression, comment) ORDER BY c.line
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_total_columns() IS
'For the views of totals: name, aggregate over rows e of type wattgpu_energy_row, and comment of each total, in order.';

CREATE FUNCTION @extschema@.wattgpu_totals_query(source text, keys text[] DEFAULT '{}') RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('SELECT %s%s FROM %s e%s', (SELECT string_agg(format('e.%I, ', k.key), '' ORDER BY k.place) FROM unnest(keys) WITH ORDINALITY k (key, place)),
		string_agg(format('%s AS %I', c.expression, c.name), ', ' ORDER BY c.place), source,
		' GROUP BY ' || (SELECT string_agg(format('e.%I', k.key), ', ' ORDER BY k.place) FROM unnest(keys) WITH ORDINALITY k (key, place)))
	FROM @extschema@.wattgpu_total_columns() WITH ORDINALITY c (name, expression, comment, place)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_totals_query(text, text[]) IS
'For the views of totals: the query that sums rows of type wattgpu_energy_row in source (SQL of a FROM item), a row for each of keys (columns of theirs; none: one row). Its columns are keys and those of wattgpu_energy_total. NULL in, NULL out.';

CREATE FUNCTION @extschema@.wattgpu_two_figures(value double precision) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	-- Without SET and STRICT, so that it is inlined; so names say where they are. Rounding may carry, as 9.96 to 10: the digits are counted after it.
	SELECT CASE WHEN value OPERATOR(pg_catalog.=) 0 THEN 0 ELSE pg_catalog.round(value::pg_catalog.numeric, 1 OPERATOR(pg_catalog.-)
		pg_catalog.floor(pg_catalog.log(pg_catalog.abs(pg_catalog.round(value::pg_catalog.numeric, 1 OPERATOR(pg_catalog.-)
			pg_catalog.floor(pg_catalog.log(pg_catalog.abs(value)))::pg_catalog.int4)::pg_catalog.float8)))::pg_catalog.int4) END
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_two_figures(double precision) IS
'value to two significant figures, half away from zero. NULL in, NULL out; for finite numbers.';

DO $$
BEGIN
	EXECUTE format($v$
		CREATE VIEW @extschema@.wattgpu_scope2 AS
		WITH sources AS (
			SELECT g.zone, m.month::date AS month, array_agg(DISTINCT format('%%s: %%s', g.method, g.source) COLLATE "C") AS sources
			FROM (
				SELECT DISTINCT r.zone, r.method, r.source, date_trunc('month', lower(r.valid) AT TIME ZONE 'UTC') AS first,
					date_trunc('month', upper(r.valid) AT TIME ZONE 'UTC' - interval '1 microsecond') AS last
				FROM @extschema@.wattgpu_read_grid_intensity() r WHERE @extschema@.wattgpu_grid_intensity_problem(r) IS NULL
			) g, generate_series(g.first, g.last, '1 month') m (month)
			GROUP BY g.zone, m.month
		)
		SELECT t.month, t.site, t.zone, t.facility_kwh, t.facility_lo_kwh, t.facility_hi_kwh,
			t.location_co2e_kg / 1000 AS location_co2e_t, t.location_co2e_lo_kg / 1000 AS location_co2e_lo_t, t.location_co2e_hi_kg / 1000 AS location_co2e_hi_t,
			t.market_co2e_kg / 1000 AS market_co2e_t, t.market_co2e_lo_kg / 1000 AS market_co2e_lo_t, t.market_co2e_hi_kg / 1000 AS market_co2e_hi_t,
			t.missing_facility, t.missing_location, t.missing_market, coalesce(s.sources, '{}') AS sources
		FROM (%s) t LEFT JOIN sources s ON s.zone = t.zone AND s.month = t.month$v$,
		@extschema@.wattgpu_totals_query('@extschema@.wattgpu_energy()', ARRAY['month', 'site', 'zone']));
END $$;
COMMENT ON VIEW @extschema@.wattgpu_scope2 IS
'Emissions of purchased electricity by UTC calendar month, site and zone, location- and market-based side by side as the GHG Protocol''s Scope 2 asks. Rows whose figure is not known are in no sum, and counted as missing. Lower and upper ends are sums of those of the rows, as if errors moved together.';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.location_co2e_t IS 'Location-based emissions, t CO2e, of the rows where they are known; NULL if of none';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.location_co2e_lo_t IS 'Lower end of location_co2e_t, t';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.location_co2e_hi_t IS 'Upper end of location_co2e_t, t';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.market_co2e_t IS 'Market-based emissions, t CO2e, of the rows where they are known; NULL if of none';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.market_co2e_lo_t IS 'Lower end of market_co2e_t, t';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.market_co2e_hi_t IS 'Upper end of market_co2e_t, t';
COMMENT ON COLUMN @extschema@.wattgpu_scope2.sources IS 'Method and source of every intensity of the zone that is valid in the month, in order';

DO $$
DECLARE
	of record;
	c record;
BEGIN
	FOR of IN
		SELECT v.name, v.name || '_rounded' AS rounded, v.keys, v.about FROM (VALUES
			('wattgpu_deployment_energy', ARRAY['deployment', 'site', 'gpu', 'llm'], 'for each deployment, site, GPU and LLM, over all of its periods'),
			('wattgpu_energy_by_model', ARRAY['llm'], 'for each LLM; NULL are reserves without one'),
			('wattgpu_energy_by_site', ARRAY['site'], 'for each site'),
			('wattgpu_energy_by_month', ARRAY['month'], 'for each UTC calendar month'),
			('wattgpu_energy_by_site_month', ARRAY['site', 'month'], 'for each site and UTC calendar month'),
			('wattgpu_energy_total', '{}', 'for everything'),
			('wattgpu_scope2', NULL, NULL)) v (name, keys, about)
	LOOP
		IF of.keys IS NOT NULL THEN
			EXECUTE format('CREATE VIEW @extschema@.%I AS %s', of.name, @extschema@.wattgpu_totals_query('@extschema@.wattgpu_energy()', of.keys));
			EXECUTE format('COMMENT ON VIEW @extschema@.%I IS %L', of.name, format('Sums of wattgpu_energy(), a row %s. Rows whose figure is not known are in no sum, and counted as missing. Lower and upper ends are sums of those of the rows, as if errors moved together.', of.about));
		END IF;
		EXECUTE (SELECT format('CREATE VIEW @extschema@.%I AS SELECT %s FROM @extschema@.%I v', of.rounded,
				string_agg(format(CASE a.atttypid WHEN 'double precision'::regtype THEN '@extschema@.wattgpu_two_figures(v.%1$I) AS %1$I' ELSE 'v.%1$I' END, a.attname), ', ' ORDER BY a.attnum), of.name)
			FROM pg_attribute a WHERE a.attrelid = ('@extschema@.' || of.name)::regclass AND a.attnum > 0);
		EXECUTE format('COMMENT ON VIEW @extschema@.%I IS %L', of.rounded, of.name || ' with every figure to two significant figures');
		EXECUTE format('GRANT SELECT ON @extschema@.%I, @extschema@.%I TO PUBLIC', of.name, of.rounded);
		FOR c IN
			SELECT a.attname AS name, coalesce(col_description(a.attrelid, a.attnum), t.comment, col_description(k.attrelid, k.attnum)) AS comment
			FROM pg_attribute a LEFT JOIN @extschema@.wattgpu_total_columns() t ON t.name = a.attname
			LEFT JOIN pg_attribute k ON k.attrelid = '@extschema@.wattgpu_energy_row'::regclass AND k.attname = a.attname
			WHERE a.attrelid = ('@extschema@.' || of.name)::regclass AND a.attnum > 0
		LOOP
			EXECUTE format('COMMENT ON COLUMN @extschema@.%I.%I IS %L', of.name, c.name, c.comment);
			EXECUTE format('COMMENT ON COLUMN @extschema@.%I.%I IS %L', of.rounded, c.name, c.comment);
		END LOOP;
	END LOOP;
END $$;
