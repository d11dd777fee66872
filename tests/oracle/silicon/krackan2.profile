# AMD Radeon 840M (Krackan Point 2), of which krackan2-vcopy.tsv was measured: a gfx1153, which executes what a gfx1151 does. Not a product that
# programs can choose. Sizes: rocprofiler-compute's description of the system. Bandwidth: of the measurement itself.
name                  krackan2
gfx_target_version    110501
shader_engines        1
arrays_per_engine     1
cus_per_array         4
simds_per_cu          2
waves_per_simd        16
engine_clock_mhz      2700
l1_vector_kb          32
l1_vector_ways        4
l1_scalar_kb          16
l1_instruction_kb     32
l1_shared_cus         2
gl1_kb                256
gl1_ways              16
l2_kb                 1024
l2_channels           4
l2_ways               16
l2_reads_whole        1
gl1_latency           180
l2_latency            270
vram_latency          900
vram_write_latency    830
memory_bytes_per_clock 28
memory_write_bytes_per_clock 28
