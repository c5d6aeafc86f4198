-- Every measured pair ran, so it fits
SELECT count(*) AS pairs, count(*) FILTER (WHERE wattgpu_fits(gpu, llm, 'offline')) AS fit FROM (SELECT DISTINCT gpu, llm FROM wattgpu_measurements) m;
-- The smallest 16-bit models that ran out of memory on each card (Watt Counts), and all larger ones, do not
SELECT gpu, llm, wattgpu_fits(gpu, llm, 'offline') FROM (VALUES ('Tesla T4', 'deepseek-ai/deepseek-llm-7b-chat'), ('NVIDIA L4', 'upstage/SOLAR-10.7B-Instruct-v1.0'),
	('NVIDIA A30', 'google/gemma-3-12b-it'), ('Tesla V100-SXM2-32GB', 'microsoft/phi-4'), ('NVIDIA A100-SXM4-40GB', 'internlm/internlm2_5-20b-chat'),
	('NVIDIA L40S', 'EleutherAI/gpt-neox-20b')) v (gpu, llm);
SELECT gpu, bool_or(wattgpu_fits(gpu, llm, 'offline')) AS any_larger_fits FROM wattgpu_llms JOIN (VALUES ('Tesla T4', 13.8), ('NVIDIA L4', 21.4), ('NVIDIA A30', 23.5),
	('Tesla V100-SXM2-32GB', 29.3), ('NVIDIA A100-SXM4-40GB', 39.7), ('NVIDIA L40S', 41.1)) v (gpu, gb)
	ON 2 * total_params_b >= gb AND quantization = 'none' GROUP BY gpu ORDER BY gpu;
-- More cards hold more; a longer sequence needs more; 4 bits need less
SELECT wattgpu_fits('NVIDIA H100 80GB HBM3', 'meta-llama/Llama-3.1-70B-Instruct') AS one, wattgpu_fits('NVIDIA H100 80GB HBM3', 'meta-llama/Llama-3.1-70B-Instruct', num_gpus => 4) AS four,
	wattgpu_fits('NVIDIA L40S', 'ollama/llama3.1:70b', num_gpus => 2) AS four_bits;
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('long', 0.1, 100000, 1000);
SELECT wattgpu_fits('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct') AS short, wattgpu_fits('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'long') AS long;
DELETE FROM wattgpu_scenarios WHERE scenario = 'long';
-- Unknown weights leave it unknown
SELECT weight_dtype IS NULL AS no_dtype, wattgpu_fits('NVIDIA B200', llm, num_gpus => 64) IS NULL AS unknown, wattgpu_power('NVIDIA B200', llm) IS NULL AS no_power
FROM wattgpu_llms WHERE llm = 'deepseek-ai/DeepSeek-V4-Pro';
SELECT wattgpu_fits('NVIDIA A30', 'openai-community/gpt2', num_gpus => 0);
SELECT wattgpu_fits('NVIDIA A30', 'openai-community/gpt2', num_gpus => 2000);
