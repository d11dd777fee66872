#!/usr/bin/env python3
"""Compares the rows of the runtimes' tables with each other and with the runtimes' own headers.

Every function of the installed header's table must be a row of ours, at its place and with its
signature: the C++ compiler checks that, one assertion for each row. Without such a header the
second half is skipped (status 77).
usage: tables.py SOURCE_ROOT hip|hsa
"""
import os
import re
import subprocess
import sys

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import sdk_tables as tables  # noqa: E402

HIP_HEADER, HSA_HEADER = "hip/amd_detail/hip_api_trace.hpp", "hsa/hsa_api_trace.h"
# AMD's SDK has no operation id for it, and ids are AMD's.
UNTRACED = {"hsa_ext_sampler_create_v2"}
# Parameters that have other types in headers before HIP 7, where they are passed in the same way.
BEFORE_7 = {
    "hipCtxGetApiVersion": ("unsigned int*", "int*"),
    "hipMemcpyHtoD": ("const void*", "void*"),
    "hipMemcpyHtoDAsync": ("const void*", "void*"),
    "hipDrvGraphAddMemsetNode": ("const hipMemsetParams*", "const HIP_MEMSET_NODE_PARAMS*"),
    "hipDrvGraphExecMemsetNodeSetParams": ("const hipMemsetParams*", "const HIP_MEMSET_NODE_PARAMS*"),
}
SAME = """#include <cstddef>
#include <type_traits>
#define ROW(table, member, offset, ...)                                                            \\
    static_assert(offsetof(table, member) == offset, #member " is not at " #offset);               \\
    static_assert(std::is_same_v<decltype(table::member), __VA_ARGS__>, #member " differs")
#define END(table, size) static_assert(sizeof(table) == size, #table " has not " #size " bytes")
"""


def pointer(function):
    """The type of its entry in a table."""
    return f"{function.result} (*)({', '.join(a.type for a in function.arguments)})"


def bridge_rows():
    """[(table, position, function, step)] of the bridge, which has its rows in another file"""
    path = os.path.join(ROOT, "src/register/hip-table.tsv")
    for _, row in tables.read_rows(path, ["table", "position", "function", "step", "symbols"]):
        yield row[0], int(row[1]), row[2], int(row[3])


def hip_assertions(functions):
    """Fails where the two files of HIP rows disagree; returns assertions for HIP's header."""
    text = [SAME, "#define __HIP_PLATFORM_AMD__ 1", "#include <hip/hip_runtime.h>", "#include <hip/hip_deprecated.h>",
            "#include <hip/amd_detail/amd_hip_gl_interop.h>", f"#include <{HIP_HEADER}>"]
    structs = {"runtime": ("HipDispatchTable", "HIP_RUNTIME_API_TABLE_STEP_VERSION"),
               "compiler": ("HipCompilerDispatchTable", "HIP_COMPILER_API_TABLE_STEP_VERSION")}
    for domain, (struct, version) in structs.items():
        traced = {f.offset: f for f in functions[("hip", domain)]}
        rows = sorted((position, name, step) for table, position, name, step in bridge_rows() if table == domain)
        if [(8 * p, name) for p, name, _ in rows] != [(o, traced[o].name) for o in sorted(traced)]:
            sys.exit(f"hip-table.tsv and hip-api.tsv have other rows of the {domain} table")
        if any(f.op != f.offset // 8 - 1 for f in traced.values()):
            sys.exit(f"operations of {domain} are not in the order of the table")
        ends = {}
        for position, name, step in rows:
            today, before = pointer(traced[8 * position]), ""
            if name in BEFORE_7:
                before = today.replace(*BEFORE_7[name], 1)
                before = f" && HIP_VERSION < 70000000\nROW({struct}, {name}_fn, {8 * position}, {before});\n#elif {version} >= {step}"
            text.append(f"#if {version} >= {step}{before}\nROW({struct}, {name}_fn, {8 * position}, {today});\n#endif")
            ends[step] = 8 * position + 8
        steps = sorted(ends)
        for step, after in zip(steps, steps[1:] + [None]):
            last = f" && {version} < {after}" if after is not None else f" && {version} == {step}"
            text.append(f"#if {version} >= {step}{last}\nEND({struct}, {ends[step]});\n#endif")
    return "\n".join(text)


def hsa_rows(functions):
    """{table: [(function, offset, old offset, type)]}; fails where the two files of HSA rows disagree."""
    rows = {}
    path = os.path.join(ROOT, "src/hsa/tables/hsa-tables.tsv")
    for _, (table, name, offset, old, signature) in tables.read_rows(
            path, ["table", "function", "offset", "old_offset", "signature"]):
        result, _, parameters = tables.parse_signature(signature)
        kind = f"{result} (*)({', '.join(t for t, _ in parameters)})"
        rows.setdefault(table, []).append((name, int(offset), old, kind))
    for domain in tables.DOMAINS:
        if domain.library != "hsa":
            continue
        traced = {f.name for f in functions[("hsa", domain.name)]}
        missing = {name for name, *_ in rows[domain.table]} ^ traced ^ (UNTRACED & {n for n, *_ in rows[domain.table]})
        if missing:
            sys.exit(f"{domain.table}: in one of hsa-tables.tsv and hsa-api.tsv only: {sorted(missing)}")
    return rows


def hsa_assertions(rows, header):
    """The header says which functions its tables have; all of them must be rows of ours. One without
    copies to a chosen engine is that of ROCr 1.5, which has the old offsets."""
    old_layout = "hsa_amd_memory_async_copy_on_engine" not in header
    text = [SAME, "#define AMD_INTERNAL_BUILD 1", "#include <hsa/hsa.h>", f"#include <{HSA_HEADER}>"]
    for table, listed in rows.items():
        body = re.search(rf"struct {table}\s*\{{(.*?)\n\}};", header, re.S)
        if not body:
            continue
        there = re.findall(r"(\w+)_fn;", body.group(1))
        unknown = set(there) - {name for name, *_ in listed}
        if unknown:
            sys.exit(f"{table} has functions that are no rows of ours: {sorted(unknown)}")
        text += [f"ROW({table}, {name}_fn, {old if old_layout else offset}, {kind});"
                 for name, offset, old, kind in listed if name in there]
        text.append(f"END({table}, {16 + 8 * len(there)});")
    return "\n".join(text)


def main():
    library = sys.argv[2]
    functions = tables.read_functions(ROOT)
    path = os.path.join("/usr/include", HIP_HEADER if library == "hip" else HSA_HEADER)
    text = hip_assertions(functions) if library == "hip" else ""
    rows = hsa_rows(functions) if library == "hsa" else {}
    if not os.path.exists(path):
        print(f"skipped: {path} is not installed: HIP's headers have tables from 6.1 on")
        sys.exit(77)
    if library == "hsa":
        text = hsa_assertions(rows, open(path).read())
    command = ["g++", "-std=c++17", "-fsyntax-only", "-Wno-deprecated-declarations", "-Wno-attributes",
               "-Wno-invalid-offsetof", "-x", "c++", "-"]
    sys.exit(subprocess.run(command, input=text + "\n", text=True, check=False).returncode)


main()
