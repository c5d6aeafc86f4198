-- Spellings of one card give one answer
SELECT spelling, wattgpu_power(spelling, 'meta-llama/Llama-3.1-8B-Instruct')
	= wattgpu_power('NVIDIA A100-SXM4-40GB', 'meta-llama/Llama-3.1-8B-Instruct') AS same
FROM (VALUES ('a100-sxm4-40gb'), ('NVIDIA-A100-SXM4-40GB'), (' nvidia a100-sxm4-40gb '), (E'\tNVIDIA A100-SXM4-40GB\n')) v (spelling);
-- LLMs too, but their punctuation counts: phi4 is Ollama's 4-bit build, phi-4 the 16-bit original
SELECT wattgpu_itl('NVIDIA H200', 'META-LLAMA/llama-3.1-8b-instruct') = wattgpu_itl('NVIDIA H200', 'meta-llama/Llama-3.1-8B-Instruct') AS same,
	wattgpu_itl('NVIDIA H200', 'phi4') = wattgpu_itl('NVIDIA H200', 'phi-4') AS phi4_is_phi_4;
SELECT wattgpu_power('NVIDIA H200', 'openai-community/gpt2', ' SERVER_HIGH ') = wattgpu_power('NVIDIA H200', 'openai-community/gpt2', 'server_high') AS same;
-- every canonical name and every alias is found
SELECT count(*), count(wattgpu_power_tdp(gpu)) FROM wattgpu_gpus WHERE tdp_w IS NOT NULL;
SELECT count(*) FROM wattgpu_gpu_aliases JOIN wattgpu_gpus USING (gpu) WHERE wattgpu_power_tdp(alias) IS DISTINCT FROM tdp_w;
SELECT count(*) FROM wattgpu_llm_aliases WHERE wattgpu_fits('NVIDIA H200', alias, num_gpus => 1024) IS DISTINCT FROM wattgpu_fits('NVIDIA H200', llm, num_gpus => 1024);

-- An unknown name is an error that names it and its neighbours
SELECT wattgpu_power('NVIDIA A100-SMX4-40GB', 'meta-llama/Llama-3.1-8B-Instruct');
SELECT wattgpu_itl('NVIDIA A30', 'meta-llama/Lama-3.1-8B-Instruct');
SELECT wattgpu_power('NVIDIA A30', 'meta-llama/Llama-3.1-8B-Instruct', 'server_hihg');
SELECT wattgpu_power('', 'meta-llama/Llama-3.1-8B-Instruct');
SELECT wattgpu_power('☃', 'meta-llama/Llama-3.1-8B-Instruct');
SELECT wattgpu_power('O''Brien"; DROP TABLE wattgpu_gpus; --', 'meta-llama/Llama-3.1-8B-Instruct');
SELECT wattgpu_power(repeat('NVIDIA A30', 100), 'meta-llama/Llama-3.1-8B-Instruct');
SELECT wattgpu_power(repeat('é', 100), 'meta-llama/Llama-3.1-8B-Instruct');
\set VERBOSITY sqlstate
SELECT wattgpu_power('nothing', 'meta-llama/Llama-3.1-8B-Instruct');
\set VERBOSITY default

-- or NULL, so that one bad row does not stop a report
SET wattgpu.unknown_name = 'null';
SELECT left(gpu, 30) AS gpu, wattgpu_power(gpu, 'meta-llama/Llama-3.1-8B-Instruct') IS NULL AS is_null
FROM (VALUES ('NVIDIA A30'), ('NVIDIA A100-SMX4-40GB'), (''), (repeat('x', 1000))) v (gpu) ORDER BY length(v.gpu);
SELECT wattgpu_itl('NVIDIA A30', 'no such model') IS NULL AS llm, wattgpu_itl('NVIDIA A30', 'gpt2', 'no such scenario') IS NULL AS scenario,
	wattgpu_power_tdp('no such card') IS NULL AS tdp, wattgpu_fits('no such card', 'gpt2') IS NULL AS fits;
-- a model that does not exist is the query's fault, not the inventory's
SELECT wattgpu_power('NVIDIA A30', 'openai-community/gpt2', model => 'nobody');
SET wattgpu.unknown_name = 'zero';
RESET wattgpu.unknown_name;

-- Names with quotes and in any script can be stored and found
INSERT INTO wattgpu_gpus (gpu, tdp_w) VALUES ('Kärtchen "ÜBER" O''Neil ☃', 77);
SELECT wattgpu_power_tdp('kärtchen "Über" o''neil ☃'), wattgpu_power_tdp('KäRTCHEN "ÜBER" O''NEIL ☃');
DELETE FROM wattgpu_gpus WHERE NOT builtin;
