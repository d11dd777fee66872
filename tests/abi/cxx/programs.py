#!/usr/bin/env python3
"""Compiles a program of this folder with each compiler, runs it, compares its output with a file.

JSON in the output is compared without its white space. usage: programs.py SOURCE_DIR BUILD_DIR NAME COMPILER...
"""
import json
import subprocess
import sys
import tempfile


def normal(text):
    """Objects that stand alone on lines of their own, one line each."""
    if not text.startswith("{"):
        return text
    decoder, result = json.JSONDecoder(), []
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        result.append(json.dumps(value, separators=(",", ":")))
        text = text[end:]
    return "\n".join(result) + "\n"


def main():
    source, build, name, *compilers = sys.argv[1:]
    here = f"{source}/tests/abi/cxx/{name}"
    with open(here + ".txt", encoding="utf-8") as f:
        expected = f.read()
    with tempfile.TemporaryDirectory(prefix="crocprof-cxx-") as directory:
        program = directory + "/program"
        for compiler in compilers:
            for command in ([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-D__HIP_PLATFORM_AMD__",
                             f"-I{source}/include", f"-I{source}/tests/abi/cxx/stand-in", here + ".cpp", "-o", program,
                             f"-L{build}/lib", "-lrocprofiler-sdk", f"-Wl,-rpath,{build}/lib"], [program]):
                done = subprocess.run(command, capture_output=True, text=True, timeout=240)
                if done.returncode != 0:
                    sys.exit(f"{compiler}, {command[0]}: {done.stderr[:4000]}")
            got = normal(done.stdout)
            if got != expected:
                for mine, wanted in zip(got.splitlines(), expected.splitlines()):
                    if mine != wanted:
                        sys.exit(f"{compiler}\ngot      {mine}\nexpected {wanted}")
                sys.exit(f"{compiler}: {len(got)} characters, expected {len(expected)}")
    print(f"{name}: {len(expected.splitlines())} lines, {len(compilers)} compilers")


main()
