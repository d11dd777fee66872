# AMD Radeon 8060S (Ryzen AI Max, "Strix Halo"): one gfx1151 GPU beside a processor, whose memory it shares. Ids, caches: the
# driver's tables. Where nothing is said, as mi210: above all, of the cache model and of time, which do not know this GPU yet.
like                  mi210
product               strixhalo
name                  strixhalo
runtime               ROCm 6.4
device_id             0x1586
subsystem_device      0x1586
pci_revision          0xc1
external_revision     0xc1
asic_revision         0
mec_firmware          32
sdma_firmware         14
apu                   1

cus                   8        # one workgroup processor of each array; the product has 40
l1_vector_kb          32
l1_scalar_kb          16
l1_instruction_kb     32
l1_shared_cus         2        # of a workgroup processor
l2_kb                 2048
l2_channels           16
l2_ways               16
mall_kb               32768
memory_clock_mhz      1000
memory_width_bits     256
sdma_engines          1
sdma_xgmi_engines     0
cp_queues             8
num_gws               64
counter_slots         0        # its counters are not modelled
