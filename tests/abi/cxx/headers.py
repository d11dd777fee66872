#!/usr/bin/env python3
"""Every public C++ header compiles alone and with every other, as C++17 and as C++20.

One unit includes them all in order, one in the opposite order: of any two headers, either comes after the
other in one of them. A header also brings what AMD's header of that name brings, for programs rely on it.

usage: headers.py SOURCE_DIR COMPILER STANDARD PART PARTS
Alone, a header is compiled by one of the compilers, as its STANDARD: PART of PARTS says which headers are its. What a
header lacks, it lacks for each of them. All together are compiled by each compiler, in one order as its STANDARD, or, if
there is one part, in both orders as both standards. Headers that programs do not include themselves, those below details/,
are compiled alone only if there is one part.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# header: standard and system headers that AMD's includes, and programs therefore do not
BROUGHT = {
    "codeobj/segment.hpp": "algorithm iostream random set string unordered_set vector",
    "codeobj/disassembly.hpp": "algorithm cstring fcntl.h fstream hsa/amd_hsa_elf.h iostream limits map memory optional "
                               "string sys/mman.h sys/stat.h sys/types.h unistd.h unordered_map vector",
    "codeobj/code_printing.hpp": "algorithm cstring fcntl.h fstream hsa/amd_hsa_elf.h iostream limits map memory "
                                 "optional random set string sys/mman.h sys/stat.h unistd.h unordered_map "
                                 "unordered_set vector",
}
# what is declared by each of these
DECLARES = {
    "algorithm": "std::max({1, 2, 3})", "cstring": "std::memcmp(\"\", \"\", 0)", "fcntl.h": "O_CLOEXEC",
    "fstream": "std::ifstream{}.is_open()", "hsa/amd_hsa_elf.h": "ELF::EM_AMDGPU", "iostream": "&std::cerr",
    "limits": "std::numeric_limits<int>::max()", "map": "std::map<int, int>{}.size()",
    "memory": "std::make_unique<int>(1).get()", "optional": "std::optional<int>{}.has_value()",
    "random": "std::mt19937{}()", "set": "std::set<int>{}.size()", "string": "std::string{}.size()",
    "sys/mman.h": "MAP_ANONYMOUS", "sys/stat.h": "sizeof(struct stat)", "sys/types.h": "off_t{0}",
    "unistd.h": "STDERR_FILENO", "unordered_map": "std::unordered_map<int, int>{}.size()",
    "unordered_set": "std::unordered_set<int>{}.size()", "vector": "std::vector<int>{}.size()",
}


# no headers but lists, which headers include with macros of their own
LISTS = ("details/enum_labels.hpp", "serialization/details/objects.hpp")


def included_first(root, headers):
    """Headers that another one includes before anything else: whether they compile alone is seen where that one does."""
    for header in headers:
        line = re.search("^#include <(.*)>", (root / header).read_text(encoding="utf-8"), re.MULTILINE)
        first = line[1].removeprefix("rocprofiler-sdk/cxx/") if line else ""
        if first in headers and first not in BROUGHT:
            yield first


def units(root, details):
    """Name and text of each unit; `details`: headers below details/ are compiled alone, too."""
    headers = sorted({str(path.relative_to(root)) for path in root.rglob("*.hpp")} - set(LISTS))
    if len(headers) < 18:
        sys.exit(f"{root} has {len(headers)} headers")
    include = "#include <rocprofiler-sdk/cxx/{}>\n".format
    alone = [header for header in headers if details or "details/" not in header]
    for header in sorted(set(alone) - set(included_first(root, alone))):
        names = BROUGHT.get(header, "").split()
        uses = "".join(f"    static_cast<void>({DECLARES[name]});\n" for name in names)
        yield header, include(header) + f"int main()\n{{\n{uses}}}\n"
    yield "all, in order", "".join(map(include, headers)) + "int main() {}\n"
    yield "all, in the opposite order", "".join(map(include, reversed(headers))) + "int main() {}\n"


def main():
    source, compiler, alone = sys.argv[1:4]
    part, parts = map(int, sys.argv[4:])
    wrong, compiled = [], 0
    with tempfile.TemporaryDirectory(prefix="crocprof-headers-") as directory:
        path = directory + "/unit.cpp"
        all_units = list(units(pathlib.Path(source, "include/rocprofiler-sdk/cxx"), details=parts == 1))
        for number, (name, text) in enumerate(all_units[-2:] + all_units[:-2]):
            together = name.startswith("all")
            if number % parts != part:
                continue
            pathlib.Path(path).write_text(text, encoding="utf-8")
            for standard in ("c++17", "c++20") if together and parts == 1 else (alone,):
                done = subprocess.run(
                    [compiler, "-std=" + standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                     "-D__HIP_PLATFORM_AMD__", f"-I{source}/include", f"-I{source}/tests/abi/cxx/stand-in", path],
                    capture_output=True, text=True, timeout=240)
                compiled += 1
                if done.returncode != 0:
                    wrong.append(f"{name}: {compiler} -std={standard}: {done.stderr[:600]}")
    sys.exit("\n".join(wrong) if wrong else print(f"{compiled} units"))


main()
