# AMD Instinct MI300X: eight gfx942 dies (XCCs) that work as one. Ids, firmware, caches, engines: captures of the driver's
# topology. Where nothing is said, as mi210: above all, of the cache model, what is not published.
like                  mi210
product               mi300x
name                  mi300x
runtime               ROCm 6.0
device_id             0x74a1
subsystem_device      0x74a1
pci_revision          0
external_revision     0x47
mec_firmware          176      # captures have 192: from 177 on ROCr has the packet processor reclaim scratch
sdma_firmware         25

cus                   8        # one of each XCC; the product has 304, of which softgpu --cus takes 320 at most
l1_vector_kb          32
l1_instruction_kb     64
l2_kb                 4096     # of an XCC, as its channels
l2_channels           16
mall_kb               262144
memory_clock_mhz      1300
memory_width_bits     8192
sdma_xgmi_engines     14
memory_bytes_per_clock 2350    # as much of 5300 GB/s as was measured of an MI200's peak
memory_write_bytes_per_clock 1840
