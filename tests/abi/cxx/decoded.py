#!/usr/bin/env python3
"""The C++ headers for code objects against LLVM's tools: instructions, sizes, functions, source lines.

usage: decoded.py SOURCE_DIR CLANG COMPILER...
"""
import os
import re
import subprocess
import sys
import tempfile


def run(*command):
    # from where paths of the sources stay absolute in the debug information
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd="/")
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def disassembled(tools, path):
    """(address, text) of each instruction inside a function, as llvm-objdump has them."""
    text = run(tools + "llvm-objdump", "-d", path)
    return [(int(address, 16), " ".join(line.split()))
            for line, address in re.findall(r"^\t(.+?)\s+// ([0-9A-F]+):", text, re.M)]


def sources(tools, path, addresses):
    """{address: its line and the calls it was inlined through, the outermost call first}"""
    told = run(tools + "llvm-symbolizer", "--obj=" + path, *map(hex, addresses)).strip().split("\n\n")
    if len(told) != len(addresses):
        sys.exit(f"llvm-symbolizer tells of {len(told)} addresses, not of {len(addresses)}")
    frames = [re.findall(r"(\S+):(\d+):\d+$", of_one, re.M) for of_one in told]
    return {address: " -> ".join(f"{file}:{line}" for file, line in [of_one[0], *reversed(of_one[1:])])
            for address, of_one in zip(addresses, frames)}


def main():
    source, clang, *compilers = sys.argv[1:]
    tools = os.path.dirname(os.path.realpath(clang)) + "/"
    with tempfile.TemporaryDirectory(prefix="crocprof-cxx-") as directory:
        path = directory + "/scale.out"
        run(clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-g",
            "-O2", source + "/tests/abi/cxx/scale.cl", "-o", path)
        for compiler in compilers:
            program = directory + "/decoded"
            run(compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{source}/include",
                source + "/tests/abi/cxx/decoded.cpp", "-o", program, "-lamd_comgr", "-ldw", "-lelf")
            lines = run(program, path, "0x7000000").splitlines()
            functions = {name: (int(at), int(size)) for name, at, size in
                         (line.split()[1:] for line in lines if line.startswith("function"))}
            # since LLVM 21 a kernel's body stands a second time under a name for kernels that call it
            own = {name for name in functions if not name.startswith("__clang_ocl_kern_imp_")}
            if own != {"scale", "clear"}:
                sys.exit(f"functions: {functions}")
            got = {}
            for line in (line for line in lines if line.startswith("at ")):
                numbers, text, comment = line.split("|")
                got[int(numbers.split()[1])] = (int(numbers.split()[2]), text, comment)
            inside = [(at, text) for at, text in disassembled(tools, path)
                      if any(start <= at < start + size for start, size in functions.values())]
            ends = [at for at, _ in inside[1:]] + [None]
            lines_of = sources(tools, path, [at for at, _ in inside])
            for (at, text), end in zip(inside, ends):
                expected = (got[at][0] if end is None or end - at > 8 else end - at, text, lines_of[at])
                if got[at] != expected:
                    sys.exit(f"{compiler}, {at:#x}: {got[at]}, LLVM has {expected}")
            if len(got) != len(inside):
                sys.exit(f"{len(got)} instructions, LLVM has {len(inside)}")
            if sum(comment.count(" -> ") == 2 for _, _, comment in got.values()) == 0:
                sys.exit("nothing was inlined twice")
    print(f"{len(got)} instructions")


main()
