-- What the comparisons read: psql -v rows=N. The seed is fixed, so that every run asks for the same.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS wattgpu;
SELECT setseed(0.5);

-- Every spelling by number, canonical names first.
CREATE TEMPORARY TABLE spelling AS
SELECT kind, name, aliased, row_number() OVER (PARTITION BY kind, aliased ORDER BY name COLLATE "C") AS n
FROM (SELECT 'gpu' AS kind, gpu AS name, false AS aliased FROM wattgpu_gpus
      UNION ALL SELECT 'gpu', alias, true FROM wattgpu_gpu_aliases
      UNION ALL SELECT 'llm', llm, false FROM wattgpu_llms
      UNION ALL SELECT 'llm', alias, true FROM wattgpu_llm_aliases
      UNION ALL SELECT 'scenario', scenario, false FROM wattgpu_scenarios WHERE builtin) s;

-- A random card, LLM and scenario a row; half of the names are aliases.
CREATE TABLE inventory AS
WITH drawn AS MATERIALIZED (
    SELECT id, random() < 0.5 AS gpu_aliased, random() AS gpu, random() < 0.5 AS llm_aliased, random() AS llm, random() AS scenario
    FROM generate_series(1, :rows) id),
sizes AS (SELECT kind, aliased, count(*) AS size FROM spelling GROUP BY kind, aliased)
SELECT d.id, g.name AS gpu, l.name AS llm, s.name AS scenario
FROM drawn d
JOIN sizes gs ON gs.kind = 'gpu' AND gs.aliased = d.gpu_aliased
JOIN spelling g ON g.kind = 'gpu' AND g.aliased = d.gpu_aliased AND g.n = 1 + floor(d.gpu * gs.size)::bigint
JOIN sizes ls ON ls.kind = 'llm' AND ls.aliased = d.llm_aliased
JOIN spelling l ON l.kind = 'llm' AND l.aliased = d.llm_aliased AND l.n = 1 + floor(d.llm * ls.size)::bigint
JOIN sizes ss ON ss.kind = 'scenario'
JOIN spelling s ON s.kind = 'scenario' AND s.n = 1 + floor(d.scenario * ss.size)::bigint
ORDER BY d.id;

CREATE TABLE inventory_tenth AS SELECT * FROM inventory WHERE id <= :rows / 10;
CREATE TABLE inventory_hundredth AS SELECT * FROM inventory WHERE id <= :rows / 100;
CREATE TABLE inventory_tenfold AS SELECT i.* FROM generate_series(1, 10), inventory i;

-- LLMs that every made-up card below has room for, as values.
CREATE TABLE small_llms AS
SELECT row_number() OVER (ORDER BY llm COLLATE "C") AS n, l
FROM wattgpu_llms l
WHERE architecture = 'dense' AND total_params_b <= 15 AND weight_dtype IN ('bf16', 'fp16') AND num_key_value_heads IS NOT NULL;

-- Cards that nobody built, each with one of these LLMs; first as a table, so that no column depends on another's place.
CREATE TABLE card (LIKE wattgpu_gpus);
INSERT INTO card (gpu, manufacturer, architecture, release_date, process_nm, transistors_m, streaming_multiprocessors, shading_units,
    base_clock_mhz, boost_clock_mhz, memory_gb, memory_type, memory_bandwidth_gb_s, l2_cache_mb, tdp_w, fp16_tflops, fp32_tflops, builtin)
SELECT 'Made-up card ' || id, 'Acme', (ARRAY['Ampere', 'Hopper', 'CDNA 3', 'Acme'])[1 + floor(random() * 4)::int],
    date '2017-01-01' + floor(random() * 3600)::int, (ARRAY[4, 5, 7, 8, 12])[1 + floor(random() * 5)::int], 5000 + 200000 * random(),
    20 + floor(random() * 200), 1000 + floor(random() * 20000), 600 + 900 * random(), 1500 + 1500 * random(),
    (ARRAY[48, 64, 80, 96, 141, 192])[1 + floor(random() * 6)::int], (ARRAY['HBM2', 'HBM2e', 'HBM3', 'GDDR6'])[1 + floor(random() * 4)::int],
    300 + 6000 * random(), 4 + 100 * random(), 70 + 900 * random(), 50 + 1500 * random(), 10 + 80 * random(), false
FROM generate_series(1, :rows) id;
CREATE TABLE made_up AS
SELECT ROW(c.*)::wattgpu_gpus AS g, 1 + floor(random() * (SELECT count(*) FROM small_llms))::bigint AS n FROM card c;
DROP TABLE card;

VACUUM (FREEZE, ANALYZE);
