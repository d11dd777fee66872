# AMD Radeon 840M (Ryzen AI 300, "Krackan Point 2"): one gfx1153 GPU beside a processor, whose memory it shares; it executes what a gfx1151
# does, with fewer registers. Sizes of caches: rocprofiler-compute's description of a system. Where nothing is said, as strixhalo.
like                  strixhalo
product               krackan2
name                  krackan2
device_id             0x1902
subsystem_device      0x1902
pci_revision          0xc1
external_revision     0x50
cus                   4        # all that the product has
l2_kb                 1024
l2_channels           4
memory_bytes_per_clock 28      # as measured of one; DDR5-5600 of 128 bits makes 33
memory_write_bytes_per_clock 28
mall_kb               0
memory_clock_mhz      700
memory_width_bits     128
