#!/usr/bin/env python3
"""Writes the trampolines of the HIP bridge from the table of HIP functions.

usage: gen-hip-bridge.py hip-table.tsv OUTPUT_DIR

hip_bridge_trampolines.S  one exported symbol per function: jumps through the table in force
hip_bridge_rows.inc       BRIDGE_ROW(id, table, position, name, symbol) and the tables' sizes
"""
import os
import sys

import usage


def read_rows(path):
    rows = []
    with open(path) as table:
        for number, line in enumerate(table, 1):
            if line.startswith("#") or line.startswith("table\t"):
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or fields[0] not in ("runtime", "compiler"):
                sys.exit(f"{path}:{number}: expected table, position, function, step, older")
            rows.append((fields[0], int(fields[1]), fields[2], int(fields[3]), fields[4]))
    return rows


def main():
    table_path, folder = usage.arguments(__doc__, 2)
    rows = read_rows(table_path)
    asm = ["/* Made by gen-hip-bridge.py: exported functions of the HIP bridge. */", ".text"]
    inc = ["/* Made by gen-hip-bridge.py */"]
    for identity, (table, position, name, _, symbol) in enumerate(rows):
        inc.append(f'BRIDGE_ROW({identity}, {table}, {position}, "{name}", "{symbol}")')
        asm += [f".p2align 4", f"bridge_lazy_{identity}:", "    endbr64",
                f"    pushq ${identity}", "    jmp bridge_lazy"]
        if symbol == "-":
            continue
        asm += [".p2align 4", f".globl {symbol}", f".type {symbol}, @function", f"{symbol}:",
                "    endbr64", f"    movq bridge_{table}(%rip), %r11",
                f"    movq {8 * position}(%r11), %r11", "    testq %r11, %r11",
                "    je bridge_missing_jump", "    jmpq *%r11",
                f".size {symbol}, . - {symbol}"]
    asm += [
        "bridge_missing_jump:", "    jmp bridge_missing",
        "/* First call of a table: keep the arguments, resolve, go on in the real function. */",
        ".p2align 4", "bridge_lazy:",
        "    subq $192, %rsp",
        *[f"    movq %{r}, {8 * i}(%rsp)" for i, r in enumerate(["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax"])],
        *[f"    movups %xmm{i}, {64 + 16 * i}(%rsp)" for i in range(8)],
        "    movq 192(%rsp), %rdi", "    call bridge_resolve", "    movq %rax, %r11",
        *[f"    movups {64 + 16 * i}(%rsp), %xmm{i}" for i in range(8)],
        *[f"    movq {8 * i}(%rsp), %{r}" for i, r in enumerate(["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax"])],
        "    addq $200, %rsp", "    jmpq *%r11",
        ".section .data.rel.ro,\"aw\"",
    ]
    for table in ("runtime", "compiler"):
        mine = [(position, identity) for identity, (t, position, *_) in enumerate(rows) if t == table]
        asm += [".p2align 3", f".globl bridge_lazy_{table}", f".hidden bridge_lazy_{table}",
                f"bridge_lazy_{table}:", "    .quad 0"]
        for expected, (position, identity) in enumerate(sorted(mine), 1):
            if position != expected:
                sys.exit(f"{table}: position {expected} is missing")
            asm.append(f"    .quad bridge_lazy_{identity}")
        base = 1 + max(position for t, position, _, step, _ in rows if t == table and step == 0)
        inc.append(f"BRIDGE_TABLE({table}, {1 + len(mine)}, {base})")
    asm.append('.section .note.GNU-stack,"",@progbits')
    for name, lines in (("hip_bridge_trampolines.S", asm), ("hip_bridge_rows.inc", inc)):
        with open(os.path.join(folder, name), "w") as out:
            out.write("\n".join(lines) + "\n")


main()
