UPDATE @extschema@.wattgpu_models SET builtin = true;
INSERT INTO @extschema@.wattgpu_default_models (target, set_at, model, set_by, builtin)
SELECT target, '-infinity', model, 'wattgpu', true FROM @extschema@.wattgpu_models WHERE model = 'wattgpu-1';
