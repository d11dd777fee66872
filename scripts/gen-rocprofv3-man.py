#!/usr/bin/env python3
"""rocprofv3.1: the page's text with the options and commands that `rocprofv3 --help` prints.

usage: gen-rocprofv3-man.py ROCPROFV3 PAGE_IN PAGE_OUT

They have their tables in the program; the page has lines @OPTIONS@ and @COMMANDS@ in their place.
"""
import rocprofv3_help
import usage


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def main():
    program, source, target = usage.arguments(__doc__, 3)
    out = []
    for heading, rows in rocprofv3_help.read(program):
        out.append(f".SS {heading}")
        for option, text in rows:
            out += [".TP", f".B {escape(option)}", escape(text[0].upper() + text[1:]) + "."]
    commands = []
    for command, text in rocprofv3_help.read_commands(program):
        commands += [".TP", f".B rocprofv3 {escape(command)}", escape(text[0].upper() + text[1:]) + ".", ".RS"]
        for option, meaning in rocprofv3_help.read_command(program, command.split()[0]):
            commands += [".TP", f".B {escape(option)}", escape(meaning[0].upper() + meaning[1:]) + "."]
        commands.append(".RE")
    with open(source, encoding="utf-8") as f:
        page = f.read()
    with open(target, "w", encoding="utf-8") as f:
        f.write(page.replace("@OPTIONS@\n", "\n".join(out) + "\n").replace("@COMMANDS@\n", "\n".join(commands) + "\n"))


main()
