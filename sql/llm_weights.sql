-- What the fields of a Hugging Face config.json are called in each family of LLMs, what a layer is made of, and how many
-- weights that is.

CREATE FUNCTION @extschema@.wattgpu_python_json(json text, llm text DEFAULT NULL) RETURNS jsonb
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.wattgpu_python_json(text, text) IS
'JSON as Python writes it: Infinity, -Infinity and NaN outside of strings become null. NULL in, NULL out; error invalid_parameter_value above 1 MB and for what is not JSON, named as the config of llm.';

CREATE FUNCTION @extschema@.wattgpu_config_traits(model_type text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce((SELECT string_to_array(f.traits, ' ') FROM (VALUES
		('gpt2 gpt_bigcode', 'tied plain bias layernorm positions four'),
		('gpt_neo', 'tied plain layernorm positions four'),
		('gptj codegen', 'plain layernorm norm1 head-bias four'),
		('gpt_neox', 'plain bias layernorm'),
		('opt', 'tied plain bias layernorm positions'),
		('xglm', 'tied plain bias layernorm'),
		('bloom', 'tied plain bias layernorm four'),
		('chatglm1', 'tied plain bias layernorm'),
		('mpt', 'tied plain four'),
		('falcon RefinedWeb RefinedWebModel', 'tied plain layernorm four'),
		('phi phi-msft mixformer-sequential', 'plain bias layernorm norm1 head-bias four'),
		('phi3small', 'tied bias layernorm'),
		('persimmon', 'plain bias layernorm head-norm'),
		('starcoder2', 'tied plain bias layernorm'),
		('stablelm stablelm_epoch phimoe', 'layernorm'),
		('nemotron', 'plain layernorm'),
		('arcee nemotron_h', 'plain'),
		('apertus', 'plain head-norm'),
		('cohere cohere2', 'tied norm1'),
		('gemma recurrent_gemma minicpm minicpm3 smollm3 exaone ernie4_5 ernie4_5_moe mamba mamba2 falcon_mamba', 'tied'),
		('gemma2', 'tied norm4'),
		('gemma3 gemma3n gemma4', 'tied norm4 head-norm'),
		('lfm2 lfm2_moe', 'tied head-norm'),
		('qwen', 'qkv-bias half'),
		('qwen2 qwen2_vl qwen2_5_vl qwen2_5_omni qwen2_moe', 'qkv-bias'),
		('qwen3 qwen3_moe qwen3_vl qwen3_vl_moe qwen3_omni_moe exaone4 dots1 hunyuan_v1_dense hunyuan_v1_moe', 'head-norm'),
		('qwen3_next qwen3_5 qwen3_5_moe', 'head-norm gated-query'),
		('olmo2 olmo3 olmoe minimax_m2', 'full-norm'),
		('glm4 grok-1', 'norm4'),
		('rwkv', 'layernorm four')) f (families, traits)
	WHERE regexp_replace(model_type, '_text$', '') = ANY (string_to_array(f.families, ' '))), '{}')
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_traits(text) IS
'For wattgpu_llm_from_config: how a family''s layers differ from Llama''s. tied: head is the input embedding unless the config says otherwise; plain: MLP of two matrices, not three; bias, qkv-bias, head-bias: where linear layers have one; layernorm: norms have one; norm1, norm4: norms a layer, not 2; head-norm, full-norm: norms of queries and keys; positions: learned ones; four: MLP four times as wide as the model; half: intermediate_size counts the gate too; gated-query: queries come with a gate.';

CREATE FUNCTION @extschema@.wattgpu_config_always_moe(model_type text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	-- granitemoehybrid has dense members
	SELECT model_type ~ 'moe' AND model_type <> 'granitemoehybrid'
		OR model_type ~ '^(mixtral|deepseek(_v[234].*)?|kimi_k2|qwen3_next|gpt_oss|llama4|dbrx|grok-1|arctic|minimax(_.*)?|dots1|longcat_flash|flex_olmo)$'
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_always_moe(text) IS
'For wattgpu_llm_from_config: whether every LLM of a family has experts. NULL in, NULL out.';

CREATE FUNCTION @extschema@.wattgpu_config_flag(config jsonb, fields text[], otherwise boolean) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	field text;
BEGIN
	FOREACH field IN ARRAY fields LOOP
		CONTINUE WHEN coalesce(config -> field, 'null') = 'null';
		IF jsonb_typeof(config -> field) <> 'boolean' THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('%s of the config is %s, not true or false', field, left((config -> field)::text, 60));
		END IF;
		RETURN config -> field;
	END LOOP;
	RETURN otherwise;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_flag(jsonb, text[], boolean) IS
'For wattgpu_llm_from_config: the first of fields that the config has, otherwise what is given. Error invalid_parameter_value if it is not a boolean.';

CREATE FUNCTION @extschema@.wattgpu_config_numbers(config jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	field record;
	given text;
	value jsonb;
	numbers jsonb := '{}';
BEGIN
	FOR field IN SELECT * FROM (VALUES
		('layers', 1, 10000, 'num_hidden_layers n_layer n_layers num_layers'),
		('hidden', 1, 10000000, 'hidden_size n_embd d_model n_embed'),
		('heads', 1, 1000000, 'num_attention_heads n_head n_heads num_heads attention_heads'),
		('kv_heads', 1, 1000000, 'num_key_value_heads num_kv_heads n_head_kv kv_n_heads multi_query_group_num'),
		('head_dim', 1, 1000000, 'attention_head_dim head_dim kv_channels'),
		('width', 1, 100000000, 'intermediate_size n_inner ffn_dim ffn_hidden_size inner_hidden_size ff_intermediate_size block_ff_dim'),
		('vocab', 1, 1000000000, 'padded_vocab_size vocab_size n_vocab'),
		('longest', 1, 2147483647, 'max_position_embeddings n_positions max_seq_len max_sequence_length seq_length model_max_length n_ctx context_length'),
		('expansion', 1, 100, 'expansion_ratio'),
		('experts', 0, 1000000, 'num_experts num_local_experts n_routed_experts moe_num_experts num_moe_experts'),
		('chosen', 0, 1000000, 'num_experts_per_tok num_experts_per_token top_k_experts moe_topk moe_top_k moe_k experts_per_token num_selected_experts'),
		('expert_width', 0, 100000000, 'moe_intermediate_size moe_ffn_hidden_size expert_ffn_hidden_size'),
		('shared', 0, 1000000, 'n_shared_experts num_shared_experts num_shared_expert moe_num_shared_experts'),
		('shared_width', 0, 100000000, 'shared_expert_intermediate_size moe_shared_expert_intermediate_size shared_intermediate_size share_expert_dim'),
		('dense_width', 1, 100000000, 'intermediate_size_mlp dense_intermediate_size'),
		('latent', 0, 10000000, 'moe_latent_size'),
		('first_dense', 0, 10000, 'first_k_dense_replace num_dense_layers moe_layer_num_skipped moe_layer_start_index'),
		('last_sparse', 0, 10000, 'moe_layer_end_index'),
		('sparse_step', 1, 10000, 'decoder_sparse_step interleave_moe_layer_step moe_layer_interval expert_layer_period'),
		('sparse_offset', 0, 10000, 'expert_layer_offset'),
		('sparse_freq', 1, 10000, 'moe_layer_freq'),
		('attention_step', 1, 10000, 'full_attention_interval attn_layer_period'),
		('attention_offset', 0, 10000, 'attn_layer_offset'),
		('q_rank', 0, 10000000, 'q_lora_rank'),
		('kv_rank', 0, 10000000, 'kv_lora_rank'),
		('nope', 0, 1000000, 'qk_nope_head_dim'),
		('rope', 0, 1000000, 'qk_rope_head_dim'),
		('v_dim', 1, 1000000, 'v_head_dim'),
		('index_heads', 0, 1000000, 'index_n_heads'),
		('index_dim', 0, 1000000, 'index_head_dim'),
		('global_dim', 1, 1000000, 'global_head_dim'),
		('global_kv', 1, 1000000, 'num_global_key_value_heads'),
		('kv_shared', 0, 10000, 'num_kv_shared_layers'),
		('layer_input', 0, 10000000, 'hidden_size_per_layer_input'),
		('layer_vocab', 0, 1000000000, 'vocab_size_per_layer_input'),
		('embedding', 1, 10000000, 'word_embed_proj_dim'),
		('linear_k_heads', 1, 1000000, 'linear_num_key_heads'),
		('linear_v_heads', 1, 1000000, 'linear_num_value_heads'),
		('linear_k_dim', 1, 1000000, 'linear_key_head_dim'),
		('linear_v_dim', 1, 1000000, 'linear_value_head_dim'),
		('conv', 1, 10000, 'conv_kernel mamba_d_conv linear_conv_kernel_dim conv_L_cache conv1d_width'),
		('state', 1, 1000000, 'state_size mamba_d_state ssm_state_size'),
		('expand', 1, 100, 'expand mamba_expand'),
		('dt_rank', 1, 1000000, 'time_step_rank mamba_dt_rank'),
		('ssm_width', 1, 10000000, 'mamba_d_ssm lru_width'),
		('ssm_heads', 1, 1000000, 'mamba_num_heads mamba_n_heads n_mamba_heads'),
		('ssm_dim', 1, 1000000, 'mamba_head_dim mamba_d_head mamba_headdim'),
		('groups', 1, 1000000, 'n_groups mamba_n_groups mamba_ngroups'),
		('blocks', 1, 10000, 'num_mem_blocks'),
		('adapter', 1, 1000000, 'adapter_rank')) f (name, least, most, spellings)
	LOOP
		FOREACH given IN ARRAY string_to_array(field.spellings, ' ') LOOP
			value := coalesce(config -> given, 'null');
			CONTINUE WHEN value = 'null' OR field.name IN ('dt_rank', 'ssm_dim') AND value = '"auto"';
			IF jsonb_typeof(value) = 'array' AND field.name IN ('width', 'experts', 'chosen', 'expert_width', 'shared', 'first_dense', 'last_sparse', 'sparse_freq') THEN
				-- some families list a number for each layer; which layers have experts is not for here
				CONTINUE WHEN field.name = 'sparse_freq';
				IF (SELECT count(DISTINCT v) FROM jsonb_array_elements(value) v) <> 1 THEN
					RAISE feature_not_supported USING
						MESSAGE = format('%s of the config differs from layer to layer', given),
						HINT = 'Insert a row of your own into wattgpu_llms.';
				END IF;
				value := value -> 0;
			END IF;
			-- CASE keeps what is no number from the cast
			IF (CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric NOT BETWEEN field.least AND field.most OR value::numeric % 1 <> 0 ELSE true END) THEN
				RAISE invalid_parameter_value USING
					MESSAGE = format('%s of the config is %s, not an integer from %s to %s', given, left(value::text, 60), field.least, field.most);
			END IF;
			numbers := numbers || jsonb_build_object(field.name, trunc(value::numeric));
			EXIT;
		END LOOP;
	END LOOP;
	RETURN numbers;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_numbers(jsonb) IS
'For wattgpu_llm_from_config: the config''s integers under one name each. Error invalid_parameter_value, which names the field, for what is not an integer within range.';

CREATE FUNCTION @extschema@.wattgpu_config_mixers(config jsonb, numbers jsonb, family text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	layers integer := numbers ->> 'layers';
	step integer := numbers ->> 'attention_step';
	others text := CASE WHEN numbers ? 'ssm_heads' OR family = 'mamba2' THEN 'mamba2' ELSE 'mamba' END;
	listed jsonb;
	mixers text[];
BEGIN
	IF family ~ '^(mamba2?|falcon_mamba)$' THEN
		RETURN array_fill(others, ARRAY[layers]);
	ELSIF family = 'rwkv' THEN
		RETURN array_fill('rwkv'::text, ARRAY[layers]);
	ELSIF jsonb_typeof(config -> 'hybrid_override_pattern') = 'string' THEN
		listed := to_jsonb(string_to_array(config ->> 'hybrid_override_pattern', NULL));
	ELSE
		listed := nullif(coalesce(config -> 'layer_types', config -> 'layers_block_type', config -> 'block_types', config -> 'attn_type_list'), '[]');
	END IF;
	IF listed IS NOT NULL THEN
		IF jsonb_typeof(listed) <> 'array' THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('types of layers of the config are %s, not a list', left(listed::text, 60));
		END IF;
		IF jsonb_array_length(listed) < layers AND family <> 'recurrent_gemma' THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('config lists %s layers of %s', jsonb_array_length(listed), layers);
		END IF;
		SELECT array_agg(CASE
			WHEN t IN ('full_attention', 'attention', 'global_attention', '*', '1') THEN 'attention'
			WHEN t IN ('sliding_attention', 'chunked_attention', 'local_attention') THEN 'sliding'
			WHEN t IN ('mamba', 'M', 'mamba2') THEN others
			WHEN t IN ('linear_attention', '0') THEN 'linear'
			WHEN t IN ('moe', 'E') THEN 'moe'
			WHEN t IN ('mlp', '-') THEN 'mlp'
			WHEN t IN ('conv', 'recurrent', 'hybrid') THEN t END ORDER BY i) INTO mixers
		FROM generate_series(0, layers - 1) i, LATERAL (SELECT listed ->> (i % jsonb_array_length(listed))) v (t);
		IF array_position(mixers, NULL) IS NOT NULL THEN
			RAISE feature_not_supported USING
				MESSAGE = format('layer type "%s" of the config is not known', left(listed ->> (array_position(mixers, NULL) - 1), 60)),
				HINT = 'Insert a row of your own into wattgpu_llms.';
		END IF;
	ELSE
		-- lists of the layers that have attention, or the period they come at
		listed := coalesce(config -> 'attn_layer_indices', config -> 'full_attn_idxs', config #> '{linear_attn_config,full_attn_layers}', config -> 'hybrid_layer_ids');
		SELECT array_agg(CASE
			WHEN jsonb_typeof(listed) = 'array' THEN CASE
				WHEN listed @> to_jsonb(i + (config ? 'linear_attn_config')::integer) THEN CASE WHEN config ? 'hybrid_layer_ids' THEN 'hybrid' ELSE 'attention' END
				WHEN config ? 'full_attn_idxs' THEN 'conv' WHEN config ? 'linear_attn_config' THEN 'linear' ELSE others END
			WHEN numbers ? 'attention_offset' THEN CASE WHEN i % step = (numbers ->> 'attention_offset')::integer THEN 'attention' ELSE others END
			WHEN step IS NOT NULL THEN CASE WHEN (i + 1) % step = 0 THEN 'attention' ELSE 'linear' END
			WHEN family = 'falcon_h1' THEN 'parallel'
			ELSE 'attention' END ORDER BY i) INTO mixers
		FROM generate_series(0, layers - 1) i;
	END IF;
	RETURN mixers;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_mixers(jsonb, jsonb, text) IS
'For wattgpu_llm_from_config: what mixes the tokens in each layer: attention, sliding, linear, mamba, mamba2, conv, recurrent, rwkv, parallel (attention beside mamba2), hybrid (mamba2 with the shared attention of Zamba); moe and mlp are layers that mix nothing. Errors invalid_parameter_value, feature_not_supported for lists that are short or name what is not known.';

CREATE FUNCTION @extschema@.wattgpu_config_sparse(config jsonb, numbers jsonb, layer integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT (numbers ->> 'experts')::integer > 0 AND CASE
		WHEN jsonb_typeof(config -> 'mlp_layer_types') = 'array' THEN config -> 'mlp_layer_types' ->> layer = 'sparse'
		WHEN jsonb_typeof(config -> 'moe_layer_freq') = 'array' THEN config -> 'moe_layer_freq' -> layer = '1'
		WHEN jsonb_typeof(config -> 'moe_layers') = 'array' AND config -> 'moe_layers' <> '[]' THEN config -> 'moe_layers' @> to_jsonb(layer)
		WHEN jsonb_typeof(config -> 'moe_layers_enum') = 'string' THEN layer::text = ANY (string_to_array(config ->> 'moe_layers_enum', ','))
		ELSE layer >= coalesce((numbers ->> 'first_dense')::integer, 0)
			AND layer <= coalesce(nullif((numbers ->> 'last_sparse')::integer, 0), layer)
			AND NOT coalesce(config -> 'mlp_only_layers' @> to_jsonb(layer), false)
			AND layer % coalesce((numbers ->> 'sparse_freq')::integer, 1) = 0
			AND CASE WHEN numbers ? 'sparse_offset' THEN layer % coalesce((numbers ->> 'sparse_step')::integer, 1) = (numbers ->> 'sparse_offset')::integer
				ELSE (layer + 1) % coalesce((numbers ->> 'sparse_step')::integer, 1) = 0 END END
$$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_sparse(jsonb, jsonb, integer) IS
'For wattgpu_llm_from_config: whether a layer, counted from 0, has experts.';

CREATE FUNCTION @extschema@.wattgpu_config_mixer_weights(config jsonb, numbers jsonb, family text, mixer text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	n record;
	traits text[] := @extschema@.wattgpu_config_traits(family);
	dim double precision;
	kv double precision;
	queries double precision;
	inner_width double precision;
	weights double precision;
BEGIN
	SELECT * INTO n FROM jsonb_to_record(numbers) AS (hidden float8, heads float8, kv_heads float8, head_dim float8, q_rank float8, kv_rank float8, nope float8, rope float8, v_dim float8,
		index_heads float8, index_dim float8, global_dim float8, global_kv float8, linear_k_heads float8, linear_v_heads float8, linear_k_dim float8, linear_v_dim float8,
		conv float8, state float8, expand float8, dt_rank float8, ssm_width float8, ssm_heads float8, ssm_dim float8, groups float8, width float8, layers float8);
	IF mixer IN ('attention', 'sliding', 'parallel') AND n.kv_rank > 0 THEN
		RETURN CASE WHEN n.q_rank > 0 THEN n.q_rank * (n.hidden + 1 + n.heads * (n.nope + n.rope)) ELSE n.hidden * n.heads * (n.nope + n.rope) END
			+ n.hidden * (n.kv_rank + n.rope) + n.kv_rank * (1 + n.heads * (n.nope + n.v_dim)) + n.heads * n.v_dim * n.hidden
			+ coalesce(n.index_heads * (n.q_rank * n.index_dim + n.hidden) + n.hidden * n.index_dim + 2 * n.index_dim, 0);
	ELSIF mixer IN ('attention', 'sliding', 'parallel') THEN
		dim := CASE WHEN mixer = 'attention' THEN coalesce(n.global_dim, n.head_dim) ELSE n.head_dim END;
		kv := CASE WHEN mixer = 'attention' AND n.global_dim IS NOT NULL THEN coalesce(n.global_kv, n.kv_heads) ELSE n.kv_heads END * dim;
		queries := n.heads * dim;
		weights := n.hidden * queries * CASE WHEN 'gated-query' = ANY (traits) AND @extschema@.wattgpu_config_flag(config, '{attn_output_gate}', true) THEN 3 ELSE 2 END
			-- Gemma 4 uses the keys as values where attention is global
			+ n.hidden * kv * CASE WHEN mixer = 'attention' AND n.global_dim IS NOT NULL AND @extschema@.wattgpu_config_flag(config, '{attention_k_eq_v}', false) THEN 1 ELSE 2 END;
		IF 'bias' = ANY (traits) AND @extschema@.wattgpu_config_flag(config, '{use_bias,enable_bias}', true)
			OR @extschema@.wattgpu_config_flag(config, '{attention_bias,bias}', false) THEN
			weights := weights + queries + 2 * kv + n.hidden;
		ELSIF 'qkv-bias' = ANY (traits) OR @extschema@.wattgpu_config_flag(config, '{qkv_bias,use_qkv_bias,add_qkv_bias}', false) THEN
			weights := weights + queries + 2 * kv;
		END IF;
		IF 'head-norm' = ANY (traits) THEN
			weights := weights + 2 * dim;
		ELSIF 'full-norm' = ANY (traits) OR family LIKE 'cohere%' AND @extschema@.wattgpu_config_flag(config, '{use_qk_norm}', false) THEN
			weights := weights + queries + kv;
		END IF;
		IF mixer <> 'parallel' THEN
			RETURN weights;
		END IF;
	END IF;
	CASE
		WHEN mixer = 'mamba' THEN
			inner_width := CASE WHEN family = 'jamba' THEN coalesce(n.expand, 2) * n.hidden ELSE n.width END; -- Falcon Mamba's expand says something else
			n.state := coalesce(n.state, 16);
			n.dt_rank := coalesce(n.dt_rank, ceil(n.hidden / 16));
			RETURN 3 * n.hidden * inner_width + inner_width * (coalesce(n.conv, 4) + 1) + inner_width * (n.dt_rank + 2 * n.state)
				+ (n.dt_rank + 1) * inner_width + inner_width * (n.state + 1) + CASE WHEN family = 'jamba' THEN n.dt_rank + 2 * n.state ELSE 0 END;
		WHEN mixer IN ('mamba2', 'parallel', 'hybrid') THEN
			inner_width := coalesce(n.ssm_width, n.ssm_heads * n.ssm_dim, coalesce(n.expand, 2) * n.hidden);
			n.ssm_heads := coalesce(n.ssm_heads, inner_width / coalesce(n.ssm_dim, 64));
			n.state := coalesce(n.state, 128);
			n.groups := coalesce(n.groups, 1);
			RETURN coalesce(weights, 0) + n.hidden * (2 * inner_width + 2 * n.groups * n.state + n.ssm_heads)
				+ (inner_width + 2 * n.groups * n.state) * (coalesce(n.conv, 4) + 1) + 3 * n.ssm_heads + inner_width + inner_width * n.hidden;
		WHEN mixer = 'linear' AND n.linear_k_heads IS NOT NULL THEN -- gated delta net
			queries := n.linear_k_heads * n.linear_k_dim;
			inner_width := n.linear_v_heads * n.linear_v_dim;
			RETURN n.hidden * (2 * queries + 2 * inner_width + 2 * n.linear_v_heads) + (2 * queries + inner_width) * coalesce(n.conv, 4)
				+ 2 * n.linear_v_heads + n.linear_v_dim + inner_width * n.hidden;
		WHEN mixer = 'linear' AND family LIKE 'minimax%' THEN -- lightning attention
			RETURN 5 * n.hidden * n.heads * n.head_dim + n.heads * n.head_dim;
		WHEN mixer = 'linear' AND jsonb_typeof(config #> '{linear_attn_config,num_heads}') = 'number' AND jsonb_typeof(config #> '{linear_attn_config,head_dim}') = 'number' THEN
			-- Kimi delta attention: its gates are of low rank
			dim := config #>> '{linear_attn_config,head_dim}';
			inner_width := dim * (config #>> '{linear_attn_config,num_heads}')::double precision;
			RETURN 4 * n.hidden * inner_width + 2 * dim * (n.hidden + inner_width) + n.hidden * inner_width / dim + 12 * inner_width;
		WHEN mixer = 'conv' THEN
			RETURN 4 * n.hidden * n.hidden + n.hidden * coalesce(n.conv, 3);
		WHEN mixer = 'recurrent' THEN
			inner_width := coalesce(n.ssm_width, n.hidden);
			RETURN 3 * n.hidden * inner_width + inner_width * (coalesce(n.conv, 4) + 1) + 2 * inner_width * inner_width / n.heads + 5 * inner_width + n.hidden;
		WHEN mixer = 'rwkv' THEN
			RETURN 5 * n.hidden * n.hidden + 2 * n.hidden * n.width;
		WHEN mixer IN ('moe', 'mlp') THEN
			RETURN 0;
		ELSE
			RAISE feature_not_supported USING
				MESSAGE = format('linear attention of model_type "%s" is not known', family),
				HINT = 'Insert a row of your own into wattgpu_llms.';
	END CASE;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_mixer_weights(jsonb, jsonb, text, text) IS
'For wattgpu_llm_from_config: weights of one layer''s mixer, biases and inner norms included.';

CREATE FUNCTION @extschema@.wattgpu_config_parameters(config jsonb, numbers jsonb, family text, mixers text[], tied boolean, OUT total double precision, OUT active double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	n record;
	traits text[] := @extschema@.wattgpu_config_traits(family);
	matrices integer := CASE WHEN 'plain' = ANY (traits) THEN 2 ELSE 3 END;
	norm double precision; -- weights of one of a layer's norms
	expert double precision;
	dense double precision;
	sparse double precision; -- what a layer with experts has beside the routed ones
	own double precision;
	block jsonb;
	shares boolean;
BEGIN
	SELECT * INTO n FROM jsonb_to_record(numbers) AS (layers integer, hidden float8, heads float8, kv_heads float8, head_dim float8, width float8, vocab float8, longest float8,
		experts float8, chosen float8, expert_width float8, shared float8, shared_width float8, dense_width float8, latent float8,
		layer_input float8, layer_vocab float8, embedding float8, kv_shared integer, blocks float8, adapter float8);
	norm := n.hidden * CASE WHEN 'layernorm' = ANY (traits) THEN 2 ELSE 1 END;
	n.expert_width := coalesce(nullif(n.expert_width, 0), n.width);
	n.embedding := coalesce(n.embedding, n.hidden);
	total := n.embedding * n.vocab * CASE WHEN tied THEN 1 ELSE 2 END + norm;
	IF family = 'bloom' THEN
		total := total + norm; -- of the embedding
	END IF;
	IF 'head-bias' = ANY (traits) OR @extschema@.wattgpu_config_flag(config, '{lm_head_bias}', false) THEN
		total := total + n.vocab;
	END IF;
	IF n.embedding <> n.hidden THEN
		total := total + 2 * n.embedding * n.hidden;
	END IF;
	IF 'positions' = ANY (traits) THEN
		total := total + (coalesce(n.longest, 0) + CASE family WHEN 'opt' THEN 2 ELSE 0 END) * n.hidden;
	END IF;
	active := total;

	-- MLPs: dense, and of experts with their router and what every token uses
	dense := matrices * n.hidden * coalesce(n.dense_width, n.width) / CASE WHEN 'half' = ANY (traits) OR family = 'recurrent_gemma' THEN 2 ELSE 1 END;
	IF family LIKE 'lfm2%' AND @extschema@.wattgpu_config_flag(config, '{block_auto_adjust_ff_dim}', family = 'lfm2') THEN
		dense := matrices * n.hidden * ceil(trunc(2 * n.width / 3) / 256) * 256;
	END IF;
	IF 'bias' = ANY (traits) OR family IN ('gptj', 'codegen', 'gpt_neo') OR @extschema@.wattgpu_config_flag(config, '{mlp_bias}', false) THEN
		dense := dense + (matrices - 1) * n.width + n.hidden;
	END IF;
	IF n.experts > 0 THEN
		expert := matrices * coalesce(nullif(n.latent, 0), n.hidden) * n.expert_width;
		IF family = 'gpt_oss' THEN
			expert := expert + 2 * n.expert_width + n.hidden;
		END IF;
		sparse := n.experts * n.hidden + 2 * n.hidden * coalesce(n.latent, 0)
			+ matrices * n.hidden * CASE WHEN n.shared_width > 0 THEN n.shared_width WHEN family = 'llama4' THEN n.width ELSE coalesce(n.shared, 0) * n.expert_width END;
		IF family LIKE 'qwen%' AND n.shared_width > 0 THEN
			sparse := sparse + n.hidden; -- gate of the shared expert
		END IF;
		IF @extschema@.wattgpu_config_flag(config, '{enable_moe_block,residual_moe}', false) THEN
			sparse := sparse + dense + 3 * norm;
		ELSIF @extschema@.wattgpu_config_flag(config, '{parallel_attn_mlp_res}', false) THEN
			sparse := sparse + matrices * n.hidden * n.hidden;
		END IF;
	ELSIF n.shared_width > 0 THEN -- Granite's dense hybrids
		dense := matrices * n.hidden * n.shared_width;
	END IF;

	IF jsonb_typeof(config -> 'block_configs') = 'array' THEN -- every layer pruned its own way
		IF jsonb_array_length(config -> 'block_configs') <> n.layers THEN
			RAISE invalid_parameter_value USING
				MESSAGE = format('config lists %s blocks of %s', jsonb_array_length(config -> 'block_configs'), n.layers);
		END IF;
		FOR block IN SELECT * FROM jsonb_array_elements(config -> 'block_configs') LOOP
			own := CASE
				WHEN block #> '{attention,no_op}' = 'true' THEN 0
				WHEN block #> '{attention,replace_with_linear}' = 'true' THEN n.hidden * n.hidden
				ELSE 2 * n.hidden * n.heads * n.head_dim + 2 * n.hidden * n.heads / (block #>> '{attention,n_heads_in_group}')::double precision * n.head_dim END
				+ CASE
				WHEN block #> '{ffn,no_op}' = 'true' THEN 0
				WHEN block #> '{ffn,replace_with_linear}' = 'true' THEN n.hidden * n.hidden
				ELSE 3 * n.hidden * coalesce((block #>> '{ffn,intermediate_size}')::double precision,
					ceil(trunc(2 * (block #>> '{ffn,ffn_mult}')::double precision * n.hidden / 3) / 256) * 256) END;
			total := total + own + 2 * norm;
		END LOOP;
		active := total;
		RETURN;
	END IF;

	FOR layer IN 0 .. n.layers - 1 LOOP
		shares := family LIKE 'gemma4%' AND layer >= n.layers - coalesce(n.kv_shared, 0);
		own := norm * CASE WHEN 'norm4' = ANY (traits) THEN 4 WHEN 'norm1' = ANY (traits) OR family ~ '^(mamba2?|falcon_mamba|nemotron_h|zamba2)$' THEN 1 ELSE 2 END
			+ @extschema@.wattgpu_config_mixer_weights(config, CASE WHEN shares THEN numbers || '{"kv_heads": 0, "global_kv": 0}' ELSE numbers END, family, mixers[layer + 1]);
		IF family ~ '^(mamba2?|falcon_mamba|rwkv|zamba2)$' OR family = 'nemotron_h' AND mixers[layer + 1] NOT IN ('moe', 'mlp') THEN
			NULL; -- no MLP in this layer
		ELSIF mixers[layer + 1] = 'moe' OR family <> 'nemotron_h' AND @extschema@.wattgpu_config_sparse(config, numbers, layer) THEN
			own := own + sparse;
			total := total + n.experts * expert;
			active := active + n.chosen * expert;
		ELSE
			own := own + dense * CASE WHEN shares AND @extschema@.wattgpu_config_flag(config, '{use_double_wide_mlp}', false) THEN 2 ELSE 1 END;
		END IF;
		IF n.layer_input > 0 THEN
			own := own + 2 * n.hidden * n.layer_input + n.hidden + n.layer_input * n.hidden; -- gate, way back and projection
			IF family LIKE 'gemma3n%' THEN
				own := own + 133 * n.hidden; -- LAuReL of rank 64, and the router of AltUp
			END IF;
			total := total + coalesce(n.layer_vocab, n.vocab) * n.layer_input; -- a table, not counted as active
		END IF;
		total := total + own;
		active := active + own;
	END LOOP;
	IF family LIKE 'gemma3n%' THEN
		total := total + 6 * n.hidden * n.hidden;
		active := active + 6 * n.hidden * n.hidden;
	ELSIF family = 'zamba2' THEN -- attention and MLP of twice the width in, shared by the hybrid layers, each with a way in and an adapter of its own
		own := coalesce(n.blocks, 1) * (6 * n.hidden * n.heads * n.head_dim + n.heads * n.head_dim * n.hidden + dense + 3 * n.hidden)
			+ (SELECT count(*) FROM unnest(mixers) m WHERE m = 'hybrid') * (n.hidden * n.hidden
				+ CASE WHEN @extschema@.wattgpu_config_flag(config, '{use_shared_mlp_adapter}', true) THEN coalesce(n.adapter, 128) * (n.hidden + 2 * n.width) ELSE 0 END);
		total := total + own;
		active := active + own;
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_config_parameters(jsonb, jsonb, text, text[], boolean) IS
'For wattgpu_llm_from_config: all weights and those a token uses, summed layer by layer. NULL where a width that counts is not known.';
