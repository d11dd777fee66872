# AMD Instinct MI350X: eight gfx950 dies that work as one. Ids, firmware and clocks: a capture of the driver's topology. Where
# nothing is said, as mi300x.
like                  mi300x
product               mi350x
name                  mi350x
runtime               ROCm 7.0
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

l2_latency            256      # mt4g, of an MI350P, which is half of this: 256.0
vram_latency          768      # the same: 768, of memory
mall_latency          444      # the same: 443.9
vram_write_latency    336      # writes below L2 take 80
host_latency          1770     # not measured: as mi300a
utcl1_pending         39
l1_tags_by_line       1        # an assumption: its tags hold none of vcopy's later dispatches up
l1_spare_caches       2        # 36 units of a die share 18; 4 of them are switched off
l1_code_ahead         16       # 1296 requests of 72 caches: 18 lines are read of code that has 2
l2_writeback_ways     8        # as mi210
level_sample_clocks   72       # 9 units of an array
packet_clocks         4720
cp_decode_clocks      4960
cp_stall_clocks       2040
cp_translation_clocks 50
cp_page_table_clocks  48
cpc_memory_clocks     78
cpf_memory_clocks     264
