#!/usr/bin/env python3
"""Random C programs as GPU oracles.

csmith.py make FILE SEED...                      writes one HIP program that runs the csmith programs SEED...
csmith.py fuzz DIR N [FIRST [GPU]] -- LAUNCHER...
                                                 makes, compiles and runs N programs; keeps what fails in DIR;
                                                 GPU is that for which they are compiled (gfx90a)

csmith writes C with static globals. Here the whole program becomes the body of a C++ struct: its
globals are members, its functions member functions, so that each lane owns a copy, and other
values than the first lane's.
"""
import functools
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("0", "1", "2", "3", "s")
COMPILE_LIMIT, RUN_LIMIT = 300, 300
# A compiler ought to keep programs apart that differ in nothing but an option, so each seed adds its own.
STYLES = (
    (),
    ("--float", "--strict-float", "--no-unions"),
    ("--builtins",),
    ("--no-unions", "--max-funcs", "20", "--max-array-len-per-dim", "5"),
)


def generate(seed, folder):
    options = ["--seed", str(seed), "--lang-cpp", "--no-volatiles", "--concise", "--no-argc",
               *STYLES[seed % len(STYLES)]]
    return subprocess.run(["csmith", *options], check=True, capture_output=True, text=True, timeout=60,
                          cwd=folder).stdout                # csmith leaves a file platform.info where it runs


def limit_loops(lines):
    """csmith's loops may run forever. Each pays at the end of its body, and leaves when nothing is left."""
    open_loops, after_for = [], False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.startswith("int main"):                    # the checksum's own loops follow
            yield from (line, *lines)
            return
        if after_for and line.strip() == "{":
            open_loops.append(indent)
        after_for = re.match(r"\s+for \(", line)
        if line.strip() == "}" and open_loops and indent == open_loops[-1]:
            open_loops.pop()
            line = " " * indent + "    if (spent_()) break;\n" + line
        line = re.sub(r"\bcontinue;", "{ if (spent_()) break; continue; }", line)
        line = re.sub(r"\bgoto ", "if (!spent_()) goto ", line)
        yield line


def to_struct(name, text):
    """The program as struct `name` with perturb_(lane) and main_(), which returns the checksum."""
    body, perturbed = [], []
    for line in limit_loops(iter(text.split("\n"))):
        if line.startswith(("#include", "//", "static long __undefined")):
            continue
        if re.match(r"static [^=]*\);$", line):
            continue                                       # members need no forward declaration
        scalar = re.match(r"static (u?int\d+_t) (g_\d+) =", line)
        if scalar:
            perturbed.append(scalar.groups())
        if line.startswith("static "):
            line = line[len("static "):]
        line = re.sub(r"\bNULL\b", "nullptr", line)
        line = re.sub(r"^int main \(void\)", "uint64_t main_(void)", line)
        if re.search(r"platform_main_begin|crc32_gentab|printf\(", line):
            continue
        line = re.sub(r"platform_main_end\(.*\);", "return sum_.state;", line)
        if line != "    return 0;" or "return sum_.state;" not in body[-1]:
            body.append(line)
    changes = "\n".join(f"        {n} = ({t})({n} ^ oracle::scramble(lane * 64 + {i}) >> (lane % 29));"
                        for i, (t, n) in enumerate(perturbed))
    return (f"struct {name} : oracle::program {{\n" + "\n".join(body) +
            f"\n    void perturb_(unsigned lane)\n    {{\n        (void)lane;\n{changes}\n    }}\n}};\n")


def make(path, seeds):
    with open(path, "w") as out:
        out.write('#include "csmith.h"\n#pragma clang force_cuda_host_device begin\n')
        for seed in seeds:
            out.write(to_struct(f"seed_{seed}", generate(seed, os.path.dirname(path) or ".")))
        out.write("#pragma clang force_cuda_host_device end\nint main()\n{\n    int wrong = 0;\n")
        for seed in seeds:
            out.write(f'    wrong += oracle::compare<seed_{seed}>("seed {seed}");\n')
        out.write("    return wrong != 0;\n}\n")


@functools.cache
def without_memcpy():
    """The option without which LLVM at -Os calls a memcpy that no GPU has; LLVM 17 took AMD's prefix off."""
    version = subprocess.run(["hipcc", "--version"], check=True, capture_output=True, text=True).stdout
    prefix = "amdgpu-" if re.search(r"clang version 1[56]\.", version) else ""
    return f"-{prefix}mem-intrinsic-expand-size=0"


def compile_program(source, program, level, gpu):
    command = ["hipcc", f"--offload-arch={gpu}", f"-O{level}", "-w", "-Wno-c++11-narrowing",
               "-ffp-contract=off",
               "-mllvm", without_memcpy(), "-I", HERE, source, "-o", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_LIMIT)


def fuzz(folder, count, first, gpu, launcher):
    os.makedirs(folder, exist_ok=True)
    passed, skipped, failed = 0, 0, []
    for seed in range(first, first + count):
        level = LEVELS[seed % len(LEVELS)]
        source, program = (os.path.join(folder, f"seed{seed}{e}") for e in (".hip", ""))
        try:
            make(source, [seed])
            built = compile_program(source, program, level, gpu)
            result = None if built.returncode else subprocess.run([*launcher, program], capture_output=True,
                                                                  text=True, timeout=RUN_LIMIT)
        except subprocess.TimeoutExpired as late:
            print(f"seed {seed} -O{level}: stopped after {late.timeout:.0f} s: {late.cmd[0]}")
            (skipped, failed) = (skipped + 1, failed) if late.cmd[0] in ("csmith", "hipcc") else (skipped, failed + [seed])
            continue
        if result is None:
            print(f"seed {seed} -O{level}: does not compile: {built.stderr.strip().splitlines()[:1]}")
            skipped += 1
        elif result.returncode and "the host is done" not in result.stdout:
            # No fault of the GPU: it takes too long, or the compiler found something undefined in it.
            skipped += 1
        elif result.returncode:
            print(f"seed {seed} -O{level}: status {result.returncode}: {source}\n{result.stdout}{result.stderr[-2000:]}")
            failed.append(seed)
            continue
        else:
            passed += 1
        for file in (source, program):
            if os.path.exists(file):
                os.unlink(file)
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped" + (f": seeds {failed}" if failed else ""))
    return 1 if failed else 0


def number(text):
    if not text.isdigit():
        sys.exit(f'csmith.py: "{text}" is no number')
    return int(text)


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "make":
        make(arguments[1], [number(s) for s in arguments[2:]])
        return 0
    if "--" in arguments and len(arguments) >= 4 and arguments[0] == "fuzz":
        at = arguments.index("--")
        options = arguments[1:at]
        first = number(options[2]) if len(options) > 2 else int(time.time()) % 1000000 * 1000
        gpu = options[3] if len(options) > 3 else "gfx90a"
        return fuzz(options[0], number(options[1]), first, gpu, arguments[at + 1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
