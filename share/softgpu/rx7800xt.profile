# AMD Radeon RX 7800 XT: one gfx1101 die (Navi 32) with four dies of memory controllers, which executes what a gfx1100 does. Sizes of
# caches: AMD's data sheet, and those of RDNA 3. Where nothing is said, as rx7900xtx.
like                  rx7900xtx
product               rx7800xt
name                  rx7800xt
device_id             0x747e
subsystem_device      0x747e
pci_revision          0xc8
external_revision     0x20
asic_revision         0
cus                   12       # one workgroup processor of each array; the product has 60
l2_kb                 4096
l2_channels           16
memory_bytes_per_clock 244     # its width and clock make 256 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 244
mall_kb               65536
vram_mb               8192     # the product has 16384
memory_clock_mhz      1219
memory_width_bits     256
