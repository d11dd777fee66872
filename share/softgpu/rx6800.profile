# AMD Radeon RX 6800: one gfx1030 die (Navi 21). Ids, firmware, caches: a capture of rocminfo of the same die, the driver's tables.
# Where nothing is said, as mi210: above all, of the cache model and of time, which do not know this GPU yet.
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
l2_kb                 4096
l2_channels           16
l2_ways               16
mall_kb               131072
vram_mb               8192     # the product has 16384
memory_clock_mhz      1000
memory_width_bits     256
sdma_xgmi_engines     2
cp_queues             8
num_gws               64
counter_slots         0        # its counters are not modelled
