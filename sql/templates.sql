-- Forms that regulation asks for: what goes into which field of which form is a row of wattgpu_template_fields, since forms change.

CREATE FUNCTION @extschema@.wattgpu_checked(name text, value double precision, most double precision, zero boolean DEFAULT false)
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT (CASE WHEN zero THEN value >= 0 ELSE value > 0 END AND value <= most) THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s is %s, which is out of range', name, value),
			HINT = format('It must be %s 0 and at most %s.', CASE WHEN zero THEN 'at least' ELSE 'above' END, most);
	END IF;
	RETURN value;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_checked(text, double precision, double precision, boolean) IS
'For functions of the report templates: value, if it is above 0 (zero: or 0) and at most most; NULL for NULL. Error invalid_parameter_value otherwise, also for NaN.';

CREATE FUNCTION @extschema@.wattgpu_training_flop(params_b double precision, training_tokens double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 6e9::double precision * @extschema@.wattgpu_checked('params_b', params_b, 1e6)
		* @extschema@.wattgpu_checked('training_tokens', training_tokens, 1e18)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_training_flop(double precision, double precision) IS
'Training compute by architecture, FLOP: 6 x parameters x tokens (2 forward, 4 backward). params_b: 1e9, above 0, at most 1e6; of a mixture of experts give the active parameters. training_tokens: tokens seen, all epochs, above 0, at most 1e18. NULL in, NULL out; error invalid_parameter_value out of range. Source: Commission guidelines on general-purpose AI models (18 July 2025), Annex A.2; without attention''s own term, which long sequences add.';

CREATE FUNCTION @extschema@.wattgpu_hardware_flop(units double precision, seconds double precision, peak_tflops double precision, utilisation double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 1e12::double precision * @extschema@.wattgpu_checked('units', units, 1e9) * @extschema@.wattgpu_checked('seconds', seconds, 1e12)
		* @extschema@.wattgpu_checked('peak_tflops', peak_tflops, 1e6) * @extschema@.wattgpu_checked('utilisation', utilisation, 1)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_hardware_flop(double precision, double precision, double precision, double precision) IS
'Training compute by hardware, FLOP: units x seconds x peak x utilisation; add up periods of different units. units: cards, at most 1e9; seconds: how long each ran, at most 1e12 (or 1 unit and unit-seconds); peak_tflops: theoretical peak of a card at the precision used, 1e12 FLOP/s, at most 1e6; utilisation: share of the peak, at most 1; all above 0. NULL in, NULL out; error invalid_parameter_value out of range. Source: Commission guidelines on general-purpose AI models (18 July 2025), Annex A.2.';

CREATE FUNCTION @extschema@.wattgpu_training_energy_mwh(
	gpus double precision, hours double precision, mean_power_w_per_gpu double precision,
	node_overhead_w_per_gpu double precision DEFAULT NULL, pue double precision DEFAULT NULL, boundary text DEFAULT 'gpu')
RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	gpu_hours double precision := @extschema@.wattgpu_checked('gpus', gpus, 1e9) * @extschema@.wattgpu_checked('hours', hours, 1e9);
	gpu_mwh double precision := gpu_hours * @extschema@.wattgpu_checked('mean_power_w_per_gpu', mean_power_w_per_gpu, 1e5) / 1e6;
	node_mwh double precision := gpu_mwh + gpu_hours * @extschema@.wattgpu_checked('node_overhead_w_per_gpu', node_overhead_w_per_gpu, 1e5, true) / 1e6;
BEGIN
	IF boundary NOT IN ('gpu', 'node', 'facility') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('unknown boundary "%s"', left(boundary, 60)),
			HINT = 'The boundaries are "gpu", "node" and "facility".';
	END IF;
	IF NOT (pue >= 1 AND pue <= 10) THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('pue is %s, which is out of range', pue),
			HINT = 'It must be at least 1 and at most 10.';
	END IF;
	RETURN CASE boundary WHEN 'gpu' THEN gpu_mwh WHEN 'node' THEN node_mwh WHEN 'facility' THEN node_mwh * pue END;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_training_energy_mwh(double precision, double precision, double precision, double precision, double precision, text) IS
'Energy of a training run, MWh: gpus x hours x mean_power_w_per_gpu (W, above 0) at the boundary gpu; with node_overhead_w_per_gpu (W, at least 0) at node; times pue (1 to 10) at facility. NULL if a figure that the boundary takes is NULL; error invalid_parameter_value for a figure out of range or another boundary.';

CREATE FUNCTION @extschema@.wattgpu_inference_flop(
	llm text, prompt_tokens double precision, output_tokens double precision, requests double precision DEFAULT 1, attention boolean DEFAULT true)
RETURNS double precision
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT n.requests * (2e9::double precision * coalesce(l.active_params_b, CASE WHEN l.architecture = 'dense' THEN l.total_params_b END) * n.tokens
		+ CASE WHEN NOT attention OR l.attention_kind = 'none' THEN 0
			WHEN l.attention_kind IN ('mha', 'gqa', 'mqa') THEN 2::double precision * l.num_layers * l.num_attention_heads
				* coalesce(l.head_dim, l.hidden_size / l.num_attention_heads) * n.tokens * (n.tokens + 1) END)
	FROM (SELECT @extschema@.wattgpu_checked('requests', wattgpu_inference_flop.requests, 1e15),
			@extschema@.wattgpu_checked('prompt_tokens', prompt_tokens, 1e7, true) + @extschema@.wattgpu_checked('output_tokens', output_tokens, 1e7)
		) n (requests, tokens), @extschema@.wattgpu_llms l
	WHERE l.llm = @extschema@.wattgpu_canonical_llm(wattgpu_inference_flop.llm)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_inference_flop(text, double precision, double precision, double precision, boolean) IS
'Compute of a task, FLOP: for each of its requests (above 0) of T = prompt_tokens (0 to 1e7) + output_tokens (above 0, at most 1e7) tokens, 2 x active parameters x T for the weights (input embeddings counted, as the convention has it), and 2 x layers x query heads x head width x T x (T + 1) for attention, in which each token meets itself and all before it. Attention that sees only a window takes less. Where the shape of attention is not in the catalogue (attention_kind mla, hybrid or NULL) the whole is NULL: attention => false leaves the term out, which is small for short texts. NULL also if the parameters are not known. NULL in, NULL out; errors undefined_object for an unknown LLM (NULL with wattgpu.unknown_name = null), invalid_parameter_value for figures out of range. Source: the standard count, 2 FLOP a multiply-add, as in Kaplan et al. 2020 (arXiv 2001.08361), from memory.';

CREATE FUNCTION @extschema@.wattgpu_sci_g(co2e_kg double precision, units double precision, per double precision DEFAULT 1000)
RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 1000 * @extschema@.wattgpu_checked('co2e_kg', co2e_kg, 1e15, true) * @extschema@.wattgpu_checked('per', per, 1e30)
		/ @extschema@.wattgpu_checked('units', units, 1e30)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_sci_g(double precision, double precision, double precision) IS
'Software carbon intensity, g CO2e per that many (per) units: co2e_kg (at least 0) over units (tokens, parameters, FLOP; above 0). 6500 kg over 50e9 tokens are 130 g per => 1e6. NULL in, NULL out; error invalid_parameter_value out of range. Source: Green Software Foundation, SCI and SCI for AI, whose own examples slip here by powers of ten.';

CREATE FUNCTION @extschema@.wattgpu_convert_unit(value double precision, unit text, wanted text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH units (unit, kind, factor) AS (VALUES
		('J', 'energy', 1), ('MJ', 'energy', 1e6), ('GJ', 'energy', 1e9), ('Wh', 'energy', 3600), ('kWh', 'energy', 3.6e6), ('MWh', 'energy', 3.6e9), ('GWh', 'energy', 3.6e12),
		('gCO2e', 'mass', 1), ('kgCO2e', 'mass', 1e3), ('tCO2e', 'mass', 1e6),
		('gCO2e per token', 'rate', 1e6), ('gCO2e per 1,000 tokens', 'rate', 1e3), ('gCO2e per million tokens', 'rate', 1), ('kgCO2e per million tokens', 'rate', 1e3),
		('s', 'time', 1), ('hours', 'time', 3600), ('days', 'time', 86400),
		('GPU-hours', 'card time', 3600), ('GPU-days', 'card time', 86400),
		('FLOP', 'compute', 1), ('TFLOP', 'compute', 1e12), ('PFLOP', 'compute', 1e15), ('EFLOP', 'compute', 1e18))
	SELECT CASE WHEN unit IS NOT DISTINCT FROM wanted THEN value ELSE (
		SELECT value * (f.factor / t.factor)::double precision FROM units f JOIN units t USING (kind)
		WHERE f.unit = wattgpu_convert_unit.unit AND t.unit = wanted) END
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_convert_unit(double precision, text, text) IS
'value in the unit wanted, of J, MJ, GJ, Wh, kWh, MWh, GWh; gCO2e, kgCO2e, tCO2e; gCO2e per token, per 1,000 tokens, per million tokens, kgCO2e per million tokens; s, hours, days; GPU-hours, GPU-days; FLOP, TFLOP, PFLOP, EFLOP; unchanged if the two are the same or both NULL. NULL if there is no way from unit to it.';

CREATE TABLE @extschema@.wattgpu_trainings (
	training text PRIMARY KEY CONSTRAINT "training must not be empty" CHECK (training <> ''),
	llm text NOT NULL,
	gpu text,
	gpus integer CONSTRAINT "gpus must be 1 to 10000000" CHECK (gpus BETWEEN 1 AND 10000000),
	hours double precision CONSTRAINT "hours must be above 0 and at most 1e6" CHECK (hours > 0 AND hours <= 1e6),
	utilisation double precision CONSTRAINT "utilisation must be above 0 and at most 1" CHECK (utilisation > 0 AND utilisation <= 1),
	peak_tflops double precision CONSTRAINT "peak_tflops must be above 0 and at most 1e6" CHECK (peak_tflops > 0 AND peak_tflops <= 1e6),
	mean_power_w_per_gpu double precision CONSTRAINT "mean_power_w_per_gpu must be above 0 and at most 1e5" CHECK (mean_power_w_per_gpu > 0 AND mean_power_w_per_gpu <= 1e5),
	node_overhead_w_per_gpu double precision CONSTRAINT "node_overhead_w_per_gpu must be 0 to 1e5" CHECK (node_overhead_w_per_gpu >= 0 AND node_overhead_w_per_gpu <= 1e5),
	pue double precision CONSTRAINT "pue must be 1 to 10" CHECK (pue >= 1 AND pue <= 10),
	training_tokens double precision CONSTRAINT "training_tokens must be above 0 and at most 1e18" CHECK (training_tokens > 0 AND training_tokens <= 1e18),
	measured_mwh double precision CONSTRAINT "measured_mwh must be above 0 and at most 1e9" CHECK (measured_mwh > 0 AND measured_mwh <= 1e9),
	measured_boundary text CONSTRAINT "measured_boundary must be gpu, node or facility" CHECK (measured_boundary IN ('gpu', 'node', 'facility')),
	energy_withheld text CONSTRAINT "energy_withheld must not be empty" CHECK (energy_withheld <> ''),
	methodology text CONSTRAINT "methodology must not be empty" CHECK (methodology <> ''),
	CONSTRAINT "measured_mwh and measured_boundary go together" CHECK ((measured_mwh IS NULL) = (measured_boundary IS NULL))
);
COMMENT ON TABLE @extschema@.wattgpu_trainings IS 'Training runs of your own, for wattgpu_annex_xi. Parts of a run on another number of cards, or other cards, are rows of their own; their compute and energy add up. A NULL is not known, and the figures that need it are NULL with a note.';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.training IS 'Name of the run';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.llm IS 'What was trained, in any spelling that wattgpu_llms knows';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.gpu IS 'The card it ran on, in any spelling that wattgpu_gpus knows';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.gpus IS 'Cards that ran at once, 1 to 10000000';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.hours IS 'How long each ran, hours by the clock, above 0, at most 1e6';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.utilisation IS 'Share of the peak that was reached, above 0, at most 1';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.peak_tflops IS 'Theoretical peak of a card at the precision used, 1e12 FLOP/s, above 0, at most 1e6; NULL: the card''s fp16_tflops';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.mean_power_w_per_gpu IS 'Mean board power of a card over the run, W, above 0, at most 1e5; NULL: the card''s TDP, an upper bound';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.node_overhead_w_per_gpu IS 'What the rest of a node draws, for each of its cards, W, 0 to 1e5';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.pue IS 'Power usage effectiveness of the data centre, 1 to 10';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.training_tokens IS 'Tokens seen, all epochs, above 0, at most 1e18';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.measured_mwh IS 'Metered energy of the run, MWh, above 0, at most 1e9; it takes the place of the estimate';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.measured_boundary IS 'Where it was metered: gpu (boards), node or facility; other boundaries are derived by node_overhead_w_per_gpu and pue';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.energy_withheld IS 'Text that stands in the form for the energy where a supplier withholds what it takes, as N/A';
COMMENT ON COLUMN @extschema@.wattgpu_trainings.methodology IS 'Your own words on how the energy was found (the form asks for about 100); NULL: written from what was used';

CREATE TABLE @extschema@.wattgpu_inference_tasks (
	task text PRIMARY KEY CONSTRAINT "task must not be empty" CHECK (task <> ''),
	llm text NOT NULL,
	gpu text NOT NULL,
	gpus integer NOT NULL CONSTRAINT "gpus must be 1 to 1000000" CHECK (gpus BETWEEN 1 AND 1000000),
	num_gpus integer NOT NULL DEFAULT 1 CONSTRAINT "num_gpus must be 1 to 1024" CHECK (num_gpus BETWEEN 1 AND 1024),
	requests bigint NOT NULL CONSTRAINT "requests must be 1 to 1e15" CHECK (requests BETWEEN 1 AND 1000000000000000),
	prompt_tokens double precision NOT NULL CONSTRAINT "prompt_tokens must be 1 to 1e7" CHECK (prompt_tokens >= 1 AND prompt_tokens <= 1e7),
	output_tokens double precision NOT NULL CONSTRAINT "output_tokens must be 1 to 1e7" CHECK (output_tokens >= 1 AND output_tokens <= 1e7),
	CONSTRAINT "gpus must be a multiple of num_gpus" CHECK (gpus % num_gpus = 0)
);
COMMENT ON TABLE @extschema@.wattgpu_inference_tasks IS 'Inference tasks of your own, for wattgpu_annex_xi: what is computed on which hardware, as "generate 100,000 tokens on 64 x A100" (400 requests of 250 tokens).';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.task IS 'Name of the task';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.llm IS 'The LLM, in any spelling that wattgpu_llms knows';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.gpu IS 'The card, in any spelling that wattgpu_gpus knows';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.gpus IS 'All cards, 1 to 1000000';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.num_gpus IS 'Cards that serve one copy of the LLM together, 1 to 1024; gpus is a multiple';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.requests IS 'Requests, all there at once (scenario offline), 1 to 1e15';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.prompt_tokens IS 'Prompt of a request, tokens, 1 to 1e7';
COMMENT ON COLUMN @extschema@.wattgpu_inference_tasks.output_tokens IS 'Answer to a request, tokens, 1 to 1e7';

CREATE TABLE @extschema@.wattgpu_site_meters (
	site text NOT NULL CONSTRAINT "site must not be empty" CHECK (site <> ''),
	period tstzrange NOT NULL CONSTRAINT "period must be bounded and not empty" CHECK (
		NOT isempty(period) AND isfinite(lower(period)) AND isfinite(upper(period)) AND NOT lower_inf(period) AND NOT upper_inf(period)),
	it_kwh double precision NOT NULL CONSTRAINT "it_kwh must be above 0 and at most 1e12" CHECK (it_kwh > 0 AND it_kwh <= 1e12),
	facility_kwh double precision CONSTRAINT "facility_kwh must be at most 1e13" CHECK (facility_kwh <= 1e13),
	CONSTRAINT "facility_kwh must be at least it_kwh" CHECK (facility_kwh >= it_kwh),
	PRIMARY KEY (site, period),
	CONSTRAINT "periods of a site must not overlap" EXCLUDE USING gist (@extschema@.wattgpu_text_range(site, site, '[]') WITH &&, period WITH &&)
);
COMMENT ON TABLE @extschema@.wattgpu_site_meters IS 'What the meters of a site read, for wattgpu_eed_allocation. Periods of a site do not overlap.';
COMMENT ON COLUMN @extschema@.wattgpu_site_meters.site IS 'The site, as wattgpu_deployments names it';
COMMENT ON COLUMN @extschema@.wattgpu_site_meters.period IS 'Time between two readings; bounded, not empty';
COMMENT ON COLUMN @extschema@.wattgpu_site_meters.it_kwh IS 'Energy of the IT equipment (E_IT, at the output of the UPS), kWh, above 0, at most 1e12';
COMMENT ON COLUMN @extschema@.wattgpu_site_meters.facility_kwh IS 'Energy of the whole data centre (E_DC), kWh, at least it_kwh, at most 1e13; NULL if not metered';

CREATE TABLE @extschema@.wattgpu_template_fields (
	template text CONSTRAINT "template must be annex_xi, esrs_e1, eed_allocation or sci" CHECK (template IN ('annex_xi', 'esrs_e1', 'eed_allocation', 'sci')),
	field text CONSTRAINT "field must not be empty" CHECK (field <> ''),
	position integer NOT NULL,
	label text NOT NULL,
	unit text,
	value_column text,
	source text NOT NULL,
	checked text NOT NULL,
	builtin boolean NOT NULL DEFAULT false,
	PRIMARY KEY (template, field),
	CONSTRAINT "value_column must be one of its template" CHECK (value_column IS NULL OR CASE template
		WHEN 'annex_xi' THEN value_column IN ('llm', 'training_gpu_mwh', 'training_node_mwh', 'training_facility_mwh', 'training_methodology',
			'architecture_flop', 'hardware_flop', 'training_days', 'training_gpu_days', 'inference_flop', 'inference_methodology', 'inference_hours', 'inference_gpu_kwh')
		WHEN 'esrs_e1' THEN value_column IN ('facility_kwh', 'location_co2e_kg', 'market_co2e_kg', 'boundary')
		WHEN 'eed_allocation' THEN value_column IN ('it_kwh', 'facility_kwh', 'metered_pue', 'allocated_it_kwh', 'allocated_facility_kwh')
		WHEN 'sci' THEN value_column IN ('sci_operational_g_per_1000_tokens', 'sci_g_per_1000_tokens', 'boundary', 'method', 'conversions') END)
);
CREATE UNIQUE INDEX wattgpu_template_fields_name ON @extschema@.wattgpu_template_fields (lower(template COLLATE "C"), lower(field COLLATE "C"));
COMMENT ON TABLE @extschema@.wattgpu_template_fields IS 'Fields of the report templates. Forms change: change a label, or add fields; a shipped row that you change becomes yours.';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.template IS 'annex_xi, esrs_e1, eed_allocation or sci: the view of that name (wattgpu_...) shows the field';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.field IS 'Name of the field, unique in its template without regard to ASCII case';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.position IS 'Place in the form, least first';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.label IS 'What the form calls it';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.unit IS 'Unit that the form wants; the value is converted to it (wattgpu_convert_unit). NULL for text and ratios';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.value_column IS 'Figure that fills it, one of those that the table''s constraint lists for its template; NULL: nothing here can, the field is listed to be filled by hand';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.source IS 'Where the form asks for it';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.checked IS 'How far the source was checked: primary text read; only a digest was read; from memory';
COMMENT ON COLUMN @extschema@.wattgpu_template_fields.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

INSERT INTO @extschema@.wattgpu_template_fields (template, field, position, label, unit, value_column, source, checked, builtin)
SELECT f.template, f.field, row_number() OVER (PARTITION BY f.template ORDER BY f.place) * 10, f.label, f.unit, f.value_column, s.source, s.checked, true
FROM (VALUES
	(1, 'annex_xi', 'model', 'Model', NULL, 'llm', 'form'),
	(2, 'annex_xi', 'training_time', 'Training time', 'days', 'training_days', 'form'),
	(3, 'annex_xi', 'training_hardware_time', 'Training time, cards together', 'GPU-days', 'training_gpu_days', 'form'),
	(4, 'annex_xi', 'training_compute_architecture', 'Training compute, by architecture (6 x parameters x tokens)', 'FLOP', 'architecture_flop', 'guidelines'),
	(5, 'annex_xi', 'training_compute_hardware', 'Training compute, by hardware (units x seconds x peak x utilisation)', 'FLOP', 'hardware_flop', 'guidelines'),
	(6, 'annex_xi', 'training_energy_gpu', 'Amount of energy used for training, GPU boards', 'MWh', 'training_gpu_mwh', 'form'),
	(7, 'annex_xi', 'training_energy_node', 'Amount of energy used for training, nodes', 'MWh', 'training_node_mwh', 'form'),
	(8, 'annex_xi', 'training_energy_facility', 'Amount of energy used for training, facility', 'MWh', 'training_facility_mwh', 'form'),
	(9, 'annex_xi', 'training_energy_methodology', 'Measurement methodology, training energy', NULL, 'training_methodology', 'form'),
	(10, 'annex_xi', 'inference_compute', 'Benchmarked amount of computation used for inference', 'FLOP', 'inference_flop', 'form'),
	(11, 'annex_xi', 'inference_methodology', 'Measurement methodology, inference: task and hardware', NULL, 'inference_methodology', 'form'),
	(12, 'annex_xi', 'inference_time', 'Time of the task', 'hours', 'inference_hours', 'none'),
	(13, 'annex_xi', 'inference_energy', 'Energy of the task, GPU boards', 'kWh', 'inference_gpu_kwh', 'none'),
	(14, 'esrs_e1', 'energy_total', 'E1-5 Total energy consumption, own operations (here: GPU fleets)', 'MWh', 'facility_kwh', 'e1_5'),
	(15, 'esrs_e1', 'energy_fossil', 'E1-5 of which from fossil sources', 'MWh', NULL, 'e1_5'),
	(16, 'esrs_e1', 'energy_nuclear', 'E1-5 of which from nuclear sources', 'MWh', NULL, 'e1_5'),
	(17, 'esrs_e1', 'energy_renewable', 'E1-5 of which from renewable sources', 'MWh', NULL, 'e1_5'),
	(18, 'esrs_e1', 'scope2_location', 'E1-6 Gross location-based Scope 2 GHG emissions', 'tCO2e', 'location_co2e_kg', 'e1_6'),
	(19, 'esrs_e1', 'scope2_market', 'E1-6 Gross market-based Scope 2 GHG emissions', 'tCO2e', 'market_co2e_kg', 'e1_6'),
	(20, 'esrs_e1', 'boundary', 'Boundary, method and uncertainty', NULL, 'boundary', 'mdr'),
	(21, 'eed_allocation', 'E_IT', 'Energy of the IT equipment, metered (E_IT)', 'kWh', 'it_kwh', 'eed'),
	(22, 'eed_allocation', 'E_DC', 'Energy of the data centre, metered (E_DC)', 'kWh', 'facility_kwh', 'eed'),
	(23, 'eed_allocation', 'PUE', 'Power usage effectiveness, E_DC / E_IT', NULL, 'metered_pue', 'eed'),
	(24, 'eed_allocation', 'E_IT_allocated', 'Of E_IT, allocated to', 'kWh', 'allocated_it_kwh', 'none'),
	(25, 'eed_allocation', 'E_DC_allocated', 'Of E_DC, allocated to', 'kWh', 'allocated_facility_kwh', 'none'),
	(26, 'sci', 'sci_operational_1000', 'SCI, operational emissions only', 'gCO2e per 1,000 tokens', 'sci_operational_g_per_1000_tokens', 'sci'),
	(27, 'sci', 'sci_operational_million', 'SCI, operational emissions only', 'gCO2e per million tokens', 'sci_operational_g_per_1000_tokens', 'sci'),
	(28, 'sci', 'sci_1000', 'SCI, operational and embodied emissions', 'gCO2e per 1,000 tokens', 'sci_g_per_1000_tokens', 'sci'),
	(29, 'sci', 'sci_million', 'SCI, operational and embodied emissions', 'gCO2e per million tokens', 'sci_g_per_1000_tokens', 'sci'),
	(30, 'sci', 'boundary', 'Software boundary', NULL, 'boundary', 'sci'),
	(31, 'sci', 'method', 'Method', NULL, 'method', 'sci'),
	(32, 'sci', 'conversions', 'Unit conversions', NULL, 'conversions', 'sci')
) f (place, template, field, label, unit, value_column, source) JOIN (VALUES
	('form', 'GPAI Code of Practice, Transparency chapter, Model Documentation Form; AI Act Annex XI section 1 point 2(d) and (e)', 'Annex XI: primary text read; form: only a digest was read'),
	('guidelines', 'Commission guidelines on GPAI obligations (18 July 2025), Annex A.2; AI Act Annex XI section 1 point 2(d)', 'primary text read'),
	('e1_5', 'ESRS E1-5 (Delegated Regulation (EU) 2023/2772); a revision is under way', 'primary text read; the revision was not'),
	('e1_6', 'ESRS E1-6, GHG Protocol Scope 2; revisions are under way', 'only a digest was read'),
	('mdr', 'ESRS 2 BP-2 and MDR-M', 'from memory'),
	('eed', 'Energy Efficiency Directive Art. 12, Delegated Regulation (EU) 2024/1364', 'only a digest was read; symbols from memory'),
	('sci', 'SCI (ISO/IEC 21031) and SCI for AI, Green Software Foundation', 'the foundation''s text read; that of ISO was not'),
	('none', 'asked for by no form; stands beside what is', 'nothing to check')
) s (key, source, checked) ON s.key = f.source;

GRANT SELECT ON @extschema@.wattgpu_trainings, @extschema@.wattgpu_inference_tasks, @extschema@.wattgpu_site_meters, @extschema@.wattgpu_template_fields TO PUBLIC;

CREATE TYPE @extschema@.wattgpu_template_value AS (
	subject text, period tstzrange, value_column text, value double precision, unit text, text_value text, note text);
COMMENT ON TYPE @extschema@.wattgpu_template_value IS 'What a template can be filled with';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.subject IS 'What it is of: a training, a task, an LLM, a site';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.period IS 'When; NULL for what has no period';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.value_column IS 'Name of the figure, as wattgpu_template_fields.value_column';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.value IS 'The figure, in unit; NULL if it is text, or not known (then note says why)';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.unit IS 'Unit of value; NULL for text and ratios';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.text_value IS 'The text; beside a value, what it is the share of';
COMMENT ON COLUMN @extschema@.wattgpu_template_value.note IS 'How it was had, or why it is not';

CREATE FUNCTION @extschema@.wattgpu_annex_xi_values() RETURNS SETOF @extschema@.wattgpu_template_value
LANGUAGE plpgsql STABLE COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	task record;
	p @extschema@.wattgpu_prediction;
	flop double precision;
	share double precision;
	problem text;
BEGIN
	RETURN QUERY
	WITH named AS (
		SELECT t.*, l.llm AS known_llm, g.gpu AS known_gpu, g.tdp_w, t.gpus * t.hours AS gpu_hours,
			coalesce(t.mean_power_w_per_gpu, g.tdp_w) AS power_w, coalesce(t.peak_tflops, g.fp16_tflops) AS peak,
			coalesce(l.active_params_b, CASE WHEN l.architecture = 'dense' THEN l.total_params_b END) AS params_b,
			CASE WHEN l.active_params_b < l.total_params_b THEN format('the active ones of %s billion parameters', l.total_params_b) ELSE 'all parameters' END AS which,
			CASE WHEN l.llm IS NULL THEN format('unknown LLM "%s"', t.llm) END AS no_llm,
			CASE WHEN t.gpu IS NULL THEN 'the card is not given' WHEN g.gpu IS NULL THEN format('unknown GPU "%s"', t.gpu) END AS no_gpu,
			CASE WHEN t.gpus IS NULL OR t.hours IS NULL THEN 'gpus and hours are not both given' END AS no_hours,
			CASE WHEN t.node_overhead_w_per_gpu IS NULL THEN 'node overhead is not known' END AS no_overhead,
			CASE WHEN t.pue IS NULL THEN 'PUE is not known' END AS no_pue
		FROM @extschema@.wattgpu_trainings t
			LEFT JOIN @extschema@.wattgpu_llms l ON l.llm = (@extschema@.wattgpu_resolve_llm(t.llm)).name
			LEFT JOIN @extschema@.wattgpu_gpus g ON g.gpu = (@extschema@.wattgpu_resolve_gpu(t.gpu)).name
	),
	boards AS (
		SELECT n.*, n.gpu_hours * n.node_overhead_w_per_gpu / 1e6 AS overhead_mwh,
			CASE n.measured_boundary WHEN 'gpu' THEN n.measured_mwh
				WHEN 'node' THEN n.measured_mwh - n.gpu_hours * n.node_overhead_w_per_gpu / 1e6
				WHEN 'facility' THEN n.measured_mwh / n.pue - n.gpu_hours * n.node_overhead_w_per_gpu / 1e6
				ELSE @extschema@.wattgpu_training_energy_mwh(n.gpus, n.hours, n.power_w) END AS boards_mwh,
			@extschema@.wattgpu_training_flop(n.params_b, n.training_tokens) AS architecture_flop,
			@extschema@.wattgpu_hardware_flop(n.gpus, n.hours * 3600, n.peak, n.utilisation) AS hardware_flop
		FROM named n
	),
	figures AS (
		SELECT b.*, CASE WHEN b.boards_mwh > 0 THEN b.boards_mwh END AS gpu_mwh,
			CASE b.measured_boundary WHEN 'node' THEN b.measured_mwh WHEN 'facility' THEN b.measured_mwh / b.pue ELSE b.boards_mwh + b.overhead_mwh END AS node_mwh,
			CASE b.measured_boundary WHEN 'facility' THEN b.measured_mwh WHEN 'node' THEN b.measured_mwh * b.pue ELSE (b.boards_mwh + b.overhead_mwh) * b.pue END AS facility_mwh,
			CASE WHEN b.measured_boundary IS NULL AND b.mean_power_w_per_gpu IS NULL AND b.tdp_w IS NOT NULL THEN 'upper bound: the TDP stands in for the mean power' END AS bound,
			CASE WHEN b.measured_boundary IS NULL THEN nullif(concat_ws('; ', b.no_hours, CASE WHEN b.power_w IS NULL THEN coalesce(b.no_gpu, 'the card has no TDP') END), '') END AS no_boards,
			abs(b.architecture_flop - b.hardware_flop) AS apart
		FROM boards b
	)
	SELECT f.training, NULL::tstzrange, v.value_column, v.value, v.unit, v.text_value, nullif(v.note, '')
	FROM figures f, LATERAL (VALUES
		('llm', NULL, NULL, coalesce(f.known_llm, f.llm), f.no_llm),
		('training_days', f.hours / 24, 'days', NULL, CASE WHEN f.hours IS NULL THEN 'hours are not given' END),
		('training_gpu_days', f.gpu_hours / 24, 'GPU-days', NULL, f.no_hours),
		('architecture_flop', f.architecture_flop, 'FLOP', NULL, concat_ws('; ',
			coalesce(f.no_llm, CASE WHEN f.params_b IS NULL THEN 'the LLM''s parameters are not known' ELSE format('N = %s billion, %s', f.params_b, f.which) END),
			CASE WHEN f.training_tokens IS NULL THEN 'training_tokens are not given' END,
			CASE WHEN f.apart > 0.3 * f.architecture_flop THEN 'more than 30 % from the hardware''s, the error that the guidelines allow' END)),
		('hardware_flop', f.hardware_flop, 'FLOP', NULL, concat_ws('; ',
			f.no_hours, CASE WHEN f.peak IS NULL THEN coalesce(f.no_gpu, 'the card has no fp16_tflops') END, CASE WHEN f.utilisation IS NULL THEN 'utilisation is not given' END,
			CASE WHEN f.apart > 0.3 * f.hardware_flop THEN 'more than 30 % from the architecture''s, the error that the guidelines allow' END)),
		('training_gpu_mwh', CASE WHEN f.energy_withheld IS NULL THEN f.gpu_mwh END, 'MWh', f.energy_withheld, CASE WHEN f.energy_withheld IS NULL THEN concat_ws('; ', f.bound, f.no_boards,
			CASE WHEN f.boards_mwh <= 0 THEN 'the meter shows no more than the node overhead' END,
			CASE WHEN f.measured_boundary IN ('node', 'facility') THEN nullif(concat_ws('; ', f.no_hours, f.no_overhead), '') END,
			CASE WHEN f.measured_boundary = 'facility' THEN f.no_pue END) END),
		('training_node_mwh', CASE WHEN f.energy_withheld IS NULL THEN f.node_mwh END, 'MWh', f.energy_withheld, CASE WHEN f.energy_withheld IS NULL THEN concat_ws('; ', f.bound, f.no_boards,
			CASE WHEN f.measured_boundary = 'gpu' THEN f.no_hours END,
			CASE WHEN f.measured_boundary IS NULL OR f.measured_boundary = 'gpu' THEN f.no_overhead WHEN f.measured_boundary = 'facility' THEN f.no_pue END) END),
		('training_facility_mwh', CASE WHEN f.energy_withheld IS NULL THEN f.facility_mwh END, 'MWh', f.energy_withheld, CASE WHEN f.energy_withheld IS NULL THEN concat_ws('; ', f.bound, f.no_boards,
			CASE WHEN f.measured_boundary = 'gpu' THEN f.no_hours END,
			CASE WHEN f.measured_boundary IS NULL OR f.measured_boundary = 'gpu' THEN f.no_overhead END,
			CASE WHEN f.measured_boundary IS DISTINCT FROM 'facility' THEN f.no_pue END) END),
		('training_methodology', NULL, NULL, coalesce(f.methodology, concat_ws(' ',
			CASE WHEN f.energy_withheld IS NOT NULL THEN 'Energy: withheld.'
				WHEN f.measured_mwh IS NOT NULL THEN format('Energy: metered, %s MWh at the boundary %s.', f.measured_mwh, f.measured_boundary)
				WHEN f.gpu_mwh IS NOT NULL THEN format('Energy: estimated as %s x %s for %s h at %s W a board (%s).', f.gpus, coalesce(f.known_gpu, f.gpu, 'GPU'), f.hours, f.power_w,
					CASE WHEN f.bound IS NULL THEN 'mean' ELSE 'TDP, an upper bound' END)
				ELSE 'Energy: not known.' END,
			CASE WHEN f.energy_withheld IS NULL AND f.node_overhead_w_per_gpu IS NOT NULL THEN format('The rest of the node: %s W for each board.', f.node_overhead_w_per_gpu) END,
			CASE WHEN f.energy_withheld IS NULL AND f.pue IS NOT NULL THEN format('Facility: IT energy x PUE %s.', f.pue) END,
			CASE WHEN f.architecture_flop IS NOT NULL THEN format('Compute by architecture: 6 N D, N = %s billion (%s), D = %s tokens.', f.params_b, f.which, f.training_tokens) END,
			CASE WHEN f.hardware_flop IS NOT NULL THEN format('Compute by hardware: %s x %s s x %s TFLOP/s (%s) x %s utilisation.', f.gpus, f.hours * 3600, f.peak,
				CASE WHEN f.peak_tflops IS NULL THEN 'dense 16-bit peak' ELSE 'peak at the precision used' END, f.utilisation) END)), NULL)
	) v (value_column, value, unit, text_value, note);

	FOR task IN
		SELECT t.*, (@extschema@.wattgpu_resolve_llm(t.llm)).name AS known_llm, (@extschema@.wattgpu_resolve_gpu(t.gpu)).name AS known_gpu
		FROM @extschema@.wattgpu_inference_tasks t
	LOOP
		p := NULL;
		flop := NULL;
		share := NULL;
		problem := CASE WHEN task.known_gpu IS NULL THEN format('unknown GPU "%s"', task.gpu) END;
		IF task.known_llm IS NULL THEN
			problem := concat_ws('; ', format('unknown LLM "%s"', task.llm), problem);
		ELSE
			flop := @extschema@.wattgpu_inference_flop(task.known_llm, task.prompt_tokens, task.output_tokens, task.requests);
			share := flop / @extschema@.wattgpu_inference_flop(task.known_llm, task.prompt_tokens, task.output_tokens, task.requests, false);
			flop := coalesce(flop, @extschema@.wattgpu_inference_flop(task.known_llm, task.prompt_tokens, task.output_tokens, task.requests, false));
		END IF;
		IF problem IS NULL THEN
			BEGIN
				p := @extschema@.wattgpu_predict(task.known_gpu, task.known_llm, 'offline',
					output_tokens => task.output_tokens, prompt_tokens => task.prompt_tokens, num_gpus => task.num_gpus);
				problem := CASE WHEN NOT p.fits THEN 'does not fit in memory'
					WHEN p.output_tokens_per_s IS NULL THEN 'no prediction: a spec of the card or the LLM is missing'
					WHEN task.requests < p.requests_in_flight * (task.gpus / task.num_gpus)
					THEN format('too few requests: a prediction takes all cards as busy, with %s requests each time', p.requests_in_flight * (task.gpus / task.num_gpus)) END;
			EXCEPTION WHEN invalid_parameter_value OR undefined_object OR feature_not_supported OR data_corrupted THEN
				problem := SQLERRM;
			END;
		END IF;
		IF problem IS NOT NULL THEN
			p := NULL;
		END IF;
		RETURN QUERY
		SELECT task.task, NULL::tstzrange, v.value_column, v.value, v.unit, v.text_value, v.note
		FROM (SELECT p.output_tokens_per_s * (task.gpus / task.num_gpus), task.requests * task.output_tokens) s (tokens_per_s, tokens), LATERAL (VALUES
			('llm', NULL, NULL, coalesce(task.known_llm, task.llm), CASE WHEN task.known_llm IS NULL THEN format('unknown LLM "%s"', task.llm) END),
			('inference_flop', flop, 'FLOP', NULL, CASE WHEN task.known_llm IS NULL THEN format('unknown LLM "%s"', task.llm)
				WHEN flop IS NULL THEN 'the LLM''s parameters are not known'
				WHEN share IS NULL THEN 'without attention''s own term: its shape is not in the catalogue'
				ELSE format('of which attention %s %%', round(100 * (1 - 1 / share)::numeric, 1)) END),
			('inference_methodology', NULL, NULL, format('Task: generate %s tokens, %s requests of %s tokens prompt and %s tokens answer. Hardware: %s x %s, %s for a copy of the model.%s',
				s.tokens, task.requests, task.prompt_tokens, task.output_tokens, task.gpus, coalesce(task.known_gpu, task.gpu), task.num_gpus,
				CASE WHEN flop IS NOT NULL THEN ' Compute: 2 x active parameters x tokens' || CASE WHEN share IS NULL THEN '.' ELSE ' and attention over all tokens before.' END ELSE '' END), NULL),
			('inference_hours', s.tokens / s.tokens_per_s / 3600, 'hours', NULL, coalesce(problem, p.basis)),
			('inference_gpu_kwh', p.energy_j_per_token * s.tokens / 3.6e6, 'kWh', NULL, coalesce(problem,
				p.basis || ', 90 % interval of power ' || round(p.power_lo_w)::text || ' to ' || round(p.power_hi_w)::text || ' W a copy', p.basis))
		) v (value_column, value, unit, text_value, note);
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_annex_xi_values() IS
'What wattgpu_annex_xi is filled with: of each row of wattgpu_trainings compute by both routes, time, energy at three boundaries and the methodology in words; of each row of wattgpu_inference_tasks compute, task and hardware in words, and time and energy of the boards by wattgpu_predict (scenario offline). What cannot be had is NULL with a note.';

CREATE FUNCTION @extschema@.wattgpu_esrs_e1_values() RETURNS SETOF @extschema@.wattgpu_template_value
LANGUAGE sql STABLE COST 1000000 ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
	WITH energy AS MATERIALIZED (
		SELECT extract(year FROM e.month)::integer AS year, e.* FROM @extschema@.wattgpu_energy() e
	),
	-- what has no dates may belong to any year
	pieces AS (
		SELECT coalesce(e.year, y.year) AS in_year, e.* FROM energy e LEFT JOIN (SELECT DISTINCT k.year FROM energy k WHERE k.year IS NOT NULL) y ON e.year IS NULL
	),
	years AS (
		SELECT p.in_year AS year, min(lower(p.period)) AS since, max(upper(p.period)) AS until, count(DISTINCT p.deployment) AS deployments,
			string_agg(DISTINCT p.power_model, ', ') FILTER (WHERE p.metered_boundary IS NULL) AS models,
			sum(p.facility_kwh) FILTER (WHERE p.metered_boundary IS NOT NULL) / nullif(sum(p.facility_kwh), 0) AS metered,
			CASE WHEN bool_or(p.facility_kwh IS NULL) THEN ' of what is known' ELSE '' END AS part
		FROM pieces p GROUP BY p.in_year
	),
	sums AS (
		SELECT p.in_year AS year, f.value_column, f.unit, f.shown, sum(f.value) AS value, sum(f.lo) AS lo, sum(f.hi) AS hi,
			count(*) FILTER (WHERE f.value IS NULL) AS missing, count(*) FILTER (WHERE f.lo IS NULL OR f.hi IS NULL) AS open_ends,
			string_agg(DISTINCT concat_ws(': ', p.deployment, p.problem), '; ') FILTER (WHERE f.value IS NULL) AS problems
		FROM pieces p, LATERAL (VALUES
			('facility_kwh', 'kWh', 'MWh', p.facility_kwh, p.facility_lo_kwh, p.facility_hi_kwh),
			('location_co2e_kg', 'kgCO2e', 'tCO2e', p.location_co2e_kg, p.location_co2e_lo_kg, p.location_co2e_hi_kg),
			('market_co2e_kg', 'kgCO2e', 'tCO2e', p.market_co2e_kg, p.market_co2e_lo_kg, p.market_co2e_hi_kg)) f (value_column, unit, shown, value, lo, hi)
		GROUP BY p.in_year, f.value_column, f.unit, f.shown
	),
	filled AS (
		SELECT s.year, s.value_column, CASE WHEN s.missing = 0 THEN s.value END, s.unit, NULL,
			CASE WHEN s.missing > 0 THEN format('incomplete: %s; %s', s.problems,
					coalesce(format('what is known adds up to %s %s', @extschema@.wattgpu_two_figures(s.value / 1000), s.shown), 'nothing of it is known'))
				WHEN s.open_ends = 0 AND s.lo < s.hi THEN format('%s to %s %s', @extschema@.wattgpu_two_figures(s.lo / 1000), @extschema@.wattgpu_two_figures(s.hi / 1000), s.shown) END
		FROM sums s
		UNION ALL
		SELECT y.year, 'boundary', NULL, NULL, format('GPU deployments only (%s), %s to %s UTC: boards, nodes and PUE, idle and reserved hours included; no other use of energy. GPUs that others host are scope 3: they do not belong in these totals. %s Ranges add up the ends of 90 %% intervals. PUE, node overhead and grid factors are taken as exact.',
				y.deployments, to_char(y.since AT TIME ZONE 'UTC', 'YYYY-MM-DD'), to_char(y.until AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
				CASE WHEN y.metered = 1 THEN format('Metered: all%s.', y.part) ELSE format('Metered %s %%%s, the rest estimated%s.', round(100 * coalesce(y.metered, 0)), y.part, ' by ' || y.models) END), NULL
		FROM years y
	)
	SELECT 'own operations', CASE WHEN f.year IS NOT NULL THEN
		tstzrange(make_timestamptz(f.year, 1, 1, 0, 0, 0, 'UTC'), make_timestamptz(f.year + 1, 1, 1, 0, 0, 0, 'UTC')) END,
		f.value_column, f.value, f.unit, f.text_value, f.note
	FROM filled f (year, value_column, value, unit, text_value, note)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_esrs_e1_values() IS
'What wattgpu_esrs_e1 is filled with: facility energy and Scope 2 emissions, location and market, of all deployments, a UTC calendar year each, by wattgpu_energy. A total that lacks a deployment is NULL; its note names what is missing and what the rest adds up to.';

CREATE FUNCTION @extschema@.wattgpu_eed_allocation_values() RETURNS SETOF @extschema@.wattgpu_template_value
LANGUAGE sql STABLE COST 1000000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
	-- once a period, whatever the number of sites
	WITH energy AS MATERIALIZED (
		SELECT p.metered, e.* FROM (SELECT DISTINCT m.period FROM @extschema@.wattgpu_site_meters m) p (metered), @extschema@.wattgpu_energy(p.metered) e
	),
	pieces AS MATERIALIZED (
		SELECT m.site, m.period, m.it_kwh, m.facility_kwh, e.deployment, e.llm, e.node_kwh, e.node_lo_kwh, e.node_hi_kwh, e.problem
		FROM @extschema@.wattgpu_site_meters m LEFT JOIN energy e ON e.metered = m.period
			-- what has no site may stand at any
			AND (e.site = m.site OR e.site IS NULL AND e.node_kwh IS NULL)
	),
	meters AS (
		SELECT p.site, p.period, p.it_kwh, p.facility_kwh,
			string_agg(DISTINCT concat_ws(': ', p.deployment, p.problem), '; ') FILTER (WHERE p.deployment IS NOT NULL AND p.node_kwh IS NULL) AS unknown,
			coalesce(sum(p.node_kwh), 0) AS estimate_kwh, sum(p.node_lo_kwh) AS lo_kwh, sum(p.node_hi_kwh) AS hi_kwh,
			bool_or(p.node_kwh IS NOT NULL AND (p.node_lo_kwh IS NULL OR p.node_hi_kwh IS NULL)) AS open_ends
		FROM pieces p GROUP BY p.site, p.period, p.it_kwh, p.facility_kwh
	),
	scaled AS (
		SELECT m.*, CASE WHEN m.estimate_kwh = 0 THEN NULL WHEN m.unknown IS NULL OR m.estimate_kwh > m.it_kwh THEN m.it_kwh / m.estimate_kwh ELSE 1 END AS scale,
			-- sums round
			CASE WHEN m.open_ends THEN 'whether the meter is within the estimates is not known'
				WHEN m.unknown IS NULL AND m.it_kwh > m.hi_kwh * (1 + 1e-9)
				THEN format('the meter is above the upper end of all estimates together, %s kWh', @extschema@.wattgpu_two_figures(m.hi_kwh))
				WHEN m.it_kwh < m.lo_kwh * (1 - 1e-9)
				THEN format('the meter is below the lower end of all estimates together, %s kWh', @extschema@.wattgpu_two_figures(m.lo_kwh))
			END AS doubt
		FROM meters m
	),
	shares AS (
		SELECT s.site, s.period, coalesce(p.llm, 'no LLM') AS of, s.it_kwh, s.facility_kwh, sum(p.node_kwh) * s.scale AS allocated_kwh,
			concat_ws('; ', s.doubt, format('estimate of %s kWh%s%s; deployments: %s', @extschema@.wattgpu_two_figures(sum(p.node_kwh)),
				CASE WHEN @extschema@.wattgpu_two_figures(sum(p.node_lo_kwh)) < @extschema@.wattgpu_two_figures(sum(p.node_hi_kwh)) AND bool_and(p.node_lo_kwh IS NOT NULL AND p.node_hi_kwh IS NOT NULL)
					THEN format(' (%s to %s)', @extschema@.wattgpu_two_figures(sum(p.node_lo_kwh)), @extschema@.wattgpu_two_figures(sum(p.node_hi_kwh))) ELSE '' END,
				CASE WHEN s.scale <> 1 THEN format(' times %s, to the meter', round(s.scale::numeric, 3 - floor(log(s.scale))::integer)) ELSE '' END, string_agg(DISTINCT p.deployment, ', '))) AS note
		FROM scaled s JOIN pieces p USING (site, period) WHERE p.node_kwh IS NOT NULL AND s.scale IS NOT NULL
		GROUP BY s.site, s.period, s.it_kwh, s.facility_kwh, s.scale, s.doubt, p.llm
		UNION ALL
		SELECT s.site, s.period, 'not allocated', s.it_kwh, s.facility_kwh,
			greatest(0, s.it_kwh - CASE WHEN s.scale IS NULL THEN 0 ELSE s.estimate_kwh * s.scale END),
			coalesce('not known: ' || s.unknown, 'no deployment of the site used energy in the period')
		FROM scaled s WHERE s.unknown IS NOT NULL OR s.scale IS NULL
	)
	SELECT m.site, m.period, v.*
	FROM meters m, LATERAL (VALUES
		('it_kwh', m.it_kwh, 'kWh', NULL::text, 'metered'),
		('facility_kwh', m.facility_kwh, 'kWh', NULL, CASE WHEN m.facility_kwh IS NULL THEN 'not metered' ELSE 'metered' END),
		('metered_pue', m.facility_kwh / m.it_kwh, NULL, NULL, CASE WHEN m.facility_kwh IS NULL THEN 'the facility is not metered' ELSE 'metered' END)) v
	UNION ALL
	SELECT s.site, s.period, v.value_column, v.value, 'kWh', s.of, v.note
	FROM shares s, LATERAL (VALUES
		('allocated_it_kwh', s.allocated_kwh, s.note),
		('allocated_facility_kwh', s.allocated_kwh * (s.facility_kwh / s.it_kwh), CASE WHEN s.facility_kwh IS NULL THEN 'the facility is not metered' ELSE s.note END)
	) v (value_column, value, note)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_eed_allocation_values() IS
'What wattgpu_eed_allocation is filled with: of each row of wattgpu_site_meters the meters, and how it_kwh (and in the same shares facility_kwh) falls on LLMs by the node energy of their deployments at the site (wattgpu_energy). If each deployment''s energy is known, they share the whole meter in proportion, and the note says so if the meter is outside of the sum of their intervals: then something else draws power too, or the estimates are wrong. Otherwise each keeps its own estimate (scaled down if together they exceed the meter), and a row "not allocated" holds the rest and names the deployments that are not known. The rows of a meter add up to it.';

CREATE FUNCTION @extschema@.wattgpu_sci_values() RETURNS SETOF @extschema@.wattgpu_template_value
LANGUAGE sql STABLE COST 1000000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
	WITH energy AS MATERIALIZED (
		SELECT extract(year FROM e.month)::integer AS year, e.location_co2e_kg IS NOT NULL AND e.output_tokens IS NOT NULL AS known, e.*
		FROM @extschema@.wattgpu_energy() e
	),
	-- what has no dates may belong to any year
	pieces AS (
		SELECT coalesce(e.year, y.year) AS in_year, e.* FROM energy e LEFT JOIN (SELECT DISTINCT k.year FROM energy k WHERE k.year IS NOT NULL) y ON e.year IS NULL
	),
	sums AS (
		SELECT p.in_year AS year, CASE WHEN grouping(p.llm) = 0 THEN p.llm ELSE 'all deployments' END AS subject,
			sum(p.location_co2e_kg) FILTER (WHERE p.known) AS operational_kg,
			sum(p.location_co2e_lo_kg) FILTER (WHERE p.known) AS lo_kg, sum(p.location_co2e_hi_kg) FILTER (WHERE p.known) AS hi_kg,
			count(*) FILTER (WHERE p.known AND (p.location_co2e_lo_kg IS NULL OR p.location_co2e_hi_kg IS NULL)) AS open_ends,
			sum(p.output_tokens) FILTER (WHERE p.known) AS tokens,
			sum(p.location_co2e_kg + p.embodied_co2e_kg) FILTER (WHERE p.known) AS whole_kg,
			string_agg(DISTINCT concat_ws(': ', p.deployment, p.problem), '; ') FILTER (WHERE NOT p.known) AS unknown,
			string_agg(DISTINCT p.deployment, ', ') FILTER (WHERE p.known AND p.embodied_co2e_kg IS NULL) AS no_embodied,
			sum(p.facility_kwh) FILTER (WHERE p.known AND p.metered_boundary IS NOT NULL) / nullif(sum(p.facility_kwh) FILTER (WHERE p.known), 0) AS metered,
			string_agg(DISTINCT p.power_model, ', ') FILTER (WHERE p.known AND p.metered_boundary IS NULL) AS models
		FROM pieces p GROUP BY GROUPING SETS ((p.in_year, p.llm), (p.in_year))
		-- a reserve serves no LLM: it counts among all deployments
		HAVING grouping(p.llm) = 1 OR p.llm IS NOT NULL
	)
	SELECT s.subject, CASE WHEN s.year IS NOT NULL THEN
		tstzrange(make_timestamptz(s.year, 1, 1, 0, 0, 0, 'UTC'), make_timestamptz(s.year + 1, 1, 1, 0, 0, 0, 'UTC')) END,
		v.value_column, v.value, v.unit, v.text_value, nullif(v.note, '')
	FROM sums s, LATERAL (VALUES
		('sci_operational_g_per_1000_tokens', CASE WHEN s.tokens > 0 THEN @extschema@.wattgpu_sci_g(s.operational_kg, s.tokens, 1000) END, 'gCO2e per 1,000 tokens', NULL,
			concat_ws('; ', CASE WHEN s.tokens = 0 THEN 'no tokens' WHEN s.open_ends = 0 AND s.lo_kg < s.hi_kg
				THEN format('%s to %s g a million tokens by the 90 %% intervals of power', @extschema@.wattgpu_two_figures(@extschema@.wattgpu_sci_g(s.lo_kg, s.tokens, 1e6)),
					@extschema@.wattgpu_two_figures(@extschema@.wattgpu_sci_g(s.hi_kg, s.tokens, 1e6))) END, 'left out: ' || s.unknown)),
		('sci_g_per_1000_tokens', CASE WHEN s.tokens > 0 AND s.no_embodied IS NULL THEN @extschema@.wattgpu_sci_g(s.whole_kg, s.tokens, 1000) END, 'gCO2e per 1,000 tokens', NULL,
			concat_ws('; ', CASE WHEN s.tokens = 0 THEN 'no tokens' END, 'left out: ' || s.unknown, 'embodied emissions are not known of: ' || s.no_embodied)),
		('boundary', NULL, NULL, 'The data centre''s energy for the GPU deployments: boards, nodes and PUE, idle and reserved hours included; embodied emissions as given for the deployments. R: tokens generated.', NULL),
		('method', NULL, NULL, format('Calculated: (E x I + M) / R. E %s. I location-based, no certificates. Sums over the year, then one ratio.',
			CASE WHEN s.metered = 1 THEN 'metered' ELSE format('metered %s %%, the rest predicted%s', round(100 * coalesce(s.metered, 0)), ' by ' || s.models) END), NULL),
		('conversions', NULL, NULL, '1 kg = 1,000 g. Per 1,000 tokens: 1,000 x emissions / tokens; per million tokens: 1,000 times that.', NULL)
	) v (value_column, value, unit, text_value, note)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_sci_values() IS
'What wattgpu_sci is filled with: software carbon intensity of each LLM and of all deployments (reserves included), a UTC calendar year each, by wattgpu_energy: location-based emissions at the facility, and embodied ones, over tokens generated. Deployments of which emissions or tokens are not known are in neither part of the ratio; the note names them. Without the embodied emissions of every other one, the whole score is not known.';

DO $do$
DECLARE
	about record;
BEGIN
	FOR about IN SELECT * FROM (VALUES
		('annex_xi', 'AI Act Annex XI section 1 point 2(d) and (e), and the Model Documentation Form: training and inference of a model, out of wattgpu_trainings and wattgpu_inference_tasks (wattgpu_annex_xi_values).'),
		('esrs_e1', 'ESRS E1-5 and E1-6: energy and Scope 2 emissions of GPU deployments, a year each (wattgpu_esrs_e1_values).'),
		('eed_allocation', 'Energy Efficiency Directive: what the meters of a site read, and how it falls on LLMs (wattgpu_eed_allocation_values).'),
		('sci', 'Software carbon intensity per token, by LLM and year (wattgpu_sci_values).')) a (template, comment)
	LOOP
		EXECUTE format($f$
			CREATE VIEW @extschema@.wattgpu_%1$s AS
			WITH known AS MATERIALIZED (SELECT v.* FROM @extschema@.wattgpu_%1$s_values() v),
			filled AS (
				SELECT k.* FROM known k
				UNION ALL
				SELECT DISTINCT k.subject, k.period, NULL, NULL::double precision, NULL, NULL, 'not known here: to be filled by hand' FROM known k
			)
			SELECT f.template, v.subject, v.period, f.field, f.label, @extschema@.wattgpu_two_figures(c.exact_value) AS value, v.text_value, f.unit,
				CASE WHEN v.value IS NOT NULL AND c.exact_value IS NULL
					THEN pg_catalog.format('no way from %%s to %%s', coalesce(v.unit, 'a ratio'), coalesce(f.unit, 'a ratio')) ELSE v.note END AS note,
				c.exact_value, f.source, f.checked
			FROM @extschema@.wattgpu_template_fields f JOIN filled v ON v.value_column IS NOT DISTINCT FROM f.value_column,
				LATERAL (SELECT CASE WHEN v.value_column IS NOT NULL THEN @extschema@.wattgpu_convert_unit(v.value, v.unit, f.unit) END) c (exact_value)
			WHERE f.template = %1$L
			ORDER BY v.subject COLLATE "C", v.period, f.position, v.text_value COLLATE "C";
			GRANT SELECT ON @extschema@.wattgpu_%1$s TO PUBLIC;
			COMMENT ON VIEW @extschema@.wattgpu_%1$s IS %2$L;
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.template IS 'The template (wattgpu_template_fields.template)';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.subject IS 'What the row is of: a training or a task, own operations, a site, an LLM';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.period IS 'When; NULL for what has no period';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.field IS 'The field (wattgpu_template_fields.field)';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.label IS 'What the form calls it';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.value IS 'The figure to two significant figures, in unit; NULL if it is text, or not known (then note says why)';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.text_value IS 'The text; beside a value, what it is allocated to';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.unit IS 'Unit of value and exact_value; NULL for text and ratios';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.note IS 'How it was had, or why it is not';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.exact_value IS 'The figure as computed, not rounded, in unit';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.source IS 'Where the form asks for the field';
			COMMENT ON COLUMN @extschema@.wattgpu_%1$s.checked IS 'How far that source was checked'$f$, about.template, about.comment);
	END LOOP;
END $do$;
