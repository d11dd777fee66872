# AMD Radeon RX 7900 XTX: one gfx1100 die (Navi 31) with six dies of memory controllers. Ids, caches: the driver's tables.
# Where nothing is said, as mi210: above all, of the cache model and of time, which do not know this GPU yet.
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
l2_kb                 6144
l2_channels           24
l2_ways               16
mall_kb               98304
vram_mb               12288    # the product has 24576
memory_clock_mhz      1249
memory_width_bits     384
sdma_xgmi_engines     0
cp_queues             8
num_gws               64
counter_slots         0        # its counters are not modelled
