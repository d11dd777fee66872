#!/usr/bin/env python3
"""Writes the labels of the enumerators that enum_string.hpp knows: those of the public C headers.

include/rocprofiler-sdk/cxx/details/enum_labels.hpp has a line for each enumerator of the enumerations
that enum_string.hpp lists; of several with one value, the first is its label. The file is kept in the
tree; --check compares. usage: gen-cxx-headers.py [--check] SOURCE_ROOT
"""
import glob
import re
import sys

import usage

HEAD = """/* The enumerators that enum_string.hpp knows by their names.
 * Written by scripts/gen-cxx-headers.py from the C headers: change those, not this file. */
"""


def enumerations(include):
    """The enumerators of each enumeration, as text, in the order of the headers."""
    found = {}
    for path in sorted(glob.glob(include + "/**/*.h", recursive=True)):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for body, name in re.findall(r"typedef enum\s*\w*\s*\{([^}]*)\}\s*(\w+);", text):
            found[name] = re.findall(r"(\w+)\s*=\s*(-?\w+)", body)
    return found


def labels(include):
    with open(include + "/cxx/enum_string.hpp", encoding="utf-8") as f:
        wanted = re.findall(r"^ROCPROFILER_ENUM_INFO\((\w+),", f.read(), re.M)
    known = enumerations(include)
    lines = []
    for name in wanted:
        seen = set()
        for enumerator, value in known[name]:
            if value not in seen:
                lines.append(f"ROCPROFILER_ENUM_LABEL({enumerator})")
            seen.add(value)
    return HEAD + "\n".join(lines) + "\n"


def main():
    *check, root = usage.arguments(__doc__, 1, 2)
    include = root + "/include/rocprofiler-sdk"
    path = include + "/cxx/details/enum_labels.hpp"
    text = labels(include)
    if not check:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return
    with open(path, encoding="utf-8") as f:
        if f.read() != text:
            sys.exit(f"{path} differs from the headers, run scripts/gen-cxx-headers.py")


main()
