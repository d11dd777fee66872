# AMD Instinct MI350X: eight gfx950 dies that work as one. Ids, firmware and clocks: a capture of the driver's topology. Where
# nothing is said, as mi300x.
like                  mi300x
product               mi350x
name                  mi350x
runtime               ROCm 6.4
device_id             0x75a0
subsystem_device      0x75a0
external_revision     0x50
asic_revision         0
mec_firmware          23       # the capture has 36: from 24 on as of mi300x from 177
sdma_firmware         12
cus                   8        # one of each XCC; the product has 256
memory_clock_mhz      1900
memory_bytes_per_clock 3390
memory_write_bytes_per_clock 2650
