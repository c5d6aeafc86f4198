-- Loads the run table of Watt Counts (psql variable runs: its path) as temporary table runs, with the columns of
-- wattgpu_measurements: one row a run, its own rate and lengths.
CREATE TEMPORARY TABLE run_table (run integer, gpu text, llm text, scenario text, arrival_rate_qps float8, requests float8,
	mean_prompt_tokens float8, mean_output_tokens float8, mean_gpu_power_w float8, mean_e2e_latency_s float8,
	output_tokens_per_s float8, output_tokens_per_j float8);
\set copy '\\copy run_table FROM ' :'runs' ' WITH (FORMAT csv, HEADER)'
:copy
CREATE TEMPORARY TABLE runs AS
SELECT gpu, llm, scenario, CASE WHEN scenario <> 'offline' THEN output_tokens_per_s / mean_output_tokens END AS arrival_rate_qps,
	mean_prompt_tokens AS prompt_tokens, mean_output_tokens AS output_tokens, 1 AS num_gpus, mean_gpu_power_w AS power_w,
	CASE WHEN scenario = 'offline' THEN 1 / output_tokens_per_s
		WHEN mean_output_tokens >= 2 THEN mean_e2e_latency_s / mean_output_tokens END AS itl_s, 1 AS runs
FROM run_table ORDER BY run;
