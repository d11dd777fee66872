#!/usr/bin/env python3
"""gen-isa.py - turns the gfx90a instruction table into C.

Apart from the build rules because three sources include its output. What the columns mean is
written at the head of the table; what the C names mean, in softgpu/isa/table.h. Change it when
either of the two gets a column.

    gen-isa.py gfx90a.tsv OUTDIR

writes into OUTDIR
    isa_ops.h     enum ISA_OP_<mnemonic>, in the order of the table, from 1
    isa_ops.inc   ISA_OP(mnemonic, format, opcode, vop3 format, vop3 opcode, mods, class, reads,
                  writes, operands, facts) for every row; the includer defines ISA_OP
    isa_maps.inc  ISA_MAP(format, opcode, mnemonic) for every encoding, VOP3 forms included
"""
import os
import re
import sys

import usage

KINDS = {"s", "ss", "ssc", "v", "a", "av", "vs", "vsc", "d", "c"}
IMMEDIATES = {"imm4", "imm8", "imm16", "imm32", "lit16", "lit32", "rel16", "hwreg16", "msg16",
              "waitcnt16"}
OPERAND = re.compile(r"^(ssc|ss|s|av|a|vsc|vs|v|d|c)(2x)?(\d+)([fs]?)$")


def fail(path, line, text):
    sys.exit(f"{path}:{line}: {text}")


def operand(path, line, text):
    """'src0=vs16f' -> C initialiser of an isa_field_t."""
    role, _, kind = text.partition("=")
    role = "ISA_ROLE_" + role.upper()
    if kind in IMMEDIATES:
        bits = int(re.search(r"\d+$", kind).group())
        return f"{{{role}, ISA_K_{kind.rstrip('0123456789').upper()}, ISA_T_BITS, {bits}}}"
    m = OPERAND.match(kind)
    if not m or m.group(1) not in KINDS:
        fail(path, line, f"operand '{text}' is not understood")
    kind, packed, bits, is_float = m.group(1), bool(m.group(2)), int(m.group(3)), m.group(4) == "f"
    letter = "F" if is_float else "B"
    if packed:
        ctype, bits = f"ISA_T_V2{letter}{bits}", 2 * bits
    elif is_float:
        ctype = f"ISA_T_F{bits}"
    elif m.group(4):
        ctype = f"ISA_T_I{bits}"
    else:
        ctype = "ISA_T_B16" if bits == 16 else "ISA_T_BITS"
    # A 16-bit value occupies the low half of a 32-bit register.
    return f"{{{role}, ISA_K_{kind.upper()}, {ctype}, {max(bits, 32)}}}"


def flags(prefix, names):
    return " | ".join(prefix + n.upper().replace(".", "_") for n in names) or "0"


def split(path, line, text, pattern, column):
    """The groups of a cell, None for "-"."""
    if text == "-":
        return None
    m = re.fullmatch(pattern, text)
    if not m:
        fail(path, line, f"{column} '{text}' is not understood")
    return m.groups()


def memory(path, line, text):
    """'lds:4:pair256' -> initialiser of an isa_memory_t."""
    cell = split(path, line, text, r"(vector|lds|scalar):(\d+)(?::([a-z_2]+?)(\d+)?)?", "memory")
    if not cell:
        return "{0}"
    unit, size, kind, step = cell
    return f"{{ISA_UNIT_{unit.upper()}, ISA_ACCESS_{(kind or 'plain').upper()}, {size}, {step or 0}}}"


def math(path, line, text):
    """'trans_f32/16' or 'f32:32x32x1x2/64' -> initialiser of an isa_math_t."""
    cell = split(path, line, text, r"(?:([a-z0-9]+):(\d+)x(\d+)x(\d+)x(\d+)|([a-z0-9_]*))(?:/(\d+))?", "math")
    if not cell:
        return "{0}"
    matrix, rows, columns, depth, blocks, kind, clocks = cell
    if matrix:
        return f"{{ISA_MATH_MFMA_{matrix.upper()}, {clocks}, {{{rows}, {columns}, {depth}, {blocks}}}}}"
    return f"{{ISA_MATH_{kind.upper() or 'NONE'}, {clocks or 0}, {{0}}}}"


def data(path, line, text):
    """'bits:src1+src2=1f' -> initialiser of an isa_data_t."""
    cell = split(path, line, text, r"([a-z]+)(?::(src[012](?:\+src[012])*)=([0-9a-f]+))?(?::sees=([0-9a-f]+))?"
                 r"(?::(less|greater))?(?::(signed))?", "data")
    if not cell:
        return "{.rule = ISA_DATA_NONE}"
    rule, sources, bits, sees, order, signed = cell
    control = sum(1 << int(s[3]) for s in sources.split("+")) if sources else 0
    return (f"{{ISA_DATA_{rule.upper()}, {control}, ISA_ORDER_{(order or 'none').upper()}, {int(bool(signed))}, "
            f"0x{bits or 0}, 0x{sees or 'ffffffff'}}}")


def read_table(path):
    seen_names, seen_codes = {}, {}
    with open(path, encoding="ascii") as table:
        for number, text in enumerate(table, 1):
            if text.startswith("#") or text.startswith("fmt\t"):
                continue
            cells = text.rstrip("\n").split("\t")
            if len(cells) != 12:
                fail(path, number, f"{len(cells)} columns, 12 expected")
            fmt, op, name, operands, vop3, mods, implicit, klass, access, arithmetic, result, marks = cells
            if name in seen_names:
                fail(path, number, f"{name} is already at line {seen_names[name]}")
            if (fmt, op) in seen_codes:
                fail(path, number, f"{fmt} {op} is already at line {seen_codes[fmt, op]}")
            seen_names[name] = seen_codes[fmt, op] = number
            reads, writes = [], []
            for part in [] if implicit == "-" else implicit.split(";"):
                (reads if part[0] == "r" else writes).extend(part[2:].split(","))
            fields = [] if operands == "-" else operands.split(" ")
            yield {
                "name": name, "fmt": fmt, "op": int(op),
                "vop3_fmt": "NONE" if vop3 == "-" else "VOP3" + vop3[0],
                "vop3_op": 0 if vop3 == "-" else int(vop3[1:]),
                "mods": flags("ISA_M_", [] if mods == "-" else mods.split(",")),
                "class": "ISA_CLASS_" + klass.upper().replace(".", "_"),
                "reads": flags("ISA_REG_", reads), "writes": flags("ISA_REG_", writes),
                "operands": ", ".join(operand(path, number, f) for f in fields),
                "facts": f".memory = {memory(path, number, access)}, .math = {math(path, number, arithmetic)}, "
                         f".data = {data(path, number, result)}, "
                         f".marks = {flags('ISA_IS_', [] if marks == '-' else marks.split(','))}",
            }


def write(directory, name, lines):
    path = os.path.join(directory, name)
    text = "\n".join(["/* Generated by scripts/gen-isa.py from gfx90a.tsv. */"] + lines) + "\n"
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def main():
    table, directory = usage.arguments(__doc__, 2)
    rows = list(read_table(table))
    os.makedirs(directory, exist_ok=True)
    write(directory, "isa_ops.h",
          ["#ifndef ISA_OPS_H", "#define ISA_OPS_H", "enum {", "    ISA_OP_NONE = 0,"] +
          [f"    ISA_OP_{r['name']}," for r in rows] +
          ["    ISA_OP_COUNT", "};", "#endif"])
    write(directory, "isa_ops.inc",
          [f"ISA_OP({r['name']}, {r['fmt']}, {r['op']}, {r['vop3_fmt']}, {r['vop3_op']}, "
           f"{r['mods']}, {r['class']}, {r['reads']}, {r['writes']}, ({r['operands']}), ({r['facts']}))"
           for r in rows])
    write(directory, "isa_maps.inc",
          [f"ISA_MAP({r['fmt']}, {r['op']}, {r['name']})" for r in rows] +
          [f"ISA_MAP({r['vop3_fmt']}, {r['vop3_op']}, {r['name']})"
           for r in rows if r["vop3_op"]])


if __name__ == "__main__":
    main()
