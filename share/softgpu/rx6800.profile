# AMD Radeon RX 6800: one gfx1030 die (Navi 21). Ids, firmware, sizes of caches: a capture of rocminfo of the same die, the driver's tables.
# Nothing of time was measured: latencies are round figures of the right order. Where nothing is said, as mi210.
like                  mi210
product               rx6800
name                  rx6800
device_id             0x73bf
subsystem_device      0x0e3a
pci_revision          0xc3
external_revision     0x29
asic_revision         1
mec_firmware          116
sdma_firmware         80

cus                   16       # one workgroup processor of each array; the product has 60
l1_vector_kb          16
l1_scalar_kb          16
l1_instruction_kb     32
l1_shared_cus         2        # of a workgroup processor
l1_vector_ways        4        # ways of the vector L1 (L0) and of GL1: AMD's white paper on RDNA
gl1_kb                128      # of a shader array
gl1_ways              16
l2_kb                 4096
l2_channels           16
l2_ways               16
l2_reads_whole        1        # as measured of a gfx1153: reads of a stream are of 128 bytes
gl1_latency           180
l2_latency            260
vram_latency          700
vram_write_latency    640
memory_bytes_per_clock 230     # its width and clock make 243 of the engine's
memory_write_bytes_per_clock 230
mall_kb               131072
vram_mb               8192     # the product has 16384
memory_clock_mhz      1000
memory_width_bits     256
sdma_xgmi_engines     2
cp_queues             8
num_gws               64
