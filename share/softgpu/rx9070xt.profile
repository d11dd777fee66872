# AMD Radeon RX 9070 XT: one gfx1201 die (Navi 48). Ids, sizes of caches: the driver's tables. It has no GL1 that keeps lines.
# Nothing of time was measured: latencies are round figures of the right order. Where nothing is said, as mi210.
like                  mi210
product               rx9070xt
name                  rx9070xt
runtime               ROCm 6.4
device_id             0x7550
subsystem_device      0x7550
pci_revision          0xc0
external_revision     0x51
asic_revision         0
mec_firmware          550
sdma_firmware         27

cus                   16       # one workgroup processor of each array; the product has 64
l1_vector_kb          32
l1_scalar_kb          16
l1_instruction_kb     64
l1_shared_cus         2        # of a workgroup processor
l1_vector_ways        4        # ways of the vector L1 (L0): as those of RDNA 2
l2_kb                 8192
l2_channels           32
l2_ways               16
l2_reads_whole        1        # as measured of a gfx1153: reads of a stream are of 128 bytes
l2_latency            300
vram_latency          850
vram_write_latency    790
memory_bytes_per_clock 206     # its width and clock make 217 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 206
mall_kb               65536
memory_clock_mhz      1259
memory_width_bits     256
sdma_xgmi_engines     0
cp_queues             8
num_gws               64
