#!/usr/bin/env python3
"""Writes hsa_table.h: C structures of the HSA runtime's function tables.

AMD's own hsa_api_trace.h is C++ and describes only the release it comes with. Rows come from
src/hsa/tables/hsa-tables.tsv. Types that older HSA headers lack are replaced by types that are
passed in the same registers, so the header needs nothing newer than ROCr 1.5.

usage: gen-hsa-tables.py hsa-tables.tsv hsa_table.h
"""
import re
import sys

import usage

# Types younger than ROCr 1.5 -> what is passed in the same way.
NEWER = {
    "hsa_amd_sdma_engine_id_t": "int",
    "hsa_amd_memory_type_t": "int",
    "hsa_queue_info_attribute_t": "int",
    "hsa_amd_vmem_alloc_handle_t": "hsax_handle_t",
    "hsa_amd_memory_access_desc_t": "void",
    "hsa_amd_ais_file_handle_t": "hsax_handle_t",
    "hsa_ext_sampler_descriptor_v2_t": "void",
    "hsa_amd_tool_event_t": "hsax_handle_t",
    "hsa_ven_amd_pcs_iterate_configuration_callback_t": "void*",
    "hsa_ven_amd_pcs_method_kind_t": "int",
    "hsa_ven_amd_pcs_units_t": "int",
    "hsa_ven_amd_pcs_data_ready_callback_t": "void*",
    "hsa_ven_amd_pcs_t": "hsax_handle_t",
}

# table in the rows -> (C type, slot list)
TABLES = {
    "CoreApiTable": "core",
    "AmdExtTable": "amd_ext",
    "FinalizerExtTable": "finalizer_ext",
    "ImageExtTable": "image_ext",
    "ToolsApiTable": "tools",
    "PcSamplingExtTable": "pc_sampling_ext",
}

HEAD = """/* Generated from src/hsa/tables/hsa-tables.tsv by scripts/gen-hsa-tables.py. */
#ifndef CROCPROF_HSA_TABLE_H
#define CROCPROF_HSA_TABLE_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First member of every table. minor_id is the size in bytes of the runtime's table; entries
 * beyond it do not exist. */
typedef struct {
    uint32_t major_id, minor_id, step_id, reserved;
} hsax_table_version_t;

typedef struct {
    uint64_t handle;
} hsax_handle_t;

typedef void (*hsax_packet_writer_t)(const void *packets, uint64_t count);
typedef void (*hsax_intercept_handler_t)(const void *packets, uint64_t count, uint64_t index,
                                         void *data, hsax_packet_writer_t writer);
#define hsa_amd_queue_intercept_handler hsax_intercept_handler_t
typedef void (*hsax_queue_notifier_t)(const hsa_queue_t *queue, hsa_agent_t agent, void *data);
#define hsa_amd_runtime_queue_notifier hsax_queue_notifier_t
"""

TAIL = """#undef hsa_amd_queue_intercept_handler
#undef hsa_amd_runtime_queue_notifier

/* Pointers to the runtime's own tables, which it continues to use. */
typedef struct {
    hsax_table_version_t version;
    hsax_core_table_t *core;
    hsax_amd_ext_table_t *amd_ext; /* layout: see HSAX_AMD_EXT_OLD_SIZE */
    hsax_finalizer_ext_table_t *finalizer_ext;
    hsax_image_ext_table_t *image_ext;
    hsax_tools_table_t *tools;                     /* if the container has 56 bytes or more */
    hsax_pc_sampling_ext_table_t *pc_sampling_ext; /* if the container has 64 bytes or more */
} hsax_api_table_t;

/* Size of AmdExtTable up to ROCr 1.5 (ROCm 5.2). Tables of this size or less have other offsets,
 * because two functions were inserted before hsa_amd_agent_memory_pool_get_info later. */
#define HSAX_AMD_EXT_OLD_SIZE 400

#endif
"""


def main(rows_path, out_path):
    tables = {}
    for line in open(rows_path, encoding="utf-8"):
        if line.startswith("#") or line.startswith("table\t"):
            continue
        table, function, offset, old, signature = line.rstrip("\n").split("\t")
        tables.setdefault(table, []).append((function, int(offset), old, signature))
    out = [HEAD]
    for table, name in TABLES.items():
        out.append("typedef struct {\n    hsax_table_version_t version;")
        expected = 16
        for function, offset, _, signature in tables[table]:
            if offset != expected:
                sys.exit(f"{rows_path}: {table}.{function}: offset {offset}, expected {expected}")
            expected += 8
            for newer, plain in NEWER.items():
                signature = re.sub(rf"\b{newer}\b", plain, signature)
            head, rest = signature.split(f" {function}(", 1)
            out.append(f"    {head} (*{function}_fn)({rest};")
        out.append(f"}} hsax_{name}_table_t;\n_Static_assert(sizeof(hsax_{name}_table_t) == "
                   f"{expected}, \"{table}\");\n")
    out.append("/* X(function, offset, offset in the old layout or 0 where it is missing) */")
    for table, name in TABLES.items():
        out.append(f"#define HSAX_{name.upper()}_SLOTS(X) \\")
        lines = [f"    X({f}, {o}, {0 if old == '-' else old})" for f, o, old, _ in tables[table]]
        out.append(" \\\n".join(lines) + "\n")
    out.append(TAIL)
    with open(out_path, "w", encoding="utf-8") as f:
        f.write("\n".join(out))


main(*usage.arguments(__doc__, 2))
