# AMD Radeon 780M (Ryzen 7040 and 8040, "Phoenix"): one gfx1103 GPU beside a processor, whose memory it shares; it executes what a gfx1100
# does, with fewer registers. Sizes of caches: those of RDNA 3. Where nothing is said, as strixhalo.
like                  strixhalo
product               phoenix
name                  phoenix
device_id             0x15bf
subsystem_device      0x15bf
pci_revision          0xc1
external_revision     0x01
cus                   4        # one workgroup processor of each array; the product has 12
l2_kb                 2048
l2_channels           8
memory_bytes_per_clock 36      # LPDDR5-6400 of 128 bits makes 38 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 36
mall_kb               0
memory_clock_mhz      800
memory_width_bits     128
