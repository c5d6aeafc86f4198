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
	CONSTRAINT "valid overlaps no other of the zone and method" EXCLUDE USING gist (
		@extschema@.wattgpu_text_range(zone, zone, '[]') WITH &&, @extschema@.wattgpu_text_range(method, method, '[]') WITH &&, valid WITH &&)
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
COMMENT ON COLUMN @extschema@.wattgpu_grid_intensity.valid IS 'When the figure holds, bounded; two of a zone and method do not overlap';
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
COMMENT ON COLUMN @extschema@.wattgpu_deployments.period IS 'When the cards were held, bounded; two of a deployment do not overlap';
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
