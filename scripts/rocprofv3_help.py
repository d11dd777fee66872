"""The options of rocprofv3 as its help prints them: the one list that man page and completions are made from."""
import re
import subprocess


def options(help_text):
    """(heading, [(option, text)]) of each group."""
    groups, lines = [], help_text.splitlines()
    for number, line in enumerate(lines):
        heading = re.match(r"([A-Z][\w -]+):$", line)
        row = re.match(r"  (-\S.*?)(?: {2,}|$)(.*)", line)
        if heading:
            groups.append((heading[1], []))
        elif row and groups:
            text = row[2] or lines[number + 1].strip()
            groups[-1][1].append((row[1].rstrip(), text))
    return [g for g in groups if g[1]]


def commands(help_text):
    """(command with its words, text) of each sub-command."""
    return re.findall(r"^  ([a-z].*?) {2,}(.+)$", help_text.partition("\nCommands:\n")[2], re.M)


def ask(program):
    return subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout


def read(program):
    """The options of a program."""
    return options(ask(program).split("\nKeys in names")[0])


def read_commands(program):
    """Its sub-commands."""
    return commands(ask(program))
