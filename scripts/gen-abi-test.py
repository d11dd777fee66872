#!/usr/bin/env python3
"""Writes a C program that compares the public headers and the library with the tables of tests/abi.

Layouts, values, types and signatures are checked by the compiler, one assertion for each row, so
that a mismatch names its row; bit-fields and exports are checked when the program runs.
usage: gen-abi-test.py TABLE_DIR OUTPUT_FILE HEADER...
"""
import os

import sdk_tables as tables
import usage

HEAD = """/* Made by gen-abi-test.py. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SIZE(type, size, align)                                                                    \\
    _Static_assert(sizeof(type) == size, #type " is not " #size " bytes long");                    \\
    _Static_assert(_Alignof(type) == align, #type " is not aligned to " #align)
#define AT(type, field, offset, size)                                                              \\
    _Static_assert(offsetof(type, field) == offset, #type "." #field " is not at " #offset);       \\
    _Static_assert(sizeof(((type *)0)->field) == size, #type "." #field " is not " #size " long")
#define VALUE(name, value) _Static_assert((long long)name == value, #name " is not " #value)
#define SAME(type, definition)                                                                     \\
    _Static_assert(__builtin_types_compatible_p(type, definition), #type " is another type")

static int failures;

__attribute__((unused))
static void check_bits(const char *name, const unsigned char *object, size_t size, unsigned first,
                       unsigned width)
{
    for (unsigned bit = 0; bit < size * 8; bit++)
        if ((object[bit / 8] >> bit % 8 & 1) != (bit >= first && bit < first + width)) {
            printf("%s: bit %u is wrong, expected bits %u to %u\\n", name, bit, first, first + width - 1);
            failures++;
            return;
        }
}

#define BITS(type, field, first, width)                                                            \\
    do {                                                                                           \\
        type object_;                                                                              \\
        memset(&object_, 0, sizeof object_);                                                       \\
        object_.field = ~object_.field;                                                            \\
        check_bits(#type "." #field, (const unsigned char *)&object_, sizeof object_, first, width); \\
    } while (0)

"""


def main():
    folder, output, *headers = usage.arguments(__doc__, 3, 99)
    path = lambda name: os.path.join(folder, name)  # noqa: E731
    text, bits = [f"#include <{header}>\n" for header in headers] + [HEAD], []
    for _, (type_, field, offset, size, width, bit) in tables.read_rows(
            path("types.tsv"), ["type", "field", "offset", "size", "width", "bit"]):
        if width:
            bits.append(f"    BITS({type_}, {field}, {int(offset) * 8 + int(bit)}, {width});")
        elif field:
            text.append(f"AT({type_}, {field}, {offset}, {size});")
        else:
            text.append(f"SIZE({type_}, {size}, {offset});")
    for _, (name, value) in tables.read_rows(path("enums.tsv"), ["enumerator", "value"]):
        text.append(f"VALUE({name}, {value if value != '4294967295' else '4294967295ll'});")
    for _, (name, kind, definition) in tables.read_rows(
            path("typedefs.tsv"), ["typedef", "kind", "definition"]):
        text.append(f"SAME({name}, {definition});" if kind == "alias" else
                    f"typedef {definition.replace('(*)', f'(*abi_{name})', 1)};\nSAME({name}, abi_{name});")
    offered, missing = [], []
    for _, (name, signature, state) in tables.read_rows(
            path("functions.tsv"), ["function", "signature", "offered"]):
        if state == "yes":
            text.append(signature + ";")
            offered.append(name)
        else:
            missing.append(name)
    text.append("static const char *const offered[] = {")
    text += [f'    "{name}",' for name in offered]
    text.append("};\nstatic const char *const missing[] = {")
    text += [f'    "{name}",' for name in missing]
    text.append("    NULL};\n")
    text.append("int main(int argc, char **argv)\n{")
    text += bits
    text.append("""    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        printf("%s\\n", dlerror());
        return 2;
    }
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++)
        if (!dlsym(library, offered[i])) {
            printf("%s is not exported\\n", offered[i]);
            failures++;
        }
    for (size_t i = 0; missing[i]; i++)
        if (dlsym(library, missing[i])) {
            printf("%s is exported: say so in functions.tsv\\n", missing[i]);
            failures++;
        }
    return failures != 0;
}""")
    tables.write_if_changed(output, "\n".join(text) + "\n")


if __name__ == "__main__":
    main()
