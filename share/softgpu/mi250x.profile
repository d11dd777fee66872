# AMD Instinct MI250X: two gfx90a dies, which the driver shows as two GPUs. Where nothing is said, as mi210.
like                  mi210
product               mi250x
name                  mi250x
marketing_name        AMD Instinct MI250X, one of two dies
gpus                  2
device_id             0x7408
subsystem_device      0x0b0c
pci_revision          0
cus                   8        # the product has 110
