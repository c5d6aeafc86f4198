-- Created after the shipped rows are in, so that they stay builtin.

CREATE FUNCTION @extschema@.wattgpu_catalogue_changed() RETURNS trigger AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON FUNCTION @extschema@.wattgpu_catalogue_changed() IS
'Trigger: makes every session look the catalogue up anew once the change is committed.';

-- A row that a user writes is the user's, also where it was shipped: only so does pg_dump keep it.
-- Writing a name that is shipped takes the shipped row's place, which is how such a dump is restored. One function a table,
-- so that its statements are planned once and not for each row.
DO $$
DECLARE
	of record;
BEGIN
	FOR of IN
		SELECT o.name, string_agg(format('lower(t.%1$I COLLATE "C") = lower(NEW.%1$I COLLATE "C")', k), ' AND ') AS same,
			(SELECT string_agg(format('%1$I = NEW.%1$I', attname), ', ') FROM pg_attribute
			 WHERE attrelid = ('@extschema@.' || o.name)::regclass AND attnum > 0 AND attname <> ALL (o.keys)) AS assignments,
			o.keys[array_upper(o.keys, 1)] AS key
		FROM (VALUES ('wattgpu_gpus', ARRAY['gpu']), ('wattgpu_llms', ARRAY['llm']), ('wattgpu_gpu_aliases', ARRAY['alias']),
			('wattgpu_llm_aliases', ARRAY['alias']), ('wattgpu_scenarios', ARRAY['scenario']),
			('wattgpu_cloud_instances', ARRAY['provider', 'instance_type']), ('wattgpu_template_fields', ARRAY['template', 'field'])) o (name, keys), unnest(o.keys) k
		GROUP BY o.name, o.keys
	LOOP
		EXECUTE format($f$
			CREATE FUNCTION @extschema@.%1$s_own_row() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
			BEGIN
				NEW.builtin := false;
				IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM @extschema@.%1$s t WHERE %2$s AND builtin) THEN
					UPDATE @extschema@.%1$s t SET %3$s WHERE %2$s AND builtin;
					RAISE NOTICE 'your row for "%%" replaces the shipped one in %1$s', NEW.%4$I;
					RETURN NULL;
				END IF;
				RETURN NEW;
			END $body$;
			COMMENT ON FUNCTION @extschema@.%1$s_own_row() IS
			'Trigger: marks what a user writes as the user''s own; an inserted row takes the place of a shipped one of the same key, with a NOTICE (and counts as no row inserted).';
			CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.%1$s
				FOR EACH ROW EXECUTE FUNCTION @extschema@.%1$s_own_row()$f$, of.name, of.same, of.assignments, of.key);
	END LOOP;
END $$;

-- Where rows have no key of their own, a changed shipped row would be restored beside the shipped one.
CREATE FUNCTION @extschema@.wattgpu_own_entry() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND OLD.builtin THEN
		RAISE object_not_in_prerequisite_state USING
			MESSAGE = format('a shipped row of %s cannot be changed', TG_TABLE_NAME),
			HINT = 'Insert a row of your own; a shipped one can be deleted.';
	END IF;
	NEW.builtin := false;
	RETURN NEW;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_own_entry() IS
'Trigger: marks what a user writes as the user''s own. Error object_not_in_prerequisite_state on an update of a shipped row.';
CREATE TRIGGER wattgpu_own_entry BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_measurements
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_entry();
CREATE TRIGGER wattgpu_own_entry BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_default_models
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_entry();
CREATE TRIGGER wattgpu_own_entry BEFORE INSERT ON @extschema@.wattgpu_models
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_entry();

-- Before and after, since a statement may predict its own rows and then fail. Per row and ALWAYS: logical replication applies rows without firing statement triggers.
DO $$
DECLARE
	watched text;
BEGIN
	FOREACH watched IN ARRAY ARRAY['wattgpu_gpus', 'wattgpu_gpu_aliases', 'wattgpu_llms', 'wattgpu_llm_aliases',
		'wattgpu_scenarios', 'wattgpu_measurements', 'wattgpu_models', 'wattgpu_default_models'] LOOP
		EXECUTE format('CREATE TRIGGER wattgpu_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.%I
			FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_catalogue_changed()', watched);
		EXECUTE format('CREATE TRIGGER wattgpu_changing BEFORE INSERT OR UPDATE OR DELETE ON @extschema@.%I
			FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_catalogue_changed()', watched);
		EXECUTE format('ALTER TABLE @extschema@.%I ENABLE ALWAYS TRIGGER wattgpu_changing', watched);
		EXECUTE format('CREATE TRIGGER wattgpu_truncated AFTER TRUNCATE ON @extschema@.%I
			FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.wattgpu_catalogue_changed()', watched);
		EXECUTE format('ALTER TABLE @extschema@.%I ENABLE ALWAYS TRIGGER wattgpu_changed', watched);
		EXECUTE format('ALTER TABLE @extschema@.%I ENABLE ALWAYS TRIGGER wattgpu_truncated', watched);
	END LOOP;
	FOREACH watched IN ARRAY ARRAY['wattgpu_gpus', 'wattgpu_gpu_aliases', 'wattgpu_llms', 'wattgpu_llm_aliases',
		'wattgpu_cloud_instances', 'wattgpu_scenarios', 'wattgpu_measurements', 'wattgpu_models', 'wattgpu_default_models',
		'wattgpu_template_fields'] LOOP
		PERFORM pg_extension_config_dump('@extschema@.' || watched, 'WHERE NOT builtin');
	END LOOP;
	-- all rows are a user's
	FOREACH watched IN ARRAY ARRAY['wattgpu_sites', 'wattgpu_grid_intensity', 'wattgpu_deployments', 'wattgpu_report_relations',
		'wattgpu_reports', 'wattgpu_report_rows', 'wattgpu_report_inputs', 'wattgpu_report_deletions',
		'wattgpu_trainings', 'wattgpu_inference_tasks', 'wattgpu_site_meters'] LOOP
		PERFORM pg_extension_config_dump('@extschema@.' || watched, '');
	END LOOP;
END $$;
