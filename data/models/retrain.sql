-- Trains the shipped models anew on the shipped measurements and writes them here:
--   psql -X -f data/models/retrain.sql DATABASE
-- in a scratch database with the extension, from the top of the sources; then build and install again.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on
BEGIN;
SELECT wattgpu_train('power', 'retrained', 'paper') IS NOT NULL, wattgpu_train('itl', 'retrained', 'paper') IS NOT NULL \g /dev/null
\o data/models/wattgpu-paper.power.json
SELECT jsonb_pretty(wattgpu_export_model('retrained', 'power') || '{"model": "wattgpu-paper"}');
\o data/models/wattgpu-paper.itl.json
SELECT jsonb_pretty(wattgpu_export_model('retrained', 'itl') || '{"model": "wattgpu-paper"}');
\o
ROLLBACK;
