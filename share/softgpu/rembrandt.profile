# AMD Radeon 680M (Ryzen 6000, "Rembrandt"): one gfx1035 GPU beside a processor, whose memory it shares; it executes what a gfx1030 does.
# Sizes of caches: the driver's tables. Where nothing is said, as rx6800.
like                  rx6800
product               rembrandt
name                  rembrandt
device_id             0x1681
subsystem_device      0x1681
pci_revision          0xc7
external_revision     0x20
asic_revision         0
apu                   1
cus                   4        # one workgroup processor of each array; the product has 12
l2_kb                 2048
l2_channels           8
memory_bytes_per_clock 40      # LPDDR5-6400 of 128 bits makes 43 of the engine's; of those 95 %, near the 93 % that were measured of an MI210
memory_write_bytes_per_clock 40
mall_kb               0
memory_clock_mhz      800
memory_width_bits     128
sdma_engines          1
sdma_xgmi_engines     0
