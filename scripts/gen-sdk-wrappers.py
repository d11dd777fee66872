#!/usr/bin/env python3
"""Writes what follows from the API tables inside the library: wrappers, rows for their
installation, argument lists, operation names.

usage: gen-sdk-wrappers.py SOURCE_ROOT OUTPUT_DIR
"""
import os

import sdk_tables as tables
import usage

# Types whose values have a format of their own; the rest is decided by the type's shape.
FORMATS = {
    "bool": "BOOL", "char": "CHAR",
    "int8_t": "INT", "int16_t": "INT", "int32_t": "INT", "int64_t": "INT", "int": "INT",
    "long long": "INT", "long": "INT", "ssize_t": "INT", "hoff_t": "INT", "hsa_signal_value_t": "INT", "ptrdiff_t": "INT",
    "uint8_t": "UINT", "uint16_t": "UINT", "uint32_t": "UINT", "uint64_t": "UINT",
    "unsigned int": "UINT", "unsigned": "UINT", "unsigned long": "UINT", "size_t": "UINT",
    "unsigned long long": "UINT", "hsa_queue_type32_t": "UINT",
    "roctx_range_id_t": "UINT", "roctx_thread_id_t": "UINT",
    "float": "FLOAT", "double": "DOUBLE",
    "dim3": "DIM3", "rocprofiler_dim3_t": "DIM3",
    "hsa_agent_t": "HANDLE", "hsa_signal_t": "HANDLE", "hsa_region_t": "HANDLE",
    "hsa_amd_memory_pool_t": "HANDLE", "hsa_executable_t": "HANDLE", "hsa_cache_t": "HANDLE",
    "hsa_code_object_t": "HANDLE", "hsa_code_object_reader_t": "HANDLE", "hsa_isa_t": "HANDLE",
    "hsa_executable_symbol_t": "HANDLE", "hsa_wavefront_t": "HANDLE", "hsa_code_symbol_t": "HANDLE",
    "hsa_signal_group_t": "HANDLE", "hsa_ext_image_t": "HANDLE", "hsa_ext_sampler_t": "HANDLE",
    "hsa_ext_program_t": "HANDLE", "hsa_loaded_code_object_t": "HANDLE",
    "hsa_callback_data_t": "HANDLE", "hsa_amd_vmem_alloc_handle_t": "HANDLE",
    "hipMemcpyKind": "ENUM", "hipMemAllocationType": "ENUM", "hipMemAllocationHandleType": "ENUM",
    "hipGraphNodeType": "ENUM", "hipExtent": "EXTENT", "hipPos": "EXTENT",
    "hipPitchedPtr": "PITCHED", "hipMemLocation": "LOCATION",
}
# Output parameters of these element types are followed when max_dereference_count allows it, with
# the format of what they point to. What lies behind void** is not.
FOLLOWED = {"int": "INT", "hipDevice_t": "INT", "hipMemcpyKind": "ENUM", "hipGraphNodeType": "ENUM",
            "size_t": "UINT", "unsigned int": "UINT", "uint32_t": "UINT", "uint64_t": "UINT",
            "float": "FLOAT", "roctx_thread_id_t": "UINT", "hipExtent": "EXTENT"}
FOLLOWED.update((f"hip{name}_t", "POINTER") for name in (
    "Stream", "Event", "Module", "Function", "Deviceptr", "Graph", "GraphExec", "Array", "MemPool",
    "Ctx", "Library", "Kernel"))
INSTANCES = 2  # SDK_INSTANCES of src/sdk/api/api.h
RETVAL = {"const char*": "const_charp", "void**": "voidpp", "RocJpegStatus": "rocJpegStatus"}
RETVAL_MARKER = {"int": "int32_t"}


def read_value_texts(root):
    """[(type, prefix, [(value, text)])]; a type's place in the list, from 1 on, is its number."""
    types = []
    for _, (type_, prefix, value, text) in tables.read_rows(
            os.path.join(root, "src/sdk/tables/value-texts.tsv"), ["type", "prefix", "value", "text"]):
        if not types or types[-1][0] != type_:
            types.append((type_, prefix, []))
        types[-1][2].append((value, text))
    return types


def shape(type_):
    """Format of a type, stars, format of what it points to (NONE: not followed), constant target."""
    constant = type_.startswith("const ")
    plain = type_.replace("const ", "").replace(" const", "").replace("enum ", "").replace("struct ", "").strip()
    if "(*)" in plain:
        return "ADDRESS", 0, "NONE"
    stars = len(plain) - len(plain.rstrip("*"))
    if plain == "char*":
        return ("STRING" if constant else "TEXT_OUT"), 1, "NONE"
    if plain == "void*":
        return "ADDRESS", 1, "NONE"
    if stars:
        return "POINTER", stars, "NONE" if constant else FOLLOWED.get(plain[:-1], "NONE")
    return FORMATS.get(plain, "OTHER"), 0, "NONE"  # OTHER, by size: enumerations, opaque pointers


def prototype(function, name, known, extra=""):
    parameters = [tables.declare(known(a.type), a.name)
                  for a in function.arguments]
    text = ", ".join(parameters + ([extra] if extra else [])) or "void"
    result = known(function.result)
    return tables.declare(result, f"{name}({text})")


def wrapper(domain, function, known):
    library, name = domain.library, function.name
    values = ", ".join(a.name for a in function.arguments)
    saved = f"saved_{name}"
    result = function.result
    members = RETVAL_MARKER if library == "marker" else RETVAL
    pointer = prototype(function, f"(*{saved}[SDK_INSTANCES])", known)
    text = [f"static {pointer};", ""]
    more = "const sdk_plan_t *sdk_plan_, unsigned sdk_instance_"
    text.append("static __attribute__((noinline)) " + prototype(function, f"traced_{name}", known, more))
    text.append("{")
    text.append("    sdk_frame_t frame;")
    text.append(f"    rocprofiler_callback_tracing_{library}_api_data_t payload;")
    text.append("    if (sdk_plan_->needs_payload) {")
    text.append("        payload.size = sizeof payload;")
    for a in function.arguments:
        target = f"payload.args.{name}.{a.field}"
        if a.field_type == "rocprofiler_dim3_t":
            text.append(f"        {target} = (rocprofiler_dim3_t){{{a.name}.x, {a.name}.y, {a.name}.z}};")
        elif a.field_type != a.type:
            cast = known(a.field_type)
            text.append(f"        {target} = ({cast}){a.name};")
        else:
            text.append(f"        {target} = {a.name};")
    text.append("        memset(&payload.retval, 0, sizeof payload.retval);")
    text.append("    }")
    text.append("    sdk_api_enter(&frame, sdk_plan_, &payload);")
    if result == "void":
        text.append(f"    {saved}[sdk_instance_]({values});")
    else:
        portable = known(result)
        text.append(f"    {tables.declare(portable, 'sdk_result_')} = {saved}[sdk_instance_]({values});")
        text.append("    if (sdk_plan_->needs_payload) "
                    f"payload.retval.{members.get(result, result)}_retval = sdk_result_;")
    text.append("    sdk_api_exit(&frame, &payload);")
    if result != "void":
        text.append("    return sdk_result_;")
    text.append("}")
    for instance in range(INSTANCES):
        text.append("")
        text.append("static " + prototype(function, f"wrap{instance}_{name}", known))
        text.append("{")
        text.append(f"    const sdk_plan_t *plan = LOAD_PLAN(SDK_BASE_{upper(domain)} + {function.op});")
        call = f"{saved}[{instance}]({values})"
        traced = f"traced_{name}({values + ', ' if values else ''}plan, {instance})"
        if result == "void":
            text.append(f"    if (__builtin_expect(!plan, 1)) {call};")
            text.append(f"    else {traced};")
        else:
            text.append(f"    if (__builtin_expect(!plan, 1)) return {call};")
            text.append(f"    return {traced};")
        text.append("}")
    return "\n".join(text) + "\n\n"


def row(function, prefix, offset, old_offset):
    """What installs the wrappers of a function."""
    wrappers = ", ".join(f"(void *){prefix}{i}_{function.name}" for i in range(INSTANCES))
    return (f'    {{"{function.name}", {{{wrappers}}}, (void **)(void *)saved_{function.name}, '
            f"{offset}, {old_offset}}},")


def upper(domain):
    return f"{domain.library}_{domain.name}".upper()


def lower(domain):
    return f"{domain.library}_{domain.name}"


def wrappers_file(domain, functions, known):
    text = ["/* Made by gen-sdk-wrappers.py: wrappers of one API domain, and their installation. */",
            '#include "sdk/api/api.h"', '', '#include <string.h>', '',
            "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"", "",
            "#define LOAD_PLAN(slot) atomic_load_explicit(&sdk_plans[slot], memory_order_acquire)", "", ""]
    body = "".join(wrapper(domain, f, known) for f in functions)
    rows = [f"const sdk_api_row_t sdk_api_{lower(domain)}[] = {{"]
    for f in functions:
        rows.append(row(f, "wrap", f.offset, f.offset if domain.name != "amd_ext" else f.old_offset or 0))
    rows.append("};")
    return "\n".join(text) + body + "\n".join(rows) + "\n"


def stream_wrapper(function, role, stream, known, instance):
    """A wrapper that tells which stream a HIP function creates, destroys or works on."""
    name, saved = function.name, f"saved_{function.name}[{instance}]"
    values = ", ".join(a.name for a in function.arguments)
    result = known(function.result)
    text = ["static " + prototype(function, f"stream{instance}_{name}", known), "{"]
    if role == "set":
        text.append("    const sdk_plan_t *plan_ = LOAD_PLAN(SDK_BASE_HIP_STREAM + ROCPROFILER_HIP_STREAM_SET);")
        back = f"{saved}({values});" if result == "void" else f"return {saved}({values});"
        text.append(f"    if (__builtin_expect(!plan_, 1)) {back if result != 'void' else '{ ' + back + ' return; }'}")
        text.append("    sdk_stream_use_t use_;")
        text.append(f"    sdk_stream_enter(&use_, plan_, {stream});")
    call = f"{saved}({values})"
    text.append(f"    {call};" if result == "void" else f"    {tables.declare(result, 'result_')} = {call};")
    if role == "set":
        text.append("    sdk_stream_exit(&use_);")
    elif role == "create":
        text.append(f"    if (result_ == hipSuccess && {stream}) sdk_stream_created(*{stream});")
    else:
        text.append(f"    if (result_ == hipSuccess) sdk_stream_destroyed({stream});")
    if result != "void":
        text.append("    return result_;")
    text.append("}")
    return "\n".join(text) + "\n\n"


def streams_file(functions, known):
    text = ["/* Made by gen-sdk-wrappers.py: wrappers of HIP functions with a stream. */",
            '#include "sdk/hip_stream/hip_stream.h"', "",
            "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"", "",
            "#define LOAD_PLAN(slot) atomic_load_explicit(&sdk_plans[slot], memory_order_acquire)", "", ""]
    rows = ["const sdk_api_row_t sdk_stream_rows[] = {"]
    body, count = "", 0
    for f in functions:
        by_value = [a.name for a in f.arguments if a.type == "hipStream_t"]
        by_pointer = [a.name for a in f.arguments if a.type == "hipStream_t*"]
        if by_value:
            role = "destroy" if f.name == "hipStreamDestroy" else "set"
        elif by_pointer:
            role = "create"
        else:
            continue
        body += f"static {prototype(f, f'(*saved_{f.name}[SDK_INSTANCES])', known)};\n\n"
        for instance in range(INSTANCES):
            body += stream_wrapper(f, role, (by_value or by_pointer)[0], known, instance)
        rows.append(row(f, "stream", f.offset, 0))
        count += 1
    rows.append("};")
    rows.append(f"const unsigned sdk_stream_row_count = {count};")
    return "\n".join(text) + body + "\n".join(rows) + "\n"


def args_file(groups, texts):
    text = ["/* Made by gen-sdk-wrappers.py: arguments of each operation. */",
            '#include "sdk/api/api.h"', '#include "sdk/api/format.h"', "",
            "typedef rocprofiler_ompt_args_t rocprofiler_ompt_api_args_t; /* the one with another name */", "",
            "#define A(library, function, member, type, name, form, stars, target, texts) \\",
            "    {type, name, offsetof(rocprofiler_##library##_api_args_t, function.member), \\",
            "     sizeof(((rocprofiler_##library##_api_args_t *)0)->function.member), \\",
            "     SDK_FORMAT_##form, stars, SDK_FORMAT_##target, texts}", ""]
    for type_, _, values in texts:
        text.append(f"static const sdk_value_text_t values_{type_}[] = {{")
        text += [f'    {{{value}, "{name}"}},' for value, name in values]
        text.append("};")
    text.append("const sdk_value_texts_t sdk_value_texts[] = {")
    text.append("    {NULL, NULL, 0},")
    text += [f'    {{"{prefix}", values_{type_}, {len(values)}}},' for type_, prefix, values in texts]
    text.append("};\n")
    numbers = {type_: number for number, (type_, _, _) in enumerate(texts, 1)}
    for domain, functions in groups:
        for f in functions:
            if not f.arguments:
                continue
            text.append(f"static const sdk_argument_t args_{lower(domain)}_{f.name}[] = {{")
            for a in f.arguments:
                form, stars, target = shape(a.type)
                text.append(f'    A({domain.library}, {f.name}, {a.field}, "{a.type}", "{a.field}", '
                            f"{form}, {stars}, {target}, {numbers.get(a.type.rstrip('*'), 0)}),")
            text.append("};")
        text.append(f"const sdk_argument_list_t sdk_args_{lower(domain)}[] = {{")
        for f in functions:
            name = f"args_{lower(domain)}_{f.name}" if f.arguments else "NULL"
            text.append(f"    {{{name}, {len(f.arguments)}}},")
        text.append("};\n")
    return "\n".join(text)


def events_file(functions):
    """Callbacks of events, which are told at once or at both of their ends."""
    text = ["/* Made by gen-sdk-wrappers.py: callbacks of OpenMP's tool interface. */", '#include "sdk/ompt/ompt.h"', ""]
    events = [f for f in functions if f.result != "table"]
    for f in events:
        span = f.result == "span"
        parameters = ", ".join(tables.declare(a.type, a.name) for a in f.arguments)
        text += [f"static void on_{f.name}({parameters})", "{",
                 f"    const sdk_plan_t *plan_ = sdk_plan(SDK_DOMAIN_OMPT, {f.op});",
                 f"    if (!plan_{' && !sdk_ompt_inside()' if span else ''}) return;",
                 "    rocprofiler_callback_tracing_ompt_data_t data_;"]
        text += [f"    data_.args.{f.name}.{a.field} = {a.name};" for a in f.arguments]
        text += [f"    sdk_ompt_span(plan_, {f.op}, endpoint, &data_);" if span else "    sdk_ompt_point(plan_, &data_);",
                 "}", ""]
    text.append("const sdk_ompt_row_t sdk_ompt_rows[] = {")
    text += [f"    {{{f.offset}, (ompt_callback_t)on_{f.name}}}," for f in events]
    text += ["};", f"const int sdk_ompt_row_count = {len(events)};"]
    return "\n".join(text) + "\n"


def offsets_file(groups):
    text = ["/* Made by gen-sdk-wrappers.py: where functions stand in their tables; for tests. */"]
    for domain, functions in groups:
        if domain.table is None:
            continue
        text += [f"#define SDK_OFFSET_{f.name} {f.offset}" for f in functions]
    return "\n".join(text) + "\n"


def main():
    root, output = usage.arguments(__doc__, 2)
    functions = tables.read_functions(root)
    known = tables.known_types(root)
    groups = []
    for domain in tables.DOMAINS + tables.MARKERS + tables.EVENTS:
        rows = functions[(domain.library, domain.name)]
        groups.append((domain, rows))
        if domain.table is None:
            continue
        tables.write_if_changed(os.path.join(output, f"{lower(domain)}.c"),
                                wrappers_file(domain, rows, known[domain.library]))
    tables.write_if_changed(os.path.join(output, "hip_stream.c"),
                            streams_file(functions[("hip", "runtime")], known["hip"]))
    tables.write_if_changed(os.path.join(output, "ompt_events.c"), events_file(functions[("ompt", "event")]))
    tables.write_if_changed(os.path.join(output, "args.c"), args_file(groups, read_value_texts(root)))
    tables.write_if_changed(os.path.join(output, "offsets.h"), offsets_file(groups))


if __name__ == "__main__":
    main()
