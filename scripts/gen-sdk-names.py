#!/usr/bin/env python3
"""Writes the tables behind the name queries from names.tsv, kinds.tsv and the API tables.

usage: gen-sdk-names.py SOURCE_ROOT OUTPUT_FILE
"""
import os

import sdk_tables as tables
import usage


# sets that names.c uses by name; operations are reached through their kinds
PUBLIC = ("status", "callback_kind", "buffer_kind", "external_request", "intercept_table")


def read_sets(root):
    """{set: {value: text}}"""
    sets = {}
    for _, (name, value, text) in tables.read_rows(
            os.path.join(root, "src/sdk/tables/names.tsv"), ["set", "value", "text"]):
        sets.setdefault(name, {})[int(value)] = text
    events = {(d.library, d.name) for d in tables.EVENTS}  # which names.tsv calls otherwise
    for (library, domain), rows in tables.read_functions(root).items():
        if (library, domain) in events:
            continue
        sets[f"{library}_{domain}"] = {f.op: f.name for f in rows}
    return sets


def main():
    root, output = usage.arguments(__doc__, 2)
    sets = read_sets(root)
    text = ["/* Made by gen-sdk-names.py. */", '#include "sdk/core/names.h"', ""]
    for name, values in sorted(sets.items()):
        text.append(f"static const char *const {name}_texts[] = {{")
        text += [f'    [{value}] = "{values[value]}",' for value in sorted(values)]
        text.append("};")
        storage = "" if name in PUBLIC else "static "
        text.append(f"{storage}const sdk_names_t sdk_names_{name} = {{{name}_texts, {max(values) + 1}}};\n")
    for service, last in (("callback", "ROCPROFILER_CALLBACK_TRACING_LAST"),
                          ("buffer", "ROCPROFILER_BUFFER_TRACING_LAST")):
        text.append(f"const sdk_names_t *const sdk_{service}_operations[{last}] = {{")
        path = os.path.join(root, "src/sdk/tables/kinds.tsv")
        for number, (row, kind, operations) in tables.read_rows(path, ["service", "kind", "operations"]):
            if row != service or operations == "-":
                continue
            if operations not in sets:
                tables.fail(path, number, f"no names of {operations}")
            text.append(f"    [{kind}] = &sdk_names_{operations},")
        text.append("};\n")
    tables.write_if_changed(output, "\n".join(text))


if __name__ == "__main__":
    main()
