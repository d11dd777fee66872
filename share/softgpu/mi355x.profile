# AMD Instinct MI355X: an MI350X with a higher clock. Where nothing is said, as mi350x.
like                  mi350x
product               mi355x
name                  mi355x
device_id             0x75a3
subsystem_device      0x75a3
cus                   8        # one of each XCC; the product has 256
memory_bytes_per_clock 3110
memory_write_bytes_per_clock 2430
