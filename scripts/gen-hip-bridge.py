#!/usr/bin/env python3
"""Writes the trampolines of the HIP bridge from the table of HIP functions.

usage: gen-hip-bridge.py hip-table.tsv OUTPUT_DIR

hip_bridge_trampolines.S  exported symbols that jump through the table in force, and the entries of
                          tables: those that find the real function first, those that go on into it,
                          those of a table that the library itself hands in later
hip_bridge_rows.inc       BRIDGE_ROW(id, table, position, name, step), the tables' sizes, and
                          BRIDGE_SYMBOLS, how many symbols there are
"""
import os
import sys

import usage

TABLES = ("runtime", "compiler")
# Arguments of any function: these are kept over a call that is made in between.
INTEGERS = ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax"]


def read_rows(path):
    rows = []
    with open(path) as table:
        for number, line in enumerate(table, 1):
            if line.startswith("#") or line.startswith("table\t"):
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or fields[0] not in TABLES:
                sys.exit(f"{path}:{number}: expected table, position, function, step, symbols")
            rows.append((fields[0], int(fields[1]), fields[2], int(fields[3]), fields[4].split(",")))
    return rows


def through(table, position):
    return [f"    movq bridge_{table}(%rip), %r11", f"    movq {8 * position}(%r11), %r11"]


def exported(symbol, table, position):
    return [".p2align 4", f".globl {symbol}", f".type {symbol}, @function", f"{symbol}:", f"bridge_at_{symbol}:",
            "    endbr64", *through(table, position), "    testq %r11, %r11", "    je bridge_missing_jump",
            "    jmpq *%r11", f".size {symbol}, . - {symbol}"]


def entries(identity, table, position):
    """bridge_passing, a variable of each thread, says which function has been entered through the
    bridge's table and is on its way through the library's own."""
    passing = "    movq bridge_passing@gottpoff(%rip), %r11"
    return [
        ".p2align 4", f"bridge_lazy_{identity}:", "    endbr64", f"    pushq ${identity}", "    jmp bridge_lazy",
        ".p2align 4", f"bridge_pass_{identity}:", "    endbr64", passing, f"    movl ${identity + 1}, %fs:(%r11)",
        f"    movq bridge_real+{8 * identity}(%rip), %r11", "    jmpq *%r11",
        ".p2align 4", f"bridge_late_{identity}:", "    endbr64", passing, f"    cmpl ${identity + 1}, %fs:(%r11)",
        "    jne 1f", "    movl $0, %fs:(%r11)", f"    movq bridge_native+{8 * identity}(%rip), %r11",
        "    jmpq *%r11", "1:", *through(table, position), "    jmpq *%r11"]


def kept(before, after):
    """The code between, with the arguments of the function on the stack meanwhile."""
    save = [f"    movq %{r}, {8 * i}(%rsp)" for i, r in enumerate(INTEGERS)]
    save += [f"    movups %xmm{i}, {64 + 16 * i}(%rsp)" for i in range(8)]
    load = [f"    movups {64 + 16 * i}(%rsp), %xmm{i}" for i in range(8)]
    load += [f"    movq {8 * i}(%rsp), %{r}" for i, r in enumerate(INTEGERS)]
    return ["    subq $192, %rsp", *save, *before, "    movq %rax, %r11", *load, *after]


def main():
    table_path, folder = usage.arguments(__doc__, 2)
    rows = read_rows(table_path)
    asm = ["/* Made by gen-hip-bridge.py: exported functions of the HIP bridge. */", ".text"]
    inc = ["/* Made by gen-hip-bridge.py */"]
    symbols = {}
    for identity, (table, position, name, step, names) in enumerate(rows):
        inc.append(f'BRIDGE_ROW({identity}, {table}, {position}, "{name}", {step})')
        asm += entries(identity, table, position)
        for preference, symbol in enumerate(names):
            if symbol in symbols:
                sys.exit(f"{symbol} is a symbol of two functions")
            symbols[symbol] = (identity, preference)
            asm += exported(symbol, table, position)
    asm += [
        "bridge_missing_jump:", "    jmp bridge_missing",
        "/* First call of a table: keep the arguments, resolve, go on in the real function. */",
        ".p2align 4", "bridge_lazy:",
        *kept(["    movq 192(%rsp), %rdi", "    call bridge_resolve"], ["    addq $200, %rsp", "    jmpq *%r11"]),
        ".section .tbss,\"awT\",@nobits", ".p2align 3",
        ".globl bridge_passing", ".hidden bridge_passing", ".type bridge_passing, @tls_object", "bridge_passing:",
        "    .zero 4", ".section .rodata", *[f'bridge_name_{s}: .asciz "{s}"' for s in symbols],
        ".section .data.rel.ro,\"aw\"", ".p2align 3"]
    for table in TABLES:
        mine = [(position, identity) for identity, (t, position, *_) in enumerate(rows) if t == table]
        asm += [f".globl bridge_lazy_{table}", f".hidden bridge_lazy_{table}", f"bridge_lazy_{table}:", "    .quad 0"]
        for expected, (position, identity) in enumerate(sorted(mine), 1):
            if position != expected:
                sys.exit(f"{table}: position {expected} is missing")
            asm.append(f"    .quad bridge_lazy_{identity}")
        inc.append(f"BRIDGE_TABLE({table}, {1 + len(mine)})")
    for kind in ("pass", "late"):
        asm += [f".globl bridge_{kind}_entries", f".hidden bridge_{kind}_entries", f"bridge_{kind}_entries:"]
        asm += [f"    .quad bridge_{kind}_{identity}" for identity in range(len(rows))]
    asm += [".globl bridge_symbols", ".hidden bridge_symbols", "bridge_symbols:"]
    for symbol in sorted(symbols):
        identity, preference = symbols[symbol]
        asm.append(f"    .quad bridge_name_{symbol}, bridge_at_{symbol}; .long {identity}, {preference}")
    inc.append(f"BRIDGE_SYMBOLS({len(symbols)})")
    asm.append('.section .note.GNU-stack,"",@progbits')
    for name, lines in (("hip_bridge_trampolines.S", asm), ("hip_bridge_rows.inc", inc)):
        with open(os.path.join(folder, name), "w") as out:
            out.write("\n".join(lines) + "\n")


main()
