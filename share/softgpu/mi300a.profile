# AMD Instinct MI300A: six gfx942 dies and a processor that share one memory, which is the host's. Where nothing is said, as
# mi300x.
like                  mi300x
product               mi300a
name                  mi300a
device_id             0x74a0
subsystem_device      0x74a0
apu                   1
host_xgmi             1
cus                   6        # one of each XCC; the product has 228

l2_latency            266      # mt4g: 266.0
vram_latency          866      # mt4g: 866.0, of memory; of the MALL 494, which is left out, since no read of vcopy took as little (docs/counter-model.md)
vram_write_latency    696      # writes below L2 take 430
host_latency          1770     # kernel arguments shut the scalar caches for 1560
utcl1_pending         38       # a fit
l2_writeback_ways     8        # as mi210
packet_clocks         11000
cp_decode_clocks      9000
cp_stall_clocks       5100
cp_translation_clocks 617
cp_page_table_clocks  507
cpc_memory_clocks     103
cpf_memory_clocks     720
