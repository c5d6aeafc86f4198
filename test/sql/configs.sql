-- LLMs from Hugging Face configs. Invented ones, a feature of a family each; their weights are counted by hand beside them.
\set VERBOSITY terse
CREATE TEMPORARY TABLE fixtures (name text, total bigint, active bigint, want text, config text);
INSERT INTO fixtures VALUES
('plain Llama shape, grouped heads: two embeddings, q and o, k and v, three matrices, two norms',
	2*1000*64 + 2*(2*64*64 + 2*64*32 + 3*64*100 + 2*64) + 64, NULL, 'dense gqa 4/2/16 100 1000 f bf16 none',
	'{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 100, "vocab_size": 1000, "torch_dtype": "bfloat16"}'),
('unknown model_type is Llama-like; head_dim and tie_word_embeddings as said, kv heads as heads',
	1000*64 + 2*(4*64*128 + 3*64*100 + 2*64) + 64, NULL, 'dense mha 4/4/32 100 1000 t fp16 none',
	'{"model_type": "brandnew", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 32, "intermediate_size": 100, "vocab_size": 1000, "tie_word_embeddings": true, "dtype": "torch.float16"}'),
('Qwen 2: biases of q, k, v',
	2*1000*64 + 2*(2*64*64 + 2*64*32 + (64 + 2*32) + 3*64*100 + 2*64) + 64, NULL, 'dense gqa 4/2/16 100 1000 f  none',
	'{"model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 100, "vocab_size": 1000}'),
('GPT-2: tied, 64 positions, biases everywhere, norms with biases, MLP four times as wide',
	1000*64 + 64*64 + 2*(4*64*64 + 4*64 + 2*64*256 + 256 + 64 + 2*128) + 128, NULL, 'dense mha 4/4/16 256 1000 t  none',
	'{"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_inner": null, "n_positions": 64, "vocab_size": 1000}'),
('OPT: positions from 2 on',
	1000*64 + (64+2)*64 + 2*(4*64*64 + 4*64 + 2*64*200 + 200 + 64 + 2*128) + 128, NULL, 'dense mha 4/4/16 200 1000 t fp16 none',
	'{"model_type": "opt", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 200, "max_position_embeddings": 64, "vocab_size": 1000, "torch_dtype": "float16"}'),
('GPT-J: one norm a layer, biases of MLP and head only',
	2*1000*64 + 1000 + 2*(4*64*64 + 2*64*256 + 256 + 64 + 128) + 128, NULL, 'dense mha 4/4/16 256 1000 f fp32 none',
	'{"model_type": "gptj", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 1000, "torch_dtype": "float32"}'),
('BLOOM: norm of the embedding, no positions',
	1000*64 + 128 + 2*(4*64*64 + 4*64 + 2*64*256 + 256 + 64 + 2*128) + 128, NULL, 'dense mha 4/4/16 256 1000 t  none',
	'{"model_type": "bloom", "n_embed": 64, "n_layer": 2, "num_attention_heads": 4, "vocab_size": 1000, "seq_length": 2048}'),
('MPT: fields one level down, width by a ratio',
	1000*64 + 2*(2*64*64 + 2*64*16 + 2*64*128 + 2*64) + 64, NULL, 'dense mqa 4/1/16 128 1000 t bf16 none',
	'{"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "expansion_ratio": 2, "max_seq_len": 64, "vocab_size": 1000, "attn_config": {"attn_type": "multiquery_attention"}, "torch_dtype": "bfloat16"}'),
('Falcon, multi-query whatever num_kv_heads says',
	1000*64 + 2*(2*64*64 + 2*64*16 + 2*64*256 + 2*128) + 128, NULL, 'dense mqa 4/1/16 256 1000 t bf16 none',
	'{"model_type": "falcon", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_kv_heads": 4, "multi_query": true, "bias": false, "vocab_size": 1000, "torch_dtype": "bfloat16"}'),
('Falcon, new decoder: as many as num_kv_heads says',
	1000*64 + 2*(2*64*64 + 2*64*32 + 2*64*256 + 2*128) + 128, NULL, 'dense gqa 4/2/16 256 1000 t bf16 none',
	'{"model_type": "falcon", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_kv_heads": 2, "multi_query": true, "new_decoder_architecture": true, "bias": false, "vocab_size": 1000, "torch_dtype": "bfloat16"}'),
('ChatGLM names',
	2*1000*64 + 2*(2*64*64 + 2*64*32 + 64 + 2*32 + 3*64*100 + 2*64) + 64, NULL, 'dense gqa 4/2/16 100 1000 f fp16 none',
	'{"model_type": "chatglm", "hidden_size": 64, "num_layers": 2, "num_attention_heads": 4, "multi_query_attention": true, "multi_query_group_num": 2, "kv_channels": 16, "ffn_hidden_size": 100, "padded_vocab_size": 1000, "add_qkv_bias": true, "seq_length": 64, "torch_dtype": "float16"}'),
('nested: dtype and quantisation of the outer level, the tower not counted; Gemma 3 has four norms and norms of heads',
	1000*64 + 2*(2*64*128 + 2*64*64 + 2*32 + 3*64*100 + 4*64) + 64, NULL, 'dense gqa 4/2/32 100 1000 t int4 awq',
	'{"model_type": "gemma3", "torch_dtype": "float16", "vision_config": {"hidden_size": 9, "image_size": 7}, "quantization_config": {"quant_method": "awq", "bits": 4}, "text_config": {"model_type": "gemma3_text", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "intermediate_size": 100, "vocab_size": 1000}}'),
('experts: 1 dense layer, then 8 experts of width 30 and 2 shared; 2 used. Inactive: 2 layers of 6 experts',
	2*1000*64 + 3*(4*64*64 + 2*64) + 3*64*100 + 2*(8*3*64*30 + 64*8 + 2*3*64*30) + 64, 2*1000*64 + 3*(4*64*64 + 2*64) + 3*64*100 + 2*(2*3*64*30 + 64*8 + 2*3*64*30) + 64, 'moe mha 4/4/16 100 1000 f bf16 none 8/2',
	'{"model_type": "deepseek", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 100, "vocab_size": 1000, "first_k_dense_replace": 1, "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 2, "moe_intermediate_size": 30, "torch_dtype": "bfloat16"}'),
('Llama 4, experts in every second layer beside a shared one of the same width, dense layers of their own width',
	2*1000*64 + 4*(4*64*64 + 2*64) + 2*(3*64*200) + 2*(4*3*64*100 + 64*4 + 3*64*100) + 64, 2*1000*64 + 4*(4*64*64 + 2*64) + 2*(3*64*200) + 2*(1*3*64*100 + 64*4 + 3*64*100) + 64, 'moe mha 4/4/16 100 1000 f bf16 none 4/1',
	'{"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 100, "intermediate_size_mlp": 200, "vocab_size": 1000, "num_local_experts": 4, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "dtype": "bfloat16"}}'),
('latent attention: queries and keys by ranks 32 and 16, heads of 8 + 4, values of 8',
	2*1000*64 + 2*(64*32 + 32 + 32*4*12 + 64*(16+4) + 16 + 16*4*(8+8) + 4*8*64 + 3*64*100 + 2*64) + 64, NULL, 'dense mla 4/4/ 100 1000 f fp8 fp8',
	'{"model_type": "brandnew", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 100, "vocab_size": 1000, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"}}'),
('Qwen 3 Next: attention with a gate in every second layer, else a delta net of 2 key and 4 value heads of 8',
	2*1000*64 + (3*64*64 + 2*64*32 + 2*16) + (64*(2*16 + 2*32 + 2*4) + (2*16 + 32)*4 + 2*4 + 8 + 32*64) + 2*(4*3*64*30 + 64*4 + 3*64*20 + 64 + 2*64) + 64,
	2*1000*64 + (3*64*64 + 2*64*32 + 2*16) + (64*(2*16 + 2*32 + 2*4) + (2*16 + 32)*4 + 2*4 + 8 + 32*64) + 2*(2*3*64*30 + 64*4 + 3*64*20 + 64 + 2*64) + 64, 'hybrid hybrid 4/2/16  1000 f bf16 none 4/2',
	'{"model_type": "qwen3_next", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "full_attention_interval": 2, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 30, "shared_expert_intermediate_size": 20, "vocab_size": 1000, "torch_dtype": "bfloat16"}'),
('Jamba: attention in layer 1 of 2, experts in layer 0; Mamba of width 128, state 16, rank 8, kernel 4',
	2*1000*64 + 4*64*64 + (64*256 + 128*5 + 128*(8+32) + 8*128+128 + 128*16+128 + 128*64 + 8+32) + (4*3*64*100 + 64*4) + 3*64*100 + 2*2*64 + 64,
	2*1000*64 + 4*64*64 + (64*256 + 128*5 + 128*(8+32) + 8*128+128 + 128*16+128 + 128*64 + 8+32) + (2*3*64*100 + 64*4) + 3*64*100 + 2*2*64 + 64, 'hybrid hybrid 4/4/16 100 1000 f bf16 none 4/2',
	'{"model_type": "jamba", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 100, "vocab_size": 1000, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 0, "num_experts": 4, "num_experts_per_tok": 2, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_dt_rank": 8, "torch_dtype": "bfloat16"}'),
('Mamba: no heads, no context limit, no MLP; rank is a sixteenth of the width',
	1000*64 + 2*(64*256 + 128*5 + 128*(4+32) + 4*128+128 + 128*16+128 + 128*64 + 64) + 64, NULL, 'ssm none // 128 1000 t fp32 none',
	'{"model_type": "mamba", "hidden_size": 64, "n_layer": 2, "state_size": 16, "conv_kernel": 4, "expand": 2, "time_step_rank": "auto", "vocab_size": 1000, "max_position_embeddings": 99, "time_step_limit": [0.0, Infinity], "torch_dtype": "float32"}'),
('Mamba 2: its heads are not of attention. 4 heads of 32, 2 groups of state 16',
	2*1000*64 + 2*(64*(2*128 + 2*2*16 + 4) + (128 + 2*2*16)*5 + 3*4 + 128 + 128*64 + 64) + 64, NULL, 'ssm none // 128 1000 f bf16 none',
	'{"model_type": "mamba2", "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 4, "head_dim": 32, "n_groups": 2, "state_size": 16, "conv_kernel": 4, "expand": 2, "tie_word_embeddings": false, "vocab_size": 1000, "torch_dtype": "bfloat16"}'),
('Nemotron-H: a pattern of Mamba 2, attention, MLP and experts, each a layer with one norm; MLPs of two matrices',
	2*1000*64 + (64*(2*128 + 2*16 + 4) + (128 + 2*16)*5 + 3*4 + 128 + 128*64) + (2*64*64 + 2*64*32) + 2*64*100 + (8*2*64*30 + 64*8 + 2*64*40) + 4*64 + 64,
	2*1000*64 + (64*(2*128 + 2*16 + 4) + (128 + 2*16)*5 + 3*4 + 128 + 128*64) + (2*64*64 + 2*64*32) + 2*64*100 + (2*2*64*30 + 64*8 + 2*64*40) + 4*64 + 64, 'hybrid hybrid 4/2/16 100 1000 f bf16 none 8/2',
	'{"model_type": "nemotron_h", "hidden_size": 64, "num_hidden_layers": 4, "hybrid_override_pattern": "M*-E", "num_attention_heads": 4, "num_key_value_heads": 2, "attention_head_dim": 16, "intermediate_size": 100, "mamba_num_heads": 4, "mamba_head_dim": 32, "n_groups": 1, "ssm_state_size": 16, "conv_kernel": 4, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 30, "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 40, "vocab_size": 1000, "torch_dtype": "bfloat16"}'),
('Nemotron-NAS: a whole layer with an MLP of width 2/3 x 6 x 64 = 256, one without attention, one of linear maps',
	2*1000*64 + (2*64*64 + 2*64*32 + 3*64*256 + 2*64) + (3*64*256 + 2*64) + (64*64 + 64*64 + 2*64) + 64, NULL, 'dense gqa 4/2/16  1000 f bf16 none',
	'{"model_type": "nemotron-nas", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 1000, "torch_dtype": "bfloat16", "block_configs": [{"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 6}}, {"attention": {"no_op": true}, "ffn": {"ffn_mult": 5}}, {"attention": {"replace_with_linear": true}, "ffn": {"replace_with_linear": true}}]}'),
('RecurrentGemma: two recurrent layers of width 64 in 4 blocks, then attention; intermediate_size counts both halves',
	1000*64 + 2*(3*64*64 + 64*5 + 2*64*16 + 5*64 + 64) + (2*64*64 + 2*64*16) + 3*(3*64*50 + 2*64) + 64, NULL, 'hybrid hybrid 4/1/16 100 1000 t bf16 none',
	'{"model_type": "recurrent_gemma", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 16, "lru_width": 64, "conv1d_width": 4, "intermediate_size": 100, "vocab_size": 1000, "block_types": ["recurrent", "recurrent", "attention"], "torch_dtype": "bfloat16"}'),
('Gemma 4: a global layer with wider heads, fewer of keys, which are the values too',
	1000*64 + (2*64*64 + 2*64*32 + 2*16) + (2*64*128 + 64*32 + 2*32) + 2*(3*64*100 + 4*64) + 64, NULL, 'dense gqa 4/2/16 100 1000 t bf16 none',
	'{"model_type": "gemma4_text", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "global_head_dim": 32, "num_global_key_value_heads": 1, "attention_k_eq_v": true, "layer_types": ["sliding_attention", "full_attention"], "intermediate_size": 100, "vocab_size": 1000, "dtype": "bfloat16"}');
-- every one as counted; what differs is shown
SELECT f.name, f.total, round(l.total_params_b * 1e9) AS total_found, coalesce(f.active, f.total) AS active, round(l.active_params_b * 1e9) AS active_found
FROM fixtures f, wattgpu_llm_from_config(config) l WHERE (round(l.total_params_b * 1e9), round(l.active_params_b * 1e9)) IS DISTINCT FROM (f.total, coalesce(f.active, f.total));
SELECT f.name, f.want, found FROM fixtures f, wattgpu_llm_from_config(config) l,
	concat_ws(' ', architecture, attention_kind, concat(num_attention_heads, '/', num_key_value_heads, '/', head_dim), coalesce(intermediate_size::text, ''), vocab_size, tie_word_embeddings, coalesce(weight_dtype, ''), quantization, num_experts || '/' || num_experts_per_token) found
WHERE want IS DISTINCT FROM found;
SELECT l.* FROM fixtures, wattgpu_llm_from_config(wattgpu_python_json(config), llm => 'org/m') l WHERE name LIKE 'experts:%';

-- Quantisation, and what cannot be told
\set llama '{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 100, "vocab_size": 1000, "torch_dtype": "bfloat16"'
SELECT q, l.weight_dtype, l.quantization FROM (VALUES (1, '{"quant_method": "gptq", "bits": 8}'), (2, '{"load_in_8bit": true}'), (3, '{"quant_method": "bitsandbytes", "load_in_4bit": true}'),
	(4, '{"quant_method": "fbgemm_fp8"}'), (5, '{"quant_method": "mxfp4"}'), (6, '{"quant_method": "modelopt", "quant_algo": "FP8"}'), (7, '{"quant_method": "modelopt", "quant_algo": "NVFP4"}'),
	(8, '{"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 4, "type": "int", "group_size": 128}}}}'),
	(9, '{"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 8, "type": "int"}}, "b": {"weights": {"num_bits": 8, "type": "int"}}}}'),
	(10, '{"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 8, "type": "float"}}}}'),
	(11, '{"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 4, "type": "float", "group_size": 16}}}}'), (12, 'null')) v (i, q), wattgpu_llm_from_config(:'llama' || ', "quantization_config": ' || q || '}') l ORDER BY i;
SELECT wattgpu_llm_from_config(:'llama' || ', "quantization_config": {"quant_method": "gptq", "bits": 3}}');
SELECT wattgpu_llm_from_config(:'llama' || ', "quantization_config": {"quant_method": "awq", "bits": "4"}}');
SELECT wattgpu_llm_from_config(:'llama' || ', "quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": "4", "type": "int"}}}}}');
SELECT wattgpu_llm_from_config(:'llama' || ', "quantization_config": {"quant_method": "hqq"}}');
SELECT wattgpu_llm_from_config(:'llama' || ', "quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 4, "type": "int"}}, "b": {"weights": {"num_bits": 8, "type": "int"}}}}}');
SELECT wattgpu_llm_from_config(:'llama' || ', "dtype": "complex64"}');
SELECT l.weight_dtype, l.quantization FROM unnest(ARRAY['none', 'awq', 'nvfp4', 'gguf']) q, wattgpu_llm_from_config(:'llama' || ', "quantization_config": {"quant_method": "hqq"}}', quantization => q) l;
SELECT wattgpu_llm_from_config(:'llama' || '}', quantization => 'q4_K_M');

-- Counts that are given; the name
SELECT l.llm, l.total_params_b, l.active_params_b FROM wattgpu_llm_from_config(:'llama' || ', "_name_or_path": "org/some-llm.v1"}', total_params_b => 3) l;
SELECT l.llm FROM unnest(ARRAY['/home/me/llm', './llm', 'llm', 'a/b/c', 'org/name with blanks']) path, wattgpu_llm_from_config(:'llama' || format(', "_name_or_path": "%s"}', path)) l WHERE l.llm IS NOT NULL;
SELECT wattgpu_llm_from_config(:'llama' || '}', total_params_b => 3, active_params_b => 4);
SELECT wattgpu_llm_from_config(:'llama' || '}', total_params_b => 'NaN');
SELECT wattgpu_llm_from_config(:'llama' || '}', llm => ' blanks ');
SELECT wattgpu_llm_from_config(NULL::text) IS NULL AS none, wattgpu_llm_from_config(NULL::jsonb) IS NULL AS none_either;

-- All that is missing at once
SELECT wattgpu_llm_from_config('{}');
SELECT wattgpu_llm_from_config('{"model_type": "mixtral", "hidden_size": 64, "num_local_experts": 8, "num_attention_heads": 4}', llm => 'my/llm');
SELECT wattgpu_llm_from_config('{"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "kv_lora_rank": 16, "intermediate_size": 100, "vocab_size": 1000}');
-- Experts, but not how many, how wide or where: never a dense LLM
CREATE FUNCTION pg_temp.said(config text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT concat_ws(' ', l.architecture, l.num_experts, l.num_experts_per_token) FROM wattgpu_llm_from_config(config) l);
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN sqlerrm;
END $$;
\set shape '"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 100, "vocab_size": 1000'
SELECT fields, pg_temp.said('{' || fields || ', ' || :'shape' || '}') AS said FROM (VALUES
	(1, '"model_type": "mixtral", "num_experts_per_tok": 2'), (2, '"model_type": "mixtral"'), (3, '"model_type": "mixtral", "num_local_experts": 0, "num_experts_per_tok": 2'),
	(4, '"model_type": "deepseek_v3", "moe_intermediate_size": 30, "num_experts_per_tok": 8'), (5, '"model_type": "qwen3_moe", "moe_intermediate_size": 30, "num_experts_per_tok": 8'),
	(6, '"model_type": "gpt_oss", "num_experts_per_tok": 4'), (7, '"model_type": "brandnew", "num_experts_per_tok": 2'), (8, '"model_type": "brandnew", "moe_intermediate_size": 30'),
	(9, '"model_type": "brandnew", "n_shared_experts": 1'), (10, '"model_type": "brandnew", "first_k_dense_replace": 1'), (11, '"model_type": "brandnew", "decoder_sparse_step": 1'),
	(12, '"model_type": "nemotron_h", "hybrid_override_pattern": "*E", "num_experts_per_tok": 2, "moe_intermediate_size": 30'),
	-- leftovers and what is said to be dense
	(20, '"model_type": "brandnew", "num_experts_per_tok": null, "moe_intermediate_size": null'), (21, '"model_type": "qwen3", "num_experts_per_tok": 8'), (22, '"model_type": "llama", "decoder_sparse_step": 1'),
	(23, '"model_type": "granitemoehybrid", "num_local_experts": 0, "num_experts_per_tok": 0'), (24, '"model_type": "gemma4", "enable_moe_block": false, "top_k_experts": 8'),
	(25, '"model_type": "nemotron_h", "hybrid_override_pattern": "*-", "num_experts_per_tok": 2'), (26, '"model_type": "hunyuan", "num_experts": 1, "moe_topk": 1'),
	(30, '"model_type": "qwen3_moe", "num_experts": 8, "num_experts_per_tok": 2'), (31, '"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2'),
	(40, '"model_type": "jamba", "num_experts": 4, "num_experts_per_tok": 2, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_offset": 0'),
	(41, '"model_type": "jamba", "num_experts": 4, "num_experts_per_tok": 2, "expert_layer_period": 2, "attn_layer_offset": 1, "expert_layer_offset": 0'),
	(42, '"model_type": "jamba", "num_experts": 1, "num_experts_per_tok": 2, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 0'),
	(50, '"model_type": "deepseek", "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 30, "first_k_dense_replace": 1'),
	(51, '"model_type": "deepseek", "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 30, "first_k_dense_replace": 2'),
	(52, '"model_type": "mixtral", "num_local_experts": 1, "num_experts_per_tok": 2')) v (i, fields) ORDER BY i;
-- What is no decoder LLM
SELECT task, pg_temp.said(:'llama' || format(', "architectures": ["Llama%s"]}', task)) AS said
FROM unnest('{ForCausalLM,Model,ForSequenceClassification,ForTokenClassification,ForMaskedLM,ForQuestionAnswering,ForMultipleChoice}'::text[]) WITH ORDINALITY t (task, i) ORDER BY i;
SELECT wattgpu_llm_from_config('{"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "image_size": 224, "patch_size": 16}', llm => 'a"b');
SELECT wattgpu_llm_from_config('{"model_type": "brandnew", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "num_channels": 3}');
SELECT wattgpu_llm_from_config('{"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 30522, "intermediate_size": 3072}');
SELECT wattgpu_llm_from_config('{"model_type": "brandnew", "is_encoder_decoder": true}');
SELECT wattgpu_llm_from_config('{"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.6.0"}');
SELECT wattgpu_llm_from_config('{"peft_type": "LORA"}');
SELECT wattgpu_llm_from_config('{"model_type": "brandnew", "architectures": ["BrandNewForMaskedLM"], "vocab_size": 1000}');
SELECT wattgpu_llm_from_config('{"model_type": "rwkv7", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 1000}');
-- Fields that cannot be
SELECT wattgpu_llm_from_config('[1]');
SELECT wattgpu_llm_from_config('"text"');
SELECT wattgpu_llm_from_config('{"num_hidden_layers": "32"}');
SELECT wattgpu_llm_from_config('{"n_layer": -1}');
SELECT wattgpu_llm_from_config('{"num_hidden_layers": 0}');
SELECT wattgpu_llm_from_config('{"num_hidden_layers": 1.5}');
SELECT wattgpu_llm_from_config('{"num_hidden_layers": 1e300}');
SELECT wattgpu_llm_from_config('{"num_hidden_layers": true}');
SELECT wattgpu_llm_from_config('{"num_hidden_layers": [2]}');
SELECT wattgpu_llm_from_config('{"model_type": 7}');
SELECT wattgpu_llm_from_config(:'llama' || ', "tie_word_embeddings": "yes"}');
SELECT wattgpu_llm_from_config(:'llama' || ', "num_key_value_heads": 3}');
SELECT wattgpu_llm_from_config(:'llama' || ', "num_experts": 2, "num_experts_per_tok": 3}');
SELECT wattgpu_llm_from_config(:'llama' || ', "layer_types": ["full_attention"]}');
SELECT wattgpu_llm_from_config(:'llama' || ', "layer_types": true}');
SELECT wattgpu_llm_from_config(:'llama' || ', "layer_types": ["full_attention", "telepathy"]}');
SELECT wattgpu_llm_from_config(:'llama' || ', "n_heads": 1, "moe_intermediate_size": [1, 2]}');
SELECT wattgpu_llm_from_config('{"model_type": "llama", "hidden_size": 6');
SELECT wattgpu_llm_from_config(:'llama' || ', "x": "' || repeat('y', 1024 * 1024) || '"}');
SELECT l.num_layers FROM wattgpu_llm_from_config(:'llama' || ', "größe": {"層": 1}}') l;
DO $$ BEGIN PERFORM wattgpu_llm_from_config(repeat('[', 500000)); EXCEPTION WHEN statement_too_complex THEN RAISE NOTICE 'nested too deep'; END $$;

-- Python's JSON: only outside of strings, only whole
SELECT wattgpu_python_json('{"a": [Infinity,-Infinity, NaN], "NaN": "-Infinity \" NaN \\", "b":NaN}');
SELECT wattgpu_python_json('[Infinityx]');
SELECT wattgpu_python_json('[-NaN]');
SELECT wattgpu_python_json(NULL) IS NULL AS none, wattgpu_python_json('NaN');

-- Stored: new, again, in another spelling, and over a shipped row. Predictions follow
\set config :llama ', "max_position_embeddings": 512}'
SELECT l.* FROM wattgpu_add_llm('my/"llm"', :'config') l;
SELECT wattgpu_fits('NVIDIA A30', 'my/"llm"') AS fits, wattgpu_itl('NVIDIA A30', 'my/"llm"') > 0 AS itl;
SELECT l.llm, l.num_layers FROM wattgpu_add_llm('MY/"LLM"', jsonb_set(wattgpu_python_json(:'config'), '{num_hidden_layers}', '3')) l;
SELECT l.num_layers, l.builtin FROM wattgpu_llms l WHERE lower(l.llm) = 'my/"llm"';
BEGIN;
SELECT l.llm, l.num_layers, l.builtin, l.source FROM wattgpu_add_llm('Openai-Community/GPT2', :'config') l;
SELECT DISTINCT wattgpu_canonical_llm(a) FROM unnest('{gpt2,openai-community/gpt2}'::text[]) a;
SELECT l.llm, l.num_layers FROM wattgpu_add_llm('openai-community/gpt2', :'config', total_params_b => 0.5) l;
-- the shape makes 0.000199488: within a factor of 2, and beyond
SELECT l.total_params_b FROM wattgpu_add_llm('my/given', :'config', total_params_b => 0.000398) l;
SELECT l.total_params_b FROM wattgpu_add_llm('my/given2', :'config', total_params_b => 0.000398, active_params_b => 0.00009) l;
SELECT l.total_params_b FROM wattgpu_add_llm('my/given3', :'config', total_params_b => 0.0004) l;
ROLLBACK;
SELECT wattgpu_add_llm(NULL, :'config');
SELECT wattgpu_add_llm('my/other', NULL::jsonb);
SELECT wattgpu_add_llm('my/other', '{"hidden_size": 64}');
\set VERBOSITY default
\set SHOW_CONTEXT never
-- a count that was not divided, and texts that are no config
SELECT wattgpu_add_llm('my/other', :'config', total_params_b => 8030261248);
SELECT wattgpu_add_llm('my/other', 'see config.json');
SELECT wattgpu_llm_from_config('{"model_type": "llama", "hidden_size": 6', 'my/"other"');
SELECT wattgpu_llm_from_config('');
\set VERBOSITY terse
CREATE ROLE configs_reader;
SET ROLE configs_reader;
SELECT l.num_layers FROM wattgpu_llm_from_config(:'config') l;
SELECT wattgpu_add_llm('my/other', :'config');
RESET ROLE;
DROP ROLE configs_reader;
SELECT count(*) AS others FROM wattgpu_llms WHERE llm = 'my/other';
DELETE FROM wattgpu_llms WHERE llm = 'my/"llm"';
