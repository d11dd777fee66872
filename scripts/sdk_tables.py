"""Reads the tables of traced API functions: src/sdk/tables/*.tsv and src/hsa/tables/hsa-tables.tsv.

One Function per operation, with its signature, where it stands in the runtime's table and which
member of the public argument union receives each argument. Used by every scripts/gen-sdk-*.py.
"""
import functools
import os
import re
import sys
from collections import namedtuple

# type/name: the parameter; field_type/field: the member of the argument union
Argument = namedtuple("Argument", "type name field_type field")
# offset: byte offset in tables of today; old_offset: in the tables of ROCr 1.5, None where absent
Function = namedtuple("Function", "library domain op name result arguments offset old_offset")
# One traced API: C names of its enum, its tracing kinds and its runtime table
Domain = namedtuple("Domain", "library name enum prefix header table size title")

DOMAINS = [
    Domain("hsa", "core", "rocprofiler_hsa_core_api_id_t", "ROCPROFILER_HSA_CORE_API_ID_",
           "hsa/core_api_id.h", "CoreApiTable", 1016, "HSA core"),
    Domain("hsa", "amd_ext", "rocprofiler_hsa_amd_ext_api_id_t", "ROCPROFILER_HSA_AMD_EXT_API_ID_",
           "hsa/amd_ext_api_id.h", "AmdExtTable", 624, "HSA AMD extension"),
    Domain("hsa", "image_ext", "rocprofiler_hsa_image_ext_api_id_t",
           "ROCPROFILER_HSA_IMAGE_EXT_API_ID_", "hsa/image_ext_api_id.h", "ImageExtTable", 128,
           "HSA image extension"),
    Domain("hsa", "finalize_ext", "rocprofiler_hsa_finalize_ext_api_id_t",
           "ROCPROFILER_HSA_FINALIZE_EXT_API_ID_", "hsa/finalize_ext_api_id.h",
           "FinalizerExtTable", 64, "HSA finalizer extension"),
    Domain("hip", "runtime", "rocprofiler_hip_runtime_api_id_t", "ROCPROFILER_HIP_RUNTIME_API_ID_",
           "hip/runtime_api_id.h", "runtime", 0, "HIP runtime"),
    Domain("hip", "compiler", "rocprofiler_hip_compiler_api_id_t",
           "ROCPROFILER_HIP_COMPILER_API_ID_", "hip/compiler_api_id.h", "compiler", 0,
           "HIP compiler support"),
] + [Domain(library, "api", f"rocprofiler_{library}_api_id_t", f"ROCPROFILER_{library.upper()}_API_ID_",
            f"{library}/api_id.h", "api", 0, title)
     for library, title in (("rccl", "RCCL"), ("rocdecode", "rocDecode"), ("rocjpeg", "rocJPEG"),
                            ("rocshmem", "rocSHMEM"), ("hipfile", "hipFile"))]
# ROCTx: headers are written by hand, and ranges (core_range) have wrappers of their own.
MARKERS = [Domain("marker", name, None, None, None, name if wrapped else None, 0, "ROCTx " + name)
           for name, wrapped in (("core", True), ("control", True), ("name", True),
                                 ("core_range", False))]

# Events of OpenMP's tool interface: a runtime calls callbacks and has no table; the offset is the event's number.
EVENTS = [Domain("ompt", "event", None, None, None, None, 0, "OpenMP")]


def fail(path, number, message):
    sys.exit(f"{path}:{number}: {message}")


def read_rows(path, columns):
    """Yields (line number, fields) for each data line; the first data line names the columns."""
    header = None
    with open(path) as table:
        for number, line in enumerate(table, 1):
            if line.startswith("#"):
                continue
            fields = line.rstrip("\n").split("\t")
            if header is None:
                header = fields
                if header != columns:
                    fail(path, number, f"columns are {header}, expected {columns}")
                continue
            if len(fields) != len(columns):
                fail(path, number, f"{len(fields)} columns, expected {len(columns)}")
            yield number, fields


def split_list(text, separator):
    """Splits at separators that stand outside parentheses."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == separator and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if current.strip():
        parts.append(current.strip())
    return parts


def parse_parameter(text):
    """'void* (*f)(int)' -> ('void* (*)(int)', 'f'); 'const char* name' -> ('const char*', 'name')"""
    pointer = re.search(r"\(\*(\w+)\)", text)
    if pointer:
        return text.replace(pointer.group(0), "(*)", 1), pointer.group(1)
    plain = re.fullmatch(r"(.*?)(\w+)", text)
    return plain.group(1).strip(), plain.group(2)


def declare(type_, name):
    """The reverse of parse_parameter, in the style of this project."""
    if "(*)" in type_:
        return type_.replace("(*)", f"(*{name})", 1)
    if type_.endswith("*"):
        return re.sub(r"\s*(\*+)$", r" \1", type_) + name
    return f"{type_} {name}"


def parse_signature(text):
    """'int f(int a, int b)' -> ('int', 'f', [('int', 'a'), ('int', 'b')])"""
    depth, end = 0, text.rindex(")")
    for start in range(end, -1, -1):
        depth += (text[start] == ")") - (text[start] == "(")
        if depth == 0:
            break
    head = re.fullmatch(r"(.*?)(\w+)", text[:start])
    body = text[start + 1:end].strip()
    parameters = [] if body in ("", "void") else [parse_parameter(p) for p in split_list(body, ",")]
    return head.group(1).strip(), head.group(2), parameters


def read_hsa(root):
    tables = {}
    path = os.path.join(root, "src/hsa/tables/hsa-tables.tsv")
    for _, (table, name, offset, old, signature) in read_rows(
            path, ["table", "function", "offset", "old_offset", "signature"]):
        tables[(table, name)] = (int(offset), None if old == "-" else int(old), signature)
    path = os.path.join(root, "src/sdk/tables/hsa-api.tsv")
    table_of = {d.name: d.table for d in DOMAINS if d.library == "hsa"}
    for number, (domain, op, name, renamed) in read_rows(path, ["domain", "op", "name", "renamed"]):
        if (table_of.get(domain), name) not in tables:
            fail(path, number, f"{name} is in no table of {domain}")
        offset, old, signature = tables[(table_of[domain], name)]
        result, _, parameters = parse_signature(signature)
        fields = dict(part.split(" as ") for part in split_list(renamed, ";"))
        arguments = []
        for type_, parameter in parameters:
            field = parse_parameter(fields.pop(parameter)) if parameter in fields else (type_, parameter)
            arguments.append(Argument(type_, parameter, *field))
        if fields:
            fail(path, number, f"{name} has no parameter {', '.join(fields)}")
        yield Function("hsa", domain, int(op), name, result, arguments, offset, old)


def read_listed(root, library):
    """All but HSA: tables stand in one file with the operations."""
    path = os.path.join(root, f"src/sdk/tables/{library}-api.tsv")
    for _, (domain, op, offset, name, result, text) in read_rows(
            path, ["domain", "op", "offset", "name", "return", "arguments"]):
        if op == "-":  # newer than the SDK's operation ids
            continue
        arguments = []
        for part in split_list(text, ";"):
            parameter, _, field = part.partition(" as ")
            type_, plain = parse_parameter(parameter)
            arguments.append(Argument(type_, plain, *(parse_parameter(field) if field else (type_, plain))))
        yield Function(library, domain, int(op), name, result, arguments, int(offset), None)


def read_functions(root):
    """{(library, domain): [Function in the order of operation ids]}; refuses gaps and repeats."""
    functions = {}
    listed = dict.fromkeys(d.library for d in DOMAINS + MARKERS + EVENTS if d.library != "hsa")
    for function in [*read_hsa(root), *(f for library in listed for f in read_listed(root, library))]:
        functions.setdefault((function.library, function.domain), []).append(function)
    for key, rows in functions.items():
        rows.sort(key=lambda f: f.op)
        if [f.op for f in rows] != list(range(len(rows))):
            sys.exit(f"operations of {key[0]} {key[1]} are not 0 to {len(rows) - 1}")
    return functions


def newer_rows(root):
    path = os.path.join(root, "src/sdk/tables/newer-types.tsv")
    return [row for _, row in read_rows(path, ["library", "type", "value", "since"])]


def read_newer_types(root):
    """{library: {type: stand-in when passed by value}}"""
    newer = {d.library: {} for d in DOMAINS + MARKERS}
    for library, type_, value, _ in newer_rows(root):
        newer[library][type_] = value
    return newer


def read_newer_since(root):
    """{library: {type: headers that have it, (major, minor), or None where none does yet}}"""
    since = {d.library: {} for d in DOMAINS}
    for library, type_, _, first in newer_rows(root):
        since[library][type_] = None if first == "-" else tuple(map(int, first.split(".")))
    return since


def portable_type(type_, newer):
    """The type as it must be written for old headers, or None if they know the type."""
    for name, value in newer.items():
        if re.search(rf"\b{name}\b", type_):
            if type_.rstrip().endswith("*"):
                return re.sub(rf"\b{name}\b", "void", type_)
            if value == "-":
                sys.exit(f"{type_}: no stand-in by value")
            return re.sub(rf"\b{name}\b", value, type_)
    return None


def type_macro(library, since):
    return f"ROCPROFILER_{library.upper()}_{since[0]}_{since[1]}_TYPE"


def known_types(root):
    """{library: function that writes a type such that all its headers know it}: where theirs may be too old, a macro of
    the public headers chooses, so that parameters and the members that they are copied to have one type."""
    newer, since = read_newer_types(root), read_newer_since(root)

    def known(library, type_):
        portable = portable_type(type_, newer[library])
        first = [version for name, version in since.get(library, {}).items() if re.search(rf"\b{name}\b", type_)]
        if not portable or not first[0]:
            return portable or type_
        return f"{type_macro(library, first[0])}({type_}, {portable})"

    return {library: functools.partial(known, library) for library in newer}


def write_if_changed(path, text):
    """Keeps the time of an unchanged file, so that nothing is rebuilt for it."""
    try:
        with open(path) as old:
            if old.read() == text:
                return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as new:
        new.write(text)
    return True
