-- What a spelling stands for, and why: one spelling, or all that a table holds.

CREATE FUNCTION @extschema@.wattgpu_gpu_key(name text) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.wattgpu_gpu_key(text) IS
'What spellings of one GPU have in common: without ASCII case, a maker''s words in front (NVIDIA, NVIDIA Corporation, Tesla, AMD, Intel), (R), (TM), blanks, and - _ / , ( ) [ ]; "80 GB", "80G" and "80GiB" are "80gb"; two numbers stay apart. NULL for NULL, for what leaves nothing, for MIG slices, vGPU profiles and shared cards, which are not the whole card, and for more than 256 bytes.';

CREATE FUNCTION @extschema@.wattgpu_llm_base_name(name text) RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION @extschema@.wattgpu_llm_base_name(text) IS
'The name part of "organisation/name" in ASCII lower case; NULL for NULL, for another form, and for more than 256 bytes.';

CREATE TYPE @extschema@.wattgpu_resolution AS (name text, match text, ambiguous boolean, candidates text[], note text);
COMMENT ON TYPE @extschema@.wattgpu_resolution IS 'What wattgpu_resolve_gpu and wattgpu_resolve_llm give';
COMMENT ON COLUMN @extschema@.wattgpu_resolution.name IS 'Canonical name that predictions take the spelling for (wattgpu_gpus.gpu, wattgpu_llms.llm); NULL if they take it for unknown';
COMMENT ON COLUMN @extschema@.wattgpu_resolution.match IS 'How it was found, the first that applies: canonical; alias; for GPUs normalised (wattgpu_gpu_key is that of one card''s names and aliases alone); for LLMs quantised tag (a tag of Ollama that says how many bits its weights have, and the build with as many) or organisation (known without its organisation, under another one, or with one). NULL if unknown';
COMMENT ON COLUMN @extschema@.wattgpu_resolution.ambiguous IS 'Whether several may be meant. GPU: the most deployed one is taken where wattgpu_gpu_aliases says so (kind short_ambiguous, whatever the punctuation; never a canonical name or one that a tool prints), otherwise none. LLM: a bare name that Ollama''s tag latest takes for another one is taken as the alias says';
COMMENT ON COLUMN @extschema@.wattgpu_resolution.candidates IS 'Canonical names. Ambiguous: all that may be meant, the chosen one first. Unknown: up to three whose spellings share the most trigrams with this one, or differ by two neighbouring letters in turn, closest first. Otherwise, and for the name of something else, empty';
COMMENT ON COLUMN @extschema@.wattgpu_resolution.note IS 'Why it is ambiguous or unknown, if there is more to say than that nobody knows it; otherwise NULL';

CREATE FUNCTION @extschema@.wattgpu_resolve_gpu(gpu text) RETURNS @extschema@.wattgpu_resolution
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.wattgpu_resolve_gpu(text) IS
'Which card predictions take a spelling for, how it was found, and what else may be meant. NULL in, NULL out; unknown spellings are no error, whatever wattgpu.unknown_name says.';

CREATE FUNCTION @extschema@.wattgpu_resolve_llm(llm text) RETURNS @extschema@.wattgpu_resolution
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION @extschema@.wattgpu_resolve_llm(text) IS
'Which LLM predictions take a spelling for, how it was found, and what else may be meant. Punctuation counts, and no name resolves to weights of another precision than it says. NULL in, NULL out; unknown spellings are no error, whatever wattgpu.unknown_name says.';

CREATE FUNCTION @extschema@.wattgpu_resolve_inventory(relation regclass, gpu_column name DEFAULT NULL, llm_column name DEFAULT NULL)
RETURNS TABLE (kind text, spelling text, rows bigint, name text, match text, ambiguous boolean, candidates text[], note text)
LANGUAGE plpgsql STABLE COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	asked record;
	relation_name name;
	parts text[] := '{}';
BEGIN
	IF relation IS NULL THEN
		RETURN;
	END IF;
	IF gpu_column IS NULL AND llm_column IS NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = 'neither a column of GPUs nor one of LLMs is given',
			HINT = 'Name one or both, as gpu_column => ''gpu''.';
	END IF;
	SELECT c.relname INTO relation_name FROM pg_class c WHERE c.oid = relation AND c.relkind IN ('r', 'p', 'v', 'm', 'f');
	IF NOT FOUND THEN
		RAISE wrong_object_type USING MESSAGE = format('"%s" is not a table, view or foreign table', relation);
	END IF;
	FOR asked IN
		SELECT v.kind, v.name, v.resolve, t.typcategory, a.atttypid
		FROM (VALUES ('gpu', gpu_column, 'wattgpu_resolve_gpu'), ('llm', llm_column, 'wattgpu_resolve_llm')) v (kind, name, resolve)
			LEFT JOIN pg_attribute a ON a.attrelid = relation AND a.attname = v.name AND a.attnum > 0 AND NOT a.attisdropped
			LEFT JOIN pg_type t ON t.oid = a.atttypid
		WHERE v.name IS NOT NULL ORDER BY v.kind
	LOOP
		IF asked.atttypid IS NULL THEN
			RAISE undefined_column USING MESSAGE = format('relation "%s" has no column "%s"', relation_name, asked.name);
		ELSIF asked.typcategory <> 'S' THEN
			RAISE datatype_mismatch USING
				MESSAGE = format('column "%s" of relation "%s" is of type %s, not text', asked.name, relation_name, format_type(asked.atttypid, NULL));
		END IF;
		-- as bytes, so that each spelling counts as it stands there, whatever the column's collation
		parts := parts || format('SELECT %1$L AS kind, d.spelling, d.rows, r.name, r.match, r.ambiguous, r.candidates, r.note
			FROM (SELECT c.%2$I::text COLLATE "C" AS spelling, count(*) AS rows FROM %3$s c GROUP BY 1 OFFSET 0) d, @extschema@.%4$I(d.spelling) r',
			asked.kind, asked.name, relation, asked.resolve);
	END LOOP;
	RETURN QUERY EXECUTE format($q$
		SELECT i.kind, i.spelling, i.rows, i.name, i.match, coalesce(i.ambiguous, false), coalesce(i.candidates, '{}'),
			CASE WHEN i.spelling IS NULL THEN 'is NULL' ELSE i.note END
		FROM (%s) i
		ORDER BY i.name IS NOT NULL, i.ambiguous DESC NULLS LAST, i.kind, i.rows DESC, i.spelling COLLATE "C"$q$, array_to_string(parts, ' UNION ALL '));
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_resolve_inventory(regclass, name, name) IS
'What the spellings in a table, view or foreign table stand for: a row for each distinct one of kind gpu and llm, as it stands there, with the number of rows that have it (NULL counts as one spelling) and what wattgpu_resolve_gpu or wattgpu_resolve_llm says. Unknown ones come first, then NULL, then ambiguous ones, each with the most frequent first. Reads the table with the caller''s rights. NULL relation: no rows. Errors: undefined_column, datatype_mismatch for a column that is not text, wrong_object_type, invalid_parameter_value without a column.';

-- Predictions look here for what names and aliases do not know. A change of the functions needs these built anew.
CREATE INDEX wattgpu_gpus_key ON @extschema@.wattgpu_gpus (@extschema@.wattgpu_gpu_key(gpu) COLLATE "C");
CREATE INDEX wattgpu_gpu_aliases_key ON @extschema@.wattgpu_gpu_aliases (@extschema@.wattgpu_gpu_key(alias) COLLATE "C");
CREATE INDEX wattgpu_llms_base_name ON @extschema@.wattgpu_llms (@extschema@.wattgpu_llm_base_name(llm) COLLATE "C");
