-- Rows of wattgpu_llms out of a Hugging Face config.json, by what llm_weights.sql makes of its fields.

CREATE FUNCTION @extschema@.wattgpu_config_quantization(config jsonb, OUT quantization text, OUT weight_dtype text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	dtype text := lower(regexp_replace(coalesce(config ->> 'dtype', config ->> 'torch_dtype'), '^torch\.', ''));
	q jsonb := coalesce(nullif(config -> 'quantization_config', 'null'), nullif(config -> 'compression_config', 'null'), nullif(config -> 'quantization', 'null'));
	method text;
	bits text;
	kinds text[];
BEGIN
	quantization := 'none';
	weight_dtype := CASE WHEN dtype IN ('float32', 'fp32', 'float') THEN 'fp32' WHEN dtype IN ('bfloat16', 'bf16') THEN 'bf16'
		WHEN dtype IN ('float16', 'fp16', 'half') THEN 'fp16' WHEN dtype = 'auto' THEN NULL ELSE dtype END;
	IF q IS NULL OR q = '{}' THEN
		IF dtype LIKE 'float8%' THEN
			quantization := 'fp8';
			weight_dtype := 'fp8';
		ELSIF weight_dtype NOT IN ('fp32', 'bf16', 'fp16') THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('dtype "%s" of the config is not known', left(dtype, 60)),
				HINT = 'It is float32, bfloat16, float16 or float8.';
		END IF;
		RETURN;
	END IF;
	IF jsonb_typeof(q) <> 'object' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('quantization_config of the config is %s, not a JSON object', left(q::text, 60));
	END IF;
	method := lower(coalesce(q ->> 'quant_method', CASE
		WHEN q ?| '{load_in_4bit,load_in_8bit}' THEN 'bitsandbytes'
		WHEN q ? 'config_groups' THEN 'compressed-tensors'
		WHEN q ? 'quant_algo' THEN 'modelopt' END));
	bits := coalesce(q ->> 'bits', q ->> 'w_bit');
	IF jsonb_typeof(coalesce(nullif(q -> 'bits', 'null'), q -> 'w_bit')) NOT IN ('number', 'null') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('bits of the quantization_config is %s, not an integer', left(coalesce(nullif(q -> 'bits', 'null'), q -> 'w_bit')::text, 60));
	END IF;
	weight_dtype := NULL;
	IF method LIKE '%auto-round' THEN
		method := CASE WHEN q ->> 'packing_format' ~ 'awq' THEN 'awq' WHEN q ->> 'packing_format' ~ 'gptq' THEN 'gptq' END;
	END IF;
	IF method IN ('fp8', 'fbgemm_fp8') THEN
		quantization := 'fp8';
		weight_dtype := 'fp8';
	ELSIF method = 'mxfp4' THEN
		quantization := 'mxfp4';
		weight_dtype := 'mxfp4';
	ELSIF method ~ '^(awq|gptq)' THEN
		quantization := substring(method FROM '^(?:awq|gptq)');
		weight_dtype := CASE bits WHEN '4' THEN 'int4' WHEN '8' THEN 'int8' END;
	ELSIF method = 'bitsandbytes' THEN
		quantization := 'bitsandbytes';
		weight_dtype := CASE WHEN coalesce(q -> 'load_in_4bit', q -> '_load_in_4bit') = 'true' THEN 'int4' WHEN coalesce(q -> 'load_in_8bit', q -> '_load_in_8bit') = 'true' THEN 'int8' END;
	ELSIF method LIKE 'modelopt%' AND coalesce(q ->> 'quant_algo', q #>> '{quantization,quant_algo}') IS NOT NULL THEN
		method := upper(coalesce(q ->> 'quant_algo', q #>> '{quantization,quant_algo}'));
		quantization := CASE WHEN method LIKE 'FP8%' THEN 'fp8' WHEN method LIKE '%NVFP4%' THEN 'nvfp4' WHEN method = 'MXFP4' THEN 'mxfp4' WHEN method ~ '^W4A(16|8)_AWQ$' THEN 'awq' END;
		weight_dtype := CASE quantization WHEN 'awq' THEN 'int4' ELSE quantization END;
	ELSIF method ~ '^(compressed-tensors|modelopt)' AND jsonb_typeof(q -> 'config_groups') = 'object' THEN
		-- every group must store its weights alike
		SELECT array_agg(DISTINCT concat_ws(' ', g #>> '{weights,type}', g #> '{weights,num_bits}', CASE WHEN g #> '{weights,num_bits}' = '4' AND g #>> '{weights,type}' = 'float' THEN g #>> '{weights,group_size}' END))
		INTO kinds FROM jsonb_each(q -> 'config_groups') e (name, g);
		IF cardinality(kinds) = 1 THEN
			weight_dtype := CASE kinds[1] WHEN 'int 4' THEN 'int4' WHEN 'int 8' THEN 'int8' WHEN 'float 8' THEN 'fp8' WHEN 'float 4 16' THEN 'nvfp4' WHEN 'float 4 32' THEN 'mxfp4' END;
			quantization := CASE WHEN weight_dtype LIKE 'int_' THEN 'compressed-tensors' ELSE weight_dtype END;
		END IF;
	END IF;
	IF quantization = 'fp8' AND config ->> 'expert_dtype' = 'fp4' THEN -- two types, and a column for one
		weight_dtype := NULL;
	ELSIF weight_dtype IS NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('quantisation of the config cannot be told from %s', left(q::text, 200)),
			HINT = 'Pass quantization: none, fp8, awq, gptq, bitsandbytes, compressed-tensors, mxfp4, nvfp4 or gguf.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_quantization(jsonb) IS
'For wattgpu_llm_from_config: columns quantization and weight_dtype. Error invalid_parameter_value for what has no place in them or cannot be told.';

CREATE FUNCTION @extschema@.wattgpu_config_decoder(config jsonb, name text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	path text[];
	decoder jsonb := jsonb_strip_nulls(config);
	model_type text := config ->> 'model_type';
	reason text;
BEGIN
	FOREACH reason IN ARRAY ARRAY['text_config', 'thinker_config,text_config', 'llm_config', 'language_config', 'thinker_config'] LOOP
		path := string_to_array(reason, ',');
		IF jsonb_typeof(config #> path) = 'object' AND config #> path <> '{}' THEN
			-- what a nested config leaves out is its class's default: only so are such files written
			decoder := CASE regexp_replace(config #> path ->> 'model_type', '_text$', '')
				WHEN 'llama' THEN '{"vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "max_position_embeddings": 2048}'
				WHEN 'mistral' THEN '{"vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 131072}'
				WHEN 'gemma3' THEN '{"vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "max_position_embeddings": 131072}'
				ELSE '{}' END::jsonb || jsonb_strip_nulls(config #> path);
			SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') || decoder INTO decoder FROM jsonb_each(jsonb_strip_nulls(config)) e
			WHERE e.key IN ('dtype', 'torch_dtype', 'tie_word_embeddings', 'quantization_config', 'compression_config') AND NOT decoder ?| CASE WHEN e.key LIKE '%dtype' THEN '{dtype,torch_dtype}'::text[] ELSE ARRAY[e.key] END;
			EXIT;
		END IF;
	END LOOP;
	reason := CASE
		WHEN decoder -> 'is_encoder_decoder' = 'true' OR config -> 'is_encoder_decoder' = 'true' THEN 'an encoder with a decoder'
		WHEN model_type ~ '^(bert|roberta|xlm-roberta.*|camembert|distilbert|albert|electra|deberta.*|mpnet|modernbert|nomic_bert|funnel|longformer|big_bird|ernie|esm|xlnet|layoutlm.*)$'
			OR decoder ? 'type_vocab_size' OR config #>> '{architectures,0}' ~ 'ForMaskedLM$' THEN 'an encoder'
		WHEN model_type ~ '^(u?m?t5|t5gemma|m?bart|pegasus.*|marian|led|blenderbot.*|m2m_100|prophetnet|whisper|speech.*|seamless.*)$' THEN 'an encoder with a decoder'
		WHEN model_type ~ '^(vit.*|deit|swin.*|convnext.*|resnet|dinov2.*|beit|segformer|detr|yolos|sam.*|clip.*|siglip.*|altclip|align|wav2vec2.*|hubert|wavlm|blip.*|vision-encoder-decoder)$'
			OR NOT decoder ?| '{vocab_size,padded_vocab_size,n_vocab}' AND decoder ?| '{image_size,patch_size,num_channels}' THEN 'a model of images or sound'
		WHEN config ?| '{_diffusers_version,_class_name}' THEN 'a part of a diffusion model'
		WHEN config ? 'peft_type' THEN 'an adapter'
		WHEN config #>> '{architectures,0}' ~ 'For(SequenceClassification|TokenClassification|QuestionAnswering|MultipleChoice)$' THEN
			left(config #>> '{architectures,0}', 60) || ', which generates no text' END;
	IF model_type ~ '^rwkv.' THEN
		RAISE feature_not_supported USING
			MESSAGE = format('layers of model_type "%s" are not known', model_type),
			HINT = 'Insert a row of your own into wattgpu_llms.';
	ELSIF reason IS NOT NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('config%s is of %s, not of a decoder LLM', ' of "' || name || '"', reason);
	END IF;
	-- MPT, DBRX and the first Mamba keep some of the fields one level down
	FOREACH reason IN ARRAY ARRAY['attn_config', 'ffn_config', 'ssm_cfg'] LOOP
		IF jsonb_typeof(decoder -> reason) = 'object' THEN
			decoder := (decoder -> reason) || decoder;
		END IF;
	END LOOP;
	IF model_type IS NULL AND decoder ? 'ssm_cfg' THEN
		decoder := decoder || jsonb_build_object('model_type', CASE decoder ->> 'layer' WHEN 'Mamba2' THEN 'mamba2' ELSE 'mamba' END);
	END IF;
	IF decoder ->> 'model_type' = 'mamba2' THEN -- its heads are not of attention
		decoder := jsonb_build_object('mamba_num_heads', decoder -> 'num_heads', 'mamba_head_dim', decoder -> 'head_dim') || (decoder - '{num_heads,head_dim,num_attention_heads}'::text[]);
	END IF;
	RETURN decoder;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_decoder(jsonb, text) IS
'For wattgpu_llm_from_config: the config of the language model, without its outer levels. Error invalid_parameter_value for what is no decoder LLM.';

CREATE FUNCTION @extschema@.wattgpu_llm_from_config(
	config jsonb, llm text DEFAULT NULL, total_params_b double precision DEFAULT NULL, active_params_b double precision DEFAULT NULL, quantization text DEFAULT NULL)
RETURNS @extschema@.wattgpu_llms
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
	this text; -- for messages
	c jsonb;
	numbers jsonb;
	n record;
	family text;
	mixers text[];
	unsaid boolean; -- has experts, but not how many
	lacking text;
	counted record;
	described record;
	made @extschema@.wattgpu_llms;
BEGIN
	IF config IS NULL THEN
		RETURN NULL;
	ELSIF jsonb_typeof(config) <> 'object' THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('config is a JSON %s, not an object', jsonb_typeof(config)),
			HINT = 'It is the content of a checkpoint''s config.json.';
	ELSIF octet_length(llm) NOT BETWEEN 1 AND 256 OR llm <> btrim(llm, E' \t\n\r\x0b\f') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('llm "%s" is not a name of 1 to 256 bytes without blanks around it', left(llm, 60));
	ELSIF NOT (total_params_b > 0 AND total_params_b <= 1e6) OR NOT (active_params_b > 0 AND active_params_b <= 1e6) THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s is not above 0 and at most 1e6', CASE WHEN total_params_b > 0 AND total_params_b <= 1e6 OR total_params_b IS NULL
				THEN 'active_params_b ' || active_params_b ELSE 'total_params_b ' || total_params_b END),
			HINT = 'Parameters are counted in billions (1e9): 8.03 for 8030261248 of them.';
	END IF;
	llm := coalesce(llm, substring(config ->> '_name_or_path' FROM '^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}$'));
	this := coalesce('config of "' || llm || '"', 'config');
	IF jsonb_typeof(config -> 'model_type') NOT IN ('string', 'null') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('model_type of the config is %s, not a string', left((config -> 'model_type')::text, 60));
	END IF;
	c := @extschema@.wattgpu_config_decoder(config, llm);
	family := regexp_replace(coalesce(c ->> 'model_type', config ->> 'model_type', ''), '_text$', '');
	family := CASE WHEN family = 'chatglm' AND c ? 'inner_hidden_size' THEN 'chatglm1' ELSE family END;
	numbers := @extschema@.wattgpu_config_numbers(c);
	SELECT * INTO n FROM jsonb_to_record(numbers) AS (layers integer, hidden integer, heads integer, kv_heads integer, head_dim integer, width integer, expansion integer, vocab integer, longest integer,
		experts integer, chosen integer, expert_width integer, shared_width integer, kv_rank integer, expand integer, linear_k_heads integer,
		shared integer, first_dense integer, sparse_step integer);
	IF n.layers IS NOT NULL THEN
		mixers := @extschema@.wattgpu_config_mixers(c, numbers, family);
	END IF;

	-- what a family says in words, or leaves to be derived
	unsaid := CASE
		WHEN @extschema@.wattgpu_config_always_moe(family) THEN coalesce(n.experts, 0) = 0 AND (n.experts IS NULL OR coalesce(n.chosen, 1) > 0)
		WHEN n.experts IS NOT NULL OR c -> 'enable_moe_block' = 'false' THEN false
		WHEN family = 'nemotron_h' THEN coalesce('moe' = ANY (mixers), false) -- its class has all the fields, whatever its layers
		-- fields of experts are leftovers where the class knows none
		WHEN family ~ '^(llama|mistral|qwen2|qwen2_vl|qwen2_5_vl|qwen3|qwen3_vl|qwen3_5|gemma[23]?|gemma3n|phi3?|glm4?|granite|cohere2?|olmo[23]?|ernie4_5|exaone4?|lfm2|smollm3|hunyuan_v1_dense|starcoder2|stablelm|falcon)$' THEN false
		ELSE coalesce(n.chosen > 0, false) OR coalesce(n.expert_width > 0, false) OR coalesce(n.shared > 0, false)
			OR coalesce(n.first_dense, n.sparse_step) IS NOT NULL END;
	IF unsaid THEN
		n.experts := NULL;
	ELSIF coalesce(n.experts, 0) = 0 OR n.experts = 1 AND NOT (@extschema@.wattgpu_config_always_moe(family) AND coalesce(n.chosen, 0) > 1) THEN
		n.experts := NULL;
		n.chosen := NULL;
	END IF;
	IF n.kv_rank = 0 THEN
		n.kv_rank := NULL;
	END IF;
	IF family ~ '^(mamba2?|falcon_mamba|rwkv)$' THEN
		n.heads := NULL;
		n.kv_heads := NULL;
		n.longest := NULL;
	ELSIF n.kv_rank IS NULL THEN
		IF @extschema@.wattgpu_config_flag(c, '{multi_query}', family IN ('gpt_bigcode', 'falcon', 'RefinedWebModel')) AND NOT @extschema@.wattgpu_config_flag(c, '{new_decoder_architecture}', family = 'RefinedWeb')
			OR c ->> 'attn_type' = 'multiquery_attention' THEN
			n.kv_heads := 1;
		ELSIF family = 'chatglm' AND NOT @extschema@.wattgpu_config_flag(c, '{multi_query_attention}', false) THEN
			n.kv_heads := NULL;
		ELSIF jsonb_typeof(c -> 'block_configs') = 'array' THEN
			SELECT n.heads / nullif(min((b #>> '{attention,n_heads_in_group}')::integer), 0) INTO n.kv_heads FROM jsonb_array_elements(c -> 'block_configs') b;
		END IF;
	END IF;
	n.kv_heads := coalesce(n.kv_heads, n.heads);
	IF n.kv_rank IS NOT NULL OR n.heads IS NULL THEN
		n.head_dim := NULL;
	ELSIF n.head_dim IS NULL AND n.hidden % n.heads = 0 AND n.hidden / n.heads <= 1000000 THEN
		n.head_dim := n.hidden / n.heads;
	END IF;
	n.width := coalesce(n.width, CASE
		WHEN 'four' = ANY (@extschema@.wattgpu_config_traits(family)) THEN coalesce(n.expansion, 4) * n.hidden
		WHEN family ~ '^(mamba2?|falcon_mamba)$' THEN coalesce(n.expand, 2) * n.hidden END);
	IF n.width > 100000000 THEN -- derived, and no width
		n.width := NULL;
	END IF;

	SELECT string_agg(l.field, ', ') INTO lacking FROM (VALUES
		('hidden_size', n.hidden IS NULL),
		('num_hidden_layers', n.layers IS NULL),
		('num_attention_heads', n.heads IS NULL AND family !~ '^(mamba2?|falcon_mamba|rwkv)$' AND coalesce(mixers && '{attention,sliding,parallel,hybrid}', true)),
		('head_dim', n.head_dim IS NULL AND n.heads IS NOT NULL AND n.hidden IS NOT NULL AND n.kv_rank IS NULL),
		('intermediate_size', n.width IS NULL AND total_params_b IS NULL AND coalesce(n.expert_width, n.shared_width) IS NULL AND NOT c ? 'block_configs'),
		('vocab_size', n.vocab IS NULL AND total_params_b IS NULL),
		('num_experts', unsaid),
		('num_experts_per_tok', (unsaid OR n.experts IS NOT NULL) AND coalesce(n.chosen, 0) = 0),
		('moe_intermediate_size', (unsaid OR n.experts IS NOT NULL) AND coalesce(n.expert_width, 0) = 0 AND (total_params_b IS NULL OR active_params_b IS NULL)
			AND (family ~ '^(deepseek(_v[23].*)?|kimi_k2|kimi_linear|qwen.*_moe|qwen3_next|glm.*moe.*|ernie4_5.*moe|bailing.*moe.*|exaone_moe|lfm2_moe|afmoe|dots1|gemma4)$' OR family = 'nemotron_h' AND 'moe' = ANY (mixers))),
		('attn_layer_period', family = 'jamba' AND NOT numbers ? 'attention_step' AND NOT c ?| '{layer_types,layers_block_type}'),
		('attn_layer_offset', family = 'jamba' AND NOT numbers ? 'attention_offset' AND NOT c ?| '{layer_types,layers_block_type}'),
		('expert_layer_period', family = 'jamba' AND (unsaid OR n.experts IS NOT NULL) AND NOT numbers ? 'sparse_step' AND (total_params_b IS NULL OR active_params_b IS NULL)),
		('expert_layer_offset', family = 'jamba' AND (unsaid OR n.experts IS NOT NULL) AND NOT numbers ? 'sparse_offset' AND (total_params_b IS NULL OR active_params_b IS NULL)),
		('qk_nope_head_dim', n.kv_rank IS NOT NULL AND total_params_b IS NULL AND NOT numbers ? 'nope'),
		('qk_rope_head_dim', n.kv_rank IS NOT NULL AND total_params_b IS NULL AND NOT numbers ? 'rope'),
		('v_head_dim', n.kv_rank IS NOT NULL AND total_params_b IS NULL AND NOT numbers ? 'v_dim'),
		('active_params_b', family = 'deepseek_v4' AND active_params_b IS NULL),
		('total_params_b', family ~ '^(deepseek_v4|longcat_flash)$' AND total_params_b IS NULL)) l (field, lacks)
	WHERE l.lacks;
	IF lacking IS NOT NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s lacks %s', this, lacking),
			HINT = 'Take the whole config.json of the checkpoint. total_params_b and active_params_b are arguments: given, they need not be computed.';
	ELSIF n.kv_heads NOT BETWEEN 1 AND n.heads OR n.heads % n.kv_heads <> 0 THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s has %s heads of keys and values, which do not divide its %s attention heads', this, n.kv_heads, n.heads);
	ELSIF n.chosen > n.experts THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s has %s experts a token of %s experts', this, n.chosen, n.experts);
	ELSIF n.experts IS NOT NULL AND n.first_dense >= n.layers THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s contradicts itself: it has %s experts, but its first %s layers of %s are dense', this, n.experts, n.first_dense, n.layers);
	END IF;

	numbers := jsonb_strip_nulls(numbers || jsonb_build_object('kv_heads', n.kv_heads, 'head_dim', n.head_dim, 'width', n.width, 'experts', n.experts, 'chosen', n.chosen));
	made.tie_word_embeddings := @extschema@.wattgpu_config_flag(c, '{tie_word_embeddings,tie_embedding,tie_embeddings}', 'tied' = ANY (@extschema@.wattgpu_config_traits(family)));
	IF total_params_b IS NULL OR active_params_b IS NULL THEN
		counted := @extschema@.wattgpu_config_parameters(c, numbers, family, mixers, made.tie_word_embeddings);
		total_params_b := coalesce(total_params_b, counted.total / 1e9);
		active_params_b := coalesce(active_params_b, CASE WHEN n.experts IS NULL AND counted.active IS NOT DISTINCT FROM counted.total THEN total_params_b ELSE counted.active / 1e9 END);
		IF total_params_b IS NULL OR active_params_b IS NULL OR total_params_b > 1e6 THEN
			RAISE invalid_parameter_value USING
				MESSAGE = CASE WHEN total_params_b > 1e6 THEN format('parameters of %s are %s e9, more than 1e6 e9', this, total_params_b)
					ELSE format('parameters of %s cannot be computed: it lacks a width of its layers', this) END,
				HINT = 'Pass total_params_b and active_params_b.';
		END IF;
	END IF;
	IF active_params_b > total_params_b THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('active_params_b %s of %s is above total_params_b %s', active_params_b, this, total_params_b);
	END IF;

	IF quantization IS NULL THEN
		described := @extschema@.wattgpu_config_quantization(c);
	ELSIF quantization IN ('none', 'fp8', 'awq', 'gptq', 'bitsandbytes', 'compressed-tensors', 'mxfp4', 'nvfp4', 'gguf') THEN
		described := @extschema@.wattgpu_config_quantization(c - '{quantization_config,compression_config,quantization}'::text[]);
		described.quantization := quantization;
		described.weight_dtype := CASE
			WHEN quantization IN ('fp8', 'mxfp4', 'nvfp4') THEN quantization
			WHEN quantization = 'awq' THEN 'int4'
			WHEN quantization = 'none' THEN described.weight_dtype
			WHEN c #> '{quantization_config,bits}' IN ('4', '8') THEN 'int' || (c #>> '{quantization_config,bits}') END;
	ELSE
		RAISE invalid_parameter_value USING
			MESSAGE = format('quantization "%s" is not known', left(quantization, 60)),
			HINT = 'It is none, fp8, awq, gptq, bitsandbytes, compressed-tensors, mxfp4, nvfp4 or gguf.';
	END IF;

	made.llm := llm;
	made.model_type := nullif(coalesce(config ->> 'model_type', c ->> 'model_type'), '');
	made.architecture := CASE
		WHEN NOT mixers && '{attention,sliding,parallel,hybrid}' THEN 'ssm'
		WHEN mixers && '{linear,mamba,mamba2,conv,recurrent,parallel,hybrid}' THEN 'hybrid'
		WHEN n.experts IS NOT NULL THEN 'moe'
		ELSE 'dense' END;
	made.total_params_b := total_params_b;
	made.active_params_b := active_params_b;
	made.num_layers := n.layers;
	made.hidden_size := n.hidden;
	made.num_attention_heads := n.heads;
	made.num_key_value_heads := n.kv_heads;
	made.head_dim := n.head_dim;
	made.intermediate_size := n.width;
	made.vocab_size := n.vocab;
	made.max_position_embeddings := CASE WHEN made.architecture <> 'ssm' AND family <> 'bloom' THEN n.longest END;
	made.num_experts := n.experts;
	made.num_experts_per_token := n.chosen;
	made.weight_dtype := described.weight_dtype;
	made.quantization := described.quantization;
	made.attention_kind := CASE
		WHEN family = 'deepseek_v4' THEN NULL
		WHEN made.architecture = 'ssm' THEN 'none'
		WHEN made.architecture = 'hybrid' THEN 'hybrid'
		WHEN n.kv_rank IS NOT NULL THEN 'mla'
		WHEN n.kv_heads = n.heads THEN 'mha'
		WHEN n.kv_heads = 1 THEN 'mqa'
		ELSE 'gqa' END;
	made.source := 'Hugging Face config.json';
	made.builtin := false;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_llm_from_config(jsonb, text, double precision, double precision, text) IS
'The row of wattgpu_llms that a Hugging Face config.json describes, of whatever family, without storing it. total_params_b and active_params_b (1e9) are computed from the shape unless given; quantization replaces what the config says (weight_dtype is then NULL where neither tells it). llm NULL: the config''s _name_or_path if that is an organisation and a name. NULL config, NULL row. Error invalid_parameter_value, which lists all that is missing, for a config that does not say enough, holds what cannot be, or is not of a decoder LLM; feature_not_supported for layers that are not known here. Source: the classes of the transformers library.';

CREATE FUNCTION @extschema@.wattgpu_llm_from_config(
	config text, llm text DEFAULT NULL, total_params_b double precision DEFAULT NULL, active_params_b double precision DEFAULT NULL, quantization text DEFAULT NULL)
RETURNS @extschema@.wattgpu_llms
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.wattgpu_llm_from_config(@extschema@.wattgpu_python_json(config, llm), llm, total_params_b, active_params_b, quantization)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_llm_from_config(text, text, double precision, double precision, text) IS
'The same for the file as it is, up to 1 MB: Python''s Infinity and NaN count as null.';

CREATE FUNCTION @extschema@.wattgpu_add_llm(
	llm text, config jsonb, total_params_b double precision DEFAULT NULL, active_params_b double precision DEFAULT NULL, quantization text DEFAULT NULL)
RETURNS @extschema@.wattgpu_llms
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	made @extschema@.wattgpu_llms;
	stored @extschema@.wattgpu_llms;
	counted @extschema@.wattgpu_llms;
	known boolean;
BEGIN
	IF llm IS NULL OR config IS NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('%s of the LLM to add is NULL', CASE WHEN llm IS NULL THEN 'llm' ELSE 'config' END),
			HINT = 'Give its name and the contents of its config.json.';
	END IF;
	made := @extschema@.wattgpu_llm_from_config(config, llm, total_params_b, active_params_b, quantization);
	known := EXISTS (SELECT FROM @extschema@.wattgpu_llms l WHERE lower(l.llm COLLATE "C") = lower(made.llm COLLATE "C") AND NOT l.builtin);
	INSERT INTO @extschema@.wattgpu_llms AS l SELECT made.*
	ON CONFLICT (lower(llm COLLATE "C")) DO UPDATE SET
		model_type = EXCLUDED.model_type, architecture = EXCLUDED.architecture,
		total_params_b = EXCLUDED.total_params_b, active_params_b = EXCLUDED.active_params_b,
		num_layers = EXCLUDED.num_layers, hidden_size = EXCLUDED.hidden_size,
		num_attention_heads = EXCLUDED.num_attention_heads, num_key_value_heads = EXCLUDED.num_key_value_heads,
		head_dim = EXCLUDED.head_dim, intermediate_size = EXCLUDED.intermediate_size,
		vocab_size = EXCLUDED.vocab_size, max_position_embeddings = EXCLUDED.max_position_embeddings,
		num_experts = EXCLUDED.num_experts, num_experts_per_token = EXCLUDED.num_experts_per_token,
		tie_word_embeddings = EXCLUDED.tie_word_embeddings, weight_dtype = EXCLUDED.weight_dtype,
		quantization = EXCLUDED.quantization, attention_kind = EXCLUDED.attention_kind, source = EXCLUDED.source
	RETURNING l.* INTO stored;
	IF NOT FOUND THEN -- the trigger put it in a shipped row's place, and said so
		SELECT l.* INTO stored FROM @extschema@.wattgpu_llms l WHERE lower(l.llm COLLATE "C") = lower(made.llm COLLATE "C");
	ELSIF known THEN
		RAISE NOTICE 'LLM "%" was in wattgpu_llms and is updated', stored.llm;
	END IF;
	IF coalesce(total_params_b, active_params_b) IS NOT NULL THEN
		BEGIN
			counted := @extschema@.wattgpu_llm_from_config(config, llm, quantization => quantization);
		EXCEPTION WHEN invalid_parameter_value OR feature_not_supported THEN
			NULL; -- a shape that cannot be counted contradicts nothing
		END;
		IF greatest(total_params_b / counted.total_params_b, counted.total_params_b / total_params_b) > 2 THEN
			RAISE NOTICE 'total_params_b of LLM "%" is given as %, but its shape makes %', stored.llm, total_params_b, counted.total_params_b;
		END IF;
		IF greatest(active_params_b / counted.active_params_b, counted.active_params_b / active_params_b) > 2 THEN
			RAISE NOTICE 'active_params_b of LLM "%" is given as %, but its shape makes %', stored.llm, active_params_b, counted.active_params_b;
		END IF;
	END IF;
	RETURN stored;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_add_llm(text, jsonb, double precision, double precision, text) IS
'Stores what wattgpu_llm_from_config makes of a config as llm, and returns it: predictions know it at once. A row of that name is updated, with a NOTICE, and keeps its spelling; a shipped one becomes yours. A NOTICE says if a count that is given is more than twice or less than half of what the shape makes. Needs the table''s privileges. Errors as wattgpu_llm_from_config; invalid_parameter_value if llm or config is NULL. Nothing is stored after an error.';

CREATE FUNCTION @extschema@.wattgpu_add_llm(
	llm text, config text, total_params_b double precision DEFAULT NULL, active_params_b double precision DEFAULT NULL, quantization text DEFAULT NULL)
RETURNS @extschema@.wattgpu_llms
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
	SELECT @extschema@.wattgpu_add_llm(llm, @extschema@.wattgpu_python_json(config, llm), total_params_b, active_params_b, quantization)
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_add_llm(text, text, double precision, double precision, text) IS
'The same for the file as it is, up to 1 MB: Python''s Infinity and NaN count as null.';
