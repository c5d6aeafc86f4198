-- Created after the shipped rows are in, so that they stay builtin.

CREATE FUNCTION @extschema@.wattgpu_catalogue_changed() RETURNS trigger AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON FUNCTION @extschema@.wattgpu_catalogue_changed() IS
'Trigger: makes every session look the catalogue up anew once the change is committed.';

-- A row that a user writes is the user's, also where it was shipped: only so does pg_dump keep it.
-- Writing a name that is shipped takes the shipped row's place, which is how such a dump is restored.
CREATE FUNCTION @extschema@.wattgpu_own_row() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	key text;
	condition text := 'builtin';
	columns text;
	replaced bigint;
BEGIN
	NEW.builtin := false;
	IF TG_OP = 'INSERT' AND TG_NARGS > 0 THEN
		FOREACH key IN ARRAY TG_ARGV LOOP
			condition := condition || format(' AND lower(%I COLLATE "C") = lower(%L COLLATE "C")', key, to_jsonb(NEW) ->> key);
		END LOOP;
		SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
		FROM pg_attribute WHERE attrelid = TG_RELID AND attnum > 0 AND NOT attisdropped;
		EXECUTE format('UPDATE %I.%I SET (%s) = (SELECT %s FROM (SELECT ($1).*) mine) WHERE %s',
			TG_TABLE_SCHEMA, TG_TABLE_NAME, columns, columns, condition) USING NEW;
		GET DIAGNOSTICS replaced = ROW_COUNT;
		IF replaced > 0 THEN
			RAISE NOTICE 'your row for "%" replaces the shipped one in %', to_jsonb(NEW) ->> TG_ARGV[TG_NARGS - 1], TG_TABLE_NAME;
			RETURN NULL;
		END IF;
	END IF;
	RETURN NEW;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_own_row() IS
'Trigger: marks what a user writes as the user''s own; an inserted row takes the place of a shipped one of the same key, with a NOTICE (and counts as no row inserted).';

CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_gpus
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row('gpu');
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_llms
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row('llm');
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_gpu_aliases
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row('alias');
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_llm_aliases
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row('alias');
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_cloud_instances
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row('provider', 'instance_type');
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_scenarios
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row('scenario');
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_measurements
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row();
CREATE TRIGGER wattgpu_own_row BEFORE INSERT ON @extschema@.wattgpu_models
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row();
CREATE TRIGGER wattgpu_own_row BEFORE INSERT OR UPDATE ON @extschema@.wattgpu_default_models
	FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_own_row();

-- Per row and ALWAYS: logical replication applies rows without firing statement triggers.
DO $$
DECLARE
	watched text;
BEGIN
	FOREACH watched IN ARRAY ARRAY['wattgpu_gpus', 'wattgpu_gpu_aliases', 'wattgpu_llms', 'wattgpu_llm_aliases',
		'wattgpu_scenarios', 'wattgpu_models', 'wattgpu_default_models'] LOOP
		EXECUTE format('CREATE TRIGGER wattgpu_changed AFTER INSERT OR UPDATE OR DELETE ON @extschema@.%I
			FOR EACH ROW EXECUTE FUNCTION @extschema@.wattgpu_catalogue_changed()', watched);
		EXECUTE format('CREATE TRIGGER wattgpu_truncated AFTER TRUNCATE ON @extschema@.%I
			FOR EACH STATEMENT EXECUTE FUNCTION @extschema@.wattgpu_catalogue_changed()', watched);
		EXECUTE format('ALTER TABLE @extschema@.%I ENABLE ALWAYS TRIGGER wattgpu_changed', watched);
		EXECUTE format('ALTER TABLE @extschema@.%I ENABLE ALWAYS TRIGGER wattgpu_truncated', watched);
	END LOOP;
	FOREACH watched IN ARRAY ARRAY['wattgpu_gpus', 'wattgpu_gpu_aliases', 'wattgpu_llms', 'wattgpu_llm_aliases',
		'wattgpu_cloud_instances', 'wattgpu_scenarios', 'wattgpu_measurements', 'wattgpu_models', 'wattgpu_default_models'] LOOP
		PERFORM pg_extension_config_dump('@extschema@.' || watched, 'WHERE NOT builtin');
	END LOOP;
END $$;
