-- Energy, cost and emissions of deployments.

CREATE TYPE @extschema@.wattgpu_energy_row AS (
	deployment text, site text, zone text, gpu text, gpus integer, num_gpus integer, llm text, scenario text,
	period tstzrange, month date, hours_active double precision, hours_idle double precision,
	power_w double precision, power_lo_w double precision, power_hi_w double precision, idle_power_w double precision,
	gpu_active_kwh double precision, gpu_idle_kwh double precision,
	gpu_kwh double precision, gpu_lo_kwh double precision, gpu_hi_kwh double precision,
	node_kwh double precision, node_lo_kwh double precision, node_hi_kwh double precision,
	pue double precision, facility_kwh double precision, facility_lo_kwh double precision, facility_hi_kwh double precision,
	cost double precision, currency text,
	location_co2e_g_per_kwh double precision, market_co2e_g_per_kwh double precision,
	location_co2e_kg double precision, location_co2e_lo_kg double precision, location_co2e_hi_kg double precision,
	market_co2e_kg double precision, market_co2e_lo_kg double precision, market_co2e_hi_kg double precision,
	output_tokens double precision, embodied_co2e_kg double precision,
	basis text, idle_basis text, metered_boundary text, power_model text, itl_model text, problem text);
COMMENT ON TYPE @extschema@.wattgpu_energy_row IS 'What wattgpu_energy gives: a row a deployment row and UTC calendar month';

CREATE FUNCTION @extschema@.wattgpu_energy(period tstzrange DEFAULT NULL, model text DEFAULT NULL)
RETURNS SETOF @extschema@.wattgpu_energy_row
LANGUAGE plpgsql STABLE COST 1000000 ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN;
END $$;
COMMENT ON FUNCTION @extschema@.wattgpu_energy(tstzrange, text) IS 'One row per deployment row and UTC calendar month.';
