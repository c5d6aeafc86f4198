-- GPUs as the tools of a fleet print them, and cards of one's own. Readers store nothing, and what they cannot read they report.

CREATE FUNCTION @extschema@.wattgpu_add_gpu(
	gpu text, memory_gb double precision DEFAULT NULL, memory_bandwidth_gb_s double precision DEFAULT NULL,
	tdp_w double precision DEFAULT NULL, fp16_tflops double precision DEFAULT NULL,
	streaming_multiprocessors integer DEFAULT NULL, boost_clock_mhz double precision DEFAULT NULL,
	memory_type text DEFAULT NULL, manufacturer text DEFAULT NULL, architecture text DEFAULT NULL, release_date date DEFAULT NULL,
	process_nm double precision DEFAULT NULL, transistors_m double precision DEFAULT NULL,
	shading_units integer DEFAULT NULL, tensor_cores integer DEFAULT NULL,
	base_clock_mhz double precision DEFAULT NULL, memory_clock_mhz double precision DEFAULT NULL,
	memory_total_mib double precision DEFAULT NULL, memory_bus_bits integer DEFAULT NULL, l2_cache_mb double precision DEFAULT NULL,
	fp8_tflops double precision DEFAULT NULL, fp32_tflops double precision DEFAULT NULL,
	form_factor text DEFAULT NULL, idle_power_w double precision DEFAULT NULL, source text DEFAULT NULL)
RETURNS @extschema@.wattgpu_gpus
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
#variable_conflict use_variable
DECLARE
	named CONSTANT text := btrim(gpu, E' \t\n\r\x0b\f');
	found_gpu text;
	is_ambiguous boolean;
	candidates text[];
	note text;
	lacks text;
	card @extschema@.wattgpu_gpus;
	broken name;
	given text;
	rule text;
BEGIN
	IF named <> '' IS NOT TRUE THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('gpu is %s', CASE WHEN gpu IS NULL THEN 'NULL' ELSE 'empty' END),
			HINT = 'Name the card as nvidia-smi prints it.';
	ELSIF octet_length(named) > 256 THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('gpu "%s..." is longer than 256 bytes', left(named, 60)),
			HINT = 'Name the card as nvidia-smi prints it.';
	END IF;
	SELECT r.name, r.ambiguous, r.candidates, r.note INTO found_gpu, is_ambiguous, candidates, note FROM @extschema@.wattgpu_resolve_gpu(named) r;
	IF is_ambiguous THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('gpu "%s" may be one of several cards', left(named, 60)),
			HINT = format('Name one in full: %s.', array_to_string(candidates, ', '));
	END IF;

	-- a fleet would count each slice as a card
	IF found_gpu IS NULL AND note ~ '(part|share) of a card|is the name of' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('gpu "%s" %s', left(named, 60), note),
			HINT = CASE WHEN note ~ 'of a card' THEN 'Name the whole card.' ELSE 'An LLM is added by wattgpu_add_llm.' END;
	END IF;

	IF found_gpu IS NULL THEN
		INSERT INTO @extschema@.wattgpu_gpus AS g (gpu, manufacturer, architecture, release_date, process_nm, transistors_m,
			streaming_multiprocessors, shading_units, tensor_cores, base_clock_mhz, boost_clock_mhz, memory_clock_mhz,
			memory_gb, memory_total_mib, memory_type, memory_bus_bits, memory_bandwidth_gb_s, l2_cache_mb, tdp_w,
			fp16_tflops, fp8_tflops, fp32_tflops, form_factor, idle_power_w, source)
		VALUES (named, manufacturer, architecture, release_date, process_nm, transistors_m,
			streaming_multiprocessors, shading_units, tensor_cores, base_clock_mhz, boost_clock_mhz, memory_clock_mhz,
			memory_gb, memory_total_mib, memory_type, memory_bus_bits, memory_bandwidth_gb_s, l2_cache_mb, tdp_w,
			fp16_tflops, fp8_tflops, fp32_tflops, form_factor, idle_power_w, source)
		RETURNING g.* INTO card;
		-- most often a misspelt name
		lacks := @extschema@.wattgpu_gpu_lacks(card, true, true, true);
		IF lacks <> '' THEN
			RAISE NOTICE 'new GPU "%" has no %: not everything can be predicted for it', named, lacks;
		END IF;
		RETURN card;
	END IF;

	UPDATE @extschema@.wattgpu_gpus g SET
		manufacturer = coalesce(manufacturer, g.manufacturer), architecture = coalesce(architecture, g.architecture),
		release_date = coalesce(release_date, g.release_date), process_nm = coalesce(process_nm, g.process_nm),
		transistors_m = coalesce(transistors_m, g.transistors_m),
		streaming_multiprocessors = coalesce(streaming_multiprocessors, g.streaming_multiprocessors),
		shading_units = coalesce(shading_units, g.shading_units), tensor_cores = coalesce(tensor_cores, g.tensor_cores),
		base_clock_mhz = coalesce(base_clock_mhz, g.base_clock_mhz), boost_clock_mhz = coalesce(boost_clock_mhz, g.boost_clock_mhz),
		memory_clock_mhz = coalesce(memory_clock_mhz, g.memory_clock_mhz), memory_gb = coalesce(memory_gb, g.memory_gb),
		memory_total_mib = coalesce(memory_total_mib, g.memory_total_mib), memory_type = coalesce(memory_type, g.memory_type),
		memory_bus_bits = coalesce(memory_bus_bits, g.memory_bus_bits),
		memory_bandwidth_gb_s = coalesce(memory_bandwidth_gb_s, g.memory_bandwidth_gb_s), l2_cache_mb = coalesce(l2_cache_mb, g.l2_cache_mb),
		tdp_w = coalesce(tdp_w, g.tdp_w), fp16_tflops = coalesce(fp16_tflops, g.fp16_tflops), fp8_tflops = coalesce(fp8_tflops, g.fp8_tflops),
		fp32_tflops = coalesce(fp32_tflops, g.fp32_tflops), form_factor = coalesce(form_factor, g.form_factor),
		idle_power_w = coalesce(idle_power_w, g.idle_power_w), source = coalesce(source, g.source)
	-- a shipped row to which nothing is said stays shipped
	WHERE g.gpu = found_gpu AND num_nonnulls(manufacturer, architecture, release_date, process_nm, transistors_m,
		streaming_multiprocessors, shading_units, tensor_cores, base_clock_mhz, boost_clock_mhz, memory_clock_mhz,
		memory_gb, memory_total_mib, memory_type, memory_bus_bits, memory_bandwidth_gb_s, l2_cache_mb, tdp_w,
		fp16_tflops, fp8_tflops, fp32_tflops, form_factor, idle_power_w, source) > 0
	RETURNING g.* INTO card;
	IF FOUND THEN
		RAISE NOTICE 'GPU "%" was there and is updated', found_gpu;
	ELSE
		SELECT * INTO card FROM @extschema@.wattgpu_gpus g WHERE g.gpu = found_gpu;
		RAISE NOTICE 'GPU "%" is there, and there is nothing to change', found_gpu;
	END IF;
	RETURN card;
EXCEPTION WHEN check_violation THEN
	GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
	SELECT string_agg(v.name || ' ' || v.figure, ' and ' ORDER BY v.name),
		regexp_replace(regexp_replace(min(pg_get_constraintdef(c.oid)), '^CHECK |::[a-z ]+|[()]', '', 'g'), '''([0-9]+)''', '\1', 'g') INTO given, rule
	FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
		JOIN (VALUES ('release_date', release_date::text), ('process_nm', process_nm::text), ('transistors_m', transistors_m::text),
			('streaming_multiprocessors', streaming_multiprocessors::text), ('shading_units', shading_units::text), ('tensor_cores', tensor_cores::text),
			('base_clock_mhz', base_clock_mhz::text), ('boost_clock_mhz', boost_clock_mhz::text), ('memory_clock_mhz', memory_clock_mhz::text),
			('memory_gb', memory_gb::text), ('memory_total_mib', memory_total_mib::text), ('memory_bus_bits', memory_bus_bits::text),
			('memory_bandwidth_gb_s', memory_bandwidth_gb_s::text), ('l2_cache_mb', l2_cache_mb::text), ('tdp_w', tdp_w::text),
			('fp16_tflops', fp16_tflops::text), ('fp8_tflops', fp8_tflops::text), ('fp32_tflops', fp32_tflops::text),
			('idle_power_w', idle_power_w::text), ('manufacturer', quote_literal(manufacturer)), ('architecture', quote_literal(architecture)),
			('memory_type', quote_literal(memory_type)), ('form_factor', quote_literal(form_factor))) v (name, figure) ON v.name = a.attname AND v.figure IS NOT NULL
	WHERE c.conrelid = '@extschema@.wattgpu_gpus'::regclass AND c.conname = broken;
	IF rule IS NULL THEN
		RAISE;
	END IF;
	RAISE check_violation USING
		MESSAGE = format('GPU "%s" cannot have %s', named, given),
		HINT = format('It must hold that %s.', rule);
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_add_gpu(text, double precision, double precision, double precision, double precision, integer, double precision, text, text, text, date, double precision, double precision, integer, integer, double precision, double precision, double precision, integer, double precision, double precision, double precision, text, double precision, text) IS
'Stores a card in wattgpu_gpus (which has units and ranges) and returns its row. A known card, in any spelling, is updated with a NOTICE: what is left NULL stays as it is, and the row is then yours. A new card without a spec that predictions need is stored with a NOTICE. Error invalid_parameter_value for a name that is NULL, empty, ambiguous or that of a part of a card (MIG slice, vGPU, shared card) or of an LLM or scenario, check_violation for a figure out of range, with the range, insufficient_privilege unless the caller may write the table.';

CREATE TYPE @extschema@.wattgpu_inventory_row AS (
	line integer, host text, spelling text, gpu text, gpus integer,
	power_limit_w double precision, power_w double precision, memory_mib double precision, reason text);
COMMENT ON TYPE @extschema@.wattgpu_inventory_row IS 'What the readers of inventories give, a row a GPU or a group of equal ones, and a row for each line, or empty text, that cannot be read';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.line IS 'Line of the text that was read, or place in a JSON array, from 1; NULL where there is none';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.host IS 'The machine, where it is known';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.spelling IS 'The GPU or instance type as the tool printed it; of a line that cannot be read its first 256 characters';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.gpu IS 'Canonical name (wattgpu_gpus.gpu); NULL if it is not resolved';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.gpus IS 'How many, from 1 (of a MIG slice or a shared GPU: as the tool counts them); NULL if not known';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.power_limit_w IS 'Power limit of one GPU as it is set now, W, 1 to 10000; NULL if the tool does not say or the figure is doubtful';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.power_w IS 'Power that one GPU drew at the time, W, at least 0 and at most 10000; NULL if the tool does not say or the figure is doubtful';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.memory_mib IS 'Memory of one GPU as the tool reports it, MiB, above 0; NULL if it does not say';
COMMENT ON COLUMN @extschema@.wattgpu_inventory_row.reason IS 'Why gpu is NULL, or else what is doubtful in the row; NULL if all is well';

CREATE FUNCTION @extschema@.wattgpu_inventory_gpu(spelling text, memory_mib double precision, pci_id text, OUT gpu text, OUT reason text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
	named CONSTANT text := btrim(spelling, E' \t\n\r\x0b\f');
	shown CONSTANT text := format('"%s"', left(named, 60));
	-- nvidia-smi prints the device before the vendor
	id CONSTANT text := lower(coalesce(
		regexp_replace(substring(pci_id FROM '^\s*0[xX][0-9a-fA-F]{8}\s*$'), '^\s*0[xX](.{4})(.{4})\s*$', '\2:\1'),
		btrim(pci_id)) COLLATE "C");
	by_id text;
	by_name record;
	possible text[];
	fitting text[];
	card_mib double precision;
BEGIN
	reason := CASE
		WHEN named ~* '\mMIG\M|\m[0-9]+g\.[0-9]+gb\M' THEN 'a MIG slice, which is a part of a card'
		WHEN named ~* '[- _]SHARED$' THEN 'a shared GPU, of which each user has a part'
		WHEN named ~* '^(NVIDIA[- _])?GRID[- _](?!K[0-9])' OR named ~ '-([0-9]{1,2}-)?[0-9]{1,3}[QCAB]([0-9]|ME|NOME|GFX)*$'
			THEN 'a vGPU, which is a part of a card' END;
	IF reason IS NOT NULL THEN
		RETURN;
	END IF;

	SELECT a.gpu INTO by_id FROM @extschema@.wattgpu_gpu_aliases a
	WHERE lower(a.alias COLLATE "C") = id AND a.kind = 'pci_id';
	-- Names are resolved here and nowhere else in this file but for wattgpu_add_gpu.
	SELECT r.gpu, r.ambiguous, r.candidates INTO by_name FROM @extschema@.wattgpu_resolve_gpu(named) r (gpu, match, ambiguous, candidates, note);

	IF by_name.ambiguous THEN
		possible := by_name.candidates;
		IF by_id IS NULL AND memory_mib IS NOT NULL THEN
			fitting := ARRAY(SELECT g.gpu FROM @extschema@.wattgpu_gpus g WHERE g.gpu = ANY (possible)
				AND memory_mib BETWEEN 0.88 * coalesce(g.memory_total_mib, g.memory_gb * 1024) AND 1.12 * coalesce(g.memory_total_mib, g.memory_gb * 1024)
				ORDER BY g.gpu COLLATE "C");
			possible := coalesce(nullif(fitting, '{}'), possible);
		END IF;
		gpu := CASE WHEN by_id = ANY (possible) THEN by_id
			WHEN cardinality(fitting) = 1 THEN fitting[1]
			WHEN by_name.gpu = ANY (possible) THEN by_name.gpu END;
		IF gpu IS NULL THEN
			reason := format('%s may be %s', shown, array_to_string(possible, ' or '));
			RETURN;
		ELSIF by_id IS NULL AND cardinality(fitting) = 1 IS NOT TRUE THEN
			reason := format('%s is short for several cards', shown) || coalesce(', also ' || nullif(array_to_string(array_remove(possible, gpu), ', '), ''), '');
		END IF;
	ELSE
		gpu := coalesce(by_name.gpu, by_id);
		IF gpu IS NULL THEN
			reason := CASE WHEN named <> '' THEN 'unknown GPU ' || shown ELSE 'no name' END
				|| coalesce(', close to ' || nullif(array_to_string(by_name.candidates, ', '), ''), '');
			RETURN;
		END IF;
	END IF;

	IF by_id <> gpu THEN
		reason := format('the name is that of %s, the PCI id %s that of %s', gpu, id, by_id);
		gpu := NULL;
		RETURN;
	END IF;
	SELECT coalesce(g.memory_total_mib, g.memory_gb * 1024) INTO card_mib FROM @extschema@.wattgpu_gpus g WHERE g.gpu = wattgpu_inventory_gpu.gpu;
	IF abs(memory_mib - card_mib) > 0.12 * card_mib THEN
		reason := format('%s MiB of memory, where %s has %s MiB', round(memory_mib::numeric), gpu, round(card_mib::numeric));
		gpu := NULL;
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_inventory_gpu(text, double precision, text) IS
'For the readers of inventories: the card behind a name, its memory in MiB (NULL: not known) and its PCI id, as 0x20B210DE or 10de:20b2 (NULL or not in wattgpu_gpu_aliases: not used). gpu is the canonical name; reason says why it is NULL, or what is doubtful. Parts of a card (MIG, vGPU, shared) are refused, as is memory more than 12 % off the card''s, or a name and an id that contradict each other. Of the cards that share a short name, id or memory decide.';

-- A figure as a tool prints it. What the tool has not is NULL; what it has and cannot be read is NULL and a doubt.
CREATE FUNCTION @extschema@.wattgpu_inventory_figure(name text, cell text, unit text, lowest double precision, highest double precision, dotted boolean,
	OUT figure double precision, OUT doubt text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	-- no longer than what numeric holds
	parts text[] := regexp_match(cell, '^([+-]?[0-9]{0,18}(?:[0-9]|[.,][0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?)\s*([A-Za-z]*)$');
	number numeric;
BEGIN
	IF cell IS NULL OR cell ~* '^\[?(n/?a|not supported|-|)\]?$' THEN
		RETURN;
	END IF;
	number := CASE lower(coalesce(nullif(parts[2], ''), unit))
		WHEN 'w' THEN CASE WHEN lower(unit) = 'w' THEN 1 END
		-- old drivers wrote MB for MiB
		WHEN 'mib' THEN CASE WHEN lower(unit) <> 'w' THEN 1 END WHEN 'mb' THEN CASE WHEN lower(unit) <> 'w' THEN 1 END
		WHEN 'gib' THEN CASE WHEN lower(unit) <> 'w' THEN 1024 END
		END * replace(parts[1], ',', '.')::numeric;
	IF parts[1] ~ ',[0-9]{3}$' THEN
		doubt := format('%s is "%s", whose comma may be a decimal one or not', name, left(cell, 60));
	ELSIF dotted AND parts[1] ~ '^[+-]?[0-9]{1,3}[.][0-9]{3}$' THEN
		doubt := format('%s is "%s", whose dot may be a decimal one or not', name, left(cell, 60));
	ELSIF number IS NULL THEN
		doubt := format('%s is "%s"', name, left(cell, 60));
	ELSIF number NOT BETWEEN lowest AND highest THEN
		doubt := format('%s is "%s", which is out of range', name, left(cell, 60));
	ELSE
		figure := number;
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_inventory_figure(text, text, text, double precision, double precision, boolean) IS
'For the readers of inventories: the number in a cell, in W or MiB, from lowest to highest. unit: what it is in if the cell does not say, W, MiB, MB (read as MiB) or GiB. dotted: whether a dot may part thousands, so that 1.000 is doubtful, as 1,000 always is. NULL for NULL, an empty cell, N/A and Not Supported; NULL with a doubt, which calls it by name, for all else.';

CREATE FUNCTION @extschema@.wattgpu_inventory_cells(content text, delimiter text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	cell text := format(' *(?:"((?:[^"]|"")*)"|([^"%s]*)) *%s', delimiter, delimiter);
BEGIN
	IF delimiter <> E'\t' THEN
		content := translate(content, E'\t', ' ');
	END IF;
	IF strpos(content, '"') = 0 THEN
		RETURN ARRAY(SELECT btrim(c.cell) FROM unnest(string_to_array(content, delimiter)) c (cell));
	ELSIF content || delimiter ~ format('^(?:%s)+$', cell) THEN
		RETURN ARRAY(SELECT btrim(coalesce(replace(c.parts[1], '""', '"'), c.parts[2]))
			FROM regexp_matches(content || delimiter, cell, 'g') WITH ORDINALITY c (parts, place) ORDER BY place);
	END IF;
	RETURN NULL;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_inventory_cells(text, text) IS
'For the readers of inventories: the cells of a line of CSV without the blanks, and other tabs, around them. delimiter is a comma, a semicolon or a tab. NULL if its quotes do not close where a cell ends.';

CREATE FUNCTION @extschema@.wattgpu_inventory_lines(output text, OUT line integer, OUT content text) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- a byte order mark and the blanks of locales; other encodings have no such characters
	IF getdatabaseencoding() = 'UTF8' THEN
		output := replace(translate(output, chr(160) || chr(8239), '  '), chr(65279), '');
	END IF;
	RETURN QUERY SELECT l.place::integer, l.content
	FROM unnest(string_to_array(replace(replace(output, E'\r\n', E'\n'), E'\r', E'\n'), E'\n')) WITH ORDINALITY l (content, place)
	WHERE btrim(l.content, E' \t') <> '';
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_inventory_lines(text) IS
'For the readers of inventories: the lines of a text that are not blank, numbered from 1, of whatever line ends, without byte order marks. No rows for NULL.';

CREATE FUNCTION @extschema@.wattgpu_read_nvidia_smi(output text, host text DEFAULT NULL)
RETURNS SETOF @extschema@.wattgpu_inventory_row
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	nothing @extschema@.wattgpu_inventory_row;
BEGIN
	RETURN QUERY
	WITH lines AS MATERIALIZED (
		SELECT l.line, l.content FROM @extschema@.wattgpu_inventory_lines(output) l
	),
	-- what is materialized would otherwise be computed for each use of a cell
	candidates AS MATERIALIZED (
		SELECT l.line, t.delimiter, @extschema@.wattgpu_inventory_cells(l.content, t.delimiter) AS cells
		FROM lines l, LATERAL (VALUES (CASE WHEN strpos(l.content, ',') > 0 THEN ',' WHEN strpos(l.content, ';') > 0 THEN ';'
			WHEN strpos(l.content, E'\t') > 0 THEN E'\t' ELSE ',' END)) t (delimiter)
		WHERE l.content ~* '\mname\M|\mgpu_name\M'
	),
	split AS MATERIALIZED (
		SELECT c.line, c.delimiter,
			ARRAY(SELECT btrim(split_part(lower(n.cell), '[', 1)) FROM unnest(c.cells) WITH ORDINALITY n (cell, place) ORDER BY place) AS names,
			ARRAY(SELECT nullif(rtrim(split_part(n.cell, '[', 2), ' ]'), '') FROM unnest(c.cells) WITH ORDINALITY n (cell, place) ORDER BY place) AS units
		FROM candidates c
	),
	headers AS MATERIALIZED (
		SELECT h.line, h.delimiter, h.names, h.units,
			coalesce(array_position(h.names, 'name'), array_position(h.names, 'gpu_name')) AS name,
			(SELECT count(*) > 1 FROM unnest(h.names) n WHERE n IN ('name', 'gpu_name')) AS twice,
			coalesce(array_position(h.names, 'host'), array_position(h.names, 'hostname'), array_position(h.names, 'node')) AS host,
			array_position(h.names, 'memory.total') AS memory,
			coalesce(array_position(h.names, 'power.limit'), array_position(h.names, 'enforced.power.limit')) AS power_limit,
			coalesce(array_position(h.names, 'power.draw'), array_position(h.names, 'power.draw.instant'), array_position(h.names, 'power.draw.average')) AS power,
			array_position(h.names, 'pci.device_id') AS pci_id,
			array_position(h.names, 'mig.mode.current') AS mig
		FROM split h WHERE h.names && ARRAY['name', 'gpu_name']
	),
	rows AS MATERIALIZED (
		SELECT m.line, m.content, h.line AS header, h.delimiter, h.name, h.twice, h.host, h.memory, h.power_limit, h.power, h.pci_id, h.mig, h.units, cardinality(h.names) AS columns,
			@extschema@.wattgpu_inventory_cells(m.content, h.delimiter) AS cells
		FROM (SELECT l.line, l.content, max(h.line) OVER (ORDER BY l.line) AS header FROM lines l LEFT JOIN headers h ON h.line = l.line) m
		LEFT JOIN headers h ON h.line = m.header
		WHERE m.line IS DISTINCT FROM m.header
	),
	-- a decimal comma between commas makes two cells of one, which a cell that is missing may hide; nvidia-smi's own commas have a blank behind them
	shaped AS MATERIALIZED (
		SELECT r.*, coalesce(cardinality(r.cells) = r.columns AND NOT r.twice, false) AS whole, coalesce(u.bare AND u.given, false)
				OR r.delimiter = ',' AND strpos(r.content, '"') = 0 AND r.content ~ ',\s' AND r.content ~ '[0-9],[0-9]' AS shifted
		FROM rows r, LATERAL (
			SELECT bool_or(c.cell ~ '^[+-]?[0-9]+([.,][0-9]*)?$') AS bare, bool_or(c.cell ~ '[0-9]\s*[A-Za-z%]+$') AS given
			FROM unnest(r.cells, r.units) c (cell, unit) WHERE c.unit IS NOT NULL
		) u
	),
	read AS MATERIALIZED (
		SELECT r.line, coalesce(CASE WHEN r.whole THEN nullif(r.cells[r.host], '') END, a.host) AS host, r.whole,
			CASE WHEN r.whole THEN r.cells[r.name] ELSE left(btrim(r.content, E' \t'), 256) END AS spelling,
			r.cells[r.pci_id] AS pci_id, memory.figure AS memory_mib, power_limit.figure AS power_limit_w, power.figure AS power_w,
			CASE WHEN r.whole THEN nullif(concat_ws('; ', CASE WHEN r.shifted THEN 'some figures lack the unit or blank that others have, as around a decimal comma: none is taken' END, memory.doubt, power_limit.doubt, power.doubt,
				CASE WHEN lower(r.cells[r.mig]) = 'enabled' THEN 'MIG mode is on, so users have slices of it' END), '')
			WHEN r.content ~* '^\s*no devices were found' THEN 'nvidia-smi found no GPU'
			WHEN r.content ~* '^\s*(nvidia-smi has failed|failed to initialize)' THEN 'nvidia-smi could not reach the driver'
			WHEN r.content ~* '^\s*(unable to determine|error)' THEN 'nvidia-smi failed'
			WHEN r.header IS NULL THEN 'no header with a column name above this line: run nvidia-smi --query-gpu=name,memory.total,power.limit,power.draw --format=csv'
			WHEN r.twice THEN 'several columns of the header are called name'
			WHEN r.cells IS NULL THEN 'a quote is out of place'
			ELSE format('number of cells is %s, the header''s %s: %s', cardinality(r.cells), r.columns,
				CASE WHEN cardinality(r.cells) < r.columns THEN 'the line is cut off' ELSE 'a decimal comma needs quotes' END) END AS doubt
		FROM (VALUES (wattgpu_read_nvidia_smi.host)) a (host), shaped r,
			@extschema@.wattgpu_inventory_figure('memory.total', CASE WHEN r.whole AND NOT r.shifted THEN r.cells[r.memory] END, coalesce(r.units[r.memory], 'MiB'), 1, 1e8, true) memory,
			@extschema@.wattgpu_inventory_figure('power.limit', CASE WHEN r.whole AND NOT r.shifted THEN r.cells[r.power_limit] END, coalesce(r.units[r.power_limit], 'W'), 1, 1e4, true) power_limit,
			@extschema@.wattgpu_inventory_figure('power.draw', CASE WHEN r.whole AND NOT r.shifted THEN r.cells[r.power] END, coalesce(r.units[r.power], 'W'), 0, 1e4, true) power
	),
	resolved AS MATERIALIZED (
		SELECT k.key, g.gpu, g.reason
		FROM (SELECT DISTINCT ROW (r.spelling, r.memory_mib, r.pci_id)::text AS key, r.spelling, r.memory_mib, r.pci_id FROM read r WHERE r.whole) k,
			@extschema@.wattgpu_inventory_gpu(k.spelling, k.memory_mib, k.pci_id) g
	)
	SELECT r.line, r.host, r.spelling, g.gpu, CASE WHEN r.whole THEN 1 END,
		CASE WHEN NOT limit_off.off THEN r.power_limit_w END, CASE WHEN NOT draw_off.off THEN r.power_w END, r.memory_mib,
		nullif(concat_ws('; ', g.reason, r.doubt,
			CASE WHEN limit_off.off THEN format('power.limit is %s W, more than three times the card''s %s W', r.power_limit_w, c.tdp_w) END,
			CASE WHEN draw_off.off THEN format('power.draw is %s W, more than 1.5 times the limit of %s W', r.power_w, r.power_limit_w) END), '')
	FROM read r LEFT JOIN resolved g ON r.whole AND g.key = ROW (r.spelling, r.memory_mib, r.pci_id)::text
		LEFT JOIN @extschema@.wattgpu_gpus c ON c.gpu = g.gpu,
		LATERAL (VALUES (coalesce(r.power_limit_w > 3 * c.tdp_w, false))) limit_off (off),
		LATERAL (VALUES (coalesce(r.power_w > 1.5 * r.power_limit_w, false))) draw_off (off)
	ORDER BY r.line;
	IF NOT FOUND AND output IS NOT NULL THEN
		nothing.host := host;
		nothing.reason := CASE WHEN EXISTS (SELECT FROM @extschema@.wattgpu_inventory_lines(output)) THEN 'a header and no GPU below it' ELSE 'the output is empty' END;
		RETURN NEXT nothing;
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_read_nvidia_smi(text, text) IS
'Reads what nvidia-smi --query-gpu=name,memory.total,power.limit,power.draw,pci.device_id --format=csv prints, with or without units, of any columns in any order, or several such outputs one after the other: one row a GPU, by line, none merged. host: the machine, unless a column host, hostname or node says so. Cells may be quoted, and stand between commas, semicolons or tabs. A line without a header above it, or with another number of cells, is a row with a reason, as is one below a header with several columns name. A figure is NULL with a reason if it may be read in two ways: three digits after a dot or comma, all of a line in which one figure lacks the unit, or the blank before it, that another has, a limit above three times the card''s TDP, a draw above 1.5 times the limit. MIG slices, vGPUs and shared GPUs are refused with a reason. An empty text and a header alone are a row with a reason. No rows for NULL. Stores nothing.';

CREATE FUNCTION @extschema@.wattgpu_read_kubernetes(labels jsonb)
RETURNS SETOF @extschema@.wattgpu_inventory_row
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	nodes jsonb := labels;
	nothing @extschema@.wattgpu_inventory_row;
BEGIN
	IF jsonb_typeof(labels) = 'object' AND labels ? 'items' THEN
		nodes := labels -> 'items';
	END IF;
	IF jsonb_typeof(nodes) NOT IN ('array', 'object') OR labels ? 'items' AND jsonb_typeof(nodes) = 'object' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('labels is a JSON %s, not an array of nodes', jsonb_typeof(nodes)),
			HINT = 'Give the output of kubectl get nodes -o json, an array of {"node": ..., "labels": {...}}, or one object of labels.';
	ELSIF nodes IN ('[]', '{}') THEN
		nothing.reason := format('the labels are empty: %s', CASE nodes WHEN '[]' THEN 'no node' ELSE 'no label' END);
		RETURN NEXT nothing;
		RETURN;
	END IF;
	RETURN QUERY
	WITH nodes AS (
		SELECT CASE WHEN jsonb_typeof(nodes) = 'array' THEN n.place::integer END AS line, n.node,
			CASE WHEN jsonb_typeof(n.node) <> 'object' THEN n.node
				WHEN jsonb_typeof(n.node -> 'metadata') = 'object' THEN n.node #> '{metadata,labels}'
				WHEN n.node ? 'labels' THEN n.node -> 'labels'
				ELSE n.node END AS labels
		FROM jsonb_array_elements(CASE jsonb_typeof(nodes) WHEN 'array' THEN nodes ELSE jsonb_build_array(nodes) END) WITH ORDINALITY n (node, place)
	),
	named AS MATERIALIZED (
		SELECT n.line, n.labels, n.node,
			coalesce(n.node ->> 'node', n.node ->> 'name', n.node #>> '{metadata,name}', n.labels ->> 'kubernetes.io/hostname') AS host,
			-- AMD's labeller called its labels beta first
			CASE WHEN n.labels ?| ARRAY['amd.com/gpu.product-name', 'amd.com/gpu.device-id'] THEN 'amd.com/gpu.'
				WHEN n.labels ?| ARRAY['beta.amd.com/gpu.product-name', 'beta.amd.com/gpu.device-id'] THEN 'beta.amd.com/gpu.'
				-- neither says which card it is
				WHEN EXISTS (SELECT FROM jsonb_object_keys(n.labels) k WHERE k ~ '^(beta\.)?amd\.com/gpu\.') THEN 'amd.com/gpu.' END AS amd
		FROM nodes n WHERE jsonb_typeof(n.labels) = 'object'
	),
	groups AS MATERIALIZED (
		SELECT n.line, n.host, n.labels ->> 'nvidia.com/gpu.product' AS spelling, n.labels ->> 'nvidia.com/gpu.count' AS counted,
			n.labels ->> 'nvidia.com/gpu.memory' AS memory, NULL AS pci_id,
			CASE WHEN lower(n.labels ->> 'nvidia.com/vgpu.present') = 'true' THEN 'a vGPU, which is a part of a card'
				WHEN n.labels ->> 'nvidia.com/gpu.product' IS NULL THEN 'no label nvidia.com/gpu.product'
				WHEN n.labels ->> 'nvidia.com/gpu.replicas' ~ '^[0-9]+$' AND ltrim(n.labels ->> 'nvidia.com/gpu.replicas', '0') NOT IN ('', '1')
				OR n.labels ->> 'nvidia.com/gpu.sharing-strategy' <> 'none' THEN 'a shared GPU, of which each user has a part' END AS refused,
			CASE WHEN n.labels ->> 'nvidia.com/mig.strategy' = 'mixed' AND EXISTS (SELECT FROM jsonb_object_keys(n.labels) k WHERE k ~ '^nvidia\.com/mig-.*\.count$')
				THEN 'some of the node''s GPUs are cut into MIG slices' END AS doubt, 1 AS turn
		FROM named n WHERE n.labels ? 'nvidia.com/gpu.product'
			OR NOT EXISTS (SELECT FROM jsonb_object_keys(n.labels) k WHERE k ~ '^nvidia\.com/mig-.*\.product$')
				AND EXISTS (SELECT FROM jsonb_each_text(n.labels) l WHERE l.key ~ '^nvidia\.com/v?(gpu|mig)\M' AND lower(l.value) IS DISTINCT FROM 'false')
		UNION ALL
		SELECT n.line, n.host, l.value, n.labels ->> replace(l.key, '.product', '.count'), n.labels ->> replace(l.key, '.product', '.memory'), NULL,
			'a MIG slice, which is a part of a card', NULL, 2
		FROM named n, jsonb_each_text(n.labels) l WHERE l.key ~ '^nvidia\.com/mig-.*\.product$'
		UNION ALL
		SELECT n.line, n.host, coalesce(translate(n.labels ->> (n.amd || 'product-name'), '_', ' '), '1002:' || (n.labels ->> (n.amd || 'device-id'))),
			coalesce(n.labels ->> (n.amd || 'device-id.' || (n.labels ->> (n.amd || 'device-id'))),
				n.labels ->> (n.amd || 'product-name.' || (n.labels ->> (n.amd || 'product-name'))),
				n.node #>> '{status,capacity,amd.com/gpu}'),
			-- as 192G
			regexp_replace(n.labels ->> (n.amd || 'vram'), '^([0-9]+)([GM])i?$', '\1 \2iB'), '1002:' || (n.labels ->> (n.amd || 'device-id')),
			CASE WHEN lower(n.labels ->> 'amd.com/gpu.compute-memory-partition') !~ '^spx' OR lower(n.labels ->> 'amd.com/gpu.compute-partition') <> 'spx'
				THEN 'a partition, which is a part of a card' END, NULL, 3
		FROM named n WHERE n.amd IS NOT NULL
	),
	read AS MATERIALIZED (
		SELECT g.line, g.host, g.spelling, g.refused, g.pci_id, g.turn, m.figure AS memory_mib,
			CASE WHEN g.counted ~ '^[0-9]{1,6}$' AND g.counted !~ '^0+$' THEN g.counted::integer END AS gpus,
			concat_ws('; ', m.doubt, g.doubt, CASE WHEN (g.counted ~ '^[0-9]{1,6}$' AND g.counted !~ '^0+$') IS NOT TRUE
				THEN coalesce('count is "' || left(g.counted, 60) || '"', 'no count') END) AS doubt
		FROM groups g, @extschema@.wattgpu_inventory_figure('memory', g.memory, 'MiB', 1, 1e8, false) m
	),
	resolved AS MATERIALIZED (
		SELECT ROW (k.spelling, k.memory_mib, k.pci_id)::text AS key, g.gpu, g.reason
		FROM (SELECT DISTINCT r.spelling, r.memory_mib, r.pci_id FROM read r WHERE r.refused IS NULL) k,
			@extschema@.wattgpu_inventory_gpu(k.spelling, k.memory_mib, k.pci_id) g
	)
	SELECT f.line, f.host, f.spelling, f.gpu, f.gpus, NULL::double precision, NULL::double precision, f.memory_mib, f.reason
	FROM (
		SELECT r.line, r.host, r.spelling, g.gpu, r.gpus, r.memory_mib, nullif(concat_ws('; ', r.refused, g.reason, nullif(r.doubt, '')), '') AS reason, r.turn
		FROM read r LEFT JOIN resolved g ON r.refused IS NULL AND g.key = ROW (r.spelling, r.memory_mib, r.pci_id)::text
		UNION ALL
		SELECT n.line, n.node ->> 'node', left(n.node::text, 256), NULL, NULL, NULL, format('labels is a JSON %s, not an object', jsonb_typeof(n.labels)), 0
		FROM nodes n WHERE jsonb_typeof(n.labels) NOT IN ('object', 'null')
	) f
	ORDER BY f.line, f.turn, f.spelling COLLATE "C";
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_read_kubernetes(jsonb) IS
'Reads the labels of Kubernetes nodes, as {"node": ..., "labels": {...}} in an array, as kubectl get nodes -o json prints them, or one object of labels: a row a node with GPUs, with their number. NVIDIA''s labels (nvidia.com/gpu.product, .count, .memory, .replicas, .sharing-strategy, mig-*) and AMD''s (amd.com/gpu.product-name, .device-id, .vram). Nodes without any label of a GPU (or with such that are false) give no row, nodes with some that do not name the card one with a reason; a number that cannot be read is NULL with a reason. MIG slices, vGPUs, partitions and shared GPUs are refused with a reason. An empty array or object is a row with a reason. No rows for NULL; error invalid_parameter_value for what is neither an array nor an object. Stores nothing.';

CREATE FUNCTION @extschema@.wattgpu_read_dcgm(metrics text)
RETURNS SETOF @extschema@.wattgpu_inventory_row
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	nothing @extschema@.wattgpu_inventory_row;
BEGIN
	RETURN QUERY
	WITH lines AS MATERIALIZED (
		SELECT l.line, l.content, regexp_match(l.content, '^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{((?:\s*[a-zA-Z_][a-zA-Z0-9_]*\s*=\s*"(?:[^"\\]|\\.)*"\s*,?)*)\s*\})?\s*([^\s{},"]+)(?:\s+[0-9.+-]+)?\s*$') AS parts
		FROM @extschema@.wattgpu_inventory_lines(metrics) l WHERE l.content !~ '^\s*#'
	),
	samples AS (
		SELECT s.line, s.parts[1] AS metric, s.parts[3] AS value, l.labels ->> 'modelName' AS spelling, coalesce(l.labels ->> 'Hostname', l.labels ->> 'hostname', l.labels ->> 'instance') AS host,
			l.labels ->> 'UUID' AS uuid, l.labels ->> 'gpu' AS number, nullif(l.labels ->> 'GPU_I_PROFILE', '') AS slice
		FROM lines s, LATERAL (
			SELECT jsonb_object_agg(m[1], replace(replace(replace(replace(m[2], '\\', E'\x01'), '\"', '"'), '\n', E'\n'), E'\x01', '\')) AS labels
			FROM regexp_matches(s.parts[2], '([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"', 'g') m
		) l
		WHERE s.parts IS NOT NULL AND s.content ~ 'modelName|^\s*DCGM_FI_DEV_POWER_USAGE\M'
	),
	gpus AS (
		-- of a sample that is there more than once, as in several scrapes, the last counts
		SELECT min(s.line) AS line, (array_agg(s.host ORDER BY s.line))[1] AS host, (array_agg(s.spelling ORDER BY s.line))[1] AS spelling,
			string_agg(DISTINCT s.slice, ', ') AS slices, count(DISTINCT s.spelling) AS spellings,
			(array_agg(s.value ORDER BY s.line DESC) FILTER (WHERE s.metric = 'DCGM_FI_DEV_POWER_USAGE'))[1] AS power,
			coalesce((array_agg(s.value ORDER BY s.line DESC) FILTER (WHERE s.metric = 'DCGM_FI_DEV_POWER_MGMT_LIMIT'))[1],
				(array_agg(s.value ORDER BY s.line DESC) FILTER (WHERE s.metric = 'DCGM_FI_DEV_ENFORCED_POWER_LIMIT'))[1]) AS power_limit,
			(array_agg(s.value ORDER BY s.line DESC) FILTER (WHERE s.metric = 'DCGM_FI_DEV_FB_TOTAL'))[1] AS memory
		FROM samples s
		GROUP BY CASE WHEN s.uuid <> '' THEN s.uuid WHEN s.number <> '' THEN ROW (s.host, s.number)::text ELSE s.line::text END
	),
	read AS MATERIALIZED (
		SELECT g.line, g.host, g.spelling, g.slices, memory.figure AS memory_mib, power_limit.figure AS power_limit_w, power.figure AS power_w,
			concat_ws('; ', CASE WHEN g.spellings > 1 THEN 'several names of one GPU' END, memory.doubt, power_limit.doubt, power.doubt) AS doubt
		FROM gpus g,
			@extschema@.wattgpu_inventory_figure('DCGM_FI_DEV_FB_TOTAL', g.memory, 'MiB', 1, 1e8, false) memory,
			@extschema@.wattgpu_inventory_figure('the power limit', g.power_limit, 'W', 1, 1e4, false) power_limit,
			@extschema@.wattgpu_inventory_figure('DCGM_FI_DEV_POWER_USAGE', g.power, 'W', 0, 1e4, false) power
	),
	resolved AS MATERIALIZED (
		SELECT ROW (k.spelling, k.memory_mib)::text AS key, g.gpu, g.reason
		FROM (SELECT DISTINCT r.spelling, r.memory_mib FROM read r WHERE r.slices IS NULL) k,
			@extschema@.wattgpu_inventory_gpu(k.spelling, k.memory_mib, NULL) g
	)
	SELECT f.line, f.host, f.spelling, f.gpu, f.gpus, f.power_limit_w, f.power_w, f.memory_mib, f.reason
	FROM (
		SELECT r.line, r.host, r.spelling, g.gpu, 1 AS gpus, r.power_limit_w, r.power_w, r.memory_mib,
			nullif(concat_ws('; ', 'cut into MIG slices (' || r.slices || '), which are parts of a card', g.reason, nullif(r.doubt, '')), '') AS reason
		FROM read r LEFT JOIN resolved g ON r.slices IS NULL AND g.key = ROW (r.spelling, r.memory_mib)::text
		UNION ALL
		SELECT l.line, NULL, left(btrim(l.content), 256), NULL, NULL, NULL, NULL, NULL, 'not a sample of a Prometheus exposition'
		FROM lines l WHERE l.parts IS NULL
	) f
	ORDER BY f.line;
	IF NOT FOUND AND metrics IS NOT NULL THEN
		nothing.reason := CASE WHEN btrim(metrics, E' \t\n\r') = '' THEN 'the metrics are empty' ELSE 'no metric of a GPU: no sample has a label modelName' END;
		RETURN NEXT nothing;
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_read_dcgm(text) IS
'Reads the metrics of dcgm-exporter in Prometheus'' text form: one row a GPU, told apart by UUID or else by Hostname and gpu, from all samples with a label modelName. DCGM_FI_DEV_POWER_USAGE is power_w, DCGM_FI_DEV_POWER_MGMT_LIMIT (or DCGM_FI_DEV_ENFORCED_POWER_LIMIT) power_limit_w, DCGM_FI_DEV_FB_TOTAL memory_mib; of several values the last counts. A GPU with a MIG profile is refused with a reason; a line that is no sample is a row with a reason, and so is a text without a GPU. No rows for NULL. Stores nothing.';

CREATE FUNCTION @extschema@.wattgpu_read_instance(provider text, instance_type text, instances integer DEFAULT 1)
RETURNS SETOF @extschema@.wattgpu_inventory_row
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100 ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	of_provider CONSTANT text := lower(btrim(provider, E' \t\n\r\x0b\f') COLLATE "C");
	of_type CONSTANT text := lower(btrim(instance_type, E' \t\n\r\x0b\f') COLLATE "C");
BEGIN
	IF instances NOT BETWEEN 1 AND 1000000 THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('instances is %s, which is out of range', instances),
			HINT = 'It must be 1 to 1000000.';
	END IF;
	IF provider IS NULL OR instance_type IS NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT NULL::integer, NULL::text, wattgpu_read_instance.instance_type, i.gpu, i.gpu_count * instances,
		NULL::double precision, NULL::double precision, NULL::double precision, CASE WHEN instances IS NULL THEN 'instances is NULL' END
	FROM @extschema@.wattgpu_cloud_instances i
	WHERE lower(i.provider COLLATE "C") = of_provider AND lower(i.instance_type COLLATE "C") = of_type
	-- a row of the user's may differ from a shipped one in case alone
	ORDER BY i.builtin LIMIT 1;
	IF NOT FOUND THEN
		RETURN QUERY
		SELECT NULL::integer, NULL::text, wattgpu_read_instance.instance_type, NULL::text, NULL::integer,
			NULL::double precision, NULL::double precision, NULL::double precision,
			CASE WHEN of_provider = ANY (p.known) THEN format('unknown instance type "%s" of %s: no GPU, a part of one, or not in wattgpu_cloud_instances', left(btrim(wattgpu_read_instance.instance_type), 60), of_provider)
				ELSE format('unknown provider "%s"; known are %s', left(btrim(wattgpu_read_instance.provider), 60), array_to_string(p.known, ', ')) END
		FROM (SELECT array_agg(DISTINCT lower(i.provider COLLATE "C")) FROM @extschema@.wattgpu_cloud_instances i) p (known);
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_read_instance(text, text, integer) IS
'The GPUs of so many instances (1 to 1000000) of a cloud''s type, by wattgpu_cloud_instances without regard to ASCII case: one row, with a reason for an unknown provider or type. instances NULL: gpus is NULL, with a reason. No row if one of the names is NULL; error invalid_parameter_value for a number of instances out of range. Stores nothing.';
