# AMD Instinct MI210: one gfx90a die. Shape, caches, clocks and ids are those of the product, except
# where said: a software GPU gains nothing from 104 compute units or 64 GB.
name                  mi210
marketing_name        AMD Instinct MI210
gfx_target_version    90010
vendor_id             0x1002
device_id             0x740f
subsystem_device      0x0c34
pci_revision          2
external_revision     0x3d
asic_revision         1
mec_firmware          78
sdma_firmware         8

num_xcc               1
shader_engines        8
arrays_per_engine     1
cus_per_array         1        # the product has 13: softgpu --cus 104
simds_per_cu          4
waves_per_simd        8
lds_kb                64
scratch_slots_per_cu  32

l1_vector_kb          16
l1_scalar_kb          16
l1_instruction_kb     32
l2_kb                 8192
l2_channels           32

# The cache model (docs/counter-model.md). Ways and the size of the translation buffer are not
# published for all; latencies, in clocks, are round figures of the right order.
l1_vector_ways        64
l1_scalar_ways        4
l1_instruction_ways   4
l1_shared_cus         2        # compute units that share scalar and instruction cache
l1_store_clocks       2        # for which a request of a store takes the port to L2
l2_ways               16
l2_writeback_ways     8        # the oldest of a set: what is dirty among them is written back
l2_interleave         256
utcl1_entries         32
utcl1_miss_latency    100
utcl2_entries         512      # shared by all units; 0: L2 is not asked for page tables
lds_latency           64
l1_vector_latency     120
l1_scalar_latency     50
l1_instruction_latency 16
l2_latency            220
vram_latency          800
vram_write_latency    720      # below L2 270 to 660 clocks were measured of writes, 300 to 910 of reads
host_latency          2300     # kernel arguments of a first dispatch shut the scalar caches for 2093
memory_bytes_per_clock 900     # reads: a stream was measured at 898; its clock and width make 964
memory_write_bytes_per_clock 700 # a fill was measured at 704

vram_mb               8192     # the product has 65536
engine_clock_mhz      1700
memory_clock_mhz      1600
memory_width_bits     4096
sdma_engines          2
sdma_xgmi_engines     3
sdma_queues_per_engine 8
cp_queues             24
num_gws               64
counter_slots         1024     # of each block, a run counts whatever is asked for; the product has 2 to 8
