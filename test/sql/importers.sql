\pset null NULL
\set SHOW_CONTEXT never
-- Runs of Watt Counts, as \copy brings them. By hand:
-- run 0, offline: 8 s / 64 tokens = 0.125 s
-- run 1: (1.5 - 0.5) / 4 = 0.25 s and (1.25 - 0.25) / 2 = 0.5 s, the answer of one token does not count: 0.375 s;
--        3 requests / 12 s = 0.25 a second; 9 tokens / 3 = 3; 42 / 3 = 14
-- run 2, numbers with blanks between: (2 - 1) / (11 - 1) = 0.1 s and (4 - 1) / (11 - 1) = 0.3 s: 0.2 s; 2 / 125 s = 0.016 a second
-- run 3: no answer of more than one token, so no ITL, but a power
\copy wattgpu_watt_counts_staging FROM STDIN WITH (FORMAT csv, HEADER)
index,model,gpu_type,lambda_qps,generation_tokens_total,measurement_duration,gpu_energy,gpu_0_power_draw_watts_mean,gpu_0_power_draw_watts_min,gpu_0_power_draw_watts_max,gpu_0_power_draw_watts_std,time_to_first_token_seconds_events,e2e_request_latency_seconds_events,request_generation_tokens,request_prompt_tokens
0,openai-community/gpt2,NVIDIA A30,inf,64,8,1300,162.5,30,165,2,"[0.5, 0.5]","[8, 7.5]","[32, 32]","[10, 20]"
1,meta-llama/Llama-3.1-8B-Instruct,a100-sxm4-40gb,0.33,9,12,1482,123.5,50,200,9,"[0.5, 2.5e-1, 1]","[1.5,1.25,4]","[5, 3, 1]","[10, 12, 20]"
2, OPENAI-COMMUNITY/gpt2 ,NVIDIA A30,0.0172,22,125,5000,40.25,,,,[1. 1],"[ 2.0
 4 ]",[11 11],[7 8]
3,gpt2,NVIDIA A30,1.7E-2,2,120,,41,,,,"[0.5, 0.5]","[0.5, 0.25]","[1, 1]","[7, 8]"
\.
SELECT * FROM wattgpu_import_watt_counts(source => 'us');
SELECT gpu, llm, scenario, arrival_rate_qps AS qps, prompt_tokens AS prompt, output_tokens AS output, num_gpus AS n, power_w, itl_s, runs, source, builtin
FROM wattgpu_measurements WHERE source = 'us' ORDER BY power_w DESC;
SELECT count(*) FROM wattgpu_watt_counts_staging;
SELECT * FROM wattgpu_import_watt_counts();
SELECT * FROM wattgpu_import_watt_counts(NULL);
SELECT * FROM wattgpu_import_means(NULL);

-- What a rate means
CREATE TEMP TABLE good AS SELECT (jsonb_populate_record(NULL::wattgpu_watt_counts_staging, '{"model": "gpt2", "gpu_type": "NVIDIA A30", "lambda_qps": "0.33",
	"generation_tokens_total": "64", "measurement_duration": "8", "gpu_0_power_draw_watts_mean": "100",
	"time_to_first_token_seconds_events": "[0.5, 0.5]", "e2e_request_latency_seconds_events": "[8, 7.5]",
	"request_generation_tokens": "[32, 32]", "request_prompt_tokens": "[10, 20]"}')).*;
CREATE FUNCTION pg_temp.stage(VARIADIC changes jsonb[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO wattgpu_watt_counts_staging SELECT (jsonb_populate_record(good, change)).* FROM good, unnest(changes) change $$;
BEGIN;
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('busy', 0.32, 15, 200), ('0.33 too', 0.33, 15, 200);
CREATE TEMP TABLE rates (place serial, rate text);
INSERT INTO rates (rate) VALUES (NULL), (''), (' '), ('0'), ('0.00'), ('inf'), ('Infinity'), ('+Inf'), ('NaN'), ('0.33'), ('0.345'), ('0.314'), ('.3201'), ('0.017'), (E'0.017\r');
SELECT pg_temp.stage(VARIADIC array_agg(jsonb_build_object('lambda_qps', rate, 'gpu_0_power_draw_watts_mean', place::text) ORDER BY place)) FROM rates;
SELECT * FROM wattgpu_import_watt_counts(source => 'rates');
SELECT rate, scenario FROM rates JOIN wattgpu_measurements m ON place = power_w WHERE source = 'rates' ORDER BY place;
ROLLBACK;

-- Bad rows are told and kept, the good ones among them go in
SELECT pg_temp.stage(
	'{}',
	'{"lambda_qps": "5"}', '{"lambda_qps": "-1"}', '{"lambda_qps": "often"}',
	'{"gpu_type": "NVIDIA A31"}', '{"gpu_type": null}', '{"model": "meta-llama/Lama-3.1-8B-Instruct"}', '{"model": ""}',
	'{"gpu_type": "\"A30\", o''clock"}', '{"model": "模型/Größe-7B"}',
	'{"gpu_0_power_draw_watts_mean": "nan"}', '{"gpu_0_power_draw_watts_mean": "0"}', '{"gpu_0_power_draw_watts_mean": "-3"}',
	'{"gpu_0_power_draw_watts_mean": "inf"}', '{"gpu_0_power_draw_watts_mean": null}', '{"gpu_0_power_draw_watts_mean": "1e999"}',
	'{"gpu_0_power_draw_watts_mean": "1e8"}', '{"measurement_duration": "0"}', '{"generation_tokens_total": "twelve"}',
	jsonb_build_object('measurement_duration', repeat('long ', 1000)),
	'{}');
SELECT row_number, gpu, llm, reason FROM wattgpu_import_watt_counts(source => 'bad rows');
SELECT count(*) FROM wattgpu_measurements WHERE source = 'bad rows';
SELECT count(*), count(*) FILTER (WHERE lambda_qps = '5') AS by_rate FROM wattgpu_watt_counts_staging;

-- Kept rows are imported once they are put right
UPDATE wattgpu_watt_counts_staging SET lambda_qps = '0.33' WHERE lambda_qps = '5';
DELETE FROM wattgpu_watt_counts_staging WHERE lambda_qps <> '0.33' OR measurement_duration <> '8';
SELECT count(*) AS still_bad FROM wattgpu_import_watt_counts(source => 'bad rows');
TRUNCATE wattgpu_watt_counts_staging;
SELECT count(*) FROM wattgpu_measurements WHERE source = 'bad rows';

-- Broken lists
CREATE TEMP TABLE lists (place serial, list text);
INSERT INTO lists (list) VALUES (NULL), (''), ('['), (']'), ('[]'), ('[ ]'), ('0.1, 0.2'), ('[0.1, 0.2'), ('{0.1,0.2}'), ('[0.1,,0.2]'), ('[0.1, 0.2,]'), ('[,0.1]'),
	('[0.1, nan]'), ('[NaN 0.1]'), ('[inf, 1]'), ('[0.1, -Infinity]'), ('[0.1, null]'), ('[0.1, NULL]'), ('[None, 0.1]'), ('[-1, 2]'), ('[0.1; 0.2]'), ('[0.1, 0.2 0.3]'),
	('[[0.1, 0.2]]'), ('[{0.1}, {0.2}]'), ('["0.1", "0.2"]'), ('[0.1, ...]'), ('[1e999, 1]'), ('[1e, 1]'), ('[1.2.3, 1]'), ('[0.1, ☃]'), (E'[0.1\\, 2]');
SELECT pg_temp.stage(VARIADIC array_agg(jsonb_build_object('e2e_request_latency_seconds_events', list) ORDER BY place)) FROM lists;
SELECT place, list, reason FROM wattgpu_import_watt_counts(source => 'lists') FULL JOIN lists ON place = row_number ORDER BY place;
TRUNCATE wattgpu_watt_counts_staging;
-- of unequal length, of answers without tokens, ending before they begin, without time between tokens
SELECT pg_temp.stage('{"request_prompt_tokens": "[10, 20, 30]"}', '{"time_to_first_token_seconds_events": "[0.5]"}', '{"request_generation_tokens": "[0, 0]"}',
	'{"e2e_request_latency_seconds_events": "[8, 0.25]"}', '{"time_to_first_token_seconds_events": "[8, 7.5]"}', '{"request_prompt_tokens": "[0, 0.0]"}');
SELECT row_number, reason FROM wattgpu_import_watt_counts(source => 'lists');
TRUNCATE wattgpu_watt_counts_staging;
-- a huge one: 200,000 requests of 0.5 s to the first token and 4.5 s to the ninth
SELECT pg_temp.stage(jsonb_build_object('time_to_first_token_seconds_events', '[' || repeat('0.5, ', 199999) || '0.5]',
	'e2e_request_latency_seconds_events', '[' || repeat('4.5 ', 199999) || '4.5]',
	'request_generation_tokens', '[' || repeat('9,', 199999) || E'9]\r', 'request_prompt_tokens', '[' || repeat(E'7\n', 199999) || '7]'));
SELECT * FROM wattgpu_import_watt_counts(source => 'huge');
SELECT arrival_rate_qps, prompt_tokens, output_tokens, itl_s FROM wattgpu_measurements WHERE source = 'huge';

-- A user's own means
INSERT INTO wattgpu_scenarios (scenario, arrival_rate_qps, prompt_tokens, output_tokens) VALUES ('Größe', 2, 100, 50);
\copy wattgpu_means_staging FROM STDIN WITH (FORMAT csv, HEADER)
gpu,llm,scenario,arrival_rate_qps,prompt_tokens,output_tokens,num_gpus,power_w,itl_s,runs,source
NVIDIA A30,gpt2,offline,,,,,150.5,0.0005,,
nvidia a30, gpt2 , SERVER_HIGH ,0.35,14.5,210,2,140,,5,lab 7
NVIDIA A30,gpt2,größe,,,,,,0.01,1,
NVIDIA A30,gpt2,Größe,,,,,,0.01,1,
NVIDIA A30,gpt2,offline,,,,,,,,
NVIDIA A30,gpt2,offline,,,,,zero,1,,
NVIDIA A30,gpt2,offline,,,,,0,1,,
NVIDIA A30,gpt2,offline,,,,,100,-1,,
NVIDIA A30,gpt2,offline,nan,,,,100,,,
NVIDIA A30,gpt2,offline,,inf,,,100,,,
NVIDIA A30,gpt2,offline,,,1e9,,100,,,
NVIDIA A30,gpt2,offline,,,,1.5,100,,,
NVIDIA A30,gpt2,offline,,,,1025,100,,,
NVIDIA A30,gpt2,offline,,,,,100,,1e10,
NVIDIA A30,gpt2,batch,,,,,100,,,
NVIDIA A30,gpt2,,,,,,100,,,
"""A30""",gpt2,offline,,,,,100,,,
NVIDIA A30,gpt-2'); DROP TABLE wattgpu_models; --,offline,,,,,100,,,
\.
INSERT INTO wattgpu_means_staging (gpu, llm, scenario, power_w, source) VALUES (E'NVIDIA A30\r', E'\tgpt2', E'offline\r', E'99\r', E'windows\r');
SELECT * FROM wattgpu_import_means(source => 'mine');
SELECT gpu, llm, scenario, arrival_rate_qps AS qps, prompt_tokens AS prompt, output_tokens AS output, num_gpus AS n, power_w, itl_s, runs, source
FROM wattgpu_measurements WHERE source IN ('mine', 'lab 7', 'windows') ORDER BY power_w, itl_s;
-- also where unknown names are NULL elsewhere
SET wattgpu.unknown_name = 'null';
SELECT reason FROM wattgpu_import_means() WHERE row_number = 14;
SHOW wattgpu.unknown_name;
RESET wattgpu.unknown_name;

-- Any table with the columns, whatever their types and order, partitions and all
CREATE TABLE "My Runs" (note int, source text, runs int, itl_s numeric, power_w float8, num_gpus int, output_tokens int, prompt_tokens int,
	arrival_rate_qps float8, scenario varchar(20), llm name, gpu text) PARTITION BY RANGE (runs);
CREATE TABLE "My Runs 1" PARTITION OF "My Runs" FOR VALUES FROM (0) TO (5);
CREATE TABLE "My Runs 2" PARTITION OF "My Runs" FOR VALUES FROM (5) TO (10);
INSERT INTO "My Runs" (gpu, llm, scenario, power_w, itl_s, runs) SELECT 'NVIDIA A30', 'gpt2', 'offline', 100 + n, 0.001, n FROM generate_series(0, 9) n;
UPDATE "My Runs" SET power_w = 'NaN' WHERE runs IN (2, 7);
SELECT row_number, reason FROM wattgpu_import_means('"My Runs"', 'partitions');
SELECT tableoid::regclass, runs FROM "My Runs" ORDER BY runs;
SELECT count(*), sum(runs) FROM wattgpu_measurements WHERE source = 'partitions';
ALTER TABLE "My Runs" DROP COLUMN itl_s;
SELECT * FROM wattgpu_import_means('"My Runs"');
SELECT * FROM wattgpu_import_watt_counts('"My Runs"');
CREATE VIEW runs_view AS SELECT * FROM wattgpu_means_staging;
SELECT * FROM wattgpu_import_means('runs_view');
SELECT * FROM wattgpu_import_means('wattgpu_measurements');
SELECT * FROM wattgpu_import_means(1::regclass);
SELECT * FROM wattgpu_import_means('no_such_table');
DROP VIEW runs_view;
DROP TABLE "My Runs";

-- A trigger of the user's refuses with a reason; one that swallows a row ends the import
TRUNCATE wattgpu_means_staging;
INSERT INTO wattgpu_means_staging (gpu, llm, scenario, power_w) SELECT 'NVIDIA A30', 'gpt2', 'offline', p::text FROM generate_series(1, 3) p;
CREATE FUNCTION pg_temp.second_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.power_w = 2 THEN
		CASE TG_ARGV[0]
			WHEN 'refuse' THEN RAISE 'not a 2' USING HINT = 'Take another.';
			WHEN 'swallow' THEN RETURN NULL;
			WHEN 'wait' THEN PERFORM pg_sleep(60);
			WHEN 'break' THEN PERFORM 1 FROM no_such_table;
		END CASE;
	END IF;
	RETURN NEW;
END $$;
BEGIN;
CREATE TRIGGER second_row BEFORE INSERT ON wattgpu_measurements FOR EACH ROW EXECUTE FUNCTION pg_temp.second_row('refuse');
SELECT * FROM wattgpu_import_means(source => 'trigger');
ROLLBACK;
BEGIN;
CREATE TRIGGER second_row BEFORE INSERT ON wattgpu_measurements FOR EACH ROW EXECUTE FUNCTION pg_temp.second_row('swallow');
SELECT * FROM wattgpu_import_means(source => 'trigger');
ROLLBACK;
CREATE TRIGGER second_row BEFORE INSERT ON wattgpu_measurements FOR EACH ROW EXECUTE FUNCTION pg_temp.second_row('break');
SELECT * FROM wattgpu_import_means(source => 'trigger');
DROP TRIGGER second_row ON wattgpu_measurements;
-- and after a cancel nothing is moved
CREATE TRIGGER second_row BEFORE INSERT ON wattgpu_measurements FOR EACH ROW EXECUTE FUNCTION pg_temp.second_row('wait');
SET statement_timeout = '1s';
SELECT * FROM wattgpu_import_means(source => 'trigger');
RESET statement_timeout;
DROP TRIGGER second_row ON wattgpu_measurements;
SELECT count(*) AS staged, (SELECT count(*) FROM wattgpu_measurements WHERE source = 'trigger') AS imported FROM wattgpu_means_staging;

-- An ordinary role may neither read the staging tables nor import from its own
CREATE ROLE wattgpu_ordinary;
SET ROLE wattgpu_ordinary;
SELECT count(*) FROM wattgpu_means_staging;
INSERT INTO wattgpu_watt_counts_staging (model) VALUES ('gpt2');
SELECT * FROM wattgpu_import_means();
CREATE TEMP TABLE its_own AS SELECT 'NVIDIA A30' AS gpu, 'gpt2' AS llm, 'offline' AS scenario, NULL AS arrival_rate_qps, NULL AS prompt_tokens,
	NULL AS output_tokens, NULL AS num_gpus, 1 / 3e0 AS power_w, NULL AS itl_s, NULL AS runs, NULL AS source;
SELECT * FROM wattgpu_import_means('its_own');
SELECT count(*) FROM its_own;
RESET ROLE;
-- with INSERT on the measurements it may, and to the last digit
SET extra_float_digits = -10;
GRANT INSERT ON wattgpu_measurements TO wattgpu_ordinary;
SET ROLE wattgpu_ordinary;
SELECT * FROM wattgpu_import_means('its_own', NULL);
RESET ROLE;
REVOKE INSERT ON wattgpu_measurements FROM wattgpu_ordinary;
DROP TABLE its_own;
DROP ROLE wattgpu_ordinary;
RESET extra_float_digits;
SELECT power_w, source FROM wattgpu_measurements WHERE NOT builtin AND source IS NULL;

-- Leave the tables as they were
TRUNCATE wattgpu_means_staging, wattgpu_watt_counts_staging;
DELETE FROM wattgpu_measurements WHERE NOT builtin;
DELETE FROM wattgpu_scenarios WHERE NOT builtin;
