"""Databases as otf2 files."""
import sys

from . import _convert

write_otf2, execute, add_args, process_args, main = _convert.module("otf2", "otf2")

if __name__ == "__main__":
    sys.exit(main())
