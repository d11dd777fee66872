#!/usr/bin/env python3
"""Counter definitions from the tables of share, in all forms they are needed in.

usage: gen-counter-defs.py SHARE C_FILE YAML_FILE XML_DIR
reads counters/counters.tsv and metrics.tsv, counters/softgpu.tsv, and of each GPU the blocks in aqlprofile/blocks.tsv
writes the C tables built into the engine, counter_defs.yaml (rocprofiler-sdk's form), and
gfx_metrics.xml with metrics.xml (the first generation's, whose expressions count instances)
"""
import os
import re
import sys

import usage
from counter_tables import Facts

CLASSES = {"exact": "CTR_CLASS_EXACT", "cache-model": "CTR_CLASS_CACHE_MODEL",
           "timing-model": "CTR_CLASS_TIMING_MODEL", "not-applicable": "CTR_CLASS_UNAVAILABLE",
           "-": "CTR_CLASS_NONE"}
SCOPES = {"gpu": "CTR_OF_GPU", "se": "CTR_OF_ENGINE", "sa": "CTR_OF_ARRAY", "wgp": "CTR_OF_WGP"}
# Over how many places the first generation adds up a value, by the scope of its block.
PLACES = {"gpu": "XCC_NUM", "se": "SE_NUM", "sa": "array_count", "wgp": "(CU_NUM/2)"}
GPUS_MAX = 64  # bits of a mask


def check(facts):
    """Every counter has a block on each of its GPUs, whose events reach so far, and no name stands twice for a GPU."""
    blocks = {gpu: {block["block"]: block for block in facts.blocks_of(gpu)} for gpu in facts.gpus}
    seen = set()
    for line, row, event, gpus in facts.events():
        for gpu in gpus:
            block = blocks[gpu].get(row["block"])
            if not block:
                facts.refuse("counters.tsv", line, f"{row['counter']}: {gpu} has no block {row['block']}")
            if int(event) > int(block["max_event"]):
                facts.refuse("counters.tsv", line, f"{row['counter']}: event {event} of block {row['block']} on {gpu}, "
                                                   f"the highest is {block['max_event']}")
            once(facts, "counters.tsv", line, seen, row["counter"], gpu)
    for line, row, gpus in facts.formulas():
        for gpu in gpus:
            once(facts, "metrics.tsv", line, seen, row["metric"], gpu)
    if len(facts.gpus) > GPUS_MAX:
        sys.exit(f"{len(facts.gpus)} GPUs have counters, a mask has {GPUS_MAX} bits")


def once(facts, table, line, seen, name, gpu):
    if (name, gpu) in seen:
        facts.refuse(table, line, f"{name} is defined for {gpu} already")
    seen.add((name, gpu))


def text(words):
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'


def sentence(words):
    return words[:1].upper() + words[1:]


def mask(facts, gpus):
    return f"0x{sum(1 << i for i, gpu in enumerate(facts.gpus) if gpu in gpus):x}"


def truth(flag, block):
    return "true" if flag in block["flags"].split(",") else "false"


def block_tables(facts):
    out = []
    for gpu, row in facts.gpus.items():
        if row["blocks"] != gpu:
            continue
        out.append(f"static const ctr_block_t {gpu}_blocks[] = {{")
        out += [f"    {{\"{b['block']}\", {b['id']}, {b['instances']}, {b['slots']}, {b['max_event']}, "
                f"{SCOPES[b['scope']]}, {truth('cu', b)}, {truth('aid', b)}}}," for b in facts.blocks_of(gpu)]
        out += ["};", ""]
    return out


def classes_of(facts):
    """{counter: {class: GPUs}} of those that softgpu can be, where it counts the counter."""
    found = {}
    for gpu in filter(facts.is_soft, facts.gpus):
        for row in (row for row in facts.counters_of(gpu) if row["class"] != "-"):
            found.setdefault(row["counter"], {}).setdefault(row["class"], []).append(gpu)
    return found


def counter_lines(facts):
    """A row for each number of a counter, and for each class where GPUs differ in that."""
    classes = classes_of(facts)
    for _, row, event, gpus in facts.events():
        of_class = {name: [g for g in soft if g in gpus] for name, soft in classes.get(row["counter"], {}).items()}
        of_class["-"] = [g for g in gpus if not any(g in soft for soft in of_class.values())]
        for name, of in of_class.items():
            if of:
                yield (f"    {{\"{row['counter']}\", \"{row['block']}\", \"\", {text(sentence(row['meaning']))}, {event}, "
                       f"{CLASSES[name]}, {mask(facts, of)}}},")


def c_tables(facts):
    out = ["/* Made by gen-counter-defs.py from share. */", '#include "counters/internal.h"', ""]
    out += block_tables(facts)
    out.append("const ctr_builtin_t ctr_builtin_counters[] = {")
    out += counter_lines(facts)
    out += [f"    {{\"{row['metric']}\", \"\", {text(row['formula'])}, {text(row['description'])}, 0, CTR_CLASS_NONE, "
            f"{mask(facts, gpus)}}}," for _, row, gpus in facts.formulas()]
    out += ["};", "const size_t ctr_builtin_counter_count = sizeof(ctr_builtin_counters) / "
            "sizeof(*ctr_builtin_counters);", "", "const ctr_builtin_gpu_t ctr_builtin_gpus[] = {"]
    for gpu, row in facts.gpus.items():
        blocks = f"{row['blocks']}_blocks"
        out.append(f'    {{"{gpu}", {blocks}, sizeof({blocks}) / sizeof(*{blocks})}},')
    out += ["};", "const size_t ctr_builtin_gpu_count = sizeof(ctr_builtin_gpus) / "
            "sizeof(*ctr_builtin_gpus);", ""]
    return "\n".join(out)


def single(words):
    return "'" + words.replace("'", "''") + "'"


def yaml(facts):
    """GPUs that define a counter alike share a definition; what a counter is is told as of the first row that names it."""
    entries = {}
    for _, row, event, gpus in facts.events():
        entry = entries.setdefault(row["counter"], (sentence(row["meaning"]), {}))
        entry[1].setdefault((row["block"], event), []).extend(gpus)
    for _, row, gpus in facts.formulas():
        entry = entries.setdefault(row["metric"], (row["description"], {}))
        entry[1].setdefault((row["formula"],), []).extend(gpus)
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


def v1_expression(formula, block_of, xccs):
    """reduce(X,op) in the first generation: op(X,n) over n instances, X itself if it has one.

    Values there are sums over shader engines and whatever else there is one block of, so what is no sum is divided by
    their number; metrics that are nothing but such a value stay as AMD has them, undivided."""
    def fold(match):
        block = block_of.get(match[1])
        if not block:
            return match[0]  # not a plain counter
        n = int(block["instances"])
        value = f"{match[2]}({match[1]},{n})" if n > 1 else match[1]
        several = block["scope"] != "gpu" or xccs > 1
        if match[2] != "sum" and several and match[0] != formula:
            return f"({value}/{PLACES[block['scope']]})"
        return value
    return re.sub(r"reduce\((\w+), ?(\w+)\)", fold, formula)


def basic_xml(facts):
    out = []
    for gpu in facts.gpus:
        out.append(f"<{gpu}>")
        for c in facts.counters_of(gpu):
            out.append(f'  <metric name="{c["counter"]}" block={c["block"]} event={c["event"]} '
                       f'descr={attribute(sentence(c["meaning"]))}></metric>')
        out += [f"</{gpu}>", ""]
    return "\n".join(out)


def derived_xml(facts):
    out = ['#include "gfx_metrics.xml"', ""]
    for gpu, row in facts.gpus.items():
        blocks = {b["block"]: b for b in facts.blocks_of(gpu)}
        block_of = {c["counter"]: blocks[c["block"]] for c in facts.counters_of(gpu)}
        out.append(f"<{gpu}>")
        for d in facts.metrics_of(gpu):
            out.append(f'  <metric name="{d["metric"]}" '
                       f'expr={v1_expression(d["formula"], block_of, int(row["xccs"]))} '
                       f'descr={attribute(d["description"])}></metric>')
        out += [f"</{gpu}>", ""]
    return "\n".join(out)


def write(path, words):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(words)


def main():
    share, c_file, yaml_file, xml_folder = usage.arguments(__doc__, 4)
    facts = Facts(share)
    check(facts)
    write(c_file, c_tables(facts))
    write(yaml_file, yaml(facts))
    write(os.path.join(xml_folder, "gfx_metrics.xml"), basic_xml(facts))
    write(os.path.join(xml_folder, "metrics.xml"), derived_xml(facts))


if __name__ == "__main__":
    main()
