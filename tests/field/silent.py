#!/usr/bin/env python3
# field: bookworm trixie forky experimental
# field-timeout: 3600
"""Programs of our own suite, built by the suite's hipcc, with every check of softgpu: see tests/softgpu/check/silent.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
os.execv(sys.executable, [sys.executable, os.path.join(os.path.dirname(HERE), "softgpu", "check", "silent.py"), sys.argv[1],
                          os.path.join(HERE, "support", "known.rules"), "all"])
