#!/usr/bin/env python3
"""Writes the wrappers of MPI's functions from their table.

usage: gen-mpi.py mpi.tsv names|numbers|wrappers|entries OUTPUT_FILE

names     FUNCTION(name, class, collective), for src/trace/mpi.c
numbers   names of real functions, C's and then Fortran's, for src/mpi/bridge.c
wrappers  the wrappers for C and Fortran, for src/mpi/abi.c, which is compiled for each implementation
entries   assembly: the exported symbols, which jump through the table in force
"""
import re
import sys

import sdk_tables
import usage

# word of an argument: type in C, what it becomes from Fortran's
INT = ("int", "*{0}")
INTS = ("const int *", "(const int *){0}")
TYPE = ("MPI_Datatype", "ABI_TYPE(*{0})")
COMM = ("MPI_Comm", "ABI_COMM(*{0})")
OTHER = ("void *", "{0}")
ARGUMENTS = {
    "sbuf": ("const void *", "{0}"), "rbuf": ("void *", "{0}"),
    **{w: INT for w in ("count scount rcount dest source stag rtag root color key ndims reorder leader remoteleader high "
                        "required errorcode").split()},
    **{w: INTS for w in "scounts rcounts sdispls rdispls dims periods".split()},
    "type": TYPE, "stype": TYPE, "rtype": TYPE, "op": ("MPI_Op", None), "info": ("MPI_Info", None),
    "group": ("MPI_Group", None), "comm": COMM, "peercomm": ("MPI_Comm", None),
    "newcomm": ("MPI_Comm *", None), "oldcomm": ("MPI_Comm *", None),
    "request": ("MPI_Request *", None), "requests": ("MPI_Request *", None),
    "status": ("MPI_Status *", None), "statuses": ("MPI_Status *", None),
    "flag": ("int *", "(int *){0}"), "index": ("int *", "(int *){0}"), "outcount": ("int *", "(int *){0}"),
    "indices": ("int *", "(int *){0}"), "argc": ("int *", None), "argv": ("char ***", None),
    "provided": ("int *", "(int *){0}"),
}
C_ALONE = {"argc", "argv"}  # arguments that Fortran's function has not


def read(path):
    rows = []
    with open(path) as table:
        for number, line in enumerate(table, 1):
            if line.startswith(("#", "function\t")):
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 6:
                sys.exit(f"{path}:{number}: expected function, class, collective, arguments, sent, received")
            words = [] if fields[3] == "-" else fields[3].split()
            for word in words:
                if word not in ARGUMENTS:
                    sys.exit(f"{path}:{number}: '{word}' is no argument that gen-mpi.py knows")
            rows.append((*fields[:3], words, *fields[4:]))
    return rows


def described(words):
    """Arguments whose values are looked at, with the types that they have in C."""
    wanted = "scount rcount count scounts rcounts stype rtype type dest source stag rtag root comm".split()
    return [w for w in words if w in wanted or w in ("sbuf", "rbuf")]


def describe(name, cls, words, sent, received):
    """The function that fills in a record from the values of arguments."""
    given = described(words)
    body = []
    if "comm" in words:
        body.append("abi_communicator(call, comm);")
    uses = sent + received
    if "n *" in uses:
        body.append("const uint64_t n = (uint64_t)call->peers;")
    if re.search(r"\bme\b", uses):
        body.append("const int me = call->record.rank;")
    if "at_root" in uses:
        body.append("const bool at_root = root == call->record.rank;")
    if "root" in words:
        body.append("call->record.root = abi_rank(root);")
    if "dest" in words:
        body += ["call->record.destination = abi_rank(dest);", "call->record.send_tag = stag;"]
    if "source" in words:
        body += ["call->record.source = abi_rank(source);", "call->record.receive_tag = abi_tag(rtag);"]
    for member, expression in (("sent", sent), ("received", received)):
        if expression == "-" or expression == "0":
            continue
        condition = ""
        if cls in ("COLLECTIVE", "ICOLLECTIVE"):
            condition = "if (call->peers) "
        elif "dest" in words and member == "sent":
            condition = "if (dest != MPI_PROC_NULL) "
        body.append(f"{condition}call->record.{member} = {expression};")
    text = [f"static inline void describe_{name}(mpi_call_t *call" +
            "".join(f", {declare(ARGUMENTS[w][0], w)}" for w in given) + ")", "{"]
    text += [f"    (void){w};" for w in given] + ["    (void)call;"] + ["    " + line for line in body] + ["}"]
    return text


def declare(kind, name):
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


# What a class does around the call: lines before it and behind it, in C and in Fortran; {request} and so on are
# expressions of C's types. A wrapper's macros are in abi.c.
def around(cls, name, words, fortran):
    before, after = [], []
    at = "f_" if fortran else "c_"
    count = "*count" if fortran else "count"
    if cls == "RECV" or cls == "SENDRECV" or cls == "PROBE":
        before.append("MPI_Status own, *use;" if not fortran else "abi_f_status_t own; MPI_Fint *use;")
        before.append(f"use = {at}own_status(status, &own);")
        flag = "if (*flag) " if "flag" in words else ""
        after.append(f"{flag}{at}take_status(&call, use, {'false' if cls == 'PROBE' else 'true'});")
        if "flag" in words:
            after.append("call.left_out = !*flag;")
    elif cls in ("ISEND", "IRECV", "ICOLLECTIVE"):
        kind = {"ISEND": "TRACE_MPI_SENDS", "IRECV": "TRACE_MPI_RECEIVES", "ICOLLECTIVE": "TRACE_MPI_COLLECTS"}[cls]
        after.append(f"mpi_request_begins(&call, {at}key(request), {kind});")
    elif cls == "WAIT":
        many = "requests" in words
        requests, number = ("requests", count) if many else ("request", "1")
        status = "statuses" if "statuses" in words else "status"
        before += [f"{at}wait_t wait;", f"{at}wait_begin(&wait, {number}, {requests}, {status}, "
                   f"{'true' if 'statuses' in words else 'false'});"]
        if "indices" in words:
            after.append(f"{at}wait_some(&call, &wait, outcount, indices);")
        elif "index" in words:
            after.append(f"{at}wait_any(&call, &wait, {'*flag' if 'flag' in words else 'true'}, *index);")
        else:
            after.append(f"{at}wait_all(&call, &wait, {'*flag' if 'flag' in words else 'true'});")
    elif cls == "CREATE":
        before.append("mpi_creation_t creation;")
        comm = "ABI_COMM(*comm)" if fortran else "comm"
        local = "true" if name == "Comm_create_group" else "false"
        tag = ("*stag" if fortran else "stag") if name == "Comm_create_group" else "0"
        before.append(f"abi_creation_begin(&creation, {comm}, {local}, {tag});")
        new = "ABI_COMM(*newcomm)" if fortran else "*newcomm"
        after.append(f"abi_creation_end(&call, &creation, {new}, {comm});")
    elif cls == "FREE":
        old = "ABI_COMM(*oldcomm)" if fortran else "*oldcomm"
        before.append(f"abi_communicator(&call, {old});")
        before.append(f"mpi_communicator_ends(abi_comm_key({old}));")
    elif cls == "INIT":
        after.append("abi_init(&call);")
    elif cls == "FINALIZE":
        before.append("abi_communicator(&call, MPI_COMM_WORLD);")
    elif cls == "ABORT":
        before.append(f"abi_communicator(&call, {'ABI_COMM(*comm)' if fortran else 'comm'});")
        before.append("mpi_call_end(&call);")
    return before, after


def passed(words, cls):
    """Arguments of the real call."""
    names = {"status": "use"} if cls in ("RECV", "SENDRECV", "PROBE") else {}
    if cls == "WAIT":
        names = {"status": "wait.statuses", "statuses": "wait.statuses"}
    return [names.get(w, w) for w in words]


def wrapper(name, cls, words, fortran):
    words = [w for w in words if not (fortran and w in C_ALONE)]
    number = f"MPI_NUMBER_{name}"
    before, after = around(cls, name, words, fortran)
    given = [w for w in described(words)]
    if fortran:
        types = ", ".join([declare("void *" if w in ("sbuf", "rbuf") else "MPI_Fint *", w) for w in words] +
                          ["MPI_Fint *error"])
        real = f"((void (*)({', '.join(['void *' if w in ('sbuf', 'rbuf') else 'MPI_Fint *' for w in words] + ['MPI_Fint *'])}))mpi_real[MPI_FUNCTIONS + {number}])"
        head = [f"static void f_{name}({types})"]
        plain = ["{", f"        {real}({', '.join(words + ['error'])});", "        return;", "    }"]
        call = f"    {real}({', '.join(passed(words, cls) + ['error'])});"
        good = "*error == MPI_SUCCESS"
        values = [ARGUMENTS[w][1].format(w) for w in given]
        done = []
    else:
        types = ", ".join(declare(ARGUMENTS[w][0], w) for w in words) or "void"
        real = f"((int (*)({', '.join(ARGUMENTS[w][0] for w in words) or 'void'}))mpi_real[{number}])"
        head = [f"static int c_{name}({types})"]
        plain = [f"return {real}({', '.join(words)});"]
        call = f"    const int error = {real}({', '.join(passed(words, cls))});"
        good = "error == MPI_SUCCESS"
        values = given
        done = ["    return error;"]
    text = [*head, "{", "    mpi_call_t call;"]
    if fortran:
        text += [f"    if (!mpi_call_begin(&call, {number})) " + plain[0], *plain[1:]]
    else:
        text += [f"    if (!mpi_call_begin(&call, {number}))", "        " + plain[0]]
    text += ["    " + line for line in before]
    text += [call]
    if cls == "ABORT":
        return text + done + ["}"]
    if cls not in ("INIT", "FINALIZE", "FREE", "WAIT", "ABORT", "CREATE"):
        after.insert(0, f"describe_{name}({', '.join(['&call'] + values)});")
    after = [line for line in after]
    if after:
        text += [f"    if ({good}) {{"] + ["        " + line for line in after] + ["    }"]
    if cls == "WAIT":
        text += [f"    {'f_' if fortran else 'c_'}wait_end(&call, &wait, {good});"]
    else:
        text += ["    mpi_call_end(&call);"]
    if cls == "CREATE":
        text += ["    abi_creation_free(&call);"]
    return text + done + ["}"]


def names(rows):
    return [f"FUNCTION({r[0]}, {r[1]}, {r[2]})" for r in rows] + ["#undef FUNCTION"]


def numbers(rows):
    text = ["enum {", *[f"    MPI_NUMBER_{r[0]}," for r in rows], "    MPI_FUNCTIONS", "};"]
    text += ["#ifdef MPI_NAMES", "static const char *const mpi_names[2 * MPI_FUNCTIONS] = {"]
    text += [f'    "PMPI_{r[0]}",' for r in rows] + [f'    "pmpi_{r[0].lower()}_",' for r in rows] + ["};", "#endif"]
    return text


def wrappers(rows):
    text = []
    for name, cls, _, words, sent, received in rows:
        if cls not in ("INIT", "FINALIZE", "FREE", "WAIT", "ABORT", "CREATE"):
            text += describe(name, cls, words, sent, received)
        text += wrapper(name, cls, words, False) + wrapper(name, cls, words, True)
    text += ["void *const ABI_ENTRIES[2 * MPI_FUNCTIONS] = {"]
    text += [f"    (void *)c_{r[0]}," for r in rows] + [f"    (void *)f_{r[0]}," for r in rows] + ["};"]
    return text


def entries(rows):
    text = [".text", ".hidden mpi_table", ".hidden mpi_choose"]
    symbols = [f"MPI_{r[0]}" for r in rows] + [f"mpi_{r[0].lower()}_" for r in rows]
    for number, symbol in enumerate(symbols):
        text += [".p2align 4", f".globl {symbol}", f".type {symbol}, @function", f"{symbol}:", "    endbr64",
                 f"    movl ${8 * number}, %r11d", "    movq mpi_table(%rip), %rax", "    testq %rax, %rax",
                 "    je mpi_first", "    jmpq *(%rax,%r11)", f".size {symbol}, . - {symbol}"]
    kept = ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "r11"]
    text += [".p2align 4", "mpi_first:", *[f"    pushq %{r}" for r in kept], "    call mpi_choose",
             *[f"    popq %{r}" for r in reversed(kept)], "    jmpq *(%rax,%r11)",
             '.section .note.GNU-stack,"",@progbits']
    return text


def main():
    table, what, output = usage.arguments(__doc__, 3)
    made = {"names": names, "numbers": numbers, "wrappers": wrappers, "entries": entries}.get(what)
    if not made:
        sys.exit(__doc__)
    sdk_tables.write_if_changed(output, "\n".join([f"/* Made by gen-mpi.py */", *made(read(table))]) + "\n")


main()
