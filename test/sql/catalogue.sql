-- The counts are those of the sources; data/check.pl checks the rows.
SELECT (SELECT count(*) FROM wattgpu_gpus) AS gpus,
	(SELECT count(*) FROM wattgpu_llms) AS llms,
	(SELECT count(*) FROM wattgpu_gpu_aliases) AS gpu_aliases,
	(SELECT count(*) FROM wattgpu_llm_aliases) AS llm_aliases,
	(SELECT count(*) FROM wattgpu_cloud_instances) AS instances,
	(SELECT count(*) FROM wattgpu_scenarios) AS scenarios;
SELECT count(*), count(DISTINCT (gpu, llm, scenario)) AS configurations, count(DISTINCT gpu) AS gpus, count(DISTINCT llm) AS llms, sum(runs) AS runs
FROM wattgpu_measurements;
SELECT bool_and(builtin) FROM wattgpu_gpus;

-- The H200 is the SXM board: datasheet figures
SELECT tdp_w, memory_bandwidth_gb_s, fp16_tflops, memory_gb FROM wattgpu_gpus WHERE gpu = 'NVIDIA H200';
-- What is not published stays NULL: pre-Volta cards have no tensor cores, state-space models no heads
SELECT tensor_cores IS NULL AND fp16_tflops IS NULL AS p40 FROM wattgpu_gpus WHERE gpu = 'Tesla P40';
SELECT count(*) FROM wattgpu_llms WHERE architecture = 'ssm' AND num_attention_heads IS NOT NULL;
SELECT count(*) AS zeros FROM wattgpu_gpus WHERE 0 IN (tdp_w, fp16_tflops, fp8_tflops, transistors_m, base_clock_mhz);

-- Every measured mean agrees with the physics it comes from: no card draws more than its limit
SELECT count(*) AS above_limit FROM wattgpu_measurements JOIN wattgpu_gpus USING (gpu) WHERE power_w > tdp_w * 1.02;
-- single-token answers have no ITL
SELECT llm, count(*) FROM wattgpu_measurements WHERE itl_s IS NULL GROUP BY llm;

-- A wrong spec cannot get in
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Bad', -1);
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Bad', 0);
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Bad', 'NaN');
INSERT INTO wattgpu_gpus (gpu, memory_bandwidth_gb_s) VALUES ('Bad', 'Infinity');
INSERT INTO wattgpu_gpus (gpu, base_clock_mhz, boost_clock_mhz) VALUES ('Bad', 2000, 1000);
INSERT INTO wattgpu_gpus (gpu, release_date) VALUES ('Bad', 'infinity');
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('', 100);
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES (' Bad', 100);
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES (repeat('x', 257), 100);
INSERT INTO wattgpu_llms (llm, total_params_b, active_params_b) VALUES ('bad', 8, 9);
INSERT INTO wattgpu_llms (llm, num_attention_heads, num_key_value_heads) VALUES ('bad', 32, 5);
INSERT INTO wattgpu_llms (llm, weight_dtype) VALUES ('bad', 'bfloat17');
INSERT INTO wattgpu_llms (llm, num_layers) VALUES ('bad', -32);
INSERT INTO wattgpu_gpu_aliases (alias, gpu) VALUES ('bad', 'No Such Card');
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('bad', 0, 10, 10);
INSERT INTO wattgpu_measurements (gpu, llm, scenario) VALUES ('NVIDIA A30', 'openai-community/gpt2', 'offline');
INSERT INTO wattgpu_measurements (gpu, llm, scenario, power_w) VALUES ('NVIDIA A30', 'openai-community/gpt2', 'offline', 'NaN');
