"""What rocprofv3 can count and sample: see rocprofv3.avail."""
