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

# Of the cache and timing models, for each XCC (docs/counter-model.md): what was measured of vcopy, but for latencies of reads. These
# are of chains of loads on an idle GPU, as TUM's mt4g publishes them (github.com/caps-tum/mt4g, sample_results).
l1_store_clocks       1        # assumed: mt4g has a unit of an MI300A write 128 bytes in a clock, and 99 of an MI350P
l2_reads_whole        1        # TCC_BUBBLE is all reads of data
l2_hash               1        # L2's channels are assumed to be hashed as Linux's table has the memory's
l2_writeback_ways     0        # a fit: by mi210's 8, four lines of a first dispatch would be written back early
l2_latency            288      # 287.5
vram_latency          900      # 899.7, of memory
vram_write_latency    728      # writes below L2 take 440
host_latency          18100    # kernel arguments shut the scalar caches for 17,900
uncached_turn         0        # and all of them at once
utcl1_pending         33       # a fit, as of mi300a, whose dies are the same
level_sample_clocks   80       # 10 units of an array, eight clocks each
packet_clocks         18500    # of quiet runs; the XCCs' command processors wait for each other, up to 170,000
cp_decode_clocks      16900
cp_stall_clocks       8000
cp_translation_clocks 600
cp_page_table_clocks  590
cpc_memory_clocks     99
cpf_memory_clocks     1800
