# AMD Radeon RX 9060 XT: one gfx1200 die (Navi 44), which executes what a gfx1201 does. Sizes of caches: AMD's data sheet, and those of
# the RX 9070 XT. Where nothing is said, as rx9070xt.
like                  rx9070xt
product               rx9060xt
name                  rx9060xt
device_id             0x7590
subsystem_device      0x7590
pci_revision          0xc0
external_revision     0x40
cus                   8        # one workgroup processor of each array; the product has 32
l2_kb                 4096
l2_channels           16
memory_bytes_per_clock 98      # its width and clock make 103 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 98
mall_kb               32768
memory_clock_mhz      1259
memory_width_bits     128
vram_mb               8192     # there are products with 8192 and with 16384
