# AMD Radeon RX 9070 XT: one gfx1201 die (Navi 48). Ids, caches: the driver's tables.
# Where nothing is said, as mi210: above all, of the cache model and of time, which do not know this GPU yet.
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
l2_kb                 8192
l2_channels           32
l2_ways               16
mall_kb               65536
memory_clock_mhz      1259
memory_width_bits     256
sdma_xgmi_engines     0
cp_queues             8
num_gws               64
counter_slots         0        # its counters are not modelled
