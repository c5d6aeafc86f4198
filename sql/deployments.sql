-- What an operator runs: deployments, the sites they stand at, and how much CO2e a kWh of a grid zone emits. A view or table of
-- one's own may stand in for each. What a row must keep to is written once, in wattgpu_report_rules: from there it becomes constraints
-- here, and problems of the rows of a stand-in.

CREATE TYPE @extschema@.wattgpu_text_range AS RANGE (subtype = text, collation = "C");
COMMENT ON TYPE @extschema@.wattgpu_text_range IS
'A range of texts in byte order. wattgpu_text_range(x, x, ''[]'') overlaps only itself, which lets an exclusion constraint compare texts for equality without btree_gist.';

CREATE TABLE @extschema@.wattgpu_sites (
	site text PRIMARY KEY,
	zone text,
	pue double precision,
	price_per_kwh double precision,
	currency text
);

CREATE TABLE @extschema@.wattgpu_grid_intensity (
	zone text NOT NULL,
	method text NOT NULL,
	valid tstzrange NOT NULL,
	co2e_g_per_kwh double precision NOT NULL,
	source text NOT NULL,
	-- time first and a single text: that takes hourly rows in nearly three times as fast as zone, method and time. No method
	-- begins another, so the text stands for one method and zone only.
	CONSTRAINT "valid overlaps no other of the zone and method" EXCLUDE USING gist (
		valid WITH &&, @extschema@.wattgpu_text_range(method || zone, method || zone, '[]') WITH &&)
);

CREATE TABLE @extschema@.wattgpu_deployments (
	deployment text,
	site text NOT NULL,
	gpu text NOT NULL,
	gpus integer NOT NULL,
	num_gpus integer NOT NULL DEFAULT 1,
	llm text,
	scenario text DEFAULT 'server_high',
	period tstzrange,
	hours_active double precision NOT NULL,
	hours_reserved double precision NOT NULL,
	node_overhead_w_per_gpu double precision,
	measured_kwh double precision,
	measured_boundary text,
	measured_output_tokens double precision,
	embodied_co2e_kg double precision,
	PRIMARY KEY (deployment, period),
	CONSTRAINT "period overlaps no other of the deployment" EXCLUDE USING gist (
		@extschema@.wattgpu_text_range(deployment, deployment, '[]') WITH &&, period WITH &&)
);

CREATE TABLE @extschema@.wattgpu_report_relations (
	table_name text PRIMARY KEY CHECK (table_name IN ('wattgpu_sites', 'wattgpu_grid_intensity', 'wattgpu_deployments')),
	relation text NOT NULL
);

GRANT SELECT ON @extschema@.wattgpu_sites, @extschema@.wattgpu_grid_intensity, @extschema@.wattgpu_deployments,
	@extschema@.wattgpu_report_relations TO PUBLIC;

COMMENT ON TABLE @extschema@.wattgpu_sites IS 'Where deployments stand. Rows are yours; wattgpu_use_relation puts a view of your own in its place.';
COMMENT ON COLUMN @extschema@.wattgpu_sites.site IS 'Name of the site, 1 to 256 bytes';
COMMENT ON COLUMN @extschema@.wattgpu_sites.zone IS 'Grid zone, as wattgpu_grid_intensity.zone spells it; NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_sites.pue IS 'Power usage effectiveness: energy of the facility / energy of its IT equipment, 1 to 10; NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_sites.price_per_kwh IS 'Price of a kWh at the facility''s meter, in currency, at least 0; NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_sites.currency IS 'Currency of the price, three capital letters (ISO 4217); needed with a price';

COMMENT ON TABLE @extschema@.wattgpu_grid_intensity IS 'CO2e emitted by a kWh of a grid zone, for as long as it is valid: a year, a month, an hour. Rows are yours; wattgpu_use_relation puts a view of your own in its place.';
COMMENT ON COLUMN @extschema@.wattgpu_grid_intensity.zone IS 'Grid zone, 1 to 256 bytes';
COMMENT ON COLUMN @extschema@.wattgpu_grid_intensity.method IS 'location (the grid''s average) or market (contracts, else the residual mix), as the GHG Protocol''s Scope 2 tells them apart';
COMMENT ON COLUMN @extschema@.wattgpu_grid_intensity.valid IS 'When the figure holds, bounded, in the years 2000 to 9999; two of a zone and method do not overlap';
COMMENT ON COLUMN @extschema@.wattgpu_grid_intensity.co2e_g_per_kwh IS 'Emissions of a kWh, g CO2e, 0 to 10000';
COMMENT ON COLUMN @extschema@.wattgpu_grid_intensity.source IS 'Where the figure comes from';

COMMENT ON TABLE @extschema@.wattgpu_deployments IS 'GPUs that were held over a period, and the LLM that they served. Energy, hours, tokens and embodied emissions are taken as spread evenly over the period. Rows are yours; wattgpu_use_relation puts a view of your own in its place.';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.deployment IS 'Name of the deployment, 1 to 256 bytes';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.site IS 'Where it stands (wattgpu_sites.site)';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.gpu IS 'The card, in any spelling that wattgpu_power takes';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.gpus IS 'Cards held, 1 to 1000000, a multiple of num_gpus';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.num_gpus IS 'Cards that serve one copy of the LLM together, 1 to 1024';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.llm IS 'The LLM, in any spelling that wattgpu_power takes; may be NULL for a reserve, which is never active';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.scenario IS 'Workload of one copy of the LLM while it is active (wattgpu_scenarios.scenario); may be NULL for a reserve';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.period IS 'When the cards were held, bounded, in the years 2000 to 9999; two of a deployment do not overlap';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.hours_active IS 'Hours of the period in which the scenario ran, at least 0';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.hours_reserved IS 'Hours of the period in which the cards were held, active ones included';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.node_overhead_w_per_gpu IS 'What the rest of the node (CPUs, fans, network) draws for each card while it is held, W, at least 0; NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.measured_kwh IS 'Metered energy of the deployment over the period, kWh, at least 0; NULL if not metered';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.measured_boundary IS 'What the meter saw: gpu (boards), node (with node overhead) or facility (with PUE); given with measured_kwh';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.measured_output_tokens IS 'Tokens generated over the period, at least 0; NULL if not counted';
COMMENT ON COLUMN @extschema@.wattgpu_deployments.embodied_co2e_kg IS 'Share of the hardware''s embodied emissions that falls on the period, kg CO2e, at least 0; NULL if unknown';

COMMENT ON TABLE @extschema@.wattgpu_report_relations IS 'Which view or table stands in for wattgpu_sites, wattgpu_grid_intensity or wattgpu_deployments. Written by wattgpu_use_relation.';
COMMENT ON COLUMN @extschema@.wattgpu_report_relations.table_name IS 'wattgpu_sites, wattgpu_grid_intensity or wattgpu_deployments';
COMMENT ON COLUMN @extschema@.wattgpu_report_relations.relation IS 'Qualified name of the relation that is read in its place';

-- '#' stands for "of this row": nothing in a constraint, the argument in a function. A rule holds if it is true or NULL.
DO $$
DECLARE
	of record;
BEGIN
	FOR of IN
		SELECT r.name, 'wattgpu_' || r.kind || '_problem' AS problem,
			string_agg(format('ADD CONSTRAINT %I CHECK (%s)', r.rule, replace(r.holds, '#', '')), ', ' ORDER BY r.line) AS constraints,
			string_agg(format('CASE WHEN NOT (%s) THEN %L END', replace(r.holds, '#', 'r.'), format('breaks the rule "%s"', r.rule)), ', ' ORDER BY r.line) AS broken
		FROM (VALUES
			(1, 'site', 'wattgpu_sites', 'site is 1 to 256 bytes', $r$coalesce(#site <> '' AND octet_length(#site) <= 256, false)$r$),
			(2, 'site', 'wattgpu_sites', 'zone is 1 to 256 bytes', $r$#zone <> '' AND octet_length(#zone) <= 256$r$),
			(3, 'site', 'wattgpu_sites', 'pue is 1 to 10', $r$#pue >= 1 AND #pue <= 10$r$),
			(4, 'site', 'wattgpu_sites', 'price_per_kwh is finite and at least 0', $r$#price_per_kwh >= 0 AND #price_per_kwh < 'Infinity'$r$),
			(5, 'site', 'wattgpu_sites', 'currency is three capital letters', $r$#currency COLLATE "C" ~ '^[A-Z]{3}$'$r$),
			(6, 'site', 'wattgpu_sites', 'a price has a currency', $r$#price_per_kwh IS NULL OR #currency IS NOT NULL$r$),

			(1, 'grid_intensity', 'wattgpu_grid_intensity', 'zone is 1 to 256 bytes', $r$coalesce(#zone <> '' AND octet_length(#zone) <= 256, false)$r$),
			(2, 'grid_intensity', 'wattgpu_grid_intensity', 'method is location or market', $r$coalesce(#method IN ('location', 'market'), false)$r$),
			(3, 'grid_intensity', 'wattgpu_grid_intensity', 'valid is bounded and not empty, in the years 2000 to 9999',
				$r$coalesce(lower(#valid) >= '2000-01-01 00:00Z' AND upper(#valid) <= '10000-01-01 00:00Z' AND lower(#valid) < upper(#valid), false)$r$),
			(4, 'grid_intensity', 'wattgpu_grid_intensity', 'co2e_g_per_kwh is 0 to 10000', $r$coalesce(#co2e_g_per_kwh >= 0 AND #co2e_g_per_kwh <= 10000, false)$r$),
			(5, 'grid_intensity', 'wattgpu_grid_intensity', 'source is given', $r$coalesce(#source <> '', false)$r$),

			(1, 'deployment', 'wattgpu_deployments', 'deployment is 1 to 256 bytes', $r$coalesce(#deployment <> '' AND octet_length(#deployment) <= 256, false)$r$),
			(2, 'deployment', 'wattgpu_deployments', 'site is 1 to 256 bytes', $r$coalesce(#site <> '' AND octet_length(#site) <= 256, false)$r$),
			(3, 'deployment', 'wattgpu_deployments', 'gpu is given', $r$#gpu IS NOT NULL$r$),
			(4, 'deployment', 'wattgpu_deployments', 'gpus is 1 to 1000000', $r$coalesce(#gpus BETWEEN 1 AND 1000000, false)$r$),
			(5, 'deployment', 'wattgpu_deployments', 'num_gpus is 1 to 1024', $r$coalesce(#num_gpus BETWEEN 1 AND 1024, false)$r$),
			(6, 'deployment', 'wattgpu_deployments', 'gpus is a multiple of num_gpus', $r$#gpus % nullif(#num_gpus, 0) = 0$r$),
			(7, 'deployment', 'wattgpu_deployments', 'llm and scenario are NULL only if hours_active is 0', $r$#hours_active = 0 OR #llm IS NOT NULL AND #scenario IS NOT NULL$r$),
			(8, 'deployment', 'wattgpu_deployments', 'period is bounded and not empty, in the years 2000 to 9999',
				$r$coalesce(lower(#period) >= '2000-01-01 00:00Z' AND upper(#period) <= '10000-01-01 00:00Z' AND lower(#period) < upper(#period), false)$r$),
			(9, 'deployment', 'wattgpu_deployments', 'hours_active is finite and at least 0', $r$coalesce(#hours_active >= 0 AND #hours_active < 'Infinity', false)$r$),
			(10, 'deployment', 'wattgpu_deployments', 'hours_reserved is finite and at least hours_active',
				$r$coalesce(#hours_reserved >= 0 AND #hours_reserved < 'Infinity', false) AND #hours_reserved >= #hours_active$r$),
			-- hours are often quotients: a few microseconds are rounding. Infinite times cannot be subtracted.
			(11, 'deployment', 'wattgpu_deployments', 'hours_reserved is at most the hours of the period',
				$r$#hours_reserved <= CASE WHEN isfinite(lower(#period)) AND isfinite(upper(#period)) THEN date_part('epoch', upper(#period) - lower(#period)) / 3600 + 1e-9 END$r$),
			(12, 'deployment', 'wattgpu_deployments', 'node_overhead_w_per_gpu is 0 to 100000', $r$#node_overhead_w_per_gpu >= 0 AND #node_overhead_w_per_gpu <= 1e5$r$),
			(13, 'deployment', 'wattgpu_deployments', 'measured_kwh is 0 to 1e12', $r$#measured_kwh >= 0 AND #measured_kwh <= 1e12$r$),
			(14, 'deployment', 'wattgpu_deployments', 'measured_boundary is gpu, node or facility', $r$#measured_boundary IN ('gpu', 'node', 'facility')$r$),
			(15, 'deployment', 'wattgpu_deployments', 'measured_boundary is given with measured_kwh', $r$(#measured_kwh IS NULL) = (#measured_boundary IS NULL)$r$),
			(16, 'deployment', 'wattgpu_deployments', 'measured_output_tokens is 0 to 1e24', $r$#measured_output_tokens >= 0 AND #measured_output_tokens <= 1e24$r$),
			(17, 'deployment', 'wattgpu_deployments', 'embodied_co2e_kg is 0 to 1e12', $r$#embodied_co2e_kg >= 0 AND #embodied_co2e_kg <= 1e12$r$)
		) r (line, kind, name, rule, holds)
		GROUP BY r.name, r.kind
	LOOP
		EXECUTE format('ALTER TABLE @extschema@.%I %s', of.name, of.constraints);
		-- without SET, so that it is inlined where every row of a report passes; parsed here, so that nobody's search_path matters.
		-- PostgreSQL 13 parses no body beforehand, and must do with SET.
		EXECUTE format($f$
			CREATE FUNCTION @extschema@.%1$I(r @extschema@.%2$I) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE %4$s nullif(concat_ws('; ', %3$s), '')%5$s;
			COMMENT ON FUNCTION @extschema@.%1$I(@extschema@.%2$I) IS
			'For wattgpu_energy: which constraints of %2$s a row breaks, with "; " between; NULL if none. A row of the table breaks none, one of a relation that stands in for it may. Overlaps with other rows are not looked for.'$f$,
			of.problem, of.name, of.broken,
			CASE WHEN current_setting('server_version_num')::integer < 140000 THEN 'SET search_path = pg_catalog, pg_temp AS $body$ SELECT' ELSE 'RETURN' END,
			CASE WHEN current_setting('server_version_num')::integer < 140000 THEN '$body$' ELSE '' END);
	END LOOP;
END $$;

CREATE FUNCTION @extschema@.wattgpu_read_query(table_name text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	stand_in text;
	source regclass;
BEGIN
	SELECT r.relation INTO stand_in FROM @extschema@.wattgpu_report_relations r WHERE r.table_name = wattgpu_read_query.table_name;
	source := to_regclass(coalesce(stand_in, '@extschema@.' || wattgpu_read_query.table_name));
	IF source IS NULL THEN
		RAISE undefined_table USING
			MESSAGE = format('%s, which stands in for %s, does not exist', stand_in, wattgpu_read_query.table_name),
			HINT = 'Name another relation with wattgpu_use_relation, or NULL for the table itself.';
	END IF;
	-- a cast to integer rounds, or is an error of the whole report: what is no integer is read as NULL, which breaks the row's rule
	RETURN (SELECT format('SELECT %s FROM %s r', string_agg(format(CASE WHEN a.atttypid = 'integer'::regtype AND o.atttypid NOT IN ('smallint'::regtype, 'integer'::regtype)
				THEN 'CASE WHEN abs(CAST(r.%1$I AS numeric)) < 2147483648 AND CAST(r.%1$I AS numeric) %% 1 = 0 THEN CAST(r.%1$I AS %2$s) END'
				ELSE 'CAST(r.%1$I AS %2$s)' END, a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum), source)
		FROM pg_attribute a LEFT JOIN pg_attribute o ON o.attrelid = source AND o.attname = a.attname AND o.attnum > 0 AND NOT o.attisdropped
		WHERE a.attrelid = ('@extschema@.' || wattgpu_read_query.table_name)::regclass AND a.attnum > 0 AND NOT a.attisdropped);
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_read_query(text) IS
'For the readers: the query that reads wattgpu_sites, wattgpu_grid_intensity or wattgpu_deployments, or what stands in for it. NULL in, NULL out. Error undefined_table if that is gone.';

DO $$
DECLARE
	named text;
BEGIN
	FOREACH named IN ARRAY ARRAY['sites', 'grid_intensity', 'deployments'] LOOP
		EXECUTE format($f$
			CREATE FUNCTION @extschema@.wattgpu_read_%1$s() RETURNS SETOF @extschema@.wattgpu_%1$s
			LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 100000 SET search_path = pg_catalog, pg_temp AS $body$
			BEGIN
				RETURN QUERY EXECUTE @extschema@.wattgpu_read_query('wattgpu_%1$s');
			END $body$;
			COMMENT ON FUNCTION @extschema@.wattgpu_read_%1$s() IS
			'The rows of wattgpu_%1$s, or of the relation that wattgpu_use_relation put in its place, read with the caller''s rights. Error undefined_table if that relation is gone, insufficient_privilege without SELECT on it.'$f$, named);
	END LOOP;
END $$;

CREATE FUNCTION @extschema@.wattgpu_use_relation(table_name text, relation regclass) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	qualified text;
	needed record;
BEGIN
	IF wattgpu_use_relation.table_name IS NULL THEN
		RETURN;
	END IF;
	IF wattgpu_use_relation.table_name NOT IN ('wattgpu_sites', 'wattgpu_grid_intensity', 'wattgpu_deployments') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('no relation can stand in for "%s"', left(wattgpu_use_relation.table_name, 60)),
			HINT = 'One can for wattgpu_sites, wattgpu_grid_intensity and wattgpu_deployments.';
	END IF;
	DELETE FROM @extschema@.wattgpu_report_relations r WHERE r.table_name = wattgpu_use_relation.table_name;
	IF wattgpu_use_relation.relation IS NULL THEN
		RETURN;
	END IF;

	SELECT format('%I.%I', n.nspname, c.relname) INTO qualified FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.oid = wattgpu_use_relation.relation AND c.relkind IN ('r', 'v', 'm', 'f', 'p') AND c.relpersistence <> 't';
	IF NOT FOUND THEN
		RAISE wrong_object_type USING
			MESSAGE = format('%s is no lasting table or view', wattgpu_use_relation.relation),
			HINT = 'Reports of other sessions read it too.';
	END IF;
	FOR needed IN
		SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, format_type(o.atttypid, o.atttypmod) AS given
		FROM pg_attribute a LEFT JOIN pg_attribute o ON o.attrelid = wattgpu_use_relation.relation AND o.attname = a.attname AND o.attnum > 0 AND NOT o.attisdropped
		WHERE a.attrelid = ('@extschema@.' || wattgpu_use_relation.table_name)::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
	LOOP
		IF needed.given IS NULL THEN
			RAISE undefined_column USING
				MESSAGE = format('%s has no column "%s"', qualified, needed.name),
				HINT = format('It needs every column of %s; NULL where it is not known.', wattgpu_use_relation.table_name);
		END IF;
		BEGIN
			EXECUTE format('SELECT CAST(r.%I AS %s) FROM %s r LIMIT 0', needed.name, needed.type, qualified);
		EXCEPTION WHEN cannot_coerce THEN
			RAISE datatype_mismatch USING
				MESSAGE = format('column "%s" of %s is of type %s, which is no %s', needed.name, qualified, needed.given, needed.type),
				HINT = format('It needs the columns of %s, in types that can be cast to its own.', wattgpu_use_relation.table_name);
		END;
	END LOOP;
	INSERT INTO @extschema@.wattgpu_report_relations (table_name, relation) VALUES (wattgpu_use_relation.table_name, qualified);
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_use_relation(text, regclass) IS
'Lets a table or view of yours stand in for wattgpu_sites, wattgpu_grid_intensity or wattgpu_deployments in every report; it needs the same columns, in types that can be cast. NULL as relation goes back to the table itself. Rows that the table would refuse are then problems of the report; a value that cannot be cast is an error of it. Needs INSERT and DELETE on wattgpu_report_relations, and SELECT on the relation, as all who report do. NULL table_name does nothing. Errors: invalid_parameter_value for another table_name, wrong_object_type for what is temporary or no table or view, undefined_column, datatype_mismatch.';
