#!/usr/bin/env python3
"""_rocprofv3: zsh's completion, from the options that `rocprofv3 --help` prints.

usage: gen-zsh-completion.py ROCPROFV3 OUTPUT_FILE
"""
import re

import rocprofv3_help
import usage

# What stands for a word in the help, and what completes it.
ACTIONS = {"FILE": "_files", "DIR": "_files -/", "PATH": "_files -/", "LIB": "_files", "PID": "_pids",
           "[BOOL]": "(yes no)"}


def quoted(text):
    return text.replace("\\", "\\\\").replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def spec(option, text):
    """One argument of _arguments: '-d, --output-directory DIR' and its text."""
    names = re.findall(r"--?[a-zA-Z][\w-]*", option)
    rest = re.sub(r"--?[a-zA-Z][\w-]*,?", "", option).split()
    word, several = (rest[0] if rest else ""), rest[1:] == ["..."]
    argument = ""
    if word == "WORD":
        text, _, choices = text.rpartition(": ")
        argument = f"word:({choices})"
    elif word:
        argument = f"{quoted(word.strip('[]').lower())}:{ACTIONS.get(word, ' ')}"
    if argument:
        # a list lasts until the next option
        argument = (":*-*:" if several else "::" if word == "[BOOL]" else ":") + argument
    return [f"'*{name}[{quoted(text)}]{argument}'" for name in names]


def main():
    program, target = usage.arguments(__doc__, 2)
    words = " ".join(command.split()[0] for command, _ in rocprofv3_help.read_commands(program))
    lines = ["#compdef rocprofv3", "# Made by gen-zsh-completion.py from rocprofv3 --help.", "",
             f"if (( CURRENT > 2 )) && [[ $words[2] == ({words.replace(' ', '|')}) ]]; then",
             "  if [[ $PREFIX == -* ]]; then",
             "    compadd -- $(rocprofv3 $words[2] --help 2>/dev/null | grep -oE '^ +(-., )?--?[a-zA-Z][a-z-]*' | tr , ' ')",
             "  else", "    _files", "  fi", "  return", "fi", "_arguments \\"]
    for _, rows in rocprofv3_help.read(program):
        for option, text in rows:
            lines += [f"  {s} \\" for s in spec(option, text)]
    lines += [f"  '1::command:({words})' \\", "  '*:directory or database:_files' \\"]
    lines += ["  '(-)--[the program and its arguments]:*::program:_normal'"]
    with open(target, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


main()
