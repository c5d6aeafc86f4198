\echo Use "CREATE EXTENSION wattgpu" to load this file. \quit

CREATE FUNCTION @extschema@.wattgpu_forest(booster bytea) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION @extschema@.wattgpu_forest(bytea) IS
'The trees of a booster as predictions walk them, in a form of this version''s own, a fifth of the booster''s size. NULL in, NULL out, and NULL if the bytes are not a booster that can be read.';

-- The tables. Names are matched in ASCII lower case under the "C" collation, so that what is the
-- same name does not depend on a database's locale; the unique indexes keep spellings apart that way.

CREATE TABLE @extschema@.wattgpu_gpus (
	gpu text PRIMARY KEY CHECK (gpu <> '' AND gpu = btrim(gpu, E' \t\n\r\x0b\f') AND octet_length(gpu) <= 256),
	manufacturer text CHECK (manufacturer <> ''),
	architecture text CHECK (architecture <> ''),
	release_date date CHECK (release_date BETWEEN '1990-01-01' AND '2100-12-31'),
	process_nm double precision CHECK (process_nm > 0 AND process_nm <= 1000),
	transistors_m double precision CHECK (transistors_m > 0 AND transistors_m <= 1e8),
	streaming_multiprocessors integer CHECK (streaming_multiprocessors > 0),
	shading_units integer CHECK (shading_units > 0),
	tensor_cores integer CHECK (tensor_cores > 0),
	base_clock_mhz double precision CHECK (base_clock_mhz > 0 AND base_clock_mhz <= 1e5),
	boost_clock_mhz double precision CHECK (boost_clock_mhz > 0 AND boost_clock_mhz <= 1e5),
	memory_clock_mhz double precision CHECK (memory_clock_mhz > 0 AND memory_clock_mhz <= 1e6),
	memory_gb double precision CHECK (memory_gb > 0 AND memory_gb <= 1e5),
	memory_total_mib double precision CHECK (memory_total_mib > 0 AND memory_total_mib <= 1e8),
	memory_type text CHECK (memory_type <> ''),
	memory_bus_bits integer CHECK (memory_bus_bits > 0),
	memory_bandwidth_gb_s double precision CHECK (memory_bandwidth_gb_s > 0 AND memory_bandwidth_gb_s <= 1e6),
	l2_cache_mb double precision CHECK (l2_cache_mb > 0 AND l2_cache_mb <= 1e5),
	tdp_w double precision CHECK (tdp_w > 0 AND tdp_w <= 1e5),
	fp16_tflops double precision CHECK (fp16_tflops > 0 AND fp16_tflops <= 1e6),
	fp8_tflops double precision CHECK (fp8_tflops > 0 AND fp8_tflops <= 1e6),
	fp32_tflops double precision CHECK (fp32_tflops > 0 AND fp32_tflops <= 1e6),
	form_factor text CHECK (form_factor <> ''),
	idle_power_w double precision CHECK (idle_power_w > 0 AND idle_power_w <= 1e5),
	source text,
	builtin boolean NOT NULL DEFAULT false,
	CHECK (boost_clock_mhz >= base_clock_mhz),
	CHECK (idle_power_w <= tdp_w),
	-- what a tool reports never differs from the nominal size by half
	CHECK (memory_total_mib BETWEEN memory_gb * 512 AND memory_gb * 1536)
);
CREATE UNIQUE INDEX wattgpu_gpus_name ON @extschema@.wattgpu_gpus (lower(gpu COLLATE "C"));

CREATE TABLE @extschema@.wattgpu_llms (
	llm text PRIMARY KEY CHECK (llm <> '' AND llm = btrim(llm, E' \t\n\r\x0b\f') AND octet_length(llm) <= 256),
	model_type text CHECK (model_type <> ''),
	architecture text CHECK (architecture IN ('dense', 'moe', 'hybrid', 'ssm')),
	total_params_b double precision CHECK (total_params_b > 0 AND total_params_b <= 1e6),
	active_params_b double precision CHECK (active_params_b > 0 AND active_params_b <= 1e6),
	num_layers integer CHECK (num_layers BETWEEN 1 AND 10000),
	hidden_size integer CHECK (hidden_size BETWEEN 1 AND 10000000),
	num_attention_heads integer CHECK (num_attention_heads BETWEEN 1 AND 1000000),
	num_key_value_heads integer CHECK (num_key_value_heads BETWEEN 1 AND 1000000),
	head_dim integer CHECK (head_dim BETWEEN 1 AND 1000000),
	intermediate_size integer CHECK (intermediate_size BETWEEN 1 AND 100000000),
	vocab_size integer CHECK (vocab_size BETWEEN 1 AND 1000000000),
	max_position_embeddings integer CHECK (max_position_embeddings > 0),
	num_experts integer CHECK (num_experts > 0),
	num_experts_per_token integer CHECK (num_experts_per_token > 0),
	tie_word_embeddings boolean,
	weight_dtype text CHECK (weight_dtype IN ('fp32', 'bf16', 'fp16', 'fp8', 'int8', 'int4', 'mxfp4', 'nvfp4')),
	quantization text CHECK (quantization IN ('none', 'fp8', 'awq', 'gptq', 'bitsandbytes', 'compressed-tensors', 'mxfp4', 'nvfp4', 'gguf')),
	attention_kind text CHECK (attention_kind IN ('mha', 'gqa', 'mqa', 'mla', 'hybrid', 'none')),
	source text,
	builtin boolean NOT NULL DEFAULT false,
	CHECK (active_params_b <= total_params_b),
	CHECK (num_key_value_heads <= num_attention_heads AND num_attention_heads % nullif(num_key_value_heads, 0) = 0),
	CHECK (num_experts_per_token <= num_experts)
);
CREATE UNIQUE INDEX wattgpu_llms_name ON @extschema@.wattgpu_llms (lower(llm COLLATE "C"));

CREATE TABLE @extschema@.wattgpu_gpu_aliases (
	alias text PRIMARY KEY CHECK (alias <> '' AND alias = btrim(alias, E' \t\n\r\x0b\f') AND octet_length(alias) <= 256),
	gpu text NOT NULL REFERENCES @extschema@.wattgpu_gpus,
	kind text CHECK (kind <> ''),
	builtin boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX wattgpu_gpu_aliases_name ON @extschema@.wattgpu_gpu_aliases (lower(alias COLLATE "C"));
CREATE INDEX wattgpu_gpu_aliases_gpu ON @extschema@.wattgpu_gpu_aliases (gpu);

CREATE TABLE @extschema@.wattgpu_llm_aliases (
	alias text PRIMARY KEY CHECK (alias <> '' AND alias = btrim(alias, E' \t\n\r\x0b\f') AND octet_length(alias) <= 256),
	llm text NOT NULL REFERENCES @extschema@.wattgpu_llms,
	kind text CHECK (kind <> ''),
	builtin boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX wattgpu_llm_aliases_name ON @extschema@.wattgpu_llm_aliases (lower(alias COLLATE "C"));
CREATE INDEX wattgpu_llm_aliases_llm ON @extschema@.wattgpu_llm_aliases (llm);

CREATE TABLE @extschema@.wattgpu_cloud_instances (
	provider text CHECK (provider <> ''),
	instance_type text CHECK (instance_type <> ''),
	gpu text NOT NULL REFERENCES @extschema@.wattgpu_gpus,
	gpu_count integer NOT NULL CHECK (gpu_count BETWEEN 1 AND 1024),
	source text,
	builtin boolean NOT NULL DEFAULT false,
	PRIMARY KEY (provider, instance_type)
);

CREATE TABLE @extschema@.wattgpu_scenarios (
	scenario text PRIMARY KEY CHECK (scenario <> '' AND scenario = btrim(scenario, E' \t\n\r\x0b\f') AND octet_length(scenario) <= 256),
	arrival_rate_qps double precision CHECK (arrival_rate_qps > 0 AND arrival_rate_qps <= 1e6),
	prompt_tokens double precision NOT NULL CHECK (prompt_tokens >= 1 AND prompt_tokens <= 1e7),
	output_tokens double precision CHECK (output_tokens >= 1 AND output_tokens <= 1e7),
	description text,
	builtin boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX wattgpu_scenarios_name ON @extschema@.wattgpu_scenarios (lower(scenario COLLATE "C"));

CREATE TABLE @extschema@.wattgpu_measurements (
	gpu text NOT NULL REFERENCES @extschema@.wattgpu_gpus,
	llm text NOT NULL REFERENCES @extschema@.wattgpu_llms,
	scenario text NOT NULL REFERENCES @extschema@.wattgpu_scenarios,
	arrival_rate_qps double precision CHECK (arrival_rate_qps > 0 AND arrival_rate_qps <= 1e6),
	prompt_tokens double precision CHECK (prompt_tokens > 0 AND prompt_tokens <= 1e7),
	output_tokens double precision CHECK (output_tokens > 0 AND output_tokens <= 1e7),
	num_gpus integer NOT NULL DEFAULT 1 CHECK (num_gpus BETWEEN 1 AND 1024),
	power_w double precision CHECK (power_w > 0 AND power_w <= 1e7),
	itl_s double precision CHECK (itl_s > 0 AND itl_s <= 1e6),
	runs integer NOT NULL DEFAULT 1 CHECK (runs > 0),
	source text,
	builtin boolean NOT NULL DEFAULT false,
	CHECK (power_w IS NOT NULL OR itl_s IS NOT NULL)
);
CREATE INDEX wattgpu_measurements_configuration ON @extschema@.wattgpu_measurements (gpu, llm, scenario);

CREATE TABLE @extschema@.wattgpu_models (
	model text CHECK (model <> '' AND octet_length(model) <= 100),
	target text CHECK (target IN ('power', 'itl')),
	recipe text NOT NULL,
	features text[] NOT NULL,
	categories text[] NOT NULL,
	params jsonb NOT NULL,
	library_version text NOT NULL,
	wattgpu_version text NOT NULL,
	training_rows integer NOT NULL CHECK (training_rows > 0),
	training_runs bigint NOT NULL CHECK (training_runs > 0),
	training_sha256 text NOT NULL,
	trained_at timestamptz NOT NULL DEFAULT now(),
	trained_gpus text[] NOT NULL,
	trained_llms text[] NOT NULL,
	trained_gpu_crcs double precision[] NOT NULL,
	trained_llm_crcs double precision[] NOT NULL,
	trained_llm_tokens double precision[] NOT NULL,
	trained_kinds text[] NOT NULL,
	range_names text[] NOT NULL,
	range_least double precision[] NOT NULL,
	range_most double precision[] NOT NULL,
	prior double precision[] NOT NULL,
	based_on text NOT NULL,
	intervals double precision[] NOT NULL,
	metrics jsonb NOT NULL,
	golden_features real[] NOT NULL,
	golden_margins real[] NOT NULL,
	booster bytea NOT NULL,
	-- made by the server itself, so that they cannot disagree with the booster
	forest bytea GENERATED ALWAYS AS (@extschema@.wattgpu_forest(booster)) STORED,
	booster_sha256 text GENERATED ALWAYS AS (pg_catalog.encode(pg_catalog.sha256(booster), 'hex')) STORED,
	crc32c bigint NOT NULL,
	builtin boolean NOT NULL DEFAULT false,
	PRIMARY KEY (model, target)
);

CREATE TABLE @extschema@.wattgpu_default_models (
	target text,
	set_at timestamptz DEFAULT clock_timestamp(),
	model text NOT NULL,
	set_by text NOT NULL DEFAULT session_user,
	builtin boolean NOT NULL DEFAULT false,
	PRIMARY KEY (target, set_at),
	FOREIGN KEY (model, target) REFERENCES @extschema@.wattgpu_models ON DELETE CASCADE
);

GRANT SELECT ON @extschema@.wattgpu_gpus, @extschema@.wattgpu_llms, @extschema@.wattgpu_gpu_aliases,
	@extschema@.wattgpu_llm_aliases, @extschema@.wattgpu_cloud_instances, @extschema@.wattgpu_scenarios,
	@extschema@.wattgpu_measurements, @extschema@.wattgpu_models, @extschema@.wattgpu_default_models TO PUBLIC;

COMMENT ON TABLE @extschema@.wattgpu_gpus IS 'GPU specs, one row a card. A NULL is a figure nobody could confirm: it reaches a model as missing. Rows of your own predict at once; a shipped row that you change becomes yours. Source: data/README.md and column source.';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.gpu IS 'Canonical name, as nvidia-smi or the vendor''s tool prints it; 1 to 256 bytes, unique without regard to ASCII case';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.manufacturer IS 'NVIDIA, AMD, Intel, ...';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.architecture IS 'The vendor''s name of the GPU generation, as Hopper or CDNA 3';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.release_date IS 'Date of release or announcement';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.process_nm IS 'Process node of the GPU die, nm';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.transistors_m IS 'Transistors of the GPU, millions';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.streaming_multiprocessors IS 'Streaming multiprocessors (compute units for AMD, Xe cores for Intel)';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.shading_units IS 'Shading units (CUDA cores, stream processors)';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.tensor_cores IS 'Tensor cores (matrix cores for AMD CDNA); NULL where the chip has none or it is not published';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.base_clock_mhz IS 'Base clock, MHz; at most boost_clock_mhz';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.boost_clock_mhz IS 'Boost clock, MHz';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.memory_clock_mhz IS 'Memory clock, MHz; the transfers a clock depend on memory_type';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.memory_gb IS 'Nominal memory as the vendor names it, GiB';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.memory_total_mib IS 'memory.total as nvidia-smi reports it, MiB; NULL where unknown: then memory_gb counts';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.memory_type IS 'HBM3, GDDR6, ...';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.memory_bus_bits IS 'Width of the memory bus, bits';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.memory_bandwidth_gb_s IS 'Peak memory bandwidth, 1e9 bytes a second';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.l2_cache_mb IS 'L2 cache (last-level cache where the vendor names it so), MB';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.tdp_w IS 'Default power limit of the board, W; without it power cannot be predicted';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.fp16_tflops IS 'Dense 16-bit tensor throughput with 32-bit accumulation, 1e12 FLOP/s';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.fp8_tflops IS 'Dense 8-bit floating-point tensor throughput, 1e12 FLOP/s; NULL where the chip has none';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.fp32_tflops IS '32-bit vector throughput, 1e12 FLOP/s';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.form_factor IS 'Board form: PCIe dual-slot, SXM5, OAM, ...';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.idle_power_w IS 'Measured board power with a model loaded and no request, W, at most tdp_w; NULL until you measure it';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.source IS 'Where the figures come from';
COMMENT ON COLUMN @extschema@.wattgpu_gpus.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_llms IS 'LLM shapes, one row a checkpoint. Parameter counts are of the language model alone, computed from the shape. A NULL is not known and reaches a model as missing. Source: data/README.md and column source.';
COMMENT ON COLUMN @extschema@.wattgpu_llms.llm IS 'Canonical name: the Hugging Face id, or ollama/tag for an Ollama build; 1 to 256 bytes, unique without regard to ASCII case';
COMMENT ON COLUMN @extschema@.wattgpu_llms.model_type IS 'model_type of the Hugging Face config (the outer one if nested)';
COMMENT ON COLUMN @extschema@.wattgpu_llms.architecture IS 'dense, moe (mixture of experts), hybrid (attention and state space), or ssm';
COMMENT ON COLUMN @extschema@.wattgpu_llms.total_params_b IS 'All weights, 1e9';
COMMENT ON COLUMN @extschema@.wattgpu_llms.active_params_b IS 'Weights a token uses (total less the experts it is not routed to), 1e9; at most total_params_b';
COMMENT ON COLUMN @extschema@.wattgpu_llms.num_layers IS 'Decoder layers';
COMMENT ON COLUMN @extschema@.wattgpu_llms.hidden_size IS 'Width of the residual stream';
COMMENT ON COLUMN @extschema@.wattgpu_llms.num_attention_heads IS 'Query heads; NULL for state-space models';
COMMENT ON COLUMN @extschema@.wattgpu_llms.num_key_value_heads IS 'Key and value heads; divides num_attention_heads';
COMMENT ON COLUMN @extschema@.wattgpu_llms.head_dim IS 'Width of a head; NULL for multi-head latent attention and state-space models';
COMMENT ON COLUMN @extschema@.wattgpu_llms.intermediate_size IS 'Width of the MLP, as the config''s field of that name has it';
COMMENT ON COLUMN @extschema@.wattgpu_llms.vocab_size IS 'Entries of the vocabulary, padding included';
COMMENT ON COLUMN @extschema@.wattgpu_llms.max_position_embeddings IS 'Longest context, tokens; NULL where the model has no such limit or it is not known';
COMMENT ON COLUMN @extschema@.wattgpu_llms.num_experts IS 'Routed experts of a MoE layer; NULL without experts';
COMMENT ON COLUMN @extschema@.wattgpu_llms.num_experts_per_token IS 'Routed experts a token uses; at most num_experts';
COMMENT ON COLUMN @extschema@.wattgpu_llms.tie_word_embeddings IS 'Whether the output head is the input embedding';
COMMENT ON COLUMN @extschema@.wattgpu_llms.weight_dtype IS 'Type of the stored layer weights: fp32 (served in 16 bits), bf16, fp16, fp8, int8, int4, mxfp4, nvfp4';
COMMENT ON COLUMN @extschema@.wattgpu_llms.quantization IS 'How the checkpoint is quantised: none, fp8, awq, gptq, bitsandbytes, compressed-tensors, mxfp4, nvfp4, gguf';
COMMENT ON COLUMN @extschema@.wattgpu_llms.attention_kind IS 'mha, gqa, mqa, mla (latent cache), hybrid (attention in some layers), none';
COMMENT ON COLUMN @extschema@.wattgpu_llms.source IS 'Where the figures come from';
COMMENT ON COLUMN @extschema@.wattgpu_llms.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_gpu_aliases IS 'Other spellings of GPUs, matched after the canonical names and without regard to ASCII case and surrounding blanks. Source: data/README.md.';
COMMENT ON COLUMN @extschema@.wattgpu_gpu_aliases.alias IS 'The spelling; 1 to 256 bytes';
COMMENT ON COLUMN @extschema@.wattgpu_gpu_aliases.gpu IS 'The card it stands for (wattgpu_gpus.gpu)';
COMMENT ON COLUMN @extschema@.wattgpu_gpu_aliases.kind IS 'Who spells it so: nvidia_smi, k8s_label, gcp, marketing, techpowerup, pci_id, short, or short_ambiguous (taken as the most deployed variant)';
COMMENT ON COLUMN @extschema@.wattgpu_gpu_aliases.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_llm_aliases IS 'Other spellings of LLMs, matched after the canonical names and without regard to ASCII case and surrounding blanks; punctuation counts. Source: data/README.md.';
COMMENT ON COLUMN @extschema@.wattgpu_llm_aliases.alias IS 'The spelling; 1 to 256 bytes';
COMMENT ON COLUMN @extschema@.wattgpu_llm_aliases.llm IS 'The LLM it stands for (wattgpu_llms.llm)';
COMMENT ON COLUMN @extschema@.wattgpu_llm_aliases.kind IS 'Who spells it so: hf_alias, ollama, ollama_fp16, marketing, bedrock, nim';
COMMENT ON COLUMN @extschema@.wattgpu_llm_aliases.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_cloud_instances IS 'GPU and count of cloud instance types that hold whole GPUs. Source: data/README.md and column source.';
COMMENT ON COLUMN @extschema@.wattgpu_cloud_instances.provider IS 'aws, azure, gcp, oracle, lambda, coreweave, ...';
COMMENT ON COLUMN @extschema@.wattgpu_cloud_instances.instance_type IS 'The provider''s name of the instance type';
COMMENT ON COLUMN @extschema@.wattgpu_cloud_instances.gpu IS 'The card in it (wattgpu_gpus.gpu)';
COMMENT ON COLUMN @extschema@.wattgpu_cloud_instances.gpu_count IS 'Cards in one instance, 1 to 1024';
COMMENT ON COLUMN @extschema@.wattgpu_cloud_instances.source IS 'Where the row comes from';
COMMENT ON COLUMN @extschema@.wattgpu_cloud_instances.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_scenarios IS 'Workloads by name: how often requests come and how long they are, for one copy of the LLM.';
COMMENT ON COLUMN @extschema@.wattgpu_scenarios.scenario IS 'The name; 1 to 256 bytes, unique without regard to ASCII case';
COMMENT ON COLUMN @extschema@.wattgpu_scenarios.arrival_rate_qps IS 'Mean arrival rate, requests a second, at most 1e6; NULL when all requests are there at once (offline batch)';
COMMENT ON COLUMN @extschema@.wattgpu_scenarios.prompt_tokens IS 'Mean prompt length, tokens, 1 to 1e7';
COMMENT ON COLUMN @extschema@.wattgpu_scenarios.output_tokens IS 'Mean answer length, tokens, 1 to 1e7; NULL is what the LLM was measured to answer on average, or 200 where it was not measured';
COMMENT ON COLUMN @extschema@.wattgpu_scenarios.description IS 'What the scenario stands for';
COMMENT ON COLUMN @extschema@.wattgpu_scenarios.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_measurements IS 'Measured means per configuration, which models are trained and evaluated on. Shipped rows: Watt Counts (arXiv 2604.09048, Apache-2.0), means over the runs computed by data/means.pl.';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.gpu IS 'The card (wattgpu_gpus.gpu)';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.llm IS 'The LLM (wattgpu_llms.llm)';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.scenario IS 'The workload (wattgpu_scenarios.scenario)';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.arrival_rate_qps IS 'Realised arrival rate, requests a second; NULL: the scenario''s';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.prompt_tokens IS 'Mean prompt length, tokens; NULL: the scenario''s';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.output_tokens IS 'Mean answer length, tokens; NULL: the scenario''s';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.num_gpus IS 'Cards the LLM ran on, 1 to 1024';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.power_w IS 'Mean board power over the run, all cards together, W; NULL if not measured';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.itl_s IS 'Mean inter-token latency, s (offline: wall time over tokens); NULL if not measured';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.runs IS 'Runs that the means are over; a row weighs as many in training';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.source IS 'Who measured it';
COMMENT ON COLUMN @extschema@.wattgpu_measurements.builtin IS 'True for rows shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_models IS 'Trained boosters, one a model and target. Written by wattgpu_train and wattgpu_import_model, checked whenever a session first uses one.';
COMMENT ON COLUMN @extschema@.wattgpu_models.model IS 'Name of the model, 1 to 100 bytes; usually a pair, one row a target';
COMMENT ON COLUMN @extschema@.wattgpu_models.target IS 'power or itl';
COMMENT ON COLUMN @extschema@.wattgpu_models.recipe IS 'How features become a prediction; see doc/models.md';
COMMENT ON COLUMN @extschema@.wattgpu_models.features IS 'Features in the order of the booster''s columns';
COMMENT ON COLUMN @extschema@.wattgpu_models.categories IS 'Values of the category features as feature=value; a value''s place among its feature''s is its code, any other value is missing';
COMMENT ON COLUMN @extschema@.wattgpu_models.params IS 'Parameters of XGBoost, and rounds';
COMMENT ON COLUMN @extschema@.wattgpu_models.library_version IS 'Version of libxgboost that trained it';
COMMENT ON COLUMN @extschema@.wattgpu_models.wattgpu_version IS 'Version of wattgpu that trained it';
COMMENT ON COLUMN @extschema@.wattgpu_models.training_rows IS 'Measurements it was trained on';
COMMENT ON COLUMN @extschema@.wattgpu_models.training_runs IS 'Runs behind those measurements';
COMMENT ON COLUMN @extschema@.wattgpu_models.training_sha256 IS 'SHA-256 of features, labels and weights of the training rows in order, as 32-bit floats, in hex';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_at IS 'When it was trained';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_gpus IS 'GPUs among the training rows, sorted';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_llms IS 'LLMs among the training rows, sorted';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_gpu_crcs IS 'CRC-32C of what each of trained_gpus was then; a card that was changed since is a stranger to the model';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_llm_crcs IS 'CRC-32C of what each of trained_llms was then';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_llm_tokens IS 'Mean answer length of each of trained_llms, tokens; NaN where the rows do not say';
COMMENT ON COLUMN @extschema@.wattgpu_models.trained_kinds IS 'GPU architectures and memory types among the training rows, as architecture=... and memory_type=..., sorted';
COMMENT ON COLUMN @extschema@.wattgpu_models.range_names IS 'Specs and workload figures of which the training rows'' ranges are kept';
COMMENT ON COLUMN @extschema@.wattgpu_models.range_least IS 'Least of each of range_names among the training rows';
COMMENT ON COLUMN @extschema@.wattgpu_models.range_most IS 'Most of each of range_names among the training rows';
COMMENT ON COLUMN @extschema@.wattgpu_models.based_on IS 'For a physical power: training_sha256 and params of the itl that it goes with; otherwise empty';
COMMENT ON COLUMN @extschema@.wattgpu_models.intervals IS 'The 5 % and 95 % quantiles of ln(measured / predicted) for held-out rows, in the order of doc/models.md; empty until wattgpu_calibrate';
COMMENT ON COLUMN @extschema@.wattgpu_models.prior IS 'Weights of the physical terms, at least 0, in the order of doc/models.md; empty for the recipe paper';
COMMENT ON COLUMN @extschema@.wattgpu_models.metrics IS 'Errors on the training rows themselves, in percent (median absolute percentage error)';
COMMENT ON COLUMN @extschema@.wattgpu_models.golden_features IS 'Feature rows, one after the other, that the booster must reproduce when it is loaded; NaN is missing';
COMMENT ON COLUMN @extschema@.wattgpu_models.golden_margins IS 'What libxgboost predicted for them when the model was trained';
COMMENT ON COLUMN @extschema@.wattgpu_models.booster IS 'The booster as libxgboost saves it in UBJSON';
COMMENT ON COLUMN @extschema@.wattgpu_models.forest IS 'wattgpu_forest(booster): all that predictions read of the booster; NULL if it cannot be read';
COMMENT ON COLUMN @extschema@.wattgpu_models.booster_sha256 IS 'SHA-256 of booster, in hex';
COMMENT ON COLUMN @extschema@.wattgpu_models.crc32c IS 'What wattgpu_model_crc32c gave when the model was stored: a changed column shows';
COMMENT ON COLUMN @extschema@.wattgpu_models.builtin IS 'True for models shipped with the extension; false for yours, which pg_dump keeps';

COMMENT ON TABLE @extschema@.wattgpu_default_models IS 'Which model answers for a target unless the query names one: the newest row. Older rows are the log; delete the newest to go back.';
COMMENT ON COLUMN @extschema@.wattgpu_default_models.target IS 'power or itl';
COMMENT ON COLUMN @extschema@.wattgpu_default_models.set_at IS 'When it became the default; -infinity for the shipped one';
COMMENT ON COLUMN @extschema@.wattgpu_default_models.model IS 'The model (wattgpu_models.model)';
COMMENT ON COLUMN @extschema@.wattgpu_default_models.set_by IS 'The role that set it';
COMMENT ON COLUMN @extschema@.wattgpu_default_models.builtin IS 'True for the shipped default; false for yours, which pg_dump keeps';
