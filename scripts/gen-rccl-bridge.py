#!/usr/bin/env python3
"""Writes the functions of the RCCL bridge from the table of RCCL's functions.

usage: gen-rccl-bridge.py SOURCE_ROOT OUTPUT_FILE

For each function its row in the table of names, and a definition that goes on through RCCL's table.
"""
import sdk_tables as tables
import usage


def main():
    root, output = usage.arguments(__doc__, 2)
    functions = tables.read_functions(root)[("rccl", "api")]
    text = ["/* Made by gen-rccl-bridge.py */", "static const char *const names[] = {"]
    text += [f'    [{f.offset // 8}] = "{f.name}",' for f in functions]
    text.append("};")
    for f in functions:
        parameters = ", ".join(tables.declare(a.type, a.name) for a in f.arguments) or "void"
        values = ", ".join(a.name for a in f.arguments)
        missing = "ncclInvalidUsage" if f.result == "ncclResult_t" else '"not in this RCCL"'
        text += [f'__attribute__((visibility("default"))) {tables.declare(f.result, f"{f.name}({parameters})")};',
                 tables.declare(f.result, f"{f.name}({parameters})"), "{",
                 f"    {tables.declare(f.result, f'(*function)({parameters})')};",
                 f"    void *entry = entry_of({f.offset // 8});",
                 "    memcpy(&function, &entry, sizeof function);",
                 f"    return entry ? function({values}) : {missing};", "}"]
    tables.write_if_changed(output, "\n".join(text) + "\n")


main()
