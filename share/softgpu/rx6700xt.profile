# AMD Radeon RX 6700 XT: one gfx1031 die (Navi 22), which executes what a gfx1030 does. Sizes of caches: the driver's tables.
# Where nothing is said, as rx6800.
like                  rx6800
product               rx6700xt
name                  rx6700xt
device_id             0x73df
subsystem_device      0x73df
pci_revision          0xc1
external_revision     0x32
asic_revision         0
cus                   8        # one workgroup processor of each array; the product has 40
l2_kb                 3072
l2_channels           12
memory_bytes_per_clock 141     # its width and clock make 149 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 141
mall_kb               98304
memory_width_bits     192
vram_mb               8192     # the product has 12288
