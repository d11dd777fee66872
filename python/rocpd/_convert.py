"""What the modules csv, otf2 and pftrace have in common: one format of the program rocpd each."""
import argparse

from . import _program, output_config, time_window
from .importer import RocpdImportData


def write(importData, config, output_format):
    """Writes the databases in a format; True if it succeeded."""
    config = config or output_config.output_config()
    return _program.run("convert", RocpdImportData(importData), "-f", output_format, *config.words())


def module(name, output_format):
    """The functions of a module: write_NAME, execute, add_args, process_args, main."""

    def write_format(importData, config=None):
        return write(importData, config, output_format)

    def execute(input, config=None, window_args=None, **kwargs):  # the name of AMD's parameter
        data = RocpdImportData(input)
        time_window.apply_time_window(data, **(window_args or {}))
        return write_format(data, (config or output_config.output_config()).update(**kwargs))

    def add_args(parser):
        return output_config.add_args(parser)

    def process_args(args, valid_args):
        return output_config.process_args(args, valid_args)

    def main(argv=None):
        parser = argparse.ArgumentParser(prog=f"rocpd.{name}", description=f"databases as {output_format}")
        parser.add_argument("-i", "--input", nargs="+", required=True)
        valid, window = add_args(parser), time_window.add_args(parser)
        args = parser.parse_args(argv)
        done = execute(args.input, window_args=time_window.process_args(args, window), **process_args(args, valid))
        return 0 if done else 1

    write_format.__name__ = f"write_{name}"
    return write_format, execute, add_args, process_args, main
