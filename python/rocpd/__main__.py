"""python3 -m rocpd COMMAND ...: what is done with databases; merge and package by the program rocpd."""
import argparse
import sys

from . import _program, csv, output_config, otf2, pftrace, query, summary, time_window


def _convert_main(argv, config=None):
    formats = {"csv": csv, "otf2": otf2, "pftrace": pftrace}
    parser = argparse.ArgumentParser(prog="rocpd convert", description="databases as files of other formats")
    parser.add_argument("-i", "--input", nargs="+", required=True)
    parser.add_argument("-f", "--output-format", nargs="+", choices=sorted(formats), required=True,
                        type=lambda word: word.lower().replace("perfetto", "pftrace"))
    valid, window = output_config.add_args(parser), time_window.add_args(parser)
    args = parser.parse_args(argv)
    config = (config or output_config.output_config()).update(**output_config.process_args(args, valid))
    return 0 if all([formats[name].execute(args.input, config, time_window.process_args(args, window))
                     for name in args.output_format]) else 1


def main(argv=None, config=None):
    argv = sys.argv[1:] if argv is None else argv
    commands = {"convert": lambda rest: _convert_main(rest, config), "query": query.main, "summary": summary.main,
                "merge": lambda rest: _program.pass_on("merge", *rest),
                "package": lambda rest: _program.pass_on("package", *rest)}
    usage = f"usage: rocpd {{{','.join(commands)}}} -i DATABASE... [options]\n"
    if argv and argv[0] in ("-h", "--help"):
        sys.stdout.write(usage + "rocpd COMMAND --help shows the options of a command\n")
        return 0
    if argv and argv[0] in ("-v", "--version"):
        return _program.pass_on("--version")
    if not argv or argv[0] not in commands:
        sys.stderr.write(usage)
        return 2
    return commands[argv[0]](argv[1:])


if __name__ == "__main__":
    sys.exit(main())
