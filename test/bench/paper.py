"""The model wattgpu-paper outside of the extension, as one would use it from Python: booster and specs are kept, names are
looked up in dictionaries, and features come from numpy arrays. query(sql) gives a list of tuples."""

import numpy as np
import xgboost

FEATURES = ['scenario', 'log_params', 'model_type', 'num_key_value_heads', 'num_layers', 'memory_bandwidth_gb_s', 'boost_ratio',
            'transistors_m', 'base_clock_mhz', 'release_year', 'bandwidth_latency_s']
GPUS = """
SELECT memory_bandwidth_gb_s, boost_clock_mhz / base_clock_mhz, transistors_m, base_clock_mhz,
       extract(year FROM release_date)::float8, tdp_w
FROM wattgpu_gpus ORDER BY gpu COLLATE "C" """
LLMS = """
SELECT total_params_b, model_type, num_key_value_heads, num_layers, total_params_b *
       CASE WHEN weight_dtype IN ('bf16', 'fp16', 'fp32') OR weight_dtype IS NULL AND quantization = 'none' THEN 2
            WHEN weight_dtype = 'int8' AND quantization = 'gguf' THEN 8.5 / 8
            WHEN weight_dtype IN ('fp8', 'int8') THEN 1
            WHEN weight_dtype = 'int4' AND quantization = 'gguf' THEN 4.85 / 8
            WHEN weight_dtype IN ('int4', 'mxfp4') THEN 4.25 / 8
            WHEN weight_dtype = 'nvfp4' THEN 4.5 / 8 END::float8
FROM wattgpu_llms ORDER BY llm COLLATE "C" """
# Every spelling, and the place of its row in the order above.
NAMES = """
WITH numbered AS (SELECT {0}, row_number() OVER (ORDER BY {0} COLLATE "C")::int - 1 AS place FROM wattgpu_{0}s)
SELECT lower(a.alias), n.place FROM wattgpu_{0}_aliases a JOIN numbered n USING ({0})
UNION ALL SELECT lower({0}), place FROM numbered"""
FITS = """
SELECT array_agg(coalesce(wattgpu_fits(g.gpu, l.llm), false) ORDER BY l.llm COLLATE "C")
FROM wattgpu_gpus g, wattgpu_llms l GROUP BY g.gpu ORDER BY g.gpu COLLATE "C" """


class Paper:
    def __init__(self, query, threads):
        ((features, pairs, booster),) = query(
            "SELECT features, categories, booster FROM wattgpu_models WHERE model = 'wattgpu-paper' AND target = 'power'")
        assert features == FEATURES, features
        self.booster = xgboost.Booster({'nthread': threads} if threads else {})
        self.booster.load_model(bytearray(booster))

        codes = {}
        for feature, value in (pair.split('=', 1) for pair in pairs):
            values = codes.setdefault(feature, {})
            values[value] = len(values)
        self.scenarios = codes['scenario']
        self.gpu_names = dict(query(NAMES.format('gpu')))
        self.llm_names = dict(query(NAMES.format('llm')))
        self.gpus = np.array(query(GPUS), dtype=float)
        self.llms = np.array([(np.log(params), codes['model_type'].get(kind), heads, layers, gb)
                              for params, kind, heads, layers, gb in query(LLMS)], dtype=float)
        self.fits = np.array([row for (row,) in query(FITS)])
        self.vector = np.empty((1, len(FEATURES)), np.float32)

    def _predict(self, x):
        return self.booster.inplace_predict(x, validate_features=False)

    def batch(self, gpu, llm, scenario):
        """Power in W for arrays of places, NaN where the LLM does not fit."""
        gpus, llms = self.gpus[gpu], self.llms[llm]
        x = np.empty((len(gpu), len(FEATURES)), np.float32)
        x[:, 0] = scenario
        x[:, 1:5] = llms[:, :4]
        x[:, 5:10] = gpus[:, :5]
        x[:, 10] = llms[:, 4] / gpus[:, 0]
        power = self._predict(x) * gpus[:, 5]
        power[~self.fits[gpu, llm] | ~(power > 0)] = np.nan
        return power

    def row(self, gpu, llm, scenario):
        """Power in W for three names, None where the LLM does not fit."""
        g, l = self.gpu_names[gpu.strip().lower()], self.llm_names[llm.strip().lower()]
        if not self.fits[g, l]:
            return None
        x, card, shape = self.vector, self.gpus[g], self.llms[l]
        x[0, 0] = self.scenarios[scenario]
        x[0, 1:5] = shape[:4]
        x[0, 5:10] = card[:5]
        x[0, 10] = shape[4] / card[0]
        power = float(self._predict(x)[0]) * card[5]
        return power if power > 0 else None
