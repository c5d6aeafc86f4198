-- The importers: staging tables that take any text, and functions that move what is sound out of them.

CREATE TABLE @extschema@.wattgpu_watt_counts_staging (
	index text,
	model text,
	gpu_type text,
	lambda_qps text,
	generation_tokens_total text,
	measurement_duration text,
	gpu_energy text,
	gpu_0_power_draw_watts_mean text,
	gpu_0_power_draw_watts_min text,
	gpu_0_power_draw_watts_max text,
	gpu_0_power_draw_watts_std text,
	time_to_first_token_seconds_events text,
	e2e_request_latency_seconds_events text,
	request_generation_tokens text,
	request_prompt_tokens text
);

CREATE TABLE @extschema@.wattgpu_means_staging (
	gpu text,
	llm text,
	scenario text,
	arrival_rate_qps text,
	prompt_tokens text,
	output_tokens text,
	num_gpus text,
	power_w text,
	itl_s text,
	runs text,
	source text
);

COMMENT ON TABLE @extschema@.wattgpu_watt_counts_staging IS 'Scratch space for wattgpu_import_watt_counts: the per-request file of Watt Counts (arXiv 2604.09048), one row a run, columns in the order of the file. All text, so that a bad value is reported and not refused. Its owner''s; pg_dump leaves the rows out.';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.index IS 'Number of the run; not used';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.model IS 'The LLM, in any spelling';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.gpu_type IS 'The card, in any spelling';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.lambda_qps IS 'Arrival rate asked for, requests a second; empty, 0, inf or nan is scenario offline';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.generation_tokens_total IS 'Tokens generated in the run, above 0';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.measurement_duration IS 'Wall time of the run, s, above 0';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.gpu_energy IS 'Energy of the run; not used';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.gpu_0_power_draw_watts_mean IS 'Mean board power, W, above 0';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.gpu_0_power_draw_watts_min IS 'Least board power, W; not used';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.gpu_0_power_draw_watts_max IS 'Greatest board power, W; not used';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.gpu_0_power_draw_watts_std IS 'Standard deviation of the board power, W; not used';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.time_to_first_token_seconds_events IS 'Bracketed list, one number a request: time to its first token, s, at least 0';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.e2e_request_latency_seconds_events IS 'Bracketed list, one number a request: time to its last token, s, at least the time to its first';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.request_generation_tokens IS 'Bracketed list, one number a request: tokens generated, at least 0';
COMMENT ON COLUMN @extschema@.wattgpu_watt_counts_staging.request_prompt_tokens IS 'Bracketed list, one number a request: tokens of the prompt, at least 0';

COMMENT ON TABLE @extschema@.wattgpu_means_staging IS 'Scratch space for wattgpu_import_means: one row a measured mean, columns as wattgpu_measurements. All text, so that a bad value is reported and not refused; empty is NULL. Its owner''s; pg_dump leaves the rows out.';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.gpu IS 'The card, in any spelling';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.llm IS 'The LLM, in any spelling';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.scenario IS 'The workload (wattgpu_scenarios.scenario), without regard to ASCII case';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.arrival_rate_qps IS 'Realised arrival rate, requests a second, above 0; empty: the scenario''s';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.prompt_tokens IS 'Mean prompt length, tokens, above 0; empty: the scenario''s';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.output_tokens IS 'Mean answer length, tokens, above 0; empty: the scenario''s';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.num_gpus IS 'Cards the LLM ran on, 1 to 1024; empty: 1';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.power_w IS 'Mean board power over the run, all cards together, W, above 0; empty: not measured';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.itl_s IS 'Mean inter-token latency, s, above 0; empty: not measured';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.runs IS 'Runs that the means are over, at least 1; empty: 1';
COMMENT ON COLUMN @extschema@.wattgpu_means_staging.source IS 'Who measured it; empty: the argument source of wattgpu_import_means';

CREATE FUNCTION @extschema@.wattgpu_import_number(name text, figure text, whole boolean DEFAULT false) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	number double precision;
BEGIN
	BEGIN
		number := figure::double precision;
	EXCEPTION WHEN data_exception THEN
		NULL; -- what is no number is refused below
	END;
	IF number > 0 AND number < 'Infinity' AND NOT (whole AND (number > 2147483647 OR number <> trunc(number))) THEN
		RETURN number;
	END IF;
	RAISE invalid_parameter_value USING MESSAGE =
		format('%s is "%s", which is not a positive %s', name, left(figure, 60), CASE WHEN whole THEN 'integer' ELSE 'number' END);
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_number(text, text, boolean) IS
'For the importers: figure as a positive, finite number, with whole a positive integer. NULL in, NULL out; error invalid_parameter_value with name and figure otherwise.';

CREATE FUNCTION @extschema@.wattgpu_import_list(name text, list text) RETURNS double precision[]
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	items text := btrim(substr(list, 2, greatest(length(list) - 2, 0)), E' \t\n\r\x0b\f');
	numbers double precision[];
	reason text;
BEGIN
	IF list NOT LIKE '[%]' OR items = '' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s is "%s", which is not a list of numbers in brackets', name, left(list, 60));
	END IF;
	IF items NOT LIKE '%,%' THEN
		items := regexp_replace(items, '\s+', ',', 'g');
	END IF;
	BEGIN
		-- the server's own parser is the fast one; kept from it is what means more to it than a number, as quotes and braces
		IF items ~ '^[-+.0-9eE,\s]+$' THEN
			numbers := ('{' || items || '}')::double precision[];
		END IF;
	EXCEPTION WHEN data_exception THEN
		NULL; -- the element at fault is looked for below
	END;
	IF 0 <= ALL (numbers) THEN
		RETURN numbers;
	END IF;
	SELECT format('%s has element %s "%s", which is not a number of 0 or more', name, place, left(btrim(item), 60)) INTO reason
	FROM unnest(string_to_array(items, ',')) WITH ORDINALITY u (item, place)
	WHERE item !~* '^\s*[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[+-]?[0-9]+)?\s*$' ORDER BY place LIMIT 1;
	RAISE invalid_parameter_value USING MESSAGE = coalesce(reason, format('%s has an element out of range', name));
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_list(text, text) IS
'For the importers: a list in brackets of one or more finite numbers that are not negative, with commas or blanks between, as [0.12, 1.3e-1] or [0.12 1.3e-1]. NULL in, NULL out; error invalid_parameter_value with name and what is wrong otherwise.';

CREATE FUNCTION @extschema@.wattgpu_from_watt_counts(run @extschema@.wattgpu_watt_counts_staging, source text)
RETURNS @extschema@.wattgpu_measurements
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m @extschema@.wattgpu_measurements;
	seconds double precision;
	tokens double precision;
	rate double precision;
	first_token double precision[];
	latency double precision[];
	generated double precision[];
	prompts double precision[];
	backward bigint;
BEGIN
	m.gpu := @extschema@.wattgpu_canonical_gpu(run.gpu_type);
	m.llm := @extschema@.wattgpu_canonical_llm(run.model);
	IF run.lambda_qps ~* '^([+]?(nan|inf(inity)?|0+[.]?0*))?$' THEN
		m.scenario := 'offline';
	ELSE
		rate := @extschema@.wattgpu_import_number('lambda_qps', run.lambda_qps);
		SELECT s.scenario INTO m.scenario FROM @extschema@.wattgpu_scenarios s
		WHERE abs(s.arrival_rate_qps - rate) <= 0.05 * s.arrival_rate_qps
		ORDER BY abs(s.arrival_rate_qps - rate), s.builtin DESC, s.scenario COLLATE "C" LIMIT 1;
		IF NOT FOUND THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('no scenario has an arrival rate within 5 %% of lambda_qps %s', rate),
				HINT = 'Insert a scenario of that rate into wattgpu_scenarios.';
		END IF;
	END IF;

	m.power_w := @extschema@.wattgpu_import_number('gpu_0_power_draw_watts_mean', run.gpu_0_power_draw_watts_mean);
	tokens := @extschema@.wattgpu_import_number('generation_tokens_total', run.generation_tokens_total);
	seconds := @extschema@.wattgpu_import_number('measurement_duration', run.measurement_duration);
	first_token := @extschema@.wattgpu_import_list('time_to_first_token_seconds_events', run.time_to_first_token_seconds_events);
	latency := @extschema@.wattgpu_import_list('e2e_request_latency_seconds_events', run.e2e_request_latency_seconds_events);
	generated := @extschema@.wattgpu_import_list('request_generation_tokens', run.request_generation_tokens);
	prompts := @extschema@.wattgpu_import_list('request_prompt_tokens', run.request_prompt_tokens);
	IF cardinality(first_token) <> ANY (ARRAY[cardinality(latency), cardinality(generated), cardinality(prompts)]) THEN
		RAISE invalid_parameter_value USING MESSAGE = format('the lists differ in length: time_to_first_token_seconds_events %s, '
			'e2e_request_latency_seconds_events %s, request_generation_tokens %s, request_prompt_tokens %s',
			cardinality(first_token), cardinality(latency), cardinality(generated), cardinality(prompts));
	END IF;
	m.output_tokens := @extschema@.wattgpu_import_number('mean of request_generation_tokens', (SELECT avg(n) FROM unnest(generated) n)::text);
	m.prompt_tokens := @extschema@.wattgpu_import_number('mean of request_prompt_tokens', (SELECT avg(n) FROM unnest(prompts) n)::text);

	IF rate IS NULL THEN
		m.itl_s := seconds / tokens;
	ELSE
		m.arrival_rate_qps := cardinality(generated) / seconds;
		-- an answer of one token has nothing between tokens
		SELECT avg((l - f) / (n - 1)), min(place) FILTER (WHERE l < f) INTO m.itl_s, backward
		FROM unnest(first_token, latency, generated) WITH ORDINALITY r (f, l, n, place) WHERE n > 1;
		IF backward IS NOT NULL THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('request %s ends after %s s, before its first token at %s s', backward, latency[backward], first_token[backward]);
		END IF;
		m.itl_s := @extschema@.wattgpu_import_number('inter-token latency', m.itl_s::text);
	END IF;
	m.num_gpus := 1;
	m.runs := 1;
	m.source := source;
	m.builtin := false;
	RETURN m;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_from_watt_counts(@extschema@.wattgpu_watt_counts_staging, text) IS
'For wattgpu_import_watt_counts: a run of Watt Counts as a measurement. Errors: undefined_object for an unknown name, invalid_parameter_value for a figure or list.';

CREATE FUNCTION @extschema@.wattgpu_from_means(mean @extschema@.wattgpu_means_staging, source text)
RETURNS @extschema@.wattgpu_measurements
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m @extschema@.wattgpu_measurements;
BEGIN
	m.gpu := @extschema@.wattgpu_canonical_gpu(mean.gpu);
	m.llm := @extschema@.wattgpu_canonical_llm(mean.llm);
	SELECT s.scenario INTO m.scenario FROM @extschema@.wattgpu_scenarios s
	WHERE lower(s.scenario COLLATE "C") = lower(mean.scenario COLLATE "C");
	IF NOT FOUND THEN
		RAISE undefined_object USING
			MESSAGE = format('unknown scenario "%s"', left(mean.scenario, 60)),
			HINT = 'Table wattgpu_scenarios lists what is known; insert yours there.';
	END IF;
	m.arrival_rate_qps := @extschema@.wattgpu_import_number('arrival_rate_qps', nullif(mean.arrival_rate_qps, ''));
	m.prompt_tokens := @extschema@.wattgpu_import_number('prompt_tokens', nullif(mean.prompt_tokens, ''));
	m.output_tokens := @extschema@.wattgpu_import_number('output_tokens', nullif(mean.output_tokens, ''));
	m.num_gpus := coalesce(@extschema@.wattgpu_import_number('num_gpus', nullif(mean.num_gpus, ''), true), 1);
	m.power_w := @extschema@.wattgpu_import_number('power_w', nullif(mean.power_w, ''));
	m.itl_s := @extschema@.wattgpu_import_number('itl_s', nullif(mean.itl_s, ''));
	m.runs := coalesce(@extschema@.wattgpu_import_number('runs', nullif(mean.runs, ''), true), 1);
	IF m.power_w IS NULL AND m.itl_s IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'power_w and itl_s are both empty';
	END IF;
	m.source := coalesce(nullif(mean.source, ''), source);
	m.builtin := false;
	RETURN m;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_from_means(@extschema@.wattgpu_means_staging, text) IS
'For wattgpu_import_means: a row of means as a measurement. Errors: undefined_object for an unknown name, invalid_parameter_value for a figure.';

CREATE FUNCTION @extschema@.wattgpu_import_rows(
	staging regclass, layout regclass, gpu_column text, llm_column text, converter text, source text)
RETURNS TABLE (row_number bigint, gpu text, llm text, reason text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET wattgpu.unknown_name = 'error' SET extra_float_digits = 1 AS $$
DECLARE
	relation pg_class;
	missing text;
	columns text;
	move text;
	place record;
	moved bigint;
	imported bigint := 0;
	kept bigint := 0;
	detail text;
	hint text;
BEGIN
	IF staging IS NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = 'staging is NULL',
			HINT = format('Name a table with the columns of %s.', layout);
	END IF;
	SELECT c.* INTO relation FROM pg_class c WHERE c.oid = staging;
	IF NOT FOUND THEN
		RAISE undefined_table USING MESSAGE = format('there is no relation with OID %s', staging::oid);
	END IF;
	IF relation.relkind NOT IN ('r', 'p') OR staging = '@extschema@.wattgpu_measurements'::regclass THEN
		RAISE wrong_object_type USING
			MESSAGE = format('relation "%s" cannot be a staging table', relation.relname),
			HINT = 'Rows are deleted from it as they are imported: give an ordinary table of its own.';
	END IF;
	SELECT string_agg(format('coalesce(btrim(t.%I::text, E'' \t\n\r\x0b\f''), '''')', a.attname), ', ' ORDER BY a.attnum),
		(array_agg(a.attname ORDER BY a.attnum) FILTER (WHERE NOT EXISTS (SELECT FROM pg_attribute s
			WHERE s.attrelid = staging AND s.attname = a.attname AND s.attnum > 0 AND NOT s.attisdropped)))[1]
	INTO columns, missing FROM pg_attribute a WHERE a.attrelid = layout AND a.attnum > 0 AND NOT a.attisdropped;
	IF missing IS NOT NULL THEN
		RAISE undefined_column USING
			MESSAGE = format('relation "%s" has no column "%s"', relation.relname, missing),
			HINT = format('It needs the columns of %s.', layout);
	END IF;

	-- nobody else may add, change or import rows meanwhile
	EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', staging);
	move := format('WITH gone AS (DELETE FROM %s t WHERE t.tableoid = $1 AND t.ctid = $2 RETURNING @extschema@.%I(ROW(%s)::%s, $3) AS m)
		INSERT INTO @extschema@.wattgpu_measurements SELECT (gone.m).* FROM gone', staging, converter, columns, layout);
	row_number := 0;
	FOR place IN EXECUTE format('SELECT t.tableoid, t.ctid, t.%I::text AS gpu, t.%I::text AS llm FROM %s t ORDER BY t.tableoid, t.ctid',
		gpu_column, llm_column, staging) LOOP
		row_number := row_number + 1;
		BEGIN
			EXECUTE move USING place.tableoid, place.ctid, source;
			GET DIAGNOSTICS moved = ROW_COUNT;
		-- only what a row's values can cause: anything else, as a missing privilege, ends the import
		EXCEPTION WHEN data_exception OR integrity_constraint_violation OR undefined_object OR raise_exception THEN
			GET STACKED DIAGNOSTICS reason = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			reason := concat_ws('. ', reason, nullif(detail, ''), nullif(hint, ''));
			gpu := place.gpu;
			llm := place.llm;
			kept := kept + 1;
			RETURN NEXT;
			CONTINUE;
		END;
		-- a trigger or row security of the user's may hold a row back
		IF moved <> 1 THEN
			RAISE triggered_action_exception USING
				MESSAGE = format('row %s of relation "%s" could not be moved to wattgpu_measurements', row_number, relation.relname);
		END IF;
		imported := imported + 1;
	END LOOP;
	RAISE NOTICE '% rows imported, % kept aside', imported, kept;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_rows(regclass, regclass, text, text, text, text) IS
'What the importers share: moves each row of staging, which has the columns of layout, through the function converter into wattgpu_measurements. Gives back, and leaves in staging, the rows whose values are refused. Errors: invalid_parameter_value if staging is NULL, undefined_table, undefined_column, wrong_object_type, insufficient_privilege; after an error or a cancel nothing is moved.';

CREATE FUNCTION @extschema@.wattgpu_import_watt_counts(
	staging regclass DEFAULT '@extschema@.wattgpu_watt_counts_staging', source text DEFAULT 'imported')
RETURNS TABLE (row_number bigint, gpu text, llm text, reason text)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
	SELECT * FROM @extschema@.wattgpu_import_rows(staging, '@extschema@.wattgpu_watt_counts_staging',
		'gpu_type', 'model', 'wattgpu_from_watt_counts', source);
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_watt_counts(regclass, text) IS
'Moves the runs in staging, a table with the columns of wattgpu_watt_counts_staging, into wattgpu_measurements. Returns the rows that it refuses and keeps in staging: place in the table, names, reason. Scenario: offline without a rate, else the one whose rate is nearest, within 5 %. itl_s, s: offline measurement_duration / generation_tokens_total; else the mean of (e2e latency - time to first token) / (tokens - 1) over the requests of more than one token, NULL if there is none. Needs INSERT on wattgpu_measurements, and SELECT and DELETE on staging (insufficient_privilege); other errors invalid_parameter_value if staging is NULL, undefined_table, undefined_column, wrong_object_type. Source of the method: WattGPU (arXiv 2607.02391).';

CREATE FUNCTION @extschema@.wattgpu_import_means(
	staging regclass DEFAULT '@extschema@.wattgpu_means_staging', source text DEFAULT 'imported')
RETURNS TABLE (row_number bigint, gpu text, llm text, reason text)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
	SELECT * FROM @extschema@.wattgpu_import_rows(staging, '@extschema@.wattgpu_means_staging',
		'gpu', 'llm', 'wattgpu_from_means', source);
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_import_means(regclass, text) IS
'Moves the rows in staging, a table with the columns of wattgpu_means_staging, into wattgpu_measurements. Returns the rows that it refuses and keeps in staging: place in the table, names, reason. An empty value is NULL (num_gpus, runs: 1; source: the argument); power_w or itl_s must be there. Privileges and errors as wattgpu_import_watt_counts.';
