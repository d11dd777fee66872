"""Databases as pftrace files."""
import sys

from . import _convert

write_pftrace, execute, add_args, process_args, main = _convert.module("pftrace", "pftrace")

if __name__ == "__main__":
    sys.exit(main())
