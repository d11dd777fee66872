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


def read_command(program, command):
    """[(option, text)] of a sub-command, whose text may go on in the lines below."""
    rows = []
    for line in subprocess.run([program, command, "--help"], check=True, capture_output=True, text=True).stdout.splitlines():
        row = re.match(r" +(-\S.*?)(?: {2,}(.*)|$)", line)
        if row:
            rows.append([row[1].rstrip(), row[2] or ""])
        elif rows and line.startswith(" " * 20):
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
        elif rows:
            break
    return [(option, text) for option, text in rows if not re.search(r"--(help|usage)\b", option)]


def read_commands(program):
    """Its sub-commands."""
    return commands(ask(program))
