-- Which of the measured cards serves Llama 3.1 8B within 50 ms a token, and which of those draws least?
-- (The published models; without model => ... the default ones answer.)
SELECT gpu, round(power_w::numeric, 1) AS power_w, round((1000 * itl_s)::numeric, 1) AS itl_ms
FROM (SELECT gpu,
             wattgpu_power(gpu, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', model => 'wattgpu-paper') AS power_w,
             wattgpu_itl(gpu, 'meta-llama/Llama-3.1-8B-Instruct', 'server_high', model => 'wattgpu-paper') AS itl_s
      FROM (SELECT DISTINCT gpu FROM wattgpu_measurements) measured) predicted
WHERE itl_s <= 0.050
ORDER BY power_w;
