# AMD Radeon RX 6600 XT: one gfx1032 die (Navi 23), which executes what a gfx1030 does. Sizes of caches: the driver's tables.
# Where nothing is said, as rx6800.
like                  rx6800
product               rx6600xt
name                  rx6600xt
device_id             0x73ff
subsystem_device      0x73ff
pci_revision          0xc1
external_revision     0x3c
asic_revision         0
cus                   8        # one workgroup processor of each array; the product has 32
l2_kb                 2048
l2_channels           8
memory_bytes_per_clock 94      # its width and clock make 99 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 94
mall_kb               32768
memory_width_bits     128
