-- Trains the shipped models anew on the shipped measurements, calibrates them on the single runs behind these, and writes
-- them here:
--   psql -X -v runs=RUNS.csv -f data/models/retrain.sql DATABASE
-- in a scratch database with the extension, from the top of the sources; then build and install again. RUNS.csv is the run
-- table of Watt Counts, as data/means.pl takes it. Calibrating trains a model for each fold left out, and takes minutes.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
BEGIN;
\ir runs.sql
SELECT wattgpu_train('itl', 'retrained-paper', 'paper') IS NOT NULL, wattgpu_train('power', 'retrained-paper', 'paper') IS NOT NULL,
	wattgpu_train('itl', 'retrained-1', 'physical') IS NOT NULL \g /dev/null
SELECT wattgpu_train('power', 'retrained-1', 'physical') IS NOT NULL \g /dev/null
SELECT wattgpu_calibrate('retrained-paper', NULL, 'runs', 'wattgpu_measurements'),
	wattgpu_calibrate('retrained-1', NULL, 'runs', 'wattgpu_measurements') \g /dev/null
\o data/models/wattgpu-1.itl.json
SELECT jsonb_pretty(wattgpu_export_model('retrained-1', 'itl') || '{"model": "wattgpu-1"}');
\o data/models/wattgpu-1.power.json
SELECT jsonb_pretty(wattgpu_export_model('retrained-1', 'power') || '{"model": "wattgpu-1"}');
\o data/models/wattgpu-paper.itl.json
SELECT jsonb_pretty(wattgpu_export_model('retrained-paper', 'itl') || '{"model": "wattgpu-paper"}');
\o data/models/wattgpu-paper.power.json
SELECT jsonb_pretty(wattgpu_export_model('retrained-paper', 'power') || '{"model": "wattgpu-paper"}');
\o
ROLLBACK;
