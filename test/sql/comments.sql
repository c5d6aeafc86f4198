-- Every public object and column says what it is
SELECT c.relname FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'wattgpu' AND c.relkind IN ('r', 'v') AND obj_description(c.oid, 'pg_class') IS NULL;
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'wattgpu' AND c.relkind IN ('r', 'v') AND col_description(c.oid, a.attnum) IS NULL;
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'wattgpu' AND obj_description(p.oid, 'pg_proc') IS NULL
-- but for the constructors that the server makes with a range type
AND p.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'internal');
-- The functions that predict may run in parallel workers and are stable
SELECT proname, provolatile, proparallel FROM pg_proc WHERE proname ~ '^wattgpu_(power|itl|fits)' ORDER BY proname;
-- Numbers that have a unit have it in the name
SELECT a.attrelid::regclass, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relname ~ '^wattgpu_' AND c.relkind = 'r' AND a.attnum > 0 AND a.atttypid = 'float8'::regtype
AND a.attname !~ '(_w|_s|_gb|_mb|_mib|_nm|_mhz|_m|_b|_tflops|_qps|_tokens|tokens|_kwh|_kg|_w_per_gpu)$'
-- hours begin with their unit, and a PUE has none
AND a.attname NOT IN ('hours_active', 'hours_reserved', 'pue') ORDER BY 1, 2;
