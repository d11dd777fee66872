#!/usr/bin/env python3
"""Completion in bash and zsh knows every option of each command's help, and the words of those that have some.

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


def bash(*words, program="rocprofv3"):
    """What bash offers for the last word."""
    script = (f"source {source}/share/bash-completion/{program}; COMP_WORDS=({program} \"$@\"); "
              f"COMP_CWORD=$#; COMPREPLY=(); _{program.replace('-', '_')}; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    return output(["bash", "-c", script, "bash", *words]).split()


def zsh(*words, program):
    """What zsh's function hands to its compadd."""
    script = ("compadd() { print -l -- \"${@[2,-1]}\" }; _files() { print files }; _command_names() { print commands }; "
              f"service={program}; words=({program} \"$@\"); CURRENT=$#words; PREFIX=$words[-1]; "
              f"complete_it() {{ source {source}/share/zsh/site-functions/_crocprof }}; complete_it")
    return output(["zsh", "-f", "-c", script, "zsh", *words]).split()


def zsh_rocprofv3(*words):
    """What zsh's function for rocprofv3 hands to its compadd."""
    script = ("compadd() { print -l -- \"${@[2,-1]}\" }; _files() { print files }; _arguments() { print arguments }; "
              "words=(rocprofv3 \"$@\"); CURRENT=$#words; PREFIX=$words[-1]; "
              f"complete_it() {{ source {build}/share/zsh/site-functions/_rocprofv3 }}; complete_it")
    return output(["zsh", "-f", "-c", script, "zsh", *words]).split()


# Commands beside rocprofv3: how they print their options, and words that are completed.
OTHERS = {
    "softgpu": (["softgpu", "--help"], [], {("--core", ""): {"base", "avx2", "avx512"}, ("--check-format", ""): {"text", "json", "sarif"},
                                              ("--profile", "mi21"): {"mi210"}, ("--gpu", "mi25"): {"mi250x"},
                                              ("--partition", "q"): {"qpx"}}),
    "rocprofv3-doctor": (["rocprofv3-doctor", "--help"], [], {("--format", ""): {"text", "json"}}),
    "rocprof": (["sh", "-c", "rocprof -h || true"], [], {}), # whose -h is a failure, as AMD's is
    "rocpd": (["rocpd", "summary", "--help"], ["summary"],
              {("mer",): {"merge"}, ("query", "--format", ""): {"console", "csv", "html", "json", "md", "pdf", "clipboard"}}),
}


def check_others():
    for program, (command, words, examples) in OTHERS.items():
        options = set(re.findall(r"(?:^ +|, +)(--?[a-zA-Z?][\w-]*)", output(command), re.M))
        expect(set(bash(*words, "-", program=program)), options, f"bash, {program}")
        for example, wanted in examples.items():
            expect(set(bash(*example, program=program)), wanted, f"bash, {program} {example}")
        if shutil.which("zsh"):
            expect(set(zsh(*words, "-", program=program)), options, f"zsh, {program}")
    commands = set(re.findall(r"^  ([a-z]+) ", output(["rocpd", "--help"]), re.M))
    expect({"summary", "reduce"} - commands, set(), "commands of rocpd")
    if shutil.which("zsh"):
        expect(set(zsh("", program="rocpd")), commands, "zsh, rocpd")


def check_commands(help_text):
    """Each command of rocprofv3 has options of its own, which are completed and in the man page."""
    with open(build + "/share/man/man1/rocprofv3.1", encoding="utf-8") as f:
        commands = re.split(r"^\.B rocprofv3 ", f.read().replace("\\-", "-"), flags=re.M)[1:]
    pages = {page.split()[0]: page for page in commands}
    names = re.findall(r"^  ([a-z]+) ", help_text.partition("\nCommands:\n")[2], re.M)
    if not {"reduce", "waits"} <= set(names):
        sys.exit(f"commands: {names}")
    for name in names:
        options = set(re.findall(r"(?:^ +|^ +-\S, +)(--?[\w?][\w-]*)(?=$|[ =,])", re.sub(r"^( +)(-\S), ", r"\1\2\n\1", output(["rocprofv3", name, "--help"]), flags=re.M), re.M))
        expect(set(bash(name, "-")), options, f"bash, {name}")
        if shutil.which("zsh"):
            expect(set(zsh_rocprofv3(name, "-")), options, f"zsh, {name}")
        in_page = set(re.findall(r"(--[a-z][\w-]*)", "\n".join(re.findall(r"^\.B (-.*)$", pages[name], re.M))))
        expect(in_page, {o for o in options if o.startswith("--")} - {"--help", "--usage"}, f"man page, {name}")
    expect(set(bash("reduce", "--tree", "")), {"mpi", "files"}, "bash, reduce --tree")
    expect(set(bash("waits", "--outp")), {"--output"}, "bash, waits --outp")


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
    profile = f"{source}/share/softgpu/mi210.profile"
    for program in ("rocprofv3", "rocprofv3-avail", "softgpu"):
        expect(set(bash("--gpu", profile[:-9], program=program)), {profile}, f"bash, {program} --gpu PATH")
    expect(set(bash("--gpu", "mi21", program="rocprofv3-avail")), {"mi210"}, "bash, rocprofv3-avail --gpu")
    expect({"auto", "mi210", "the", "slash", "it"} & set(bash("--gpu", "", program="rocprofv3-avail")), {"auto", "mi210"},
           "bash, rocprofv3-avail --gpu")
    check_commands(output(["rocprofv3", "--help"]))
    check_others()
    print(f"{len(options)} spellings of options")


main()
