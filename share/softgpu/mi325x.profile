# AMD Instinct MI325X: an MI300X with faster memory, and more of it. Where nothing is said, as mi300x.
like                  mi300x
product               mi325x
name                  mi325x
device_id             0x74a5
subsystem_device      0x74a5
memory_clock_mhz      1465     # what 6000 GB/s make of 8192 bits, four of each in a clock
memory_bytes_per_clock 2660
memory_write_bytes_per_clock 2090
