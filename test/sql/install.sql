CREATE EXTENSION wattgpu;
SELECT extversion = (SELECT default_version FROM pg_available_extensions WHERE name = 'wattgpu') AS version_is_default
FROM pg_extension WHERE extname = 'wattgpu';
-- nothing of the extension lies outside its names
SELECT c.relname FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass
JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
WHERE e.extname = 'wattgpu' AND c.relname NOT LIKE 'wattgpu\_%';
SELECT p.proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
WHERE e.extname = 'wattgpu' AND p.proname NOT LIKE 'wattgpu\_%';
