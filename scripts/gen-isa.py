#!/usr/bin/env python3
"""gen-isa.py - turns the tables of instructions, one for each family of GPUs, into C.

Apart from the build rules because several sources include its output. What the columns mean is
written at the head of a table; what the C names mean, in src/isa/table.h. Change it when
either of the two gets a column.

    gen-isa.py OUTDIR gfx9.tsv GPU... [another family's table and its GPUs ...]

writes into OUTDIR
    isa_ops.h      enum ISA_OP_<instruction>, from 1, in the order of the tables
    isa_ops.inc    ISA_OP(instruction, body, mnemonic, format, mods, class, reads, writes, operands,
                   facts) for every instruction of any GPU; the includer defines ISA_OP. body: the
                   instruction whose handler executes it
    isa_archs.inc  ISA_ARCH(gpu) for every GPU, in the order of the command line
    isa_codes.inc  for every GPU: ISA_CODES(gpu), ISA_CODE(format, opcode, instruction) for every
                   encoding, VOP3 forms included, and ISA_CODES_END

A later table says of an operation that an earlier one has only what is different. A row of five cells (gpus, fmt, op,
mnemonic, vop3) is another encoding of the instruction that an earlier table has under that mnemonic; v_new=v_old: it has
another mnemonic here. In a row of thirteen cells, = stands for what the earlier instruction's cell says. Such a row has the
earlier instruction's body.

Rows with one mnemonic are one instruction if they differ in nothing but GPUs and opcodes. Of rows that differ in
more each is an instruction of its own: of the first table that has the mnemonic, that which most of its GPUs have, the first
of several, is named as the mnemonic, the others <mnemonic>_2, _3 and so on in the order of the tables.
"""
import os
import re
import sys

import usage

KINDS = {"s", "ss", "ssc", "v", "a", "av", "vs", "vsc", "d", "c"}
IMMEDIATES = {"imm4", "imm8", "imm16", "imm32", "lit16", "lit32", "rel16", "hwreg16", "msg16",
              "waitcnt16", "hex16", "depctr16", "delay16", "rtnmsg8"}
OPERAND = re.compile(r"^(ssc|ss|s|av|a|vsc|vs|v|d|c)(2x)?(\d+)([fbs]?)$")


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
    kind, packed, bits, letter = m.group(1), bool(m.group(2)), int(m.group(3)), {"f": "F", "b": "BF"}.get(m.group(4))
    if packed:
        ctype, bits = f"ISA_T_V2{letter or 'B'}{bits}", 2 * bits
    elif letter:
        ctype = f"ISA_T_{letter}{bits}"
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


def inherit(path, line, cells, earlier):
    """The row's thirteen cells with those of the instruction that it is like in place of "=", and that one's name or None."""
    name, _, like = cells[3].partition("=")
    short = len(cells) == 5
    if not short and not like and "=" not in cells:
        return cells, None
    like = like or name
    if like not in earlier:
        fail(path, line, f"no earlier table has {like}")
    parent = earlier[like]
    own = cells[:3] + [name, "=", cells[4]] + 7 * ["="] if short else cells[:3] + [name] + cells[4:]
    if own[5] == "=":
        fail(path, line, "vop3 is a row's own")
    return [p if c == "=" else c for c, p in zip(own, parent)], like


def read_table(path, gpus, earlier):
    """(row, GPUs that have it, encodings, cells) for each row of a family's table. earlier: rows of earlier tables by name."""
    seen = {}
    with open(path, encoding="ascii") as table:
        for number, text in enumerate(table, 1):
            if text.startswith("#") or text.startswith("gpus\t"):
                continue
            cells = text.rstrip("\n").split("\t")
            if len(cells) not in (5, 13):
                fail(path, number, f"{len(cells)} columns, 13 expected, or 5")
            cells, like = inherit(path, number, cells, earlier)
            has, fmt, op, name, operands, vop3, mods, implicit, klass, access, arithmetic, result, marks = cells
            has = gpus if has == "all" else has.split(",")
            codes = [(fmt, int(op))] + ([] if vop3 == "-" else [("VOP3" + vop3[0], int(vop3[1:]))])
            for gpu in has:
                if gpu not in gpus:
                    fail(path, number, f"{gpu} is none of {' '.join(gpus)}")
                for what in [name] + [f"{fmt} {op}" for fmt, op in codes]:
                    if seen.setdefault((gpu, what), number) != number:
                        fail(path, number, f"{gpu} has {what} already at line {seen[gpu, what]}")
            reads, writes = [], []
            for part in [] if implicit == "-" else implicit.split(";"):
                (reads if part[0] == "r" else writes).extend(part[2:].split(","))
            fields = [] if operands == "-" else operands.split(" ")
            row = {
                "mnemonic": name, "fmt": fmt, "like": like,
                "nothing": fmt in ("SOPP", "SOPK", "SOP1") and "nothing" in marks.split(","),
                "mods": flags("ISA_M_", [] if mods == "-" else mods.split(",")),
                "class": "ISA_CLASS_" + klass.upper().replace(".", "_"),
                "reads": flags("ISA_REG_", reads), "writes": flags("ISA_REG_", writes),
                "operands": ", ".join(operand(path, number, f) for f in fields),
                "facts": f".memory = {memory(path, number, access)}, .math = {math(path, number, arithmetic)}, "
                         f".data = {data(path, number, result)}, "
                         f".marks = {flags('ISA_IS_', [] if marks == '-' else marks.split(','))}",
            }
            yield row, has, codes, cells


def families(arguments):
    """[(table, its GPUs)]"""
    found = []
    for argument in arguments:
        if argument.endswith(".tsv"):
            found.append((argument, []))
        elif found:
            found[-1][1].append(argument)
        else:
            sys.exit(f"'{argument}' stands before any table")
    return found


def same(one, other):
    return all(one[key] == other[key] for key in one if key != "like")


def by_gpus(rows):
    """A table's rows, those first that most of its GPUs have."""
    return sorted(rows, key=lambda row: -len(row[1]))


def read_tables(tables):
    """The rows of each table."""
    found, earlier = [], {}
    for path, gpus in tables:
        of_table = list(read_table(path, gpus, earlier))
        for row, _, _, cells in by_gpus(of_table):
            earlier.setdefault(row["mnemonic"], cells)
        found.append([each[:3] for each in of_table])
    return found


def merge(tables):
    """Instructions by name, and for each GPU its encodings: {gpu: [(format, opcode, name)]}."""
    of_tables = read_tables(tables)
    rows = [row for table in of_tables for row in table]
    names, instructions, encodings = {}, {}, {gpu: [] for _, gpus in tables for gpu in gpus}
    for row, _, _ in [row for table in of_tables for row in by_gpus(table)]:
        if not row["like"] or row["like"] != row["mnemonic"]:
            names.setdefault(row["mnemonic"], row)
    for row, has, codes in rows:
        name = row["mnemonic"]
        if not same(names[name], row):
            variants = [f"{name}_{n}" for n in range(2, len(rows))]
            name = next(v for v in variants if v not in instructions or same(instructions[v], row))
        instructions.setdefault(name, row)
        for gpu in has:
            encodings[gpu] += [(fmt, op, name) for fmt, op in codes]
    return instructions, encodings


def body(instructions, name):
    """The instruction whose handler executes this one: that which it is like in the end, or itself; s_nop without an effect."""
    like = instructions[name]["like"]
    if instructions[name]["nothing"]:
        return "s_nop"
    return name if like in (None, name) else body(instructions, like)


def write(directory, name, lines):
    path = os.path.join(directory, name)
    text = "\n".join(["/* Generated by scripts/gen-isa.py from the tables of instructions. */"] + lines) + "\n"
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def main():
    directory, *tables = usage.arguments(__doc__, 3, sys.maxsize)
    instructions, encodings = merge(families(tables))
    os.makedirs(directory, exist_ok=True)
    write(directory, "isa_ops.h",
          ["#ifndef ISA_OPS_H", "#define ISA_OPS_H", "enum {", "    ISA_OP_NONE = 0,"] +
          [f"    ISA_OP_{name}," for name in instructions] +
          ["    ISA_OP_COUNT", "};", "#endif"])
    write(directory, "isa_ops.inc",
          [f"ISA_OP({name}, {body(instructions, name)}, {r['mnemonic']}, {r['fmt']}, {r['mods']}, {r['class']}, {r['reads']}, {r['writes']}, "
           f"({r['operands']}), ({r['facts']}))" for name, r in instructions.items()])
    write(directory, "isa_archs.inc", [f"ISA_ARCH({gpu})" for gpu in encodings])
    write(directory, "isa_codes.inc",
          [line for gpu, names in encodings.items()
           for line in [f"ISA_CODES({gpu})"] + [f"ISA_CODE({fmt}, {op}, {name})" for fmt, op, name in names] +
           ["ISA_CODES_END"]])


if __name__ == "__main__":
    main()
