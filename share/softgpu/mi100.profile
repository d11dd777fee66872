# AMD Instinct MI100: one gfx908 die. Where nothing is said, as mi210.
like                  mi210
product               mi100
name                  mi100
device_id             0x738c
subsystem_device      0x0c34
pci_revision          1
external_revision     0x34
asic_revision         2
mec_firmware          67
sdma_firmware         18
cus                   8        # the product has 120
memory_clock_mhz      1200
sdma_xgmi_engines     6
memory_bytes_per_clock 760     # as much of 1228.8 GB/s as was measured of an MI200's peak
memory_write_bytes_per_clock 600
