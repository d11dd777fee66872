# AMD Radeon RX 6900 XT: the die of the RX 6800 with more compute units, at a higher clock.
like                  rx6800
product               rx6900xt
name                  rx6900xt
pci_revision          0xc0
cus                   16       # one workgroup processor of each array; the product has 80
