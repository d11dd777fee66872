#!/usr/bin/env python3
"""Writes how arguments of a HIP call become those of roctracer's callbacks.

hip_api_data_t of HIP's headers has a structure for each call: its arguments, and behind each pointer to
something known what it points to. Values are read at the end of a call that succeeded, when HIP itself
has used the pointers. usage: gen-roctracer-args.py SOURCE_ROOT OUTPUT
"""
import sdk_tables as tables
import usage

# what a pointer may point to without a value behind it in HIP's structures
OPAQUE = {"void", "const void"}


def pointee(argument, newer):
    """Type of the value that follows the argument, None if none does."""
    type_ = argument.type
    if not type_.endswith("*") or "(" in type_:
        return None
    target = type_[:-1].strip()
    name = target.removeprefix("const ").removeprefix("struct ").rstrip("* ")
    if target in OPAQUE or name in newer:
        return None
    return target.removeprefix("const ") if not target.endswith("*") else target


def main():
    root, output = usage.arguments(__doc__, 2)
    functions = tables.read_functions(root)
    newer = tables.read_newer_types(root)["hip"]
    lines = ["/* Converts arguments of HIP calls to those of roctracer's callbacks.",
             " * Written by scripts/gen-roctracer-args.py from src/sdk/tables/hip-api.tsv. */",
             '#include "roctracer/internal.h"', "", "#include <rocprofiler-sdk/hip/api_args.h>", ""]
    rows = []
    for domain in ("runtime", "compiler"):
        table = []
        for function in functions[("hip", domain)]:
            if not function.arguments:
                continue
            fields, copies, reads = [], [], []
            for argument in function.arguments:
                fields.append(f"    __typeof__(((rocprofiler_hip_api_args_t *)0)->{function.name}.{argument.field}) "
                              f"{argument.field};")
                copies.append(f"    to->{argument.field} = from->{function.name}.{argument.field};")
                value = pointee(argument, newer)
                if value:
                    fields.append(f"    {value} {argument.field}__val;".replace("* ", "*"))
                    reads.append(f"    if (values && to->{argument.field}) "
                                 f"memcpy(&to->{argument.field}__val, to->{argument.field}, "
                                 f"sizeof to->{argument.field}__val);")
            lines += [f"typedef struct {{", *fields, f"}} args_{function.name}_t;",
                      f"static void {function.name}_(void *args, const rocprofiler_hip_api_args_t *from, bool values)",
                      "{", f"    args_{function.name}_t *to = args;",
                      "    _Static_assert(sizeof *to <= RTR_HIP_ARGS_SIZE, \"" + function.name + "\");"]
            if not reads:
                lines.append("    (void)values;")
            lines += copies + reads + ["}", ""]
            table.append(f"    [{function.op}] = {function.name}_,")
        rows += [f"const rtr_hip_args_t rtr_hip_{domain}_args[{functions[('hip', domain)][-1].op + 1}] = {{",
                 *table, "};",
                 f"const uint32_t rtr_hip_{domain}_count = {functions[('hip', domain)][-1].op + 1};", ""]
    tables.write_if_changed(output, "\n".join(lines + rows))


main()
