# AMD Radeon 8060S (Ryzen AI Max, "Strix Halo"): one gfx1151 GPU beside a processor, whose memory it shares. Ids, sizes of caches: the
# driver's tables. Nothing of time was measured: latencies are round figures of the right order. Where nothing is said, as mi210.
like                  mi210
product               strixhalo
name                  strixhalo
runtime               ROCm 6.4
device_id             0x1586
subsystem_device      0x1586
pci_revision          0xc1
external_revision     0xc1
asic_revision         0
mec_firmware          32
sdma_firmware         14
apu                   1

cus                   8        # one workgroup processor of each array; the product has 40
l1_vector_kb          32
l1_scalar_kb          16
l1_instruction_kb     32
l1_shared_cus         2        # of a workgroup processor
l1_vector_ways        4        # ways of the vector L1 (L0) and of GL1: as those of RDNA 2
gl1_kb                256      # of a shader array
gl1_ways              16
l2_kb                 2048
l2_channels           16
l2_ways               16
l2_reads_whole        1        # as measured of a gfx1153: reads of a stream are of 128 bytes
gl1_latency           180
l2_latency            270
vram_latency          900
vram_write_latency    830
memory_bytes_per_clock 84      # its width and clock make 88 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 84
mall_kb               32768
memory_clock_mhz      1000
memory_width_bits     256
sdma_engines          1
sdma_xgmi_engines     0
cp_queues             8
num_gws               64
