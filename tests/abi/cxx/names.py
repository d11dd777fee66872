#!/usr/bin/env python3
"""Every public name of the C++ headers is there: a line of C++ for each row of names.tsv, compiled.

usage: names.py SOURCE_DIR COMPILER...
"""
import re
import subprocess
import sys
import tempfile

# where a row's name needs arguments to be a type
CLASSES = {
    "name_info": "rocprofiler::sdk::utility::name_info<rocprofiler_buffer_tracing_kind_t>",
    "name_info_impl": "rocprofiler::sdk::utility::name_info_impl<rocprofiler_buffer_tracing_kind_t>",
    "c_array": "rocprofiler::sdk::container::c_array<int>",
}
HEAD = """
#include <type_traits>
#include <utility>
namespace cereal
{
struct archive { template <typename... T> void operator()(T &&...); };
template <typename T> using stored_t = decltype(save(std::declval<archive &>(), std::declval<const T &>()));
template <typename T> using loaded_t = decltype(load(std::declval<archive &>(), std::declval<T &>()));
}
"""


def guarded(number, row):
    """check(); events of the HSA runtime where its headers have them."""
    if "hsa_amd_event_" in row[3]:
        return f"#if __has_include(<hsa/hsa_amd_tool.h>)\n{check(number, row)}\n#endif"
    return check(number, row)


def check(number, row):
    """The C++ that does not compile without the row's name."""
    _, namespace, kind, name, details = row
    if kind == "macro":
        return f"#ifndef {name}\n#error {name}\n#endif"
    if name.startswith("operator=="):
        of = re.search(r"\((\w+)", name).group(1)
        tests = [f"std::is_same_v<bool, decltype(std::declval<{of}>() {op} std::declval<{of}>())>"
                 for op in ("==", "!=", "<", ">", "<=", ">=")]
        return f"static_assert({' && '.join(tests)});"
    if name.startswith("std::hash"):
        return f"using check_{number} = {name}::parent_type;"
    if name.startswith("rocprofiler_enum_info<"):
        begin, mask = details.split()
        info = f"{namespace}::{name}"
        return (f"static_assert({info}::supported && {info}::begin == static_cast<size_t>({begin}) && "
                f"{info}::begin != {info}::end && {info}::is_bitset == {mask});")
    if name.startswith("rocprofiler_tracing_perfetto_category<"):
        return f'static_assert(std::string_view{{{namespace}::{name}::name}} == "{details}");'
    if namespace == "rocprofiler::sdk::category":
        of = f"rocprofiler::sdk::perfetto_category<rocprofiler::sdk::category::{name}>"
        return (f'static_assert(std::string_view{{{of}::name}} == "{name}" && '
                f'std::string_view{{{of}::description}} == "{details}");')
    if match := re.match(r"(save|load) \((.*?)&?\)$", name):
        of = match.group(2).replace("EnumT, ValueT", "rocprofiler_buffer_tracing_kind_t").replace("Tp", "int")
        return (f"namespace cereal {{ using check_{number} = "
                f"{'stored_t' if match.group(1) == 'save' else 'loaded_t'}<{of}>; }}")
    if name.startswith("c_array::operator Tp*"):
        return f"static_assert(std::is_convertible_v<{CLASSES['c_array']}, int *>);"
    if "::" in name:
        owner, members = name.split("::", 1)
        of = CLASSES.get(owner, f"{namespace}::{owner}")
        base = f"using base = {of};"
        uses = " ".join(f"using base::{member};" for member in members.split(" / "))
        return f"struct check_{number} : {of} {{ {base} {uses} }};"
    if name == "sdk" and kind == "alias":
        return f"namespace check_{number} = {namespace}::sdk;"
    return f"namespace check_{number} {{ using {namespace}::{name.split(' ')[0]}; }}"


def main():
    source, *compilers = sys.argv[1:]
    rows = []
    with open(source + "/tests/abi/cxx/names.tsv", encoding="utf-8") as f:
        for line in f:
            if not line.startswith(("#", "header\t")):
                rows.append((line.rstrip("\n").split("\t") + [""])[:5])
    headers = sorted({row[0] for row in rows})
    text = "".join(f"#include <rocprofiler-sdk/cxx/{header}>\n" for header in headers)
    text += HEAD + "\n".join(guarded(number, row) for number, row in enumerate(rows)) + "\nint main() {}\n"
    if len(rows) < 350 or len(headers) < 15:
        sys.exit(f"names.tsv has {len(rows)} names of {len(headers)} headers: it is not whole")
    with tempfile.TemporaryDirectory(prefix="crocprof-cxx-") as directory:
        path = directory + "/names.cpp"
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        for compiler in compilers:
            done = subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                   "-D__HIP_PLATFORM_AMD__", f"-I{source}/include",
                                   f"-I{source}/tests/abi/cxx/stand-in", path],
                                  capture_output=True, text=True, timeout=240)
            if done.returncode != 0:
                sys.exit(f"{compiler}: {done.stderr[:4000]}")
    print(f"{len(rows)} names of {len(headers)} headers")


main()
