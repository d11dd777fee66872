#!/usr/bin/env python3
"""Counter definitions from the tables of share/counters, in all forms they are needed in.

usage: gen-counter-defs.py TABLE_DIR C_FILE YAML_FILE XML_DIR
reads GPU-counters.tsv, GPU-derived-metrics.tsv (may be absent) and GPU-blocks.tsv of every GPU
writes the C tables built into the engine, counter_defs.yaml (rocprofiler-sdk's form), and
gfx_metrics.xml with metrics.xml (the first generation's, whose expressions count instances)
"""
import os
import re
import sys

import usage
from counter_tables import rows

CLASSES = {"exact": "CTR_CLASS_EXACT", "cache-model": "CTR_CLASS_CACHE_MODEL",
           "timing-model": "CTR_CLASS_TIMING_MODEL", "not-applicable": "CTR_CLASS_UNAVAILABLE",
           "-": "CTR_CLASS_NONE"}


class Gpu:
    def __init__(self, folder, name):
        self.name = name
        self.blocks = list(rows(os.path.join(folder, f"{name}-blocks.tsv")))
        self.counters = list(rows(os.path.join(folder, f"{name}-counters.tsv")))
        derived = os.path.join(folder, f"{name}-derived-metrics.tsv")
        self.derived = list(rows(derived)) if os.path.exists(derived) else []
        known = {b["block"] for b in self.blocks}
        for c in self.counters:
            if c["block"] not in known:
                sys.exit(f"{name}: counter {c['counter']} of block {c['block']}, which has no row")


def text(words):
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'


def sentence(words):
    return words[:1].upper() + words[1:]


def c_tables(gpus):
    out = ["/* Made by gen-counter-defs.py from share/counters. */",
           '#include "counters/internal.h"', ""]
    for g in gpus:
        out.append(f"static const ctr_block_t {g.name}_blocks[] = {{")
        for b in g.blocks:
            out.append(f'    {{"{b["block"]}", {b["id"]}, {b["instances"]}, {b["slots"]}, '
                       f'{b["max_event"]}, {"true" if b["per_se"] == "1" else "false"}}},')
        out += ["};", "", f"static const ctr_builtin_t {g.name}_counters[] = {{"]
        for c in g.counters:
            out.append(f'    {{"{c["counter"]}", "{c["block"]}", "", {text(sentence(c["meaning"]))}, '
                       f'{c["event"]}, {CLASSES[c["class"]]}}},')
        for d in g.derived:
            out.append(f'    {{"{d["metric"]}", "", {text(d["formula"])}, '
                       f'{text(d["description"])}, 0, CTR_CLASS_NONE}},')
        out += ["};", ""]
    out.append("const ctr_builtin_gpu_t ctr_builtin_gpus[] = {")
    for g in gpus:
        out.append(f'    {{"{g.name}", {g.name}_counters, sizeof({g.name}_counters) / '
                   f'sizeof(*{g.name}_counters), {g.name}_blocks, sizeof({g.name}_blocks) / '
                   f'sizeof(*{g.name}_blocks)}},')
    out += ["};",
            "const size_t ctr_builtin_gpu_count = sizeof(ctr_builtin_gpus) / "
            "sizeof(*ctr_builtin_gpus);", ""]
    return "\n".join(out)


def single(words):
    return "'" + words.replace("'", "''") + "'"


def yaml(gpus):
    """GPUs that define a counter alike share a definition."""
    entries = {}
    for g in gpus:
        for c in g.counters:
            entry = entries.setdefault(c["counter"], (sentence(c["meaning"]), {}))
            entry[1].setdefault((c["block"], c["event"]), []).append(g.name)
        for d in g.derived:
            entry = entries.setdefault(d["metric"], (d["description"], {}))
            entry[1].setdefault((d["formula"],), []).append(g.name)
    out = ["rocprofiler-sdk:", "  counters-schema-version: 1", "  counters:"]
    for name, (description, definitions) in entries.items():
        out += [f"  - name: {name}", f"    description: {single(description)}",
                "    properties: []", "    definitions:"]
        for key, names in definitions.items():
            out += ["    - architectures:"] + [f"      - {n}" for n in names]
            if len(key) == 2:
                out += [f"      block: {key[0]}", f"      event: {key[1]}"]
            else:
                out.append(f"      expression: {single(key[0])}")
    return "\n".join(out) + "\n"


def attribute(words):
    return '"' + words.replace('"', "'") + '"'


def v1_expression(formula, block_of):
    """reduce(X,op) in the first generation: op(X,n) over n instances, X itself if it has one.

    Values there are sums over shader engines, so what is no sum is divided by their number; metrics
    that are nothing but such a value stay as AMD has them, undivided."""
    def fold(match):
        block = block_of.get(match[1])
        if not block:
            return match[0]  # not a plain counter
        n = int(block["instances"])
        value = f"{match[2]}({match[1]},{n})" if n > 1 else match[1]
        if match[2] != "sum" and block["per_se"] == "1" and match[0] != formula:
            return f"({value}/SE_NUM)"
        return value
    return re.sub(r"reduce\((\w+), ?(\w+)\)", fold, formula)


def basic_xml(gpus):
    out = []
    for g in gpus:
        out.append(f"<{g.name}>")
        for c in g.counters:
            out.append(f'  <metric name="{c["counter"]}" block={c["block"]} event={c["event"]} '
                       f'descr={attribute(sentence(c["meaning"]))}></metric>')
        out += [f"</{g.name}>", ""]
    return "\n".join(out)


def derived_xml(gpus):
    out = ['#include "gfx_metrics.xml"', ""]
    for g in gpus:
        blocks = {b["block"]: b for b in g.blocks}
        block_of = {c["counter"]: blocks[c["block"]] for c in g.counters}
        out.append(f"<{g.name}>")
        for d in g.derived:
            out.append(f'  <metric name="{d["metric"]}" '
                       f'expr={v1_expression(d["formula"], block_of)} '
                       f'descr={attribute(d["description"])}></metric>')
        out += [f"</{g.name}>", ""]
    return "\n".join(out)


def write(path, words):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(words)


def main():
    folder, c_file, yaml_file, xml_folder = usage.arguments(__doc__, 4)
    names = sorted(f[:-len("-counters.tsv")] for f in os.listdir(folder)
                   if f.endswith("-counters.tsv"))
    gpus = [Gpu(folder, name) for name in names]
    write(c_file, c_tables(gpus))
    write(yaml_file, yaml(gpus))
    write(os.path.join(xml_folder, "gfx_metrics.xml"), basic_xml(gpus))
    write(os.path.join(xml_folder, "metrics.xml"), derived_xml(gpus))


if __name__ == "__main__":
    main()
