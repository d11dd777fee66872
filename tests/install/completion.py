#!/usr/bin/env python3
"""Completion in bash and zsh knows every option of the help, and the words of those that have some.

usage: completion.py SOURCE_DIR BUILD_DIR
"""
import os
import re
import shutil
import subprocess
import sys

source, build = sys.argv[1:3]
environment = dict(os.environ, PATH=f"{build}/bin:{os.environ['PATH']}")


def output(command):
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout


def bash(*words):
    """What bash offers for the last word."""
    script = (f"source {source}/share/bash-completion/rocprofv3; COMP_WORDS=(rocprofv3 \"$@\"); "
              "COMP_CWORD=$#; COMPREPLY=(); _rocprofv3; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return output(["bash", "-c", script, "bash", *words]).split()


def expect(got, wanted, what):
    if got != wanted:
        sys.exit(f"{what}: missing {sorted(wanted - got)}, too many {sorted(got - wanted)}")


def main():
    help_text = output(["rocprofv3", "--help"]).split("\nKeys in names")[0]
    options = set(re.findall(r"(?:^  |, )(--?[a-zA-Z][\w-]*)", help_text, re.M))
    expect(set(bash("-")), options, "bash")
    expect(set(bash("--kernel-ren")), {"--kernel-rename"}, "bash, of some letters")
    expect(set(bash("--agent-index", "")), {"absolute", "relative", "type-relative"}, "bash, words")
    with open(build + "/share/zsh/site-functions/_rocprofv3", encoding="utf-8") as f:
        text = f.read()
    expect(set(re.findall(r"^  '\*(--?[\w-]+)\[", text, re.M)), options, "zsh")
    if "(absolute relative type-relative)" not in text:
        sys.exit("zsh: no words of --agent-index")
    if shutil.which("zsh"):
        output(["zsh", "-n", build + "/share/zsh/site-functions/_rocprofv3"])
    print(f"{len(options)} spellings of options")


main()
