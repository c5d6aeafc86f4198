-- Reports that reproduce: the rows of wattgpu_energy as they were on the day they were saved, with all that went into them, so that a later
-- report of the same name can be set beside them and the difference explained.

CREATE TABLE @extschema@.wattgpu_reports (
	name text CHECK (name <> '' AND name = btrim(name, E' \t\n\r\x0b\f') AND octet_length(name) <= 256),
	revision integer CHECK (revision >= 1),
	period tstzrange NOT NULL CHECK (NOT isempty(period) AND isfinite(lower(period)) AND isfinite(upper(period))),
	saved_at timestamptz NOT NULL DEFAULT now(),
	saved_by text NOT NULL DEFAULT session_user,
	model text,
	power_model text,
	itl_model text,
	power_booster_sha256 text,
	itl_booster_sha256 text,
	wattgpu_version text NOT NULL,
	data_sha256 text NOT NULL,
	lines integer NOT NULL,
	report_sha256 text NOT NULL,
	PRIMARY KEY (name, revision)
);

CREATE TABLE @extschema@.wattgpu_report_rows (
	name text,
	revision integer,
	line integer,
	energy jsonb NOT NULL,
	inputs jsonb NOT NULL,
	PRIMARY KEY (name, revision, line),
	FOREIGN KEY (name, revision) REFERENCES @extschema@.wattgpu_reports ON DELETE CASCADE
);

-- What rows share is kept once a report: a card's specs beside each of 100,000 rows would be most of it.
CREATE TABLE @extschema@.wattgpu_report_inputs (
	name text,
	revision integer,
	kind text CHECK (kind IN ('gpu', 'llm', 'scenario', 'site', 'intensity', 'model')),
	key text,
	content jsonb NOT NULL,
	PRIMARY KEY (name, revision, kind, key),
	FOREIGN KEY (name, revision) REFERENCES @extschema@.wattgpu_reports ON DELETE CASCADE
);

CREATE TABLE @extschema@.wattgpu_report_deletions (
	name text,
	revision integer,
	report_sha256 text NOT NULL,
	deleted_at timestamptz NOT NULL DEFAULT now(),
	deleted_by text NOT NULL DEFAULT session_user,
	PRIMARY KEY (name, revision)
);

GRANT SELECT ON @extschema@.wattgpu_reports, @extschema@.wattgpu_report_rows, @extschema@.wattgpu_report_inputs, @extschema@.wattgpu_report_deletions TO PUBLIC;

COMMENT ON TABLE @extschema@.wattgpu_reports IS 'Saved reports, a row a revision. Written by wattgpu_report_save; never changed. Deleting a row deletes the whole revision, of which a row of wattgpu_report_deletions stays. Whoever may INSERT, and a superuser who switches triggers off, can still write by hand: whether a revision is what was saved, wattgpu_report_verify shows.';
COMMENT ON COLUMN @extschema@.wattgpu_reports.name IS 'Name of the report, 1 to 256 bytes, no blanks around it; case counts';
COMMENT ON COLUMN @extschema@.wattgpu_reports.revision IS '1 for the first report of that name, then 2, 3, ...';
COMMENT ON COLUMN @extschema@.wattgpu_reports.period IS 'The period reported on';
COMMENT ON COLUMN @extschema@.wattgpu_reports.saved_at IS 'When the transaction that saved it began';
COMMENT ON COLUMN @extschema@.wattgpu_reports.saved_by IS 'Who had logged in to save it (session_user)';
COMMENT ON COLUMN @extschema@.wattgpu_reports.model IS 'The model asked for; NULL: the defaults of that day';
COMMENT ON COLUMN @extschema@.wattgpu_reports.power_model IS 'The model that predicted power (wattgpu_models.model); NULL if no row needed one';
COMMENT ON COLUMN @extschema@.wattgpu_reports.itl_model IS 'The model that predicted ITL, and with it tokens; NULL if no row needed one';
COMMENT ON COLUMN @extschema@.wattgpu_reports.power_booster_sha256 IS 'wattgpu_models.booster_sha256 of power_model then';
COMMENT ON COLUMN @extschema@.wattgpu_reports.itl_booster_sha256 IS 'wattgpu_models.booster_sha256 of itl_model then';
COMMENT ON COLUMN @extschema@.wattgpu_reports.wattgpu_version IS 'Version of the extension then';
COMMENT ON COLUMN @extschema@.wattgpu_reports.data_sha256 IS 'SHA-256, in hex, of the rows of wattgpu_gpus, wattgpu_llms and wattgpu_scenarios that were used: kind, key and content of wattgpu_report_inputs with a blank between, a line each, ordered by kind and key in byte order';
COMMENT ON COLUMN @extschema@.wattgpu_reports.lines IS 'How many rows of wattgpu_report_rows it has';
COMMENT ON COLUMN @extschema@.wattgpu_reports.report_sha256 IS 'SHA-256, in hex, of the whole revision when it was saved, as wattgpu_report_verify computes it again';

COMMENT ON TABLE @extschema@.wattgpu_report_rows IS 'The rows of saved reports; wattgpu_report gives them back as wattgpu_energy gave them. Never changed; deleted with their report.';
COMMENT ON COLUMN @extschema@.wattgpu_report_rows.name IS 'The report (wattgpu_reports.name)';
COMMENT ON COLUMN @extschema@.wattgpu_report_rows.revision IS 'Its revision (wattgpu_reports.revision)';
COMMENT ON COLUMN @extschema@.wattgpu_report_rows.line IS '1, 2, ... by deployment and period';
COMMENT ON COLUMN @extschema@.wattgpu_report_rows.energy IS 'The row of wattgpu_energy, without what was NULL; figures in the shortest text that gives back every bit';
COMMENT ON COLUMN @extschema@.wattgpu_report_rows.inputs IS 'The row of wattgpu_deployments, or of what stood in for it, without what was NULL';

COMMENT ON TABLE @extschema@.wattgpu_report_inputs IS 'What else went into a saved report, each thing once. Never changed; deleted with its report.';
COMMENT ON COLUMN @extschema@.wattgpu_report_inputs.name IS 'The report (wattgpu_reports.name)';
COMMENT ON COLUMN @extschema@.wattgpu_report_inputs.revision IS 'Its revision (wattgpu_reports.revision)';
COMMENT ON COLUMN @extschema@.wattgpu_report_inputs.kind IS 'gpu, llm, scenario, site, intensity or model';
COMMENT ON COLUMN @extschema@.wattgpu_report_inputs.key IS 'Its name: of a scenario in lower case; of an intensity method, month and zone, as location 2026-01 DE; of a model target and name, as power wattgpu-1';
COMMENT ON COLUMN @extschema@.wattgpu_report_inputs.content IS 'Its row without what was NULL; of an intensity the rows of that zone and method that overlap the month; of a model what identifies it';

COMMENT ON TABLE @extschema@.wattgpu_report_deletions IS 'Revisions of saved reports that were deleted: their numbers do not come back as long as their rows stay here.';
COMMENT ON COLUMN @extschema@.wattgpu_report_deletions.name IS 'The report (wattgpu_reports.name)';
COMMENT ON COLUMN @extschema@.wattgpu_report_deletions.revision IS 'Its revision (wattgpu_reports.revision)';
COMMENT ON COLUMN @extschema@.wattgpu_report_deletions.report_sha256 IS 'wattgpu_reports.report_sha256 of it';
COMMENT ON COLUMN @extschema@.wattgpu_report_deletions.deleted_at IS 'When the transaction that deleted it began';
COMMENT ON COLUMN @extschema@.wattgpu_report_deletions.deleted_by IS 'Who had logged in to delete it (session_user)';

CREATE FUNCTION @extschema@.wattgpu_report_unchanged() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF TG_TABLE_NAME = 'wattgpu_reports' THEN
			INSERT INTO @extschema@.wattgpu_report_deletions (name, revision, report_sha256) SELECT d.name, d.revision, d.report_sha256 FROM deleted d;
			RETURN NULL;
		ELSIF NOT EXISTS (SELECT FROM deleted d JOIN @extschema@.wattgpu_reports r ON r.name = d.name AND r.revision = d.revision) THEN
			RETURN NULL;
		END IF;
	END IF;
	RAISE object_not_in_prerequisite_state USING
		MESSAGE = format('%s of %s: a saved report is never changed', TG_OP, TG_TABLE_NAME),
		HINT = 'wattgpu_report_save makes a new revision; DELETE FROM wattgpu_reports removes a whole one.';
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_unchanged() IS
'Trigger: error object_not_in_prerequisite_state for whatever would change a saved report. Deleting one as a whole is no change; it leaves a row in wattgpu_report_deletions, which takes INSERT there.';

DO $$
DECLARE
	kept text;
BEGIN
	FOREACH kept IN ARRAY ARRAY['wattgpu_reports', 'wattgpu_report_rows', 'wattgpu_report_inputs'] LOOP
		EXECUTE format('CREATE TRIGGER wattgpu_report_unchanged BEFORE UPDATE OR TRUNCATE ON @extschema@.%I
			FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.wattgpu_report_unchanged()', kept);
		EXECUTE format('CREATE TRIGGER wattgpu_report_whole AFTER DELETE ON @extschema@.%I REFERENCING OLD TABLE AS deleted
			FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.wattgpu_report_unchanged()', kept);
	END LOOP;
END $$;

CREATE FUNCTION @extschema@.wattgpu_report_catalogue(used text[]) RETURNS TABLE (kind text, key text, content jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET extra_float_digits = 1 AS $$
	SELECT c.kind, c.key, jsonb_strip_nulls(c.content) FROM (
		SELECT 'gpu' AS kind, g.gpu AS key, to_jsonb(g) - '{gpu,builtin}'::text[] AS content FROM @extschema@.wattgpu_gpus g
		UNION ALL
		SELECT 'llm', l.llm, to_jsonb(l) - '{llm,builtin}'::text[] FROM @extschema@.wattgpu_llms l
		UNION ALL
		SELECT 'scenario', lower(s.scenario COLLATE "C"), to_jsonb(s) - '{scenario,builtin}'::text[] FROM @extschema@.wattgpu_scenarios s
		UNION ALL
		SELECT 'model', m.target || ' ' || m.model, jsonb_build_object('booster_sha256', m.booster_sha256, 'crc32c', m.crc32c,
			'recipe', m.recipe, 'trained_at', m.trained_at, 'training_sha256', m.training_sha256) FROM @extschema@.wattgpu_models m
	) c WHERE c.kind || ' ' || c.key = ANY (used) ORDER BY c.kind COLLATE "C", c.key COLLATE "C"
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_catalogue(text[]) IS
'For wattgpu_report_save: the catalogue''s rows of the kinds and keys of wattgpu_report_inputs that used lists as "kind key".';

-- A column that a later version adds must be NULL in reports saved before: then their digests stay.
CREATE FUNCTION @extschema@.wattgpu_report_digest(report @extschema@.wattgpu_reports, rows_sha256 bytea, inputs_sha256 bytea) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO, YMD' AS $$
	SELECT encode(sha256(sha256(convert_to((jsonb_strip_nulls(to_jsonb(report)) - 'report_sha256')::text, 'UTF8')) || coalesce(rows_sha256, '') || coalesce(inputs_sha256, '')), 'hex')
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_digest(@extschema@.wattgpu_reports, bytea, bytea) IS
'For wattgpu_report_save and wattgpu_report_verify, which describes it: the digest of a revision out of the digests of its rows and of its inputs, one after the other.';

-- Fixed settings, so that texts hold every bit and two reports of the same are the same text.
CREATE FUNCTION @extschema@.wattgpu_report_save(name text, period tstzrange, model text DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off
	SET extra_float_digits = 1 SET DateStyle = 'ISO, YMD' SET TimeZone = 'UTC' AS $$
#variable_conflict use_column
DECLARE
	saved integer;
	lines bigint;
	used text[];
	catalogue jsonb;
BEGIN
	IF (wattgpu_report_save.name <> '' AND wattgpu_report_save.name = btrim(wattgpu_report_save.name, E' \t\n\r\x0b\f')
		AND octet_length(wattgpu_report_save.name) <= 256) IS NOT TRUE THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s is no name of a report', coalesce('"' || left(wattgpu_report_save.name, 60) || '"', 'NULL')),
			HINT = 'It has 1 to 256 bytes, and no blanks around it.';
	END IF;
	IF (isfinite(lower(wattgpu_report_save.period)) AND isfinite(upper(wattgpu_report_save.period))) IS NOT TRUE THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s is no period of a report', coalesce(wattgpu_report_save.period::text, 'NULL')),
			HINT = 'It begins and ends, as tstzrange(''2026-01-01 00:00+00'', ''2027-01-01 00:00+00'').';
	END IF;

	-- One statement, so that figures and inputs are of one snapshot. Where another session saves the same name, its row is waited for, and then it all is done again.
	LOOP
		WITH energy AS MATERIALIZED (
			SELECT row_number() OVER (ORDER BY e.deployment COLLATE "C", lower(e.period)) AS line, jsonb_strip_nulls(to_jsonb(e)) AS figures,
				e.deployment, lower(e.period) AS start, e.month, e.gpu, e.llm, e.scenario, e.site, e.zone, e.power_model, e.itl_model
			FROM @extschema@.wattgpu_energy(wattgpu_report_save.period, wattgpu_report_save.model) e
		),
		deployments AS MATERIALIZED (
			SELECT row_number() OVER (ORDER BY d.deployment COLLATE "C", lower(d.period)) AS n, d.deployment, lower(d.period) AS start,
				jsonb_strip_nulls(to_jsonb(d)) AS inputs
			FROM @extschema@.wattgpu_read_deployments() d
		),
		-- A deployment's rows do not overlap: an energy row comes from the last that began before it.
		origins AS (
			SELECT o.line, max(o.n) OVER (PARTITION BY o.deployment ORDER BY o.start, o.n ROWS UNBOUNDED PRECEDING) AS n
			FROM (SELECT d.deployment, d.start, d.n, NULL::bigint AS line FROM deployments d
				UNION ALL SELECT e.deployment, e.start, NULL, e.line FROM energy e) o
		),
		-- each row of the report, and what a prediction of it may have read of the catalogue
		report_lines AS MATERIALIZED (
			SELECT e.line, e.figures, coalesce(d.inputs, '{}') AS inputs
			FROM energy e LEFT JOIN origins o ON o.line = e.line LEFT JOIN deployments d ON d.n = o.n
		),
		used AS MATERIALIZED (
			SELECT array_agg(DISTINCT k.kind || k.key) AS keys FROM energy e, LATERAL (VALUES ('gpu ', e.gpu), ('llm ', e.llm),
				('scenario ', lower(btrim(e.scenario, E' \t\n\r\x0b\f') COLLATE "C")), ('model power ', e.power_model), ('model itl ', e.itl_model)) k (kind, key)
		),
		catalogue AS MATERIALIZED (
			SELECT c.* FROM used u, @extschema@.wattgpu_report_catalogue(u.keys) c
		),
		inputs AS MATERIALIZED (
			SELECT c.kind, c.key, c.content FROM catalogue c
			UNION ALL
			(SELECT DISTINCT ON (s.site) 'site', s.site, jsonb_strip_nulls(to_jsonb(s) - 'site')
			FROM @extschema@.wattgpu_read_sites() s WHERE s.site IN (SELECT e.site FROM energy e) ORDER BY s.site, to_jsonb(s)::text COLLATE "C")
			UNION ALL
			SELECT 'intensity', format('%s %s %s', i.method, to_char(z.month, 'YYYY-MM'), z.zone),
				jsonb_strip_nulls(jsonb_agg(to_jsonb(i) - '{zone,method}'::text[] ORDER BY lower(i.valid)))
			FROM (SELECT DISTINCT e.zone, e.month FROM energy e) z JOIN @extschema@.wattgpu_read_grid_intensity() i
				ON i.zone = z.zone AND i.valid && (wattgpu_report_save.period * tstzrange(z.month::timestamptz, z.month::timestamptz + interval '1 month'))
			GROUP BY i.method, z.month, z.zone
		),
		header AS (
			SELECT jsonb_populate_record(NULL::@extschema@.wattgpu_reports, jsonb_build_object('name', wattgpu_report_save.name,
				'revision', (SELECT coalesce(max(r.revision), 0) + 1 FROM (SELECT r.name, r.revision FROM @extschema@.wattgpu_reports r
					UNION ALL SELECT d.name, d.revision FROM @extschema@.wattgpu_report_deletions d) r WHERE r.name = wattgpu_report_save.name),
				'period', wattgpu_report_save.period, 'saved_at', now(), 'saved_by', session_user, 'model', wattgpu_report_save.model,
				'power_model', m.power_model, 'itl_model', m.itl_model,
				'power_booster_sha256', (SELECT i.content ->> 'booster_sha256' FROM inputs i WHERE i.kind = 'model' AND i.key = 'power ' || m.power_model),
				'itl_booster_sha256', (SELECT i.content ->> 'booster_sha256' FROM inputs i WHERE i.kind = 'model' AND i.key = 'itl ' || m.itl_model),
				'wattgpu_version', (SELECT x.extversion FROM pg_extension x WHERE x.extname = 'wattgpu'),
				'data_sha256', (SELECT encode(sha256(convert_to(coalesce(string_agg(concat_ws(' ', i.kind, i.key, i.content), E'\n'
					ORDER BY i.kind COLLATE "C", i.key COLLATE "C"), ''), 'UTF8')), 'hex')
					FROM inputs i WHERE i.kind IN ('gpu', 'llm', 'scenario')),
				'lines', m.lines)) AS report
			FROM (SELECT max(e.power_model) AS power_model, max(e.itl_model) AS itl_model, count(*) AS lines FROM energy e HAVING count(*) > 0) m
		),
		report AS (
			INSERT INTO @extschema@.wattgpu_reports
			SELECT r.* FROM header h, jsonb_populate_record(h.report, jsonb_build_object('report_sha256', @extschema@.wattgpu_report_digest(h.report,
				(SELECT string_agg(sha256(convert_to(concat_ws(' ', l.line, l.figures, l.inputs), 'UTF8')), '' ORDER BY l.line) FROM report_lines l),
				(SELECT string_agg(sha256(convert_to(concat_ws(' ', i.kind, i.key, i.content), 'UTF8')), '' ORDER BY i.kind COLLATE "C", i.key COLLATE "C") FROM inputs i)))) r
			ON CONFLICT (name, revision) DO NOTHING
			RETURNING name, revision
		),
		report_rows AS (
			INSERT INTO @extschema@.wattgpu_report_rows (name, revision, line, energy, inputs)
			SELECT r.name, r.revision, l.line, l.figures, l.inputs FROM report r, report_lines l
		),
		report_inputs AS (
			INSERT INTO @extschema@.wattgpu_report_inputs (name, revision, kind, key, content)
			SELECT r.name, r.revision, i.kind, i.key, i.content FROM report r, inputs i
		)
		SELECT (SELECT count(*) FROM energy), (SELECT r.revision FROM report r), (SELECT u.keys FROM used u), (SELECT jsonb_agg(c) FROM catalogue c)
		INTO lines, saved, used, catalogue;
		IF lines = 0 THEN
			RAISE no_data_found USING
				MESSAGE = format('there is no deployment in %s, so report "%s" would have no rows', wattgpu_report_save.period, wattgpu_report_save.name),
				HINT = 'wattgpu_deployments, or what wattgpu_use_relation put in its place, holds the deployments.';
		END IF;
		EXIT WHEN saved IS NOT NULL;
	END LOOP;
	-- Predictions do not wait for the snapshot; by the next one a change that they may have seen shows.
	IF (SELECT jsonb_agg(c) FROM @extschema@.wattgpu_report_catalogue(used) c) IS DISTINCT FROM catalogue THEN
		RAISE serialization_failure USING
			MESSAGE = format('the catalogue changed while report "%s" was being saved', wattgpu_report_save.name),
			HINT = 'Nothing was saved. Save it again.';
	END IF;
	RETURN saved;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_save(text, tstzrange, text) IS
'Saves the rows of wattgpu_energy(period, model) as the next revision of the report of that name, with what went into them, and returns the revision, 1 or more. model: NULL is the default models. What is saved does not change afterwards, whatever becomes of models, catalogue and deployments: read it with wattgpu_report, compare with wattgpu_report_diff. Needs INSERT on wattgpu_reports, wattgpu_report_rows and wattgpu_report_inputs. Errors: invalid_parameter_value for a name that is NULL, empty, longer than 256 bytes or has blanks around it, and for a period that is NULL, empty or unbounded; no_data_found if no deployment lies in the period; serialization_failure if a card, LLM, scenario or model that it uses changed while it was being saved, and in a repeatable read transaction if another one has saved the name meanwhile; otherwise as wattgpu_energy. All is read in one snapshot but for predictions, which as always are made from the newest committed catalogue: in a repeatable read transaction that may be a later one than the report shows.';

CREATE FUNCTION @extschema@.wattgpu_report_revision(name text, revision integer DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	found_revision integer;
	saved_lines integer;
	held_lines bigint;
BEGIN
	SELECT r.revision, r.lines INTO found_revision, saved_lines FROM @extschema@.wattgpu_reports r
	WHERE r.name = wattgpu_report_revision.name AND r.revision = coalesce(wattgpu_report_revision.revision, r.revision) ORDER BY r.revision DESC LIMIT 1;
	IF found_revision IS NULL AND wattgpu_report_revision.name IS NOT NULL THEN
		RAISE undefined_object USING
			MESSAGE = format('there is no report "%s"%s', left(wattgpu_report_revision.name, 300), ' of revision ' || wattgpu_report_revision.revision),
			HINT = 'Table wattgpu_reports lists the reports there are.';
	END IF;
	SELECT count(*) INTO held_lines FROM @extschema@.wattgpu_report_rows r WHERE r.name = wattgpu_report_revision.name AND r.revision = found_revision;
	IF held_lines <> saved_lines THEN
		RAISE data_corrupted USING
			MESSAGE = format('revision %s of report "%s" has %s rows, and was saved with %s', found_revision, wattgpu_report_revision.name, held_lines, saved_lines),
			HINT = 'Somebody has written to wattgpu_report_rows. Take the report from a backup, or delete the revision and save a new one.';
	END IF;
	RETURN found_revision;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_revision(text, integer) IS
'The revision of a saved report, which must exist; revision NULL: the latest. NULL if name is NULL; errors undefined_object if there is none, data_corrupted if it has not as many rows as were saved.';

CREATE FUNCTION @extschema@.wattgpu_report_verify(name text, revision integer DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
	found_revision integer := @extschema@.wattgpu_report_revision(wattgpu_report_verify.name, wattgpu_report_verify.revision);
	saved text;
	now_is text;
BEGIN
	SELECT r.report_sha256, @extschema@.wattgpu_report_digest(r,
		(SELECT string_agg(sha256(convert_to(concat_ws(' ', l.line, l.energy, l.inputs), 'UTF8')), '' ORDER BY l.line)
			FROM @extschema@.wattgpu_report_rows l WHERE l.name = r.name AND l.revision = r.revision),
		(SELECT string_agg(sha256(convert_to(concat_ws(' ', i.kind, i.key, i.content), 'UTF8')), '' ORDER BY i.kind COLLATE "C", i.key COLLATE "C")
			FROM @extschema@.wattgpu_report_inputs i WHERE i.name = r.name AND i.revision = r.revision))
	INTO saved, now_is
	FROM @extschema@.wattgpu_reports r WHERE r.name = wattgpu_report_verify.name AND r.revision = found_revision;
	IF now_is <> saved THEN
		RAISE data_corrupted USING
			MESSAGE = format('revision %s of report "%s" is not what was saved', found_revision, wattgpu_report_verify.name),
			DETAIL = format('Its digest was %s and is %s.', saved, now_is),
			HINT = 'Somebody has written to its tables. Take the report from a backup, or delete the revision and save a new one.';
	END IF;
	RETURN saved;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_verify(text, integer) IS
'The digest of a saved revision, if it is still what was saved: wattgpu_reports.report_sha256, computed again. Who can write the tables can also write a digest that fits, so keep the digest with the signed figures: as long as it is the same, so are they. revision: NULL is the latest. SHA-256, in hex, of these digests, 32 bytes each, in a row: that of the row of wattgpu_reports as jsonb without NULLs and report_sha256 (times in UTC and ISO style); those of line, energy and inputs of each row, with a blank between, by line; those of kind, key and content of each input likewise, by kind and key in byte order. NULL if name is NULL; errors undefined_object if there is no such revision, data_corrupted if it is not what was saved.';

CREATE FUNCTION @extschema@.wattgpu_report(name text, revision integer DEFAULT NULL) RETURNS SETOF @extschema@.wattgpu_energy_row
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
	SELECT e.* FROM @extschema@.wattgpu_report_revision(wattgpu_report.name, wattgpu_report.revision) f (revision)
	JOIN @extschema@.wattgpu_report_rows r ON r.name = wattgpu_report.name AND r.revision = f.revision,
		jsonb_populate_record(NULL::@extschema@.wattgpu_energy_row, r.energy) e
	ORDER BY r.line
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_report(text, integer) IS
'The rows of a saved report, by deployment and period, each figure to the bit as wattgpu_energy gave it when it was saved, but for the sign of a zero. revision: NULL is the latest. A column that came with a later version is NULL. No rows if name is NULL; errors undefined_object if there is no such report, data_corrupted if rows of it are missing or were added.';

CREATE FUNCTION @extschema@.wattgpu_changed_fields(label text, old jsonb, new jsonb) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('%s: %s %s -> %s', label, key, coalesce(o.value, 'unknown'), coalesce(n.value, 'unknown'))
	FROM jsonb_each_text(old) o FULL JOIN jsonb_each_text(new) n USING (key)
	WHERE o.value IS DISTINCT FROM n.value AND key NOT IN ('source', 'description') ORDER BY key COLLATE "C"
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_changed_fields(text, jsonb, jsonb) IS
'For wattgpu_report_diff: the fields of two objects that differ, as "label: field old -> new", by field; one that is missing is unknown. Fields source and description, which move no figure, are left out.';

CREATE FUNCTION @extschema@.wattgpu_report_diff(name text, from_revision integer, to_revision integer)
RETURNS TABLE (deployment text, month date, period tstzrange,
	old_gpu_kwh double precision, new_gpu_kwh double precision, change_gpu_kwh double precision,
	old_node_kwh double precision, new_node_kwh double precision, change_node_kwh double precision,
	old_facility_kwh double precision, new_facility_kwh double precision, change_facility_kwh double precision,
	old_location_co2e_kg double precision, new_location_co2e_kg double precision, change_location_co2e_kg double precision,
	old_market_co2e_kg double precision, new_market_co2e_kg double precision, change_market_co2e_kg double precision,
	moved text[], why text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 1000 SET search_path = pg_catalog, pg_temp SET jit = off SET DateStyle = 'ISO, YMD' SET TimeZone = 'UTC' AS $$
#variable_conflict use_column
DECLARE
	old_report @extschema@.wattgpu_reports;
	new_report @extschema@.wattgpu_reports;
	old_inputs jsonb;
	new_inputs jsonb;
BEGIN
	IF wattgpu_report_diff.name IS NULL OR from_revision IS NULL OR to_revision IS NULL THEN
		RETURN;
	END IF;
	PERFORM @extschema@.wattgpu_report_revision(wattgpu_report_diff.name, from_revision), @extschema@.wattgpu_report_revision(wattgpu_report_diff.name, to_revision);
	SELECT r.* INTO old_report FROM @extschema@.wattgpu_reports r WHERE r.name = wattgpu_report_diff.name AND r.revision = from_revision;
	SELECT r.* INTO new_report FROM @extschema@.wattgpu_reports r WHERE r.name = wattgpu_report_diff.name AND r.revision = to_revision;
	-- in memory, by kind and key; of intensities only whether they are the same
	SELECT jsonb_object_agg(i.kind || ' ' || i.key, c.content) FILTER (WHERE i.revision = from_revision),
		jsonb_object_agg(i.kind || ' ' || i.key, c.content) FILTER (WHERE i.revision = to_revision)
	INTO old_inputs, new_inputs
	FROM @extschema@.wattgpu_report_inputs i, LATERAL (SELECT CASE i.kind WHEN 'intensity' THEN to_jsonb(md5(i.content::text)) ELSE i.content END) c (content)
	WHERE i.name = wattgpu_report_diff.name AND i.revision IN (from_revision, to_revision);
	old_inputs := coalesce(old_inputs, '{}');
	new_inputs := coalesce(new_inputs, '{}');

	RETURN QUERY
	WITH sides AS (
		SELECT r.revision = to_revision AS is_new, r.line, r.energy, r.inputs, r.energy ->> 'deployment' AS deployment,
			(r.energy ->> 'month')::date AS month, (r.energy ->> 'period')::tstzrange AS period
		FROM @extschema@.wattgpu_report_rows r
		WHERE r.name = wattgpu_report_diff.name AND r.revision IN (from_revision, to_revision) AND from_revision <> to_revision
	),
	numbered AS (
		SELECT s.*, row_number() OVER (PARTITION BY s.is_new, s.deployment, s.month, lower(s.period) ORDER BY s.line) AS n,
			count(*) OVER (PARTITION BY s.is_new, s.deployment, s.month) AS rows_of_month
		FROM sides s
	),
	-- The only row of a deployment's month is the same row whenever it begins; of several, those that begin at the same time are.
	placed AS (
		SELECT n.*, CASE WHEN max(n.rows_of_month) OVER (PARTITION BY n.deployment, n.month) > 1 THEN lower(n.period) END AS start FROM numbered n
	),
	pairs AS (
		SELECT p.deployment, p.month, min(p.line) AS line,
			(array_agg(p.energy) FILTER (WHERE NOT p.is_new))[1] AS old, (array_agg(p.energy) FILTER (WHERE p.is_new))[1] AS new,
			(array_agg(p.inputs) FILTER (WHERE NOT p.is_new))[1] AS old_row, (array_agg(p.inputs) FILTER (WHERE p.is_new))[1] AS new_row,
			(array_agg(p.period) FILTER (WHERE NOT p.is_new))[1] AS old_period, (array_agg(p.period) FILTER (WHERE p.is_new))[1] AS new_period
		FROM placed p GROUP BY p.deployment, p.month, p.start, p.n
	),
	-- what the other revision holds of the deployment in place of a row that it lacks
	elsewhere AS (
		SELECT p.deployment, p.old_period, p.new_period, string_agg(DISTINCT s.inputs ->> 'period', ', ' ORDER BY s.inputs ->> 'period') AS periods
		FROM pairs p JOIN sides s ON s.deployment = p.deployment AND s.is_new = (p.new IS NULL)
			AND (s.inputs ->> 'period')::tstzrange && (coalesce(p.new_row, p.old_row) ->> 'period')::tstzrange
		WHERE p.new IS NULL OR p.old IS NULL
		GROUP BY p.deployment, p.old_period, p.new_period
	),
	-- What is not known to a catalogue has no input of that name. OFFSET 0 keeps the planner from computing all this once for each use of it.
	differing AS (
		SELECT p.*, e.periods, m.moved, p.old IS NOT NULL AND p.new IS NOT NULL AS in_both,
			m.moved && '{power_w,power_lo_w,power_hi_w,idle_power_w,gpu_lo_kwh,gpu_hi_kwh,output_tokens}' AS predicted,
			old_inputs -> ('gpu ' || (p.old ->> 'gpu')) AS old_gpu, new_inputs -> ('gpu ' || (p.new ->> 'gpu')) AS new_gpu,
			old_inputs -> ('llm ' || (p.old ->> 'llm')) AS old_llm, new_inputs -> ('llm ' || (p.new ->> 'llm')) AS new_llm,
			old_inputs -> ('scenario ' || lower(btrim(p.old ->> 'scenario', E' \t\n\r\x0b\f') COLLATE "C")) AS old_scenario,
			new_inputs -> ('scenario ' || lower(btrim(p.new ->> 'scenario', E' \t\n\r\x0b\f') COLLATE "C")) AS new_scenario,
			old_inputs -> ('site ' || (p.old ->> 'site')) AS old_site, new_inputs -> ('site ' || (p.new ->> 'site')) AS new_site
		FROM pairs p LEFT JOIN elsewhere e ON e.deployment = p.deployment AND coalesce(e.old_period, e.new_period) = coalesce(p.old_period, p.new_period)
			AND (e.old_period IS NULL) = (p.old_period IS NULL) AND (e.new_period IS NULL) = (p.new_period IS NULL), LATERAL (SELECT ARRAY(
			SELECT key FROM jsonb_each(p.old) o FULL JOIN jsonb_each(p.new) n USING (key)
			WHERE o.value IS DISTINCT FROM n.value AND ('number' IN (jsonb_typeof(o.value), jsonb_typeof(n.value)) OR key = 'currency')
			ORDER BY key COLLATE "C") OFFSET 0) m (moved)
		WHERE p.old IS DISTINCT FROM p.new
		OFFSET 0
	)
	SELECT d.deployment, d.month, coalesce(d.new_period, d.old_period),
		o.gpu_kwh, n.gpu_kwh, CASE WHEN d.in_both THEN n.gpu_kwh - o.gpu_kwh ELSE coalesce(n.gpu_kwh, - o.gpu_kwh) END,
		o.node_kwh, n.node_kwh, CASE WHEN d.in_both THEN n.node_kwh - o.node_kwh ELSE coalesce(n.node_kwh, - o.node_kwh) END,
		o.facility_kwh, n.facility_kwh, CASE WHEN d.in_both THEN n.facility_kwh - o.facility_kwh ELSE coalesce(n.facility_kwh, - o.facility_kwh) END,
		o.location_co2e_kg, n.location_co2e_kg, CASE WHEN d.in_both THEN n.location_co2e_kg - o.location_co2e_kg ELSE coalesce(n.location_co2e_kg, - o.location_co2e_kg) END,
		o.market_co2e_kg, n.market_co2e_kg, CASE WHEN d.in_both THEN n.market_co2e_kg - o.market_co2e_kg ELSE coalesce(n.market_co2e_kg, - o.market_co2e_kg) END,
		d.moved, w.why
	FROM differing d
	CROSS JOIN LATERAL jsonb_populate_record(NULL::@extschema@.wattgpu_energy_row, d.old) o
	CROSS JOIN LATERAL jsonb_populate_record(NULL::@extschema@.wattgpu_energy_row, d.new) n
	CROSS JOIN LATERAL (SELECT coalesce(nullif(ARRAY(
		SELECT r.reason FROM (
			SELECT 1 AS place, CASE WHEN d.old IS NULL THEN 'added' ELSE 'removed' END AS reason
			WHERE NOT d.in_both AND coalesce(d.new_period && old_report.period, d.old_period && new_report.period, true)
			UNION ALL
			SELECT 2, format('report period %s -> %s', old_report.period, new_report.period)
			WHERE NOT (d.new_period <@ old_report.period AND d.old_period <@ new_report.period)
			UNION ALL
			SELECT 3, CASE WHEN m.old_name IS DISTINCT FROM m.new_name THEN format('%s model %s -> %s', m.target, coalesce(m.old_name, 'none'), coalesce(m.new_name, 'none'))
				WHEN m.old ->> 'booster_sha256' <> m.new ->> 'booster_sha256' THEN format('%s model %s retrained', m.target, m.new_name)
				ELSE format('%s model %s calibrated anew', m.target, m.new_name) END
			FROM (SELECT t.target, d.old ->> (t.target || '_model') AS old_name, d.new ->> (t.target || '_model') AS new_name,
					old_inputs -> concat('model ', t.target, ' ', d.old ->> (t.target || '_model')) AS old,
					new_inputs -> concat('model ', t.target, ' ', d.new ->> (t.target || '_model')) AS new
				FROM unnest('{power,itl}'::text[]) t (target)) m
			-- a row that had no prediction at all lacked something else than a model
			WHERE d.predicted AND (m.old_name IS DISTINCT FROM m.new_name OR m.old ->> 'crc32c' <> m.new ->> 'crc32c')
				AND coalesce(d.old ->> 'power_model', d.old ->> 'itl_model') IS NOT NULL AND coalesce(d.new ->> 'power_model', d.new ->> 'itl_model') IS NOT NULL
			UNION ALL
			SELECT 4, format('%s "%s": %s -> %s', n.label, n.spelling, coalesce(n.old_name, 'unknown'), coalesce(n.new_name, 'unknown'))
			FROM (VALUES ('card', 'gpu', CASE WHEN d.old_gpu IS NOT NULL THEN d.old ->> 'gpu' END, CASE WHEN d.new_gpu IS NOT NULL THEN d.new ->> 'gpu' END),
				('LLM', 'llm', CASE WHEN d.old_llm IS NOT NULL THEN d.old ->> 'llm' END, CASE WHEN d.new_llm IS NOT NULL THEN d.new ->> 'llm' END),
				('scenario', 'scenario', CASE WHEN d.old_scenario IS NOT NULL THEN 'known' END, CASE WHEN d.new_scenario IS NOT NULL THEN 'known' END),
				('site', 'site', CASE WHEN d.old_site IS NOT NULL THEN 'known' END, CASE WHEN d.new_site IS NOT NULL THEN 'known' END)) v (label, field, old_name, new_name),
				LATERAL (SELECT v.*, d.new_row ->> v.field AS spelling) n
			WHERE n.old_name IS DISTINCT FROM n.new_name AND d.old_row ->> n.field = n.spelling
			UNION ALL
			SELECT 5, @extschema@.wattgpu_changed_fields('card spec changed', d.old_gpu, d.new_gpu) WHERE d.predicted AND d.old ->> 'gpu' = d.new ->> 'gpu' AND d.old_gpu <> d.new_gpu
			UNION ALL
			SELECT 6, @extschema@.wattgpu_changed_fields('LLM spec changed', d.old_llm, d.new_llm) WHERE d.predicted AND d.old ->> 'llm' = d.new ->> 'llm' AND d.old_llm <> d.new_llm
			UNION ALL
			SELECT 7, @extschema@.wattgpu_changed_fields('scenario changed', d.old_scenario, d.new_scenario)
			WHERE d.predicted AND d.old_scenario <> d.new_scenario AND d.old_row ->> 'scenario' = d.new_row ->> 'scenario'
			UNION ALL
			SELECT 8, @extschema@.wattgpu_changed_fields('deployment', d.old_row, d.new_row) WHERE d.in_both
			UNION ALL
			SELECT 8, format('deployment: period %s -> %s', coalesce(d.old_row ->> 'period', d.periods), coalesce(d.new_row ->> 'period', d.periods))
			WHERE d.periods <> coalesce(d.new_row, d.old_row) ->> 'period'
			UNION ALL
			SELECT 9, replace(@extschema@.wattgpu_changed_fields('site', d.old_site, d.new_site), 'site: pue', 'PUE') WHERE d.old ->> 'site' = d.new ->> 'site' AND d.old_site <> d.new_site
			UNION ALL
			SELECT 10, format('intensity (%s) of zone %s: %s -> %s g/kWh', i.method, d.new ->> 'zone', coalesce(i.old_g, 'unknown'), coalesce(i.new_g, 'unknown'))
			FROM (SELECT m.method, d.old ->> (m.method || '_co2e_g_per_kwh') AS old_g, d.new ->> (m.method || '_co2e_g_per_kwh') AS new_g,
					format('intensity %s %s %s', m.method, to_char(d.month, 'YYYY-MM'), d.new ->> 'zone') AS key
				FROM unnest('{location,market}'::text[]) m (method)) i
			WHERE d.in_both AND i.old_g IS DISTINCT FROM i.new_g AND d.old ->> 'zone' = d.new ->> 'zone'
				AND old_inputs -> i.key IS DISTINCT FROM new_inputs -> i.key
			UNION ALL
			SELECT 11, format('wattgpu version %s -> %s', old_report.wattgpu_version, new_report.wattgpu_version)
			WHERE d.in_both AND old_report.wattgpu_version <> new_report.wattgpu_version
		) r ORDER BY r.place, r.reason COLLATE "C"), '{}'), ARRAY[CASE WHEN d.in_both AND d.old ->> 'problem' IS DISTINCT FROM d.new ->> 'problem'
		THEN format('problem: %s -> %s', coalesce(d.old ->> 'problem', 'none'), coalesce(d.new ->> 'problem', 'none')) ELSE 'not known' END])) w (why)
	WHERE cardinality(d.moved) > 0
	ORDER BY d.deployment COLLATE "C", d.month, d.line;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_diff(text, integer, integer) IS
'What moved between two revisions of a saved report, and why: one row for each row of a deployment and month of which a figure differs. Old, new and change (new less old) in kWh and kg CO2e; change is NULL where either is not known, and the whole figure for a row that only one revision has. moved: the columns of wattgpu_energy_row whose figures differ. why: all that went into the row and differs: models, card, LLM, scenario, deployment, site, intensity, the report''s period, the version of wattgpu; or added, removed (a row that only one revision has), with the deployment''s period where that was another; without any of these what wattgpu_energy said of the row as problem, or not known. No rows if an argument is NULL; errors undefined_object if there is no such revision, data_corrupted if one lacks rows or has more than were saved.';

DO $$
BEGIN
	EXECUTE format('CREATE FUNCTION @extschema@.wattgpu_report_total(name text, revision integer DEFAULT NULL) RETURNS SETOF @extschema@.wattgpu_energy_total
		LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1 SET search_path = pg_catalog, pg_temp AS %L',
		@extschema@.wattgpu_totals_query('@extschema@.wattgpu_report(wattgpu_report_total.name, wattgpu_report_total.revision)')
			|| ' HAVING wattgpu_report_total.name IS NOT NULL');
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_report_total(text, integer) IS
'The totals of a saved report in one row, computed as view wattgpu_energy_total does. revision: NULL is the latest. No row if name is NULL; errors undefined_object if there is no such report, data_corrupted if rows of it are missing or were added.';
