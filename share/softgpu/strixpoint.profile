# AMD Radeon 890M (Ryzen AI 300, "Strix Point"): one gfx1150 GPU beside a processor, whose memory it shares; it executes what a gfx1151
# does, with fewer registers. Sizes of caches: those of RDNA 3.5. Where nothing is said, as strixhalo.
like                  strixhalo
product               strixpoint
name                  strixpoint
device_id             0x150e
subsystem_device      0x150e
pci_revision          0xc1
external_revision     0x01
cus                   4        # one workgroup processor of each array; the product has 16
l2_kb                 2048
l2_channels           8
memory_bytes_per_clock 39      # LPDDR5-7500 of 128 bits makes 41 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 39
mall_kb               0
memory_clock_mhz      938
memory_width_bits     128
