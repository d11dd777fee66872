# AMD Instinct MI300A: six gfx942 dies and a processor that share one memory, which is the host's. Where nothing is said, as
# mi300x.
like                  mi300x
product               mi300a
name                  mi300a
device_id             0x74a0
subsystem_device      0x74a0
apu                   1
cus                   6        # one of each XCC; the product has 228
