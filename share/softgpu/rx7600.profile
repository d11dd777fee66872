# AMD Radeon RX 7600: one gfx1102 die (Navi 33), which executes what a gfx1100 does, with fewer registers. Sizes of caches: AMD's data
# sheet, and those of RDNA 3. Where nothing is said, as rx7900xtx.
like                  rx7900xtx
product               rx7600
name                  rx7600
device_id             0x7480
subsystem_device      0x7480
pci_revision          0xcf
external_revision     0x10
asic_revision         0
cus                   8        # one workgroup processor of each array; the product has 32
l2_kb                 2048
l2_channels           8
memory_bytes_per_clock 103     # its width and clock make 108 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 103
mall_kb               32768
vram_mb               8192
memory_clock_mhz      1125
memory_width_bits     128
