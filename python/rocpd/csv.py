"""Databases as csv files."""
import sys

from . import _convert

write_csv, execute, add_args, process_args, main = _convert.module("csv", "csv")

if __name__ == "__main__":
    sys.exit(main())
