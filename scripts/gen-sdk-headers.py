#!/usr/bin/env python3
"""Writes the public headers that follow from the API tables: operation ids and argument unions.

The headers are kept in include/ so that they can be read there; the test sdk.headers_current runs
this script with --check. usage: gen-sdk-headers.py [--check] SOURCE_ROOT
"""
import os
import sys

import sdk_tables as tables
import usage

PRELUDE = {
    "hsa": """#include <rocprofiler-sdk/defines.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<hsa/hsa_api_trace_version.h>)
#include <hsa/hsa_api_trace_version.h>
#endif
#endif

@NEWER_TYPES@
ROCPROFILER_EXTERN_C_INIT

/** Replaces handle structures that the installed HSA headers lack. */
typedef struct
{
    uint64_t handle;
} rocprofiler_hsa_handle_t;

typedef hsa_status_t (*hsa_ext_program_iterate_modules_cb_t)(hsa_ext_program_t program,
                                                             hsa_ext_module_t module, void *data);
typedef void (*hsa_amd_queue_intercept_packet_writer)(const void *pkts, uint64_t pkt_count);
typedef void (*hsa_amd_queue_intercept_handler)(const void *pkts, uint64_t pkt_count,
                                                uint64_t user_pkt_index, void *data,
                                                hsa_amd_queue_intercept_packet_writer writer);
typedef void (*hsa_amd_runtime_queue_notifier)(const hsa_queue_t *queue, hsa_agent_t agent,
                                               void *data);

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_hsa_api_no_args
{
    char empty;
} rocprofiler_hsa_api_no_args;

/** The value that a traced HSA function returned, in the member of its type; 0 for functions that
 * return nothing. */
typedef union rocprofiler_hsa_api_retval_t
{
    uint64_t uint64_t_retval;
    uint32_t uint32_t_retval;
    hsa_signal_value_t hsa_signal_value_t_retval;
    hsa_status_t hsa_status_t_retval;
} rocprofiler_hsa_api_retval_t;
""",
    "hip": """#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#ifdef __cplusplus /* AMD's header includes these, and programs rely on that */
#include <cassert>
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif
#include <hip/hip_version.h>
/* HIP 5.3 and later have a separate header for OpenGL's types, HIP 6 one for deprecated types. */
#if defined(__has_include)
#if __has_include(<hip/hip_gl_interop.h>)
#include <hip/hip_gl_interop.h>
#endif
#if __has_include(<hip/hip_deprecated.h>)
#include <hip/hip_deprecated.h>
#endif
#endif
#include <stddef.h>
#include <stdint.h>

@NEWER_TYPES@
ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_hip_api_no_args
{
    char empty;
} rocprofiler_hip_api_no_args;

/** The value that a traced HIP function returned, in the member of its type; 0 for functions that
 * return nothing. */
typedef union rocprofiler_hip_api_retval_t
{
    uint64_t uint64_t_retval;
    int int_retval;
    const char *const_charp_retval;
    hipError_t hipError_t_retval;
    hipChannelFormatDesc hipChannelFormatDesc_retval;
    void **voidpp_retval;
} rocprofiler_hip_api_retval_t;
""",
}

# Libraries of which the types are few: a header of ours has them where their own is not installed.
SMALL = """#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/@LIBRARY@/details/@LIBRARY@.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_@LIBRARY@_api_no_args
{
    char empty;
} rocprofiler_@LIBRARY@_api_no_args;

/** The value that a traced function returned, in the member of its type. */
typedef union rocprofiler_@LIBRARY@_api_retval_t
{
@MEMBERS@} rocprofiler_@LIBRARY@_api_retval_t;
"""
for small, members in (("rccl", ["int32_t ncclResult_t", "const char *const_charp"]),
                       ("rocdecode", ["uint64_t uint64_t", "int32_t rocDecStatus", "const char *const_charp"]),
                       ("rocjpeg", ["int32_t rocJpegStatus", "const char *const_charp"]),
                       ("rocshmem", ["rocprofiler_rocshmem_api_no_args no"]),
                       ("hipfile", ["const char *const_charp", "hipFileError_t hipFileError_t", "ssize_t ssize_t",
                                    "int64_t int64_t"])):
    PRELUDE[small] = SMALL.replace("@LIBRARY@", small).replace(
        "@MEMBERS@", "".join(f"    {m}_retval;\n" for m in members))


# What headers of a version say of themselves; {0} and {1}: major and minor.
HAS_VERSION = {
    "hip": "HIP_VERSION >= {0} * 10000000 + {1} * 100000",
    "hsa": "defined(HSA_AMD_EXT_API_TABLE_STEP_VERSION) && \\\n"
           "    HSA_AMD_EXT_API_TABLE_MAJOR_VERSION * 100 + HSA_AMD_EXT_API_TABLE_STEP_VERSION >= {0} * 100 + {1}",
}


def guard(header):
    return "ROCPROFILER_SDK_" + header.upper().replace("/", "_").replace(".", "_")


def made_by(header, what):
    return (f"/* {what}\n * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the"
            f" tables, not this file. */\n#ifndef {guard(header)}_\n#define {guard(header)}_\n\n")


def id_header(domain, functions):
    text = made_by(domain.header, f"Operation ids of the {domain.title} API.")
    text += (f"/** Operations of {domain.title} tracing, named after their functions. LAST is one past"
             f" the last. */\ntypedef enum {domain.enum}\n{{\n    {domain.prefix}NONE = -1,\n")
    for function in functions:
        text += f"    {domain.prefix}{function.name} = {function.op},\n"
    return text + f"    {domain.prefix}LAST = {len(functions)}\n}} {domain.enum};\n\n#endif\n"


def newer_types(library, since):
    """A macro for each version of the headers that brought types."""
    text = (f"/* Types that the installed {library.upper()} headers are too old to have are replaced by types of the"
            " same layout. */\n")
    for version in sorted(set(since.values()) - {None}):
        macro = tables.type_macro(library, version)
        condition = HAS_VERSION[library].format(*version)
        text += (f"#if {condition}\n#define {macro}(type, stand_in) type\n#else\n"
                 f"#define {macro}(type, stand_in) stand_in\n#endif\n")
    return text


def member(function, name, library, known):
    text = "    struct\n    {\n"
    for argument in function.arguments:
        text += f"        {tables.declare(known(argument.field_type), argument.field)};\n"
    if not function.arguments:
        text += f"        rocprofiler_{library}_api_no_args no_args;\n"
    return text + f"    }} {name};\n"


def args_header(library, functions, known, since):
    header = f"{library}/api_args.h"
    text = made_by(header, f"Arguments and results of traced {library.upper()} functions.")
    text += PRELUDE[library].replace("@NEWER_TYPES@\n", newer_types(library, since) + "\n")
    text += (f"\n/** Arguments of a traced {library.upper()} call; the member is named after the function."
             "\n * Pointers are the caller's: what they point to may be read during the callback only. */\n"
             f"typedef union rocprofiler_{library}_api_args_t\n{{\n")
    for function in sorted(functions, key=lambda f: f.name):
        text += member(function, function.name, library, known)
        if function.name == "hipChooseDevice":
            # HIP 6 renames this function by a macro; both spellings name the same bytes
            text += "#ifndef hipChooseDevice\n"
            text += member(function, "hipChooseDeviceR0600", library, known) + "#endif\n"
    return text + f"}} rocprofiler_{library}_api_args_t;\n\nROCPROFILER_EXTERN_C_FINI\n\n#endif\n"


ROCTRACER = "../roctracer/hsa_prof_str.h"  # beside the SDK's
ROCTRACER_DOMAINS = ("core", "amd_ext", "image_ext")  # in the order of roctracer's ids


def roctracer_header(functions, known):
    """Ids and data of roctracer's callbacks: numbers go on from one table to the next."""
    rows = [f for domain in ROCTRACER_DOMAINS for f in functions[("hsa", domain)]]
    text = ("/* The data of callbacks of roctracer's ACTIVITY_DOMAIN_HSA_API.\n * Written by scripts/gen-sdk-headers.py from"
            " src/sdk/tables/: change the tables, not this file. */\n#ifndef ROCTRACER_HSA_PROF_STR_H_\n"
            "#define ROCTRACER_HSA_PROF_STR_H_\n\n#include <rocprofiler-sdk/hsa/api_args.h>\n\n"
            "/** Operations of ACTIVITY_DOMAIN_HSA_API. */\ntypedef enum\n{\n")
    for number, function in enumerate(rows):
        text += f"    HSA_API_ID_{function.name} = {number},\n"
    text += (f"    HSA_API_ID_DISPATCH = {len(rows)}, /**< not reported by this library */\n"
             f"    HSA_API_ID_NUMBER = {len(rows) + 1}\n}} hsa_api_id_t;\n\n"
             "/** A call. Pointers are the caller's: what they point to may be read during the callback only. */\n"
             "typedef struct hsa_api_data_s\n{\n    uint64_t correlation_id;\n"
             "    uint32_t phase; /**< activity_api_phase_t */\n    __extension__ union /**< set at the end of the call */\n"
             "    {\n        uint64_t uint64_t_retval;\n        uint32_t uint32_t_retval;\n"
             "        hsa_signal_value_t hsa_signal_value_t_retval;\n        hsa_status_t hsa_status_t_retval;\n    };\n"
             "    union\n    {\n")
    for function in rows:
        body = member(function, function.name, "hsa", known)
        if function.name == "hsa_amd_memory_async_copy_rect":
            before = "const hsa_dim3_t *range;\n"
            body = body.replace(before, before + "        hsa_dim3_t range__val; /**< copy of what range points to */\n")
        text += "".join("    " + line + "\n" for line in body.splitlines())
    return text + ("    } args;\n    uint64_t *phase_data; /**< for the callback's use; the same at both ends of a call */\n"
                   "} hsa_api_data_t;\n\n#endif\n")


def main():
    *check, root = usage.arguments(__doc__, 1, 2)
    functions = tables.read_functions(root)
    known, since = tables.known_types(root), tables.read_newer_since(root)
    headers = {d.header: id_header(d, functions[(d.library, d.name)]) for d in tables.DOMAINS}
    for library in PRELUDE:
        rows = [f for key, group in functions.items() if key[0] == library for f in group]
        headers[f"{library}/api_args.h"] = args_header(library, rows, known[library], since[library])
    headers[ROCTRACER] = roctracer_header(functions, known["hsa"])
    stale = []
    for header, text in headers.items():
        path = os.path.join(root, "include/rocprofiler-sdk", header)
        if check:
            if not os.path.exists(path) or open(path).read() != text:
                stale.append(path)
        else:
            tables.write_if_changed(path, text)
    if stale:
        sys.exit("differ from the tables, run scripts/gen-sdk-headers.py: " + " ".join(stale))


if __name__ == "__main__":
    main()
