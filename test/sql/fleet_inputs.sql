-- Cards of one's own and what the tools of a fleet print. Expected figures are those of the texts, and the cards' own specs.
\pset null -
\set SHOW_CONTEXT never
\pset format unaligned
CREATE TEMPORARY VIEW state AS SELECT md5(string_agg(t.row, E'\n' ORDER BY t.row)) AS digest FROM (
	SELECT g::text FROM wattgpu_gpus g UNION ALL SELECT a::text FROM wattgpu_gpu_aliases a UNION ALL SELECT i::text FROM wattgpu_cloud_instances i) t (row);

-- A measured idle power makes a shipped card the user's, and changes nothing else of it
BEGIN;
SELECT to_jsonb(g) - '{idle_power_w,builtin}'::text[] AS before FROM wattgpu_gpus g WHERE gpu = 'NVIDIA L4' \gset
SELECT gpu, idle_power_w, builtin, to_jsonb(a) - '{idle_power_w,builtin}'::text[] = :'before' AS same FROM wattgpu_add_gpu('NVIDIA L4', idle_power_w => 16.5) a;
-- by an alias and in any case, with blanks around
SELECT gpu, idle_power_w, tdp_w FROM wattgpu_add_gpu(' nvidia-l4 ', tdp_w => 60);
SELECT count(*) FROM wattgpu_gpus WHERE lower(gpu) LIKE '%nvidia%l4';
-- nothing said, nothing changed
SELECT gpu, builtin FROM wattgpu_add_gpu('Tesla T4');
-- every column has its argument, and each reaches its column, at first and when updated
SELECT to_jsonb(a) - 'builtin' = '{"gpu": "My \"Card\" ☃", "manufacturer": "m", "architecture": "a", "release_date": "2024-02-29", "process_nm": 1, "transistors_m": 2,
	"streaming_multiprocessors": 3, "shading_units": 4, "tensor_cores": 5, "base_clock_mhz": 6, "boost_clock_mhz": 7, "memory_clock_mhz": 8, "memory_gb": 9,
	"memory_total_mib": 9216, "memory_type": "t", "memory_bus_bits": 11, "memory_bandwidth_gb_s": 12, "l2_cache_mb": 13, "tdp_w": 114, "fp16_tflops": 15,
	"fp8_tflops": 16, "fp32_tflops": 17, "form_factor": "f", "idle_power_w": 18, "source": "s"}' AS stored, builtin
FROM wattgpu_add_gpu('My "Card" ☃', manufacturer => 'm', architecture => 'a', release_date => '2024-02-29', process_nm => 1, transistors_m => 2,
	streaming_multiprocessors => 3, shading_units => 4, tensor_cores => 5, base_clock_mhz => 6, boost_clock_mhz => 7, memory_clock_mhz => 8, memory_gb => 9,
	memory_total_mib => 9216, memory_type => 't', memory_bus_bits => 11, memory_bandwidth_gb_s => 12, l2_cache_mb => 13, tdp_w => 114, fp16_tflops => 15,
	fp8_tflops => 16, fp32_tflops => 17, form_factor => 'f', idle_power_w => 18, source => 's') a;
SELECT to_jsonb(a) - 'builtin' = '{"gpu": "My \"Card\" ☃", "manufacturer": "M", "architecture": "A", "release_date": "2025-01-01", "process_nm": 101, "transistors_m": 102,
	"streaming_multiprocessors": 103, "shading_units": 104, "tensor_cores": 105, "base_clock_mhz": 106, "boost_clock_mhz": 107, "memory_clock_mhz": 108, "memory_gb": 10,
	"memory_total_mib": 10240, "memory_type": "T", "memory_bus_bits": 111, "memory_bandwidth_gb_s": 112, "l2_cache_mb": 113, "tdp_w": 214, "fp16_tflops": 115,
	"fp8_tflops": 116, "fp32_tflops": 117, "form_factor": "F", "idle_power_w": 118, "source": "S"}' AS stored
FROM wattgpu_add_gpu('MY "CARD" ☃', manufacturer => 'M', architecture => 'A', release_date => '2025-01-01', process_nm => 101, transistors_m => 102,
	streaming_multiprocessors => 103, shading_units => 104, tensor_cores => 105, base_clock_mhz => 106, boost_clock_mhz => 107, memory_clock_mhz => 108, memory_gb => 10,
	memory_total_mib => 10240, memory_type => 'T', memory_bus_bits => 111, memory_bandwidth_gb_s => 112, l2_cache_mb => 113, tdp_w => 214, fp16_tflops => 115,
	fp8_tflops => 116, fp32_tflops => 117, form_factor => 'F', idle_power_w => 118, source => 'S') a;
-- a card with what predictions need predicts, and is read from an inventory at once
SELECT wattgpu_power('Fleet 1', 'gpt2') > 0 AS power FROM wattgpu_add_gpu('Fleet 1', 48, 900, 300, 300, 100, 2000, 'GDDR6');
SELECT gpu, reason FROM wattgpu_read_nvidia_smi(E'name, memory.total [MiB]\nFLEET 1, 49140 MiB');
-- a card of the user's that shares its short name with a shipped one is told by its memory
SELECT gpu FROM wattgpu_add_gpu('NVIDIA GeForce RTX 5060 Ti 8GB', 8, 448, 180, 47.4, 36, 2572, 'GDDR7');
SELECT gpu, reason FROM wattgpu_read_nvidia_smi(E'name, memory.total [MiB]\nNVIDIA GeForce RTX 5060 Ti, 8151 MiB\nNVIDIA GeForce RTX 5060 Ti, 16311 MiB');
ROLLBACK;
-- a misspelt name shows, and errors store nothing
BEGIN;
SELECT gpu, tdp_w FROM wattgpu_add_gpu('NVIDIA L5', tdp_w => 80);
ROLLBACK;
SELECT digest FROM state \gset
SELECT wattgpu_add_gpu(NULL);
SELECT wattgpu_add_gpu(E' \t\n', tdp_w => 80);
SELECT wattgpu_add_gpu('A100', idle_power_w => 50);
SELECT wattgpu_add_gpu('NVIDIA A100-SXM4-40GB MIG 1g.5gb', tdp_w => 50);
SELECT wattgpu_add_gpu('GRID A100-8C', tdp_w => 50);
SELECT wattgpu_add_gpu('Tesla-T4-SHARED', tdp_w => 50);
SELECT wattgpu_add_gpu('Qwen/Qwen2.5-7B', tdp_w => 50);
SELECT wattgpu_add_gpu('new', tdp_w => -1);
SELECT wattgpu_add_gpu('new', memory_gb => -10);
SELECT wattgpu_add_gpu('new', tdp_w => 'NaN');
SELECT wattgpu_add_gpu('NVIDIA L4', idle_power_w => 73);
SELECT wattgpu_add_gpu('NVIDIA L4', memory_gb => 1);
SELECT wattgpu_add_gpu('new', base_clock_mhz => 2, boost_clock_mhz => 1);
SELECT wattgpu_add_gpu('new', release_date => '1989-12-31');
SELECT wattgpu_add_gpu('new', memory_type => '');
SELECT wattgpu_add_gpu('new', transistors_m => 1e9);
SELECT wattgpu_add_gpu(repeat('x', 257), tdp_w => 80);
SELECT digest = :'digest' AS unchanged FROM state;

-- nvidia-smi: with units, limits above and below the card's own, equal rows apart
SELECT * FROM wattgpu_read_nvidia_smi('name, memory.total [MiB], power.limit [W], power.draw [W], clocks.max.sm [MHz], pci.device_id
NVIDIA L4, 23034 MiB, 72.00 W, 16.30 W, 2040 MHz, 0x27B810DE
NVIDIA L4, 23034 MiB, 40.00 W, 16.30 W, 2040 MHz, 0x27B810DE
NVIDIA L4, 23034 MiB, 90.00 W, 0.00 W, 2040 MHz, 0x27B810DE
NVIDIA L4, 23034 MiB, 90.00 W, 0.00 W, 2040 MHz, 0x27B810DE', 'rack-1');
-- without units, other columns and order, a byte order mark, Windows and old Mac line ends, blank lines, a second host's header; count is of all GPUs of the host
SELECT * FROM wattgpu_read_nvidia_smi(E'\ufeffindex, uuid, power.limit, NAME, count, memory.total\r\n0, GPU-1, 70.00, Tesla T4, 8, 15360\r\n\r\n \t\r\n\ufeffhost, name, power.draw [W]\rbox 2, NVIDIA L40S, 36.9 W\r, NVIDIA L40S, 37\r', 'box 1');
-- what the tool does not know is NULL, what it cannot read is said
SELECT power_limit_w, power_w, memory_mib, gpu, reason FROM wattgpu_read_nvidia_smi(E'name, memory.total [MiB], power.limit [W], power.draw [W]
Tesla T4, [N/A], [Not Supported], N/A
Tesla T4, , [not supported],
Tesla T4, 15360 MiB, [Unknown Error], ERR!
[Unknown Error], 15360 MiB, 70.00 W, 9.81 W
[GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]
, 15360 MiB, 70.00 W, 9.81 W');
-- decimal commas: told in quotes and between semicolons or tabs, reported between commas; three digits after it may be thousands
SELECT line, spelling, gpu, power_limit_w, memory_mib, reason FROM wattgpu_read_nvidia_smi(E'name, memory.total [MiB], power.limit [W]
"NVIDIA L4", "23034 MiB", "72,50 W"
NVIDIA L4, 23034 MiB, 72,50 W
NVIDIA L4, "23,034 MiB", "72.50 W"
name;memory.total [MiB];power.limit [W]
NVIDIA L4;23034 MiB;72,50 W
name\tmemory.total [MiB]\tpower.limit [W]
NVIDIA L4\t23034 MiB\t72,50\u00a0W
NVIDIA L4\t\t
name,\tmemory.total,\tpower.limit
NVIDIA L4,\t23034,\t72.50
NVIDIA L4,\t23034,\t72,50');
-- figures out of range, of another unit, or none
SELECT spelling, power_limit_w, power_w, memory_mib, gpu, reason FROM wattgpu_read_nvidia_smi(E'name, power.limit [W], power.draw [W], memory.total [MiB]
Tesla T4, 0.00 W, 0.00 W, 15 GiB
Tesla T4, -70, -1, 0
Tesla T4, 10001, 10001, -15360
Tesla T4, 10000, 10000, 15360
Tesla T4, NaN, Infinity, 1e99999
Tesla T4, 0.07 kW, 70 MiB, 15360 W
Tesla T4, 70 W; DROP TABLE wattgpu_gpus, 0x46, 15360 MB');
-- a figure that may be read in two ways is none: a decimal comma that fills the next cell, thousands, figures that do not fit each other or the card (72 W)
SELECT spelling, gpu, power_limit_w, power_w, reason FROM wattgpu_read_nvidia_smi(E'name, power.limit [W], power.draw [W]
NVIDIA L4, 72,00 W
NVIDIA L4, 72, 16.30 W
NVIDIA L4, 72.00 W, 16
NVIDIA L4, 72, 16
NVIDIA L4, 72,50
NVIDIA L4,72,50
NVIDIA L4, 72.00 W, [N/A]
NVIDIA L4, 1.000 W, 16.305 W
NVIDIA L4, 72.0000 W, 1016.305 W
NVIDIA L4, 0.99 W, 16.30 W
NVIDIA L4, 1.00 W, 1.50 W
NVIDIA L4, 72.00 W, 108.00 W
NVIDIA L4, 72.00 W, 108.01 W
NVIDIA L4, 216.00 W, 16.30 W
NVIDIA L4, 216.01 W, 16.30 W
NVIDIA L5, 7200.00 W, 16.30 W');
SELECT gpu, power_w, memory_mib, reason FROM wattgpu_read_nvidia_smi(E'name, memory.total [MiB], power.draw [W], utilization.gpu [%]
NVIDIA L4, 23034 MiB, 16.30 W, 5 %
NVIDIA L4, 23.034 MiB, 16.30 W, 5 %
NVIDIA L4, 23034, 16,30 W');
SELECT line, spelling, gpu, gpus, reason FROM wattgpu_read_nvidia_smi(E'name, index, name\nNVIDIA L4, 0, Tesla T4\nname, gpu_name\nNVIDIA L4, NVIDIA L4\nname, index\nNVIDIA L4, 0');
-- not the table that was asked for
SELECT * FROM wattgpu_read_nvidia_smi(E'NVIDIA L4, 23034 MiB, 72.00 W\nname, power.limit [W]\nNVIDIA L4\nNVIDIA L4, 72.00 W, 1\n"NVIDIA L4, 72.00 W\n"NVIDIA" L4, 72.00 W\n"O''Brien ""L4"", ☃", 72.00 W\nNo devices were found');
SELECT * FROM wattgpu_read_nvidia_smi(E'index, memory.total\n0, 23034');
-- a line that was cut off, other output, and failures, each told apart
SELECT line, gpu, reason FROM wattgpu_read_nvidia_smi(E'name, memory.total [MiB], power.limit [W]\nNVIDIA L4, 230\nNVIDIA L4, 23034 MiB, 72,5 W');
SELECT reason FROM wattgpu_read_nvidia_smi('GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-2d6f0c1e)');
SELECT line, reason FROM wattgpu_read_nvidia_smi(E'NVIDIA-SMI has failed because it couldn''t communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.
Failed to initialize NVML: Driver/library version mismatch\nUnable to determine the device handle for GPU 0000:3B:00.0: Unknown Error\nNo devices were found');
SELECT count(*) FROM wattgpu_read_nvidia_smi(NULL);
SELECT * FROM wattgpu_read_nvidia_smi('', 'host');
SELECT * FROM wattgpu_read_nvidia_smi(E'\ufeff \r\n\t\n');
SELECT * FROM wattgpu_read_nvidia_smi('name, memory.total [MiB]');
SELECT * FROM wattgpu_read_nvidia_smi('name');
SELECT * FROM wattgpu_read_nvidia_smi(E'name\nTesla T4');

-- Parts of a card are refused
SELECT s AS spelling, g.* FROM unnest(ARRAY['NVIDIA A100-SXM4-40GB MIG 1g.5gb', 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb', 'NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb', 'A100-SXM4-80GB-MIG-1g.10gb+me',
	'GRID A100-10C', 'NVIDIA A40-8Q', 'NVIDIA-A40-48Q', 'A100-4-20C', 'GRID T4-2B4', 'NVIDIA A16-4A', 'A100-1-5CME', 'Tesla-T4-SHARED', 'NVIDIA A100-SXM4-40GB-SHARED']) s, wattgpu_inventory_gpu(s, NULL, NULL) g;
-- and no shipped name is taken for one
SELECT count(*) FROM (SELECT gpu FROM wattgpu_gpus UNION ALL SELECT alias FROM wattgpu_gpu_aliases) n (name), wattgpu_inventory_gpu(n.name, NULL, NULL) g WHERE g.reason ~ 'part';
-- every shipped name, with the memory and the ids of its card, is that card
SELECT count(*) > 90 AS many, count(*) FILTER (WHERE i.gpu IS DISTINCT FROM g.gpu OR i.reason IS NOT NULL) AS wrong
FROM wattgpu_gpus g, wattgpu_inventory_gpu(g.gpu, coalesce(g.memory_total_mib, g.memory_gb * 1024), NULL) i;
SELECT count(*) > 90 AS many, count(*) FILTER (WHERE i.gpu IS DISTINCT FROM a.gpu OR i.reason IS NOT NULL) AS wrong
FROM wattgpu_gpu_aliases a, wattgpu_inventory_gpu(a.gpu, NULL, a.alias) i WHERE a.kind = 'pci_id';
SELECT count(*) > 600 AS many, count(*) FILTER (WHERE i.gpu IS DISTINCT FROM a.gpu) AS wrong, count(*) FILTER (WHERE (i.reason IS NULL) = n.short) AS flags
FROM wattgpu_gpu_aliases a, wattgpu_inventory_gpu(a.alias, NULL, NULL) i, LATERAL (SELECT a.alias <> a.gpu AND a.kind NOT IN ('k8s_label', 'gcp', 'nvidia_smi', 'pci_id') AND EXISTS (
	SELECT FROM wattgpu_gpu_aliases s WHERE s.kind = 'short_ambiguous' AND s.gpu = a.gpu AND wattgpu_gpu_key(s.alias) = wattgpu_gpu_key(a.alias))) n (short);
-- memory and PCI ids: they decide between cards of one name, and contradict
SELECT v.*, g.* FROM (VALUES
	('NVIDIA GeForce RTX 4060 Ti', 8188, NULL), ('NVIDIA GeForce RTX 4060 Ti', 16380, NULL), ('NVIDIA-GeForce-RTX-4060-Ti', 16380, NULL), ('rtx4060ti', 16380, NULL),
	('NVIDIA GeForce RTX 4060 Ti', 12288, NULL), ('NVIDIA GeForce RTX 4060 Ti', NULL, NULL), ('NVIDIA GeForce RTX 4060 Ti', NULL, '0x280510DE'), ('NVIDIA GeForce RTX 4060 Ti', 8188, '0x280510DE'),
	('NVIDIA GeForce RTX 5060 Ti', 16311, '0x2D0410DE'), ('NVIDIA GeForce RTX 5060 Ti', 8151, '0x2D0410DE'),
	('NVIDIA GeForce RTX 3080', 12288, NULL), ('NVIDIA L4', 20270, NULL), ('NVIDIA L4', 20269, NULL), ('NVIDIA L4', 25798, NULL), ('NVIDIA L4', 25799, NULL), ('NVIDIA L4', 46068, '0x27B810DE'),
	('A100', 40960, NULL), ('A100', 81920, NULL), ('A100', 81920, '0x20B510DE'), ('H100', 81559, '0x27B810DE'), ('V100', NULL, NULL),
	('NVIDIA Graphics Device', 98304, '0x000010DE'), ('NVIDIA Graphics Device', 81920, '0x20B210DE'), ('NVIDIA Graphics Device', 40960, '0x20B210DE'), ('', NULL, '0x20b210de'),
	('NVIDIA Graphics Device', NULL, '10DE:20B2'), ('NVIDIA L4', 23034, '0x20B210DE'), ('NVIDIA L4', NULL, 'O''Brien'), ('NVIDIA L4', NULL, '0x20B2'), ('', NULL, NULL), (NULL, NULL, NULL)) v (name, mib, id), wattgpu_inventory_gpu(v.name, v.mib, v.id) g;

-- Kubernetes: nodes in an array, as kubectl prints them, and one object of labels
SELECT * FROM wattgpu_read_kubernetes('[
	{"node": "n1", "labels": {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.count": "4", "nvidia.com/gpu.memory": "23034", "nvidia.com/gpu.replicas": "1", "nvidia.com/gpu.sharing-strategy": "none"}},
	{"node": "n2", "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/gpu.count": "7", "nvidia.com/gpu.memory": "4864", "nvidia.com/mig.strategy": "single"}},
	{"node": "n3", "labels": {"nvidia.com/gpu.product": "Tesla-T4-SHARED", "nvidia.com/gpu.count": "1", "nvidia.com/gpu.replicas": "4"}},
	{"node": "n4", "labels": {"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.count": "1", "nvidia.com/gpu.replicas": "4"}},
	{"node": "n5", "labels": {"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.count": "1", "nvidia.com/gpu.sharing-strategy": "mps"}},
	{"node": "n6", "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu.count": "8", "nvidia.com/mig.strategy": "mixed",
		"nvidia.com/mig-1g.5gb.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/mig-1g.5gb.count": "3", "nvidia.com/mig-1g.5gb.memory": "4864"}},
	{"node": "n7", "labels": {"kubernetes.io/arch": "amd64"}},
	{"node": "n8", "labels": {}}, {"node": "n9", "labels": null}, {"node": "n10"}, {},
	{"node": "n11", "labels": {"nvidia.com/gpu.product": "NVIDIA-L4"}},
	{"node": "n12", "labels": {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.count": "many", "nvidia.com/gpu.memory": "4864"}},
	{"node": "n13", "labels": {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.count": -1, "nvidia.com/gpu.memory": [1]}},
	{"node": "n14", "labels": {"nvidia.com/gpu.product": "L9 \"☃\"", "nvidia.com/gpu.count": 0}},
	{"node": "n15", "labels": {"amd.com/gpu.product-name": "AMD_Instinct_MI300X", "amd.com/gpu.device-id": "74a1", "amd.com/gpu.device-id.74a1": "8", "amd.com/gpu.vram": "192G"}},
	{"node": "n16", "labels": {"beta.amd.com/gpu.device-id": "740f", "beta.amd.com/gpu.device-id.740f": "2", "beta.amd.com/gpu.vram": "64G"}},
	{"node": "n17", "labels": {"amd.com/gpu.device-id": "74a1", "amd.com/gpu.device-id.74a1": "64", "amd.com/gpu.compute-memory-partition": "cpx_nps4"}},
	{"node": "n18", "labels": ["nvidia.com/gpu.product"]}, 18, "nvidia.com/gpu.product"]');
SELECT * FROM wattgpu_read_kubernetes('{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "k1", "labels": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count": "8", "nvidia.com/gpu.memory": "81559"}}}, {"metadata": {"name": "k2"}}]}');
SELECT * FROM wattgpu_read_kubernetes('{"kubernetes.io/hostname": "k3", "nvidia.com/gpu.product": "NVIDIA-L40S", "nvidia.com/gpu.count": "2"}');
-- labels that say there is a GPU and not which, and vGPUs
SELECT line, host, spelling, gpu, gpus, reason FROM wattgpu_read_kubernetes('[
	{"node": "m1", "labels": {"nvidia.com/gpu.count": "8"}}, {"node": "m2", "labels": {"nvidia.com/gpu.present": "true"}},
	{"node": "m3", "labels": {"nvidia.com/gpu.present": "false", "nvidia.com/vgpu.present": "false", "nvidia.com/gfd.timestamp": "1"}},
	{"node": "m4", "labels": {"nvidia.com/gpu.product": "NVIDIA-A40", "nvidia.com/gpu.count": "4", "nvidia.com/vgpu.present": "true"}},
	{"node": "m5", "labels": {"nvidia.com/gpu.product": "NVIDIA-A40", "nvidia.com/gpu.count": "4", "nvidia.com/vgpu.present": "false"}},
	{"node": "m6", "labels": {"nvidia.com/gpu.product": null, "nvidia.com/gpu.count": "2"}},
	{"node": "m7", "labels": {"nvidia.com/mig-1g.5gb.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/mig-1g.5gb.count": "3"}},
	{"node": "m8", "labels": {"amd.com/gpu.family": "AI", "amd.com/gpu.vram": "64G"}}]');
SELECT count(*) FROM wattgpu_read_kubernetes(NULL);
SELECT * FROM wattgpu_read_kubernetes('[]');
SELECT * FROM wattgpu_read_kubernetes('{}');
SELECT * FROM wattgpu_read_kubernetes('{"items": []}');
SELECT count(*) FROM wattgpu_read_kubernetes('{"items": "none"}');
SELECT count(*) FROM wattgpu_read_kubernetes('"items"');
SELECT count(*) FROM wattgpu_read_kubernetes('null');

-- DCGM: a row a GPU, though several pods and metrics name it; the last of several values; quotes in labels that look like other labels
SELECT * FROM wattgpu_read_dcgm(E'# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-1",modelName="NVIDIA L4",Hostname="h1"} 2040
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1",modelName="NVIDIA L4",Hostname="h1",pod="a"} 20.5\r
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1",modelName="NVIDIA L4",Hostname="h1",pod="b"} 21.25 1700000000000
DCGM_FI_DEV_POWER_MGMT_LIMIT{gpu="0",UUID="GPU-1",modelName="NVIDIA L4",Hostname="h1"} 60.000000
DCGM_FI_DEV_POWER_USAGE{gpu="0",modelName="Tesla T4",Hostname="h1",} 30
DCGM_FI_DEV_POWER_USAGE{gpu="0",modelName="Tesla T4",Hostname="h2"} 31
DCGM_FI_DEV_POWER_USAGE{gpu="1",modelName="Tesla T4",Hostname="h2"} NaN
DCGM_FI_DEV_POWER_USAGE{gpu="2",modelName="Tesla T4",Hostname="h2"} 9223372036854775794
DCGM_FI_DEV_FB_TOTAL{gpu="3",modelName="NVIDIA GeForce RTX 4060 Ti",Hostname="h2"} 16380
DCGM_FI_DEV_POWER_USAGE{gpu="4",UUID="GPU-4",modelName="NVIDIA A100-SXM4-40GB",GPU_I_PROFILE="1g.5gb",GPU_I_ID="1",Hostname="h2"} 60
DCGM_FI_DEV_POWER_USAGE{gpu="4",UUID="GPU-4",modelName="NVIDIA A100-SXM4-40GB",GPU_I_PROFILE="2g.10gb",GPU_I_ID="2",Hostname="h2"} 60
DCGM_FI_DEV_POWER_USAGE{note="}, modelName=\\"NVIDIA L4\\" 1",gpu="5",modelName="My \\"☃\\" \\\\ card",Hostname="h 3"} 5e1
DCGM_FI_DEV_POWER_USAGE{gpu="6",Hostname="h3"} 7
go_goroutines 12
up{job="dcgm"} 1
# EOF');
SELECT * FROM wattgpu_read_dcgm(E'nonsense, all of it\nDCGM_FI_DEV_POWER_USAGE{modelName="NVIDIA L4" 3\nDCGM_FI_DEV_POWER_USAGE{modelName="NVIDIA L4"}');
SELECT count(*) FROM wattgpu_read_dcgm(NULL);
SELECT * FROM wattgpu_read_dcgm('');
SELECT * FROM wattgpu_read_dcgm(E'# nothing\n\n');

-- Instances: 8 A100 in a p4d.24xlarge, 4 T4 in an NC64as
SELECT * FROM wattgpu_read_instance('aws', 'p4d.24xlarge');
SELECT spelling, gpu, gpus FROM wattgpu_read_instance(' Azure', 'standard_nc64AS_T4_v3', 3);
SELECT spelling, gpu, gpus, reason FROM wattgpu_read_instance('aws', 'm7i.large', 2);
SELECT spelling, gpu, gpus, reason FROM wattgpu_read_instance('azure', 'p4d.24xlarge');
SELECT spelling, gpu, gpus, reason FROM wattgpu_read_instance('O''Brien "☃"', '');
SELECT gpu, gpus, reason FROM wattgpu_read_instance('aws', 'p4d.24xlarge', NULL);
SELECT count(*) FROM wattgpu_read_instance(NULL, 'p4d.24xlarge');
SELECT count(*) FROM wattgpu_read_instance('aws', NULL);
SELECT count(*) FROM wattgpu_read_instance('aws', 'p4d.24xlarge', 0);
SELECT count(*) FROM wattgpu_read_instance('aws', 'p4d.24xlarge', 1000001);

-- 100,000 lines take seconds, also with many unknown names
SET statement_timeout = '90s';
SELECT count(*), count(gpu), min(line), max(line), sum(power_w) FROM wattgpu_read_nvidia_smi((SELECT 'name, memory.total [MiB], power.draw [W]' || string_agg(E'\nNVIDIA L4, 23034 MiB, ' || i % 10 || '.00 W', '') FROM generate_series(1, 100000) i));
SELECT count(*), count(gpu), count(DISTINCT reason) FROM wattgpu_read_nvidia_smi((SELECT 'name' || string_agg(E'\nCard ' || i, '') FROM generate_series(1, 20000) i));
SELECT count(*), count(gpu), count(DISTINCT host) FROM wattgpu_read_dcgm((SELECT string_agg('DCGM_FI_DEV_POWER_USAGE{gpu="0",modelName="NVIDIA L4",Hostname="h' || i || '"} 20', E'\n') FROM generate_series(1, 100000) i));
RESET statement_timeout;

-- An ordinary role reads, in a read-only transaction, whatever its search_path, also in a parallel worker; it adds nothing
CREATE ROLE wattgpu_ordinary;
CREATE SCHEMA hostile;
GRANT USAGE ON SCHEMA hostile TO wattgpu_ordinary;
CREATE FUNCTION hostile.btrim(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''stolen''';
CREATE FUNCTION hostile.lower(text) RETURNS text LANGUAGE sql AS 'SELECT ''stolen''';
SET ROLE wattgpu_ordinary;
BEGIN READ ONLY;
SET LOCAL search_path = hostile, pg_catalog;
SELECT gpu FROM public.wattgpu_read_nvidia_smi(E'name\nTesla T4');
SELECT gpu FROM public.wattgpu_read_kubernetes('{"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.count": "1"}');
SELECT gpu FROM public.wattgpu_read_dcgm('DCGM_FI_DEV_POWER_USAGE{modelName="Tesla T4"} 9');
SELECT gpu FROM public.wattgpu_read_instance('aws', 'g4dn.xlarge');
ROLLBACK;
DO $$ BEGIN
	PERFORM set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false);
END $$;
SELECT gpu FROM wattgpu_read_nvidia_smi(E'name\nTesla T4');
DO $$ BEGIN
	PERFORM set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'off', false);
END $$;
SELECT wattgpu_add_gpu('mine', tdp_w => 80);
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;
RESET client_min_messages;
DROP ROLE wattgpu_ordinary;
SELECT digest = :'digest' AS unchanged FROM state;
\pset format aligned
\pset null ''
\set SHOW_CONTEXT errors
DROP VIEW state;
