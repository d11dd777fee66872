# AMD Radeon RX 7900 XTX: one gfx1100 die (Navi 31) with six dies of memory controllers. Ids, sizes of caches: the driver's tables.
# Nothing of time was measured: latencies are round figures of the right order. Where nothing is said, as mi210.
like                  mi210
product               rx7900xtx
name                  rx7900xtx
runtime               ROCm 5.5
device_id             0x744c
subsystem_device      0x0e3b
pci_revision          0xc8
external_revision     0x01
asic_revision         0
mec_firmware          550
sdma_firmware         27

cus                   24       # one workgroup processor of each array; the product has 96
l1_vector_kb          32
l1_scalar_kb          16
l1_instruction_kb     32
l1_shared_cus         2        # of a workgroup processor
l1_vector_ways        4        # ways of the vector L1 (L0) and of GL1: as those of RDNA 2
gl1_kb                256      # of a shader array
gl1_ways              16
l2_kb                 6144
l2_channels           24
l2_ways               16
l2_reads_whole        1        # as measured of a gfx1153: reads of a stream are of 128 bytes
gl1_latency           180
l2_latency            270
vram_latency          750
vram_write_latency    690
memory_bytes_per_clock 365     # its width and clock make 384 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 365
mall_kb               98304
vram_mb               12288    # the product has 24576
memory_clock_mhz      1249
memory_width_bits     384
sdma_xgmi_engines     0
cp_queues             8
num_gws               64
